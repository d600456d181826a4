/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps that are kept for who asks later how a fabric was, and its routes. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "mkfab.h"
#include "mkroutes.h"

#define HOUR  3600
#define DAY   86400
#define BEGAN 1780012800 /* a midnight */
#define LEAF  0x10
#define SPINE 0x20
#define PART  "fe80000000000000-0000000000000010"
#define HERE  "st/" PART "/"

static char dir[64];

static int enter(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_keep.XXXXXX");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

/* ---- runs -------------------------------------------------------------------------------- */

/* struct sweep - @moved: the second cable is at another port; @to: where the leaf sends LID 3 */
struct sweep {
	time_t at;
	bool moved, no_tables, unread;
	unsigned int to;
	bool uncommitted;
};

static struct ibc_fabric *fabric_of(struct sweep s)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;

	m.subnet->subnet_prefix = 0xfe80000000000000;
	m.subnet->time = (uint64_t)s.at;
	mk_switch(m, LEAF, "leaf01", 4);
	mk_switch(m, SPINE, "spine01", 4);
	mk_ca(m, 0x30, "host01 mlx5_0", 1);
	cable(m, LEAF, 1, SPINE, 1);
	cable(m, LEAF, 2, SPINE, s.moved ? 3 : 2);
	cable(m, LEAF, 3, 0x30, 1);
	if (s.no_tables)
		return done(m);
	f = mk_tables(m, 70);
	*mk_entry(f, LEAF, 3) = (uint8_t)(s.to ? s.to : 1);
	*mk_entry(f, SPINE, 3) = 1;
	if (s.unread)
		mk_unread(f, SPINE, 3);
	return done(m);
}

/* 0, or why it was not remembered. */
static int run(struct sweep s)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = fabric_of(s), *before = NULL;
	const struct ibc_input in = { .fabric = fab };
	struct ibc_report *rep;
	struct ibc_store *store;
	int rc;

	opts.now = s.at;
	opts.command = "all";
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	ibc_store_sweep(store, &before, NULL);
	rc = ibc_store_record(store, &in, before, ibc_check_find, rep, NULL);
	if (!rc && !s.uncommitted)
		rc = ibc_store_commit(store, NULL);
	ibc_store_free(store);
	ibc_report_free(rep);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
	return rc;
}

static void ran(struct sweep s)
{
	assert_int_equal(run(s), 0);
}

static unsigned int kept(void)
{
	FILE *in = popen("ls " HERE " | grep -c '^kept.*zst$'", "r");
	unsigned int n;

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%u", &n), 1);
	pclose(in);
	return n;
}

/* The time of what is found, from BEGAN on; or a negative errno.  @said: what was passed over */
static long long found(time_t at, bool *routes, const char *said)
{
	struct ibc_error err = { "old" };
	const struct ibc_subnet *subnet;
	struct ibc_fabric *fab;
	long long when;
	int rc = ibc_history_sweep_at("st", PART, BEGAN + at, &fab, &err);

	if (said ? !strstr(err.text, said) : !rc && *err.text)
		fail_msg("%s", err.text);
	if (rc)
		return rc;
	subnet = ibc_fabric_subnet(fab, 0);
	if (routes)
		*routes = subnet->forwarding;
	when = (long long)subnet->time - BEGAN;
	ibc_fabric_free(fab);
	return when;
}

/* ---- what is kept ------------------------------------------------------------------------ */

static void one_a_day_is_kept(void **state)
{
	(void)state;
	for (time_t hour = 0; hour < 72; hour += 6)
		ran((struct sweep){ .at = BEGAN + hour * HOUR });
	assert_int_equal(kept(), 3);
	assert_int_equal(found(30 * HOUR, NULL, NULL), DAY);
}

static void each_change_of_cabling_and_of_routes_is_kept(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	ran((struct sweep){ .at = BEGAN + 1 });
	ran((struct sweep){ .at = BEGAN + 2, .moved = true });
	ran((struct sweep){ .at = BEGAN + 3, .moved = true });
	ran((struct sweep){ .at = BEGAN + 4, .moved = true, .to = 2 });
	ran((struct sweep){ .at = BEGAN + 5, .moved = true, .to = 2 });
	ran((struct sweep){ .at = BEGAN + 6, .moved = true });
	ran((struct sweep){ .at = BEGAN + 7 });
	assert_int_equal(kept(), 5);
	assert_int_equal(found(-1, NULL, NULL), 0);
	assert_int_equal(found(1, NULL, NULL), 0);
	assert_int_equal(found(3, NULL, NULL), 2);
	assert_int_equal(found(5, NULL, NULL), 4);
	assert_int_equal(found(6, NULL, NULL), 6);
	assert_int_equal(found(DAY, NULL, NULL), 7);
}

static void a_table_that_went_unanswered_is_no_change_of_routes(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	ran((struct sweep){ .at = BEGAN + 1, .unread = true });
	ran((struct sweep){ .at = BEGAN + 2 });
	assert_int_equal(kept(), 1);
	/* one that never answers hides no change of the others */
	ran((struct sweep){ .at = BEGAN + DAY, .unread = true });
	ran((struct sweep){ .at = BEGAN + DAY + 1, .unread = true });
	assert_int_equal(kept(), 2);
	ran((struct sweep){ .at = BEGAN + DAY + 2, .unread = true, .to = 2 });
	assert_int_equal(kept(), 3);
}

static void what_did_not_read_tables_keeps_another_cabling_only(void **state)
{
	bool routes;

	(void)state;
	ran((struct sweep){ .at = BEGAN });
	ran((struct sweep){ .at = BEGAN + 1, .no_tables = true });
	assert_int_equal(kept(), 1);
	ran((struct sweep){ .at = BEGAN + 2, .no_tables = true, .moved = true });
	assert_int_equal(kept(), 2);
	assert_int_equal(found(2, &routes, NULL), 2);
	assert_false(routes);
	/* its tables are read: the cabling had them then, as far as is known */
	ran((struct sweep){ .at = BEGAN + 9, .moved = true });
	assert_int_equal(kept(), 3);
	assert_int_equal(found(2, &routes, NULL), 9);
	assert_true(routes);
	assert_int_equal(found(1, &routes, NULL), 0);
}

static void where_nobody_reads_tables_a_day_is_kept_without(void **state)
{
	(void)state;
	for (time_t day = 0; day < 6; day++)
		ran((struct sweep){ .at = BEGAN + day * DAY, .no_tables = true });
	assert_int_equal(kept(), 3);
}

static void what_was_not_committed_is_not_kept(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	ran((struct sweep){ .at = BEGAN + 1, .moved = true, .uncommitted = true });
	assert_int_equal(kept(), 1);
	ran((struct sweep){ .at = BEGAN + 2, .moved = true });
	assert_int_equal(found(2, NULL, NULL), 2);
}

/* ---- bounds -------------------------------------------------------------------------------- */

static void a_cable_that_comes_and_goes_leaves_room_for_the_rest(void **state)
{
	(void)state;
	for (time_t day = 0; day < 4; day++)
		ran((struct sweep){ .at = BEGAN + day * DAY });
	ran((struct sweep){ .at = BEGAN + 3 * DAY + HOUR, .moved = true });
	ran((struct sweep){ .at = BEGAN + 3 * DAY + 2 * HOUR });
	for (time_t i = 0; i < 200; i++)
		ran((struct sweep){ .at = BEGAN + 3 * DAY + 3 * HOUR + 30 * i, .moved = i % 2 });
	assert_in_range(kept(), 64, 70);
	/* the days, and what was so for an hour */
	assert_int_equal(found(0, NULL, NULL), 0);
	assert_int_equal(found(2 * DAY, NULL, NULL), 2 * DAY);
	assert_int_equal(found(3 * DAY + HOUR + 60, NULL, NULL), 3 * DAY + HOUR);
	assert_int_equal(found(4 * DAY, NULL, NULL), 3 * DAY + 3 * HOUR + 30 * 199);
}

/* A name is all that decides: files that others make are counted as well. */
static void pretend(time_t at)
{
	char name[256];
	FILE *out;

	snprintf(name, sizeof(name), HERE "kept.%012lld-%016x.zst", (long long)at, 7);
	out = fopen(name, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
}

static void the_oldest_go_first_some_a_run(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	for (int i = 0; i < 500; i++)
		pretend(BEGAN - (i + 1) * HOUR);
	assert_int_equal(kept(), 501);
	ran((struct sweep){ .at = BEGAN + DAY });
	assert_int_equal(kept(), 502 - 8);
	assert_int_equal(found(DAY, NULL, NULL), DAY);
}

static void what_is_older_than_the_rest_is_forgotten_once_the_clock_is_trusted(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	pretend(BEGAN - 500 * (time_t)DAY);
	pretend(BEGAN + 900 * (time_t)DAY);
	ran((struct sweep){ .at = BEGAN + 2 * DAY });
	assert_int_equal(kept(), 4);
	for (time_t day = 3; day < 10; day++)
		ran((struct sweep){ .at = BEGAN + day * DAY });
	assert_int_equal(kept(), 9);
}

/* ---- what others do, and what fails --------------------------------------------------------- */

static void what_cannot_be_read_is_passed_over_and_said(void **state)
{
	(void)state;
	ran((struct sweep){ .at = BEGAN });
	ran((struct sweep){ .at = BEGAN + DAY });
	assert_int_equal(system("for f in " HERE "kept.00178009*; do : >$f; done"), 0);
	assert_int_equal(found(DAY, NULL, "was passed over: "), 0);
	assert_int_equal(system("for f in " HERE "kept.*; do ln $f elsewhere.${f##*kept.}; done"),
	                 0);
	assert_int_equal(found(DAY, NULL, "was passed over: "), -ENOENT);
	assert_int_equal(
	    system("for f in " HERE "kept.*; do ln -sf elsewhere.${f##*kept.} $f; done"), 0);
	assert_int_equal(found(DAY, NULL, "keeps no sweep"), -ENOENT);
}

static void a_place_that_is_none_has_no_sweep(void **state)
{
	struct ibc_fabric *fab;

	(void)state;
	assert_int_equal(ibc_history_sweep_at("nowhere", PART, BEGAN, &fab, NULL), -ENOENT);
	ran((struct sweep){ .at = BEGAN });
	assert_int_equal(ibc_history_sweep_at("st", "other", BEGAN, &fab, NULL), -ENOENT);
	assert_int_equal(ibc_history_sweep_at("st", "../st/" PART, BEGAN, &fab, NULL), -ENOENT);
}

static void a_disk_that_fills_leaves_what_was_kept(void **state)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	ran((struct sweep){ .at = BEGAN });
	for (rlim_t size = 100; size < 4000; size += 100) {
		const struct rlimit small = { size, RLIM_INFINITY };

		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		run((struct sweep){ .at = BEGAN + DAY, .moved = true, .uncommitted = true });
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
		assert_int_equal(found(DAY, NULL, NULL), 0);
	}
}

static void without_memory_nothing_is_found(void **state)
{
	struct ibc_fabric *fab = NULL;
	int rc = -ENOMEM;

	(void)state;
	ran((struct sweep){ .at = BEGAN });
	for (unsigned long n = 1; rc == -ENOMEM; n++) {
		alloc_fail_at(n);
		rc = ibc_history_sweep_at("st", PART, BEGAN, &fab, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	ibc_fabric_free(fab);
}

/* ---- repairs ------------------------------------------------------------------------------- */

static const struct ibc_port *link_in(const struct ibc_fabric *fab, uint64_t guid, unsigned int num)
{
	return ibc_node_port(ibc_fabric_node_by_guid(fab, guid), num);
}

/* Stores the sweep for the cable at a port of the leaf, or looks for what is stored: its time. */
static long long repair(struct sweep s, bool put, unsigned int num, bool after,
                        struct ibc_error *err)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = fabric_of(s), *kept;
	const struct ibc_port *then;
	struct ibc_store *store;
	long long rc;

	opts.now = s.at;
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	if (put) {
		rc = ibc_store_repair_put(store, link_in(fab, LEAF, num), after, err);
	} else {
		rc = ibc_store_repair_get(store, link_in(fab, LEAF, num), after, &kept, &then, err);
		if (!rc) {
			assert_non_null(then->peer);
			rc = (long long)ibc_fabric_subnet(kept, 0)->time - BEGAN;
			ibc_fabric_free(kept);
		}
	}
	ibc_store_free(store);
	ibc_fabric_free(fab);
	return rc;
}

static void count_link(const struct ibc_port *link, void *ctx)
{
	assert_non_null(link->peer);
	++*(size_t *)ctx;
}

static void a_repair_is_found_by_either_end_until_it_starts_again(void **state)
{
	size_t links = 0;

	(void)state;
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 5 }, true, 2, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 6 }, true, 3, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 7 }, false, 2, false, NULL), 5);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 7 }, false, 2, true, NULL), -ENOENT);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 7 }, false, 1, false, NULL), -ENOENT);
	/* the plug at the spine was moved */
	assert_int_equal(
	    repair((struct sweep){ .at = BEGAN + 8, .moved = true }, true, 2, true, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 9 }, false, 2, true, NULL), 8);
	assert_int_equal(ibc_history_repairs("st", count_link, &links, NULL), 0);
	assert_int_equal(links, 2);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 10 }, true, 2, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 11 }, false, 2, true, NULL), -ENOENT);
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 11 }, false, 2, false, NULL), 10);
}

static void a_repair_that_others_replaced_is_an_error(void **state)
{
	struct ibc_error err;
	size_t links = 0;

	(void)state;
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, true, 2, false, NULL), 0);
	assert_int_equal(system("for f in " HERE "repair.*; do mv $f x; ln -s ../../x $f; done"),
	                 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, false, 2, false, &err), -ELOOP);
	assert_int_equal(system("for f in " HERE "repair.*; do rm $f; echo >$f; done"), 0);
	assert_true(repair((struct sweep){ .at = BEGAN }, false, 2, false, &err) < 0);
	assert_non_null(strstr(err.text, "repair."));
	/* the others are shown */
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, true, 3, false, NULL), 0);
	assert_int_equal(ibc_history_repairs("st", count_link, &links, &err), 0);
	assert_int_equal(links, 1);
	assert_non_null(strstr(err.text, "repair."));
}

/* Nobody says that a repair is over. */
static void of_too_many_repairs_the_first_goes(void **state)
{
	(void)state;
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, true, 2, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, true, 2, true, NULL), 0);
	assert_int_equal(system("touch -d 2020-01-01 " HERE "repair.*"), 0);
	for (unsigned int i = 0; i < 63; i++) {
		char name[256];
		FILE *out;

		snprintf(name, sizeof(name), HERE "repair.%016x-9-%016x-9.start.zst", i + 1, i + 1);
		out = fopen(name, "w");
		assert_non_null(out);
		assert_int_equal(fclose(out), 0);
	}
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, true, 1, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, false, 1, false, NULL), 0);
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, false, 2, false, NULL), -ENOENT);
	assert_int_equal(repair((struct sweep){ .at = BEGAN }, false, 2, true, NULL), -ENOENT);
}

/* Two were started, and then the plug of one was put where that of the other was. */
static void of_two_repairs_the_one_of_the_end_that_is_named_counts(void **state)
{
	struct sweep moved = { .at = BEGAN + 9, .moved = true };

	(void)state;
	assert_int_equal(repair((struct sweep){ .at = BEGAN + 1 }, true, 2, false, NULL), 0);
	assert_int_equal(system("cd " HERE " && cp repair.*start.zst repair.0000000000000020-3-"
	                        "ffffffffffffffff-1.start.zst"),
	                 0);
	assert_int_equal(repair(moved, false, 2, false, NULL), 1);
	/* with a new start both are past */
	assert_int_equal(repair(moved, true, 2, false, NULL), 0);
	assert_int_equal(repair(moved, false, 2, false, NULL), 9);
	assert_int_equal(system("test $(ls " HERE " | grep -c repair) = 1"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	TEST(one_a_day_is_kept),
	TEST(each_change_of_cabling_and_of_routes_is_kept),
	TEST(a_table_that_went_unanswered_is_no_change_of_routes),
	TEST(what_did_not_read_tables_keeps_another_cabling_only),
	TEST(where_nobody_reads_tables_a_day_is_kept_without),
	TEST(what_was_not_committed_is_not_kept),
	TEST(a_cable_that_comes_and_goes_leaves_room_for_the_rest),
	TEST(the_oldest_go_first_some_a_run),
	TEST(what_is_older_than_the_rest_is_forgotten_once_the_clock_is_trusted),
	TEST(what_cannot_be_read_is_passed_over_and_said),
	TEST(a_place_that_is_none_has_no_sweep),
	TEST(a_disk_that_fills_leaves_what_was_kept),
	TEST(without_memory_nothing_is_found),
	TEST(a_repair_is_found_by_either_end_until_it_starts_again),
	TEST(a_repair_that_others_replaced_is_an_error),
	TEST(of_too_many_repairs_the_first_goes),
	TEST(of_two_repairs_the_one_of_the_end_that_is_named_counts),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
