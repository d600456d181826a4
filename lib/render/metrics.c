/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples, and the tables that are metrics; O(rows), labels are made once a row. */
#include "render/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "render/say.h"

/* ---- labels ----------------------------------------------------------------- */

static void say_value(struct writer *w, const char *text)
{
	static const struct escape escapes[] = {
		{ "\\", "\\\\" },
		{ "\"", "\\\"" },
		{ "\n", "\\n" },
		{ 0 },
	};

	collect_escaped(w, text, escapes);
}

void begin_labels(struct writer *w)
{
	w->say = say_value;
	w->length = 0;
}

void open_label(struct writer *w, const char *name)
{
	collect_text(w, w->length ? "," : "");
	collect_text(w, name);
	collect_text(w, "=\"");
}

void close_label(struct writer *w)
{
	collect_text(w, "\"");
}

void put_label(struct writer *w, const char *name, const char *text)
{
	open_label(w, name);
	w->say(w, text);
	close_label(w);
}

static const char *collected(const struct writer *w)
{
	return w->length ? w->line : "";
}

struct label_sets label_sets(struct writer *w)
{
	struct label_sets sets = { .w = w, .arena = arena_new() };

	if (!sets.arena)
		give_up(w, -ENOMEM);
	return sets;
}

void label_sets_free(struct label_sets *sets)
{
	HASH_CLEAR(hh, sets->first);
	arena_free(sets->arena);
}

struct label_set *label_set(struct label_sets *sets)
{
	struct label_set *set;

	if (sets->w->error)
		return NULL;
	HASH_FIND(hh, sets->first, collected(sets->w), sets->w->length, set);
	if (set)
		return set;
	set = arena_alloc(sets->arena, sizeof(*set));
	if (set)
		set->labels = arena_strndup(sets->arena, collected(sets->w), sets->w->length);
	if (set && set->labels) {
		HASH_ADD_KEYPTR(hh, sets->first, set->labels, sets->w->length, set);
		if (hash_added(set))
			return set;
	}
	give_up(sets->w, -ENOMEM);
	return NULL;
}

struct label_set *label_set_next(const struct label_set *set)
{
	return set->hh.next;
}

/* ---- samples ---------------------------------------------------------------- */

static void put_name(struct writer *w, const struct family *f)
{
	put(w, f->prefix);
	put(w, f->name);
	put(w, f->suffix);
}

static void put_sample(struct writer *w, struct family *f, const char *labels, const char *number)
{
	static const struct escape escapes[] = { { "\\", "\\\\" }, { "\n", "\\n" }, { 0 } };

	if (!f->headed) {
		put(w, "# HELP ");
		put_name(w, f);
		for (size_t i = 0; i < 2; i++) {
			put(w, f->help[i] ? " " : "");
			put_escaped(w, f->help[i] ? f->help[i] : "", escapes);
		}
		put(w, "\n# TYPE ");
		put_name(w, f);
		put(w, " ");
		put(w, f->type);
		put(w, "\n");
		f->headed = true;
	}
	put_name(w, f);
	put(w, "{");
	put(w, labels);
	put(w, "} ");
	put(w, number);
	put(w, "\n");
}

#define NUMBER_MAX 32 /* characters of a double, %.17g, and NUL */

void put_number(struct writer *w, struct family *f, uint64_t number)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	put_sample(w, f, collected(w), text);
}

void put_real(struct writer *w, struct family *f, double number)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%.15g", number);
	put_sample(w, f, collected(w), text);
}

void put_count(struct writer *w, struct family *f, const struct label_set *set)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, set->count);
	put_sample(w, f, set->labels, text);
}

/* ---- rows --------------------------------------------------------------------- */

struct measured {
	const struct ibc_value *row;
	struct label_set *set;
};

/* The position of a column; behind the last one if it has none of that key. */
static size_t column_of(const struct ibc_table *t, const char *key)
{
	size_t i = 0;

	while (i < t->num_columns && strcmp(t->type->columns[i].key, key))
		i++;
	return i;
}

static const struct ibc_value *cell_with_key(const struct ibc_table *t, const struct ibc_value *row,
                                             const char *key)
{
	static const struct ibc_value none;
	size_t i = column_of(t, key);

	return i < t->num_columns ? &row[i] : &none;
}

/* As text; "" for what is not known: a label without value is none. */
static const char *plain_text(char buf[NUMBER_MAX], const struct ibc_value *v)
{
	switch (v->kind) {
	case IBC_NONE:
		return "";
	case IBC_BOOL:
		return v->flag ? "1" : "0";
	case IBC_ENUM:
		return v->word->word;
	case IBC_REAL:
		snprintf(buf, NUMBER_MAX, "%.15g", v->real);
		return buf;
	default:
		return value_text(buf, v);
	}
}

/* ---- metrics ------------------------------------------------------------------ */

static bool is_sample_number(const struct ibc_value *v)
{
	if (v->kind == IBC_REAL)
		return __builtin_isfinite(v->real);
	return v->kind == IBC_U64 || v->kind == IBC_BOOL;
}

/* The rows of a group, with their labels; returns how many. */
static size_t measure_rows(struct label_sets *sets, const struct ibc_table *t,
                           const struct ibc_metric_group *g, struct measured **out)
{
	struct measured *rows = arena_array(sets->arena, t->num_rows, sizeof(*rows));
	struct table_walk walk = table_walk(t);
	const struct ibc_value *row, *v;
	char buf[NUMBER_MAX];
	size_t n = 0;

	if (!rows)
		give_up(sets->w, -ENOMEM);
	while (!sets->w->error && (row = table_next(&walk))) {
		v = g->column ? cell_with_key(t, row, g->column) : NULL;
		if (v && (v->kind != IBC_ENUM || strcmp(v->word->word, g->word) != 0))
			continue;
		begin_labels(sets->w);
		for (const struct ibc_label *l = g->labels; l->name; l++)
			put_label(sets->w, l->name,
			          plain_text(buf, cell_with_key(t, row, l->column)));
		rows[n++] = (struct measured){ row, label_set(sets) };
	}
	*out = rows;
	return n;
}

static uint64_t put_group(struct writer *w, const struct ibc_table *t,
                          const struct ibc_metric_group *g)
{
	struct label_sets sets = label_sets(w);
	struct measured *rows = NULL;
	size_t num = w->error ? 0 : measure_rows(&sets, t, g, &rows);
	uint64_t dropped = 0;
	char buf[NUMBER_MAX];

	for (const struct ibc_metric *m = g->metrics; m->name && !w->error; m++) {
		bool counter = m->type == IBC_METRIC_COUNTER, info = m->type == IBC_METRIC_INFO;
		struct family f = {
			.prefix = g->prefix,
			.name = m->name,
			.suffix = counter ? "_total" : "",
			.help = { g->help, m->help },
			.type = counter ? "counter" : "gauge",
		};
		size_t column = column_of(t, m->column);

		for (size_t i = 0; i < num && column < t->num_columns; i++) {
			const struct ibc_value *v = &rows[i].row[column];

			if (info ? v->kind == IBC_NONE : !is_sample_number(v))
				continue;
			if (rows[i].set->metric == m) {
				dropped++;
				continue;
			}
			rows[i].set->metric = m;
			put_sample(w, &f, rows[i].set->labels, info ? "1" : plain_text(buf, v));
		}
	}
	label_sets_free(&sets);
	return dropped;
}

/* Plugins have no labels: rows after the first have their number in the name. */
void put_plugin_metrics(struct writer *w, const struct ibc_table *t)
{
	char buf[NUMBER_MAX];

	for (const struct ibc_metric_group *g = t->type->groups; g && g->prefix; g++)
		for (const struct ibc_metric *m = g->metrics; m->name; m++) {
			struct table_walk walk = table_walk(t);
			size_t column = column_of(t, m->column);
			const struct ibc_value *row;

			if (m->type != IBC_METRIC_FIGURE || column == t->num_columns)
				continue;
			for (size_t n = 1; (row = table_next(&walk)); n++) {
				sayf(w, n > 1 ? " %s_%zu=" : " %s=", m->name, n);
				put(w, is_sample_number(&row[column])
				           ? plain_text(buf, &row[column])
				           : "U");
			}
		}
}

uint64_t put_metrics(struct writer *w, const struct ibc_table *t)
{
	uint64_t dropped = 0;

	for (const struct ibc_metric_group *g = t->type->groups; g && g->prefix; g++)
		dropped += put_group(w, t, g);
	return dropped;
}
