/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The insides of an inference, for the checks, the figures and the drawings.  doc/wiring.md
 * draws the matrix and has all steps and thresholds.
 *
 * Ranks by clusters of like switches, groups of lower switches that share their upper
 * ones, in each group the rule by majority, and from the cells that deviate the cases.
 * Connectivity decides whether something is blamed; ports only show which cable and
 * which jack.
 */
#include <ibcheck/fattree.h>
#include <ibcheck/topo.h>

#include "analysis/compare/repair.h"
#include "analysis/rails/planes.h"
#include "analysis/tree/groups.h"
#include "analysis/tree/rank.h"
#include "analysis/tree/switches.h"
#include "base/trace.h"

/*
 * struct wiring_rule - what the groups of one shape do
 * @lower_rank: from this rank to the next
 * @groups, @lower, @upper: how many of them, and switches in each at the most
 * @cables: that a lower switch has to each upper one; 0: it differs by the upper one
 * @uplinks: of a lower switch in all
 * @conform, @evaluated: lower switches that keep the rule wholly, of so many
 * @support: share of cables that keep it, over all groups of the shape
 * @holds: it is strict enough to blame
 */
struct wiring_rule {
	unsigned int lower_rank;
	size_t groups, lower, upper;
	unsigned int cables, uplinks;
	size_t conform, evaluated;
	double support;
	bool holds;
};

enum wiring_kind {
	WIRING_SAME_RANK,  /* fattree.same-rank-link */
	WIRING_MISSING,    /* fattree.missing-uplink */
	WIRING_UNEVEN,     /* fattree.uneven-uplinks: doubled here, absent there */
	WIRING_SWAPPED,    /* fattree.swapped: k cables exchanged */
	WIRING_PORTS,      /* fattree.port-pattern */
	WIRING_NO_SPINE,   /* fattree.missing-spine */
	WIRING_NO_LEAF,    /* fattree.missing-leaf */
	WIRING_HOST_UP,    /* fattree.host-on-spine */
	WIRING_SLOW,       /* fattree.slow-trunk */
	WIRING_RAIL,       /* fattree.rail */
	WIRING_RAIL_PARTS, /* fattree.rail-parts: of a rail, the leaves of its smaller parts */
	WIRING_RAIL_HOST,  /* fattree.rail-host: an adapter of the host that lacks a rail */
	WIRING_PLANE,      /* fattree.plane: see struct wiring_case.siblings */
	WIRING_IRREGULAR,  /* shown, never blamed: a switch, or a shape, that follows no rule */
};

/*
 * struct wiring_jack - where a cable should be
 * @port: 0: not known
 */
struct wiring_jack {
	const struct ibc_node *node;
	unsigned int port;
};

/* struct wiring_gap - a cable that the rule wants and that is missing; of an absent spine one end
 */
struct wiring_gap {
	struct wiring_jack lower, upper;
};

/*
 * struct wiring_gate - whether a deviation may be blamed, and what decided it
 * @row, @column: share of what is wanted of the lower, of the upper switch that is in order;
 *		  below 0: it was not asked for
 * @rule: support of the shape, less what cases have explained
 * @word: which condition (doc/wiring.md, table 5, parts D and F); NULL: none was asked
 */
struct wiring_gate {
	double row, column, rule;
	const char *word;
};

/*
 * struct wiring_case - one cause
 * @blamed: false: it is shown for information
 * @found: cables that are where they should not be (or are slow), one end each
 * @slow: of those that are where they should not be, the ones that are slow as well
 * @tied: cables any of which might be the wrong one as well as those of @found
 * @gaps: cables the rule wants here
 * @siblings: what other planes have in the place of the first gap
 * @nodes: what else it is about: the switches that follow no rule, those below a spine that
 *	   is not there, adapters of a rail
 * @rule: what it breaks, or NULL
 * @steps: moves that restore the symmetry, nodes numbered as in ibc_fabric_node()
 * @first_step: of ibc_fattree.steps, where its moves begin
 * @gbps_lost: what it takes from the links between the two ranks
 * @why: a sentence without a full stop; NULL: none, of an irregular one that its cables deviate
 * @name: of a leaf switch that is not there, by those beside it
 * @gate: of its first link that had to pass one
 * @doubtful: one switch lacks so many, or is of another design: a warning
 * @unread: it may be in order, and was not seen
 * @lacking: adapters that a host lacks
 */
struct wiring_case {
	enum wiring_kind kind;
	bool blamed;
	const struct ibc_port **found, **tied, **slow, **siblings;
	struct wiring_gap *gaps;
	const struct ibc_node **nodes;
	size_t num_found, num_tied, num_slow, num_siblings, num_gaps, num_nodes;
	const struct wiring_rule *rule;
	const struct repair_step *steps;
	size_t num_steps, first_step;
	double gbps_lost;
	const char *why, *name;
	struct wiring_gate gate;
	bool doubtful, unread;
	uint32_t lacking;
};

/*
 * struct ibc_fattree - the whole
 * @tmp: of the inference, freed when that is done
 * @rank: by switch number; RANK_NONE
 * @tiers: how many ranks there are
 * @uplinks_gone: by switch number: cables upward that its rule wants and it lacks, in all cases
 * @groups: of the tiers; of[LOWER] is the pod of a switch
 * @why: what the family was read from, one sentence without a full stop
 */
struct ibc_fattree {
	struct arena *arena, *tmp;
	const struct ibc_fabric *fab;
	const struct ibc_trace *trace;
	struct switches switches;
	struct planes planes;
	enum ibc_family family;
	const char *why;
	uint8_t *rank;
	unsigned int tiers;
	uint32_t *uplinks_gone;
	struct wiring_groups groups;
	struct wiring_rule *rules;
	size_t num_rules;
	struct wiring_case *cases; /* by kind, then by GUID and port */
	size_t num_cases, cases_room;
	struct ibc_step *steps; /* of all cases */
	size_t num_steps;
	const struct speeds *speeds; /* of the cables; see speeds.h */
	struct ibc_tier *tier;       /* @tiers of them */
	struct ibc_bisection bisection;
};

/*
 * The steps of an inference, in the order of fattree.c; each fills in its part of the tree.
 * Out of memory they leave by the escape of the arenas: family.c, rule.c, cases.c, slow.c,
 * rails.c, planecases.c, irregular.c, cuts.c
 */
void wiring_family(struct ibc_fattree *tree);
void wiring_rules(struct ibc_fattree *tree);
void wiring_cases(struct ibc_fattree *tree);
void wiring_slow(struct ibc_fattree *tree);
void wiring_rails(struct ibc_fattree *tree);
void wiring_planes(struct ibc_fattree *tree);
void wiring_loops(struct ibc_fattree *tree);
void wiring_cuts(struct ibc_fattree *tree);

/* What the switches of a rank are called: "leaf", "spine", "core". */
const char *rank_name(unsigned int rank, unsigned int tiers);

/* wiring.c: a new case, about a node or NULL, all else zero; valid until the next one is added. */
struct wiring_case *wiring_add(struct ibc_fattree *tree, enum wiring_kind kind, bool blamed,
                               const struct ibc_node *about);
/* wiring.c: the case that blames a cable; NULL: there is none. */
struct wiring_case *wiring_blamed(const struct ibc_fattree *tree, const struct ibc_port *cable);
