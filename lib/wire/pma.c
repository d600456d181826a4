/* SPDX-License-Identifier: BSD-2-Clause */

#include <infiniband/mad.h>

#include "base/array.h"
#include "wire/mad.h"
#include "wire/pma.h"

#define STATUS_REDIRECT 0x02 /* bit 1 of the status (IBA 13.4.7) */

/* ---- queries --------------------------------------------------------------- */

void pma_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct pma_query *q, uint16_t lid)
{
	gmp_put(mad, to, MAD_CLASS_PERFORMANCE, MAD_METHOD_GET, q->attribute, lid);
	mad_set_field(mad + PMA_DATA_OFFSET, 0, IB_PC_PORT_SELECT_F, q->port);
}

/* All of these attributes begin with PortSelect and CounterSelect. */
void pma_clear(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct pma_clear *c, uint16_t lid)
{
	uint8_t *data = mad + PMA_DATA_OFFSET;

	gmp_put(mad, to, MAD_CLASS_PERFORMANCE, MAD_METHOD_SET, c->attribute, lid);
	mad_set_field(data, 0, IB_PC_PORT_SELECT_F, c->port);
	mad_set_field(data, 0, IB_PC_COUNTER_SELECT_F, c->select);
	if (c->attribute == PMA_PORT_COUNTERS)
		mad_set_field(data, 0, IB_PC_COUNTER_SELECT2_F, c->select2);
	else if (c->attribute == PMA_PORT_COUNTERS_EXT)
		mad_set_field(data, 0, IB_PC_EXT_COUNTER_SELECT2_F, c->select2);
}

bool pma_is_redirect(const uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	return h.status & STATUS_REDIRECT;
}

/* ---- ClassPortInfo, PortSamplesControl ----------------------------------------- */

/* libibmad takes its buffers non-const even to read them. */
static uint32_t field(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field((void *)data, 0, f);
}

/* ClassPortInfo (IBA 13.4.8.1) */
void pma_class_info_get(const uint8_t data[PMA_DATA_SIZE], struct pma_class_info *out)
{
	out->cap_mask = field(data, IB_CPI_CAPMASK_F);
	out->cap_mask2 = field(data, IB_CPI_CAPMASK2_F);
	/* its P_Key is of no use: its index in our table is not known */
	out->redirect = (struct mad_addr){
		.dlid = field(data, IB_CPI_REDIRECT_LID_F),
		.qpn = field(data, IB_CPI_REDIRECT_QP_F),
		.qkey = field(data, IB_CPI_REDIRECT_QKEY_F),
		.sl = field(data, IB_CPI_REDIRECT_SL_F),
	};
}

/* PortSamplesControl.Tick (IBA 16.1.3.2) */
uint8_t pma_tick_get(const uint8_t data[PMA_DATA_SIZE])
{
	return field(data, IB_PSC_TICK_F);
}

/* ---- counters ------------------------------------------------------------------ */

#define WORD 4 /* data are counted in words of so many bytes */

/*
 * struct counter_field - where an attribute has a counter
 * @offset, @bits: of its data, in bits; by hand, as libibmad has QP1Dropped where
 *		   VL15Dropped is
 * @unit: what one count is worth
 * @with, @without: capabilities that the device must have, and must not
 */
struct counter_field {
	enum ibc_counter counter;
	uint16_t offset;
	uint8_t bits, unit;
	uint64_t with, without;
};

/* PortCounters (IBA 16.1.3.5) */
static const struct counter_field port_counters[] = {
	{ IBC_SYMBOL_ERROR, 32, 16, 1, 0, 0 },
	{ IBC_LINK_ERROR_RECOVERY, 48, 8, 1, 0, 0 },
	{ IBC_LINK_DOWNED, 56, 8, 1, 0, 0 },
	{ IBC_RCV_ERRORS, 64, 16, 1, 0, 0 },
	{ IBC_RCV_REMOTE_PHYSICAL, 80, 16, 1, 0, 0 },
	{ IBC_RCV_SWITCH_RELAY, 96, 16, 1, 0, 0 },
	{ IBC_XMIT_DISCARDS, 112, 16, 1, 0, 0 },
	{ IBC_XMIT_CONSTRAINT, 128, 8, 1, 0, 0 },
	{ IBC_RCV_CONSTRAINT, 136, 8, 1, 0, 0 },
	{ IBC_LOCAL_LINK_INTEGRITY, 152, 4, 1, 0, 0 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, 156, 4, 1, 0, 0 },
	{ IBC_VL15_DROPPED, 176, 16, 1, 0, 0 },
	{ IBC_QP1_DROPPED, 160, 16, 1, PMA_CAP_QP1_DROPPED, 0 },
	{ IBC_XMIT_WAIT, 320, 32, 1, PMA_CAP_XMIT_WAIT, 0 },
	{ IBC_XMIT_DATA, 192, 32, WORD, 0, PMA_CAPS_EXT },
	{ IBC_RCV_DATA, 224, 32, WORD, 0, PMA_CAPS_EXT },
	{ IBC_XMIT_PKTS, 256, 32, 1, 0, PMA_CAPS_EXT },
	{ IBC_RCV_PKTS, 288, 32, 1, 0, PMA_CAPS_EXT },
};

/* PortCountersExtended (IBA 16.1.4.11) */
static const struct counter_field port_counters_ext[] = {
	{ IBC_XMIT_DATA, 64, 64, WORD, 0, 0 },
	{ IBC_RCV_DATA, 128, 64, WORD, 0, 0 },
	{ IBC_XMIT_PKTS, 192, 64, 1, 0, 0 },
	{ IBC_RCV_PKTS, 256, 64, 1, 0, 0 },
	{ IBC_UNICAST_XMIT_PKTS, 320, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_UNICAST_RCV_PKTS, 384, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_MULTICAST_XMIT_PKTS, 448, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_MULTICAST_RCV_PKTS, 512, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_SYMBOL_ERROR, 576, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LINK_ERROR_RECOVERY, 640, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LINK_DOWNED, 704, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_ERRORS, 768, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_REMOTE_PHYSICAL, 832, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_SWITCH_RELAY, 896, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_XMIT_DISCARDS, 960, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_XMIT_CONSTRAINT, 1024, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_CONSTRAINT, 1088, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LOCAL_LINK_INTEGRITY, 1152, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, 1216, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_VL15_DROPPED, 1280, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_QP1_DROPPED, 1408, 64, 1, PMA_CAP_EXT_ERRORS | PMA_CAP_QP1_DROPPED, 0 },
	{ IBC_XMIT_WAIT, 1344, 64, 1, PMA_CAP_EXT_ERRORS | PMA_CAP_XMIT_WAIT, 0 },
};

/* PortRcvErrorDetails (IBA 16.1.4.1) */
static const struct counter_field rcv_error_details[] = {
	{ IBC_LOCAL_PHYSICAL, 32, 16, 1, 0, 0 }, { IBC_MALFORMED_PACKET, 48, 16, 1, 0, 0 },
	{ IBC_BUFFER_OVERRUN, 64, 16, 1, 0, 0 }, { IBC_DLID_MAPPING, 80, 16, 1, 0, 0 },
	{ IBC_VL_MAPPING, 96, 16, 1, 0, 0 },     { IBC_LOOPING, 112, 16, 1, 0, 0 },
};

/* PortXmitDiscardDetails (IBA 16.1.4.2) */
static const struct counter_field xmit_discard_details[] = {
	{ IBC_INACTIVE_DISCARDS, 32, 16, 1, 0, 0 },
	{ IBC_NEIGHBOR_MTU_DISCARDS, 48, 16, 1, 0, 0 },
	{ IBC_SW_LIFETIME_DISCARDS, 64, 16, 1, 0, 0 },
	{ IBC_SW_HOQ_DISCARDS, 80, 16, 1, 0, 0 },
};

static const struct {
	enum pma_attribute attribute;
	const struct counter_field *fields;
	size_t n;
} attributes[] = {
	{ PMA_PORT_COUNTERS, port_counters, ARRAY_SIZE(port_counters) },
	{ PMA_PORT_COUNTERS_EXT, port_counters_ext, ARRAY_SIZE(port_counters_ext) },
	{ PMA_RCV_ERROR_DETAILS, rcv_error_details, ARRAY_SIZE(rcv_error_details) },
	{ PMA_XMIT_DISCARD_DETAILS, xmit_discard_details, ARRAY_SIZE(xmit_discard_details) },
};

static uint64_t most(const struct counter_field *f)
{
	return UINT64_MAX >> (64 - f->bits);
}

/* All ones say "at least": counters stop there. */
static void counter_put(const struct counter_field *f, uint64_t value, struct ibc_counters *out)
{
	out->known |= 1u << f->counter;
	out->saturated &= ~(1u << f->counter);
	if (value == most(f) || value > UINT64_MAX / f->unit)
		out->saturated |= 1u << f->counter;
	out->value[f->counter] = value > UINT64_MAX / f->unit ? UINT64_MAX : value * f->unit;
}

/* The fields of an attribute, up to *end. */
static const struct counter_field *fields_of(enum pma_attribute attribute,
                                             const struct counter_field **end)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].attribute == attribute) {
			*end = attributes[i].fields + attributes[i].n;
			return attributes[i].fields;
		}
	return *end = NULL;
}

void pma_counters_get(enum pma_attribute attribute, uint64_t caps,
                      const uint8_t data[PMA_DATA_SIZE], struct ibc_counters *out)
{
	const struct counter_field *end, *f = fields_of(attribute, &end);

	for (; f < end; f++) {
		const uint8_t *at = data + f->offset / 8;

		if (f->with & ~caps || f->without & caps)
			continue;
		/* whole bytes, or a part of one */
		counter_put(f,
		            f->bits >= 8 ? bytes_get(at, f->bits / 8)
		                         : *at >> (8 - f->bits - f->offset % 8) & most(f),
		            out);
	}
}

static const struct counter_field *field_of(enum pma_attribute attribute, enum ibc_counter counter)
{
	const struct counter_field *end, *f = fields_of(attribute, &end);

	while (f < end && f->counter != counter)
		f++;
	return f < end ? f : NULL;
}

bool pma_has_counter(enum pma_attribute attribute, enum ibc_counter counter)
{
	return field_of(attribute, counter);
}

bool pma_counter_put(enum pma_attribute attribute, enum ibc_counter counter, uint64_t value,
                     struct ibc_counters *out)
{
	const struct counter_field *f = field_of(attribute, counter);

	if (!f || value > most(f))
		return false;
	counter_put(f, value, out);
	return true;
}

/* PortVLXmitWaitCounters (IBA 16.1.4.8) */
void pma_vl_wait_get(const uint8_t data[PMA_DATA_SIZE], uint64_t out[PMA_VLS])
{
	for (unsigned int vl = 0; vl < PMA_VLS; vl++)
		out[vl] = field(data, IB_PC_PORT_VL_XMIT_WAIT0_F + vl);
}
