/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of ports that wait: where it begins, and who suffers. */
#include <stdlib.h>

#include "analysis/rates/windows.h"
#include "check/collect.h"
#include "check/counters/rates.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/phrases.h"
#include "fabric/fabric.h"

#define VICTIMS_MAX 32 /* so many are named */

enum { CONGESTION, SLOW_RECEIVER }; /* places in the table of checks */

/* ---- a root and its words ------------------------------------------------------------- */

static const char *peer_label(const struct ibc_congestion_root *r)
{
	const struct ibc_node *node = r->port->peer->node;

	return node->host_name ? node->host_name : node->label;
}

static const char *windows_text(struct ibc_sink *out, const struct ibc_congestion_root *r)
{
	if (r->windows < 2)
		return r->windows ? "; a snapshot of one window" : "";
	return sink_text(out, "; %sin %u of %u windows%s", r->lasts ? "" : "only ", r->with,
	                 r->windows,
	                 r->onset > 1 ? sink_text(out, ", from window %u on", r->onset) : "");
}

/* "; 3 ports wait behind it, up to 40 % of the time; in 5 of 6 windows" */
static const char *victims_text(struct ibc_sink *out, const struct ibc_congestion_root *r)
{
	if (!r->victims)
		return windows_text(out, r);
	return sink_text(out, "; %s wait%s behind it, up to %.0f %% of the time%s",
	                 amount_text(out, r->victims, "port"), r->victims == 1 ? "s" : "",
	                 r->worst_percent, windows_text(out, r));
}

/* Without forwarding tables: which other cause some of these ports may have instead. */
static const char *rival_text(struct ibc_sink *out, const struct ibc_congestion_root *r,
                              const struct ibc_port *rival)
{
	if (!rival)
		return "";
	return sink_text(out,
	                 "; without linear forwarding tables (LFTs) it is not known which ports "
	                 "wait for %s (%s) instead",
	                 port_text(out, rival),
	                 wait_cause_word(wait_cause_settled(r->seen->rival_cause, rival))->name);
}

/* Why it takes one port alone, as far as its switch reports. */
static const char *adaptive_text(struct ibc_sink *out, const struct ibc_node *node)
{
	if (!node->ar)
		return sink_text(out, "%s does not report whether it does", node->label);
	if (!ibc_node_adaptive_sls(node))
		return sink_text(out, "%s does not", node->label);
	return sink_text(out, "so does %s, but not this traffic", node->label);
}

/* "while 3 sibling links are at 12 %" */
static const char *siblings_text(struct ibc_sink *out, const struct wait_root *seen)
{
	return sink_text(out, "while %s %s at %.0f %%",
	                 amount_text(out, seen->siblings, "sibling link"),
	                 seen->siblings == 1 ? "is" : "are", seen->sibling_util);
}

static const char *planes_text(struct ibc_sink *out, const struct ibc_congestion_root *r)
{
	const struct wait_others *planes = &r->seen->others;

	if (!planes->lost)
		return sink_text(out, "the other planes are at %.0f %%", planes->util);
	if (r->port->peer->node->type == IBC_NODE_CA)
		return sink_text(out, "%u of %u planes of %s %s no link", planes->lost, planes->all,
		                 peer_label(r), planes->lost == 1 ? "has" : "have");
	return sink_text(out, "%s lacks %s that other planes have", r->port->node->label,
	                 amount_text(out, planes->lost, "link"));
}

/* What is the matter with a link that is full, behind "is full (98 %)"; *advice: what to do. */
static const char *full_text(struct ibc_sink *out, const struct ibc_congestion_root *r,
                             enum wait_cause cause, const char **advice)
{
	const struct wait_others *like = &r->seen->others;
	const char *own = r->port->node->label;

	switch (cause) {
	case WAIT_UNEVEN:
		*advice = "The routes do not spread this traffic evenly. Trigger a heavy sweep "
			  "(SIGHUP to opensm), or use a routing engine made for this topology.";
		return sink_text(out, ", %s", siblings_text(out, r->seen));
	case WAIT_NOT_ADAPTIVE:
		*advice = sink_text(
		    out,
		    "Have the subnet manager enable adaptive routing on %s as on the others. If it "
		    "is enabled, find out which service level the jobs use, and whether it is "
		    "among those that are routed adaptively (NCCL_IB_SL, UCX_IB_SL); UD never is.",
		    own);
		return sink_text(out, ", %s: switches here route adaptively, %s",
		                 siblings_text(out, r->seen), adaptive_text(out, r->port->node));
	case WAIT_GROUP_SMALL:
		*advice = sink_text(out,
		                    "Repair the uplinks that %s lacks (ibcheck fattree names "
		                    "them): its adaptive routing has fewer to choose from.",
		                    own);
		return sink_text(out,
		                 ", as all uplinks of %s, which has %u: most like switches have %u "
		                 "or more, at %.0f %%",
		                 own, like->all - like->lost, like->all, like->util);
	case WAIT_PLANE_LOST:
		*advice = "Repair what the plane lacks (ibcheck fattree names it): until then "
			  "other links carry its share.";
		return sink_text(out, ": %s", planes_text(out, r));
	default:
		*advice = "The links here cannot carry all the traffic. Place jobs closer "
			  "together, or add links.";
		return ", and so are its siblings";
	}
}

static void report_cause(struct ibc_sink *out, const struct ibc_congestion_root *r,
                         enum wait_cause cause, const struct ibc_port *rival)
{
	const char *own = port_text(out, r->port), *peer = peer_label(r), *text, *advice;

	switch (cause) {
	case WAIT_SLOW_RECEIVER:
		text = sink_text(out, "%s is a slow receiver: %s waits %.0f %% of the time at %s",
		                 peer, own, r->wait_percent,
		                 r->util_percent < 0
		                     ? "unknown utilization"
		                     : sink_text(out, "%.0f %% utilization", r->util_percent));
		advice = sink_text(
		    out,
		    "The cause is %s, not the fabric: check the PCIe width and speed of its HCA, "
		    "programs or file systems that hang, memory and power settings.",
		    peer);
		break;
	case WAIT_RETRAINED:
		text = sink_text(out, "the link retrained while %s waited %.0f %% of the time", own,
		                 r->wait_percent);
		advice = "The link carries no data while it trains. Reseat and clean both plugs, "
			 "then replace the cable (see counters.recovery).";
		break;
	case WAIT_NARROW:
		text = sink_text(out, "runs at %.3g Gb/s, its siblings at %.3g Gb/s",
		                 ibc_link_gbps(r->port->width_active, r->port->speed_active),
		                 r->seen->sibling_gbps);
		advice = "Reseat the cable, then replace it (see port.width, port.speed).";
		break;
	case WAIT_RING:
		text = sink_text(
		    out,
		    "switches wait for each other in a ring; %s waits most, %.0f %% of the time",
		    own, r->wait_percent);
		advice = "Compare again over a longer time. If the ring is still there, check the "
			 "routes between these switches (ibcheck routes).";
		break;
	case WAIT_LOOP:
		text = "switches wait for each other in a ring and no data moves: probably a "
		       "credit loop";
		advice = "Disable and enable one link of the ring to break it. Then configure a "
			 "deadlock-free routing engine in the subnet manager.";
		break;
	case WAIT_UNKNOWN:
		text = sink_text(
		    out,
		    "%s waits %.0f %% of the time for %s, none of whose ports is known to wait",
		    own, r->wait_percent, peer);
		advice = sink_text(
		    out,
		    "Check that all ports of %s report their counters (counters.silent), and "
		    "compare again: the cause can come and go.",
		    peer);
		break;
	case WAIT_INCAST:
		text = sink_text(out, "the link to %s is full (%.0f %%)", peer, r->util_percent);
		advice = sink_text(out,
		                   "Several senders together send more than the link of %s "
		                   "carries. Spread the load over more servers or HCAs.",
		                   peer);
		break;
	default:
		text = full_text(out, r, cause, &advice);
		text = sink_text(out, "is full (%.0f %%)%s", r->util_percent, text);
	}
	sink_link(out, r->port, "%s%s%s", text, victims_text(out, r), rival_text(out, r, rival));
	sink_advise(out, "%s%s", advice,
	            rival ? " The linear forwarding tables (LFTs) decide between the two causes: "
	                    "ibcheck all --routes --interval 60."
	                  : "");
}

/* What held others up and vanished since, as a host that was reset, was a fault all the same. */
static void report_gone(struct ibc_sink *out, const struct ibc_congestion_root *r)
{
	sink_link(
	    out, r->port,
	    "is gone since; until then a root of congestion (%s), up to %.0f %% of the time%s",
	    r->kind->name, r->worst_percent, windows_text(out, r));
	sink_advise(out,
	            "Find out who took the link away, or what broke it. If %s was reset, or its "
	            "cable unplugged, the congestion can return with it: remove the cause first.",
	            peer_label(r));
}

/* ---- what to report ------------------------------------------------------------------------ */

static void root_facts(struct ibc_sink *out, const struct ibc_congestion_root *r)
{
	double gbps = ibc_link_gbps(r->port->width_active, r->port->speed_active);

	sink_fact(out, "cause", ibc_str(r->kind->word));
	sink_fact(out, "wait_percent",
	          r->wait_percent < 0 ? ibc_none() : ibc_real(r->wait_percent));
	sink_fact(out, "utilization_percent",
	          r->util_percent < 0 ? ibc_none() : ibc_real(r->util_percent));
	if (r->wait_percent >= 0)
		sink_fact(out, "lost_gbps", ibc_real(r->wait_percent / 100 * gbps));
	sink_fact(out, "worst_wait_percent", ibc_real(r->worst_percent));
	sink_fact(out, "victims", ibc_u64(r->victims));
	sink_fact(out, "lost_bytes", ibc_u64((uint64_t)r->lost_bytes));
	if (!r->windows)
		return;
	sink_fact(out, "windows", ibc_u64(r->windows));
	sink_fact(out, "windows_with", ibc_u64(r->with));
	sink_fact(out, "onset_window", ibc_u64(r->onset));
}

/*
 * A port in the windows in which it is a root, the worst first; @windows: of which that is known.
 * As much as in the one that lasts it waits long enough to count: that one speaks for the port.
 * If there is none, or it is below the limit, the worst one does, as a note.
 */
static void report_root(const struct ibc_input *in, struct ibc_sink *out,
                        const struct wait_root *series, size_t n, uint64_t windows)
{
	const bool slow = out->check == &ibc_checks_counters_congestion[SLOW_RECEIVER];
	const struct ibc_port *port = wait_root_port(series, in->before, in->fabric);
	enum ibc_severity severity = IBC_OK;
	const struct ibc_port *rival;
	struct ibc_congestion_root r;
	struct limits limits;
	enum wait_cause cause;
	size_t named = 0;

	if (!port || !port->peer)
		return;
	limits = limits_of(in->config, out->check, port);
	r = windows_sum_up(windows, series, n, limits.warning);
	r.port = port;
	if (r.worst_percent > 0 && r.worst_percent >= limits.critical)
		severity = IBC_CRITICAL;
	else if (r.worst_percent > 0 && r.worst_percent >= limits.warning)
		severity = IBC_WARNING;
	cause = wait_cause_settled(r.seen->cause, port);
	if (!severity || (cause == WAIT_SLOW_RECEIVER) != slow)
		return;
	r.kind = wait_cause_word(cause);
	sink_as(out, r.lasts || !windows ? severity : IBC_INFO);
	if (port->node->subnet->fabric != in->fabric) {
		report_gone(out, &r);
		root_facts(out, &r);
		return;
	}
	rival = r.seen->rival ? fabric_port_at(in->fabric, r.seen->rival->guid, r.seen->rival->num)
	                      : NULL;
	rival = rival && rival->peer ? rival : NULL;
	report_cause(out, &r, cause, rival);
	root_facts(out, &r);
	/* no relation: neither finding is the consequence of the other */
	if (rival) {
		sink_fact(out, "other_cause", ibc_str(wait_cause_word(r.seen->rival_cause)->word));
		sink_fact(out, "other_cause_at", ibc_str(port_text(out, rival)));
	}
	/* the ports of a ring, then the victims, so many as there is room for */
	for (size_t i = 1; i < r.seen->n && named < VICTIMS_MAX; i++) {
		const struct wait_port *p = &r.seen->ports[i];
		const struct ibc_port *of = fabric_port_at(in->fabric, p->guid, p->num);

		if (!of || !of->peer)
			continue;
		sink_relate(out, p->in_ring ? IBC_ROLE_FOUND : IBC_ROLE_VICTIM, of);
		named++;
	}
}

/* ---- ports whose waiting has no unit -------------------------------------------------- */

struct waiter {
	const struct ibc_port *port;
	uint64_t ticks;
};

static int most_first(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	return order_u64(y->ticks, x->ticks);
}

/*
 * The length of a tick, or the speed, is not known: only who waited most.  Where no port reports
 * how long it waited, congestion was not judged.
 */
static void report_ranked(const struct ibc_input *in, struct ibc_sink *out)
{
	struct waiter *waiters = sink_array(out, ibc_fabric_count(in->fabric).ports,
	                                    sizeof(*waiters));
	struct examples examples = { .count = 0 };
	const struct ibc_port *p;
	size_t known = 0, n = 0;
	bool timed = false;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct ibc_delta delta;
		struct count waited;

		if (!ibc_delta_among(in->before, p, COUNTER_BIT(IBC_XMIT_WAIT), &delta))
			continue;
		timed |= delta.seconds > 0;
		waited = count_in(&delta, IBC_XMIT_WAIT);
		if (ibc_delta_wait_percent(p, &delta) >= 0)
			known++;
		else if (waited.n)
			waiters[n++] = (struct waiter){ p, waited.n };
	}
	if (!n)
		return;
	qsort(waiters, n, sizeof(*waiters), most_first);
	/* beside totals the time is no more missed than a second reading is */
	sink_as(out, known || (!timed && in->totals) ? IBC_INFO : IBC_UNKNOWN);
	sink_fabric(out,
	            "%s reported PortXmitWait in %s of unknown length, so the share of time is "
	            "not known; most ticks: %s",
	            amount_text(out, n, "port"), timed ? "ticks" : "a time",
	            port_text(out, waiters[0].port));
	if (!timed)
		sink_advise(out, "Congestion was not judged: the file does not contain the time "
		                 "between its two readings. Run ibdiagnet with --pm_pause_time, "
		                 "which stands in the file then, or sweep the live fabric.");
	else if (!known)
		sink_advise(out, "Congestion was not judged: no port's link speed and length of a "
		                 "tick (PortSamplesControl) are both known. Sweep the live fabric, "
		                 "or look at the ports with the most ticks.");
	sink_fact(out, "ports", ibc_u64(n));
	sink_fact(out, "most_ticks", ibc_u64(waiters[0].ticks));
	for (size_t i = 0; i < n; i++)
		examples_add(&examples, waiters[i].port);
	examples_relate(out, &examples);
}

/* ---- the checks -------------------------------------------------------------------------- */

/* The roots that are slow receivers, or all others, each for its check. */
static void check_waits(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct wait_root *series;
	size_t n;

	if (!in->windows) {
		series = waits_find(out->scratch, out->scratch, in->before, in->fabric, &n);
		for (size_t i = 0; i < n; i++)
			report_root(in, out, &series[i], 1, 0);
	} else {
		for (size_t at = 0; (series = windows_roots(in->windows, at, &n)); at += n)
			report_root(in, out, series, n, windows_judged(in->windows, series, n));
	}
	if (out->check == &ibc_checks_counters_congestion[CONGESTION])
		report_ranked(in, out);
}

/* ---- the table --------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_congestion[] = {
	/* All reasons to wait but slow receivers: full links, narrow ones, rings. */
	[CONGESTION] = CHECK(
	    "counters.congestion", "congested links that other ports wait for", IBC_WARNING,
	    check_waits, COUNTED, .limits = { 5, 20, .unit = "of percent" },
	    EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT),
	                 BY("counters.slow-receiver", AT), BY("counters.silent", AT)),
	    .many = "links|are congested"),
	/* A host that does not take what it is sent blocks all that is behind it. */
	[SLOW_RECEIVER] = CHECK("counters.slow-receiver", "hosts that are slow receivers",
	                        IBC_WARNING, check_waits, COUNTED,
	                        .limits = { 5, 20, .unit = "of percent" },
	                        EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	                        .many = "hosts|are slow receivers"),
	{ 0 },
};
