/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed tables: 16 bytes a value, every string once. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "report/report.h"

#define ROWS_PER_BLOCK 128 /* a guess: few allocations, little waste */

struct ibc_table *ibc_report_table(struct ibc_report *rep, const struct ibc_table_type *type)
{
	struct ibc_table **at = &rep->tables;

	if (rep->failed)
		return NULL;
	for (; *at; at = &(*at)->next) {
		if (!strcmp((*at)->type->name, type->name)) {
			assert((*at)->type == type);
			return *at;
		}
	}
	*at = arena_alloc(rep->arena, sizeof(**at));
	if (!*at) {
		rep->failed = true;
		return NULL;
	}
	(*at)->report = rep;
	(*at)->type = type;
	while (type->columns[(*at)->num_columns].key)
		(*at)->num_columns++;
	return *at;
}

struct ibc_value ibc_cell_text(struct ibc_cell *cell, const char *format, ...)
{
	size_t room = sizeof(cell->text) - cell->length;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(cell->text + cell->length, room, format, ap);
	va_end(ap);
	if (n > 0)
		cell->length += (size_t)n < room ? (size_t)n : room - 1;
	return ibc_str(cell->text);
}

void ibc_table_row(struct ibc_table *table, const void *row)
{
	struct ibc_cell cell;
	struct table_rows *block;
	struct ibc_value *values;

	if (!table || table->report->failed)
		return;
	if (!table->last || table->last->num == ROWS_PER_BLOCK) {
		block = arena_alloc(table->report->arena, sizeof(*block) + ROWS_PER_BLOCK *
		                                                               table->num_columns *
		                                                               sizeof(*values));
		if (!block) {
			table->report->failed = true;
			return;
		}
		*(table->last ? &table->last->next : &table->first) = block;
		table->last = block;
	}
	table->num_rows++;
	values = table->last->values + table->last->num++ * table->num_columns;
	cell.row = row;
	for (cell.column = table->type->columns; cell.column->key; cell.column++) {
		cell.length = 0;
		*values++ = report_keep_value(table->report, cell.column->value(&cell));
	}
	if (row_is_shown(table, values - table->num_columns))
		return;
	table->num_rows--;
	table->last->num--;
}

void ibc_table_hide(struct ibc_table *table, const char *key)
{
	for (size_t i = 0; table && i < table->num_columns && i < 64; i++)
		if (!strcmp(table->type->columns[i].key, key))
			table->hidden |= UINT64_C(1) << i;
}

/* ---- the order of rows ------------------------------------------------------------------ */

/* @at: its place before; @falling is the same for all, for by_column() */
struct sorted_row {
	const struct ibc_value *row;
	size_t at, column;
	bool falling;
};

static double as_real(const struct ibc_value *v)
{
	return v->kind == IBC_REAL ? v->real : (double)v->num;
}

static int compare_values(const struct ibc_value *a, const struct ibc_value *z)
{
	if (a->kind == IBC_STR && z->kind == IBC_STR)
		return strverscmp(a->str, z->str);
	if (a->kind == IBC_ENUM && z->kind == IBC_ENUM) /* each is an array of words */
		return (a->word > z->word) - (a->word < z->word);
	if (a->kind == IBC_REAL || z->kind == IBC_REAL)
		return (as_real(a) > as_real(z)) - (as_real(a) < as_real(z));
	if (a->kind == IBC_BOOL && z->kind == IBC_BOOL)
		return a->flag - z->flag;
	return order_u64(a->num, z->num);
}

static int by_column(const void *va, const void *vz)
{
	const struct sorted_row *ra = va, *rz = vz;
	const struct ibc_value *a = &ra->row[ra->column], *z = &rz->row[rz->column];
	int order = (a->kind == IBC_NONE) - (z->kind == IBC_NONE);

	if (!order && a->kind != IBC_NONE)
		order = ra->falling ? compare_values(z, a) : compare_values(a, z);
	return order ? order : order_u64(ra->at, rz->at);
}

static int sort_table(struct ibc_table *table, size_t column, bool falling)
{
	size_t size = table->num_columns * sizeof(struct ibc_value), at = 0;
	struct sorted_row *rows = xalloc(table->num_rows * sizeof(*rows));
	char *values = xalloc(table->num_rows * size);
	struct table_walk walk = table_walk(table);

	for (; rows && values && at < table->num_rows; at++)
		rows[at] = (struct sorted_row){ table_next(&walk), at, column, falling };
	if (at) {
		qsort(rows, at, sizeof(*rows), by_column);
		table->sorted = true;
	}
	for (size_t i = 0; i < at; i++)
		memcpy(values + i * size, rows[i].row, size);
	at = 0;
	for (struct table_rows *block = table->first; table->sorted && block; block = block->next) {
		memcpy(block->values, values + at * size, block->num * size);
		at += block->num;
	}
	free(rows);
	free(values);
	return table->sorted ? 0 : -ENOMEM;
}

int ibc_report_sort(struct ibc_report *rep, const char *key, bool falling, struct ibc_error *err)
{
	for (struct ibc_table *t = rep->tables; t; t = t->next)
		for (size_t i = 0; t->num_rows && i < t->num_columns; i++)
			if (!strcmp(t->type->columns[i].key, key) && sort_table(t, i, falling))
				return fail_nomem(err);
	return 0;
}

const char *table_title(const struct ibc_table *table)
{
	return table->type->title ? table->type->title : table->type->name;
}

const char *table_heading(const struct ibc_table *table, size_t column)
{
	bool hidden = column < 64 && table->hidden >> column & 1;

	return hidden ? NULL : table->type->columns[column].heading;
}

void ibc_table_upright(struct ibc_table *table)
{
	if (table)
		table->upright = true;
}

void ibc_table_omit(struct ibc_table *table, uint64_t rows, const char *what)
{
	if (!table)
		return;
	table->omitted = rows;
	table->omitted_what = what;
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
