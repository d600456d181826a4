/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as data, ibcheck-report(5), written as it comes: a report of any size takes no
 * memory here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/jsonwrite.h"
#include "base/left_out.h"
#include "base/str.h"
#include "render/writer.h"

#define REAL_DIGITS 15        /* that many a double keeps of a decimal: 0.12 stays 0.12 */
#define FLUSH_BYTES (1 << 16) /* are written at a time */

/* What is there goes out, if it is enough for that. */
static void flush(struct writer *w, struct json_out *o, size_t enough)
{
	if (o->failed)
		give_up(w, -ENOMEM);
	if (o->length < enough)
		return;
	put_bytes(w, o->text, o->length);
	o->length = 0;
}

/* ---- values --------------------------------------------------------------- */

/* JSON knows no bounds; others' integers end at 2^63 - 1. */
static void put_json_number(struct json_out *o, uint64_t n)
{
	if (n <= INT64_MAX)
		json_put_number(o, (int64_t)n);
	else
		json_put_real(o, (double)n);
}

static void put_cell(struct json_out *o, struct ibc_value v)
{
	switch (v.kind) {
	case IBC_NONE:
		json_put_null(o);
		break;
	case IBC_BOOL:
		json_put_bool(o, v.flag);
		break;
	case IBC_U64:
		put_json_number(o, v.num);
		break;
	case IBC_REAL:
		json_put_real(o, v.real);
		break;
	case IBC_STR:
		json_put_text(o, v.str);
		break;
	case IBC_ENUM:
		json_put_text(o, v.word->word);
		break;
	case IBC_GUID:
		json_put_guid(o, v.num);
	}
}

static void put_value(struct json_out *o, const char *key, struct ibc_value value)
{
	json_key(o, key);
	put_cell(o, value);
}

static void put_text(struct json_out *o, const char *key, const char *text)
{
	put_value(o, key, ibc_str(text));
}

static void put_json_count(struct json_out *o, const char *key, uint64_t n)
{
	put_value(o, key, ibc_u64(n));
}

static void put_known_count(struct json_out *o, const char *key, bool known, uint64_t n)
{
	put_value(o, key, known ? ibc_u64(n) : ibc_none());
}

static void put_time(struct json_out *o, const char *key, time_t t)
{
	char text[UTC_TEXT];

	put_text(o, key, utc_text(t, text));
}

static void open_member(struct json_out *o, const char *key, char bracket)
{
	json_key(o, key);
	json_open(o, bracket);
}

/* ---- head ----------------------------------------------------------------- */

static void put_meta(struct json_out *o, const struct ibc_report *rep)
{
	const struct ibc_report_meta *m = &rep->meta;
	double s = m->duration_seconds;

	json_open(o, '{');
	put_time(o, "time", m->time);
	put_text(o, "host", m->host);
	put_text(o, "described", m->described && *m->described ? m->described : NULL);
	put_text(o, "command", m->command);
	open_member(o, "arguments", '[');
	for (size_t i = 0; m->arguments && m->arguments[i]; i++)
		json_put_text(o, m->arguments[i]);
	json_close(o, ']');
	open_member(o, "source", '{');
	put_text(o, "kind", m->source_kind);
	put_text(o, "ca", m->source_ca);
	put_known_count(o, "port", m->source_ca, m->source_port);
	put_text(o, "file", m->source_file);
	json_close(o, '}');
	/* no clock here is finer than a microsecond */
	put_value(o, "duration_seconds",
	          rep->has_meta && s >= 0 && s < 1e9
	              ? ibc_real((double)(uint64_t)(s * 1e6 + 0.5) / 1e6)
	              : ibc_none());
	json_close(o, '}');
}

static void put_json_summary(struct json_out *o, const struct ibc_report *rep)
{
	static const enum ibc_severity counted[] = { IBC_CRITICAL, IBC_WARNING, IBC_UNKNOWN,
		                                     IBC_INFO };
	static const char *const always[] = { "nodes", "switches", "links" };
	char key[32];

	json_open(o, '{');
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		put_json_count(o, ibc_severity_word(counted[i])->word,
		               ibc_report_count(rep, counted[i]));
	put_json_count(o, "known", report_count_known(rep));
	if (report_count_hidden(rep))
		put_json_count(o, "hidden", report_count_hidden(rep));
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		snprintf(key, sizeof(key), "cases_%s", ibc_severity_word(counted[i])->word);
		put_json_count(o, key, report_count_cases(rep, counted[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(always); i++) {
		const struct sum *s = rep->sums;

		while (s && strcmp(s->key, always[i]) != 0)
			s = s->next;
		put_known_count(o, always[i], s, s ? s->value : 0);
	}
	for (const struct sum *s = rep->sums; s; s = s->next) {
		bool written = false;

		for (size_t i = 0; i < ARRAY_SIZE(always); i++)
			written |= strcmp(s->key, always[i]) == 0;
		if (!written)
			put_json_count(o, s->key, s->value);
	}
	json_close(o, '}');
}

/* ---- coverage ------------------------------------------------------------- */

static void put_note(struct json_out *o, const char *name, const char *reason)
{
	json_open(o, '{');
	put_text(o, "check", name);
	put_text(o, "reason", reason);
}

/* With what no option asked for, and the one that does. */
static void put_skipped(struct json_out *o, const struct ibc_report *rep)
{
	open_member(o, "skipped", '[');
	for (const struct check_note *n = rep->skipped; n; n = n->next) {
		put_note(o, n->name, n->reason);
		put_text(o, "option", NULL);
		json_close(o, '}');
	}
	for (const struct check_note *n = rep->unasked; n; n = n->next) {
		put_note(o, n->name, "it was not asked for");
		put_text(o, "option", n->reason);
		json_close(o, '}');
	}
	json_close(o, ']');
}

static void put_coverage(struct json_out *o, const struct ibc_report *rep)
{
	json_open(o, '{');
	put_value(o, "complete", ibc_bool(report_is_complete(rep)));
	open_member(o, "attributes", '[');
	for (const struct cover *c = rep->cover; c; c = c->next) {
		json_open(o, '{');
		put_text(o, "attribute", c->attribute);
		put_json_count(o, "asked", c->n.asked);
		put_json_count(o, "answered", c->n.answered);
		put_json_count(o, "unsupported", c->n.unsupported);
		put_json_count(o, "refused", c->n.refused);
		put_json_count(o, "timed_out", c->n.timed_out);
		json_close(o, '}');
	}
	json_close(o, ']');
	put_json_count(o, "not_asked", rep->not_asked);
	put_json_count(o, "lines_lost", rep->lines_lost);
	open_member(o, "ran", '[');
	for (const struct check_note *n = rep->ran; n; n = n->next)
		json_put_text(o, n->name);
	json_close(o, ']');
	put_skipped(o, rep);
	open_member(o, "unreported", '[');
	for (const struct check_note *n = rep->unreported; n; n = n->next) {
		put_note(o, n->name, n->reason);
		json_close(o, '}');
	}
	json_close(o, ']');
	open_member(o, "mads", '{');
	put_json_count(o, "sent", rep->sweep.sent);
	put_json_count(o, "answered", rep->sweep.answered);
	put_json_count(o, "unsupported", rep->sweep.unsupported);
	put_json_count(o, "refused", rep->sweep.refused);
	put_json_count(o, "retried", rep->sweep.retried);
	put_json_count(o, "timed_out", rep->sweep.timed_out);
	put_json_count(o, "dropped_late", rep->sweep.dropped_late);
	put_json_count(o, "dropped_mismatch", rep->sweep.dropped_mismatch);
	put_json_count(o, "dropped_short", rep->sweep.dropped_short);
	put_json_count(o, "peak_in_flight", rep->sweep.peak_in_flight);
	/* without an answer there is no time it took */
	put_known_count(o, "rtt_p50_us", rep->sweep.answered, rep->sweep.rtt_p50_us);
	put_known_count(o, "rtt_p99_us", rep->sweep.answered, rep->sweep.rtt_p99_us);
	json_close(o, '}');
	json_close(o, '}');
}

/* ---- findings ------------------------------------------------------------- */

static void put_subject(struct json_out *o, const struct ibc_subject *subject)
{
	static const char *const keys[2][4] = {
		{ "node_guid", "node_desc", "port", "port_label" },
		{ "peer_guid", "peer_desc", "peer_port", "peer_port_label" },
	};

	put_text(o, "kind", ibc_subject_kind_word(subject->kind)->word);
	for (int i = 0; i < 2; i++) {
		const struct ibc_end *end = i ? &subject->far : &subject->near;

		put_value(o, keys[i][0], end->has_guid ? ibc_guid(end->guid) : ibc_none());
		put_text(o, keys[i][1], end->desc);
		put_known_count(o, keys[i][2], end->has_port, end->port);
		put_text(o, keys[i][3], end->port_label);
	}
}

static void put_known(struct json_out *o, const struct ibc_known *k)
{
	json_key(o, "known");
	if (!k) {
		json_put_null(o);
		return;
	}
	json_open(o, '{');
	put_text(o, "until", k->until);
	put_text(o, "owner", k->owner);
	put_text(o, "reason", k->reason);
	put_value(o, "expired", ibc_bool(k->expired));
	put_text(o, "grown", k->grown);
	json_close(o, '}');
}

/* What a finding and a case have in common, up to the advice. */
static void put_json_head(struct json_out *o, const char *id, const char *check,
                          enum ibc_severity severity, const struct ibc_subject *subject)
{
	json_open(o, '{');
	put_text(o, "id", id);
	put_text(o, "check", check);
	put_text(o, "severity", ibc_severity_word(severity)->word);
	open_member(o, "subject", '{');
	put_subject(o, subject);
	json_close(o, '}');
}

static void put_state(struct json_out *o, enum ibc_case_state state, time_t since)
{
	const struct ibc_word *word = ibc_case_state_word(state);

	put_text(o, "state", word ? word->word : NULL);
	put_time(o, "since", word ? since : 0);
}

static void put_finding(struct json_out *o, const struct ibc_finding *f)
{
	put_json_head(o, f->id, f->check, f->severity, &f->subject);
	open_member(o, "related", '[');
	for (size_t i = 0; i < f->num_related; i++) {
		json_open(o, '{');
		put_text(o, "role", ibc_role_word(f->related[i].role)->word);
		put_subject(o, &f->related[i].subject);
		json_close(o, '}');
	}
	json_close(o, ']');
	put_text(o, "message", f->message);
	put_text(o, "advice", f->advice);
	open_member(o, "facts", '{');
	for (size_t i = 0; i < f->num_facts; i++)
		put_value(o, f->facts[i].key, f->facts[i].value);
	json_close(o, '}');
	put_json_count(o, "unanswered", f->unanswered);
	put_state(o, f->state, f->since);
	put_known(o, f->known);
	json_close(o, '}');
}

static void put_findings(struct writer *w, struct json_out *o, const struct ibc_report *rep)
{
	const char *separator = "[\n    ";
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)) && !w->error; i++) {
		if (f->hidden)
			continue;
		json_raw(o, separator);
		put_finding(o, f);
		flush(w, o, FLUSH_BYTES);
		separator = ",\n    ";
	}
	json_raw(o, *separator == '[' ? "[]" : "]");
}

/* ---- cases ---------------------------------------------------------------- */

/* Where each finding stands among those that are written; NULL: out of memory. */
static size_t *index_findings(const struct ibc_report *rep)
{
	size_t *places = xalloc((rep->num_findings + 1) * sizeof(*places)), num = 0;
	const struct ibc_finding *f;

	for (size_t i = 0; places && (f = ibc_report_finding(rep, i)); i++)
		if (!f->hidden)
			places[f - rep->findings] = num++;
	return places;
}

static void put_positive(struct json_out *o, const char *key, double value)
{
	put_value(o, key, value > 0 ? ibc_real(value) : ibc_none());
}

/* What only a memory knows is null. */
static void put_case(struct json_out *o, const struct ibc_report *rep, const struct ibc_case *c,
                     const size_t *places)
{
	put_json_head(o, c->id, c->check, c->severity, &c->subject);
	put_text(o, "message", c->message);
	put_text(o, "advice", c->advice);
	put_text(o, "trait", c->trait);
	put_json_count(o, "members", c->num_members);
	open_member(o, "member_ids", '[');
	if (!c->num_findings) /* one that is gone is its own only member */
		json_put_text(o, c->id);
	for (size_t i = 0; i < c->num_members && i < c->num_findings; i++)
		put_cell(o, ibc_str(c->findings[i]->id));
	json_close(o, ']');
	open_member(o, "findings", '[');
	for (size_t i = 0; i < c->num_findings; i++)
		if (!c->findings[i]->hidden)
			put_json_number(o, places[c->findings[i] - rep->findings]);
	json_close(o, ']');
	open_member(o, "cost", '{');
	put_known_count(o, "hosts_cut_off", c->cost.hosts, c->cost.hosts);
	put_positive(o, "lost_gbps", c->cost.gbps);
	put_positive(o, "errors_per_second", c->cost.errors_per_second);
	put_positive(o, "errors", c->cost.errors);
	json_close(o, '}');
	put_state(o, c->state, c->since);
	put_known_count(o, "times", ibc_case_state_word(c->state), c->times);
	put_known(o, c->known);
	json_close(o, '}');
}

static void put_cases(struct writer *w, struct json_out *o, const struct ibc_report *rep)
{
	const char *separator = "[\n    ";
	const struct ibc_case *c;
	size_t *places = index_findings(rep), gone = report_count_shown_gone(rep);

	if (!places)
		give_up(w, -ENOMEM);
	for (size_t i = 0; i < rep->num_cases + gone && !w->error; i++) {
		c = i < rep->num_cases ? &rep->cases[i] : &rep->gone[i - rep->num_cases];
		if (i < rep->num_cases && case_is_hidden(c))
			continue;
		json_raw(o, separator);
		put_case(o, rep, c, places);
		flush(w, o, FLUSH_BYTES);
		separator = ",\n    ";
	}
	json_raw(o, *separator == '[' ? "[]" : "]");
	free(places);
}

/* ---- tables --------------------------------------------------------------- */

static void put_tables(struct writer *w, struct json_out *o, const struct ibc_report *rep)
{
	const struct ibc_value *values;

	json_raw(o, "{");
	for (const struct ibc_table *t = rep->tables; t; t = t->next) {
		struct table_walk walk = table_walk(t);
		const char *separator = "[\n      ";

		json_raw(o, t == rep->tables ? "\n    \"" : ",\n    \"");
		json_raw(o, t->type->name);
		json_raw(o, "\": ");
		while ((values = table_next(&walk)) && !w->error) {
			json_raw(o, separator);
			json_open(o, '{');
			for (size_t i = 0; i < t->num_columns; i++)
				put_value(o, t->type->columns[i].key, values[i]);
			json_close(o, '}');
			flush(w, o, FLUSH_BYTES);
			separator = ",\n      ";
		}
		json_raw(o, *separator == '[' ? "[]" : "]");
	}
	json_raw(o, "}");
}

static void render_json(struct writer *w, const struct ibc_report *rep)
{
	struct json_out o = { .precision = REAL_DIGITS, .spaced = true };
	char text[UTC_TEXT];
	enum ibc_severity verdict;
	time_t time;
	bool known = report_shown_verdict(rep, &verdict, &time);

	json_raw(&o, "{\n  \"schema\": ");
	json_put_number(&o, IBC_REPORT_SCHEMA);
	json_raw(&o, ",\n  \"tool\": {\"name\": \"ibcheck\", \"version\": ");
	json_put_text(&o, ibc_version());
	json_raw(&o, "},\n  \"meta\": ");
	put_meta(&o, rep);
	json_raw(&o, ",\n  \"verdict\": ");
	put_cell(&o, known ? ibc_enum(ibc_severity_word(verdict)) : ibc_none());
	json_raw(&o, ",\n  \"verdict_time\": ");
	put_cell(&o, ibc_str(utc_text(time, text)));
	json_raw(&o, ",\n  \"summary\": ");
	put_json_summary(&o, rep);
	json_raw(&o, ",\n  \"coverage\": ");
	put_coverage(&o, rep);
	json_raw(&o, ",\n  \"findings\": ");
	put_findings(w, &o, rep);
	json_raw(&o, ",\n  \"cases\": ");
	put_cases(w, &o, rep);
	json_raw(&o, ",\n  \"tables\": ");
	put_tables(w, &o, rep);
	json_raw(&o, "\n}\n");
	flush(w, &o, 0);
	free(o.text);
}

const struct renderer renderer_json = { "json", render_json };
