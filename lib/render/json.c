/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as data, ibcheck-report(5).  Small parts are made as trees and
 * written one by one; rows of tables share one tree, so that a report of any
 * size takes no memory here.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "render/writer.h"

#define SCHEMA 1 /* man/ibcheck-report.schema.json; only additions keep it */
/* 15 digits are what a double keeps of a decimal: 0.12 stays 0.12 */
#define FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

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

static json_t *value(const struct ibc_value *v)
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
static void set(json_t **object, const char *key, json_t *v)
{
	if (!*object) {
		json_decref(v);
		return;
	}
	if (json_object_set_new_nocheck(*object, key, v)) {
		json_decref(*object);
		*object = NULL;
	}
}

static void append(json_t **array, json_t *v)
{
	if (!*array) {
		json_decref(v);
		return;
	}
	if (json_array_append_new(*array, v)) {
		json_decref(*array);
		*array = NULL;
	}
}

/* ---- head ----------------------------------------------------------------- */

static json_t *time_or_null(time_t t)
{
	char text[32];
	struct tm tm;

	if (!t || !gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(text);
}

static json_t *tool(void)
{
	json_t *o = json_object();

	set(&o, "name", json_string("ibcheck"));
	set(&o, "version", json_string(IBC_VERSION));
	return o;
}

static json_t *arguments(const struct ibc_report_meta *m)
{
	json_t *a = json_array();

	for (size_t i = 0; m->arguments && m->arguments[i]; i++)
		append(&a, json_string(m->arguments[i]));
	return a;
}

static json_t *source(const struct ibc_report_meta *m)
{
	json_t *o = json_object();

	set(&o, "kind", string_or_null(m->source_kind));
	set(&o, "ca", string_or_null(m->source_ca));
	set(&o, "port", number_or_null(m->source_ca, m->source_port));
	set(&o, "file", string_or_null(m->source_file));
	return o;
}

static json_t *meta(const struct ibc_report *rep)
{
	const struct ibc_report_meta *m = &rep->meta;
	json_t *o = json_object();

	set(&o, "time", time_or_null(m->time));
	set(&o, "host", string_or_null(m->host));
	set(&o, "command", string_or_null(m->command));
	set(&o, "arguments", arguments(m));
	set(&o, "source", source(m));
	set(&o, "duration_seconds", seconds_or_null(rep->has_meta, m->duration_seconds));
	return o;
}

static json_t *summary(const struct ibc_report *rep)
{
	static const enum ibc_severity counted[] = { IBC_CRITICAL, IBC_WARNING, IBC_UNKNOWN,
		                                     IBC_INFO };
	static const char *const always[] = { "nodes", "switches", "links" };
	json_t *o = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		set(&o, ibc_severity_word(counted[i])->word,
		    number(ibc_report_count(rep, counted[i])));
	set(&o, "known", number(report_count_known(rep)));
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		set(&o, always[i], json_null());
	for (const struct sum *s = rep->sums; s; s = s->next)
		set(&o, s->key, number(s->value));
	return o;
}

/* ---- coverage ------------------------------------------------------------- */

static json_t *attribute(const struct cover *c)
{
	json_t *o = json_object();

	set(&o, "attribute", json_string(c->attribute));
	set(&o, "asked", number(c->n.asked));
	set(&o, "answered", number(c->n.answered));
	set(&o, "unsupported", number(c->n.unsupported));
	set(&o, "refused", number(c->n.refused));
	set(&o, "timed_out", number(c->n.timed_out));
	return o;
}

static json_t *mads(const struct ibc_sweep *s)
{
	json_t *o = json_object();

	set(&o, "sent", number(s->sent));
	set(&o, "answered", number(s->answered));
	set(&o, "unsupported", number(s->unsupported));
	set(&o, "refused", number(s->refused));
	set(&o, "retried", number(s->retried));
	set(&o, "timed_out", number(s->timed_out));
	set(&o, "dropped_late", number(s->dropped_late));
	set(&o, "dropped_mismatch", number(s->dropped_mismatch));
	set(&o, "dropped_short", number(s->dropped_short));
	set(&o, "peak_in_flight", number(s->peak_in_flight));
	/* without an answer there is no time it took */
	set(&o, "rtt_p50_us", number_or_null(s->answered, s->rtt_p50_us));
	set(&o, "rtt_p99_us", number_or_null(s->answered, s->rtt_p99_us));
	return o;
}

static json_t *attributes(const struct cover *first)
{
	json_t *a = json_array();

	for (const struct cover *c = first; c; c = c->next)
		append(&a, attribute(c));
	return a;
}

static json_t *ran(const struct check_note *first)
{
	json_t *a = json_array();

	for (const struct check_note *n = first; n; n = n->next)
		append(&a, json_string(n->check));
	return a;
}

static json_t *skipped(const struct check_note *first)
{
	json_t *a = json_array(), *o;

	for (const struct check_note *n = first; n; n = n->next) {
		o = json_object();
		set(&o, "check", json_string(n->check));
		set(&o, "reason", string_or_null(n->reason));
		append(&a, o);
	}
	return a;
}

static json_t *coverage(const struct ibc_report *rep)
{
	json_t *o = json_object();

	set(&o, "complete", json_boolean(report_is_complete(rep)));
	set(&o, "attributes", attributes(rep->cover));
	set(&o, "not_asked", number(rep->not_asked));
	set(&o, "ran", ran(rep->ran));
	set(&o, "skipped", skipped(rep->skipped));
	set(&o, "mads", mads(&rep->sweep));
	return o;
}

/* ---- findings ------------------------------------------------------------- */

static void set_end(json_t **o, const struct ibc_end *end, const char *const keys[3])
{
	set(o, keys[0], guid_or_null(end->has_guid, end->guid));
	set(o, keys[1], string_or_null(end->desc));
	set(o, keys[2], number_or_null(end->has_port, end->port));
}

static void set_subject(json_t **o, const struct ibc_subject *subject)
{
	static const char *const near[] = { "node_guid", "node_desc", "port" };
	static const char *const far[] = { "peer_guid", "peer_desc", "peer_port" };

	set(o, "kind", json_string(ibc_subject_kind_word(subject->kind)->word));
	set_end(o, &subject->near, near);
	set_end(o, &subject->far, far);
}

static json_t *subject(const struct ibc_subject *s)
{
	json_t *o = json_object();

	set_subject(&o, s);
	return o;
}

static json_t *related(const struct ibc_finding *f)
{
	json_t *a = json_array(), *o;

	for (size_t i = 0; i < f->num_related; i++) {
		o = json_object();
		set(&o, "role", json_string(ibc_role_word(f->related[i].role)->word));
		set_subject(&o, &f->related[i].subject);
		append(&a, o);
	}
	return a;
}

static json_t *facts(const struct ibc_finding *f)
{
	json_t *o = json_object();

	for (size_t i = 0; i < f->num_facts; i++)
		set(&o, f->facts[i].key, value(&f->facts[i].value));
	return o;
}

static json_t *known(const struct ibc_known *k)
{
	json_t *o;

	if (!k)
		return json_null();
	o = json_object();
	set(&o, "until", json_string(k->until));
	set(&o, "owner", json_string(k->owner));
	set(&o, "reason", json_string(k->reason));
	set(&o, "expired", json_boolean(k->expired));
	return o;
}

static json_t *finding(const struct ibc_finding *f)
{
	json_t *o = json_object();

	set(&o, "check", json_string(f->check));
	set(&o, "severity", json_string(ibc_severity_word(f->severity)->word));
	set(&o, "subject", subject(&f->subject));
	set(&o, "related", related(f));
	set(&o, "message", json_string(f->message));
	set(&o, "advice", string_or_null(f->advice));
	set(&o, "facts", facts(f));
	set(&o, "unanswered", number(f->unanswered));
	set(&o, "known", known(f->known));
	return o;
}

static void put_findings(struct writer *w, const struct ibc_report *rep)
{
	const struct ibc_finding *f;

	put(w, "[");
	for (size_t i = 0; (f = ibc_report_finding(rep, i)) && !w->error; i++) {
		put(w, i ? ",\n    " : "\n    ");
		put_json(w, finding(f));
	}
	put(w, "]");
}

/* ---- tables --------------------------------------------------------------- */

static void put_key(struct writer *w, const char *before, const char *key)
{
	put(w, before);
	put_json(w, json_string(key));
	put(w, ": ");
}

/* Equal as they are kept: strings of a report are kept once. */
static bool same(const struct ibc_value *a, const struct ibc_value *b)
{
	return a->kind == b->kind && (a->kind == IBC_NONE || a->num == b->num);
}

static void put_rows(struct writer *w, const struct ibc_table *t)
{
	struct table_walk walk = table_walk(t);
	const char *separator = "\n      ";
	const struct ibc_value *values, *last = NULL;
	json_t *row = json_object();

	while ((values = table_next(&walk)) && !w->error) {
		for (size_t i = 0; i < t->num_columns; i++) {
			if (!last || !same(&values[i], &last[i]))
				set(&row, t->type->columns[i].key, value(&values[i]));
		}
		last = values;
		put(w, separator);
		dump(w, row);
		separator = ",\n      ";
	}
	json_decref(row);
}

static void put_tables(struct writer *w, const struct ibc_report *rep)
{
	put(w, "{");
	for (const struct ibc_table *t = rep->tables; t; t = t->next) {
		put_key(w, t == rep->tables ? "\n    " : ",\n    ", t->type->name);
		put(w, "[");
		put_rows(w, t);
		put(w, "]");
	}
	put(w, "}");
}

void render_json(struct writer *w, const struct ibc_report *rep)
{
	put_key(w, "{\n  ", "schema");
	put_json(w, json_integer(SCHEMA));
	put_key(w, ",\n  ", "tool");
	put_json(w, tool());
	put_key(w, ",\n  ", "meta");
	put_json(w, meta(rep));
	put_key(w, ",\n  ", "verdict");
	put_json(w, json_string(ibc_severity_word(ibc_report_verdict(rep))->word));
	put_key(w, ",\n  ", "summary");
	put_json(w, summary(rep));
	put_key(w, ",\n  ", "coverage");
	put_json(w, coverage(rep));
	put_key(w, ",\n  ", "findings");
	put_findings(w, rep);
	put_key(w, ",\n  ", "tables");
	put_tables(w, rep);
	put(w, "\n}\n");
}
