/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVG 1.1: a page that any browser shows, without scripts and fonts of its own.  Boxes of a
 * row share its width evenly; red lines carry their labels, at other heights each, and
 * once more in a list below.
 */
#include <string.h>

#include "draw/scene.h"

#define CHARACTER  6.2 /* width of one, of FONT size */
#define FONT       10  /* size of text; by eye */
#define BOX_HEIGHT 34  /* two lines of text; by eye, as all of these */
#define BOX_GAP    8   /* between boxes of a row */
#define ROW_GAP    190 /* room for cables to cross at readable angles; by eye */
#define ARCH       40  /* how deep a cable hangs that joins two of a row */
#define MARGIN     24  /* around the picture */
#define LINE       16  /* from one line of text to the next */
#define LEFT       70  /* where the names of the rows stand */

struct svg_page {
	const struct scene *scene;
	FILE *out;
	double width, height, box_width;
	double list; /* where the list of marks begins */
};

static void put_text(const char *text, FILE *out)
{
	static const char special[] = "&<>\"";
	static const char *const escaped[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	for (; *text; text++) {
		const char *at = strchr(special, *text);

		if (at)
			fputs(escaped[at - special], out);
		else
			fputc(*text, out);
	}
}

/* ---- places ------------------------------------------------------------------------- */

/* Bytes are more than characters, at the most. */
static double text_width(const char *text)
{
	return (double)strlen(text) * CHARACTER;
}

static double widest_box(const struct scene *scene)
{
	double widest = 40;

	for (size_t i = 0; i < scene->num_boxes; i++) {
		const char *const texts[] = { scene->boxes[i].label, scene->boxes[i].detail };

		for (int k = 0; k < 2; k++)
			if (text_width(texts[k]) > widest)
				widest = text_width(texts[k]);
	}
	return widest + BOX_GAP;
}

static unsigned int rows_below(const struct scene *scene, unsigned int row)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < row; i++)
		n += scene->row_size[i] > 0;
	return n;
}

static double row_top(const struct svg_page *p, unsigned int row)
{
	unsigned int above = rows_below(p->scene, p->scene->rows) - rows_below(p->scene, row + 1);

	return MARGIN + 2 * LINE + above * (double)ROW_GAP;
}

static double middle_of(const struct svg_page *p, const struct scene_box *box)
{
	double step = (p->width - LEFT - MARGIN) / p->scene->row_size[box->row];

	return LEFT + step * (box->order + 0.5);
}

/* Lines leave a box at the side that faces the other end; in one row they arch. */
static double side_of(const struct svg_page *p, const struct scene_box *box,
                      const struct scene_box *to)
{
	return row_top(p, box->row) + (to->row > box->row ? 0 : BOX_HEIGHT);
}

/* Does anything hang below the boxes of a row? */
static bool any_arch(const struct scene *scene)
{
	for (size_t i = 0; i < scene->num_edges; i++)
		if (scene->boxes[scene->edges[i].from].row == scene->boxes[scene->edges[i].to].row)
			return true;
	for (size_t i = 0; i < scene->num_marks; i++)
		if (scene->boxes[scene->marks[i].from].row == scene->boxes[scene->marks[i].to].row)
			return true;
	return false;
}

static struct svg_page page_of(const struct scene *scene, FILE *out)
{
	struct svg_page p = { .scene = scene, .out = out, .box_width = widest_box(scene) };
	unsigned int rows = rows_below(scene, scene->rows);
	uint32_t most = 1;

	for (unsigned int row = 0; row < scene->rows; row++)
		if (scene->row_size[row] > most)
			most = scene->row_size[row];
	p.width = LEFT + MARGIN + most * (p.box_width + BOX_GAP);
	if (p.width < 720)
		p.width = 720;
	p.list = MARGIN + 4 * LINE + (rows ? rows - 1 : 0) * (double)ROW_GAP + BOX_HEIGHT +
	         (any_arch(scene) ? ARCH : 0);
	p.height = p.list + MARGIN +
	           (double)(scene->num_marks + (scene->marks_left_out > 0)) * LINE;
	return p;
}

/* ---- shapes --------------------------------------------------------------------------- */

static void put_box(const struct svg_page *p, const struct scene_box *box)
{
	double x = middle_of(p, box), y = row_top(p, box->row);

	fprintf(p->out, "<g class=\"%s\"><title>",
	        box->hurt   ? "box hurt"
	        : box->lone ? "box"
	                    : "box many");
	put_text(box->label, p->out);
	fprintf(p->out,
	        "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>"
	        "<text x=\"%.1f\" y=\"%.1f\">",
	        x - p->box_width / 2, y, p->box_width, BOX_HEIGHT, x, y + (*box->detail ? 14 : 20));
	put_text(box->label, p->out);
	fputs("</text>", p->out);
	if (*box->detail) {
		fprintf(p->out, "<text class=\"detail\" x=\"%.1f\" y=\"%.1f\">", x, y + 27);
		put_text(box->detail, p->out);
		fputs("</text>", p->out);
	}
	fputs("</g>\n", p->out);
}

static void put_line(const struct svg_page *p, uint32_t from, uint32_t to)
{
	const struct scene_box *a = &p->scene->boxes[from], *z = &p->scene->boxes[to];
	double x = middle_of(p, a), y = side_of(p, a, z), x2 = middle_of(p, z),
	       y2 = side_of(p, z, a);

	if (a->row == z->row) /* below the row: its cables to the next one are above */
		fprintf(p->out, "<path d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\"", x, y, (x + x2) / 2,
		        y + 2 * ARCH, x2, y2);
	else
		fprintf(p->out, "<path d=\"M%.1f %.1f L%.1f %.1f\"", x, y, x2, y2);
}

/* 1 for one cable, thicker for more, but never a bar. */
static double line_thickness(uint32_t cables)
{
	double width = 1;

	for (; cables > 1 && width < 5; cables /= 2)
		width += 0.5;
	return width;
}

static void put_edges(const struct svg_page *p)
{
	fputs("<g class=\"cables\">\n", p->out);
	for (size_t i = 0; i < p->scene->num_edges; i++) {
		const struct scene_edge *edge = &p->scene->edges[i];

		put_line(p, edge->from, edge->to);
		fprintf(p->out, " stroke-width=\"%.1f\"/>\n", line_thickness(edge->cables));
	}
	fputs("</g>\n", p->out);
}

#define LABEL_PLACES 5 /* heights along a line, so that labels of neighbours miss each other */

static void put_mark(const struct svg_page *p, size_t i)
{
	const struct scene_mark *mark = &p->scene->marks[i];
	const struct scene_box *a = &p->scene->boxes[mark->from], *z = &p->scene->boxes[mark->to];
	double t = 0.2 + 0.6 * (double)(i % LABEL_PLACES) / (LABEL_PLACES - 1);
	double x = middle_of(p, a), y = side_of(p, a, z);

	if (a->row == z->row)
		y += ARCH;
	put_line(p, mark->from, mark->to);
	fprintf(p->out, " class=\"%s\"/>\n<text x=\"%.1f\" y=\"%.1f\">",
	        mark->absent ? "mark absent" : "mark", x + t * (middle_of(p, z) - x),
	        y + (a->row == z->row ? 0 : t * (side_of(p, z, a) - y)));
	put_text(mark->label, p->out);
	fputs("</text>\n", p->out);
}

static void put_list(const struct svg_page *p)
{
	const struct scene *scene = p->scene;
	double y = p->list;

	for (size_t i = 0; i < scene->num_marks; i++, y += LINE) {
		fprintf(p->out, "<text class=\"list\" x=\"%d\" y=\"%.1f\">", LEFT, y);
		put_text(scene->marks[i].label, p->out);
		fputs(scene->marks[i].absent ? " (absent)</text>\n" : "</text>\n", p->out);
	}
	if (scene->marks_left_out)
		fprintf(p->out, "<text class=\"list\" x=\"%d\" y=\"%.1f\">and %zu more</text>\n",
		        LEFT, y, scene->marks_left_out);
}

static void put_head(const struct svg_page *p)
{
	fprintf(p->out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
	        "viewBox=\"0 0 %.0f %.0f\">\n<style>\n"
	        "text { font: %dpx sans-serif; text-anchor: middle }\n"
	        ".box rect { fill: #f2f5f9; stroke: #55606e }\n"
	        ".many rect { fill: #e1e7ef; stroke-width: 2 }\n"
	        ".hurt rect { fill: #fff0f0; stroke: #c00000; stroke-width: 2 }\n"
	        ".detail { fill: #55606e; font-size: 9px }\n"
	        ".cables path { fill: none; stroke: #9aa5b1; stroke-opacity: 0.45 }\n"
	        ".mark { fill: none; stroke: #c00000; stroke-width: 2 }\n"
	        ".absent { stroke-dasharray: 6 4 }\n"
	        ".marks text { fill: #c00000; stroke: #fff; stroke-width: 3px; "
	        "paint-order: stroke }\n"
	        ".list { fill: #c00000; text-anchor: start }\n"
	        ".row { fill: #55606e; text-anchor: start }\n"
	        ".title { font-size: 13px; text-anchor: start }\n"
	        "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
	        "<text class=\"title\" x=\"%d\" y=\"%d\">",
	        p->width, p->height, p->width, p->height, FONT, MARGIN, MARGIN);
	put_text(p->scene->title, p->out);
	fputs("</text>\n", p->out);
}

static void put_row_names(const struct svg_page *p)
{
	for (unsigned int row = 0; row < p->scene->rows; row++) {
		if (!p->scene->row_size[row] || !*p->scene->row_name[row])
			continue;
		fprintf(p->out, "<text class=\"row\" x=\"%d\" y=\"%.1f\">", MARGIN / 2,
		        row_top(p, row) + 20);
		put_text(p->scene->row_name[row], p->out);
		fputs("</text>\n", p->out);
	}
}

void draw_svg(const struct scene *scene, FILE *out)
{
	const struct svg_page p = page_of(scene, out);

	put_head(&p);
	put_edges(&p);
	put_row_names(&p);
	for (size_t i = 0; i < scene->num_boxes; i++)
		put_box(&p, &scene->boxes[i]);
	fputs("<g class=\"marks\">\n", out);
	for (size_t i = 0; i < scene->num_marks; i++)
		put_mark(&p, i);
	fputs("</g>\n", out);
	put_list(&p);
	fputs("</svg>\n", out);
}
