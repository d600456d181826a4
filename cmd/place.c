/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports and nodes by what people call them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define GUID_DIGITS 8      /* a LID has four hex digits at the most */
#define LID_LAST    0xbfff /* unicast (IBA 4.1) */

void near_nodes(struct near *near, const struct ibc_fabric *fab, bool guids)
{
	const struct ibc_node *node;
	char text[24];

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)node->guid);
		near_offer(near, guids ? text : node->label);
		if (!guids && node->host_name)
			near_offer(near, node->host_name);
	}
}

/* Where packets for the node go: port 0 of a switch, else its first port with a LID here. */
static const struct ibc_port *addressed_port(const struct ibc_node *node)
{
	if (node->type == IBC_NODE_SWITCH)
		return ibc_node_port(node, 0);
	for (unsigned int i = 1; i <= node->num_ports; i++)
		if (node->ports[i].lid && ibc_port_is_here(&node->ports[i]))
			return &node->ports[i];
	return ibc_node_port(node, 1);
}

/* A number up to @max, the whole of the word; base 10, or 16 behind "0x". */
static bool is_number_up_to(const char *word, uint64_t max, uint64_t *out)
{
	char *end;

	if (!strchr("0123456789", *word))
		return false;
	errno = 0;
	*out = strtoull(word, &end, strncmp(word, "0x", 2) ? 10 : 16);
	return !errno && *end == '\0' && *out <= max;
}

static const struct ibc_port *by_guid(const struct ibc_fabric *fab, uint64_t guid)
{
	const struct ibc_node *node = ibc_fabric_node_by_guid(fab, guid);
	const struct ibc_port *p;

	if (node)
		return addressed_port(node);
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		if (p->guid == guid)
			return p;
	return NULL;
}

static const struct ibc_port *by_lid(const struct ibc_fabric *fab, unsigned int lid)
{
	const struct ibc_subnet *subnet;
	const struct ibc_port *p = NULL;

	for (size_t i = 0; !p && (subnet = ibc_fabric_subnet(fab, i)); i++)
		p = ibc_fabric_port_by_lid(subnet, lid);
	return p;
}

static bool is_called(const struct ibc_node *node, const char *name, size_t length)
{
	const char *const names[] = { node->label, node->name, node->desc, node->host_name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	return false;
}

/* By the name, or what is in front of its last "/" and a number. */
static const struct ibc_port *port_by_name(const struct ibc_fabric *fab, const char *text)
{
	const char *slash = strrchr(text, '/');
	const struct ibc_node *node;
	uint64_t num = 0;
	bool numbered = slash && is_number_up_to(slash + 1, 255, &num);

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (is_called(node, text, strlen(text)))
			return addressed_port(node);
		if (numbered && is_called(node, text, (size_t)(slash - text)))
			return ibc_node_port(node, (unsigned int)num);
	}
	return NULL;
}

static int fail_place(const struct ibc_fabric *fab, const char *text, bool guid,
                      struct ibc_error *err)
{
	const char *slash = strrchr(text, '/');
	struct near near = { .typed = text, .length = slash ? (int)(slash - text) : 0 };
	const struct ibc_node *node;

	for (size_t i = 0; slash && (node = ibc_fabric_node(fab, i)); i++)
		if (is_called(node, text, (size_t)near.length))
			return cmd_fail(err, -EINVAL, "%s has no port %s, it has %u", node->label,
			                slash + 1, node->num_ports);
	near_nodes(&near, fab, guid);
	return cmd_fail(err, -EINVAL, "no port has the %s %s%s", guid ? "GUID" : "name or LID",
	                text, near_text(&near));
}

int place_find(const struct ibc_fabric *fab, const char *text, const struct ibc_port **out,
               struct ibc_error *err)
{
	bool guid = !strncmp(text, "0x", 2) && strlen(text) >= 2 + GUID_DIGITS;
	uint64_t number;

	*out = NULL;
	if (guid && is_number_up_to(text, UINT64_MAX, &number))
		*out = by_guid(fab, number);
	if (!*out && !guid && is_number_up_to(text, LID_LAST, &number))
		*out = by_lid(fab, (unsigned int)number);
	if (!*out)
		*out = port_by_name(fab, text);
	return *out ? 0 : fail_place(fab, text, guid, err);
}
