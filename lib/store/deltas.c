/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ports counted since they were last read: errors, by the hour. */
#include <ibcheck/counters.h>

#include "base/arena.h"
#include "store/store.h"

#define BIT(counter) (1u << (counter))
#define HOUR         3600 /* seconds */

/* How much passes, as opposed to what goes wrong. */
#define TRAFFIC                                                                                    \
	(BIT(IBC_XMIT_WAIT) | BIT(IBC_XMIT_DATA) | BIT(IBC_RCV_DATA) | BIT(IBC_XMIT_PKTS) |        \
	 BIT(IBC_RCV_PKTS) | BIT(IBC_UNICAST_XMIT_PKTS) | BIT(IBC_UNICAST_RCV_PKTS) |              \
	 BIT(IBC_MULTICAST_XMIT_PKTS) | BIT(IBC_MULTICAST_RCV_PKTS))

int64_t store_port(struct ibc_store *store, const struct ibc_port *port)
{
	char name[IBC_PLACE_TEXT], peer[IBC_PLACE_TEXT];
	int64_t guid = (int64_t)port->node->guid, num = port->num;
	int64_t id = sql_number(&store->sql, "SELECT id FROM port WHERE guid = ? AND num = ?", "ii",
	                        guid, num);

	if (id || store->sql.failed)
		return id;
	ibc_place_text((struct ibc_place){ port->node, port->num }, name, sizeof(name));
	ibc_place_text((struct ibc_place){ port->peer ? port->peer->node : NULL,
	                                   port->peer ? port->peer->num : 0 },
	               peer, sizeof(peer));
	sql_run(&store->sql, "INSERT INTO port(guid, num, name, peer) VALUES(?, ?, ?, ?)", "iitt",
	        guid, num, name, peer);
	return sqlite3_last_insert_rowid(store->sql.handle);
}

static void add_delta(struct ibc_store *store, const struct ibc_port *port,
                      const struct ibc_delta *delta, uint32_t moved)
{
	int64_t id = store_port(store, port);

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (moved & BIT(i))
			sql_run(&store->sql,
			        "INSERT INTO delta VALUES(?, ?, ?, ?, ?)"
			        " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount,"
			        " at_least = at_least OR excluded.at_least",
			        "iitii", (int64_t)store->opts.now / HOUR, id,
			        ibc_counter_word(i)->name,
			        delta->value[i] > INT64_MAX ? INT64_MAX : (int64_t)delta->value[i],
			        (int64_t) !!(delta->at_least & BIT(i)));
}

void store_deltas(struct ibc_store *store, const struct ibc_fabric *before)
{
	const struct ibc_port *port;
	struct ibc_delta delta;

	for (size_t i = 0; before && (port = ibc_fabric_port(store->fabric, i)); i++) {
		uint32_t moved = 0;

		if (!port->counters || !ibc_delta_of(before, port, &delta))
			continue;
		for (unsigned int c = 0; c < IBC_COUNTERS; c++)
			if (delta.known & ~TRAFFIC & BIT(c) && delta.value[c])
				moved |= BIT(c);
		if (moved)
			add_delta(store, port, &delta, moved);
	}
}
