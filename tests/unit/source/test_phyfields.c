/* SPDX-License-Identifier: BSD-2-Clause */
/* The physical layer in snapshots. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/phywords.h"
#include "mksnap.h"

/* A switch with two ports cabled to a host, and all of this at port 1. */
static struct ibc_fabric *with_phy(const struct ibc_phy *phy, const struct ibc_module *module)
{
	struct mkfab m = mkfab();
	struct ibc_port *p;

	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01 mlx5_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	p = port(m, 0x10, 1);
	port_extra(p)->phy = phy;
	port_extra(p)->module = module;
	if (phy)
		answers_put(p, IBC_ATTR_PHY_ERRORS, ANSWER_OK);
	if (module)
		answers_put(p, IBC_ATTR_PHY_MODULE, ANSWER_OK);
	return done(m);
}

static const struct ibc_port *port1(const struct ibc_fabric *fab)
{
	return &ibc_fabric_node_by_guid(fab, 0x10)->ports[1];
}

static const struct ibc_fec_histogram histogram = {
	.fec_type = 1,
	.num_bins = 3,
	.num_blocks = 21,
	.low = { 0, 1, 3 },
	.high = { 0, 2, 15 },
	.blocks = { UINT64_MAX, 7, [20] = 1ull << 60 },
};

static struct ibc_phy full_phy(void)
{
	struct ibc_phy phy = {
		.known = (UINT64_C(1) << IBC_PHY_VALUES) - 1,
		.ber = { { 3, 7 }, { 15, 255 }, { 0, 0 } },
		.known_bers = 7,
		.fec_active = IBC_FEC_RS_544_PLR,
		.fec_requested = IBC_FEC_RS_271,
		.at_seconds = 0.5,
		.why_down = "Cable is unplugged",
		.histogram = &histogram,
	};

	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++)
		phy.value[i] = (UINT64_C(1) << 40) + i;
	return phy;
}

static struct ibc_module full_module(void)
{
	struct ibc_module m;
	double n = -3.25;

	module_clear(&m);
	m.vendor = "Acme";
	m.part = "AC-400";
	m.revision = "A2";
	m.serial = "AC2101FT00001";
	m.date = "210131";
	m.firmware = "46.120.12";
	m.length_m = 0.5;
	m.oui = 0x0002c9;
	m.rates = IBC_SPEED_NDR | IBC_SPEED_HDR;
	m.kind = IBC_MODULE_OPTICAL;
	m.form = IBC_FORM_OSFP;
	m.technology = IBC_TECHNOLOGY_VCSEL_850;
	m.breakout = 0x11;
	m.monitored = 0x1f;
	m.rx_average = true;
	m.state = IBC_MODULE_READY;
	m.config_error = 1;
	m.has_latched = true;
	for (unsigned int i = 0; i < IBC_DDMS; i++) {
		m.ddm[i].low = n++;
		m.ddm[i].high = n++;
		for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
			m.ddm[i].now[lane] = n++;
	}
	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		m.data_path[lane] = (uint8_t)(lane + 1);
	for (unsigned int i = 0; i < IBC_LATCHES; i++)
		m.latched[i] = (uint8_t)(i * 3);
	return m;
}

static void all_of_a_link_survives(void **state)
{
	const struct ibc_phy in = full_phy();
	struct ibc_fabric *fab = reload(with_phy(&in, NULL));
	const struct ibc_phy *out = port1(fab)->extra->phy;

	(void)state;
	assert_true(out->known == in.known);
	assert_memory_equal(out->value, in.value, sizeof(in.value));
	assert_memory_equal(out->ber, in.ber, sizeof(in.ber));
	assert_int_equal(out->known_bers, 7);
	assert_int_equal(out->fec_active, in.fec_active);
	assert_int_equal(out->fec_requested, in.fec_requested);
	assert_true(out->at_seconds == 0.5);
	assert_string_equal(out->why_down, in.why_down);
	assert_memory_equal(out->histogram, &histogram, sizeof(histogram));
	assert_null(port1(fab)->extra->module);
	assert_null(port1(fab)->peer->extra->phy);
	ibc_fabric_free(fab);
}

static void all_of_a_module_survives(void **state)
{
	const struct ibc_module in = full_module();
	struct ibc_fabric *fab = reload(with_phy(NULL, &in));
	const struct ibc_module *out = port1(fab)->extra->module;

	(void)state;
	assert_string_equal(out->vendor, in.vendor);
	assert_string_equal(out->part, in.part);
	assert_string_equal(out->revision, in.revision);
	assert_string_equal(out->serial, in.serial);
	assert_string_equal(out->date, in.date);
	assert_string_equal(out->firmware, in.firmware);
	/* the texts are elsewhere */
	assert_memory_equal(&out->length_m, &in.length_m,
	                    sizeof(in) - offsetof(struct ibc_module, length_m));
	assert_null(port1(fab)->extra->phy);
	ibc_fabric_free(fab);
}

static void zero_stays_known_and_nothing_stays_unknown(void **state)
{
	struct ibc_phy phy = { .known = UINT64_C(1) << IBC_PHY_SYMBOL_ERRORS };
	struct ibc_module module;
	struct ibc_fabric *fab;
	const struct ibc_module *m;

	(void)state;
	module_clear(&module);
	module.ddm[IBC_DDM_RX_POWER].now[3] = 0;
	fab = reload(with_phy(&phy, &module));
	m = port1(fab)->extra->module;
	assert_true(ibc_phy_knows(port1(fab)->extra->phy, IBC_PHY_SYMBOL_ERRORS));
	assert_false(ibc_phy_knows(port1(fab)->extra->phy, IBC_PHY_EFFECTIVE_ERRORS));
	assert_null(port1(fab)->extra->phy->histogram);
	assert_true(m->ddm[IBC_DDM_RX_POWER].now[3] == 0);
	assert_true(isnan(m->ddm[IBC_DDM_RX_POWER].now[2]));
	assert_true(isnan(m->ddm[IBC_DDM_RX_POWER].now[4]));
	assert_true(isnan(m->ddm[IBC_DDM_TEMPERATURE].now[0]));
	assert_true(isnan(m->length_m));
	assert_false(m->has_latched);
	assert_null(m->serial);
	ibc_fabric_free(fab);
}

static void sensors_survive(void **state)
{
	static const struct ibc_sensor in[] = {
		{ "asic", 61.5, NAN, NAN, 105, 0, IBC_SENSOR_TEMPERATURE, 0 },
		{ NULL, -3.25, 12, -10, NAN, 64, IBC_SENSOR_TEMPERATURE, 0 },
		{ NULL, 0, NAN, NAN, NAN, 3, IBC_SENSOR_FAN, IBC_SENSOR_ALARM_LOW },
	};
	struct mkfab m = mkfab();
	struct ibc_node *node = mk_switch(m, 0x10, "leaf01", 1);
	const struct ibc_sensor *out;
	struct ibc_fabric *fab;

	(void)state;
	node->sensors = in;
	node->num_sensors = COUNT(in);
	node->phy_discarded = true;
	fab = reload(done(m));
	assert_true(ibc_fabric_node(fab, 0)->phy_discarded);
	assert_int_equal(ibc_fabric_node(fab, 0)->num_sensors, COUNT(in));
	out = ibc_fabric_node(fab, 0)->sensors;
	assert_string_equal(out[0].name, "asic");
	assert_null(out[1].name);
	for (size_t i = 0; i < COUNT(in); i++) {
		assert_memory_equal(&out[i].now, &in[i].now, 4 * sizeof(double));
		assert_int_equal(out[i].index, in[i].index);
		assert_int_equal(out[i].kind, in[i].kind);
		assert_int_equal(out[i].alarm, in[i].alarm);
	}
	ibc_fabric_free(fab);
}

#define PORT1          HEADER NODE "{\"num\":1,"
#define TAIL           "}]}\n"
#define ANSWERED(name) "\"asked\":[\"" name "\"],\"answered\":[\"" name "\"]"

static const struct {
	const char *text, *why;
} impossible[] = {
	{ PORT1 "\"phy\":7" TAIL, "test:2: port 1: an object was expected" },
	{ PORT1 "\"phy\":{}" TAIL, "test:2: port 1: invalid value of \"values\"" },
	{ PORT1 "\"phy\":{\"values\":{\"x\":1}}" TAIL, "test:2: port 1: unknown value \"x\"" },
	{ PORT1 "\"phy\":{\"values\":{\"link_downs\":-1}}" TAIL,
	  "test:2: port 1: invalid value of \"link_downs\"" },
	{ PORT1 "\"phy\":{\"values\":{},\"known_bers\":8,\"bers\":[0,0,0,0,0,0]}" TAIL,
	  "test:2: port 1: invalid value of \"bers\"" },
	{ PORT1 "\"phy\":{\"values\":{},\"known_bers\":7,\"bers\":[0,0,0,0,0]}" TAIL,
	  "test:2: port 1: invalid value of \"bers\"" },
	{ PORT1 "\"phy\":{\"values\":{},\"histogram\":{\"bins\":22}}" TAIL,
	  "test:2: port 1: invalid value of \"low\"" },
	{ PORT1 "\"phy\":{\"values\":{},\"histogram\":{\"low\":[],\"high\":[]}}" TAIL,
	  "test:2: port 1: invalid value of \"blocks\"" },
	{ PORT1 "\"phy\":{\"values\":{},\"histogram\":{\"low\":[],\"high\":[],"
	        "\"blocks\":[\"1\"]}}" TAIL,
	  "test:2: port 1: invalid value of \"blocks\"" },
	{ PORT1 "\"module\":[]" TAIL, "test:2: port 1: an object was expected" },
	{ PORT1 "\"module\":{\"length_m\":-1}" TAIL,
	  "test:2: port 1: invalid value of \"length_m\"" },
	{ PORT1 "\"module\":{\"rx_power_uw\":[0,0,0,0,0,0,0,0,0,0,0]}" TAIL,
	  "test:2: port 1: invalid value of \"rx_power_uw\"" },
	{ PORT1 "\"module\":{\"voltage_volts\":[true]}" TAIL,
	  "test:2: port 1: invalid value of \"voltage_volts\"" },
	{ PORT1 "\"module\":{\"data_path\":[1,2,3,4,5,6,7,256]}" TAIL,
	  "test:2: port 1: invalid value of \"data_path\"" },
	{ PORT1 "\"module\":{\"latched\":[]}" TAIL,
	  "test:2: port 1: invalid value of \"latched\"" },
	{ PORT1 ANSWERED("PDDR.3") TAIL,
	  "test:2: port 1: \"module\" was answered, but is missing here" },
	{ PORT1 ANSWERED("PPCNT.0x16") TAIL,
	  "test:2: port 1: \"phy\" was answered, but is missing here" },
	{ HEADER "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,\"sensors\":7,"
	         "\"ports\":[]}\n",
	  "test:2: invalid value of \"sensors\"" },
	{ HEADER "{\"subnet\":0,\"guid\":\"0x1\",\"type\":2,\"num_ports\":2,\"sensors\":[{}],"
	         "\"ports\":[]}\n",
	  "test:2: invalid value of \"readings\"" },
};

static void what_cannot_be_is_refused_with_its_port(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(impossible); i++)
		refused(impossible[i].text, impossible[i].why);
}

static void every_allocation_may_fail(void **state)
{
	const struct ibc_phy phy = full_phy();
	const struct ibc_module module = full_module();
	struct ibc_fabric *fab = with_phy(&phy, &module);
	unsigned long n = 0;
	size_t length;
	char *bytes = bytes_of(fab, "snapshot", &length);
	int rc = -ENOMEM;

	(void)state;
	ibc_fabric_free(fab);
	while (rc == -ENOMEM) {
		fab = NULL;
		alloc_fail_at(++n);
		rc = read_bytes(read_snapshot, bytes, length, &fab, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	ibc_fabric_free(fab);
	free(bytes);
}

/* ---- two ports of one plug ------------------------------------------------------------- */

static void a_plug_with_two_ports_is_one_module(void **state)
{
	struct ibc_module a = full_module(), other = full_module(), nameless = full_module();
	struct mkfab m = mkfab();
	const struct ibc_port *ports;
	struct ibc_fabric *fab;

	(void)state;
	other.serial = "AC2101FT00002";
	nameless.serial = NULL;
	mk_switch(m, 0x10, "leaf01", 8);
	cable(m, 0x10, 7, 0x10, 8);
	port_extra(port(m, 0x10, 1))->module = &a;
	port_extra(port(m, 0x10, 2))->module = &a;
	port_extra(port(m, 0x10, 3))->module = &other;
	port_extra(port(m, 0x10, 5))->module = &nameless;
	port_extra(port(m, 0x10, 6))->module = &nameless;
	port_extra(port(m, 0x10, 7))->module = &other;
	port_extra(port(m, 0x10, 8))->module = &other;
	fab = done(m);
	ports = ibc_fabric_node(fab, 0)->ports;
	assert_ptr_equal(ibc_module_port(&ports[1]), &ports[1]);
	assert_ptr_equal(ibc_module_port(&ports[2]), &ports[1]);
	assert_ptr_equal(ibc_module_port(&ports[3]), &ports[3]);
	/* nothing tells them apart, so they are two */
	assert_ptr_equal(ibc_module_port(&ports[6]), &ports[6]);
	/* no module: itself */
	assert_ptr_equal(ibc_module_port(&ports[4]), &ports[4]);
	ibc_fabric_free(fab);
}

static void both_ends_of_a_cable_are_not_one_plug(void **state)
{
	struct ibc_module a = full_module();
	struct mkfab m = mkfab();
	const struct ibc_port *ports;
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x10, "leaf01", 2);
	cable(m, 0x10, 1, 0x10, 2);
	port_extra(port(m, 0x10, 1))->module = &a;
	port_extra(port(m, 0x10, 2))->module = &a;
	fab = done(m);
	ports = ibc_fabric_node(fab, 0)->ports;
	assert_ptr_equal(ibc_module_port(&ports[2]), &ports[2]);
	ibc_fabric_free(fab);
}

/* ---- words ------------------------------------------------------------------------------- */

/* By the numbers of both tables, typed from mstflint and from ibdm. */
static void a_code_of_fec_has_two_numbers(void **state)
{
	(void)state;
	assert_int_equal(fec_of_pddr(7), IBC_FEC_RS_544);
	assert_int_equal(fec_of_port_info(4), IBC_FEC_RS_544);
	assert_int_equal(fec_of_pddr(4), IBC_FEC_RS_544_4X);
	assert_int_equal(fec_of_pddr(12), fec_of_port_info(13));
	assert_int_equal(fec_of_pddr(13), fec_of_port_info(14));
	assert_int_equal(fec_of_pddr(0), IBC_FEC_NONE);
	assert_int_equal(fec_of_port_info(0), IBC_FEC_NONE);
	assert_int_equal(fec_of_pddr(19), IBC_FEC_UNKNOWN);
	assert_int_equal(fec_of_pddr(UINT_MAX), IBC_FEC_UNKNOWN);
	assert_int_equal(fec_of_port_info(5), IBC_FEC_UNKNOWN);
	assert_int_equal(fec_of_port_info(255), IBC_FEC_UNKNOWN);
}

static void a_code_of_fec_says_what_it_can(void **state)
{
	(void)state;
	assert_int_equal(ibc_fec_info(IBC_FEC_RS_544)->corrects, 15);
	assert_int_equal(ibc_fec_info(IBC_FEC_RS_271_PLR)->corrects, 7);
	assert_true(ibc_fec_info(IBC_FEC_RS_271_PLR)->plr);
	assert_false(ibc_fec_info(IBC_FEC_RS_528)->plr);
	assert_string_equal(ibc_fec_info(IBC_FECS)->word.word, "unknown");
	for (unsigned int i = 0; i < IBC_FECS; i++)
		assert_non_null(ibc_fec_info(i)->word.name);
}

static void no_error_seen_is_no_rate(void **state)
{
	(void)state;
	assert_true(ibc_ber_value((struct ibc_ber){ 15, 255 }) == 0);
	assert_true(ibc_ber_value((struct ibc_ber){ 0, 12 }) == 0);
	assert_true(fabs(ibc_ber_value((struct ibc_ber){ 3, 8 }) / 3e-8 - 1) < 1e-12);
	assert_true(ibc_ber_value((struct ibc_ber){ 15, 254 }) > 0);
}

static void codes_tell_whose_fault_it_is(void **state)
{
	(void)state;
	assert_int_equal(ibc_phy_reason(0)->class, IBC_PHY_CLASS_NOTHING);
	assert_int_equal(ibc_phy_reason(2)->class, IBC_PHY_CLASS_QUALITY);
	assert_int_equal(ibc_phy_reason(12)->class, IBC_PHY_CLASS_CONGESTION);
	assert_int_equal(ibc_phy_reason(25)->class, IBC_PHY_CLASS_MODULE);
	assert_int_equal(ibc_phy_reason(22)->class, IBC_PHY_CLASS_INTENDED);
	assert_int_equal(ibc_phy_reason(37)->class, IBC_PHY_CLASS_OTHER_SIDE);
	assert_int_equal(ibc_phy_reason(1)->class, IBC_PHY_CLASS_UNKNOWN);
	assert_string_equal(ibc_phy_reason(200)->text, "unknown");
	assert_int_equal(ibc_phy_trouble(70)->class, IBC_PHY_CLASS_QUALITY);
	assert_int_equal(ibc_phy_trouble(65)->class, IBC_PHY_CLASS_TRAINING);
	assert_int_equal(ibc_phy_trouble(1030)->class, IBC_PHY_CLASS_MODULE);
	assert_string_equal(ibc_phy_trouble(1024)->text, "nothing is plugged in");
	assert_int_equal(ibc_phy_trouble(67)->class, IBC_PHY_CLASS_UNKNOWN);
	assert_int_equal(ibc_phy_trouble(UINT64_MAX)->class, IBC_PHY_CLASS_UNKNOWN);
}

static void every_value_has_words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < IBC_PHY_VALUES; i++)
		assert_non_null(ibc_phy_value_word(i)->name);
	for (unsigned int i = 0; i < IBC_LATCHES; i++)
		assert_non_null(ibc_latch_word(i)->name);
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		assert_non_null(ibc_ddm_word(i)->name);
	assert_string_equal(ibc_module_kind_word(IBC_MODULE_PASSIVE_COPPER)->word,
	                    "passive_copper");
	assert_string_equal(ibc_module_form_word(IBC_FORM_OSFP)->name, "OSFP");
	assert_string_equal(ibc_module_form_word(77)->word, "unknown");
	assert_string_equal(ibc_module_technology_word(IBC_TECHNOLOGY_VCSEL_850)->name,
	                    "850 nm VCSEL");
	assert_string_equal(ibc_module_state_word(IBC_MODULE_FAULT)->word, "fault");
	assert_string_equal(ibc_phy_class_word(IBC_PHY_CLASS_QUALITY)->word, "quality");
	assert_string_equal(ibc_sensor_kind_word(IBC_SENSOR_FAN)->word, "fan");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_link_survives),
		cmocka_unit_test(all_of_a_module_survives),
		cmocka_unit_test(zero_stays_known_and_nothing_stays_unknown),
		cmocka_unit_test(sensors_survive),
		cmocka_unit_test(what_cannot_be_is_refused_with_its_port),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(a_plug_with_two_ports_is_one_module),
		cmocka_unit_test(both_ends_of_a_cable_are_not_one_plug),
		cmocka_unit_test(a_code_of_fec_has_two_numbers),
		cmocka_unit_test(a_code_of_fec_says_what_it_can),
		cmocka_unit_test(no_error_seen_is_no_rate),
		cmocka_unit_test(codes_tell_whose_fault_it_is),
		cmocka_unit_test(every_value_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
