/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/cells.h"

#include "analysis/tree/majority.h"
#include "analysis/tree/overlap.h"
#include "base/arena.h"

/* why each: doc/wiring.md, table 5, part E */
#define DETECTS_PERCENT 85 /* more: here the port alone says that a cable is wrong */

/* One cable of a group, as one of its ends sees it. */
struct vote {
	uint32_t near, far;
	uint8_t port, far_port;
};

struct port_tally {
	uint32_t candidate, votes, all;
};

/* Is it a witness, of a lower one: for its class? */
static bool has_vote(const struct wiring_group *g, int side, uint32_t place, uint32_t class)
{
	return !g->outlier[side][place] && (side == UPPER || g->class_of[place] == class);
}

static uint32_t count_regular(const struct wiring_group *g, int side, uint32_t class)
{
	uint32_t regular = 0;

	for (uint32_t i = 0; i < g->num[side]; i++)
		regular += has_vote(g, side, i, class);
	return regular;
}

/*
 * The cables in a group, as the regular switches of one side of it see them.  Pooled: for the
 * group of the tier beyond that the far switch is of.
 */
static uint32_t collect_votes(const struct ibc_fattree *tree, const struct wiring_group *g,
                              int side, uint32_t class, bool pooled, struct vote *out)
{
	const struct wiring_groups *groups = &tree->groups;
	const struct switches *sw = &tree->switches;
	uint32_t own = (uint32_t)(g - groups->all), n = 0;

	for (uint32_t i = 0; i < g->num[side]; i++) {
		uint32_t s = g->sw[side][i];

		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			uint32_t far = pooled ? groups->of[side][p->to] : p->to;

			if (!has_vote(g, side, i, class) || groups->of[!side][p->to] != own ||
			    far == NO_SWITCH)
				continue;
			for (uint32_t c = 0; c < p->count; c++) {
				const struct ibc_port *end = sw->cables[p->first + c];

				out[n++] = (struct vote){ s, far, end->num, end->peer->num };
			}
		}
	}
	return n;
}

/* The one that more than half of the votes at a port are for, if any is. */
static void nominate_switches(const struct vote *votes, uint32_t n, struct port_tally *tally)
{
	struct majority majority[VOTE_PORTS] = { { 0, 0 } };

	for (uint32_t i = 0; i < n; i++)
		majority_vote(&majority[votes[i].port], votes[i].far);
	for (uint32_t i = 0; i < n; i++) {
		struct port_tally *t = &tally[votes[i].port];

		t->candidate = (uint32_t)majority[votes[i].port].candidate;
		t->votes += t->candidate == votes[i].far;
		t->all++;
	}
}

/*
 * A port speaks for a switch if most cables on it go there, and half of the regular switches
 * have one.  The share of cables, in percent, that are where their port speaks for.
 */
static uint32_t elect_switches(const struct vote *votes, uint32_t n, uint32_t regular,
                               uint32_t *elected)
{
	struct port_tally tally[VOTE_PORTS] = { { 0 } };
	uint32_t keep = 0;

	nominate_switches(votes, n, tally);
	for (unsigned int p = 0; p < VOTE_PORTS; p++) {
		const struct port_tally *t = &tally[p];
		bool speaks = t->votes >= 2 && t->votes * 2 > t->all && t->votes * 2 >= regular;

		elected[p] = t->all >= 2 && t->all * 2 >= regular ? VOTE_SPLIT : NO_SWITCH;
		elected[p] = speaks ? t->candidate : elected[p];
		keep += speaks ? t->votes : 0;
	}
	return n ? (uint32_t)(keep * 100ull / n) : 0;
}

/* The votes of cables that the other side has nothing against. */
static uint32_t sift_votes(struct vote *votes, uint32_t n, const uint32_t *other)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t elected = other[votes[i].far_port];

		if (!vote_is_decided(elected) || elected == votes[i].near)
			votes[kept++] = votes[i];
	}
	return kept;
}

/*
 * Of two switches one vote is no majority.  Where all the others show that ports have an
 * order, a port at which all that there is goes to one switch, which lacks just that many
 * ports, is its own.
 */
static void complete_votes(const struct vote *votes, uint32_t n, uint32_t regular,
                           unsigned int cables, uint32_t *elected)
{
	struct port_tally tally[VOTE_PORTS] = { { 0 } };
	bool alone[VOTE_PORTS];

	nominate_switches(votes, n, tally);
	for (unsigned int p = 0; p < VOTE_PORTS; p++)
		alone[p] = !vote_is_decided(elected[p]) && tally[p].votes &&
		           tally[p].votes == tally[p].all && tally[p].votes * 2 >= regular;
	for (unsigned int p = 0; p < VOTE_PORTS; p++) {
		unsigned int ports = 0;

		for (unsigned int q = 0; alone[p] && q < VOTE_PORTS; q++)
			ports += elected[q] == tally[p].candidate ||
			         (alone[q] && tally[q].candidate == tally[p].candidate);
		if (alone[p] && ports <= cables)
			elected[p] = tally[p].candidate;
	}
}

/* ---- together ------------------------------------------------------------------------ */

/*
 * struct pool - what the groups of one shape vote for together
 * @elected: by port: a group of the tier beyond, VOTE_SPLIT, or NO_SWITCH
 * @percent: of the cables keep to it
 */
struct pool {
	uint32_t elected[VOTE_PORTS], percent;
};

static void vote_together(const struct ibc_fattree *tree, const struct wiring_rule *rule, int side,
                          struct vote *room, struct pool *out)
{
	uint32_t n = 0, regular = 0;

	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];

		if (g->rule != rule || !g->evaluated)
			continue;
		n += collect_votes(tree, g, side, 0, true, room + n);
		regular += count_regular(g, side, 0);
	}
	out->percent = elect_switches(room, n, regular, out->elected);
}

/* Where the group itself has no say, what the pool says, if only one far switch is of that class.
 */
static void adopt_pool(const struct wiring_group *g, const uint32_t *class_of, int side,
                       const struct pool *pool, uint32_t *elected, uint32_t *percent)
{
	bool own = *percent >= NAMES_PERCENT;

	for (unsigned int p = 0; p < VOTE_PORTS; p++) {
		uint32_t class = pool->elected[p], member = NO_SWITCH, n = 0;

		if (!own)
			elected[p] = NO_SWITCH;
		if (pool->percent < NAMES_PERCENT || vote_is_decided(elected[p]) ||
		    !vote_is_decided(class))
			continue;
		for (uint32_t i = 0; i < g->num[!side]; i++)
			if (class_of[g->sw[!side][i]] == class) {
				member = g->sw[!side][i];
				n++;
			}
		if (n == 1)
			elected[p] = member;
	}
	if (pool->percent > *percent)
		*percent = pool->percent;
}

static void vote_in_class(const struct ibc_fattree *tree, const struct wiring_group *g,
                          uint32_t class, const struct pool pools[2], struct vote *room,
                          struct votes *out)
{
	uint32_t percent[2], n;

	for (int s = 0; s < 2; s++) {
		n = collect_votes(tree, g, s, class, false, room);
		percent[s] = elect_switches(room, n, count_regular(g, s, class), out->elected[s]);
	}
	for (int s = 0; s < 2; s++) {
		if (percent[s] < NAMES_PERCENT)
			continue;
		n = collect_votes(tree, g, s, class, false, room);
		n = sift_votes(room, n, out->elected[!s]);
		complete_votes(room, n, count_regular(g, s, class), g->class[class].rule->cables,
		               out->elected[s]);
	}
	for (int s = 0; s < 2; s++) {
		if (!class)
			adopt_pool(g, tree->groups.of[s], s, &pools[s], out->elected[s],
			           &percent[s]);
		out->names[s] = percent[s] >= NAMES_PERCENT;
	}
	out->detects = percent[LOWER] >= DETECTS_PERCENT && percent[UPPER] >= DETECTS_PERCENT;
}

void votes_count(const struct ibc_fattree *tree, const struct votes **votes[2])
{
	struct pool pools[2];
	struct vote *room;
	size_t cables = 0;

	for (uint32_t s = 0; s < tree->switches.n; s++)
		cables += count_cables(&tree->switches, s, NULL, 0);
	room = arena_array(tree->tmp, cables + 1, sizeof(*room));
	for (size_t r = 0; r < tree->num_rules; r++) {
		const struct wiring_rule *rule = &tree->rules[r];

		if (!rule->holds)
			continue;
		for (int s = 0; s < 2; s++)
			vote_together(tree, rule, s, room, &pools[s]);
		for (size_t i = 0; i < tree->groups.n; i++) {
			const struct wiring_group *g = &tree->groups.all[i];

			if (g->rule != rule || !g->evaluated)
				continue;
			for (uint32_t class = 0; class < g->num_classes; class ++) {
				struct votes *own = arena_alloc(tree->tmp, sizeof(*own));

				vote_in_class(tree, g, class, pools, room, own);
				for (int s = 0; s < 2; s++)
					for (uint32_t k = 0; k < g->num[s]; k++)
						if (s == UPPER ? !class : g->class_of[k] == class)
							votes[s][g->sw[s][k]] = own;
			}
		}
	}
}
