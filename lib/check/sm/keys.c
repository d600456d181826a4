/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of keys: partitions at the two ends of a cable, and of this host; M_Keys that are missing
 * or out of date.
 */
#include <stdio.h>

#include "check/collect.h"
#include "check/groups.h"
#include "fabric/attributes.h"

#define PKEY_BASE     0x7fff /* without the bit of full members (IBA 10.9.1) */
#define PKEY_FULL     0x8000 /* that bit */
#define ENFORCE_IN    2      /* PartitionEnforcementInbound */
#define KEYS_NAMED    8      /* in a sentence */
#define PROTECTED_MIN 3      /* silent devices: fewer may just be dead */
#define SHUT_OUT_MIN  3      /* likewise, of performance management */

/* ---- sm.pkey ------------------------------------------------------------------------- */

/* "0x8001, 0x8002": the keys of one that the other has not; *n: how many. */
static const char *missing_text(struct ibc_sink *out, const struct ibc_pkeys *of,
                                const struct ibc_pkeys *in, size_t *n)
{
	const char *text = "";

	*n = 0;
	for (size_t i = 0; i < of->num_keys; i++) {
		size_t k = 0;

		while (k < in->num_keys && (in->keys[k] & PKEY_BASE) != (of->keys[i] & PKEY_BASE))
			k++;
		if (k == in->num_keys && (*n)++ < KEYS_NAMED)
			text = sink_text(out, "%s%s0x%04x", text, *n > 1 ? ", " : "", of->keys[i]);
	}
	return *n > KEYS_NAMED ? sink_text(out, "%s and %zu more", text, *n - KEYS_NAMED) : text;
}

/* Can a port answer what is sent with a P_Key?  One of the two must be a full member of it. */
enum reach { UNREAD, SHUT_OUT, REACHED };

static enum reach reach_of(const struct ibc_port *p, uint16_t key)
{
	const struct ibc_pkeys *in = p->extra->pkeys;

	for (size_t i = 0; in && i < in->num_keys; i++)
		if ((in->keys[i] & PKEY_BASE) == (key & PKEY_BASE) &&
		    (in->keys[i] | key) & PKEY_FULL)
			return REACHED;
	if (in)
		return SHUT_OUT;
	/* whoever answers no limited member is one, or is in another partition */
	return key & PKEY_FULL ? UNREAD : SHUT_OUT;
}

/* The port that queries to a device are sent to, or NULL: none has a LID. */
static const struct ibc_port *port_queried(const struct ibc_node *node)
{
	const struct ibc_port *p;

	for (unsigned int num = 0; num <= node->num_ports; num++)
		if ((p = ibc_node_port(node, num)) && p->lid && (p->peer || !num))
			return p;
	return NULL;
}

/*
 * Do the partitions explain all silence to what is sent by LID?  Most other devices are silent to
 * it, each of them may not answer the P_Key of the port of the sweep, and none that answers, of
 * counters or as administration, is known to be shut out.
 */
static bool is_shut_out(const struct ibc_input *in, const struct ibc_subnet *subnet, uint16_t key,
                        struct examples *silent, size_t *asked)
{
	const struct query_bits queries = query_bits(attrs_where(ATTR_CLASS, ATTR_PMA));
	const struct ibc_port *origin = subnet->origin, *p;
	enum ibc_answer sa = ibc_port_answer(origin, IBC_ATTR_SA_CLASS_PORT_INFO);
	bool is_explained = sa != IBC_SILENT;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		const struct unanswered u = unanswered_by(node, queries);
		bool is_silent = u.open == u.asked && !u.refused;

		if (node->subnet != subnet || node == origin->node || !u.asked)
			continue;
		p = port_queried(node);
		if (!p || (u.open && !is_silent) || (is_silent && reach_of(p, key) != SHUT_OUT) ||
		    (!is_silent && p->extra->pkeys && reach_of(p, key) == SHUT_OUT) ||
		    (is_silent && p->lid == origin->sm_lid && sa && sa != IBC_SILENT))
			return false;
		++*asked;
		if (is_silent) {
			examples_add(silent, p);
			is_explained |= p->lid == origin->sm_lid;
		}
	}
	return is_explained && silent->count >= SHUT_OUT_MIN && silent->count * 2 > *asked;
}

/* All that is sent by LID has the P_Key of index 0. */
static void check_origin(const struct ibc_input *in, struct ibc_sink *out,
                         const struct ibc_subnet *subnet)
{
	const struct ibc_port *origin = subnet->origin;
	struct examples silent = { .count = 0 };
	size_t asked = 0;
	uint16_t key;
	bool full;

	if (!origin || !origin->lid || !origin->extra->pkeys || !origin->extra->pkeys->num_keys ||
	    ibc_subnet_ended_early(subnet))
		return;
	key = origin->extra->pkeys->keys[0];
	full = key & PKEY_FULL;
	if (!is_shut_out(in, subnet, key, &silent, &asked))
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out,
	            "%s%s has P_Key 0x%04x (%s) at index 0, %s: %zu of %zu devices do not "
	            "answer what is sent by LID",
	            subnet_intro(out, subnet), port_text(out, origin), key,
	            full ? "full" : "limited",
	            full ? "which the others lack" : "which no limited member answers",
	            silent.count, asked);
	sink_advise(out,
	            "In the line of partition 0x%04x in partitions.conf of opensm %s, and send "
	            "SIGHUP to opensm.",
	            key & PKEY_BASE,
	            full ? "add the other devices, or ALL"
	                 : sink_text(out, "add 0x%016jx=full", (uintmax_t)origin->guid));
	sink_fact(out, "p_keys", ibc_str(sink_text(out, "0x%04x", key)));
	sink_fact(out, "silent", ibc_u64(silent.count));
	examples_relate(out, &silent);
}

/* What a host may send, and its switch drops: IBA 10.9.8 calls it enforcement. */
static void check_pkey(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;
	const char *keys;
	size_t n;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		check_origin(in, out, subnet);
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (p->node->type != IBC_NODE_SWITCH || !(p->pkey_enforce & ENFORCE_IN) ||
		    !p->peer || !p->extra->pkeys || !p->peer->extra->pkeys)
			continue;
		keys = missing_text(out, p->peer->extra->pkeys, p->extra->pkeys, &n);
		if (n) {
			sink_cable(out, p, "%s enforces its partitions and lacks P_Key %s of %s",
			           port_text(out, p), keys, port_text(out, p->peer));
			sink_advise(out, "Trigger a heavy sweep (SIGHUP to opensm). If it "
			                 "persists, see the partitions file and the log of the "
			                 "subnet manager, which writes both tables.");
			sink_fact(out, "p_keys", ibc_str(keys));
			sink_fact(out, "missing", ibc_u64(n));
			continue;
		}
		keys = missing_text(out, p->extra->pkeys, p->peer->extra->pkeys, &n);
		if (!n)
			continue;
		sink_as(out, IBC_INFO);
		sink_cable(out, p, "%s passes P_Key %s, which %s does not have", port_text(out, p),
		           keys, port_text(out, p->peer));
		sink_fact(out, "p_keys", ibc_str(keys));
		sink_fact(out, "left_over", ibc_u64(n));
	}
}

/* ---- sm.mkey ---------------------------------------------------------------------------- */

/*
 * A subnet manager configured the link, both ends of it, and yet what is behind it is silent
 * to us: it is alive.
 */
static bool is_alive_and_silent(const struct ibc_port *p)
{
	return p->num && !p->peer && port_is_linkup(p) && p->state == IBC_STATE_ACTIVE &&
	       ibc_port_answer(p, IBC_ATTR_NODE_INFO) == IBC_SILENT;
}

static bool seems_protected(const struct ibc_port *p)
{
	return is_alive_and_silent(p) && !p->extra->keyed_peer;
}

static bool does_not_take_its_key(const struct ibc_port *p)
{
	return is_alive_and_silent(p) && p->extra->keyed_peer && !p->extra->keyed_peer_lid;
}

static bool works_without_its_key(const struct ibc_port *p)
{
	return p->extra->keyed_peer_lid;
}

static bool has_another_key(const struct ibc_port *p)
{
	return p->extra->m_key_differs;
}

/* Of a switch only port 0 has a GUID. */
static bool leads_elsewhere(const struct ibc_port *p)
{
	const struct ibc_port *far = p->peer;

	if (far && far->node->type == IBC_NODE_SWITCH)
		far = &far->node->ports[0];
	return p->extra->keyed_peer && far && far->guid && far->guid != p->extra->keyed_peer;
}

/* What shows that the key files are out of date, or that there are none. */
static const struct key_case {
	bool (*is_such)(const struct ibc_port *p);
	size_t min;
	const char *fact, *one, *many, *what_is_wrong;
} key_cases[] = {
	{ seems_protected, PROTECTED_MIN, "links", NULL,
	  "links that a subnet manager has made Active lead to devices that do not answer",
	  "probably M_Keys protect them" },
	{ does_not_take_its_key, PROTECTED_MIN, "silent", NULL,
	  "devices behind Active links do not answer to their M_Keys in guid2mkey",
	  "probably the keys have changed since" },
	{ works_without_its_key, PROTECTED_MIN, "refused", NULL,
	  "devices work, but do not answer to their M_Keys in guid2mkey",
	  "the keys have changed since" },
	{ has_another_key, 1, "other_keys", "port shows another M_Key than it has in guid2mkey",
	  "ports show other M_Keys than they have in guid2mkey", "the keys have changed since" },
	{ leads_elsewhere, 1, "moved", "cable leads to another port than neighbors says",
	  "cables lead to other ports than neighbors says", "they were moved since" },
};

/*
 * Are the hosts of a subnet silent, half of them or more, at several switches, and nothing else? As
 * of any place, where most is well that is not the reason (lib/case/group.c).
 */
static bool explains_silence(const struct ibc_input *in, const struct silent_peers *peers,
                             const struct ibc_subnet *subnet)
{
	size_t silent = 0, hosts = 0;
	const struct ibc_node *node, *first = NULL;
	bool several = false;

	for (size_t i = 0; i < peers->num_switches; i++)
		if (peers->switches[i].sure &&
		    peers->switches[i].links->port->node->subnet == subnet)
			return false;
	for (size_t i = 0; i < peers->num_hosts; i++) {
		const struct ibc_port *p = peers->hosts[i].port;

		if (p->node->subnet == subnet && !seems_protected(p))
			return false;
		if (p->node->subnet != subnet)
			continue;
		silent++;
		several |= first && first != p->node;
		first = p->node;
	}
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++)
		hosts += node->subnet == subnet && node->type == IBC_NODE_CA;
	return several && silent >= hosts && !ibc_subnet_ended_early(subnet);
}

static void check_mkey(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct silent_peers peers = find_silent_peers(in, out);
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++)
		for (const struct key_case *c = key_cases; c < key_cases + ARRAY_SIZE(key_cases);
		     c++) {
			struct examples examples = { .count = 0 };

			for (size_t k = 0; (p = ibc_fabric_port(in->fabric, k)); k++)
				if (p->node->subnet == subnet && c->is_such(p))
					examples_add(&examples, p);
			if (examples.count < c->min)
				continue;
			if (c->is_such == seems_protected && explains_silence(in, &peers, subnet))
				sink_as(out, IBC_UNKNOWN);
			sink_fabric(out, "%s%zu %s: %s", subnet_intro(out, subnet), examples.count,
			            examples.count == 1 ? c->one : c->many, c->what_is_wrong);
			if (!subnet->key_files)
				sink_advise(
				    out,
				    "Give the keys with --key-files: the directory that opensm "
				    "writes, /var/cache/opensm, or a copy of it. If all ports have "
				    "one key (m_key of opensm.conf), give it with -y.");
			else
				sink_advise(out,
				            "%s lacks keys, or is out of date: copy the directory "
				            "again from the host of the subnet manager.",
				            keys_text(out, subnet));
			sink_fact(out, c->fact, ibc_u64(examples.count));
			examples_relate(out, &examples);
		}
	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		bool of_switch = p->node->type == IBC_NODE_SWITCH;

		if (!ibc_port_has(p, IBC_ATTR_PORT_INFO) || of_switch != (p->num == 0) ||
		    !p->extra->m_key_violations)
			continue;
		sink_port(out, p, "reports %u%s queries with a wrong M_Key (M_KeyViolations)",
		          p->extra->m_key_violations,
		          p->extra->m_key_violations == UINT16_MAX ? " or more" : "");
		sink_advise(out, "A second subnet manager or a tool without the key sent them: the "
		                 "log of the master names it with trap 256.");
		sink_fact(out, "m_key_violations", ibc_u64(p->extra->m_key_violations));
	}
}

const struct ibc_check ibc_checks_sm_keys[] = {
	CHECK("sm.pkey", "ports that partitions keep apart", IBC_CRITICAL, check_pkey,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO, IBC_ATTR_PKEY_TABLE),
	      .many = "cables|have ends that disagree about partitions"),
	CHECK("sm.mkey", "M_Keys that a sweep lacks, and key files out of date", IBC_INFO,
	      check_mkey, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO)),
	{ 0 },
};
