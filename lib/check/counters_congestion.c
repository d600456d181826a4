/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of ports that wait: where it begins, and who suffers. */
#include <stdlib.h>

#include "analysis/rates/windows.h"
#include "check/collect.h"
#include "check/counters_rates.h"
#include "check/groups.h"
#include "check/limits.h"

#define VICTIMS_MAX 32 /* so many are named */

/* ---- a root and its words ------------------------------------------------------------- */

/*
 * @windows, @with: of this run, and in how many of them it waits so; 0: it was no such run
 * @onset: the first of those, from 1
 * @lost: bytes, in all windows
 */
struct root {
	const struct waits *all;
	const struct wait_root *found;
	const struct wait_port *at;
	size_t index;
	unsigned int windows, with, onset;
	double lost;
};

static struct root root_at(const struct waits *all, size_t i, unsigned int windows)
{
	return (struct root){
		.all = all,
		.found = &all->roots[i],
		.at = &all->ports[all->roots[i].port],
		.index = i,
		.windows = windows,
		.lost = all->roots[i].lost,
	};
}

static const char *peer_label(const struct root *r)
{
	const struct ibc_node *node = r->at->port->peer->node;

	return node->host_name ? node->host_name : node->label;
}

static const char *windows_text(struct ibc_sink *out, const struct root *r)
{
	if (r->windows < 2)
		return r->windows ? "; a snapshot of one window" : "";
	return sink_text(out, "; %sin %u of %u windows%s",
	                 windows_last(r->with, r->windows) ? "" : "only ", r->with, r->windows,
	                 r->onset > 1 ? sink_text(out, ", from window %u on", r->onset) : "");
}

/* "; 3 ports wait behind it, up to 40 % of the time; in 5 of 6 windows" */
static const char *victims_text(struct ibc_sink *out, const struct root *r)
{
	const char *windows = windows_text(out, r);
	size_t n = r->found->victims;

	if (!n)
		return windows;
	return sink_text(out, "; %zu port%s wait%s behind it, up to %.0f %% of the time%s", n,
	                 n == 1 ? "" : "s", n == 1 ? "s" : "", r->found->worst_wait, windows);
}

static const char *root_use_text(struct ibc_sink *out, const struct root *r)
{
	return r->at->util < 0 ? "unknown utilization"
	                       : sink_text(out, "%.0f %% utilization", r->at->util);
}

static void report_slow_receiver(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port, "%s is a slow receiver: %s waits %.0f %% of the time at %s%s",
	          peer_label(r), port_text(out, r->at->port), r->at->wait, root_use_text(out, r),
	          victims_text(out, r));
	sink_advise(out,
	            "The cause is %s, not the fabric: check the PCIe width and speed of its HCA, "
	            "programs or file systems that hang, memory and power settings.",
	            peer_label(r));
}

static void report_incast(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port, "the link to %s is full (%.0f %%)%s", peer_label(r),
	          r->at->util, victims_text(out, r));
	sink_advise(out,
	            "Several senders together send more than the link of %s carries. Spread the "
	            "load over more servers or HCAs.",
	            peer_label(r));
}

static void report_retrained(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port, "the link retrained while %s waited %.0f %% of the time%s",
	          port_text(out, r->at->port), r->at->wait, victims_text(out, r));
	sink_advise(out, "The link carries no data while it trains. Reseat and clean both plugs, "
	                 "then replace the cable (see counters.recovery).");
}

static void report_narrow_link(struct ibc_sink *out, const struct root *r)
{
	double gbps = ibc_link_gbps(r->at->port->width_active, r->at->port->speed_active);

	sink_link(out, r->at->port, "runs at %.3g Gb/s, its siblings at %.3g Gb/s%s", gbps,
	          r->found->sibling_gbps, victims_text(out, r));
	sink_advise(out, "Reseat the cable, then replace it (see port.width, port.speed).");
}

static void report_uneven_links(struct ibc_sink *out, const struct root *r)
{
	size_t n = r->found->siblings;

	sink_link(out, r->at->port, "is full (%.0f %%), while %zu sibling link%s %s at %.0f %%%s",
	          r->at->util, n, n == 1 ? "" : "s", n == 1 ? "is" : "are", r->found->sibling_util,
	          victims_text(out, r));
	sink_advise(out, "The routes do not spread this traffic evenly. Trigger a heavy sweep "
	                 "(SIGHUP to opensm), or use a routing engine made for this topology.");
}

/* Why it takes one port alone, as far as its switch tells. */
static const char *adaptive_text(struct ibc_sink *out, const struct root *r)
{
	const struct ibc_node *node = r->at->port->node;

	if (!node->ar)
		return sink_text(out, "%s does not report whether it does", node->label);
	if (!ibc_node_adaptive_sls(node))
		return sink_text(out, "%s does not", node->label);
	return sink_text(out, "so does %s, but not this traffic", node->label);
}

static void report_not_adaptive(struct ibc_sink *out, const struct root *r)
{
	size_t n = r->found->siblings;

	sink_link(out, r->at->port,
	          "is full (%.0f %%), while %zu sibling link%s %s at %.0f %%: switches here route "
	          "adaptively, %s%s",
	          r->at->util, n, n == 1 ? "" : "s", n == 1 ? "is" : "are", r->found->sibling_util,
	          adaptive_text(out, r), victims_text(out, r));
	sink_advise(out,
	            "Have the subnet manager enable adaptive routing on %s as on the others. If "
	            "it is enabled, find out "
	            "which service level the jobs use, and whether it is among those that "
	            "are routed adaptively (NCCL_IB_SL, UCX_IB_SL); UD never is.",
	            r->at->port->node->label);
}

static void report_group_small(struct ibc_sink *out, const struct root *r)
{
	const struct wait_others *like = &r->found->others;

	sink_link(
	    out, r->at->port,
	    "is full (%.0f %%), as all uplinks of %s, which has %u: most like switches have %u "
	    "or more, at %.0f %%%s",
	    r->at->util, r->at->port->node->label, like->all - like->lost, like->all, like->util,
	    victims_text(out, r));
	sink_advise(out,
	            "Repair the uplinks that %s lacks (ibcheck fattree names them): its adaptive "
	            "routing has fewer to choose from.",
	            r->at->port->node->label);
}

static void report_plane_lost(struct ibc_sink *out, const struct root *r)
{
	const struct wait_others *planes = &r->found->others;
	bool to_hca = r->at->port->peer->node->type == IBC_NODE_CA;
	const char *why = sink_text(out, "the other planes are at %.0f %%", planes->util);

	if (planes->lost && to_hca)
		why = sink_text(out, "%u of %u planes of %s %s no link", planes->lost, planes->all,
		                peer_label(r), planes->lost == 1 ? "has" : "have");
	else if (planes->lost)
		why = sink_text(out, "%s lacks %u link%s that other planes have",
		                r->at->port->node->label, planes->lost,
		                planes->lost == 1 ? "" : "s");
	sink_link(out, r->at->port, "is full (%.0f %%): %s%s", r->at->util, why,
	          victims_text(out, r));
	sink_advise(out, "Repair what the plane lacks (ibcheck fattree names it): until then other "
	                 "links carry its share.");
}

static void report_oversubscribed(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port, "is full (%.0f %%), and so are its siblings%s", r->at->util,
	          victims_text(out, r));
	sink_advise(out, "The links here cannot carry all the traffic. Place jobs closer together, "
	                 "or add links.");
}

static void report_unread_peer(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port,
	          "%s waits %.0f %% of the time for %s, none of whose ports is known to wait%s",
	          port_text(out, r->at->port), r->at->wait, peer_label(r), victims_text(out, r));
	sink_advise(out,
	            "Check that all ports of %s report their counters (counters.silent), and "
	            "compare again: the cause can come and go.",
	            peer_label(r));
}

static void report_ring(struct ibc_sink *out, const struct root *r)
{
	sink_link(out, r->at->port,
	          "switches wait for each other in a ring; %s waits most, %.0f %% of the time%s",
	          port_text(out, r->at->port), r->at->wait, victims_text(out, r));
	sink_advise(out, "Compare again over a longer time. If the ring is still there, check the "
	                 "routes between these switches (ibcheck routes).");
}

static void report_loop(struct ibc_sink *out, const struct root *r)
{
	sink_link(
	    out, r->at->port,
	    "switches wait for each other in a ring and no data moves: probably a credit loop%s",
	    victims_text(out, r));
	sink_advise(out, "Disable and enable one link of the ring to break it. Then configure a "
	                 "deadlock-free routing engine in the subnet manager.");
}

static void (*const reports[])(struct ibc_sink *out, const struct root *r) = {
	[WAIT_UNKNOWN] = report_unread_peer,
	[WAIT_SLOW_RECEIVER] = report_slow_receiver,
	[WAIT_INCAST] = report_incast,
	[WAIT_RETRAINED] = report_retrained,
	[WAIT_NARROW] = report_narrow_link,
	[WAIT_UNEVEN] = report_uneven_links,
	[WAIT_NOT_ADAPTIVE] = report_not_adaptive,
	[WAIT_GROUP_SMALL] = report_group_small,
	[WAIT_PLANE_LOST] = report_plane_lost,
	[WAIT_OVERSUBSCRIBED] = report_oversubscribed,
	[WAIT_RING] = report_ring,
	[WAIT_LOOP] = report_loop,
};

/* ---- what to tell ------------------------------------------------------------------------ */

/* The ports of a ring, then the victims, so many as there is room for. */
static void relate_victims(struct ibc_sink *out, const struct root *r)
{
	size_t named = 0;

	for (int victims = 0; victims < 2; victims++) {
		for (size_t i = 0; i < r->all->n && named < VICTIMS_MAX; i++) {
			const struct wait_port *p = &r->all->ports[i];

			if (p->root != r->index || p == r->at || p->in_ring != !victims)
				continue;
			sink_relate(out, victims ? IBC_ROLE_VICTIM : IBC_ROLE_FOUND, p->port);
			named++;
		}
	}
}

static void root_facts(struct ibc_sink *out, const struct root *r)
{
	double gbps = ibc_link_gbps(r->at->port->width_active, r->at->port->speed_active);

	sink_fact(out, "cause", ibc_str(wait_cause_word(r->found->cause)->word));
	sink_fact(out, "wait_percent", r->at->wait < 0 ? ibc_none() : ibc_real(r->at->wait));
	sink_fact(out, "utilization_percent", r->at->util < 0 ? ibc_none() : ibc_real(r->at->util));
	if (r->at->wait >= 0)
		sink_fact(out, "lost_gbps", ibc_real(r->at->wait / 100 * gbps));
	sink_fact(out, "worst_wait_percent", ibc_real(r->found->worst_wait));
	sink_fact(out, "victims", ibc_u64(r->found->victims));
	sink_fact(out, "lost_bytes", ibc_u64((uint64_t)r->lost));
	if (!r->windows)
		return;
	sink_fact(out, "windows", ibc_u64(r->windows));
	sink_fact(out, "windows_with", ibc_u64(r->with));
	sink_fact(out, "onset_window", ibc_u64(r->onset));
}

static enum ibc_severity evaluate_root(const struct ibc_input *in, const struct ibc_sink *out,
                                       const struct root *r)
{
	struct limits limits = limits_of(in->config, out->check, r->at->port);

	if (r->found->worst_wait <= 0)
		return IBC_OK;
	if (r->found->worst_wait >= limits.critical)
		return IBC_CRITICAL;
	return r->found->worst_wait >= limits.warning ? IBC_WARNING : IBC_OK;
}

static void report_at(struct ibc_sink *out, const struct root *r, enum ibc_severity severity)
{
	sink_as(out, severity);
	reports[r->found->cause](out, r);
	root_facts(out, r);
	relate_victims(out, r);
}

/* What held others up and vanished since, as a host that was reset, was a fault all the same. */
static void report_gone(struct ibc_sink *out, const struct root *r, enum ibc_severity severity)
{
	sink_as(out, severity);
	sink_link(
	    out, r->at->port,
	    "is gone since; until then a root of congestion (%s), up to %.0f %% of the time%s",
	    wait_cause_word(r->found->cause)->name, r->found->worst_wait, windows_text(out, r));
	sink_advise(out,
	            "Find out who took the link away, or what broke it. If %s was reset, or its "
	            "cable unplugged, the congestion can return with it: remove the cause first.",
	            peer_label(r));
	root_facts(out, r);
}

/* The last sweep, or the first, whichever has the port with a cable.  NULL: none; or no memory. */
static const struct ibc_fabric *see_again(const struct ibc_input *in, struct ibc_sink *out,
                                          const struct seen_root *seen, struct waits *waits)
{
	const struct ibc_fabric *sweeps[] = { in->fabric, in->before };

	for (size_t i = 0; i < ARRAY_SIZE(sweeps); i++) {
		if (!windows_find_ports(out->scratch, seen, sweeps[i], waits)) {
			out->failed = true;
			return NULL;
		}
		if (waits->n)
			return sweeps[i];
	}
	return NULL;
}

/* In how many windows it waits as long as that is a fault, since which one, and what was lost. */
static void count_series(struct root *r, const struct seen_root *series, size_t n, double limit)
{
	r->lost = 0;
	for (size_t i = 0; i < n; i++) {
		r->lost += series[i].root.lost;
		if (series[i].root.worst_wait < limit)
			continue;
		r->with++;
		if (!r->onset || series[i].window + 1 < r->onset)
			r->onset = series[i].window + 1;
	}
}

/*
 * The windows in which a port is a root, the worst first.  As much as in the one that lasts it
 * waits long enough to count: that one speaks for the port.  If there is none, or it is below the
 * limit, the worst one does, as a note.
 */
static void report_series(const struct ibc_input *in, struct ibc_sink *out, bool slow,
                          const struct seen_root *series, size_t n)
{
	unsigned int known = windows_in(windows_judged(in->windows, series, n));
	const struct seen_root *pick = windows_lasting(series, n, known) ?: series;
	const struct ibc_fabric *sweep;
	enum ibc_severity severity;
	struct limits limits;
	struct waits waits;
	struct root r;

	sweep = see_again(in, out, series, &waits);
	if (!sweep)
		return;
	limits = limits_of(in->config, out->check, waits.ports->port);
	if (pick->root.worst_wait < limits.warning)
		pick = series;
	if (!see_again(in, out, pick, &waits))
		return;
	r = root_at(&waits, 0, known);
	count_series(&r, series, n, limits.warning);
	severity = evaluate_root(in, out, &r);
	if (severity && (r.found->cause == WAIT_SLOW_RECEIVER) == slow)
		(sweep == in->fabric ? report_at : report_gone)(
		    out, &r, windows_last(r.with, known) ? severity : IBC_INFO);
}

/* Tells of the roots that are slow receivers, or of all others. */
static void report_roots(const struct ibc_input *in, struct ibc_sink *out, bool slow)
{
	struct waits waits;

	if (!waits_find(out->scratch, in->before, in->fabric, &waits)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < waits.num_roots; i++) {
		struct root r = root_at(&waits, i, 0);
		enum ibc_severity severity = evaluate_root(in, out, &r);

		waits.roots[i].cause = wait_cause_settled(r.found->cause, r.at->port);
		if (severity && (r.found->cause == WAIT_SLOW_RECEIVER) == slow)
			report_at(out, &r, severity);
	}
}

/* The same, of several windows. */
static void report_windows(const struct ibc_input *in, struct ibc_sink *out, bool slow)
{
	const struct seen_root *series;
	size_t n;

	for (size_t at = 0; (series = windows_roots(in->windows, at, &n)); at += n)
		report_series(in, out, slow, series, n);
}

static void report_waits(const struct ibc_input *in, struct ibc_sink *out, bool slow)
{
	if (!in->before)
		return;
	if (in->windows)
		report_windows(in, out, slow);
	else
		report_roots(in, out, slow);
}

/* ---- ports whose waiting has no unit -------------------------------------------------- */

struct waiter {
	const struct ibc_port *port;
	uint64_t ticks;
};

static int most_first(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	return x->ticks > y->ticks ? -1 : x->ticks < y->ticks;
}

/* @known: how many told how long they waited */
static size_t collect_waiters(const struct ibc_input *in, struct waiter *waiters, size_t *known)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		struct ibc_delta delta;
		struct count waited;

		if (!ibc_delta_among(in->before, p, COUNTER_BIT(IBC_XMIT_WAIT), &delta))
			continue;
		waited = count_in(&delta, IBC_XMIT_WAIT);
		if (ibc_delta_wait_percent(p, &delta) >= 0)
			++*known;
		else if (waited.n)
			waiters[n++] = (struct waiter){ p, waited.n };
	}
	return n;
}

/*
 * How long a tick is they do not tell, or the speed is not known: only who waited most.  Where
 * nobody tells, congestion was not judged.
 */
static void report_ranked(const struct ibc_input *in, struct ibc_sink *out)
{
	struct waiter *waiters = sink_array(out, ibc_fabric_count(in->fabric).ports,
	                                    sizeof(*waiters));
	struct examples examples = { .count = 0 };
	size_t known = 0, n = waiters ? collect_waiters(in, waiters, &known) : 0;

	if (!n)
		return;
	qsort(waiters, n, sizeof(*waiters), most_first);
	sink_as(out, known ? IBC_INFO : IBC_UNKNOWN);
	sink_fabric(out,
	            "%zu port%s reported PortXmitWait in ticks of unknown length, so the share of "
	            "time is not known; most ticks: %s",
	            n, n == 1 ? "" : "s", port_text(out, waiters[0].port));
	if (!known)
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

/* A host that does not take what it is sent blocks all that is behind it. */
static void check_slow_receiver(const struct ibc_input *in, struct ibc_sink *out)
{
	report_waits(in, out, true);
}

/* All other reasons to wait: full links, narrow ones, rings. */
static void check_congestion(const struct ibc_input *in, struct ibc_sink *out)
{
	report_waits(in, out, false);
	report_ranked(in, out);
}

/* ---- the table --------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_counters_congestion[] = {
	CHECK("counters.congestion", "congested links that other ports wait for", IBC_WARNING,
	      check_congestion, .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS), .inputs = IBC_IN_BEFORE,
	      .limits = { 5, 20, .unit = "of percent" },
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT),
	                   BY("counters.slow-receiver", AT), BY("counters.silent", AT)),
	      .many = "links|are congested"),
	CHECK("counters.slow-receiver", "hosts that are slow receivers", IBC_WARNING,
	      check_slow_receiver, .needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS),
	      .inputs = IBC_IN_BEFORE, .limits = { 5, 20, .unit = "of percent" },
	      EXPLAINED_BY(BY_DAMAGE, BY("port.width", AT), BY("port.speed", AT)),
	      .many = "hosts|are slow receivers"),
	{ 0 },
};
