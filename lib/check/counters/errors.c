/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of what a port counts when what it receives is damaged.  The two ends of a
 * cable are one case: what one end receives the other has sent.
 */
#include "base/trace.h"
#include "check/counters/links.h"
#include "check/groups.h"
#include "check/limits.h"

/* ---- what to do ---------------------------------------------------------------- */

/* The rate of the worse end. */
static void facts_of_symbols(struct ibc_sink *out, const struct bad_link *l)
{
	const struct count *worst = l->at_z.n > l->at_a.n ? &l->at_z : &l->at_a;
	double rate = ibc_bit_error_rate(l->a, worst->n, worst->seconds);

	if (rate >= 0)
		sink_fact(out, "bit_error_rate", ibc_real(rate));
}

/*
 * PortRcvErrors and its like count at the receiver; the damage arises at the sender or in the
 * cable (IBA 16.1.3.5).
 */
static const struct ibc_port *receiver_of(const struct bad_link *l)
{
	return l->at_a.severity || !l->z ? l->a : l->z;
}

static const struct ibc_port *sender_of(const struct bad_link *l)
{
	return l->at_a.severity ? l->z : l->a;
}

/* What to do about the cable, the sending end first: it is what the receiver hears. */
static void advise_cable(struct ibc_sink *out, const struct bad_link *l)
{
	const struct ibc_port *sender = sender_of(l);

	if (!l->z) {
		sink_advise(out,
		            "Reseat and clean the cable at %s. If the errors continue, replace it.",
		            port_text(out, l->a));
		return;
	}
	if (!l->at_a.known || !l->at_z.known) {
		sink_advise(out,
		            "Only one end reports this counter. Reseat and clean the plug at %s "
		            "first, then the other. If the errors continue, replace the cable.",
		            port_text(out, sender));
		return;
	}
	if (l->at_a.n && l->at_z.n) {
		sink_advise(out, "Both ends receive damaged data, so the cable is at fault. Reseat "
		                 "and clean both plugs. If the errors continue, replace it.");
		return;
	}
	sink_advise(out,
	            "Only %s receives damaged data: the cable or the transmitter of %s is at "
	            "fault. Reseat and clean the plug at %s first, then the other; then replace "
	            "the cable. If the errors continue, %s is at fault.",
	            port_text(out, receiver_of(l)), port_text(out, sender), port_text(out, sender),
	            port_text(out, sender));
}

static void advise_credits(struct ibc_sink *out, const struct bad_link *l)
{
	sink_advise(
	    out,
	    "%s received more data than it had granted credits for. Compare the virtual lanes of "
	    "both ends (port.vl), update the firmware of both ends, then replace the cable.",
	    port_text(out, receiver_of(l)));
}

/* ---- packets that were received and could not be used ------------------------------ */

/* The counters of PortRcvErrorDetails that add up to PortRcvErrors. */
static const enum ibc_counter rcv_details[] = { IBC_LOCAL_PHYSICAL, IBC_MALFORMED_PACKET,
	                                        IBC_BUFFER_OVERRUN };

/* The window of the end that has more errors. */
static bool worse_window(const struct bad_link *l, struct ibc_delta *window)
{
	return window_of(l->in, l->z && l->at_z.n > l->at_a.n ? l->z : l->a, window);
}

/* By the kind of damage that most of the errors are. */
static void advise_damage(struct ibc_sink *out, const struct bad_link *l)
{
	enum ibc_counter kind = IBC_LOCAL_PHYSICAL;
	bool known;
	struct ibc_delta window;
	uint64_t most = 0;

	known = worse_window(l, &window);
	for (size_t i = 0; known && i < ARRAY_SIZE(rcv_details); i++) {
		struct count c = count_in(&window, rcv_details[i]);

		kind = c.n > most ? rcv_details[i] : kind;
		most = c.n > most ? c.n : most;
	}
	if (kind == IBC_BUFFER_OVERRUN)
		advise_credits(out, l);
	else if (kind == IBC_MALFORMED_PACKET)
		sink_advise(out, "Most of the packets are malformed, not damaged in transit: see "
		                 "port.mtu, and update the firmware of the sending end.");
	else
		advise_cable(out, l);
}

static void facts_of_damage(struct ibc_sink *out, const struct bad_link *l)
{
	struct ibc_delta window;

	if (!worse_window(l, &window))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rcv_details); i++) {
		struct count c = count_in(&window, rcv_details[i]);

		if (c.known)
			sink_fact(out, ibc_counter_word(rcv_details[i])->word, ibc_u64(c.n));
	}
}

/* ---- the checks ------------------------------------------------------------------ */

struct guide {
	enum ibc_counter counter;
	void (*advise)(struct ibc_sink *out, const struct bad_link *l);
	void (*facts)(struct ibc_sink *out, const struct bad_link *l);
};

/* In the order of the checks. */
static const struct guide guides[] = {
	/*
	 * Bits that were read wrong on a lane.  Links with forward error correction count what
	 * is left after it, which is next to nothing on a good cable.
	 */
	{ IBC_SYMBOL_ERROR, advise_cable, facts_of_symbols },
	/* The link lost its lock and trained again by itself: each time the port stands still. */
	{ IBC_LINK_ERROR_RECOVERY, advise_cable, NULL },
	/* Packets that arrived damaged and were thrown away: whoever waits for them times out. */
	{ IBC_RCV_ERRORS, advise_damage, facts_of_damage },
	/* Local errors came faster than the limit (LocalPhyErrors) the subnet manager has set. */
	{ IBC_LOCAL_LINK_INTEGRITY, advise_cable, NULL },
	/* Flow control broke: data came for which there was no buffer, over several periods. */
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, advise_credits, NULL },
};

static void finish_link(struct ibc_sink *out, const struct bad_link *l)
{
	const struct guide *guide = &guides[out->check - ibc_checks_counters_errors];
	/* whom advise_cable() names first, and why */
	const char *why = !l->z                              ? "the other end is not known"
	                  : !l->at_a.known || !l->at_z.known ? "only one end reports it"
	                  : l->at_a.n && l->at_z.n           ? "both ends receive damaged data"
	                                                     : "only the receiver reports it";
	bool cable = !l->z || (l->at_a.known && l->at_z.known && l->at_a.n && l->at_z.n);

	if (trace_wants(l->in->trace, IBC_TRACE_COUNTERS))
		trace_line(l->in->trace, IBC_TRACE_COUNTERS,
		           "%s: %s %s at %s (a), %s at %s (z): %s %s blamed, %s", out->check->id,
		           counter_name(guide->counter),
		           l->at_a.known ? count_text(out, &l->at_a) : "unknown",
		           port_text(out, l->a),
		           l->at_z.known ? count_text(out, &l->at_z) : "unknown",
		           l->z ? port_text(out, l->z) : "no port", cable ? "cable at" : "sender",
		           port_text(out, cable ? l->a : sender_of(l)), why);
	guide->advise(out, l);
	if (guide->facts)
		guide->facts(out, l);
}

static void check_links(const struct ibc_input *in, struct ibc_sink *out)
{
	report_links(in, out, guides[out->check - ibc_checks_counters_errors].counter, finish_link);
}

/*
 * PortRcvSwitchRelayErrors counts harmless things as well (multicast that came back,
 * tables that were changing).  Where its details name a wrong table or a loop, it does not.
 */
static void check_rcv_errors(const struct ibc_input *in, struct ibc_sink *out)
{
	static const uint32_t details = COUNTER_BIT(IBC_DLID_MAPPING) | COUNTER_BIT(IBC_LOOPING);
	const struct ibc_port *p;

	check_links(in, out);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct count dlid, loop, sum;

		if (!may_have_risen(in, p, details))
			continue;
		dlid = count_of(in, out->check, p, IBC_DLID_MAPPING);
		loop = count_of(in, out->check, p, IBC_LOOPING);
		if (!dlid.severity && !loop.severity)
			continue;
		sum = count_add(dlid, loop);
		sink_as(out, IBC_WARNING);
		sink_port(out, p,
		          "received packets it could not forward%s: %s to a LID without a route, "
		          "%s whose route leads back out of the port they came from",
		          time_text(out, &sum), count_text(out, &dlid), count_text(out, &loop));
		sink_advise(out,
		            "The linear forwarding table (LFT) of this switch is wrong or is being "
		            "changed: check whether the subnet manager is sweeping or failed "
		            "during a sweep. A program can also use LIDs that no longer exist.");
		count_facts(out, &sum);
		sink_fact(out, "dlid_mapping", known_count(&dlid));
		sink_fact(out, "looping", known_count(&loop));
	}
}

/* ---- the table ------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_errors[] = {
	CHECK("counters.symbol", "cables with bit errors", IBC_WARNING, check_links, COUNTED,
	      .limits = { 0, 10, .ber = 1e-12, .unit = PER_HOUR }, EXPLAINED_BY(BY_PHYSICAL),
	      .many = "cables|have bit errors"),
	CHECK("counters.recovery", "links that had to retrain", IBC_WARNING, check_links, COUNTED,
	      .limits = { 1, 3, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT),
	                   BY("counters.integrity", AT)),
	      .many = "links|had to retrain"),
	CHECK("counters.rcv-errors", "packets that arrived damaged", IBC_WARNING, check_rcv_errors,
	      COUNTED, .limits = { 1, 10, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT)),
	      .many = "links|received damaged packets"),
	CHECK("counters.integrity", "links with more local errors than allowed", IBC_CRITICAL,
	      check_links, COUNTED, .limits = { NEVER, 1, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT)),
	      .many = "links|had more local errors than allowed"),
	CHECK("counters.overrun", "receive buffers that overran repeatedly", IBC_CRITICAL,
	      check_links, COUNTED, .limits = { NEVER, 1, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_PHYSICAL, BY("counters.symbol", AT), BY("counters.rcv-errors", AT)),
	      .many = "links|had overruns of their receive buffers"),
	{ 0 },
};
