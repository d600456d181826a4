/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of a run, one line each: when it was that something happened. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "counters.h"

/*
 * struct window_row - what happened in one window, @window from 1
 * @worst, @place: the port that waited most, by @guid and @num; NULL: none
 * @ports: whose counters are known; @unread: those with a cable that are not
 * @waiting: ports that waited; @wait, @util: of the port with most of it, in percent;
 *	negative: of no port this is known
 */
struct window_row {
	const struct ibc_port *worst;
	struct ibc_place place;
	uint64_t guid, errors;
	unsigned int num, window;
	size_t ports, unread;
	int waiting;
	double seconds, wait, util;
};

GETTER(window_seconds, struct window_row, row,
       row->seconds > 0 ? rounded(row->seconds, 100) : ibc_none())

static const struct ibc_column window_columns[] = {
	FIELD("window", "WINDOW", struct window_row, window),
	COLUMN("seconds", "SECONDS", window_seconds),
	FIELD("ports", "PORTS", struct window_row, ports),
	FIELD("ports_unread", "UNREAD", struct window_row, unread),
	FIELD_IF(ports, "errors", "ERRORS", struct window_row, errors),
	FIELD("ports_waiting", "WAITING", struct window_row, waiting),
	COLUMN_AT("util_percent", "UTIL %", field_tenths, struct window_row, util),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct window_row, wait),
	PLACE_COLUMNS("node_guid", "node_desc", "port", struct window_row, place),
	COLUMN("name", "MOST WAITING", cell_port_name),
	{ 0 },
};
const struct ibc_table_type windows_type = TABLE("windows", window_columns, NULL);

int windows_add(struct app *app, const struct ibc_fabric *before, struct ibc_error *err)
{
	struct window_row row = { .waiting = -1, .wait = -1, .util = -1 }, *rows;
	const struct ibc_port *port;
	struct link_end end;

	rows = reallocarray(app->sweep.windows, app->sweep.num_windows + 1, sizeof(*rows));
	if (!rows)
		return cmd_fail(err, -ENOMEM, "out of memory");
	app->sweep.windows = rows;
	for (size_t i = 0; (port = ibc_fabric_port(app->fabric, i)); i++) {
		end = link_end_of(NULL, before, port);
		if (!(end.delta.seconds > 0)) {
			row.unread += port->peer && port->num;
			continue;
		}
		row.seconds = row.seconds > 0 ? row.seconds : end.delta.seconds;
		row.ports++;
		row.errors += end.errors;
		row.util = end.util > row.util ? end.util : row.util;
		if (end.wait >= 0)
			row.waiting = (row.waiting < 0 ? 0 : row.waiting) +
			              (end.wait >= WAIT_PERCENT);
		if (end.wait <= row.wait)
			continue;
		row.wait = end.wait;
		row.guid = end.wait > 0 ? port->node->guid : 0;
		row.num = port->num;
	}
	row.window = (unsigned int)app->sweep.num_windows + 1;
	rows[app->sweep.num_windows++] = row;
	return 0;
}

void windows_table(struct app *app)
{
	bool text = app_for_people(app);
	struct ibc_table *table;

	if (app->sweep.num_windows < (text ? 2 : 1))
		return;
	table = app_table(app, &windows_type);
	for (size_t i = 0; i < app->sweep.num_windows; i++) {
		struct window_row *row = &app->sweep.windows[i];
		const struct ibc_node *node = ibc_fabric_node_by_guid(app->fabric, row->guid);

		if (!node && app->before) /* gone since */
			node = ibc_fabric_node_by_guid(app->before, row->guid);
		row->place = (struct ibc_place){ node, row->num };
		row->worst = node ? ibc_node_port(node, row->num) : NULL;
		ibc_table_row(table, row);
	}
}
