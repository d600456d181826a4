/* SPDX-License-Identifier: BSD-2-Clause */
/* How evenly routes use the cables, and whether they are as short as they can be. */
#include <inttypes.h>
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/routes.h"

#define SINGLE_MAX 4 /* more switches than this are one finding */

/* ---- routes.imbalance --------------------------------------------------------------------- */

static double ratio_of(const struct ibc_uplinks *u)
{
	return u->mean > 0 ? u->most / u->mean : 0;
}

/*
 * So far from even that it counts: what is left when destinations are dealt out one by one
 * is no imbalance, nor is one more, whose LID a switch or a manager may have.
 */
static bool is_uneven(const struct ibc_uplinks *u, const struct limits *limits)
{
	double dealt = (double)(uint64_t)u->mean + 1;

	return u->most > dealt + 1 &&
	       (ratio_of(u) >= limits->warning || ratio_of(u) >= limits->critical);
}

static const struct ibc_port *busiest(const struct ibc_uplinks *u)
{
	for (size_t i = 0; i < u->num_ports; i++)
		if (u->dlids[i] == u->most)
			return u->ports[i];
	return u->ports[0];
}

static const char *kind_text(struct ibc_sink *out, const struct ibc_uplinks *u)
{
	return u->to ? sink_text(out, "cables to %s", u->to->label) : "uplinks";
}

/* The worst of @n switches. */
static void report_uneven_uplinks(struct ibc_sink *out, const struct ibc_uplinks *u, size_t n,
                                  const struct examples *examples, const struct limits *limits)
{
	const struct ibc_port *port = busiest(u);

	sink_as(out, ratio_of(u) >= limits->critical ? IBC_CRITICAL : IBC_WARNING);
	if (n == 1)
		sink_port(out, port,
		          "takes %u of the LIDs that leave by the %zu %s of this switch, %.1f "
		          "times the mean; the least used takes %u",
		          u->most, u->num_ports, kind_text(out, u), ratio_of(u), u->least);
	else
		sink_port(out, port,
		          "takes %u LIDs, %.1f times the mean of its %zu %s (the least used takes "
		          "%u); %zu more switches of rank %u are uneven",
		          u->most, ratio_of(u), u->num_ports, kind_text(out, u), u->least, n - 1,
		          u->rank);
	sink_advise(out, "See which cables of the switch were down when the tables were written, "
	                 "and have the subnet manager route anew; of engines ftree, updn and "
	                 "dfsssp spread evenly.");
	sink_fact(out, "most", ibc_u64(u->most));
	sink_fact(out, "least", ibc_u64(u->least));
	sink_fact(out, "mean", ibc_real(u->mean));
	sink_fact(out, "ratio", ibc_real(ratio_of(u)));
	sink_fact(out, "switches", ibc_u64(n));
	examples_relate(out, examples);
}

/*
 * struct crowd - of one rank, the whole of their uplinks or trunks
 * @whole: that of the switch at hand, if it is uneven: it comes before its parts
 */
struct aggregate {
	const struct ibc_input *in;
	const struct limits *limits;
	unsigned int rank;
	bool trunks;
	const struct ibc_uplinks *whole;
};

/* Are these cables among those? */
static bool is_part(const struct ibc_uplinks *u, const struct ibc_uplinks *whole)
{
	for (size_t i = 0; whole && u->to && i < whole->num_ports; i++)
		if (whole->ports[i] == u->ports[0])
			return true;
	return false;
}

static const struct ibc_uplinks *next_uneven(struct aggregate *c, size_t *i)
{
	const struct ibc_uplinks *u;

	while ((u = ibc_routes_uplinks(c->in->routes, (*i)++))) {
		bool uneven = is_uneven(u, c->limits);

		if (!u->to)
			c->whole = uneven ? u : NULL;
		if (u->rank == c->rank && (u->to != NULL) == c->trunks && uneven &&
		    !is_part(u, c->whole))
			break;
	}
	return u;
}

static void evaluate_aggregate(struct ibc_sink *out, struct aggregate *c)
{
	const struct ibc_uplinks *u, *worst = NULL;
	struct examples examples = { .count = 0 };
	size_t n = 0;

	for (size_t i = 0; (u = next_uneven(c, &i));) {
		n++;
		if (!worst || ratio_of(u) > ratio_of(worst))
			worst = u;
	}
	if (n > SINGLE_MAX) {
		for (size_t i = 0; (u = next_uneven(c, &i));)
			if (u != worst)
				examples_add(&examples, busiest(u));
		report_uneven_uplinks(out, worst, n, &examples, c->limits);
		return;
	}
	for (size_t i = 0; n && (u = next_uneven(c, &i));)
		report_uneven_uplinks(out, u, 1, &examples, c->limits);
}

/* A trunk is told only where the whole of the switch's uplinks is even. */
static void check_imbalance(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct limits limits = limits_of_fabric(in->config, out->check);
	struct aggregate c = { .in = in, .limits = &limits };
	const struct ibc_uplinks *u;
	unsigned int ranks = 0;

	for (size_t i = 0; (u = ibc_routes_uplinks(in->routes, i)); i++)
		if (u->rank >= ranks)
			ranks = u->rank + 1;
	for (c.rank = 0; c.rank < ranks; c.rank++) {
		for (int trunks = 0; trunks < 2; trunks++) {
			c.trunks = trunks;
			evaluate_aggregate(out, &c);
		}
	}
}

/* ---- routes.longer --------------------------------------------------------------------------- */

static void check_longer(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_longer_routes *l, *worst = NULL;
	uint64_t pairs = 0;
	size_t ways = 0;

	for (size_t i = 0; (l = ibc_routes_longer(in->routes, i)); i++) {
		pairs += l->pairs;
		ways++;
		if (!worst || l->hops - l->shortest > worst->hops - worst->shortest)
			worst = l;
	}
	if (!worst)
		return;
	sink_fabric(out,
	            "%" PRIu64 " pair%s of hosts on %zu pair%s of switches take longer ways "
	            "than there are, as from %s to %s by %u switches instead of %u",
	            pairs, many(pairs), ways, many(ways), worst->from->label, worst->to->label,
	            worst->hops, worst->shortest);
	sink_advise(out, "It is no fault where the engine means it: updn, ftree and those that use "
	                 "lanes give up short ways to avoid rings. Else see what was down when the "
	                 "tables were written.");
	sink_fact(out, "pairs", ibc_u64(pairs));
	sink_fact(out, "hops", ibc_u64(worst->hops));
	sink_fact(out, "shortest", ibc_u64(worst->shortest));
	if (worst->src && worst->dst)
		report_witness(out, worst->src, worst->dst, worst->dst->lid);
}

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_LFT

const struct ibc_check ibc_checks_routes_spread[] = {
	CHECK("routes.imbalance", "destinations dealt unevenly to uplinks", IBC_WARNING,
	      check_imbalance, .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_ROUTES,
	      .limits = { 1.5, NEVER, .unit = "(the most used to the mean)", .whole = true }),
	CHECK("routes.longer", "routes longer than the shortest", IBC_INFO, check_longer,
	      .needs = IBC_ATTRS(NEEDS), .inputs = IBC_IN_ROUTES),
	{ 0 },
};
