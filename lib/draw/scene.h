/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_SCENE_H
#define DRAW_SCENE_H

/*
 * What is to be seen, before anybody thinks of a format: boxes in rows, the cables between
 * them, and red marks.  A box is a switch, or many that are alike and that no finding
 * names: of a rank with more switches than fit in a row those of one pod, and if there
 * are too many pods all of them.  O(cables + switches).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/draw.h>

struct arena;

#define ROW_MAX    12 /* switches of one row that can be read on a screen */
#define GROUPS_MAX 12 /* the same of boxes that stand for many */
#define MARKS_MAX  64 /* more red lines than these are a red haze */

/*
 * struct scene_box
 * @label, @detail: two lines of text; @detail can be ""
 * @row: from 0, at the bottom
 * @hurt: a finding names it
 * @lone: a switch or host of its own
 * @order: in its row, from 0
 */
struct scene_box {
	const char *label, *detail;
	unsigned int row;
	uint32_t order;
	bool hurt, lone;
};

/* Cables that are as they should be, so many between two boxes. */
struct scene_edge {
	uint32_t from, to, cables;
};

/* A cable that a finding names; @absent: it should be there. */
struct scene_mark {
	uint32_t from, to;
	const char *label;
	bool absent;
	const char *cases;           /* ids, with spaces between */
	const struct ibc_port *port; /* its near end; of an absent one NULL */
};

struct scene {
	struct scene_box *boxes; /* by row, then order */
	size_t num_boxes;
	struct scene_edge *edges; /* by from, then to; from is in the lower row */
	size_t num_edges;
	struct scene_mark *marks;
	size_t num_marks, marks_left_out;
	uint32_t *row_size; /* boxes by row */
	const char **row_name;
	unsigned int rows;
	const char *title;
};

/* Everything is allocated from a.  False: out of memory. */
bool scene_make(struct arena *a, const struct ibc_fattree *tree, const struct ibc_report *rep,
                struct scene *out);

/* dot.c, svg.c */
void draw_dot(const struct scene *scene, FILE *out);
void draw_svg(const struct scene *scene, FILE *out);

#endif
