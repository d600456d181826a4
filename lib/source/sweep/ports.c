/* SPDX-License-Identifier: BSD-2-Clause */

/* What PortInfo and MlnxExtPortInfo say, into the model. */
#include "fabric/build.h"
#include "source/source.h"
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
	port->arb_high_cap = pi->arb_high_cap;
	port->arb_low_cap = pi->arb_low_cap;
	port->cap_mask = pi->cap_mask;
	port->cap_mask2 = pi->cap_mask2;
	port->subnet_prefix = pi->gid_prefix;
	port->pkey_enforce = pi->pkey_enforce;
	port->m_key_protect = pi->m_key_protect;
	if (port->extra->m_key_violations != pi->m_key_violations)
		port_extra(port)->m_key_violations = pi->m_key_violations;
}

void ext_port_put(struct ibc_port *port, const struct mlnx_ext_port_info *ext)
{
	port->speed_enabled |= ext->speed_enabled;
	port->speed_supported |= ext->speed_supported;
	if (ext->speed_active)
		port->speed_active = ext->speed_active;
}
