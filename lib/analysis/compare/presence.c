/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/compare/presence.h"

/*
 * A plane that was cut short knows nothing of ports that were not asked; a file tells all
 * cables there are.
 */
enum sight port_sight(const struct ibc_port *port)
{
	if (port->peer)
		return SIGHT_JOINED;
	if (ibc_port_is_up(port))
		return ibc_port_has(port, IBC_ATTR_NODE_INFO) ? SIGHT_EMPTY : SIGHT_SILENT;
	if (ibc_port_has(port, IBC_ATTR_PORT_INFO))
		return SIGHT_EMPTY;
	if (ibc_port_owes(port, IBC_ATTR_PORT_INFO) || port->node->plane->cut_short)
		return SIGHT_NONE;
	return SIGHT_EMPTY;
}
