/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/gather.h"

#include <stdio.h>

uint64_t device_type(const struct ibc_node *node)
{
	return (uint64_t)node->vendor_id << 32 | (uint64_t)node->device_id << 16 |
	       (uint64_t)node->type << 8 | node->num_ports;
}

void port_set_add(struct port_set *set, const struct ibc_port *port)
{
	set->count += !set->has[port->num];
	set->has[port->num] = true;
}

const char *port_set_text(struct ibc_sink *out, const struct port_set *set)
{
	char text[1024] = ""; /* the worst is every other port: 128 times "255," */
	size_t n = 0;

	for (unsigned int first = 0; first < 256; first++) {
		unsigned int last = first;

		if (!set->has[first])
			continue;
		while (last < 255 && set->has[last + 1])
			last++;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", n ? "," : "", first);
		if (last > first)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "-%u", last);
		first = last;
	}
	return sink_text(out, "%s", text);
}

const char *plane_prefix(struct ibc_sink *out, const struct ibc_plane *plane)
{
	if (!ibc_fabric_plane(plane->fabric, 1))
		return "";
	return sink_text(out, "%s: ", plane->source);
}

bool port_is_linkup(const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_PORT_INFO) && port->phys_state == IBC_PHYS_LINKUP;
}

bool is_known_cable(const struct ibc_port *port)
{
	return ibc_port_is_near_end(port) && port_is_linkup(port) && port_is_linkup(port->peer);
}

void few_add(struct few *few, const struct ibc_port *port)
{
	if (few->count < RELATED_MAX)
		few->ports[few->count] = port;
	few->count++;
}

void few_relate(struct ibc_sink *out, const struct few *few)
{
	for (size_t i = 0; i < few->count && i < RELATED_MAX; i++)
		sink_relate(out, IBC_ROLE_FOUND, few->ports[i]);
}
