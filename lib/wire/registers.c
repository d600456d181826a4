/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries of registers: the table of them, and what may leave. */
#include "wire/registers.h"

#include <string.h>

#include "base/array.h"
#include "wire/vendor.h"

#define BLOCK_OFFSET (REGISTER_OFFSET - 4) /* bits 16 .. 19 of the dword: the block; here 0 */
#define PORT_MAX     254                   /* 255 means all ports */

/* A field of a register: width bits of the dword at offset, from the bit shift on. */
struct index_field {
	uint8_t offset, shift, width;
};

/*
 * struct register_row - a register that is asked for
 * @of_port: the first dword has an IB port number in bits 16 .. 23, and a 1 in bits 14 and
 *	     15, which says that it is one: devices number their ports in another way too
 * @select: where struct register_query.select goes; width 0: nowhere
 * @selects: which are asked for, a bit each
 * @format: of the second dword, what says how the answer shall be written: in PDDR, optical
 *	    power in uW, since whole dBm are too coarse to compare
 *
 * All other fields stay 0: those that make a Get do something are among them.
 */
struct register_row {
	uint16_t id;
	bool of_port;
	struct index_field select;
	uint64_t selects;
	uint32_t format;
};

#define IB_PORT_NUMBER (1u << 14) /* pnat */
#define POWER_IN_UW    (1u << 29) /* module_info_ext */
#define SELECT(n)      (UINT64_C(1) << (n))
#define NO_SELECT      SELECT(0)

static const struct register_row rows[] = {
	{ REGISTER_PPCNT,
	  true,
	  { 0, 0, 6 },
	  SELECT(0x12) | SELECT(0x16) | SELECT(0x1a) | SELECT(0x22) | SELECT(0x23),
	  0 },
	{ REGISTER_PRTL, true, { 0, 0, 0 }, NO_SELECT, 0 },
	{ REGISTER_PDDR,
	  true,
	  { 4, 0, 8 },
	  SELECT(0) | SELECT(1) | SELECT(2) | SELECT(3) | SELECT(6) | SELECT(8) | SELECT(9),
	  POWER_IN_UW },
	{ REGISTER_PPHCR, true, { 0, 0, 0 }, NO_SELECT, 0 },
	{ REGISTER_MFCR, false, { 0, 0, 0 }, NO_SELECT, 0 },
	{ REGISTER_MFSM, false, { 0, 24, 4 }, SELECT(FANS_MAX) - 1, 0 },
	{ REGISTER_FORE, false, { 0, 0, 0 }, NO_SELECT, 0 },
	{ REGISTER_MTMP, false, { 0, 0, 12 }, SELECT(0), 0 }, /* the ASIC's own sensor */
};

static const struct register_row *find_row(uint32_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].id == id)
			return &rows[i];
	return NULL;
}

/* Adds a value to a dword of a register. */
static void add_bits(uint8_t *data, unsigned int offset, uint32_t value)
{
	bytes_put(data + offset, 4, bytes_get(data + offset, 4) | value);
}

static void encode(const struct register_row *row, const struct register_query *q,
                   uint8_t data[REGISTER_SIZE])
{
	memset(data, 0, REGISTER_SIZE);
	if (row->of_port)
		add_bits(data, 0, (uint32_t)q->port << 16 | IB_PORT_NUMBER);
	add_bits(data, row->select.offset, (uint32_t)q->select << row->select.shift);
	add_bits(data, 4, row->format);
}

void register_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct register_query *query,
                  uint16_t lid, uint64_t v_key)
{
	struct mad_header h;

	vendor_get(mad, to, VENDOR_ACCESS_REGISTER, lid, v_key);
	mad_header_get(mad, &h);
	h.modifier = query->id;
	mad_header_put(mad, &h);
	encode(find_row(query->id), query, mad + REGISTER_OFFSET);
}

/* ---- what may leave ------------------------------------------------------------------ */

/* What its index fields say, whatever the rest is. */
bool register_query_get(const uint8_t mad[MAD_SIZE], struct register_query *out)
{
	const uint8_t *asked = mad + REGISTER_OFFSET;
	const struct register_row *row;
	struct mad_header h;
	uint64_t dword;

	mad_header_get(mad, &h);
	row = find_row(h.modifier);
	if (!row || bytes_get(mad + BLOCK_OFFSET, 4))
		return false;
	dword = bytes_get(asked + row->select.offset, 4);
	*out = (struct register_query){
		.id = row->id,
		.port = row->of_port ? asked[1] : 0,
		.select = (uint8_t)(dword >> row->select.shift & ((1u << row->select.width) - 1)),
	};
	if (row->of_port && (out->port == 0 || out->port > PORT_MAX))
		return false;
	return out->select < 64 && row->selects >> out->select & 1;
}

bool register_may_leave(const uint8_t mad[MAD_SIZE])
{
	uint8_t known[REGISTER_SIZE];
	struct register_query query;

	if (!register_query_get(mad, &query))
		return false;
	encode(find_row(query.id), &query, known);
	return memcmp(known, mad + REGISTER_OFFSET, REGISTER_SIZE) == 0;
}

/* ---- the status of an answer ----------------------------------------------------------- */

enum register_status {
	STATUS_OK = 0,
	STATUS_BUSY = 1,
	STATUS_NO_CLASS = 4,
	STATUS_NO_METHOD = 0x0c,
	STATUS_NO_REGISTER = 0x14,
	/* 0x1c: there is no such port, page or index: that is no word on the register */
};

enum mad_verdict register_verdict_of(uint16_t status)
{
	static const struct {
		uint16_t status;
		enum mad_verdict verdict;
	} of_status[] = {
		{ STATUS_OK, MAD_OK },
		{ STATUS_BUSY, MAD_BUSY },
		{ STATUS_NO_CLASS, MAD_UNSUPPORTED },
		{ STATUS_NO_METHOD, MAD_UNSUPPORTED },
		{ STATUS_NO_REGISTER, MAD_UNSUPPORTED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of_status); i++)
		if (of_status[i].status == status)
			return of_status[i].verdict;
	return MAD_REFUSED;
}

/* ---- texts, sensors ---------------------------------------------------------------------- */

struct register_text register_text_get(const uint8_t data[REGISTER_SIZE],
                                       enum register_text_id text)
{
	static const struct {
		uint8_t offset, length;
	} at[REGISTER_TEXTS] = {
		[TEXT_WHY_DOWN] = { 0x14, REGISTER_SIZE - 0x14 },
		[TEXT_VENDOR] = { 0x1c, 16 },
		[TEXT_PART] = { 0x2c, 16 },
		[TEXT_REVISION] = { 0x3c, 4 },
		[TEXT_SERIAL] = { 0x44, 16 },
		[TEXT_DATE] = { 0xb8, 8 },
		[TEXT_SENSOR] = { 0x18, 8 },
	};
	struct register_text t = { (const char *)data + at[text].offset, at[text].length };

	for (; t.length > 0 && (*t.bytes == ' ' || *t.bytes == '\0'); t.length--)
		t.bytes++;
	t.length = strnlen(t.bytes, t.length);
	while (t.length > 0 && t.bytes[t.length - 1] == ' ')
		t.length--;
	return t;
}

/* Ten bits from bit 16 on, and six more above them. */
static uint16_t fan_bits(const uint8_t *dword)
{
	return (uint16_t)(bytes_get(dword, 4) >> 16);
}

uint16_t fans_in_use_get(const uint8_t data[REGISTER_SIZE])
{
	return fan_bits(data + 4);
}

void fan_alarms_get(const uint8_t data[REGISTER_SIZE], uint16_t *low, uint16_t *high)
{
	*low = fan_bits(data);
	*high = fan_bits(data + 4);
}

unsigned int fan_speed_get(const uint8_t data[REGISTER_SIZE])
{
	return (unsigned int)bytes_get(data + 6, 2);
}
