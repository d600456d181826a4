/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "check/limits.h"
#include "check/settings.h"
#include "mkcount.h"

struct given {
	const char *section, *key, *value;
};

static struct ibc_config *config_of(const struct given *settings, size_t n)
{
	struct ibc_config *config;

	assert_int_equal(ibc_config_new(&config, NULL), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ibc_config_set(config, settings[i].section, settings[i].key,
		                                settings[i].value, NULL),
		                 0);
	return config;
}

static double warning_at(const struct ibc_config *config, uint64_t guid)
{
	struct ibc_fabric *fab = done(mk_leaf(2));
	const struct ibc_port *p = ibc_node_port(ibc_fabric_node_by_guid(fab, guid), 1);
	double warning = limits_of(config, ibc_check_find("counters.recovery"), p).warning;

	ibc_fabric_free(fab);
	return warning;
}

static void the_closest_setting_wins_and_of_equal_ones_the_last(void **state)
{
	static const struct given settings[] = {
		{ "counters.recovery", "warning", "2" },
		{ "counters.recovery", "warning", "3" },
		{ "counters.recovery", "warning.switch", "4" },
		{ "counters.recovery \"host01*\"", "warning", "5" },
		{ "counters.recovery \"host0?*\"", "warning.ca", "6.5" },
		{ "counters.recovery \"host02*\"", "warning", "7" },
		{ "counters.recovery", "critical", "8" },
		{ "counters.symbol", "warning", "9" },
	};
	static const struct {
		size_t settings;
		double leaf, host01, host02;
	} cases[] = {
		{ 0, 1, 1, 1 }, { 1, 2, 2, 2 },     { 2, 3, 3, 3 },     { 3, 4, 3, 3 },
		{ 4, 4, 5, 3 }, { 5, 4, 6.5, 6.5 }, { 8, 4, 6.5, 6.5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_config *config = config_of(settings, cases[i].settings);

		assert_true(warning_at(config, 1) == cases[i].leaf);
		assert_true(warning_at(config, host(1)) == cases[i].host01);
		assert_true(warning_at(config, host(2)) == cases[i].host02);
		ibc_config_free(config);
	}
}

static void nodes_and_ports_are_named_as_everywhere(void **state)
{
	static const char *const names[] = {
		"LEAF01",   "leaf01.site", "leaf01/1",     "0x1",
		"leaf0*/1", "host01",      "host01 HCA-1", "leaf01/2"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char section[100];
		const struct given setting = { section, "warning", "5" };
		struct ibc_config *config;

		snprintf(section, sizeof(section), "counters.recovery \"%s\"", names[i]);
		config = config_of(&setting, 1);
		assert_true((warning_at(config, 1) == 5) == (i < 5));
		assert_true((warning_at(config, host(1)) == 5) == (i == 5 || i == 6));
		ibc_config_free(config);
	}
}

static void off_is_never_reached(void **state)
{
	static const struct given off[] = {
		{ "counters.symbol", "warning", "off" },
		{ "counters.symbol", "critical", "off" },
	};
	struct ibc_config *config = config_of(off, 2);
	struct pair s = mk_pair(mk_leaf(2), mk_leaf(2));

	(void)state;
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 1000000);
	expect_of(report_of_pair(s, "counters", config), "");
	ibc_config_free(config);
}

static void a_limit_holds_for_the_nodes_it_names(void **state)
{
	static const struct given settings[] = {
		{ "counters.recovery \"leaf*\"", "warning", "off" },
		{ "counters.recovery \"leaf*\"", "critical", "off" },
	};
	struct ibc_config *config = config_of(settings, 2);
	struct pair s = mk_pair(mk_leaf(2), mk_leaf(2));

	(void)state;
	count(s.now, 1, 1, IBC_LINK_ERROR_RECOVERY, 5);
	count(s.now, host(2), 1, IBC_LINK_ERROR_RECOVERY, 5);
	expect_of(report_of_pair(s, "counters", config),
	          "critical leaf01/2 - host02 mlx5_0/1: LinkErrorRecoveryCounter rose by 0 at "
	          "leaf01/2, 5 at host02 mlx5_0/1 in 1 h\n");
	ibc_config_free(config);
}

static void a_severity_that_was_set_wins_over_both_limits(void **state)
{
	static const struct given settings[] = { { "counters.recovery", "severity", "warning" } };
	struct ibc_config *config = config_of(settings, 1);
	struct pair s = mk_pair(mk_leaf(2), mk_leaf(2));
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 1, IBC_LINK_ERROR_RECOVERY, 500);
	rep = report_of_pair(s, "counters", config);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	ibc_report_free(rep);
	ibc_config_free(config);
}

static void a_wrong_limit_is_named(void **state)
{
	static const struct {
		struct given set;
		const char *text;
	} cases[] = {
		{ { "counters.symbl", "warning", "1" },
		  "no check is called \"counters.symbl\": did you mean \"counters.symbol\"?" },
		{ { "counters.symbol", "warning", "many" },
		  "warning of counters.symbol cannot be \"many\": use a number of events per hour, "
		  "or off" },
		{ { "counters.symbol", "critical.ca", "-1" },
		  "critical.ca of counters.symbol cannot be \"-1\": use a number of events per "
		  "hour, or off" },
		{ { "counters.symbol", "warning", "1e3" },
		  "warning of counters.symbol cannot be \"1e3\": use a number of events per hour, "
		  "or off" },
		{ { "counters.symbol", "warning", "" },
		  "warning of counters.symbol cannot be \"\": use a number of events per hour, or "
		  "off" },
		{ { "counters.congestion", "warning", "5%" },
		  "warning of counters.congestion cannot be \"5%\": use a number of percent, or "
		  "off" },
		{ { "counters.symbol", "warning.router", "1" },
		  "counters.symbol has no key \"warning.router\": its keys are enabled, severity, "
		  "warning, critical, and these with .switch or .ca" },
		{ { "counters.saturated", "warning", "1" },
		  "counters.saturated has no key \"warning\": its keys are enabled, severity" },
		{ { "port.width \"leaf*\"", "enabled", "no" },
		  "enabled of port.width cannot be set for some nodes only" },
		{ { "counters.symbol \"leaf*\"", "severity", "info" },
		  "severity of counters.symbol cannot be set for some nodes only" },
		{ { "counters.symbol leaf*", "warning", "1" },
		  "section [counters.symbol leaf*] is not understood: name nodes as in "
		  "[counters.symbol \"leaf*\"]" },
		{ { "counters.symbol \"leaf*", "warning", "1" },
		  "section [counters.symbol \"leaf*] is not understood: name nodes as in "
		  "[counters.symbol \"leaf*\"]" },
		{ { "counters.symbol \"\"", "warning", "1" },
		  "section [counters.symbol \"\"] is not understood: name nodes as in "
		  "[counters.symbol \"leaf*\"]" },
		{ { "counters.symbol \"a\" \"b\"", "warning", "1" },
		  "section [counters.symbol \"a\" \"b\"] is not understood: name nodes as in "
		  "[counters.symbol \"leaf*\"]" },
		{ { "counters.symbol \"", "warning", "1" },
		  "section [counters.symbol \"] is not understood: name nodes as in "
		  "[counters.symbol \"leaf*\"]" },
	};
	struct ibc_config *config = config_of(NULL, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct given *s = &cases[i].set;
		struct ibc_error err = { "" };

		assert_int_equal(ibc_config_set(config, s->section, s->key, s->value, &err),
		                 -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
	assert_null(config->limits);
	ibc_config_free(config);
}

static void a_section_without_end_does_no_harm(void **state)
{
	struct ibc_config *config = config_of(NULL, 0);
	char section[5000];

	(void)state;
	memset(section, 'c', sizeof(section) - 1);
	section[sizeof(section) - 1] = '\0';
	assert_int_equal(ibc_config_set(config, section, "warning", "1", NULL), -EINVAL);
	memset(section, '9', sizeof(section) - 1);
	assert_int_equal(ibc_config_set(config, "counters.symbol", "warning", section, NULL),
	                 -EINVAL);
	ibc_config_free(config);
}

static void without_memory_nothing_is_set(void **state)
{
	struct ibc_config *config = config_of(NULL, 0);
	int rc;

	(void)state;
	alloc_fail_at(1);
	rc = ibc_config_set(config, "counters.symbol", "warning", "1", NULL);
	alloc_fail_at(0);
	assert_int_equal(rc, -ENOMEM);
	assert_null(config->limits);
	ibc_config_free(config);
}

static void checks_without_limits_have_none(void **state)
{
	struct ibc_fabric *fab = done(mk_leaf(1));
	struct limits limits = limits_of(NULL, ibc_check_find("port.width"),
	                                 ibc_fabric_port(fab, 1));

	(void)state;
	assert_true(isinf(limits.warning) && isinf(limits.critical));
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_closest_setting_wins_and_of_equal_ones_the_last),
		cmocka_unit_test(nodes_and_ports_are_named_as_everywhere),
		cmocka_unit_test(off_is_never_reached),
		cmocka_unit_test(a_limit_holds_for_the_nodes_it_names),
		cmocka_unit_test(a_severity_that_was_set_wins_over_both_limits),
		cmocka_unit_test(a_wrong_limit_is_named),
		cmocka_unit_test(a_section_without_end_does_no_harm),
		cmocka_unit_test(without_memory_nothing_is_set),
		cmocka_unit_test(checks_without_limits_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
