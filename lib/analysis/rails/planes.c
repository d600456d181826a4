/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rails/planes.h"

#include <string.h>

#include "analysis/tree/majority.h"
#include "base/arena.h"
#include "fabric/fabric.h"

#define XDR_PLANES    4  /* of the first HCAs that have planes */
#define AGREE_PERCENT 95 /* doc/wiring.md, table 5, part H */
#define ROUNDS        4  /* tiers above leaves: deeper trees are not built */

/* ---- HCAs -------------------------------------------------------------------------------- */

/* Which plane of its HCA, or of its switch, a port is said to be of; NO_PLANE: it is not. */
static unsigned int said_plane(const struct ibc_port *port, unsigned int planes)
{
	return port->extra->plane && port->extra->num_planes == planes ? port->extra->plane - 1u
	                                                               : NO_PLANE;
}

const struct ibc_port *hca_plane(const struct ibc_node *hca, unsigned int planes,
                                 unsigned int plane)
{
	const struct ibc_port *port;

	for (unsigned int num = 1; (port = ibc_node_port(hca, num)); num++)
		if (said_plane(port, planes) == plane)
			return port;
	return ibc_node_port(hca, plane + 1);
}

unsigned int node_planes(const struct ibc_node *node)
{
	const struct ibc_port *port;
	unsigned int ports = node->num_ports, n = 0;
	bool by_number = true;

	if (node->type != IBC_NODE_CA || node_is_aggregator(node))
		return 0;
	if (node->max_planes)
		return node->max_planes > 1 && node->max_planes == ports ? node->max_planes : 0;
	/* so many ports, each of another plane, are one APort */
	while (n < ports && said_plane(hca_plane(node, ports, n), ports) == n)
		n++;
	if (n == ports && n > 1)
		return n;
	/* a port that does not say it is of the plane of its number, unless others contradict that
	 */
	for (unsigned int num = 1; (port = ibc_node_port(node, num)); num++)
		by_number &= !port->extra->num_planes || said_plane(port, ports) == num - 1;
	if (!by_number)
		return 0;
	for (unsigned int num = 1; (port = ibc_node_port(node, num)); num++)
		if (ports == XDR_PLANES &&
		    (port->speed_active | port->speed_supported) & IBC_SPEED_XDR)
			return XDR_PLANES;
	return 0;
}

static void collect_hcas(struct arena *a, struct planes *p)
{
	struct majority n = { 0, 0 };
	const struct ibc_node *node;
	size_t hcas = 0;

	for (size_t i = 0; (node = ibc_fabric_node(p->sw->fab, i)); i++) {
		p->asymmetric |= node->asymmetric_planes;
		if (!node_planes(node))
			continue;
		majority_vote(&n, node_planes(node));
		hcas++;
	}
	p->n = (unsigned int)n.candidate;
	p->hcas = arena_array(a, hcas + 1, sizeof(struct ibc_node *));
	p->ports = arena_array(a, hcas * p->n + 1, sizeof(struct ibc_port *));
	for (size_t i = 0; p->n && (node = ibc_fabric_node(p->sw->fab, i)); i++) {
		const struct ibc_port **ports = &p->ports[(size_t)p->num_hcas * p->n];
		const struct ibc_port *port;
		bool again = p->num_hcas && p->hcas[p->num_hcas - 1]->guid == node->guid;

		/* one GUID may be in several subnets, each of which sees some of its ports */
		if (again)
			ports -= p->n;
		else if (node_planes(node) == p->n)
			p->hcas[p->num_hcas++] = node;
		else
			continue;
		for (unsigned int k = 0; k < p->n && (port = hca_plane(node, p->n, k)); k++)
			if (port->peer && switch_number(p->sw, port->peer->node) != NO_SWITCH)
				ports[k] = port;
	}
}

const struct ibc_port *planes_port(const struct planes *p, const struct ibc_node *hca,
                                   unsigned int plane)
{
	uint32_t low = 0, high = p->num_hcas;

	while (low < high) { /* nodes are by GUID */
		uint32_t mid = low + (high - low) / 2;

		if (p->hcas[mid]->guid < hca->guid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->num_hcas && p->hcas[low]->guid == hca->guid
	           ? p->ports[(size_t)low * p->n + plane]
	           : NULL;
}

static uint32_t switch_below(const struct planes *p, uint32_t hca, unsigned int plane)
{
	const struct ibc_port *port = p->ports[(size_t)hca * p->n + plane];

	return port ? switch_number(p->sw, port->peer->node) : NO_SWITCH;
}

/* ---- which plane a switch is of ------------------------------------------------------------ */

/* By what it says and the HCAs below it; above leaves by its neighbours, tier by tier. */
static void find_plane_of_switches(struct planes *p, struct majority *votes)
{
	const struct switches *sw = p->sw;
	const struct ibc_port *port;

	memset(p->plane_of, NO_PLANE, sw->n);
	for (int round = 0; round <= ROUNDS; round++) {
		memset(votes, 0, sw->n * sizeof(*votes));
		for (uint32_t s = 0; !round && s < sw->n; s++)
			for (unsigned int num = 1; (port = ibc_node_port(sw->nodes[s], num)); num++)
				if (said_plane(port, p->n) != NO_PLANE)
					majority_vote(&votes[s], said_plane(port, p->n));
		for (uint32_t h = 0; !round && h < p->num_hcas; h++)
			for (unsigned int k = 0; k < p->n; k++)
				if (switch_below(p, h, k) != NO_SWITCH)
					majority_vote(&votes[switch_below(p, h, k)], k);
		for (uint32_t s = 0; round && s < sw->n; s++)
			for (uint32_t i = sw->first_pair[s];
			     p->plane_of[s] == NO_PLANE && i < sw->first_pair[s + 1]; i++)
				if (p->plane_of[sw->pairs[i].to] != NO_PLANE)
					majority_vote(&votes[s], p->plane_of[sw->pairs[i].to]);
		for (uint32_t s = 0; s < sw->n; s++)
			if (p->plane_of[s] == NO_PLANE && votes[s].lead)
				p->plane_of[s] = (uint8_t)votes[s].candidate;
	}
}

/* ---- siblings -------------------------------------------------------------------------------- */

/*
 * That a switch and another, on the same ports of two planes, are siblings, if neither has one.
 * votes[switch * n + plane]: for its sibling there
 */
static void vote_sibling(const struct planes *p, struct majority *votes, uint32_t s, unsigned int k,
                         uint32_t other)
{
	if (s != NO_SWITCH && other != NO_SWITCH && p->set_of[s] == NO_SWITCH &&
	    p->set_of[other] == NO_SWITCH && p->plane_of[other] == k)
		majority_vote(&votes[(size_t)s * p->n + k], other);
}

/* What is at the far end of a port of a switch; NO_SWITCH also of NO_SWITCH. */
static uint32_t switch_at_port(const struct switches *sw, uint32_t s, unsigned int num)
{
	const struct ibc_port *port = s == NO_SWITCH ? NULL : ibc_node_port(sw->nodes[s], num);

	return port && port->peer ? switch_number(sw, port->peer->node) : NO_SWITCH;
}

static void vote_leaves(const struct planes *p, struct majority *votes, unsigned int plane)
{
	for (uint32_t h = 0; h < p->num_hcas; h++)
		for (unsigned int k = 0; k < p->n; k++) {
			uint32_t s = switch_below(p, h, plane);

			if (s != NO_SWITCH && p->plane_of[s] == plane)
				vote_sibling(p, votes, s, k, switch_below(p, h, k));
		}
}

/* Above switches whose siblings are known. */
static void vote_upper(const struct planes *p, struct majority *votes, unsigned int plane)
{
	for (uint32_t i = 0; i < p->num_sets; i++) {
		const uint32_t *members = &p->members[(size_t)i * p->n];
		uint32_t s = members[plane];

		for (unsigned int num = 1; s != NO_SWITCH && num <= p->sw->nodes[s]->num_ports;
		     num++)
			for (unsigned int k = 0; k < p->n; k++)
				vote_sibling(p, votes, switch_at_port(p->sw, s, num), k,
				             switch_at_port(p->sw, members[k], num));
	}
}

static void join_siblings(struct planes *p, const struct majority *votes, unsigned int plane)
{
	for (uint32_t s = 0; s < p->sw->n; s++) {
		const struct majority *m = &votes[(size_t)s * p->n];
		uint32_t *members = &p->members[(size_t)p->num_sets * p->n];

		if (p->set_of[s] != NO_SWITCH || p->plane_of[s] != plane || !m[plane].lead)
			continue;
		for (unsigned int k = 0; k < p->n; k++) {
			bool known = m[k].lead && p->set_of[m[k].candidate] == NO_SWITCH;

			members[k] = known ? (uint32_t)m[k].candidate : NO_SWITCH;
			if (known)
				p->set_of[m[k].candidate] = p->num_sets;
		}
		p->num_sets++;
	}
}

/* ---- is it so? ------------------------------------------------------------------------- */

struct tally {
	uint64_t all, agree;
};

static void tally_hcas(const struct planes *p, struct tally *t)
{
	for (uint32_t h = 0; h < p->num_hcas; h++) {
		uint32_t first = NO_SWITCH;

		for (unsigned int k = 0; k < p->n; k++) {
			uint32_t s = switch_below(p, h, k);

			if (s == NO_SWITCH)
				continue;
			if (first == NO_SWITCH)
				first = p->set_of[s];
			t->all++;
			t->agree += p->plane_of[s] == k && p->set_of[s] == first &&
			            first != NO_SWITCH;
		}
	}
}

static void tally_switches(const struct planes *p, struct tally *t)
{
	for (uint32_t s = 0; s < p->sw->n; s++) {
		const uint32_t *members = &p->members[(size_t)p->set_of[s] * p->n];

		for (unsigned int num = 1;
		     p->set_of[s] != NO_SWITCH && num <= p->sw->nodes[s]->num_ports; num++) {
			uint32_t far = switch_at_port(p->sw, s, num);

			for (unsigned int k = 0; far != NO_SWITCH && k < p->n; k++) {
				uint32_t beside = switch_at_port(p->sw, members[k], num);

				if (beside == NO_SWITCH || members[k] == s)
					continue;
				t->all++;
				t->agree += p->plane_of[far] == p->plane_of[s] &&
				            p->set_of[far] == p->set_of[beside];
			}
		}
	}
}

void planes_find(struct arena *a, const struct switches *sw, struct planes *out)
{
	struct tally hcas = { 0, 0 }, switches = { 0, 0 };
	struct majority *votes;
	size_t cells;

	*out = (struct planes){ .sw = sw };
	collect_hcas(a, out);
	if (!out->n)
		return;
	cells = (sw->n + 1u) * out->n;
	out->plane_of = arena_array(a, sw->n + 1u, 1);
	out->set_of = arena_array(a, sw->n + 1u, sizeof(*out->set_of));
	out->members = arena_array(a, cells, sizeof(*out->members));
	votes = arena_array(a, cells, sizeof(*votes));
	memset(out->set_of, 0xff, sw->n * sizeof(*out->set_of));
	find_plane_of_switches(out, votes);
	/* from each plane in turn, so that what is gone in one hides nothing in the others */
	for (int round = 0; round <= ROUNDS; round++)
		for (unsigned int plane = 0; plane < out->n; plane++) {
			memset(votes, 0, cells * sizeof(*votes));
			(round ? vote_upper : vote_leaves)(out, votes, plane);
			join_siblings(out, votes, plane);
		}
	tally_hcas(out, &hcas);
	tally_switches(out, &switches);
	if (!hcas.all || hcas.agree * 100 < hcas.all * AGREE_PERCENT ||
	    switches.agree * 100 < switches.all * AGREE_PERCENT)
		out->n = 0;
}
