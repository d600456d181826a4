/* SPDX-License-Identifier: BSD-2-Clause */
/* What depends on a switch, an HCA or a cable. */
#include <stdlib.h>

#include "columns.h"
#include "show.h"

/*
 * struct dependents_cell - a place, and what depends on it
 * @near: the port, of a cable
 * @cut_off, @lose_ports, @routed: folded; NULL: none
 */
struct dependents_cell {
	const struct ibc_node *node;
	const struct ibc_port *near;
	const struct ibc_dependents *d;
	char *cut_off, *lose_ports, *routed;
};

static const struct dependents_cell *dependents_at(const struct ibc_cell *cell)
{
	return cell->row;
}

/* "leaf01", "leaf01/3 - spine01/1" */
static struct ibc_value dependents_thing(struct ibc_cell *cell)
{
	const struct ibc_port *near = dependents_at(cell)->near;
	char text[IBC_PLACE_TEXT];

	if (!near)
		return ibc_str(dependents_at(cell)->node->label);
	ibc_cell_text(
	    cell, "%s",
	    ibc_place_text((struct ibc_place){ near->node, near->num }, text, sizeof(text)));
	if (near->peer)
		ibc_cell_text(
		    cell, " - %s",
		    ibc_place_text((struct ibc_place){ near->peer->node, near->peer->num }, text,
		                   sizeof(text)));
	return ibc_cell_text(cell, "%s", "");
}

/* "3 leaf switches lose uplinks; leaf01 keeps 1 of 2" */
static struct ibc_value dependents_uplinks_text(struct ibc_cell *cell)
{
	const struct ibc_uplink_loss *loss = &dependents_at(cell)->d->uplinks;

	if (!loss->worst)
		return ibc_none();
	return ibc_cell_text(cell, "%zu %s switch%s; %s keeps %u of %u", loss->switches, loss->tier,
	                     loss->switches == 1 ? " loses uplinks" : "es lose uplinks",
	                     loss->worst->label, loss->uplinks - loss->lost, loss->uplinks);
}

static double gbps_left(const struct ibc_uplink_loss *loss)
{
	return loss->up_gbps - loss->lost_gbps;
}

static struct ibc_value dependents_bandwidth(struct ibc_cell *cell)
{
	const struct ibc_uplink_loss *loss = &dependents_at(cell)->d->uplinks;

	if (!loss->tier || loss->up_gbps <= 0)
		return ibc_none();
	return ibc_cell_text(cell, "%.0f of %.0f Gb/s upward from the %s switches", gbps_left(loss),
	                     loss->up_gbps, loss->tier);
}

#define ROW struct dependents_cell

GETTER(dependents_port, ROW, r, r->near ? ibc_u64(r->near->num) : ibc_none());
GETTER(dependents_cut, ROW, r, ibc_u64(r->d->num_cut_off));
GETTER(dependents_lose, ROW, r, ibc_u64(r->d->num_lose_ports));
GETTER(dependents_cut_pairs, ROW, r, ibc_u64(r->d->cut_pairs));
GETTER(dependents_has_routes, ROW, r, ibc_bool(r->d->has_routes));
GETTER(dependents_pairs, ROW, r, r->d->has_routes ? ibc_u64(r->d->pairs) : ibc_none());
GETTER(dependents_routed, ROW, r, r->d->has_routes ? ibc_u64(r->d->num_lose_routes) : ibc_none());
GETTER(dependents_traffic, ROW, r,
       r->d->has_routes && r->node->subnet->static_traffic
           ? ibc_enum(ibc_traffic_word(r->node->subnet->static_traffic))
           : ibc_none());
GETTER(dependents_cut_list, ROW, r, ibc_str(r->cut_off));
GETTER(dependents_lose_list, ROW, r, ibc_str(r->lose_ports));
GETTER(dependents_routed_list, ROW, r, ibc_str(r->routed));
GETTER(dependents_tier, ROW, r, ibc_str(r->d->uplinks.tier));
GETTER(dependents_gbps, ROW, r,
       r->d->uplinks.tier ? rounded(r->d->uplinks.up_gbps, 10) : ibc_none());
GETTER(dependents_gbps_left, ROW, r,
       r->d->uplinks.tier ? rounded(gbps_left(&r->d->uplinks), 10) : ibc_none());
GETTER(dependents_switches, ROW, r,
       r->d->uplinks.tier ? ibc_u64(r->d->uplinks.switches) : ibc_none());
GETTER(dependents_worst, ROW, r, ibc_str(r->d->uplinks.worst ? r->d->uplinks.worst->label : NULL));
GETTER(dependents_worst_uplinks, ROW, r, number_or_none(r->d->uplinks.uplinks));
GETTER(dependents_worst_left, ROW, r,
       r->d->uplinks.worst ? ibc_u64(r->d->uplinks.uplinks - r->d->uplinks.lost) : ibc_none());

static const struct ibc_column dependents_columns[] = {
	COLUMN_OF(OF_NODE, "subnet", NULL, cell_subnet),
	NODE_COLUMNS(OF_NODE),
	COLUMN("port", NULL, dependents_port),
	COLUMN("thing", "without", dependents_thing),
	COLUMN("hosts_cut_off", "hosts cut off", dependents_cut),
	COLUMN("cut_off", "cut off", dependents_cut_list),
	COLUMN("hosts_losing_ports", "hosts losing ports", dependents_lose),
	COLUMN("losing_ports", "losing ports", dependents_lose_list),
	COLUMN("pairs_cut_off", "pairs cut off", dependents_cut_pairs),
	COLUMN("has_routes", NULL, dependents_has_routes),
	COLUMN("pairs_routed", "pairs routed by it", dependents_pairs),
	COLUMN("hosts_routed", "hosts routed by it", dependents_routed),
	COLUMN("routed", "routed by it", dependents_routed_list),
	COLUMN("tier", NULL, dependents_tier),
	COLUMN("tier_up_gbps", NULL, dependents_gbps),
	COLUMN("tier_up_gbps_left", NULL, dependents_gbps_left),
	COLUMN("switches_losing_uplinks", NULL, dependents_switches),
	COLUMN("least", NULL, dependents_worst),
	COLUMN("least_uplinks", NULL, dependents_worst_uplinks),
	COLUMN("least_uplinks_left", NULL, dependents_worst_left),
	COLUMN("uplinks", "uplinks", dependents_uplinks_text),
	COLUMN("bandwidth", "bandwidth left", dependents_bandwidth),
	COLUMN("traffic", "traffic routed", dependents_traffic),
	{ 0 },
};
const struct ibc_table_type dependents_type = { "dependents", dependents_columns, NULL, NULL,
	                                        NULL };

static char *fold(const char *const *names, size_t n)
{
	return n ? ibc_hostlist_fold(names, n) : NULL;
}

void dependents_row(struct app *app, const struct ibc_dependents *d)
{
	struct ibc_table *table = app_table(app, &dependents_type);
	struct dependents_cell row = {
		.node = d->place.node,
		.near = d->place.port ? ibc_node_port(d->place.node, d->place.port) : NULL,
		.d = d,
		.cut_off = fold(d->cut_off, d->num_cut_off),
		.lose_ports = fold(d->lose_ports, d->num_lose_ports),
		.routed = fold(d->lose_routes, d->num_lose_routes),
	};

	if (!ibc_traffic_is_part(row.node->subnet->static_traffic))
		ibc_table_hide(table, "traffic");
	ibc_table_upright(table);
	ibc_table_row(table, &row);
	free(row.cut_off);
	free(row.lose_ports);
	free(row.routed);
}
