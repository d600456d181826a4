/* SPDX-License-Identifier: BSD-2-Clause */
/* What depends on a switch, an HCA or a cable. */
#include <stdlib.h>

#include "columns.h"
#include "show.h"

/*
 * struct dependents_cell - a place, and what depends on it
 * @node, @port: of a single one; @near: that port, of a cable
 * @gbps_left, @uplinks_left: what @d.uplinks leaves
 * @cut_off, @lose_ports, @routed: folded; NULL: none
 */
struct dependents_cell {
	const struct ibc_node *node;
	const struct ibc_port *near;
	unsigned int port;
	struct ibc_dependents d;
	double gbps_left;
	unsigned int uplinks_left;
	char *cut_off, *lose_ports, *routed;
};

/* "3 leaf switches lose uplinks; leaf01 keeps 1 of 2" */
static struct ibc_value uplinks_of_row(struct ibc_cell *cell)
{
	const struct dependents_cell *r = cell->row;
	const struct ibc_uplink_loss *loss = &r->d.uplinks;

	if (!loss->worst)
		return ibc_none();
	return ibc_cell_text(cell, "%zu %s switch%s; %s keeps %u of %u", loss->switches, loss->tier,
	                     loss->switches == 1 ? " loses uplinks" : "es lose uplinks",
	                     loss->worst->label, r->uplinks_left, loss->uplinks);
}

static struct ibc_value dependents_bandwidth(struct ibc_cell *cell)
{
	const struct dependents_cell *r = cell->row;
	const struct ibc_uplink_loss *loss = &r->d.uplinks;

	if (!loss->tier || loss->up_gbps <= 0)
		return ibc_none();
	return ibc_cell_text(cell, "%.0f of %.0f Gb/s upward from the %s switches", r->gbps_left,
	                     loss->up_gbps, loss->tier);
}

#define ROW struct dependents_cell

/* "leaf01", "leaf01/3 - spine01/1", "leaf01 and 2 more" */
static struct ibc_value dependents_thing(struct ibc_cell *cell)
{
	const struct dependents_cell *r = cell->row;

	if (!r->node)
		return ibc_cell_text(cell, "%s and %zu more", r->d.places->node->label,
		                     r->d.num_places - 1);
	return r->near ? cable_name(cell, r->near) : ibc_str(r->node->label);
}

GETTER(dependents_traffic, ROW, r,
       r->d.has_routes && r->d.places->node->subnet->static_traffic
           ? ibc_enum(ibc_traffic_word(r->d.places->node->subnet->static_traffic))
           : ibc_none());

static const struct ibc_column dependents_columns[] = {
	COLUMN_OF(OF_NODE, "subnet", NULL, cell_subnet),
	NODE_COLUMNS(OF_NODE),
	FIELD_OR_NONE("port", NULL, ROW, port),
	COLUMN("thing", "without", dependents_thing),
	FIELD("hosts_cut_off", "hosts cut off", ROW, d.num_cut_off),
	FIELD("cut_off", "cut off", ROW, cut_off),
	FIELD("hosts_losing_ports", "hosts losing ports", ROW, d.num_lose_ports),
	FIELD("losing_ports", "losing ports", ROW, lose_ports),
	FIELD("pairs_cut_off", "pairs cut off", ROW, d.cut_pairs),
	FIELD("has_routes", NULL, ROW, d.has_routes),
	FIELD_IF(d.has_routes, "pairs_routed", "pairs routed by it", ROW, d.pairs),
	FIELD_IF(d.has_routes, "pairs_rerouted", "need another route", ROW, d.reroutes),
	FIELD_IF(d.has_routes, "hosts_routed", "hosts routed by it", ROW, d.num_lose_routes),
	FIELD("routed", "routed by it", ROW, routed),
	FIELD("tier", NULL, ROW, d.uplinks.tier),
	FIELD_IF_BY(field_tenths, d.uplinks.up_gbps, "tier_up_gbps", NULL, ROW, d.uplinks.up_gbps),
	FIELD_IF_BY(field_tenths, d.uplinks.up_gbps, "tier_up_gbps_left", NULL, ROW, gbps_left),
	FIELD_IF(d.uplinks.tier, "switches_losing_uplinks", NULL, ROW, d.uplinks.switches),
	LABEL_AT(OF_NODE, "least", NULL, ROW, d.uplinks.worst),
	FIELD_OR_NONE("least_uplinks", NULL, ROW, d.uplinks.uplinks),
	FIELD_IF(d.uplinks.worst, "least_uplinks_left", NULL, ROW, uplinks_left),
	COLUMN("uplinks", "uplinks", uplinks_of_row),
	COLUMN("bandwidth", "bandwidth left", dependents_bandwidth),
	COLUMN("traffic", "traffic routed", dependents_traffic),
	{ 0 },
};
const struct ibc_table_type dependents_type = TABLE("dependents", dependents_columns, NULL);

static char *fold(const char *const *names, size_t n)
{
	return n ? ibc_hostlist_fold(names, n) : NULL;
}

void dependents_row(struct app *app, const struct ibc_dependents *d)
{
	struct ibc_table *table = app_table(app, &dependents_type);
	double left = d->uplinks.up_gbps - d->uplinks.lost_gbps;
	const struct ibc_place *only = d->num_places == 1 ? d->places : NULL;
	struct dependents_cell row = {
		.node = only ? only->node : NULL,
		.near = only && only->port ? ibc_node_port(only->node, only->port) : NULL,
		.port = only ? only->port : 0,
		.d = *d,
		.gbps_left = left > 0 ? left : 0, /* sums in another order may differ by a bit */
		.uplinks_left = d->uplinks.uplinks - d->uplinks.lost,
		.cut_off = fold(d->cut_off, d->num_cut_off),
		.lose_ports = fold(d->lose_ports, d->num_lose_ports),
		.routed = fold(d->lose_routes, d->num_lose_routes),
	};

	if (!ibc_traffic_is_part(d->places->node->subnet->static_traffic))
		ibc_table_hide(table, "traffic");
	ibc_table_upright(table);
	ibc_table_row(table, &row);
	free(row.cut_off);
	free(row.lose_ports);
	free(row.routed);
}
