/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/rates/onward.h"

#include <string.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

#define UNICAST_END 0xc000 /* LIDs from here on are of multicast groups */

/*
 * struct followed - routes to one LID after the other
 * @port_at: by column * width + port: 1 + index of the port that waits there; 0: none
 * @columns: that have any
 * @senders: columns of switches with anything but switches at their ports
 * @crossed: by column: the last LID a route to which crosses it
 */
struct followed {
	struct route_subnet p;
	struct onward *ports;
	uint32_t *port_at, *columns, *senders, *crossed;
	uint32_t num_columns, num_senders;
	uint8_t *scratch;
};

static void set_all(struct onward *o)
{
	memset(o->by, 0xff, sizeof(o->by));
	o->known = false;
}

/* From a switch until a route is met that was followed.  False: it is not known to the end. */
static bool follow(struct followed *f, const uint8_t *row, unsigned int lid, uint32_t column)
{
	while (f->crossed[column] != lid) {
		uint32_t next = route_next(&f->p, row, column);

		f->crossed[column] = lid;
		if (row[column] == IBC_NO_ENTRY &&
		    route_missing(&f->p, lid, column) == IBC_ROUTE_UNKNOWN)
			return false;
		if (next >= HOP_SPECIAL)
			return next != HOP_UNKNOWN;
		column = next >> 8;
	}
	return true;
}

static void add_lid(struct followed *f, unsigned int lid)
{
	const struct route_subnet *p = &f->p;
	const uint8_t *row = route_entries(p, lid, f->scratch);
	bool any = false, known = true;

	for (uint32_t i = 0; i < f->num_columns && !any; i++)
		any = row[f->columns[i]] < p->width &&
		      f->port_at[(size_t)f->columns[i] * p->width + row[f->columns[i]]];
	for (uint32_t i = 0; i < f->num_senders && any; i++)
		known &= follow(f, row, lid, f->senders[i]);
	for (uint32_t i = 0; i < f->num_columns; i++) {
		uint32_t column = f->columns[i], *at = &f->port_at[(size_t)column * p->width], next;
		unsigned int out = row[column];

		/* a LID that may leave by any of its ports */
		if (out == IBC_NO_ENTRY && route_missing(p, lid, column) == IBC_ROUTE_UNKNOWN)
			for (unsigned int num = 0; num < p->width; num++)
				if (at[num])
					set_all(&f->ports[at[num] - 1]);
		if (out >= p->width || !at[out] || (known && f->crossed[column] != lid))
			continue;
		next = p->next_hop[(size_t)column * p->width + out] >> 8;
		if (row[next] == IBC_NO_ENTRY && route_missing(p, lid, next) == IBC_ROUTE_UNKNOWN)
			set_all(&f->ports[at[out] - 1]);
		else
			f->ports[at[out] - 1].by[row[next] / 64] |= 1ull << row[next] % 64;
	}
}

static void find_in_subnet(struct followed *f, size_t n)
{
	struct route_subnet *p = &f->p;
	struct arena *a = p->tmp;

	routes_graph(p);
	f->port_at = arena_array(a, (size_t)p->n * p->width + 1, sizeof(*f->port_at));
	f->columns = arena_array(a, p->n + 1u, sizeof(*f->columns));
	f->senders = arena_array(a, p->n + 1u, sizeof(*f->senders));
	f->crossed = arena_array(a, p->n + 1u, sizeof(*f->crossed));
	f->scratch = arena_alloc(a, p->n + 1u);
	for (size_t i = 0; i < n; i++) {
		struct onward *o = &f->ports[i];
		size_t column = o->port->node->subnet == p->subnet
		                    ? fabric_column(p->lft->switches, p->n, o->port->node)
		                    : SIZE_MAX;

		if (column >= p->n || o->port->peer->node->type != IBC_NODE_SWITCH ||
		    p->next_hop[column * p->width + o->port->num] >= HOP_SPECIAL)
			continue;
		memset(o->by, 0, sizeof(o->by));
		o->known = true;
		f->port_at[column * p->width + o->port->num] = (uint32_t)i + 1;
	}
	for (uint32_t s = 0; s < p->n; s++) {
		bool waits = false, sends = false;

		for (size_t i = (size_t)s * p->width; i < (size_t)(s + 1) * p->width; i++) {
			waits |= f->port_at[i] != 0;
			sends |= p->next_hop[i] == HOP_HOST || p->next_hop[i] == HOP_UNKNOWN;
		}
		if (waits)
			f->columns[f->num_columns++] = s;
		if (sends)
			f->senders[f->num_senders++] = s;
	}
	for (unsigned int lid = 1; lid < p->lft->num_lids && lid < UNICAST_END; lid++)
		add_lid(f, lid);
}

void onward_find(struct arena *a, const struct ibc_fabric *fab, struct onward *ports, size_t n)
{
	struct ibc_routes routes = { .arena = a, .fab = fab };
	const struct ibc_subnet *subnet;

	for (size_t i = 0; i < n; i++)
		set_all(&ports[i]);
	for (size_t i = 0; n && (subnet = ibc_fabric_subnet(fab, i)); i++) {
		struct followed f = { .ports = ports,
			              .p = { .routes = &routes,
			                     .subnet = subnet,
			                     .lft = subnet->forwarding,
			                     .tmp = a } };

		if (subnet->forwarding && !subnet_is_adaptive(subnet))
			find_in_subnet(&f, n);
	}
}
