/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/registers_give.h"

#define STATUS_CLASS       0x04
#define STATUS_UNSUPPORTED 0x0c /* of subnet management: an attribute */

/* ---- registers of devices ------------------------------------------------------ */

#define SENSOR_OF_MODULES 64
#define NOT_CONNECTED     0x8000
#define NOT_SENSED        0x8001
#define NO_SUCH_INDEX     0x8002

/* Sensors are in 0.125 degrees, modules in 1/256. */
static uint16_t sensor(const struct model_registers *r, unsigned int index)
{
	unsigned int port = (index - SENSOR_OF_MODULES) * r->ports_per_cage + 1;
	const struct model_module *m;

	if (index == 0)
		return (uint16_t)r->asic;
	if (index < SENSOR_OF_MODULES || port > r->num_ports)
		return NO_SUCH_INDEX;
	m = r->ports[port].module;
	if (!m)
		return NOT_CONNECTED;
	if (m->kind != MODEL_PASSIVE && !(m->monitors & MODEL_MONITORS_TEMPERATURE))
		return NOT_SENSED;
	return (uint16_t)(m->temperature / 32);
}

static void name_sensor(unsigned int index, uint8_t *p)
{
	char name[24] = "asic";

	if (index)
		snprintf(name, sizeof(name), "module%u", index - SENSOR_OF_MODULES + 1);
	memcpy(p, name, strnlen(name, 8));
}

uint16_t give_mtmp(const struct asked *a, uint8_t *d)
{
	unsigned int index = get(d, 0x0, 11, 0);
	uint16_t now = sensor(a->r, index);

	if (get(d, 0x0, 31, 12) || now == NO_SUCH_INDEX || now == NOT_CONNECTED)
		return REGISTER_STATUS_INVALID;
	put(d, 0x4, 15, 0, now == NOT_SENSED ? 0 : now);
	name_sensor(index, d + 0x18);
	if (index)
		return 0;
	put(d, 0x8, 31, 31, 1);
	put(d, 0x8, 15, 0, (uint16_t)a->r->asic_max);
	put(d, 0xc, 15, 0, (uint16_t)a->r->asic_limit);
	put(d, 0x10, 15, 0, (uint16_t)a->r->asic_low);
	return 0;
}

uint16_t give_mtbr(const struct asked *a, uint8_t *d)
{
	unsigned int base = get(d, 0x0, 11, 0), n = get(d, 0x4, 7, 0);

	if (get(d, 0x0, 31, 12) || !n)
		return REGISTER_STATUS_INVALID;
	for (unsigned int i = 0; i < n; i++) {
		uint16_t now = sensor(a->r, base + i);

		put(d, 0x10 + 4 * i, 15, 0, now);
		put(d, 0x10 + 4 * i, 31, 16, base + i == 0 ? (uint16_t)a->r->asic_max : now);
	}
	return 0;
}

uint16_t give_mfcr(const struct asked *a, uint8_t *d)
{
	put(d, 0x4, 25, 16, a->r->fan_there);
	put(d, 0x4, 31, 26, a->r->fan_there >> 10);
	return 0;
}

uint16_t give_mfsm(const struct asked *a, uint8_t *d)
{
	unsigned int fan = get(d, 0x0, 27, 24);

	if (get(d, 0x0, 31, 28) || fan >= REGISTERS_FANS || !(a->r->fan_there & 1u << fan))
		return REGISTER_STATUS_INVALID;
	put(d, 0x4, 15, 0, a->r->fans[fan]);
	return 0;
}

uint16_t give_fore(const struct asked *a, uint8_t *d)
{
	put(d, 0x0, 25, 16, a->r->fan_slow);
	put(d, 0x0, 31, 26, a->r->fan_slow >> 10);
	put(d, 0x4, 25, 16, a->r->fan_fast);
	put(d, 0x4, 31, 26, a->r->fan_fast >> 10);
	return 0;
}

uint16_t give_msgi(const struct asked *a, uint8_t *d)
{
	put_text(d, 24, a->r->serial, 0);
	put_text(d + 0x20, 20, a->r->part, 0);
	put_text(d + 0x38, 4, a->r->revision, 0);
	put_text(d + 0x40, 64, a->r->product, 0);
	return 0;
}

/* ---- devices ------------------------------------------------------------------- */

#define OF_SWITCHES                                                                                \
	(MODEL_REGISTER(MODEL_MTBR) | MODEL_REGISTER(MODEL_MFCR) | MODEL_REGISTER(MODEL_MFSM) |    \
	 MODEL_REGISTER(MODEL_FORE))

/* Masks as ibdiagnet shows them of real fabrics; 0 ends a row. */
static const struct device_kind {
	uint16_t device_id, general_info;
	bool fans;
	unsigned int ports_per_cage;
	uint32_t unknown;
	const char *part;
	uint8_t bits[20];
	uint32_t smp[4];
} kinds[] = {
	[MODEL_QUANTUM2] = { 0xd2f2,
	                     0,
	                     true,
	                     2,
	                     0,
	                     "QM-ACME-64",
	                     { 2, 4, 5, 6, 7, 8, 16, 18, 19, 20, 24, 26, 27, 33, 34, 39, 41 },
	                     { 0xa02d3775, 0x20305000 } },
	[MODEL_CONNECTX7] = { 0x1021,
	                      0,
	                      false,
	                      1,
	                      OF_SWITCHES,
	                      "CX-ACME-1",
	                      { 5, 6, 7, 16, 18, 19, 20, 33, 34, 36, 37 },
	                      { 0x434b8770, 0x00017000, 0x00000004 } },
	[MODEL_AGGREGATION] = { 53001,
	                        STATUS_CLASS,
	                        false,
	                        1,
	                        0,
	                        "",
	                        { 0 },
	                        { 0x20000230, 0x00004000 } },
	[MODEL_OLD] = { 0, 0, false, 1, 0, "", { 2, 4, 5 }, { 0 } },
};

enum model_device_kind model_device_kind(uint16_t device_id)
{
	for (unsigned int i = 0; i < MODEL_OLD; i++)
		if (kinds[i].device_id == device_id)
			return (enum model_device_kind)i;
	return MODEL_OLD;
}

static void be_well(struct model_registers *r, const struct device_kind *k)
{
	r->asic = 52 * 8;
	r->asic_max = 58 * 8;
	r->asic_limit = 105 * 8;
	snprintf(r->part, sizeof(r->part), "%s", k->part);
	snprintf(r->revision, sizeof(r->revision), "A3");
	snprintf(r->product, sizeof(r->product), "Acme %s", k->part);
	for (unsigned int i = 0; k->fans && i < REGISTERS_FANS; i++) {
		r->fans[i] = 9000;
		r->fan_there |= (uint16_t)(1 << i);
	}
}

struct model_registers *model_registers_new(enum model_device_kind kind, unsigned int num_ports)
{
	const struct device_kind *k = &kinds[kind];
	struct model_registers *r = calloc(1, sizeof(*r));

	assert(r);
	r->ports = calloc(num_ports + 1u, sizeof(*r->ports));
	assert(r->ports);
	r->num_ports = num_ports;
	r->ports_per_cage = k->ports_per_cage;
	r->general_info = k->general_info;
	r->unknown = k->unknown;
	for (const uint8_t *bit = k->bits; *bit; bit++)
		r->capabilities[*bit / 32] |= 1u << *bit % 32;
	memcpy(r->smp, k->smp, sizeof(r->smp));
	be_well(r, k);
	return r;
}

int model_smp_general_info(const struct model_registers *r, uint32_t modifier, uint8_t data[64])
{
	const uint32_t of_capabilities = 4;
	bool any = false;

	if (r->mute)
		return REGISTERS_SAY_NOTHING;
	for (unsigned int i = 0; i < 4; i++) {
		any |= r->smp[i];
		bytes_put(data + 4 * i, 4, r->smp[i]);
	}
	return !any                          ? STATUS_UNSUPPORTED
	       : modifier == of_capabilities ? 0
	                                     : REGISTER_STATUS_INVALID;
}

void model_registers_free(struct model_registers *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i <= r->num_ports; i++)
		model_phy_free(&r->ports[i]);
	free(r->ports);
	free(r);
}
