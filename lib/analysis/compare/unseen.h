/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_UNSEEN_H
#define ANALYSIS_UNSEEN_H

/*
 * What a later sweep found may have been there all the time, if the earlier one could
 * not see it: it was cut short, or what leads there did not answer.  That begins at
 * ports of the earlier sweep whose cable nobody told of, and spreads in the later one
 * over the nodes that the earlier one does not have.  O(nodes + ports).
 */
#include <stdbool.h>

#include "analysis/compare/compare.h"

struct arena;

/* By number of the node in the later sweep; NULL when out of memory. */
const bool *unseen_nodes(struct arena *a, const struct ibc_comparison *cmp);
/* Is it nothing but things that the earlier sweep could not see? */
bool is_unseen(const struct ibc_comparison *cmp, const bool *nodes, const struct deviation *d);

#endif
