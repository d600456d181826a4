/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_FATTREE_H
#define IBCHECK_FATTREE_H

#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/topo.h>

#pragma GCC visibility push(default)

/**
 * DOC: the tree that was meant
 *
 * Without a plan, what most of the like switches do is what was meant.  An inference
 * has the ranks of the switches, the rule of their wiring with its support, what
 * breaks it, and what that costs.
 */
struct ibc_fattree;
struct ibc_trace;

/* What the switches form.  Only of a fat-tree anything is blamed. */
enum ibc_family {
	IBC_FAMILY_NONE,     /* no switches, or no regularity that is known */
	IBC_FAMILY_FAT_TREE, /* two, three or four levels, also oversubscribed or pruned */
	IBC_FAMILY_SINGLE,   /* one switch */
	IBC_FAMILY_BACK_TO_BACK,
	IBC_FAMILY_TORUS,     /* rings and hypercubes too */
	IBC_FAMILY_DRAGONFLY, /* dragonflies+ too */
	IBC_FAMILY_MESH,      /* every switch to every other */
	IBC_FAMILY_HYPERX,    /* every switch to every other of each of its lines */
	IBC_FAMILY_RAILS,     /* switches without cables to each other, hosts on several */
};
const struct ibc_word *ibc_family_word(enum ibc_family family);

/**
 * ibc_fattree_infer() - infer the tree
 * @fab: the fabric
 * @trace: where to write what decides, or NULL
 * @out: borrows from @fab; to be freed with ibc_fattree_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_fattree_infer(const struct ibc_fabric *fab, const struct ibc_trace *trace,
                      struct ibc_fattree **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_fattree_free(struct ibc_fattree *tree);

enum ibc_family ibc_fattree_family(const struct ibc_fattree *tree);
/* What the family was read from: "36 leaf, 18 spine switches". */
const char *ibc_fattree_why(const struct ibc_fattree *tree);
/* Rank of a switch, from 0 at the leaves; -1 if it has none, or is no switch. */
int ibc_fattree_rank(const struct ibc_fattree *tree, const struct ibc_node *node);

/**
 * struct ibc_tier - the figures of one rank, over all trees of the fabric
 * @name: what its switches are called: "leaf", "spine", "core"
 * @switches, @hosts: of this rank; hosts cabled to them
 * @up_cables, @down_cables: to the next rank, and to the one below or to hosts
 * @up_gbps, @down_gbps: their data rates, each direction
 * @intended_up_cables, @intended_up_gbps: what the rule wants
 * @oversubscription: down_gbps / up_gbps; 0 at the top
 * @faults: cases that are held against the cables upward
 * @cut_gbps, @intended_cut_gbps: what can pass between two halves of the hosts over the
 *	narrowest cut above this rank, see struct ibc_bisection; 0 at the top
 */
struct ibc_tier {
	const char *name;
	unsigned int rank;
	size_t switches, hosts;
	size_t up_cables, down_cables, intended_up_cables;
	double up_gbps, down_gbps, intended_up_gbps;
	double oversubscription;
	double cut_gbps, intended_cut_gbps;
	size_t faults;
};
/* From the leaves up; NULL past the top. */
const struct ibc_tier *ibc_fattree_tier(const struct ibc_fattree *tree, size_t i);

/**
 * struct ibc_tree_rule - what lower switches of one rank do, in groups of one shape
 * @lower, @upper: what the switches of the rank, and of the next, are called
 * @groups, @lower_switches, @upper_switches: how many; switches of a group at the most
 * @uplinks, @cables: of a lower switch in all, and to each upper one; @cables 0: it differs
 * @conform, @evaluated: lower switches that keep it wholly, of so many
 * @support: share of the cables that keep it, 0 .. 1
 * @holds: it is strict enough to blame
 */
struct ibc_tree_rule {
	unsigned int rank;
	const char *lower, *upper;
	size_t groups, lower_switches, upper_switches;
	unsigned int uplinks, cables;
	size_t conform, evaluated;
	double support;
	bool holds;
};
/* From the leaves up; false past the last one. */
bool ibc_fattree_rule(const struct ibc_fattree *tree, size_t i, struct ibc_tree_rule *out);

/**
 * struct ibc_bisection - what can pass between two halves of the hosts, one direction
 * @now_gbps, @intended_gbps: with the cables there are; with those the rule wants
 * @cut: where it is narrowest, a few words; NULL: there is nothing to cut
 *
 * A cut puts every switch on one of two sides, with half of the hosts each, and its
 * capacity is the sum of the cables between them, as fast as they run.  Cuts of the tree
 * leave whole what hangs together below a rank (leaves, pods) and above it; there is one
 * for each rank, and one through the hosts' own links.  Of each the halves are those
 * poorest in cables upward, with the damaged ones on the sides that make it narrowest.
 * Trees side by side, as rails are, add up.
 */
struct ibc_bisection {
	double now_gbps, intended_gbps;
	const char *cut;
};
struct ibc_bisection ibc_fattree_bisection(const struct ibc_fattree *tree);

/* Walk what to do about all that is blamed, as ibc_comparison_step() does of a plan. */
const struct ibc_step *ibc_fattree_step(const struct ibc_fattree *tree, size_t i);

#pragma GCC visibility pop

#endif
