/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what identifies nodes and ports: GUIDs, and names. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/nodename.h"
#include "base/str.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"

/* ---- node GUIDs ---------------------------------------------------------------- */

/* The others of several, of which the first is the subject. */
static void relate_others(struct ibc_sink *out, const struct ibc_node *const *nodes, size_t n)
{
	for (size_t i = 1; i < n && i <= RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, nodes[i]);
}

static void evaluate_node_guids(const struct ibc_fabric *fab, struct ibc_sink *out)
{
	const struct ibc_node **nodes = sink_array(out, ibc_fabric_count(fab).nodes,
	                                           sizeof(*nodes));
	const struct ibc_node *node;
	size_t n = 0, same;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (ibc_node_has(node, IBC_ATTR_NODE_INFO))
			nodes[n++] = node;
	/* nodes come by GUID, then subnet: those of one run are neighbours */
	for (size_t i = 0; i < n; i += same) {
		bool zero = nodes[i]->guid == 0;

		for (same = 1; i + same < n && nodes[i + same]->guid == nodes[i]->guid; same++)
			if (nodes[i + same]->subnet != nodes[i]->subnet)
				break;
		if (!zero && same == 1)
			continue;
		if (same == 1)
			sink_node(out, nodes[i], "has the node GUID zero");
		else
			sink_node(out, nodes[i], "is one of %zu nodes with %s", same,
			          zero ? "the node GUID zero" : "this node GUID");
		sink_advise(out, "Burn the manufacturer's GUIDs into the firmware again: a copied "
		                 "image contains the GUIDs of the device it was copied from.");
		sink_fact(out, "nodes", ibc_u64(same));
		relate_others(out, &nodes[i], same);
	}
}

/* ---- port GUIDs ---------------------------------------------------------------- */

static int by_subnet_and_guid(const void *a, const void *b)
{
	const struct ibc_port *x = *(const struct ibc_port *const *)a;
	const struct ibc_port *y = *(const struct ibc_port *const *)b;

	return order_u64(x->node->subnet->index, y->node->subnet->index)
	           ?: order_u64(x->guid, y->guid);
}

/* By node and number within a run, so that the same port is always the subject. */
static int by_guid_then_port(const void *a, const void *b)
{
	const struct ibc_port *x = *(const struct ibc_port *const *)a;
	const struct ibc_port *y = *(const struct ibc_port *const *)b;

	return by_subnet_and_guid(a, b) ?: compare_ports(x, y);
}

static void evaluate_port_guids(const struct ibc_fabric *fab, struct ibc_sink *out)
{
	const struct ibc_port **ports = sink_array(out, ibc_fabric_count(fab).ports,
	                                           sizeof(*ports));
	const struct ibc_port *p;
	char guid[STR_GUID_MAX];
	size_t n = 0, same;

	/* nodes with one GUID have their port GUIDs in common as well: reported already */
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->guid && !p->node->duplicate)
			ports[n++] = p;
	qsort(ports, n, sizeof(*ports), by_guid_then_port);
	for (size_t i = 0; i < n; i += same) {
		for (same = 1; i + same < n; same++)
			if (by_subnet_and_guid(&ports[i], &ports[i + same]))
				break;
		if (same < 2)
			continue;
		sink_port(out, ports[i], "is one of %zu ports with the port GUID %s", same,
		          str_from_guid(guid, ports[i]->guid));
		sink_advise(out, "Burn the manufacturer's GUIDs into the firmware again.");
		sink_fact(out, "port_guid", ibc_guid(ports[i]->guid));
		sink_fact(out, "ports", ibc_u64(same));
		for (size_t k = 1; k < same && k <= RELATED_MAX; k++)
			sink_relate(out, IBC_ROLE_FOUND, ports[i + k]);
	}
}

/*
 * The subnet manager knows devices by GUID alone: with two of one GUID it configures
 * a mixture of both, and which of them works changes from sweep to sweep.
 */
static void check_guid(const struct ibc_input *in, struct ibc_sink *out)
{
	evaluate_node_guids(in->fabric, out);
	evaluate_port_guids(in->fabric, out);
}

/* ---- names ---------------------------------------------------------------------- */

/* What a description is worth as a name. */
enum worth { WORTH_NAME, WORTH_NOTHING, WORTH_NO_HOST, WORTH_IGNORING };

/* As fnmatch(3) reads them. */
static const struct {
	const char *pattern;
	enum worth worth;
} descriptions[] = {
	{ "*Aggregation Node*", WORTH_IGNORING }, /* part of a switch, the same in all */
	{ "", WORTH_NOTHING },
	{ "MT[0-9]*Mellanox Technologies*", WORTH_NOTHING },
	{ "Mellanox Technologies*", WORTH_NOTHING },
	{ "ConnectX*", WORTH_NOTHING },
	{ "InfiniHost*", WORTH_NOTHING },
	{ "Infini[Ss]cale*", WORTH_NOTHING },
	{ "Switch*Mellanox Technologies*", WORTH_NOTHING }, /* SwitchX, SwitchIB */
	{ "Quantum*Mellanox Technologies*", WORTH_NOTHING },
	{ "Voltaire * ports switch*", WORTH_NOTHING },
};

static enum worth worth_of(const char *desc)
{
	for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++)
		if (fnmatch(descriptions[i].pattern, desc, 0) == 0)
			return descriptions[i].worth;
	return is_nameless(desc, strcspn(desc, " /:")) ? WORTH_NO_HOST : WORTH_NAME;
}

static const char *const type_names[] = {
	[IBC_NODE_UNKNOWN] = "node",
	[IBC_NODE_CA] = "HCA",
	[IBC_NODE_SWITCH] = "switch",
	[IBC_NODE_ROUTER] = "router",
};

/*
 * An unmanaged switch has nothing to set its name, and a site that names none of its
 * adapters does so knowingly; one adapter without a name among many with one has
 * a host whose start-up went wrong.
 */
static void report_nameless(struct ibc_sink *out, const struct ibc_node *const *nodes, size_t n,
                            size_t equal, bool no_host)
{
	const struct ibc_node *node = nodes[0];
	bool adapter = node->type == IBC_NODE_CA;
	const char *what = no_host ? sink_text(out, "no hostname of %s own (\"%s\")",
	                                       n == 1 ? "its" : "their", node->desc)
	                   : *node->desc
	                       ? sink_text(out, "the factory's description \"%s\"", node->desc)
	                       : "an empty description";

	if (!adapter || n * 2 > equal)
		sink_as(out, IBC_INFO);
	if (n == 1)
		sink_node(out, node, "has %s", what);
	else
		sink_fabric(out, "%s%zu of %s have %s", subnet_intro(out, node->subnet), n,
		            amount_text(out, equal, type_names[node->type]), what);
	sink_advise(out, no_host ? "Set the hostname of each such host (hostnamectl set-hostname "
	                           "NAME); rdma-ndd then gives it to the HCA."
	                 : adapter
	                     ? "Start rdma-ndd on the host, or name the node in the node-name map."
	                     : "Name it in the node-name map.");
	sink_fact(out, "nodes", ibc_u64(n));
	sink_fact(out, "nodes_of_type", ibc_u64(equal));
	for (size_t i = 0; n > 1 && i < n && i < RELATED_MAX; i++)
		sink_relate_node(out, IBC_ROLE_FOUND, nodes[i]);
}

static void report_namesakes(struct ibc_sink *out, const struct ibc_node *const *nodes, size_t n)
{
	/* the functions of one card may share a name; two cards may not */
	bool one_device = nodes[0]->system_guid != 0;

	for (size_t i = 1; i < n; i++)
		one_device &= nodes[i]->system_guid == nodes[0]->system_guid;
	if (n < 2 || nodes[0]->duplicate || one_device)
		return;
	sink_node(out, nodes[0], "is one of %s called \"%s\"",
	          amount_text(out, n, type_names[nodes[0]->type]), nodes[0]->desc);
	sink_advise(out, "Give each its own name: by the host name and rdma-ndd for an HCA, by the "
	                 "switch's own setup or the node-name map for a switch.");
	sink_fact(out, "nodes", ibc_u64(n));
	relate_others(out, nodes, n);
}

static int by_type_and_name(const struct ibc_node *x, const struct ibc_node *y)
{
	return order_u64(x->subnet->index, y->subnet->index) ?: order_u64(x->type, y->type)
	           ?: strcmp(x->desc, y->desc);
}

/* By GUID within a run, so that the same node is always the subject. */
static int by_name_then_guid(const void *a, const void *b)
{
	const struct ibc_node *x = *(const struct ibc_node *const *)a;
	const struct ibc_node *y = *(const struct ibc_node *const *)b;

	return by_type_and_name(x, y) ?: order_u64(x->guid, y->guid);
}

/*
 * People find a host or a switch by its name.  Without one, or with one for two, every
 * tool that speaks of it sends them to the wrong place.
 */
static void check_name(const struct ibc_input *in, struct ibc_sink *out)
{
	struct ibc_fabric_counts counts = ibc_fabric_count(in->fabric);
	const struct ibc_node **nodes = sink_array(out, counts.nodes, sizeof(*nodes));
	/* of each subnet, how many nodes of each type it has */
	size_t(*of_type)[IBC_NODE_ROUTER + 1] = sink_array(out, counts.subnets, sizeof(*of_type));
	const struct ibc_node *node;
	size_t n = 0, same;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		of_type[node->subnet->index][node->type]++;
		/* what the node-name map names: what it calls itself does not matter */
		if (ibc_node_has(node, IBC_ATTR_NODE_DESC) && !strcmp(node->name, node->desc))
			nodes[n++] = node;
	}
	qsort(nodes, n, sizeof(*nodes), by_name_then_guid);
	for (size_t i = 0; i < n; i += same) {
		enum worth worth = worth_of(nodes[i]->desc);

		for (same = 1; i + same < n; same++)
			if (by_type_and_name(nodes[i], nodes[i + same]))
				break;
		if (worth == WORTH_NAME)
			report_namesakes(out, &nodes[i], same);
		else if (worth != WORTH_IGNORING)
			report_nameless(out, &nodes[i], same,
			                of_type[nodes[i]->subnet->index][nodes[i]->type],
			                worth == WORTH_NO_HOST);
	}
}

/* ---- the table ------------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_identity[] = {
	CHECK("port.guid", "GUIDs that are zero or used twice", IBC_CRITICAL, check_guid,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO), .many = "GUIDs|are zero or used twice, at"),
	CHECK("port.name", "NodeDescriptions shared by several nodes, or never set", IBC_WARNING,
	      check_name, .needs = IBC_ATTRS(IBC_ATTR_NODE_DESC),
	      .many = "NodeDescriptions|are shared or were never set"),
	{ 0 },
};
