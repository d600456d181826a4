/* SPDX-License-Identifier: BSD-2-Clause */
/* Bit error rates, and how near error correction is to its end: O(lanes), O(bins) a port. */
#include <math.h>

#include <ibcheck/counters.h>

#include "base/array.h"

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

	if (isnan(ber.rate) && !d->compared && port->phy && port->phy->known_bers >> stage & 1) {
		ber.rate = ibc_ber_value(port->phy->ber[stage]);
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
	const struct ibc_fec_histogram *now = port->phy->histogram;
	const struct ibc_fec_histogram *then = d->compared && !d->cleared ? d->then->histogram
	                                                                  : NULL;

	if (!then || then->num_blocks <= bin || then->blocks[bin] > now->blocks[bin])
		return now->blocks[bin];
	return now->blocks[bin] - then->blocks[bin];
}

bool ibc_fec_most_of(const struct ibc_port *port, const struct ibc_phy_delta *d,
                     struct ibc_fec_most *out)
{
	const struct ibc_fec_histogram *h = port->phy ? port->phy->histogram : NULL;

	if (!h || !h->num_bins || !h->num_blocks)
		return false;
	*out = (struct ibc_fec_most){ .of = corrects(port->phy) };
	for (unsigned int bin = 0; bin < h->num_bins && bin < h->num_blocks; bin++)
		if (h->low[bin] && ibc_fec_bin_of(port, d, bin))
			*out = (struct ibc_fec_most){ h->low[bin], out->of,
				                      ibc_fec_bin_of(port, d, bin) };
	return true;
}
