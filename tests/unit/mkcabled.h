/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCABLED_H
#define MKCABLED_H

/*
 * A rig whose ports are all plugged in and well, and of which a sweep reads all registers:
 *
 *	struct rig r = rig_of_cables();
 *	const struct ibc_port *real = some_port(&r, IBC_NODE_SWITCH);
 *
 *	model_phy_heat(model_phy(r.model, real), 82);
 *	sweep(&r);
 *	assert_true(seen(&r, real)->module->ddm[IBC_DDM_TEMPERATURE].now[0] == 82);
 *	rig_free(&r);
 *
 * Include it after <cmocka.h>.
 */
#include "mkrig.h"
#include "model/planted.h"
#include "model/registers.h"

#define CABLED "synth:fattree:leaves=4,spines=2,hosts=8,speed=NDR"

static inline struct rig rig_of_cables(void)
{
	struct rig r = rig_of(model_planted_fabric(CABLED));

	model_cables(r.model, r.real, 1);
	r.opts.needs = ibc_attrs_of_group(IBC_ATTRS_PHYSICAL);
	r.opts.physical = true;
	return r;
}

static inline struct ibc_coverage coverage(const struct rig *r, enum ibc_attr attr)
{
	return ibc_fabric_coverage(r->seen, attr);
}

static inline const struct ibc_port *seen(const struct rig *r, const struct ibc_port *real)
{
	return &ibc_fabric_node_by_guid(r->seen, real->node->guid)->ports[real->num];
}

/* Was anything read of a port's registers?  ExtendedPortInfo is none; its values are the last. */
static inline bool has_registers(const struct ibc_port *p)
{
	return p->extra->module ||
	       (p->extra->phy && (p->extra->phy->known << (64 - IBC_PHY_RECOVERED) ||
	                          p->extra->phy->known_bers || p->extra->phy->histogram));
}

/* The first switch port, or port of a host, with a link. */
static inline const struct ibc_port *some_port(const struct rig *r, enum ibc_node_type type)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(r->real, i)); i++)
		if (p->num && p->peer && p->node->type == type)
			return p;
	fail();
	return NULL;
}

#endif
