/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/speeds.h"

#include "base/arena.h"

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
	if (!ibc_port_is_up(port))
		return 0;
	return ibc_link_gbps(port->width_active, port->speed_active);
}

/* The place of a rate; it is there, or there is room for it. */
static unsigned int place_of_rate(struct speeds *speeds, double gbps)
{
	unsigned int i = 0;

	while (i < speeds->n && speeds->gbps[i] != gbps)
		i++;
	if (i == speeds->n)
		speeds->gbps[speeds->n++] = gbps;
	return i;
}

static uint16_t *counts_of(const struct speeds *speeds, uint32_t sw, int direction)
{
	return &speeds->count[(2 * (size_t)sw + (size_t)direction) * SPEEDS_MAX];
}

bool speeds_collect(struct arena *a, const struct ibc_fattree *tree, struct speeds *out)
{
	const struct switches *sw = &tree->switches;
	const struct ibc_port *p;

	*out = (struct speeds){ .n = 0 };
	out->count = arena_array(a, 2 * (size_t)sw->n * SPEEDS_MAX + 1, sizeof(*out->count));
	for (uint32_t s = 0; out->count && s < sw->n; s++) {
		for (uint32_t at = 0; (p = up_cable(tree, s, &at));) {
			double gbps = cable_gbps(p);
			unsigned int place;

			if (gbps <= 0)
				continue;
			place = place_of_rate(out, gbps);
			counts_of(out, s, SPEEDS_UP)[place]++;
			counts_of(out, switch_number(sw, p->peer->node), SPEEDS_DOWN)[place]++;
		}
	}
	return out->count;
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

bool speeds_lags(const struct speeds *speeds, uint32_t sw, int direction, double gbps,
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
