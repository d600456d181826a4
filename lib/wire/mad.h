/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The header every MAD begins with (IBA 13.4.2). */
#include <stdint.h>

#include "base/mad.h"

#define MAD_HEADER_SIZE 24 /* bytes (IBA 13.4.3) */

enum mad_method {
	MAD_METHOD_GET = 0x01,
	MAD_METHOD_SET = 0x02,
	MAD_METHOD_GET_TABLE = 0x12,
	MAD_METHOD_GET_RESP = 0x81, /* to a Set too */
	MAD_METHOD_GET_TABLE_RESP = 0x92,
};

enum mad_class {
	MAD_CLASS_SMP = 0x01,
	MAD_CLASS_SA = 0x03,
	MAD_CLASS_PERFORMANCE = 0x04,
	MAD_CLASS_CM = 0x07,
	MAD_CLASS_VENDOR = 0x0a, /* of the vendor that vendor.h is about */
	MAD_CLASS_SMP_DIRECTED = 0x81,
};

/* What a status says, as far as it decides what to do next (IBA 13.4.7). */
enum mad_verdict { MAD_OK, MAD_BUSY, MAD_UNSUPPORTED, MAD_REFUSED };

struct mad_header {
	uint8_t mgmt_class, class_version, method;
	uint16_t status; /* without the direction bit of directed SMPs */
	uint16_t attribute;
	uint32_t modifier;
	uint64_t tid;
};

/* A number of n bytes, the highest first. */
static inline uint64_t bytes_get(const uint8_t *p, unsigned int n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | *p++;
	return value;
}

static inline void bytes_put(uint8_t *p, unsigned int n, uint64_t value)
{
	for (; n > 0; n--, value >>= 8)
		p[n - 1] = (uint8_t)value;
}

/* Total over any 24 bytes. */
void mad_header_get(const uint8_t *mad, struct mad_header *out);
/* Writes the fields of h into the header; what h does not hold stays. */
void mad_header_put(uint8_t *mad, const struct mad_header *h);
void mad_tid_put(uint8_t *mad, uint64_t tid);

/*
 * Begins a MAD of general services, zero but for its header, without a transaction
 * id, and writes where it goes: QP1 of a LID.
 */
void gmp_put(uint8_t mad[MAD_SIZE], struct mad_addr *to, enum mad_class mgmt_class,
             enum mad_method method, uint16_t attribute, uint16_t lid);

enum mad_verdict mad_verdict_of(uint16_t status);
