/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The difference of two samples of a port's counters, O(counters) a port.
 *
 * Counters clamp at all ones and never wrap (IBA 16.1.3.5), so a decrease means
 * that the counter was cleared, and an increase that ends at all ones is a lower bound.
 */
#include <ibcheck/counters.h>

#include "analysis/rates/windows.h"
#include "base/array.h"
#include "fabric/fabric.h"

static double sample_time(const struct ibc_port *port)
{
	return (double)port->node->subnet->time + port->counters->at_seconds;
}

#define BIT(counter) (1u << (counter))

/*
 * Details are read only where their parent counted something: where a parent is 0,
 * all of its details are.
 */
static uint32_t known_by_parent(const struct ibc_counters *c, uint32_t wanted)
{
	static const struct {
		enum ibc_counter parent;
		uint32_t details;
	} families[] = {
		{ IBC_RCV_ERRORS,
		  BIT(IBC_LOCAL_PHYSICAL) | BIT(IBC_MALFORMED_PACKET) | BIT(IBC_BUFFER_OVERRUN) },
		{ IBC_RCV_SWITCH_RELAY,
		  BIT(IBC_DLID_MAPPING) | BIT(IBC_VL_MAPPING) | BIT(IBC_LOOPING) },
		{ IBC_XMIT_DISCARDS, BIT(IBC_INACTIVE_DISCARDS) | BIT(IBC_NEIGHBOR_MTU_DISCARDS) |
		                         BIT(IBC_SW_LIFETIME_DISCARDS) | BIT(IBC_SW_HOQ_DISCARDS) },
	};
	uint32_t known = c->known;

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (wanted & families[i].details && c->known & BIT(families[i].parent) &&
		    !c->value[families[i].parent])
			known |= families[i].details;
	return known;
}

static bool delta_of_source(const struct ibc_port *port, uint32_t wanted, struct ibc_delta *out)
{
	const struct ibc_counters *rose = port->extra->rose;

	if (!rose || !port->counters)
		return false;
	out->seconds = port->node->subnet->pause_seconds;
	out->known = known_by_parent(rose, wanted) & port->counters->known & wanted;
	out->cleared = out->known & rose->saturated;
	out->at_least = (out->known & port->counters->saturated) | out->cleared;
	for (uint32_t left = out->known; left; left &= left - 1) {
		int i = __builtin_ctz(left);

		out->value[i] = (out->cleared & BIT(i) ? port->counters : rose)->value[i];
	}
	return true;
}

bool ibc_delta_among(const struct ibc_fabric *before, const struct ibc_port *now, uint32_t wanted,
                     struct ibc_delta *out)
{
	const struct ibc_port *then = fabric_same_port(before, now);

	*out = (struct ibc_delta){ .fresh = !then };
	if (then == now)
		return delta_of_source(now, wanted, out);
	if (!then || !then->counters || !now->counters)
		return false;
	out->seconds = sample_time(now) - sample_time(then);
	if (out->seconds <= 0) {
		out->seconds = 0;
		return false;
	}
	out->known = known_by_parent(then->counters, wanted) & now->counters->known & wanted;
	out->at_least = out->known & now->counters->saturated;
	for (uint32_t left = out->known; left; left &= left - 1) {
		int i = __builtin_ctz(left);

		out->value[i] = now->counters->value[i];
		if (out->value[i] >= then->counters->value[i])
			out->value[i] -= then->counters->value[i];
		else
			out->cleared |= 1u << i;
	}
	out->at_least |= out->cleared;
	return true;
}

bool ibc_delta_of(const struct ibc_fabric *before, const struct ibc_port *now,
                  struct ibc_delta *out)
{
	return ibc_delta_among(before, now, DELTA_ALL, out);
}

/* Bytes the link could have carried; 0 if that is not known. */
static double capacity_bytes(const struct ibc_port *port, const struct ibc_delta *delta)
{
	return ibc_link_gbps(port->width_active, port->speed_active) * 1e9 / 8 * delta->seconds;
}

double ibc_delta_util_percent(const struct ibc_port *port, const struct ibc_delta *delta)
{
	double capacity = capacity_bytes(port, delta);

	if (capacity <= 0 || !(delta->known & 1u << IBC_XMIT_DATA))
		return -1;
	return 100 * (double)delta->value[IBC_XMIT_DATA] / capacity;
}

double ibc_delta_wait_percent(const struct ibc_port *port, const struct ibc_delta *delta)
{
	/*
	 * One tick of PortXmitWait is tick + 1 symbols, a byte each: of the whole port on the
	 * newer switches, which report 7, of each lane on the older, which report 31 (the
	 * vendor's manual of ibdiagnet, "Congestion Assessment").
	 */
	unsigned int symbols = port->node->xmit_wait_tick + 1u;
	unsigned int bytes = symbols < 32 ? symbols : symbols * ibc_width_lanes(port->width_active);
	double capacity = capacity_bytes(port, delta), percent;

	if (capacity <= 0 || !(delta->known & 1u << IBC_XMIT_WAIT) ||
	    !ibc_node_has(port->node, IBC_ATTR_PORT_SAMPLES_CONTROL))
		return -1;
	percent = 100 * (double)delta->value[IBC_XMIT_WAIT] * bytes / capacity;
	/* more than all of the time: the tick is not what it seems; better none than a wrong one */
	return percent <= 105 ? percent : -1;
}

double ibc_bit_error_rate(const struct ibc_port *port, uint64_t errors, double seconds)
{
	double bits = ibc_link_gbps(port->width_active, port->speed_active) * 1e9 * seconds;

	if (bits <= 0)
		return -1;
	return (errors ? (double)errors : 3) / bits;
}
