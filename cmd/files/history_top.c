/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cables to replace this week, and apart from them which ports wait: neither mends the other.
 */
#include <ibcheck/case.h>

#include "columns.h"
#include "history.h"

#define ROWS_OF_TEXT 20 /* of each table: a screen */

/* ---- cables ------------------------------------------------------------------------ */

struct worn_row {
	struct ibc_worn_cable c;
	struct ibc_place near, far; /* in the last sweep */
	struct ibc_cable_ends ends;
	bool local;
};

static struct ibc_value worn_cable(struct ibc_cell *cell)
{
	const struct worn_row *r = cell->row;

	return ibc_cell_text(cell, "%s%s%s", r->ends.near, r->c.far ? " - " : "",
	                     r->c.far ? r->ends.far : "");
}

static struct ibc_value worn_first(struct ibc_cell *cell)
{
	const struct worn_row *r = cell->row;

	if (r->c.device)
		return ibc_str(r->c.device->label);
	if (!r->c.far)
		return ibc_str(r->ends.near);
	switch (ibc_cable_first_end(&r->ends)) {
	case IBC_FIRST_NEAR:
		return ibc_str(r->ends.near);
	case IBC_FIRST_FAR:
		return ibc_str(r->ends.far);
	case IBC_FIRST_BOTH:
		break;
	}
	return ibc_str("both ends");
}

static struct ibc_value worn_why(struct ibc_cell *cell)
{
	const struct worn_row *r = cell->row;
	const struct ibc_worn_cable *c = &r->c;

	if (c->device)
		return ibc_cell_text(cell, "%zu of %zu cables of %s count errors: the device",
		                     c->bad, c->cables, c->device->label);
	if (!c->near_damage && !c->far_damage)
		return ibc_str(c->flaps ? "goes down, without damaged data: a restart does that too"
		                        : "buffers overran");
	if (c->near_damage && c->far_damage)
		return ibc_str("both ends receive damaged data: the cable");
	if (c->unread)
		return ibc_str("damaged data arrives, and one end does not report");
	return ibc_cell_text(cell, "only %s receives damaged data",
	                     c->near_damage ? r->ends.near : r->ends.far);
}

static struct ibc_value worn_advice(struct ibc_cell *cell)
{
	const struct worn_row *r = cell->row;
	char text[IBC_ADVICE_MAX];

	if (r->c.device)
		return ibc_cell_text(cell,
		                     "So many cables do not fail at once. Check the power, "
		                     "temperature and firmware of %s before any cable.",
		                     r->c.device->label);
	return ibc_cell_text(cell, "%s", ibc_cable_advice(&r->ends, text));
}

GETTER(worn_errors, struct worn_row, r,
       total_value(cell, r->local, (struct ibc_amount){ true, r->c.at_least, r->c.errors }));
GETTER(worn_last, struct worn_row, r, time_value(cell, r->local, r->c.last));

static const struct ibc_column worn_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	FIELD("hours", "HOURS", struct worn_row, c.hours),
	FIELD("flaps", "FLAPS", struct worn_row, c.flaps),
	FIELD("retrains", "RETRAINS", struct worn_row, c.retrains),
	COLUMN("errors", "ERRORS", worn_errors),
	FIELD("at_least", NULL, struct worn_row, c.at_least),
	COLUMN("last", "LAST", worn_last),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN_AT("node_desc", NULL, place_desc, struct worn_row, near),
	COLUMN("port", NULL, past_num),
	PLACE_COLUMNS("peer_guid", "peer_desc", "peer_port", struct worn_row, far),
	COLUMN("cable", "CABLE", worn_cable),
	COLUMN("first", "TOUCH FIRST", worn_first),
	COLUMN("reason", "WHY", worn_why),
	FIELD("counters", NULL, struct worn_row, c.counters),
	COLUMN("advice", NULL, worn_advice),
	{ 0 },
};
const struct ibc_table_type worn_type = TABLE("worn_cables", worn_columns, "cables with errors");

static struct ibc_place place_of(const struct ibc_port *port)
{
	return (struct ibc_place){ port ? port->node : NULL, port ? port->num : 0 };
}

/* ---- ports that wait --------------------------------------------------------------------- */

struct waiting_row {
	struct ibc_waiting_port w;
	struct ibc_place at, peer; /* in the last sweep */
};

static struct ibc_value waiting_first(struct ibc_cell *cell)
{
	const struct ibc_node *peer = ((const struct waiting_row *)cell->row)->peer.node;

	return peer ? ibc_str(peer->host_name ? peer->host_name : peer->label) : ibc_none();
}

static struct ibc_value waiting_why(struct ibc_cell *cell)
{
	const struct waiting_row *r = cell->row;
	const struct ibc_node *peer = r->peer.node;

	if (!peer)
		return ibc_str("the other end is not known");
	if (r->w.percent < 0)
		return ibc_str("waits, for how long is not known: its ticks have no known length");
	return ibc_str(peer->type == IBC_NODE_SWITCH
	                   ? "congestion behind this switch: see which of its ports wait"
	                   : "takes less than it is sent: its PCIe, its programs, or too many "
	                     "senders");
}

GETTER(waiting_day, struct waiting_row, r, day_value(cell, r->w.worst_day));

static const struct ibc_column waiting_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct waiting_row, w.percent),
	COLUMN_AT("worst_percent", "WORST DAY %", field_tenths, struct waiting_row,
	          w.worst_percent),
	COLUMN("worst_day", "WORST DAY", waiting_day),
	FIELD("days", "DAYS", struct waiting_row, w.days),
	FIELD("wait_ticks", NULL, struct waiting_row, w.waited.n),
	FIELD("at_least", NULL, struct waiting_row, w.waited.at_least),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN_AT("node_desc", NULL, place_desc, struct waiting_row, at),
	COLUMN("port", NULL, past_num),
	PLACE_COLUMNS("peer_guid", "peer_desc", "peer_port", struct waiting_row, peer),
	COLUMN("subject", "PORT", past_name),
	COLUMN("first", "LOOK FIRST AT", waiting_first),
	COLUMN("reason", "WHY", waiting_why),
	{ 0 },
};
const struct ibc_table_type waiting_type = TABLE("waiting_ports", waiting_columns,
                                                 "ports that wait");

void top_tables(struct app *app, const struct ibc_history *h)
{
	size_t shown = app_shows_all(app) ? SIZE_MAX : ROWS_OF_TEXT, n = 0;
	struct ibc_table *table = app_table(app, &worn_type);
	const struct ibc_waiting_port *waiting;
	const struct ibc_worn_cable *c;

	for (; (c = ibc_history_cable(h, n)); n++) {
		struct worn_row row = {
			.c = *c,
			.local = app_for_people(app),
			.near = place_of(c->near->port),
			.far = place_of(c->far ? c->far->port : NULL),
			.ends = { .near = c->near->name,
			          .far = c->far ? c->far->name : "the other end",
			          .near_damage = c->near_damage,
			          .far_damage = c->far_damage,
			          .unread = c->unread },
		};

		if (n < shown)
			ibc_table_row(table, &row);
	}
	ibc_table_omit(table, n > shown ? n - shown : 0, NULL);
	table = app_table(app, &waiting_type);
	for (n = 0; (waiting = ibc_history_waiting(h, n)); n++) {
		const struct ibc_port *port = waiting->at->port;

		if (n < shown)
			ibc_table_row(table,
			              &(struct waiting_row){ *waiting, place_of(port),
			                                     place_of(port ? port->peer : NULL) });
	}
	ibc_table_omit(table, n > shown ? n - shown : 0, NULL);
}
