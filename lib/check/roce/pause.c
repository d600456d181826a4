/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For how long RoCE ports were paused, and paused others, in a window of time.  Names are
 * those of mlx5 (drivers/net/ethernet/mellanox/mlx5/core/en_stats.c); durations are in
 * microseconds.
 */
#include <fnmatch.h>
#include <inttypes.h>

#include "check/groups.h"
#include "check/roce/roce.h"

#define MICROSECONDS   1e6  /* in a second: what drivers count pauses in */
#define PAUSED_NOTABLE 0.01 /* of the time */
#define PAUSED_MUCH    0.10 /* of the time */

static void evaluate_storms(struct ibc_sink *out, const struct roce_port *p,
                            const struct roce_counts *c)
{
	uint64_t errors = counted_added(&c->driver, "tx_pause_storm_error_events");
	uint64_t warnings = counted_added(&c->driver, "tx_pause_storm_warning_events");
	uint64_t n = errors ? errors : warnings;

	if (!n)
		return;
	if (errors)
		sink_as(out, IBC_CRITICAL);
	sink_own_port(out, p->name,
	              errors ? "paused the network until the NIC stopped the pause, %" PRIu64
	                       " time%s in %.3g s"
	                     : "paused the network for a long time, %" PRIu64 " time%s in %.3g s",
	              n, n == 1 ? "" : "s", c->seconds);
	sink_advise(out, "This host is a slow receiver: check PCIe (ibcheck host), processors that "
	                 "hang, and the kernel log.");
	sink_fact(out, "tx_pause_storm_error_events", ibc_u64(errors));
	sink_fact(out, "tx_pause_storm_warning_events", ibc_u64(warnings));
}

/* @pattern: of the counters of pauses, in microseconds; the longest counts */
static void evaluate_paused(struct ibc_sink *out, const struct roce_port *p,
                            const struct roce_counts *c, const char *pattern, const char *message,
                            const char *advice)
{
	const char *name = "";
	uint64_t most = 0;
	double share;

	for (size_t i = 0; i < c->driver.num_now; i++) {
		uint64_t n = fnmatch(pattern, c->driver.now[i].name, 0)
		                 ? 0
		                 : counted_added(&c->driver, c->driver.now[i].name);

		name = n > most ? c->driver.now[i].name : name;
		most = n > most ? n : most;
	}
	share = c->seconds > 0 ? (double)most / MICROSECONDS / c->seconds : 0;
	if (share <= PAUSED_NOTABLE)
		return;
	share = share > 1 ? 1 : share; /* the counter is read a little later */
	if (share > PAUSED_MUCH)
		sink_as(out, IBC_CRITICAL);
	sink_own_port(out, p->name, "%s for %.0f %% of %.3g s (%s)", message, share * 100,
	              c->seconds, name);
	sink_advise(out, "%s", advice);
	sink_fact(out, "paused_share", ibc_real(share));
	sink_fact(out, "counter", ibc_str(name));
}

/*
 * A receiver that takes too little pauses its switch, which pauses others in turn: a
 * single host can hold up a whole network.
 */
static void check_pause_storm(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		struct roce_counts c = roce_counts_of(in, &ports[i]);
		const struct ibc_ethernet *e = ports[i].e;
		bool off = e->dcb_known && !e->pfc && e->pause_known && !e->pause_rx &&
		           !e->pause_tx;
		bool counted = off || e->software;

		for (size_t k = 0; k < e->num_statistics; k++)
			counted |= !fnmatch("*pause*", e->statistics[k].name, 0);
		if (!counted)
			silence_add(
			    out, &silence, &ports[i],
			    why_silent(ports[i].e,
			               "the driver has no counter of them under a known name"));
		else if (!c.comparable && !ports[i].e->software)
			silence_add(out, &silence, &ports[i], NOT_COMPARABLE);
		evaluate_storms(out, &ports[i], &c);
		evaluate_paused(
		    out, &ports[i], &c, "rx_*pause_duration", "was paused by the network",
		    "A host that it sends to is a slow receiver: look for a host that pauses the "
		    "network (tx_prioN_pause_duration), and check the switch.");
		evaluate_paused(out, &ports[i], &c, "tx_*pause_duration", "paused the network",
		                "This host is a slow receiver: check PCIe (ibcheck host) and "
		                "memory, and programs that do not keep up.");
	}
	silence_report(in, out, &silence, "pauses",
	               "See ethtool -S, and the counters of the switch.");
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_roce_pause[] = {
	CHECK("roce.pause-storm", "RoCE ports that are paused, or pause others, for long",
	      IBC_WARNING, check_pause_storm, .parts = ROCE_PARTS, .inputs = IBC_IN_HOST_BEFORE),
	{ 0 },
};
