/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/mad.h>

#include <ibcheck/fabric.h>

#include "model/encode.h"
#include "wire/mad.h"
#include "wire/smp.h"

static const struct smp_query port_info_7 = { SMP_PORT_INFO, 7, 0x1122334455667788 };

/* ---- headers --------------------------------------------------------------- */

static void a_header_survives_the_round_trip(void **state)
{
	struct mad_header in = {
		.mgmt_class = MAD_CLASS_SMP,
		.class_version = 1,
		.method = MAD_METHOD_GET_RESP,
		.status = 0x801c,
		.attribute = 0xff90,
		.modifier = 0x89abcdef,
		.tid = 0x0123456789abcdef,
	};
	uint8_t mad[MAD_SIZE] = { 0 };
	struct mad_header out;

	(void)state;
	mad_header_put(mad, &in);
	mad_header_get(mad, &out);
	assert_int_equal(out.mgmt_class, in.mgmt_class);
	assert_int_equal(out.class_version, 1);
	assert_int_equal(out.method, MAD_METHOD_GET_RESP);
	assert_int_equal(out.status, 0x801c);
	assert_int_equal(out.attribute, in.attribute);
	assert_int_equal(out.modifier, in.modifier);
	assert_true(out.tid == in.tid);
	assert_int_equal(mad[0], 1);
}

/* Ours are by hand: libibmad must find the same in the same places. */
static void a_header_is_where_libibmad_looks_for_it(void **state)
{
	const struct mad_header h = {
		0x81, 1, 0x81, 0x1234, 0xff90, 0x89abcdef, 0x0123456789abcdef
	};
	uint8_t mad[MAD_SIZE] = { 0 };

	(void)state;
	mad_header_put(mad, &h);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_BASEVER_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), 0x81);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_CLASSVER_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_RESPONSE_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_STATUS_F), 0x1234);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DIRECTION_F), 0);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), 0xff90);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRMOD_F), 0x89abcdef);
	assert_true(mad_get_field64(mad, 0, IB_MAD_TRID_F) == h.tid);
}

static void the_direction_bit_is_no_status(void **state)
{
	struct mad_header h = { .mgmt_class = MAD_CLASS_SMP_DIRECTED };
	uint8_t mad[MAD_SIZE] = { 0 };

	(void)state;
	mad_header_put(mad, &h);
	mad[4] |= 0x80;
	mad_header_get(mad, &h);
	assert_int_equal(h.status, 0);
	h.status = 0x1c;
	mad_header_put(mad, &h);
	assert_int_equal(mad[4], 0x80);
	assert_int_equal(mad[5], 0x1c);
}

static void a_status_says_what_to_do_next(void **state)
{
	static const struct {
		uint16_t status;
		enum mad_verdict verdict;
	} cases[] = {
		{ 0x00, MAD_OK },          { 0x01, MAD_BUSY },        { 0x1d, MAD_BUSY },
		{ 0x04, MAD_UNSUPPORTED }, { 0x08, MAD_UNSUPPORTED }, { 0x0c, MAD_UNSUPPORTED },
		{ 0x1c, MAD_UNSUPPORTED }, { 0x02, MAD_REFUSED },     { 0x10, MAD_REFUSED },
		{ 0x8000, MAD_REFUSED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(mad_verdict_of(cases[i].status), cases[i].verdict);
}

/* ---- questions --------------------------------------------------------------- */

static void a_query_by_lid_is_a_plain_get(void **state)
{
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;
	struct mad_header h;

	(void)state;
	memset(mad, 0xff, sizeof(mad));
	smp_get_by_lid(mad, &to, &port_info_7, 4711);
	mad_header_get(mad, &h);
	assert_int_equal(to.dlid, 4711);
	assert_int_equal(to.qpn, 0);
	assert_int_equal(to.qkey, 0);
	assert_int_equal(h.mgmt_class, MAD_CLASS_SMP);
	assert_int_equal(h.method, MAD_METHOD_GET);
	assert_int_equal(h.attribute, SMP_PORT_INFO);
	assert_int_equal(h.modifier, 7);
	assert_int_equal(h.status, 0);
	assert_true(mad_get_field64(mad, 0, IB_MAD_MKEY_F) == port_info_7.m_key);
}

static void a_directed_query_carries_its_path(void **state)
{
	static const uint8_t hops[] = { 1, 36, 254 };
	uint8_t mad[MAD_SIZE];
	uint8_t path[64];
	struct mad_addr to;
	struct mad_header h;

	(void)state;
	smp_get_directed(mad, &to, &port_info_7, hops, 3);
	mad_header_get(mad, &h);
	assert_int_equal(to.dlid, 0xffff);
	assert_int_equal(h.mgmt_class, MAD_CLASS_SMP_DIRECTED);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F), 3);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPPTR_F), 0);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DIRECTION_F), 0);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRSLID_F), 0xffff);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRDLID_F), 0xffff);
	mad_get_array(mad, 0, IB_DRSMP_PATH_F, (char *)path);
	assert_memory_equal(path, ((uint8_t[]){ 0, 1, 36, 254, 0 }), 5);
}

static void the_own_port_is_asked_by_no_hops(void **state)
{
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	smp_get_directed(mad, &to, &port_info_7, NULL, 0);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F), 0);
	assert_int_equal(to.dlid, 0xffff);
}

static void a_combined_query_goes_by_lid_first(void **state)
{
	static const uint8_t hop = 12;
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	smp_get_combined(mad, &to, &port_info_7, 99, 5, &hop, 1);
	assert_int_equal(to.dlid, 99);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRSLID_F), 5);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRDLID_F), 0xffff);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F), 1);
	assert_int_equal(mad[129], 12);
}

static void a_path_is_never_longer_than_its_field(void **state)
{
	uint8_t hops[200], mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	memset(hops, 3, sizeof(hops));
	smp_get_directed(mad, &to, &port_info_7, hops, sizeof(hops));
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F), SMP_MAX_HOPS);
	assert_int_equal(mad[128 + SMP_MAX_HOPS], 3);
	assert_int_equal(mad[128 + SMP_MAX_HOPS + 1], 0);
}

/* ---- attributes ---------------------------------------------------------------- */

static void node_info_survives_the_round_trip(void **state)
{
	struct node_info in = {
		.type = IBC_NODE_SWITCH,
		.num_ports = 65,
		.local_port = 33,
		.system_guid = 0x1000000000000001,
		.node_guid = 0x2000000000000002,
		.port_guid = 0x3000000000000003,
		.vendor_id = 0x2c9,
		.revision = 0xa0,
		.device_id = 0xd2f2,
	};
	uint8_t data[SMP_DATA_SIZE];
	struct node_info out;

	(void)state;
	memset(&out, 0xee, sizeof(out));
	node_info_put(data, &in);
	node_info_get(data, &out);
	assert_int_equal(out.type, in.type);
	assert_int_equal(out.num_ports, 65);
	assert_int_equal(out.local_port, 33);
	assert_true(out.system_guid == in.system_guid);
	assert_true(out.node_guid == in.node_guid);
	assert_true(out.port_guid == in.port_guid);
	assert_int_equal(out.vendor_id, 0x2c9);
	assert_int_equal(out.revision, 0xa0);
	assert_int_equal(out.device_id, 0xd2f2);
}

static void a_node_type_nobody_knows_is_unknown(void **state)
{
	uint8_t data[SMP_DATA_SIZE];
	struct node_info out;

	(void)state;
	node_info_put(data, &(struct node_info){ .type = 200 });
	node_info_get(data, &out);
	assert_int_equal(out.type, IBC_NODE_UNKNOWN);
}

static void switch_info_survives_the_round_trip(void **state)
{
	struct switch_info in = {
		.lft_cap = 49152,
		.lft_top = 8400,
		.mft_cap = 4096,
		.mft_top = 0xc004,
		.pkey_enforce_cap = 32,
		.enhanced_port0 = true,
	};
	uint8_t data[SMP_DATA_SIZE];
	struct switch_info out;

	(void)state;
	switch_info_put(data, &in);
	switch_info_get(data, &out);
	assert_int_equal(out.lft_cap, 49152);
	assert_int_equal(out.lft_top, 8400);
	assert_int_equal(out.mft_cap, 4096);
	assert_int_equal(out.mft_top, 0xc004);
	assert_int_equal(out.pkey_enforce_cap, 32);
	assert_true(out.enhanced_port0);
}

static void port_info_survives_the_round_trip(void **state)
{
	struct port_info in = {
		.local_port = 200,
		.state = IBC_STATE_ARMED,
		.phys_state = IBC_PHYS_LINKUP,
		.width_active = IBC_WIDTH_2X,
		.width_enabled = IBC_WIDTH_1X | IBC_WIDTH_2X,
		.width_supported = IBC_WIDTH_1X | IBC_WIDTH_2X | IBC_WIDTH_4X | IBC_WIDTH_12X,
		.speed_active = IBC_SPEED_NDR,
		.speed_enabled = IBC_SPEED_SDR | IBC_SPEED_NDR,
		.speed_supported = IBC_SPEED_SDR | IBC_SPEED_HDR | IBC_SPEED_NDR | IBC_SPEED_XDR,
		.lid = 49151,
		.sm_lid = 2,
		.lmc = 3,
		.sm_sl = 9,
		.mtu_cap = 5,
		.mtu_active = 4,
		.vl_cap = 4,
		.vl_active = 3,
		.cap_mask = 0xa651e84a,
		.cap_mask2 = 0x0c34,
		.gid_prefix = 0xfe80000000000000,
		.pkey_enforce = 2,
		.m_key_protect = 1,
		.m_key_violations = 77,
	};
	uint8_t data[SMP_DATA_SIZE];
	struct port_info out;

	(void)state;
	memset(&out, 0, sizeof(out));
	port_info_put(data, &in);
	port_info_get(data, &out);
	assert_int_equal(out.local_port, in.local_port);
	assert_int_equal(out.state, in.state);
	assert_int_equal(out.phys_state, in.phys_state);
	assert_int_equal(out.width_active, in.width_active);
	assert_int_equal(out.width_enabled, in.width_enabled);
	assert_int_equal(out.width_supported, in.width_supported);
	assert_int_equal(out.speed_active, in.speed_active);
	assert_int_equal(out.speed_enabled, in.speed_enabled);
	assert_int_equal(out.speed_supported, in.speed_supported);
	assert_int_equal(out.lid, in.lid);
	assert_int_equal(out.sm_lid, in.sm_lid);
	assert_int_equal(out.lmc, in.lmc);
	assert_int_equal(out.sm_sl, in.sm_sl);
	assert_int_equal(out.mtu_cap, in.mtu_cap);
	assert_int_equal(out.mtu_active, in.mtu_active);
	assert_int_equal(out.vl_cap, in.vl_cap);
	assert_int_equal(out.vl_active, in.vl_active);
	assert_int_equal(out.cap_mask, in.cap_mask);
	assert_int_equal(out.cap_mask2, in.cap_mask2);
	assert_true(out.gid_prefix == in.gid_prefix);
	assert_int_equal(out.pkey_enforce, in.pkey_enforce);
	assert_int_equal(out.m_key_protect, in.m_key_protect);
	assert_int_equal(out.m_key_violations, in.m_key_violations);
	in.cap_mask &= ~(uint32_t)IBC_CAP_HAS_MASK2;
	port_info_put(data, &in);
	port_info_get(data, &out);
	assert_int_equal(out.cap_mask2, 0);
}

/* ---- of a subnet manager ------------------------------------------------------ */

static void sm_info_survives_the_round_trip(void **state)
{
	struct sm_info in = { 0x2c90300abcdef01, 0x89abcdef, 14, IBC_SM_MASTER }, out;
	uint8_t data[SMP_DATA_SIZE];

	(void)state;
	sm_info_put(data, &in);
	assert_int_equal(data[20], 0xe3); /* IBA: master is 3 */
	sm_info_get(data, &out);
	assert_true(out.guid == in.guid);
	assert_int_equal(out.act_count, in.act_count);
	assert_int_equal(out.priority, 14);
	assert_int_equal(out.state, IBC_SM_MASTER);
}

static void a_state_no_subnet_manager_has_is_unknown(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { [20] = 0x04 };
	struct sm_info out;

	(void)state;
	sm_info_get(data, &out);
	assert_int_equal(out.state, IBC_SM_UNKNOWN);
}

static void words_of_a_block_are_big_endian_and_in_order(void **state)
{
	uint16_t in[SMP_BLOCK_WORDS], out[SMP_BLOCK_WORDS];
	uint8_t data[SMP_DATA_SIZE];

	(void)state;
	for (unsigned int i = 0; i < SMP_BLOCK_WORDS; i++)
		in[i] = (uint16_t)(0x8001 + 0x101 * i);
	block_words_put(data, in);
	assert_int_equal(data[0], 0x80);
	assert_int_equal(data[1], 0x01);
	block_words_get(data, out);
	assert_memory_equal(in, out, sizeof(in));
}

static void each_service_level_has_its_lane(void **state)
{
	uint8_t in[SMP_SLS], out[SMP_SLS], data[SMP_DATA_SIZE];

	(void)state;
	for (unsigned int i = 0; i < SMP_SLS; i++)
		in[i] = (uint8_t)(15 - i);
	sl2vl_put(data, in);
	assert_int_equal(data[0], 0xfe); /* the even one comes first */
	sl2vl_get(data, out);
	assert_memory_equal(in, out, sizeof(in));
}

static void a_slot_of_arbitration_is_a_lane_and_its_weight(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { 0xf1, 4, 0x0e, 255 }; /* the upper half is reserved */
	struct ibc_vl_slot out[SMP_VL_SLOTS];

	(void)state;
	data[62] = 7;
	data[63] = 1;
	vl_slots_get(data, out);
	assert_int_equal(out[0].vl, 1);
	assert_int_equal(out[0].weight, 4);
	assert_int_equal(out[1].vl, 14);
	assert_int_equal(out[1].weight, 255);
	assert_int_equal(out[31].vl, 7);
	assert_int_equal(out[31].weight, 1);
}

static void a_block_is_meant_by_its_modifier(void **state)
{
	(void)state;
	assert_int_equal(pkey_modifier(36, 2), 0x00240002);
	assert_int_equal(mft_modifier(2, 31), 0x2000001f);
	assert_int_equal(sl2vl_modifier(3, 17), 0x0311);
	assert_int_equal(arbitration_modifier(17, ARBITRATION_HIGH + 1), 0x00040011);
}

static void every_speed_is_told_apart(void **state)
{
	uint8_t data[SMP_DATA_SIZE];
	struct port_info out;

	(void)state;
	for (unsigned int speed = IBC_SPEED_SDR; speed <= IBC_SPEED_XDR; speed <<= 1) {
		struct port_info in = { .speed_active = speed,
			                .speed_enabled = speed | IBC_SPEED_SDR,
			                .speed_supported = speed | IBC_SPEED_SDR };

		if (speed == IBC_SPEED_FDR10)
			continue;
		port_info_put(data, &in);
		port_info_get(data, &out);
		assert_int_equal(out.speed_active, in.speed_active);
		assert_int_equal(out.speed_enabled, in.speed_enabled);
		assert_int_equal(out.speed_supported, in.speed_supported);
	}
}

static void every_width_is_told_apart(void **state)
{
	uint8_t data[SMP_DATA_SIZE];
	struct port_info out;

	(void)state;
	for (unsigned int width = IBC_WIDTH_1X; width <= IBC_WIDTH_2X; width <<= 1) {
		port_info_put(data, &(struct port_info){ .width_active = width });
		port_info_get(data, &out);
		assert_int_equal(out.width_active, width);
	}
}

static void an_extended_speed_wins_over_the_basic_one(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { 0 };
	struct port_info out;

	(void)state;
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, 4);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 2);
	port_info_get(data, &out);
	assert_int_equal(out.speed_active, IBC_SPEED_EDR);
	data[56] = 1 << 5;
	port_info_get(data, &out);
	assert_int_equal(out.speed_active, IBC_SPEED_XDR);
}

static void a_speed_nobody_knows_is_unknown_not_the_older_one(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { 0 };
	struct port_info out;

	(void)state;
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, 7);
	port_info_get(data, &out);
	assert_int_equal(out.speed_active, IBC_SPEED_UNKNOWN);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, 4);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 9);
	port_info_get(data, &out);
	assert_int_equal(out.speed_active, IBC_SPEED_UNKNOWN);
}

static void enabled_as_supported_means_the_supported_set(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { 0 };
	struct port_info out;

	(void)state;
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, 3);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ENABLED_F, 255);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, 7);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, 15);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, 3);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 31);
	port_info_get(data, &out);
	assert_int_equal(out.width_enabled, IBC_WIDTH_1X | IBC_WIDTH_4X);
	assert_int_equal(out.speed_enabled, out.speed_supported);
	assert_int_equal(out.speed_enabled, IBC_SPEED_SDR | IBC_SPEED_DDR | IBC_SPEED_QDR |
	                                        IBC_SPEED_FDR | IBC_SPEED_EDR);
}

static void extended_speeds_can_be_disabled_as_a_whole(void **state)
{
	uint8_t data[SMP_DATA_SIZE] = { 0 };
	struct port_info out;

	(void)state;
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, 7);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, 15);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 30);
	data[56] = 1 << 3 | 6;
	port_info_get(data, &out);
	assert_int_equal(out.speed_enabled, IBC_SPEED_SDR | IBC_SPEED_DDR | IBC_SPEED_QDR);
	assert_true(out.speed_supported & IBC_SPEED_XDR);
}

static void fdr10_is_told_by_the_vendors_attribute(void **state)
{
	struct mlnx_ext_port_info in = { IBC_SPEED_FDR10, IBC_SPEED_FDR10, 0 };
	uint8_t data[SMP_DATA_SIZE];
	struct mlnx_ext_port_info out;

	(void)state;
	mlnx_ext_port_info_put(data, &in);
	mlnx_ext_port_info_get(data, &out);
	assert_int_equal(out.speed_active, IBC_SPEED_FDR10);
	assert_int_equal(out.speed_enabled, IBC_SPEED_FDR10);
	assert_int_equal(out.speed_supported, 0);
}

static void only_known_devices_are_asked_for_the_vendors_attribute(void **state)
{
	(void)state;
	assert_true(mlnx_ext_port_info_known(0x2c9, 0x1003));
	assert_true(mlnx_ext_port_info_known(0x2c9, 0xd2f0));
	assert_true(mlnx_ext_port_info_known(0x119f, 0x1b02));
	assert_false(mlnx_ext_port_info_known(0x2c9, 0x1b02));
	assert_false(mlnx_ext_port_info_known(0x2c9, 0x1002));
	assert_false(mlnx_ext_port_info_known(0, 0));
}

/* Whatever arrives, what comes out is a value that the model knows. */
static void decoders_are_total_over_any_bytes(void **state)
{
	uint8_t data[SMP_DATA_SIZE];
	struct mlnx_ext_port_info mei;
	uint8_t vl[SMP_SLS];
	struct ibc_vl_slot slots[SMP_VL_SLOTS];
	struct switch_info si;
	struct node_info ni;
	struct port_info pi;
	struct sm_info sm;
	unsigned int seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(data); i++)
			data[i] = round < 256 ? round : rand_r(&seed) >> 8;
		node_info_get(data, &ni);
		switch_info_get(data, &si);
		port_info_get(data, &pi);
		mlnx_ext_port_info_get(data, &mei);
		sm_info_get(data, &sm);
		sl2vl_get(data, vl);
		vl_slots_get(data, slots);
		for (unsigned int i = 0; i < SMP_VL_SLOTS; i++)
			assert_true(slots[i].vl <= 15);
		assert_true(sm.state <= IBC_SM_MASTER && sm.priority <= 15);
		for (unsigned int sl = 0; sl < SMP_SLS; sl++)
			assert_true(vl[sl] <= 15);
		assert_true(ni.type <= IBC_NODE_ROUTER);
		assert_true(pi.state <= IBC_STATE_ACTIVE);
		assert_true(pi.phys_state <= IBC_PHYS_TEST);
		assert_int_equal(pi.width_active & (pi.width_active - 1), 0);
		assert_int_equal(pi.speed_active & (pi.speed_active - 1), 0);
		assert_true(pi.speed_enabled < IBC_SPEED_XDR << 1);
		assert_true(pi.width_enabled < IBC_WIDTH_2X << 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_survives_the_round_trip),
		cmocka_unit_test(a_header_is_where_libibmad_looks_for_it),
		cmocka_unit_test(the_direction_bit_is_no_status),
		cmocka_unit_test(a_status_says_what_to_do_next),
		cmocka_unit_test(a_query_by_lid_is_a_plain_get),
		cmocka_unit_test(a_directed_query_carries_its_path),
		cmocka_unit_test(the_own_port_is_asked_by_no_hops),
		cmocka_unit_test(a_combined_query_goes_by_lid_first),
		cmocka_unit_test(a_path_is_never_longer_than_its_field),
		cmocka_unit_test(node_info_survives_the_round_trip),
		cmocka_unit_test(a_node_type_nobody_knows_is_unknown),
		cmocka_unit_test(switch_info_survives_the_round_trip),
		cmocka_unit_test(sm_info_survives_the_round_trip),
		cmocka_unit_test(a_state_no_subnet_manager_has_is_unknown),
		cmocka_unit_test(words_of_a_block_are_big_endian_and_in_order),
		cmocka_unit_test(each_service_level_has_its_lane),
		cmocka_unit_test(a_slot_of_arbitration_is_a_lane_and_its_weight),
		cmocka_unit_test(a_block_is_meant_by_its_modifier),
		cmocka_unit_test(port_info_survives_the_round_trip),
		cmocka_unit_test(every_speed_is_told_apart),
		cmocka_unit_test(every_width_is_told_apart),
		cmocka_unit_test(an_extended_speed_wins_over_the_basic_one),
		cmocka_unit_test(a_speed_nobody_knows_is_unknown_not_the_older_one),
		cmocka_unit_test(enabled_as_supported_means_the_supported_set),
		cmocka_unit_test(extended_speeds_can_be_disabled_as_a_whole),
		cmocka_unit_test(fdr10_is_told_by_the_vendors_attribute),
		cmocka_unit_test(only_known_devices_are_asked_for_the_vendors_attribute),
		cmocka_unit_test(decoders_are_total_over_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
