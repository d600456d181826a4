/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_DRAW_H
#define IBCHECK_DRAW_H

#include <stdio.h>

#include <ibcheck/counters.h>
#include <ibcheck/error.h>
#include <ibcheck/fattree.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * DOC: drawings
 *
 * The switches of a fabric with the cables among them, and what the findings name: as a matrix,
 * or for Graphviz as a tree in layers, leaves below.
 */

/**
 * ibc_fattree_dot() - draw an inferred tree in the language of Graphviz
 * @tree: the tree
 * @rep: a finished report on its fabric; only warnings and worse are marked
 * @out: open for writing
 *
 * In a tier of more than 12 switches those that are similar and have no fault are one box.
 *
 * Return: 0, -ENOMEM, -EIO when @out failed.
 */
int ibc_fattree_dot(const struct ibc_fattree *tree, const struct ibc_report *rep, FILE *out,
                    struct ibc_error *err);

/* What the colour of a cell means; the worst of its cables counts. */
enum ibc_colour {
	IBC_COLOUR_FAULTS,      /* how many cables; the marks of what is wrong stand out */
	IBC_COLOUR_ERRORS,      /* error counters, since @before or in their lives */
	IBC_COLOUR_WAIT,        /* share of the time by PortXmitWait, in percent */
	IBC_COLOUR_UTILIZATION, /* share of the data rate, in percent */
	IBC_COLOURS,
};
/* "faults", and what a cell then shows, "cables" */
const struct ibc_word *ibc_colour_word(enum ibc_colour colour);

/**
 * struct ibc_matrix_opts - what a matrix is to show
 * @before: an earlier sweep to compare counters with, or NULL: IBC_COLOUR_WAIT and
 *	IBC_COLOUR_UTILIZATION are then unknown
 * @windows: of the same time, or NULL
 * @places, @num_places: only blocks with these switches, or with those that these hosts are cabled
 *	to, if there are such blocks; by GUID, so they may be of another fabric
 * @details: for a page: a block whose names have no room is there once more, hidden
 */
struct ibc_matrix_opts {
	enum ibc_colour colour;
	const struct ibc_fabric *before;
	const struct ibc_windows *windows;
	const struct ibc_place *places;
	size_t num_places;
	bool details;
};

/**
 * struct ibc_matrix - lower switches down, upper switches across, a cell the cables between them
 *
 * Of a fat-tree one block for each group of switches that share their upper ones, a column
 * for their hosts, and one for each switch beside the group that is cabled all the same.
 * Blocks that are equal and without a fault are one.  Of many, an overview shows in which pods and
 * towards which upper groups the faults are.  Other networks are switches by switches, in
 * groups of those that are cabled most among themselves, or that a plan puts in one pod.
 */
struct ibc_matrix;

/**
 * ibc_matrix_build() - lay out the cells
 * @fab: the fabric
 * @tree: its tree, or NULL: it is no tree then
 * @rep: a finished report on it; warnings and worse are marked, but no consequences of others
 * @out: borrows from all of them; to be freed with ibc_matrix_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_matrix_build(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                     const struct ibc_report *rep, const struct ibc_matrix_opts *opts,
                     struct ibc_matrix **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_matrix_free(struct ibc_matrix *matrix);

/**
 * ibc_matrix_svg() - write it as SVG
 *
 * One element without anything from elsewhere, of 1600 by 1000 pixels at most unless one block
 * alone is larger.  For a page it has
 *
 *	<g class="tile">  a block: data-no, its number; data-name; data-alike, of how many;
 *			  data-view, the viewBox that shows it alone; data-at, its first cell
 *	<g class="tile detail">  with @details: a block of this number as it looks alone, to be
 *			  hidden until it is shown so
 *	<g class="cell">  data-row and data-col (names, in an overview those of blocks), data-cases
 *			  (ids, by spaces), data-cables (near ends, by spaces, as
 *			  "0x0002c90300000010/19"; none in what sums up others)
 *	<g class="line">  a switch that a finding names: data-node, data-cases
 *
 * Above 12,000 cells those of blocks that have no mark are one path of class "run" for each shade,
 * with its meaning as data-what.
 * Colours are the CSS variables --ibc-ink, --ibc-soft, --ibc-paper, --ibc-fault, --ibc-slow and
 * --ibc-0 to --ibc-5 of .ibc-picture.
 *
 * Return: 0, or -EIO.
 */
int ibc_matrix_svg(const struct ibc_matrix *matrix, FILE *out, struct ibc_error *err);

#pragma GCC visibility pop

#endif
