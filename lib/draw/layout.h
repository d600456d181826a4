/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

/* Where the blocks of a matrix stand, and how large a cell is, so that all fit on a screen. */
#include "draw/matrix.h"

#define PAGE_WIDTH   1600 /* a screen, less what is around it */
#define PAGE_HEIGHT  1000 /* likewise */
#define MARGIN       20   /* around the picture, by eye, as all of these */
#define HEAD         96   /* title and legend */
#define LINE         16   /* from one line of text to the next */
#define LABEL_MIN    9    /* pixels of a cell that has room for a name beside it */
#define NAME_COLUMNS 22   /* of names beside rows and above columns */
#define TILE_COLUMNS 34   /* of names of blocks */
#define TITLE_FONT   11   /* of theirs, and of all text but the names of rows and columns */

#define LINE_MARK 10 /* between cells and names: room for the mark of a row or column */

/*
 * struct layout_box
 * @x, @y: of the first cell
 * @width, @height: with names and title; @left, @top: of them before the cells
 * @cell: pixels of a cell, which of an overview are never few
 * @row_name, @col_name: the longest, by the size of the font
 */
struct layout_box {
	const struct matrix_tile *tile;
	double x, y, width, height, left, top, cell, row_name, col_name;
};

/*
 * struct layout
 * @font: of the names of rows and columns, 0: they have no room
 * @left_out: blocks that did not fit, @faults_left_out: with marks in them
 */
struct layout {
	double font, width, height;
	struct layout_box *boxes;
	size_t num_boxes, left_out, faults_left_out;
};

/* Where a line begins, in pixels from the first. */
double layout_at(const struct layout_box *box, const struct matrix_line *lines, uint32_t i);
/* @below: pixels that are needed below the blocks.  From the matrix's arena; false: out of memory.
 */
bool layout_make(const struct ibc_matrix *m, double below, struct layout *out);
/* One block with its names, as large as a screen has room for, and larger if they need it. */
void layout_alone(const struct matrix_tile *tile, struct layout_box *box, struct layout *out);

#endif
