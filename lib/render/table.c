/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table in text: columns aligned, numbers to the right.  A column without a value in any row
 * is left out.  What says the same on every line is written once, above them; where a line is
 * still too long, texts go on below themselves, and columns that do not fit then in the next
 * line.  Nothing is cut.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"
#include "render/say.h"

#define GAP         2  /* blanks between columns */
#define NARROWEST   12 /* of a column of texts: most names with their port, whole */
#define FOLD_INDENT 4  /* of what goes on in the next line: it is no new row */

/* Where the value of a column is written. */
enum spot {
	IN_LINES,  /* in each line */
	IN_GROUPS, /* above the lines of a group */
	ON_TOP,    /* above all */
};

/*
 * struct look - a column
 * @heading: NULL: not shown
 * @number, @text: all values are numbers; some are texts, which may be wrapped
 * @known: a row has a value
 * @varies, @varies_inside: between any two rows; between two of one group
 * @folds: a new line begins with it; @sentence: it has the rest of the line
 * @rest: of the row that is written: what is still to come; @number_text: holds a number of it
 */
struct look {
	const char *heading, *rest;
	size_t width;
	bool number, text, sentence, known, varies, varies_inside, folds;
	enum spot spot;
	char number_text[VALUE_MAX];
};

struct sheet {
	struct writer *w;
	const struct ibc_table *table;
	struct look *looks;
	size_t head; /* the column that heads groups; SIZE_MAX: no groups */
};

/* ---- looking ------------------------------------------------------------------- */

static void widen_column(struct look *look, const char *text)
{
	size_t width = utf8_width(text);

	if (width > look->width)
		look->width = width;
}

/* A row, and the one before it or NULL. */
static void look_at_row(struct sheet *s, const struct ibc_value *row, const struct ibc_value *last)
{
	bool inside = last && s->head != SIZE_MAX && value_same(&row[s->head], &last[s->head]);
	char buf[VALUE_MAX];

	for (size_t i = 0; i < s->table->num_columns; i++) {
		struct look *look = &s->looks[i];

		if (!look->heading)
			continue;
		widen_column(look, value_text(buf, &row[i]));
		look->number &= row[i].kind == IBC_U64 || row[i].kind == IBC_REAL ||
		                row[i].kind == IBC_NONE;
		look->text = look->text || row[i].kind == IBC_STR;
		look->known = look->known || row[i].kind != IBC_NONE;
		if (last && !value_same(&row[i], &last[i])) {
			look->varies = true;
			look->varies_inside = look->varies_inside || inside;
		}
	}
}

static void look_at_rows(struct sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row, *last = NULL;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		const struct ibc_column *column = &s->table->type->columns[i];

		s->looks[i].sentence = column->sentence;
		s->looks[i].number = !column->sentence;
		if (!column->detail || s->w->opts->verbose)
			s->looks[i].heading = table_heading(s->table, i);
		if (s->looks[i].heading)
			widen_column(&s->looks[i], s->looks[i].heading);
	}
	for (; (row = table_next(&walk)); last = row)
		look_at_row(s, row, last);
	for (size_t i = 0; i < s->table->num_columns; i++)
		if (!s->looks[i].known && i != s->head)
			s->looks[i].heading = NULL;
}

static bool is_too_wide(const struct sheet *s)
{
	size_t width = 0;

	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading && s->looks[i].spot == IN_LINES)
			width += s->looks[i].width + (width ? GAP : 0);
	return s->w->opts->columns && width > s->w->opts->columns;
}

/* What is the same in a group, or everywhere, is written above. */
static void move_common(struct sheet *s)
{
	bool grouped = s->head != SIZE_MAX, single = grouped && !s->looks[s->head].varies;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		if (grouped && !s->looks[i].varies_inside)
			s->looks[i].spot = IN_GROUPS;
		if (!s->looks[i].varies && !single)
			s->looks[i].spot = ON_TOP;
	}
}

/* The widest text gives way, a column at a time. */
static void narrow(struct sheet *s)
{
	struct look *widest;

	while (is_too_wide(s)) {
		widest = NULL;
		for (size_t i = 0; i < s->table->num_columns; i++) {
			struct look *look = &s->looks[i];

			if (look->heading && look->spot == IN_LINES && look->text &&
			    look->width > NARROWEST && (!widest || look->width > widest->width))
				widest = look;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

static void place(struct sheet *s)
{
	size_t columns = s->w->opts->columns, start, end = 0;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		struct look *look = &s->looks[i];

		if (!look->heading || look->spot != IN_LINES)
			continue;
		look->folds = columns && end && end + GAP + look->width > columns;
		start = look->folds ? FOLD_INDENT : end ? end + GAP : 0;
		if (look->sentence && columns > start + NARROWEST)
			look->width = columns - start;
		end = start + look->width;
	}
}

/* ---- writing -------------------------------------------------------------------- */

/*
 * Bytes of a text that fit, one character at least; *used: their columns.  It is broken at the
 * last blank, else behind the last sign in the second half, as names have them.
 */
static size_t fit(const char *text, size_t columns, size_t *used)
{
	size_t at = 0, width = 0, n, breaks[3] = { 0 }, widths[3];
	char one[8];

	*used = utf8_width(text);
	if (*used <= columns)
		return strlen(text);
	for (; text[at]; at += n, width += utf8_width(one)) {
		for (n = 1; ((unsigned char)text[at + n] & 0xc0) == 0x80;)
			n++;
		snprintf(one, sizeof(one), "%.*s", (int)n, text + at);
		if (at && text[at] == ' ') {
			breaks[0] = at;
			widths[0] = width;
		}
		if (at && width + utf8_width(one) > columns)
			break;
		if (strchr("/-_.:,;=", text[at]) && 2 * width >= columns) {
			breaks[1] = at + n;
			widths[1] = width + 1;
		}
		breaks[2] = at + n;
		widths[2] = width + utf8_width(one);
	}
	n = breaks[0] ? 0 : breaks[1] ? 1 : 2;
	*used = widths[n];
	return breaks[n];
}

/* Returns the blanks that go before what follows. */
static size_t put_cell(struct writer *w, struct look *look, size_t blanks)
{
	size_t used, n = fit(look->rest, look->width, &used);
	size_t fill = look->number ? look->width - used : 0;

	if (!n)
		return blanks + look->width + GAP;
	put_blanks(w, blanks + fill);
	put_bytes(w, look->rest, n);
	look->rest += n;
	look->rest += strspn(look->rest, " ");
	return GAP + look->width - fill - (used < look->width ? used : look->width);
}

/* What stands in @rest of the columns; each line of them is written as often as it takes. */
static void put_cells(const struct sheet *s)
{
	size_t num = s->table->num_columns, from = 0, to;

	while (from < num) {
		size_t blanks = from ? FOLD_INDENT : 0;
		bool more = false;

		for (to = from; to < num && (to == from || !s->looks[to].folds); to++) {
			struct look *look = &s->looks[to];

			if (!look->heading || look->spot != IN_LINES)
				continue;
			blanks = put_cell(s->w, look, blanks);
			more = more || *look->rest;
		}
		put(s->w, "\n");
		from = more ? from : to;
	}
}

/* "leaf01  LID 1, MTU 4096": what stands there, begun with @title; nothing: no line. */
static void put_common(const struct sheet *s, enum spot spot, const char *title,
                       const struct ibc_value *row)
{
	const char *separator = spot == ON_TOP ? " " : "  ";
	char buf[VALUE_MAX];
	bool begun = false;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		if (!s->looks[i].heading || s->looks[i].spot != spot || i == s->head)
			continue;
		if (!begun)
			say(s->w, title);
		begun = true;
		sayf(s->w, "%s%s ", separator, s->looks[i].heading);
		say(s->w, value_text(buf, &row[i]));
		separator = ", ";
	}
	if (!begun && spot == IN_GROUPS)
		say(s->w, title);
	if (begun || spot == IN_GROUPS)
		end_folded(s->w);
}

static void put_rows(const struct sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row, *last = NULL;
	size_t num = s->table->num_columns;
	char buf[VALUE_MAX];

	for (; (row = table_next(&walk)); last = row) {
		if (!last) {
			put_common(s, ON_TOP, "same in every row:", row);
			for (size_t i = 0; i < num; i++)
				s->looks[i].rest = s->looks[i].heading;
			put_cells(s);
		}
		if (s->head != SIZE_MAX && (!last || !value_same(&row[s->head], &last[s->head])))
			put_common(s, IN_GROUPS, value_text(buf, &row[s->head]), row);
		for (size_t i = 0; i < num; i++)
			s->looks[i].rest = value_text(s->looks[i].number_text, &row[i]);
		put_cells(s);
	}
}

/* A line for each value that is known, an empty one between rows. */
static void put_upright(const struct sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row, *last = NULL;
	char buf[VALUE_MAX];
	size_t width = 0;

	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading && utf8_width(s->looks[i].heading) > width)
			width = utf8_width(s->looks[i].heading);
	for (; (row = table_next(&walk)); last = row) {
		put(s->w, last ? "\n" : "");
		for (size_t i = 0; i < s->table->num_columns; i++) {
			if (!s->looks[i].heading || row[i].kind == IBC_NONE)
				continue;
			put(s->w, s->looks[i].heading);
			put_blanks(s->w, width + GAP - utf8_width(s->looks[i].heading));
			say(s->w, value_text(buf, &row[i]));
			put_folded_line(s->w, width + GAP, width + GAP);
		}
	}
}

static void put_omitted(struct writer *w, const struct ibc_table *t)
{
	bool some = t->num_rows;
	char more[128];

	snprintf(more, sizeof(more), "%s%" PRIu64 "%s%s: -v shows all", some ? "... and " : " but ",
	         t->omitted, some ? " more" : "", t->omitted_what ? t->omitted_what : "");
	put(w, t->omitted ? more : "");
	put(w, t->omitted || !some ? "\n" : "");
}

void put_table_name(struct writer *w, const struct ibc_table *table)
{
	bool titled = table->type->title;

	put(w, table_title(table));
	put(w, titled ? " (" : "");
	put(w, titled ? table->type->name : "");
	put(w, titled ? ")" : "");
}

void put_table(struct writer *w, const struct ibc_table *table)
{
	struct sheet s = { .w = w, .table = table, .head = SIZE_MAX };
	bool varies = false, varies_inside = false;

	if (!table->num_rows) {
		put_table_name(w, table);
		put(w, ": none");
		put_omitted(w, table);
		return;
	}
	if (table->type->headed_by && !table->sorted)
		for (s.head = 0;
		     strcmp(table->type->columns[s.head].key, table->type->headed_by) != 0;)
			s.head++;
	s.looks = arena_array(w->arena, table->num_columns, sizeof(*s.looks));
	look_at_rows(&s);
	if (table->upright) {
		put_upright(&s);
		return;
	}
	for (size_t i = 0; i < table->num_columns; i++) {
		varies |= s.looks[i].varies;
		varies_inside |= s.looks[i].varies_inside;
	}
	if (!varies_inside) /* groups of one line each are none */
		s.head = SIZE_MAX;
	if (varies && (s.head != SIZE_MAX || is_too_wide(&s)))
		move_common(&s);
	narrow(&s);
	place(&s);
	put_rows(&s);
	put_omitted(w, table);
}
