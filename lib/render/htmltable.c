/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of a page.  The first rows are written out; the rest is data, which the script of the
 * page makes rows of, a page at a time: a browser that had to lay them out would show nothing
 * for seconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/jsonwrite.h"
#include "base/str.h"
#include "render/html.h"

#define FLUSH_BYTES (1 << 16) /* data is written so many bytes at a time */
#define REAL_DIGITS 10        /* as many as text has */
#define MARKS_TEXT  256       /* bytes of the places of a row, or of its cases */

/*
 * struct column_look - how a column is shown
 * @heading: NULL: not at all
 * @class: of its cells, or NULL
 * @number: all its values are numbers; @known: some row has one
 */
struct column_look {
	const char *heading, *class;
	bool number, known;
};

/*
 * struct row_sheet - a table on its way out
 * @guids, @ports: columns of the places of a row; SIZE_MAX: it is a node
 * @any_case: some row has one: a column of its own
 * @only_named: it is too long: the rows that a case names
 */
struct row_sheet {
	const struct page *page;
	const struct ibc_table *table;
	struct column_look *looks;
	size_t guids[ROW_PLACES], ports[ROW_PLACES], num_places;
	bool any_case, any_detail, only_named;
};

/* struct row_marks - what a row has to do with the rest of the page */
struct row_marks {
	struct place places[ROW_PLACES];
	const struct ibc_case *cases[ROW_CASES];
	size_t num_places, num_cases;
};

/* ---- looking ----------------------------------------------------------------------- */

const struct ibc_table *next_page_table(const struct ibc_table *t, bool all)
{
	for (; t && !all; t = t->next)
		for (size_t i = 0; i < t->num_columns; i++)
			if (table_heading(t, i))
				return t;
	return t;
}

static bool ends_in(const char *key, const char *word)
{
	size_t n = strlen(key), m = strlen(word);

	return n >= m && !strcmp(key + n - m, word);
}

static struct row_marks marks_of(const struct row_sheet *s, const struct ibc_value *row)
{
	struct row_marks m = { .num_places = 0 };

	for (size_t i = 0; i < s->num_places; i++) {
		const struct ibc_value *guid = &row[s->guids[i]];
		const struct ibc_value *port = s->ports[i] == SIZE_MAX ? NULL : &row[s->ports[i]];

		if (guid->kind == IBC_GUID)
			m.places[m.num_places++] = (struct place){
				guid->num,
				port && port->kind == IBC_U64 ? (unsigned int)port->num
							      : WHOLE_NODE,
			};
	}
	m.num_cases = cases_of(s->page, m.places, m.num_places, m.cases);
	return m;
}

/* A column of which nothing is known is one for those who ask. */
static void look_at_table(struct row_sheet *s, bool all)
{
	static const char *const classes[2][2] = { { NULL, "n" }, { "d", "d n" } };
	const struct ibc_column *columns = s->table->type->columns;
	struct table_walk walk = table_walk(s->table);
	size_t num = s->table->num_columns, n = 0;
	const struct ibc_value *row;

	s->looks = arena_array(s->page->w->arena, num, sizeof(*s->looks));
	/* a GUID, and the number of a port before the next GUID */
	for (size_t i = 0; i < num; i++) {
		s->looks[i].heading = all ? columns[i].key : table_heading(s->table, i);
		s->looks[i].number = true;
		if (ends_in(columns[i].key, "guid") && n < ROW_PLACES) {
			s->guids[n] = i;
			s->ports[n++] = SIZE_MAX;
		} else if (n && s->ports[n - 1] == SIZE_MAX && ends_in(columns[i].key, "port")) {
			s->ports[n - 1] = i;
		}
	}
	s->num_places = n;
	while ((row = table_next(&walk))) {
		for (size_t i = 0; i < num; i++) {
			enum ibc_kind kind = row[i].kind;

			s->looks[i].known |= kind != IBC_NONE;
			s->looks[i].number &= kind == IBC_NONE || kind == IBC_U64 ||
			                      kind == IBC_REAL;
		}
		s->any_case = s->any_case || marks_of(s, row).num_cases;
	}
	for (size_t i = 0; i < num; i++) {
		struct column_look *look = &s->looks[i];
		bool detail = columns[i].detail || !look->known;

		look->class = columns[i].sentence ? "w"
		                                  : classes[detail][look->number && look->known];
		s->any_detail |= look->heading && detail;
	}
}

/* "0x0002c90300000010/19 0x0002c90300000020/3" */
static const char *places_text(const struct row_marks *m, char text[MARKS_TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < m->num_places; i++) {
		n += (size_t)snprintf(text + n, MARKS_TEXT - n, "%s0x%016" PRIx64, i ? " " : "",
		                      m->places[i].guid);
		if (m->places[i].port != WHOLE_NODE)
			n += (size_t)snprintf(text + n, MARKS_TEXT - n, "/%u", m->places[i].port);
	}
	return text;
}

static const char *cases_text(const struct row_marks *m, char text[MARKS_TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < m->num_cases; i++)
		n += (size_t)snprintf(text + n, MARKS_TEXT - n, "%s%s", i ? " " : "",
		                      m->cases[i]->id);
	return text;
}

/* ---- rows -------------------------------------------------------------------------- */

static void put_html_cell(struct writer *w, const char *begin, const char *class, const char *text,
                          const char *end)
{
	put(w, begin);
	if (class)
		putf(w, " class=\"%s\"", class);
	putf(w, ">%s", text);
	put(w, end);
}

static void put_page_row(const struct row_sheet *s, const struct ibc_value *row,
                         const struct row_marks *m)
{
	struct writer *w = s->page->w;
	char buf[VALUE_MAX], text[MARKS_TEXT];

	put(w, "<tr");
	if (m->num_places)
		putf(w, " data-ends=\"%s\"", places_text(m, text));
	if (m->num_cases)
		putf(w, " data-cases=\"%s\"", cases_text(m, text));
	put(w, s->any_case ? "><td>" : ">");
	for (size_t i = 0; i < m->num_cases; i++) {
		const struct ibc_case *c = m->cases[i];
		bool link = has_card(s->page, c);

		put(w, i ? " " : "");
		if (link)
			putf(w, "<a class=\"%s\" href=\"#case-%s\">",
			     ibc_severity_word(c->severity)->word, c->id);
		put_sign(w, c->severity);
		put(w, c->id);
		put(w, link ? "</a>" : "");
	}
	put(w, s->any_case ? "</td>" : "");
	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading)
			put_html_cell(w, "<td", s->looks[i].class, value_text(buf, &row[i]),
			              "</td>");
	put(w, "</tr>\n");
}

/* ["0x0002c90300000010/19", "7f3a9c10", what cells have...] */
static void add_row(struct json_out *o, const struct row_sheet *s, const struct ibc_value *row,
                    const struct row_marks *m)
{
	char buf[VALUE_MAX], text[MARKS_TEXT];

	json_open(o, '[');
	json_put_text(o, places_text(m, text));
	json_put_text(o, cases_text(m, text));
	for (size_t i = 0; i < s->table->num_columns; i++) {
		const struct ibc_value *v = &row[i];

		if (!s->looks[i].heading)
			continue;
		if (v->kind == IBC_U64 && v->num <= INT64_MAX)
			json_put_number(o, (int64_t)v->num);
		else if (v->kind == IBC_REAL)
			json_put_real(o, v->real);
		else
			json_put_text(o, value_text(buf, v));
	}
	json_close(o, ']');
}

/* Without "<" no text ends the element. */
static void put_data(struct writer *w, struct json_out *o)
{
	const char *at = o->text, *end = at + o->length, *next;

	if (o->failed)
		give_up(w, -ENOMEM);
	for (; !w->error && (next = memchr(at, '<', (size_t)(end - at))); at = next + 1) {
		put_bytes(w, at, (size_t)(next - at));
		put(w, "\\u003c");
	}
	put_bytes(w, at, (size_t)(end - at));
	o->length = 0;
}

/* The next row that the page has, and its marks. */
static const struct ibc_value *next_page_row(const struct row_sheet *s, struct table_walk *walk,
                                             struct row_marks *m)
{
	const struct ibc_value *row;

	while ((row = table_next(walk)) && !s->page->w->error) {
		*m = marks_of(s, row);
		if (!s->only_named || m->num_cases)
			return row;
	}
	return NULL;
}

/* From @row on, if that is not NULL; returns how many. */
static size_t put_data_rows(const struct row_sheet *s, struct table_walk *walk,
                            const struct ibc_value *row, struct row_marks *m, size_t before)
{
	struct json_out o = { .precision = REAL_DIGITS };
	struct writer *w = s->page->w;
	size_t n = 0;

	if (!row)
		return 0;
	put(w, "<script type=\"application/json\">");
	for (; row && before + n < PAGE_MOST; row = next_page_row(s, walk, m)) {
		json_raw(&o, n++ ? ",\n " : "[ "); /* a blank: no comma follows */
		add_row(&o, s, row, m);
		if (o.length >= FLUSH_BYTES)
			put_data(w, &o);
	}
	json_raw(&o, "]");
	put_data(w, &o);
	free(o.text);
	put(w, "</script>\n");
	return n;
}

/* Says what of the table is there, which a page must not leave open; @more: with the script. */
static void put_extent(const struct row_sheet *s, size_t n, size_t more)
{
	uint64_t all = s->table->num_rows + s->table->omitted;
	struct writer *w = s->page->w;
	char rows[AMOUNT_TEXT];

	putf(w, "<p class=\"extent\" data-rows=\"%zu\">", n);
	if (n == all)
		putf(w, "%s", str_amount(rows, all, "row"));
	else if (s->only_named && !n)
		putf(w, "No case names one of the %" PRIu64 " rows; -f csv and -f json have them",
		     all);
	else if (s->only_named)
		putf(w, "Of %" PRIu64 " rows %s%zu that a case names; -f csv and -f json have all",
		     all, n == PAGE_MOST ? "the first " : "the ", n);
	else
		putf(w, "%zu of %" PRIu64 " rows; -v shows more", n, all);
	put(w, ".</p>\n");
	if (more)
		putf(w, "<noscript><p>%zu more need the script.</p></noscript>\n", more);
}

static void put_rows_of_page(const struct row_sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row;
	struct writer *w = s->page->w;
	struct row_marks m;
	size_t plain = 0, more;

	if (s->any_detail)
		put(w, "<label class=\"more\"><input type=\"checkbox\"> all columns</label>\n");
	put(w, "<div class=\"scroll\"><table>\n<thead><tr>");
	if (s->any_case)
		put(w, "<th scope=\"col\">CASE</th>");
	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading)
			put_html_cell(w, "<th scope=\"col\"", s->looks[i].class,
			              s->looks[i].heading, "</th>");
	put(w, "</tr></thead>\n<tbody>\n");
	while ((row = next_page_row(s, &walk, &m)) && plain++ < PAGE_ROWS)
		put_page_row(s, row, &m);
	put(w, "</tbody></table></div>\n");
	plain -= row != NULL;
	more = put_data_rows(s, &walk, row, &m, plain);
	put_extent(s, plain + more, more);
}

void put_page_table(const struct page *p, const struct ibc_table *t, bool all)
{
	struct row_sheet s = { .page = p, .table = t, .only_named = t->num_rows > PAGE_MOST };
	struct table_walk walk = table_walk(t);
	const struct ibc_value *row;
	char buf[VALUE_MAX];

	look_at_table(&s, all);
	putf(p->w, "<section class=\"table\" id=\"table-%s\">\n<h2>%s</h2>\n", t->type->name,
	     table_title(t));
	if (!t->num_rows)
		put(p->w, "<p class=\"extent\">None.</p>\n");
	else if (!t->upright)
		put_rows_of_page(&s);
	/* a thing on its own: a line for each value that is known */
	while (t->upright && (row = table_next(&walk))) {
		put(p->w, "<dl class=\"upright\">\n");
		for (size_t i = 0; i < t->num_columns; i++)
			if (s.looks[i].heading && row[i].kind != IBC_NONE)
				putf(p->w, "<dt>%s</dt><dd>%s</dd>\n", s.looks[i].heading,
				     value_text(buf, &row[i]));
		put(p->w, "</dl>\n");
	}
	put(p->w, "</section>\n");
}
