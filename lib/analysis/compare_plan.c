/* SPDX-License-Identifier: BSD-2-Clause */
/* Where it is the plan that cannot be right: of another fabric, or of ports nobody has. */
#include "analysis/comparison.h"
#include "fabric/fabric.h"

#define KNOWN_PERCENT 10 /* of the nodes, by GUID or name: less is chance */
#define RIGHT_PERCENT 50 /* of the cables, if nodes are known by their places alone */

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t count_known(const struct match *m)
{
	size_t known = 0;

	for (size_t i = 0; i < m->num_planned; i++)
		known += m->how[i] == MATCH_GUID || m->how[i] == MATCH_NAME;
	return known;
}

/* Of two fabrics the one that is the smaller can be known whole. */
static bool is_foreign(const struct ibc_comparison *cmp, size_t known)
{
	size_t nodes = lesser(cmp->planned.num_nodes, cmp->found.num_nodes);
	size_t cables = lesser(cmp->counts.cables, ibc_fabric_count(cmp->found.fab).cables);

	return nodes && known * 100 < nodes * KNOWN_PERCENT &&
	       cmp->counts.cables_right * 100 <= cables * RIGHT_PERCENT;
}

static void tell_foreign(struct ibc_comparison *cmp, size_t known)
{
	struct deviation *d = comparison_add(cmp, DEVIATION_PLAN);

	if (!d)
		return;
	cmp->foreign = true;
	cmp->counts.cables_untold = cmp->counts.cables - cmp->counts.cables_right;
	d->why = comparison_text(
	    cmp,
	    "the plan seems to be of another fabric: of its %zu nodes %zu are found by GUID or "
	    "name, and of its %zu cables %zu are there",
	    cmp->counts.nodes, known, cmp->counts.cables, cmp->counts.cables_right);
}

/* The first of its ports that the device does not have; or NULL. */
static const struct ibc_port *port_beyond(const struct ibc_comparison *cmp,
                                          const struct ibc_node *planned)
{
	uint32_t n = cmp->match.found_of[node_order(planned)];

	for (unsigned int num = side_node(&cmp->found, n)->num_ports + 1; num <= planned->num_ports;
	     num++) {
		const struct ibc_port *p = ibc_node_port(planned, num);

		if (cmp->cable_fate[side_port(&cmp->planned, p)] == CABLE_INVALID)
			return p;
	}
	return NULL;
}

static void list_invalid(struct ibc_comparison *cmp, struct deviation *d,
                         const struct ibc_port *first)
{
	const struct ibc_port *p = first;

	d->planned = comparison_array(cmp, p->node->num_ports, sizeof(*d->planned));
	for (; d->planned && p; p = ibc_node_port(p->node, p->num + 1u)) {
		if (cmp->cable_fate[side_port(&cmp->planned, p)] == CABLE_INVALID)
			d->planned[d->num_planned++] = p;
	}
	d->how_many = d->num_planned;
}

static void tell_beyond(struct ibc_comparison *cmp, const struct ibc_port *first)
{
	const struct ibc_node *found = ibc_comparison_counterpart(cmp, first->node);
	unsigned long line = first->cable ? first->cable->line : 0;
	struct deviation *d = comparison_add(cmp, DEVIATION_PLAN);

	if (!d)
		return;
	list_invalid(cmp, d, first);
	d->why = comparison_text(cmp, "%s has %u port%s, the plan has a cable at port %u",
	                         found->label, found->num_ports, found->num_ports == 1 ? "" : "s",
	                         first->num);
	if (d->why && line)
		d->why = comparison_text(cmp, "line %lu: %s", line, d->why);
}

void compare_plan(struct ibc_comparison *cmp)
{
	size_t known = count_known(&cmp->match);
	const struct ibc_node *node;

	if (is_foreign(cmp, known)) {
		tell_foreign(cmp, known);
		return;
	}
	for (uint32_t i = 0; !cmp->failed && (node = side_node(&cmp->planned, i)); i++) {
		const struct ibc_port *p = cmp->match.found_of[i] == MATCH_NOBODY
		                               ? NULL
		                               : port_beyond(cmp, node);

		if (p)
			tell_beyond(cmp, p);
	}
}
