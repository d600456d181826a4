/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was asked, or due, and got no usable answer: one finding a cause.  The counts
 * given to sink_unanswered() add up to all such queries of the fabric, which is what
 * lets the report prove that none was forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include <ibcheck/topo.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"

#define PORTS_MAX 256 /* of a node, and more */

/* ---- peers that do not answer ------------------------------------------------ */

static bool peer_refuses(const struct ibc_port *p)
{
	return ibc_port_answer(p, IBC_ATTR_NODE_INFO) == IBC_REFUSED;
}

/* What to do about M_Keys, if the silent peer of a port works. */
static const char *key_advice(struct ibc_sink *out, const struct ibc_port *p)
{
	const struct ibc_subnet *subnet = p->node->subnet;

	if (!subnet->key_files)
		return "an M_Key can protect it: give the key with --key-files or -y.";
	if (!p->extra->keyed_peer)
		return sink_text(
		    out, "%s has no key for it: copy the directory again, or give the key with -y.",
		    keys_text(out, subnet));
	return sink_text(out,
	                 "its key has changed, or it is another device than neighbors says: copy "
	                 "the directory of %s again.",
	                 keys_text(out, subnet));
}

/* " spine02"; "" */
static const char *peer_name(const struct ibc_input *in, struct ibc_sink *out,
                             const struct ibc_port *p)
{
	const struct ibc_node *node = expected_peer(in, p);

	return node ? sink_text(out, " %s", node->label) : "";
}

static void report_silent_peer(const struct ibc_input *in, struct ibc_sink *out,
                               const struct ibc_port *p)
{
	const char *files = p->node->subnet->key_files, *answer = "does not answer";

	if (peer_refuses(p))
		answer = "refuses NodeInfo";
	else if (p->extra->keyed_peer_lid)
		answer = sink_text(
		    out, "answers at LID %u, but not to the M_Key of 0x%016jx in %s/guid2mkey",
		    p->extra->keyed_peer_lid, (uintmax_t)p->extra->keyed_peer, files);
	else if (p->extra->keyed_peer)
		answer = sink_text(out, "does not answer to the M_Key of 0x%016jx in %s/guid2mkey",
		                   (uintmax_t)p->extra->keyed_peer, files);
	else if (files)
		answer = "does not answer, and the key files have no M_Key for it";
	sink_port(out, p, "%s, its peer%s %s", port_is_linkup(p) ? "is LinkUp" : "has a link",
	          peer_name(in, out, p), answer);
	sink_advise(out, "%s%s",
	            p->extra->keyed_peer_lid
	                ? "The device works, so that "
	                : "Log in to the device at that port: a host that hangs or a "
	                  "firmware that died does not answer. If the device works, ",
	            key_advice(out, p));
	sink_fact(out, "attribute", ibc_str(ibc_attr_name(IBC_ATTR_NODE_INFO)));
	sink_fact(out, "refused", ibc_bool(peer_refuses(p)));
	if (p->extra->keyed_peer)
		sink_fact(out, "keyed_peer", ibc_guid(p->extra->keyed_peer));
	sink_unanswered(out, 1);
}

/*
 * struct column - a port number of switches that are cabled alike
 * @slots, @n: the ports of that number
 * @silent: those of them with a silent peer, @lit: at a switch that has a CA
 * @hosts: those that lead to a CA; @switches: to a switch; @others: to what refuses, or to where a
 *	   CA was before
 */
struct column {
	const struct slot *slots;
	size_t n, silent, lit, hosts, switches, others;
};

static struct column column_at(const struct ibc_input *in, const struct slot *slots, size_t n)
{
	struct column c = { .slots = slots, .n = n };

	for (size_t i = 0; i < n; i++) {
		const struct ibc_port *p = slots[i].port;
		const struct ibc_node *was;

		if (p->peer) {
			c.hosts += p->peer->node->type == IBC_NODE_CA;
			c.switches += p->peer->node->type == IBC_NODE_SWITCH;
		}
		if (!has_silent_peer(p))
			continue;
		was = expected_peer(in, p);
		c.silent++;
		c.lit += !slots->edge || has_ca(p->node);
		c.others += peer_refuses(p) || (was && was->type == IBC_NODE_CA);
	}
	return c;
}

/* The columns of switches of one kind, by number; how many slots that are. */
static size_t collect_columns(const struct ibc_input *in, const struct slot *slots, size_t n,
                              struct column columns[PORTS_MAX])
{
	size_t i = 0;

	memset(columns, 0, PORTS_MAX * sizeof(*columns));
	for (size_t equal; i < n && is_same_kind(&slots[0], &slots[i]); i += equal) {
		equal = slots_equal(&slots[i], n - i);
		columns[slots[i].port->num] = column_at(in, &slots[i], equal);
	}
	return i;
}

#define BY_CHANCE 0.01 /* that all leaf switches have a silent host at one number; a guess */

/*
 * Switches are cabled alike: behind one port of most of them sits one switch, unless on others a
 * host sits there, or so many hosts are silent that they may be so there by chance.  What is
 * behind a port of a leaf switch none of whose hosts answers is not known.
 */
static bool may_be_switch(const struct column columns[PORTS_MAX], const struct column *c)
{
	size_t silent = 0, hosts = 0;
	double chance = 1;

	if (c->lit < 2 || c->silent * 2 <= c->n || c->hosts || c->others)
		return false;
	for (size_t i = 0; i < PORTS_MAX; i++) {
		silent += columns[i].hosts ? columns[i].silent : 0;
		hosts += columns[i].hosts;
	}
	for (size_t i = 0; i < c->lit; i++)
		chance *= silent ? (double)silent / (double)(silent + hosts) : 0;
	return chance < BY_CHANCE;
}

/* Next to hosts, with nothing but silence between, it may be as many hosts. */
static bool is_beside_hosts(const struct column columns[PORTS_MAX], size_t num)
{
	size_t down = num, up = num;

	while (down && !columns[down].hosts && !columns[down].switches && columns[down].silent)
		down--;
	while (up < PORTS_MAX - 1 && !columns[up].hosts && !columns[up].switches &&
	       columns[up].silent)
		up++;
	return columns[down].hosts || columns[up].hosts;
}

static void report_one_switch(const struct ibc_input *in, struct ibc_sink *out,
                              const struct slot *slots, size_t n)
{
	const struct ibc_port *first = NULL;
	const char *name;
	struct examples others = { .count = 0 };
	size_t links;

	for (size_t i = 0; i < n; i++) {
		if (!has_silent_peer(slots[i].port))
			continue;
		if (first)
			examples_add(&others, slots[i].port);
		else
			first = slots[i].port;
	}
	links = others.count + 1;
	name = peer_name(in, out, first);
	if (*name)
		sink_port(out, first, "is LinkUp, its peer%s does not answer, nor on %s", name,
		          amount_text(out, others.count, "other link"));
	else
		sink_port(out, first,
		          "is LinkUp, its peer does not answer; the same at port %u of %zu "
		          "switches: probably one silent switch",
		          first->num, links);
	sink_advise(out, "Check %s%s. If it hangs, power-cycle it. If it works, %s",
	            *name ? "switch" : "the switch behind these ports", name,
	            key_advice(out, first));
	sink_fact(out, "links", ibc_u64(links));
	sink_unanswered(out, links);
	examples_relate(out, &others);
}

static int by_port(const void *a, const void *b)
{
	const struct ibc_port *x = ((const struct slot *)a)->port;
	const struct ibc_port *y = ((const struct slot *)b)->port;

	return order_u64(x->node->guid, y->node->guid)
	           ?: order_u64((uintptr_t)x->node, (uintptr_t)y->node) ?: x->num - y->num;
}

/* All links to the switch that is expected behind a silent one; their number, 0: it is none. */
static size_t links_to_expected(const struct ibc_input *in, const struct ibc_port *p,
                                struct slot links[PORTS_MAX])
{
	const struct ibc_node *peer = has_silent_peer(p) ? expected_peer(in, p) : NULL, *node;
	const struct ibc_port *far, *end;
	size_t n = 0;

	if (!peer || peer->type != IBC_NODE_SWITCH)
		return 0;
	for (unsigned int num = 1; (far = ibc_node_port(peer, num)); num++) {
		if (!far->peer)
			continue;
		/* the end of a planned or earlier cable, as it is now */
		if (peer->subnet->fabric == in->before)
			node = ibc_fabric_node_by_guid(in->fabric, far->peer->node->guid);
		else
			node = ibc_comparison_counterpart(in->comparison, far->peer->node);
		end = node ? ibc_node_port(node, far->peer->num) : NULL;
		if (end && has_silent_peer(end) && !peer_refuses(end))
			links[n++].port = end;
	}
	qsort(links, n, sizeof(*links), by_port);
	return n;
}

static void add_switch(struct silent_peers *found, struct ibc_sink *out, const struct slot *links,
                       size_t n, bool sure)
{
	struct slot *kept = sink_array(out, n, sizeof(*kept));

	memcpy(kept, links, n * sizeof(*kept));
	found->switches[found->num_switches++] = (struct silent_switch){ kept, n, sure };
}

struct silent_peers find_silent_peers(const struct ibc_input *in, struct ibc_sink *out)
{
	struct silent_peers found = { .num_hosts = 0 };
	struct slot links[PORTS_MAX], *slots, *hosts;
	struct column columns[PORTS_MAX];
	size_t n, left = 0;

	if (!any_port(in->fabric, has_silent_peer))
		return found;
	slots = collect_slots(out, in->fabric, &n);
	found.hosts = hosts = sink_array(out, n, sizeof(*hosts));
	found.switches = sink_array(out, n, sizeof(*found.switches));
	/* switches that a plan or an earlier sweep names, then those that the others suggest */
	for (size_t i = 0; i < n; i++) {
		size_t num = links_to_expected(in, slots[i].port, links);

		if (num < 2)
			slots[left++] = slots[i];
		else if (links[0].port == slots[i].port)
			add_switch(&found, out, links, num, true);
	}
	for (size_t i = 0; i < left; i += n) {
		bool is_switch = slots[i].port->node->type == IBC_NODE_SWITCH;

		n = collect_columns(in, &slots[i], left - i, columns);
		for (size_t num = 0; num < PORTS_MAX; num++) {
			const struct column *c = &columns[num];
			bool may_be = is_switch && may_be_switch(columns, c);
			bool sure = may_be && !is_beside_hosts(columns, num);

			if (may_be)
				add_switch(&found, out, c->slots, c->n, sure);
			for (size_t k = 0; k < c->n && !sure; k++)
				if (has_silent_peer(c->slots[k].port))
					hosts[found.num_hosts++] = c->slots[k];
		}
	}
	if (found.num_hosts)
		qsort(hosts, found.num_hosts, sizeof(*slots), by_port);
	if (found.num_switches)
		found.ways = find_ways(in->fabric, out, &found);
	return found;
}

/* ---- nodes that do not answer all ------------------------------------------------- */

/* "NodeDescription, 36 of PortInfo" */
static const char *unanswered_text(struct ibc_sink *out, const struct unanswered *u)
{
	const char *text = "";

	for (enum ibc_attr a = 0; a < IBC_ATTR_COUNT; a++) {
		const char *sep = *text ? ", " : "", *name = ibc_attr_name(a);

		if (u->of[a] > 1)
			text = sink_text(out, "%s%s%ju of %s", text, sep, (uintmax_t)u->of[a],
			                 name);
		else if (u->of[a])
			text = sink_text(out, "%s%s%s", text, sep, name);
	}
	return text;
}

/* Where to find one without a name: at a device that has one. */
static const struct ibc_port *port_before(const struct ibc_node *node)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->peer && p->peer->node->desc[0])
			return p->peer;
	return NULL;
}

/* The node is there, so it is not the cable: busy, hung half way, or set up not to answer. */
static void report_unanswered(const struct ibc_input *in, struct ibc_sink *out,
                              const struct silent_peers *peers, const struct ibc_node *node,
                              struct query_bits queries)
{
	const struct unanswered u = unanswered_by(node, queries);
	const struct ibc_port *before;
	const char *unread, *verb = !u.refused            ? "does not answer"
	                            : u.refused == u.open ? "refuses"
	                                                  : "does not answer, or refuses,";

	if (!u.open)
		return;
	unread = unanswered_text(out, &u);
	before = node->desc[0] ? NULL : port_before(node);
	if (before)
		unread = sink_text(out, "%s; it is behind %s", unread, port_text(out, before));
	if (u.subjects == 1 && u.port)
		sink_port(out, u.port, "%s %s", verb, unread);
	else
		sink_node(out, node, "%s %s", verb, unread);
	if (before)
		sink_relate(out, IBC_ROLE_FOUND, before);
	if (node->subnet->local)
		sink_advise(out, "Its driver did not report it: see the kernel log (dmesg), and "
		                 "the list of files that were not read.");
	else if (u.refused == u.open)
		sink_advise(out, "Compare its firmware with that of similar devices.");
	else
		advise_silent(in, out, way_of(peers, node),
		              "reset the device or give its M_Key with --key-files or -y.");
	sink_fact(out, "questions", ibc_u64(u.open));
	sink_fact(out, "refused", ibc_u64(u.refused));
	sink_unanswered(out, u.open);
}

/*
 * A node or port that should answer and did not may be in any state at all: hung,
 * protected, or on its way down.  Never is it known to be well.
 */
static void check_silent(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct query_bits queries = query_bits(ibc_attrs_of_group(IBC_ATTRS_ALWAYS));
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	struct silent_peers peers;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		uint64_t silent = subnet->sweep.timed_out + subnet->sweep.refused;

		if (!ibc_subnet_ended_early(subnet))
			continue;
		sink_fabric(out,
		            "%sthe deadline ended the sweep: %ju quer%s not sent, %ju timed out",
		            subnet_intro(out, subnet), (uintmax_t)subnet->not_asked,
		            subnet->not_asked == 1 ? "y was" : "ies were", (uintmax_t)silent);
		sink_advise(out, "Give it more time with --deadline, or first find out why it is "
		                 "slow: silent devices cost the most time.");
		sink_unanswered(out, subnet->not_asked);
		sink_fact(out, "not_asked", ibc_u64(subnet->not_asked));
		sink_fact(out, "unanswered", ibc_u64(silent));
		sink_fact(out, "duration_seconds", ibc_real(subnet->sweep.duration_seconds));
	}
	peers = find_silent_peers(in, out);
	for (size_t i = 0; i < peers.num_switches; i++)
		if (peers.switches[i].sure)
			report_one_switch(in, out, peers.switches[i].links, peers.switches[i].n);
	for (size_t i = 0; i < peers.num_hosts; i++)
		report_silent_peer(in, out, peers.hosts[i].port);
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		report_unanswered(in, out, &peers, node, queries);
}

/* ---- the table ------------------------------------------------------------------- */

const struct ibc_check ibc_checks_port_silent[] = {
	CHECK("port.silent", "nodes and ports that did not answer", IBC_UNKNOWN, check_silent,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO), EXPLAINED_BY(BY("sm.mkey", OF_SUBNET)),
	      .many = "ports or devices|do not answer"),
	{ 0 },
};
