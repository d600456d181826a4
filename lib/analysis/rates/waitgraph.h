/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The graph of waits.h: which port waits for which.  waitedges.c decides, by the forwarding tables
 * where they are known, and by what ports carry; waits.c finds the ends of chains.
 */
#include "analysis/rails/planes.h"
#include "analysis/rates/onward.h"
#include "analysis/rates/waits.h"
#include "analysis/tree/switches.h"
#include "fabric/fabric.h"

#define WAITS_PERCENT   1  /* of the time: less is the flow control of a healthy link */
#define FULL_PERCENT    90 /* of the data rate: headers and gaps take the rest */
#define STALLED_PERCENT 50 /* of the time, with as good as no data: stands still */
#define MOVES_PERCENT   1  /* of the data rate: less is nothing */
#define NONE            SIZE_MAX

/* Of ends of chains, those first that get the victims that several could have. */
enum rank {
	CONTESTED,  /* it is full, and carries more than comes over ports that do not wait */
	WAITS,      /* it waits itself */
	MAY_BE,     /* it is full, and ports that wait can carry their share of it */
	NOT_KNOWN,  /* it is full, and what all ports carry to it together is less: not read */
	UNDISPUTED, /* it is full, and no port waits for it */
	RANKS
};

/*
 * struct vertex - a port that waits, or is full
 * @root: index of the root it waits for, or that it is; NONE: of none yet
 * @rank: how well it explains that others wait
 * @outlet: it is full, and most of what it carries goes on by this one, which is or leads to the
 *	full link of a host; NONE: by none; @asked: that is known
 */
struct vertex {
	const struct ibc_port *port;
	struct wait_port is;
	size_t root;
	enum rank rank;
	size_t outlet;
	bool asked;
};

/* struct uplinks - of a switch: links away from hosts; @known: those whose @util is in the sum */
struct uplinks {
	const struct ibc_node *node;
	unsigned int links, known;
	double util;
};

/*
 * struct wait_graph
 * @first: by order of nodes: its first vertex, or NONE
 * @base, @at: at[base[order of the node] + number]: vertex of a port, or NONE
 * @depth: see depth_measure()
 * @end: of each root: its vertex
 * @uplinks: of @num_uplinks switches, from the first that is asked for
 */
struct wait_graph {
	struct arena *arena;
	const struct ibc_fabric *before, *now;
	struct vertex *ports;
	struct onward *onward; /* of each of them */
	struct wait_root *roots;
	size_t n, num_roots, num_uplinks;
	size_t *first, *base, *at, *queue, *pending, *end;
	unsigned int *depth;
	struct switches sw;
	struct planes planes;
	struct uplinks *uplinks;
};

static inline double gbps(const struct ibc_port *p)
{
	return ibc_link_gbps(p->width_active, p->speed_active);
}

static inline bool is_full_vertex(const struct vertex *p)
{
	return p->is.util >= FULL_PERCENT;
}

static inline bool is_stalled_vertex(const struct vertex *p)
{
	return p->is.wait >= STALLED_PERCENT && p->is.util >= 0 && p->is.util < MOVES_PERCENT;
}

static inline size_t find_wait_port(const struct wait_graph *g, const struct ibc_port *p)
{
	return g->at[g->base[node_order(p->node)] + p->num];
}

/* Below 0: the cable leads towards hosts; above: away from them. */
static inline int rise_of_cable(const struct wait_graph *g, const struct ibc_port *p)
{
	unsigned int far = g->depth[node_order(p->peer->node)],
		     near = g->depth[node_order(p->node)];

	return (far > near) - (far < near);
}

/* Of a port in percent, and in Gb/s what that is; negative if unknown. */
double util_of(const struct wait_graph *g, const struct ibc_port *port);
/* Once all vertices are there. */
void edges_find(struct wait_graph *g);
/* Does u wait for v, a port of the switch at its far end? */
bool vertex_waits_for(const struct wait_graph *g, size_t from, size_t to);
