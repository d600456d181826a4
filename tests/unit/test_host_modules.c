/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules and temperatures of this host's adapters. */
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/modules.h"
#include "mkhost.h"
#include "mkstack.h"

/* ---- a module's memory ---------------------------------------------------------- */

/* As the standards number bytes: those from 128 on are of the upper pages. */
static void put_bytes(struct eeprom *e, enum eeprom_page page, unsigned int byte, const void *from,
                      size_t n)
{
	memcpy(&e->page[page][byte % EEPROM_PAGE_BYTES], from, n);
	e->read[page] = true;
}

static void put_word(struct eeprom *e, enum eeprom_page page, unsigned int byte, int value)
{
	const uint8_t bytes[] = { (uint8_t)(value >> 8), (uint8_t)value };

	put_bytes(e, page, byte, bytes, sizeof(bytes));
}

static void put_byte(struct eeprom *e, enum eeprom_page page, unsigned int byte, uint8_t value)
{
	put_bytes(e, page, byte, &value, 1);
}

static struct eeprom qsfp28(void)
{
	struct eeprom e = { 0 };

	put_byte(&e, EEPROM_LOWER, 0, 0x11);
	put_word(&e, EEPROM_LOWER, 22, 0x2d80); /* 45.5 C */
	put_word(&e, EEPROM_LOWER, 26, 33000);
	put_word(&e, EEPROM_LOWER, 34, 10000);
	put_word(&e, EEPROM_LOWER, 36, 1);
	put_word(&e, EEPROM_LOWER, 42, 3500);
	put_word(&e, EEPROM_LOWER, 50, 9000);
	put_byte(&e, EEPROM_UPPER, 146, 0);
	put_byte(&e, EEPROM_UPPER, 147, 0x00);
	put_bytes(&e, EEPROM_UPPER, 148, "Example Optics  ", 16);
	put_bytes(&e, EEPROM_UPPER, 165, "\x00\xab\xcd", 3);
	put_bytes(&e, EEPROM_UPPER, 168, "EX-SR4          ", 16);
	put_bytes(&e, EEPROM_UPPER, 184, "A1", 2);
	put_bytes(&e, EEPROM_UPPER, 196, "EX0001\xff\x01        ", 16);
	put_bytes(&e, EEPROM_UPPER, 212, "250118  ", 8);
	put_byte(&e, EEPROM_UPPER, 220, 0x08);
	put_word(&e, EEPROM_LIMITS, 128, 80 * 256);
	put_word(&e, EEPROM_LIMITS, 130, -5 * 256);
	put_word(&e, EEPROM_LIMITS, 176, 25118);
	put_word(&e, EEPROM_LIMITS, 178, 2511);
	return e;
}

static struct eeprom osfp(void)
{
	struct eeprom e = { 0 };

	put_byte(&e, EEPROM_LOWER, 0, 0x19);
	put_byte(&e, EEPROM_LOWER, 3, 3 << 1); /* ready */
	put_word(&e, EEPROM_LOWER, 14, -3 * 256);
	put_word(&e, EEPROM_LOWER, 16, 33000);
	put_bytes(&e, EEPROM_UPPER, 129, "Example Optics  ", 16);
	put_bytes(&e, EEPROM_UPPER, 148, "EX-SR8          ", 16);
	put_bytes(&e, EEPROM_UPPER, 166, "EX0008          ", 16);
	put_byte(&e, EEPROM_UPPER, 202, 1 << 6 | 20); /* 20 times 1 m */
	put_byte(&e, EEPROM_UPPER, 212, 0);
	put_word(&e, EEPROM_LANES, 154 + 14, 9000);
	put_word(&e, EEPROM_LANES, 170, 3500);
	put_word(&e, EEPROM_LANES, 186 + 14, 8000);
	return e;
}

static void qsfp_says_what_sff_8636_has(void **state)
{
	struct eeprom e = qsfp28();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	assert_int_equal(eeprom_number(&e, EEPROM_LIMITS), 3);
	assert_int_equal(eeprom_number(&e, EEPROM_LANES), -1);
	assert_true(eeprom_module(host, &e, &m));
	assert_string_equal(m.vendor, "Example Optics");
	assert_string_equal(m.part, "EX-SR4");
	assert_string_equal(m.revision, "A1");
	assert_string_equal(m.date, "250118");
	assert_int_equal(m.oui, 0xabcd);
	assert_int_equal(m.form, IBC_FORM_QSFP28);
	assert_int_equal(m.kind, IBC_MODULE_OPTICAL);
	assert_true(m.rx_average);
	assert_true(isnan(m.length_m));
	assert_true(m.ddm[IBC_DDM_TEMPERATURE].now[0] == 45.5);
	assert_true(m.ddm[IBC_DDM_TEMPERATURE].high == 80 && m.ddm[IBC_DDM_TEMPERATURE].low == -5);
	assert_true(fabs(m.ddm[IBC_DDM_VOLTAGE].now[0] - 3.3) < 1e-9);
	assert_true(m.ddm[IBC_DDM_RX_POWER].now[0] == 1000);
	assert_true(m.ddm[IBC_DDM_RX_POWER].now[2] == 0); /* it has limits: so 0 is no light */
	assert_true(isnan(m.ddm[IBC_DDM_RX_POWER].now[4]));
	assert_true(m.ddm[IBC_DDM_BIAS].now[0] == 7000);
	assert_true(isnan(m.ddm[IBC_DDM_BIAS].now[1])); /* it has none: 0 is no reading */
	assert_int_equal(m.monitored, 1 << IBC_DDM_TEMPERATURE | 1 << IBC_DDM_RX_POWER);
	ibc_host_free(host);
}

static void osfp_says_what_cmis_has(void **state)
{
	struct eeprom e = osfp();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	assert_int_equal(eeprom_number(&e, EEPROM_LIMITS), 2);
	assert_int_equal(eeprom_number(&e, EEPROM_LANES), 0x11);
	assert_true(eeprom_module(host, &e, &m));
	assert_string_equal(m.serial, "EX0008");
	assert_int_equal(m.form, IBC_FORM_OSFP);
	assert_int_equal(m.kind, IBC_MODULE_ACTIVE_CABLE);
	assert_int_equal(m.state, IBC_MODULE_READY);
	assert_true(m.length_m == 20);
	assert_true(m.ddm[IBC_DDM_TEMPERATURE].now[0] == -3);
	assert_true(m.ddm[IBC_DDM_TX_POWER].now[7] == 900);
	assert_true(m.ddm[IBC_DDM_BIAS].now[0] == 7000);
	assert_true(m.ddm[IBC_DDM_RX_POWER].now[7] == 800);
	ibc_host_free(host);
}

static void passive_copper_measures_nothing(void **state)
{
	struct eeprom e = qsfp28();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	put_byte(&e, EEPROM_UPPER, 147, 0xa0);
	put_byte(&e, EEPROM_UPPER, 146, 2);
	assert_true(eeprom_module(host, &e, &m));
	assert_int_equal(m.kind, IBC_MODULE_PASSIVE_COPPER);
	assert_true(m.length_m == 2);
	assert_true(isnan(m.ddm[IBC_DDM_TEMPERATURE].now[0]));
	assert_int_equal(m.monitored, 0);
	ibc_host_free(host);
}

static void a_module_of_one_page_is_asked_for_no_other(void **state)
{
	struct eeprom q = qsfp28(), o = osfp(), other = { 0 };

	(void)state;
	put_byte(&q, EEPROM_LOWER, 2, 1 << 2);
	put_byte(&o, EEPROM_LOWER, 2, 1 << 7);
	assert_int_equal(eeprom_number(&q, EEPROM_LIMITS), -1);
	assert_int_equal(eeprom_number(&o, EEPROM_LIMITS), -1);
	assert_int_equal(eeprom_number(&o, EEPROM_LANES), -1);
	put_byte(&other, EEPROM_LOWER, 0, 0x03); /* SFP */
	assert_int_equal(eeprom_number(&other, EEPROM_LIMITS), -1);
}

static void zeros_and_ones_and_half_a_memory_are_no_module(void **state)
{
	struct eeprom zeros = { 0 }, ones, half = qsfp28();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	memset(&ones.page, 0xff, sizeof(ones.page));
	memset(&ones.read, 1, sizeof(ones.read));
	memset(&zeros.read, 1, sizeof(zeros.read));
	half.read[EEPROM_UPPER] = false;
	assert_false(eeprom_module(host, &zeros, &m));
	assert_false(eeprom_module(host, &ones, &m));
	assert_false(eeprom_module(host, &half, &m));
	assert_null(m.serial);
	ibc_host_free(host);
}

/* ---- as the kernel answers ------------------------------------------------------------ */

static struct module_page answered(size_t n)
{
	char buf[1024] = "";
	uint8_t bytes[EEPROM_PAGE_BYTES];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	struct module_page page = { .read = true };

	genl->cmd = ETHTOOL_MSG_MODULE_EEPROM_GET_REPLY;
	memset(bytes, 0x11, sizeof(bytes));
	mnl_attr_put(nlh, ETHTOOL_A_MODULE_EEPROM_DATA, n, bytes);
	assert_int_equal(module_on_page(nlh, &page), MNL_CB_OK);
	return page;
}

static void a_page_is_read_whole_or_not(void **state)
{
	struct module_page whole = answered(EEPROM_PAGE_BYTES), cut = answered(127);

	(void)state;
	assert_true(whole.read);
	assert_int_equal(whole.bytes[127], 0x11);
	assert_false(cut.read);
	assert_false(answered(0).read);
}

/* ---- hwmon ------------------------------------------------------------------------------ */

#define HWMON CLASS "mlx5_0/device/hwmon/hwmon3/"

static void sensors_are_what_hwmon_has(void **state)
{
	struct ibc_host *host;
	const struct ibc_rdma_device *device;

	(void)state;
	put_device("mlx5_0");
	put(HWMON "temp1_input", "46000\n");
	put(HWMON "temp1_label", "asic\n");
	put(HWMON "temp1_crit", "105000\n");
	put(HWMON "temp1_highest", "61500\n");
	put(HWMON "temp2_input", "-3000\n");
	put(HWMON "temp3_input", "?\n");
	put(HWMON "temp4_input_x", "1\n");
	host = read_whole(NULL);
	device = ibc_host_device_by_name(host, "mlx5_0");
	assert_int_equal(device->num_sensors, 2);
	assert_string_equal(device->sensors[0].name, "asic");
	assert_true(device->sensors[0].now == 46);
	assert_true(device->sensors[0].high == 105);
	assert_true(device->sensors[0].max == 61.5);
	assert_true(device->sensors[1].now == -3);
	assert_true(isnan(device->sensors[1].high));
	assert_null(device->sensors[1].name);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qsfp_says_what_sff_8636_has),
		cmocka_unit_test(osfp_says_what_cmis_has),
		cmocka_unit_test(passive_copper_measures_nothing),
		cmocka_unit_test(a_module_of_one_page_is_asked_for_no_other),
		cmocka_unit_test(zeros_and_ones_and_half_a_memory_are_no_module),
		cmocka_unit_test(a_page_is_read_whole_or_not),
		TEST(sensors_are_what_hwmon_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
