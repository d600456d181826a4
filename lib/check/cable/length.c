/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of how long a cable is: by what is written in it, and as light travels it. */
#include <math.h>

#include "check/groups.h"
#include "check/phy/phy.h"
#include "fabric/fabric.h"

#define NS_PER_METRE 4.9 /* refractive index 1.47; copper is faster by a few percent */
#define TOLERANCE_M  5   /* and the accuracy that the device states; a guess */

/* What device and module take of the round trip, one way. */
static double latency_of(const struct ibc_port *p)
{
	return phy_reading(p, IBC_PHY_LOCAL_LATENCY_NS) + phy_reading(p, IBC_PHY_MODULE_LATENCY_NS);
}

/* Metres; NaN: not known.  Both ends must say how much of it is theirs. */
static double measured_length(const struct ibc_port *p)
{
	double trip = phy_reading(p, IBC_PHY_ROUND_TRIP_NS) - latency_of(p) - latency_of(p->peer);

	return trip > 0 ? trip / 2 / NS_PER_METRE : NAN;
}

/* Metres around the measured length. */
static double tolerance_of(const struct ibc_port *p)
{
	double accuracy = phy_reading(p, IBC_PHY_ROUND_TRIP_ACCURACY_NS);

	return TOLERANCE_M + (accuracy > 0 ? accuracy / 2 / NS_PER_METRE : 0);
}

/* A fibre that is plugged into a module has a length of its own. */
static double stated_length(const struct ibc_port *p)
{
	const struct ibc_module *m = p->extra->module;

	return m && m->kind != IBC_MODULE_OPTICAL && m->length_m > 0 ? m->length_m : NAN;
}

static double cable_metres(const struct ibc_port *p)
{
	double measured = measured_length(p);

	return isnan(measured) ? stated_length(p) : measured;
}

/* The shortest of the cables between the same two devices. */
static const struct ibc_port *shortest_beside(const struct ibc_port *p)
{
	const struct ibc_port *best = p, *q;

	for (unsigned int num = 1; (q = ibc_node_port(p->node, num)); num++)
		if (q->peer && q->peer->node == p->peer->node &&
		    cable_metres(q) < cable_metres(best))
			best = q;
	return best;
}

static void check_length(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p, *beside;

	for (size_t i = 0; (p = fabric_next_cable(in->fabric, &i));) {
		double measured = measured_length(p), stated = stated_length(p);

		if (isnan(cable_metres(p)))
			continue;
		if (fabs(measured - stated) > tolerance_of(p)) {
			sink_cable(out, p, "measures %.0f m, its memory states %.3g m", measured,
			           stated);
			sink_advise(out,
			            "Check the label of the cable at %s: it can be another one "
			            "than it states, or run over more than one piece.",
			            plug_text(out, p));
			sink_fact(out, "measured_m", ibc_real(measured));
			sink_fact(out, "stated_m", ibc_real(stated));
			module_facts(out, p->extra->module);
			continue;
		}
		beside = shortest_beside(p);
		if (cable_metres(p) - cable_metres(beside) <= tolerance_of(p))
			continue;
		sink_as(out, IBC_INFO);
		sink_cable(out, p, "is %.0f m long, the one at %s between the same devices %.0f m",
		           cable_metres(p), port_text(out, beside), cable_metres(beside));
		sink_advise(out, "Routes over both have unlike delays; a wrong length can also be "
		                 "a cable in another's place.");
		sink_fact(out, "length_m", ibc_real(cable_metres(p)));
		sink_fact(out, "beside_m", ibc_real(cable_metres(beside)));
		sink_relate(out, IBC_ROLE_FOUND, beside);
	}
}

const struct ibc_check ibc_checks_cable_length[] = {
	CHECK("cable.length", "cables of another length than stated", IBC_WARNING, check_length,
	      REGISTERS(IBC_ATTR_PHY_LENGTH, IBC_ATTR_PHY_MODULE),
	      .vital = IBC_ATTRS(IBC_ATTR_PHY_LENGTH),
	      .many = "cables|have another length than stated"),
	{ 0 },
};
