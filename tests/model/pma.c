/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include "model/pma.h"

#define STATUS_REDIRECT    0x02
#define STATUS_UNSUPPORTED 0x0c
#define STATUS_INVALID     0x1c
#define GSI_QKEY           0x80010000

/* ---- counters ------------------------------------------------------------------ */

struct put {
	enum ibc_counter counter;
	enum MAD_FIELDS field;
	unsigned int bits, unit;
};

static const struct put put_counters[] = {
	{ IBC_SYMBOL_ERROR, IB_PC_ERR_SYM_F, 16, 1 },
	{ IBC_LINK_ERROR_RECOVERY, IB_PC_LINK_RECOVERS_F, 8, 1 },
	{ IBC_LINK_DOWNED, IB_PC_LINK_DOWNED_F, 8, 1 },
	{ IBC_RCV_ERRORS, IB_PC_ERR_RCV_F, 16, 1 },
	{ IBC_RCV_REMOTE_PHYSICAL, IB_PC_ERR_PHYSRCV_F, 16, 1 },
	{ IBC_RCV_SWITCH_RELAY, IB_PC_ERR_SWITCH_REL_F, 16, 1 },
	{ IBC_XMIT_DISCARDS, IB_PC_XMT_DISCARDS_F, 16, 1 },
	{ IBC_XMIT_CONSTRAINT, IB_PC_ERR_XMTCONSTR_F, 8, 1 },
	{ IBC_RCV_CONSTRAINT, IB_PC_ERR_RCVCONSTR_F, 8, 1 },
	{ IBC_LOCAL_LINK_INTEGRITY, IB_PC_ERR_LOCALINTEG_F, 4, 1 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, IB_PC_ERR_EXCESS_OVR_F, 4, 1 },
	{ IBC_VL15_DROPPED, IB_PC_VL15_DROPPED_F, 16, 1 },
	{ IBC_XMIT_WAIT, IB_PC_XMT_WAIT_F, 32, 1 },
	{ IBC_XMIT_DATA, IB_PC_XMT_BYTES_F, 32, 4 },
	{ IBC_RCV_DATA, IB_PC_RCV_BYTES_F, 32, 4 },
	{ IBC_XMIT_PKTS, IB_PC_XMT_PKTS_F, 32, 1 },
	{ IBC_RCV_PKTS, IB_PC_RCV_PKTS_F, 32, 1 },
	{ IBC_COUNTERS, 0, 0, 0 },
};

static const struct put put_counters_ext[] = {
	{ IBC_XMIT_DATA, IB_PC_EXT_XMT_BYTES_F, 64, 4 },
	{ IBC_RCV_DATA, IB_PC_EXT_RCV_BYTES_F, 64, 4 },
	{ IBC_XMIT_PKTS, IB_PC_EXT_XMT_PKTS_F, 64, 1 },
	{ IBC_RCV_PKTS, IB_PC_EXT_RCV_PKTS_F, 64, 1 },
	{ IBC_UNICAST_XMIT_PKTS, IB_PC_EXT_XMT_UPKTS_F, 64, 1 },
	{ IBC_UNICAST_RCV_PKTS, IB_PC_EXT_RCV_UPKTS_F, 64, 1 },
	{ IBC_MULTICAST_XMIT_PKTS, IB_PC_EXT_XMT_MPKTS_F, 64, 1 },
	{ IBC_MULTICAST_RCV_PKTS, IB_PC_EXT_RCV_MPKTS_F, 64, 1 },
	{ IBC_COUNTERS, 0, 0, 0 },
};

static const struct put put_errors_ext[] = {
	{ IBC_SYMBOL_ERROR, IB_PC_EXT_ERR_SYM_F, 64, 1 },
	{ IBC_LINK_ERROR_RECOVERY, IB_PC_EXT_LINK_RECOVERS_F, 64, 1 },
	{ IBC_LINK_DOWNED, IB_PC_EXT_LINK_DOWNED_F, 64, 1 },
	{ IBC_RCV_ERRORS, IB_PC_EXT_ERR_RCV_F, 64, 1 },
	{ IBC_RCV_REMOTE_PHYSICAL, IB_PC_EXT_ERR_PHYSRCV_F, 64, 1 },
	{ IBC_RCV_SWITCH_RELAY, IB_PC_EXT_ERR_SWITCH_REL_F, 64, 1 },
	{ IBC_XMIT_DISCARDS, IB_PC_EXT_XMT_DISCARDS_F, 64, 1 },
	{ IBC_XMIT_CONSTRAINT, IB_PC_EXT_ERR_XMTCONSTR_F, 64, 1 },
	{ IBC_RCV_CONSTRAINT, IB_PC_EXT_ERR_RCVCONSTR_F, 64, 1 },
	{ IBC_LOCAL_LINK_INTEGRITY, IB_PC_EXT_ERR_LOCALINTEG_F, 64, 1 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, IB_PC_EXT_ERR_EXCESS_OVR_F, 64, 1 },
	{ IBC_VL15_DROPPED, IB_PC_EXT_VL15_DROPPED_F, 64, 1 },
	{ IBC_QP1_DROPPED, IB_PC_EXT_QP1_DROP_F, 64, 1 },
	{ IBC_XMIT_WAIT, IB_PC_EXT_XMT_WAIT_F, 64, 1 },
	{ IBC_COUNTERS, 0, 0, 0 },
};

static const struct put put_rcv_errors[] = {
	{ IBC_LOCAL_PHYSICAL, IB_PC_RCV_LOCAL_PHY_ERR_F, 16, 1 },
	{ IBC_MALFORMED_PACKET, IB_PC_RCV_MALFORMED_PKT_ERR_F, 16, 1 },
	{ IBC_BUFFER_OVERRUN, IB_PC_RCV_BUF_OVR_ERR_F, 16, 1 },
	{ IBC_DLID_MAPPING, IB_PC_RCV_DLID_MAP_ERR_F, 16, 1 },
	{ IBC_VL_MAPPING, IB_PC_RCV_VL_MAP_ERR_F, 16, 1 },
	{ IBC_LOOPING, IB_PC_RCV_LOOPING_ERR_F, 16, 1 },
	{ IBC_COUNTERS, 0, 0, 0 },
};

static const struct put put_xmit_discards[] = {
	{ IBC_INACTIVE_DISCARDS, IB_PC_XMT_INACT_DISC_F, 16, 1 },
	{ IBC_NEIGHBOR_MTU_DISCARDS, IB_PC_XMT_NEIGH_MTU_DISC_F, 16, 1 },
	{ IBC_SW_LIFETIME_DISCARDS, IB_PC_XMT_SW_LIFE_DISC_F, 16, 1 },
	{ IBC_SW_HOQ_DISCARDS, IB_PC_XMT_SW_HOL_DISC_F, 16, 1 },
	{ IBC_COUNTERS, 0, 0, 0 },
};

/* Counters stop at all ones. */
static void put_all(const struct put *p, const struct ibc_counters *in, uint8_t *data)
{
	for (; p->counter != IBC_COUNTERS; p++) {
		uint64_t most = UINT64_MAX >> (64 - p->bits);
		uint64_t value = in->value[p->counter];

		if (value != UINT64_MAX)
			value /= p->unit;
		if (value > most)
			value = most;
		if (p->bits == 64)
			mad_set_field64(data, 0, p->field, value);
		else
			mad_set_field(data, 0, p->field, (uint32_t)value);
	}
}

/* IBA 16.1.3.5: in front of VL15Dropped; libibmad has it in the same place. */
static void put_qp1_dropped(uint64_t value, uint8_t *data)
{
	if (value > UINT16_MAX)
		value = UINT16_MAX;
	data[20] = (uint8_t)(value >> 8);
	data[21] = (uint8_t)value;
}

void pma_counters_put(uint16_t attribute, bool with_errors, const struct ibc_counters *in,
                      uint8_t data[PMA_DATA_SIZE])
{
	memset(data, 0, PMA_DATA_SIZE);
	if (attribute == PMA_PORT_COUNTERS) {
		put_all(put_counters, in, data);
		put_qp1_dropped(in->value[IBC_QP1_DROPPED], data);
	}
	if (attribute == PMA_PORT_COUNTERS_EXT)
		put_all(put_counters_ext, in, data);
	if (attribute == PMA_PORT_COUNTERS_EXT && with_errors)
		put_all(put_errors_ext, in, data);
	if (attribute == PMA_RCV_ERROR_DETAILS)
		put_all(put_rcv_errors, in, data);
	if (attribute == PMA_XMIT_DISCARD_DETAILS)
		put_all(put_xmit_discards, in, data);
}

/* ---- attributes ------------------------------------------------------------------ */

static void put_class_info(const struct model_pma *pma, const struct mad_addr *elsewhere,
                           uint8_t *data)
{
	const uint32_t all_ports = 1 << 8, ext = 1 << 9, xmit_wait = 1 << 12, ext_errors = 1 << 1;

	memset(data, 0, PMA_DATA_SIZE);
	mad_set_field(data, 0, IB_CPI_BASEVER_F, 1);
	mad_set_field(data, 0, IB_CPI_CLASSVER_F, 1);
	mad_set_field(data, 0, IB_CPI_CAPMASK_F, all_ports | xmit_wait | (pma->no_ext ? 0 : ext));
	mad_set_field(data, 0, IB_CPI_CAPMASK2_F, pma->ext_errors ? ext_errors : 0);
	mad_set_field(data, 0, IB_CPI_RESP_TIME_VALUE_F, 18);
	if (!elsewhere)
		return;
	mad_set_field(data, 0, IB_CPI_REDIRECT_LID_F, elsewhere->dlid);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QP_F, elsewhere->qpn);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QKEY_F, elsewhere->qkey);
	mad_set_field(data, 0, IB_CPI_REDIRECT_SL_F, elsewhere->sl);
}

static void put_vl_wait(const struct ibc_counters *c, uint8_t *data)
{
	memset(data, 0, PMA_DATA_SIZE);
	for (unsigned int vl = 0; c->vl_wait && vl < PMA_VLS; vl++)
		mad_set_field(data, 0, IB_PC_PORT_VL_XMIT_WAIT0_F + vl, (uint32_t)c->vl_wait[vl]);
}

static bool has_attribute(const struct model_pma *pma, uint16_t attribute)
{
	switch (attribute) {
	case PMA_CLASS_PORT_INFO:
		return !pma->no_class_info;
	case PMA_PORT_COUNTERS_EXT:
		return !pma->no_ext && !pma->empty_promise;
	case PMA_RCV_ERROR_DETAILS:
	case PMA_XMIT_DISCARD_DETAILS:
		return !pma->no_details;
	}
	return attribute == PMA_PORT_COUNTERS || attribute == PMA_PORT_SAMPLES_CONTROL ||
	       attribute == PMA_VL_XMIT_WAIT;
}

#define ALL_PORTS 255 /* AllPortSelect (IBA 16.1.3.1) */

/* The sum of all ports is told by the first that counted: it differs from 0 where the sum does. */
static const struct ibc_port *port_that_counted(const struct ibc_node *node)
{
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
		if (p->counters)
			return p;
	return ibc_node_port(node, 1);
}

/* An adapter's port tells of itself alone. */
static const struct ibc_port *selected(const struct pma_place *at, unsigned int num)
{
	const struct ibc_port *p = ibc_node_port(at->node, num);

	if (num == ALL_PORTS && at->node->num_ports < ALL_PORTS)
		return port_that_counted(at->node);

	if (p && at->node->type != IBC_NODE_SWITCH && p->lid != at->to->dlid && !(at->to->qpn > 1))
		return NULL;
	return p;
}

int model_pma_answer(const struct model_pma *pma, const struct pma_place *at, uint16_t attribute,
                     uint8_t data[PMA_DATA_SIZE])
{
	static const struct ibc_counters none;
	const struct mad_addr *elsewhere = pma->redirect.dlid ? &pma->redirect : NULL;
	const struct ibc_port *port = selected(at, data[1]);
	const struct ibc_counters *c = port && port->counters ? port->counters : &none;

	if (pma->silent || at->to->qkey != GSI_QKEY)
		return PMA_SAYS_NOTHING;
	if (elsewhere && at->to->qpn != elsewhere->qpn) {
		put_class_info(pma, elsewhere, data);
		return STATUS_REDIRECT;
	}
	if (pma->silent_samples && attribute == PMA_PORT_SAMPLES_CONTROL)
		return PMA_SAYS_NOTHING;
	if (!has_attribute(pma, attribute))
		return STATUS_UNSUPPORTED;
	if (attribute != PMA_CLASS_PORT_INFO && !port)
		return STATUS_INVALID;
	if (attribute == PMA_CLASS_PORT_INFO)
		put_class_info(pma, NULL, data);
	else if (attribute == PMA_PORT_SAMPLES_CONTROL)
		mad_set_field(data, 0, IB_PSC_TICK_F, at->node->xmit_wait_tick);
	else if (attribute == PMA_VL_XMIT_WAIT)
		put_vl_wait(c, data);
	else
		pma_counters_put(attribute, pma->ext_errors, c, data);
	return 0;
}
