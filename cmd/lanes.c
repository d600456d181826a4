/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --vl: the virtual lanes that waited, and how long. */
#include <stdio.h>

#include "counters.h"

#define LANES 16 /* virtual lanes 0 .. 15 */
/* Lanes count in 16 bits, and stop there. */
#define MOST 0xffff

static const struct ibc_column columns[] = {
	{ "plane", NULL },          { "node_guid", NULL },   { "node_desc", NULL },
	{ "port", NULL },           { "vl", "VL" },          { "transmit_wait", "WAIT TICKS" },
	{ "at_least", "AT LEAST" }, { "node_port", "PORT" }, { 0 },
};

/* Of the same port in the earlier sweep; NULL: not told. */
static const uint64_t *earlier(const struct ibc_fabric *before, const struct ibc_port *port)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(before, port->node->guid);
	const struct ibc_port *then = node ? ibc_node_port(node, port->num) : NULL;

	return then && then->counters ? then->counters->vl_wait : NULL;
}

static void add_lane(struct ibc_table *table, const struct ibc_port *port, unsigned int vl,
                     uint64_t waited, bool at_least)
{
	char name[512];

	snprintf(name, sizeof(name), "%s/%u", port->node->label, port->num);
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_u64(port->node->plane->index),
				 ibc_guid(port->node->guid),
				 ibc_str(port->node->desc),
				 ibc_u64(port->num),
				 ibc_u64(vl),
				 ibc_u64(waited),
				 ibc_bool(at_least),
				 ibc_str(name),
			     });
}

/* A lane that went backwards was cleared, and waited at least for what it shows. */
static void add_port(struct ibc_table *table, const struct ibc_port *port, const uint64_t *then)
{
	const uint64_t *now = port->counters->vl_wait;

	for (unsigned int vl = 0; vl < LANES; vl++) {
		bool cleared = then && now[vl] < then[vl];
		uint64_t waited = then && !cleared ? now[vl] - then[vl] : now[vl];

		if (waited)
			add_lane(table, port, vl, waited, cleared || now[vl] >= MOST);
	}
}

void lanes_table(struct ibc_report *rep, const struct ibc_fabric *now,
                 const struct ibc_fabric *before)
{
	struct ibc_table *table = ibc_report_table(rep, "lanes", columns);
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(now, i)); i++) {
		const uint64_t *then = before ? earlier(before, port) : NULL;

		if (port->counters && port->counters->vl_wait && (then || !before))
			add_port(table, port, then);
	}
}
