/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Monitoring plugins: a line of text, '|', performance data, then more text.
 * https://www.monitoring-plugins.org/doc/guidelines.html
 */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "render/metrics.h"
#include "render/say.h"

/* Nagios keeps 8 KiB of a plugin's output. */
#define LONG_LINES 20 /* of each kind, unless asked for all */
/* Bytes of the first line before the performance data: what wrappers and schedulers keep of a
 * reason.  A longer one follows whole. */
#define HEAD_MAX 120
#define MORE     "..."

static void say_unpiped(struct writer *w, const char *text)
{
	/* what follows a bar is read as performance data, in every line */
	static const struct escape escapes[] = { { "|", "/" }, { 0 } };

	put_escaped(w, text, escapes);
}

/* The first line is handed on by scripts, into commands and JSON: it has no quotes either. */
static void collect_unquoted(struct writer *w, const char *text)
{
	static const struct escape escapes[] = { { "|", "/" }, { "\"", "" }, { "'", "" },
		                                 { "`", "" },  { "\\", "" }, { 0 } };

	collect_escaped(w, text, escapes);
}

/* "U" is how performance data says that a value is not known. */
static void put_performance(struct writer *w, const struct ibc_report *rep)
{
	static const char *const summed[] = { "nodes", "switches", "links" };

	put(w, " |");
	sayf(w,
	     " criticals=%zu warnings=%zu unknowns=%zu cases_critical=%zu cases_warning=%zu "
	     "cases_unknown=%zu",
	     ibc_report_count(rep, IBC_CRITICAL), ibc_report_count(rep, IBC_WARNING),
	     ibc_report_count(rep, IBC_UNKNOWN), report_count_cases(rep, IBC_CRITICAL),
	     report_count_cases(rep, IBC_WARNING), report_count_cases(rep, IBC_UNKNOWN));
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++) {
		const struct sum *s = rep->sums;

		while (s && strcmp(s->key, summed[i]) != 0)
			s = s->next;
		if (s)
			sayf(w, " %s=%" PRIu64, s->key, s->value);
		else
			sayf(w, " %s=U", summed[i]);
	}
	for (const struct ibc_table *t = rep->tables; t; t = t->next)
		put_plugin_metrics(w, t);
	sayf(w, " unanswered=%" PRIu64, report_open(rep));
	if (rep->has_meta)
		sayf(w, " seconds=%.3fs\n", rep->meta.duration_seconds);
	else
		say(w, " seconds=U\n");
}

/* Cases that are known, or those that are not. */
static void put_cases(struct writer *w, const struct ibc_report *rep, bool known, size_t limit)
{
	struct severity_walk walk = { .report = rep, .known = known };
	const struct ibc_case *c;
	size_t seen = 0;

	for (; (c = case_next(&walk)); seen++) {
		if (seen >= limit)
			continue;
		if (known) {
			say(w, "known ");
			say_known(w, c->known);
			say(w, ": ");
		} else {
			sayf(w, "%s ", ibc_severity_word(c->severity)->name);
		}
		say_case(w, rep, c);
		end_line(w);
	}
	if (seen > limit)
		sayf(w, "... and %zu more%s\n", seen - limit, known ? " known" : "");
}

static void render_nagios(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_case *first = case_next(&(struct severity_walk){ .report = rep });
	size_t limit = w->opts->verbose ? SIZE_MAX : LONG_LINES, gone, end;

	w->say = collect_unquoted;
	sayf(w, "IBCHECK %s - ", ibc_severity_word(ibc_report_verdict(rep))->name);
	say_sum(w, rep);
	if (first) {
		say(w, "; ");
		say_case(w, rep, first);
	}
	if (w->error)
		return;
	end = w->length;
	if (end > HEAD_MAX) /* cut between words */
		for (end = HEAD_MAX - strlen(MORE); w->line[end] != ' ';)
			end--;
	put_bytes(w, w->line, end);
	put(w, end < w->length ? MORE : "");
	w->say = say_unpiped;
	put_performance(w, rep);
	if (end < w->length) {
		put(w, w->line);
		end_line(w);
	}
	w->length = 0;
	say_gaps(w, rep, end_line);
	put_cases(w, rep, false, limit);
	put_cases(w, rep, true, limit);
	gone = report_count_shown_gone(rep);
	for (size_t i = 0; i < gone && i < limit; i++) {
		sayf(w, "%s ", ibc_case_state_word(IBC_CASE_GONE)->name);
		say_case(w, rep, &rep->gone[i]);
		end_line(w);
	}
	if (gone > limit)
		sayf(w, "... and %zu more %s\n", gone - limit,
		     ibc_case_state_word(IBC_CASE_GONE)->name);
}

const struct renderer renderer_nagios = { "nagios", render_nagios };
