/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/registers_give.h"
#include "wire/vendor.h"

#define STATUS_BUSY        0x01
#define STATUS_UNSUPPORTED 0x0c
#define STATUS_UNKNOWN     0x14
#define CONFIG             32 /* of a MAD: the number of the block is in [19:16] */
#define DATA               36
#define CAPABILITIES       160
#define ACCESS_REGISTER    20 /* bit of GeneralInfo */
#define LARGEST            0x410
#define BY_IB_PORT         1 /* pnat */

/* ---- the table ----------------------------------------------------------------- */

/* Of 128 bits: bit 0 is the lowest of the last word. */
static void put_bit(uint8_t *p, unsigned int bit)
{
	p[15 - bit / 8] |= (uint8_t)(1 << bit % 8);
}

static const struct a_register {
	uint16_t id;
	const char *name;
	unsigned int size;
	bool of_port;
	uint32_t index[2];   /* what a question may hold, of its first words */
	register_give *give; /* NULL: no device of the model knows it */
} registers[MODEL_REGISTERS_ALL];

static uint16_t give_pcam(const struct asked *a, uint8_t *d)
{
	static const uint8_t features[] = { 0, 43, 51, 54, 65, 66, 101, 111 };

	if (get(d, 0x0, 31, 0))
		return REGISTER_STATUS_INVALID;
	for (unsigned int i = 0; i < MODEL_REGISTERS_ALL; i++)
		if (registers[i].give && registers[i].id >> 7 == 0x5000 >> 7 &&
		    !(a->r->unknown & MODEL_REGISTER(i)))
			put_bit(d + 0x08, registers[i].id & 0x7f);
	for (size_t i = 0; i < sizeof(features); i++)
		put_bit(d + 0x28, features[i]);
	return 0;
}

/* PPCNT's index holds neither clr, lp_gl nor counters_cap, MTMP's no word but the first. */
static const struct a_register registers[MODEL_REGISTERS_ALL] = {
	[MODEL_PPCNT] = { 0x5008, "PPCNT", 256, true, { 0xffffff3f, 0x00000fff }, give_ppcnt },
	[MODEL_PDDR] = { 0x5031, "PDDR", 256, true, { 0x03fffff0, 0x600000ff }, give_pddr },
	[MODEL_PPHCR] = { 0x503e, "PPHCR", 0x5c, true, { 0x00fffff0, 0x0000000f }, give_pphcr },
	[MODEL_PRTL] = { 0x5014, "PRTL", 32, true, { 0x00fff000, 0 }, NULL },
	[MODEL_SLRG] = { 0x5028, "SLRG", 40, true, { 0x00ffff00, 0 }, NULL },
	[MODEL_MTMP] = { 0x900a, "MTMP", 0x20, false, { UINT32_MAX, 0 }, give_mtmp },
	[MODEL_MTBR] = { 0x900f, "MTBR", LARGEST, false, { 0x800f0fff, 0x000000ff }, give_mtbr },
	[MODEL_MTCAP] = { 0x9009, "MTCAP", 16, false, { 0, 0 }, NULL },
	[MODEL_MFCR] = { 0x9001, "MFCR", 8, false, { 0, 0 }, give_mfcr },
	[MODEL_MFSM] = { 0x9003, "MFSM", 8, false, { 0xff000000, 0 }, give_mfsm },
	[MODEL_FORE] = { 0x9007, "FORE", 12, false, { 0, 0 }, give_fore },
	[MODEL_MSGI] = { 0x9021, "MSGI", 128, false, { 0, 0 }, give_msgi },
	[MODEL_MGIR] = { 0x9020, "MGIR", 160, false, { 0, 0 }, NULL },
	[MODEL_MGPIR] = { 0x9100, "MGPIR", 160, false, { 0, 0 }, NULL },
	[MODEL_PCAM] = { 0x507f, "PCAM", 80, false, { 0x00ff00ff, 0 }, give_pcam },
	[MODEL_MCAM] = { 0x907f, "MCAM", 72, false, { 0x00ff00ff, 0 }, NULL },
};

/* ---- questions ----------------------------------------------------------------- */

static const struct a_register *register_of(uint32_t id)
{
	for (unsigned int i = 0; i < MODEL_REGISTERS_ALL; i++)
		if (registers[i].id == id)
			return &registers[i];
	return NULL;
}

static void refuse(const char *name, const char *what, unsigned int byte, uint32_t value)
{
	fprintf(stderr, "model: the vendor's class: %s: %s (byte 0x%x: 0x%08" PRIx32 ")\n", name,
	        what, byte, value);
	abort();
}

static void guard_question(const struct a_register *reg, const uint8_t *data)
{
	const unsigned int any_port = 255, any_group = 63;
	uint32_t word = get(data, 0, 31, 0);

	for (unsigned int i = 0; i < REGISTERS_BLOCK / 4; i++)
		if (get(data, 4 * i, 31, 0) & ~(i < 2 ? reg->index[i] : 0))
			refuse(reg->name, "no index, it may change something", 4 * i,
			       get(data, 4 * i, 31, 0));
	if (reg->of_port && get(data, 0, 23, 16) == any_port)
		refuse(reg->name, "all ports", 0, word);
	if (reg == &registers[MODEL_PPCNT] && get(data, 0, 5, 0) == any_group)
		refuse(reg->name, "all groups", 0, word);
}

void model_registers_guard(const uint8_t mad[MAD_SIZE])
{
	const struct a_register *reg;
	struct mad_header h;

	mad_header_get(mad, &h);
	if (h.method != MAD_METHOD_GET)
		refuse("method", "no Get", 3, h.method);
	if (h.attribute != REGISTERS_ATTRIBUTE)
		return;
	reg = register_of(h.modifier);
	if (!reg)
		refuse("register", "not in the table", 20, h.modifier);
	if (get(mad, CONFIG, 31, 0) & ~0x000f0000u)
		refuse(reg->name, "more than the number of a block", CONFIG,
		       get(mad, CONFIG, 31, 0));
	guard_question(reg, mad + DATA);
}

/* ---- answers ------------------------------------------------------------------- */

static bool has_bit(const struct model_registers *r, unsigned int bit)
{
	return r->capabilities[bit / 32] & 1u << bit % 32;
}

/* NULL: it has no such port, or does not understand the number. */
static struct model_phy *port_of(const struct model_registers *r, const uint8_t *data)
{
	unsigned int num = get(data, 0, 13, 12) << 8 | get(data, 0, 23, 16);

	if (get(data, 0, 15, 14) != BY_IB_PORT || num == 0 || num > r->num_ports)
		return NULL;
	return &r->ports[(num - 1 + r->port_shift) % r->num_ports + 1];
}

static void catch_up(struct model_phy *p, uint64_t now_ns)
{
	if (now_ns > p->at_ns)
		model_phy_run(p, (double)(now_ns - p->at_ns) * 1e-9);
	p->at_ns = now_ns > p->at_ns ? now_ns : p->at_ns;
}

/* The register is made whole, then the block of it is cut out. */
static uint16_t give_block(struct model_registers *r, const struct a_register *reg, uint64_t now_ns,
                           uint8_t *mad)
{
	struct asked a = { .r = r, .now_ns = now_ns };
	unsigned int at = get(mad, CONFIG, 19, 16) * REGISTERS_BLOCK;
	uint8_t whole[LARGEST + REGISTERS_BLOCK] = { 0 };
	uint16_t status;

	if (reg->of_port && !(a.phy = port_of(r, mad + DATA)))
		return REGISTER_STATUS_INVALID;
	if (at >= reg->size)
		return REGISTER_STATUS_INVALID;
	if (a.phy)
		catch_up(a.phy, now_ns);
	memcpy(whole, mad + DATA, 8);
	status = reg->give(&a, whole);
	if (!status)
		memcpy(mad + DATA, whole + at, REGISTERS_BLOCK);
	return status;
}

static uint64_t noise(struct model_registers *r)
{
	uint64_t z = r->noise += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool is_put_off(struct model_registers *r, const uint8_t *mad)
{
	uint64_t about = bytes_get(mad + 20, 4) ^ bytes_get(mad + CONFIG, 4) ^
	                 bytes_get(mad + DATA, 8);
	uint8_t *times = &r->put_off[about * 0x9e3779b97f4a7c15 >> 58];

	if (*times < r->busy) {
		++*times;
		return true;
	}
	*times = 0;
	return false;
}

static uint64_t delay(struct model_registers *r, uint64_t now_ns)
{
	uint64_t ms = r->slow_ms.low, span = r->slow_ms.high - r->slow_ms.low;
	unsigned int waiting;

	if (r->slow_ms.high > r->slow_ms.low)
		ms += noise(r) % (span + 1);
	if (!r->service_ns)
		return ms * 1000000;
	if (r->free_ns < now_ns)
		r->free_ns = now_ns;
	r->free_ns += r->service_ns;
	waiting = (unsigned int)((r->free_ns - now_ns + r->service_ns - 1) / r->service_ns);
	if (waiting > r->most)
		r->most = waiting;
	return ms * 1000000 + r->free_ns - now_ns;
}

int model_registers_answer(struct model_registers *r, uint64_t now_ns, uint8_t mad[MAD_SIZE],
                           struct registers_answer *how)
{
	const struct a_register *reg = register_of((uint32_t)bytes_get(mad + 20, 4));
	uint16_t status;

	if (!has_bit(r, ACCESS_REGISTER))
		return r->general_info ? r->general_info : STATUS_UNSUPPORTED;
	r->asked++;
	if (r->silent || (r->drop_every && r->asked % r->drop_every == 0))
		return REGISTERS_SAY_NOTHING;
	how->late_ns = delay(r, now_ns);
	if (is_put_off(r, mad))
		return STATUS_BUSY;
	if (!reg->give || r->unknown & MODEL_REGISTER(reg - registers))
		return STATUS_UNKNOWN;
	status = give_block(r, reg, now_ns, mad);
	for (unsigned int i = DATA; r->lies && i < MAD_SIZE; i++)
		mad[i] = (uint8_t)noise(r);
	return status;
}

void model_capabilities_put(const struct model_registers *r, uint8_t mad[MAD_SIZE])
{
	for (unsigned int i = 0; i < 4; i++)
		bytes_put(mad + CAPABILITIES + 4 * i, 4, r->capabilities[i]);
}
