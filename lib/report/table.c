/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed tables: 16 bytes a value, every string once. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "report/report.h"

#define ROWS_PER_BLOCK 128 /* a guess: few allocations, little waste */

static size_t count_columns(const struct ibc_column *columns)
{
	size_t n = 0;

	while (columns[n].key)
		n++;
	return n;
}

struct ibc_table *ibc_report_table(struct ibc_report *rep, const char *name,
                                   const struct ibc_column *columns)
{
	struct ibc_table **at = &rep->tables;

	if (rep->failed)
		return NULL;
	for (; *at; at = &(*at)->next) {
		if (!strcmp((*at)->name, name)) {
			assert((*at)->columns == columns);
			return *at;
		}
	}
	*at = arena_alloc(rep->arena, sizeof(**at));
	if (!*at) {
		rep->failed = true;
		return NULL;
	}
	(*at)->report = rep;
	(*at)->columns = columns;
	(*at)->num_columns = count_columns(columns);
	(*at)->name = report_keep(rep, name);
	return *at;
}

static struct ibc_value *next_row(struct ibc_table *t)
{
	struct table_rows *block;
	size_t room = ROWS_PER_BLOCK * t->num_columns * sizeof(struct ibc_value);

	if (!t->last || t->last->num == ROWS_PER_BLOCK) {
		block = arena_alloc(t->report->arena, sizeof(*block) + room);
		if (!block)
			return NULL;
		*(t->last ? &t->last->next : &t->first) = block;
		t->last = block;
	}
	t->num_rows++;
	return t->last->values + t->last->num++ * t->num_columns;
}

void ibc_table_row(struct ibc_table *table, const struct ibc_value *values)
{
	struct ibc_value *row;

	if (!table || table->report->failed)
		return;
	row = next_row(table);
	if (!row) {
		table->report->failed = true;
		return;
	}
	for (size_t i = 0; i < table->num_columns; i++)
		row[i] = report_keep_value(table->report, values[i]);
}

void ibc_table_omit(struct ibc_table *table, uint64_t rows)
{
	if (table)
		table->omitted = rows;
}

void ibc_table_measure(struct ibc_table *table, const struct ibc_metric_group *groups)
{
	if (table)
		table->groups = groups;
}

struct table_walk table_walk(const struct ibc_table *table)
{
	return (struct table_walk){ .table = table, .rows = table->first };
}

const struct ibc_value *table_next(struct table_walk *walk)
{
	if (walk->rows && walk->next == walk->rows->num) {
		walk->rows = walk->rows->next;
		walk->next = 0;
	}
	if (!walk->rows)
		return NULL;
	return walk->rows->values + walk->next++ * walk->table->num_columns;
}
