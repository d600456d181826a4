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

static void evaluate_ecn(struct ibc_sink *out, const struct roce_port *p)
{
	uint8_t both = p->e->ecn_np & p->e->ecn_rp;
	/* with flow control nowhere it is roce.lossy's; with it not known any priority will do */
	uint8_t missing = p->e->dcb_known ? p->e->pfc & (uint8_t)~both : both ? 0 : ALL_PRIORITIES;

	if (!missing)
		return;
	sink_named(out, IBC_SUBJECT_PORT, p->name,
	           "does not react to congestion on %s: it notifies senders on %s (roce_np) and "
	           "slows down on %s (roce_rp)",
	           p->e->dcb_known ? priorities_text(out, missing) : "any priority",
	           priorities_text(out, p->e->ecn_np), priorities_text(out, p->e->ecn_rp));
	sink_advise(out,
	            "echo 1 > /sys/class/net/%s/ecn/POINT/enable/PRIORITY for both points and the "
	            "priority of RoCE, on all hosts.",
	            p->e->netdev->name);
	sink_fact(out, "ecn_np_priorities", priorities_value(out, p->e->ecn_np));
	sink_fact(out, "ecn_rp_priorities", priorities_value(out, p->e->ecn_rp));
}

/*
 * ECN slows senders down before flow control has to stop them.  The receiver notifies
 * (notification point), the sender slows down (reaction point): both are needed.
 */
static void check_ecn(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t ignored = 0;

		if (in->host_before && speaks_for_port(ports, i)) {
			struct roce_counts c = roce_counts_of(in, &ports[i]);

			ignored = counted_added(&c.transport, "rp_cnp_ignored");
		}
		if (ignored) {
			sink_named(out, IBC_SUBJECT_PORT, ports[i].name,
			           "ignored %" PRIu64 " congestion notifications (rp_cnp_ignored)",
			           ignored);
			sink_advise(out, "Enable its reaction point (roce_rp), or disable the "
			                 "notification point of its peers.");
			sink_fact(out, "rp_cnp_ignored", ibc_u64(ignored));
		}
		if (ports[i].e->ecn_known)
			evaluate_ecn(out, &ports[i]);
		else if (!ports[i].e->software && ecn_of(&ports[i], ALL_PRIORITIES) == ECN_UNKNOWN)
			silence_add(out, &silence, &ports[i],
			            "only the vendor's mlx5 driver reports it "
			            "(/sys/class/net/INTERFACE/ecn), and no notification was sent "
			            "or handled yet");
	}
	silence_report(in, out, &silence, "ECN",
	               "Check it with the vendor's tool. Where it works, np_cnp_sent and "
	               "rp_cnp_handled rise under load.");
}

/* ---- roce.global-pause --------------------------------------------------------------------- */

static void evaluate_pause(struct ibc_sink *out, const struct roce_port *p)
{
	static const char *const ways[] = { NULL, "received", "sent", "sent and received" };
	const char *way = ways[(p->e->pause_tx ? 2 : 0) | (p->e->pause_rx ? 1 : 0)];

	if (!way)
		return;
	if (p->e->pfc) {
		sink_named(out, IBC_SUBJECT_PORT, p->name,
		           "has global pause (%s) in addition to flow control on %s: only one of "
		           "them works",
		           way, priorities_text(out, p->e->pfc));
		sink_advise(out, "Disable it, here and at the switch: ethtool -A %s rx off tx off.",
		            p->e->netdev->name);
	} else {
		sink_as(out, IBC_INFO);
		sink_named(
		    out, IBC_SUBJECT_PORT, p->name,
		    "has global pause (%s), which stops all traffic of the port, not only RoCE",
		    way);
	}
	sink_fact(out, "pause_rx", ibc_bool(p->e->pause_rx));
	sink_fact(out, "pause_tx", ibc_bool(p->e->pause_tx));
}

/* Pause of the whole link: the predecessor of flow control by priority. */
static void check_pause(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		if (ports[i].e->pause_known)
			evaluate_pause(out, &ports[i]);
		else if (!ports[i].e->software)
			silence_add(out, &silence, &ports[i],
			            why_silent(ports[i].e, "the driver does not report it"));
	}
	silence_report(in, out, &silence, "global pause", "Check it at the switch.");
}

/* ---- roce.lossy ------------------------------------------------------------------------------ */

static void evaluate_lossy(struct ibc_sink *out, const struct roce_port *p, struct silence *silence)
{
	enum ecn ecn = ecn_of(p, ALL_PRIORITIES);

	if (!p->e->dcb_known && p->e->software) {
		sink_as(out, IBC_INFO);
		sink_named(out, IBC_SUBJECT_PORT, p->name,
		           "is software RoCE: nothing protects its packets from being dropped");
		return;
	}
	if (!p->e->dcb_known || p->e->pfc)
		return;
	if (ecn == ECN_UNKNOWN) {
		silence_add(out, silence, p,
		            "no priority has flow control, and the driver does not report ECN");
		return;
	}
	if (ecn == ECN_ON)
		sink_as(out, IBC_INFO);
	sink_named(out, IBC_SUBJECT_PORT, p->name,
	           ecn == ECN_ON ? "has no flow control on any priority, and relies on ECN alone"
	                         : "has neither flow control nor ECN on any priority%s",
	           p->e->pause_rx && p->e->pause_tx ? ", only global pause" : "");
	if (ecn == ECN_ON)
		return;
	sink_advise(out,
	            "Set flow control on the priority of RoCE, or ECN, here and at the switches: "
	            "mlnx_qos -i %s --trust dscp --pfc 0,0,0,1,0,0,0,0. If this is intended "
	            "(zero-touch RoCE), disable this check.",
	            p->e->netdev->name);
}

/* A packet that is dropped costs a timeout, or all that was sent after it. */
static void check_lossy(const struct ibc_input *in, struct ibc_sink *out)
{
	size_t n, num_uses;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };
	const struct use *uses;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		evaluate_lossy(out, &ports[i], &silence);
	silence_report(in, out, &silence, "protection against drops",
	               "Set flow control on the priority of RoCE, or check with the vendor's tool "
	               "that ECN is on.");
	uses = uses_of_classes(in, out, &num_uses);
	for (size_t i = 0; i < num_uses; i++) {
		struct strays s = strays_of(out, ports, n, &uses[i]);

		if (!s.on.n || !s.lossy)
			continue;
		use_report(in, out, &uses[i],
		           "sends with traffic class %u (%s), which maps to %s on %s, without flow "
		           "control and without ECN",
		           uses[i].number, use_text(out, &uses[i]),
		           priorities_text(out, s.priority), s.on.list);
		advise_class(out, &uses[i]);
	}
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
