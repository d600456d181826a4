/* SPDX-License-Identifier: BSD-2-Clause */
/* What the memory expects and a sweep did not find: gone, unseen, moved, replaced, retired. */
#include <glob.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "analysis/gone/gone.h"
#include "base/arena.h"
#include "mkfab.h"
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HOUR         3600
#define BEGAN        1780000000 /* 2026-05-28 20:26:40 UTC */

static char dir[64];

static int enter(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_gone.XXXXXX");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

/* ---- a fabric: two leaves below two spines, two hosts at each, node01 has a second HCA ---------
 */

enum { SPINE = 0x10, LEAF = 0x20, HOST = 0x30, SECOND = 0x40, OTHER = 0x50 };
enum scene {
	WHOLE,
	WITHOUT_LEAF, /* and what is behind it */
	WITHOUT_HOST,
	WITHOUT_HCA,
	WITHOUT_CABLE, /* leaf01/5 - spine01/1 */
	MOVED,         /* node02 is at leaf02 */
	SILENT_LEAF,   /* its ports at the spines are up, and nothing answers */
	ISLAND,        /* leaf01 and its hosts */
	REPLACED,      /* the leaf has another GUID */
	WITHOUT_SM,    /* the standby on node03 was stopped */
	NAMELESS,      /* node02 has no name */
	NAMELESS_ELSE, /* it is gone, and at leaf02 is a new host without one */
	RENAMED,       /* of node01, without its second HCA */
	RAILS,         /* node02 has an HCA at leaf02 as well */
	RAILS_WITHOUT_LEAF,
	RAILS_WITHOUT_BOTH, /* nor is its HCA at leaf01 */
	RAILS_SILENT_LEAF,  /* likewise, and leaf02 does not answer */
};

static void host(struct mkfab m, unsigned int n, unsigned int leaf, unsigned int num)
{
	char name[32];

	snprintf(name, sizeof(name), "node%02u mlx5_0", n);
	mk_ca(m, HOST + n, name, 1);
	cable(m, LEAF + leaf, num, HOST + n, 1);
}

static void manager(struct mkfab m, uint64_t guid, enum ibc_sm_state state)
{
	struct ibc_sm_info *sm = arena_alloc(fabric_build_arena(m.b), sizeof(*sm));

	*sm = (struct ibc_sm_info){ .guid = guid, .state = (uint8_t)state };
	port_extra(port(m, guid, 1))->sm = sm;
	port(m, guid, 1)->cap_mask |= 2; /* IsSM */
	answers_put(port(m, guid, 1), IBC_ATTR_SM_INFO, ANSWER_OK);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_SM_INFO);
}

static struct ibc_fabric *fabric(enum scene scene, time_t when)
{
	uint64_t leaf02 = scene == REPLACED ? OTHER : LEAF + 2;
	struct mkfab m = mkfab();
	bool silent = scene == SILENT_LEAF || scene == RAILS_SILENT_LEAF;
	bool far = scene != WITHOUT_LEAF && !silent && scene != ISLAND &&
	           scene != RAILS_WITHOUT_LEAF && scene != RAILS_WITHOUT_BOTH;

	m.subnet->subnet_prefix = 0xfe80000000000000;
	m.subnet->time = (uint64_t)when;
	mk_switch(m, LEAF + 1, "leaf01", 6);
	mk_ca(m, HOST + 1, scene == RENAMED ? "login01 mlx5_0" : "node01 mlx5_0", 1);
	cable(m, LEAF + 1, 1, HOST + 1, 1);
	manager(m, HOST + 1, IBC_SM_MASTER);
	if (scene == NAMELESS) {
		mk_ca(m, HOST + 2, "localhost mlx5_0", 1);
		cable(m, LEAF + 1, 2, HOST + 2, 1);
	} else if (scene != WITHOUT_HOST && scene != MOVED && scene != NAMELESS_ELSE &&
	           scene != RAILS_WITHOUT_BOTH && scene != RAILS_SILENT_LEAF) {
		host(m, 2, 1, 2);
	}
	if (scene != WITHOUT_HCA && scene != RENAMED) {
		mk_ca(m, SECOND, "node01 mlx5_1", 1);
		cable(m, LEAF + 1, 3, SECOND, 1);
	}
	for (unsigned int i = 1; i <= 2 && scene != ISLAND; i++) {
		char name[16];

		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, SPINE + i, name, 4);
		if (scene != WITHOUT_CABLE || i == 2)
			cable(m, LEAF + 1, 4 + i, SPINE + i, 1);
		if (silent) {
			mk_active(port(m, SPINE + i, 2));
			answers_put(port(m, SPINE + i, 2), IBC_ATTR_NODE_INFO, ANSWER_NONE);
		}
	}
	if (!far)
		return done(m);
	mk_switch(m, leaf02, "leaf02", 6);
	mk_ca(m, HOST + 3, "node03 mlx5_0", 1);
	cable(m, leaf02, 1, HOST + 3, 1);
	if (scene != WITHOUT_SM)
		manager(m, HOST + 3, IBC_SM_STANDBY);
	mk_ca(m, HOST + 4, "node04 mlx5_0", 1);
	cable(m, leaf02, 2, HOST + 4, 1);
	if (scene == MOVED)
		host(m, 2, 2, 3);
	if (scene == RAILS || scene == NAMELESS_ELSE) {
		mk_ca(m, OTHER + 1, scene == RAILS ? "node02 mlx5_1" : "localhost mlx5_0", 1);
		cable(m, leaf02, 4, OTHER + 1, 1);
	}
	for (unsigned int i = 1; i <= 2; i++)
		cable(m, leaf02, 4 + i, SPINE + i, 2);
	return done(m);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct ibc_report *report;

/* A run of the checks gone.* with a memory; report has the last one. */
static void run(enum scene scene, time_t when, const struct ibc_retired *retired)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_expect expects = IBC_EXPECT_INIT;
	struct ibc_fabric *fab = fabric(scene, when), *before = NULL;
	struct ibc_input in = { .fabric = fab };
	const struct ibc_gone *gone;
	struct ibc_store *store;

	ibc_report_free(report);
	opts.now = when;
	expects.retired = retired;
	expects.num_retired = retired != NULL;
	assert_int_equal(ibc_report_new(&report, NULL), 0);
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	ibc_store_sweep(store, &before, NULL);
	assert_int_equal(ibc_store_expect(store, before, &expects, &gone, NULL), 0);
	ibc_check_expect(report, gone);
	assert_int_equal(ibc_check_run(&in, "gone", report, NULL), 0);
	assert_int_equal(ibc_report_finish(report, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, report, NULL), 0);
	assert_int_equal(ibc_store_record(store, &in, before, ibc_check_find, report, NULL), 0);
	assert_int_equal(ibc_store_commit(store, NULL), 0);
	ibc_store_free(store);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

/* The only case of the report that is more than a note. */
static const struct ibc_case *only_case(void)
{
	const struct ibc_case *c, *found = NULL;

	for (size_t i = 0; (c = ibc_report_case_at(report, i)); i++) {
		if (c->severity <= IBC_INFO || c->state == IBC_CASE_GONE)
			continue;
		assert_null(found);
		found = c;
	}
	assert_non_null(found);
	return found;
}

static void assert_case(const char *check, enum ibc_severity severity, const char *message)
{
	const struct ibc_case *c = only_case();

	assert_string_equal(c->check, check);
	assert_int_equal(c->severity, severity);
	assert_string_equal(c->message, message);
}

/* The first of a check about a thing, or with NULL about anything. */
static const struct ibc_finding *finding_about(const char *check, const char *label)
{
	const struct ibc_finding *f;
	size_t i = 0;

	while (
	    (f = ibc_report_finding(report, i++)) &&
	    (strcmp(f->check, check) != 0 || (label && strcmp(f->subject.near.label, label) != 0)))
		;
	assert_non_null(f);
	return f;
}

static const struct ibc_finding *finding(const char *check)
{
	return finding_about(check, NULL);
}

static void a_switch_leads_what_lies_behind_it(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_LEAF, BEGAN + 60, NULL);
	assert_case("gone.switch", IBC_CRITICAL,
	            "is gone since 2026-05-28 20:26 UTC, and 2 hosts behind it: node[03-04]; its "
	            "cables to spine[01-02] are down there");
	assert_int_equal(only_case()->since, BEGAN);
	assert_int_equal(only_case()->num_findings, 6);
	run(WHOLE, BEGAN + 120, NULL);
	assert_int_equal(report->num_gone, 1);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
}

static void a_host_is_missed_for_an_hour_first(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_HOST, BEGAN + 60, NULL);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
	run(WITHOUT_HOST, BEGAN + 60 + HOUR, NULL);
	assert_case("gone.host", IBC_WARNING,
	            "is gone since 2026-05-28 20:26 UTC; it was at leaf01");
}

static void a_host_is_missed_where_it_was_last(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	for (unsigned int i = 1; i <= 3; i++)
		run(MOVED, BEGAN + 60 * i, NULL);
	run(WITHOUT_HOST, BEGAN + 240, NULL);
	run(WITHOUT_HOST, BEGAN + 240 + HOUR, NULL);
	assert_string_equal(finding("gone.host")->message,
	                    "is gone since 2026-05-28 20:29 UTC; it was at leaf02");
}

static void another_host_without_a_name_takes_no_place(void **state)
{
	(void)state;
	run(NAMELESS, BEGAN, NULL);
	run(NAMELESS_ELSE, BEGAN + 60, NULL);
	run(NAMELESS_ELSE, BEGAN + 60 + HOUR, NULL);
	assert_case("gone.host", IBC_WARNING,
	            "is gone since 2026-05-28 20:26 UTC; it was at leaf01");
}

static void of_a_host_with_another_hca_a_switch_cuts_off_one(void **state)
{
	(void)state;
	run(RAILS, BEGAN, NULL);
	run(RAILS_WITHOUT_LEAF, BEGAN + 60, NULL);
	assert_case(
	    "gone.switch", IBC_CRITICAL,
	    "is gone since 2026-05-28 20:26 UTC, and 2 hosts behind it: node[03-04], and 1 "
	    "HCA of hosts that are there: node02; its cables to spine[01-02] are down there");
}

static void what_lies_behind_a_switch_does_not_hold_a_host_back(void **state)
{
	(void)state;
	run(RAILS, BEGAN, NULL);
	run(RAILS_WITHOUT_LEAF, BEGAN + 60, NULL);
	run(RAILS_WITHOUT_BOTH, BEGAN + 120, NULL);
	assert_int_equal(finding_about("gone.host", "node02")->severity, IBC_INFO);
	run(RAILS_WITHOUT_BOTH, BEGAN + 120 + HOUR, NULL);
	assert_int_equal(finding_about("gone.host", "node02")->severity, IBC_WARNING);
}

static void an_adapter_is_missed_where_the_other_was_not_looked_for(void **state)
{
	(void)state;
	run(RAILS, BEGAN, NULL);
	run(RAILS_SILENT_LEAF, BEGAN + 60, NULL);
	assert_int_equal(finding("gone.hca")->severity, IBC_INFO);
	run(RAILS_SILENT_LEAF, BEGAN + 60 + HOUR, NULL);
	assert_int_equal(finding("gone.hca")->severity, IBC_WARNING);
	assert_string_equal(
	    finding("gone.hca")->message,
	    "is gone since 2026-05-28 20:26 UTC; whether node02 is there was not seen");
}

static void an_adapter_of_a_host_that_is_there_is_missed_at_once(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_HCA, BEGAN + 60, NULL);
	assert_case("gone.hca", IBC_WARNING,
	            "is gone since 2026-05-28 20:26 UTC; other HCAs of node01 are there");
}

static void an_adapter_is_missed_by_the_name_that_its_host_has(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_HCA, BEGAN + 60, NULL);
	for (unsigned int i = 0; i < 2; i++) {
		run(RENAMED, BEGAN + 120 + i * HOUR, NULL);
		assert_case("gone.hca", IBC_WARNING,
		            "is gone since 2026-05-28 20:26 UTC; other HCAs of login01 are there");
	}
}

static void a_cable_between_switches_is_critical(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_CABLE, BEGAN + 60, NULL);
	assert_case("gone.cable", IBC_CRITICAL,
	            "has no link since 2026-05-28 20:26 UTC: spine01/1 is Polling, leaf01/5 is "
	            "Polling");
}

static void a_plug_that_is_elsewhere_was_moved(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(MOVED, BEGAN + 60, NULL);
	assert_case(
	    "gone.cable", IBC_WARNING,
	    "was moved since 2026-05-28 20:26 UTC: its plug of leaf01/2 is in leaf02/3 now");
	assert_string_equal(only_case()->advice,
	                    "Move the plug in leaf02/3 back to leaf01/2; if it was intended, say "
	                    "so: \"ibcheck known retire\" with this ID.");
	run(WHOLE, BEGAN + 120, NULL);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
}

static void a_standby_that_is_gone_is_a_warning(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_SM, BEGAN + 60, NULL);
	assert_case("gone.manager", IBC_WARNING,
	            "has no subnet manager since 2026-05-28 20:26 UTC; it was standby");
}

/* As version 0.3.0 leaves it. */
static void make_older(void)
{
	static const char sql[] =
	    "DROP TABLE absent_node; DROP TABLE absent_cable; DROP TABLE young;"
	    " DROP TABLE sm; DROP TABLE member; PRAGMA user_version = 4";
	char path[256];
	sqlite3 *db;
	glob_t found;

	assert_int_equal(glob("st/*/history.db", 0, NULL, &found), 0);
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void what_an_older_version_missed_is_told_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		run(WHOLE, BEGAN + 60 * i, NULL);
	run(WITHOUT_LEAF, BEGAN + 180, NULL);
	make_older();
	run(WITHOUT_LEAF, BEGAN + 240, NULL);
	assert_case("gone.earlier", IBC_WARNING,
	            "3 devices were missing already when this memory began to expect them: "
	            "leaf02,node03 mlx5_0,node04 mlx5_0");
	run(WITHOUT_LEAF, BEGAN + 300, NULL);
	assert_int_equal(only_case()->state, IBC_CASE_OPEN);
	run(WHOLE, BEGAN + 360, NULL);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
}

static void what_did_not_answer_is_unseen_and_not_gone(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(SILENT_LEAF, BEGAN + 60, NULL);
	assert_case("gone.unseen", IBC_UNKNOWN,
	            "3 devices that are expected were not seen, where this run could not look: "
	            "leaf02,node03 mlx5_0,node04 mlx5_0");
	/* and it stays expected */
	run(WITHOUT_LEAF, BEGAN + 120, NULL);
	assert_string_equal(only_case()->check, "gone.switch");
}

static void a_part_is_not_taken_for_the_whole(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(ISLAND, BEGAN + 60, NULL);
	assert_case("gone.cut", IBC_CRITICAL,
	            "cannot be reached since 2026-05-28 20:26 UTC, nor can 2 other switches: "
	            "leaf02,spine02, nor 2 hosts behind them: node[03-04]; what led to them from "
	            "leaf01 is down there");
	run(WITHOUT_CABLE, BEGAN + 120, NULL);
	assert_string_equal(only_case()->check, "gone.cable");
	assert_int_equal(only_case()->since, BEGAN);
}

static void another_device_of_the_name_takes_the_place(void **state)
{
	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_LEAF, BEGAN + 60, NULL);
	run(WITHOUT_LEAF, BEGAN + 24 * HOUR, NULL);
	run(REPLACED, BEGAN + 72 * HOUR, NULL);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
	assert_int_equal(report->num_gone, 1);
}

static void what_few_runs_have_seen_is_not_expected(void **state)
{
	(void)state;
	run(WITHOUT_HCA, BEGAN, NULL);
	run(WHOLE, BEGAN + 60, NULL);
	run(WHOLE, BEGAN + 120, NULL);
	run(WITHOUT_HCA, BEGAN + 180, NULL);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
	for (unsigned int i = 0; i < 3; i++)
		run(WHOLE, BEGAN + 240 + 60 * i, NULL);
	run(WITHOUT_HCA, BEGAN + 420, NULL);
	assert_string_equal(only_case()->check, "gone.hca");
}

static void what_is_retired_is_missed_again_once_it_was_seen(void **state)
{
	const struct ibc_retired leaf = { "leaf02", BEGAN + 60 };

	(void)state;
	run(WHOLE, BEGAN, NULL);
	run(WITHOUT_LEAF, BEGAN + 60, NULL);
	run(WITHOUT_LEAF, BEGAN + 120, &leaf);
	assert_int_equal(ibc_report_verdict(report), IBC_OK);
	run(WHOLE, BEGAN + 180, &leaf);
	assert_string_equal(report->conclusion,
	                    "leaf02 was retired, is back, and is expected again");
	run(WITHOUT_LEAF, BEGAN + 240, &leaf);
	assert_string_equal(only_case()->check, "gone.switch");
}

#define MANY 20000

/* Ten thousand names, and two cables for each device that one of them can mean. */
static void of_many_names_each_retires_its_own(void **state)
{
	static const char *const behind[] = { "", ".site", "/7", "" };
	struct ibc_retired *retired = calloc(MANY / 2, sizeof(*retired));
	struct ibc_fabric *now = fabric(WHOLE, BEGAN);
	struct arena *arena = arena_new();
	struct ibc_gone g = { .arena = arena, .now = now, .time = BEGAN };
	size_t num = 0;

	(void)state;
	assert_int_equal(setjmp(*arena_entry(arena)), 0);
	for (size_t i = 0; i < MANY; i++) {
		char near[32], far[32], name[64];

		snprintf(near, sizeof(near), "MF0;sw%05zu:MQM8700/U1", i);
		snprintf(far, sizeof(far), "far%05zu", i);
		snprintf(name, sizeof(name), "SW%05zu%s", i, behind[i / 2 % COUNT(behind)]);
		if (i / 2 % COUNT(behind) == 3)
			snprintf(name, sizeof(name), "sw%05zu - %s", i, far);
		if (i % 2)
			retired[num++] = (struct ibc_retired){ arena_strdup(arena, name), BEGAN };
		for (unsigned int port = 7; port <= 8; port++)
			gone_add_cable(&g, (struct gone_cable){
					       .a = { .guid = 0x1000000 + i,
			                              .num = port,
			                              .name = arena_strdup(arena, near) },
					       .z = { .guid = 0x2000000 + i,
			                              .num = port,
			                              .name = arena_strdup(arena, far) },
					   });
	}
	g.retired = retired;
	g.num_retired = num;
	gone_judge(&g);
	for (size_t k = 0; k < g.num_cables; k++) {
		const struct gone_cable *c = &g.cables[k];
		size_t i = c->a.guid - 0x1000000;
		bool other = i / 2 % COUNT(behind) == 2 && c->a.num != 7;

		assert_int_equal(c->state == GONE_RETIRED, i % 2 && !other);
	}
	arena_escape(arena, NULL);
	arena_free(arena);
	ibc_fabric_free(now);
	free(retired);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_switch_leads_what_lies_behind_it, enter, leave),
		cmocka_unit_test_setup_teardown(a_host_is_missed_for_an_hour_first, enter, leave),
		cmocka_unit_test_setup_teardown(a_host_is_missed_where_it_was_last, enter, leave),
		cmocka_unit_test_setup_teardown(another_host_without_a_name_takes_no_place, enter,
		                                leave),
		cmocka_unit_test_setup_teardown(of_a_host_with_another_hca_a_switch_cuts_off_one,
		                                enter, leave),
		cmocka_unit_test_setup_teardown(what_lies_behind_a_switch_does_not_hold_a_host_back,
		                                enter, leave),
		cmocka_unit_test_setup_teardown(
		    an_adapter_is_missed_where_the_other_was_not_looked_for, enter, leave),
		cmocka_unit_test_setup_teardown(
		    an_adapter_of_a_host_that_is_there_is_missed_at_once, enter, leave),
		cmocka_unit_test_setup_teardown(an_adapter_is_missed_by_the_name_that_its_host_has,
		                                enter, leave),
		cmocka_unit_test_setup_teardown(a_cable_between_switches_is_critical, enter, leave),
		cmocka_unit_test_setup_teardown(a_plug_that_is_elsewhere_was_moved, enter, leave),
		cmocka_unit_test_setup_teardown(a_standby_that_is_gone_is_a_warning, enter, leave),
		cmocka_unit_test_setup_teardown(what_an_older_version_missed_is_told_once, enter,
		                                leave),
		cmocka_unit_test_setup_teardown(what_did_not_answer_is_unseen_and_not_gone, enter,
		                                leave),
		cmocka_unit_test_setup_teardown(a_part_is_not_taken_for_the_whole, enter, leave),
		cmocka_unit_test_setup_teardown(another_device_of_the_name_takes_the_place, enter,
		                                leave),
		cmocka_unit_test_setup_teardown(what_few_runs_have_seen_is_not_expected, enter,
		                                leave),
		cmocka_unit_test_setup_teardown(what_is_retired_is_missed_again_once_it_was_seen,
		                                enter, leave),
		cmocka_unit_test(of_many_names_each_retires_its_own),
	};
	int failed = cmocka_run_group_tests_name("gone", tests, NULL, NULL);

	ibc_report_free(report);
	return failed;
}
