/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_FATTREE_H
#define CMD_FATTREE_H

#include "cmd.h"

/* fattree_tables.c: levels, rules, bisection; text has the top level first, as one draws it. */
extern const struct ibc_table_type tiers_type, rules_type, bisection_type;
void fattree_tables(struct app *app);

#endif
