/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include "wire/mad.h"
#include "wire/pma.h"

#define GSI_QP          1
#define GSI_QKEY        0x80010000
#define STATUS_REDIRECT 0x02

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- questions --------------------------------------------------------------- */

/* The default partition is the first a port is a member of: it has index 0. */
void pma_get(uint8_t mad[MAD_SIZE], struct mad_addr *to, const struct pma_question *q, uint16_t lid)
{
	struct mad_header h = {
		.mgmt_class = MAD_CLASS_PERFORMANCE,
		.class_version = 1,
		.method = MAD_METHOD_GET,
		.attribute = q->attribute,
	};

	memset(mad, 0, MAD_SIZE);
	mad_header_put(mad, &h);
	mad_set_field(mad + PMA_DATA_OFFSET, 0, IB_PC_PORT_SELECT_F, q->port);
	*to = (struct mad_addr){ .dlid = lid, .qpn = GSI_QP, .qkey = GSI_QKEY };
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

void pma_class_info_get(const uint8_t data[PMA_DATA_SIZE], struct pma_class_info *out)
{
	out->cap_mask = field(data, IB_CPI_CAPMASK_F);
	out->cap_mask2 = field(data, IB_CPI_CAPMASK2_F);
	/* its P_Key is of no use: which index that has in our table nobody tells */
	out->redirect = (struct mad_addr){
		.dlid = field(data, IB_CPI_REDIRECT_LID_F),
		.qpn = field(data, IB_CPI_REDIRECT_QP_F),
		.qkey = field(data, IB_CPI_REDIRECT_QKEY_F),
		.sl = field(data, IB_CPI_REDIRECT_SL_F),
	};
}

uint8_t pma_tick_get(const uint8_t data[PMA_DATA_SIZE])
{
	return field(data, IB_PSC_TICK_F);
}

/* ---- counters ------------------------------------------------------------------ */

#define WORD 4 /* data are counted in words of so many bytes */

/*
 * struct counter_field - where an attribute has a counter
 * @unit: what one count is worth
 * @with, @without: capabilities that the device must have, and must not
 */
struct counter_field {
	enum ibc_counter counter;
	enum MAD_FIELDS field;
	uint8_t bits, unit;
	uint64_t with, without;
};

static const struct counter_field port_counters[] = {
	{ IBC_SYMBOL_ERROR, IB_PC_ERR_SYM_F, 16, 1, 0, 0 },
	{ IBC_LINK_ERROR_RECOVERY, IB_PC_LINK_RECOVERS_F, 8, 1, 0, 0 },
	{ IBC_LINK_DOWNED, IB_PC_LINK_DOWNED_F, 8, 1, 0, 0 },
	{ IBC_RCV_ERRORS, IB_PC_ERR_RCV_F, 16, 1, 0, 0 },
	{ IBC_RCV_REMOTE_PHYSICAL, IB_PC_ERR_PHYSRCV_F, 16, 1, 0, 0 },
	{ IBC_RCV_SWITCH_RELAY, IB_PC_ERR_SWITCH_REL_F, 16, 1, 0, 0 },
	{ IBC_XMIT_DISCARDS, IB_PC_XMT_DISCARDS_F, 16, 1, 0, 0 },
	{ IBC_XMIT_CONSTRAINT, IB_PC_ERR_XMTCONSTR_F, 8, 1, 0, 0 },
	{ IBC_RCV_CONSTRAINT, IB_PC_ERR_RCVCONSTR_F, 8, 1, 0, 0 },
	{ IBC_LOCAL_LINK_INTEGRITY, IB_PC_ERR_LOCALINTEG_F, 4, 1, 0, 0 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, IB_PC_ERR_EXCESS_OVR_F, 4, 1, 0, 0 },
	{ IBC_VL15_DROPPED, IB_PC_VL15_DROPPED_F, 16, 1, 0, 0 },
	{ IBC_QP1_DROPPED, IB_PC_QP1_DROP_F, 16, 1, PMA_CAP_QP1_DROPPED, 0 },
	{ IBC_XMIT_WAIT, IB_PC_XMT_WAIT_F, 32, 1, PMA_CAP_XMIT_WAIT, 0 },
	{ IBC_XMIT_DATA, IB_PC_XMT_BYTES_F, 32, WORD, 0, PMA_CAPS_EXT },
	{ IBC_RCV_DATA, IB_PC_RCV_BYTES_F, 32, WORD, 0, PMA_CAPS_EXT },
	{ IBC_XMIT_PKTS, IB_PC_XMT_PKTS_F, 32, 1, 0, PMA_CAPS_EXT },
	{ IBC_RCV_PKTS, IB_PC_RCV_PKTS_F, 32, 1, 0, PMA_CAPS_EXT },
};

static const struct counter_field port_counters_ext[] = {
	{ IBC_XMIT_DATA, IB_PC_EXT_XMT_BYTES_F, 64, WORD, 0, 0 },
	{ IBC_RCV_DATA, IB_PC_EXT_RCV_BYTES_F, 64, WORD, 0, 0 },
	{ IBC_XMIT_PKTS, IB_PC_EXT_XMT_PKTS_F, 64, 1, 0, 0 },
	{ IBC_RCV_PKTS, IB_PC_EXT_RCV_PKTS_F, 64, 1, 0, 0 },
	{ IBC_UNICAST_XMIT_PKTS, IB_PC_EXT_XMT_UPKTS_F, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_UNICAST_RCV_PKTS, IB_PC_EXT_RCV_UPKTS_F, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_MULTICAST_XMIT_PKTS, IB_PC_EXT_XMT_MPKTS_F, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_MULTICAST_RCV_PKTS, IB_PC_EXT_RCV_MPKTS_F, 64, 1, PMA_CAP_EXT, 0 },
	{ IBC_SYMBOL_ERROR, IB_PC_EXT_ERR_SYM_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LINK_ERROR_RECOVERY, IB_PC_EXT_LINK_RECOVERS_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LINK_DOWNED, IB_PC_EXT_LINK_DOWNED_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_ERRORS, IB_PC_EXT_ERR_RCV_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_REMOTE_PHYSICAL, IB_PC_EXT_ERR_PHYSRCV_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_SWITCH_RELAY, IB_PC_EXT_ERR_SWITCH_REL_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_XMIT_DISCARDS, IB_PC_EXT_XMT_DISCARDS_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_XMIT_CONSTRAINT, IB_PC_EXT_ERR_XMTCONSTR_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_RCV_CONSTRAINT, IB_PC_EXT_ERR_RCVCONSTR_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_LOCAL_LINK_INTEGRITY, IB_PC_EXT_ERR_LOCALINTEG_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, IB_PC_EXT_ERR_EXCESS_OVR_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_VL15_DROPPED, IB_PC_EXT_VL15_DROPPED_F, 64, 1, PMA_CAP_EXT_ERRORS, 0 },
	{ IBC_QP1_DROPPED, IB_PC_EXT_QP1_DROP_F, 64, 1, PMA_CAP_EXT_ERRORS | PMA_CAP_QP1_DROPPED,
	  0 },
	{ IBC_XMIT_WAIT, IB_PC_EXT_XMT_WAIT_F, 64, 1, PMA_CAP_EXT_ERRORS | PMA_CAP_XMIT_WAIT, 0 },
};

static const struct counter_field rcv_error_details[] = {
	{ IBC_LOCAL_PHYSICAL, IB_PC_RCV_LOCAL_PHY_ERR_F, 16, 1, 0, 0 },
	{ IBC_MALFORMED_PACKET, IB_PC_RCV_MALFORMED_PKT_ERR_F, 16, 1, 0, 0 },
	{ IBC_BUFFER_OVERRUN, IB_PC_RCV_BUF_OVR_ERR_F, 16, 1, 0, 0 },
	{ IBC_DLID_MAPPING, IB_PC_RCV_DLID_MAP_ERR_F, 16, 1, 0, 0 },
	{ IBC_VL_MAPPING, IB_PC_RCV_VL_MAP_ERR_F, 16, 1, 0, 0 },
	{ IBC_LOOPING, IB_PC_RCV_LOOPING_ERR_F, 16, 1, 0, 0 },
};

static const struct counter_field xmit_discard_details[] = {
	{ IBC_INACTIVE_DISCARDS, IB_PC_XMT_INACT_DISC_F, 16, 1, 0, 0 },
	{ IBC_NEIGHBOR_MTU_DISCARDS, IB_PC_XMT_NEIGH_MTU_DISC_F, 16, 1, 0, 0 },
	{ IBC_SW_LIFETIME_DISCARDS, IB_PC_XMT_SW_LIFE_DISC_F, 16, 1, 0, 0 },
	{ IBC_SW_HOQ_DISCARDS, IB_PC_XMT_SW_HOL_DISC_F, 16, 1, 0, 0 },
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

/* All ones say "at least": counters stop there. */
static void counter_get(const struct counter_field *f, const uint8_t *data,
                        struct ibc_counters *out)
{
	uint64_t most = UINT64_MAX >> (64 - f->bits);
	uint64_t value = f->bits == 64 ? mad_get_field64((void *)data, 0, f->field)
	                               : field(data, f->field);

	out->known |= 1u << f->counter;
	out->saturated &= ~(1u << f->counter);
	if (value == most || value > UINT64_MAX / f->unit)
		out->saturated |= 1u << f->counter;
	out->value[f->counter] = value > UINT64_MAX / f->unit ? UINT64_MAX : value * f->unit;
}

void pma_counters_get(enum pma_attribute attribute, uint64_t caps,
                      const uint8_t data[PMA_DATA_SIZE], struct ibc_counters *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		const struct counter_field *f = attributes[i].fields;

		if (attributes[i].attribute != attribute)
			continue;
		for (const struct counter_field *end = f + attributes[i].n; f < end; f++)
			if ((f->with & ~caps) == 0 && (f->without & caps) == 0)
				counter_get(f, data, out);
	}
}

void pma_vl_wait_get(const uint8_t data[PMA_DATA_SIZE], uint64_t out[PMA_VLS])
{
	for (unsigned int vl = 0; vl < PMA_VLS; vl++)
		out[vl] = field(data, IB_PC_PORT_VL_XMIT_WAIT0_F + vl);
}
