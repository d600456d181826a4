/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The routes to one destination.  The tables of all switches together are a graph in which
 * every switch has one way out, so each switch is visited once: a route is followed until it
 * meets a switch whose own is known, and the rest is the same.  O(switches visited) a
 * destination, where tracing each pair takes as many times the length of their routes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/routes/routes.h"

struct fault;

/* struct route_end - how routes end that do not arrive, see struct ibc_route_fault */
struct route_end {
	enum ibc_route_end end;
	uint32_t at;
	unsigned int port;
	struct fault *fault; /* that counts them; NULL: none yet */
};

/*
 * struct walk - routes to one destination
 * @row: the entries of all columns
 * @route: by column: 0: not walked yet; below ROUTE_END: it arrives, with that many switches
 *	on the way; else ROUTE_END times the number of its end, 1 ...
 * @ends: ends[0] is not used
 * @stack, @scratch: by column
 * @channels: gets the dependencies of routes that arrive; or NULL
 * @carried: counts what leaves by which port, column * width + port; or NULL
 */
struct walk {
	const struct route_subnet *p;
	const struct route_dest *dest;
	const uint8_t *row;
	uint32_t *route, *stack;
	struct route_end *ends;
	uint32_t num_ends;
	uint8_t *scratch;
	struct channels *channels;
	uint32_t *carried;
};
#define ROUTE_END    0x10000u /* more switches than a subnet can have */
#define ON_THE_ROUTE UINT32_MAX

/* Everything from a, which has an escape. */
void walk_new(struct walk *w, const struct route_subnet *p, struct arena *a);
/* Turns to a destination: nothing is known of the routes there. */
void walk_to(struct walk *w, const struct route_dest *dest);
/* What is known of the route from a column. */
uint32_t walk_from(struct walk *w, uint32_t from);
/* The same from many; columns == NULL: from 0 .. n - 1. */
void walk_all(struct walk *w, const uint32_t *columns, uint32_t n);
/* The same from those that have hosts who send there, of the senders first .. last - 1. */
void walk_hosts(struct walk *w, uint32_t first, uint32_t last);

/* How many hosts of a column have the destination to send to: all but itself. */
static inline uint32_t walk_senders(const struct walk *w, uint32_t column)
{
	return route_hosts(w->p, column) -
	       (column == w->dest->sw && w->dest->host != NO_HOST ? 1 : 0);
}

/* The first of those. */
static inline const struct ibc_port *walk_first_sender(const struct route_subnet *p,
                                                       uint32_t column,
                                                       const struct route_dest *dest)
{
	uint32_t host = p->first_host[column];

	return p->hosts[host == dest->host ? host + 1 : host].port;
}

static inline struct route_end *walk_end(const struct walk *w, uint32_t route)
{
	return &w->ends[route / ROUTE_END];
}
