/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_MATRIXSVG_H
#define DRAW_MATRIXSVG_H

struct ibc_matrix;

/* Pixels that the list of marked cells takes below the blocks. */
double matrix_list_height(const struct ibc_matrix *m);

#endif
