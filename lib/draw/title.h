/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_TITLE_H
#define DRAW_TITLE_H

#include <ibcheck/fabric.h>

struct arena;

/* "54 switches, 648 hosts, 1296 cables"; NULL: out of memory. */
const char *drawing_title(struct arena *a, const struct ibc_fabric *fab);

#endif
