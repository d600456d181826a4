/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "wire/mad.h"

/* libibmad takes its buffers non-const even to read them. */
static uint32_t field(const uint8_t *mad, enum MAD_FIELDS f)
{
	return mad_get_field((void *)mad, 0, f);
}

void mad_header_get(const uint8_t *mad, struct mad_header *out)
{
	out->mgmt_class = field(mad, IB_MAD_MGMTCLASS_F);
	out->class_version = field(mad, IB_MAD_CLASSVER_F);
	out->method = field(mad, IB_MAD_METHOD_F) | field(mad, IB_MAD_RESPONSE_F) << 7;
	out->status = field(mad, IB_MAD_STATUS_F);
	if (out->mgmt_class == MAD_CLASS_SMP_DIRECTED)
		out->status = field(mad, IB_DRSMP_STATUS_F);
	out->attribute = field(mad, IB_MAD_ATTRID_F);
	out->modifier = field(mad, IB_MAD_ATTRMOD_F);
	out->tid = mad_get_field64((void *)mad, 0, IB_MAD_TRID_F);
}

void mad_header_put(uint8_t *mad, const struct mad_header *h)
{
	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, h->mgmt_class);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, h->class_version);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, h->method & 0x7f);
	mad_set_field(mad, 0, IB_MAD_RESPONSE_F, h->method >> 7);
	if (h->mgmt_class == MAD_CLASS_SMP_DIRECTED)
		mad_set_field(mad, 0, IB_DRSMP_STATUS_F, h->status);
	else
		mad_set_field(mad, 0, IB_MAD_STATUS_F, h->status);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, h->attribute);
	mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, h->modifier);
	mad_tid_put(mad, h->tid);
}

void mad_tid_put(uint8_t *mad, uint64_t tid)
{
	mad_set_field64(mad, 0, IB_MAD_TRID_F, tid);
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
