/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MODEL_REGISTERS_H
#define MODEL_REGISTERS_H

/*
 * Registers of one device in the vendor's class (attribute 0x51), written bit by bit from
 * mstflint's tables (b9d9e844, tools_layouts/adb/prm/switch/ext): never seen on a wire.
 *
 * A question that could change something ends the test, whoever receives it: any bit that is
 * no index, all ports at once, all groups at once, a register outside the table, a Set.
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/fabric.h>

#include "base/mad.h"
#include "model/phy.h"

#define REGISTERS_ATTRIBUTE 0x51
#define REGISTERS_BLOCK     220
#define REGISTERS_FANS      14

enum model_register {
	MODEL_PPCNT,
	MODEL_PDDR,
	MODEL_PPHCR,
	MODEL_PRTL,
	MODEL_SLRG,
	MODEL_MTMP,
	MODEL_MTBR,
	MODEL_MTCAP,
	MODEL_MFCR,
	MODEL_MFSM,
	MODEL_FORE,
	MODEL_MSGI,
	MODEL_MGIR,
	MODEL_MGPIR,
	MODEL_PCAM,
	MODEL_MCAM,
	MODEL_REGISTERS_ALL,
};
#define MODEL_REGISTER(r) (1u << (r))

enum model_device_kind {
	MODEL_QUANTUM2, /* with the masks of real ones */
	MODEL_CONNECTX7,
	MODEL_AGGREGATION, /* refuses GeneralInfo */
	MODEL_OLD,         /* without bit 20 */
};

/*
 * struct model_registers - how a device answers, and its own facts
 * @capabilities:  GeneralInfo's mask, bit 0 of the first word first
 * @smp:	   the mask of the vendor's GeneralInfo of subnet management, likewise; none: it
 *		   has no such attribute
 * @mute:	   about that, and about ExtendedPortInfo
 * @unknown:	   set of MODEL_REGISTER(): status 0x14; older firmware does not know PDDR
 * @general_info:  status of GeneralInfo; 0: as node->firmware says
 * @wrong_key:	   status without its V_Key; 0: silence
 * @silent:	   about registers
 * @busy:	   each question is put off so often, with status 1
 * @drop_every:	   each nth question falls
 * @port_shift:	   it takes IB ports for local ones: answers are those of port + shift
 * @lies:	   what it sends is noise
 * @cut:	   bytes of its answers; 0: all
 * @slow_ms:	   an answer takes that long, from low to high
 * @service_ns:	   it answers one question at a time, each in this time
 * @ports_per_cage: of modules 0, 1, ...: sensors 64, 65, ...
 * @asic, @asic_max, @asic_limit, @asic_low: 0.125 degrees
 * @fans:	   rpm; @fan_there, @fan_slow, @fan_fast: bit by fan
 * @asked:	   questions that came; @most: at a time (of those that take their time)
 */
struct model_registers {
	uint32_t capabilities[4], smp[4], unknown;
	uint16_t general_info, wrong_key;
	bool silent, mute, lies;
	unsigned int busy, drop_every, port_shift, ports_per_cage;
	size_t cut;
	struct {
		uint32_t low, high;
	} slow_ms;
	uint64_t service_ns;
	struct model_phy *ports; /* by number, 0 unused */
	unsigned int num_ports;
	int16_t asic, asic_max, asic_limit, asic_low;
	uint16_t fans[REGISTERS_FANS], fan_there, fan_slow, fan_fast;
	char serial[25], part[21], revision[5], product[65];
	uint64_t asked;
	unsigned int most;
	/* its own */
	uint64_t noise, free_ns;
	uint8_t put_off[64];
};

struct model_registers *model_registers_new(enum model_device_kind kind, unsigned int num_ports);
/* Whoever of these has this device id; MODEL_OLD for all others. */
enum model_device_kind model_device_kind(uint16_t device_id);
void model_registers_free(struct model_registers *r);

/* struct registers_answer - besides the bytes: it comes so much later */
struct registers_answer {
	uint64_t late_ns;
};

#define REGISTERS_SAY_NOTHING (-1)
/* Writes the answer into a whole MAD; returns its status, or REGISTERS_SAY_NOTHING. */
int model_registers_answer(struct model_registers *r, uint64_t now_ns, uint8_t mad[MAD_SIZE],
                           struct registers_answer *how);
/* Puts the mask into a GeneralInfo that is there. */
void model_capabilities_put(const struct model_registers *r, uint8_t mad[MAD_SIZE]);
/*
 * Attributes 0xff17 and 0xff90 of subnet management, by NVIDIA's tables for its OpenSM: the second
 * is of port num, and but for the speeds, which are another's.  Their status, or
 * REGISTERS_SAY_NOTHING.
 */
int model_smp_general_info(const struct model_registers *r, uint32_t modifier, uint8_t data[64]);
int model_ext_port(const struct model_registers *r, unsigned int num, uint8_t data[64]);
/* Ends the test if this MAD of the vendor's class may not be sent. */
void model_registers_guard(const uint8_t mad[MAD_SIZE]);

#endif
