/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What deviates and is not blamed: one line a switch, or a shape, never one a
 * cable.  Service leaves, half-cabled spines, cables between like switches by design, ports
 * out of order.
 */
#include "analysis/tree/cases.h"
#include "analysis/tree/overlap.h"
#include "analysis/tree/trim.h"
#include "base/arena.h"
#include "base/str.h"

static struct wiring_case *add_about(struct ibc_fattree *tree, enum wiring_kind kind, uint32_t s,
                                     size_t room)
{
	struct wiring_case *k = wiring_add(tree, kind, false, tree->switches.nodes[s]);

	k->found = arena_array(tree->arena, room + 1, sizeof(struct ibc_port *));
	k->gaps = arena_array(tree->arena, room + 1, sizeof(*k->gaps));
	return k;
}

/* ---- switches that follow no rule --------------------------------------------------------- */

static void report_outlier(struct ibc_fattree *tree, const struct wiring_group *g, uint32_t s,
                           const char *why)
{
	struct wiring_case *k = add_about(tree, WIRING_IRREGULAR, s, 0);

	k->rule = g->rule;
	k->why = why;
	k->gate = (struct wiring_gate){ -1, -1, g->rule->support, "set-aside" };
}

/* What those like it have to a switch across. */
static uint32_t wanted_of(const struct wiring_group *g, int side, uint32_t place, uint32_t across)
{
	uint32_t usual = 0;

	if (g->outlier[!side][across])
		return 0;
	if (side == LOWER)
		return modes_of(g, place)[across];
	for (uint32_t u = 0; u < g->num[UPPER] && !usual; u++)
		usual = g->outlier[UPPER][u] ? 0 : modes_of(g, across)[u];
	return usual;
}

/* "has 4 of 12 uplinks where 9 switches like it have 12: 8 cables are missing, or it is intended"
 */
static const char *lack_text(const struct ibc_fattree *tree, uint32_t have, size_t lacks, int side,
                             uint32_t like)
{
	char text[AMOUNT_TEXT];

	return arena_printf(
	    tree->arena,
	    "has %u of %zu %s where %u switch%s like it ha%s %zu: %s %s missing, or it is intended",
	    have, have + lacks, side == LOWER ? "uplinks" : "cables downward", like,
	    like == 1 ? "" : "es", like == 1 ? "s" : "ve", have + lacks,
	    str_amount(text, (uint32_t)lacks, "cable"), lacks == 1 ? "is" : "are");
}

/* It lacks so much, or is meant so: its holes, by the switches across that keep the rule. */
static void report_doubtful(struct ibc_fattree *tree, const struct wiring_group *g, uint32_t place,
                            int side)
{
	uint32_t s = g->sw[side][place], have = 0, like = 0;
	struct wiring_case *k = add_about(tree, WIRING_MISSING, s, 0);
	size_t room = 0;

	for (uint32_t i = 0; i < g->num[side]; i++)
		like += !g->outlier[side][i] &&
		        (side == UPPER || g->class_of[i] == g->class_of[place]);
	for (uint32_t i = 0; i < g->num[!side]; i++)
		room += wanted_of(g, side, place, i);
	k->gaps = arena_array(tree->arena, room + 1, sizeof(*k->gaps));
	for (uint32_t i = 0; i < g->num[!side]; i++) {
		uint32_t far = g->sw[!side][i], wanted = wanted_of(g, side, place, i);
		const struct trunk *pair = trunk_between(&tree->switches, s, far);
		struct wiring_gap gap = { { tree->switches.nodes[side == LOWER ? s : far], 0 },
			                  { tree->switches.nodes[side == LOWER ? far : s], 0 } };

		have += pair && !g->outlier[!side][i] ? pair->count : 0;
		for (uint32_t n = pair ? pair->count : 0; n < wanted; n++)
			k->gaps[k->num_gaps++] = gap;
	}
	k->blamed = k->doubtful = true;
	k->rule = side == LOWER ? class_of_lower(&tree->groups, s)->rule : g->rule;
	k->gate = (struct wiring_gate){ -1, -1, k->rule->support, "doubtful" };
	k->why = lack_text(tree, have, k->num_gaps, side, like);
}

static void report_group(struct ibc_fattree *tree, const struct wiring_group *g)
{
	const struct switches *sw = &tree->switches;

	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		uint32_t s = g->sw[LOWER][l];
		uint32_t have = count_cables(sw, s, tree->rank, (uint8_t)(g->rank + 1));
		const char *why = "has its uplinks to other switches than similar switches";
		char text[AMOUNT_TEXT];

		if (have != g->rule->uplinks)
			why = arena_printf(tree->arena, "has %s, similar switches have %u",
			                   str_amount(text, have, "uplink"), g->rule->uplinks);
		if (g->verdict[LOWER][l] == VERDICT_DOUBTFUL)
			report_doubtful(tree, g, l, LOWER);
		else if (g->class_of[l] && have != class_of_lower(&tree->groups, s)->rule->uplinks)
			continue; /* what it lacks is said */
		else if (g->outlier[LOWER][l] || g->class_of[l])
			report_outlier(tree, g, s, why);
	}
	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		uint32_t have = count_cables(sw, g->sw[UPPER][u], tree->rank, (uint8_t)g->rank);

		if (g->verdict[UPPER][u] == VERDICT_DOUBTFUL)
			report_doubtful(tree, g, u, UPPER);
		else if (g->outlier[UPPER][u] || g->verdict[UPPER][u] == VERDICT_DIFFERENT)
			report_outlier(tree, g, g->sw[UPPER][u],
			               arena_printf(tree->arena,
			                            "has %u cables to the %u switches below it",
			                            have, g->num[LOWER]));
	}
}

/* ---- what is left of regular ones --------------------------------------------------------- */

/*
 * Does a lower switch only lack cables that no other lacks, where several of its class are complete
 * and look like it?  How many they are, or 0.
 */
static uint32_t count_complete(const struct cells *c, uint32_t s, const struct wiring_case *k)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct wiring_group *g = &groups->all[groups->of[LOWER][s]];
	uint32_t complete = 0;

	if (k->num_found || !cells_stand_alone(c, g))
		return 0;
	for (uint32_t i = c->first[LOWER][s]; i != NO_CELL; i = c->all[i].next[LOWER])
		if (c->line[UPPER][c->all[i].end[UPPER]].missing > 1)
			return 0;
	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		complete += !g->outlier[LOWER][l] &&
		            g->class_of[l] == g->class_of[groups->place[LOWER][s]] &&
		            c->first[LOWER][g->sw[LOWER][l]] == NO_CELL &&
		            looks_like(&c->tree->switches, s, g->sw[LOWER][l]);
	return complete >= ALIKE_MIN ? complete : 0;
}

/*
 * Cells of a row, unless the whole row, or the column, is reported.  One that only lacks cables
 * beside complete ones is doubtful.
 */
static void report_cells(struct cells *c, uint32_t s)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct wiring_group *g = &groups->all[groups->of[LOWER][s]];
	struct wiring_case *k = NULL;
	uint32_t complete;
	size_t room = 0;

	if (g->outlier[LOWER][groups->place[LOWER][s]])
		return;
	for (uint32_t i = c->first[LOWER][s]; i != NO_CELL; i = c->all[i].next[LOWER])
		room++;
	for (uint32_t i = c->first[LOWER][s]; i != NO_CELL; i = c->all[i].next[LOWER]) {
		const struct cell *cell = &c->all[i];
		uint32_t u = cell->end[UPPER], of = groups->of[UPPER][u];

		if (cell->used ||
		    (of != NO_GROUP && groups->all[of].outlier[UPPER][groups->place[UPPER][u]]))
			continue;
		k = k ? k : add_about(c->tree, WIRING_IRREGULAR, s, room);
		if (!k->gate.word) {
			k->gate = cell->gate;
			if (!cell->weak) /* what to do about it is not known */
				k->gate.word = "unpaired";
		}
		if (cell->cable)
			k->found[k->num_found++] = cell->cable;
		else
			k->gaps[k->num_gaps++] = gap_of(c, cell, NULL, 0);
	}
	if (!k)
		return;
	k->rule = class_of_lower(groups, s)->rule;
	complete = count_complete(c, s, k);
	if (!complete)
		return;
	k->kind = WIRING_MISSING;
	k->blamed = k->doubtful = true;
	k->why = lack_text(c->tree, k->rule->uplinks - (uint32_t)k->num_gaps, k->num_gaps, LOWER,
	                   complete);
}

/* Cables between like switches, and from switches to themselves; by their near ends. */
static void report_cables(struct ibc_fattree *tree, const struct ibc_port **cables, size_t n,
                          const char *why)
{
	struct wiring_case *k = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!cables[i])
			continue;
		if (!k || k->nodes[0] != cables[i]->node)
			k = add_about(tree, WIRING_IRREGULAR,
			              switch_number(&tree->switches, cables[i]->node), n - i);
		k->why = why;
		k->found[k->num_found++] = cables[i];
	}
}

/* ---- ports out of order ------------------------------------------------------------------- */

/* Is a cable, by its lower end, in no case, and between regular switches of a group? */
static bool is_settled(const struct cells *c, const struct ibc_port *cable)
{
	uint32_t lower = number_of_end(c, cable), upper = number_of_end(c, cable->peer);
	const struct wiring_groups *groups = &c->tree->groups;
	uint32_t own = groups->of[LOWER][lower];

	if (own == NO_GROUP || groups->of[UPPER][upper] != own ||
	    groups->all[own].outlier[LOWER][groups->place[LOWER][lower]] ||
	    groups->all[own].outlier[UPPER][groups->place[UPPER][upper]])
		return false;
	for (uint32_t i = c->first[LOWER][lower]; i != NO_CELL; i = c->all[i].next[LOWER])
		if (c->all[i].cable == cable && !c->all[i].cancelled)
			return false;
	return true;
}

/* Does the port at this end speak for another switch, or others for this one? */
static bool is_off(const struct cells *c, const struct ibc_port *end, int side)
{
	uint32_t s = number_of_end(c, end), far = number_of_end(c, end->peer);
	const struct wiring_groups *groups = &c->tree->groups;
	const uint32_t *votes = votes_of(c, s, side);
	unsigned int ports = 0;

	if (!votes || votes[end->num] == far || votes[end->num] == VOTE_SPLIT)
		return false;
	for (unsigned int p = 0; p < VOTE_PORTS; p++)
		ports += votes[p] == far;
	return vote_is_decided(votes[end->num]) ||
	       ports >= groups->all[groups->of[side][s]].rule->cables;
}

static void report_outlier_ports(struct cells *c, uint32_t s)
{
	const uint8_t *rank = c->tree->rank;
	const struct switches *sw = &c->tree->switches;
	struct wiring_case *k = NULL;

	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
		int side = rank[s] + 1u == rank[p->to] ? LOWER : UPPER;

		if (side == UPPER && rank[p->to] + 1u != rank[s])
			continue;
		for (uint32_t n = 0; n < p->count; n++) {
			const struct ibc_port *end = sw->cables[p->first + n];

			/* of a cable off at both ends the lower one speaks */
			if (!is_off(c, end, side) ||
			    (side == UPPER && is_off(c, end->peer, LOWER)) ||
			    !is_settled(c, cable_end(end, side)))
				continue;
			k = k ? k : add_about(c->tree, WIRING_PORTS, s, end->node->num_ports);
			k->found[k->num_found++] = end;
		}
	}
}

void cases_of_irregular(struct cells *c)
{
	struct ibc_fattree *tree = c->tree;
	const struct wiring_groups *groups = &tree->groups;

	for (size_t i = 0; i < groups->n; i++)
		if (groups->all[i].evaluated)
			report_group(tree, &groups->all[i]);
	for (uint32_t s = 0; s < tree->switches.n; s++) {
		if (c->first[LOWER][s] != NO_CELL)
			report_cells(c, s);
		report_outlier_ports(c, s);
	}
	/* where too few switches are alike for a rule, each of them */
	for (size_t i = 0; i < groups->n; i++) {
		const struct wiring_group *g = &groups->all[i];

		if (g->rule->holds || g->rule->conform == g->rule->evaluated)
			continue;
		for (uint32_t l = 0; l < g->num[LOWER]; l++)
			report_outlier(tree, g, g->sw[LOWER][l],
			               "has uplinks that are not judged: too few switches are "
			               "cabled like it");
	}
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (tree->rank[s] == RANK_NONE)
			add_about(tree, WIRING_IRREGULAR, s, 0)->why = "is not part of the tree";
	report_cables(tree, c->strays, c->num_strays,
	              "has cables to switches of its own tier, or past the next tier");
}

/* ---- cables from a switch to itself, in any fabric ---------------------------------------- */

void wiring_loops(struct ibc_fattree *tree)
{
	struct switches *sw = &tree->switches;
	size_t n = 0;

	for (size_t i = 0; i < sw->num_loops; i++) /* cases have used some */
		if (sw->loops[i])
			sw->loops[n++] = sw->loops[i];
	sw->num_loops = n;
	for (size_t i = 0, end; i < sw->num_loops; i = end) {
		const char *ports = "";

		for (end = i; end < sw->num_loops && sw->loops[end]->node == sw->loops[i]->node;
		     end++)
			ports = arena_printf(tree->tmp, "%s%s%u - %u", ports, *ports ? ", " : "",
			                     sw->loops[end]->num, sw->loops[end]->peer->num);
		report_cables(tree, &sw->loops[i], end - i,
		              arena_printf(tree->arena, "has loopback cables: ports %s", ports));
	}
}
