/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes decode, and what comes out is what the model knows. */
#include <assert.h>
#include <string.h>

#include <ibcheck/fabric.h>

#include "wire/adaptive.h"
#include "wire/mad.h"
#include "wire/smp.h"
#include "wire/tables.h"
#include "wire/virtual.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_one_or_none(unsigned int set)
{
	return (set & (set - 1)) == 0;
}

static void decode_ports(const uint8_t data[SMP_DATA_SIZE])
{
	struct mlnx_ext_port_info ext;
	struct ibc_phy phy = { 0 };
	struct port_info pi;

	port_info_get(data, &pi);
	assert(pi.state <= IBC_STATE_ACTIVE && pi.phys_state <= IBC_PHYS_TEST);
	assert(is_one_or_none(pi.width_active) && pi.width_active <= IBC_WIDTH_2X);
	assert(is_one_or_none(pi.speed_active) && pi.speed_active <= IBC_SPEED_XDR);
	assert(pi.lmc <= 7);
	mlnx_ext_port_info_get(data, &ext);
	assert(is_one_or_none(ext.speed_active) && ext.speed_active <= IBC_SPEED_XDR);
	ext_port_values_get(data, &phy);
	assert(phy.known >> IBC_PHY_VALUES == 0);
	assert(phy.value[IBC_PHY_PORT_TYPE] <= IBC_PORT_SPECIAL);
	assert(ibc_port_type_word(phy.value[IBC_PHY_PORT_TYPE])->name[0]);
	assert(ibc_phy_unhealthy(phy.value[IBC_PHY_UNHEALTHY])->text[0]);
}

static void decode_nodes(const uint8_t data[SMP_DATA_SIZE])
{
	struct switch_info si;
	struct node_info ni;

	node_info_get(data, &ni);
	assert(ni.type <= IBC_NODE_ROUTER);
	mlnx_ext_port_info_known(ni.vendor_id, ni.device_id);
	switch_info_get(data, &si);
}

static void decode_tables(const uint8_t data[SMP_DATA_SIZE])
{
	uint16_t words[SMP_BLOCK_WORDS];
	struct ibc_vl_slot slots[SMP_VL_SLOTS];
	uint8_t vl[SMP_SLS];
	uint16_t entries[AR_LFT_LIDS];
	uint8_t ports[AR_LFT_LIDS];
	struct ibc_port_set set;
	struct ibc_ar_info ar;
	struct sm_info sm;

	ar_lft_get(data, entries, ports);
	for (unsigned int i = 0; i < AR_LFT_LIDS; i++)
		assert((entries[i] & AR_NO_GROUP) < IBC_AR_GROUPS ||
		       (entries[i] & AR_NO_GROUP) == AR_NO_GROUP);
	for (unsigned int reading = 0; reading < AR_READINGS; reading++)
		assert(ar_mask_get(data, reading, &set) || reading & AR_FROM_ONE);
	private_lfts_get(data);
	ar_info_get(data, &ar);
	assert(ar.group_cap < 4096 && ar.group_top < 4096 && ar.sub_groups < 16);
	sm_info_get(data, &sm);
	assert(sm.state <= IBC_SM_MASTER && sm.priority <= 15);
	block_words_get(data, words);
	assert(words[0] >> 8 == data[0] && (words[31] & 0xff) == data[63]);
	sl2vl_get(data, vl);
	for (unsigned int sl = 0; sl < SMP_SLS; sl++)
		assert(vl[sl] <= 15);
	vl_slots_get(data, slots);
	for (unsigned int i = 0; i < SMP_VL_SLOTS; i++)
		assert(slots[i].vl <= 15 && slots[i].weight == data[2 * i + 1]);
}

static void decode_virtual(const uint8_t data[SMP_DATA_SIZE])
{
	struct ibc_vports vports;
	struct ibc_vport vport;
	struct ibc_router router;

	virtualization_get(data, &vports);
	assert(!vports.vports && vports.cap >> 8 == data[0] && (vports.top & 0xff) == data[3]);
	if (vport_get(data, 7, &vport))
		assert(vport.index == 7 && vport.state <= IBC_STATE_ACTIVE && vport.lid < 0xc000);
	router_get(data, &router);
	assert(router.global.last <= 0xfffff && router.local.first <= 0xfffff);
}

static void decode_header(const uint8_t data[SMP_DATA_SIZE])
{
	struct mad_header h, again;
	uint8_t mad[SMP_DATA_SIZE];

	memset(&h, 0, sizeof(h));
	memset(&again, 0, sizeof(again));
	mad_header_get(data, &h);
	mad_verdict_of(h.status);
	memcpy(mad, data, sizeof(mad));
	mad_header_put(mad, &h);
	mad_header_get(mad, &again);
	assert(h.tid == again.tid && h.status == again.status && h.attribute == again.attribute);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[SMP_DATA_SIZE] = { 0 };

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	decode_nodes(bytes);
	decode_ports(bytes);
	decode_tables(bytes);
	decode_virtual(bytes);
	decode_header(bytes);
	return 0;
}
