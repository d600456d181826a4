/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From cells to cases: drafts.c makes one, cases.c, plugs.c, missing.c, upper.c and irregular.c
 * find them, in the order of cases.c.
 */
#include "analysis/tree/cells.h"

/*
 * struct draft - what a case is made of
 * @strays: cables between no neighbouring ranks
 * @extra, @missing: cells
 * @host, @leaf: a port of a host that is elsewhere, and the one it belongs on; or NULL
 */
struct draft {
	enum wiring_kind kind;
	const struct ibc_port *strays[2];
	const uint32_t *extra, *missing;
	uint32_t num_extra, num_missing, num_strays;
	const struct ibc_port *host, *leaf;
};

/* Uses up its cells, of which it has one, or a stray; with jacks and moves.  Blamed. */
void case_add(struct cells *c, const struct draft *draft);

/*
 * Where a missing cable belongs, by the ports of the group: a port that is free, or that
 * holds one of found; 0: not known.  See struct wiring_gap.
 */
struct wiring_gap gap_of(const struct cells *c, const struct cell *missing,
                         const struct ibc_port *const *found, size_t num_found);

/* Plugs that are exchanged with one of another tier, or of a host. */
void cases_of_plugs(struct cells *c);

/* Cables that are missing, with no other in their place. */
void cases_of_missing(struct cells *c);

/* Upper switches that other groups have; hosts on upper switches. */
void cases_of_absent(struct cells *c);
void cases_of_hosts(const struct cells *c);

/* Do few hosts, on few switches of its rank, show that those of an upper one are a mistake? */
bool is_host_astray(const struct cells *c, uint32_t s);
bool hosts_are_few(const struct ibc_fattree *tree, unsigned int rank);

/* What is left, for information. */
void cases_of_irregular(struct cells *c);
