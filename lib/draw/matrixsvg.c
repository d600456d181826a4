/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A matrix as SVG.  A mark is a shape as well as a colour, and no smaller than can be seen;
 * what is wrong is listed once more below, by name.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "draw/matrix.h"

#define WIDTH_MIN    900   /* pixels: legend and list have room */
#define LISTED_MAX   8     /* cells in the list below */
#define CASES_LISTED 4     /* ids of one of them */
#define GLYPH_MIN    7     /* pixels of a mark, however small the cell; by eye */
#define CROWD_MIN    3     /* likewise where nearly every cell has one: the shades are seen */
#define CELLS_MAX    12000 /* elements of their own, some megabytes; more are one path a shade */
#define MARKED_MAX   6000  /* likewise, of marked ones: half a kilobyte each */
#define DETAILED_MAX 3000  /* and of those that are there twice */

/* Marks in a box of ten by ten; relative, so that many make one path. */
static const struct glyph {
	const char *class, *path;
} glyphs[MARKS] = {
	[MARK_OTHER] = { "k-other", "m5 .5l4.5 4.5-4.5 4.5-4.5-4.5z" },
	[MARK_CONGESTED] = { "k-congested", "m1 .8h8l-8 8.4h8z" },
	[MARK_ERRORS] = { "k-errors", "m5 1.5a3.5 3.5 0 1 0 .01 0z" },
	[MARK_SLOW] = { "k-slow", "m5 1l4.6 8h-9.2z" },
	[MARK_SILENT] = { "k-silent", "m5 .8l4.2 4.2-4.2 4.2-4.2-4.2z" },
	[MARK_MISSING] = { "k-missing", "m1.2 1.2h7.6v7.6h-7.6z" },
	[MARK_MISPLACED] = { "k-misplaced", "m1 1l8 8m0-8l-8 8" },
};

struct canvas {
	const struct ibc_matrix *m;
	const struct layout *l;
	FILE *out;
	bool lean;   /* too many cells for an element each */
	bool detail; /* a block once more, alone */
	bool plain;  /* likewise marks: a path for those of a kind, and no words */
	size_t cells, marked;
};

static double glyph_side(double size, double least)
{
	return size * 0.75 < least ? least : size * 0.75;
}

static void put_glyph(const struct canvas *c, enum matrix_mark mark, double x, double y,
                      double size)
{
	const struct glyph *g = &glyphs[mark];
	double part = glyph_side(size, GLYPH_MIN);

	x += (size - part) / 2;
	y += (size - part) / 2;
	fprintf(c->out,
	        "<g transform=\"translate(%.1f %.1f) scale(%.2f)\"><path class=\"halo\" d=\"%s\"/>"
	        "<path class=\"%s\" d=\"%s\"/></g>",
	        x, y, part / 10, g->path, g->class, g->path);
}

static void put_string(const struct canvas *c, const char *class, double x, double y,
                       const char *text)
{
	svgf(c->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, x, y, text);
}

/* ---- cells ------------------------------------------------------------------------------- */

/* Ids of its cases, each once, as parts are sorted by them; at most so many. */
static void put_cases(const struct matrix_cell *cell, const char *between, size_t most, FILE *out)
{
	const char *last = "";

	for (size_t i = 0; i < cell->num_parts; i++) {
		const char *id = part_case(&cell->parts[i]);

		if (!strcmp(id, last))
			continue;
		if (!most--) {
			fputs(", ..", out);
			return;
		}
		fprintf(out, "%s%s", *last ? between : "", id);
		last = id;
	}
}

static void put_cables(const struct matrix_cell *cell, FILE *out)
{
	char guid[STR_GUID_MAX];
	const char *before = "";

	for (size_t i = 0; i < cell->num_parts; i++) {
		for (uint32_t k = 0; k < cell->parts[i].num_ports; k++) {
			const struct ibc_port *p = cell->parts[i].ports[k];

			p = ibc_port_is_near_end(p) || !p->peer ? p : p->peer;
			fprintf(out, "%s%s/%u", before, str_from_guid(guid, p->node->guid), p->num);
			before = " ";
		}
	}
}

static const char *row_name(const struct matrix_tile *tile, const struct matrix_cell *cell)
{
	return cell->row == AT_LINE ? "" : tile->rows[cell->row].name;
}

static const char *col_name(const struct matrix_tile *tile, const struct matrix_cell *cell)
{
	return cell->col == AT_LINE ? "" : tile->cols[cell->col].name;
}

/* "leaf03 - spine02: 1 cable; misplaced: 7f3a9c10" */
static void put_words(const struct canvas *c, const struct matrix_tile *tile,
                      const struct matrix_cell *cell)
{
	bool line = cell->row == AT_LINE || cell->col == AT_LINE;
	char value[COLOUR_TEXT], cables[AMOUNT_TEXT];
	size_t i = cell->num_parts;

	svgf(c->out, "%s%s%s", row_name(tile, cell), line ? "" : " - ", col_name(tile, cell));
	while (tile->rails && i && !cell->parts[i - 1].num_ports)
		i--;
	if (tile->rails && i)
		svgf(c->out, " to %s", cell->parts[i - 1].ports[0]->node->label);
	if (!line)
		fprintf(c->out, ": %s", str_amount(cables, cell->cables, "cable"));
	colour_value_text(c->m->opts.colour, &cell->value, value, sizeof(value));
	if (*value)
		fprintf(c->out, ", %s", value);
	if (!cell->mark)
		return;
	if (!line)
		fprintf(c->out, "; %s", mark_word(cell->mark));
	if (*part_case(&cell->parts[cell->num_parts - 1])) {
		fputs(": ", c->out);
		put_cases(cell, ", ", SIZE_MAX, c->out);
	}
}

/* A finding on the switch itself: beside its row, or above its column. */
static void put_line_mark(const struct canvas *c, const struct layout_box *box,
                          const struct matrix_cell *cell)
{
	const struct matrix_tile *tile = box->tile;
	bool row = cell->col == AT_LINE;
	double at = layout_at(box, row ? tile->rows : tile->cols, row ? cell->row : cell->col) +
	            box->cell / 2;
	double x = box->x + (row ? -1 : at), y = box->y + (row ? at : -1);

	svgf(c->out, "<g class=\"line\" data-node=\"%s\" data-cases=\"",
	     row ? row_name(tile, cell) : col_name(tile, cell));
	put_cases(cell, " ", SIZE_MAX, c->out);
	fputs("\"><title>", c->out);
	put_words(c, tile, cell);
	fprintf(c->out, "</title><path class=\"at\" d=\"M%.1f %.1f%s\"/></g>\n", x, y,
	        row ? "l-7 -4v8z" : "l-4 -7h8z");
}

static double cell_side(const struct layout_box *box)
{
	return box->cell - (box->cell > 4 ? 1 : 0.4);
}

static void put_matrix_cell(const struct canvas *c, const struct layout_box *box,
                            const struct matrix_cell *cell)
{
	const struct matrix_tile *tile = box->tile;
	double x = box->x + layout_at(box, tile->cols, cell->col);
	double y = box->y + layout_at(box, tile->rows, cell->row), side = cell_side(box);

	svgf(c->out, "<g class=\"cell\" data-row=\"%s\" data-col=\"%s\" data-cases=\"",
	     row_name(tile, cell), col_name(tile, cell));
	put_cases(cell, " ", SIZE_MAX, c->out);
	fputs("\" data-cables=\"", c->out);
	if (!tile->overview)
		put_cables(cell, c->out);
	fputs("\"><title>", c->out);
	put_words(c, tile, cell);
	fprintf(c->out, "</title><path class=\"s%u\" d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\"/>",
	        cell->shade, x, y, side, side, -side);
	if (cell->mark)
		put_glyph(c, cell->mark, x, y, box->cell - 1);
	fputs("</g>\n", c->out);
}

static bool is_line_mark(const struct matrix_cell *cell)
{
	return cell->row == AT_LINE || cell->col == AT_LINE;
}

static bool is_in_runs(const struct canvas *c, const struct matrix_cell *cell)
{
	return c->plain ? !is_line_mark(cell) : !cell->mark;
}

/* Does a line go on with the next cell? */
static bool joins_next(const struct canvas *c, const struct matrix_tile *tile,
                       const struct matrix_cell *cell)
{
	const struct matrix_cell *next = cell + 1;

	return next < tile->cells + tile->num_cells && is_in_runs(c, next) &&
	       next->shade == cell->shade && next->row == cell->row && next->col == cell->col + 1 &&
	       tile->cols[next->col].gaps == tile->cols[cell->col].gaps;
}

/* Cells without a mark that have this shade: a dashed line for those side by side. */
static void put_runs(const struct canvas *c, const struct layout_box *box, unsigned int shade)
{
	const struct matrix_tile *tile = box->tile;
	double side = cell_side(box);
	size_t n = 0;

	for (size_t i = 0; i < tile->num_cells; i++) {
		const struct matrix_cell *cell = &tile->cells[i];

		if (!is_in_runs(c, cell) || cell->shade != shade)
			continue;
		if (!n++)
			fprintf(
			    c->out,
			    "<path class=\"run r%u\" data-what=\"%s: %s\" stroke-width=\"%.1f\" "
			    "stroke-dasharray=\"%.1f %.1f\" d=\"",
			    shade, ibc_colour_word(c->m->opts.colour)->name,
			    colour_limit_text(c->m->opts.colour, shade), side, side,
			    box->cell - side);
		fprintf(c->out, "M%.1f %.1f", box->x + layout_at(box, tile->cols, cell->col),
		        box->y + layout_at(box, tile->rows, cell->row) + side / 2);
		while (joins_next(c, tile, &tile->cells[i]))
			i++;
		fprintf(c->out, "h%.1f", side + box->cell * (tile->cells[i].col - cell->col));
	}
	fputs(n ? "\"/>\n" : "", c->out);
}

/* Of one kind; the pointer finds the line below them. */
static void put_plain_marks(const struct canvas *c, const struct layout_box *box,
                            enum matrix_mark mark)
{
	const struct matrix_tile *tile = box->tile;
	double part = glyph_side(box->cell - 1, CROWD_MIN), edge = (box->cell - 1 - part) / 2;
	double scale = part / 10;
	size_t n = 0;

	for (size_t i = 0; i < tile->num_cells; i++)
		n += tile->cells[i].mark == mark && !is_line_mark(&tile->cells[i]);
	if (!n)
		return;
	fprintf(c->out,
	        "<path class=\"%s\" data-marks=\"%zu\" pointer-events=\"none\" "
	        "transform=\"translate(%.1f %.1f) scale(%.3f)\" d=\"",
	        glyphs[mark].class, n, box->x + edge, box->y + edge, scale);
	for (size_t i = 0; i < tile->num_cells; i++) {
		const struct matrix_cell *cell = &tile->cells[i];

		if (cell->mark == mark && !is_line_mark(cell))
			fprintf(c->out, "M%.1f %.1f%s",
			        layout_at(box, tile->cols, cell->col) / scale,
			        layout_at(box, tile->rows, cell->row) / scale, glyphs[mark].path);
	}
	fputs("\"/>\n", c->out);
}

/* Those without a mark, a path for each shade; the marked ones after them, above. */
static void put_cells(const struct canvas *c, const struct layout_box *box)
{
	const struct matrix_tile *tile = box->tile;
	bool lean = c->lean && !tile->overview, plain = c->plain && lean;

	for (unsigned int shade = 0; lean && shade < SHADES; shade++)
		put_runs(c, box, shade);
	for (int marked = lean; marked < 2; marked++) {
		for (size_t i = 0; i < tile->num_cells; i++) {
			const struct matrix_cell *cell = &tile->cells[i];

			if ((cell->mark != MARK_NONE) != marked)
				continue;
			if (is_line_mark(cell))
				put_line_mark(c, box, cell);
			else if (!plain)
				put_matrix_cell(c, box, cell);
		}
	}
	for (enum matrix_mark mark = MARK_NONE + 1; plain && mark < MARKS; mark++)
		put_plain_marks(c, box, mark);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Names along one side, from the first on; one that is cut is whole as its title. */
static void put_side(const struct canvas *c, const struct layout_box *box,
                     const struct matrix_line *lines, uint32_t n)
{
	char buf[SHORT_TEXT];

	for (uint32_t i = 0; i < n; i++) {
		const char *name = svg_short(lines[i].name, NAME_COLUMNS, buf);

		svgf(c->out, "<text y=\"%.1f\">%s", layout_at(box, lines, i) + box->cell / 2, name);
		if (strcmp(name, lines[i].name) != 0)
			svgf(c->out, "<title>%s</title>", lines[i].name);
		fputs("</text>\n", c->out);
	}
	fputs("</g>\n", c->out);
}

static void put_names(const struct canvas *c, const struct layout_box *box)
{
	const struct matrix_tile *tile = box->tile;
	double font = c->l->font, middle = font * 0.35; /* from the ground of a letter */

	if (font <= 0)
		return;
	fprintf(c->out,
	        "<g class=\"rows\" font-size=\"%.2f\" transform=\"translate(%.1f %.1f)\">\n", font,
	        box->x - LINE_MARK, box->y + middle);
	put_side(c, box, tile->rows, tile->num_rows);
	fprintf(c->out,
	        "<g class=\"cols\" font-size=\"%.2f\" "
	        "transform=\"translate(%.1f %.1f) rotate(-90)\">\n",
	        font, box->x + middle, box->y - LINE_MARK);
	put_side(c, box, tile->cols, tile->num_cols);
}

#define VIEW_EDGE 6 /* pixels around a block that is shown alone, by eye */

static void put_box(const struct canvas *c, const struct layout_box *box)
{
	const struct matrix_tile *tile = box->tile;
	double x = box->x - box->left, y = box->y - box->top;
	char name[SHORT_TEXT], cables[AMOUNT_TEXT];

	svgf(c->out,
	     "<g class=\"tile%s\" data-no=\"%zu\" data-name=\"%s\" data-alike=\"%u\" "
	     "data-view=\"%.0f %.0f %.0f %.0f\" data-at=\"%.1f %.1f\">\n",
	     c->detail ? " detail" : "", (size_t)(tile - c->m->tiles), tile->name, tile->alike,
	     x - VIEW_EDGE, y - VIEW_EDGE, box->width + 2 * VIEW_EDGE, box->height + 2 * VIEW_EDGE,
	     box->x, box->y);
	/* what the pointer finds where no cell says more */
	if (*tile->name)
		svgf(c->out, "<title>%s: %s</title>\n", tile->name,
		     str_amount(cables, tile->cables, "cable"));
	put_string(c, "what", x, y + 12, tile->what);
	if (tile->alike > 1 && !c->detail)
		snprintf(name, sizeof(name), "%u like this", tile->alike);
	else
		svg_short(tile->name, TILE_COLUMNS, name);
	put_string(c, "soft", x, y + 12 + LINE, name);
	put_names(c, box);
	put_cells(c, box);
	fputs("</g>\n", c->out);
}

/* Does it stand in the picture by itself, with its names? */
static bool is_named(const struct layout *l, const struct matrix_tile *tile)
{
	for (size_t i = 0; l->font > 0 && i < l->num_boxes; i++)
		if (l->boxes[i].tile == tile)
			return tile->alike == 1;
	return false;
}

/* How much there is to draw, in cells and in marked ones, decides how. */
static void count_tile(struct canvas *c, const struct matrix_tile *tile, size_t most_marked)
{
	c->cells += tile->num_cells;
	for (size_t i = 0; i < tile->num_cells; i++)
		c->marked += tile->cells[i].mark != MARK_NONE;
	c->plain = c->marked > most_marked;
	c->lean = c->plain || c->cells > CELLS_MAX;
}

/* Blocks that stand nowhere in the picture by themselves and with their names: each as if alone. */
static void put_details(const struct canvas *c)
{
	struct layout_box box;
	struct layout alone;
	struct canvas detail = { .m = c->m, .l = &alone, .out = c->out, .detail = true };

	for (size_t i = 0; i < c->m->num_tiles; i++)
		count_tile(&detail, &c->m->tiles[i], DETAILED_MAX);
	for (size_t i = 0; i < c->m->num_tiles; i++) {
		if (is_named(c->l, &c->m->tiles[i]))
			continue;
		layout_alone(&c->m->tiles[i], &box, &alone);
		put_box(&detail, &box);
	}
}

/* ---- around them ----------------------------------------------------------------------------- */

static void put_legend(const struct canvas *c)
{
	const struct ibc_word *word = ibc_colour_word(c->m->opts.colour);
	double x = MARGIN, y = MARGIN + 8 + LINE;

	put_string(c, "soft", x, y + 9, word->name);
	x += svg_width(word->name, TITLE_FONT) + 10;
	for (unsigned int shade = 0; shade < SHADES; shade++) {
		const char *text = colour_limit_text(c->m->opts.colour, shade);

		fprintf(c->out, "<path class=\"s%u\" d=\"M%.1f %.1fh10v10h-10z\"/>", shade, x, y);
		put_string(c, "soft", x + 14, y + 9, text);
		x += 14 + svg_width(text, TITLE_FONT) + 10;
	}
	x = MARGIN;
	y += LINE + 4;
	for (enum matrix_mark mark = MARKS - 1; mark > MARK_NONE; mark--) {
		put_glyph(c, mark, x, y, 12);
		put_string(c, "soft", x + 14, y + 9, mark_word(mark));
		x += 14 + svg_width(mark_word(mark), TITLE_FONT) + 10;
	}
}

static void put_listed(const struct canvas *c, const struct matrix_tile *tile,
                       const struct matrix_cell *cell, size_t i)
{
	const char *row = row_name(tile, cell), *col = col_name(tile, cell);
	char short_row[SHORT_TEXT], short_col[SHORT_TEXT];

	svgf(c->out, "<text class=\"red\" x=\"%d\" y=\"%.1f\">%s%s%s", MARGIN,
	     c->l->height + (double)(1 + i) * LINE, svg_short(row, NAME_COLUMNS, short_row),
	     *row && *col ? " - " : "", svg_short(col, NAME_COLUMNS, short_col));
	if (*row && *col)
		fprintf(c->out, ", %s", mark_word(cell->mark));
	if (*part_case(&cell->parts[cell->num_parts - 1])) {
		fputs(": ", c->out);
		put_cases(cell, ", ", CASES_LISTED, c->out);
	}
	fputs("</text>\n", c->out);
}

/* Marked cells, those of an overview left out: their blocks have them.  @c: they are listed */
static size_t list_marked(const struct ibc_matrix *m, const struct canvas *c)
{
	size_t n = 0;

	for (size_t i = 0; i < m->num_tiles; i++) {
		const struct matrix_tile *tile = &m->tiles[i];

		for (size_t k = 0; !tile->overview && !tile->skip && k < tile->num_cells; k++) {
			if (!tile->cells[k].mark)
				continue;
			if (c && n < LISTED_MAX)
				put_listed(c, tile, &tile->cells[k], n);
			n++;
		}
	}
	return n;
}

double matrix_list_height(const struct ibc_matrix *m)
{
	size_t n = list_marked(m, NULL);

	return (double)(3 + (n > LISTED_MAX ? LISTED_MAX : n)) * LINE;
}

/* What is marked, by name, and what is not to be seen. */
static void put_list(const struct canvas *c)
{
	size_t n = list_marked(c->m, c);
	double y = c->l->height + (double)(1 + (n > LISTED_MAX ? LISTED_MAX : n)) * LINE;

	fprintf(c->out, "<text class=\"soft\" x=\"%d\" y=\"%.1f\">", MARGIN, y);
	if (n > LISTED_MAX)
		fprintf(c->out, "More cells with marks: %zu. ", n - LISTED_MAX);
	if (c->l->left_out)
		fprintf(c->out, "Blocks that have no room here: %zu, with marks: %zu. ",
		        c->l->left_out, c->l->faults_left_out);
	if (c->m->not_asked)
		fprintf(c->out, "Blocks of other switches: %zu. ", c->m->not_asked);
	if (c->m->events.unseen)
		fprintf(c->out, "Findings about nothing that is drawn here: %zu.",
		        c->m->events.unseen);
	fputs("</text>\n", c->out);
}

int ibc_matrix_svg(const struct ibc_matrix *matrix, FILE *out, struct ibc_error *err)
{
	const struct layout *l = matrix->layout;
	struct canvas c = { .m = matrix, .l = l, .out = out };
	double width = l->width < WIDTH_MIN ? WIDTH_MIN : l->width;
	static const char style[] =
	    ".ibc-matrix text{font-size:11px}\n"
	    ".ibc-matrix .title{font-size:14px}\n"
	    ".ibc-matrix .what{font-weight:bold}\n"
	    ".ibc-matrix .rows text,.ibc-matrix .cols text{font-size:inherit}\n"
	    ".ibc-matrix .rows{text-anchor:end}\n";

	for (size_t i = 0; i < l->num_boxes; i++)
		count_tile(&c, l->boxes[i].tile, MARKED_MAX);
	errno = 0;
	svg_open("ibc-matrix", matrix->title, width, l->height + matrix_list_height(matrix), style,
	         out);
	put_string(&c, "title", MARGIN, MARGIN + 4, matrix->title);
	put_legend(&c);
	for (size_t i = 0; i < l->num_boxes; i++)
		put_box(&c, &l->boxes[i]);
	put_list(&c);
	if (matrix->opts.details)
		put_details(&c);
	svg_close(out);
	return drawing_end(out, err);
}
