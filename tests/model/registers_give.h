/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_REGISTERS_GIVE_H
#define MODEL_REGISTERS_GIVE_H

/* Inside of registers.h: how a register is written, bit by bit. */
#include <string.h>

#include "model/registers.h"
#include "wire/mad.h"

#define REGISTER_STATUS_INVALID 0x1c /* no such port, page, group or index */

/* A field [high:low] of the word at byte. */
static inline void put(uint8_t *p, unsigned int byte, unsigned int high, unsigned int low,
                       uint64_t value)
{
	uint32_t mask = (uint32_t)(UINT64_MAX >> (63 - (high - low))) << low;
	uint32_t word = (uint32_t)bytes_get(p + byte, 4);

	bytes_put(p + byte, 4, (word & ~mask) | ((uint32_t)(value << low) & mask));
}

static inline uint32_t get(const uint8_t *p, unsigned int byte, unsigned int high, unsigned int low)
{
	return (uint32_t)bytes_get(p + byte, 4) << (31 - high) >> (31 - high + low);
}

static inline void put64(uint8_t *p, unsigned int byte, double value)
{
	bytes_put(p + byte, 8, value < 0x1p64 ? (uint64_t)value : UINT64_MAX);
}

static inline void put_text(uint8_t *p, size_t room, const char *text, char padding)
{
	size_t n = strnlen(text, room);

	memset(p, padding, room);
	memcpy(p, text, n);
}

/* What a question means: its device, its port (NULL: it has none), its time. */
struct asked {
	struct model_registers *r;
	struct model_phy *phy;
	uint64_t now_ns;
};

/*
 * Each writes one register, of which the index is there and the rest is 0, as long as it is;
 * returns its status.
 */
typedef uint16_t register_give(const struct asked *a, uint8_t *d);
register_give give_ppcnt, give_pddr, give_pphcr;
register_give give_mtmp, give_mtbr, give_mfcr, give_mfsm, give_fore, give_msgi;

#endif
