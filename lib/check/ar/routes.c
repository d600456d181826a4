/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the ports that switches choose from lead (adaptive routing). */
#include <inttypes.h>
#include <stdio.h>

#include <ibcheck/adaptive.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/routes/routes.h"

static const char rewrite_advice[] =
    "Trigger a heavy sweep of the subnet manager, which writes the tables again. If that does "
    "not change them, see its log for this switch, and restart the switch.";

static void pair_facts(struct ibc_sink *out, uint64_t pairs, size_t dlids, unsigned int dlid,
                       const struct ibc_port *src, const struct ibc_port *dst)
{
	sink_fact(out, "pairs", ibc_u64(pairs));
	sink_fact(out, "destinations", ibc_u64(dlids));
	sink_fact(out, "dlid", ibc_u64(dlid));
	if (!src || !dst)
		return;
	sink_fact(out, "from", ibc_str(src->node->label));
	sink_fact(out, "to", ibc_str(dst->node->label));
	sink_relate(out, IBC_ROLE_VICTIM, src);
	sink_relate(out, IBC_ROLE_VICTIM, dst);
}

static const char *lids_text(struct ibc_sink *out, size_t dlids, unsigned int dlid)
{
	return dlids == 1 ? sink_text(out, "LID %u", dlid)
	                  : sink_text(out, "%zu LIDs of hosts", dlids);
}

/* ---- ar.dead-way ---------------------------------------------------------------------- */

static const char *dead_end_text(struct ibc_sink *out, const struct ibc_ar_dead_end *d)
{
	const char *lids = lids_text(out, d->dlids, d->dlid);
	const struct ibc_port *port = ibc_node_port(d->at, d->port);

	switch (d->end) {
	case IBC_ROUTE_NO_ENTRY:
		return sink_text(out, "has no entry for %s", lids);
	case IBC_ROUTE_DOWN:
		return sink_text(out, "sends %s out of port %u alone, which has no link", lids,
		                 d->port);
	case IBC_ROUTE_ELSEWHERE:
		if (port && port->peer)
			return sink_text(out, "sends %s to %s/%u, which is not the destination",
			                 lids, port->peer->node->label, port->peer->num);
		/* fall through */
	default:
		return sink_text(out, "sends %s out of port %u, which it does not have", lids,
		                 d->port);
	}
}

static const struct {
	const char *text, *many, *advice;
} gaps[IBC_AR_GAPS] = {
	[IBC_AR_UNREAD] = { "routes adaptively, and did not answer for all of its tables of it",
	                    "did not",
	                    "Sweep again. If it stays so, compare the firmware, or run ibdiagnet "
	                    "-r and give its ibdiagnet2.far with --tables." },
	[IBC_AR_UNCLEAR] = { "has adaptive tables that are not understood", "have such tables",
	                     "No known layout of them agrees with the static LFTs. Run ibdiagnet "
	                     "-r and give its ibdiagnet2.far with --tables." },
	[IBC_AR_CHANGED] = { "got other adaptive tables while they were read, twice", "did",
	                     "The subnet manager writes tables now. Sweep again when its log says "
	                     "SUBNET UP." },
};

/* Switches whose tables are not known; false: there are none. */
static bool report_unknown_tables(struct ibc_sink *out, const struct ibc_ar_sums *sums)
{
	const struct ibc_forwarding *lft = sums->subnet->forwarding;
	const struct ibc_node *first[IBC_AR_GAPS] = { NULL };
	size_t n[IBC_AR_GAPS] = { 0 };

	for (size_t i = lft && lft->ar ? lft->num_switches : 0; i > 0; i--) {
		const enum ibc_ar_gap gap = lft->ar->switches[i - 1].gap;

		first[gap] = lft->switches[i - 1];
		n[gap]++;
	}
	for (size_t gap = 1; gap < IBC_AR_GAPS; gap++) {
		if (!n[gap])
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_node(out, first[gap], "%s%s", gaps[gap].text,
		          n[gap] > 1 ? sink_text(out, "; %zu switches %s", n[gap], gaps[gap].many)
		                     : "");
		sink_advise(out,
		            "%s The static LFTs were checked: they hold for UD and IPoIB only.",
		            gaps[gap].advice);
		sink_fact(out, "switches", ibc_u64(n[gap]));
		if (sums->followed)
			sink_fact(out, "pairs", ibc_u64(sums->unknown));
	}
	return n[IBC_AR_UNREAD] + n[IBC_AR_UNCLEAR] + n[IBC_AR_CHANGED] > 0;
}

static void check_dead_way(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_ar_dead_end *d;
	const struct ibc_ar_sums *sums;

	for (size_t i = 0; (d = ibc_routes_ar_dead_end(in->routes, i)); i++) {
		const char *by = sink_text(out, "%s/%u", d->by.node->label, d->by.port);

		sink_node(out, d->at,
		          "%s; adaptive routing can choose that route (%s): %" PRIu64
		          " pair%s of hosts lose packets at times",
		          dead_end_text(out, d), by, d->pairs, many(d->pairs));
		sink_advise(out,
		            "%s Until then RC and DC connections repeat what is lost: they stall "
		            "or break off.",
		            rewrite_advice);
		sink_fact(out, "end", ibc_enum(ibc_route_end_word(d->end)));
		sink_fact(out, "port", ibc_u64(d->port));
		sink_fact(out, "chosen", ibc_str(by));
		pair_facts(out, d->pairs, d->dlids, d->dlid, d->src, d->dst);
		if (d->by.node != d->at)
			sink_relate_node(out, IBC_ROLE_FOUND, d->by.node);
	}
	for (size_t i = 0; (sums = ibc_routes_ar_sums(in->routes, i)); i++) {
		const bool named = report_unknown_tables(out, sums);

		/* all that is lost at times has its place above, or in ar.loop; if not, it is
		 * reported all the same */
		if (sums->some && !ibc_routes_ar_dead_end(in->routes, 0) &&
		    !ibc_routes_ar_loop(in->routes, 0)) {
			sink_as(out, IBC_CRITICAL);
			sink_fabric(out,
			            "%s%" PRIu64
			            " pair%s of hosts lose packets at times by a choice of "
			            "adaptive routing; the switch was not found",
			            subnet_intro(out, sums->subnet), sums->some, many(sums->some));
			sink_advise(out, "Follow such pairs with \"ibcheck routes --path\", and "
			                 "report this as an error of ibcheck.");
			sink_fact(out, "pairs", ibc_u64(sums->some));
		}
		/* Nothing is followed, or not all. */
		if (sums->private_switches) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out,
			            "%s%zu switch%s private LFTs (pLFT): the routes of adaptive "
			            "routing were not followed",
			            subnet_intro(out, sums->subnet), sums->private_switches,
			            sums->private_switches == 1 ? " has" : "es have");
			sink_advise(out, "The static LFTs were checked. They say nothing about "
			                 "traffic that is routed adaptively.");
		} else if (sums->unknown && !named) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out,
			            "%s%" PRIu64 " pair%s of hosts can be routed adaptively over a "
			            "switch whose tables are not known",
			            subnet_intro(out, sums->subnet), sums->unknown,
			            many(sums->unknown));
			sink_advise(out, "Read the tables of all switches: run ibdiagnet -r again, "
			                 "and give its ibdiagnet2.far.");
			sink_fact(out, "pairs", ibc_u64(sums->unknown));
		}
	}
}

/* ---- ar.loop -------------------------------------------------------------------------- */

static void check_ar_loop(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_ar_sums *sums;
	const struct ibc_ar_loop *loop;

	for (size_t i = 0; (loop = ibc_routes_ar_loop(in->routes, i)); i++) {
		sink_port(
		    out, loop->out[0],
		    "is in a ring by which adaptive routing can send packets for %s round: %sback; "
		    "%" PRIu64 " pair%s of hosts can lose packets",
		    lids_text(out, loop->dlids, loop->dlid), hops_text(out, loop->out, loop->num),
		    loop->pairs, many(loop->pairs));
		sink_advise(out, "%s", rewrite_advice);
		sink_fact(out, "hops", ibc_u64(loop->num));
		sink_fact(out, "switches", ibc_u64(loop->switches));
		pair_facts(out, loop->pairs, loop->dlids, loop->dlid, loop->src, loop->dst);
		for (size_t k = 1; k < loop->num; k++)
			sink_relate(out, IBC_ROLE_FOUND, loop->out[k]);
	}
	for (size_t i = 0; (sums = ibc_routes_ar_sums(in->routes, i)); i++) {
		if (!sums->followed || sums->rings_followed)
			continue;
		sink_as(out, IBC_UNKNOWN);
		sink_fabric(out,
		            "%sadaptive routing over several virtual lanes: rings of buffers "
		            "(credit loops) were checked for the static LFTs only",
		            subnet_intro(out, sums->subnet));
		sink_advise(out,
		            "Ask the vendor of the subnet manager whether its routing engine is "
		            "free of deadlock on this topology.");
	}
}

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_LFT, IBC_ATTR_AR_INFO, IBC_ATTR_AR_LFT
#define VITAL IBC_ATTRS(IBC_ATTR_AR_INFO)

const struct ibc_check ibc_checks_ar_routes[] = {
	CHECK("ar.dead-way", "adaptive routes by which packets are lost", IBC_CRITICAL,
	      check_dead_way, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS), .vital = VITAL,
	      .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_ABSENCE(ACROSS), BY_WIRING(ACROSS), BY_MANAGER, BY("sm.lid", ACROSS)),
	      .many = "dead ends|lose packets that adaptive routing sends there"),
	CHECK("ar.loop", "adaptive routes that can go round", IBC_CRITICAL, check_ar_loop,
	      .needs = IBC_ATTRS(NEEDS), .vital = VITAL, .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_WIRING(ACROSS), BY_MANAGER)),
	{ 0 },
};
