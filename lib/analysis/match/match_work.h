/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of matching, for match.c, whose steps are the files match_*.c.  Its arena is @scratch,
 * which has an escape.
 */
#include "analysis/match/match.h"

/* struct wire - the far end of a cable; no cable: its node is MATCH_NONE */
struct wire {
	uint32_t node;
	uint32_t port;
};

/* struct wiring - a fabric by numbers: port p of node i is wire[first[i] + p - 1] */
struct wiring {
	uint32_t *first; /* one element more than there are nodes */
	struct wire *wire;
};

/*
 * struct matching - the work in hand
 * @m: what becomes of it
 * @scratch: freed when all is matched
 * @subnet_of: by planned subnet: the found one that it is, or MATCH_NONE
 */
struct matching {
	struct match *m;
	const struct ibc_trace *trace;
	struct arena *scratch;
	uint32_t *subnet_of;
	struct wiring planned, found;
	uint16_t *votes; /* by found node; 0 between any two tallies */
	struct match_queue *queue;
};

static inline const struct ibc_node *planned_node(const struct matching *w, uint32_t i)
{
	return ibc_fabric_node(w->m->planned, i);
}

static inline const struct ibc_node *found_node(const struct matching *w, uint32_t i)
{
	return ibc_fabric_node(w->m->found, i);
}

/* ---- pairs ----------------------------------------------------------------------------- */

/* Are both without a counterpart? */
bool match_are_free(const struct matching *w, uint32_t planned, uint32_t found);
/* Could the one be the other, by its type? */
bool match_may_be(const struct matching *w, uint32_t planned, uint32_t found);
void match_pair(struct matching *w, uint32_t planned, uint32_t found, enum match_how how);

/* ---- the steps, in this order -------------------------------------------------------------- */

void match_names(struct matching *w);
bool match_exchanges(struct matching *w); /* whether there are any */
void match_places(struct matching *w);
bool match_aliases(struct matching *w); /* whether there are any */
void match_shapes(struct matching *w);

/* ---- keys: what nodes are compared by -------------------------------------------------- */

struct match_key {
	uint64_t hash;
	uint32_t node;
};

struct match_keys {
	struct match_key *key;
	size_t n;
};

/* Called for every key that both sides have: the nodes that have it, on either side. */
typedef void match_settle(void *ctx, const struct match_keys *planned,
                          const struct match_keys *found);
/* Sorts both. */
void match_join(struct match_keys *planned, struct match_keys *found, match_settle *settle,
                void *ctx);

/* ---- places --------------------------------------------------------------------------- */

static inline unsigned int wire_ports(const struct wiring *g, uint32_t node)
{
	return g->first[node + 1] - g->first[node];
}

/* What is at the far end of a port (from 1); NULL: nothing, or there is no such port. */
static inline const struct wire *wire_at(const struct wiring *g, uint32_t node, unsigned int port)
{
	const struct wire *wire;

	if (port > wire_ports(g, node))
		return NULL;
	wire = &g->wire[g->first[node] + port - 1];
	return wire->node == MATCH_NONE ? NULL : wire;
}

static inline unsigned int wire_count(const struct wiring *g, uint32_t node)
{
	unsigned int cables = 0;

	for (unsigned int num = 1; num <= wire_ports(g, node); num++)
		cables += wire_at(g, node, num) != NULL;
	return cables;
}

/*
 * struct stand - who stands where a node was planned, by the ports of its neighbours;
 * votes are two for a cable at the right port, one for another port
 * @node: who has the most, or MATCH_NONE; of several the first
 * @votes, @second: of it, and of the next one
 * @own: of the found node that is the planned one's counterpart
 * @known: two for each planned cable to a neighbour that is found and answered
 */
struct stand {
	uint32_t node;
	unsigned int votes, second, own, known;
};

/* @free_only: only those without counterpart may stand there */
struct stand match_stand(struct matching *w, uint32_t planned, bool free_only);

/* To be called with each pair that is made once match_places() has been ... */
void match_look_around(struct matching *w, uint32_t planned);
/* ... and this when all of them are. */
void match_settle_places(struct matching *w);
