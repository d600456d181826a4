/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_DRAW_H
#define IBCHECK_DRAW_H

#include <stdio.h>

#include <ibcheck/error.h>
#include <ibcheck/fattree.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * DOC: drawings
 *
 * The switches of a fabric in layers, leaves below, with the cables among them.  What a
 * finding names stands out in red; where there is too much to see, what is alike and
 * whole shows as one box.
 */

/**
 * ibc_fattree_draw() - draw an inferred tree
 * @tree: the tree
 * @rep: a finished report on its fabric; only warnings and worse are marked
 * @format: "dot" or "svg"
 * @out: open for writing
 *
 * Return: 0, -EINVAL for an unknown format, -ENOMEM, -EIO when @out failed.
 */
int ibc_fattree_draw(const struct ibc_fattree *tree, const struct ibc_report *rep,
                     const char *format, FILE *out, struct ibc_error *err);

#pragma GCC visibility pop

#endif
