/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_ROUTES_H
#define IBCHECK_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: routes
 *
 * What the forwarding tables of a fabric do: whom they let reach whom, by which routes,
 * whether packets can wait for each other in a ring, and how evenly the cables are used.
 * An analysis looks at every subnet that has tables.
 *
 * Hosts are the ports of channel adapters that have a LID and a cable to a switch; the
 * reduction engines inside of switches are none.  A pair is a host that sends and a LID
 * of another host of its subnet.
 */
struct ibc_routes;
struct ibc_trace;

/**
 * struct ibc_routes_opts - start from IBC_ROUTES_OPTS_INIT
 * @threads: at the most; 0: as many as there are processors.  The result does not depend on it
 * @bisections: random bisections to simulate; 0: none
 * @shifts: shifts to simulate, of all there are; 0: none
 * @seed: of the random choices
 * @trace: gets the steps, or NULL
 */
struct ibc_routes_opts {
	unsigned int threads;
	unsigned int bisections, shifts;
	uint64_t seed;
	const struct ibc_trace *trace;
};
#define IBC_ROUTES_OPTS_INIT                                                                       \
	((struct ibc_routes_opts){ .bisections = 200, .shifts = 64, .seed = 1 })

/**
 * ibc_routes_analyze() - follow every route
 * @fab: the fabric
 * @opts: how, or NULL for the defaults
 * @out: borrows from @fab; to be freed with ibc_routes_free()
 *
 * Return: 0, -ENOMEM, or what the system said when a thread could not be started.
 */
int ibc_routes_analyze(const struct ibc_fabric *fab, const struct ibc_routes_opts *opts,
                       struct ibc_routes **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_routes_free(struct ibc_routes *routes);

/* ---- sums of a subnet ----------------------------------------------------------- */

/* Where the service levels of paths are known from. */
enum ibc_sl_source {
	IBC_SL_ASSUMED,  /* nowhere: all paths are taken to have level 0 */
	IBC_SL_SAMPLED,  /* a sample, and all of it had one level: the rest is taken to have it too
	                  */
	IBC_SL_COMPLETE, /* of every pair */
	/*
	 * of some pairs, and they differ: others were taken to have the level of those
	 * between the same two switches, where these agree, and left out of credit loops else
	 */
	IBC_SL_PARTIAL,
};
const struct ibc_word *ibc_sl_source_word(enum ibc_sl_source source);

/* Whose a LID is that no PortInfo has. */
enum ibc_lid_kind {
	IBC_LID_OF_VPORT,       /* a virtual port's, by its VPortInfo ... */
	IBC_LID_ASTRAY,         /* ... and a table sends it to another port than that it is in */
	IBC_LID_LOST,           /* ... which is in use, and the switch there does not send it on */
	IBC_LID_MAYBE_OF_VPORT, /* all tables send it to one port, which may have virtual ports and
	                           did not report all of them: a guess */
	IBC_LID_FLID,           /* a floating LID, in a range of the routers */
	IBC_LID_MAYBE_FLID,     /* all tables send it to routers, and one of those in the subnet did
	                           not report its ranges: a guess */
	IBC_LID_KINDS,
};

/**
 * struct ibc_spared_lids - LIDs of a kind
 * @num, @first: how many, and the lowest
 * @port: of the lowest: where the virtual port is, or where a table sends it; NULL: to no port
 * @astray: of IBC_LID_ASTRAY: the port of a switch that sends it elsewhere
 */
struct ibc_spared_lids {
	size_t num;
	unsigned int first;
	const struct ibc_port *port, *astray;
};

/**
 * struct ibc_route_sums - one subnet that has tables
 * @pairs: pairs of hosts; each is one of @routed, @broken (it is known that it does not
 *	   arrive) and @unknown (a table on its route was not read)
 * @hops_mean, @hops_longest: switches on the route, of routed pairs
 * @longest_src, @longest_dst: a pair that takes the longest route, or NULL
 * @longer: routed pairs that take more switches than the shortest route
 * @vls: distinct virtual lanes that paths use
 * @vl_tables: switches whose SLtoVLMappingTable is known; others are taken to keep to VL 0
 * @stale_entries: sum of those of ibc_routes_stale()
 * @credit_loops: how many ibc_routes_credit_loop() has, without those that take traffic with
 *	   the switches themselves
 * @spared: by enum ibc_lid_kind: LIDs that no PortInfo has, and that are not followed
 */
struct ibc_route_sums {
	const struct ibc_subnet *subnet;
	size_t hosts, switches;
	uint64_t pairs, routed, broken, unknown, longer;
	double hops_mean;
	unsigned int hops_longest;
	const struct ibc_port *longest_src, *longest_dst;
	enum ibc_sl_source sl_source;
	unsigned int vls;
	size_t vl_tables;
	size_t stale_entries, credit_loops;
	struct ibc_spared_lids spared[IBC_LID_KINDS];
};
/* By subnet; NULL past the last one that has tables. */
const struct ibc_route_sums *ibc_routes_sums(const struct ibc_routes *routes, size_t i);

/* ---- what does not arrive -------------------------------------------------------- */

enum ibc_route_end {
	IBC_ROUTE_ARRIVES,
	IBC_ROUTE_NO_ENTRY,  /* a switch has none for the LID */
	IBC_ROUTE_DOWN,      /* it is sent to a port whose link carries no data */
	IBC_ROUTE_NO_PORT,   /* to a port that the switch has not, or to itself */
	IBC_ROUTE_ELSEWHERE, /* to a host that has another LID */
	IBC_ROUTE_LOOP,
	IBC_ROUTE_UNKNOWN, /* the table was not read */
};
const struct ibc_word *ibc_route_end_word(enum ibc_route_end end);

/**
 * struct ibc_route_fault - pairs that end the same way at the same place
 * @end: not IBC_ROUTE_ARRIVES
 * @at, @port: the switch, and the port it sends to (0 if there is no entry); of a loop its
 *	switch of the lowest GUID, and the port it stays in the loop by
 * @src, @dst, @dlid: one of the pairs
 * @srcs, @dsts: how many hosts send, how many LIDs are not reached
 * @only_own: @at has entries for these LIDs of its own, and no other switch has
 * @cut_switches, @cut_hosts: what is cut off, @at included, where no cable that carries data
 *	leads to the rest of the subnet, and so no switch has an entry; else 0
 *
 * A LID that no switch has an entry for, or only its own, is a fault of its own switch, not
 * one of each switch that hosts would send it through.  Of two parts that no cable joins
 * the one with fewer hosts is cut off; all that has no entry from the one to the other, both
 * ways, is one fault, of its switch of the lowest GUID.
 */
struct ibc_route_fault {
	enum ibc_route_end end;
	const struct ibc_node *at;
	unsigned int port;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
	size_t srcs, dsts;
	uint64_t pairs;
	bool only_own;
	size_t cut_switches, cut_hosts;
};
/* By end, then GUID, then port; NULL past the last one. */
const struct ibc_route_fault *ibc_routes_fault(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_stale_entries - entries of one switch that point to where nothing is
 * @port: they all send to this port, which is down; 0: they are of LIDs that no port has, nor
 *	may have (see enum ibc_lid_kind)
 * @entries, @first_lid: how many, and the lowest
 * @pairs: pairs of hosts that use them
 *
 * LIDs that no port has are not counted in a subnet where a device did not answer: it may be its.
 */
struct ibc_stale_entries {
	const struct ibc_node *node;
	unsigned int port;
	size_t entries;
	unsigned int first_lid;
	uint64_t pairs;
};
/* By GUID, then port. */
const struct ibc_stale_entries *ibc_routes_stale(const struct ibc_routes *routes, size_t i);

/* ---- deadlock -------------------------------------------------------------------- */

/* Without what there would be no ring: the first that suffices. */
enum ibc_loop_cause {
	IBC_LOOP_HOSTS,        /* hosts on leaves alone make it */
	IBC_LOOP_UPPER_HOSTS,  /* it takes hosts on switches above the leaves */
	IBC_LOOP_SWITCH_PORTS, /* it takes traffic with the switches themselves */
};
const struct ibc_word *ibc_loop_cause_word(enum ibc_loop_cause cause);

/**
 * struct ibc_credit_hop - one edge of a ring: a packet that holds a buffer beyond @out on
 * lane @vl, and waits for the buffer beyond the next hop's
 * @src, @dst, @dlid: a pair whose packets do
 */
struct ibc_credit_hop {
	const struct ibc_port *out;
	unsigned int vl;
	const struct ibc_port *src, *dst;
	unsigned int dlid;
};

/**
 * struct ibc_credit_loop - a shortest ring of a set of channels that can wait for each other
 * @hops, @num_hops: the ring; begins at the port of the lowest GUID and number
 * @channels: ports and lanes that are in any ring with these
 *
 * Packets that do not arrive, or may not, count for nothing here: not those of routing loops
 * (a fault of their own) and not those that are dropped underway, by lane 15.
 */
struct ibc_credit_loop {
	enum ibc_loop_cause cause;
	const struct ibc_credit_hop *hops;
	size_t num_hops, channels;
};
/* By cause, then its first port. */
const struct ibc_credit_loop *ibc_routes_credit_loop(const struct ibc_routes *routes, size_t i);

/* ---- balance --------------------------------------------------------------------- */

/**
 * struct ibc_uplinks - how evenly a switch spreads its destinations over like cables
 * @rank: of the switch, 0 at the leaves
 * @to: all of them lead to this switch (a trunk); NULL: they are its cables to the next rank
 * @ports, @dlids: the ports by number, and the LIDs of hosts that leave by each, counting
 *	those that hosts send through this switch
 * @share: by port: how many there would be if each destination were dealt evenly to those of
 *	@ports from which it is as far as from the one it leaves by, and to all those that
 *	were not read
 * @mean, @least, @most: of @dlids
 */
struct ibc_uplinks {
	const struct ibc_node *node, *to;
	unsigned int rank;
	const struct ibc_port *const *ports;
	const uint32_t *dlids;
	const double *share;
	size_t num_ports;
	double mean;
	uint32_t least, most;
};
/* All of two ports or more, by GUID; trunks after the whole. */
const struct ibc_uplinks *ibc_routes_uplinks(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_longer_routes - routes from one switch's hosts to another's that are not minimal
 * @src, @dst: a pair of hosts
 * @hops, @shortest: switches on its route, and on the shortest
 */
struct ibc_longer_routes {
	const struct ibc_node *from, *to;
	const struct ibc_port *src, *dst;
	unsigned int hops, shortest;
	uint64_t pairs;
};
/* By GUID of @from, then of @to. */
const struct ibc_longer_routes *ibc_routes_longer(const struct ibc_routes *routes, size_t i);

/* ---- bandwidth ------------------------------------------------------------------- */

/**
 * struct ibc_bandwidth - how much of their link hosts get when all send at once
 *
 * A pattern gives hosts one to send to each; a pair gets, of the slower of its two links,
 * the share that the most loaded cable on its route leaves it, counting loads by rate.
 * Effective bisection bandwidth (Hoefler and others, Cluster 2008) is the mean over random
 * bisections: one random half of the hosts sends to the other, each to one.  Pairs that have
 * no route take no part.
 *
 * @hosts: that had a route in any pattern
 * @bisections: patterns simulated
 * @mean, @error: mean share, 0 .. 1, and its standard error
 * @worst: of the patterns, the lowest mean share
 * @shifts, @shift_mean: shifts simulated, host i to host i + k; mean share over all
 * @shift_worst, @shift_worst_by: the lowest mean share of a shift, and its k
 * @lowest: share of the pair of leaves that gets least, mean over all patterns that had
 *	them, and those leaves
 */
struct ibc_bandwidth {
	const struct ibc_subnet *subnet;
	size_t hosts;
	unsigned int bisections, shifts;
	double mean, error, worst;
	double shift_mean, shift_worst;
	size_t shift_worst_by;
	double lowest;
	const struct ibc_node *lowest_from, *lowest_to;
};
/* By subnet, as ibc_routes_sums(). */
const struct ibc_bandwidth *ibc_routes_bandwidth(const struct ibc_routes *routes, size_t i);

/**
 * struct ibc_hot_link - a cable between switches, and how many flows share it
 * @port: where they leave
 * @mean, @most: flows over it, over all patterns
 */
struct ibc_hot_link {
	const struct ibc_port *port;
	double mean;
	unsigned int most;
};
/* The 16 hottest of each subnet, hottest first. */
const struct ibc_hot_link *ibc_routes_hot_link(const struct ibc_routes *routes, size_t i);

/* ---- one path, one cable ----------------------------------------------------------- */

/*
 * Switches on a route that is spelled out.  Nothing limits those that a LID-routed packet
 * passes; directed routes, by which managers find switches, have 63 hops (IBA 14.2.1.2).
 */
#define IBC_HOPS_MAX 255

/**
 * struct ibc_path - the route from one port to a LID
 * @out: the ports it leaves by, that of @src first: of a host, then of each switch
 * @vl: the lane beyond each; IBC_VL_UNKNOWN where that was not read
 * @num: 0: it does not leave @src, which is the destination or a switch that does not send it
 * @end: how it ends: at out[num - 1], or at the switch beyond it; of a loop that is one it
 *	has been at; unknown if there are more than can be spelled out
 */
struct ibc_path {
	const struct ibc_port *src, *dst;
	unsigned int dlid, sl;
	bool sl_known;
	const struct ibc_port *out[IBC_HOPS_MAX + 1];
	uint8_t vl[IBC_HOPS_MAX + 1];
	size_t num;
	enum ibc_route_end end;
};

/**
 * ibc_path_find() - follow a route
 * @src: a host's port, or a switch's port 0
 * @dlid: a LID of the same subnet
 *
 * Return: 0; -ENODATA: the subnet has no tables.
 */
int ibc_path_find(const struct ibc_port *src, unsigned int dlid, struct ibc_path *out,
                  struct ibc_error *err);

/**
 * ibc_path_by_cabling() - a shortest route from port to port, whatever the tables have
 * @src: a host's port, or a switch's port 0
 * @dst: likewise, of the same subnet
 *
 * Return: 0, with @out->end IBC_ROUTE_ARRIVES, or IBC_ROUTE_UNKNOWN if no cables that carry
 * data lead there; -ENOMEM.
 */
int ibc_path_by_cabling(const struct ibc_port *src, const struct ibc_port *dst,
                        struct ibc_path *out, struct ibc_error *err);

/* Called for each pair; src and dst by GUID, then port. */
typedef void (*ibc_pair_fn)(void *ctx, const struct ibc_port *src, const struct ibc_port *dst,
                            unsigned int dlid);

/**
 * ibc_path_using() - all pairs of hosts whose packets the tables send by a port
 * @port: a switch's or a host's; whether it has a link, and they arrive, does not matter
 * @fn: or NULL
 *
 * Return: their number, or -ENODATA, -ENOMEM.
 */
int64_t ibc_path_using(const struct ibc_port *port, ibc_pair_fn fn, void *ctx,
                       struct ibc_error *err);

/* ---- what depends on a thing --------------------------------------------------------- */

struct ibc_fattree;

/**
 * struct ibc_switch_loss - cables that things take from a switch that stays
 * @tier: "leaf": the cables upward count; NULL: those to all other switches do, as it is in no
 *	  fat-tree, or loses some that lead beside it and none upward
 * @links, @lost: cables with a link that it has, and loses
 * @gbps, @lost_gbps: their data rates; 0: that of one is not known
 */
struct ibc_switch_loss {
	const struct ibc_node *node;
	const char *tier;
	unsigned int links, lost;
	double gbps, lost_gbps;
};

/**
 * struct ibc_uplink_loss - cables upward, of one tier of a fat-tree, that things take with them
 * @tier: "leaf"; NULL: it takes none, or the fabric is no fat-tree
 * @up_gbps, @lost_gbps: data rate of all of the tier, and of those lost; @up_gbps 0: not known
 * @switches: of the tier that lose some, but for the things themselves
 * @worst: the one of them that loses the greatest part; NULL: none
 * @uplinks, @lost: that this one has, and loses
 */
struct ibc_uplink_loss {
	const char *tier;
	double up_gbps, lost_gbps;
	size_t switches;
	const struct ibc_node *worst;
	unsigned int uplinks, lost;
};

/**
 * struct ibc_dependents - what hosts lose without some switches, HCAs or cables, all at once
 * @places: of a port its cable is the thing
 * @has_routes: their subnets have forwarding tables; of one that has none no pairs are counted
 * @pairs: pairs of hosts whose packets the tables send by any of them
 * @reroutes: those of @pairs that cables still join, and that need another route
 * @cut_pairs: pairs of ports of hosts that no cable joins any more, whatever the tables have
 * @num_hosts: that have a link; also HCAs and routers of which the host is not known
 * @cut_off: names of those that lose all other hosts, by all of their ports
 * @lose_ports: of those that do by some of their ports
 * @lose_routes: of hosts that are an end of any of @pairs
 * @uplinks: of the lowest tier that loses any
 * @losses: of all switches that stay and lose any, by GUID; none without a tree
 */
struct ibc_dependents {
	const struct ibc_place *places;
	size_t num_places;
	bool has_routes;
	uint64_t pairs, cut_pairs, reroutes;
	const char *const *cut_off, *const *lose_ports, *const *lose_routes;
	size_t num_hosts, num_cut_off, num_lose_ports, num_lose_routes;
	struct ibc_uplink_loss uplinks;
	const struct ibc_switch_loss *losses;
	size_t num_losses;
};

/**
 * ibc_dependents_find() - what depends on switches, HCAs or the cables of ports
 * @fab: the fabric
 * @tree: what it was inferred to be, for @uplinks and @losses; or NULL
 * @places: all of them are taken away together
 * @out: borrows from @fab; to be freed with ibc_dependents_free()
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_dependents_find(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                        const struct ibc_place *places, size_t n, struct ibc_dependents **out,
                        struct ibc_error *err);
void ibc_dependents_free(struct ibc_dependents *d);
/*
 * Is a port that is in use cut off, of a switch port 0?  Of what falls apart the part with most
 * ports of hosts keeps the rest; what is taken away is cut off.
 */
bool ibc_dependents_cuts(const struct ibc_dependents *d, const struct ibc_port *port);
/* Calls for each of its pairs, once; by subnet, then src by GUID and port, then dst. */
void ibc_dependents_each(const struct ibc_dependents *d, ibc_pair_fn fn, void *ctx);
/**
 * ibc_dependents_among() - which of some ports are an end of a pair of its, both among them
 * @ports: of hosts, each once
 * @is_end: set to true for each that is; n elements
 */
void ibc_dependents_among(struct ibc_dependents *d, const struct ibc_port *const *ports, size_t n,
                          bool *is_end);

/* ---- multicast --------------------------------------------------------------------- */

enum ibc_tree_fault {
	IBC_TREE_CYCLE,     /* packets come back, or twice: @node, @port is in the ring */
	IBC_TREE_CUT,       /* it falls into several pieces: @node is in one of the others */
	IBC_TREE_ONE_SIDED, /* @node sends by @port, and the other end does not send back */
	IBC_TREE_DOWN,      /* @node sends by @port, which has no link */
	IBC_TREE_MISSING,   /* the leaf @node does not send to @port, where a member is */
};
const struct ibc_word *ibc_tree_fault_word(enum ibc_tree_fault fault);

/**
 * struct ibc_multicast_fault - what is wrong with the tree of one group
 * @count: places of the group with the same fault; @node and @port are the first
 */
struct ibc_multicast_fault {
	unsigned int mlid;
	enum ibc_tree_fault fault;
	const struct ibc_node *node;
	unsigned int port;
	size_t count;
};
/* By subnet, MLID and kind. */
const struct ibc_multicast_fault *ibc_routes_multicast_fault(const struct ibc_routes *routes,
                                                             size_t i);

/**
 * struct ibc_multicast_group - one tree
 * @switches, @hosts: that it reaches
 * @members: that the SA reports; 0 if it reports none
 * @unknown: switches whose table was not read
 */
struct ibc_multicast_group {
	const struct ibc_subnet *subnet;
	unsigned int mlid;
	size_t switches, hosts, members, unknown;
};
/* By subnet and MLID; those with any port. */
const struct ibc_multicast_group *ibc_routes_multicast_group(const struct ibc_routes *routes,
                                                             size_t i);

#pragma GCC visibility pop

#endif
