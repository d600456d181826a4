/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include <stdio.h>

#include <ibcheck/error.h>

/* The end of every drawing: 0, or -EIO if anything was not written; errno was 0 before. */
int drawing_end(FILE *out, struct ibc_error *err);

#endif
