/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKPHY_H
#define MKPHY_H

/*
 * Two readings of the physical layer of a tiny fabric, an hour apart: NDR links of optics, all
 * well, that run since ten days without an error that FEC leaves:
 *
 *	struct pair s = mk_optics(3);
 *
 *	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 37);
 *	module_of(s, 1, 1)->ddm[IBC_DDM_TEMPERATURE].now[0] = 81;
 *	expect_optics(s, "critical leaf01/1 - host01 mlx5_0/1: ...\n");
 *
 * Include it after <cmocka.h>; it brings mkcount.h.
 */
#include <math.h>

#include <ibcheck/topo.h>

#include "base/phywords.h"
#include "mkcount.h"

#define NDR_BITS  4e11 /* a second */
#define DAYS_10_S 864000.0

#define OPTICS "phy,cable,device,-phy.partial"

static inline struct ibc_phy *phy_of(struct mkfab m, uint64_t guid, unsigned int num)
{
	return (struct ibc_phy *)port(m, guid, num)->extra->phy;
}

static inline struct ibc_module *module_in(struct mkfab m, uint64_t guid, unsigned int num)
{
	return (struct ibc_module *)port(m, guid, num)->extra->module;
}

static inline void put(struct ibc_phy *phy, enum ibc_phy_value value, uint64_t number)
{
	phy->value[value] = number;
	phy->known |= UINT64_C(1) << value;
}

/* It ran so long, with a raw BER of 1e-9 on each lane. */
static inline void put_run(struct ibc_phy *phy, double seconds)
{
	static const enum ibc_phy_value none[] = {
		IBC_PHY_SYMBOL_ERRORS,
		IBC_PHY_EFFECTIVE_ERRORS,
		IBC_PHY_FEC_UNCORRECTABLE_BLOCKS,
		IBC_PHY_LINK_DOWNS,
		IBC_PHY_PLR_REJECTED,
		IBC_PHY_LOOPBACK,
		IBC_PHY_DOWN_BLAME,
		IBC_PHY_DOWN_INTENT,
		IBC_PHY_DOWN_REASON,
		IBC_PHY_DOWN_REMOTE_REASON,
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		put(phy, none[i], 0);
	put(phy, IBC_PHY_CLEAR_AGE_MS, (uint64_t)(seconds * 1000));
	put(phy, IBC_PHY_BITS_RECEIVED, (uint64_t)(seconds * NDR_BITS));
	put(phy, IBC_PHY_PLR_RECEIVED, (uint64_t)(seconds * NDR_BITS / 5440));
	for (unsigned int lane = 0; lane < 4; lane++)
		put(phy, IBC_PHY_RAW_ERRORS_LANE0 + lane, (uint64_t)(seconds * NDR_BITS / 4e9));
	put(phy, IBC_PHY_LINK_UP_MS, 1500);
	put(phy, IBC_PHY_TRAINING_ATTEMPTS, 1);
	put(phy, IBC_PHY_LINK_HEALTH, IBC_LINK_HEALTH_GOOD);
	phy->fec_active = phy->fec_requested = IBC_FEC_RS_544;
}

static inline void mk_phy(struct mkfab m, struct ibc_port *p, double seconds)
{
	struct ibc_phy *phy = arena_alloc(fabric_build_arena(m.b), sizeof(*phy));

	assert_non_null(phy);
	put_run(phy, seconds);
	port_extra(p)->phy = phy;
	p->speed_active = IBC_SPEED_NDR;
	p->speed_enabled = p->speed_supported = MKFAB_SPEEDS | IBC_SPEED_HDR | IBC_SPEED_NDR;
	answers_put(p, IBC_ATTR_PHY_ERRORS, ANSWER_OK);
}

static inline void put_ddm(struct ibc_module *module, enum ibc_ddm ddm, double now, double low,
                           double high)
{
	struct ibc_ddm_reading *r = &module->ddm[ddm];
	unsigned int lanes = ddm == IBC_DDM_TEMPERATURE || ddm == IBC_DDM_VOLTAGE ? 1 : 4;

	for (unsigned int lane = 0; lane < lanes; lane++)
		r->now[lane] = now;
	r->low = low;
	r->high = high;
	module->monitored |= (uint8_t)(1u << ddm);
}

/* Optics that are well. */
static inline void mk_module(struct mkfab m, struct ibc_port *p)
{
	struct ibc_module *module = arena_alloc(fabric_build_arena(m.b), sizeof(*module));
	char *serial = arena_alloc(fabric_build_arena(m.b), 32);

	assert_non_null(module);
	assert_non_null(serial);
	module_clear(module);
	snprintf(serial, 32, "AC%04jx%03u", (uintmax_t)p->node->guid, p->num);
	module->vendor = "Acme";
	module->part = "AC-400";
	module->serial = serial;
	module->oui = 0xacace;
	module->kind = IBC_MODULE_OPTICAL;
	module->rates = IBC_SPEED_NDR | IBC_SPEED_HDR;
	module->state = IBC_MODULE_READY;
	put_ddm(module, IBC_DDM_TEMPERATURE, 52, -10, 80);
	put_ddm(module, IBC_DDM_VOLTAGE, 3.3, 3.0, 3.6);
	put_ddm(module, IBC_DDM_RX_POWER, 1000, 100, 4000);
	put_ddm(module, IBC_DDM_TX_POWER, 1200, 200, 4000);
	put_ddm(module, IBC_DDM_BIAS, 7200, 2000, 13000);
	port_extra(p)->module = module;
	answers_put(p, IBC_ATTR_PHY_MODULE, ANSWER_OK);
}

static inline struct mkfab mk_reading(unsigned int hosts, double seconds)
{
	struct mkfab m = mk_leaf(hosts);

	m.subnet->provides = ibc_attrs_or(m.subnet->provides,
	                                  ibc_attrs_of_group(IBC_ATTRS_PHYSICAL));
	for (unsigned int i = 1; i <= hosts; i++) {
		struct ibc_port *ends[] = { port(m, 1, i), port(m, host(i), 1) };

		for (unsigned int k = 0; k < 2; k++) {
			mk_phy(m, ends[k], seconds);
			mk_module(m, ends[k]);
		}
	}
	return m;
}

static inline struct pair mk_optics(unsigned int hosts)
{
	struct pair s = { mk_reading(hosts, DAYS_10_S), mk_reading(hosts, DAYS_10_S + HOUR) };

	s.before.subnet->time = 1000000;
	s.now.subnet->time = s.before.subnet->time + HOUR;
	return s;
}

/* Counted in the hour. */
static inline void add(struct pair s, uint64_t guid, unsigned int num, enum ibc_phy_value value,
                       uint64_t number)
{
	struct ibc_phy *phy = phy_of(s.now, guid, num);

	put(phy, value, phy->value[value] + number);
}

/* What is, in the later reading. */
static inline void be(struct pair s, uint64_t guid, unsigned int num, enum ibc_phy_value value,
                      uint64_t number)
{
	put(phy_of(s.now, guid, num), value, number);
}

static inline struct ibc_module *module_of(struct pair s, uint64_t guid, unsigned int num)
{
	return module_in(s.now, guid, num);
}

static inline void expect_optics(struct pair s, const char *lines)
{
	expect_pair(s, OPTICS, lines);
}

/* Only the later reading. */
static inline void expect_once(struct pair s, const char *lines)
{
	ibc_fabric_free(done(s.before));
	expect(s.now, OPTICS, lines);
}

#endif
