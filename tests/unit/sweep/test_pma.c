/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/mad.h>

#include "model/pma.h"
#include "wire/mad.h"
#include "wire/pma.h"

#define CAPS_ALL (PMA_CAP_XMIT_WAIT | PMA_CAP_QP1_DROPPED | PMA_CAP_EXT | PMA_CAP_EXT_ERRORS)

#define BIT(counter) (1u << (counter))
#define ERRORS       (BIT(IBC_QP1_DROPPED) - 1) /* those every device has */
#define DATA         (BIT(IBC_XMIT_DATA) | BIT(IBC_RCV_DATA) | BIT(IBC_XMIT_PKTS) | BIT(IBC_RCV_PKTS))
#define CASTS                                                                                      \
	(BIT(IBC_UNICAST_XMIT_PKTS) | BIT(IBC_UNICAST_RCV_PKTS) | BIT(IBC_MULTICAST_XMIT_PKTS) |   \
	 BIT(IBC_MULTICAST_RCV_PKTS))

/* ---- questions --------------------------------------------------------------- */

static void a_query_goes_to_qp1_of_a_lid(void **state)
{
	const struct pma_query q = { PMA_PORT_COUNTERS, 17 };
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	memset(mad, 0xff, sizeof(mad));
	pma_get(mad, &to, &q, 42);
	assert_int_equal(to.dlid, 42);
	assert_int_equal(to.qpn, 1);
	assert_int_equal(to.qkey, 0x80010000);
	assert_int_equal(to.sl, 0);
	assert_int_equal(to.pkey_index, 0);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), IB_PERFORMANCE_CLASS);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_CLASSVER_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_GET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_GSI_PORT_COUNTERS);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRMOD_F), 0);
	assert_int_equal(mad_get_field(mad + IB_PC_DATA_OFFS, 0, IB_PC_PORT_SELECT_F), 17);
	assert_int_equal(mad_get_field(mad + IB_PC_DATA_OFFS, 0, IB_PC_COUNTER_SELECT_F), 0);
	assert_ptr_equal(pma_data(mad), mad + IB_PC_DATA_OFFS);
}

static void a_clear_names_the_counters_it_sets_to_0(void **state)
{
	const struct pma_clear pc = { PMA_PORT_COUNTERS, 17, 0x0fff, 1 };
	const struct pma_clear ext = { PMA_PORT_COUNTERS_EXT, 17, 0xff, 0x1fff };
	uint8_t mad[MAD_SIZE], *data = mad + IB_PC_DATA_OFFS;
	struct mad_addr to;

	(void)state;
	pma_clear(mad, &to, &pc, 42);
	assert_int_equal(to.dlid, 42);
	assert_int_equal(to.qpn, 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_SET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_GSI_PORT_COUNTERS);
	assert_int_equal(mad_get_field(data, 0, IB_PC_PORT_SELECT_F), 17);
	assert_int_equal(mad_get_field(data, 0, IB_PC_COUNTER_SELECT_F), 0x0fff);
	assert_int_equal(mad_get_field(data, 0, IB_PC_COUNTER_SELECT2_F), 1);
	assert_int_equal(mad_get_field(data, 0, IB_PC_ERR_SYM_F), 0);
	pma_clear(mad, &to, &ext, 42);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_GSI_PORT_COUNTERS_EXT);
	assert_int_equal(mad_get_field(data, 0, IB_PC_EXT_PORT_SELECT_F), 17);
	assert_int_equal(mad_get_field(data, 0, IB_PC_EXT_COUNTER_SELECT_F), 0xff);
	assert_int_equal(mad_get_field(data, 0, IB_PC_EXT_COUNTER_SELECT2_F), 0x1fff);
}

static void attributes_have_the_numbers_of_libibmad(void **state)
{
	(void)state;
	assert_int_equal(PMA_CLASS_PORT_INFO, CLASS_PORT_INFO);
	assert_int_equal(PMA_PORT_SAMPLES_CONTROL, IB_GSI_PORT_SAMPLES_CONTROL);
	assert_int_equal(PMA_RCV_ERROR_DETAILS, IB_GSI_PORT_RCV_ERROR_DETAILS);
	assert_int_equal(PMA_XMIT_DISCARD_DETAILS, IB_GSI_PORT_XMIT_DISCARD_DETAILS);
	assert_int_equal(PMA_VL_XMIT_WAIT, IB_GSI_PORT_PORT_VL_XMIT_WAIT_COUNTERS);
	assert_int_equal(PMA_PORT_COUNTERS_EXT, IB_GSI_PORT_COUNTERS_EXT);
}

static void a_redirect_is_told_by_the_status(void **state)
{
	uint8_t mad[MAD_SIZE] = { 0 };

	(void)state;
	assert_false(pma_is_redirect(mad));
	mad_set_field(mad, 0, IB_MAD_STATUS_F, 0x1c);
	assert_false(pma_is_redirect(mad));
	mad_set_field(mad, 0, IB_MAD_STATUS_F, IB_MAD_STS_REDIRECT);
	assert_true(pma_is_redirect(mad));
}

/* ---- ClassPortInfo, PortSamplesControl ------------------------------------------ */

static void class_port_info_tells_what_a_device_can_and_where_to_ask(void **state)
{
	uint8_t data[PMA_DATA_SIZE] = { 0 };
	struct pma_class_info info;

	(void)state;
	mad_set_field(data, 0, IB_CPI_CAPMASK_F, 0x1300);
	mad_set_field(data, 0, IB_CPI_CAPMASK2_F, 0x4000002);
	mad_set_field(data, 0, IB_CPI_RESP_TIME_VALUE_F, 31);
	mad_set_field(data, 0, IB_CPI_REDIRECT_LID_F, 0xabc);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QP_F, 0x123456);
	mad_set_field(data, 0, IB_CPI_REDIRECT_QKEY_F, 0x80010001);
	mad_set_field(data, 0, IB_CPI_REDIRECT_SL_F, 9);
	mad_set_field(data, 0, IB_CPI_REDIRECT_PKEY_F, 0xffff);
	pma_class_info_get(data, &info);
	assert_int_equal(info.cap_mask, 0x1300);
	assert_int_equal(info.cap_mask2, 0x4000002);
	assert_int_equal(info.redirect.dlid, 0xabc);
	assert_int_equal(info.redirect.qpn, 0x123456);
	assert_int_equal(info.redirect.qkey, 0x80010001);
	assert_int_equal(info.redirect.sl, 9);
	assert_int_equal(info.redirect.pkey_index, 0);
}

static void capabilities_are_the_two_masks(void **state)
{
	(void)state;
	assert_true(PMA_CAPS(1 << 9, 0) == PMA_CAP_EXT);
	assert_true(PMA_CAPS(1 << 10, 0) == PMA_CAP_EXT_NO_IETF);
	assert_true(PMA_CAPS(1 << 12, 0) == PMA_CAP_XMIT_WAIT);
	assert_true(PMA_CAPS(1 << 15, 0) == PMA_CAP_QP1_DROPPED);
	assert_true(PMA_CAPS(0, 1 << 1) == PMA_CAP_EXT_ERRORS);
}

static void the_tick_is_read(void **state)
{
	uint8_t data[PMA_DATA_SIZE] = { 0 };

	(void)state;
	mad_set_field(data, 0, IB_PSC_TICK_F, 31);
	assert_int_equal(pma_tick_get(data), 31);
}

/* ---- counters ------------------------------------------------------------------- */

/* Every counter has another value, small enough for four bits. */
static struct ibc_counters distinct(void)
{
	struct ibc_counters c = { 0 };

	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		c.value[i] = 4 * (i + 1);
	c.value[IBC_LOCAL_LINK_INTEGRITY] = 13;
	c.value[IBC_EXCESSIVE_BUFFER_OVERRUN] = 14;
	return c;
}

static struct ibc_counters read_back(uint16_t attribute, uint64_t caps,
                                     const struct ibc_counters *in)
{
	uint8_t data[PMA_DATA_SIZE];
	struct ibc_counters out = { 0 };

	pma_counters_put(attribute, caps & PMA_CAP_EXT_ERRORS, in, data);
	pma_counters_get(attribute, caps, data, &out);
	return out;
}

static void expect_values(const struct ibc_counters *found, const struct ibc_counters *wanted,
                          uint32_t known)
{
	assert_int_equal(found->known, known);
	assert_int_equal(found->saturated, 0);
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		assert_true(found->value[i] == (known & BIT(i) ? wanted->value[i] : 0));
}

static void port_counters_are_where_libibmad_puts_them(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_XMIT_WAIT | PMA_CAP_QP1_DROPPED, &in);
	expect_values(&out, &in, ERRORS | BIT(IBC_QP1_DROPPED) | BIT(IBC_XMIT_WAIT) | DATA);
}

static void extended_counters_are_where_libibmad_puts_them(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	in.value[IBC_SYMBOL_ERROR] = 1ull << 40;
	in.value[IBC_XMIT_DATA] = 1ull << 60;
	out = read_back(PMA_PORT_COUNTERS_EXT, CAPS_ALL, &in);
	expect_values(&out, &in, ERRORS | BIT(IBC_QP1_DROPPED) | BIT(IBC_XMIT_WAIT) | DATA | CASTS);
}

static void details_are_where_libibmad_puts_them_and_not_exchanged(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	out = read_back(PMA_RCV_ERROR_DETAILS, 0, &in);
	expect_values(&out, &in,
	              BIT(IBC_LOCAL_PHYSICAL) | BIT(IBC_MALFORMED_PACKET) |
	                  BIT(IBC_BUFFER_OVERRUN) | BIT(IBC_DLID_MAPPING) | BIT(IBC_VL_MAPPING) |
	                  BIT(IBC_LOOPING));
	out = read_back(PMA_XMIT_DISCARD_DETAILS, 0, &in);
	expect_values(&out, &in,
	              BIT(IBC_INACTIVE_DISCARDS) | BIT(IBC_NEIGHBOR_MTU_DISCARDS) |
	                  BIT(IBC_SW_LIFETIME_DISCARDS) | BIT(IBC_SW_HOQ_DISCARDS));
}

static void a_counter_the_device_does_not_have_stays_unknown(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	out = read_back(PMA_PORT_COUNTERS, 0, &in);
	expect_values(&out, &in, ERRORS | DATA);
	out = read_back(PMA_PORT_COUNTERS_EXT, PMA_CAP_EXT_NO_IETF, &in);
	expect_values(&out, &in, DATA);
	out = read_back(PMA_PORT_COUNTERS_EXT, PMA_CAP_EXT | PMA_CAP_XMIT_WAIT, &in);
	expect_values(&out, &in, DATA | CASTS);
	out = read_back(PMA_PORT_COUNTERS_EXT, PMA_CAP_EXT | PMA_CAP_EXT_ERRORS, &in);
	expect_values(&out, &in, ERRORS | DATA | CASTS);
}

static void data_of_32_bits_are_left_to_those_of_64(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_EXT, &in);
	expect_values(&out, &in, ERRORS);
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_EXT_NO_IETF, &in);
	expect_values(&out, &in, ERRORS);
}

static void two_attributes_add_up(void **state)
{
	struct ibc_counters in = distinct(), out;
	uint8_t data[PMA_DATA_SIZE];

	(void)state;
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_EXT, &in);
	pma_counters_put(PMA_PORT_COUNTERS_EXT, false, &in, data);
	pma_counters_get(PMA_PORT_COUNTERS_EXT, PMA_CAP_EXT, data, &out);
	expect_values(&out, &in, ERRORS | DATA | CASTS);
}

static void all_ones_of_any_width_are_saturated(void **state)
{
	struct ibc_counters in, out;

	(void)state;
	memset(&in, 0xff, sizeof(in));
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_XMIT_WAIT | PMA_CAP_QP1_DROPPED, &in);
	assert_int_equal(out.saturated, out.known);
	assert_int_equal(out.value[IBC_EXCESSIVE_BUFFER_OVERRUN], 15);
	assert_int_equal(out.value[IBC_LINK_DOWNED], 255);
	assert_int_equal(out.value[IBC_SYMBOL_ERROR], 65535);
	assert_int_equal(out.value[IBC_XMIT_WAIT], 0xffffffff);
	assert_true(out.value[IBC_XMIT_DATA] == 4 * 0xffffffffull);
	out = read_back(PMA_PORT_COUNTERS_EXT, CAPS_ALL, &in);
	assert_int_equal(out.saturated, out.known);
	assert_true(out.value[IBC_XMIT_DATA] == UINT64_MAX);
	assert_true(out.value[IBC_SYMBOL_ERROR] == UINT64_MAX);
}

static void one_below_all_ones_is_not_saturated(void **state)
{
	struct ibc_counters in = { 0 }, out;

	(void)state;
	in.value[IBC_LINK_DOWNED] = 254;
	in.value[IBC_XMIT_WAIT] = 0xfffffffe;
	out = read_back(PMA_PORT_COUNTERS, PMA_CAP_XMIT_WAIT, &in);
	assert_int_equal(out.saturated, 0);
	assert_int_equal(out.value[IBC_LINK_DOWNED], 254);
	assert_int_equal(out.value[IBC_XMIT_WAIT], 0xfffffffe);
}

static void more_bytes_than_64_bits_hold_are_at_least_that_many(void **state)
{
	uint8_t data[PMA_DATA_SIZE] = { 0 };
	struct ibc_counters out = { 0 };

	(void)state;
	mad_set_field64(data, 0, IB_PC_EXT_XMT_BYTES_F, 1ull << 62);
	pma_counters_get(PMA_PORT_COUNTERS_EXT, PMA_CAP_EXT, data, &out);
	assert_true(out.value[IBC_XMIT_DATA] == UINT64_MAX);
	assert_int_equal(out.saturated, BIT(IBC_XMIT_DATA));
}

static void a_counter_read_anew_is_no_longer_saturated(void **state)
{
	struct ibc_counters in = { 0 }, out = { 0 };
	uint8_t data[PMA_DATA_SIZE];

	(void)state;
	out.known = out.saturated = BIT(IBC_LINK_DOWNED);
	pma_counters_put(PMA_PORT_COUNTERS, false, &in, data);
	pma_counters_get(PMA_PORT_COUNTERS, 0, data, &out);
	assert_int_equal(out.saturated, 0);
}

static void another_attribute_tells_no_counters(void **state)
{
	struct ibc_counters in = distinct(), out;

	(void)state;
	out = read_back(PMA_PORT_SAMPLES_CONTROL, CAPS_ALL, &in);
	assert_int_equal(out.known, 0);
}

static void lanes_are_where_libibmad_puts_them(void **state)
{
	uint8_t data[PMA_DATA_SIZE] = { 0 };
	uint64_t wait[PMA_VLS];

	(void)state;
	for (unsigned int vl = 0; vl < PMA_VLS; vl++)
		mad_set_field(data, 0, IB_PC_PORT_VL_XMIT_WAIT0_F + vl, 1000 + vl);
	pma_vl_wait_get(data, wait);
	for (unsigned int vl = 0; vl < PMA_VLS; vl++)
		assert_int_equal(wait[vl], 1000 + vl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_goes_to_qp1_of_a_lid),
		cmocka_unit_test(a_clear_names_the_counters_it_sets_to_0),
		cmocka_unit_test(attributes_have_the_numbers_of_libibmad),
		cmocka_unit_test(a_redirect_is_told_by_the_status),
		cmocka_unit_test(class_port_info_tells_what_a_device_can_and_where_to_ask),
		cmocka_unit_test(capabilities_are_the_two_masks),
		cmocka_unit_test(the_tick_is_read),
		cmocka_unit_test(port_counters_are_where_libibmad_puts_them),
		cmocka_unit_test(extended_counters_are_where_libibmad_puts_them),
		cmocka_unit_test(details_are_where_libibmad_puts_them_and_not_exchanged),
		cmocka_unit_test(a_counter_the_device_does_not_have_stays_unknown),
		cmocka_unit_test(data_of_32_bits_are_left_to_those_of_64),
		cmocka_unit_test(two_attributes_add_up),
		cmocka_unit_test(all_ones_of_any_width_are_saturated),
		cmocka_unit_test(one_below_all_ones_is_not_saturated),
		cmocka_unit_test(more_bytes_than_64_bits_hold_are_at_least_that_many),
		cmocka_unit_test(a_counter_read_anew_is_no_longer_saturated),
		cmocka_unit_test(another_attribute_tells_no_counters),
		cmocka_unit_test(lanes_are_where_libibmad_puts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
