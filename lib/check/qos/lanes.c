/* SPDX-License-Identifier: BSD-2-Clause */
/* What the lanes beyond a port are. */
#include <string.h>

#include "check/phrases.h"
#include "check/qos/qos.h"

const struct levels *levels_by_subnet(const struct ibc_input *in, struct ibc_sink *out)
{
	struct levels *all = sink_array(out, ibc_fabric_count(in->fabric).subnets, sizeof(*all));
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		const struct ibc_sa *sa = subnet->sa;

		all[i].known = sa && sa->num_paths;
		for (size_t k = 0; sa && k < sa->num_paths; k++)
			all[i].of_paths |= (uint16_t)(1u << (sa->paths[k].sl & 15));
		if (!all[i].known)
			all[i].of_paths = 1;
		all[i].used = all[i].of_paths;
		for (size_t k = 0; sa && k < sa->num_members; k++)
			all[i].used |= (uint16_t)(1u << (sa->members[k].sl & 15));
	}
	return all;
}

const char *levels_text(struct ibc_sink *out, uint16_t set)
{
	const char *shown[SHOWN_MAX];
	size_t n = 0;

	for (unsigned int sl = 0; sl < SLS; sl++)
		if (set >> sl & 1 && n++ < SHOWN_MAX)
			shown[n - 1] = sink_text(out, "%u", sl);
	return list_text(out, shown, n);
}

/* ---- OperationalVLs (IBA 14.2.5.6) -------------------------------------------------------- */

static const struct {
	unsigned int count;
	const char *text;
} operational_vls[] = {
	{ 0, "unknown VLs" }, { 1, "VL0" },   { 2, "VL0-1" },
	{ 4, "VL0-3" },       { 8, "VL0-7" }, { 15, "VL0-14" },
};

unsigned int vls_count(unsigned int code)
{
	return operational_vls[code < ARRAY_SIZE(operational_vls) ? code : 0].count;
}

const char *vls_text(unsigned int code)
{
	return operational_vls[code < ARRAY_SIZE(operational_vls) ? code : 0].text;
}

/* ---- lanes -------------------------------------------------------------------------------- */

static bool leads_to_switch(const struct ibc_port *port)
{
	return port->peer && port->peer->node->type == IBC_NODE_SWITCH;
}

/* Was the one table of a switch read for a port, or for one that has as many lanes? */
static bool holds_for(const struct ibc_sl2vl *t, const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;

	if (!t->uniform || leads_to_switch(port))
		return true;
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (leads_to_switch(&node->ports[i]) && node->ports[i].vl_active == port->vl_active)
			return true;
	return false;
}

static bool add_lanes(uint16_t lanes[SLS], const struct ibc_port *port, unsigned int in)
{
	bool known = false;

	for (unsigned int sl = 0; sl < SLS; sl++) {
		unsigned int vl = ibc_switch_vl(port->node, in, port->num, sl);

		if (vl == IBC_VL_UNKNOWN)
			continue;
		lanes[sl] |= (uint16_t)(1u << (vl & 15));
		known = true;
	}
	return known;
}

bool lanes_beyond(const struct ibc_port *port, uint16_t lanes[SLS])
{
	const struct ibc_node *node = port->node;
	const struct ibc_sl2vl *t = node->sl2vl;
	bool known = false;

	memset(lanes, 0, SLS * sizeof(*lanes));
	if (!t || !port->num || !port->peer || !ibc_port_has(port, IBC_ATTR_PORT_INFO) ||
	    !ibc_port_is_up(port) || vls_count(port->vl_active) < 2 || !holds_for(t, port))
		return false;
	if (t->uniform || node->type != IBC_NODE_SWITCH)
		return add_lanes(lanes, port, 0);
	for (unsigned int in = 1; in <= node->num_ports; in++)
		if (in != port->num && node->ports[in].peer)
			known |= add_lanes(lanes, port, in);
	return known;
}

unsigned int bad_lanes(const struct ibc_port *port, unsigned int lanes)
{
	return lanes & ~((1u << vls_count(port->vl_active)) - 1);
}
