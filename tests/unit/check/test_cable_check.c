/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of modules, cables and sensors of devices; and what is one case with them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "mkphy.h"
#include "report/report.h"

#define LINK1 "leaf01/1 - host01 mlx5_0/1: "

/* ---- what modules measure ------------------------------------------------------------- */

static void be_at(struct pair s, enum ibc_ddm ddm, unsigned int lane, double now)
{
	module_of(s, 1, 1)->ddm[ddm].now[lane] = now;
}

static void a_module_at_its_alarm_is_critical(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_TEMPERATURE, 0, 80);
	expect_optics(s,
	              "critical leaf01/1: the module has 80 degrees Celsius, its alarm is at 80\n");
}

static void a_module_near_its_alarm_is_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_TEMPERATURE, 0, 75);
	expect_optics(s,
	              "warning leaf01/1: the module has 75 degrees Celsius, its alarm is at 80\n");
}

static void seventy_degrees_are_a_note_where_the_alarm_is_high(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_TEMPERATURE, 0, 70);
	expect_optics(s, "info leaf01/1: the module has 70 degrees Celsius, its alarm is at 80\n");
	s = mk_optics(1);
	be_at(s, IBC_DDM_TEMPERATURE, 0, 70);
	module_of(s, 1, 1)->ddm[IBC_DDM_TEMPERATURE].high = NAN;
	expect_optics(s, "warning leaf01/1: the module has 70 degrees Celsius\n");
	s = mk_optics(1);
	be_at(s, IBC_DDM_TEMPERATURE, 0, 69);
	expect_optics(s, "");
}

static void a_site_sets_its_own_degrees(void **state)
{
	struct ibc_config *config;
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_TEMPERATURE, 0, 66);
	assert_int_equal(ibc_config_new(&config, NULL), 0);
	assert_int_equal(ibc_config_set(config, "cable.temperature", "critical", "65", NULL), 0);
	expect_of(report_of_pair(s, OPTICS, config),
	          "critical leaf01/1: the module has 66 degrees Celsius, its alarm is at 80\n");
	ibc_config_free(config);
}

static void ten_degrees_in_five_minutes_are_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	s.now.subnet->time -= HOUR - 300;
	put_run(phy_of(s.now, 1, 1), DAYS_10_S + 300);
	put_run(phy_of(s.now, host(1), 1), DAYS_10_S + 300);
	be_at(s, IBC_DDM_TEMPERATURE, 0, 62);
	expect_optics(s,
	              "warning leaf01/1: the module has 62 degrees Celsius, 10 more than minutes "
	              "before, its alarm is at 80\n");
	s = mk_optics(1); /* in an hour it is the day */
	be_at(s, IBC_DDM_TEMPERATURE, 0, 62);
	expect_optics(s, "");
}

/* Trap: 0 is no temperature, but -3 is one; limits that are equal are none. */
static void what_cannot_be_measured_is_no_reading(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_ddm_reading *r = module_of(s, 1, 1)->ddm;

	(void)state;
	r[IBC_DDM_TEMPERATURE].now[0] = r[IBC_DDM_VOLTAGE].now[0] = 0;
	r[IBC_DDM_BIAS].low = r[IBC_DDM_BIAS].high = 0;
	expect_optics(s, "");
	s = mk_optics(1);
	be_at(s, IBC_DDM_TEMPERATURE, 0, -3);
	expect_optics(s, "");
	s = mk_optics(1);
	be_at(s, IBC_DDM_TEMPERATURE, 0, 99);
	module_of(s, 1, 1)->monitored = 0;
	expect_optics(s, "");
}

/* Trap: 198 of 198 have these flags, no limits, and zeros. */
static void passive_copper_is_not_judged_as_optics_are(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_module *m = module_of(s, 1, 1);

	(void)state;
	m->kind = IBC_MODULE_PASSIVE_COPPER;
	m->serial = module_of(s, host(1), 1)->serial;
	module_of(s, host(1), 1)->kind = IBC_MODULE_PASSIVE_COPPER;
	m->state = IBC_MODULE_STATE_UNKNOWN;
	m->has_latched = true;
	memset(m->latched, 0xff, sizeof(m->latched));
	for (unsigned int i = 0; i < IBC_DDMS; i++)
		put_ddm(m, i, 0, 1, 2);
	m->ddm[IBC_DDM_TEMPERATURE].now[0] = 54;
	expect_optics(s, "");
}

/* Trap: flags outlive their cause. */
static void latched_flags_alone_are_history(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_module *m = module_of(s, 1, 1);

	(void)state;
	m->has_latched = true;
	memset(m->latched, 0xff, sizeof(m->latched));
	expect_optics(s, "");
}

static void a_transmitter_that_failed_has_flag_and_no_light_now(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_module *m = module_of(s, 1, 1);

	(void)state;
	m->has_latched = true;
	m->latched[IBC_LATCH_TX_FAULT] = 4;
	be_at(s, IBC_DDM_TX_POWER, 2, 100);
	expect_optics(s,
	              "critical leaf01/1: a transmitter of the module has failed\n"
	              "critical leaf01/1: the light sent of lane 2 is 100 uW, the module's alarm "
	              "is at 200 uW\n");
	s = mk_optics(1);
	m = module_of(s, 1, 1);
	m->has_latched = true;
	m->latched[IBC_LATCH_TX_FAULT] = 4;
	m->state = IBC_MODULE_FAULT;
	expect_optics(s, "critical leaf01/1: a transmitter of the module has failed\n"
	                 "critical leaf01/1: the module reports a fault\n");
}

static void alarms_are_the_modules_own(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_VOLTAGE, 0, 2.9);
	be_at(s, IBC_DDM_BIAS, 3, 13100);
	be_at(s, IBC_DDM_TX_POWER, 0, 4001);
	expect_optics(s,
	              "critical leaf01/1: the laser current of lane 3 is 13.1 mA, the module's "
	              "alarm is at 13 mA\n"
	              "critical leaf01/1: the light sent of lane 0 is 4001 uW, the module's alarm "
	              "is at 4000 uW\n"
	              "critical leaf01/1: the supply voltage is 2.9 V, the module's alarm is at 3 "
	              "V\n");
}

static void accepting_one_kind_leaves_every_other_counted(void **state)
{
	char path[] = "/tmp/ibcheck-test-XXXXXX";
	struct pair s = mk_optics(1);
	struct ibc_report *rep;
	FILE *known = fdopen(mkstemp(path), "w");
	size_t kinds = 0;

	(void)state;
	assert_non_null(known);
	fputs("cable.alarm:bias leaf01/1 2099-12-31 ops a module is ordered\n", known);
	fclose(known);
	be_at(s, IBC_DDM_BIAS, 3, 13100);
	be_at(s, IBC_DDM_TX_POWER, 0, 4001);
	rep = report_of_pair(s, "cable.alarm", NULL);
	assert_int_equal(ibc_report_known(rep, path, "2026-07-01", NULL, NULL, NULL), 0);
	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_value *kind = finding_fact(&rep->findings[i], "kind");

		assert_non_null(kind);
		assert_int_equal(rep->findings[i].known != NULL, !strcmp(kind->str, "bias"));
		kinds++;
	}
	assert_int_equal(kinds, 2);
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	ibc_report_free(rep);
	unlink(path);
}

/* ---- kinds ------------------------------------------------------------------------------ */

static struct ibc_config *configured(const char *section, const char *key, const char *value)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	if (section)
		assert_int_equal(ibc_config_set(config, section, key, value, NULL), 0);
	return config;
}

/* As if a user named them. */
static struct ibc_report *report_of_named(struct pair s, const char *selection,
                                          const struct ibc_config *config)
{
	struct ibc_fabric *before = done(s.before), *now = done(s.now);
	struct ibc_input in = {
		.fabric = now, .before = before, .config = config, .named = selection
	};
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

/* With the laser current and the light sent of leaf01/1 beyond their alarms. */
static struct ibc_report *report_of_laser(const char *selection, const struct ibc_config *config)
{
	struct pair s = mk_optics(1);

	be_at(s, IBC_DDM_BIAS, 3, 13100);
	be_at(s, IBC_DDM_TX_POWER, 0, 4001);
	return report_of_named(s, selection, config);
}

/* As lines "critical bias". */
static void expect_kinds(const char *selection, const struct ibc_config *config, const char *lines)
{
	struct ibc_report *rep = report_of_laser(selection, config);
	char kinds[128] = "";

	for (size_t i = 0; i < rep->num_findings; i++) {
		const struct ibc_finding *f = &rep->findings[i];
		const struct ibc_value *kind = finding_fact(f, "kind");

		if (!kind)
			continue; /* of another check */
		strcat(strcat(kinds, ibc_severity_word(f->severity)->word), " ");
		strcat(strcat(kinds, kind->str), "\n");
	}
	assert_string_equal(kinds, lines);
	ibc_report_free(rep);
}

#define BOTH "critical bias\ncritical tx-power\n"
#define BIAS "cable.alarm:bias"

static void a_kind_is_selected_behind_the_id(void **state)
{
	(void)state;
	expect_kinds("cable.alarm", NULL, BOTH);
	expect_kinds(BIAS, NULL, "critical bias\n");
	expect_kinds("cable.alarm,-" BIAS, NULL, "critical tx-power\n");
	expect_kinds("-cable.voltage,-" BIAS, NULL, "critical tx-power\n");
	expect_kinds("-cable,cable.alarm:tx-power", NULL, "critical tx-power\n");
	expect_kinds("cable.alarm:tx-power," BIAS, NULL, BOTH);
	expect_kinds("cable.alarm:tx-fault", NULL, "");
}

static void a_kind_that_is_none_is_an_error_that_lists_those_there_are(void **state)
{
	static const struct {
		const char *selection, *error;
	} cases[] = {
		{ "cable.alarm:bia", "cable.alarm has no kind \"bia\": there are cable.alarm:bias, "
		                     "cable.alarm:tx-power, cable.alarm:tx-fault" },
		{ "-cable:bias", "cable has no kind \"bias\": there are cable.alarm:bias, "
		                 "cable.alarm:tx-power, cable.alarm:tx-fault" },
		{ "cable.alarm:", "cable.alarm has no kind \"\": there are cable.alarm:bias, "
		                  "cable.alarm:tx-power, cable.alarm:tx-fault" },
		{ "port.width:x", "port.width has no kinds: leave out \":x\"" },
		{ "cable.alrm:bias",
		  "no check is called \"cable.alrm\": did you mean \"cable.alarm\"?" },
		{ "cable.bias", "\"cable.bias\" was replaced by cable.alarm:bias" },
	};
	struct ibc_config *config = configured(NULL, NULL, NULL);
	struct ibc_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *s = cases[i].selection;

		assert_int_equal(ibc_check_selection_verify(s, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].error);
		s += *s == '-';
		assert_int_equal(ibc_config_set(config, s, "enabled", "no", &err), -EINVAL);
		assert_string_equal(err.text, cases[i].error);
	}
	assert_int_equal(ibc_check_selection_verify(BIAS ",-cable.alarm:tx-fault", NULL), 0);
	assert_int_equal(ibc_config_set(config, BIAS, "allow", "x", &err), -EINVAL);
	assert_string_equal(err.text, BIAS " has no key \"allow\": its keys are enabled, severity");
	assert_int_equal(ibc_config_set(config, BIAS " \"leaf*\"", "enabled", "no", NULL), -EINVAL);
	assert_int_equal(ibc_config_set(config, BIAS ",port", "enabled", "no", NULL), -EINVAL);
	ibc_config_free(config);
}

static void a_site_sets_one_kind_whatever_it_set_for_the_check(void **state)
{
	struct ibc_config *config = configured(BIAS, "enabled", "no");

	(void)state;
	expect_kinds("cable.alarm", config, "critical tx-power\n");
	assert_int_equal(ibc_config_set(config, BIAS, "enabled", "yes", NULL), 0);
	expect_kinds("cable.alarm", config, BOTH);
	assert_int_equal(ibc_config_set(config, "cable.alarm", "enabled", "no", NULL), 0);
	expect_kinds("cable.alarm", config, "critical bias\n");
	ibc_config_free(config);
	config = configured(BIAS, "severity", "warning");
	expect_kinds("cable.alarm", config, "warning bias\ncritical tx-power\n");
	assert_int_equal(ibc_config_set(config, "cable.alarm", "severity", "info", NULL), 0);
	expect_kinds("cable.alarm", config, "warning bias\ninfo tx-power\n");
	ibc_config_free(config);
}

static void a_check_of_which_no_kind_is_left_is_not_selected(void **state)
{
	const struct ibc_check *check = ibc_check_find("cable.alarm");
	struct ibc_config *config = configured(BIAS, "enabled", "no");
	struct ibc_check_set set;

	(void)state;
	assert_false(ibc_check_selected(check, BIAS ",-" BIAS));
	assert_true(ibc_check_selected(check, "cable.alarm,-" BIAS));
	assert_true(ibc_config_enabled(config, check));
	set = ibc_check_select(BIAS, config);
	assert_false(ibc_check_set_has(&set, check));
	assert_int_equal(ibc_config_set(config, "cable.alarm:tx-power", "enabled", "no", NULL), 0);
	assert_int_equal(ibc_config_set(config, "cable.alarm:tx-fault", "enabled", "no", NULL), 0);
	assert_false(ibc_config_enabled(config, check));
	ibc_config_free(config);
}

/* What ran, was skipped, and was not reported. */
static void expect_notes(struct ibc_report *rep, enum ibc_severity verdict, const char *ran,
                         const char *skipped, const char *unreported)
{
	const struct {
		const struct check_note *notes;
		const char *names;
	} lists[] = { { rep->ran, ran },
		      { rep->skipped, skipped },
		      { rep->unreported, unreported } };

	for (size_t i = 0; i < 3; i++) {
		char names[256] = "";

		for (const struct check_note *n = lists[i].notes; n; n = n->next)
			strcat(strcat(names, *names ? " " : ""), n->name);
		assert_string_equal(names, lists[i].names);
	}
	assert_int_equal(ibc_report_verdict(rep), verdict);
	ibc_report_free(rep);
}

/* What was named and is disabled must not look checked. */
static void what_is_named_and_disabled_is_skipped(void **state)
{
	struct ibc_config *config = configured(BIAS, "enabled", "no");
	struct pair well = mk_optics(1);
	struct ibc_report *rep;

	(void)state;
	expect_notes(report_of_named(well, BIAS ",cable.voltage", config), IBC_UNKNOWN,
	             "cable.voltage", BIAS, "");
	expect_notes(report_of_laser("cable.alarm", config), IBC_CRITICAL,
	             "cable.alarm:tx-power cable.alarm:tx-fault", BIAS, "cable.alarm:tx-fault");
	expect_notes(report_of_laser("cable.alarm,-" BIAS, config), IBC_CRITICAL,
	             "cable.alarm:tx-power cable.alarm:tx-fault", "", "cable.alarm:tx-fault");
	ibc_config_free(config);
	config = configured("cable.voltage", "enabled", "no");
	well = mk_optics(1);
	expect_notes(report_of_named(well, BIAS ",cable.voltage", config), IBC_UNKNOWN, BIAS,
	             "cable.voltage", "");
	well = mk_optics(1); /* who names the group leaves that to the configuration */
	rep = report_of_named(well, "cable", config);
	for (const struct check_note *n = rep->skipped; n; n = n->next)
		assert_string_not_equal(n->name, "cable.voltage");
	ibc_report_free(rep);
	ibc_config_free(config);
}

/* @answer: of all ports to the query for latched flags */
static struct pair latching(enum answer answer)
{
	struct pair s = mk_optics(1);

	answers_put(port(s.now, 1, 1), IBC_ATTR_PHY_MODULE_LATCHES, answer);
	answers_put(port(s.now, host(1), 1), IBC_ATTR_PHY_MODULE_LATCHES, answer);
	return s;
}

static void a_check_that_ran_in_part_did_not_run(void **state)
{
	struct ibc_report *rep = report_of_laser("cable.alarm:tx-fault,cable.alarm:tx-power", NULL);

	(void)state;
	assert_true(ibc_report_has_run(rep, "cable.alarm:tx-power"));
	assert_false(ibc_report_has_run(rep, BIAS));
	assert_false(ibc_report_has_run(rep, "cable.alarm"));
	assert_int_equal(count_notes(rep->ran), 1);
	ibc_report_free(rep);
	rep = report_of_named(latching(ANSWER_OK), "cable.alarm", NULL);
	assert_true(ibc_report_has_run(rep, "cable.alarm"));
	assert_true(ibc_report_has_run(rep, BIAS));
	assert_false(ibc_report_has_run(rep, "cable.ala"));
	ibc_report_free(rep);
	rep = report_of_named(latching(ANSWER_UNSUPPORTED), "cable.alarm", NULL);
	assert_true(ibc_report_has_run(rep, BIAS));
	assert_false(ibc_report_has_run(rep, "cable.alarm:tx-fault"));
	assert_false(ibc_report_has_run(rep, "cable.alarm"));
	ibc_report_free(rep);
}

static void a_kind_has_what_it_cannot_do_without(void **state)
{
	const char *fault = "cable.alarm:tx-fault";
	struct pair s;

	(void)state;
	expect_notes(report_of_named(latching(ANSWER_OK), fault, NULL), IBC_OK, fault, "", "");
	expect_notes(report_of_named(latching(ANSWER_UNSUPPORTED), fault, NULL), IBC_UNKNOWN, fault,
	             fault, "");
	expect_notes(report_of_named(mk_optics(1), fault, NULL), IBC_UNKNOWN, fault, fault, "");
	expect_notes(report_of_named(mk_optics(1), BIAS, NULL), IBC_OK, BIAS, "", "");
	/* not named itself */
	expect_notes(report_of_named(latching(ANSWER_UNSUPPORTED), "cable.alarm", NULL), IBC_OK,
	             "cable.alarm", "", fault);
	/* flags alone are no laser current */
	s = latching(ANSWER_OK);
	answers_put(port(s.now, 1, 1), IBC_ATTR_PHY_MODULE, ANSWER_UNSUPPORTED);
	answers_put(port(s.now, host(1), 1), IBC_ATTR_PHY_MODULE, ANSWER_UNSUPPORTED);
	expect_notes(report_of_named(s, BIAS, NULL), IBC_UNKNOWN, BIAS, "cable.alarm", "");
}

static void a_laser_may_be_off_where_there_is_no_link(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	mk_module(s.now, port(s.now, 1, 2));
	for (unsigned int lane = 0; lane < 4; lane++)
		for (enum ibc_ddm ddm = IBC_DDM_RX_POWER; ddm < IBC_DDMS; ddm++)
			module_of(s, 1, 2)->ddm[ddm].now[lane] = 0;
	expect_optics(s, "");
}

/* ---- light -------------------------------------------------------------------------------- */

static void too_little_light_is_told_at_the_receiver(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++)
		be_at(s, IBC_DDM_RX_POWER, lane, 90);
	expect_optics(s,
	              "critical leaf01/1: lane 0 receives 90 uW of light, the module's alarm is at "
	              "100 uW\n");
}

static void lanes_that_differ_by_3_db_are_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_RX_POWER, 1, 499);
	expect_optics(s, "warning leaf01/1: lane 1 receives 499 uW of light, lane 0 receives 1000 "
	                 "uW\n");
}

static void a_dim_module_stands_out_of_its_class(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++)
		be_at(s, IBC_DDM_RX_POWER, lane, 450);
	expect_optics(s,
	              "warning leaf01/1: its lanes receive at most 450 uW of light, the median of "
	              "18 such modules is 1000 uW\n");
}

static void a_dark_lane_is_critical(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	be_at(s, IBC_DDM_RX_POWER, 2, 0.1);
	expect_optics(s, "critical leaf01/1: lane 2 receives no light\n");
}

static void a_dark_module_is_critical_where_a_peer_is_known(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++)
		be_at(s, IBC_DDM_RX_POWER, lane, 0);
	port(s.now, 1, 1)->phys_state = IBC_PHYS_POLLING;
	port(s.now, 1, 1)->state = IBC_STATE_DOWN;
	expect_optics(s, "critical leaf01/1: receives no light\n");
}

static void a_link_that_is_up_is_not_dark(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	for (unsigned int lane = 0; lane < 4; lane++)
		be_at(s, IBC_DDM_RX_POWER, lane, 0.1);
	expect_optics(s, "info leaf01/1: the module measures no light on any lane, but the link is "
	                 "up\n");
}

static void the_second_half_of_a_plug_may_be_dark(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_module *m = module_of(s, 1, 1);

	(void)state;
	for (unsigned int lane = 4; lane < IBC_PHY_LANES; lane++)
		m->ddm[IBC_DDM_RX_POWER].now[lane] = 0;
	expect_optics(s, "");
	s = mk_optics(1);
	m = module_of(s, 1, 1);
	for (unsigned int lane = 4; lane < IBC_PHY_LANES; lane++)
		m->ddm[IBC_DDM_RX_POWER].now[lane] = lane == 5 ? 0 : 1000;
	expect_optics(s, "critical leaf01/1: lane 5 receives no light\n");
}

/* ---- states --------------------------------------------------------------------------------- */

static void low_power_on_an_enabled_port_is_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	mk_module(s.now, port(s.now, 1, 2));
	module_of(s, 1, 2)->state = IBC_MODULE_LOW_POWER;
	expect_optics(s, "warning leaf01/2: the module is in low power, and the port is enabled\n");
	s = mk_optics(1);
	mk_module(s.now, port(s.now, 1, 2));
	port(s.now, 1, 2)->phys_state = IBC_PHYS_DISABLED;
	module_of(s, 1, 2)->state = IBC_MODULE_LOW_POWER;
	expect_optics(s, "");
}

/* ---- who it is ------------------------------------------------------------------------------- */

/* Trap: two ports, one plug. */
static void one_plug_with_two_ports_is_told_once(void **state)
{
	struct pair s = mk_optics(2);

	(void)state;
	*module_of(s, 1, 2) = *module_of(s, 1, 1);
	module_of(s, 1, 1)->ddm[IBC_DDM_TEMPERATURE].now[0] = 81;
	module_of(s, 1, 2)->ddm[IBC_DDM_TEMPERATURE].now[0] = 81;
	expect_optics(s,
	              "critical leaf01/1: the module has 81 degrees Celsius, its alarm is at 80\n");
}

static void two_cables_with_one_number_are_critical(void **state)
{
	struct pair s = mk_optics(3);

	(void)state;
	module_of(s, host(3), 1)->serial = module_of(s, 1, 1)->serial;
	expect_optics(s, "critical leaf01/1: Acme AC-400, serial AC0001001 is also plugged in at "
	                 "host03 mlx5_0/1\n");
	s = mk_optics(3); /* another part has numbers of its own */
	module_of(s, host(3), 1)->serial = module_of(s, 1, 1)->serial;
	module_of(s, host(3), 1)->part = "AC-401";
	expect_optics(s, "");
}

static void make_cable(struct pair s, unsigned int i, enum ibc_module_kind kind)
{
	module_of(s, 1, i)->kind = module_of(s, host(i), 1)->kind = (uint8_t)kind;
	module_of(s, host(i), 1)->serial = module_of(s, 1, i)->serial;
}

static void both_ends_of_a_cable_have_one_number(void **state)
{
	struct pair s = mk_optics(2);

	(void)state;
	make_cable(s, 1, IBC_MODULE_ACTIVE_CABLE);
	make_cable(s, 2, IBC_MODULE_PASSIVE_COPPER);
	expect_optics(s, "");
	s = mk_optics(1);
	make_cable(s, 1, IBC_MODULE_ACTIVE_CABLE);
	module_of(s, host(1), 1)->serial = "AC9";
	expect_optics(s, "warning " LINK1 "leaf01/1 is Acme AC-400, serial AC0001001, "
	                 "host01 mlx5_0/1 is Acme AC-400, serial AC9\n");
}

/* One plug of two ports, and two plugs: one number. */
static void a_cable_that_splits_has_one_number(void **state)
{
	struct pair s = mk_optics(2);

	(void)state;
	make_cable(s, 1, IBC_MODULE_PASSIVE_COPPER);
	*module_of(s, 1, 2) = *module_of(s, 1, 1);
	make_cable(s, 2, IBC_MODULE_PASSIVE_COPPER);
	expect_optics(s, "");
	s = mk_optics(2);
	make_cable(s, 1, IBC_MODULE_PASSIVE_COPPER);
	*module_of(s, 1, 2) = *module_of(s, 1, 1);
	make_cable(s, 2, IBC_MODULE_PASSIVE_COPPER);
	module_of(s, 1, 1)->serial = module_of(s, 1, 2)->serial = "C2409";
	module_of(s, host(1), 1)->serial = "C2409-1";
	module_of(s, host(2), 1)->serial = "C2409-2";
	expect_optics(s, "");
}

/* What leads elsewhere, or to a plug that was not read, can be the other end. */
static void a_cable_that_cannot_be_followed_is_not_judged(void **state)
{
	struct pair s = mk_optics(2);

	(void)state;
	make_cable(s, 1, IBC_MODULE_PASSIVE_COPPER);
	make_cable(s, 2, IBC_MODULE_PASSIVE_COPPER);
	module_of(s, host(1), 1)->serial = module_of(s, host(2), 1)->serial = "AC5";
	port_extra(port(s.now, 1, 1))->module = port_extra(port(s.now, 1, 2))->module = NULL;
	expect_optics(s, "");
}

static void many_plugs_with_one_number_are_one_finding(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	for (unsigned int i = 1; i <= 9; i++)
		module_of(s, host(i), 1)->serial = "0000";
	expect_optics(s, "critical host01 mlx5_0/1: Acme AC-400, serial 0000 is also plugged in at "
	                 "host09 mlx5_0/1 (9 plugs in all)\n");
}

static void expect_against_plan(struct mkfab plan, struct mkfab now, const char *lines)
{
	struct ibc_fabric *planned = done(plan), *found = done(now);
	struct ibc_input in = { .fabric = found };
	struct ibc_comparison *cmp;
	struct ibc_report *rep;

	assert_int_equal(ibc_compare(planned, found, NULL, &cmp, NULL), 0);
	in.comparison = cmp;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "cable.plan", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_comparison_free(cmp);
	ibc_fabric_free(planned);
	ibc_fabric_free(found);
	expect_of(rep, lines);
}

static void a_cable_that_is_not_the_planned_one_is_told(void **state)
{
	struct pair s = mk_optics(2);

	(void)state;
	module_of(s, 1, 2)->serial = "AC77";
	expect_against_plan(s.before, s.now,
	                    "critical leaf01/2: holds Acme AC-400, serial AC77, expected is Acme "
	                    "AC-400, serial AC0001002\n");
	s = mk_optics(2);
	module_in(s.before, 1, 2)->serial = NULL;
	expect_against_plan(s.before, s.now, "");
}

static void one_of_another_vendor_is_a_note(void **state)
{
	struct pair s = mk_optics(9);

	(void)state;
	module_of(s, 1, 1)->vendor = "Bolt";
	module_of(s, 1, 1)->oui = 0xb017;
	expect_optics(s, "info leaf01/1: holds a part of Bolt, 17 of 18 such are of Acme\n");
}

static void a_cable_not_made_for_its_speed_is_a_note(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	module_of(s, 1, 1)->rates = IBC_SPEED_HDR;
	expect_optics(s, "info leaf01/1: the cable does not state that it is made for NDR\n");
	s = mk_optics(1);
	mk_phy(s.now, port(s.now, 1, 2), 100);
	be(s, 1, 2, IBC_PHY_WHY_DOWN, 1029);
	expect_optics(s, "info leaf01/2: the cable is not supported\n"
	                 "warning leaf01/2: is down: the cable is not supported\n");
}

static void a_memory_that_cannot_be_read_is_a_warning(void **state)
{
	struct pair s = mk_optics(3);

	(void)state;
	module_of(s, 1, 1)->serial = "AC\xef\xbf\xbd(1";
	module_of(s, 1, 2)->serial = NULL;
	be(s, 1, 3, IBC_PHY_WHY_DOWN, 1026);
	expect_optics(s, "warning leaf01/1: the name or number in the module's memory is no text\n"
	                 "warning leaf01/2: the module has no serial number\n"
	                 "warning leaf01/3: the module's I2C bus is stuck\n");
}

/* Answers of zeros: nothing is known, so nothing is wrong. */
static void a_module_that_says_nothing_is_no_finding(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	module_clear(module_of(s, 1, 1));
	expect_optics(s, "");
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* 20 m there and back are 196 ns; 50 ns are each end's. */
static void measure(struct pair s, unsigned int i, uint64_t round_trip_ns)
{
	const uint64_t ends[] = { 1, host(i) };

	for (unsigned int k = 0; k < 2; k++) {
		struct ibc_phy *phy = phy_of(s.now, ends[k], k ? 1 : i);

		put(phy, IBC_PHY_ROUND_TRIP_NS, round_trip_ns);
		put(phy, IBC_PHY_ROUND_TRIP_ACCURACY_NS, 10);
		put(phy, IBC_PHY_LOCAL_LATENCY_NS, 40);
		put(phy, IBC_PHY_MODULE_LATENCY_NS, 10);
		module_of(s, ends[k], k ? 1 : i)->length_m = 20;
	}
	make_cable(s, i, IBC_MODULE_ACTIVE_CABLE);
}

static void a_length_that_is_not_stated_is_a_warning(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	measure(s, 1, 100 + 196);
	expect_optics(s, "");
	s = mk_optics(1);
	measure(s, 1, 100 + 294);
	expect_optics(s, "warning " LINK1 "measures 30 m, its memory states 20 m\n");
	s = mk_optics(1);
	measure(s, 1, 90); /* less than the ends need: no measurement */
	expect_optics(s, "");
}

static void parallel_cables_of_unlike_length_are_a_note(void **state)
{
	struct pair s = { mk_reading(1, DAYS_10_S), mk_reading(1, DAYS_10_S) };
	struct mkfab m = s.now;

	(void)state;
	mk_switch(m, 2, "spine01", 2);
	for (unsigned int i = 1; i <= 2; i++) {
		cable(m, 1, 3 + i - 1, 2, i);
		mk_phy(m, port(m, 1, 3 + i - 1), DAYS_10_S);
		mk_module(m, port(m, 1, 3 + i - 1));
		module_in(m, 1, 3 + i - 1)->kind = IBC_MODULE_PASSIVE_COPPER;
		module_in(m, 1, 3 + i - 1)->length_m = i == 1 ? 3 : 30;
		port(m, 2, i)->speed_active = IBC_SPEED_NDR;
	}
	expect_once(s,
	            "info leaf01/4 - spine01/2: is 30 m long, the one at leaf01/3 between the same "
	            "devices 3 m\n");
}

/* ---- devices -----------------------------------------------------------------------------------
 */

static void give_sensor(struct pair s, struct ibc_sensor sensor)
{
	struct ibc_node *node = fabric_build_find(s.now.b, s.now.subnet, 1);
	struct ibc_sensor *copy = arena_alloc(fabric_build_arena(s.now.b), sizeof(*copy));

	assert_non_null(copy);
	*copy = sensor;
	node->sensors = copy;
	node->num_sensors = 1;
}

static void expect_sensor(struct ibc_sensor sensor, const char *lines)
{
	struct pair s = mk_optics(1);

	give_sensor(s, sensor);
	expect_optics(s, lines);
}

static struct ibc_sensor chip(double now, double high)
{
	return (struct ibc_sensor){ "asic", now, NAN, 0, high, 0, IBC_SENSOR_TEMPERATURE, 0 };
}

static void a_device_is_judged_by_its_own_limit(void **state)
{
	struct ibc_sensor module = chip(99, 90);

	(void)state;
	expect_sensor(chip(105, 105),
	              "critical leaf01: sensor 0 (asic) has 105 degrees Celsius, its "
	              "limit is 105\n");
	expect_sensor(chip(100, 105),
	              "warning leaf01: sensor 0 (asic) has 100 degrees Celsius, its "
	              "limit is 105\n");
	expect_sensor(chip(99, 105), "");
	expect_sensor(chip(200, NAN), "");
	expect_sensor(chip(NAN, 105), "");
	module.index = 64; /* of a module: told by cable.temperature */
	expect_sensor(module, "");
}

static void a_fan_stands_still_or_is_out_of_range(void **state)
{
	struct ibc_sensor fan = { NULL, 0, NAN, NAN, NAN, 3, IBC_SENSOR_FAN, 0 };

	(void)state;
	expect_sensor(fan, "critical leaf01: fan 3 stands still\n");
	fan.now = 2000;
	expect_sensor(fan, "");
	fan.alarm = IBC_SENSOR_ALARM_LOW;
	expect_sensor(fan, "critical leaf01: fan 3 is too slow\n");
	fan.alarm = IBC_SENSOR_ALARM_HIGH;
	expect_sensor(fan, "warning leaf01: fan 3 is too fast\n");
	fan.now = NAN;
	fan.alarm = IBC_SENSOR_ALARM_NONE;
	expect_sensor(fan, "");
}

/* ---- cases -------------------------------------------------------------------------------- */

/* The only case of both readings, by its first finding. */
static struct ibc_report *cases_of(struct pair s)
{
	struct ibc_fabric *before = done(s.before), *now = done(s.now);
	struct ibc_input in = { .fabric = now, .before = before };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "port,counters,-counters.silent," OPTICS, rep, NULL),
	                 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	return rep;
}

static void expect_case(struct ibc_report *rep, const char *check, size_t members,
                        const char *advice)
{
	const struct ibc_case *c = ibc_report_case_at(rep, 0);

	assert_non_null(c);
	assert_null(ibc_report_case_at(rep, 1));
	assert_string_equal(c->findings[0]->check, check);
	assert_int_equal(c->num_findings, members);
	assert_string_equal(c->advice, advice);
	ibc_report_free(rep);
}

static void count_all(struct pair s)
{
	mk_all_counting(s.before);
	mk_all_counting(s.now);
}

static void a_hot_module_explains_flaps_and_a_slow_link_of_its_cable(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	count_all(s);
	be_at(s, IBC_DDM_TEMPERATURE, 0, 82);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 4);
	add(s, host(1), 1, IBC_PHY_LINK_DOWNS, 4);
	count(s.now, 1, 1, IBC_LINK_DOWNED, 4);
	count(s.now, host(1), 1, IBC_LINK_DOWNED, 4);
	port(s.now, 1, 1)->width_active = port(s.now, host(1), 1)->width_active = IBC_WIDTH_1X;
	expect_case(
	    cases_of(s), "cable.temperature", 4,
	    "Check fans and air flow at leaf01: blanked cages, the direction of the air, its "
	    "neighbors. If the others beside it are cool, replace the module at leaf01/1 "
	    "(AC-400, SN AC0001001).");
}

/* Heat of a chip is no reason for one lane. */
static void a_hot_device_explains_its_modules_and_no_lane(void **state)
{
	struct pair s = mk_optics(1);
	struct ibc_report *rep;

	(void)state;
	count_all(s);
	give_sensor(s, chip(110, 105));
	be_at(s, IBC_DDM_TEMPERATURE, 0, 82);
	be(s, 1, 1, IBC_PHY_RAW_ERRORS_LANE0 + 2, 86400000 * 100ull);
	put(phy_of(s.before, 1, 1), IBC_PHY_RAW_ERRORS_LANE0 + 2, 86400000 * 100ull - 40000000);
	rep = cases_of(s);
	assert_string_equal(ibc_report_case_at(rep, 0)->findings[0]->check, "device.temperature");
	assert_int_equal(ibc_report_case_at(rep, 0)->num_findings, 2);
	assert_string_equal(ibc_report_case_at(rep, 1)->findings[0]->check, "phy.lane");
	assert_null(ibc_report_case_at(rep, 2));
	ibc_report_free(rep);
}

/* Trap: what is so everywhere is one thing, not as many as there are plugs. */
static void what_many_modules_have_is_one_case(void **state)
{
	struct pair s = mk_optics(9);
	struct ibc_report *rep;

	(void)state;
	count_all(s);
	for (unsigned int i = 1; i <= 9; i++)
		module_of(s, 1, i)->serial = module_of(s, host(i), 1)->serial = NULL;
	rep = cases_of(s);
	assert_null(ibc_report_case_at(rep, 1));
	assert_string_equal(
	    ibc_report_case_at(rep, 0)->message,
	    "18 plugs between MT4119 and MT53000 have a memory that cannot be read: "
	    "host[01-09],leaf01");
	ibc_report_free(rep);
}

/* The modules at the first five ports of the switch are of another part. */
static struct pair mk_parts(unsigned int hosts)
{
	struct pair s = mk_optics(hosts);

	for (unsigned int i = 1; i <= 5; i++)
		module_of(s, 1, i)->part = "BX-1";
	return s;
}

static void expect_message(struct pair s, const char *message)
{
	struct ibc_report *rep;

	count_all(s);
	rep = cases_of(s);
	assert_null(ibc_report_case_at(rep, 1));
	assert_string_equal(ibc_report_case_at(rep, 0)->message, message);
	ibc_report_free(rep);
}

static void a_part_that_fails_is_a_class(void **state)
{
	struct pair s = mk_parts(12), but_one = mk_parts(12), few = mk_parts(12);

	(void)state;
	for (unsigned int i = 1; i <= 5; i++)
		module_of(s, 1, i)->serial = NULL;
	expect_message(
	    s, "5 of 5 plugs of part Acme BX-1 have a memory that cannot be read: leaf01/[1-5]");
	for (unsigned int i = 1; i <= 4; i++)
		module_of(but_one, 1, i)->rates = IBC_SPEED_HDR;
	expect_message(
	    but_one,
	    "4 of 5 plugs of part Acme BX-1 are not made for their port or speed: leaf01/[1-4]");
	for (unsigned int i = 1; i <= 5; i++)
		module_of(few, 1, i + 2)->serial = NULL;
	expect_message(few, "5 plugs have a memory that cannot be read: leaf01/[3-7]");
}

/* What is said of a vendor is no news of its parts. */
static void a_part_of_a_vendor_is_no_class_of_that_vendor(void **state)
{
	struct pair s = mk_parts(15);

	(void)state;
	for (unsigned int i = 1; i <= 5; i++) {
		module_of(s, 1, i)->vendor = "Bolt";
		module_of(s, 1, i)->oui = 0xb017;
	}
	expect_message(s, "5 plugs are of Bolt: leaf01/[1-5]");
}

/* Port 1 of each HCA of a host is another plug: as many names as there are plugs. */
static void plugs_of_several_hcas_of_a_host_are_told_apart(void **state)
{
	struct pair s = mk_optics(4);
	struct ibc_report *rep;

	(void)state;
	count_all(s);
	fabric_build_find(s.before.b, s.before.subnet, host(2))->desc = "host01 mlx5_1";
	fabric_build_find(s.now.b, s.now.subnet, host(2))->desc = "host01 mlx5_1";
	for (unsigned int i = 1; i <= 4; i++)
		module_of(s, 1, i)->serial = module_of(s, host(i), 1)->serial = NULL;
	rep = cases_of(s);
	assert_null(ibc_report_case_at(rep, 1));
	assert_string_equal(ibc_report_case_at(rep, 0)->message,
	                    "8 plugs between MT4119 and MT53000 have a memory that cannot be read: "
	                    "host01 mlx5_0/1,host01 mlx5_1/1,host03/1,host04/1,leaf01/[1-4]");
	ibc_report_free(rep);
}

/* What the devices know of who gave up beats what counters suggest. */
static void the_end_that_is_blamed_comes_before_what_counters_suggest(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	count_all(s);
	add(s, 1, 1, IBC_PHY_LINK_DOWNS, 1);
	add(s, host(1), 1, IBC_PHY_LINK_DOWNS, 1);
	be(s, 1, 1, IBC_PHY_DOWN_BLAME, IBC_PHY_BLAME_LOCAL);
	be(s, 1, 1, IBC_PHY_DOWN_INTENT, IBC_PHY_UNINTENDED);
	be(s, 1, 1, IBC_PHY_DOWN_REASON, 5);
	count(s.now, host(1), 1, IBC_SYMBOL_ERROR, 5);
	count(s.now, host(1), 1, IBC_RCV_ERRORS, 5);
	expect_case(
	    cases_of(s), "phy.link-down-reason", 4,
	    "Reseat and clean the plug at host01 mlx5_0/1 (AC-400, SN AC0110001) first, then "
	    "the one at leaf01/1 (AC-400, SN AC0001001); if it goes on, replace the cable.");
}

static void bits_that_are_wrong_explain_what_counters_see(void **state)
{
	struct pair s = mk_optics(1);

	(void)state;
	count_all(s);
	add(s, 1, 1, IBC_PHY_SYMBOL_ERRORS, 3700);
	add(s, 1, 1, IBC_PHY_FEC_UNCORRECTABLE_BLOCKS, 3700);
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 3700);
	count(s.now, 1, 1, IBC_RCV_ERRORS, 370);
	expect_case(
	    cases_of(s), "phy.ber-after-fec", 4,
	    "Only leaf01/1 receives damaged data: the cable or the transmitter of host01 "
	    "mlx5_0/1 is at fault. Reseat and clean the plug at host01 mlx5_0/1 (AC-400, SN "
	    "AC0110001) first, then the other; then replace the cable. If the errors "
	    "continue, host01 mlx5_0/1 is at fault.");
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Every check has something to do, and the nth allocation and all after it fail; true: none did. */
static bool runs_with_memory_for(const struct ibc_input *in, unsigned long n)
{
	struct ibc_report *rep;
	bool well;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	alloc_fail_at(n);
	well = ibc_check_run(in, OPTICS, rep, NULL) == 0;
	well = ibc_report_finish(rep, NULL) == 0 && well;
	alloc_fail_at(0);
	assert_true(well || ibc_report_verdict(rep) >= IBC_UNKNOWN);
	ibc_report_free(rep);
	return well;
}

static void without_memory_no_cable_is_called_well(void **state)
{
	struct pair s = mk_optics(9);
	struct ibc_input in;
	unsigned long n = 1;

	(void)state;
	module_of(s, host(3), 1)->serial = module_of(s, 1, 1)->serial;
	be_at(s, IBC_DDM_TEMPERATURE, 0, 82);
	be_at(s, IBC_DDM_RX_POWER, 1, 10);
	module_of(s, 1, 2)->oui = 1;
	be(s, 1, 3, IBC_PHY_LINK_UP_MS, 99999);
	phy_of(s.now, 1, 4)->fec_active = IBC_FEC_RS_271;
	add(s, 1, 5, IBC_PHY_SYMBOL_ERRORS, 99999);
	in = (struct ibc_input){ .fabric = done(s.now), .before = done(s.before) };
	while (!runs_with_memory_for(&in, n))
		n++;
	assert_true(n > 20);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
	ibc_fabric_free((struct ibc_fabric *)in.before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_at_its_alarm_is_critical),
		cmocka_unit_test(a_module_near_its_alarm_is_a_warning),
		cmocka_unit_test(seventy_degrees_are_a_note_where_the_alarm_is_high),
		cmocka_unit_test(a_site_sets_its_own_degrees),
		cmocka_unit_test(ten_degrees_in_five_minutes_are_a_warning),
		cmocka_unit_test(what_cannot_be_measured_is_no_reading),
		cmocka_unit_test(passive_copper_is_not_judged_as_optics_are),
		cmocka_unit_test(latched_flags_alone_are_history),
		cmocka_unit_test(a_transmitter_that_failed_has_flag_and_no_light_now),
		cmocka_unit_test(alarms_are_the_modules_own),
		cmocka_unit_test(accepting_one_kind_leaves_every_other_counted),
		cmocka_unit_test(a_kind_is_selected_behind_the_id),
		cmocka_unit_test(a_kind_that_is_none_is_an_error_that_lists_those_there_are),
		cmocka_unit_test(a_site_sets_one_kind_whatever_it_set_for_the_check),
		cmocka_unit_test(a_check_of_which_no_kind_is_left_is_not_selected),
		cmocka_unit_test(a_check_that_ran_in_part_did_not_run),
		cmocka_unit_test(what_is_named_and_disabled_is_skipped),
		cmocka_unit_test(a_kind_has_what_it_cannot_do_without),
		cmocka_unit_test(a_laser_may_be_off_where_there_is_no_link),
		cmocka_unit_test(too_little_light_is_told_at_the_receiver),
		cmocka_unit_test(lanes_that_differ_by_3_db_are_a_warning),
		cmocka_unit_test(a_dim_module_stands_out_of_its_class),
		cmocka_unit_test(a_dark_lane_is_critical),
		cmocka_unit_test(a_dark_module_is_critical_where_a_peer_is_known),
		cmocka_unit_test(a_link_that_is_up_is_not_dark),
		cmocka_unit_test(the_second_half_of_a_plug_may_be_dark),
		cmocka_unit_test(low_power_on_an_enabled_port_is_a_warning),
		cmocka_unit_test(one_plug_with_two_ports_is_told_once),
		cmocka_unit_test(two_cables_with_one_number_are_critical),
		cmocka_unit_test(both_ends_of_a_cable_have_one_number),
		cmocka_unit_test(a_cable_that_splits_has_one_number),
		cmocka_unit_test(a_cable_that_cannot_be_followed_is_not_judged),
		cmocka_unit_test(many_plugs_with_one_number_are_one_finding),
		cmocka_unit_test(a_cable_that_is_not_the_planned_one_is_told),
		cmocka_unit_test(one_of_another_vendor_is_a_note),
		cmocka_unit_test(a_cable_not_made_for_its_speed_is_a_note),
		cmocka_unit_test(a_memory_that_cannot_be_read_is_a_warning),
		cmocka_unit_test(a_module_that_says_nothing_is_no_finding),
		cmocka_unit_test(a_length_that_is_not_stated_is_a_warning),
		cmocka_unit_test(parallel_cables_of_unlike_length_are_a_note),
		cmocka_unit_test(a_device_is_judged_by_its_own_limit),
		cmocka_unit_test(a_fan_stands_still_or_is_out_of_range),
		cmocka_unit_test(a_hot_module_explains_flaps_and_a_slow_link_of_its_cable),
		cmocka_unit_test(a_hot_device_explains_its_modules_and_no_lane),
		cmocka_unit_test(what_many_modules_have_is_one_case),
		cmocka_unit_test(a_part_that_fails_is_a_class),
		cmocka_unit_test(a_part_of_a_vendor_is_no_class_of_that_vendor),
		cmocka_unit_test(plugs_of_several_hcas_of_a_host_are_told_apart),
		cmocka_unit_test(the_end_that_is_blamed_comes_before_what_counters_suggest),
		cmocka_unit_test(bits_that_are_wrong_explain_what_counters_see),
		cmocka_unit_test(without_memory_no_cable_is_called_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
