/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what the forwarding tables do with every pair of hosts: who does not arrive. */
#include "check/routes/routes.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/tree/switches.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"

#define ROUTE_SHOWN 16 /* ports of a route in a fact */
#define RING_SHOWN  6  /* ports of a ring in a sentence */

/* ---- whose routes they are --------------------------------------------------------------- */

bool carries_part(const struct ibc_node *node)
{
	return node && ibc_traffic_is_part(node->subnet->static_traffic) &&
	       (!ibc_node_has(node, IBC_ATTR_AR_INFO) || ibc_node_adaptive_sls(node));
}

const char *carried_text(struct ibc_sink *out, const struct ibc_node *node)
{
	return carries_part(node)
	           ? sink_text(out, " (%s)", ibc_traffic_word(node->subnet->static_traffic)->name)
	           : "";
}

void traffic_fact(struct ibc_sink *out, const struct ibc_node *node)
{
	if (carries_part(node))
		sink_fact(out, "traffic", ibc_enum(ibc_traffic_word(node->subnet->static_traffic)));
}

/* ---- a pair that shows it ------------------------------------------------------------ */

const char *hops_text(struct ibc_sink *out, const struct ibc_port *const *ports, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < RING_SHOWN; i++)
		text = sink_text(out, "%s%s > ", text, port_text(out, ports[i]));
	return n > RING_SHOWN ? sink_text(out, "%s%zu more > ", text, n - RING_SHOWN) : text;
}

void report_witness(struct ibc_sink *out, const struct ibc_port *src, const struct ibc_port *dst,
                    unsigned int dlid)
{
	struct ibc_path path = { .num = 0 };
	const char *text = ""; /* "leaf01/19 > spine01/3 > ...": the ports that it leaves by */

	if (!src || !dst)
		return;
	if (ibc_path_find(src, dlid, &path, NULL))
		path.num = 0;
	for (size_t i = 0; i < path.num && i < ROUTE_SHOWN; i++)
		text = sink_text(out, "%s%s%s/%u", text, i ? " > " : "", path.out[i]->node->label,
		                 path.out[i]->num);
	if (path.num > ROUTE_SHOWN)
		text = sink_text(out, "%s > ...", text);
	sink_fact(out, "from", ibc_str(src->node->label));
	sink_fact(out, "to", ibc_str(dst->node->label));
	sink_fact(out, "dlid", ibc_u64(dlid));
	sink_fact(out, "path", ibc_str(text));
	sink_relate(out, IBC_ROLE_VICTIM, src);
	sink_relate(out, IBC_ROLE_VICTIM, dst);
}

/* ---- what was not read ----------------------------------------------------------------- */

void report_unread_tables(const struct ibc_input *in, struct ibc_sink *out, enum ibc_attr attr,
                          const char *what)
{
	const struct ibc_node *node, *first = NULL, *examples[RELATED_MAX];
	const struct ibc_subnet *subnet;
	size_t n = 0, dumps = 0; /* tables that end with an error of ibroute */
	bool failed;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		if (!ibc_node_unanswered(node, attr))
			continue;
		if (!first)
			first = node;
		else if (n <= RELATED_MAX)
			examples[n - 1] = node;
		n++;
	}
	if (!first)
		return;
	for (size_t i = 0; attr == IBC_ATTR_LFT && (subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		dumps += subnet->forwarding ? subnet->forwarding->failed : 0;
	failed = dumps == n;
	sink_as(out, IBC_UNKNOWN);
	if (failed && n == 1)
		sink_node(out, first,
		          "the dump of its LFT ends with an error of ibroute: only the entries "
		          "before the error are checked");
	else if (failed)
		sink_node(out, first,
		          "each dump ends with an error of ibroute, that of this switch and of %zu "
		          "more: only the entries before the error are checked",
		          n - 1);
	else if (n == 1)
		sink_node(out, first, "%s: routes through it are not checked", what);
	else
		sink_node(
		    out, first,
		    "%s, and neither do %zu more switches: routes through them are not checked",
		    what, n - 1);
	sink_advise(out, "%s",
	            failed ? "Dump the tables of these switches again; what ibroute reported is in "
	                     "the file, behind the last entry of each."
	                   : "Check the switch. An M_Key can protect it: give the key with "
	                     "--key-files or -y. If the tables are from a file, dump those of all "
	                     "switches again.");
	sink_fact(out, "attribute", ibc_str(ibc_attr_name(attr)));
	sink_fact(out, "switches", ibc_u64(n));
	sink_unanswered(out, n);
	for (size_t i = 0; i + 1 < n && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, examples[i]);
}

/* Pairs whose route ends where a port did not report what is behind it, or a table is cut off. */
static void report_unknown(struct ibc_sink *out, const struct ibc_route_fault *f)
{
	if (ibc_node_unanswered(f->at, IBC_ATTR_LFT))
		return; /* reported with all such switches */
	sink_as(out, IBC_UNKNOWN);
	if (f->port)
		sink_node(out, f->at,
		          "sends %" PRIu64 " pair%s of hosts out of port %u, and the device behind "
		          "it is not known%s",
		          f->pairs, many(f->pairs), f->port, carried_text(out, f->at));
	else
		sink_node(out, f->at,
		          "has no entry for the LIDs of %" PRIu64
		          " pair%s of hosts in a table that may be cut off",
		          f->pairs, many(f->pairs));
	sink_advise(out, "%s",
	            f->port ? "Check whether the device at that port works and answers (ibcheck "
	                      "ports)."
	                    : "Write the file with the tables again, and compare its end with the "
	                      "old one.");
	sink_fact(out, "pairs", ibc_u64(f->pairs));
	if (f->port)
		traffic_fact(out, f->at);
	report_witness(out, f->src, f->dst, f->dlid);
}

/* ---- routes.unreachable ------------------------------------------------------------------- */

static void pair_facts(struct ibc_sink *out, const struct ibc_route_fault *f)
{
	sink_fact(out, "pairs", ibc_u64(f->pairs));
	sink_fact(out, "senders", ibc_u64(f->srcs));
	sink_fact(out, "destinations", ibc_u64(f->dsts));
	traffic_fact(out, f->at);
	report_witness(out, f->src, f->dst, f->dlid);
}

static const char rewrite_advice[] =
    "Trigger a heavy sweep (SIGHUP to opensm), which writes the tables again. If the entry does "
    "not change, see the log for this switch, and restart the switch.";

/* What tables and fabric do not have in common: switches, and hosts without a route. */
static void report_left_out(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_sums *sums;
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		const struct ibc_forwarding *f = subnet->forwarding;

		if (!f || !f->foreign)
			continue;
		sink_as(out, IBC_INFO);
		sink_fabric(
		    out,
		    "%s%s has tables of %zu switch%s that are not in this fabric (0x%016" PRIx64
		    "%s)",
		    subnet_intro(out, subnet), f->file, f->foreign, f->foreign == 1 ? "" : "es",
		    f->foreign_guid, f->foreign == 1 ? "" : " and so on");
		sink_advise(out, "Tables and fabric were not read at the same time, or the sweep "
		                 "did not reach all switches. Take both again.");
		sink_fact(out, "switches", ibc_u64(f->foreign));
		sink_fact(out, "reason", ibc_str("foreign"));
	}
	/* hosts that no manager has given a LID, or whose links wait */
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++) {
		size_t n = 0, left_out; /* cables from hosts to switches */

		for (size_t k = 0; (p = ibc_fabric_port(in->fabric, k)); k++)
			n += p->node->subnet == sums->subnet && p->node->type != IBC_NODE_SWITCH &&
			     p->peer && p->peer->node->type == IBC_NODE_SWITCH &&
			     !node_is_aggregator(p->node);
		if (sums->hosts >= n)
			continue;
		left_out = n - sums->hosts;
		sink_as(out, sums->hosts ? IBC_INFO : IBC_UNKNOWN);
		sink_fabric(out,
		            "%s%zu of %zu host ports %s no LID or no Active link: routes to and "
		            "from them were not checked",
		            subnet_intro(out, sums->subnet), left_out, n,
		            left_out == 1 ? "has" : "have");
		sink_advise(out,
		            "Check whether a subnet manager has configured them (ibcheck sm).");
		sink_fact(out, "left_out", ibc_u64(left_out));
		sink_fact(out, "reason", ibc_str("left_out"));
	}
}

static void check_unreachable(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_sums *sums;
	const struct ibc_route_fault *f;

	for (size_t i = 0; (f = ibc_routes_fault(in->routes, i)); i++) {
		if (f->end == IBC_ROUTE_UNKNOWN)
			report_unknown(out, f);
		if (f->end == IBC_ROUTE_NO_ENTRY && f->cut_switches) {
			/* its tables are as they can be */
			sink_node(out, f->at,
			          "is cut off, with %s%s%s: no cable to the rest of the fabric "
			          "carries data, and %s cannot communicate",
			          f->cut_switches > 1
			              ? amount_text(out, f->cut_switches - 1, "more switch")
			              : "",
			          f->cut_switches > 1 ? " and " : "",
			          amount_text(out, f->cut_hosts, "host"),
			          amount_text(out, f->pairs, "pair"));
			sink_advise(out, "Find the cables to the rest of the fabric that are down "
			                 "or wait for a subnet manager (ibcheck ports, ibcheck "
			                 "sm), and repair them. The tables then follow.");
			sink_fact(out, "switches", ibc_u64(f->cut_switches));
			sink_fact(out, "hosts", ibc_u64(f->cut_hosts));
			pair_facts(out, f);
		} else if (f->end == IBC_ROUTE_NO_ENTRY) {
			/* one switch that lacks entries, or all of them: then that of the LID */
			const char *how = f->only_own ? "is the only switch with an" : "has no";
			const char *traffic = carried_text(out, f->at);

			if (f->dsts == 1)
				sink_node(out, f->at,
				          "%s entry for LID %u of %s: %zu host%s cannot reach it%s",
				          how, f->dlid, f->dst->node->label, f->srcs, many(f->srcs),
				          traffic);
			else
				sink_node(out, f->at,
				          "%s entry for %zu LIDs of hosts: %" PRIu64
				          " pairs cannot communicate%s",
				          how, f->dsts, f->pairs, traffic);
			sink_advise(out, "%s", rewrite_advice);
			pair_facts(out, f);
		}
	}
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++) {
		/* the LID of a virtual port: the routes of pairs there are not followed */
		const struct ibc_spared_lids *lids = &sums->spared[IBC_LID_LOST];

		if (!lids->num)
			continue;
		sink_node(
		    out, lids->port->peer->node,
		    "does not send LID %u to port %u, but it is that of a virtual port of %s/%u%s",
		    lids->first, lids->port->peer->num, lids->port->node->label, lids->port->num,
		    lids->num > 1
			? sink_text(out, "; so it is with %zu LIDs of virtual ports", lids->num)
			: "");
		sink_advise(out, "%s", rewrite_advice);
		sink_fact(out, "dlid", ibc_u64(lids->first));
		sink_fact(out, "virtual_lids", ibc_u64(lids->num));
		sink_fact(out, "reason", ibc_str("virtual_port"));
		sink_relate(out, IBC_ROLE_VICTIM, lids->port);
	}
	report_unread_tables(in, out, IBC_ATTR_LFT,
	                     "does not report its linear forwarding table (LFT)");
	report_left_out(in, out);
}

/* ---- routes.dead-end ------------------------------------------------------------------------ */

/* The host at the end, if it has the LID as well as the one that is meant; or NULL. */
static const struct ibc_port *twin_of(const struct ibc_route_fault *f)
{
	const struct ibc_port *port = ibc_node_port(f->at, f->port), *p = port ? port->peer : NULL;

	if (f->end != IBC_ROUTE_ELSEWHERE || !p || p == f->dst || f->dlid < p->lid)
		return NULL;
	return f->dlid - p->lid < 1u << p->lmc ? p : NULL;
}

static const char *dead_end_text(struct ibc_sink *out, const struct ibc_route_fault *f)
{
	const struct ibc_port *port = ibc_node_port(f->at, f->port), *twin = twin_of(f);

	if (twin)
		return sink_text(out, "sends LID %u to %s/%u, which has the same LID as %s/%u",
		                 f->dlid, twin->node->label, twin->num, f->dst->node->label,
		                 f->dst->num);
	if (f->end == IBC_ROUTE_ELSEWHERE && port && port->peer)
		return sink_text(out, "sends %s to %s/%u, which is not their destination",
		                 f->dsts == 1 ? "a LID" : "LIDs", port->peer->node->label,
		                 port->peer->num);
	if (f->port == 0)
		return "keeps packets for LIDs that are not its own";
	return sink_text(out, "sends out of port %u, but has only %u ports", f->port,
	                 f->at->num_ports);
}

static void check_dead_end(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_sums *sums;
	const struct ibc_route_fault *f;

	for (size_t i = 0; (f = ibc_routes_fault(in->routes, i)); i++) {
		if (f->end != IBC_ROUTE_NO_PORT && f->end != IBC_ROUTE_ELSEWHERE)
			continue;
		sink_node(out, f->at, "%s: %" PRIu64 " pair%s of hosts cannot communicate%s",
		          dead_end_text(out, f), f->pairs, many(f->pairs),
		          carried_text(out, f->at));
		sink_advise(out, "%s",
		            twin_of(f) ? "\"ibcheck sm\" reports that two ports have this LID "
		                         "(sm.lid). Correct that first."
		                       : rewrite_advice);
		sink_fact(out, "end", ibc_enum(ibc_route_end_word(f->end)));
		sink_fact(out, "port", ibc_u64(f->port));
		pair_facts(out, f);
	}
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++) {
		/* the LID of a virtual port: the routes of pairs there are not followed */
		const struct ibc_spared_lids *lids = &sums->spared[IBC_LID_ASTRAY];
		const struct ibc_port *to;

		if (!lids->num)
			continue;
		to = lids->astray->peer;
		sink_node(out, lids->astray->node,
		          "sends LID %u to %s/%u, but it is that of a virtual port of %s/%u%s",
		          lids->first, to->node->label, to->num, lids->port->node->label,
		          lids->port->num,
		          lids->num > 1
		              ? sink_text(out, "; %zu LIDs of virtual ports go astray", lids->num)
		              : "");
		sink_advise(out, "%s", rewrite_advice);
		sink_fact(out, "end", ibc_enum(ibc_route_end_word(IBC_ROUTE_ELSEWHERE)));
		sink_fact(out, "port", ibc_u64(lids->astray->num));
		sink_fact(out, "virtual_lids", ibc_u64(lids->num));
		sink_relate(out, IBC_ROLE_FOUND, to);
		sink_relate(out, IBC_ROLE_VICTIM, lids->port);
	}
}

/* ---- routes.loop -------------------------------------------------------------------------- */

static void check_loop(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_fault *f;

	for (size_t i = 0; (f = ibc_routes_fault(in->routes, i)); i++) {
		const struct ibc_port *port = ibc_node_port(f->at, f->port);

		if (f->end != IBC_ROUTE_LOOP || !port)
			continue;
		sink_port(out, port,
		          "is part of a loop: packets for %zu LID%s circulate until they are "
		          "dropped, %" PRIu64 " pair%s of hosts cannot communicate%s",
		          f->dsts, many(f->dsts), f->pairs, many(f->pairs),
		          carried_text(out, f->at));
		sink_advise(out, "%s", rewrite_advice);
		pair_facts(out, f);
	}
}

/* ---- routes.stale ------------------------------------------------------------------------- */

static void report_down(const struct ibc_input *in, struct ibc_sink *out,
                        const struct ibc_stale_entries *s)
{
	const struct ibc_port *port = ibc_node_port(s->node, s->port);
	const char *users = s->pairs ? sink_text(out, ": %s of hosts cannot communicate",
	                                         amount_text(out, s->pairs, "pair"))
	                             : "; no pair of hosts uses it";
	const struct ibc_route_fault *f;

	sink_as(out, s->pairs ? IBC_CRITICAL : IBC_WARNING);
	sink_port(out, port, "%s, and %zu LID%s still go%s there%s%s",
	          port->peer ? "has a link that is not Active" : "is down", s->entries,
	          many(s->entries), s->entries == 1 ? "es" : "", users, carried_text(out, s->node));
	sink_advise(out, "Trigger a heavy sweep (SIGHUP to opensm), which %s",
	            port->peer ? "activates the link, or routes around it."
	                       : "routes around it; find out why the port is down.");
	sink_fact(out, "entries", ibc_u64(s->entries));
	sink_fact(out, "first_lid", ibc_u64(s->first_lid));
	sink_fact(out, "pairs", ibc_u64(s->pairs));
	traffic_fact(out, s->node);
	for (size_t i = 0; (f = ibc_routes_fault(in->routes, i)); i++)
		if (f->end == IBC_ROUTE_DOWN && f->at == s->node && f->port == s->port) {
			report_witness(out, f->src, f->dst, f->dlid);
			return;
		}
}

/* What is left of hosts that are gone, in as many tables as there are. */
static void report_ownerless(struct ibc_sink *out, const struct ibc_stale_entries *first,
                             size_t switches, size_t entries)
{
	sink_fabric(out, "%s%zu switch%s entries for LIDs that no port has, e.g. %s for LID %u",
	            subnet_intro(out, first->node->subnet), switches,
	            switches == 1 ? " has" : "es have", first->node->label, first->first_lid);
	sink_advise(out, "If these hosts exist, find out why the sweep does not reach them. If "
	                 "they are gone, the entries do no harm: trigger a heavy sweep (SIGHUP to "
	                 "opensm), or restart the subnet manager.");
	sink_fact(out, "switches", ibc_u64(switches));
	sink_fact(out, "entries", ibc_u64(entries));
	sink_fact(out, "reason", ibc_str("no_port"));
	sink_fact(out, "first_lid", ibc_u64(first->first_lid));
	sink_relate_node(out, IBC_ROLE_FOUND, first->node);
}

/* Whether packets for them arrive is not known: not even who has them. */
static const struct guess {
	enum ibc_lid_kind kind;
	const char *fact, *where, *what;
} guesses[] = {
	{ IBC_LID_MAYBE_OF_VPORT, "virtual_lids", "HCAs whose virtual ports were not read",
	  "those of virtual ports" },
	{ IBC_LID_MAYBE_FLID, "floating_lids", "routers, not all of which report their ranges",
	  "floating LIDs (FLIDs)" },
};

static void check_stale(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_route_sums *sums;
	const struct ibc_stale_entries *s, *first = NULL;
	size_t switches = 0, entries = 0;

	sink_as(out, IBC_OK);
	for (size_t i = 0; (s = ibc_routes_stale(in->routes, i)); i++) {
		if (s->port) {
			report_down(in, out, s);
			continue;
		}
		if (first && first->node->subnet != s->node->subnet) {
			sink_as(out, IBC_WARNING);
			report_ownerless(out, first, switches, entries);
			switches = entries = 0;
		}
		if (!switches++)
			first = s;
		entries += s->entries;
	}
	sink_as(out, IBC_WARNING);
	if (switches)
		report_ownerless(out, first, switches, entries);
	for (size_t i = 0; (sums = ibc_routes_sums(in->routes, i)); i++)
		for (size_t g = 0; g < ARRAY_SIZE(guesses); g++) {
			const struct ibc_spared_lids *lids = &sums->spared[guesses[g].kind];

			if (!lids->num)
				continue;
			sink_as(out, IBC_INFO);
			sink_fabric(out,
			            "%s%zu LID%s that no port has go%s to %s, e.g. LID %u to "
			            "%s/%u: guessed to be %s, and not checked",
			            subnet_intro(out, sums->subnet), lids->num, many(lids->num),
			            lids->num == 1 ? "es" : "", guesses[g].where, lids->first,
			            lids->port->node->label, lids->port->num, guesses[g].what);
			sink_fact(out, guesses[g].fact, ibc_u64(lids->num));
			sink_fact(out, "reason", ibc_str(guesses[g].fact));
			sink_fact(out, "first_lid", ibc_u64(lids->first));
			sink_relate(out, IBC_ROLE_FOUND, lids->port);
		}
}

/* ---- the table --------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_LFT

const struct ibc_check ibc_checks_routes[] = {
	CHECK("routes.unreachable", "hosts that a switch has no LFT entry for", IBC_CRITICAL,
	      check_unreachable, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(NEEDS, IBC_ATTR_VPORTS), .inputs = IBC_IN_ROUTES,
	      .kinds = "{attribute}{reason}",
	      EXPLAINED_BY(BY_ABSENCE(ACROSS), BY_WIRING(BESIDE), BY("port.physical", BESIDE),
	                   BY_MANAGER, BY("sm.lid", ACROSS), BY("port.state", BESIDE),
	                   BY("port.state", SAME)),
	      .many = "switches|have no LFT entry for some hosts"),
	CHECK("routes.dead-end", "LFT entries that lead to the wrong port", IBC_CRITICAL,
	      check_dead_end, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(NEEDS, IBC_ATTR_VPORTS), .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_ABSENCE(ACROSS), BY_WIRING(ACROSS), BY_MANAGER, BY("sm.lid", ACROSS)),
	      .kinds = "{end}{port}",
	      .many = "switches|have LFT entries that lead to the wrong port"),
	CHECK("routes.loop", "routes that go round in circles", IBC_CRITICAL, check_loop,
	      .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_ROUTES, EXPLAINED_BY(BY_MANAGER)),
	CHECK("routes.stale", "LFT entries for cables and hosts that are gone", IBC_CRITICAL,
	      check_stale, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(NEEDS, IBC_ATTR_VPORTS, IBC_ATTR_ROUTER_INFO),
	      .inputs = IBC_IN_ROUTES, .kinds = "{reason}",
	      EXPLAINED_BY(BY_ABSENCE(AT), BY_WIRING(AT), BY("port.physical", AT), BY_ABSENCE(SAME),
	                   BY_MANAGER, BY("sm.lid", SAME), BY("port.state", AT)),
	      .many = "ports|do not carry data, and LFT entries still lead there"),
	{ 0 },
};
