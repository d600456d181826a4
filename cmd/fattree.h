/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_FATTREE_H
#define CMD_FATTREE_H

#include "cmd.h"

/* fattree_tables.c: levels, rules, bisection; text has the top level first, as one draws it. */
void fattree_tables(struct ibc_report *rep, const struct ibc_fattree *tree, bool text);

#endif
