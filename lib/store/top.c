/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cables that count errors, and apart from them the ports that wait, over days.
 * Errors are read once, in the order of their hours.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fabric/fabric.h"
#include "store/history.h"

#define AGGREGATE  3 /* bad cables of one device: two may be one bundle, or chance */
#define LEAST_WAIT 1 /* percent of the time: less is the flow control of a healthy link */

/* What damage to a link makes: congestion, and what a switch refuses, is no wear. */
#define DAMAGE                                                                                     \
	(BIT(IBC_SYMBOL_ERROR) | BIT(IBC_LINK_ERROR_RECOVERY) | BIT(IBC_RCV_ERRORS) |              \
	 BIT(IBC_LOCAL_LINK_INTEGRITY))
#define WEAR (DAMAGE | BIT(IBC_LINK_DOWNED) | BIT(IBC_EXCESSIVE_BUFFER_OVERRUN))

/* struct end - what one end of a cable counted */
struct end {
	const struct ibc_past_port *port;
	struct ibc_amount counted[IBC_COUNTERS];
	struct end *peer;
	int64_t last_hour;
	uint64_t hours; /* in which both ends count are those of the first one that did */
	bool seen, has_number;
};

/* ---- the ends of cables ------------------------------------------------------------------ */

static struct end *make_end(struct ibc_history *h, const struct ibc_past_port *port,
                            bool has_number)
{
	struct end *end = arena_alloc(h->arena, sizeof(*end));

	*end = (struct end){ .port = port, .has_number = has_number, .last_hour = -1 };
	return end;
}

/* That of a port, and with it that of its peer; NULL: the port is not known. */
static struct end *find_end(struct ibc_history *h, struct end **ends, int64_t id)
{
	const struct ibc_past_port *port = history_port(h, id), *far;
	const struct ibc_port *peer = port && port->port ? port->port->peer : NULL;
	struct end *end;
	int64_t far_id;

	if (!port || ends[id])
		return port ? ends[id] : NULL;
	end = ends[id] = make_end(h, port, true);
	if (!peer)
		return end;
	far_id = sql_number(&h->sql, "SELECT id FROM port WHERE guid = ? AND num = ?", "ii",
	                    (int64_t)peer->node->guid, (int64_t)peer->num);
	far = history_port(h, far_id);
	if (far) {
		ends[far_id] = ends[far_id] ? ends[far_id] : make_end(h, far, true);
		end->peer = ends[far_id];
	} else { /* a port that never counted has no number */
		far = history_new_port(h, peer->node->guid, peer->num, NULL);
		end->peer = far ? make_end(h, far, false) : NULL;
	}
	if (end->peer && !end->peer->peer)
		end->peer->peer = end;
	return end;
}

/* ---- cables --------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct end *end, uint32_t counters, bool *at_least)
{
	struct ibc_amount sum = { .known = true };

	for (unsigned int i = 0; end && i < IBC_COUNTERS; i++)
		if (counters & BIT(i))
			sum = amount_sum(sum, end->counted[i]);
	*at_least |= sum.at_least;
	return sum.n;
}

static uint64_t greater_of(const struct end *a, const struct end *z, enum ibc_counter counter)
{
	uint64_t at_z = z ? z->counted[counter].n : 0;

	return a->counted[counter].n > at_z ? a->counted[counter].n : at_z;
}

/* " SymbolErrorCounter 40, PortRcvErrors >=12"; "": nothing */
static const char *counters_text(struct ibc_history *h, const struct end *end)
{
	const char *text = "";

	for (unsigned int i = 0; end && i < IBC_COUNTERS; i++)
		if (end->counted[i].n)
			text = arena_printf(h->arena, "%s%s %s %s%llu", text, *text ? "," : "",
			                    ibc_counter_word(i)->name,
			                    end->counted[i].at_least ? ">=" : "",
			                    (unsigned long long)end->counted[i].n);
	return text;
}

/* Was it read in this time?  One without a number never was. */
static bool was_read(const struct ibc_history *h, const struct end *end)
{
	const struct ibc_port *port = end && end->has_number ? end->port->port : NULL;

	return port && port->counters &&
	       (double)port->node->subnet->time + port->counters->at_seconds >=
	           (double)h->opts->since;
}

static struct ibc_worn_cable worn_cable(struct ibc_history *h, const struct end *near,
                                        const struct end *far)
{
	struct ibc_worn_cable c = {
		.near = near->port,
		.far = far ? far->port : NULL,
		.hours = near->hours + (far ? far->hours : 0),
		.flaps = greater_of(near, far, IBC_LINK_DOWNED),
		.retrains = greater_of(near, far, IBC_LINK_ERROR_RECOVERY),
		.unread = !was_read(h, near) || !was_read(h, far),
	};
	const char *at_near = counters_text(h, near), *at_far = counters_text(h, far);
	int64_t last = far && far->last_hour > near->last_hour ? far->last_hour : near->last_hour;
	const uint32_t others = WEAR & ~(BIT(IBC_LINK_DOWNED) | BIT(IBC_LINK_ERROR_RECOVERY));

	if (*at_near && *at_far)
		c.counters = arena_printf(h->arena, "%s%s; %s%s", near->port->name, at_near,
		                          far->port->name, at_far);
	else
		c.counters = arena_printf(h->arena, "%s%s%s", (*at_near ? near : far)->port->name,
		                          at_near, at_far);
	c.last = (time_t)last * HOUR;
	c.errors = sum_of(near, others, &c.at_least) + sum_of(far, others, &c.at_least);
	c.near_damage = sum_of(near, DAMAGE, &c.at_least);
	c.far_damage = sum_of(far, DAMAGE, &c.at_least);
	c.at_least |= near->counted[IBC_LINK_DOWNED].at_least ||
	              (far && far->counted[IBC_LINK_DOWNED].at_least);
	return c;
}

static int most_worn_first(const void *va, const void *vz)
{
	const struct ibc_worn_cable *a = va, *z = vz;
	const uint64_t keys[][2] = {
		{ z->near_damage || z->far_damage, a->near_damage || a->far_damage },
		{ z->hours, a->hours },
		{ z->flaps, a->flaps },
		{ z->retrains, a->retrains },
		{ z->errors, a->errors },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return order_u64(keys[i][0], keys[i][1]);
	return strcmp(a->near->name, z->near->name);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Where most cables of a device are bad, it is the device; of two the one with more of them. */
static void blame_devices(struct ibc_history *h)
{
	const struct ibc_fabric *sweep = h->last->sweep;
	size_t *bad = arena_array(h->arena, sweep ? ibc_fabric_count(sweep).nodes + 1 : 1,
	                          sizeof(*bad));
	const char *fabric = h->last->shown.name;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < h->num_cables; i++) {
			struct ibc_worn_cable *c = &h->cables[i];
			const struct ibc_past_port *ends[] = { c->near, c->far };

			for (size_t e = 0; c->near->fabric->name == fabric && e < 2; e++) {
				const struct ibc_node *node;
				size_t *n, cables;

				if (!ends[e] || !ends[e]->port)
					continue;
				node = ends[e]->port->node;
				n = &bad[node_order(node)];
				cables = cabled_ports(node);
				if (!pass)
					++*n;
				else if (*n >= AGGREGATE && *n * 2 > cables && *n > c->bad) {
					c->device = node;
					c->bad = *n;
					c->cables = cables;
				}
			}
		}
}

static void read_cables(struct ibc_history *h)
{
	struct end **ends = arena_array(h->arena, h->last->room, sizeof(struct end *));
	sqlite3_stmt *row = history_deltas(h);
	struct delta_row d;

	while (history_delta(h, row, &d)) {
		struct end *end = find_end(h, ends, d.port);

		if (!end)
			continue;
		end->counted[d.counter] = amount_sum(end->counted[d.counter], d.amount);
		if (!(WEAR & BIT(d.counter)))
			continue;
		if (end->last_hour != d.hour && !(end->peer && end->peer->last_hour == d.hour))
			end->hours++;
		end->last_hour = d.hour;
	}
	for (size_t id = 1; id < h->last->room; id++) {
		struct end *near = ends[id], *far;

		if (!near || near->seen)
			continue;
		if (near->peer && !ibc_port_is_near_end(near->port->port))
			near = near->peer;
		far = near->peer;
		near->seen = true;
		if (far)
			far->seen = true;
		if (!near->hours && !(far && far->hours))
			continue;
		HISTORY_ADD(h, cables, worn_cable(h, near, far));
	}
	blame_devices(h);
	if (h->num_cables)
		qsort(h->cables, h->num_cables, sizeof(*h->cables), most_worn_first);
}

/* ---- who waited -------------------------------------------------------------------- */

/* struct wait - of one port */
struct wait {
	struct ibc_amount sum;
	uint64_t worst;
	time_t worst_day;
	double seconds;
	unsigned int days;
};

static struct wait *read_waits(struct ibc_history *h)
{
	struct wait *waits = arena_array(h->arena, h->last->room, sizeof(*waits));
	sqlite3_stmt *row = sql_query(&h->sql,
	                              "SELECT wait, day FROM traffic WHERE day >= ? ORDER BY day",
	                              "i", (int64_t)h->opts->since / DAY);
	struct traffic_column column = { .n = 0 };

	while (sql_row(&h->sql, row)) {
		time_t day = (time_t)sql_between(&h->sql, row, 1, 0, TIME_LAST / DAY) * DAY;
		double seconds = history_seconds(h->last, day);

		if (!traffic_unpack(h->arena, row, 0, &column))
			sql_damaged(&h->sql);
		for (size_t id = 1; id < h->last->room && id < column.n; id++)
			if (column.codes[id]) {
				struct ibc_amount ticks = traffic_amount(column.codes[id]);
				struct wait *w = &waits[id];

				w->sum = amount_sum(w->sum, ticks);
				w->seconds += seconds;
				w->days++;
				if (ticks.n > w->worst) {
					w->worst = ticks.n;
					w->worst_day = day;
				}
			}
	}
	return waits;
}

/* Those whose time is known first. */
static int longest_first(const void *va, const void *vz)
{
	const struct ibc_waiting_port *a = va, *z = vz;

	if (a->percent != z->percent)
		return a->percent > z->percent ? -1 : 1;
	if (a->waited.n != z->waited.n)
		return order_u64(z->waited.n, a->waited.n);
	return strcmp(a->at->name, z->at->name);
}

static void read_waiting(struct ibc_history *h)
{
	const struct wait *waits = read_waits(h);

	for (size_t id = 1; id < h->last->room; id++) {
		const struct wait *w = &waits[id];
		struct ibc_waiting_port p = { .waited = w->sum,
			                      .days = w->days,
			                      .worst_day = w->worst_day };

		p.at = w->worst ? history_port(h, (int64_t)id) : NULL;
		if (!p.at)
			continue;
		p.percent = history_wait_percent(p.at, w->sum.n, w->seconds);
		p.worst_percent = history_wait_percent(p.at, w->worst,
		                                       history_seconds(h->last, w->worst_day));
		if (p.percent < 0 || p.worst_percent < 0 || p.worst_percent >= LEAST_WAIT)
			HISTORY_ADD(h, waiting, p);
	}
	if (h->num_waiting)
		qsort(h->waiting, h->num_waiting, sizeof(*h->waiting), longest_first);
}

void history_top(struct ibc_history *h)
{
	if (h->sql.failed)
		return;
	read_cables(h);
	read_waiting(h);
}
