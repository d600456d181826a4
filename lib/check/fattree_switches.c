/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of switches and of hosts that stand out. */
#include "check/counters_rates.h"
#include "check/fattree.h"

/* ---- ports out of order --------------------------------------------------------------- */

static const char *ports_text(const struct tree_report *g)
{
	const char *shown[SHOWN_MAX] = { NULL };

	for (size_t i = 0; i < g->c->num_found && i < SHOWN_MAX; i++)
		shown[i] = port_text(g->out, g->c->found[i]);
	return list_text(g->out, shown, g->c->num_found);
}

void report_ports(const struct tree_report *g)
{
	size_t n = g->c->num_found;

	sink_node(g->out, g->c->nodes[0],
	          "%s join%s the right switches at other ports than on similar switches: %s",
	          amount_text(g->out, n, "cable"), n == 1 ? "s" : "", ports_text(g));
	for (size_t i = 0; i < n && i < CABLES_MAX; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, g->c->found[i]);
}

/* ---- absent spines --------------------------------------------------------------------- */

/* Switches on which an absent one should be plugged: "leaf01, leaf02 and 34 more". */
static const char *below_text(const struct tree_report *g, const struct ibc_node **first)
{
	const char *shown[SHOWN_MAX] = { NULL };
	const struct ibc_node *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < g->c->num_gaps; i++) {
		const struct ibc_node *node = g->c->gaps[i].lower.node;

		if (!node || node == last)
			continue;
		if (n < SHOWN_MAX)
			shown[n] = node->label;
		n++;
		last = node;
		*first = *first ? *first : node;
	}
	return list_text(g->out, shown, n);
}

/* Whether what should be there has power, its ports tell. */
static void add_states(const struct tree_report *g)
{
	struct texts states = { .n = 0 };

	for (size_t i = 0; i < g->c->num_gaps; i++) {
		const struct wiring_gap *gap = &g->c->gaps[i];
		const struct ibc_port *p = known_jack(gap->lower.node ? &gap->lower : &gap->upper);

		add_text(g->out, &states, p ? ibc_phys_state_word(p->phys_state)->word : NULL);
	}
	sink_fact(g->out, "phys_state", texts_value(g->out, &states));
}

void report_no_spine(const struct tree_report *g)
{
	const struct ibc_node *first = NULL;
	const char *below = below_text(g, &first);
	unsigned int rank = g->c->rule->lower_rank + 1;

	sink_fabric(g->out, "a %s switch above %s seems to be missing: %s",
	            rank_name(rank, g->tree->tiers), *below ? below : "some switches", g->c->why);
	sink_advise(g->out, "Look for a switch without power or with all cables unplugged; if "
	                    "there never was one, nothing is wrong");
	add_states(g);
	add_evidence(g);
}

/* ---- hosts ------------------------------------------------------------------------------- */

static const char *host_of(const struct ibc_port *p)
{
	return p->peer->node->host_name ? p->peer->node->host_name : p->peer->node->label;
}

void report_host_up(const struct tree_report *g)
{
	const struct ibc_port *p = g->c->found[0];

	sink_cable(g->out, p,
	           "%s is cabled to a %s switch; hardly any other switch of that tier has hosts",
	           host_of(p), rank_word(g, p->node));
	sink_advise(g->out, "Move it to a leaf switch, unless it is there on purpose: routing "
	                    "engines for trees can refuse the fabric (fattree.opensm-ftree)");
	for (size_t i = 1; i < g->c->num_found; i++)
		sink_relate(g->out, IBC_ROLE_FOUND, g->c->found[i]);
}

/* An exchange is a fault; one adapter alone may be meant to be where it is. */
void report_rail(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;
	struct ibc_subject cable;

	if (c->num_found) {
		const char *moves = moves_text(g);

		cable = found_cable(c->found[0]);
		sink_add(g->out, &cable, "two HCAs are exchanged: %s; %s", belongs_text(g), c->why);
		sink_advise(g->out, "%s", moves ? moves : "Exchange the two plugs");
		add_evidence(g);
		return;
	}
	if (c->num_nodes == 1) {
		sink_node(g->out, c->nodes[0], "is %s", c->why);
		return;
	}
	sink_fabric(g->out, "%zu HCAs are %s", c->num_nodes, c->why);
	for (size_t i = 0; i < c->num_nodes && i < CABLES_MAX; i++)
		sink_relate_node(g->out, IBC_ROLE_FOUND, c->nodes[i]);
}

void report_rail_parts(const struct tree_report *g)
{
	const struct wiring_case *c = g->c;

	if (c->num_nodes == 1) {
		sink_node(g->out, c->nodes[0], "has %s", c->why);
	} else {
		sink_fabric(g->out, "%zu leaf switches have %s", c->num_nodes, c->why);
		for (size_t i = 0; i < c->num_nodes && i < CABLES_MAX; i++)
			sink_relate_node(g->out, IBC_ROLE_FOUND, c->nodes[i]);
	}
	sink_advise(g->out,
	            "Look for cables to the spine switches of this rail that are missing or "
	            "down. Until then its HCAs do not reach those of the other part");
}

void report_rail_host(const struct tree_report *g)
{
	sink_node(g->out, g->c->nodes[0], "is on a host that lacks one HCA in the fabric: %s",
	          g->c->why);
	sink_advise(g->out, "Run \"ibcheck host\" there: the HCA is gone, or its cable is down or "
	                    "unplugged");
}
