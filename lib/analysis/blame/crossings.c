/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which cables the packets of each pair may cross: by the forwarding tables both ways, and by any
 * choice of adaptive routing.  Without tables only the cables at both ends are sure.
 * O(pairs x ports x hops).
 */
#include <ibcheck/adaptive.h>

#include <errno.h>
#include <stdlib.h>

#include "analysis/blame/blame.h"
#include "fabric/fabric.h"

/*
 * Routes that are followed in all, some seconds of work: 1,500 pairs of hosts with 8 HCAs each, of
 * which it is not known which one, or 100,000 where it is.
 */
#define ROUTES_MAX  200000
#define CHOICES_MAX 4096 /* ports of the switches on all routes of one pair: 64 of 64 */
#define PORTS_MAX   16   /* of an end that may be any: the HCAs of the largest hosts */

/*
 * struct way - the work on one pair
 * @sure: all routes between all of its ports are by tables; @chosen: switches choose among several
 * @way: the number of the two ports that are at hand
 * @later: long after the first pair, so that its routes may be others
 * @followed: so many routes, of all pairs
 */
struct way {
	struct blame *b;
	uint32_t pair;
	unsigned int way;
	size_t followed;
	bool sure, chosen, later;
};

const struct ibc_port *blame_link(const struct blame *b, const struct ibc_port *port)
{
	const struct ibc_port *same = fabric_same_port(b->in->then, port);

	if (port_keeps_peer(same, port))
		port = same;
	return !port->peer || ibc_port_is_near_end(port) ? port : port->peer;
}

static void cross(struct way *w, const struct ibc_port *port)
{
	struct blame *b = w->b;

	arena_grow(b->arena, &b->crossings, b->num_crossings, &b->room_crossings,
	           sizeof(*b->crossings));
	b->crossings[b->num_crossings++] = (struct crossing){ blame_link(b, port), w->pair,
		                                              UINT64_C(1) << w->way };
}

/* By the tables from one port to another; false: they do not say it to the end. */
static bool cross_route(struct way *w, const struct ibc_port *from, const struct ibc_port *to)
{
	struct ibc_path path;

	w->followed++;
	if (!to->lid || ibc_path_find(from, to->lid, &path, NULL))
		return false;
	for (size_t i = 0; i < path.num; i++)
		cross(w, path.out[i]);
	return path.end == IBC_ROUTE_ARRIVES || path.end == IBC_ROUTE_DOWN;
}

/* 0: all choices are known. */
static int cross_choices(struct way *w, const struct ibc_port *from, const struct ibc_port *to)
{
	struct ibc_ar_hop *hops = NULL;
	size_t n = 0;
	int rc;

	if (!subnet_is_adaptive(from->node->subnet) || !to->lid)
		return 0;
	w->chosen = true;
	w->followed += 50; /* it looks at all switches of a LID */
	/* room first: nothing may leave by longjmp() while @hops is held */
	for (n = w->b->num_crossings; n < w->b->num_crossings + CHOICES_MAX; n++)
		arena_grow(w->b->arena, &w->b->crossings, n, &w->b->room_crossings,
		           sizeof(*w->b->crossings));
	n = 0;
	rc = ibc_ar_path(from, to->lid, &hops, &n, NULL);
	for (size_t i = 0; !rc && i < n && i < CHOICES_MAX; i++)
		cross(w, hops[i].out);
	free(hops);
	w->b->failed |= rc == -ENOMEM;
	return rc ? rc : n > CHOICES_MAX;
}

/* Both ways between two ports; false: not all of it is known. */
static bool cross_ports(struct way *w, const struct ibc_port *a, const struct ibc_port *z)
{
	bool known;

	if (w->followed > ROUTES_MAX)
		return false;
	known = cross_route(w, a, z);
	known &= cross_route(w, z, a);
	known &= !cross_choices(w, a, z);
	return known & !cross_choices(w, z, a);
}

/*
 * Of each port of the one end with each of the other, as they may be.  Its own cable every packet
 * crosses, whoever the peer is.
 */
static void cross_pair(struct way *w, struct blame_pair *p)
{
	const struct blame_end *a = p->ends[0], *z = p->ends[1];
	bool both = a->num && z->num;

	w->sure = both;
	for (size_t i = 0; i < (a->num ? a->num : z->num > 0); i++)
		for (size_t k = 0; k < (z->num ? z->num : 1); k++) {
			const struct ibc_port *from = a->num ? a->ports[i] : NULL;
			const struct ibc_port *to = z->num ? z->ports[k] : NULL;

			if (both && (from == to || from->node->subnet != to->node->subnet))
				continue;
			if (p->num_ways == WAYS_MAX) {
				w->sure = false;
				p->num_ways++; /* none of the cables has so many */
				return;
			}
			w->way = p->num_ways++;
			if (from)
				cross(w, from);
			if (to)
				cross(w, to);
			if (both)
				w->sure &= !w->later && cross_ports(w, from, to);
		}
	w->sure &= p->num_ways > 0;
}

static int by_link(const void *va, const void *vz)
{
	const struct crossing *a = va, *z = vz;

	return order_u64(node_order(a->link->node), node_order(z->link->node))
	           ?: order_u64(a->link->num, z->link->num)
	           ?: order_u64((uintptr_t)a->link, (uintptr_t)z->link)
	           ?: order_u64(a->pair, z->pair);
}

void blame_cross(struct blame *b)
{
	struct way w = { .b = b };
	time_t first = b->num_pairs ? b->pairs[0].public.first : 0;
	size_t n = 0;

	for (size_t i = 0; i < b->num_pairs; i++)
		first = b->pairs[i].public.first < first ? b->pairs[i].public.first : first;

	for (; w.pair < b->num_pairs; w.pair++) {
		struct blame_pair *p = &b->pairs[w.pair];
		const struct blame_end *const *ends = (const struct blame_end *const *)p->ends;

		if (p->answered)
			continue;
		w.chosen = false;
		w.later = p->public.first - first > IBC_BLAME_SPAN;
		cross_pair(&w, p);
		p->public.guessed = !w.sure || w.chosen || ends[0]->num > 1 || ends[1]->num > 1;
		if (!ends[0]->num || !ends[1]->num)
			b->public.unplaced++;
		else
			b->public.guessed |= !w.sure;
	}
	if (b->num_crossings)
		qsort(b->crossings, b->num_crossings, sizeof(*b->crossings), by_link);
	for (size_t i = 0; i < b->num_crossings; i++)
		if (n && !by_link(&b->crossings[n - 1], &b->crossings[i])) {
			b->crossings[n - 1].ways |= b->crossings[i].ways;
		} else {
			b->pairs[b->crossings[i].pair].public.links++;
			b->crossings[n++] = b->crossings[i];
		}
	b->num_crossings = n;
}

const struct crossing *crossings_of(const struct blame *b, const struct ibc_port *link, size_t *n)
{
	const struct crossing wanted = { .link = link };
	size_t first = lower_bound(&wanted, b->crossings, b->num_crossings, sizeof(wanted),
	                           by_link);

	for (*n = 0; first + *n < b->num_crossings && b->crossings[first + *n].link == link;)
		++*n;
	return b->crossings + first;
}
