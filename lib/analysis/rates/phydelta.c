/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The difference of two samples of a port's physical layer, O(values) a port.
 *
 * These counters are 64 bits wide and do not end; the time since the last clear tells of a
 * clear in between even where all of them are larger again.
 */
#include <ibcheck/counters.h>

#include "fabric/fabric.h"

#define BIT(value)        (UINT64_C(1) << (value))
#define FROM_TO(from, to) (BIT(to) * 2 - BIT(from))
#define COUNTS                                                                                     \
	(FROM_TO(IBC_PHY_BITS_RECEIVED, IBC_PHY_RAW_ERRORS_LANE7) |                                \
	 FROM_TO(IBC_PHY_FEC_CORRECTED_BLOCKS, IBC_PHY_LINK_DOWNS) |                               \
	 FROM_TO(IBC_PHY_RECOVERIES, IBC_PHY_DOWNS_INTENDED) |                                     \
	 FROM_TO(IBC_PHY_PLR_RECEIVED, IBC_PHY_PLR_EVENTS))

#define SLACK_SECONDS 1 /* registers of one port are read one after the other */

static double phy_time(const struct ibc_port *port)
{
	return (double)port->node->subnet->time + port->phy->at_seconds;
}

static double clear_age(const struct ibc_phy *phy)
{
	return (double)phy->value[IBC_PHY_CLEAR_AGE_MS] / 1000;
}

static bool was_cleared(const struct ibc_phy *then, const struct ibc_phy *now, double seconds)
{
	uint64_t both = then->known & now->known;

	if (both & BIT(IBC_PHY_CLEAR_AGE_MS) && clear_age(now) + SLACK_SECONDS < seconds)
		return true;
	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++)
		if (both & COUNTS & BIT(i) && now->value[i] < then->value[i])
			return true;
	return false;
}

/* What one sample tells: all since the last clear. */
static void since_clear(const struct ibc_phy *now, struct ibc_phy_delta *out)
{
	out->known = now->known & COUNTS;
	out->seconds = ibc_phy_knows(now, IBC_PHY_CLEAR_AGE_MS) ? clear_age(now) : 0;
	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++)
		out->value[i] = now->value[i];
}

bool ibc_phy_delta_of(const struct ibc_fabric *before, const struct ibc_port *now,
                      struct ibc_phy_delta *out)
{
	const struct ibc_port *then = fabric_same_port(before, now);
	double seconds;

	*out = (struct ibc_phy_delta){ .known = 0 };
	if (!now->phy)
		return false;
	since_clear(now->phy, out);
	if (!then || !then->phy)
		return false;
	seconds = phy_time(now) - phy_time(then);
	if (seconds <= 0)
		return false;
	out->then = then->phy;
	out->compared = true;
	out->cleared = was_cleared(then->phy, now->phy, seconds);
	if (out->cleared && out->seconds > 0 && out->seconds < seconds)
		return true;
	out->seconds = seconds;
	for (unsigned int i = 0; !out->cleared && i < IBC_PHY_VALUES; i++)
		out->value[i] -= then->phy->value[i];
	if (!out->cleared)
		out->known &= then->phy->known;
	return true;
}
