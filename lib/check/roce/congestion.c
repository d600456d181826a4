/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of what else keeps packets of RoCE from being dropped: notification of congestion
 * (ECN, RFC 3168, as DCQCN uses it), pause of the whole link, or nothing.
 */
#include <inttypes.h>

#include "check/groups.h"
#include "check/roce/roce.h"

#define ALL_PRIORITIES 0xff /* a bit for each of 8 (IEEE 802.1Q) */

/* ---- roce.ecn --------------------------------------------------------------------------- */

/*
 * ECN slows senders down before flow control has to stop them.  The receiver notifies
 * (notification point), the sender slows down (reaction point): both are needed.
 */
static void check_ecn(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *p, *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (p = ports; p < ports + n; p++) {
		const struct ibc_ethernet *e = p->e;
		uint8_t both = e->ecn_np & e->ecn_rp, missing;
		uint64_t ignored = 0;

		if (in->host_before && p->first_of_port) {
			struct roce_counts c = roce_counts_of(in, p);

			ignored = counted_added(&c.transport, "rp_cnp_ignored");
		}
		if (ignored) {
			sink_own_port(out, p->name,
			              "ignored %" PRIu64
			              " congestion notifications (rp_cnp_ignored)",
			              ignored);
			sink_advise(out, "Enable its reaction point (roce_rp), or disable the "
			                 "notification point of its peers.");
			sink_fact(out, "rp_cnp_ignored", ibc_u64(ignored));
		}
		if (!e->ecn_known && !e->software && ecn_of(p, ALL_PRIORITIES) == ECN_UNKNOWN)
			silence_add(out, &silence, p,
			            "only the vendor's mlx5 driver reports it "
			            "(/sys/class/net/INTERFACE/ecn), and no notification was sent "
			            "or handled yet");
		/* with flow control nowhere it is roce.lossy's; where it is not known any priority
		 * will do */
		missing = e->dcb_known ? e->pfc & (uint8_t)~both : both ? 0 : ALL_PRIORITIES;
		if (!e->ecn_known || !missing)
			continue;
		sink_own_port(out, p->name,
		              "does not react to congestion on %s: it notifies senders on %s "
		              "(roce_np) and slows down on %s (roce_rp)",
		              e->dcb_known ? priorities_text(out, missing) : "any priority",
		              priorities_text(out, e->ecn_np), priorities_text(out, e->ecn_rp));
		sink_advise(out,
		            "echo 1 > /sys/class/net/%s/ecn/POINT/enable/PRIORITY for both points "
		            "and the priority of RoCE, on all hosts.",
		            sink_word(out, e->netdev->name));
		sink_fact(out, "ecn_np_priorities", priorities_value(out, e->ecn_np));
		sink_fact(out, "ecn_rp_priorities", priorities_value(out, e->ecn_rp));
	}
	silence_report(in, out, &silence, "ECN",
	               "Check it with the vendor's tool. Where it works, np_cnp_sent and "
	               "rp_cnp_handled rise under load.");
}

/* ---- roce.global-pause --------------------------------------------------------------------- */

/* Pause of the whole link: the predecessor of flow control by priority. */
static void check_pause(const struct ibc_input *in, struct ibc_sink *out)
{
	static const char *const ways[] = { NULL, "received", "sent", "sent and received" };
	size_t n;
	const struct roce_port *p, *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (p = ports; p < ports + n; p++) {
		const struct ibc_ethernet *e = p->e;
		const char *way = ways[(e->pause_tx ? 2 : 0) | (e->pause_rx ? 1 : 0)];

		if (!e->pause_known && !e->software)
			silence_add(out, &silence, p,
			            why_silent(e, "the driver does not report it"));
		if (!e->pause_known || !way)
			continue;
		if (e->pfc) {
			sink_own_port(out, p->name,
			              "has global pause (%s) in addition to flow control on %s: "
			              "only one of them works",
			              way, priorities_text(out, e->pfc));
			sink_advise(
			    out, "Disable it, here and at the switch: ethtool -A %s rx off tx off.",
			    sink_word(out, e->netdev->name));
		} else {
			sink_as(out, IBC_INFO);
			sink_own_port(out, p->name,
			              "has global pause (%s), which stops all traffic of the port, "
			              "not only RoCE",
			              way);
		}
		sink_fact(out, "pause_rx", ibc_bool(e->pause_rx));
		sink_fact(out, "pause_tx", ibc_bool(e->pause_tx));
	}
	silence_report(in, out, &silence, "global pause", "Check it at the switch.");
}

/* ---- roce.lossy ------------------------------------------------------------------------------ */

/* A packet that is dropped costs a timeout, or all that was sent after it. */
static void check_lossy(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *p, *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	if (!n)
		return;
	for (p = ports; p < ports + n; p++) {
		const struct ibc_ethernet *e = p->e;
		enum ecn ecn = ecn_of(p, ALL_PRIORITIES);

		if (!e->dcb_known && e->software) {
			sink_as(out, IBC_INFO);
			sink_own_port(
			    out, p->name,
			    "is software RoCE: nothing protects its packets from being dropped");
		} else if (!e->dcb_known || e->pfc) {
			continue;
		} else if (ecn == ECN_UNKNOWN) {
			silence_add(
			    out, &silence, p,
			    "no priority has flow control, and the driver does not report ECN");
		} else if (ecn == ECN_ON) {
			sink_as(out, IBC_INFO);
			sink_own_port(
			    out, p->name,
			    "has no flow control on any priority, and relies on ECN alone");
		} else {
			sink_own_port(out, p->name,
			              "has neither flow control nor ECN on any priority%s",
			              e->pause_rx && e->pause_tx ? ", only global pause" : "");
			sink_advise(
			    out,
			    "Set flow control on the priority of RoCE, or ECN, here and at the "
			    "switches: mlnx_qos -i %s --trust dscp --pfc 0,0,0,1,0,0,0,0. If this "
			    "is intended (zero-touch RoCE), disable this check.",
			    e->netdev->name);
		}
	}
	silence_report(in, out, &silence, "protection against drops",
	               "Set flow control on the priority of RoCE, or check with the vendor's tool "
	               "that ECN is on.");
	report_strays(in, out, ports, n, true);
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_roce_congestion[] = {
	CHECK("roce.ecn", "RoCE ports that do not react to congestion", IBC_WARNING, check_ecn,
	      .parts = ROCE_PARTS),
	CHECK("roce.global-pause", "RoCE ports with global pause", IBC_WARNING, check_pause,
	      .parts = ROCE_PARTS),
	CHECK("roce.lossy", "RoCE traffic that nothing protects from being dropped", IBC_WARNING,
	      check_lossy, .parts = ROCE_PARTS),
	{ 0 },
};
