/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks stand side by side, as words of a text.  Of the sizes of a cell the largest counts with
 * which they fit; if even small ones do not, those with least to see are left out.
 */
#include "draw/layout.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "draw/paint.h"

#define GAP         26 /* between blocks, by eye */
#define TITLE_LINES 2  /* what it is, and which */

static const double sizes[] = { 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2 };

double layout_at(const struct layout *l, const struct matrix_line *lines, uint32_t i)
{
	return l->cell * (i + 0.5 * lines[i].gaps);
}

static double lines_length(const struct layout *l, const struct matrix_line *lines, uint32_t n)
{
	return n ? layout_at(l, lines, n - 1) + l->cell : 0;
}

/* The longest name, in pixels, and a little space. */
static double names_length(const struct layout *l, const struct matrix_line *lines, uint32_t n)
{
	char buf[SHORT_TEXT];
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		double width = svg_width(svg_short(lines[i].name, NAME_COLUMNS, buf), l->font);

		if (width > most)
			most = width;
	}
	return most + LINE_MARK;
}

static void measure_box(const struct layout *l, struct layout_box *box)
{
	const struct matrix_tile *tile = box->tile;
	char buf[SHORT_TEXT];
	double title = svg_width(tile->what, TITLE_FONT) + 6;
	double name = svg_width(svg_short(tile->name, TILE_COLUMNS, buf), TITLE_FONT);

	box->left = l->font > 0 ? names_length(l, tile->rows, tile->num_rows) : LINE_MARK;
	box->top = TITLE_LINES * LINE + 2 +
	           (l->font > 0 ? names_length(l, tile->cols, tile->num_cols) : LINE_MARK);
	box->width = box->left + lines_length(l, tile->cols, tile->num_cols);
	box->height = box->top + lines_length(l, tile->rows, tile->num_rows);
	if (box->width < title)
		box->width = title;
	if (box->width < name)
		box->width = name;
}

/* How much height it takes, with cells of this size. */
static double flow(struct layout *l, double cell)
{
	double x = MARGIN, y = HEAD, row = 0;

	l->cell = cell;
	l->font = cell < LABEL_MIN ? 0 : cell * 0.75 > TITLE_FONT ? TITLE_FONT : cell * 0.75;
	l->width = 0;
	for (size_t i = 0; i < l->num_boxes; i++) {
		struct layout_box *box = &l->boxes[i];

		measure_box(l, box);
		if (x > MARGIN && x + box->width > PAGE_WIDTH - MARGIN) {
			x = MARGIN;
			y += row + GAP;
			row = 0;
		}
		box->x = x + box->left;
		box->y = y + box->top;
		x += box->width + GAP;
		if (x > l->width)
			l->width = x;
		if (box->height > row)
			row = box->height;
	}
	l->width += MARGIN - GAP;
	l->height = y + row + MARGIN;
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

bool layout_make(const struct ibc_matrix *m, double below, struct layout *l)
{
	*l = (struct layout){ .boxes = arena_array(m->arena, m->num_tiles + 1, sizeof(*l->boxes)) };
	if (!l->boxes)
		return false;
	for (size_t i = 0; i < m->num_tiles; i++)
		if (!m->tiles[i].skip)
			l->boxes[l->num_boxes++].tile = &m->tiles[i];
	while (!fits(l, below) && l->num_boxes > 1) {
		/* many are too many by a share, not by one */
		for (size_t n = 1 + l->num_boxes / 8; n && l->num_boxes > 1; n--)
			leave_out(l);
	}
	return true;
}
