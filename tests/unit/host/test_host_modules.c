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

/* What a QSFP remembers of a lane is a bit of four, and of its alarms four bits. */
static void qsfp_remembers_what_sff_8636_has(void **state)
{
	struct eeprom e = qsfp28();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	put_byte(&e, EEPROM_LOWER, 3, 0x82);  /* Tx LOS of lane 3, Rx LOS of lane 1 */
	put_byte(&e, EEPROM_LOWER, 4, 0x04);  /* Tx fault of lane 2 */
	put_byte(&e, EEPROM_LOWER, 6, 0xa0);  /* temperature: high alarm, high warning */
	put_byte(&e, EEPROM_LOWER, 7, 0x10);  /* voltage: low warning */
	put_byte(&e, EEPROM_LOWER, 9, 0x84);  /* Rx lane 0 high alarm, lane 1 low alarm */
	put_byte(&e, EEPROM_LOWER, 14, 0x01); /* Tx lane 3 low warning */
	put_byte(&e, EEPROM_UPPER, 164, 0x30);
	assert_true(eeprom_module(host, &e, &m));
	assert_true(m.has_latched);
	assert_int_equal(m.latched[IBC_LATCH_TX_LOS], 8);
	assert_int_equal(m.latched[IBC_LATCH_RX_LOS], 2);
	assert_int_equal(m.latched[IBC_LATCH_TX_FAULT], 4);
	assert_int_equal(m.latched[IBC_LATCH_TEMPERATURE], 1 | 4);
	assert_int_equal(m.latched[IBC_LATCH_VOLTAGE], 8);
	assert_int_equal(m.latched[IBC_LATCH_RX_POWER_HIGH], 1);
	assert_int_equal(m.latched[IBC_LATCH_RX_POWER_LOW], 2);
	assert_int_equal(m.latched[IBC_LATCH_TX_POWER_WARN_LOW], 8);
	assert_int_equal(m.latched[IBC_LATCH_BIAS_HIGH], 0);
	assert_int_equal(m.rates, IBC_SPEED_EDR | IBC_SPEED_HDR);
	ibc_host_free(host);
}

static void osfp_remembers_what_cmis_has(void **state)
{
	struct eeprom e = osfp();
	struct ibc_host *host = mk_host();
	struct ibc_module m;

	(void)state;
	put_byte(&e, EEPROM_LOWER, 8, 2);
	put_byte(&e, EEPROM_LOWER, 9, 0x21); /* voltage low alarm, temperature high alarm */
	put_byte(&e, EEPROM_LANES, 135, 0x80);
	put_byte(&e, EEPROM_LANES, 152, 0x01);
	assert_true(eeprom_module(host, &e, &m));
	assert_int_equal(m.latched[IBC_LATCH_FIRMWARE_FAULT], 1);
	assert_int_equal(m.latched[IBC_LATCH_DATA_PATH_FAULT], 0);
	assert_int_equal(m.latched[IBC_LATCH_VOLTAGE], 2);
	assert_int_equal(m.latched[IBC_LATCH_TEMPERATURE], 1);
	assert_int_equal(m.latched[IBC_LATCH_TX_FAULT], 0x80);
	assert_int_equal(m.latched[IBC_LATCH_RX_POWER_WARN_LOW], 1);
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

/* ---- judged as those of a fabric are ---------------------------------------------------- */

#define CABLE                                                                                      \
	"cable.temperature,cable.no-light,cable.rx-power,cable.alarm,cable.unsupported,"           \
	"cable.module-state,cable.eeprom,device.temperature"
#define DENIED                                                                                     \
	"info node01: modules and cables are not judged: the kernel lets only root read their "    \
	"memory\n"

/* A host with an EDR port, up, and a module in it that is well. */
static struct ibc_host *mk_plugged(struct ibc_module **module)
{
	struct ibc_host *host = mk_host();
	struct ibc_rdma_port *port = mk_port(mk_device(host, "mlx5_0"));
	struct eeprom e = qsfp28();

	for (unsigned int lane = 0; lane < 4; lane++)
		put_word(&e, EEPROM_LOWER, 34 + 2 * lane, 10000);
	put_bytes(&e, EEPROM_UPPER, 196, "EX0001          ", 16);
	*module = host_array(host, 1, sizeof(**module));
	assert_true(*module && eeprom_module(host, &e, *module));
	port->module = *module;
	port->phys_state = IBC_PHYS_LINKUP;
	port->width = IBC_WIDTH_4X;
	port->speed = IBC_SPEED_EDR;
	return host;
}

static void says_of(const struct ibc_host *before, struct ibc_host *host, const char *lines)
{
	says_over(before, host, NULL, CABLE, lines);
	ibc_host_free(host);
}

static void a_module_of_this_host_is_judged_by_the_same_rules(void **state)
{
	struct ibc_module *m;
	struct ibc_host *host = mk_plugged(&m);

	(void)state;
	says_of(NULL, host, "");
	host = mk_plugged(&m);
	m->ddm[IBC_DDM_TEMPERATURE].now[0] = 81;
	m->ddm[IBC_DDM_RX_POWER].now[2] = 0;
	m->state = IBC_MODULE_FAULT;
	m->rates = IBC_SPEED_FDR;
	m->serial = NULL;
	says_of(NULL, host,
	        "warning mlx5_0/1: the module has no serial number\n"
	        "critical mlx5_0/1: the module reports a fault\n"
	        "critical mlx5_0/1: lane 2 receives no light\n"
	        "critical mlx5_0/1: the module has 81 degrees Celsius, its alarm is at 80\n"
	        "info mlx5_0/1: the cable does not state that it is made for EDR\n");
}

static void a_port_that_is_down_is_not_judged_by_its_light(void **state)
{
	struct ibc_module *m;
	struct ibc_host *host = mk_plugged(&m);
	struct ibc_rdma_port *port = mk_port((struct ibc_rdma_device *)ibc_host_device(host, 0));

	(void)state;
	m->ddm[IBC_DDM_RX_POWER].now[2] = 0;
	m->state = IBC_MODULE_LOW_POWER;
	port->phys_state = IBC_PHYS_DISABLED;
	says_of(NULL, host, "");
}

static void ten_degrees_in_a_window_are_a_warning(void **state)
{
	struct ibc_module *m;
	struct ibc_host *before = mk_plugged(&m), *host;

	(void)state;
	host = mk_plugged(&m);
	m->ddm[IBC_DDM_TEMPERATURE].now[0] = 60;
	before->seconds = 1000;
	host->seconds = 1120;
	says_of(before, host,
	        "warning mlx5_0/1: the module has 60 degrees Celsius, 14 more than minutes before, "
	        "its alarm is at 80\n");
	host = mk_plugged(&m);
	m->ddm[IBC_DDM_TEMPERATURE].now[0] = 60;
	host->seconds = 1301; /* slower than that it is the day */
	says_of(before, host, "");
	ibc_host_free(before);
}

/* Its sensor is all that others than root can read; a module that was read is told once. */
static void a_hot_module_is_told_once_and_by_its_sensor_if_by_nothing_else(void **state)
{
	static const struct ibc_sensor hot = {
		"Module0", 80, NAN, NAN, 80, 2, IBC_SENSOR_TEMPERATURE, 0
	};
	struct ibc_module *m;
	struct ibc_host *host = mk_plugged(&m);
	struct ibc_rdma_device *device = (struct ibc_rdma_device *)ibc_host_device(host, 0);

	(void)state;
	device->sensors = &hot;
	device->num_sensors = 1;
	m->ddm[IBC_DDM_TEMPERATURE].now[0] = 80;
	says_over(NULL, host, NULL, CABLE,
	          "critical mlx5_0/1: the module has 80 degrees Celsius, its alarm is at 80\n");
	mk_port(device)->module = NULL;
	host->modules_denied = true;
	says_of(NULL, host,
	        DENIED
	        "critical mlx5_0: sensor 2 (Module0) has 80 degrees Celsius, its limit is 80\n");
}

/* A virtual device has no cage: nothing was denied, and nothing is wrong. */
static void no_module_is_a_gap_only_if_it_was_asked_for(void **state)
{
	struct ibc_host *host = mk_host();
	const struct ibc_input in = { .host = host };
	struct ibc_report *rep;

	(void)state;
	mk_device(host, "mlx5_0");
	for (int asked = 0; asked < 2; asked++) {
		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		assert_int_equal(
		    ibc_check_run(&in, asked ? CABLE : "host.port-count," CABLE, rep, NULL), 0);
		assert_int_equal(ibc_report_finish(rep, NULL), 0);
		assert_int_equal(ibc_report_verdict(rep), asked ? IBC_UNKNOWN : IBC_OK);
		ibc_report_free(rep);
	}
	host->modules_denied = true;
	says_over(NULL, host, NULL, "host.port-count," CABLE, DENIED);
	says_of(NULL, host, DENIED);
}

static void below_another_root_a_module_is_a_file(void **state)
{
	struct eeprom e = qsfp28();
	struct ibc_host *host;
	FILE *f;

	(void)state;
	put_device("mlx5_0");
	put(CLASS "mlx5_0/device/net/ib0/dev_port", "0\n");
	put("ethtool/ib0", "");
	host = read_whole(NULL);
	assert_null(ibc_host_device(host, 0)->ports[0].module);
	ibc_host_free(host);
	f = fopen(below_root("ethtool/ib0"), "w");
	assert_non_null(f);
	fwrite(e.page, EEPROM_PAGE_BYTES, EEPROM_LANES, f);
	assert_int_equal(fclose(f), 0);
	host = read_whole(NULL);
	assert_string_equal(ibc_host_device(host, 0)->ports[0].module->part, "EX-SR4");
	assert_true(ibc_host_device(host, 0)->ports[0].module->ddm[IBC_DDM_TEMPERATURE].high == 80);
	ibc_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qsfp_says_what_sff_8636_has),
		cmocka_unit_test(osfp_says_what_cmis_has),
		cmocka_unit_test(passive_copper_measures_nothing),
		cmocka_unit_test(qsfp_remembers_what_sff_8636_has),
		cmocka_unit_test(osfp_remembers_what_cmis_has),
		cmocka_unit_test(a_module_of_one_page_is_asked_for_no_other),
		cmocka_unit_test(zeros_and_ones_and_half_a_memory_are_no_module),
		cmocka_unit_test(a_page_is_read_whole_or_not),
		TEST(sensors_are_what_hwmon_has),
		cmocka_unit_test(a_module_of_this_host_is_judged_by_the_same_rules),
		cmocka_unit_test(a_port_that_is_down_is_not_judged_by_its_light),
		cmocka_unit_test(ten_degrees_in_a_window_are_a_warning),
		cmocka_unit_test(a_hot_module_is_told_once_and_by_its_sensor_if_by_nothing_else),
		cmocka_unit_test(no_module_is_a_gap_only_if_it_was_asked_for),
		TEST(below_another_root_a_module_is_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
