/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of devices that are not where they were planned, or not those. */
#include <inttypes.h>
#include <string.h>

#include "check/gather.h"
#include "check/topo.h"

/* ---- missing ------------------------------------------------------------------- */

/* The planned end of a cable of the deviation that is not of its own node. */
static const struct ibc_port *neighbour(const struct telling *t, size_t i)
{
	const struct ibc_port *p = t->d->planned[i];

	return p->node == t->d->planned_nodes[0] ? p->peer : p;
}

/* "leaf01/7 is Polling", as far as that is known */
static const char *socket_text(const struct telling *t, const struct ibc_port *planned)
{
	const struct ibc_port *p = comparison_found_port(t->cmp, planned);
	struct ibc_end end = planned_end(t, planned);
	const char *where = end_text(t, &end);

	if (!p || !ibc_port_has(p, IBC_ATTR_PORT_INFO))
		return where;
	return sink_text(t->out, "%s (%s)", where, ibc_phys_state_word(p->phys_state)->name);
}

/* Where its cables go, while these can be counted on a hand. */
static const char *sockets_text(const struct telling *t)
{
	const char *shown[SHOWN_MAX];
	size_t n = t->d->num_planned;

	if (n > SHOWN_MAX)
		return sink_text(t->out, "none of its %zu cables is there", n);
	for (size_t i = 0; i < n; i++)
		shown[i] = socket_text(t, neighbour(t, i));
	return sink_text(t->out, "it belongs on %s", list_text(t, shown, n));
}

void tell_missing_node(const struct telling *t)
{
	const struct ibc_node *node = t->d->planned_nodes[0];
	bool host = node->type == IBC_NODE_CA;

	sink_node(t->out, node, "is missing%s%s%s", t->d->num_planned ? ": " : "",
	          t->d->num_planned ? sockets_text(t) : "", host ? "" : loss_text(t));
	sink_advise(t->out, "Look whether it is powered and running%s%s, and its %s plugged in",
	            node->rack ? ", in rack " : "", node->rack ? node->rack : "",
	            t->d->num_planned == 1 ? "cable is" : "cables are");
	add_nodes(t);
}

/* ---- unexpected ------------------------------------------------------------------ */

static const char *found_where(const struct telling *t, const struct ibc_node *node)
{
	const struct ibc_port *p;
	const char *shown[SHOWN_MAX];
	size_t n = 0;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		struct ibc_end end;

		if (!p->peer || n++ >= SHOWN_MAX)
			continue;
		end = end_of_port(p->peer);
		shown[n - 1] = end_text(t, &end);
	}
	return n ? sink_text(t->out, "; it is on %s", list_text(t, shown, n)) : "";
}

void tell_unexpected_node(const struct telling *t)
{
	const struct ibc_node *node = t->d->found_nodes[0];

	sink_node(t->out, node, "is not in the plan%s", found_where(t, node));
	sink_advise(t->out, "If it belongs here, put it into the plan (ibcheck topo --write shows "
	                    "how it is spelt); else take it out");
	add_nodes(t);
}

/* ---- another device, or another name ------------------------------------------------ */

static void add_guids(const struct telling *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0];

	sink_relate_node(t->out, IBC_ROLE_PLANNED, planned);
	sink_fact(t->out, "guid_expected",
	          planned->named_only ? ibc_none() : ibc_guid(planned->guid));
	sink_fact(t->out, "guid_found", ibc_guid(t->d->found_nodes[0]->guid));
}

void tell_replaced_node(const struct telling *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0], *found = t->d->found_nodes[0];
	bool same_name = !strcmp(planned->name, found->name);

	sink_node(t->out, found,
	          "is another device than planned, in the place of %s: it has GUID 0x%016" PRIx64
	          ", planned is 0x%016" PRIx64,
	          same_name ? "the old one" : planned->label, found->guid, planned->guid);
	sink_advise(t->out, "If it was replaced, put the new GUID into the plan; if nobody knows "
	                    "of it, find out where the planned device is");
	add_nodes(t);
	add_guids(t);
}

void tell_renamed_node(const struct telling *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0], *found = t->d->found_nodes[0];
	bool same_guid = !planned->named_only && planned->guid == found->guid;

	sink_node(t->out, found, "is called %s in the plan: %s, another name", planned->label,
	          same_guid ? "the same device" : "the same place");
	sink_advise(t->out,
	            "Give it the name %s (NodeDescription, or the node-name map), or correct the "
	            "plan",
	            planned->label);
	add_nodes(t);
	add_guids(t);
}

void tell_exchanged_nodes(const struct telling *t)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX], *steps = steps_text(t);

	for (size_t i = 0; i < d->num_found_nodes && i < SHOWN_MAX; i++)
		shown[i] = sink_text(t->out, "%s stands where %s was planned",
		                     d->found_nodes[i]->label, d->planned_nodes[i]->label);
	sink_node(t->out, d->found_nodes[0], "have changed places: %s%s",
	          clauses_text(t, shown, d->num_found_nodes), loss_text(t));
	sink_advise(t->out, "%s; if they are meant to be where they are, correct the plan",
	            steps ? steps : "Exchange them, or the names they carry");
	add_nodes(t);
}

/* ---- what cannot be told ----------------------------------------------------------- */

void tell_unchecked(const struct telling *t)
{
	const struct deviation *d = t->d;
	const struct ibc_node *silent = d->num_found_nodes ? d->found_nodes[0] : NULL;

	if (silent)
		sink_node(t->out, silent, "%s", d->why);
	else
		sink_fabric(t->out, "%s", d->why);
	sink_advise(t->out, "Find out why it does not answer, then sweep again");
	add_nodes(t);
	sink_fact(t->out, "cables", ibc_u64(d->how_many));
}

void tell_plan(const struct telling *t)
{
	sink_fabric(t->out, "%s", t->d->why);
	sink_advise(t->out, "Correct the plan, or give the one of this fabric");
	add_nodes(t);
}
