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
#include "render/html.h"

#define FLUSH_BYTES (1 << 16) /* data is written so many bytes at a time */
#define REAL_DIGITS 10        /* as many as text has */

/*
 * struct column_look - how a column is shown
 * @heading: NULL: not at all
 * @number: all its values are numbers; @detail: it is shown when asked for
 */
struct column_look {
	const char *heading;
	bool number, detail, sentence;
};

/* struct place_columns - where a place of the rows stands; @port: SIZE_MAX: it is a node */
struct place_columns {
	size_t guid, port;
};

/*
 * struct row_sheet - a table on its way out
 * @any_case, @any_past: some row has one: a column of its own
 * @only_named: it is too long: the rows that a case names
 */
struct row_sheet {
	const struct page *page;
	const struct ibc_table *table;
	struct column_look *looks;
	struct place_columns places[ROW_PLACES];
	size_t num_places;
	bool any_case, any_past, any_detail, only_named;
};

/* struct row_marks - what a row has to do with the rest of the page */
struct row_marks {
	struct place places[ROW_PLACES];
	const struct ibc_case *cases[ROW_CASES];
	size_t num_places, num_cases;
};

/* ---- looking ----------------------------------------------------------------------- */

static bool has_heading(const struct ibc_table *t)
{
	for (size_t i = 0; i < t->num_columns; i++)
		if (table_heading(t, i))
			return true;
	return false;
}

const struct ibc_table *next_page_table(const struct ibc_table *t, bool all)
{
	while (t && !all && !has_heading(t))
		t = t->next;
	return t;
}

static bool ends_in(const char *key, const char *word)
{
	size_t n = strlen(key), m = strlen(word);

	return n >= m && !strcmp(key + n - m, word);
}

/* A GUID, and the number of a port before the next GUID: PORT_COLUMNS, PEER_COLUMNS and others. */
static void find_place_columns(struct row_sheet *s)
{
	const struct ibc_column *columns = s->table->type->columns;
	size_t n = 0;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		if (ends_in(columns[i].key, "guid") && n < ROW_PLACES)
			s->places[n++] = (struct place_columns){ i, SIZE_MAX };
		else if (n && s->places[n - 1].port == SIZE_MAX && ends_in(columns[i].key, "port"))
			s->places[n - 1].port = i;
	}
	s->num_places = n;
}

static struct row_marks marks_of(const struct row_sheet *s, const struct ibc_value *row)
{
	struct row_marks m = { .num_places = 0 };

	for (size_t i = 0; i < s->num_places; i++) {
		const struct ibc_value *guid = &row[s->places[i].guid];
		size_t port = s->places[i].port;

		if (guid->kind != IBC_GUID)
			continue;
		m.places[m.num_places++] = (struct place){
			guid->num,
			port != SIZE_MAX && row[port].kind == IBC_U64 ? (unsigned int)row[port].num
								      : WHOLE_NODE,
		};
	}
	m.num_cases = cases_of(s->page, m.places, m.num_places, m.cases);
	return m;
}

static void look_at_marks(struct row_sheet *s, const struct ibc_value *row)
{
	double values[IBC_PAST_STEPS];
	struct row_marks m;

	if (s->any_case && s->any_past)
		return;
	m = marks_of(s, row);
	s->any_case = s->any_case || m.num_cases;
	s->any_past = s->any_past || past_of(s->page, m.places, m.num_places, values);
}

/* A column of which nothing is known is one for those who ask. */
static void look_at_values(struct row_sheet *s, bool *known, const struct ibc_value *row)
{
	for (size_t i = 0; i < s->table->num_columns; i++) {
		enum ibc_kind kind = row[i].kind;

		known[i] = known[i] || kind != IBC_NONE;
		if (kind != IBC_NONE && kind != IBC_U64 && kind != IBC_REAL)
			s->looks[i].number = false;
	}
}

static void look_at_table(struct row_sheet *s, bool *known, bool all)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row;

	for (size_t i = 0; i < s->table->num_columns; i++) {
		const struct ibc_column *column = &s->table->type->columns[i];

		s->looks[i] = (struct column_look){ all ? column->key : table_heading(s->table, i),
			                            true, column->detail, column->sentence };
	}
	while ((row = table_next(&walk))) {
		look_at_values(s, known, row);
		look_at_marks(s, row);
	}
	for (size_t i = 0; i < s->table->num_columns; i++) {
		struct column_look *look = &s->looks[i];

		look->number = look->number && known[i];
		look->detail = look->detail || !known[i];
		s->any_detail = s->any_detail || (look->heading && look->detail);
	}
}

/* ---- rows that are written out -------------------------------------------------------- */

static const char *class_of_column(const struct column_look *look)
{
	static const char *const classes[2][2] = { { NULL, "n" }, { "d", "d n" } };

	return look->sentence ? "w" : classes[look->detail][look->number];
}

static void put_headings(const struct row_sheet *s)
{
	struct writer *w = s->page->w;

	put(w, "<thead><tr>");
	if (s->any_case)
		put(w, "<th scope=\"col\">CASE</th>");
	for (size_t i = 0; i < s->table->num_columns; i++) {
		const char *class = class_of_column(&s->looks[i]);

		if (s->looks[i].heading) {
			putf(w, class ? "<th scope=\"col\" class=\"%s\">" : "<th scope=\"col\">",
			     class);
			say(w, s->looks[i].heading);
			put(w, "</th>");
		}
	}
	if (s->any_past)
		put_element(w, "th", "past", s->page->report->pasts.what);
	put(w, "</tr></thead>\n");
}

static void put_mark_attributes(struct writer *w, const struct row_marks *m)
{
	if (m->num_places) {
		collect_places(w, m->places, m->num_places);
		put(w, " data-ends=\"");
		put_bytes(w, w->line, w->length);
		put(w, "\"");
		w->length = 0;
	}
	for (size_t i = 0; i < m->num_cases; i++)
		putf(w, "%s%s", i ? " " : " data-cases=\"", m->cases[i]->id);
	put(w, m->num_cases ? "\"" : "");
}

static void put_case_cell(const struct page *p, const struct row_marks *m)
{
	struct writer *w = p->w;

	put(w, "<td>");
	for (size_t i = 0; i < m->num_cases; i++) {
		const struct ibc_case *c = m->cases[i];
		bool link = has_card(p, c);

		put(w, i ? " " : "");
		if (link)
			putf(w, "<a class=\"%s\" href=\"#case-%s\">",
			     ibc_severity_word(c->severity)->word, c->id);
		put_sign(w, c->severity);
		putf(w, link ? "%s</a>" : "%s", c->id);
	}
	put(w, "</td>");
}

static void put_page_row(const struct row_sheet *s, const struct ibc_value *row,
                         const struct row_marks *m)
{
	struct writer *w = s->page->w;
	char buf[VALUE_MAX];

	put(w, "<tr");
	put_mark_attributes(w, m);
	put(w, ">");
	if (s->any_case)
		put_case_cell(s->page, m);
	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading)
			put_element(w, "td", class_of_column(&s->looks[i]),
			            value_text(buf, &row[i]));
	if (s->any_past) {
		put(w, "<td class=\"past\">");
		put_past(s->page, m->places, m->num_places);
		put(w, "</td>");
	}
	put(w, "</tr>\n");
}

/* ---- rows that are data ---------------------------------------------------------------- */

static void add_value(struct json_out *o, const struct ibc_value *v)
{
	char buf[VALUE_MAX];

	if (v->kind == IBC_U64 && v->num <= INT64_MAX)
		json_put_number(o, (int64_t)v->num);
	else if (v->kind == IBC_REAL)
		json_put_real(o, v->real);
	else
		json_put_text(o, value_text(buf, v));
}

static void add_past(struct json_out *o, const struct page *p, const struct row_marks *m)
{
	double values[IBC_PAST_STEPS];

	if (!past_of(p, m->places, m->num_places, values)) {
		json_put_null(o);
		return;
	}
	json_open(o, '[');
	for (unsigned int i = 0; i < p->report->pasts.steps; i++)
		json_put_real(o, values[i]);
	json_close(o, ']');
}

/* What was collected; its place may be wanting. */
static void add_collected(struct json_out *o, struct writer *w)
{
	json_put_text(o, w->length ? w->line : "");
	w->length = 0;
}

/* ["0x0002c90300000010/19", "7f3a9c10", what cells have...] */
static void add_row(struct json_out *o, const struct row_sheet *s, const struct ibc_value *row,
                    const struct row_marks *m)
{
	struct writer *w = s->page->w;

	json_open(o, '[');
	collect_places(w, m->places, m->num_places);
	add_collected(o, w);
	for (size_t i = 0; i < m->num_cases; i++) {
		collect_text(w, i ? " " : "");
		collect_text(w, m->cases[i]->id);
	}
	add_collected(o, w);
	for (size_t i = 0; i < s->table->num_columns; i++)
		if (s->looks[i].heading)
			add_value(o, &row[i]);
	if (s->any_past)
		add_past(o, s->page, m);
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

/* ---- a table ------------------------------------------------------------------------- */

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

static size_t put_data_rows(const struct row_sheet *s, struct table_walk *walk, size_t n)
{
	struct json_out o = { .precision = REAL_DIGITS };
	const struct ibc_value *row;
	const char *separator = "[ "; /* a blank: no comma follows */
	struct row_marks m;

	put(s->page->w, "<script type=\"application/json\">");
	for (; n < PAGE_MOST && (row = next_page_row(s, walk, &m)); n++) {
		json_raw(&o, separator);
		add_row(&o, s, row, &m);
		separator = ",\n ";
		if (o.length >= FLUSH_BYTES)
			put_data(s->page->w, &o);
	}
	json_raw(&o, *separator == '[' ? "[]" : "]");
	put_data(s->page->w, &o);
	put(s->page->w, "</script>\n");
	free(o.text);
	return n;
}

/* Says what of the table is there, which a page must not leave open. */
static void put_extent(const struct row_sheet *s, size_t plain, size_t n)
{
	uint64_t all = s->table->num_rows + s->table->omitted;
	struct writer *w = s->page->w;

	putf(w, "<p class=\"extent\" data-rows=\"%zu\">", n);
	if (n == all)
		putf(w, "%" PRIu64 " row%s", all, all == 1 ? "" : "s");
	else if (s->only_named && !n)
		putf(w, "No case names one of the %" PRIu64 " rows; -f csv and -f json have them",
		     all);
	else if (s->only_named)
		putf(w, "Of %" PRIu64 " rows %s%zu that a case names; -f csv and -f json have all",
		     all, n == PAGE_MOST ? "the first " : "the ", n);
	else
		putf(w, "%zu of %" PRIu64 " rows; -v shows more", n, all);
	put(w, ".</p>\n");
	if (n > plain)
		putf(w,
		     "<noscript><p>These are the first %zu of them: a browser that runs scripts "
		     "shows "
		     "the others.</p></noscript>\n",
		     plain);
}

static void put_rows_of_page(const struct row_sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row = NULL;
	struct writer *w = s->page->w;
	struct row_marks m;
	size_t plain = 0, n;

	put(w, "<div class=\"scroll\"><table>\n");
	put_headings(s);
	put(w, "<tbody>\n");
	for (; plain < PAGE_ROWS && (row = next_page_row(s, &walk, &m)); plain++)
		put_page_row(s, row, &m);
	put(w, "</tbody></table></div>\n");
	n = row ? put_data_rows(s, &walk, plain) : plain;
	put_extent(s, plain, n);
}

/* A thing on its own: a line for each value that is known. */
static void put_upright_row(const struct row_sheet *s, const struct ibc_value *row)
{
	struct writer *w = s->page->w;
	char buf[VALUE_MAX];

	put(w, "<dl class=\"upright\">\n");
	for (size_t i = 0; i < s->table->num_columns; i++) {
		if (!s->looks[i].heading || row[i].kind == IBC_NONE)
			continue;
		put_element(w, "dt", NULL, s->looks[i].heading);
		put_element(w, "dd", NULL, value_text(buf, &row[i]));
		put(w, "\n");
	}
	put(w, "</dl>\n");
}

static void put_body(struct row_sheet *s)
{
	struct table_walk walk = table_walk(s->table);
	const struct ibc_value *row;

	if (!s->table->num_rows) {
		put(s->page->w, "<p class=\"extent\">None.</p>\n");
	} else if (s->table->upright) {
		while ((row = table_next(&walk)))
			put_upright_row(s, row);
	} else {
		if (s->any_detail)
			putf(s->page->w,
			     "<label class=\"more\"><input type=\"checkbox\"> all columns"
			     "</label>\n");
		put_rows_of_page(s);
	}
}

void put_page_table(const struct page *p, const struct ibc_table *t, bool all)
{
	struct row_sheet s = { .page = p, .table = t, .only_named = t->num_rows > PAGE_MOST };
	bool *known = xalloc(t->num_columns * sizeof(*known));

	s.looks = xalloc(t->num_columns * sizeof(*s.looks));
	if (known && s.looks) {
		find_place_columns(&s);
		look_at_table(&s, known, all);
		putf(p->w, "<section class=\"table\" id=\"table-%s\">\n", t->type->name);
		put_element(p->w, "h2", NULL, table_title(t));
		put(p->w, "\n");
		put_body(&s);
		put(p->w, "</section>\n");
	} else {
		give_up(p->w, -ENOMEM);
	}
	free(s.looks);
	free(known);
}
