/* SPDX-License-Identifier: BSD-2-Clause */
/* How evenly routes use the cables, and whether they are as short as they can be. */
#include <inttypes.h>
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/routes/routes.h"

#define SINGLE_MAX 4 /* more switches than this are one finding */

/* ---- routes.imbalance --------------------------------------------------------------------- */

/*
 * How far above its share a port is.  What is left when destinations are dealt out one by one
 * is no imbalance, nor is one more, whose LID a switch or a manager may have: then 0.
 */
static double port_ratio(const struct ibc_uplinks *u, size_t i)
{
	double dealt = (double)(uint64_t)u->share[i] + 1;

	return u->dlids[i] > dealt + 1 ? u->dlids[i] / u->share[i] : 0;
}

static size_t busiest(const struct ibc_uplinks *u)
{
	size_t at = 0;

	for (size_t i = 1; i < u->num_ports; i++)
		if (port_ratio(u, i) > port_ratio(u, at))
			at = i;
	return at;
}

static double ratio_of(const struct ibc_uplinks *u)
{
	return port_ratio(u, busiest(u));
}

/* The worst of @n switches. */
static void report_uneven_uplinks(struct ibc_sink *out, const struct ibc_uplinks *u, size_t n,
                                  const struct examples *examples, const struct limits *limits)
{
	size_t i = busiest(u);

	sink_as(out, carries_part(u->node)             ? IBC_INFO
	             : ratio_of(u) >= limits->critical ? IBC_CRITICAL
	                                               : IBC_WARNING);
	sink_port(
	    out, u->ports[i],
	    "carries %u destination LIDs, %.1fx its even share of the %zu %s of this switch "
	    "(%.0f); the least used carries %u%s%s",
	    u->dlids[i], ratio_of(u), u->num_ports,
	    u->to ? sink_text(out, "cables to %s", u->to->label) : "uplinks", u->share[i], u->least,
	    n > 1 ? sink_text(out, "; %zu more switches of tier %u are uneven", n - 1, u->rank)
		  : "",
	    carried_text(out, u->node));
	sink_advise(out, "Find out which cables of the switch were down when the tables were "
	                 "written, and trigger a heavy sweep (SIGHUP to opensm). The engines "
	                 "ftree, updn and dfsssp spread evenly.");
	sink_fact(out, "most", ibc_u64(u->dlids[i]));
	sink_fact(out, "least", ibc_u64(u->least));
	sink_fact(out, "mean", ibc_real(u->mean));
	sink_fact(out, "share", ibc_real(u->share[i]));
	sink_fact(out, "ratio", ibc_real(ratio_of(u)));
	sink_fact(out, "switches", ibc_u64(n));
	traffic_fact(out, u->node);
	examples_relate(out, examples);
}

/* Are these cables among those? */
static bool is_part(const struct ibc_uplinks *u, const struct ibc_uplinks *whole)
{
	for (size_t i = 0; whole && u->to && i < whole->num_ports; i++)
		if (whole->ports[i] == u->ports[0])
			return true;
	return false;
}

/*
 * Of one rank, the whole of uplinks of each switch, or its trunks.  A trunk is reported only where
 * the whole, which comes before it, is even.
 */
static void evaluate_rank(const struct ibc_input *in, struct ibc_sink *out,
                          const struct limits *limits, unsigned int rank, bool trunks,
                          const struct ibc_uplinks **found)
{
	const struct ibc_uplinks *u, *whole = NULL;
	struct examples examples = { .count = 0 };
	size_t n = 0, worst = 0;

	for (size_t i = 0; (u = ibc_routes_uplinks(in->routes, i)); i++) {
		bool uneven = ratio_of(u) >= limits->warning || ratio_of(u) >= limits->critical;

		if (!u->to)
			whole = uneven ? u : NULL;
		if (u->rank != rank || (u->to != NULL) != trunks || !uneven || is_part(u, whole))
			continue;
		if (n && ratio_of(u) > ratio_of(found[worst]))
			worst = n;
		found[n++] = u;
	}
	if (n > SINGLE_MAX) {
		for (size_t i = 0; i < n; i++)
			if (i != worst)
				examples_add(&examples, found[i]->ports[busiest(found[i])]);
		report_uneven_uplinks(out, found[worst], n, &examples, limits);
		return;
	}
	for (size_t i = 0; i < n; i++)
		report_uneven_uplinks(out, found[i], 1, &examples, limits);
}

static void check_imbalance(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct limits limits = limits_of_fabric(in->config, out->check);
	const struct ibc_uplinks *u, **found;
	unsigned int ranks = 0;
	size_t n = 0;

	for (; (u = ibc_routes_uplinks(in->routes, n)); n++)
		if (u->rank >= ranks)
			ranks = u->rank + 1;
	found = sink_array(out, n + 1, sizeof(*found));
	for (unsigned int rank = 0; rank < ranks; rank++) {
		evaluate_rank(in, out, &limits, rank, false, found);
		evaluate_rank(in, out, &limits, rank, true, found);
	}
}

/* ---- routes.longer --------------------------------------------------------------------------- */

static void check_longer(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_longer_routes *l, *worst = NULL;
	uint64_t pairs = 0;
	size_t switch_pairs = 0;

	for (size_t i = 0; (l = ibc_routes_longer(in->routes, i)); i++) {
		pairs += l->pairs;
		switch_pairs++;
		if (!worst || l->hops - l->shortest > worst->hops - worst->shortest)
			worst = l;
	}
	if (!worst)
		return;
	sink_fabric(out,
	            "%" PRIu64 " pair%s of hosts on %zu pair%s of switches do not use the shortest "
	            "route, e.g. from %s to %s by %u switches instead of %u%s",
	            pairs, many(pairs), switch_pairs, many(switch_pairs), worst->from->label,
	            worst->to->label, worst->hops, worst->shortest, carried_text(out, worst->from));
	sink_advise(out, "This is no fault if the routing engine intends it: updn, ftree and "
	                 "engines that use virtual lanes (VLs) give up short routes to avoid "
	                 "rings. Otherwise find out what was down when the tables were written.");
	sink_fact(out, "pairs", ibc_u64(pairs));
	sink_fact(out, "hops", ibc_u64(worst->hops));
	sink_fact(out, "shortest", ibc_u64(worst->shortest));
	traffic_fact(out, worst->from);
	if (worst->src && worst->dst)
		report_witness(out, worst->src, worst->dst, worst->dst->lid);
}

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_LFT

const struct ibc_check ibc_checks_routes_spread[] = {
	CHECK("routes.imbalance", "destinations spread unevenly over uplinks", IBC_WARNING,
	      check_imbalance, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      .inputs = IBC_IN_ROUTES,
	      .limits = { 1.5, NEVER, .unit = "(of destinations to an even share)", .whole = true },
	      EXPLAINED_BY(BY_ABSENCE(BESIDE), BY_WIRING(BESIDE), BY("port.physical", BESIDE)),
	      .many = "uplinks|carry more destinations than those beside them"),
	CHECK("routes.longer", "routes longer than the shortest", IBC_INFO, check_longer,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_ROUTES,
	      EXPLAINED_BY(BY_ABSENCE(ACROSS), BY_WIRING(ACROSS), BY("port.physical", ACROSS))),
	{ 0 },
};
