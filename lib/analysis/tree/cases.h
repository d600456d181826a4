/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_CASES_H
#define ANALYSIS_CASES_H

/*
 * From cells to cases: drafts.c makes one, rings.c, strays.c, missing.c, upper.c and
 * irregular.c find them, in the order of cases.c.  What returns bool: false, out of memory.
 */
#include "analysis/tree/cells.h"

/*
 * struct draft - what a case is made of
 * @stray: a cable between no neighbouring ranks, or NULL
 * @extra, @missing: cells
 */
struct draft {
	enum wiring_kind kind;
	const struct ibc_port *stray;
	const uint32_t *extra, *missing;
	uint32_t num_extra, num_missing;
};

/* Uses up its cells; with jacks and moves.  Blamed. */
bool case_add(struct cells *c, const struct draft *draft);

/*
 * Where a missing cable belongs, by the ports of the group: a port that is free, or that
 * holds one of found; 0: nothing tells.  See struct wiring_gap.
 */
struct wiring_gap gap_of(const struct cells *c, const struct cell *missing,
                         const struct ibc_port *const *found, size_t num_found);

/*
 * Exchanges: extra, missing, extra, ... in a ring, each next to the last in a row or a
 * column, the shortest first.  Strictly: only along ports that say so.
 */
bool cases_of_rings(struct cells *c, bool strictly);

/* Cables that join no neighbouring ranks, and the missing ones that their ports belong to. */
bool cases_of_strays(struct cells *c, bool by_ports);

/* What is missing and nothing explains. */
bool cases_of_missing(struct cells *c);

/* Upper switches that other groups have; hosts on upper switches. */
bool cases_of_absent(struct cells *c);
bool cases_of_hosts(struct ibc_fattree *tree);

/* What is left, for information. */
bool cases_of_irregular(struct cells *c);

#endif
