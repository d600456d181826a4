/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What is expected and was not found: is it gone, unseen, moved or replaced?
 *
 * What leads to a device that is missing are its cables to devices that were seen.  A port at such
 * an end that is down, or leads elsewhere, is evidence that the device is gone; one that is up
 * while nothing answers behind it, or that was not read, is none.  Behind a device that is gone
 * lies what cannot be reached without it.  Cost: O(n log n) in what is missing; of the sweep only
 * what is asked for is looked up.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>
#include <ibcheck/gone.h>

struct arena;

enum gone_state {
	GONE_BACK,     /* it was found, where it belongs */
	GONE_UNSEEN,   /* this run did not look there */
	GONE_AWAY,     /* this run looked, and it is not there */
	GONE_MOVED,    /* of a cable: one of its plugs is in another port */
	GONE_REPLACED, /* another device is in its place */
	GONE_RETIRED,  /* it was taken away on purpose */
};

#define GONE_NONE SIZE_MAX

/*
 * struct gone_node - a device that is expected
 * @name: its label, @host: of a CA the name of its host, or NULL; as they were when it was seen
 * @seen: the last run that saw it
 * @missed: the first run since then that looked and did not find it; 0: none yet
 * @kept: the memory had it as missing already; @earlier: from before it knew what is expected
 * @host_here: another adapter of its host was found, @host_unseen: this run did not look for one
 * @renamed: its host has another name than the memory has; @was_retired: it is back from that
 * @host_seen, @host_missed: the latest of these times of the adapters of its host
 * @is: what replaced it, or NULL
 * @lead: the number of the device that leads to it and is gone: its own, if nothing lies before it
 * @cut: the first of several devices without all of which it, or what lies behind it, cannot be
 *	 reached, or GONE_NONE
 * @lost: ports of devices that were found at which it is missing; @open: those that this run did
 *	  not look at
 * @at: a device that was found and to which it was cabled, or NULL
 */
struct gone_node {
	uint64_t guid;
	enum ibc_node_type type;
	const char *name, *host;
	time_t seen, missed, host_seen, host_missed;
	enum gone_state state;
	bool kept, earlier, host_here, host_unseen, renamed, was_retired;
	const struct ibc_node *is, *at;
	size_t lead, cut, lost, open;
};

/* struct gone_end - @name: of its node; @node: among those that are missing, or GONE_NONE */
struct gone_end {
	uint64_t guid;
	unsigned int num;
	const char *name;
	size_t node;
	const struct ibc_port *now; /* the same port in this sweep, or NULL */
};

/*
 * struct gone_cable - a link that is expected
 * @between: both ends are ports of switches
 * @mends: that it was moved ends a fault of the cabling that was found before
 * @partner: the number of one with which it was exchanged, or GONE_NONE
 */
struct gone_cable {
	struct gone_end a, z;
	time_t seen, missed;
	enum gone_state state;
	bool kept, earlier, between, mends;
	size_t partner;
};

/*
 * struct gone_manager - a port at which a subnet manager is expected
 * @master: it was master when it was last seen
 */
struct gone_manager {
	struct gone_end at;
	time_t seen;
	enum gone_state state;
	bool master;
};

/*
 * struct ibc_gone - all that is expected and may be missing
 * @now: the sweep; @before: the last one, or NULL: what it had is known, else nothing is
 * @nodes: sorted by GUID, @cables: by those of their ends, then the ports
 * @adapters: the CAs among @nodes that were not found, those of a host together
 * @replaces: of each device of the sweep, whether it is in the place of one; NULL: none is
 * @partial: most of what is expected was not seen: the sweep is of a part
 * @members: from the memory to lib/report, of no matter to what is gone
 */
struct ibc_gone {
	struct arena *arena;
	const struct ibc_fabric *now, *before;
	time_t time;
	struct gone_node *nodes;
	struct gone_cable *cables;
	struct gone_manager *managers;
	size_t *adapters;
	size_t num_nodes, num_cables, num_managers, num_adapters;
	size_t room_nodes, room_cables, room_managers;
	const struct ibc_retired *retired;
	size_t num_retired;
	bool *replaces;
	bool partial;
	struct known_member *members;
};

/* Add to it; the arena has an escape. */
void gone_add_node(struct ibc_gone *gone, struct gone_node node);
void gone_add_cable(struct ibc_gone *gone, struct gone_cable cable);
/* The end of a cable, with the name that its device has there. */
struct gone_end gone_end_of(const struct ibc_port *port);
/*
 * Judges what was put into it: of nodes guid, type, name, host, seen, missed, kept and earlier, of
 * cables the like.  Its arena has an escape.
 */
void gone_judge(struct ibc_gone *gone);
/* The name of its host, or its own where that is not known. */
static inline const char *gone_host(const struct gone_node *node)
{
	return node->host ? node->host : node->name;
}
/* The end of the adapters of one host that begin at a number of @adapters. */
size_t gone_host_end(const struct ibc_gone *gone, size_t first);
/* The device of a GUID among those that are missing, or GONE_NONE. */
size_t gone_find(const struct ibc_gone *gone, uint64_t guid);
/* The link between two ports, likewise, the lower end first. */
size_t gone_find_cable(const struct ibc_gone *gone, const struct gone_cable *ends);
/* Does a device of the sweep take the place of one that is expected? */
bool gone_replaces(const struct ibc_gone *gone, const struct ibc_node *node);
/* For qsort() and bsearch(), of devices and cables. */
int gone_by_guid(const void *a, const void *z);
int gone_by_ends(const void *a, const void *z);
/* Is it known of this port of the sweep whether it has a link? */
bool gone_looked(const struct ibc_port *port);
