/* SPDX-License-Identifier: BSD-2-Clause */
/* A table in text: columns aligned, numbers to the right, lines cut at the terminal's edge. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "render/say.h"

#define GAP 2 /* blanks between columns */

struct look {
	const char *heading; /* NULL: not shown */
	size_t width;
	bool number;
};

/* One line as it is written; blanks wait until something follows them. */
struct table_cursor {
	struct writer *w;
	size_t column, blanks;
};

static bool is_number_column(const struct ibc_value *v)
{
	return v->kind == IBC_U64 || v->kind == IBC_REAL || v->kind == IBC_NONE;
}

static void widen_column(struct look *look, const char *text)
{
	size_t width = utf8_width(text);

	if (width > look->width)
		look->width = width;
}

static struct look *look_at(const struct ibc_table *t)
{
	struct look *looks = xalloc(t->num_columns * sizeof(*looks));
	struct table_walk walk = table_walk(t);
	const struct ibc_value *row;
	char buf[VALUE_MAX];

	if (!looks)
		return NULL;
	for (size_t i = 0; i < t->num_columns; i++) {
		looks[i].number = true;
		looks[i].heading = table_heading(t, i);
		if (looks[i].heading)
			widen_column(&looks[i], looks[i].heading);
	}
	while ((row = table_next(&walk))) {
		for (size_t i = 0; i < t->num_columns; i++) {
			if (!looks[i].heading)
				continue;
			widen_column(&looks[i], value_text(buf, &row[i]));
			looks[i].number = looks[i].number && is_number_column(&row[i]);
		}
	}
	return looks;
}

/* How many bytes of a text take at most so many columns. */
static size_t fitting_bytes(const char *s, size_t columns)
{
	size_t used = 0, bytes;

	for (size_t at = 0;; at += bytes) {
		char one[5] = "";

		bytes = s[at] != '\0';
		while (bytes < 4 && ((unsigned char)s[at + bytes] & 0xc0) == 0x80)
			bytes++;
		memcpy(one, s + at, bytes);
		used += utf8_width(one);
		if (!bytes || used > columns)
			return at;
	}
}

static void put_cell(struct table_cursor *c, const struct look *look, const char *text)
{
	size_t columns = c->w->opts->columns, width = utf8_width(text);
	size_t fill = look->width - width, bytes = strlen(text);
	size_t before = c->blanks + (look->number ? fill : 0);

	if (!bytes || (columns && c->column + before >= columns)) {
		c->blanks += look->width + GAP;
		return;
	}
	put_blanks(c->w, before);
	c->column += before;
	if (columns && width > columns - c->column)
		bytes = fitting_bytes(text, columns - c->column);
	put_bytes(c->w, text, bytes);
	c->column += width;
	c->blanks = GAP + (look->number ? 0 : fill);
}

static void put_headings(struct writer *w, const struct ibc_table *t, const struct look *looks)
{
	struct table_cursor c = { .w = w };

	for (size_t i = 0; i < t->num_columns; i++)
		if (looks[i].heading)
			put_cell(&c, &looks[i], looks[i].heading);
	put(w, "\n");
}

static void put_row(struct writer *w, const struct ibc_table *t, const struct look *looks,
                    const struct ibc_value *row)
{
	struct table_cursor c = { .w = w };
	char buf[VALUE_MAX];

	for (size_t i = 0; i < t->num_columns; i++)
		if (looks[i].heading)
			put_cell(&c, &looks[i], value_text(buf, &row[i]));
	put(w, "\n");
}

void put_table(struct writer *w, const struct ibc_table *table)
{
	struct table_walk walk = table_walk(table);
	const struct ibc_value *row;
	struct look *looks;
	char more[64];

	if (!table->num_rows) {
		put(w, table->type->name);
		put(w, ": none\n");
		return;
	}
	looks = look_at(table);
	if (!looks) {
		give_up(w, -ENOMEM);
		return;
	}
	put_headings(w, table, looks);
	while ((row = table_next(&walk)))
		put_row(w, table, looks, row);
	free(looks);
	if (table->omitted) {
		snprintf(more, sizeof(more), "... and %" PRIu64 " more: -v shows all\n",
		         table->omitted);
		put(w, more);
	}
}
