/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVG 1.1: a page that any browser shows, without scripts and fonts of its own.  Boxes of a
 * row share its width evenly; red lines have a number, where no other is, and the list
 * below says what they are.
 */
#include <string.h>

#include "base/str.h"
#include "draw/paint.h"
#include "draw/scene.h"

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

/* ---- places ------------------------------------------------------------------------- */

static double widest_box(const struct scene *scene)
{
	double widest = 40;

	for (size_t i = 0; i < scene->num_boxes; i++) {
		const char *const texts[] = { scene->boxes[i].label, scene->boxes[i].detail };

		for (int k = 0; k < 2; k++)
			if (svg_width(texts[k], FONT) > widest)
				widest = svg_width(texts[k], FONT);
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
	svg_text(box->label, p->out);
	fprintf(p->out,
	        "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>"
	        "<text x=\"%.1f\" y=\"%.1f\">",
	        x - p->box_width / 2, y, p->box_width, BOX_HEIGHT, x, y + (*box->detail ? 14 : 20));
	svg_text(box->label, p->out);
	fputs("</text>", p->out);
	if (*box->detail) {
		fprintf(p->out, "<text class=\"detail soft\" x=\"%.1f\" y=\"%.1f\">", x, y + 27);
		svg_text(box->detail, p->out);
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

#define BADGE       8  /* radius of a number, by eye */
#define BADGE_TRIES 15 /* places along a line that one can have */

struct badge {
	double x, y;
};

/* Along its line, 0 .. 1. */
static struct badge badge_at(const struct svg_page *p, const struct scene_mark *mark, double t)
{
	const struct scene_box *a = &p->scene->boxes[mark->from], *z = &p->scene->boxes[mark->to];
	double x = middle_of(p, a), x2 = middle_of(p, z), y = side_of(p, a, z),
	       y2 = side_of(p, z, a);

	if (a->row == z->row) /* of the arch, a parabola */
		return (struct badge){ x + t * (x2 - x), y + 4 * t * (1 - t) * ARCH };
	return (struct badge){ x + t * (x2 - x), y + t * (y2 - y) };
}

static bool is_free(const struct badge *badges, size_t n, const struct badge *at)
{
	for (size_t i = 0; i < n; i++) {
		double dx = badges[i].x - at->x, dy = badges[i].y - at->y;

		if (dx * dx + dy * dy < 4.2 * BADGE * BADGE)
			return false;
	}
	return true;
}

/* From the middle outward, where there is room. */
static struct badge place_badge(const struct svg_page *p, const struct scene_mark *mark,
                                const struct badge *badges, size_t n)
{
	struct badge at = badge_at(p, mark, 0.5);

	for (int i = 1; i < BADGE_TRIES && !is_free(badges, n, &at); i++)
		at = badge_at(p, mark, 0.5 + (i % 2 ? 0.4 : -0.4) * i / BADGE_TRIES);
	return at;
}

/* What a page finds a cable by, as in a matrix. */
static void put_cell_of(const struct svg_page *p, size_t i)
{
	const struct scene_mark *mark = &p->scene->marks[i];
	char guid[STR_GUID_MAX];

	fputs("<g class=\"cell\" data-row=\"", p->out);
	svg_text(p->scene->boxes[mark->from].label, p->out);
	fputs("\" data-col=\"", p->out);
	svg_text(p->scene->boxes[mark->to].label, p->out);
	fprintf(p->out, "\" data-cases=\"%s\" data-cables=\"", mark->cases);
	if (mark->port)
		fprintf(p->out, "%s/%u", str_from_guid(guid, mark->port->node->guid),
		        mark->port->num);
	fprintf(p->out, "\"><title>%zu: ", i + 1);
	svg_text(mark->label, p->out);
	fputs("</title>", p->out);
}

static void put_marks(const struct svg_page *p)
{
	struct badge badges[MARKS_MAX];

	fputs("<g class=\"marks\">\n", p->out);
	for (size_t i = 0; i < p->scene->num_marks; i++) {
		const struct scene_mark *mark = &p->scene->marks[i];

		put_cell_of(p, i);
		put_line(p, mark->from, mark->to);
		fprintf(p->out, " class=\"%s\"/></g>\n", mark->absent ? "mark absent" : "mark");
		badges[i] = place_badge(p, mark, badges, i);
	}
	for (size_t i = 0; i < p->scene->num_marks; i++)
		fprintf(p->out,
		        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/><text x=\"%.1f\" y=\"%.1f\">%zu"
		        "</text>\n",
		        badges[i].x, badges[i].y, BADGE, badges[i].x, badges[i].y + 3.5, i + 1);
	fputs("</g>\n", p->out);
}

static void put_list(const struct svg_page *p)
{
	const struct scene *scene = p->scene;
	double y = p->list;

	for (size_t i = 0; i < scene->num_marks; i++, y += LINE) {
		fprintf(p->out,
		        "<text class=\"list\" x=\"%d\" y=\"%.1f\">%zu</text>"
		        "<text class=\"list\" x=\"%d\" y=\"%.1f\">",
		        LEFT - MARGIN, y, i + 1, LEFT, y);
		svg_text(scene->marks[i].label, p->out);
		fputs(scene->marks[i].absent ? " (absent)</text>\n" : "</text>\n", p->out);
	}
	if (scene->marks_left_out)
		fprintf(p->out, "<text class=\"list\" x=\"%d\" y=\"%.1f\">and %zu more</text>\n",
		        LEFT, y, scene->marks_left_out);
}

static void put_head(const struct svg_page *p)
{
	static const char style[] =
	    ".ibc-tree text{font-size:10px;text-anchor:middle}\n"
	    ".ibc-tree .box rect{stroke:#5b6775;stroke:var(--ibc-soft);fill:#eef1f4;"
	    "fill:var(--ibc-0)}\n"
	    ".ibc-tree .many rect{stroke-width:2}\n"
	    ".ibc-tree .hurt rect{stroke:#c00000;stroke:var(--ibc-fault);stroke-width:2}\n"
	    ".ibc-tree .detail{font-size:9px}\n"
	    ".ibc-tree .cables path{fill:none;stroke:#5b6775;stroke:var(--ibc-soft);"
	    "stroke-opacity:0.35}\n"
	    ".ibc-tree .mark{fill:none;stroke:#c00000;stroke:var(--ibc-fault);stroke-width:2}\n"
	    ".ibc-tree .absent{stroke-dasharray:6 4}\n"
	    ".ibc-tree circle{fill:#fff;fill:var(--ibc-paper);stroke:#c00000;"
	    "stroke:var(--ibc-fault)}\n"
	    ".ibc-tree .marks text,.ibc-tree .list{fill:#c00000;fill:var(--ibc-fault)}\n"
	    ".ibc-tree .list,.ibc-tree .row{text-anchor:start}\n"
	    ".ibc-tree .title{font-size:13px;text-anchor:start}\n";

	svg_open("ibc-tree", p->scene->title, p->width, p->height, style, p->out);
	fprintf(p->out, "<text class=\"title\" x=\"%d\" y=\"%d\">", MARGIN, MARGIN);
	svg_text(p->scene->title, p->out);
	fputs("</text>\n", p->out);
}

static void put_row_names(const struct svg_page *p)
{
	for (unsigned int row = 0; row < p->scene->rows; row++) {
		if (!p->scene->row_size[row] || !*p->scene->row_name[row])
			continue;
		fprintf(p->out, "<text class=\"row soft\" x=\"%d\" y=\"%.1f\">", MARGIN / 2,
		        row_top(p, row) + 20);
		svg_text(p->scene->row_name[row], p->out);
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
	put_marks(&p);
	put_list(&p);
	svg_close(out);
}
