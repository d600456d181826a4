/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/secrets.h"

#include <string.h>

#include "base/array.h"
#include "wire/mad.h"
#include "wire/registers.h"
#include "wire/sa.h"
#include "wire/vendor.h"

#define ANY            0    /* attribute or class: all of them */
#define VENDOR_1_FIRST 0x09 /* vendor classes of range 1 (IBA 13.4.4) */
#define VENDOR_1_LAST  0x0f /* the last of them */
#define CLASS_BM       0x05 /* baseboard management: B_Key (IBA 16.2.1) */
#define CLASS_CC       0x21 /* congestion control: CC_Key (IBA A10.3.1) */
#define SERIAL_AT      0x44 /* of PDDR 3, as TEXT_SERIAL */
#define SA_STRIDE      44   /* AttributeOffset of the SA header (IBA 15.2.1.1) */

/*
 * struct secret_field - one place
 * @size: 0: there is nothing to hide in the attribute
 * @offset: in the MAD; of an attribute of subnet administration in each of its records
 * Offsets of attributes: IBA 14.2.5 (SMP), 15.2.5 (SA), 13.4.8.1 (ClassPortInfo), 13.4.8.2
 * (Notice).
 */
static const struct secret_field {
	uint8_t mgmt_class;
	uint16_t attribute;
	enum secret what;
	uint8_t offset, size, times;
} fields[] = {
	{ MAD_CLASS_SMP, ANY, SECRET_KEY, 24, 8, 1 },     /* M_Key */
	{ MAD_CLASS_SMP, 0x02, SECRET_KEY, 74, 54, 1 },   /* Notice: details may quote a key */
	{ MAD_CLASS_SMP, 0x10, SECRET_NAME, 64, 64, 1 },  /* NodeDescription */
	{ MAD_CLASS_SMP, 0x11, SECRET_GUID, 68, 8, 3 },   /* NodeInfo: system, node, port */
	{ MAD_CLASS_SMP, 0x12, SECRET_KEY, 0, 0, 0 },     /* SwitchInfo */
	{ MAD_CLASS_SMP, 0x14, SECRET_GUID, 64, 8, 8 },   /* GUIDInfo */
	{ MAD_CLASS_SMP, 0x15, SECRET_KEY, 64, 8, 1 },    /* PortInfo: M_Key ... */
	{ MAD_CLASS_SMP, 0x15, SECRET_PREFIX, 72, 8, 1 }, /* ... and GidPrefix */
	{ MAD_CLASS_SMP, 0x16, SECRET_KEY, 0, 0, 0 },     /* P_KeyTable */
	{ MAD_CLASS_SMP, 0x17, SECRET_KEY, 0, 0, 0 },     /* SLtoVLMappingTable */
	{ MAD_CLASS_SMP, 0x18, SECRET_KEY, 0, 0, 0 },     /* VLArbitrationTable */
	{ MAD_CLASS_SMP, 0x19, SECRET_KEY, 0, 0, 0 },     /* LinearForwardingTable */
	{ MAD_CLASS_SMP, 0x1b, SECRET_KEY, 0, 0, 0 },     /* MulticastForwardingTable */
	{ MAD_CLASS_SMP, 0x20, SECRET_GUID, 64, 8, 1 },   /* SMInfo: port GUID ... */
	{ MAD_CLASS_SMP, 0x20, SECRET_KEY, 72, 8, 1 },    /* ... and SM_Key */
	{ MAD_CLASS_SMP, 0xff10, SECRET_KEY, 0, 0, 0 },   /* PrivateLFTInfo */
	{ MAD_CLASS_SMP, 0xff17, SECRET_KEY, 0, 0, 0 },   /* GeneralInfo */
	{ MAD_CLASS_SMP, 0xff20, SECRET_KEY, 0, 0, 0 },   /* AdaptiveRoutingInfo */
	{ MAD_CLASS_SMP, 0xff21, SECRET_KEY, 0, 0, 0 },   /* ARGroupTable */
	{ MAD_CLASS_SMP, 0xff23, SECRET_KEY, 0, 0, 0 },   /* ARLinearForwardingTable */
	{ MAD_CLASS_SMP, 0xff90, SECRET_KEY, 0, 0, 0 },   /* MlnxExtPortInfo */
	{ MAD_CLASS_SMP, 0xff91, SECRET_KEY, 0, 0, 0 },   /* ExtendedNodeInfo */
	{ MAD_CLASS_SMP, 0xffb0, SECRET_KEY, 0, 0, 0 },   /* VirtualizationInfo */
	{ MAD_CLASS_SMP, 0xffb1, SECRET_GUID, 76, 8, 2 }, /* VPortInfo: port, profile */
	{ MAD_CLASS_SMP, 0xffd0, SECRET_KEY, 0, 0, 0 },   /* RouterInfo */
	{ MAD_CLASS_SA, ANY, SECRET_KEY, 36, 8, 1 },      /* SM_Key */
	{ MAD_CLASS_SA, 0x01, SECRET_GID, 8, 16, 1 },     /* ClassPortInfo: redirect ... */
	{ MAD_CLASS_SA, 0x01, SECRET_GID, 40, 16, 1 },    /* ... and trap */
	{ MAD_CLASS_SA, 0x01, SECRET_UNUSED, 72, 128, 1 },
	{ MAD_CLASS_SA, 0x02, SECRET_KEY, 10, 54, 1 },          /* Notice */
	{ MAD_CLASS_SA, 0x02, SECRET_GID, 64, 16, 1 },          /* its issuer */
	{ MAD_CLASS_SA, 0x11, SECRET_GUID, 8, 8, 3 },           /* NodeRecord */
	{ MAD_CLASS_SA, 0x11, SECRET_NAME, 44, 64, 1 },         /* its NodeDescription */
	{ MAD_CLASS_SA, 0x12, SECRET_KEY, 4, 8, 1 },            /* PortInfoRecord: M_Key ... */
	{ MAD_CLASS_SA, 0x12, SECRET_PREFIX, 12, 8, 1 },        /* ... and GidPrefix */
	{ MAD_CLASS_SA, 0x18, SECRET_GUID, 4, 8, 1 },           /* SMInfoRecord: port GUID ... */
	{ MAD_CLASS_SA, 0x18, SECRET_KEY, 12, 8, 1 },           /* ... and SM_Key */
	{ MAD_CLASS_SA, 0x30, SECRET_GUID, 8, 8, 8 },           /* GUIDInfoRecord */
	{ MAD_CLASS_SA, 0x31, SECRET_GID, 8, 16, 1 },           /* ServiceRecord: ServiceGID ... */
	{ MAD_CLASS_SA, 0x31, SECRET_KEY, 32, 16, 1 },          /* ... ServiceKey ... */
	{ MAD_CLASS_SA, 0x31, SECRET_NAME, 48, 64, 1 },         /* ... ServiceName ... */
	{ MAD_CLASS_SA, 0x31, SECRET_OTHER, 112, 64, 1 },       /* ... and ServiceData */
	{ MAD_CLASS_SA, 0x35, SECRET_GID, 8, 16, 2 },           /* PathRecord: DGID, SGID */
	{ MAD_CLASS_SA, 0x38, SECRET_MGID, 0, 16, 1 },          /* MCMemberRecord: MGID ... */
	{ MAD_CLASS_SA, 0x38, SECRET_GID, 16, 16, 1 },          /* ... and PortGID */
	{ MAD_CLASS_PERFORMANCE, ANY, SECRET_KEY, 24, 8, 1 },   /* PM_Key */
	{ MAD_CLASS_PERFORMANCE, 0x01, SECRET_GID, 72, 16, 1 }, /* ClassPortInfo, as above */
	{ MAD_CLASS_PERFORMANCE, 0x01, SECRET_GID, 104, 16, 1 },
	{ CLASS_BM, ANY, SECRET_KEY, 24, 8, 1 },
	{ CLASS_CC, ANY, SECRET_KEY, 24, 8, 1 },
	{ VENDOR_1_FIRST, ANY, SECRET_KEY, 24, 8, 1 }, /* V_Key */
	{ VENDOR_1_FIRST, 0x17, SECRET_KEY, 0, 0, 0 }, /* GeneralInfo */
};

/* The bytes of a MAD, and who sees what in them. */
struct visitor {
	uint8_t *mad;
	size_t length;
	void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n);
	void *ctx;
};

#define SMP_HOP_COUNT 7   /* of a directed SMP (IBA 14.2.1.2) ... */
#define SMP_PATHS     128 /* ... its two paths; in others nothing */
#define SMP_PATH      64  /* bytes of one: of each hop one, from the second on */

static void visit_range(const struct visitor *v, enum secret what, size_t at, size_t n)
{
	if (at >= v->length)
		return;
	if (n > v->length - at)
		v->visit(v->ctx, what == SECRET_KEY ? SECRET_KEY : SECRET_OTHER, v->mad + at,
		         v->length - at);
	else if (what == SECRET_GID && v->mad[at] != 0xff)
		for (size_t half = 0; half < 16; half += 8)
			v->visit(v->ctx, half ? SECRET_GUID : SECRET_PREFIX, v->mad + at + half, 8);
	else
		v->visit(v->ctx, what == SECRET_GID ? SECRET_MGID : what, v->mad + at, n);
}

/* Behind what an SMP uses is what was in the memory of the sender. */
static void visit_unused(const struct visitor *v, bool directed)
{
	const size_t hops = v->mad[SMP_HOP_COUNT], used = directed ? hops + 1 : 0;

	for (size_t at = SMP_PATHS; used < SMP_PATH && at < SMP_PATHS + 2 * SMP_PATH;
	     at += SMP_PATH)
		visit_range(v, SECRET_UNUSED, at + used, SMP_PATH - used);
}

void mad_secrets(uint8_t *mad, size_t length,
                 void (*visit)(void *ctx, enum secret what, uint8_t *bytes, size_t n), void *ctx)
{
	struct visitor v = { mad, length, visit, ctx };
	struct mad_header h;
	struct register_query query;
	size_t stride, end;
	bool known, later = false;

	if (length < MAD_HEADER_SIZE)
		return;
	mad_header_get(mad, &h);
	known = h.mgmt_class == MAD_CLASS_PERFORMANCE;
	if (h.mgmt_class == MAD_CLASS_VENDOR && h.attribute == VENDOR_ACCESS_REGISTER &&
	    length >= MAD_SIZE && register_query_get(mad, &query)) {
		known = true;
		if (query.id == REGISTER_PDDR && query.select == PDDR_MODULE)
			visit_range(&v, SECRET_SERIAL, REGISTER_OFFSET + SERIAL_AT, 16);
	}
	if (h.mgmt_class == MAD_CLASS_SA && length == MAD_SIZE && sa_segment_number(mad)) {
		/* where records begin in it is known to who has those before it */
		later = sa_segment_number(mad) > 1;
		end = later ? SA_HEADER_SIZE : sa_segment_length(mad);
		visit_range(&v, later ? SECRET_OTHER : SECRET_UNUSED, end, MAD_SIZE);
		v.length = end;
	}
	if (h.mgmt_class == MAD_CLASS_SMP || h.mgmt_class == MAD_CLASS_SMP_DIRECTED)
		visit_unused(&v, h.mgmt_class == MAD_CLASS_SMP_DIRECTED);
	/* directed SMPs hold what the others hold, and one row is for all vendors */
	if (h.mgmt_class == MAD_CLASS_SMP_DIRECTED)
		h.mgmt_class = MAD_CLASS_SMP;
	if (h.mgmt_class >= VENDOR_1_FIRST && h.mgmt_class <= VENDOR_1_LAST)
		h.mgmt_class = VENDOR_1_FIRST;
	/* records lie AttributeOffset * 8 bytes apart; a query, or an answer to Get, has one */
	stride = length >= SA_HEADER_SIZE ? bytes_get(mad + SA_STRIDE, 2) * 8 : 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct secret_field *f = &fields[i];
		bool in_records = f->mgmt_class == MAD_CLASS_SA && f->attribute != ANY;
		size_t at = in_records ? SA_HEADER_SIZE : 0;

		if (f->mgmt_class != h.mgmt_class ||
		    (f->attribute != ANY && f->attribute != h.attribute) || (later && in_records))
			continue;
		known |= f->attribute != ANY;
		do {
			for (size_t k = 0; k < f->times; k++)
				visit_range(&v, f->what, at + f->offset + k * f->size, f->size);
			at += stride;
		} while (in_records && stride && at < v.length);
	}
	if (!known && !later)
		visit_range(&v, SECRET_OTHER, h.mgmt_class == MAD_CLASS_SMP ? 64 : MAD_HEADER_SIZE,
		            h.mgmt_class == MAD_CLASS_SMP ? 64 : length);
}

static void hide_key(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	(void)ctx;
	if (what == SECRET_KEY)
		memset(bytes, 0, n);
}

void mad_hide_keys(uint8_t *mad, size_t length)
{
	mad_secrets(mad, length, hide_key, NULL);
}
