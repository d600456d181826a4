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
 * struct wiring_group - one of them
 * @rank: of its lower switches
 * @sw, @num: by side: switch numbers, ascending
 * @mode: by place among the upper ones: the cables that the rule gives each lower switch to it
 * @outlier: by side and place: it follows no rule, and is no witness
 * @verdict: by side and place: enum wiring_verdict, of one that has fewer cables
 * @like: likewise: the place, and 1, of one of the smaller class it is doubtful in; 0: of the rule
 * @cables: that the rule wants of all that follow it
 * @rule: what groups of this shape do; NULL before it was looked for
 * @evaluated: the rule is strict enough here to blame
 */
struct wiring_group {
	unsigned int rank;
	uint32_t *sw[2], num[2];
	uint16_t *mode;
	bool *outlier[2];
	uint8_t *verdict[2];
	uint32_t *like[2];
	uint32_t cables;
	const struct wiring_rule *rule;
	bool evaluated;
};

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

/* What there is of it is allocated from a, all else from tmp; both have an escape. */
void groups_find(struct arena *a, struct arena *tmp, const struct switches *sw, const uint8_t *rank,
                 unsigned int tiers, struct wiring_groups *out);

/*
 * The group of the next tier that has a switch of each pod beside this one, but none of it;
 * a pod is a group of this tier.  NO_GROUP: there is none, or there are several.
 */
uint32_t group_without(struct arena *tmp, const struct wiring_groups *groups, uint32_t switches,
                       uint32_t pod);
