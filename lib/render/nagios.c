/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Monitoring plugins: a line of text, '|', performance data, then more text.
 * https://www.monitoring-plugins.org/doc/guidelines.html
 */
#include <inttypes.h>
#include <string.h>

#include "render/metrics.h"
#include "render/say.h"

/* Nagios keeps 8 KiB of a plugin's output. */
#define LONG_LINES 20 /* of each kind, unless asked for all */
/* Bytes of the first line before the performance data: what wrappers and schedulers keep of a
 * reason.  A longer one follows whole. */
#define HEAD_MAX 120

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

/* What was collected, cut between words; it stays for put_whole_head(). */
static void put_head(struct writer *w)
{
	static const char more[] = "...";
	size_t end = HEAD_MAX - strlen(more);

	if (w->error)
		return;
	if (w->length <= HEAD_MAX) {
		put(w, w->line);
		return;
	}
	while (w->line[end] != ' ')
		end--;
	put_bytes(w, w->line, end);
	put(w, more);
}

static void put_whole_head(struct writer *w)
{
	if (!w->error && w->length > HEAD_MAX) {
		put(w, w->line);
		end_line(w);
	}
	w->length = 0;
}

/* "U" is how performance data says that a value is not known. */
static void say_summed(struct writer *w, const struct ibc_report *rep, const char *key)
{
	for (const struct sum *s = rep->sums; s; s = s->next) {
		if (!strcmp(s->key, key)) {
			sayf(w, " %s=%" PRIu64, key, s->value);
			return;
		}
	}
	sayf(w, " %s=U", key);
}

static void put_performance(struct writer *w, const struct ibc_report *rep)
{
	put(w, " |");
	sayf(w,
	     " criticals=%zu warnings=%zu unknowns=%zu cases_critical=%zu cases_warning=%zu "
	     "cases_unknown=%zu",
	     ibc_report_count(rep, IBC_CRITICAL), ibc_report_count(rep, IBC_WARNING),
	     ibc_report_count(rep, IBC_UNKNOWN), report_count_cases(rep, IBC_CRITICAL),
	     report_count_cases(rep, IBC_WARNING), report_count_cases(rep, IBC_UNKNOWN));
	say_summed(w, rep, "nodes");
	say_summed(w, rep, "switches");
	say_summed(w, rep, "links");
	for (const struct ibc_table *t = rep->tables; t; t = t->next)
		put_plugin_metrics(w, t);
	sayf(w, " unanswered=%" PRIu64, report_open(rep));
	if (rep->has_meta)
		sayf(w, " seconds=%.3fs\n", rep->meta.duration_seconds);
	else
		say(w, " seconds=U\n");
}

static void put_case(struct writer *w, const struct ibc_report *rep, const struct ibc_case *c)
{
	if (case_is_known(c)) {
		say(w, "known ");
		say_known(w, c->known);
		say(w, ": ");
	} else {
		sayf(w, "%s ", ibc_severity_word(c->severity)->name);
	}
	say_case(w, rep, c);
	end_line(w);
}

static void put_long_output(struct writer *w, const struct ibc_report *rep, bool known)
{
	struct severity_walk walk = { .report = rep, .known = known };
	const struct ibc_case *c;
	size_t seen = 0, limit = w->opts->verbose ? SIZE_MAX : LONG_LINES;

	for (; (c = case_next(&walk)); seen++)
		if (seen < limit)
			put_case(w, rep, c);
	if (seen > limit)
		sayf(w, "... and %zu more%s\n", seen - limit, known ? " known" : "");
}

static void put_gone(struct writer *w, const struct ibc_report *rep)
{
	size_t limit = w->opts->verbose ? SIZE_MAX : LONG_LINES;

	for (size_t i = 0; i < report_count_shown_gone(rep) && i < limit; i++) {
		say(w, "gone ");
		say_case(w, rep, &rep->gone[i]);
		end_line(w);
	}
	if (report_count_shown_gone(rep) > limit)
		sayf(w, "... and %zu more gone\n", report_count_shown_gone(rep) - limit);
}

void render_nagios(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_case *first = case_next(&(struct severity_walk){ .report = rep });

	w->say = collect_unquoted;
	sayf(w, "IBCHECK %s - ", ibc_severity_word(ibc_report_verdict(rep))->name);
	say_sum(w, rep);
	if (first) {
		say(w, "; ");
		say_case(w, rep, first);
	}
	put_head(w);
	w->say = say_unpiped;
	put_performance(w, rep);
	put_whole_head(w);
	say_gaps(w, rep, end_line);
	put_long_output(w, rep, false);
	put_long_output(w, rep, true);
	put_gone(w, rep);
}
