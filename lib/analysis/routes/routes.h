/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The inside of an analysis of routes: the switches of a subnet by column of its tables,
 * what lies beyond each of their ports, and the results of each step.  routegraph.c makes
 * the graph; routes.c runs the steps, each in a file of its own.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/adaptive.h>
#include <ibcheck/routes.h>

#include "analysis/routes/parallel.h"

struct channels;
struct service_levels;

/*
 * What lies beyond a port of a switch: the column of another switch and the port it comes
 * in by, or one of these.
 */
#define HOP_DOWN    0xffffffffu /* no link, or one that carries no data */
#define HOP_NO_PORT 0xfffffffeu /* the switch has no such port */
#define HOP_HOST    0xfffffffdu /* a channel adapter or a router */
#define HOP_UNKNOWN 0xfffffffcu /* what is beyond the port was not read */
#define HOP_SPECIAL 0xfffffffcu /* these, and no switch, from here on */

static inline uint32_t next_hop_switch(uint32_t column, unsigned int in_port)
{
	return column << 8 | in_port;
}

/*
 * struct route_host - a port of a channel adapter or router with a LID, on a switch
 * @sw, @in: the column of its switch, and that switch's port
 * @leaf: it is on a switch of rank 0, or the subnet has no ranks
 */
struct route_host {
	const struct ibc_port *port;
	uint32_t sw;
	uint8_t in, lmc;
	uint16_t lid;
	bool leaf;
	double gbps;
};

/* struct route_dest - a LID: of a host, or with host == NO_HOST of the switch itself (port 0) */
struct route_dest {
	uint32_t host, sw;
	uint16_t lid;
	uint8_t out; /* the port that switch sends it to */
};
#define NO_HOST UINT32_MAX

/* struct route_part - switches that cables join, and their hosts */
struct route_part {
	uint32_t switches, hosts;
};

/*
 * struct route_subnet - one subnet that has tables
 * @tmp: of the step at hand, as in struct ibc_routes
 * @n: columns; @width: of @next_hop, more than any port number
 * @next_hop: beyond[column * width + port]; port 0: HOP_NO_PORT
 * @rank: by column; RANK_NONE (analysis/tree/rank.h): none
 * @hosts: by column, then port; those of column s are first_host[s] .. first_host[s + 1] - 1
 * @dests: those of hosts, in their order (2^lmc each), then those of switches
 * @host_dests: how many of them are of hosts
 * @senders: the columns that have hosts, those of leaves first, then by column; @sender: by
 *	column, its place there, or NO_HOST
 * @leaf_senders: how many of them are leaves
 * @part: by column, the lowest column among those it is joined with by cables that carry data;
 *	@parts: by such a column
 * @top: by column, the highest LID it looks up; higher ones have no entry
 * @lowest_top: of all columns
 * @silent: the LID of a device of the subnet was not read
 */
struct route_subnet {
	struct ibc_routes *routes;
	const struct ibc_subnet *subnet;
	const struct ibc_forwarding *lft;
	struct arena *tmp;
	uint32_t n;
	unsigned int width;
	uint32_t *next_hop;
	uint8_t *rank;
	struct route_host *hosts;
	size_t num_hosts;
	uint32_t *first_host;
	struct route_dest *dests;
	size_t num_dests, host_dests;
	uint32_t *senders, *sender;
	uint32_t num_senders, leaf_senders;
	uint32_t *part;
	struct route_part *parts;
	uint16_t *top, lowest_top;
	bool silent;

	/*
	 * shortest[i * n + column]: switches on the shortest route between a sender and a
	 * switch, both counted; 0: there is none.  carried[column * width + port]: the LIDs of
	 * hosts that leave by it, of those that a host sends through this switch.  sls: service
	 * levels and lanes, service_levels.h; channels: who waits for whom, channels.h.
	 */
	uint8_t *shortest;
	uint32_t *carried;
	struct service_levels *sls;
	struct channels *channels;

	/* what the steps find */
	struct ibc_route_sums sums;
	struct ibc_bandwidth bandwidth;
	struct ibc_route_fault *faults;
	size_t num_faults;
	struct ibc_stale_entries *stale;
	size_t num_stale;
	struct ibc_credit_loop *loops;
	size_t num_loops;
	struct ibc_uplinks *uplinks;
	size_t num_uplinks;
	struct ibc_longer_routes *longer;
	size_t num_longer;
	struct ibc_hot_link *hot;
	size_t num_hot;
	struct ibc_multicast_fault *trees;
	size_t num_trees;
	struct ibc_multicast_group *groups;
	size_t num_groups;
	size_t loop_room;            /* in loops */
	struct ibc_ar_sums *ar_sums; /* one, where there are adaptive tables */
	size_t num_ar_sums;
	struct ibc_ar_dead_end *ar_dead_ends;
	size_t num_ar_dead_ends;
	struct ibc_ar_loop *ar_loops;
	size_t num_ar_loops;
};

/*
 * struct ibc_routes
 * @arena: of all that is found
 * @tmp, @workers: of the step at hand, @workers by thread; freed when that is done
 * @escape: of whoever called, for all of these: no step sees memory run out
 */
struct ibc_routes {
	struct arena *arena, *tmp, *workers[THREADS_MAX];
	jmp_buf *escape;
	const struct ibc_fabric *fab;
	struct ibc_routes_opts opts;
	struct route_subnet *subnets;
	size_t num_subnets;
};

/* The row of a LID: the port each column sends it to. */
static inline const uint8_t *route_row(const struct route_subnet *p, unsigned int lid)
{
	return p->lft->out + (size_t)lid * p->lft->stride;
}

/* Of which columns it was read. */
static inline const uint8_t *route_known(const struct route_subnet *p, unsigned int lid)
{
	return p->lft->known + (size_t)(lid / IBC_LFT_BLOCK) * p->lft->stride;
}

static inline bool route_has_row(const struct route_subnet *p, unsigned int lid)
{
	return lid < p->lft->num_lids;
}

/* What lies beyond the port a switch sends a LID to; row: that of the LID. */
static inline uint32_t route_next(const struct route_subnet *p, const uint8_t *row, uint32_t column)
{
	unsigned int out = row[column];

	return out < p->width ? p->next_hop[(size_t)column * p->width + out] : HOP_NO_PORT;
}

/* What lies beyond a port of a switch or a host. */
uint32_t route_next_hop(const struct ibc_forwarding *lft, const struct ibc_port *port);

/* path.c: -ENODATA, with the sentence for it. */
int routes_no_tables(const struct ibc_subnet *subnet, struct ibc_error *err);

/* The highest LID that a switch looks up. */
uint16_t route_top(const struct ibc_node *sw);

/* Hosts on the switch of a column. */
static inline uint32_t route_hosts(const struct route_subnet *p, uint32_t column)
{
	return p->first_host[column + 1] - p->first_host[column];
}

/*
 * The row of any LID, as switches look it up: without what is above their own top.
 * scratch: p->n bytes, which it may use.
 */
const uint8_t *route_entries(const struct route_subnet *p, unsigned int lid, uint8_t *scratch);
/* Why a column has none: IBC_ROUTE_NO_ENTRY, or ..._UNKNOWN. */
enum ibc_route_end route_missing(const struct route_subnet *p, unsigned int lid, uint32_t column);

/* The first destination on each column, and behind the last one's the end; in p->tmp. */
const uint32_t *routes_first_dests(const struct route_subnet *p);
/* routegraph.c: an arena for as long as a step takes, in routes->tmp or ->workers; frees them. */
struct arena *routes_step_arena(struct ibc_routes *routes, struct arena **at);
void routes_free_step(struct ibc_routes *routes);
/* The arena of a thread, for struct parallel.arenas, from the first call in a step on. */
struct arena *routes_worker(struct ibc_routes *routes, unsigned int thread);
/* Runs a job, and leaves by the escape if a thread was out of memory. */
void routes_parallel(const struct route_subnet *p, const struct parallel *job,
                     unsigned int threads);

/*
 * The steps: routegraph.c, shortest.c,
 * multicast_trees.c, service_levels.c, channels.c, reach.c (the walk), adaptive.c, loops.c,
 * stale.c, uplinks.c, bandwidth.c
 */
void routes_graph(struct route_subnet *p);
void routes_shortest(struct route_subnet *p);
void routes_trees(struct route_subnet *p);
void routes_service_levels(struct route_subnet *p);
void routes_channels(struct route_subnet *p);
void routes_walk(struct route_subnet *p);
void routes_adaptive(struct route_subnet *p);
void routes_loops(struct route_subnet *p);
void routes_stale(struct route_subnet *p);
void routes_uplinks(struct route_subnet *p);
void routes_bandwidth(struct route_subnet *p);
