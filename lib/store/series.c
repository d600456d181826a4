/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ports of a thing counted over time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/history.h"

/* ---- the ports of the thing ------------------------------------------------------------- */

static bool is_wanted(const struct ibc_history *h, const struct ibc_past_port *p)
{
	char thing[32];

	for (size_t i = 0; i < h->last->num_places; i++) {
		const struct ibc_place *place = &h->last->places[i];

		if (place->node->guid == p->guid && (!place->port || place->port == p->num))
			return true;
	}
	snprintf(thing, sizeof(thing), "0x%016" PRIx64 "/%u", p->guid, p->num);
	return history_is_about(h, p->name, thing, NULL);
}

/* By their number; NULL: it is not asked for, or no memory. */
static const struct ibc_past_port **wanted_ports(struct ibc_history *h)
{
	const struct ibc_past_port **wanted = arena_array(h->arena, h->last->room,
	                                                  sizeof(const struct ibc_past_port *));

	if (!wanted)
		sql_no_memory(&h->sql);
	for (size_t id = 1; wanted && id < h->last->room; id++) {
		const struct ibc_past_port *p = history_port(h, (int64_t)id);

		if (p && is_wanted(h, p))
			wanted[id] = p;
	}
	return wanted;
}

/* ---- hours and days ----------------------------------------------------------------------- */

static void read_hours(struct ibc_history *h, const struct ibc_past_port *const *wanted)
{
	sqlite3_stmt *row = history_deltas(h);
	struct delta_row d;

	while (history_delta(h, row, &d)) {
		struct ibc_port_hour hour = { .time = (time_t)d.hour * HOUR,
			                      .counter = d.counter,
			                      .amount = d.amount };

		if (d.port <= 0 || (size_t)d.port >= h->last->room)
			continue;
		hour.at = wanted[d.port];
		if (hour.at)
			HISTORY_ADD(h, hours, hour);
	}
}

static double wait_percent(const struct past_fabric *f, const struct ibc_port_day *day)
{
	struct ibc_delta delta = { .known = 1u << IBC_XMIT_WAIT,
		                   .seconds = history_seconds(f, day->time) };

	delta.value[IBC_XMIT_WAIT] = day->waited.n;
	return day->at->port && day->waited.known ? ibc_delta_wait_percent(day->at->port, &delta)
	                                          : -1;
}

static void read_days(struct ibc_history *h, const struct ibc_past_port *const *wanted)
{
	sqlite3_stmt *row = sql_query(&h->sql,
	                              "SELECT wait, xmit, rcv, hours, day FROM traffic"
	                              " WHERE day >= ? ORDER BY day",
	                              "i", (int64_t)h->opts->since / DAY);
	struct traffic_column columns[TRAFFIC_COLUMNS] = { { .n = 0 } };

	while (sql_row(&h->sql, row)) {
		struct ibc_port_day day = {
			.hours = (uint32_t)sqlite3_column_int64(row, 3),
			.time = (time_t)sql_between(&h->sql, row, 4, 0, TIME_LAST / DAY) * DAY
		};

		for (int c = 0; c < TRAFFIC_COLUMNS; c++)
			if (!traffic_unpack(h->arena, row, c, &columns[c]))
				sql_damaged(&h->sql);
		for (size_t id = 1; id < h->last->room; id++)
			if ((day.at = wanted[id])) {
				day.waited = traffic_amount(
				    traffic_code(&columns[TRAFFIC_WAIT], id));
				day.sent = traffic_amount(traffic_code(&columns[TRAFFIC_XMIT], id));
				day.received = traffic_amount(
				    traffic_code(&columns[TRAFFIC_RCV], id));
				day.wait_percent = wait_percent(h->last, &day);
				if (day.waited.known || day.sent.known || day.received.known)
					HISTORY_ADD(h, days, day);
			}
	}
}

static int order_of_ports(const struct ibc_past_port *a, const struct ibc_past_port *z)
{
	int by_fabric = strcmp(a->fabric->name, z->fabric->name), by_guid;

	by_guid = order_u64(a->guid, z->guid);
	return by_fabric ? by_fabric : by_guid ? by_guid : order_u64(a->num, z->num);
}

static int by_port_and_hour(const void *va, const void *vz)
{
	const struct ibc_port_hour *a = va, *z = vz;
	int by_port = order_of_ports(a->at, z->at);

	return by_port              ? by_port
	       : a->time != z->time ? order_u64((uint64_t)a->time, (uint64_t)z->time)
	                            : order_u64(a->counter, z->counter);
}

static int by_port_and_day(const void *va, const void *vz)
{
	const struct ibc_port_day *a = va, *z = vz;
	int by_port = order_of_ports(a->at, z->at);

	return by_port ? by_port : order_u64((uint64_t)a->time, (uint64_t)z->time);
}

void history_series(struct ibc_history *h)
{
	const struct ibc_past_port **wanted = h->sql.failed ? NULL : wanted_ports(h);

	if (!wanted)
		return;
	read_hours(h, wanted);
	read_days(h, wanted);
	if (h->num_hours)
		qsort(h->hours, h->num_hours, sizeof(*h->hours), by_port_and_hour);
	if (h->num_days)
		qsort(h->days, h->num_days, sizeof(*h->days), by_port_and_day);
}
