/* SPDX-License-Identifier: BSD-2-Clause */
/* Why OpenSM's ftree engine would hand the fabric to another one, without a word. */
#include "analysis/tree/ftree.h"
#include "check/counters/rates.h"
#include "check/fattree/fattree.h"
#include "check/groups.h"

/* ---- reasons ------------------------------------------------------------------------------ */

static const char *obstacle_text(struct ibc_sink *out, const struct ftree_obstacle *o)
{
	switch (o->kind) {
	case FTREE_LMC:
		return sink_text(out, "%s has LMC %u, and ftree requires LMC 0",
		                 port_text(out, o->port), o->port->lmc);
	case FTREE_CA_TO_CA:
		return sink_text(out, "%s is cabled to another HCA", port_text(out, o->port));
	case FTREE_ONE_RANK:
		return "every switch has HCAs, so no switch is above the others";
	case FTREE_TOO_DEEP:
		return sink_text(out, "there are %u tiers of switches, and ftree supports 8",
		                 o->has);
	case FTREE_HOST_ABOVE:
		return sink_text(out, "%s is on %s, which is not in the tier of the leaf switches",
		                 o->port->peer->node->label, o->node->label);
	case FTREE_FEW_LEAVES:
		return "fewer than two switches have HCAs";
	case FTREE_UP_GROUPS:
	case FTREE_DOWN_GROUPS:
		return sink_text(out, "%s has %u switch%s %s it, others of its tier have %u",
		                 o->node->label, o->has, o->has == 1 ? "" : "es",
		                 o->kind == FTREE_UP_GROUPS ? "above" : "below", o->usual);
	case FTREE_UP_PORTS:
	case FTREE_DOWN_PORTS:
		return sink_text(out, "%s has %s to %s, others of its tier have %u to each",
		                 o->node->label, amount_text(out, o->has, "cable"),
		                 o->port->peer->node->label, o->usual);
	}
	return "";
}

/* ---- whose fault it is --------------------------------------------------------------------- */

static bool is_at(const struct ibc_port *p, const struct ibc_node *node)
{
	return p->node == node || (p->peer && p->peer->node == node);
}

/* A fault, or a stray host: what else deviates is there by design. */
static const struct wiring_case *cause_of(const struct ibc_fattree *tree,
                                          const struct ftree_obstacle *o)
{
	for (size_t i = 0; o->node && i < tree->num_cases; i++) {
		const struct wiring_case *c = &tree->cases[i];
		bool touches = false;

		if ((!c->blamed || c->kind == WIRING_SLOW || c->kind == WIRING_RAIL) &&
		    c->kind != WIRING_HOST_UP)
			continue;
		for (size_t k = 0; k < c->num_found; k++)
			touches |= is_at(c->found[k], o->node);
		for (size_t k = 0; k < c->num_gaps; k++)
			touches |= c->gaps[k].lower.node == o->node ||
			           c->gaps[k].upper.node == o->node;
		if (touches)
			return c;
	}
	return NULL;
}

/* Does a cable lack, or lead, where the plan has none, or another one? */
static bool deviates_from_plan(const struct ibc_input *in, const struct ibc_node *node)
{
	const struct deviation *d;

	for (size_t i = 0; in->comparison && (d = comparison_deviation(in->comparison, i)); i++) {
		if (d->kind > DEVIATION_SWAPPED) /* at another port, slow, not checked */
			continue;
		for (size_t k = 0; k < d->num_found; k++)
			if (is_at(d->found[k], node))
				return true;
		for (size_t k = 0; k < d->num_planned; k++) {
			const struct ibc_port *p = comparison_found_port(in->comparison,
			                                                 d->planned[k]);
			const struct ibc_port *z = comparison_found_port(in->comparison,
			                                                 d->planned[k]->peer);

			if ((p && p->node == node) || (z && z->node == node))
				return true;
		}
	}
	return false;
}

/* ---- a finding for each subnet --------------------------------------------------------------- */

static void relate_obstacle(struct ibc_sink *out, const struct ftree_obstacle *o)
{
	if (o->port)
		sink_relate(out, IBC_ROLE_CAUSE, o->port);
	else if (o->node)
		sink_relate_node(out, IBC_ROLE_CAUSE, o->node);
}

/* The obstacles of one subnet: the first that a fault explains speaks for all. */
static void report_subnet(const struct ibc_input *in, struct ibc_sink *out,
                          const struct ftree_obstacle *all, size_t n)
{
	const struct wiring_case *cause = NULL;
	const struct ftree_obstacle *o = all;
	bool damage = false;

	for (size_t i = 0; i < n && !damage; i++) {
		cause = cause_of(in->fattree, &all[i]);
		damage = cause || (all[i].node && deviates_from_plan(in, all[i].node));
		o = damage ? &all[i] : o;
	}
	sink_as(out, damage ? IBC_WARNING : IBC_INFO);
	sink_fabric(out, "%sOpenSM with -R ftree would fall back to minhop on this topology: %s",
	            subnet_intro(out, all->subnet), obstacle_text(out, o));
	sink_advise(out,
	            "%sgive opensm the root switches (root_guid_file): then ftree does not require "
	            "symmetry; harmless with other engines",
	            damage ? "Repair it, or " : "If you use ftree, ");
	sink_fact(out, "obstacles", ibc_u64(n));
	relate_obstacle(out, o);
	for (size_t i = 0; i < n && i < RELATED_MAX; i++)
		if (&all[i] != o)
			relate_obstacle(out, &all[i]);
}

static bool is_unread(const struct ibc_node *node)
{
	return node && jack_is_unread(&(struct wiring_jack){ .node = node });
}

/* Where some cables may be there, and not have been seen, nothing is certain. */
static size_t find_certain(const struct ibc_fattree *tree, bool any, struct ibc_sink *out,
                           struct ftree_obstacle **all)
{
	size_t n = ftree_predict(out->scratch, tree, any, all), kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ibc_port *p = (*all)[i].port;

		if (!is_unread((*all)[i].node) && !is_unread(p ? p->node : NULL) &&
		    !is_unread(p && p->peer ? p->peer->node : NULL))
			(*all)[kept++] = (*all)[i];
	}
	return kept;
}

void check_opensm(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ftree_obstacle *all;
	size_t n = find_certain(in->fattree, false, out, &all), end;

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && all[end].subnet == all[i].subnet;)
			end++;
		report_subnet(in, out, &all[i], end - i);
	}
}

/* ---- what would become an obstacle ------------------------------------------------------- */

/* Does it form a tree? */
static bool is_ranked(const struct ibc_fattree *tree, unsigned int subnet)
{
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (tree->switches.nodes[s]->subnet->index == subnet && tree->rank[s] != RANK_NONE)
			return true;
	return false;
}

void report_ftree_lost(const struct ibc_fattree *now, const struct ibc_fattree *rest,
                       struct ibc_sink *out)
{
	struct ftree_obstacle *before, *after;
	size_t n = find_certain(now, false, out, &before),
	       m = find_certain(rest, true, out, &after);
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(rest->fab, i)); i++) {
		size_t k = 0, b = 0;

		while (k < m && after[k].subnet != subnet)
			k++;
		while (b < n && before[b].subnet->index != subnet->index)
			b++;
		if (k == m || b < n || !is_ranked(now, subnet->index)) /* it holds today */
			continue;
		sink_fabric(out, "%sOpenSM with -R ftree would fall back to minhop: %s",
		            subnet_intro(out, subnet), obstacle_text(out, &after[k]));
		sink_advise(out, "If you use ftree, give opensm the root switches "
		                 "(root_guid_file): then ftree does not require symmetry; "
		                 "harmless with other engines");
	}
}
