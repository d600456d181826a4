/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The matrix before anybody thinks of pixels: blocks of rows and columns, and cells.  What a cell
 * is made of are its parts, the cables of a pair of switches and the findings on them; whether
 * it is of a block, or sums up many for the overview, they are sorted to their cells alike.
 * O(cables log cables).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/draw.h>

#include "analysis/tree/switches.h"
#include "draw/draw.h"

#define SHADES 6 /* 0: not known; then four limits between them */

/* What is wrong with a cable; of several the last is shown. */
enum matrix_mark {
	MARK_NONE,
	MARK_OTHER,
	MARK_CONGESTED,
	MARK_ERRORS,
	MARK_SLOW,
	MARK_SILENT,
	MARK_MISSING,
	MARK_MISPLACED,
	MARKS,
};

/*
 * Rows and columns are called by the number of a switch, or n and more of n switches; in an
 * overview by that of a group, or n of n groups for what is inside of one.
 */
#define ENT_HOSTS(sw)   ((sw)->n)     /* all hosts of a switch */
#define ENT_NOWHERE(sw) ((sw)->n + 1) /* no peer, or one that was not found */
#define ENT_ITSELF(sw)  ((sw)->n + 2) /* the switch, and none of its cables */

/*
 * struct matrix_event - a finding on a cable of a switch
 * @sw: the switch
 * @to: the other end
 * @host: the node there, if it is no switch
 */
struct matrix_event {
	uint32_t sw, to;
	const struct ibc_node *host;
	enum matrix_mark mark;
	const struct ibc_finding *finding;
};

/* struct matrix_events - @unseen: findings on nothing that has a place in the picture */
struct matrix_events {
	struct matrix_event *all;
	size_t n, unseen;
};

/* struct matrix_part - @ports: near ends of cables; @event: or a finding, and no ports */
struct matrix_part {
	uint32_t tile, row, col, num_ports;
	const struct ibc_port *const *ports;
	const struct matrix_event *event;
};

struct matrix_parts {
	struct matrix_part *all;
	size_t n, room;
};

/* struct matrix_value - the worst of all ends of cables; @unknown: ends without a value */
struct matrix_value {
	double worst;
	uint32_t known, unknown;
};

/* struct matrix_cell - @row, @col: AT_LINE: no cell, but a finding on the switch of the other */
#define AT_LINE UINT32_MAX
struct matrix_cell {
	uint32_t row, col, cables;
	enum matrix_mark mark;
	uint8_t shade;
	struct matrix_value value;
	const struct matrix_part *parts;
	size_t num_parts;
};

/* struct matrix_line - a row or a column; @gaps: so many are before it, between groups */
struct matrix_line {
	uint32_t ent, gaps;
	const char *name;
};

/*
 * struct matrix_tile - a block
 * @what: the kind, "leaf to spine"
 * @name: which, "leaf01 .. leaf32"
 * @regular: columns of the group itself, behind that of the hosts if there is one
 * @overview: its cells sum up those of others
 * @rails: of hosts by their adapters
 * @alike: blocks that this one stands for, and @skip: it is shown by another
 * @score: how much there is to see in it
 */
#define SCORE_FAULT 1000 /* of a cell with a mark: more than of shades */
struct matrix_tile {
	const char *what, *name;
	unsigned int rank;
	bool overview, rails, skip, has_hosts;
	struct matrix_line *rows, *cols;
	uint32_t num_rows, num_cols, regular, cables;
	struct matrix_cell *cells; /* by row, then column */
	size_t num_cells;
	uint32_t alike;
	uint64_t score;
};

struct ibc_matrix {
	struct arena *arena;
	const struct ibc_fabric *fab;
	struct ibc_matrix_opts opts;
	const struct switches *sw;
	struct matrix_events events;
	struct matrix_tile *tiles; /* in the order of drawing */
	size_t num_tiles;
	size_t not_asked; /* blocks that are left out because others were asked for */
	const char *title;
	struct layout *layout;
};

/*
 * struct parting - which block a switch is in, as a row and as a column
 * @as_row, @as_col: by switch: number of the group; NO_GROUP
 * @rank: by switch; RANK_NONE for all where there is no tree
 * @part: where rows and columns are the same: by switch, of one block: a gap between parts
 * @order: switches as they are listed; @pos: by switch, where
 */
struct parting {
	uint32_t n;
	uint32_t *as_row, *as_col, *part, *order, *pos;
	uint8_t *rank;
	bool square;
};

/* The arena of a matrix has an escape while these run. */

/* parting.c */
void parting_make(struct arena *a, const struct switches *sw, const struct ibc_fattree *tree,
                  struct parting *out);
/* marks.c: what the findings name */
void matrix_events(struct ibc_matrix *m, const struct ibc_report *rep);
/* tiles.c: blocks, with their rows, columns and cells */
void matrix_tiles(struct ibc_matrix *m, const struct ibc_fattree *tree);
/* rails.c: a block more, of hosts, if most have several rails */
void matrix_rails(struct ibc_matrix *m);
/* cells.c: the id of the case that a part is in, or "" */
const char *part_case(const struct matrix_part *part);
/* A part to the end of a list. */
void parts_add(struct arena *a, struct matrix_parts *parts, const struct matrix_part *part);
/* Parts to cells, which go to their blocks. */
void matrix_cells(struct ibc_matrix *m, struct matrix_tile *tiles, struct matrix_parts *parts);
/* The same file: of blocks that look alike one is shown. */
void matrix_fold(struct ibc_matrix *m);

/* colour.c: the value of a cable's ends, added to that of its cell */
void colour_add(const struct ibc_matrix_opts *opts, const struct ibc_port *port,
                struct matrix_value *value);
/* 0 .. SHADES - 1; @cables: of the cell */
uint8_t colour_shade(enum ibc_colour colour, const struct matrix_value *value, uint32_t cables);
/* What a shade stands for, "2", "10 %"; and the value of a cell, "" if the colour has none. */
const char *colour_limit_text(enum ibc_colour colour, unsigned int shade);
void colour_value_text(enum ibc_colour colour, const struct matrix_value *value, char *buf,
                       size_t size);
#define COLOUR_TEXT 96 /* bytes that a value takes at the most */

const char *mark_word(enum matrix_mark mark);

/* ---- layout.c: where blocks stand, and how large a cell is, so that all fit on a screen ---- */

#define PAGE_WIDTH   1600 /* a screen, less what is around it */
#define PAGE_HEIGHT  1000 /* likewise */
#define MARGIN       20   /* around the picture, by eye, as all of these */
#define HEAD         96   /* title and legend */
#define LINE         16   /* from one line of text to the next */
#define LABEL_MIN    9    /* pixels of a cell that has room for a name beside it */
#define NAME_COLUMNS 22   /* of names beside rows and above columns */
#define TILE_COLUMNS 34   /* of names of blocks */
#define TITLE_FONT   11   /* of theirs, and of all text but the names of rows and columns */
#define LINE_MARK    10   /* between cells and names: room for the mark of a row or column */

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
/* @below: pixels that are needed below the blocks */
void layout_make(const struct ibc_matrix *m, double below, struct layout *out);
/* One block with its names, as large as a screen has room for, and larger if they need it. */
void layout_alone(const struct matrix_tile *tile, struct layout_box *box, struct layout *out);
/* matrixsvg.c: pixels that the list below the blocks takes */
double matrix_list_height(const struct ibc_matrix *m);
