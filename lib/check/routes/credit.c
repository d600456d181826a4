/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of buffers that can wait for each other. */
#include <stdio.h>

#include <ibcheck/adaptive.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/routes/routes.h"

#define RINGS_MIN 3 /* of a family: two may have two causes */

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

/* "leaf01/19 > leaf02/20 > ... > back" */
static const char *ring_text(struct ibc_sink *out, const struct ibc_credit_loop *loop)
{
	const struct ibc_port **ports = sink_array(out, loop->num_hops, sizeof(*ports));

	for (size_t i = 0; i < loop->num_hops; i++)
		ports[i] = loop->hops[i].out;
	return sink_text(out, "%sback", hops_text(out, ports, loop->num_hops));
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
}

static const char *if_assumed(const struct ibc_input *in, const struct ibc_subnet *subnet)
{
	const struct ibc_route_sums *s;

	for (size_t i = 0; (s = ibc_routes_sums(in->routes, i)); i++)
		if (s->subnet == subnet && s->sl_source == IBC_SL_ASSUMED)
			return ", if all paths use service level 0";
	return "";
}

/*
 * A switch of a ring that traffic which is routed adaptively passes by other ports; NULL: none,
 * or the ring was found by following those too, which rings of switches' own packets are not.
 */
static const struct ibc_node *static_at(const struct ibc_input *in,
                                        const struct ibc_credit_loop *loop)
{
	const struct ibc_subnet *subnet = loop->hops[0].out->node->subnet;
	const struct ibc_ar_sums *ar;

	for (size_t i = 0; (ar = ibc_routes_ar_sums(in->routes, i)); i++)
		if (ar->subnet == subnet && ar->rings_followed &&
		    loop->cause != IBC_LOOP_SWITCH_PORTS)
			return NULL;
	for (size_t i = 0; i < loop->num_hops; i++)
		if (carries_part(loop->hops[i].out->node))
			return loop->hops[i].out->node;
	return NULL;
}

/*
 * struct ring_family - rings of one cause, each of which closes alone: no packets but those that go
 * round it wait in it.  If they take all cables between switches, both ways, it is a torus whose
 * tables go through its dimensions in order.
 * @first: of them; @least, @most: buffers of one; @channels: of all
 */
struct ring_family {
	const struct ibc_subnet *subnet;
	enum ibc_loop_cause cause;
	const struct ibc_credit_loop *first;
	size_t rings, least, most, channels;
};

static bool is_of_family(const struct ring_family *f, const struct ibc_credit_loop *loop)
{
	return loop->cause == f->cause && loop->channels == loop->num_hops &&
	       loop->hops[0].out->node->subnet == f->subnet;
}

static struct ring_family family_of(const struct ibc_input *in, const struct ibc_credit_loop *like)
{
	struct ring_family f = { .subnet = like->hops[0].out->node->subnet, .cause = like->cause };
	const struct ibc_credit_loop *loop;

	f.least = SIZE_MAX;
	for (size_t i = 0; (loop = ibc_routes_credit_loop(in->routes, i)); i++) {
		if (!is_of_family(&f, loop))
			continue;
		f.first = f.first ? f.first : loop;
		f.least = loop->num_hops < f.least ? loop->num_hops : f.least;
		f.most = loop->num_hops > f.most ? loop->num_hops : f.most;
		f.channels += loop->num_hops;
		f.rings++;
	}
	return f;
}

static void report_family(const struct ibc_input *in, struct ibc_sink *out,
                          const struct ring_family *f)
{
	const struct ibc_port *p;
	size_t trunks = 0; /* cables between switches count twice: each is a buffer each way */
	bool all;
	const char *sizes = f->least == f->most ? sink_text(out, "%zu", f->least)
	                                        : sink_text(out, "%zu to %zu", f->least, f->most);

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		trunks += p->node->subnet == f->subnet && p->peer &&
		          p->node->type == IBC_NODE_SWITCH &&
		          p->peer->node->type == IBC_NODE_SWITCH;
	all = f->channels == trunks;
	sink_as(out, causes[f->cause].severity);
	sink_fabric(out,
	            "%s%zu rings of %s buffers each can wait for themselves%s%s%s%s; the first on "
	            "VL %u: %s",
	            subnet_intro(out, f->subnet), f->rings, sizes, causes[f->cause].because,
	            if_assumed(in, f->subnet), carried_text(out, static_at(in, f->first)),
	            all ? ": all rings of the torus, each closes along one dimension" : "",
	            f->first->hops[0].vl, ring_text(out, f->first));
	sink_advise(
	    out, "%s%s", all ? "Routes in the order of dimensions (dor) do so. " : "",
	    all && f->cause == IBC_LOOP_HOSTS
		? "Configure an engine that separates them by VLs: torus-2QoS, lash, nue or "
		  "dfsssp (opensm -R). Until then a loaded network can deadlock."
		: causes[f->cause].advice);
	sink_fact(out, "cause", ibc_enum(ibc_loop_cause_word(f->cause)));
	sink_fact(out, "rings", ibc_u64(f->rings));
	sink_fact(out, "channels", ibc_u64(f->channels));
	traffic_fact(out, static_at(in, f->first));
	for (size_t i = 0; i < f->first->num_hops; i++)
		report_hop(out, f->first, i);
}

static void check_credit_loop(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_sums *sums;
	const struct ibc_credit_loop *loop;
	struct ring_family f = { .subnet = NULL };

	/* Rings that are a family are one finding, at the place of the first of them. */
	for (size_t i = 0; (loop = ibc_routes_credit_loop(in->routes, i)); i++) {
		if (loop->channels == loop->num_hops && !is_of_family(&f, loop))
			f = family_of(in, loop);
		if (!is_of_family(&f, loop) || f.rings < RINGS_MIN) {
			const struct ibc_credit_hop *first = &loop->hops[0];

			sink_as(out, causes[loop->cause].severity);
			sink_port(out, first->out,
			          "is in a ring of %zu buffers on VL %u that can wait for each "
			          "other%s%s%s: %s",
			          loop->num_hops, first->vl, causes[loop->cause].because,
			          if_assumed(in, first->out->node->subnet),
			          carried_text(out, static_at(in, loop)), ring_text(out, loop));
			sink_advise(out, "%s", causes[loop->cause].advice);
			sink_fact(out, "cause", ibc_enum(ibc_loop_cause_word(loop->cause)));
			sink_fact(out, "hops", ibc_u64(loop->num_hops));
			sink_fact(out, "channels", ibc_u64(loop->channels));
			traffic_fact(out, static_at(in, loop));
			for (size_t k = 0; k < loop->num_hops; k++) {
				report_hop(out, loop, k);
				if (k) /* the first is what the finding is about */
					sink_relate(out, IBC_ROLE_FOUND, loop->hops[k].out);
			}
		} else if (loop == f.first) {
			report_family(in, out, &f);
		}
	}
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++) {
		/* rings of some paths, or of all, were not looked at as packets go; tables of a
		 * file have no SLs */
		const struct ibc_subnet *subnet = sums->subnet;

		if (sums->sl_source == IBC_SL_PARTIAL) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out,
			            "%sthe service levels of some paths are not known, and the "
			            "others differ: rings of those paths are not checked",
			            subnet_intro(out, subnet));
			sink_advise(out, "Run it on a host that subnet administration (SA) answers "
			                 "in full, or give the service levels from a file.");
		} else if (subnet->origin &&
		           ibc_port_unanswered(subnet->origin, IBC_ATTR_PATH_RECORD)) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out,
			            "%ssubnet administration (SA) did not report the service "
			            "levels of all paths",
			            subnet_intro(out, subnet));
			sink_advise(out, "Rings are checked with the known service levels, and 0 "
			                 "for unknown ones. Check that the subnet manager answers "
			                 "(ibcheck sm), and run this again.");
			sink_unanswered(out, 1);
		}
	}
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
