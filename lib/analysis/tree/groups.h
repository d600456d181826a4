/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Groups of lower switches that share their upper ones, in each tier (from a rank to the
 * next): a pod of leaves with its spines, the spines of one place in all pods with their
 * cores, a rail, the line chips of a director with its spine chips.  O(sum of squared
 * degrees).
 */
#include "analysis/tree/switches.h"

#define NO_GROUP UINT32_MAX

struct wiring_rule;

enum { LOWER, UPPER }; /* sides of a group, ends of a cable in it */

/*
 * What a switch is that has fewer cables than those like it: of another design, which can be seen;
 * damaged, since what it has left is where theirs is; or one of the two (doc/wiring.md, part B).
 */
enum wiring_verdict { VERDICT_NONE, VERDICT_DIFFERENT, VERDICT_DAMAGED, VERDICT_DOUBTFUL };

/*
 * struct wiring_class - lower switches of a group that are meant to be alike
 * @mode: by place among the upper ones: the cables that the rule gives each of them to it
 * @num: how many keep to it, all in all
 * @cables: that the rule wants of all that follow it
 * @rule: what the classes of this shape do; NULL before it was looked for
 */
struct wiring_class {
	uint16_t *mode;
	uint32_t num, cables;
	const struct wiring_rule *rule;
};

/*
 * struct wiring_group - one of them
 * @rank: of its lower switches
 * @sw, @num: by side: switch numbers, ascending
 * @class, @num_classes: the first is that of most; it is the only one in most groups
 * @class_of: by place of a lower one
 * @rule: of the first class
 * @outlier: by side and place: it follows no rule, and is no witness
 * @verdict: by side and place: enum wiring_verdict, of one that has fewer cables
 * @evaluated: its rules are strict enough to blame
 */
struct wiring_group {
	unsigned int rank;
	uint32_t *sw[2], num[2];
	struct wiring_class *class;
	uint32_t num_classes, *class_of;
	const struct wiring_rule *rule;
	bool *outlier[2];
	uint8_t *verdict[2];
	bool evaluated;
};

/* What is wanted of a lower switch, by place of the upper ones. */
static inline const uint16_t *modes_of(const struct wiring_group *g, uint32_t lower)
{
	return g->class[g->class_of[lower]].mode;
}

/*
 * struct wiring_groups - by rank, then by the number of their first lower switch
 * @of: by side and switch: the group in which it is a lower, or an upper one; NO_GROUP
 * @place: by side and switch: its place there
 */
struct wiring_groups {
	struct wiring_group *all;
	size_t n;
	uint32_t *of[2], *place[2];
};

/* The class of a lower switch that is in a group. */
static inline const struct wiring_class *class_of_lower(const struct wiring_groups *groups,
                                                        uint32_t s)
{
	const struct wiring_group *g = &groups->all[groups->of[LOWER][s]];

	return &g->class[g->class_of[groups->place[LOWER][s]]];
}

/* What there is of it is allocated from a, all else from tmp; both have an escape. */
void groups_find(struct arena *a, struct arena *tmp, const struct switches *sw, const uint8_t *rank,
                 unsigned int tiers, struct wiring_groups *out);

/*
 * The group of the next tier that has a switch of each pod beside this one, but none of it;
 * a pod is a group of this tier.  NO_GROUP: there is none, or there are several.
 */
uint32_t group_without(struct arena *tmp, const struct wiring_groups *groups, uint32_t switches,
                       uint32_t pod);
