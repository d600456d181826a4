/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of devices that are not where they were planned, or not those. */
#include <inttypes.h>
#include <string.h>

#include <ibcheck/opinions.h>

#include "check/collect.h"
#include "check/topo/topo.h"

/* ---- missing ------------------------------------------------------------------- */

/* Where a cable of it goes. */
static const struct ibc_port *jack_of(const struct deviation *d, size_t i)
{
	const struct ibc_port *far = d->planned[i];

	return far->node == d->planned_nodes[0] ? far->peer : far;
}

static bool is_end(const struct ibc_end *end, const struct ibc_port *port)
{
	return end->guid == port->node->guid && end->port == port->num;
}

static bool is_unhealthy(const struct ibc_opinions *listed, const struct ibc_port *port)
{
	bool is_listed = false;

	for (size_t i = 0; i < listed->num && !is_listed; i++)
		is_listed = is_end(&listed->all[i].place.near, port) ||
		            is_end(&listed->all[i].place.far, port);
	return is_listed;
}

/* A node whose every port the subnet manager took out of use may be there. */
static void relate_isolated(const struct topo_report *t)
{
	const struct ibc_port *port;
	bool all = t->in->unhealthy && !t->over_time;

	for (size_t i = 0; all && i < t->d->num_planned; i++) {
		port = comparison_found_port(t->cmp, jack_of(t->d, i));
		all = !port || is_unhealthy(t->in->unhealthy, port);
	}
	for (size_t i = 0; all && i < t->d->num_planned && i < RELATED_MAX; i++) {
		port = comparison_found_port(t->cmp, jack_of(t->d, i));
		if (port)
			sink_relate(t->out, IBC_ROLE_CAUSE, port);
	}
}

/* Where its cables go, while these are few. */
static const char *jacks_text(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX];

	if (!d->num_planned)
		return "";
	if (d->num_planned_nodes > 1 || d->num_planned > SHOWN_MAX)
		return sink_text(t->out, ": all of %s %zu cables are missing",
		                 d->num_planned_nodes > 1 ? "their" : "its", d->num_planned);
	for (size_t i = 0; i < d->num_planned; i++) {
		const struct ibc_port *far = jack_of(d, i);
		const struct ibc_port *p = comparison_found_port(t->cmp, far);
		struct ibc_end end = planned_end(t, far);

		shown[i] = end_text(t->out, &end);
		if (p && ibc_port_has(p, IBC_ATTR_PORT_INFO)) /* "leaf01/7 (Polling)" */
			shown[i] = sink_text(t->out, "%s (%s)", shown[i],
			                     ibc_phys_state_word(p->phys_state)->name);
	}
	return sink_text(t->out, ": it %s on %s", t->over_time ? "was" : "belongs",
	                 list_text(t->out, shown, d->num_planned));
}

/* "leaf01" of "MF0;leaf01:MQM8700/U1", "host01" of "host01 mlx5_0"; length: of it */
static const char *short_name(const struct ibc_node *node, size_t *length)
{
	const char *name = node->host_name ? node->host_name : node->name;

	bool managed = strncmp(name, "MF", 2) == 0 && strchr(name, ';');

	if (managed)
		name = strchr(name, ';') + 1;
	*length = strcspn(name, managed ? ":" : "");
	return name;
}

/* A node that the plan does not know, and whose name is most like this one; NULL: none. */
static const struct ibc_node *similar_node(const struct topo_report *t,
                                           const struct ibc_node *planned)
{
	const struct ibc_node *node, *best = NULL;
	size_t length, least;
	const char *name = short_name(planned, &length);

	least = 2 + length / 4;
	for (size_t i = 0; (node = ibc_fabric_node(t->in->fabric, i)); i++) {
		size_t n, distance;
		const char *other = short_name(node, &n);

		if (node->type != planned->type || ibc_comparison_counterpart(t->cmp, node))
			continue;
		distance = ibc_text_distance(name, length, other, n);
		if (distance < least) {
			least = distance;
			best = node;
		}
	}
	return length ? best : NULL;
}

void report_missing_node(const struct topo_report *t)
{
	const struct ibc_node *node = t->d->planned_nodes[0], *sister;
	const struct ibc_node *like = t->over_time ? NULL : similar_node(t, node);
	const char *rack = node->rack, *why = t->d->why;
	size_t behind = t->d->num_planned_nodes - 1, i = 0;

	/* what is only reached through it is missing for no reason of its own */
	sink_node(
	    t->out, node, "is %s%s%s%s%s%s%s", t->over_time ? "gone" : "missing",
	    behind ? sink_text(t->out, ", and %s behind it", amount_text(t->out, behind, "node"))
		   : "",
	    jacks_text(t), why ? "; " : "", why ? why : "",
	    node->type == IBC_NODE_CA ? "" : loss_text(t),
	    like ? sink_text(t->out, "; did you mean %s, which is not in the plan?", like->label)
		 : "");
	/* another HCA of its host, which answers: then the host has power */
	while ((sister = ibc_fabric_node(t->in->fabric, i)) &&
	       (!node->host_name || !sister->host_name ||
	        strcmp(sister->host_name, node->host_name) != 0))
		i++;
	if (sister)
		sink_advise(
		    t->out,
		    "Its host is up: %s answers. Reseat the cable at both ends; if the port "
		    "stays down, check on the host whether the HCA is there (lspci, ibstat)",
		    sister->label);
	else
		sink_advise(t->out,
		            "Check that it is powered and running%s%s, and that its %s plugged in",
		            rack ? ", in rack " : "", rack ? rack : "",
		            t->d->num_planned == 1 ? "cable is" : "cables are");
	relate_isolated(t);
	add_nodes(t);
}

/* ---- unexpected ------------------------------------------------------------------ */

void report_unexpected_node(const struct topo_report *t)
{
	const struct ibc_node *node = t->d->found_nodes[0];
	struct ibc_step removal = { .action = IBC_ACTION_REMOVE, .from = { node, 0 } };
	size_t behind = t->d->num_found_nodes - 1, n = 0;
	const char *text = t->over_time ? "new" : "not in the plan", *shown[SHOWN_MAX];
	const char *nodes = amount_text(t->out, behind, "node"), *first = "";
	const struct ibc_port *p;
	char cuts[IBC_CUTS_TEXT];
	int rc = 0;

	if (behind && t->over_time)
		text = sink_text(t->out, "%s, and %s behind it", text, nodes);
	else if (behind)
		text = sink_text(t->out, "%s, and neither %s %s behind it", text,
		                 behind > 1 ? "are" : "is", nodes);
	/* where it hangs on what is known */
	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->peer && ibc_comparison_counterpart(t->cmp, p->peer->node) && n++ < SHOWN_MAX)
			shown[n - 1] = port_text(t->out, p->peer);
	if (n)
		text = sink_text(t->out, "%s; it is on %s", text, list_text(t->out, shown, n));
	sink_node(t->out, node, "is %s", text);
	while (!t->over_time && rc <= 0 && ++removal.from.port <= node->num_ports) {
		rc = ibc_step_cuts(&removal, t->in->config, cuts, sizeof(cuts));
		t->out->failed |= rc < 0;
	}
	if (rc > 0)
		first = sink_text(t->out, "To remove it %s. ", cuts);
	if (!t->over_time)
		sink_advise(t->out,
		            "%sIf it belongs here, add it to the plan (ibcheck topo --write "
		            "shows its spelling); otherwise remove it",
		            first);
	add_nodes(t);
}

/* ---- another device, or another name ------------------------------------------------ */

static void add_guids(const struct topo_report *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0], *found = t->d->found_nodes[0];

	sink_relate_node(t->out, IBC_ROLE_PLANNED, planned);
	sink_fact(t->out, "guid_expected",
	          planned->named_only ? ibc_none() : ibc_guid(planned->guid));
	sink_fact(t->out, "guid_found", found->named_only ? ibc_none() : ibc_guid(found->guid));
}

void report_replaced_node(const struct topo_report *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0], *found = t->d->found_nodes[0];
	bool same_name = !strcmp(planned->name, found->name);

	if (t->d->num_found_nodes > 1) {
		sink_fabric(
		    t->out,
		    "%s are different devices than planned, each in the place of another: the "
		    "GUIDs of the plan do not match this fabric",
		    amount_text(t->out, t->d->num_found_nodes, "node"));
		sink_advise(t->out, "Write a new plan (ibcheck topo --write), or remove the GUIDs "
		                    "from it: names are enough");
		add_nodes(t);
		return;
	}
	sink_node(t->out, found,
	          "is a different device than planned%s%s: its GUID is 0x%016" PRIx64
	          ", planned is 0x%016" PRIx64,
	          same_name ? "" : ", in the place of ", same_name ? "" : planned->label,
	          found->guid, planned->guid);
	sink_advise(t->out, "If it was replaced, put the new GUID into the plan. If the "
	                    "replacement is not known, find the planned device");
	add_nodes(t);
	add_guids(t);
}

void report_renamed_node(const struct topo_report *t)
{
	const struct ibc_node *planned = t->d->planned_nodes[0], *found = t->d->found_nodes[0];
	bool same_guid = !planned->named_only && planned->guid == found->guid;

	if (t->d->num_found_nodes > 1) {
		const struct deviation *d = t->d;
		const char *shown[SHOWN_MAX];

		for (size_t i = 0; i < SHOWN_MAX && i < d->num_found_nodes; i++)
			shown[i] = sink_text(t->out, "%s is %s there", d->found_nodes[i]->label,
			                     d->planned_nodes[i]->label);
		sink_fabric(t->out, "%s have other names in the plan: %s",
		            amount_text(t->out, d->num_found_nodes, "node"),
		            clauses_text(t->out, shown, d->num_found_nodes));
		sink_advise(t->out, "Correct the names in the plan, or give a node-name map that "
		                    "contains them (--node-name-map)");
		add_nodes(t);
		return;
	}
	sink_node(t->out, found, "is called %s in the plan: the same %s, another name",
	          planned->label, same_guid ? "device" : "place");
	sink_advise(t->out,
	            "Give it the name %s (NodeDescription, or the node-name map), or correct the "
	            "plan",
	            planned->label);
	add_nodes(t);
	add_guids(t);
}

void report_exchanged_nodes(const struct topo_report *t)
{
	const struct deviation *d = t->d;
	const char *shown[SHOWN_MAX], *steps = steps_text(t);

	for (size_t i = 0; i < d->num_found_nodes && i < SHOWN_MAX; i++)
		shown[i] = sink_text(t->out, "%s %swhere %s was%s", d->found_nodes[i]->label,
		                     i ? "" : "is ", d->planned_nodes[i]->label,
		                     i ? "" : " planned");
	sink_node(t->out, d->found_nodes[0], "have changed places: %s%s",
	          clauses_text(t->out, shown, d->num_found_nodes), loss_text(t));
	sink_advise(t->out, "%s; if their places are intended, correct the plan",
	            steps ? steps : "Exchange them (or their names)");
	add_nodes(t);
}
