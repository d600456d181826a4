/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Registers of the vendor's devices, read with Get(AccessRegister) of its management class:
 * the modifier is the register's number, the data are a V_Key, a dword with the number of a
 * block, and the first 220 bytes of the register, big-endian, with its index fields filled in.
 *
 * A Get of a register may change a device all the same (PPCNT has a bit that clears), so
 * there is one table of what is asked for, and nothing else may leave.
 *
 * Source: mstflint, mtcr_ul/mtcr_ib_ofed.c and tools_layouts/adb; not verified on hardware.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/phy.h>

#include "base/mad.h"
#include "wire/mad.h"

#define REGISTER_OFFSET 36  /* behind the header, the V_Key and the block */
#define REGISTER_SIZE   220 /* bytes of a block; only the first is ever asked for */

#define PDDR_MODULE 3 /* the page of PDDR that says what is plugged in */

enum register_id {
	REGISTER_PPCNT = 0x5008,
	REGISTER_PRTL = 0x5014,
	REGISTER_PDDR = 0x5031,
	REGISTER_PPHCR = 0x503e,
	REGISTER_MFCR = 0x9001,
	REGISTER_MFSM = 0x9003,
	REGISTER_FORE = 0x9007,
	REGISTER_MTMP = 0x900a,
};

/*
 * struct register_query - what is asked
 * @port: IB port number, 1 .. 254; 0: the register is not a port's
 * @select: group of PPCNT, page of PDDR, tachometer of MFSM, sensor of MTMP; else 0
 */
struct register_query {
	uint16_t id; /* enum register_id */
	uint8_t port, select;
};

/* Writes a whole Get, without a transaction id, and where it goes: QP1 of a LID. */
void register_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct register_query *query,
                  uint16_t lid, uint64_t v_key);

/*
 * Is it what register_get() writes for a query of the table, bit by bit, whatever the V_Key?
 * Of a MAD whose class, method and attribute are known already.
 */
bool register_may_leave(const uint8_t mad[MAD_SIZE]);

/* What it, or its answer, is of; false: of no register, port or page of the table. */
bool register_query_get(const uint8_t mad[MAD_SIZE], struct register_query *out);

/* What the status of such an answer says: it is the register's, not as in other classes. */
enum mad_verdict register_verdict_of(uint16_t status);

/* The register in such a MAD. */
static inline const uint8_t *register_data(const uint8_t mad[MAD_SIZE])
{
	return mad + REGISTER_OFFSET;
}

/* Of PPCNT and PDDR: bytes in front of what a group or page has. */
#define REGISTER_PAGE 8

static inline uint32_t register_dword(const uint8_t *data, unsigned int offset)
{
	return (uint32_t)bytes_get(data + offset, 4);
}

/* ---- decoders, total over any 220 bytes --------------------------------------------- */

/* phy.c: adds the numbers of a port's PPCNT, PDDR 0, 1, 2, 6 and 8, or PRTL; leaves the rest alone.
 */
void phy_values_get(const struct register_query *query, const uint8_t data[REGISTER_SIZE],
                    struct ibc_phy *out);
/* phy.c: PPCNT 0x23, and PPHCR: each adds its half. */
void fec_blocks_get(const uint8_t data[REGISTER_SIZE], struct ibc_fec_histogram *out);
void fec_bins_get(const uint8_t data[REGISTER_SIZE], struct ibc_fec_histogram *out);

/* module.c: PDDR 3 but for its texts, and PDDR 9: each leaves the rest alone. */
void module_get(const uint8_t data[REGISTER_SIZE], struct ibc_module *out);
void module_latches_get(const uint8_t data[REGISTER_SIZE], struct ibc_module *out);

/* phy.c: of MTMP, but for the name; here: the speed of MFSM. */
void temperature_get(const uint8_t data[REGISTER_SIZE], struct ibc_sensor *out);
unsigned int fan_speed_get(const uint8_t data[REGISTER_SIZE]);
/* A bit each tachometer: MFCR: those in use; FORE: those too slow, and too fast. */
#define FANS_MAX 16
uint16_t fans_in_use_get(const uint8_t data[REGISTER_SIZE]);
void fan_alarms_get(const uint8_t data[REGISTER_SIZE], uint16_t *low, uint16_t *high);

/* A text in a register, without blanks and NULs at its ends, not terminated. */
struct register_text {
	const char *bytes;
	size_t length;
};
enum register_text_id {
	TEXT_WHY_DOWN, /* PDDR 1 */
	TEXT_VENDOR,   /* PDDR 3 */
	TEXT_PART,
	TEXT_REVISION,
	TEXT_SERIAL,
	TEXT_DATE,
	TEXT_SENSOR, /* MTMP */
	REGISTER_TEXTS,
};
struct register_text register_text_get(const uint8_t data[REGISTER_SIZE],
                                       enum register_text_id text);
/* module.c: of a module, PDDR 3: 46.120.123; all 0: it does not say. */
struct module_version {
	uint8_t major, minor;
	uint16_t build;
};
struct module_version module_version_get(const uint8_t data[REGISTER_SIZE]);
