/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/compare/presence.h"

/*
 * A subnet that was cut short knows nothing of ports that were not asked; a file tells all
 * cables there are.
 */
enum presence port_presence(const struct ibc_port *port)
{
	if (port->peer)
		return PRESENCE_JOINED;
	if (ibc_port_is_up(port))
		return ibc_port_has(port, IBC_ATTR_NODE_INFO) ? PRESENCE_EMPTY : PRESENCE_SILENT;
	if (ibc_port_has(port, IBC_ATTR_PORT_INFO))
		return PRESENCE_EMPTY;
	if (ibc_port_unanswered(port, IBC_ATTR_PORT_INFO) || port->node->subnet->cut_short)
		return PRESENCE_UNKNOWN;
	return PRESENCE_EMPTY;
}
