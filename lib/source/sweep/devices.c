/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What a sweep learns of devices and their ports, and whom it asks next: NodeInfo names a
 * device, PortInfo has its LIDs and says which of its ports lead on.
 */
#include <stdio.h>
#include <string.h>

#include "source/source.h"
#include "source/sweep/sweep.h"
#include "wire/smp.h"

#define TWINS_MAX 1024 /* devices of one GUID: those of a factory's default are a few; a guess */

enum { LED_TO, NODE_DESC, SWITCH_INFO, PORT_INFO, EXT_SPEEDS, EXT_PORT_INFO, HANDLERS };
static const struct handler handlers[HANDLERS];

/* ---- LIDs ----------------------------------------------------------------- */

/*
 * A LID two devices claim is used for neither.  If one of them was already asked
 * over it, some answers may be the other's, cables among them.
 */
static void claim_lid(struct sweep *s, struct device *dev, const struct ibc_port *port)
{
	unsigned int end = port->lid + (1u << port->lmc);

	if (port->lid == 0 || end > UNICAST_LID_MAX + 1u)
		return;
	if (port->num == dev->first)
		dev->lid = port->lid;
	for (unsigned int lid = port->lid; lid < end; lid++) {
		struct device *other = s->by_lid[lid];

		s->by_lid[lid] = dev;
		if (!other || other == dev)
			continue;
		s->lid_conflict |= other->lid_used;
		other->lid = 0;
		dev->lid = 0;
		s->by_lid[lid] = s->claimed_twice;
		TRACE_PORT(s, IBC_TRACE_DISCOVERY, port,
		           "claims LID %u, which 0x%016" PRIx64 " has: used for neither%s", lid,
		           other->node ? other->node->guid : 0,
		           s->lid_conflict ? "; it was used already" : "");
	}
}

/* ---- devices -------------------------------------------------------------- */

static int join(struct sweep *s, struct ibc_port *a, struct ibc_port *z)
{
	int rc = fabric_build_link(a, z);

	TRACE_PORT(s, IBC_TRACE_DISCOVERY, a, "%s 0x%016" PRIx64 "/%u",
	           rc ? "cannot be joined to" : "joined to", z->node->guid, z->num);
	return rc;
}

static void end_sweep(struct sweep *s, const struct ibc_port *at)
{
	s->endless_at = s->endless ? s->endless_at : at;
	s->endless = true;
}

static struct device *dev_new(struct sweep *s, const struct node_info *ni, struct query *q)
{
	unsigned int hops = q->dev ? q->dev->hops + 1u : 0;
	struct device *dev = sweep_alloc(s, 1, sizeof(*dev) + hops);
	struct ibc_node *node = fabric_build_node(s->b, s->subnet, ni->node_guid, ni->type,
	                                          ni->num_ports);

	node->system_guid = ni->system_guid;
	node->vendor_id = ni->vendor_id;
	node->device_id = ni->device_id;
	node->revision = ni->revision;
	node->pkey_cap = ni->pkey_cap;
	fabric_build_port(node, ni->type == IBC_NODE_SWITCH ? 0 : ni->local_port)->guid =
	    ni->port_guid;
	dev->node = node;
	dev->first = ni->type == IBC_NODE_SWITCH ? 0 : ni->local_port;
	dev->through.ignore_timeouts = true;
	dev->hops = (uint8_t)hops;
	if (hops) {
		memcpy(dev->path, q->dev->path, hops - 1);
		dev->path[hops - 1] = q->port;
	}
	dev->behind = q->dev ? port_of(q) : NULL;
	HASH_ADD_PTR(s->by_node, node, dev);
	fabric_build_need(s->b, hash_added(dev));
	dev->next = s->devices;
	s->devices = dev;
	s->num_ports += ni->num_ports;
	/* a switch has a LID, and so has the port by which another device was found */
	if (++s->num_nodes > UNICAST_LID_MAX || s->num_ports > SWEEP_PORTS_MAX)
		end_sweep(s, dev->behind);
	if (trace_wants(s->opts->trace, IBC_TRACE_DISCOVERY)) {
		char route[256] = "0";
		size_t n = 1;

		/* By which directed route: "0,1,3". */
		for (unsigned int i = 0; i < dev->hops && n < sizeof(route); i++)
			n += (size_t)snprintf(route + n, sizeof(route) - n, ",%u", dev->path[i]);
		trace_line(s->opts->trace, IBC_TRACE_DISCOVERY,
		           "0x%016" PRIx64 " found: %s, %u ports, by directed route %s",
		           dev->node->guid, ibc_node_type_word(dev->node->type)->word,
		           dev->node->num_ports, route);
	}
	return dev;
}

/*
 * A device of this GUID is known: the cable ends at it, unless its port there has
 * another cable or no link.  Then this is another device with the same GUID.
 */
static bool is_known_device(struct query *q, const struct ibc_node *node,
                            const struct node_info *ni)
{
	struct ibc_port *far = fabric_build_port(node, ni->local_port);
	struct sweep *s = q->sweep;
	bool is_news;

	if (!far || far == port_of(q))
		return far;
	if (far->phys_state != IBC_PHYS_UNKNOWN && far->phys_state != IBC_PHYS_LINKUP)
		return false;
	is_news = !far->peer;
	if (join(s, port_of(q), far))
		return false;
	/* another port of a device that is known */
	if (is_news && node->type != IBC_NODE_SWITCH && ibc_port_has(far, IBC_ATTR_PORT_INFO)) {
		claim_lid(s, dev_of(s, node), far);
		sweep_at_port(s, dev_of(s, node), far);
	}
	if (ni->type != IBC_NODE_SWITCH)
		far->guid = ni->port_guid;
	return true;
}

static bool makes_sense(const struct node_info *ni)
{
	if (ni->type < IBC_NODE_CA || ni->type > IBC_NODE_ROUTER || ni->num_ports == 0)
		return false;
	return ni->local_port <= ni->num_ports && (ni->local_port || ni->type == IBC_NODE_SWITCH);
}

/* Asks once more who is behind a port that leads on. */
static void ask_led_to(struct sweep *s, const struct ibc_port *port)
{
	if (port && port->peer &&
	    (port->node->type == IBC_NODE_SWITCH || port == s->subnet->origin))
		query_ask(s, dev_of(s, port->node), &handlers[LED_TO], port->num);
}

static bool learn_led_to(struct query *q, const uint8_t *data)
{
	const struct ibc_port *peer = port_of(q)->peer;
	struct node_info ni;

	node_info_get(data, &ni);
	if (!makes_sense(&ni))
		return false;
	if (peer && (ni.node_guid != peer->node->guid || ni.local_port != peer->num)) {
		if (!q->sweep->endless)
			q->sweep->led_to = ni;
		end_sweep(q->sweep, port_of(q));
	}
	return true;
}

static bool learn_node_info(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct node_info ni;
	const struct ibc_node *known;
	const struct ibc_port *there;
	struct device *dev;
	unsigned int twins = 0;

	node_info_get(data, &ni);
	if (!makes_sense(&ni))
		return false;
	if (q->dev) {
		/* every device of the GUID: duplicates are distinguished by their cables */
		for (known = fabric_build_find(s->b, s->subnet, ni.node_guid); known;
		     known = fabric_build_find_next(known), twins++)
			if (is_known_device(q, known, &ni))
				return true;
		if (twins > TWINS_MAX)
			end_sweep(s, port_of(q));
		if (q->dev->hops == SMP_MAX_HOPS - 1)
			return false;
	}
	dev = dev_new(s, &ni, q);
	if (q->dev)
		join(s, port_of(q), fabric_build_port(dev->node, ni.local_port));
	else
		s->subnet->origin = fabric_build_port(dev->node, ni.local_port);
	/*
	 * Two devices of one GUID, or one that is seen twice because an answer was wrong: that of
	 * the device it is behind, or of the one in front of the first.  All behind it would be
	 * seen twice as well, again and again; so those are asked once more.
	 */
	if (twins) {
		known = fabric_build_find(s->b, s->subnet, ni.node_guid);
		there = ibc_node_port(known, ni.local_port);
		ask_led_to(s, dev->behind);
		ask_led_to(s, dev_of(s, dev->behind->node)->behind);
		ask_led_to(s, there ? there->peer : NULL);
	}
	query_ask(s, dev, &handlers[PORT_INFO], dev->first);
	return true;
}

static bool learn_node_desc(struct query *q, const uint8_t *data)
{
	fabric_build_desc(q->sweep->b, q->dev->node, (const char *)data, SMP_DATA_SIZE);
	return true;
}

static bool learn_switch_info(struct query *q, const uint8_t *data)
{
	struct ibc_node *node = q->dev->node;
	struct switch_info si;

	switch_info_get(data, &si);
	node->lft_cap = si.lft_cap;
	node->lft_top = si.lft_top;
	node->mft_cap = si.mft_cap;
	node->mft_top = si.mft_top;
	node->pkey_enforce_cap = si.pkey_enforce_cap;
	node->enhanced_port0 = si.enhanced_port0;
	return true;
}

/* ---- ports ---------------------------------------------------------------- */

/* All but the first PortInfo, once that has brought the LID, or has failed. */
static void ask_the_rest(struct sweep *s, struct device *dev)
{
	const struct ibc_node *node = dev->node;

	query_ask(s, dev, &handlers[NODE_DESC], 0);
	if (node->type == IBC_NODE_SWITCH)
		query_ask(s, dev, &handlers[SWITCH_INFO], 0);
	for (unsigned int p = 1; p <= node->num_ports; p++)
		if (p != dev->first)
			query_ask(s, dev, &handlers[PORT_INFO], p);
}

#define CAP_EXT_SPEEDS (1u << 14) /* CapabilityMask: IsExtendedSpeedsSupported (IBA 14.2.5.6) */
#define SILENT_MAX     3 /* tries in a row: who does not know the modifier should refuse it */

/*
 * Some devices show the speeds from FDR on only to who says that he knows them, as OpenSM does
 * (osm_port_info_rcv.c).  The ports of a switch may have no CapabilityMask but that of port 0.
 */
static void ask_for_speeds(struct sweep *s, struct device *dev, const struct ibc_port *port)
{
	const struct ibc_port *first = &port->node->ports[dev->first];
	struct query *q;

	if (s->asks_once || port->speed_supported >= IBC_SPEED_FDR ||
	    !((port->cap_mask | first->cap_mask) & CAP_EXT_SPEEDS))
		return;
	q = query_new(s, dev, &handlers[EXT_SPEEDS], port->num);
	q->modifier |= SMP_ASKER_KNOWS;
	dev->speeds.silent_max = SILENT_MAX;
	query_send(q, &dev->speeds);
}

static bool learn_ext_speeds(struct query *q, const uint8_t *data)
{
	struct port_info pi;

	port_info_get(data, &pi);
	ext_port_put(port_of(q), &(struct mlnx_ext_port_info){
				     pi.speed_active >= IBC_SPEED_FDR ? pi.speed_active : 0,
				     pi.speed_enabled,
				     pi.speed_supported,
				 });
	return true;
}

/* Who refuses has shown all; who is silent may run at another speed than it says. */
static void ext_speeds_missed(struct query *q, enum answer outcome)
{
	if (outcome == ANSWER_NONE)
		port_of(q)->speed_active = IBC_SPEED_UNKNOWN;
}

/* The last PortState and PortPhysicalState of an answer, from 1 (IBA 14.2.5.6): 0 is for Set. */
#define STATE_LAST 5
#define PHYS_LAST  7 /* likewise */

/* Else it is taken for a port without a cable; port 0 of a switch has no cable to hide. */
static bool is_of_a_port(const struct port_info *pi, unsigned int num)
{
	return !num || (pi->state && pi->state <= STATE_LAST && pi->phys_state &&
	                pi->phys_state <= PHYS_LAST);
}

static bool learn_port_info(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct ibc_port *port = port_of(q);
	const struct ibc_node *node = port->node;
	bool is_up, m_key_differs, is_switch = node->type == IBC_NODE_SWITCH;
	struct port_info pi;
	uint64_t m_key;

	port_info_get(data, &pi);
	if (!is_of_a_port(&pi, port->num))
		return false;
	port_put(port, &pi);
	m_key_differs = q->port == q->dev->first && m_key_of(q, &m_key) && m_key != pi.m_key;
	if (port->extra->m_key_differs != m_key_differs)
		port_extra(port)->m_key_differs = m_key_differs;
	is_up = port->phys_state == IBC_PHYS_LINKUP;
	if (is_up)
		answers_put(port, IBC_ATTR_LINK, ANSWER_OK);
	if (port == s->subnet->origin) {
		/* the port the sweep started at: prefix of the subnet, and our own LID */
		s->subnet->subnet_prefix = port->subnet_prefix;
		if (!s->directed_only && port->state == IBC_STATE_ACTIVE)
			s->own_lid = port->lid;
	}
	if (ibc_port_is_here(port) && (port->num == 0 || !is_switch))
		claim_lid(s, q->dev, port);
	ask_for_speeds(s, q->dev, port);
	/* FDR10 shows as QDR in PortInfo; only these devices distinguish it */
	if (is_up && port->speed_active == IBC_SPEED_QDR &&
	    mlnx_ext_port_info_known(node->vendor_id, node->device_id))
		query_ask(s, q->dev, &handlers[EXT_PORT_INFO], q->port);
	if (is_up && port->num > 0 && !port->peer && (is_switch || port == s->subnet->origin))
		query_ask(s, q->dev, &handler_node_info, q->port);
	if (q->port == q->dev->first) {
		ask_the_rest(s, q->dev);
		sweep_at_node(s, q->dev);
	}
	sweep_at_port(s, q->dev, port);
	return true;
}

static void port_info_missed(struct query *q, enum answer outcome)
{
	(void)outcome;
	if (q->port == q->dev->first)
		ask_the_rest(q->sweep, q->dev);
}

static bool learn_ext_port_info(struct query *q, const uint8_t *data)
{
	struct mlnx_ext_port_info ext;

	mlnx_ext_port_info_get(data, &ext);
	ext_port_put(port_of(q), &ext);
	return true;
}

/* ---- the attributes -------------------------------------------------------- */

const struct handler handler_node_info = { SMP_NODE_INFO, IBC_ATTR_NODE_INFO, .through = true,
	                                   .learn = learn_node_info };

static const struct handler handlers[HANDLERS] = {
	[LED_TO] = { SMP_NODE_INFO, IBC_ATTR_NONE, .through = true, .learn = learn_led_to },
	[NODE_DESC] = { SMP_NODE_DESC, IBC_ATTR_NODE_DESC, .learn = learn_node_desc },
	[SWITCH_INFO] = { SMP_SWITCH_INFO, IBC_ATTR_SWITCH_INFO, .learn = learn_switch_info },
	[PORT_INFO] = { SMP_PORT_INFO, IBC_ATTR_PORT_INFO, .of_port = true,
	                .learn = learn_port_info, .missed = port_info_missed },
	[EXT_SPEEDS] = { SMP_PORT_INFO, IBC_ATTR_NONE, .of_port = true, .learn = learn_ext_speeds,
	                 .missed = ext_speeds_missed },
	[EXT_PORT_INFO] = { SMP_MLNX_EXT_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO, .of_port = true,
	                    .learn = learn_ext_port_info },
};
