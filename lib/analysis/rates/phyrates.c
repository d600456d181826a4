/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The difference of two samples of a port's physical layer, O(values); its bit error rates, and how
 * near error correction is to its end, O(lanes), O(bins).
 *
 * These counters are 64 bits wide and do not end; the time since the last clear shows a
 * clear in between even where all of them are larger again.
 */
#include <math.h>

#include <ibcheck/counters.h>

#include "base/array.h"
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
	return (double)port->node->subnet->time + port->extra->phy->at_seconds;
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

/* What one sample contains: all since the last clear. */
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
	if (!now->extra->phy)
		return false;
	since_clear(now->extra->phy, out);
	if (!then || !then->extra->phy)
		return false;
	seconds = phy_time(now) - phy_time(then);
	if (seconds <= 0)
		return false;
	out->then = then->extra->phy;
	out->compared = true;
	out->cleared = was_cleared(then->extra->phy, now->extra->phy, seconds);
	if (out->cleared && out->seconds > 0 && out->seconds < seconds)
		return true;
	out->seconds = seconds;
	for (unsigned int i = 0; !out->cleared && i < IBC_PHY_VALUES; i++)
		out->value[i] -= then->extra->phy->value[i];
	if (!out->cleared)
		out->known &= then->extra->phy->known;
	return true;
}

/* ---- rates ---------------------------------------------------------------------------- */

/* Of a port whose width is not known all that there can be. */
static unsigned int lanes_of(const struct ibc_port *port)
{
	unsigned int lanes = ibc_width_lanes(port->width_active);

	return lanes && lanes < IBC_PHY_LANES ? lanes : IBC_PHY_LANES;
}

/* Set of the values that hold the errors of a stage; of raw ones all lanes of the link. */
static uint64_t errors_of_stage(const struct ibc_port *port, enum ibc_ber_stage stage)
{
	if (stage == IBC_BER_SYMBOL)
		return UINT64_C(1) << IBC_PHY_SYMBOL_ERRORS;
	if (stage == IBC_BER_EFFECTIVE)
		return UINT64_C(1) << IBC_PHY_EFFECTIVE_ERRORS;
	return ((UINT64_C(1) << lanes_of(port)) - 1) << IBC_PHY_RAW_ERRORS_LANE0;
}

/* By counts of a set of values, in one of so many equal parts of the bits; NaN: not known. */
static struct ibc_phy_ber counted_ber(const struct ibc_phy_delta *d, uint64_t values,
                                      unsigned int parts)
{
	uint64_t bits = d->known >> IBC_PHY_BITS_RECEIVED & 1 ? d->value[IBC_PHY_BITS_RECEIVED] : 0;
	struct ibc_phy_ber ber = { NAN, false };
	uint64_t errors = 0;

	if (!bits || (d->known & values) != values)
		return ber;
	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++)
		errors += values >> i & 1 ? d->value[i] : 0;
	ber.is_bound = !errors;
	ber.rate = (errors ? (double)errors : 3) * parts / (double)bits; /* 3: e^-3 is 5 % */
	return ber;
}

struct ibc_phy_ber ibc_phy_lane_ber_of(const struct ibc_port *port, const struct ibc_phy_delta *d,
                                       unsigned int lane)
{
	unsigned int lanes = lane < lanes_of(port) ? lanes_of(port) : 0;

	if (!lanes)
		return (struct ibc_phy_ber){ NAN, false };
	return counted_ber(d, UINT64_C(1) << (IBC_PHY_RAW_ERRORS_LANE0 + lane), lanes);
}

struct ibc_phy_ber ibc_phy_ber_of(const struct ibc_port *port, const struct ibc_phy_delta *d,
                                  enum ibc_ber_stage stage)
{
	struct ibc_phy_ber ber = counted_ber(d, errors_of_stage(port, stage), 1);

	if (isnan(ber.rate) && !d->compared && port->extra->phy &&
	    port->extra->phy->known_bers >> stage & 1) {
		ber.rate = ibc_ber_value(port->extra->phy->ber[stage]);
		ber.rate = ber.rate > 0 ? ber.rate : NAN;
	}
	return ber;
}

/* By PPHCR: the code that the histogram is of, where the FEC itself is not known. */
static unsigned int corrects(const struct ibc_phy *phy)
{
	static const uint8_t by_type[] = { 0, 15, 7, 7 };
	unsigned int own = ibc_fec_info(phy->fec_active)->corrects;
	uint8_t type = phy->histogram->fec_type;

	return own ? own : type < ARRAY_SIZE(by_type) ? by_type[type] : 0;
}

uint64_t ibc_fec_bin_of(const struct ibc_port *port, const struct ibc_phy_delta *d,
                        unsigned int bin)
{
	const struct ibc_fec_histogram *now = port->extra->phy->histogram;
	const struct ibc_fec_histogram *then = d->compared && !d->cleared ? d->then->histogram
	                                                                  : NULL;

	if (!then || then->num_blocks <= bin || then->blocks[bin] > now->blocks[bin])
		return now->blocks[bin];
	return now->blocks[bin] - then->blocks[bin];
}

bool ibc_fec_most_of(const struct ibc_port *port, const struct ibc_phy_delta *d,
                     struct ibc_fec_most *out)
{
	const struct ibc_fec_histogram *h = port->extra->phy ? port->extra->phy->histogram : NULL;

	if (!h || !h->num_bins || !h->num_blocks)
		return false;
	*out = (struct ibc_fec_most){ .of = corrects(port->extra->phy) };
	for (unsigned int bin = 0; bin < h->num_bins && bin < h->num_blocks; bin++)
		if (h->low[bin] && ibc_fec_bin_of(port, d, bin))
			*out = (struct ibc_fec_most){ h->low[bin], out->of,
				                      ibc_fec_bin_of(port, d, bin) };
	return true;
}
