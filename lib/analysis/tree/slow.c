/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables between ranks that are slower, or narrower, than their siblings: than most others
 * of the lower switch and than most others of the upper one, of those whose far end is fast
 * elsewhere.  Both must speak against it.  A cable that a case holds already is noted there.
 *
 * Where only the far ends do, as half or all of a switch is slow, the switch is held against those
 * like it of its group: of its model, and with hosts as fast.  Three and more that are slow alike
 * are a class, for information.
 *
 * O(cables + those slow times cases, times cables of a switch).
 */
#include "analysis/tree/speeds.h"

#include "base/arena.h"

/* why each: doc/wiring.md, table 5, part G */
#define LAG_PERCENT 60 /* of the others are faster */
#define LIKE_MIN    3  /* switches that a slow one is held against */

/* ---- rates ---------------------------------------------------------------------------------- */

const struct ibc_port *up_cable(const struct ibc_fattree *tree, uint32_t s, uint32_t *at)
{
	const struct switches *sw = &tree->switches;
	uint32_t pair = sw->first_pair[s], end = sw->first_pair[s + 1];

	if (pair == end)
		return NULL;
	/* all cables of a switch lie side by side */
	for (end = sw->pairs[end - 1].first + sw->pairs[end - 1].count;
	     sw->pairs[pair].first + *at < end;) {
		const struct ibc_port *p = sw->cables[sw->pairs[pair].first + (*at)++];

		if (rank_is_next(tree->rank, s, switch_number(sw, p->peer->node)))
			return p;
	}
	return NULL;
}

double cable_gbps(const struct ibc_port *port)
{
	return ibc_port_is_up(port) ? ibc_link_gbps(port->width_active, port->speed_active) : 0;
}

static uint16_t *counts_of(const struct speeds *speeds, uint32_t sw, int direction)
{
	return &speeds->count[(2 * (size_t)sw + (size_t)direction) * SPEEDS_MAX];
}

static struct speeds *collect_speeds(struct ibc_fattree *tree)
{
	const struct switches *sw = &tree->switches;
	struct speeds *speeds = arena_alloc(tree->arena, sizeof(*speeds));
	const struct ibc_port *p;

	speeds->count = arena_array(tree->arena, 2 * (size_t)sw->n * SPEEDS_MAX + 1,
	                            sizeof(*speeds->count));
	for (uint32_t s = 0; s < sw->n; s++)
		for (uint32_t at = 0; (p = up_cable(tree, s, &at));) {
			double gbps = cable_gbps(p);
			unsigned int i = 0;

			if (gbps <= 0)
				continue;
			while (i < speeds->n && speeds->gbps[i] != gbps)
				i++;
			if (i == speeds->n)
				speeds->gbps[speeds->n++] = gbps;
			counts_of(speeds, s, SPEEDS_UP)[i]++;
			counts_of(speeds, switch_number(sw, p->peer->node), SPEEDS_DOWN)[i]++;
		}
	return speeds;
}

double speeds_usual(const struct speeds *speeds, uint32_t sw, int direction, double than)
{
	const uint16_t *counts = counts_of(speeds, sw, direction);
	unsigned int most = 0;
	double usual = 0;

	for (unsigned int i = 0; i < speeds->n; i++) {
		if (speeds->gbps[i] <= than || counts[i] < most ||
		    (counts[i] == most && speeds->gbps[i] < usual) || !counts[i])
			continue;
		most = counts[i];
		usual = speeds->gbps[i];
	}
	return usual;
}

/* ---- slow ones ------------------------------------------------------------------------------ */

/*
 * struct laggard - a switch whose cables in a direction are slower than others of their far ends
 * @slow, @all: cables
 * @alone: of the slow ones, those that are slower than others of this switch as well
 * @gbps: of the rest, the fastest
 */
struct laggard {
	uint32_t slow, alone, all;
	double gbps;
};

/*
 * struct slowness - all of it
 * @usual: rate of most cables, by switch and direction
 * @laggards: by switch and direction
 */
struct slowness {
	struct ibc_fattree *tree;
	double *usual;
	struct laggard *laggards;
};

static bool leads(const struct ibc_fattree *tree, uint32_t s, uint32_t to, int direction)
{
	return direction == SPEEDS_UP ? rank_is_next(tree->rank, s, to)
	                              : rank_is_next(tree->rank, to, s);
}

/* Is a cable, by its end at a switch, slower than most of the others there that could be faster? */
static bool lags_at(const struct slowness *w, const struct ibc_port *end, int direction)
{
	const struct switches *sw = &w->tree->switches;
	uint32_t s = switch_number(sw, end->node), others = 0, faster = 0;
	double gbps = cable_gbps(end);

	for (const struct trunk *p = trunks(sw, s); gbps > 0 && p < trunks(sw, s + 1); p++) {
		if (!leads(w->tree, s, p->to, direction) ||
		    w->usual[2 * p->to + !direction] <= gbps)
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			others += sw->cables[p->first + k] != end;
			faster += cable_gbps(sw->cables[p->first + k]) > gbps;
		}
	}
	return others && faster * 100 >= LAG_PERCENT * others;
}

/* A case of its own, or a note in the one that holds it. */
static void report_cable(struct ibc_fattree *tree, const struct ibc_port *port)
{
	uint32_t lower = switch_number(&tree->switches, port->node);
	uint32_t upper = switch_number(&tree->switches, port->peer->node);
	double gbps = cable_gbps(port), row, column;
	struct wiring_case *c = wiring_blamed(tree, port);

	if (c) {
		if (!c->slow)
			c->slow = arena_array(tree->arena, c->num_found, sizeof(*c->slow));
		c->slow[c->num_slow++] = port;
		return;
	}
	row = speeds_usual(tree->speeds, lower, SPEEDS_UP, gbps);
	column = speeds_usual(tree->speeds, upper, SPEEDS_DOWN, gbps);
	c = wiring_add(tree, WIRING_SLOW, true, NULL);
	c->found = arena_array(tree->arena, 1, sizeof(*c->found));
	c->found[c->num_found++] = port;
	c->gbps_lost = (row < column ? row : column) - gbps;
}

static void look_at_cable(struct slowness *w, const struct ibc_port *port)
{
	const struct switches *sw = &w->tree->switches;
	double gbps = cable_gbps(port);
	const bool lags[2] = { lags_at(w, port, SPEEDS_UP), lags_at(w, port->peer, SPEEDS_DOWN) };

	if (lags[SPEEDS_UP] && lags[SPEEDS_DOWN])
		report_cable(w->tree, port);
	for (int d = SPEEDS_UP; d <= SPEEDS_DOWN; d++) {
		const struct ibc_node *node = d == SPEEDS_UP ? port->node : port->peer->node;
		struct laggard *l = &w->laggards[2 * switch_number(sw, node) + d];

		l->all++;
		l->slow += lags[!d];
		l->alone += lags[!d] && lags[d];
		if (lags[!d] && !lags[d] && gbps > l->gbps)
			l->gbps = gbps;
	}
}

/* ---- slow switches --------------------------------------------------------------------------- */

/* The fastest link of a switch to a host; 0: none. */
static double hosts_gbps(const struct ibc_node *node)
{
	const struct ibc_port *p;
	double most = 0;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (has_host(p) && cable_gbps(p) > most)
			most = cable_gbps(p);
	return most;
}

/* How many like it there are in its group that are faster, and how fast these are at the least. */
static uint32_t count_faster(const struct slowness *w, uint32_t s, int direction, double *usual)
{
	int side = direction == SPEEDS_UP ? LOWER : UPPER;
	uint32_t group = w->tree->groups.of[side][s], faster = 0;
	const struct wiring_group *g = &w->tree->groups.all[group];
	const struct ibc_node *node = w->tree->switches.nodes[s];
	double gbps = w->laggards[2 * s + direction].gbps, hosts = hosts_gbps(node);

	*usual = 0;
	for (uint32_t i = 0; group != NO_GROUP && i < g->num[side]; i++) {
		uint32_t like = g->sw[side][i];
		const struct ibc_node *other = w->tree->switches.nodes[like];
		double its = w->usual[2 * like + direction];

		if (like == s || its <= gbps || w->laggards[2 * like + direction].slow ||
		    !is_same_model(node, other) ||
		    (hosts > 0 && hosts <= gbps && hosts_gbps(other) > gbps))
			continue;
		faster++;
		*usual = *usual > 0 && *usual < its ? *usual : its;
	}
	return faster;
}

/* A class is slow as a whole, whatever some of it lack; of others the numbers are the same. */
static bool lag_alike(const struct slowness *w, uint32_t s, uint32_t t, int direction)
{
	const struct laggard *a = &w->laggards[2 * s + direction];
	const struct laggard *z = &w->laggards[2 * t + direction];
	bool whole = a->slow == a->all && z->slow == z->all && z->slow;

	return w->tree->rank[s] == w->tree->rank[t] && a->gbps == z->gbps &&
	       (whole || (a->slow == z->slow && a->all == z->all)) &&
	       is_same_model(w->tree->switches.nodes[s], w->tree->switches.nodes[t]);
}

/* The slow cables of a switch in a direction, by their lower ends, and what they lack. */
static void add_slow(const struct slowness *w, struct wiring_case *c, uint32_t s, int direction,
                     double usual)
{
	const struct switches *sw = &w->tree->switches;

	if (!c->found)
		c->found = arena_array(w->tree->arena, sw->nodes[s]->num_ports + 1u,
		                       sizeof(struct ibc_port *));
	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++)
		for (uint32_t k = 0; leads(w->tree, s, p->to, direction) && k < p->count; k++) {
			const struct ibc_port *end = sw->cables[p->first + k];

			if (!lags_at(w, end->peer, !direction) || lags_at(w, end, direction))
				continue;
			c->found[c->num_found++] = direction == SPEEDS_UP ? end : end->peer;
			c->gbps_lost += usual - cable_gbps(end);
		}
}

/* A spine may be slow both ways: then it is one case. */
static void look_at_switch(struct slowness *w, uint32_t s)
{
	struct ibc_fattree *tree = w->tree;
	const uint32_t n = tree->switches.n;
	const struct ibc_node **alike = arena_array(tree->arena, n, sizeof(struct ibc_node *));
	struct wiring_case *c = NULL;
	double usual;

	for (int d = SPEEDS_UP; d <= SPEEDS_DOWN; d++) {
		const struct laggard *l = &w->laggards[2 * s + d];
		uint32_t slow = l->slow - l->alone, num_alike = 0;
		uint32_t faster = slow ? count_faster(w, s, d, &usual) : 0;

		for (uint32_t t = 0; faster >= LIKE_MIN && t < n; t++)
			if (lag_alike(w, s, t, d))
				alike[num_alike++] = tree->switches.nodes[t];
		/* the first of a class speaks for all */
		if (!num_alike || (num_alike >= ALIKE_MIN && alike[0] != tree->switches.nodes[s]))
			continue;
		if (!c)
			c = wiring_add(tree, WIRING_SLOW, num_alike < ALIKE_MIN,
			               tree->switches.nodes[s]);
		if (!c->blamed) {
			c->nodes = alike;
			c->num_nodes = num_alike;
		}
		add_slow(w, c, s, d, usual);
		c->why = arena_printf(
		    tree->arena,
		    "%s %u of its %u %s at %.4g Gb/s, where %u switches like it have "
		    "%.4g Gb/s",
		    c->why ? arena_printf(tree->tmp, "%s, and", c->why) : "has", slow, l->all,
		    d == SPEEDS_UP ? "uplinks" : "cables downward", l->gbps, faster, usual);
	}
}

void wiring_slow(struct ibc_fattree *tree)
{
	const size_t n = 2 * (size_t)tree->switches.n + 1;
	struct slowness w = { .tree = tree };
	const struct ibc_port *port;

	tree->speeds = collect_speeds(tree);
	if (tree->speeds->n < 2)
		return;
	w.usual = arena_array(tree->tmp, n, sizeof(*w.usual));
	w.laggards = arena_array(tree->tmp, n, sizeof(*w.laggards));
	for (uint32_t s = 0; s < tree->switches.n; s++)
		for (int d = SPEEDS_UP; d <= SPEEDS_DOWN; d++)
			w.usual[2 * s + d] = speeds_usual(tree->speeds, s, d, 0);
	for (uint32_t s = 0; s < tree->switches.n; s++)
		for (uint32_t at = 0; (port = up_cable(tree, s, &at));)
			look_at_cable(&w, port);
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (w.laggards[2 * s + SPEEDS_UP].slow || w.laggards[2 * s + SPEEDS_DOWN].slow)
			look_at_switch(&w, s);
}
