/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks stand side by side, as words of a text.  Of the sizes of a cell the largest counts with
 * which they fit; if even small ones do not, those with least to see are left out.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "draw/matrix.h"

#define OVERVIEW_CELL 8  /* pixels: marks are as wide, and side by side there */
#define ALONE_CELL    12 /* of one block that no screen has room for: names can be read */
#define GAP           26 /* between blocks, by eye */
#define TITLE_LINES   2  /* what it is, and which */

static const double sizes[] = { 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2 };

double layout_at(const struct layout_box *box, const struct matrix_line *lines, uint32_t i)
{
	return box->cell * (i + 0.5 * lines[i].gaps);
}

static double lines_length(const struct layout_box *box, const struct matrix_line *lines,
                           uint32_t n)
{
	return n ? layout_at(box, lines, n - 1) + box->cell : 0;
}

static double longest_name(const struct matrix_line *lines, uint32_t n)
{
	char buf[SHORT_TEXT];
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		double width = svg_width(svg_short(lines[i].name, NAME_COLUMNS, buf), 1);

		if (width > most)
			most = width;
	}
	return most;
}

static void measure_box(const struct layout *l, double cell, struct layout_box *box)
{
	const struct matrix_tile *tile = box->tile;
	char buf[SHORT_TEXT];
	double title = svg_width(tile->what, TITLE_FONT) + 6;
	double name = svg_width(svg_short(tile->name, TILE_COLUMNS, buf), TITLE_FONT);

	box->cell = cell;
	while (tile->overview && box->cell < OVERVIEW_CELL &&
	       box->cell * tile->num_cols < PAGE_WIDTH / 3 &&
	       box->cell * tile->num_rows < PAGE_HEIGHT / 3)
		box->cell++;
	box->left = l->font * box->row_name + LINE_MARK;
	box->top = TITLE_LINES * LINE + 2 + l->font * box->col_name + LINE_MARK;
	box->width = box->left + lines_length(box, tile->cols, tile->num_cols);
	box->height = box->top + lines_length(box, tile->rows, tile->num_rows);
	if (box->width < title)
		box->width = title;
	if (box->width < name)
		box->width = name;
}

/* struct pen - where the next block goes; beside an overview, as far as that reaches down */
struct pen {
	double x, y, row, beside, until;
};

static void put_down(struct pen *pen, struct layout_box *box, bool first)
{
	if (pen->row > 0 && pen->x + box->width > PAGE_WIDTH - MARGIN) {
		pen->y += pen->row + GAP;
		pen->row = 0;
		pen->x = pen->y < pen->until ? pen->beside : MARGIN;
	}
	box->x = pen->x + box->left;
	box->y = pen->y + box->top;
	pen->x += box->width + GAP;
	if (first && box->tile->overview) {
		pen->beside = pen->x;
		pen->until = pen->y + box->height;
	} else if (box->height > pen->row) {
		pen->row = box->height;
	}
}

/* How much height it takes, with cells of this size. */
static double flow(struct layout *l, double cell)
{
	struct pen pen = { .x = MARGIN, .y = HEAD };

	l->font = cell < LABEL_MIN ? 0 : cell * 0.75 > TITLE_FONT ? TITLE_FONT : cell * 0.75;
	l->width = 0;
	for (size_t i = 0; i < l->num_boxes; i++) {
		measure_box(l, cell, &l->boxes[i]);
		put_down(&pen, &l->boxes[i], i == 0);
		if (pen.x > l->width)
			l->width = pen.x;
	}
	l->width += MARGIN - GAP;
	l->height = pen.y + pen.row + MARGIN;
	if (l->height < pen.until + MARGIN)
		l->height = pen.until + MARGIN;
	return l->height;
}

static bool fits(struct layout *l, double below)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (flow(l, sizes[i]) + below <= PAGE_HEIGHT && l->width <= PAGE_WIDTH)
			return true;
	return false;
}

/* The block with least to see goes, but for the overview; of equals the last. */
static void leave_out(struct layout *l)
{
	size_t least = l->num_boxes - 1;

	for (size_t i = l->num_boxes; i-- > 0;)
		if (!l->boxes[i].tile->overview &&
		    (l->boxes[least].tile->overview ||
		     l->boxes[i].tile->score < l->boxes[least].tile->score))
			least = i;
	l->left_out += l->boxes[least].tile->alike;
	l->faults_left_out += l->boxes[least].tile->score >= SCORE_FAULT;
	l->num_boxes--;
	for (size_t i = least; i < l->num_boxes; i++)
		l->boxes[i] = l->boxes[i + 1];
}

static struct layout_box new_box(const struct matrix_tile *tile)
{
	return (struct layout_box){ .tile = tile,
		                    .row_name = longest_name(tile->rows, tile->num_rows),
		                    .col_name = longest_name(tile->cols, tile->num_cols) };
}

void layout_alone(const struct matrix_tile *tile, struct layout_box *box, struct layout *l)
{
	*box = new_box(tile);
	*l = (struct layout){ .boxes = box, .num_boxes = 1 };
	if (!fits(l, 0) || l->font <= 0)
		flow(l, ALONE_CELL);
}

void layout_make(const struct ibc_matrix *m, double below, struct layout *l)
{
	*l = (struct layout){ .boxes = arena_array(m->arena, m->num_tiles + 1, sizeof(*l->boxes)) };
	for (size_t i = 0; i < m->num_tiles; i++)
		if (!m->tiles[i].skip)
			l->boxes[l->num_boxes++] = new_box(&m->tiles[i]);
	while (!fits(l, below) && l->num_boxes > 1) {
		/* many are too many by a share, not by one */
		for (size_t n = 1 + l->num_boxes / 16; n && l->num_boxes > 1; n--)
			leave_out(l);
	}
}
