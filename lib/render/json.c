/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as data, ibcheck-report(5).  Small parts are made as trees and
 * written one by one; rows of tables are written as they come, so that a report
 * of any size takes no memory here.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/jsonwrite.h"
#include "base/str.h"
#include "render/writer.h"

#define REAL_DIGITS 15 /* that many a double keeps of a decimal: 0.12 stays 0.12 */
#define FLAGS       (JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS))
#define FLUSH_BYTES (1 << 16) /* rows are written so many bytes at a time */

static int dumped(const char *bytes, size_t n, void *writer)
{
	struct writer *w = writer;

	put_bytes(w, bytes, n);
	return w->error ? -1 : 0;
}

static void dump(struct writer *w, const json_t *json)
{
	if (!json || (!w->error && json_dump_callback(json, dumped, w, FLAGS)))
		give_up(w, -ENOMEM);
}

/* Takes the reference; NULL (out of memory) ends the writing. */
static void put_json(struct writer *w, json_t *json)
{
	dump(w, json);
	json_decref(json);
}

/* ---- values --------------------------------------------------------------- */

/* JSON knows no bounds; jansson's integers end at 2^63 - 1. */
static json_t *number(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

static json_t *number_or_null(bool known, uint64_t n)
{
	return known ? number(n) : json_null();
}

/* Infinity and NaN are not JSON, and never known values. */
static json_t *real_or_null(double x)
{
	return __builtin_isfinite(x) ? json_real(x) : json_null();
}

/* No clock here is finer than a microsecond. */
static json_t *seconds_or_null(bool known, double s)
{
	if (!known || !(s >= 0 && s < 1e9))
		return json_null();
	return json_real((double)(uint64_t)(s * 1e6 + 0.5) / 1e6);
}

static json_t *string_or_null(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *guid_or_null(bool known, uint64_t guid)
{
	char buf[STR_GUID_MAX];

	return known ? json_string(str_from_guid(buf, guid)) : json_null();
}

static json_t *cell_json(const struct ibc_value *v)
{
	switch (v->kind) {
	case IBC_NONE:
		return json_null();
	case IBC_BOOL:
		return json_boolean(v->flag);
	case IBC_U64:
		return number(v->num);
	case IBC_REAL:
		return real_or_null(v->real);
	case IBC_STR:
		return json_string(v->str);
	case IBC_ENUM:
		return json_string(v->word->word);
	case IBC_GUID:
		return guid_or_null(true, v->num);
	}
	return NULL;
}

/* Takes the value.  An object that lacks one, for want of memory, becomes NULL and stays it. */
static void set_member(json_t **object, const char *key, json_t *v)
{
	if (json_object_set_new_nocheck(*object, key, v)) {
		json_decref(*object);
		*object = NULL;
	}
}

static void append_item(json_t **array, json_t *v)
{
	if (json_array_append_new(*array, v)) {
		json_decref(*array);
		*array = NULL;
	}
}

/* ---- head ----------------------------------------------------------------- */

static json_t *time_or_null(time_t t)
{
	char text[UTC_TEXT];

	return string_or_null(utc_text(t, text));
}

static json_t *tool_json(void)
{
	json_t *o = json_object();

	set_member(&o, "name", json_string("ibcheck"));
	set_member(&o, "version", json_string(IBC_VERSION));
	return o;
}

static json_t *arguments_json(const struct ibc_report_meta *m)
{
	json_t *a = json_array();

	for (size_t i = 0; m->arguments && m->arguments[i]; i++)
		append_item(&a, json_string(m->arguments[i]));
	return a;
}

static json_t *source_json(const struct ibc_report_meta *m)
{
	json_t *o = json_object();

	set_member(&o, "kind", string_or_null(m->source_kind));
	set_member(&o, "ca", string_or_null(m->source_ca));
	set_member(&o, "port", number_or_null(m->source_ca, m->source_port));
	set_member(&o, "file", string_or_null(m->source_file));
	return o;
}

static json_t *meta_json(const struct ibc_report *rep)
{
	const struct ibc_report_meta *m = &rep->meta;
	json_t *o = json_object();

	set_member(&o, "time", time_or_null(m->time));
	set_member(&o, "host", string_or_null(m->host));
	set_member(&o, "described",
	           string_or_null(m->described && *m->described ? m->described : NULL));
	set_member(&o, "command", string_or_null(m->command));
	set_member(&o, "arguments", arguments_json(m));
	set_member(&o, "source", source_json(m));
	set_member(&o, "duration_seconds", seconds_or_null(rep->has_meta, m->duration_seconds));
	return o;
}

static json_t *summary_json(const struct ibc_report *rep)
{
	static const enum ibc_severity counted[] = { IBC_CRITICAL, IBC_WARNING, IBC_UNKNOWN,
		                                     IBC_INFO };
	static const char *const always[] = { "nodes", "switches", "links" };
	json_t *o = json_object();
	char key[32];

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		set_member(&o, ibc_severity_word(counted[i])->word,
		           number(ibc_report_count(rep, counted[i])));
	set_member(&o, "known", number(report_count_known(rep)));
	if (report_count_hidden(rep))
		set_member(&o, "hidden", number(report_count_hidden(rep)));
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		snprintf(key, sizeof(key), "cases_%s", ibc_severity_word(counted[i])->word);
		set_member(&o, key, number(report_count_cases(rep, counted[i])));
	}
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		set_member(&o, always[i], json_null());
	for (const struct sum *s = rep->sums; s; s = s->next)
		set_member(&o, s->key, number(s->value));
	return o;
}

/* ---- coverage ------------------------------------------------------------- */

static json_t *attribute_json(const struct cover *c)
{
	json_t *o = json_object();

	set_member(&o, "attribute", json_string(c->attribute));
	set_member(&o, "asked", number(c->n.asked));
	set_member(&o, "answered", number(c->n.answered));
	set_member(&o, "unsupported", number(c->n.unsupported));
	set_member(&o, "refused", number(c->n.refused));
	set_member(&o, "timed_out", number(c->n.timed_out));
	return o;
}

static json_t *mads_json(const struct ibc_sweep *s)
{
	json_t *o = json_object();

	set_member(&o, "sent", number(s->sent));
	set_member(&o, "answered", number(s->answered));
	set_member(&o, "unsupported", number(s->unsupported));
	set_member(&o, "refused", number(s->refused));
	set_member(&o, "retried", number(s->retried));
	set_member(&o, "timed_out", number(s->timed_out));
	set_member(&o, "dropped_late", number(s->dropped_late));
	set_member(&o, "dropped_mismatch", number(s->dropped_mismatch));
	set_member(&o, "dropped_short", number(s->dropped_short));
	set_member(&o, "peak_in_flight", number(s->peak_in_flight));
	/* without an answer there is no time it took */
	set_member(&o, "rtt_p50_us", number_or_null(s->answered, s->rtt_p50_us));
	set_member(&o, "rtt_p99_us", number_or_null(s->answered, s->rtt_p99_us));
	return o;
}

static json_t *attributes_json(const struct cover *first)
{
	json_t *a = json_array();

	for (const struct cover *c = first; c; c = c->next)
		append_item(&a, attribute_json(c));
	return a;
}

static json_t *ran_json(const struct check_note *first)
{
	json_t *a = json_array();

	for (const struct check_note *n = first; n; n = n->next)
		append_item(&a, json_string(n->check));
	return a;
}

static json_t *notes_json(const struct check_note *first)
{
	json_t *a = json_array(), *o;

	for (const struct check_note *n = first; n; n = n->next) {
		o = json_object();
		set_member(&o, "check", json_string(n->check));
		set_member(&o, "reason", string_or_null(n->reason));
		append_item(&a, o);
	}
	return a;
}

static json_t *coverage_json(const struct ibc_report *rep)
{
	json_t *o = json_object();

	set_member(&o, "complete", json_boolean(report_is_complete(rep)));
	set_member(&o, "attributes", attributes_json(rep->cover));
	set_member(&o, "not_asked", number(rep->not_asked));
	set_member(&o, "ran", ran_json(rep->ran));
	set_member(&o, "skipped", notes_json(rep->skipped));
	set_member(&o, "unreported", notes_json(rep->unreported));
	set_member(&o, "mads", mads_json(&rep->sweep));
	return o;
}

/* ---- findings ------------------------------------------------------------- */

static void set_end(json_t **o, const struct ibc_end *end, const char *const keys[4])
{
	set_member(o, keys[0], guid_or_null(end->has_guid, end->guid));
	set_member(o, keys[1], string_or_null(end->desc));
	set_member(o, keys[2], number_or_null(end->has_port, end->port));
	set_member(o, keys[3], string_or_null(end->port_label));
}

static void set_subject(json_t **o, const struct ibc_subject *subject)
{
	static const char *const near[] = { "node_guid", "node_desc", "port", "port_label" };
	static const char *const far[] = { "peer_guid", "peer_desc", "peer_port",
		                           "peer_port_label" };

	set_member(o, "kind", json_string(ibc_subject_kind_word(subject->kind)->word));
	set_end(o, &subject->near, near);
	set_end(o, &subject->far, far);
}

static json_t *subject_json(const struct ibc_subject *s)
{
	json_t *o = json_object();

	set_subject(&o, s);
	return o;
}

static json_t *related_json(const struct ibc_finding *f)
{
	json_t *a = json_array(), *o;

	for (size_t i = 0; i < f->num_related; i++) {
		o = json_object();
		set_member(&o, "role", json_string(ibc_role_word(f->related[i].role)->word));
		set_subject(&o, &f->related[i].subject);
		append_item(&a, o);
	}
	return a;
}

static json_t *facts_json(const struct ibc_finding *f)
{
	json_t *o = json_object();

	for (size_t i = 0; i < f->num_facts; i++)
		set_member(&o, f->facts[i].key, cell_json(&f->facts[i].value));
	return o;
}

static json_t *known_json(const struct ibc_known *k)
{
	json_t *o;

	if (!k)
		return json_null();
	o = json_object();
	set_member(&o, "until", json_string(k->until));
	set_member(&o, "owner", json_string(k->owner));
	set_member(&o, "reason", json_string(k->reason));
	set_member(&o, "expired", json_boolean(k->expired));
	set_member(&o, "grown", string_or_null(k->grown));
	return o;
}

static json_t *finding_json(const struct ibc_finding *f)
{
	const struct ibc_word *state = ibc_case_state_word(f->state);
	json_t *o = json_object();

	set_member(&o, "id", string_or_null(f->id));
	set_member(&o, "check", json_string(f->check));
	set_member(&o, "severity", json_string(ibc_severity_word(f->severity)->word));
	set_member(&o, "subject", subject_json(&f->subject));
	set_member(&o, "related", related_json(f));
	set_member(&o, "message", json_string(f->message));
	set_member(&o, "advice", string_or_null(f->advice));
	set_member(&o, "facts", facts_json(f));
	set_member(&o, "unanswered", number(f->unanswered));
	set_member(&o, "state", state ? json_string(state->word) : json_null());
	set_member(&o, "since", state ? time_or_null(f->since) : json_null());
	set_member(&o, "known", known_json(f->known));
	return o;
}

static void put_json_findings(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "\n    ";
	const struct ibc_finding *f;

	put(w, "[");
	for (size_t i = 0; (f = ibc_report_finding(rep, i)) && !w->error; i++) {
		if (f->hidden)
			continue;
		put(w, separator);
		put_json(w, finding_json(f));
		separator = ",\n    ";
	}
	put(w, "]");
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

static json_t *indices_json(const struct ibc_report *rep, const struct ibc_case *c,
                            const size_t *places)
{
	json_t *a = json_array();

	for (size_t i = 0; i < c->num_findings; i++)
		if (!c->findings[i]->hidden)
			append_item(&a, number(places[c->findings[i] - rep->findings]));
	return a;
}

/* One that is gone is its own only member. */
static json_t *member_ids_json(const struct ibc_case *c)
{
	json_t *a = json_array();

	if (!c->num_findings)
		append_item(&a, json_string(c->id));
	for (size_t i = 0; i < c->num_members && i < c->num_findings; i++)
		append_item(&a, string_or_null(c->findings[i]->id));
	return a;
}

static json_t *cost_json(const struct ibc_cost *cost)
{
	json_t *o = json_object();

	set_member(&o, "hosts_cut_off", cost->hosts ? number(cost->hosts) : json_null());
	set_member(&o, "lost_gbps", cost->gbps > 0 ? json_real(cost->gbps) : json_null());
	set_member(&o, "errors_per_second",
	           cost->errors_per_second > 0 ? json_real(cost->errors_per_second) : json_null());
	set_member(&o, "errors", cost->errors > 0 ? json_real(cost->errors) : json_null());
	return o;
}

/* What only a memory tells is null. */
static json_t *case_json(const struct ibc_report *rep, const struct ibc_case *c,
                         const size_t *places)
{
	const struct ibc_word *state = ibc_case_state_word(c->state);
	json_t *o = json_object();

	set_member(&o, "id", json_string(c->id));
	set_member(&o, "check", json_string(c->check));
	set_member(&o, "severity", json_string(ibc_severity_word(c->severity)->word));
	set_member(&o, "subject", subject_json(&c->subject));
	set_member(&o, "message", json_string(c->message));
	set_member(&o, "advice", string_or_null(c->advice));
	set_member(&o, "trait", string_or_null(c->trait));
	set_member(&o, "members", number(c->num_members));
	set_member(&o, "member_ids", member_ids_json(c));
	set_member(&o, "findings", indices_json(rep, c, places));
	set_member(&o, "cost", cost_json(&c->cost));
	set_member(&o, "state", state ? json_string(state->word) : json_null());
	set_member(&o, "since", state ? time_or_null(c->since) : json_null());
	set_member(&o, "times", state ? number(c->times) : json_null());
	set_member(&o, "known", known_json(c->known));
	return o;
}

static void put_json_cases(struct writer *w, const struct ibc_report *rep)
{
	const char *separator = "\n    ";
	const struct ibc_case *c;
	size_t *places = index_findings(rep), gone = report_count_shown_gone(rep);

	if (!places)
		give_up(w, -ENOMEM);
	put(w, "[");
	for (size_t i = 0; i < rep->num_cases + gone && !w->error; i++) {
		c = i < rep->num_cases ? &rep->cases[i] : &rep->gone[i - rep->num_cases];
		if (i < rep->num_cases && case_is_hidden(c))
			continue;
		put(w, separator);
		put_json(w, case_json(rep, c, places));
		separator = ",\n    ";
	}
	put(w, "]");
	free(places);
}

/* ---- tables --------------------------------------------------------------- */

static void put_key(struct writer *w, const char *before, const char *key)
{
	put(w, before);
	put_json(w, json_string(key));
	put(w, ": ");
}

static void put_json_number(struct json_out *o, uint64_t n)
{
	if (n <= INT64_MAX)
		json_put_number(o, (int64_t)n);
	else
		json_put_real(o, (double)n);
}

static void put_cell(struct json_out *o, const struct ibc_value *v)
{
	switch (v->kind) {
	case IBC_NONE:
		json_put_null(o);
		break;
	case IBC_BOOL:
		json_put_bool(o, v->flag);
		break;
	case IBC_U64:
		put_json_number(o, v->num);
		break;
	case IBC_REAL:
		json_put_real(o, v->real);
		break;
	case IBC_STR:
		json_put_text(o, v->str);
		break;
	case IBC_ENUM:
		json_put_text(o, v->word->word);
		break;
	case IBC_GUID:
		json_put_guid(o, v->num);
	}
}

static void put_json_row(struct json_out *o, const struct ibc_table *t,
                         const struct ibc_value *values)
{
	json_open(o, '{');
	for (size_t i = 0; i < t->num_columns; i++) {
		json_key(o, t->type->columns[i].key);
		put_cell(o, &values[i]);
	}
	json_close(o, '}');
}

static void put_json_rows(struct writer *w, const struct ibc_table *t)
{
	struct json_out o = { .precision = REAL_DIGITS, .spaced = true };
	struct table_walk walk = table_walk(t);
	const char *separator = "\n      ";
	const struct ibc_value *values;

	while ((values = table_next(&walk)) && !w->error) {
		json_raw(&o, separator);
		put_json_row(&o, t, values);
		separator = ",\n      ";
		if (o.length >= FLUSH_BYTES) {
			put_bytes(w, o.text, o.length);
			o.length = 0;
		}
	}
	put_bytes(w, o.text, o.length);
	if (o.failed)
		give_up(w, -ENOMEM);
	free(o.text);
}

static void put_tables(struct writer *w, const struct ibc_report *rep)
{
	put(w, "{");
	for (const struct ibc_table *t = rep->tables; t; t = t->next) {
		put_key(w, t == rep->tables ? "\n    " : ",\n    ", t->type->name);
		put(w, "[");
		put_json_rows(w, t);
		put(w, "]");
	}
	put(w, "}");
}

void render_json(struct writer *w, const struct ibc_report *rep)
{
	enum ibc_severity verdict;
	time_t time;
	bool known;

	put_key(w, "{\n  ", "schema");
	put_json(w, json_integer(IBC_REPORT_SCHEMA));
	put_key(w, ",\n  ", "tool");
	put_json(w, tool_json());
	put_key(w, ",\n  ", "meta");
	put_json(w, meta_json(rep));
	known = report_shown_verdict(rep, &verdict, &time);
	put_key(w, ",\n  ", "verdict");
	put_json(w, string_or_null(known ? ibc_severity_word(verdict)->word : NULL));
	put_key(w, ",\n  ", "verdict_time");
	put_json(w, time_or_null(time));
	put_key(w, ",\n  ", "summary");
	put_json(w, summary_json(rep));
	put_key(w, ",\n  ", "coverage");
	put_json(w, coverage_json(rep));
	put_key(w, ",\n  ", "findings");
	put_json_findings(w, rep);
	put_key(w, ",\n  ", "cases");
	put_json_cases(w, rep);
	put_key(w, ",\n  ", "tables");
	put_tables(w, rep);
	put(w, "\n}\n");
}
