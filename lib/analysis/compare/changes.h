/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What checks need of changes beyond <ibcheck/changes.h>: changes.c. */
#include <ibcheck/changes.h>

#include "analysis/compare/compare.h"

/* The planned cable, one end of it, that found cable i of a case was before. */
const struct ibc_port *cable_before(const struct ibc_comparison *cmp, const struct deviation *d,
                                    size_t i);
/* "4x FDR (54.5 Gb/s)", "EDR": as far as it is known.  Returns text. */
#define RATE_TEXT_MAX 48
char *port_rate_text(const struct ibc_port *port, char *text, size_t size);

/*
 * What a later sweep found may have been there all the time, if the earlier one could
 * not see it: it was cut short, or what leads there did not answer.  That begins at
 * ports of the earlier sweep whose far end was not read, and spreads in the later one
 * over the nodes that the earlier one does not have.  O(nodes + ports).
 *
 * By number of the node in the later sweep; NULL when out of memory.
 */
const bool *unseen_nodes(struct arena *a, const struct ibc_comparison *cmp);
/* Is it nothing but things that the earlier sweep could not see? */
bool is_unseen(const struct ibc_comparison *cmp, const bool *nodes, const struct deviation *d);
