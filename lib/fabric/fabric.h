/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The inside of a fabric (fabric.c), for the files of this directory, and for writers of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "base/hash.h"

#define UNICAST_LIDS 0xc000 /* LIDs from here on are multicast (IBA 4.1) */

/* Every node is one of these; the public part comes first. */
struct fabric_node {
	struct ibc_node node;
	uint32_t order;  /* of creation; of the walk when built */
	bool whole;      /* every line that its file has of it was understood */
	uint32_t column; /* of a switch in its subnet's tables, if there are any */
	UT_hash_handle hh;
	struct fabric_node *twin; /* the next of the same GUID and subnet */
};

/* Every subnet is one of these; the public part comes first. */
struct fabric_subnet {
	struct ibc_subnet subnet;
	struct fabric_node *by_guid;    /* of nodes of one GUID only the first */
	const struct ibc_port **by_lid; /* UNICAST_LIDS elements; NULL if no port has a LID */
};

struct ibc_fabric {
	struct arena *arena;
	struct fabric_subnet **subnets;
	size_t num_subnets;
	struct fabric_node **nodes; /* in order of the walk */
	size_t num_nodes;
	const struct ibc_port **ports; /* in order of the walk */
	size_t num_ports;
	struct ibc_fabric_host *hosts; /* by name */
	size_t num_hosts;
	struct ibc_fabric_counts counts;
	bool no_counters; /* those of ports were not kept */
};

/* How many of its ports have a cable. */
size_t cabled_ports(const struct ibc_node *node);

static inline size_t node_order(const struct ibc_node *node)
{
	return ((const struct fabric_node *)node)->order;
}

/* module.c: " (MCP1600-C003, SN MT2012VS00123)" of what is plugged in there; "".  @return buf */
#define MODULE_TEXT 128 /* both are of 16 characters, up to 3 bytes each */
char *module_text(const struct ibc_module *m, char *buf, size_t size);
/* That of the plug in a port, or NULL. */
const char *port_serial(const struct ibc_port *p);
/* "MT4115", "device 0x1234": by its device id. */
void node_device_text(const struct ibc_node *node, char *buf, size_t size);
/* Did the deadline end the sweep of any subnet? */
bool fabric_was_cut_short(const struct ibc_fabric *fab);
/* Were lines lost that could have been nodes and cables? */
bool fabric_lacks_lines(const struct ibc_fabric *fab);
/* The first node of a GUID in a subnet, or NULL. */
struct fabric_node *fabric_find(const struct ibc_fabric *fab, unsigned int subnet, uint64_t guid);
/* The port of a GUID and number; NULL: it is not there, or there is no fabric. */
const struct ibc_port *fabric_port_at(const struct ibc_fabric *fab, uint64_t guid,
                                      unsigned int num);
/* The same port in another fabric, likewise. */
const struct ibc_port *fabric_same_port(const struct ibc_fabric *fab, const struct ibc_port *port);
/* Do ports of two fabrics lead to the same port?  Not if one is not there, or leads nowhere. */
bool port_keeps_peer(const struct ibc_port *a, const struct ibc_port *z);
/* Is it known whether it has a link?  One that is up has a peer, that may not have answered. */
bool port_link_is_known(const struct ibc_port *port);
/* The near end of the cable next to *i, from 0, a number of ibc_fabric_port(); or NULL. */
const struct ibc_port *fabric_next_cable(const struct ibc_fabric *fab, size_t *i);
/* Was every line understood that its file has of it?  Then a port without a peer has no cable. */
bool node_is_whole(const struct ibc_node *node);
/* The lowest number a node's ports start at: switches have a port 0. */
unsigned int node_first_port(const struct ibc_node *node);
/* The order of struct ibc_port_id: by GUID, then by number.  For qsort() and bsearch(). */
int by_port_id(const void *a, const void *z);
/* Is it known that it has no link? */
bool port_is_down(const struct ibc_port *p);
/* Does it look for a peer?  Which of these states it is in changes by itself. */
bool port_is_looking(const struct ibc_port *p);
/* Has this port LIDs of its own in its subnet?  Of a switch only port 0 has. */
bool port_has_lid(const struct ibc_port *port);
/* Does this port say that the subnet manager is at its own LID? */
bool port_names_itself_master(const struct ibc_port *port);
/* The LIDs of a port, from its base LID up to, without, *end. */
unsigned int port_lids(const struct ibc_port *port, unsigned int *end);

struct arena;
/* finish.c, labels.c, hosts.c: steps of fabric_build_finish(), in fabric_build_run(). */
void fabric_index(struct ibc_fabric *fab);
/* adaptive.c: static_traffic of each subnet; does any switch of it route adaptively? */
void fabric_settle_traffic(struct ibc_fabric *fab);
bool subnet_is_adaptive(const struct ibc_subnet *subnet);
void fabric_label(struct ibc_fabric *fab, struct arena *scratch);
void fabric_join_hosts(struct ibc_fabric *fab, struct arena *scratch);

/* find.c: is the port, or its node, what was typed?  By whatever reading but as a LID. */
struct typed;
bool port_is_typed(const struct ibc_port *port, const struct typed *typed);
