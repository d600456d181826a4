/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables that are joined as planned and run slower.  A cable that lost lanes often trains
 * at a lower speed as well: what is narrower is told as narrow, whatever its speed.
 */
#include "analysis/comparison.h"

struct rate {
	enum ibc_width width;
	enum ibc_speed speed;
};

/* What is told of the link at this end; 0 of what is not. */
static struct rate rate_at(const struct ibc_port *p)
{
	if (!ibc_port_is_up(p))
		return (struct rate){ IBC_WIDTH_UNKNOWN, IBC_SPEED_UNKNOWN };
	return (struct rate){ p->width_active, p->speed_active };
}

/* Of a link; one end may know what the other does not. */
static struct rate rate_of(const struct ibc_port *p)
{
	struct rate near = rate_at(p), far = rate_at(p->peer);

	return (struct rate){ near.width ? near.width : far.width,
		              near.speed ? near.speed : far.speed };
}

double comparison_gbps(const struct ibc_port *p)
{
	struct rate rate = rate_of(p);

	return ibc_link_gbps(rate.width, rate.speed);
}

/* Fewer lanes that are as fast together are as planned: a cable that was split. */
static bool is_slower(struct rate planned, struct rate found)
{
	double want = ibc_link_gbps(planned.width, planned.speed);
	double have = ibc_link_gbps(found.width, found.speed);

	return !want || !have || have < want;
}

static bool is_narrow(struct rate planned, struct rate found)
{
	return planned.width && found.width &&
	       ibc_width_lanes(found.width) < ibc_width_lanes(planned.width);
}

static bool is_slow(struct rate planned, struct rate found)
{
	return planned.speed && found.speed && found.speed < planned.speed;
}

static void add_rate(struct ibc_comparison *cmp, enum deviation_kind kind,
                     const struct ibc_port *planned, const struct ibc_port *found)
{
	struct deviation *d = comparison_add(cmp, kind);

	if (!d)
		return;
	d->planned = comparison_array(cmp, 1, sizeof(*d->planned));
	d->found = comparison_array(cmp, 1, sizeof(*d->found));
	if (cmp->failed)
		return;
	d->planned[d->num_planned++] = planned;
	d->found[d->num_found++] = found;
	cmp->counts.cables_below++;
	d->loss.gbps = comparison_gbps(planned) - comparison_gbps(found);
	if (d->loss.gbps < 0)
		d->loss.gbps = 0;
}

void compare_rates(struct ibc_comparison *cmp)
{
	const struct ibc_port *p;
	size_t i = 0;

	while (!cmp->failed && (p = side_next_cable(&cmp->planned, &i))) {
		const struct ibc_port *found;
		struct rate planned, now;

		if (cmp->cable_fate[side_port(&cmp->planned, p)] != CABLE_RIGHT)
			continue;
		found = comparison_found_port(cmp, p);
		planned = rate_of(p);
		now = rate_of(found);
		if (!is_slower(planned, now))
			continue;
		if (is_narrow(planned, now))
			add_rate(cmp, DEVIATION_NARROW, p, found);
		else if (is_slow(planned, now))
			add_rate(cmp, DEVIATION_SLOW, p, found);
	}
}
