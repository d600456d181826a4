/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed tables: 16 bytes a value, every string once. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
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
	(*at)->num_columns = count_columns(type->columns);
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
	struct ibc_value *values;

	if (!table || table->report->failed)
		return;
	values = next_row(table);
	if (!values) {
		table->report->failed = true;
		return;
	}
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
