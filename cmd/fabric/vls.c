/* SPDX-License-Identifier: BSD-2-Clause */
/* counters --vl: the virtual lanes that waited, and how long. */
#include "columns.h"
#include "counters.h"

#define LANES 16 /* virtual lanes 0 .. 15 */
/* Lanes count in 16 bits, and stop there. */
#define MOST 0xffff

/* struct vl_wait - a virtual lane that waited */
struct vl_wait {
	const struct ibc_port *port;
	unsigned int vl;
	uint64_t waited;
	bool at_least;
};

static const struct ibc_column vl_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	FIELD("vl", "VL", struct vl_wait, vl),
	FIELD("transmit_wait", "WAIT TICKS", struct vl_wait, waited),
	FIELD("at_least", "AT LEAST", struct vl_wait, at_least),
	COLUMN("node_port", "PORT", cell_port_name),
	{ 0 },
};
const struct ibc_table_type vls_type = TABLE("vls", vl_columns, NULL);

/*
 * Of a port, and of the same in the earlier sweep.  A lane that went backwards was cleared, and
 * waited at least for what it shows.
 */
static void add_port_vls(struct ibc_table *table, const struct ibc_port *port,
                         const struct ibc_fabric *before)
{
	const struct ibc_node *node = before ? ibc_fabric_node_by_guid(before, port->node->guid)
	                                     : NULL;
	const struct ibc_port *earlier = node ? ibc_node_port(node, port->num) : NULL;
	const uint64_t *now = port->counters->vl_wait;
	const uint64_t *then = earlier && earlier->counters ? earlier->counters->vl_wait : NULL;

	for (unsigned int vl = 0; vl < LANES && (then || !before); vl++) {
		bool cleared = then && now[vl] < then[vl];
		struct vl_wait lane = {
			.port = port,
			.vl = vl,
			.waited = then && !cleared ? now[vl] - then[vl] : now[vl],
			.at_least = cleared || now[vl] >= MOST,
		};

		if (lane.waited)
			ibc_table_row(table, &lane);
	}
}

void lanes_table(struct app *app, const struct ibc_fabric *now, const struct ibc_fabric *before)
{
	struct ibc_table *table = app_table(app, &vls_type);
	const struct ibc_port *port;

	for (size_t i = 0; (port = ibc_fabric_port(now, i)); i++)
		if (port->counters && port->counters->vl_wait)
			add_port_vls(table, port, before);
}
