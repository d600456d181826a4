/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From cells to cases: drafts.c makes one, cases.c, missing.c, upper.c and irregular.c find
 * them, in the order of cases.c.
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
void case_add(struct cells *c, const struct draft *draft);

/*
 * Where a missing cable belongs, by the ports of the group: a port that is free, or that
 * holds one of found; 0: not known.  See struct wiring_gap.
 */
struct wiring_gap gap_of(const struct cells *c, const struct cell *missing,
                         const struct ibc_port *const *found, size_t num_found);

/* Cables that are missing, with no other in their place. */
void cases_of_missing(struct cells *c);

/* Upper switches that other groups have; hosts on upper switches. */
void cases_of_absent(struct cells *c);
void cases_of_hosts(struct ibc_fattree *tree);

/* What is left, for information. */
void cases_of_irregular(struct cells *c);
