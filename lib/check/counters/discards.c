/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of packets that were good, and dropped all the same. */
#include "analysis/rates/windows.h"
#include "check/counters/rates.h"
#include "check/groups.h"
#include "check/limits.h"
#include "fabric/fabric.h"

/* ---- packets that could not leave ------------------------------------------------- */

static const enum ibc_counter discard_details[] = {
	IBC_INACTIVE_DISCARDS,
	IBC_NEIGHBOR_MTU_DISCARDS,
	IBC_SW_LIFETIME_DISCARDS,
	IBC_SW_HOQ_DISCARDS,
};

static void report_discards(struct ibc_sink *out, const struct ibc_port *p,
                            const struct count *count, const char *why)
{
	sink_port(out, p, "discarded %s packets%s%s", count_text(out, count), time_text(out, count),
	          why);
}

/*
 * A port discards what was queued while its link goes down, and until it is active again:
 * counters.downed and counters.flap judge that.  Of several windows, only those in which it
 * went down are excused.
 */
static bool went_down_meanwhile(const struct ibc_input *in, const struct ibc_port *p,
                                const struct count *discards)
{
	const struct ibc_port *ends[] = { p, p->peer };
	struct count downs = { .n = 0 };
	struct ibc_delta w;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const struct ibc_port *was = ends[i] ? fabric_same_port(in->before, ends[i]) : NULL;
		struct count c = { .n = 0 };

		if (was && ibc_port_has_state(was) && was->state != IBC_STATE_ACTIVE)
			return true;
		if (!ends[i] || !may_have_risen(in, ends[i], COUNTER_BIT(IBC_LINK_DOWNED)) ||
		    !window_of(in, ends[i], &w))
			continue;
		c = count_in(&w, IBC_LINK_DOWNED);
		count_windows(in, ends[i], IBC_LINK_DOWNED, &c);
		downs.n += c.n;
		downs.rose |= c.rose;
	}
	return downs.n && (!in->windows || !(discards->rose & ~downs.rose));
}

/* The worst of what a port discarded for: one finding. */
static void evaluate_discards(const struct ibc_input *in, struct ibc_sink *out,
                              const struct ibc_port *p)
{
	uint32_t wanted = COUNTER_BIT(IBC_XMIT_DISCARDS);
	struct count all, inactive, mtu, late, unread;
	const char *beyond;
	uint64_t known;
	struct ibc_delta w;

	for (size_t i = 0; i < ARRAY_SIZE(discard_details); i++)
		wanted |= COUNTER_BIT(discard_details[i]);
	if (!windows_delta_among(in->windows, in->before, p, wanted, &w))
		return;
	all = count_in(&w, IBC_XMIT_DISCARDS);
	count_windows(in, p, IBC_XMIT_DISCARDS, &all);
	if (!all.n || went_down_meanwhile(in, p, &all))
		return;
	beyond = p->peer ? port_text(out, p->peer) : "the other end";
	inactive = count_in(&w, IBC_INACTIVE_DISCARDS);
	mtu = count_in(&w, IBC_NEIGHBOR_MTU_DISCARDS);
	late = count_add(count_in(&w, IBC_SW_LIFETIME_DISCARDS), /* they waited too long */
	                 count_in(&w, IBC_SW_HOQ_DISCARDS));
	known = inactive.n + mtu.n + late.n;
	unread = all; /* of all, in no detail */
	unread.n = all.n > known ? all.n - known : 0;
	late.severity = evaluate_count(in, out->check, p, &late);
	if (late.severity) {
		sink_as(out, late.severity);
		report_discards(out, p, &late, ": they waited too long to be sent");
		sink_advise(out,
		            "%s accepts data too slowly or not at all. Look behind that port, "
		            "first for a host that hangs or is overloaded; see "
		            "counters.slow-receiver and counters.congestion.",
		            beyond);
	} else if (evaluate_count(in, out->check, p, &mtu)) {
		report_discards(out, p, &mtu, ": they are larger than the MTU of the link");
		sink_advise(out, "See port.mtu, and trigger a heavy sweep (SIGHUP to opensm): "
		                 "paths with a larger MTU than this link must not lead here.");
	} else if (evaluate_count(in, out->check, p, &unread)) {
		report_discards(out, p, &all, "; the device does not report the reason");
		sink_advise(out,
		            "If the link did not go down, %s is a slow receiver: see "
		            "counters.congestion, and look behind that port.",
		            beyond);
	} else if (evaluate_count(in, out->check, p, &inactive)) {
		sink_as(out, IBC_INFO);
		report_discards(out, p, &inactive, " because the link was down");
	} else {
		return;
	}
	count_facts(out, &all);
	for (size_t i = 0; i < ARRAY_SIZE(discard_details); i++) {
		struct count c = count_in(&w, discard_details[i]);

		if (c.known)
			sink_fact(out, ibc_counter_word(discard_details[i])->word, ibc_u64(c.n));
	}
	if (p->peer)
		sink_relate(out, IBC_ROLE_CAUSE, p->peer);
}

/*
 * Packets a port dropped instead of sending them.  What matters is why: a link that
 * was down says nothing new, one that waited too long has a slow receiver behind it.
 */
static void check_discards(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (may_have_risen(in, p, COUNTER_BIT(IBC_XMIT_DISCARDS)))
			evaluate_discards(in, out, p);
}

/* ---- packets that were not let through ----------------------------------------------- */

/*
 * A switch that enforces partitions drops what does not belong: a port sends with
 * a P_Key the link does not carry.
 */
static void check_constraint(const struct ibc_input *in, struct ibc_sink *out)
{
	static const uint32_t counters = COUNTER_BIT(IBC_XMIT_CONSTRAINT) |
	                                 COUNTER_BIT(IBC_RCV_CONSTRAINT);
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct count sent, received, sum;

		if (!may_have_risen(in, p, counters))
			continue;
		sent = count_of(in, out->check, p, IBC_XMIT_CONSTRAINT);
		received = count_of(in, out->check, p, IBC_RCV_CONSTRAINT);
		sum = count_add(sent, received);
		sum.severity = evaluate_count(in, out->check, p, &sum);
		if (!sum.severity)
			continue;
		sink_as(out, sum.severity);
		sink_port(
		    out, p,
		    "dropped %s packets%s: their P_Key is of no partition that this link carries",
		    count_text(out, &sum), time_text(out, &sum));
		sink_advise(out, "Compare the partitions of both ends (smpquery pkeys) with "
		                 "partitions.conf of the subnet manager: a host is missing there, "
		                 "or uses a partition that it is not a member of.");
		count_facts(out, &sum);
		sink_fact(out, "transmit_constraint_errors", known_count(&sent));
		sink_fact(out, "receive_constraint_errors", known_count(&received));
	}
}

/* ---- management packets -------------------------------------------------------------- */

/* A query of a sweep that was dropped was asked again: no more than these are ours. */
static uint64_t own_drops(const struct ibc_fabric *fab)
{
	const struct ibc_subnet *subnet;
	uint64_t n = 0;

	for (size_t i = 0; fab && (subnet = ibc_fabric_subnet(fab, i)); i++)
		n += subnet->sweep.retried + subnet->sweep.timed_out;
	return n;
}

/*
 * Management packets have one small buffer a port and no flow control: when too many
 * come at once, they are dropped.  A sweep of our own may be the reason.
 */
static void check_vl15(const struct ibc_input *in, struct ibc_sink *out)
{
	uint64_t ours = own_drops(in->fabric) +
	                (in->windows ? windows_retries(in->windows) : own_drops(in->before));
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct count c, others;

		if (!may_have_risen(in, p, COUNTER_BIT(IBC_VL15_DROPPED)))
			continue;
		others = c = count_of(in, out->check, p, IBC_VL15_DROPPED);
		others.n = c.n > ours ? c.n - ours : 0;
		others.severity = evaluate_count(in, out->check, p, &others);
		if (!others.severity)
			continue;
		sink_as(out, others.severity);
		sink_port(out, p, "dropped %s management packets%s", count_text(out, &c),
		          time_text(out, &c));
		sink_advise(
		    out,
		    "Too many management packets arrive at once: from a subnet manager (lower "
		    "max_wire_smps of opensm), or from monitoring that runs in several places.");
		count_facts(out, &c);
		sink_fact(out, "own_at_most", ibc_u64(ours));
	}
}

/* ---- the table ------------------------------------------------------------------------ */

const struct ibc_check ibc_checks_counters_discards[] = {
	CHECK("counters.discards", "ports that discard packets instead of sending them",
	      IBC_WARNING, check_discards, COUNTED, .limits = { 1, 10, .unit = PER_HOUR },
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_DAMAGE, BY("counters.slow-receiver", AT),
	                   BY("counters.congestion", AT)),
	      .many = "ports|discarded packets"),
	CHECK("counters.constraint", "packets dropped because of their P_Key", IBC_CRITICAL,
	      check_constraint, COUNTED, .limits = { NEVER, 1, .unit = PER_HOUR },
	      .many = "ports|dropped packets because of their P_Key"),
	CHECK("counters.vl15", "ports that drop management packets", IBC_WARNING, check_vl15,
	      COUNTED, .limits = { 50, NEVER, .unit = PER_HOUR },
	      .many = "ports|dropped management packets"),
	{ 0 },
};
