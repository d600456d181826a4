/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measurements between hosts as a matrix: clients down, servers across, in the order of their
 * leaves.  More hosts than fit on a screen are drawn by leaf, or where leaves are not known in
 * equal parts of the list; a cell then shows the worst of its measurements.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/draw.h>
#include <ibcheck/perfresult.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "draw/draw.h"

#define LINES_MAX  128 /* rows that can be told apart on a screen; layout.h has its size */
#define SIDE       900 /* pixels of the cells together, by eye, as all of these */
#define CELL_MAX   18  /* of a few hosts */
#define NAMED_MIN  9   /* of a cell with a name beside it */
#define NAME_CHARS 24  /* of the names of rows and columns */
#define TOP        64  /* title and legend */
#define EDGE       20  /* around the picture */
#define FONT       11  /* of all text */

/* struct pair_end - @line: its row and column; hosts of one leaf stand together */
struct pair_end {
	const struct ibc_perf_end *end;
	const char *leaf;
	uint32_t number, line;
};

/* struct pair_cell - @worst: of @n measurements */
struct pair_cell {
	const struct ibc_perf_verdict *worst;
	uint32_t row, col, n;
};

/* struct pair_matrix - @line_names: of rows, and of columns; @space: pixels that they need */
struct pair_matrix {
	const struct ibc_perf_judgement *p;
	struct arena *arena;
	struct pair_end *ends;
	uint32_t *line_of; /* by number of an end */
	const char **line_names;
	uint32_t lines;
	struct pair_cell *cells;
	size_t num_cells;
	double side, space;
	FILE *out;
};

/* ---- rows and columns --------------------------------------------------------------------- */

static int by_leaf_and_host(const void *va, const void *vz)
{
	const struct pair_end *a = va, *z = vz;
	int order = strcmp(a->leaf, z->leaf);

	order = order ? order : strcmp(a->end->host, z->end->host);
	return order ? order : strcmp(a->end->rail, z->end->rail);
}

static bool is_same_line(const struct pair_end *a, const struct pair_end *z, bool by_leaf)
{
	return by_leaf ? !strcmp(a->leaf, z->leaf) : !by_leaf_and_host(a, z);
}

static const char *end_text_of(struct arena *a, const struct ibc_perf_end *end)
{
	return *end->rail && strcmp(end->rail, "0") != 0
	           ? arena_printf(a, "%s rail %s", end->host, end->rail)
	           : arena_strdup(a, end->host);
}

/* A row for each end, for each leaf, or for so many ends each. */
static bool make_lines(struct pair_matrix *m)
{
	size_t n = m->p->results->num_ends, leaves = 0, part = 1;

	for (size_t i = 0; i < n; i++)
		leaves += !i || !is_same_line(&m->ends[i - 1], &m->ends[i], true);
	if (n > LINES_MAX && leaves < 2)
		part = (n + LINES_MAX - 1) / LINES_MAX;
	m->line_names = arena_array(m->arena, n + 1, sizeof(*m->line_names));
	m->line_of = arena_array(m->arena, n + 1, sizeof(*m->line_of));
	if (!m->line_names || !m->line_of)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct pair_end *e = &m->ends[i];
		bool by_leaf = n > LINES_MAX && leaves > 1;
		bool is_new = !i || (part > 1 ? i % part == 0 : !is_same_line(e - 1, e, by_leaf));

		if (is_new)
			m->line_names[m->lines++] = by_leaf
			                                ? (*e->leaf ? e->leaf : "not in the fabric")
			                                : end_text_of(m->arena, e->end);
		if (!m->line_names[m->lines - 1])
			return false;
		m->line_of[e->number] = m->lines - 1;
	}
	return true;
}

/* ---- cells --------------------------------------------------------------------------------- */

static int by_cell(const void *va, const void *vz)
{
	const struct pair_cell *a = va, *z = vz;

	return order_u64((uint64_t)a->row << 32 | a->col, (uint64_t)z->row << 32 | z->col);
}

static bool is_worse_than(const struct ibc_perf_verdict *a, const struct ibc_perf_verdict *z)
{
	if (a->level != z->level)
		return a->level > z->level;
	return a->result->latency ? a->result->value > z->result->value
	                          : a->result->value < z->result->value;
}

static bool make_cells(struct pair_matrix *m)
{
	const struct ibc_perf_results *r = m->p->results;
	size_t kept = 0;

	m->cells = arena_array(m->arena, r->num + 1, sizeof(*m->cells));
	if (!m->cells)
		return false;
	for (size_t i = 0; i < r->num; i++)
		if (!r->all[i].by_server)
			m->cells[m->num_cells++] = (struct pair_cell){
				.worst = &m->p->verdicts[i],
				.row = m->line_of[r->all[i].client],
				.col = m->line_of[r->all[i].server],
				.n = 1,
			};
	qsort(m->cells, m->num_cells, sizeof(*m->cells), by_cell);
	for (size_t i = 0; i < m->num_cells; i++) {
		struct pair_cell *last = kept ? &m->cells[kept - 1] : NULL;

		if (!last || by_cell(last, &m->cells[i]) != 0) {
			m->cells[kept++] = m->cells[i];
			continue;
		}
		last->n++;
		if (is_worse_than(m->cells[i].worst, last->worst))
			last->worst = m->cells[i].worst;
	}
	m->num_cells = kept;
	return true;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static const struct {
	const char *class, *text;
} looks[] = {
	[IBC_PERF_UNJUDGED] = { "k-silent", "not measured or not judged" },
	[IBC_PERF_GOOD] = { "s2", "good" },
	[IBC_PERF_LOW] = { "k-slow", "warning" },
	[IBC_PERF_POOR] = { "at", "critical" },
};

static void put_pair_box(FILE *out, const char *class, double x, double y, double side)
{
	fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
	        class, x, y, side, side);
}

static void put_legend(const struct pair_matrix *m)
{
	double x = EDGE;

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		put_pair_box(m->out, looks[i].class, x, TOP - 24, FONT);
		fprintf(m->out, "<text x=\"%.1f\" y=\"%d\" font-size=\"%d\">%s</text>\n",
		        x + FONT + 5, TOP - 14, FONT, looks[i].text);
		x += FONT + 25 + svg_width(looks[i].text, FONT);
	}
}

static void put_line_names(const struct pair_matrix *m)
{
	char buf[SHORT_TEXT];

	for (uint32_t i = 0; m->side >= NAMED_MIN && i < m->lines; i++) {
		double at = (i + 0.5) * m->side + FONT * 0.35;

		svg_short(m->line_names[i], NAME_CHARS, buf);
		fprintf(m->out, "<text class=\"name\" font-size=\"%.1f\" x=\"%.1f\" y=\"%.1f\">",
		        m->side < FONT ? m->side : FONT, EDGE + m->space - 4, TOP + m->space + at);
		svg_text(buf, m->out);
		fprintf(m->out,
		        "</text>\n<text font-size=\"%.1f\" transform=\"translate(%.1f %.1f) "
		        "rotate(-90)\">",
		        m->side < FONT ? m->side : FONT, EDGE + m->space + at, TOP + m->space - 4);
		svg_text(buf, m->out);
		fputs("</text>\n", m->out);
	}
}

static void put_pair_words(const struct pair_matrix *m, const struct pair_cell *c)
{
	const struct ibc_perf_verdict *v = c->worst;
	const struct ibc_perf_result *r = v->result;
	const char *status = ibc_perf_status_word(r->status)->name;

	svg_text(m->p->results->ends[r->client].host, m->out);
	fputs(" to ", m->out);
	svg_text(m->p->results->ends[r->server].host, m->out);
	if (r->status != IBC_PERF_MEASURED)
		fprintf(m->out, ": %s", status);
	else if (r->latency)
		fprintf(m->out, ": %.3g us", r->value);
	else if (v->expected > 0)
		fprintf(m->out, ": %.4g of %.4g Gb/s", r->value, v->expected);
	else
		fprintf(m->out, ": %.4g Gb/s", r->value);
	if (v->level > IBC_PERF_GOOD)
		fprintf(m->out, " (%s)", ibc_perf_cause_word(v->cause)->name);
	if (c->n > 1)
		fprintf(m->out, ", the worst of %u", c->n);
}

static void put_pair_cell(const struct pair_matrix *m, const struct pair_cell *c)
{
	fputs("<g class=\"cell\" data-row=\"", m->out);
	svg_text(m->line_names[c->row], m->out);
	fputs("\" data-col=\"", m->out);
	svg_text(m->line_names[c->col], m->out);
	fputs("\" data-cases=\"\" data-cables=\"\"><title>", m->out);
	put_pair_words(m, c);
	fputs("</title>", m->out);
	put_pair_box(m->out, looks[c->worst->level].class, EDGE + m->space + c->col * m->side,
	             TOP + m->space + c->row * m->side, m->side > 4 ? m->side - 1 : m->side);
	fputs("</g>\n", m->out);
}

static void put_pairs(struct pair_matrix *m)
{
	double width;
	char title[96];

	for (uint32_t i = 0; i < m->lines; i++) {
		char buf[SHORT_TEXT];
		double space = svg_width(svg_short(m->line_names[i], NAME_CHARS, buf), FONT) + 8;

		m->space = space > m->space ? space : m->space;
	}
	m->side = m->lines * CELL_MAX > SIDE ? SIDE / (double)m->lines : CELL_MAX;
	width = 2 * EDGE + m->space + m->lines * m->side;
	snprintf(title, sizeof(title), "%zu measurements between %zu ports of hosts",
	         m->p->measured, m->p->results->num_ends);
	svg_open("ibc-pairs", title, width < 520 ? 520 : width,
	         TOP + EDGE + m->space + m->lines * m->side, ".ibc-pairs .name{text-anchor:end}\n",
	         m->out);
	fprintf(m->out, "<text x=\"%d\" y=\"%d\" font-size=\"15\">%s</text>\n", EDGE, EDGE + 4,
	        title);
	put_legend(m);
	put_line_names(m);
	for (size_t i = 0; i < m->num_cells; i++)
		put_pair_cell(m, &m->cells[i]);
	svg_close(m->out);
}

int ibc_perf_svg(const struct ibc_perf_judgement *judgement, FILE *out, struct ibc_error *err)
{
	struct pair_matrix m = { .p = judgement, .arena = arena_new(), .out = out };
	size_t n = judgement->results->num_ends;
	int rc = 0;

	m.ends = m.arena ? arena_array(m.arena, n + 1, sizeof(*m.ends)) : NULL;
	for (uint32_t i = 0; m.ends && i < n; i++) {
		const struct ibc_node *leaf = judgement->leaves[i];

		m.ends[i] = (struct pair_end){ .end = &judgement->results->ends[i],
			                       .leaf = leaf ? leaf->label : "",
			                       .number = i };
	}
	if (m.ends && n)
		qsort(m.ends, n, sizeof(*m.ends), by_leaf_and_host);
	if (!m.ends || !make_lines(&m) || !make_cells(&m))
		rc = fail_nomem(err);
	else
		put_pairs(&m);
	if (!rc && ferror(out))
		rc = fail(err, -EIO, "cannot write the picture");
	arena_free(m.arena);
	return rc;
}
