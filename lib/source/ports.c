/* SPDX-License-Identifier: BSD-2-Clause */

/* What a sweep learns of ports: PortInfo, the LIDs in it, and where they lead on. */
#include "source/source.h"
#include "source/sweep.h"
#include "wire/smp.h"

void port_put(struct ibc_port *port, const struct port_info *pi)
{
	port->state = pi->state;
	port->phys_state = pi->phys_state;
	port->width_active = pi->width_active;
	port->width_enabled = pi->width_enabled;
	port->width_supported = pi->width_supported;
	port->speed_active = pi->speed_active;
	port->speed_enabled = pi->speed_enabled;
	port->speed_supported = pi->speed_supported;
	port->lid = pi->lid;
	port->sm_lid = pi->sm_lid;
	port->lmc = pi->lmc;
	port->sm_sl = pi->sm_sl;
	port->mtu_cap = pi->mtu_cap;
	port->mtu_active = pi->mtu_active;
	port->vl_cap = pi->vl_cap;
	port->vl_active = pi->vl_active;
	port->cap_mask = pi->cap_mask;
	port->cap_mask2 = pi->cap_mask2;
	port->subnet_prefix = pi->gid_prefix;
	port->pkey_enforce = pi->pkey_enforce;
	port->m_key_protect = pi->m_key_protect;
	port->m_key_violations = pi->m_key_violations;
}

void ext_port_put(struct ibc_port *port, const struct mlnx_ext_port_info *ext)
{
	port->speed_enabled |= ext->speed_enabled;
	port->speed_supported |= ext->speed_supported;
	if (ext->speed_active)
		port->speed_active = ext->speed_active;
}

/*
 * A LID two devices claim is used for neither.  If one of them was already asked
 * over it, some answers may be the other's, cables among them.
 */
static void claim_lid(struct sweep *s, struct site *site, const struct ibc_port *port)
{
	unsigned int end = port->lid + (1u << port->lmc);

	if (port->lid == 0 || end > UNICAST_LID_MAX + 1u)
		return;
	if (port->num == site->first)
		site->lid = port->lid;
	for (unsigned int lid = port->lid; lid < end; lid++) {
		struct site *other = s->by_lid[lid];

		s->by_lid[lid] = site;
		if (!other || other == site)
			continue;
		s->misled |= other->lid_used;
		other->lid = 0;
		site->lid = 0;
		s->by_lid[lid] = s->nobody;
	}
}

/* What the port the sweep started at tells of the subnet, and of our own LID. */
static void learn_origin(struct sweep *s, const struct ibc_port *port)
{
	s->plane->subnet_prefix = port->subnet_prefix;
	if (!s->directed_only && port->state == IBC_STATE_ACTIVE)
		s->own_lid = port->lid;
}

static bool leads_on(const struct sweep *s, const struct ibc_port *port)
{
	if (port->num == 0 || port->phys_state != IBC_PHYS_LINKUP || port->peer)
		return false;
	return port->node->type == IBC_NODE_SWITCH || port == s->plane->origin;
}

/* FDR10 shows as QDR in PortInfo; only these devices tell it apart. */
static bool may_be_fdr10(const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;

	return port->phys_state == IBC_PHYS_LINKUP && port->speed_active == IBC_SPEED_QDR &&
	       mlnx_ext_port_info_known(node->vendor_id, node->device_id);
}

void port_joined(struct sweep *s, struct ibc_port *port)
{
	struct site *site = site_of(s, port->node);

	if (port->node->type == IBC_NODE_SWITCH || !ibc_port_has(port, IBC_ATTR_PORT_INFO))
		return;
	claim_lid(s, site, port);
	count_port(s, site, port);
}

/* All but the first PortInfo, once that has told the LID, or will not. */
static void ask_the_rest(struct sweep *s, struct site *site)
{
	const struct ibc_node *node = site->node;

	ask(s, site, &topic_node_desc, 0);
	if (node->type == IBC_NODE_SWITCH)
		ask(s, site, &topic_switch_info, 0);
	for (unsigned int p = 1; p <= node->num_ports; p++)
		if (p != site->first)
			ask(s, site, &topic_port_info, p);
}

static bool learn_port_info(struct question *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct ibc_port *port = port_of(q);
	struct port_info pi;

	port_info_get(data, &pi);
	port_put(port, &pi);
	if (port->phys_state == IBC_PHYS_LINKUP)
		answers_put(&port->answers, IBC_ATTR_LINK, ANSWER_OK);
	if (port == s->plane->origin)
		learn_origin(s, port);
	if (ibc_port_is_here(port) && (port->num == 0 || port->node->type != IBC_NODE_SWITCH))
		claim_lid(s, q->site, port);
	if (may_be_fdr10(port))
		ask(s, q->site, &topic_ext_port_info, q->port);
	if (leads_on(s, port))
		ask(s, q->site, &topic_node_info, q->port);
	if (q->port == q->site->first) {
		ask_the_rest(s, q->site);
		firmware_ask(s, q->site);
	}
	count_port(s, q->site, port);
	sm_port(s, q->site, port);
	return true;
}

static void port_info_missed(struct question *q, enum answer outcome)
{
	(void)outcome;
	if (q->port == q->site->first)
		ask_the_rest(q->sweep, q->site);
}

static bool learn_ext_port_info(struct question *q, const uint8_t *data)
{
	struct mlnx_ext_port_info ext;

	mlnx_ext_port_info_get(data, &ext);
	ext_port_put(port_of(q), &ext);
	return true;
}

const struct topic topic_port_info = {
	.attribute = SMP_PORT_INFO,
	.attr = IBC_ATTR_PORT_INFO,
	.of_port = true,
	.learn = learn_port_info,
	.missed = port_info_missed,
};

const struct topic topic_ext_port_info = {
	.attribute = SMP_MLNX_EXT_PORT_INFO,
	.attr = IBC_ATTR_MLNX_EXT_PORT_INFO,
	.of_port = true,
	.learn = learn_ext_port_info,
};
