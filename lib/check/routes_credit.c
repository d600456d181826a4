/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of buffers that can wait for each other. */
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/routes.h"

#define RING_SHOWN 6 /* hops in the sentence */

#define OTHER_ENGINE                                                                               \
	"Configure a routing engine without such rings: updn, dnup or ftree on trees, dfsssp, "    \
	"lash or nue elsewhere (opensm -R). "

static const struct {
	enum ibc_severity severity;
	const char *because, *advice;
} causes[] = {
	[IBC_LOOP_HOSTS] = { IBC_CRITICAL, "",
	                     OTHER_ENGINE "Until then a loaded network can deadlock." },
	[IBC_LOOP_UPPER_HOSTS] = { IBC_WARNING,
	                           ", only because of hosts on switches above the leaves",
	                           "Move those hosts to leaves. " OTHER_ENGINE },
	[IBC_LOOP_SWITCH_PORTS] = { IBC_INFO,
	                            ", only through traffic to and from the switches themselves",
	                            "Switches send and receive few packets, such as counter "
	                            "queries: no action is needed." },
};

/* "leaf01/19 > leaf02/20 > ... and back" */
static const char *ring_text(struct ibc_sink *out, const struct ibc_credit_loop *loop)
{
	const char *text = "";

	for (size_t i = 0; i < loop->num_hops && i < RING_SHOWN; i++)
		text = sink_text(out, "%s%s > ", text, port_text(out, loop->hops[i].out));
	if (loop->num_hops > RING_SHOWN)
		return sink_text(out, "%s%zu more > back", text, loop->num_hops - RING_SHOWN);
	return sink_text(out, "%sback", text);
}

/* One hop, as a fact: which packets hold the buffer beyond it. */
static void report_hop(struct ibc_sink *out, const struct ibc_credit_loop *loop, size_t i)
{
	const struct ibc_credit_hop *hop = &loop->hops[i];
	const char *key = sink_text(out, "hop_%zu", i + 1);

	sink_fact(out, key,
	          ibc_str(sink_text(out, "%s VL %u: %s to %s (LID %u)", port_text(out, hop->out),
	                            hop->vl, hop->src ? hop->src->node->label : "?",
	                            hop->dst ? hop->dst->node->label : "?", hop->dlid)));
	if (i) /* the first is what the finding is about */
		sink_relate(out, IBC_ROLE_FOUND, hop->out);
}

static const struct ibc_route_sums *sums_of(const struct ibc_input *in,
                                            const struct ibc_subnet *subnet)
{
	const struct ibc_route_sums *s;

	for (size_t i = 0; (s = ibc_routes_sums(in->routes, i)); i++)
		if (s->subnet == subnet)
			break;
	return s;
}

static void report_ring(const struct ibc_input *in, struct ibc_sink *out,
                        const struct ibc_credit_loop *loop)
{
	const struct ibc_credit_hop *first = &loop->hops[0];
	const struct ibc_route_sums *sums = sums_of(in, first->out->node->subnet);
	bool assumed = sums && sums->sl_source == IBC_SL_ASSUMED;

	sink_as(out, causes[loop->cause].severity);
	sink_port(out, first->out,
	          "is in a ring of %zu buffers on VL %u that can wait for each other%s%s%s: %s",
	          loop->num_hops, first->vl, causes[loop->cause].because,
	          assumed ? ", if all paths use service level 0" : "",
	          carried_text(out, first->out->node->subnet), ring_text(out, loop));
	sink_advise(out, "%s", causes[loop->cause].advice);
	sink_fact(out, "cause", ibc_enum(ibc_loop_cause_word(loop->cause)));
	sink_fact(out, "hops", ibc_u64(loop->num_hops));
	sink_fact(out, "channels", ibc_u64(loop->channels));
	traffic_fact(out, first->out->node->subnet);
	for (size_t i = 0; i < loop->num_hops; i++)
		report_hop(out, loop, i);
}

/* Not all paths were looked at. */
static void report_partial(struct ibc_sink *out, const struct ibc_route_sums *sums)
{
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out,
	            "%sthe service levels of some paths are not known, and the others differ: "
	            "rings of those paths are not checked",
	            subnet_intro(out, sums->subnet));
	sink_advise(out, "Run it on a host that subnet administration (SA) answers in full, or "
	                 "give the service levels from a file.");
}

/* Nothing was told of any path; tables of a file were never asked for it. */
static void report_assumed(struct ibc_sink *out, const struct ibc_subnet *subnet)
{
	if (!subnet->origin || !ibc_port_unanswered(subnet->origin, IBC_ATTR_PATH_RECORD))
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out,
	            "%ssubnet administration (SA) did not report the service levels of all paths",
	            subnet_intro(out, subnet));
	sink_advise(out, "Rings are checked with the known service levels, and 0 for unknown ones. "
	                 "Check that the subnet manager answers (ibcheck sm), and run this again.");
	sink_unanswered(out, 1);
}

static void check_credit_loop(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_credit_loop *loop;
	const struct ibc_route_sums *sums;

	for (size_t i = 0; (loop = ibc_routes_credit_loop(in->routes, i)); i++)
		report_ring(in, out, loop);
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++)
		if (sums->sl_source == IBC_SL_PARTIAL)
			report_partial(out, sums);
		else
			report_assumed(out, sums->subnet);
	report_unread_tables(in, out, IBC_ATTR_SL2VL, "does not report its SL2VL table");
}

const struct ibc_check ibc_checks_routes_credit[] = {
	CHECK("routes.credit-loop", "rings of buffers that can wait for each other", IBC_CRITICAL,
	      check_credit_loop,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_LFT, IBC_ATTR_SL2VL,
	                         IBC_ATTR_PATH_RECORD),
	      .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_WIRING(ACROSS), BY("sm.stalled", SAME), BY("sm.none", SAME),
	                   BY("sm.sa-silent", SAME))),
	{ 0 },
};
