/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_PERF_H
#define IBCHECK_PERF_H

#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/hostlist.h>

#pragma GCC visibility push(default)

/* Who measures with whom in which round. */
enum ibc_perf_mode {
	IBC_PERF_RANDOM, /* each host with another partner in each round */
	IBC_PERF_CIRCLE, /* each with each: of all hosts, or of those of a leaf */
	IBC_PERF_RING,   /* each with its neighbours in the list */
	IBC_PERF_INCAST, /* several clients to one server at once */
	IBC_PERF_SELF,   /* HCAs of one host with each other */
	IBC_PERF_COVER,  /* over every cable between switches, both ways, as the tables route */
};

#define IBC_PERF_ALL_RAILS (-1)

/**
 * struct ibc_perf_test - one measurement: the client sends to the server
 * @round: from 1; tests of one round run at once
 * @rail: from 0, or IBC_PERF_ALL_RAILS
 * @peer_rail: of IBC_PERF_SELF, where @server is @client: the client's; else @rail
 */
struct ibc_perf_test {
	unsigned int round;
	const char *server, *client;
	int rail, peer_rail;
};

/**
 * struct ibc_perf_opts - what a plan is to be
 * @rounds: 0: 3, fewer if pairs would meet twice, or what the mode needs; modes that need a
 *	number of their own (circle, ring, cover) take no other
 * @seed: plans of one seed are equal, whatever the machine
 * @rails: measured one after the other; 0: all at once.  Of IBC_PERF_SELF the HCAs of a host
 * @fab: for IBC_PERF_CIRCLE, which then stays within the leaf, and IBC_PERF_COVER; or NULL
 */
struct ibc_perf_opts {
	enum ibc_perf_mode mode;
	unsigned int rounds, rails;
	uint64_t seed;
	const struct ibc_fabric *fab;
};

/**
 * struct ibc_perf_plan - by round, then server, client and rail
 * @hosts: in the order of their list; the names of @tests are these pointers
 * @resting: hosts without a partner in any round: alone on their leaf, or of no use for a cable
 * @repeats: pairs that met before, for want of other partners
 * @links: ways between switches that IBC_PERF_COVER looked for: two a cable
 * @uncovered: of them, the ports that no route between the hosts of the plan leaves by
 */
struct ibc_perf_plan {
	const struct ibc_perf_test *tests;
	size_t num_tests, num_hosts;
	unsigned int rounds;
	const char *const *hosts, *const *resting;
	size_t num_resting, repeats, links;
	const struct ibc_port *const *uncovered;
	size_t num_uncovered;
};

/**
 * ibc_perf_plan() - a schedule without a coordinator
 * @hosts: read only while it is made
 * @out: names are its own, ports those of @opts->fab; to be freed with ibc_perf_plan_free()
 *
 * O(tests), but for IBC_PERF_COVER: O(LIDs of hosts x leaves x hops) a round.  It is the same
 * for the same hosts and options wherever it is made.
 *
 * Return: 0; -EINVAL: what is asked for cannot be; -ENODATA: the fabric has no forwarding
 * tables; -ENOMEM.
 */
int ibc_perf_plan(const struct ibc_hostlist *hosts, const struct ibc_perf_opts *opts,
                  struct ibc_perf_plan **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_perf_plan_free(struct ibc_perf_plan *plan);

#pragma GCC visibility pop

#endif
