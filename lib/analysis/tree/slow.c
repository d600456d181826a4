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

static bool same_cable(const struct ibc_port *a, const struct ibc_port *z)
{
	return a == z || a == z->peer;
}

static struct wiring_case *case_with(struct ibc_fattree *tree, const struct ibc_port *port)
{
	for (size_t i = 0; i < tree->num_cases; i++)
		for (size_t k = 0; k < tree->cases[i].num_found; k++)
			if (tree->cases[i].blamed && same_cable(tree->cases[i].found[k], port))
				return &tree->cases[i];
	return NULL;
}

/* Notes a slow cable in a case; false: out of memory. */
static bool note_slow_cable(struct ibc_fattree *tree, struct wiring_case *c,
                            const struct ibc_port *port)
{
	if (!c->slow)
		c->slow = arena_array(tree->arena, c->num_found, sizeof(*c->slow));
	if (!c->slow)
		return false;
	c->slow[c->num_slow++] = port;
	return true;
}

/* A case of its own, or a note in the one that holds it; false: out of memory. */
static bool report_slow_cable(struct ibc_fattree *tree, const struct ibc_port *port, double lost)
{
	struct wiring_case *c = case_with(tree, port);

	if (c)
		return note_slow_cable(tree, c, port);
	c = wiring_add(tree, WIRING_SLOW, true);
	if (!c)
		return false;
	c->found = arena_array(tree->arena, 1, sizeof(*c->found));
	if (!c->found)
		return false;
	c->found[c->num_found++] = port;
	c->gbps_lost = lost;
	return true;
}

static bool look_at(struct ibc_fattree *tree, const struct speeds *speeds,
                    const struct ibc_port *port)
{
	uint32_t lower = switch_number(&tree->switches, port->node);
	uint32_t upper = switch_number(&tree->switches, port->peer->node);
	double gbps = cable_gbps(port), row, column;

	if (gbps <= 0 || !speeds_lags(speeds, lower, SPEEDS_UP, gbps, LAG_PERCENT) ||
	    !speeds_lags(speeds, upper, SPEEDS_DOWN, gbps, LAG_PERCENT))
		return true;
	row = speeds_usual(speeds, lower, SPEEDS_UP, gbps);
	column = speeds_usual(speeds, upper, SPEEDS_DOWN, gbps);
	return report_slow_cable(tree, port, (row < column ? row : column) - gbps);
}

bool wiring_slow(struct ibc_fattree *tree)
{
	const struct ibc_port *port;
	struct speeds *speeds = arena_alloc(tree->arena, sizeof(*speeds));

	tree->speeds = speeds;
	if (!speeds || !speeds_collect(tree->arena, tree, speeds))
		return false;
	for (uint32_t s = 0; speeds->n > 1 && s < tree->switches.n; s++)
		for (uint32_t at = 0; (port = up_cable(tree, s, &at));)
			if (!look_at(tree, speeds, port))
				return false;
	return true;
}
