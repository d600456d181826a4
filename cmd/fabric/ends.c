/* SPDX-License-Identifier: BSD-2-Clause */
/* Both ends of the cables of what is shown, and what the near ones counted. */
#include <string.h>

#include "columns.h"
#include "counters.h"
#include "phy.h"
#include "show.h"

/*
 * struct cable_end - one end of a cable
 * @port: at this end
 * @near: the port that is shown, which is at the near end
 */
struct cable_end {
	const struct ibc_port *port, *near;
	const char *end;
};

static const struct ibc_column end_columns[] = {
	COLUMN_AT("subnet", NULL, cell_subnet, struct cable_end, near),
	COLUMN_AT("node_guid", NULL, cell_node_guid, struct cable_end, near),
	COLUMN_AT("node_desc", NULL, cell_node_desc, struct cable_end, near),
	COLUMN_AT("port", NULL, cell_port, struct cable_end, near),
	FIELD("end", "END", struct cable_end, end),
	COLUMN("end_guid", NULL, cell_node_guid),
	COLUMN("end_desc", NULL, cell_node_desc),
	COLUMN("end_port", NULL, cell_port),
	COLUMN("end_label", NULL, cell_port_label),
	COLUMN("name", "PORT", cell_port_name),
	LINK_COLUMNS,
	COLUMN("peer", "PEER", cell_peer_name),
	{ 0 },
};
const struct ibc_table_type ends_type = TABLE("ends", end_columns, NULL);

/* Text shows of a whole switch its own ends, and of those without a cable their number. */
static bool shows_briefly(const struct app *app, const struct ibc_place *place)
{
	return !app_shows_all(app) && place->node->type == IBC_NODE_SWITCH && !place->port;
}

static const struct ibc_port *next_shown(const struct ibc_place *place, unsigned int *num)
{
	unsigned int last = place->port ? place->port : place->node->num_ports;

	if (!*num)
		*num = place->port ? place->port : 1;
	return *num <= last ? ibc_node_port(place->node, (*num)++) : NULL;
}

void ends_table(struct app *app)
{
	struct ibc_table *table = app_table(app, &ends_type);
	const struct ibc_port *p;
	bool brief = true;
	size_t down = 0;

	for (size_t i = 0; i < app->num_places; i++) {
		bool own = shows_briefly(app, &app->places[i]);

		brief = brief && own;
		for (unsigned int num = 0; (p = next_shown(&app->places[i], &num));) {
			if (own && !p->peer && ibc_port_has(p, IBC_ATTR_PORT_INFO) &&
			    !ibc_port_is_up(p)) {
				down++;
				continue;
			}
			ibc_table_row(table, &(struct cable_end){ p, p, "near" });
			if (!own && p->peer)
				ibc_table_row(table, &(struct cable_end){ p->peer, p, "far" });
		}
	}
	if (brief)
		ibc_table_hide(table, "end");
	ibc_table_omit(table, down, " that are down");
}

/* ---- activity ---------------------------------------------------------------------------- */

/* struct port_activity - what a port counted in its life, and since the first of two samples */
struct port_activity {
	const struct ibc_port *port;
	struct link_end life, now;
};

static struct ibc_value life_counter(const struct port_activity *a, unsigned int counter)
{
	return a->life.delta.known & 1u << counter ? ibc_u64(a->life.delta.value[counter])
	                                           : ibc_none();
}

static struct ibc_value errors_text(struct ibc_cell *cell, const struct link_end *end)
{
	if (!end->delta.known)
		return ibc_none();
	link_end_text(end, cell);
	return ibc_cell_text(cell, "%s", cell->length ? "" : "none");
}

GETTER(activity_sent, struct port_activity, a, life_counter(a, IBC_XMIT_DATA));
GETTER(activity_received, struct port_activity, a, life_counter(a, IBC_RCV_DATA));
GETTER(activity_waited, struct port_activity, a, life_counter(a, IBC_XMIT_WAIT));
GETTER(activity_errors, struct port_activity, a, errors_text(cell, &a->life));
GETTER(activity_new, struct port_activity, a, errors_text(cell, &a->now));

static const struct ibc_column activity_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	COLUMN("name", "PORT", cell_port_name),
	FIELD_OR_NONE("interval_seconds", NULL, struct port_activity, now.delta.seconds),
	COLUMN_AT("util_percent", "UTIL %", field_tenths, struct port_activity, now.util),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct port_activity, now.wait),
	COLUMN("new_errors", "NEW ERRORS", activity_new),
	COLUMN("sent_bytes", "SENT BYTES", activity_sent),
	COLUMN("received_bytes", "RECEIVED BYTES", activity_received),
	COLUMN("xmit_wait", "PortXmitWait", activity_waited),
	SENTENCE("errors", "ERRORS", activity_errors),
	{ 0 },
};
const struct ibc_table_type activity_type = TABLE("activity", activity_columns, NULL);

/* Of the ports that have a cable, or counters. */
static size_t count_activity(const struct app *app, bool read)
{
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; i < app->num_places; i++)
		for (unsigned int num = 0; (p = next_shown(&app->places[i], &num));)
			n += read ? p->counters != NULL : p->peer && !p->counters;
	return n;
}

static bool ended(const struct ibc_port *p, struct ibc_attrs attrs, enum ibc_answer answer)
{
	return ibc_attrs_meet(
	    attrs, ibc_attrs_or(ibc_port_attrs(p, answer), ibc_node_attrs(p->node, answer)));
}

void conclude_physical(struct app *app)
{
	const struct ibc_attrs all = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	const bool asked = app->how.physical || app->common.phy.n;
	size_t unread = 0, ports = 0;
	const struct ibc_port *p;

	for (size_t i = 0; i < app->num_places; i++)
		for (unsigned int num = 0; (p = next_shown(&app->places[i], &num));) {
			bool known = p->extra->phy || p->extra->module;

			if (!known && !p->peer && !ibc_port_is_up(p))
				continue;
			unread += (asked && !known) || ended(p, all, IBC_SILENT) ||
			          ended(p, all, IBC_REFUSED);
			ports++;
		}
	if (unread)
		ibc_report_conclude(app->report,
		                    "physical layer of %zu of %zu ports not read completely",
		                    unread, ports);
}

void activity_table(struct app *app)
{
	size_t read = count_activity(app, true), unread = count_activity(app, false), calm = 0;
	bool text = app_for_people(app);
	const struct ibc_port *p;
	struct ibc_table *table;

	if (unread)
		ibc_report_conclude(app->report, "counters of %zu of %zu ports not read", unread,
		                    unread + read);
	if (!read && text)
		return;
	table = app_table(app, &activity_type);
	for (size_t i = 0; i < app->num_places; i++)
		for (unsigned int num = 0; (p = next_shown(&app->places[i], &num));) {
			struct port_activity a = { .port = p,
				                   .life = link_end_of(NULL, NULL, p),
				                   .now = { .util = -1, .wait = -1 } };

			if (app->before)
				a.now = link_end_of(app->windows, app->before, p);
			if (!text)
				counters_of_port(app, p, app->before);
			/* of a whole switch the ports that counted errors, or waited just now */
			if (shows_briefly(app, &app->places[i]) && p->counters && !a.life.errors &&
			    !a.now.errors && a.now.wait < WAIT_PERCENT)
				calm++;
			else if (p->counters || (p->peer && !text)) /* text: if they were read */
				ibc_table_row(table, &a);
		}
	ibc_table_omit(table, calm, " without errors");
	if (app->before)
		return;
	ibc_table_hide(table, "util_percent");
	ibc_table_hide(table, "wait_percent");
	ibc_table_hide(table, "new_errors");
}
