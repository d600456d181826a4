/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables that are joined as planned and run slower.  A cable that lost lanes often trains
 * at a lower speed as well: what is narrower is reported as narrow, whatever its speed.  Where
 * a good part of a fabric is below the plan in the same way, one deviation says so.
 */
#include <stdlib.h>

#include "analysis/compare/comparison.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

#define MANY 10 /* and a quarter of all that are right: one cause */

struct rate {
	enum ibc_width width;
	enum ibc_speed speed;
};

/* What is known of the link at this end; 0 of what is not. */
static struct rate rate_at(const struct ibc_port *p)
{
	if (!ibc_port_is_up(p))
		return (struct rate){ IBC_WIDTH_UNKNOWN, IBC_SPEED_UNKNOWN };
	return (struct rate){ p->width_active, p->speed_active };
}

/*
 * Of a link; one end may know what the other does not, and where a file has them differ the lower
 * one is what runs.
 */
static struct rate rate_of_link(const struct ibc_port *p)
{
	struct rate rate = rate_at(p), far = rate_at(p->peer);

	if (!rate.width || (far.width && ibc_width_lanes(far.width) < ibc_width_lanes(rate.width)))
		rate.width = far.width;
	if (!rate.speed || (far.speed && far.speed < rate.speed))
		rate.speed = far.speed;
	return rate;
}

double comparison_gbps(const struct ibc_port *p)
{
	struct rate rate = rate_of_link(p);

	return ibc_link_gbps(rate.width, rate.speed);
}

/* A cable below the plan: its port as planned, and as found. */
struct below {
	enum deviation_kind kind;
	struct rate planned_rate, found_rate;
	const struct ibc_port *planned, *found;
	size_t order;
};

static int by_rate(const struct below *a, const struct below *z)
{
	return order_u64(a->kind, z->kind) ?:
	       order_u64(a->planned_rate.width, z->planned_rate.width) ?:
	       order_u64(a->planned_rate.speed, z->planned_rate.speed) ?:
	       order_u64(a->found_rate.width, z->found_rate.width) ?:
	       order_u64(a->found_rate.speed, z->found_rate.speed);
}

static int by_rate_then_order(const void *va, const void *vz)
{
	const struct below *a = va, *z = vz;

	return by_rate(a, z) ?: order_u64(a->order, z->order);
}

/* One deviation of so many cables that are below the plan in the same way. */
static void add_rates(struct ibc_comparison *cmp, const struct below *below, size_t n)
{
	struct deviation *d = comparison_add(cmp, below->kind);
	double gbps = comparison_gbps(below->planned) - comparison_gbps(below->found);

	d->planned = arena_array(cmp->arena, n, sizeof(*d->planned));
	d->found = arena_array(cmp->arena, n, sizeof(*d->found));
	for (size_t i = 0; i < n; i++) {
		d->planned[d->num_planned++] = below[i].planned;
		d->found[d->num_found++] = below[i].found;
	}
	cmp->counts.cables_below += n;
	d->loss.gbps = gbps > 0 ? gbps * (double)n : 0;
}

/*
 * Is the cable at this planned port, which is right, below the plan?  Fewer lanes that are as fast
 * together are as planned: a cable that was split.
 */
static bool is_below_plan(const struct ibc_comparison *cmp, const struct ibc_port *planned,
                          struct below *out)
{
	const struct ibc_port *found = comparison_found_port(cmp, planned);
	struct rate want = rate_of_link(planned), have = rate_of_link(found);
	double want_gbps = ibc_link_gbps(want.width, want.speed);
	double have_gbps = ibc_link_gbps(have.width, have.speed);
	bool narrow = want.width && have.width &&
	              ibc_width_lanes(have.width) < ibc_width_lanes(want.width);
	struct rate here = rate_at(found);

	if (here.width != have.width || here.speed != have.speed) { /* the other end has it */
		planned = planned->peer;
		found = found->peer;
	}
	*out = (struct below){
		.kind = narrow ? DEVIATION_NARROW : DEVIATION_SLOW,
		.planned_rate = want,
		.found_rate = have,
		.planned = planned,
		.found = found,
	};
	if (want_gbps && have_gbps && have_gbps >= want_gbps)
		return false;
	return narrow || (want.speed && have.speed && have.speed < want.speed);
}

void compare_rates(struct ibc_comparison *cmp)
{
	struct below *below = arena_array(cmp->arena, cmp->counts.cables_right + 1, sizeof(*below));
	const struct ibc_port *p;
	size_t n = 0, cable = 0;

	while ((p = fabric_next_cable(cmp->planned.fab, &cable))) {
		if (cmp->cable_fate[side_port(&cmp->planned, p)] != CABLE_RIGHT ||
		    !is_below_plan(cmp, p, &below[n]))
			continue;
		below[n].order = n;
		n++;
	}
	qsort(below, n, sizeof(*below), by_rate_then_order);
	for (size_t i = 0, equal; i < n; i += equal) {
		bool aggregate;

		for (equal = 1; i + equal < n && !by_rate(&below[i], &below[i + equal]);)
			equal++;
		aggregate = equal > MANY && equal * 4 > cmp->counts.cables_right;
		for (size_t k = 0; k < equal; k += aggregate ? equal : 1)
			add_rates(cmp, &below[i + k], aggregate ? equal : 1);
	}
}
