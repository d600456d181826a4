/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What checks need to report many alike things as one finding. */
#include "check/sink.h"

#define RELATED_MAX 8 /* of several, so many are named */

/* Equal for nodes of the same vendor, device, type and port count. */
uint64_t device_type(const struct ibc_node *node);

/*
 * Ports that should be alike, so that one can deviate from the rest: those of one
 * number on nodes of one type in one subnet, switches with hosts apart from those
 * without.
 */
struct slot {
	uint64_t type;
	bool edge; /* the node is a switch that has CAs, if they answer */
	const struct ibc_port *port;
};
/* Does a cable of it lead to an HCA? */
bool has_ca(const struct ibc_node *node);
/* Is there such a port at all?  A healthy fabric need not be gathered. */
bool any_port(const struct ibc_fabric *fab, bool (*is_such)(const struct ibc_port *port));
/* All but port 0 of switches, those that are alike side by side; *n: how many. */
struct slot *collect_slots(struct ibc_sink *out, const struct ibc_fabric *fab, size_t *n);
/* At switches, or CAs, that are cabled alike, whichever port it is. */
bool is_same_kind(const struct slot *a, const struct slot *z);
/* So many of n > 0, from the first, are alike. */
size_t slots_equal(const struct slot *slots, size_t n);

/*
 * Starts the text of a finding about one subnet where there are several: "umad:mlx5_1: ", and
 * makes that subnet part of what the fabric's finding is about.
 */
const char *subnet_intro(struct ibc_sink *out, const struct ibc_subnet *subnet);

/* "/var/cache/opensm/guid2mkey (written 3 h before the sweep)"; of a subnet with key files */
const char *keys_text(struct ibc_sink *out, const struct ibc_subnet *subnet);

/* Do (nearly) all its links wait for a subnet manager? */
bool subnet_is_unmanaged(const struct ibc_fabric *fab, const struct ibc_subnet *subnet);

/* By GUID of the node, then number: as qsort() wants it, but of the ports themselves. */
int compare_ports(const struct ibc_port *a, const struct ibc_port *z);
/* Has PortInfo answered, and does it say LinkUp? */
bool port_is_linkup(const struct ibc_port *port);
/* A cable, at its near end, with LinkUp reported by PortInfo at both. */
bool is_known_cable(const struct ibc_port *port);

/*
 * struct unanswered - what a node and its ports gave no usable answer to, refusals among it
 * @of: by attribute
 * @open: of all that was @asked
 * @port: a port that did not answer all, or NULL
 * @subjects: how many did not, the node among them
 */
struct unanswered {
	uint64_t of[IBC_ATTR_COUNT], asked, open, refused;
	const struct ibc_port *port;
	unsigned int subjects;
};
/* A set of attributes as bits of struct ibc_answers, worked out once for all nodes. */
struct query_bits {
	uint64_t node, port;
};
struct query_bits query_bits(struct ibc_attrs queries);
/* Without what was asked of the silent peers of ports. */
struct unanswered unanswered_by(const struct ibc_node *node, struct query_bits queries);
/* How many nodes an attribute was asked of in vain; first: of these, or NULL. */
size_t nodes_unanswered(const struct ibc_fabric *fab, enum ibc_attr attr,
                        const struct ibc_node **first);
/*
 * Nodes that an attribute was asked of in vain, if any, as one finding of severity unknown about
 * the first: "WHAT; 4 THINGS do not"; @things, which is also its fact: "switches"
 */
void report_unanswered_nodes(const struct ibc_input *in, struct ibc_sink *out, enum ibc_attr attr,
                             const char *things, const char *what, const char *advice);
/* Was NodeInfo asked through this port in vain?  There is a link, and no node known behind. */
bool has_silent_peer(const struct ibc_port *port);

/*
 * struct silent_switch - links behind all of which one switch seems to be silent
 * @sure: else it may be a host behind each, too, and they are in silent_peers.hosts
 */
struct silent_switch {
	const struct slot *links;
	size_t n;
	bool sure;
};
/* Silent peers, which are hosts or may be, and those that are such switches; of each node a way. */
struct silent_peers {
	struct slot *hosts;
	size_t num_hosts, num_switches;
	struct silent_switch *switches;
	const struct way *ways; /* or NULL: no switch is silent */
};
struct silent_peers find_silent_peers(const struct ibc_input *in, struct ibc_sink *out);
/* What a plan, or an earlier sweep, has at the other end of a port; or NULL. */
const struct ibc_node *expected_peer(const struct ibc_input *in, const struct ibc_port *port);

/*
 * struct way - how much of the way to a device, or to several, may lead over a silent switch
 * @share: from 0 to 1, of the shortest ways; @over: the first such switch; @several: or others
 */
struct way {
	double share;
	const struct silent_switch *over;
	bool several;
};
/* ways.c: by order of nodes */
const struct way *find_ways(const struct ibc_fabric *fab, struct ibc_sink *out,
                            const struct silent_peers *peers);
struct way way_of(const struct silent_peers *peers, const struct ibc_node *node);
/*
 * Advises, for the last finding, what to do about silent devices: nothing before what is silent on
 * most ways to them; else @if_it_stays, a clause that ends in a full stop.
 */
void advise_silent(const struct ibc_input *in, struct ibc_sink *out, struct way way,
                   const char *if_it_stays);

/*
 * Cables that port.width or port.speed reports, in lib/check/port/speed.c: what follows from such a
 * fault is not reported again.  Gathered when first asked for: most runs never ask.
 */
struct blamed {
	const struct ibc_fabric *fab;
	struct ibc_sink *out;
	const struct ibc_port **near;
	size_t n;
	bool collected;
};
bool is_already_reported(struct blamed *blamed, const struct ibc_port *port);

/* Names a port, of a cable the near end, in the finding, up to RELATED_MAX of them. */
struct examples {
	const struct ibc_port *ports[RELATED_MAX];
	size_t count; /* of all that were added */
};
void examples_add(struct examples *examples, const struct ibc_port *port);
void examples_relate(struct ibc_sink *out, const struct examples *examples);
