/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables between ranks that are slower, or narrower, than their siblings: than most others
 * of the lower switch and than most others of the upper one.  Both must speak against it:
 * a generation of slower leaves, or of slower spines, is none.  A cable that a case holds
 * already is noted there.  O(cables + those slow times cases).
 */
#include "analysis/tree/speeds.h"

#include "base/arena.h"

#define LAG_PERCENT 60 /* of the others are faster; doc/wiring.md, table 5, part G */

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

/* Of the others of a switch in a direction, is a cable of that rate slower than so many? */
static bool speeds_lags(const struct speeds *speeds, uint32_t sw, int direction, double gbps,
                        unsigned int percent)
{
	const uint16_t *counts = counts_of(speeds, sw, direction);
	unsigned int others = 0, faster = 0;

	for (unsigned int i = 0; i < speeds->n; i++) {
		others += counts[i];
		faster += speeds->gbps[i] > gbps ? counts[i] : 0;
	}
	/* the cable itself is one of them */
	return others > 1 && faster * 100 >= percent * (others - 1);
}

/* ---- slow ones ------------------------------------------------------------------------------ */

/* A case of its own if a cable is slow, or a note in the one that holds it. */
static void look_at_cable(struct ibc_fattree *tree, const struct ibc_port *port)
{
	const struct speeds *speeds = tree->speeds;
	uint32_t lower = switch_number(&tree->switches, port->node);
	uint32_t upper = switch_number(&tree->switches, port->peer->node);
	double gbps = cable_gbps(port), row, column;
	struct wiring_case *c = NULL;

	if (gbps <= 0 || !speeds_lags(speeds, lower, SPEEDS_UP, gbps, LAG_PERCENT) ||
	    !speeds_lags(speeds, upper, SPEEDS_DOWN, gbps, LAG_PERCENT))
		return;
	row = speeds_usual(speeds, lower, SPEEDS_UP, gbps);
	column = speeds_usual(speeds, upper, SPEEDS_DOWN, gbps);
	for (size_t i = 0; !c && i < tree->num_cases; i++)
		for (size_t k = 0; tree->cases[i].blamed && k < tree->cases[i].num_found; k++)
			if (tree->cases[i].found[k] == port ||
			    tree->cases[i].found[k] == port->peer)
				c = &tree->cases[i];
	if (c) {
		if (!c->slow)
			c->slow = arena_array(tree->arena, c->num_found, sizeof(*c->slow));
		c->slow[c->num_slow++] = port;
		return;
	}
	c = wiring_add(tree, WIRING_SLOW, true, NULL);
	c->found = arena_array(tree->arena, 1, sizeof(*c->found));
	c->found[c->num_found++] = port;
	c->gbps_lost = (row < column ? row : column) - gbps;
}

void wiring_slow(struct ibc_fattree *tree)
{
	const struct ibc_port *port;

	tree->speeds = collect_speeds(tree);
	for (uint32_t s = 0; tree->speeds->n > 1 && s < tree->switches.n; s++)
		for (uint32_t at = 0; (port = up_cable(tree, s, &at));)
			look_at_cable(tree, port);
}
