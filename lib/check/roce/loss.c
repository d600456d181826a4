/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What RoCE ports lost in a window of time.  Names are those of mlx5 (drivers/infiniband/hw/
 * mlx5/counters.c, drivers/net/ethernet/mellanox/mlx5/core/en_stats.c), of bnxt_re and of
 * rxe (hw_counters.c, rxe_hw_counters.c); those that are not known are not judged.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "check/groups.h"
#include "check/roce/roce.h"

#define NEVER         1e18   /* a limit that no rate reaches */
#define TIMEOUTS      10     /* a minute, from which on they are critical */
#define SHARE_NOTABLE 0.0001 /* of the packets received */

static const char wire[] =
    "Packets are damaged, or the link goes down and up. Clean and reseat the cable, then replace "
    "it. If only rx_icrc_encapsulated rises, a device on the path rewrites packets.";
static const char peer[] = "Connections broke because a peer did not answer. Check that the peer "
			   "is up, and what drops packets on the path.";
static const char unready[] =
    "Connections broke because a peer was never ready to receive. Check the program there.";
static const char program[] = "Requests failed. See the log of the program, here and at its peer.";
static const char buffers[] = "The NIC dropped received packets for lack of buffers. Check flow "
			      "control (roce.pfc) and PCIe (ibcheck host).";
static const char way[] =
    "Packets were dropped on the path. Look for drops at the switches, and check that flow control "
    "and ECN are the same everywhere (roce.pfc, roce.ecn).";
static const char slow[] = "Programs do not post receives fast enough. See their logs.";

/*
 * struct loss_counter - a counter, or several by a pattern, that should stand still
 * @but: counts the harmless part of it, or NULL
 * @per_minute: from so many on it is critical; 0: any is
 * @share: of the packets received; up to so many are no fault
 * @lossless: critical only where flow control was to prevent it
 */
static const struct loss_counter {
	const char *pattern, *but;
	double per_minute, share;
	bool lossless;
	const char *remedy;
} losses[] = {
	{ "rx_icrc_encapsulated", NULL, 0, 0, false, wire },
	{ "rx_crc_errors_phy", NULL, 0, 0, false, wire },
	{ "rx_symbol_err_phy", NULL, 0, 0, false, wire },
	{ "rx_pcs_symbol_err_phy", NULL, 0, 0, false, wire },
	{ "link_down_events_phy", NULL, 0, 0, false, wire },
	{ "link_downed", NULL, 0, 0, false, wire },
	{ "module_bus_stuck", NULL, 0, 0, false, wire },
	{ "module_high_temp", NULL, 0, 0, false, wire },
	{ "req_transport_retries_exceeded", NULL, 0, 0, false, peer },
	{ "max_retry_exceeded", NULL, 0, 0, false, peer },
	{ "retry_exceeded_err", NULL, 0, 0, false, peer },
	{ "req_rnr_retries_exceeded", NULL, 0, 0, false, unready },
	{ "retry_rnr_exceeded_err", NULL, 0, 0, false, unready },
	{ "req_remote_access_errors", NULL, 0, 0, false, program },
	{ "resp_remote_access_errors", NULL, 0, 0, false, program },
	{ "req_cqe_error", "req_cqe_flush_error", 0, 0, false, program },
	{ "resp_cqe_error", "resp_cqe_flush_error", 0, 0, false, program },
	{ "rx_prio[0-7]_*discard*", NULL, 0, 0, true, buffers },
	{ "rx_discards_phy", NULL, NEVER, 0, false, buffers },
	{ "rx_roce_discards", NULL, NEVER, 0, false, buffers },
	{ "local_ack_timeout_err", NULL, TIMEOUTS, 0, false, way },
	{ "to_retransmits", NULL, TIMEOUTS, 0, false, way },
	{ "completer_retry_err", NULL, TIMEOUTS, 0, false, way },
	{ "packet_seq_err", NULL, NEVER, 0, false, way },
	{ "seq_err_naks_rcvd", NULL, NEVER, 0, false, way },
	{ "rcvd_seq_err", NULL, NEVER, 0, false, way },
	{ "implied_nak_seq_err", NULL, NEVER, 0, false, way },
	{ "missing_resp", NULL, NEVER, 0, false, way },
	{ "tx_discards_phy", NULL, NEVER, 0, false, way },
	{ "tx_prio[0-7]_discards", NULL, NEVER, 0, false, way },
	{ "out_of_sequence", NULL, NEVER, SHARE_NOTABLE, false, way },
	{ "oos_drop_count", NULL, NEVER, SHARE_NOTABLE, false, way },
	{ "out_of_seq_request", NULL, NEVER, SHARE_NOTABLE, false, way },
	{ "roce_adp_retrans*", NULL, NEVER, SHARE_NOTABLE, false, way },
	{ "roce_slow_restart*", NULL, NEVER, SHARE_NOTABLE, false, way },
	{ "out_of_buffer", NULL, NEVER, SHARE_NOTABLE, false, slow },
};

/* struct loss_tally - what a port lost; @packets: received, as far as that is known */
struct loss_tally {
	const struct roce_port *p;
	struct roce_counts counts;
	uint64_t packets;
	const struct loss_counter *worst;
	bool critical, known;
	const char *list;
};

/* All that rose of some counters.  The table has causes before what they lead to. */
static void take_losses(struct ibc_sink *out, struct loss_tally *t, const struct counted *c)
{
	for (const struct loss_counter *loss = losses; loss < losses + ARRAY_SIZE(losses); loss++)
		for (size_t k = 0; k < c->num_now; k++) {
			const char *name = c->now[k].name, *digit = strpbrk(name, "01234567");
			uint64_t n, harmless = loss->but ? counted_added(c, loss->but) : 0;
			bool critical;

			if (fnmatch(loss->pattern, name, 0))
				continue;
			t->known = true;
			n = counted_added(c, name);
			n = n > harmless ? n - harmless : 0;
			if (!n || (double)n <= loss->share * (double)t->packets)
				continue;
			critical = (double)n >= loss->per_minute * t->counts.seconds / 60;
			if (loss->lossless) /* rx_prio3_discards, with flow control on 3 */
				critical = digit && t->p->e->pfc >> (*digit - '0') & 1;
			if (!t->worst || (!t->critical && critical))
				t->worst = loss;
			t->critical |= critical;
			t->list = sink_text(out, "%s%s%" PRIu64 " %s", t->list,
			                    *t->list ? ", " : "", n, name);
		}
}

/* Packets that were lost, or damaged, and what came of it. */
static void check_loss(const struct ibc_input *in, struct ibc_sink *out)
{
	static const char *const received[] = { "rcvd_pkts", "rx_roce_good_pkts", "rx_pkts" };
	size_t n;
	const struct roce_port *ports = roce_ports(in, out, &n);
	struct silence silence = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct roce_port *p = &ports[i];
		struct loss_tally t = { .p = p, .counts = roce_counts_of(in, p), .list = "" };
		const char *part = sink_text(out, "/%s/ports/%u/hw_counters/", p->e->device->name,
		                             p->e->port);

		t.packets = counted_added(&t.counts.basic, "port_rcv_packets");
		for (size_t k = 0; !t.packets && k < ARRAY_SIZE(received); k++)
			t.packets = counted_added(&t.counts.transport, received[k]);
		if (ports[i].first_of_port) {
			take_losses(out, &t, &t.counts.transport);
			if (unread_like(in->host, part))
				report_unread(in, out, IBC_SUBJECT_PORT, p->name,
				              "the value of its transport counters", part);
			else if (!t.known)
				silence_add(out, &silence, p,
				            "the driver has no counter of them under a known name");
		}
		if (!t.counts.comparable)
			silence_add(out, &silence, p, NOT_COMPARABLE);
		take_losses(out, &t, &t.counts.driver);
		if (!t.worst)
			continue;
		sink_as(out, t.critical ? IBC_CRITICAL : IBC_WARNING);
		sink_own_port(out, p->name, "counters rose in %.3g s: %s", t.counts.seconds,
		              t.list);
		sink_advise(out, "%s", t.worst->remedy);
		sink_fact(out, "packets_received", t.packets ? ibc_u64(t.packets) : ibc_none());
	}
	silence_report(in, out, &silence, "losses",
	               "See the hw_counters of the port, and ethtool -S.");
}

/* ---- the table ----------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_roce_loss[] = {
	CHECK("roce.loss", "RoCE packets that were lost or damaged", IBC_WARNING, check_loss,
	      .parts = ROCE_PARTS, .inputs = IBC_IN_HOST_BEFORE),
	{ 0 },
};
