/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "fabric/build.h"
#include "model/planted.h"
#include "source/source.h"

#define DAY_S 86400.0
#define TRIES 100000

/* ---- a fabric ------------------------------------------------------------------ */

static void be_known(struct ibc_node *node)
{
	bool is_switch = node->type == IBC_NODE_SWITCH;

	node->vendor_id = 0x2c9;
	node->device_id = is_switch ? 0xd2f2 : 0x1021;
	node->firmware = is_switch ? "31.2012.1024" : "28.39.1002";
}

struct ibc_fabric *model_planted_fabric(const char *spec)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct ibc_node *node;

	assert(fabric_build_new(&b, NULL) == 0);
	assert(source_synth(spec, &opts, b, NULL) == 0);
	for (size_t i = 0; (node = fabric_build_node_at(b, i)); i++)
		be_known(node);
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	return fab;
}

/* ---- cables -------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t n)
{
	return hash_mix(*seed += 0x9e3779b97f4a7c15) % n;
}

static bool is_switch(const struct ibc_port *p)
{
	return p->node->type == IBC_NODE_SWITCH;
}

/* One of three switches has active cables. */
static const struct model_module *module_of(const struct ibc_port *p)
{
	if (is_switch(p) && is_switch(p->peer))
		return &model_optics;
	return (is_switch(p) ? p : p->peer)->node->guid % 3 ? &model_dac : &model_aoc_cmis;
}

/* The first of the two ports of a cage, if both are cabled alike; else the port. */
static const struct ibc_port *cage_of(const struct ibc_port *p)
{
	const struct ibc_port *first = ibc_node_port(p->node, (p->num - 1) / 2 * 2 + 1);

	if (!is_switch(p) || p == first || !first->peer ||
	    is_switch(p->peer) != is_switch(first->peer))
		return p;
	return first;
}

/* A cable has one number, which is that of its cage at the switch; a fibre has none. */
static void plug(struct model *m, const struct ibc_port *p)
{
	const struct ibc_port *cage = cage_of(is_switch(p) || !is_switch(p->peer) ? p : p->peer);
	struct model_phy *phy = model_phy(m, p);
	char serial[17];

	snprintf(serial, sizeof(serial), "AC%08X%03u", (unsigned int)hash_mix(cage->node->guid),
	         cage->num);
	if (cage != p && cage->node == p->node)
		model_phy_twins(model_phy(m, cage), phy);
	else
		model_phy_plug(phy, module_of(p), serial);
}

static void bring_up(struct model *m, const struct ibc_port *p, uint64_t *seed)
{
	bool copper = module_of(p) == &model_dac;
	struct model_phy *phy = model_phy(m, p);

	if (p->speed_active >= IBC_SPEED_NDR)
		model_phy_up(phy, p->speed_active == IBC_SPEED_NDR ? 400 : 800,
		             copper ? MODEL_FEC_LL_PLR : MODEL_FEC_KP4);
	else if (p->speed_active == IBC_SPEED_HDR)
		model_phy_up(phy, 200, MODEL_FEC_LL);
	else
		model_phy_up(phy, 100, MODEL_FEC_KR4);
	phy->remote_device = is_switch(p->peer) ? 106 : 8;
	phy->ms_to_up = 1000 + (uint32_t)draw(seed, 500);
	for (unsigned int i = 0; i < phy->lanes; i++)
		phy->raw_ber[i] = 1e-9f * (0.5f + (float)draw(seed, 100) / 100);
	model_phy_run(phy, DAY_S * (1 + (double)draw(seed, 30)));
}

void model_cables(struct model *m, const struct ibc_fabric *fab, uint64_t seed)
{
	const struct ibc_port *p;
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		struct model_registers *r = model_registers(m, node);

		r->asic += (int16_t)draw(&seed, 40);
		snprintf(r->serial, sizeof(r->serial), "AD%010u", (unsigned int)i);
	}
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++) {
		if (!p->peer)
			continue;
		plug(m, p);
		bring_up(m, p, &seed);
	}
}

/* ---- faults -------------------------------------------------------------------- */

static void make_dirty(struct model *m, struct model_planted *at)
{
	model_phy_dirty_lane(model_phy(m, at->port), at->lane, 1e-6f);
}

/* A tenth of what loses a block a day. */
static float much(const struct model_phy *p)
{
	return model_fec_code(p->fec)->corrects > 7 ? 1.5e-4f : 2e-5f;
}

static void make_noise(struct model *m, struct model_planted *at)
{
	model_phy_noisy(model_phy(m, at->port), much(model_phy(m, at->port)));
}

static void make_drift(struct model *m, struct model_planted *at)
{
	model_phy(m, at->port)->tenfold_s = 2 * DAY_S;
}

static void lose_blocks(struct model *m, struct model_planted *at)
{
	model_phy(m, at->port)->bursts = 0.01;
	model_phy(m, at->port)->plr_lost = 0.5;
}

static void train_slowly(struct model *m, struct model_planted *at)
{
	model_phy_train_slowly(model_phy(m, at->port), 7, 25000);
}

static void loop_back(struct model *m, struct model_planted *at)
{
	model_phy(m, at->port)->loopback = 2;
}

static void change_fec(struct model *m, struct model_planted *at)
{
	struct model_phy *p = model_phy(m, at->port);

	p->fec = p->fec == MODEL_FEC_KP4 ? MODEL_FEC_KP4_PLR : MODEL_FEC_KP4;
}

/* By BER: 2. */
static void flap(struct model *m, struct model_planted *at)
{
	model_phy_drop(model_phy(m, at->port), 9, 1, 2, 2);
	model_phy_drop(model_phy(m, at->port->peer), 9, 2, 2, 2);
}

static void be_unhealthy(struct model *m, struct model_planted *at)
{
	model_phy(m, at->port)->health = 1;
}

static void heat_module(struct model *m, struct model_planted *at)
{
	model_phy_heat(model_phy(m, at->port), 82);
}

static void darken(struct model *m, struct model_planted *at)
{
	model_phy_darken(model_phy(m, at->port), at->lane);
}

static void break_module(struct model *m, struct model_planted *at)
{
	model_phy_module(model_phy(m, at->port))->state = 5;
}

static void garble_serial(struct model *m, struct model_planted *at)
{
	struct model_phy *p = model_phy(m, at->port);

	memcpy(p->serial, "\xc3\x28\x01\x1b[2J", 7);
	if (p->twin)
		memcpy(p->twin->serial, p->serial, sizeof(p->serial));
}

static void heat_asic(struct model *m, struct model_planted *at)
{
	struct model_registers *r = model_registers(m, at->port->node);

	r->asic = r->asic_max = (int16_t)(r->asic_limit + 8);
}

static void stop_fan(struct model *m, struct model_planted *at)
{
	struct model_registers *r = model_registers(m, at->port->node);

	r->fans[at->lane] = 0;
	r->fan_slow |= (uint16_t)(1 << at->lane);
}

enum where { AT_LINK, AT_MODULE, AT_OPTICS, AT_DEVICE, AT_SWITCH };

static const struct fault {
	void (*plant)(struct model *m, struct model_planted *at);
	enum where where;
	bool runs; /* its counters are those of a day of it */
} faults[MODEL_FAULTS] = {
	[MODEL_DIRTY_LANE] = { make_dirty, AT_LINK, true },
	[MODEL_NOISE] = { make_noise, AT_LINK, true },
	[MODEL_DRIFT] = { make_drift, AT_LINK, false },
	[MODEL_LOST_BLOCKS] = { lose_blocks, AT_LINK, true },
	[MODEL_SLOW_TRAINING] = { train_slowly, AT_LINK, false },
	[MODEL_LOOPBACK] = { loop_back, AT_LINK, false },
	[MODEL_FEC_MISMATCH] = { change_fec, AT_LINK, true },
	[MODEL_FLAPS] = { flap, AT_LINK, false },
	[MODEL_UNHEALTHY] = { be_unhealthy, AT_LINK, false },
	[MODEL_HOT_MODULE] = { heat_module, AT_OPTICS, false },
	[MODEL_DARK_LANE] = { darken, AT_OPTICS, false },
	[MODEL_MODULE_FAULT] = { break_module, AT_OPTICS, false },
	[MODEL_ODD_SERIAL] = { garble_serial, AT_MODULE, false },
	[MODEL_HOT_ASIC] = { heat_asic, AT_DEVICE, false },
	[MODEL_STOPPED_FAN] = { stop_fan, AT_SWITCH, false },
};

/* Of a cage both ports, and what they lead to. */
static void mark(struct model *m, const struct ibc_port *p)
{
	struct model_phy *phy = model_phy(m, p);

	phy->planted = model_phy(m, p->peer)->planted = true;
	if (phy->twin)
		phy->twin->planted = true;
	if (model_phy(m, p->peer)->twin)
		model_phy(m, p->peer)->twin->planted = true;
}

static bool is_fit(struct model *m, const struct ibc_port *p, enum where where)
{
	const struct model_phy *phy;

	if (!p->peer)
		return false;
	phy = model_phy(m, p);
	if (where == AT_SWITCH || where == AT_DEVICE) {
		const struct model_registers *r = model_registers(m, p->node);

		return r->asic < r->asic_limit && !r->fan_slow &&
		       (where == AT_DEVICE || r->fan_there);
	}
	return !phy->planted && !model_phy(m, p->peer)->planted &&
	       (where != AT_OPTICS || phy->module->monitors);
}

bool model_plant(struct model *m, const struct ibc_fabric *fab, enum model_fault what,
                 uint64_t *seed, struct model_planted *out)
{
	const struct fault *f = &faults[what];
	size_t ports = ibc_fabric_count(fab).ports;

	for (unsigned int i = 0; i < TRIES; i++) {
		const struct ibc_port *p = ibc_fabric_port(fab, draw(seed, ports));
		unsigned int lane = (unsigned int)draw(seed, 4);

		if (!p || !is_fit(m, p, f->where))
			continue;
		*out = (struct model_planted){ what, p, lane };
		f->plant(m, out);
		if (f->where < AT_DEVICE)
			mark(m, p);
		if (!f->runs)
			return true;
		model_phy_clear(model_phy(m, p));
		model_phy_run(model_phy(m, p), DAY_S);
		return true;
	}
	return false;
}
