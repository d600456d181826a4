/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes in words: what was, and what is. */
#include <stdio.h>

#include "analysis/compare/changes.h"

const char *port_state_text(const struct ibc_port *port)
{
	if (port->phys_state == IBC_PHYS_LINKUP)
		return ibc_port_state_word(port->state)->name;
	return ibc_phys_state_word(port->phys_state)->name;
}

char *port_rate_text(const struct ibc_port *port, char *text, size_t size)
{
	double gbps = ibc_link_gbps(port->width_active, port->speed_active);
	const char *width = ibc_width_word(port->width_active)->name;
	const char *speed = ibc_speed_word(port->speed_active)->name;

	if (gbps > 0)
		snprintf(text, size, "%s %s (%.*f Gb/s)", width, speed, gbps != (int)gbps, gbps);
	else
		snprintf(text, size, "%s", port->speed_active ? speed : width);
	return text;
}

/* What is behind a cable may not have answered. */
static void cable_text(const struct ibc_port *p, char *text, size_t size)
{
	const struct ibc_port *near = !p->peer || ibc_port_is_near_end(p) ? p : p->peer;

	char here[IBC_PLACE_TEXT], there[IBC_PLACE_TEXT] = "?";

	ibc_place_text((struct ibc_place){ near->node, near->num }, here, sizeof(here));
	if (near->peer)
		ibc_place_text((struct ibc_place){ near->peer->node, near->peer->num }, there,
		               sizeof(there));
	snprintf(text, size, "%s - %s", here, there);
}

static void lid_text(const struct ibc_port *p, char *text, size_t size)
{
	if (!p->lid)
		snprintf(text, size, "none");
	else if (p->lmc)
		snprintf(text, size, "%u, LMC %u", p->lid, p->lmc);
	else
		snprintf(text, size, "%u", p->lid);
}

static void device_text(const struct ibc_node *node, enum ibc_change_kind kind, char *text,
                        size_t size)
{
	if (kind == IBC_CHANGE_FIRMWARE)
		snprintf(text, size, "%s", node->firmware);
	else
		snprintf(text, size, "0x%x",
		         kind == IBC_CHANGE_REVISION ? node->revision : node->device_id);
}

char *ibc_change_text(const struct ibc_change *change, bool before, char *text, size_t size)
{
	const struct ibc_node *node = before ? change->was : change->is;
	const struct ibc_port *port = before ? change->port_was : change->port_is;
	enum ibc_change_kind kind = change->kind;

	if (size)
		*text = '\0';
	if (!node)
		return text;
	if (kind < IBC_CHANGE_CABLE_GONE || kind == IBC_CHANGE_SM)
		snprintf(text, size, "%s", node->label);
	else if (kind <= IBC_CHANGE_CABLE_MOVED)
		cable_text(port, text, size);
	else if (kind == IBC_CHANGE_STATE)
		snprintf(text, size, "%s", port_state_text(port));
	else if (kind == IBC_CHANGE_RATE)
		port_rate_text(port, text, size);
	else if (kind == IBC_CHANGE_LID)
		lid_text(port, text, size);
	else
		device_text(node, kind, text, size);
	return text;
}
