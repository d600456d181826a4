/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ports of a thing counted over time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/history.h"

/* ---- the ports of the thing ------------------------------------------------------------- */

/* By their number; NULL: it is not asked for. */
static const struct ibc_past_port **wanted_ports(struct ibc_history *h)
{
	const struct ibc_past_port **wanted = arena_array(h->arena, h->last->room,
	                                                  sizeof(const struct ibc_past_port *));

	for (size_t id = 1; id < h->last->room; id++) {
		const struct ibc_past_port *p = history_port(h, (int64_t)id);
		char thing[32];
		bool named = false;

		if (!p)
			continue;
		for (size_t i = 0; i < h->last->num_places; i++) {
			const struct ibc_place *place = &h->last->places[i];

			named |= place->node->guid == p->guid &&
			         (!place->port || place->port == p->num);
		}
		snprintf(thing, sizeof(thing), "0x%016" PRIx64 "/%u", p->guid, p->num);
		if (named || history_is_about(h, p->name, thing, NULL))
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
				day.wait_percent = day.waited.known
				                       ? history_wait_percent(
							     day.at, day.waited.n,
							     history_seconds(h->last, day.time))
				                       : -1;
				if (day.waited.known || day.sent.known || day.received.known)
					HISTORY_ADD(h, days, day);
			}
	}
}

static int order_of_ports(const struct ibc_past_port *a, const struct ibc_past_port *z)
{
	int by_guid = strcmp(a->fabric->name, z->fabric->name) ?: order_u64(a->guid, z->guid);

	return by_guid ?: order_u64(a->num, z->num);
}

static int by_port_and_hour(const void *va, const void *vz)
{
	const struct ibc_port_hour *a = va, *z = vz;
	int by_time = order_of_ports(a->at, z->at)
	                  ?: order_u64((uint64_t)a->time, (uint64_t)z->time);

	return by_time ?: order_u64(a->counter, z->counter);
}

static int by_port_and_day(const void *va, const void *vz)
{
	const struct ibc_port_day *a = va, *z = vz;

	return order_of_ports(a->at, z->at) ?: order_u64((uint64_t)a->time, (uint64_t)z->time);
}

void history_series(struct ibc_history *h)
{
	const struct ibc_past_port **wanted;

	if (h->sql.failed)
		return;
	wanted = wanted_ports(h);
	read_hours(h, wanted);
	read_days(h, wanted);
	if (h->num_hours)
		qsort(h->hours, h->num_hours, sizeof(*h->hours), by_port_and_hour);
	if (h->num_days)
		qsort(h->days, h->num_days, sizeof(*h->days), by_port_and_day);
}
