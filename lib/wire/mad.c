/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "wire/mad.h"

/*
 * Read and written twice for every MAD, so by hand: libibmad's table takes as long
 * for a header as for the whole attribute.
 */
enum offset {
	BASE_VERSION = 0,
	MGMT_CLASS = 1,
	CLASS_VERSION = 2,
	METHOD = 3,
	STATUS = 4,
	TID = 8,
	ATTRIBUTE = 16,
	MODIFIER = 20,
};

#define DIRECTION_BIT 0x8000 /* of directed SMPs, where others have a status bit */

void mad_header_get(const uint8_t *mad, struct mad_header *out)
{
	out->mgmt_class = mad[MGMT_CLASS];
	out->class_version = mad[CLASS_VERSION];
	out->method = mad[METHOD];
	out->status = (uint16_t)bytes_get(mad + STATUS, 2);
	if (out->mgmt_class == MAD_CLASS_SMP_DIRECTED)
		out->status &= (uint16_t)~DIRECTION_BIT;
	out->attribute = (uint16_t)bytes_get(mad + ATTRIBUTE, 2);
	out->modifier = (uint32_t)bytes_get(mad + MODIFIER, 4);
	out->tid = bytes_get(mad + TID, 8);
}

void mad_header_put(uint8_t *mad, const struct mad_header *h)
{
	uint64_t status = h->status;

	if (h->mgmt_class == MAD_CLASS_SMP_DIRECTED)
		status = (bytes_get(mad + STATUS, 2) & DIRECTION_BIT) |
		         (status & ~(uint64_t)DIRECTION_BIT);
	mad[BASE_VERSION] = 1;
	mad[MGMT_CLASS] = h->mgmt_class;
	mad[CLASS_VERSION] = h->class_version;
	mad[METHOD] = h->method;
	bytes_put(mad + STATUS, 2, status);
	bytes_put(mad + ATTRIBUTE, 2, h->attribute);
	bytes_put(mad + MODIFIER, 4, h->modifier);
	mad_tid_put(mad, h->tid);
}

void mad_tid_put(uint8_t *mad, uint64_t tid)
{
	bytes_put(mad + TID, 8, tid);
}

#define GSI_QP 1 /* of general services */

/* The default partition is the first a port is a member of: it has index 0. */
void gmp_put(uint8_t mad[MAD_SIZE], struct mad_addr *to, enum mad_class mgmt_class,
             enum mad_method method, uint16_t attribute, uint16_t lid)
{
	struct mad_header h = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = method,
		.attribute = attribute,
	};

	memset(mad, 0, MAD_SIZE);
	mad_header_put(mad, &h);
	*to = (struct mad_addr){ .dlid = lid, .qpn = GSI_QP, .qkey = MAD_QKEY_GSI };
}

/*
 * Bits 2-4: 1 bad version, 2 method, 3 method with this attribute not supported,
 * 7 a field of the attribute or the modifier invalid.
 */
enum mad_verdict mad_verdict_of(uint16_t status)
{
	static const enum mad_verdict of_code[8] = {
		MAD_REFUSED, MAD_UNSUPPORTED, MAD_UNSUPPORTED, MAD_UNSUPPORTED,
		MAD_REFUSED, MAD_REFUSED,     MAD_REFUSED,     MAD_UNSUPPORTED,
	};

	if (!status)
		return MAD_OK;
	if (status & 1)
		return MAD_BUSY;
	return of_code[status >> 2 & 7];
}
