/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ports counted since they were last read: errors by the hour, traffic by the day. */
#include <ibcheck/counters.h>

#include "base/arena.h"
#include "fabric/fabric.h"
#include "store/store.h"

/* ---- the numbers of ports in the history -------------------------------------------- */

size_t store_port_room(struct sql *sql)
{
	int64_t last = sql_number(sql, "SELECT max(id) FROM port", "");

	if (last >= 0 && last < TRAFFIC_PORTS_MAX)
		return (size_t)last + 1;
	sql_damaged(sql);
	return 1;
}

/* Before or behind in the order of the fabric, or 0; both are by GUID as an unsigned number. */
static int order_of(const struct ibc_port *port, sqlite3_stmt *row)
{
	uint64_t guid = (uint64_t)sqlite3_column_int64(row, 0);
	unsigned int num = (unsigned int)sqlite3_column_int(row, 1);

	if (port->node->guid != guid)
		return port->node->guid < guid ? -1 : 1;
	return port->num < num ? -1 : port->num > num;
}

/* Those whose GUID is from @least to @most as SQLite orders them; from the @i-th port on. */
static size_t find_range(struct ibc_store *store, const struct ibc_fabric *now, int64_t *ids,
                         size_t i, int64_t least, int64_t most)
{
	sqlite3_stmt *row = sql_query(&store->sql,
	                              "SELECT guid, num, id FROM port WHERE guid BETWEEN ? AND ?"
	                              " ORDER BY guid, num",
	                              "ii", least, most);
	const struct ibc_port *port = ibc_fabric_port(now, i);

	while (sql_row(&store->sql, row)) {
		while (port && order_of(port, row) < 0)
			port = ibc_fabric_port(now, ++i);
		for (; port && !order_of(port, row); port = ibc_fabric_port(now, ++i))
			ids[i] = sqlite3_column_int64(row, 2);
	}
	return i;
}

static int64_t add_port(struct ibc_store *store, const struct ibc_port *port)
{
	char name[IBC_PLACE_TEXT], peer[IBC_PLACE_TEXT];

	ibc_place_text((struct ibc_place){ port->node, port->num }, name, sizeof(name));
	ibc_place_text((struct ibc_place){ port->peer ? port->peer->node : NULL,
	                                   port->peer ? port->peer->num : 0 },
	               peer, sizeof(peer));
	sql_run(&store->sql, "INSERT OR IGNORE INTO port(guid, num, name, peer) VALUES(?, ?, ?, ?)",
	        "iitt", (int64_t)port->node->guid, (int64_t)port->num, name, peer);
	/* several nodes may carry one GUID */
	return sql_number(&store->sql, "SELECT id FROM port WHERE guid = ? AND num = ?", "ii",
	                  (int64_t)port->node->guid, (int64_t)port->num);
}

/* ---- one run -------------------------------------------------------------------------- */

static void add_errors(struct ibc_store *store, int64_t id, const struct ibc_delta *delta)
{
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (delta->known & ~IBC_TRAFFIC_COUNTERS & BIT(i) && delta->value[i])
			sql_run(&store->sql,
			        "INSERT INTO delta VALUES(?, ?, ?, ?, ?)"
			        " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount,"
			        " at_least = at_least OR excluded.at_least",
			        "iitii", (int64_t)store->opts.now / HOUR, id,
			        ibc_counter_word(i)->name,
			        delta->value[i] > INT64_MAX ? INT64_MAX : (int64_t)delta->value[i],
			        (int64_t) !!(delta->at_least & BIT(i)));
}

void store_deltas(struct ibc_store *store, const struct ibc_windows *windows,
                  const struct ibc_fabric *before, const struct ibc_fabric *now)
{
	size_t ports = ibc_fabric_count(now).ports, room = store_port_room(&store->sql) + ports, i;
	const struct ibc_port *port;
	struct ibc_delta delta;
	struct traffic traffic;
	int64_t *ids; /* by the order of ports in the fabric; 0: it has none yet */

	if (!before)
		return;
	ids = arena_array(store->arena, ports + 1, sizeof(*ids));
	i = find_range(store, now, ids, 0, 0, INT64_MAX);
	find_range(store, now, ids, i, INT64_MIN, -1);
	traffic_begin(&traffic, store, room);
	for (i = 0; (port = ibc_fabric_port(now, i)); i++) {
		const struct ibc_port *last = port;

		if (!port->counters || !ibc_windows_delta(windows, before, port, &delta) ||
		    !delta.known)
			continue;
		/* the next run goes on from the earlier sample of one that was not read since */
		if (now != store->fabric)
			last = fabric_same_port(store->fabric, port);
		if (!last || !last->counters)
			continue;
		ids[i] = ids[i] ? ids[i] : add_port(store, port);
		add_errors(store, ids[i], &delta);
		traffic_add(&traffic, ids[i], &delta);
	}
	traffic_end(&traffic);
}
