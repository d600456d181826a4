/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random fabrics, disturbed at random: what the plan says to do can be done in its order,
 * leaves nothing to complain of, and moves no more plugs than cables were disturbed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compared.h"

#define NODES_MAX  128
#define PORTS_MAX  16
#define CABLES_MAX 512
#define NO_CABLE   (-1)

struct wire {
	unsigned int node[2], port[2];
};

/* A fabric as numbers; node i has GUID i + 1. */
struct net {
	enum ibc_node_type type[NODES_MAX];
	unsigned int ports[NODES_MAX];
	unsigned int nodes, wires;
	struct wire wire[CABLES_MAX];
	int at[NODES_MAX][PORTS_MAX + 1]; /* the wire in each socket */
};

static uint64_t state;

static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state >> 33) % n;
}

/* ---- nets ------------------------------------------------------------------------------- */

static unsigned int add_node(struct net *net, enum ibc_node_type type, unsigned int ports)
{
	unsigned int node = net->nodes++;

	assert_true(node < NODES_MAX && ports <= PORTS_MAX);
	net->type[node] = type;
	net->ports[node] = ports;
	for (unsigned int p = 0; p <= PORTS_MAX; p++)
		net->at[node][p] = NO_CABLE;
	return node;
}

static void plug(struct net *net, int wire, unsigned int end, unsigned int node, unsigned int port)
{
	assert_true(port >= 1 && port <= net->ports[node]);
	assert_int_equal(net->at[node][port], NO_CABLE);
	net->at[node][port] = wire;
	net->wire[wire].node[end] = node;
	net->wire[wire].port[end] = port;
}

static void add_wire(struct net *net, unsigned int a, unsigned int p, unsigned int z,
                     unsigned int q)
{
	int wire = (int)net->wires++;

	assert_true(wire < CABLES_MAX);
	plug(net, wire, 0, a, p);
	plug(net, wire, 1, z, q);
}

static void unplug(struct net *net, int wire, unsigned int end)
{
	net->at[net->wire[wire].node[end]][net->wire[wire].port[end]] = NO_CABLE;
}

/* The last wire takes the number of one that goes. */
static void remove_wire(struct net *net, int wire)
{
	int last = (int)--net->wires;

	unplug(net, wire, 0);
	unplug(net, wire, 1);
	net->wire[wire] = net->wire[last];
	for (unsigned int end = 0; wire != last && end < 2; end++)
		net->at[net->wire[wire].node[end]][net->wire[wire].port[end]] = wire;
}

static void move(struct net *net, int wire, unsigned int end, unsigned int node, unsigned int port)
{
	unplug(net, wire, end);
	plug(net, wire, end, node, port);
}

static unsigned int degree(const struct net *net, unsigned int node)
{
	unsigned int n = 0;

	for (unsigned int p = 1; p <= net->ports[node]; p++)
		n += net->at[node][p] != NO_CABLE;
	return n;
}

static unsigned int free_port(const struct net *net, unsigned int node)
{
	unsigned int first = below(net->ports[node]);

	for (unsigned int i = 0; i < net->ports[node]; i++) {
		unsigned int p = (first + i) % net->ports[node] + 1;

		if (net->at[node][p] == NO_CABLE)
			return p;
	}
	return 0;
}

/* ---- shapes ------------------------------------------------------------------------------ */

/* Leaves with hosts, each with some cables to every spine. */
static void make_tree(struct net *net, unsigned int leaves, unsigned int spines, unsigned int hosts,
                      unsigned int cables)
{
	unsigned int leaf, spine = net->nodes;

	for (unsigned int i = 0; i < spines; i++)
		add_node(net, IBC_NODE_SWITCH, PORTS_MAX);
	for (unsigned int l = 0; l < leaves; l++) {
		leaf = add_node(net, IBC_NODE_SWITCH, PORTS_MAX);
		for (unsigned int h = 1; h <= hosts; h++)
			add_wire(net, leaf, h, add_node(net, IBC_NODE_CA, 1), 1);
		for (unsigned int u = 0; u < spines * cables; u++)
			add_wire(net, leaf, hosts + 1 + u, spine + u / cables,
			         l * cables + u % cables + 1);
	}
}

/* Two trees, the spines of which share cores. */
static void make_pods(struct net *net)
{
	unsigned int pods[2];

	for (unsigned int i = 0; i < 2; i++) {
		pods[i] = net->nodes;
		make_tree(net, 3, 3, 2 + below(2), 1);
	}
	for (unsigned int c = 0; c < 6; c++) {
		unsigned int core = add_node(net, IBC_NODE_SWITCH, PORTS_MAX);

		for (unsigned int i = 0; i < 2; i++)
			add_wire(net, core, i + 1, pods[i] + c / 2, 8 + c % 2);
	}
}

/* Switches in a chain, with cables and hosts, some on two ports, anywhere else. */
static void make_random(struct net *net)
{
	unsigned int switches = 3 + below(8), extra = below(3 * switches), hosts = below(12);

	for (unsigned int i = 0; i < switches; i++) {
		add_node(net, IBC_NODE_SWITCH, PORTS_MAX);
		if (i > 0)
			add_wire(net, i - 1, free_port(net, i - 1), i, free_port(net, i));
	}
	for (unsigned int i = 0; i < extra; i++) {
		unsigned int a = below(switches), z = below(switches), p, q;

		p = free_port(net, a);
		q = free_port(net, z);
		if (a != z && p && q)
			add_wire(net, a, p, z, q);
	}
	for (unsigned int i = 0; i < hosts; i++) {
		unsigned int host = add_node(net, IBC_NODE_CA, 1 + below(2));

		for (unsigned int p = 1; p <= net->ports[host]; p++) {
			unsigned int z = below(switches), q = free_port(net, z);

			if (q)
				add_wire(net, host, p, z, q);
		}
	}
}

static void make_net(struct net *net)
{
	net->nodes = net->wires = 0;
	switch (below(4)) {
	case 0:
		make_tree(net, 2 + below(6), 2 + below(4), 1 + below(4), 1);
		break;
	case 1:
		make_tree(net, 2 + below(3), 2 + below(2), 1 + below(4), 2);
		break;
	case 2:
		make_pods(net);
		break;
	default:
		make_random(net);
	}
}

/* ---- faults ------------------------------------------------------------------------------- */

/* Cables that the faults disturb; one that two of them do counts twice. */
static unsigned int disturbed;

static int any_wire(const struct net *net)
{
	return (int)below(net->wires);
}

static void fault_unplug(struct net *net)
{
	int wire = any_wire(net);

	disturbed++;
	remove_wire(net, wire);
}

/* The far plugs of n wires go round by one. */
static void turn(struct net *net, unsigned int n)
{
	int wire[3];
	unsigned int node[3], port[3];

	for (unsigned int i = 0; i < n; i++) {
		wire[i] = any_wire(net);
		for (unsigned int k = 0; k < i; k++) {
			if (wire[k] == wire[i])
				return;
		}
	}
	for (unsigned int i = 0; i < n; i++) {
		node[i] = net->wire[wire[i]].node[1];
		port[i] = net->wire[wire[i]].port[1];
		unplug(net, wire[i], 1);
	}
	disturbed += n;
	for (unsigned int i = 0; i < n; i++)
		plug(net, wire[i], 1, node[(i + 1) % n], port[(i + 1) % n]);
}

static void fault_cross(struct net *net)
{
	turn(net, 2);
}

static void fault_rotate(struct net *net)
{
	turn(net, 3);
}

/* A plug goes to the socket of another one, which is pulled. */
static void fault_double(struct net *net)
{
	int wire = any_wire(net), other = any_wire(net), last = (int)net->wires - 1;
	unsigned int end = below(2), node = net->wire[other].node[end];
	unsigned int port = net->wire[other].port[end];

	if (wire == other)
		return;
	disturbed += 2;
	remove_wire(net, other);
	move(net, wire == last ? other : wire, below(2), node, port);
}

static void fault_move(struct net *net)
{
	int wire = any_wire(net);
	unsigned int node = below(net->nodes), port = free_port(net, node);

	if (!port)
		return;
	disturbed++;
	move(net, wire, below(2), node, port);
}

static void fault_slip(struct net *net)
{
	int wire = any_wire(net);
	unsigned int end = below(2), node = net->wire[wire].node[end], port = free_port(net, node);

	if (!port)
		return;
	disturbed++;
	move(net, wire, end, node, port);
}

static void fault_extra(struct net *net)
{
	unsigned int a = below(net->nodes), z = below(net->nodes);
	unsigned int p = free_port(net, a), q = free_port(net, z);

	if (a == z || !p || !q || net->wires == CABLES_MAX)
		return;
	add_wire(net, a, p, z, q);
	disturbed++;
}

/* Two switches in each other's place, with all their cables. */
static void exchange_nodes(struct net *net, unsigned int a, unsigned int z)
{
	struct net old = *net;

	net->wires = 0;
	for (unsigned int i = 0; i < net->nodes; i++) {
		for (unsigned int p = 0; p <= PORTS_MAX; p++)
			net->at[i][p] = NO_CABLE;
	}
	for (unsigned int i = 0; i < old.wires; i++) {
		struct wire *w = &old.wire[i];

		for (unsigned int end = 0; end < 2; end++)
			w->node[end] = w->node[end] == a ? z : w->node[end] == z ? a : w->node[end];
		add_wire(net, w->node[0], w->port[0], w->node[1], w->port[1]);
	}
}

static void fault_exchange(struct net *net)
{
	unsigned int a = below(net->nodes), z = below(net->nodes);

	if (a == z || net->type[a] != IBC_NODE_SWITCH || net->type[z] != IBC_NODE_SWITCH)
		return;
	disturbed += degree(net, a) + degree(net, z);
	exchange_nodes(net, a, z);
}

static void (*const faults[])(struct net *net) = {
	fault_unplug, fault_cross, fault_rotate, fault_double,
	fault_move,   fault_slip,  fault_extra,  fault_exchange,
};

/* Nobody sees a node without a cable; one that had several must not get lost. */
static bool keeps_nodes(const struct net *before, const struct net *after)
{
	for (unsigned int i = 0; i < before->nodes; i++) {
		if (degree(before, i) > 1 && degree(after, i) == 0)
			return false;
	}
	return true;
}

static void disturb(struct net *net, unsigned int count)
{
	disturbed = 0;
	while (count-- > 0 && net->wires > 3)
		faults[below(sizeof(faults) / sizeof(faults[0]))](net);
}

/* ---- fabrics ------------------------------------------------------------------------------- */

#define FOUND_GUID(node) ((uint64_t)(node) + 1)

/* Its nodes have names; of a plan without GUIDs these are all that says who they are. */
static struct ibc_fabric *fabric_of(const struct net *net, bool named_only)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int i = 0; i < net->nodes; i++) {
		uint64_t guid = named_only ? 0xabc000 - i * 7 : FOUND_GUID(i);
		struct ibc_node *node;

		if (degree(net, i) == 0)
			continue;
		snprintf(name, sizeof(name), net->type[i] == IBC_NODE_CA ? "h%03u mlx5_0" : "s%03u",
		         i);
		node = net->type[i] == IBC_NODE_CA ? mk_ca(m, guid, name, net->ports[i])
		                                   : mk_switch(m, guid, name, net->ports[i]);
		node->named_only = named_only;
		/* a table of all LIDs would be the largest part of it */
		if (node->type == IBC_NODE_SWITCH)
			fabric_build_port(node, 0)->lid = 0;
	}
	for (unsigned int i = 0; i < net->wires; i++) {
		const struct wire *w = &net->wire[i];
		uint64_t near = named_only ? 0xabc000 - w->node[0] * 7 : FOUND_GUID(w->node[0]);
		uint64_t far = named_only ? 0xabc000 - w->node[1] * 7 : FOUND_GUID(w->node[1]);

		cable(m, near, w->port[0], far, w->port[1]);
		port(m, near, w->port[0])->lid = port(m, far, w->port[1])->lid = 0;
	}
	return done(m);
}

/* ---- doing what the plan says ---------------------------------------------------------------- */

/* Nodes go by name, as those of a plan without GUIDs have others. */
static unsigned int number_of(const struct ibc_place *at)
{
	assert_non_null(at->node);
	return (unsigned int)strtoul(at->node->desc + 1, NULL, 10);
}

/* The wire at a place, and which of its ends is there; the other one is at peer. */
static int wire_at(const struct net *net, const struct ibc_place *at, const struct ibc_place *peer,
                   unsigned int *end)
{
	int wire = net->at[number_of(at)][at->port];
	const struct wire *w;

	assert_int_not_equal(wire, NO_CABLE);
	w = &net->wire[wire];
	*end = w->node[0] == number_of(at) && w->port[0] == at->port ? 0 : 1;
	assert_int_equal(w->node[!*end], number_of(peer));
	assert_int_equal(w->port[!*end], peer->port);
	return wire;
}

static void exchange_plugs(struct net *net, const struct ibc_step *s)
{
	unsigned int end, other_end;
	int wire = wire_at(net, &s->from, &s->peer, &end);
	int other = wire_at(net, &s->to, &s->to_peer, &other_end);

	unplug(net, wire, end);
	unplug(net, other, other_end);
	plug(net, wire, end, number_of(&s->to), s->to.port);
	plug(net, other, other_end, number_of(&s->from), s->from.port);
}

static void follow(struct net *net, const struct ibc_step *s)
{
	unsigned int end;
	int wire;

	switch (s->action) {
	case IBC_ACTION_MOVE:
		wire = wire_at(net, &s->from, &s->peer, &end);
		move(net, wire, end, number_of(&s->to), s->to.port);
		return;
	case IBC_ACTION_EXCHANGE:
		if (s->from.port)
			exchange_plugs(net, s);
		else
			exchange_nodes(net, number_of(&s->from), number_of(&s->to));
		return;
	case IBC_ACTION_CONNECT:
		add_wire(net, number_of(&s->to), s->to.port, number_of(&s->peer), s->peer.port);
		return;
	case IBC_ACTION_REMOVE:
		remove_wire(net, wire_at(net, &s->from, &s->peer, &end));
		return;
	case IBC_ACTION_REPLACE:
	case IBC_ACTION_RENAME:
		fail_msg("nobody replaced or renamed anything");
	}
}

static struct ibc_comparison *compare(const struct ibc_fabric *plan, const struct ibc_fabric *fab)
{
	struct ibc_comparison *cmp;

	assert_int_equal(ibc_compare(plan, fab, NULL, &cmp, NULL), 0);
	return cmp;
}

static void complain(const struct ibc_comparison *cmp, const char *what, unsigned int number)
{
	char *text = compared_text(cmp);

	fail_msg("case %u: %s:\n%s", number, what, text);
	free(text);
}

/* Mends the net by the plan of the comparison; how many steps it took. */
static unsigned int mend(const struct ibc_fabric *plan, struct net *net, unsigned int number)
{
	struct ibc_fabric *fab = fabric_of(net, false);
	struct ibc_comparison *cmp = compare(plan, fab);
	const struct ibc_step *s;
	unsigned int n = 0;

	while ((s = ibc_comparison_step(cmp, n)))
		n++;
	if (n > disturbed)
		complain(cmp, "more moves than were made", number);
	for (unsigned int i = 0; i < n; i++)
		follow(net, ibc_comparison_step(cmp, i));
	ibc_comparison_free(cmp);
	ibc_fabric_free(fab);
	return n;
}

static void expect_mended(const struct ibc_fabric *plan, const struct net *net, unsigned int number)
{
	struct ibc_fabric *fab = fabric_of(net, false);
	struct ibc_comparison *cmp = compare(plan, fab);

	if (comparison_deviation(cmp, 0))
		complain(cmp, "is not mended", number);
	ibc_comparison_free(cmp);
	ibc_fabric_free(fab);
}

static void mend_random_nets(unsigned int cases, unsigned int faults_max, bool named_only)
{
	unsigned int done_cases = 0, moves = 0, cables = 0;
	struct net before, net;

	for (unsigned int i = 0; done_cases < cases; i++) {
		struct ibc_fabric *plan;

		state = 0x9e3779b97f4a7c15u * (i + 1);
		make_net(&before);
		net = before;
		disturb(&net, 1 + below(faults_max));
		if (!keeps_nodes(&before, &net))
			continue;
		plan = fabric_of(&before, named_only);
		moves += mend(plan, &net, i);
		expect_mended(plan, &net, i);
		ibc_fabric_free(plan);
		cables += disturbed;
		done_cases++;
	}
	print_message("%u cases, %u cables disturbed, %u moves\n", done_cases, cables, moves);
}

static void every_plan_mends_what_was_disturbed_in_no_more_moves(void **test)
{
	(void)test;
	mend_random_nets(3000, 6, false);
}

static void a_plan_without_guids_does_as_well(void **test)
{
	(void)test;
	mend_random_nets(3000, 6, true);
}

static void a_fabric_in_ruins_is_mended_as_well(void **test)
{
	(void)test;
	mend_random_nets(300, 60, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_mends_what_was_disturbed_in_no_more_moves),
		cmocka_unit_test(a_plan_without_guids_does_as_well),
		cmocka_unit_test(a_fabric_in_ruins_is_mended_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
