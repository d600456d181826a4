/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/mad.h>

#include "model/vendor.h"
#include "wire/mad.h"
#include "wire/vendor.h"

static struct firmware_version version_in(const uint8_t data[VENDOR_DATA_SIZE])
{
	struct general_info info;

	memset(&info, 0xff, sizeof(info));
	general_info_get(data, &info);
	return info.firmware;
}

static void assert_version(struct firmware_version v, uint32_t major, uint32_t minor,
                           uint32_t sub_minor)
{
	assert_int_equal(v.major, major);
	assert_int_equal(v.minor, minor);
	assert_int_equal(v.sub_minor, sub_minor);
}

static void a_query_goes_to_qp1_of_a_lid(void **state)
{
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	memset(mad, 0xff, sizeof(mad));
	vendor_get(mad, &to, VENDOR_GENERAL_INFO, 42, 0);
	assert_int_equal(to.dlid, 42);
	assert_int_equal(to.qpn, 1);
	assert_int_equal(to.qkey, 0x80010000);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), 0x0a);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_CLASSVER_F), 1);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_GET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), 0x17);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRMOD_F), 0);
	assert_ptr_equal(vendor_data(mad), mad + IB_VENDOR_RANGE1_DATA_OFFS);
	assert_int_equal(VENDOR_DATA_SIZE, IB_VENDOR_RANGE1_DATA_SIZE);
	for (size_t i = VENDOR_DATA_OFFSET; i < MAD_SIZE; i++)
		assert_int_equal(mad[i], 0);
}

static void only_devices_of_the_vendor_are_known(void **state)
{
	(void)state;
	assert_true(vendor_is_known(0x2c9, 0xd2f2));  /* Quantum-2 */
	assert_true(vendor_is_known(0x119f, 0x1bd0)); /* the same chips under another name */
	assert_true(vendor_is_known(0x8f1, 0xcb20));
	assert_false(vendor_is_known(0x1175, 0x10));
	assert_false(vendor_is_known(0, 0));
}

static void the_longer_numbers_are_the_version(void **state)
{
	const struct general_info info = { .firmware = { 27, 2012, 4036 } };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	general_info_put(data, &info, true);
	assert_version(version_in(data), 27, 2012, 4036);
}

static void the_first_devices_have_a_byte_for_each(void **state)
{
	const struct general_info info = { .firmware = { 1, 0, 6 } };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	general_info_put(data, &info, false);
	assert_version(version_in(data), 1, 0, 6);
}

static void the_software_of_the_first_devices_is_no_longer_number(void **state)
{
	static const uint8_t software[][3] = { { 2, 4, 1 }, { 0, 7, 0 }, { 0, 0, 9 } };
	const struct general_info info = { .firmware = { 1, 0, 6 } };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		general_info_put(data, &info, false);
		memcpy(data + 77, software[i], 3);
		assert_version(version_in(data), 1, 0, 6);
	}
}

static void the_psid_is_what_stands_before_the_longer_numbers(void **state)
{
	struct general_info info = { .firmware = { 28, 39, 2048 }, .psid = "MT_0000000838" };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	general_info_put(data, &info, true);
	general_info_get(data, &info);
	assert_string_equal(info.psid, "MT_0000000838");
	memcpy(data + 56, "ABCDEFGHIJKLMNOP", 16);
	general_info_get(data, &info);
	assert_string_equal(info.psid, "ABCDEFGHIJKLMNOP");
}

/* What ibdiagnet notes of a Quantum-2 in the four columns of its mask. */
static void a_capability_is_a_bit_of_four_dwords(void **state)
{
	static const uint8_t mask[16] = { 0x0d, 0x1d, 0x01, 0xf4, 0, 0, 0x02, 0x86, [15] = 1 };
	struct general_info info = { .firmware = { 31, 2012, 1024 } };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	general_info_put(data, &info, true);
	memcpy(data + 160 - VENDOR_DATA_OFFSET, mask, sizeof(mask));
	general_info_get(data, &info);
	assert_true(info.has_capabilities);
	assert_true(info.capabilities[0] >> 20 & 1);
	assert_int_equal(info.capabilities[0], 0x2860d1d01f4);
	assert_int_equal(info.capabilities[1], 1ull << 32);
}

static void the_first_devices_tell_no_capabilities(void **state)
{
	struct general_info info = { .firmware = { 1, 0, 6 } };
	uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	general_info_put(data, &info, false);
	memset(data + 136, 0xff, 16);
	general_info_get(data, &info);
	assert_false(info.has_capabilities);
	assert_int_equal(info.capabilities[0], 0);
}

static void nothing_is_no_version(void **state)
{
	static const uint8_t data[VENDOR_DATA_SIZE];

	(void)state;
	assert_version(version_in(data), 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_goes_to_qp1_of_a_lid),
		cmocka_unit_test(only_devices_of_the_vendor_are_known),
		cmocka_unit_test(the_longer_numbers_are_the_version),
		cmocka_unit_test(the_first_devices_have_a_byte_for_each),
		cmocka_unit_test(the_software_of_the_first_devices_is_no_longer_number),
		cmocka_unit_test(the_psid_is_what_stands_before_the_longer_numbers),
		cmocka_unit_test(a_capability_is_a_bit_of_four_dwords),
		cmocka_unit_test(the_first_devices_tell_no_capabilities),
		cmocka_unit_test(nothing_is_no_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
