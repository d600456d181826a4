/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What findings are about, as keys that can be compared: nodes by number, those that were found
 * first, then the planned ones that were not; ports by node and number; hosts by name.
 */
#include <ibcheck/case.h>

#include "base/hash.h"

struct arena;

struct name_entry {
	uint64_t hash;
	const struct ibc_node *node;
};

/*
 * struct things - the two fabrics
 * @planned: of the comparison, or NULL
 * @hosts: of a fleet, and no fabric
 * @names: of nodes that have no GUID, by hash
 */
struct things {
	struct arena *arena;
	const struct ibc_fabric *found, *planned;
	const struct ibc_comparison *cmp;
	size_t num_found, num_nodes;
	struct name_entry *names;
	size_t num_names;
	bool several_subnets, hosts;
};

/* things.c: the arena has an escape, as all memory of this layer (ibc_cases_find()) */
struct things things_make(const struct ibc_input *in, struct arena *arena);

/*
 * struct spot - where an end is
 * @node: as found, or as planned where it was not; NULL: it is no node of these
 * @port: of it, and its far end as thing_peer() has it, or NULL
 * @at, @peer_at: the number of the node, and in the lowest eight bits that of the port
 */
struct spot {
	const struct ibc_node *node;
	const struct ibc_port *port, *peer;
	uint64_t at, peer_at;
};
struct spot spot_of_port(const struct things *t, const struct ibc_port *port);

/* struct thing - what a finding is about; @far: of a cable, else nowhere */
struct thing {
	const struct things *things;
	const struct ibc_subject *subject;
	struct spot near, far;
};
struct thing thing_of(const struct things *t, const struct ibc_subject *subject);

const struct ibc_node *thing_node(const struct things *t, const struct ibc_end *end);
/* The far end of a port: as found, else as planned; NULL: it has none, or leads nowhere. */
const struct ibc_port *thing_peer(const struct things *t, const struct ibc_port *port);
size_t thing_number(const struct things *t, const struct ibc_node *node);
/* The same node in the other fabric, or NULL. */
const struct ibc_node *thing_counterpart(const struct things *t, const struct ibc_node *node);
/* The node of a number, or NULL: a planned one that was found. */
const struct ibc_node *thing_at(const struct things *t, size_t number);

enum key_kind { KEY_NODE = 1, KEY_PORT, KEY_NAME, KEY_SUBNET, KEY_BESIDE };

/* struct keys - grows, and is used again */
struct keys {
	struct arena *arena;
	uint64_t *key;
	size_t n, room;
};

/*
 * What it is: of a cable both ports, of a port where no peer was seen also the one that is planned
 * there, of a fabric its subnet.
 */
void keys_of_thing(const struct thing *thing, struct keys *keys);
/* All that it lies on: the other end of the cable, the nodes, their hosts; then itself. */
void keys_at(const struct thing *thing, struct keys *keys);
void keys_at_spot(const struct spot *spot, struct keys *keys);
/* The nodes that it is at; of a cable from a switch to a host only the host. */
void keys_beside(const struct thing *thing, struct keys *keys);
/* The nodes it names, whatever the cable: who looks whether a cause is beside has these. */
void keys_of_nodes(const struct thing *thing, struct keys *keys);
/* Its subnet. */
void keys_subnet(const struct thing *thing, struct keys *keys);
const struct ibc_subnet *thing_subnet(const struct thing *thing);
/* The key of a node by number; and the number of a node whose key is of any kind. */
uint64_t key_of_node(size_t number);
size_t node_of_key(uint64_t key);
