/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node is, where it hangs, and how the subnet manager reaches it. */
#include <inttypes.h>

#include "columns.h"
#include "show.h"

/*
 * struct identity - of one node
 * @port: that has its LID, or the one that was named; @at: what is shown of it, or zero
 * @tier: of a switch; NULL: it has none
 * @sm: the port of the master SM, or NULL; @route: there; @by: where it was read from, or NULL
 */
struct identity {
	const struct ibc_node *node;
	const struct ibc_port *port;
	const char *tier;
	const struct ibc_port *sm;
	struct ibc_path route;
	const char *by;
	unsigned int ports_up;
};

/* ---- the columns ---------------------------------------------------------------------- */

static const struct identity *identity_at(const struct ibc_cell *cell)
{
	return cell->row;
}

/* The switches that an HCA's cables lead to; of a host in two rails they are two. */
static struct ibc_value identity_leaf(struct ibc_cell *cell)
{
	const struct ibc_node *node = identity_at(cell)->node, *last = NULL;
	struct ibc_value leaf = ibc_none();

	for (unsigned int i = 1; i <= node->num_ports && node->type != IBC_NODE_SWITCH; i++) {
		const struct ibc_port *peer = node->ports[i].peer;

		if (!peer || peer->node->type != IBC_NODE_SWITCH || peer->node == last)
			continue;
		leaf = ibc_cell_text(cell, "%s%s", last ? ", " : "", peer->node->label);
		last = peer->node;
	}
	return leaf;
}

/* "leaf01/5, spine01/2": the ports it leaves by */
static struct ibc_value identity_route(struct ibc_cell *cell)
{
	const struct identity *id = identity_at(cell);
	struct ibc_value route = ibc_none();
	char text[IBC_PLACE_TEXT];

	for (size_t i = 0; i < id->route.num; i++) {
		const struct ibc_port *out = id->route.out[i];

		ibc_place_text((struct ibc_place){ out->node, out->num }, text, sizeof(text));
		route = ibc_cell_text(cell, "%s%s", i ? ", " : "", text);
	}
	return route;
}

GETTER(identity_host, struct identity, id, ibc_str(id->node->host_name));
/* 0 is no GUID; a node that only a list of cables names has none */
GETTER(identity_system, struct identity, id,
       id->node->system_guid ? ibc_guid(id->node->system_guid) : ibc_none());
GETTER(identity_port_guid, struct identity, id,
       id->port && id->port->guid ? ibc_guid(id->port->guid) : ibc_none());
GETTER(identity_lid, struct identity, id, number_or_none(id->port ? id->port->lid : 0));
GETTER(identity_lmc, struct identity, id, number_or_none(id->port ? id->port->lmc : 0));
GETTER(identity_vendor, struct identity, id,
       id->node->vendor_id ? ibc_cell_text(cell, "0x%06" PRIx32, id->node->vendor_id) : ibc_none());
GETTER(identity_device, struct identity, id, number_or_none(id->node->device_id));
GETTER(identity_revision, struct identity, id, number_or_none(id->node->revision));
GETTER(identity_firmware, struct identity, id, ibc_str(id->node->firmware));
GETTER(identity_psid, struct identity, id, ibc_str(id->node->psid));
GETTER(identity_ports, struct identity, id, ibc_u64(id->node->num_ports));
GETTER(identity_hops, struct identity, id,
       id->by && id->route.end == IBC_ROUTE_ARRIVES ? ibc_u64(id->route.num) : ibc_none());
GETTER(identity_end, struct identity, id,
       id->by ? ibc_enum(ibc_route_end_word(id->route.end)) : ibc_none());

#define OF_ITS_NODE(k, title, getter) COLUMN_OF(OF_NODE, k, title, getter)

static const struct ibc_column identity_columns[] = {
	OF_ITS_NODE("subnet", NULL, cell_subnet),
	OF_ITS_NODE("node", "name", cell_node),
	OF_ITS_NODE("node_desc", "NodeDescription", cell_node_desc),
	OF_ITS_NODE("node_type", "type", cell_node_type),
	FIELD("tier", "tier", struct identity, tier),
	COLUMN("host", "host", identity_host),
	COLUMN("leaf", "on switch", identity_leaf),
	OF_ITS_NODE("node_guid", "node GUID", cell_node_guid),
	COLUMN("system_guid", "system GUID", identity_system),
	COLUMN("port_guid", "port GUID", identity_port_guid),
	COLUMN("lid", "LID", identity_lid),
	COLUMN("lmc", "LMC", identity_lmc),
	COLUMN("vendor_id", "vendor id", identity_vendor),
	COLUMN("device_id", "device id", identity_device),
	COLUMN("revision", "revision", identity_revision),
	COLUMN("firmware", "firmware", identity_firmware),
	COLUMN("psid", "PSID", identity_psid),
	COLUMN("ports", "ports", identity_ports),
	FIELD("ports_up", "ports up", struct identity, ports_up),
	LABEL_AT(OF_PORT, "sm", "master SM", struct identity, sm),
	COLUMN("sm_hops", "hops to SM", identity_hops),
	COLUMN("sm_route", "route to SM", identity_route),
	FIELD("sm_route_by", "read from", struct identity, by),
	COLUMN("sm_route_end", NULL, identity_end),
	{ 0 },
};
const struct ibc_table_type identity_type = TABLE("identity", identity_columns, NULL);

/* ---- the rows --------------------------------------------------------------------------- */

static int add_identity(struct app *app, const struct ibc_place *place, struct ibc_error *err)
{
	int rank = app->fattree ? ibc_fattree_rank(app->fattree, place->node) : -1, rc = 0;
	const struct ibc_tier *tier = rank < 0 ? NULL
	                                       : ibc_fattree_tier(app->fattree, (size_t)rank);
	const struct ibc_subnet *subnet = place->node->subnet;
	struct identity id = { .node = place->node,
		               .tier = tier ? tier->name : NULL,
		               .port = port_of_place(place) };

	if (id.port && id.node->type == IBC_NODE_SWITCH)
		id.port = ibc_node_port(id.node, 0);
	if (id.port && id.port->sm_lid)
		id.sm = ibc_fabric_port_by_lid(subnet, id.port->sm_lid);
	if (id.sm) {
		/* by the tables as far as they are known, else a shortest one by cabling */
		id.by = subnet->forwarding ? "linear forwarding tables" : "cabling";
		rc = subnet->forwarding ? ibc_path_find(id.port, id.sm->lid, &id.route, err)
		                        : ibc_path_by_cabling(id.port, id.sm, &id.route, err);
	}
	for (unsigned int i = 1; i <= id.node->num_ports; i++)
		id.ports_up += ibc_port_is_up(&id.node->ports[i]);
	ibc_table_row(app_table(app, &identity_type), &id);
	return rc;
}

int identity_table(struct app *app, struct ibc_error *err)
{
	int rc = 0;

	ibc_table_upright(app_table(app, &identity_type));
	for (size_t i = 0, k; !rc && i < app->num_places; i++) {
		for (k = 0; app->places[k].node != app->places[i].node;)
			k++;
		if (k == i) /* ports of one node have it in common */
			rc = add_identity(app, &app->places[i], err);
	}
	return rc;
}
