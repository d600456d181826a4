/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run leaves for the next one, and what it makes of what it finds there. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "base/phywords.h"
#include "mkfab.h"
#include "report/report.h"
#include "store/store.h"

#define HOUR  3600
#define DAY   86400
#define BEGAN 1780000000 /* the first run of every test */

/* ---- a directory for each test ------------------------------------------------------ */

static char dir[64];

static int enter(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_store.XXXXXX");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", dir, dir);
	return chdir("/") || system(command);
}

/* What a command of the shell prints, its last line feed cut off. */
static const char *shell(const char *command)
{
	static char text[4096];
	FILE *in = popen(command, "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	pclose(in);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* The first value of a query over the only history there is. */
static const char *history(const char *sql)
{
	static char text[256];
	sqlite3_stmt *row;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(shell("echo st/*/history.db"), &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	*text = '\0';
	if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
		snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(row, 0));
	sqlite3_finalize(row);
	sqlite3_close(db);
	return text;
}

/* The kinds of events, in their order, of the only incident of a check. */
static const char *life_of(const char *check)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
	         "SELECT group_concat(kind, ' ') FROM (SELECT kind FROM event JOIN incident ON"
	         " incident = incident.id WHERE check_id = '%s' ORDER BY run)",
	         check);
	return history(sql);
}

/* ---- fabrics -------------------------------------------------------------------------- */

/* A switch, of GUIDs from @first on, @switches of them, each with a host. */
static struct mkfab line_of(uint64_t first, unsigned int switches)
{
	struct mkfab m = mkfab();

	m.subnet->subnet_prefix = 0xfe80000000000000;
	for (unsigned int i = 0; i < switches; i++) {
		mk_switch(m, first + i, "leaf", 3);
		mk_ca(m, 0x1000 + first + i, "host mlx5_0", 1);
		cable(m, first + i, 1, 0x1000 + first + i, 1);
	}
	return m;
}

static struct ibc_fabric *two_switches(void)
{
	return done(line_of(0x10, 2));
}

/* ---- runs --------------------------------------------------------------------------------- */

/* struct fault - a finding: of a port, or of a node if its port is 0; @check: also "ID:KIND" */
struct fault {
	const char *check;
	enum ibc_severity severity;
	uint64_t guid;
	unsigned int port;
};
#define MAX_FAULTS 8

/*
 * struct run - one run
 * @ran: checks that ran, besides those of the faults
 * @known_until: all is known until then; NULL: nothing is
 * @uncommitted: it ends before its report was written
 * @report: filled; to be freed with end()
 */
struct run {
	time_t time;
	struct ibc_fabric *fabric; /* freed by it */
	const char *ran[MAX_FAULTS];
	struct fault faults[MAX_FAULTS];
	bool uncommitted;
	unsigned int settle_runs, settle_seconds;
	const char *known_until;
	struct ibc_report *report;
	char damage[512];
	int rc;
};

static void add_fault(struct ibc_report *rep, const struct fault *f)
{
	struct ibc_subject subject = { .kind = f->port ? IBC_SUBJECT_PORT : IBC_SUBJECT_NODE,
		                       .near = { .guid = f->guid,
		                                 .has_guid = true,
		                                 .desc = "leaf",
		                                 .port = f->port,
		                                 .has_port = f->port } };
	char check[64];

	snprintf(check, sizeof(check), "%.*s", (int)strcspn(f->check, ":"), f->check);
	ibc_report_add(rep, check, f->severity, &subject, "is broken");
	if (f->check[strlen(check)])
		ibc_report_fact(rep, "kind", ibc_str(f->check + strlen(check) + 1));
	ibc_report_ran(rep, f->check);
}

static void accept_all(const struct run *run)
{
	FILE *out = fopen("known", "w");

	assert_non_null(out);
	fprintf(out, "* * %s me reboot\n", run->known_until);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(ibc_report_known(run->report, "known", "2026-01-01", NULL, NULL, NULL), 0);
}

static void make_report(struct run *run, const struct ibc_input *in)
{
	assert_int_equal(ibc_report_new(&run->report, NULL), 0);
	for (size_t i = 0; i < MAX_FAULTS && run->faults[i].check; i++)
		add_fault(run->report, &run->faults[i]);
	for (size_t i = 0; i < MAX_FAULTS && run->ran[i]; i++)
		ibc_report_ran(run->report, run->ran[i]);
	if (run->known_until)
		accept_all(run);
	assert_int_equal(ibc_report_finish(run->report, NULL), 0);
	assert_int_equal(ibc_cases_find(in, ibc_check_find, run->report, NULL), 0);
}

static int run_in(struct run *run, const char *where, struct ibc_error *err)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *before = NULL;
	struct ibc_store *store = NULL;
	struct ibc_input in;

	opts.now = run->time;
	opts.command = "all";
	opts.wait_ms = 0;
	opts.settle_runs = run->settle_runs;
	opts.settle_seconds = run->settle_seconds;
	if (!run->fabric)
		run->fabric = two_switches();
	in = (struct ibc_input){ .fabric = run->fabric };
	run->rc = ibc_store_open(where, run->fabric, &opts, &store, err);
	if (!run->rc)
		ibc_store_sweep(store, &before, NULL);
	make_report(run, &in);
	if (!run->rc)
		run->rc = ibc_store_record(store, &in, before, ibc_check_find, run->report, err);
	if (store && run->rc == -EUCLEAN)
		run->rc = ibc_store_record(store, &in, before, ibc_check_find, run->report, err);
	if (store && ibc_store_damage(store))
		snprintf(run->damage, sizeof(run->damage), "%s", ibc_store_damage(store));
	if (!run->rc && !run->uncommitted)
		run->rc = ibc_store_commit(store, err);
	ibc_store_free(store);
	ibc_fabric_free(before);
	ibc_fabric_free(run->fabric);
	return run->rc;
}

/* One that must go well. */
static struct run ran(struct run run)
{
	struct ibc_error err = { "" };

	if (run_in(&run, "st", &err))
		fail_msg("%s", err.text);
	return run;
}

static void end(struct run run)
{
	ibc_report_free(run.report);
}

static void over(struct run run)
{
	end(ran(run));
}

static const struct ibc_case *only_case(const struct run *run)
{
	assert_non_null(ibc_report_case_at(run->report, 0));
	assert_null(ibc_report_case_at(run->report, 1));
	return ibc_report_case_at(run->report, 0);
}

#define WIDTH(severity)                                                                            \
	{                                                                                          \
		{                                                                                  \
			"port.width", severity, 0x10, 1                                            \
		}                                                                                  \
	}
#define WIDTH_RAN                                                                                  \
	{                                                                                          \
		"port.width"                                                                       \
	}

/* ---- opening and closing ---------------------------------------------------------------- */

static void the_first_run_finds_all_cases_new(void **state)
{
	struct run run = ran((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });

	(void)state;
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	assert_int_equal(only_case(&run)->since, BEGAN);
	assert_int_equal(only_case(&run)->times, 1);
	end(run);
}

static void the_same_sweep_again_makes_no_event(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	run = ran((struct run){ .time = BEGAN + HOUR, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_int_equal(only_case(&run)->since, BEGAN);
	assert_string_equal(life_of("port.width"), "opened");
	assert_string_equal(history("SELECT last_seen - opened FROM incident"), "3600");
	end(run);
}

static void what_is_repaired_is_gone_once(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_CRITICAL) });
	run = ran((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN });
	assert_non_null(ibc_report_gone_at(run.report, 0));
	assert_null(ibc_report_gone_at(run.report, 1));
	assert_int_equal(ibc_report_gone_at(run.report, 0)->state, IBC_CASE_GONE);
	assert_int_equal(ibc_report_gone_at(run.report, 0)->severity, IBC_CRITICAL);
	assert_int_equal(ibc_report_gone_at(run.report, 0)->subject.kind, IBC_SUBJECT_PORT);
	assert_int_equal(ibc_report_gone_at(run.report, 0)->subject.near.guid, 0x10);
	assert_int_equal(ibc_report_gone_at(run.report, 0)->subject.near.port, 1);
	assert_string_equal(ibc_report_gone_at(run.report, 0)->subject.near.desc, "leaf");
	assert_int_equal(ibc_report_verdict(run.report), IBC_OK);
	end(run);
	run = ran((struct run){ .time = BEGAN + 2 * HOUR, .ran = WIDTH_RAN });
	assert_null(ibc_report_gone_at(run.report, 0));
	assert_string_equal(life_of("port.width"), "opened closed");
	end(run);
}

static void a_check_that_did_not_run_closes_nothing(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	run = ran((struct run){ .time = BEGAN + HOUR, .ran = { "port.state" } });
	assert_null(ibc_report_gone_at(run.report, 0));
	assert_string_equal(life_of("port.width"), "opened");
	end(run);
}

/* Two kinds; one is repaired while only that, and while only the other, is looked for.
 */
static void a_kind_that_did_not_run_is_not_over(void **state)
{
	static const char *const kinds[] = { "cable.alarm:bias", "cable.alarm:tx-power" };
	const struct fault bias = { kinds[0], IBC_CRITICAL, 0x10, 1 };
	const struct fault power = { kinds[1], IBC_CRITICAL, 0x11, 1 };
	const char *open =
	    "SELECT group_concat(opens || ' ' || opened) FROM incident WHERE closed IS"
	    " NULL";
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .ran = { "cable.alarm" }, .faults = { bias, power } });
	assert_string_equal(history("SELECT count(*) FROM incident"), "2");
	run = ran((struct run){ .time = BEGAN + HOUR, .ran = { kinds[0] } });
	assert_non_null(ibc_report_gone_at(run.report, 0));
	assert_null(ibc_report_gone_at(run.report, 1));
	assert_string_equal(history(open), "1 1780000000");
	end(run);
	/* the other has its past */
	run = ran((struct run){
	    .time = BEGAN + 2 * HOUR, .ran = { "cable.alarm" }, .faults = { power } });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_int_equal(only_case(&run)->since, BEGAN);
	assert_int_equal(only_case(&run)->times, 1);
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	/* until all is looked for, and it is not there */
	run = ran((struct run){ .time = BEGAN + 3 * HOUR, .ran = { kinds[0] } });
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	run = ran((struct run){ .time = BEGAN + 4 * HOUR, .ran = { "cable.alarm" } });
	assert_non_null(ibc_report_gone_at(run.report, 0));
	assert_string_equal(life_of("cable.alarm"), "opened opened closed closed");
	end(run);
}

/* Silence: the port does not answer, then its switch is not there, then both are. */
static void silence_closes_nothing_and_is_noted_once(void **state)
{
	struct mkfab m = line_of(0x10, 2);
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	port(m, 0x10, 1)->answers.answered = 0;
	over((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN, .fabric = done(m) });
	over((struct run){
	    .time = BEGAN + 2 * HOUR, .ran = WIDTH_RAN, .fabric = done(line_of(0x11, 1)) });
	assert_string_equal(life_of("port.width"), "opened not-looked");
	run = ran((struct run){ .time = BEGAN + 3 * HOUR, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_int_equal(only_case(&run)->since, BEGAN);
	end(run);
}

static void what_gets_worse_says_so_and_what_gets_better_is_noted(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	run = ran((struct run){ .time = BEGAN + HOUR, .faults = WIDTH(IBC_CRITICAL) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_WORSE);
	end(run);
	run = ran((struct run){ .time = BEGAN + 2 * HOUR, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_string_equal(life_of("port.width"), "opened worse better");
	end(run);
}

static void what_flaps_is_one_incident_with_a_count(void **state)
{
	struct run run;

	(void)state;
	for (int i = 0; i < 4; i++) {
		time_t when = BEGAN + 2 * i * HOUR;

		run = ran((struct run){ .time = when, .faults = WIDTH(IBC_WARNING) });
		assert_int_equal(only_case(&run)->state, i ? IBC_CASE_BACK : IBC_CASE_NEW);
		assert_int_equal(only_case(&run)->times, i + 1);
		assert_int_equal(only_case(&run)->since, BEGAN);
		end(run);
		over((struct run){ .time = when + HOUR, .ran = WIDTH_RAN });
	}
	assert_string_equal(history("SELECT count(*) FROM incident"), "1");
}

static void what_comes_back_a_day_later_is_another_incident(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	over((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN });
	run = ran((struct run){ .time = BEGAN + 2 * DAY, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	assert_int_equal(only_case(&run)->since, BEGAN + 2 * DAY);
	assert_string_equal(history("SELECT count(*) FROM incident"), "2");
	end(run);
}

/* "cable.alarm" says that it explains itself: one kind another, which is found all the same. */
static void a_kind_that_is_repaired_ends_while_another_stays(void **state)
{
	const struct fault bias = { "cable.alarm:bias", IBC_CRITICAL, 0x10, 1 };
	const struct fault power = { "cable.alarm:tx-power", IBC_CRITICAL, 0x10, 1 };
	const struct fault note = { power.check, IBC_INFO, 0x10, 1 };
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .ran = { "cable.alarm" }, .faults = { bias, power } });
	run = ran(
	    (struct run){ .time = BEGAN + HOUR, .ran = { "cable.alarm" }, .faults = { power } });
	assert_non_null(ibc_report_gone_at(run.report, 0));
	assert_string_equal(history("SELECT count(*) FROM incident WHERE closed IS NULL"), "1");
	end(run);
	/* the site made a note of it */
	over(
	    (struct run){ .time = BEGAN + 2 * HOUR, .ran = { "cable.alarm" }, .faults = { note } });
	assert_string_equal(history("SELECT count(*) FROM incident WHERE closed IS NULL"), "0");
	assert_string_equal(history("SELECT count(*) FROM event WHERE kind = 'merged'"), "0");
}

/* "counters.silent" says that "counters.state" explains what it finds. */
static void what_another_finding_explains_is_merged_and_keeps_its_beginning(void **state)
{
	const struct fault silent = { "counters.silent", IBC_UNKNOWN, 0x10, 0 };
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = { silent } });
	run = ran((struct run){ .time = BEGAN + HOUR,
	                        .ran = { "counters.silent" },
	                        .faults = { { "counters.state", IBC_UNKNOWN, 0x10, 0 } } });
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	run = ran((struct run){
	    .time = BEGAN + 2 * HOUR, .ran = { "counters.state" }, .faults = { silent } });
	assert_int_equal(only_case(&run)->since, BEGAN);
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_string_equal(life_of("counters.silent"), "opened merged");
	end(run);
}

/* "port.speed" says that "counters.symbol" explains what it finds. */
static void what_is_found_at_another_port_of_a_switch_hides_no_end(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = { { "port.speed", IBC_WARNING, 0x10, 1 } } });
	run = ran((struct run){ .time = BEGAN + HOUR,
	                        .ran = { "port.speed" },
	                        .faults = { { "counters.symbol", IBC_WARNING, 0x10, 11 } } });
	assert_string_equal(ibc_report_gone_at(run.report, 0)->check, "port.speed");
	assert_string_equal(life_of("port.speed"), "opened closed");
	end(run);
}

static void a_note_is_no_incident(void **state)
{
	struct run run = ran((struct run){ .time = BEGAN, .faults = WIDTH(IBC_INFO) });

	(void)state;
	assert_int_equal(only_case(&run)->state, IBC_CASE_UNKNOWN);
	assert_string_equal(history("SELECT count(*) FROM incident"), "0");
	end(run);
}

static void a_clock_that_went_back_a_year_makes_no_negative_time(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	over((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN });
	run = ran((struct run){ .time = BEGAN - 365 * DAY, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_BACK);
	assert_int_equal(only_case(&run)->since, BEGAN - 365 * DAY);
	assert_string_equal(life_of("port.width"), "opened closed reopened");
	end(run);
}

static void what_ended_long_ago_is_forgotten(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	over((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN });
	over((struct run){ .time = BEGAN + 390 * DAY });
	over((struct run){ .time = BEGAN + 399 * DAY });
	assert_string_equal(history("SELECT count(*) FROM incident"), "1");
	over((struct run){ .time = BEGAN + 402 * DAY });
	assert_string_equal(history("SELECT count(*) FROM incident"), "0");
	assert_string_equal(history("SELECT count(*) FROM event"), "0");
	assert_string_equal(history("SELECT count(*) FROM run"), "3");
}

static void a_clock_that_is_years_ahead_forgets_nothing(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	over((struct run){ .time = BEGAN + HOUR, .ran = WIDTH_RAN });
	for (int day = 0; day < 7; day++)
		over((struct run){ .time = BEGAN + (time_t)(27000 + day) * DAY });
	over((struct run){ .time = BEGAN + 2 * HOUR });
	assert_string_equal(history("SELECT count(*) FROM incident"), "1");
	assert_string_equal(history("SELECT count(*) FROM run"), "10");
}

static void only_what_changed_is_shown(void **state)
{
	const struct ibc_show show = { .changes = true };
	const struct fault state_fault = { "port.state", IBC_WARNING, 0x10, 2 };
	struct run run;

	(void)state;
	run = ran((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	assert_true(ibc_report_changed(run.report));
	end(run);
	run = ran((struct run){ .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING) });
	assert_false(ibc_report_changed(run.report));
	end(run);
	run = ran((struct run){
	    .time = BEGAN + 2, .faults = { { "port.width", IBC_WARNING, 0x10, 1 }, state_fault } });
	ibc_report_show(run.report, &show);
	assert_true(ibc_report_changed(run.report));
	assert_false(ibc_report_finding(run.report, 0)->hidden); /* port.state */
	assert_true(ibc_report_finding(run.report, 1)->hidden);
	end(run);
	run = ran((struct run){
	    .time = BEGAN + 3, .ran = { "port.state" }, .faults = WIDTH(IBC_WARNING) });
	assert_true(ibc_report_changed(run.report));
	end(run);
}

static void what_befell_the_memory_is_shown_and_is_no_incident(void **state)
{
	const struct ibc_show show = { .changes = true };
	struct run run = ran(
	    (struct run){ .time = BEGAN, .faults = { { "state.memory", IBC_UNKNOWN, 0x10, 0 } } });

	(void)state;
	ibc_report_show(run.report, &show);
	assert_true(ibc_report_changed(run.report));
	assert_false(ibc_report_finding(run.report, 0)->hidden);
	assert_string_equal(history("SELECT count(*) FROM incident"), "0");
	end(run);
}

/* Nothing is known to be as it was. */
static void what_is_not_remembered_is_all_shown(void **state)
{
	const struct ibc_show show = { .changes = true };
	struct run run = { .time = BEGAN, .faults = WIDTH(IBC_WARNING) };

	(void)state;
	assert_int_equal(run_in(&run, "missing/st", NULL), -ENOENT);
	ibc_report_show(run.report, &show);
	assert_true(ibc_report_changed(run.report));
	assert_false(ibc_report_finding(run.report, 0)->hidden);
	end(run);
}

/* ---- what is not told of yet -------------------------------------------------------------- */

/* A run that waits for so many runs, or seconds, before it tells of something new. */
static struct run settling(time_t when, unsigned int runs, unsigned int seconds, bool fault)
{
	struct run run = { .time = when, .ran = WIDTH_RAN };

	run.settle_runs = runs;
	run.settle_seconds = seconds;
	if (fault)
		run.faults[0] = (struct fault){ "port.width", IBC_CRITICAL, 0x10, 1 };
	return ran(run);
}

static void expect_settling(struct run run, const char *how_far)
{
	assert_int_equal(only_case(&run)->state, IBC_CASE_UNSETTLED);
	assert_string_equal(only_case(&run)->settling, how_far);
	assert_false(ibc_report_changed(run.report));
	assert_true(ibc_report_verdict(run.report) > IBC_OK);
	end(run);
}

static void expect_state(struct run run, enum ibc_case_state expected, bool changed)
{
	assert_int_equal(only_case(&run)->state, expected);
	assert_null(only_case(&run)->settling);
	assert_int_equal(ibc_report_changed(run.report), changed);
	end(run);
}

static void a_fault_is_new_when_enough_runs_have_seen_it(void **state)
{
	(void)state;
	expect_settling(settling(BEGAN, 3, 0, true), "run 1 of 3");
	assert_string_equal(life_of("port.width"), "opened");
	expect_settling(settling(BEGAN + 1, 3, 0, true), "run 2 of 3");
	expect_state(settling(BEGAN + 2, 3, 0, true), IBC_CASE_NEW, true);
	expect_state(settling(BEGAN + 3, 3, 0, true), IBC_CASE_OPEN, false);
	assert_string_equal(life_of("port.width"), "opened");
}

static void a_fault_is_new_when_it_is_old_enough(void **state)
{
	(void)state;
	expect_settling(settling(BEGAN, 0, 900, true), "0 of 15 min");
	expect_settling(settling(BEGAN + 899, 0, 900, true), "14 of 15 min");
	expect_state(settling(BEGAN + 900, 0, 900, true), IBC_CASE_NEW, true);
}

static void a_run_that_does_not_wait_reports_what_others_did_not(void **state)
{
	(void)state;
	expect_settling(settling(BEGAN, 3, 0, true), "run 1 of 3");
	expect_state(settling(BEGAN + 1, 0, 0, true), IBC_CASE_NEW, true);
	expect_state(settling(BEGAN + 2, 3, 0, true), IBC_CASE_OPEN, false);
}

static void what_heals_before_it_is_settled_is_recorded_and_not_reported(void **state)
{
	struct run run;

	(void)state;
	expect_settling(settling(BEGAN, 2, 0, true), "run 1 of 2");
	run = settling(BEGAN + 1, 2, 0, false);
	assert_false(ibc_report_changed(run.report));
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	assert_string_equal(life_of("port.width"), "opened closed");
}

/* One that comes and goes would never be settled. */
static void what_comes_back_is_reported_at_once(void **state)
{
	(void)state;
	expect_settling(settling(BEGAN, 3, 0, true), "run 1 of 3");
	end(settling(BEGAN + 1, 3, 0, false));
	expect_state(settling(BEGAN + 2, 3, 0, true), IBC_CASE_BACK, true);
}

static void a_clock_that_went_back_does_not_keep_a_fault_unreported(void **state)
{
	(void)state;
	expect_settling(settling(BEGAN, 0, 900, true), "0 of 15 min");
	expect_state(settling(BEGAN - 365 * DAY, 0, 900, true), IBC_CASE_NEW, true);
}

/* So many ports of one kind are one case. */
static struct run many(time_t when, unsigned int ports)
{
	struct run run = { .time = when, .settle_runs = 2 };

	for (unsigned int i = 0; i < ports; i++)
		run.faults[i] = (struct fault){ "port.width", IBC_WARNING, 0x10 + i, 1 };
	return ran(run);
}

static void a_member_that_is_not_settled_makes_no_case_worse(void **state)
{
	(void)state;
	expect_settling(many(BEGAN, 6), "run 1 of 2");
	expect_state(many(BEGAN + 1, 6), IBC_CASE_NEW, true);
	expect_state(many(BEGAN + 2, 7), IBC_CASE_OPEN, false);
	expect_state(many(BEGAN + 3, 7), IBC_CASE_WORSE, true);
	expect_state(many(BEGAN + 4, 7), IBC_CASE_OPEN, false);
}

/* The port is accepted beforehand until some day. */
static struct run accepted(time_t when, const char *until, bool fault)
{
	struct run run = { .time = when, .ran = WIDTH_RAN, .known_until = until };

	if (fault)
		run.faults[0] = (struct fault){ "port.width", IBC_CRITICAL, 0x10, 1 };
	return ran(run);
}

static void what_was_accepted_beforehand_is_no_change(void **state)
{
	struct run run;

	(void)state;
	run = accepted(BEGAN, "2999-01-01", true);
	assert_int_equal(ibc_report_verdict(run.report), IBC_OK);
	expect_state(run, IBC_CASE_NEW, false);
	expect_state(accepted(BEGAN + 1, "2999-01-01", true), IBC_CASE_OPEN, false);
	run = accepted(BEGAN + 2, "2999-01-01", false);
	assert_false(ibc_report_changed(run.report));
	end(run);
	assert_string_equal(life_of("port.width"), "opened closed");
}

static void what_is_accepted_no_longer_is_a_change(void **state)
{
	(void)state;
	expect_state(accepted(BEGAN, "2999-01-01", true), IBC_CASE_NEW, false);
	expect_state(accepted(BEGAN + 1, "1999-01-01", true), IBC_CASE_NEW, true);
	expect_state(accepted(BEGAN + 2, "2999-01-01", true), IBC_CASE_OPEN, false);
	expect_state(accepted(BEGAN + 3, NULL, true), IBC_CASE_WORSE, true);
	expect_state(accepted(BEGAN + 4, NULL, true), IBC_CASE_OPEN, false);
}

/* ---- what waits for a hook ----------------------------------------------------------------- */

/* struct taker - a hook: what it got, in one line, and what it answers */
struct taker {
	char got[64];
	int rc;
};

static int take(const char *const *changes, void *ctx, struct ibc_error *err)
{
	struct taker *taker = ctx;

	(void)err;
	for (; *changes; changes++)
		strcat(strcat(taker->got, *taker->got ? " " : ""), *changes);
	return taker->rc;
}

/* A run that leaves @changes, or NULL: nothing; then the hook comes, unless it is NULL. */
static int run_with_hook(time_t when, const char *changes, struct taker *taker)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = two_switches();
	struct ibc_input in = { .fabric = fab };
	struct ibc_store *store;
	struct run run = { 0 };
	int rc = 0;

	opts.now = when;
	opts.wait_ms = 0;
	make_report(&run, &in);
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_record(store, &in, NULL, ibc_check_find, run.report, NULL), 0);
	if (changes)
		assert_int_equal(ibc_store_pend(store, changes, run.report, NULL), 0);
	if (taker) {
		assert_int_equal(ibc_store_commit(store, NULL), 0);
		rc = ibc_store_deliver(store, 0, take, taker, NULL);
	}
	ibc_store_free(store);
	ibc_fabric_free(fab);
	end(run);
	return rc;
}

static void expect_taken(time_t when, const char *changes, const char *expected)
{
	struct taker taker = { .rc = 0 };

	assert_int_equal(run_with_hook(when, changes, &taker), 0);
	assert_string_equal(taker.got, expected);
}

static void a_hook_gets_a_change_once(void **state)
{
	(void)state;
	expect_taken(BEGAN, "a", "a");
	expect_taken(BEGAN + 1, NULL, "");
	expect_taken(BEGAN + 2, "b", "b");
}

static void what_a_hook_did_not_take_it_gets_again_with_what_came_later(void **state)
{
	struct taker taker = { "", -ECANCELED };

	(void)state;
	assert_int_equal(run_with_hook(BEGAN, "a", &taker), -ECANCELED);
	assert_int_equal(run_with_hook(BEGAN + 1, "b", &taker), -ECANCELED);
	assert_string_equal(taker.got, "a a b");
	expect_taken(BEGAN + 2, "c", "a b c");
	expect_taken(BEGAN + 3, NULL, "");
}

static void a_change_of_a_run_that_was_not_committed_is_none(void **state)
{
	(void)state;
	run_with_hook(BEGAN, "a", NULL);
	expect_taken(BEGAN + 1, NULL, "");
}

/* It was killed between the report and the hook. */
static void what_was_committed_and_not_given_is_given_by_the_next_run(void **state)
{
	int status;

	(void)state;
	if (!fork()) {
		struct taker taker = { "", -ECANCELED };

		run_with_hook(BEGAN, "a", &taker);
		kill(getpid(), SIGKILL);
	}
	wait(&status);
	assert_true(WIFSIGNALED(status));
	expect_taken(BEGAN + 1, "b", "a b");
}

/* A hook may be slow; what it takes meanwhile, and what comes, are not mixed up. */
static int record_meanwhile(const char *const *changes, void *ctx, struct ibc_error *err)
{
	struct taker other = { .rc = 0 };

	(void)err;
	strcpy(ctx, *changes);
	assert_int_equal(run_with_hook(BEGAN + 1, "b", &other), -EBUSY);
	assert_string_equal(other.got, "");
	return 0;
}

static void other_runs_record_while_a_hook_runs(void **state)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct taker taker = { "", -ECANCELED };
	struct ibc_fabric *fab = two_switches();
	struct ibc_store *store;
	char got[8] = "";

	(void)state;
	assert_int_equal(run_with_hook(BEGAN, "a", &taker), -ECANCELED);
	opts.now = BEGAN;
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_deliver(store, 0, record_meanwhile, got, NULL), 0);
	ibc_store_free(store);
	ibc_fabric_free(fab);
	assert_string_equal(got, "a");
	expect_taken(BEGAN + 2, NULL, "b");
}

static void what_nobody_took_is_forgotten_with_the_rest(void **state)
{
	struct taker taker = { "", -ECANCELED };

	(void)state;
	run_with_hook(BEGAN, "a", &taker);
	over((struct run){ .time = BEGAN + 390 * DAY });
	expect_taken(BEGAN + 401 * DAY, "b", "b");
}

/* Whoever can write the history can add to what waits for the hook of another user. */
static void a_hook_gets_only_what_its_user_noted(void **state)
{
	static const char *const forged[] = {
		"INSERT INTO pending VALUES(90, 1780000000, '{\"reports\": []}')",
		"INSERT INTO pending VALUES(90, 1780000000, '0123456789abcdef b')",
		"INSERT INTO pending VALUES(90, 1780000000, '')",
		"INSERT INTO pending SELECT run + 50, time, report FROM pending",
	};
	struct taker taker = { .rc = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(forged) / sizeof(*forged); i++) {
		run_with_hook(BEGAN, "a", &(struct taker){ "", -ECANCELED });
		history(forged[i]);
		*taker.got = '\0';
		assert_int_equal(run_with_hook(BEGAN + 1, NULL, &taker), -EKEYREJECTED);
		assert_string_equal(taker.got, "a");
		expect_taken(BEGAN + 2, NULL, "");
		shell("rm -r st");
	}
	run_with_hook(BEGAN, "a", &(struct taker){ "", -ECANCELED });
	history("UPDATE pending SET report = substr(report, 1, 17) || 'b'");
	*taker.got = '\0';
	assert_int_equal(run_with_hook(BEGAN + 1, "c", &taker), -EKEYREJECTED);
	assert_string_equal(taker.got, "c");
	/* a key that others can read is none */
	run_with_hook(BEGAN + 2, "d", &(struct taker){ "", -ECANCELED });
	shell("chmod 640 st/*/hook.key.*");
	*taker.got = '\0';
	assert_int_equal(run_with_hook(BEGAN + 3, "e", &taker), -EKEYREJECTED);
	assert_string_equal(taker.got, "e");
	assert_string_equal(shell("stat -c %a st/*/hook.key.*"), "600");
}

/* A hook makes an address of it. */
static void an_incident_whose_case_has_no_id_is_damage(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN });
	history("INSERT INTO incident VALUES(99, 'port.state', 'x', 'x', 3, 1, 1, NULL, 1, 'm',"
	        " NULL, 0, '../../admin', 0, 0, 0)");
	run = (struct run){ .time = BEGAN + 1 };
	over(run);
	assert_string_not_equal(shell("ls st/*/ | grep damaged"), "");
}

/* ---- fabrics ------------------------------------------------------------------------------ */

static void expect_fabrics(const char *n)
{
	assert_string_equal(shell("ls -d st/*/ | wc -l"), n);
}

static void a_fabric_with_half_of_its_switches_is_the_same(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN, .fabric = done(line_of(0x10, 4)) });
	over((struct run){ .time = BEGAN + 1, .fabric = done(line_of(0x12, 4)) });
	expect_fabrics("1");
	over((struct run){ .time = BEGAN + 2, .fabric = done(line_of(0x14, 1)) });
	over((struct run){ .time = BEGAN + 3, .fabric = done(line_of(0x10, 6)) });
	expect_fabrics("1");
	over((struct run){ .time = BEGAN + 4, .fabric = done(line_of(0x15, 4)) });
	expect_fabrics("2");
}

static void another_fabric_with_the_same_first_switch_has_a_part_of_its_own(void **state)
{
	struct mkfab m = line_of(0x20, 4);

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = done(line_of(0x10, 4)) });
	mk_switch(m, 0x10, "leaf", 1);
	over((struct run){ .time = BEGAN, .fabric = done(m) });
	expect_fabrics("2");
}

static void two_fabrics_of_one_prefix_do_not_mix(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	run = ran(
	    (struct run){ .time = BEGAN + 1, .ran = WIDTH_RAN, .fabric = done(line_of(0x20, 2)) });
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	expect_fabrics("2");
	run = ran((struct run){ .time = BEGAN + 2, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	end(run);
}

static void another_prefix_is_another_fabric(void **state)
{
	struct mkfab m = line_of(0x10, 2);

	(void)state;
	over((struct run){ .time = BEGAN });
	m.subnet->subnet_prefix++;
	over((struct run){ .time = BEGAN + 1, .fabric = done(m) });
	expect_fabrics("2");
}

static void without_switches_adapters_tell_it(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct mkfab m = mkfab();

		mk_ca(m, 1, "host01 mlx5_0", 1);
		mk_ca(m, 2, "host02 mlx5_0", 1);
		over((struct run){ .time = BEGAN + i, .fabric = done(m) });
	}
	expect_fabrics("1");
}

/* The first host of line_of(0x10): its port @num does not work. */
static struct run alone(time_t when, unsigned int num)
{
	struct mkfab m = mkfab();

	m.subnet->subnet_prefix = 0xfe80000000000000;
	mk_ca(m, 0x1010, "host mlx5_0", 2);
	return (struct run){ .time = when,
		             .faults = { { "port.width", IBC_WARNING, 0x1010, num } },
		             .fabric = done(m) };
}

static void expect_gone(struct run run, size_t n)
{
	run = ran(run);
	for (size_t i = 0; i < n; i++)
		assert_non_null(ibc_report_gone_at(run.report, i));
	assert_null(ibc_report_gone_at(run.report, n));
	end(run);
}

static struct run joined(time_t when)
{
	return (struct run){ .time = when, .ran = WIDTH_RAN };
}

static void what_a_host_had_alone_ends_once_when_it_sees_switches(void **state)
{
	struct run killed = joined(BEGAN + 2), again;

	(void)state;
	over(joined(BEGAN));
	over(alone(BEGAN + 1, 1));
	expect_fabrics("2");
	killed.uncommitted = true;
	expect_gone(killed, 1);
	expect_gone(joined(BEGAN + 3), 1);
	expect_gone(joined(BEGAN + 4), 0);
	again = ran(alone(BEGAN + 5, 1));
	assert_int_equal(only_case(&again)->state, IBC_CASE_BACK);
	end(again);
	expect_gone(joined(BEGAN + 6), 1);
}

static void a_port_that_still_has_no_cable_is_alone(void **state)
{
	(void)state;
	over(joined(BEGAN));
	over(alone(BEGAN + 1, 2));
	expect_gone(joined(BEGAN + 2), 0);
	expect_fabrics("2");
}

static void what_stays_of_its_kind_is_not_gone(void **state)
{
	struct run run;

	(void)state;
	over(alone(BEGAN, 1));
	run = ran((struct run){ .time = BEGAN + 1,
	                        .faults = { { "port.width", IBC_WARNING, 0x1010, 1 } } });
	assert_null(ibc_report_gone_at(run.report, 0));
	end(run);
	expect_gone(joined(BEGAN + 2), 1);
}

static void a_damaged_history_of_a_host_alone_harms_no_run(void **state)
{
	(void)state;
	over(joined(BEGAN));
	over(alone(BEGAN + 1, 1));
	shell("for i in st/*1010/history.db*; do echo none of ours >$i; done");
	expect_gone(joined(BEGAN + 2), 0);
	shell("rm st/*1010/history.db*");
	expect_gone(joined(BEGAN + 3), 0);
}

static void renumbered_lids_change_nothing(void **state)
{
	struct mkfab m = line_of(0x10, 2);
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	port(m, 0x10, 0)->lid = 77;
	port(m, 0x1010, 1)->lid = 78;
	run = ran(
	    (struct run){ .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING), .fabric = done(m) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	end(run);
}

/* ---- the last sweep ------------------------------------------------------------------------- */

/* Two switches at a time; of the first, port 1 counted so many symbol errors, unless 0. */
static struct ibc_fabric *counted(time_t when, uint64_t errors)
{
	static struct ibc_counters counters[8];
	static unsigned int used;
	struct mkfab m = line_of(0x10, 2);
	struct ibc_counters *c = &counters[used++ % 8];

	m.subnet->time = (uint64_t)when;
	*c = (struct ibc_counters){ .known = 1u << IBC_SYMBOL_ERROR, .at_seconds = 1 };
	c->value[IBC_SYMBOL_ERROR] = errors;
	if (errors) {
		answers_put(port(m, 0x10, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
		port(m, 0x10, 1)->counters = c;
	}
	return done(m);
}

/* What the next run finds of that port. */
static double found_counters(uint64_t *errors)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = two_switches(), *before;
	const struct ibc_port *port;
	struct ibc_store *store;
	double at;

	opts.now = BEGAN;
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_sweep(store, &before, NULL), 0);
	port = ibc_node_port(ibc_fabric_node_by_guid(before, 0x10), 1);
	assert_non_null(port->counters);
	*errors = port->counters->value[IBC_SYMBOL_ERROR];
	at = (double)port->node->subnet->time + port->counters->at_seconds;
	ibc_store_free(store);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
	return at;
}

/* Checks look at what was answered, so nothing old is judged; a change is seen all the same. */
static void general_info_that_a_run_did_not_ask_for_stays(void **state)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = two_switches(), *before;
	struct ibc_node *node = (struct ibc_node *)ibc_fabric_node_by_guid(fab, 0x10);
	struct ibc_store *store;

	(void)state;
	node->firmware = "31.2012.1024";
	node->psid = "MT_0000000577";
	node->has_gmp_capabilities = true;
	node->gmp_capabilities[0] = 1 << IBC_GMP_ACCESS_REGISTER;
	over((struct run){ .time = BEGAN, .fabric = fab });
	over((struct run){ .time = BEGAN + HOUR });
	fab = two_switches();
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_sweep(store, &before, NULL), 0);
	node = (struct ibc_node *)ibc_fabric_node_by_guid(before, 0x10);
	assert_string_equal(node->psid, "MT_0000000577");
	assert_int_equal(ibc_node_gmp_capability(node, IBC_GMP_ACCESS_REGISTER), 1);
	assert_false(ibc_node_has(node, IBC_ATTR_GENERAL_INFO));
	ibc_store_free(store);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void counters_that_a_run_did_not_read_stay_with_their_time(void **state)
{
	uint64_t errors;

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 7) });
	over((struct run){ .time = BEGAN + HOUR, .fabric = counted(BEGAN + HOUR, 0) });
	over((struct run){ .time = BEGAN + 2 * HOUR, .fabric = counted(BEGAN + 2 * HOUR, 0) });
	assert_true(found_counters(&errors) == BEGAN + 1);
	assert_int_equal(errors, 7);
	over((struct run){ .time = BEGAN + 3 * HOUR, .fabric = counted(BEGAN + 3 * HOUR, 9) });
	assert_true(found_counters(&errors) == BEGAN + 3 * HOUR + 1);
	assert_int_equal(errors, 9);
	assert_string_equal(shell("ls st/*/ | grep -v kept | tr '\\n' ' '"),
	                    "fabric history.db lock sweep.4 ");
}

static void a_report_that_nobody_read_is_made_again(void **state)
{
	struct run run;
	uint64_t errors;

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 7) });
	over((struct run){ .time = BEGAN + HOUR,
	                   .fabric = counted(BEGAN + HOUR, 8),
	                   .faults = WIDTH(IBC_WARNING),
	                   .uncommitted = true });
	found_counters(&errors);
	assert_int_equal(errors, 7);
	run = ran((struct run){ .time = BEGAN + 2 * HOUR, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	end(run);
}

/* The child is killed when all is written, and with no time to tidy up. */
static void a_run_that_is_killed_leaves_what_was_there(void **state)
{
	uint64_t errors;
	pid_t pid;
	int status;

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 7) });
	pid = fork();
	if (!pid) {
		struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
		struct run run = { .time = BEGAN + 1, .fabric = counted(BEGAN + 1, 8) };
		struct ibc_input in = { .fabric = run.fabric };
		struct ibc_store *store;

		opts.now = run.time;
		make_report(&run, &in);
		ibc_store_open("st", run.fabric, &opts, &store, NULL);
		ibc_store_record(store, &in, NULL, ibc_check_find, run.report, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	found_counters(&errors);
	assert_int_equal(errors, 7);
	over((struct run){ .time = BEGAN + 2, .fabric = counted(BEGAN + 2, 9) });
	found_counters(&errors);
	assert_int_equal(errors, 9);
	assert_string_equal(history("SELECT count(*) FROM run"), "2");
}

/* ---- what moved ------------------------------------------------------------------------------ */

/*
 * Runs of which some are killed, and some read no counters: the next one tells of both
 * intervals.  What nobody read before it was cleared is lost, and marked.
 */
static void a_month_of_runs_sums_up_to_what_was_counted(void **state)
{
	uint64_t value = 1, unread = 0, sum = 0;
	unsigned int clears = 0;
	char text[32];

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, value) });
	for (int i = 1; i <= 120; i++) {
		time_t when = BEGAN + (time_t)i * 6 * HOUR;
		uint64_t more = (uint64_t)(i * 7 % 5);
		bool clear = i % 17 == 0, killed = i % 11 == 0, silent = i % 13 == 0;

		clears += clear;
		unread = clear ? 1 + more : unread + more;
		value = clear ? 1 + more : value + more;
		over((struct run){ .time = when,
		                   .fabric = counted(when, silent ? 0 : value),
		                   .uncommitted = killed });
		sum += killed || silent ? 0 : unread;
		unread = killed || silent ? unread : 0;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)sum);
	assert_string_equal(history("SELECT sum(amount) FROM delta"), text);
	snprintf(text, sizeof(text), "%u", clears);
	assert_string_equal(history("SELECT count(*) FROM delta WHERE at_least"), text);
}

static void an_error_is_kept_by_port_and_hour(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 5) });
	for (int i = 1; i < 4; i++)
		over((struct run){ .time = BEGAN + i * 60,
		                   .fabric = counted(BEGAN + i * 60, 5 + (uint64_t)i) });
	assert_string_equal(
	    history("SELECT count(*) || ' ' || amount || ' ' || counter || ' ' || name"
	            " || ' ' || peer FROM delta JOIN port ON port = port.id"),
	    "1 3 SymbolErrorCounter leaf (0x0000000000000010)/1 host mlx5_0 "
	    "(0x0000000000001010)/1");
}

/* What became of the fabric, as "what name: was -> became", the latest. */
static const char *last_change(void)
{
	return history("SELECT what || ' ' || name || ': ' || was || ' -> ' || became FROM change"
	               " ORDER BY id DESC LIMIT 1");
}

static struct mkfab named(void)
{
	struct mkfab m = mkfab();

	m.subnet->subnet_prefix = 0xfe80000000000000;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x20, "host01 mlx5_0", 1);
	mk_ca(m, 0x30, "host02 mlx5_0", 1);
	cable(m, 0x10, 1, 0x20, 1);
	return m;
}

static void unplug(struct mkfab m)
{
	port(m, 0x10, 1)->peer = port(m, 0x20, 1)->peer = NULL;
	mk_down(port(m, 0x10, 1));
	mk_down(port(m, 0x20, 1));
}

static void links_that_go_down_come_up_and_move_are_kept(void **state)
{
	struct mkfab m = named();
	time_t when = BEGAN;

	(void)state;
	over((struct run){ .time = when++, .fabric = done(m) });
	m = named();
	unplug(m);
	over((struct run){ .time = when++, .fabric = done(m) });
	assert_string_equal(last_change(), "link-down leaf01/1: host01 mlx5_0/1 -> ");
	over((struct run){ .time = when++, .fabric = done(named()) });
	assert_string_equal(last_change(), "link-up leaf01/1:  -> host01 mlx5_0/1");
	m = named();
	port(m, 0x10, 1)->width_active = port(m, 0x20, 1)->width_active = IBC_WIDTH_1X;
	over((struct run){ .time = when++, .fabric = done(m) });
	assert_string_equal(last_change(), "rate leaf01/1: 4x EDR -> 1x EDR");
	m = named();
	unplug(m);
	cable(m, 0x10, 1, 0x30, 1);
	over((struct run){ .time = when++, .fabric = done(m) });
	assert_string_equal(last_change(), "moved leaf01/1: host01 mlx5_0/1 -> host02 mlx5_0/1");
	assert_string_equal(history("SELECT count(*) FROM change"), "4");
}

/* Ports 3 and 4 of the switch, which lead nowhere, have these plugs; NULL: nobody looked. */
static struct ibc_fabric *plugged(time_t when, const char *serial, const char *other)
{
	static struct ibc_module modules[16];
	static struct ibc_phy phys[8];
	static unsigned int used;
	struct mkfab m = named();
	const char *const serials[] = { serial, other };
	unsigned int n = used++ % 8;

	m.subnet->time = (uint64_t)when;
	for (unsigned int i = 0; serial && i < 2; i++) {
		struct ibc_module *module = &modules[2 * n + i];

		module_clear(module);
		module->kind = IBC_MODULE_OPTICAL;
		module->part = "SR4";
		module->serial = serials[i];
		port_extra(port(m, 0x10, 3 + i))->module = module;
	}
	phys[n] = (struct ibc_phy){ .known = UINT64_C(1) << IBC_PHY_BITS_RECEIVED,
		                    .at_seconds = 2 };
	phys[n].value[IBC_PHY_BITS_RECEIVED] = 77;
	port_extra(port(m, 0x10, 3))->phy = serial ? &phys[n] : NULL;
	return done(m);
}

static void the_physical_layer_that_a_run_did_not_read_stays_with_its_time(void **state)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_fabric *fab = done(named()), *before;
	const struct ibc_port *p;
	struct ibc_store *store;

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = plugged(BEGAN, "S1", "S2") });
	over((struct run){ .time = BEGAN + HOUR, .fabric = plugged(BEGAN + HOUR, NULL, NULL) });
	opts.now = BEGAN + HOUR;
	assert_int_equal(ibc_store_open("st", fab, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_sweep(store, &before, NULL), 0);
	p = ibc_node_port(ibc_fabric_node_by_guid(before, 0x10), 3);
	assert_string_equal(p->extra->module->serial, "S1");
	assert_int_equal(p->extra->phy->value[IBC_PHY_BITS_RECEIVED], 77);
	assert_true((double)p->node->subnet->time + p->extra->phy->at_seconds == BEGAN + 2);
	ibc_store_free(store);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
}

static void a_cable_is_followed_by_its_serial_number(void **state)
{
	time_t when = BEGAN;

	(void)state;
	over((struct run){ .time = when, .fabric = plugged(when, "S1", "S2") });
	when++;
	over((struct run){ .time = when, .fabric = plugged(when, NULL, NULL) });
	when++;
	over((struct run){ .time = when, .fabric = plugged(when, "S3", "S2") });
	assert_string_equal(last_change(), "cable-replaced leaf01/3: SR4 SN S1 -> SR4 SN S3");
	when++;
	over((struct run){ .time = when, .fabric = plugged(when, "S3", "S2") });
	assert_string_equal(history("SELECT count(*) FROM change"), "1");
	when++;
	over((struct run){ .time = when, .fabric = plugged(when, "S2", "S3") });
	assert_string_equal(
	    history("SELECT group_concat(what || ' ' || was || ' -> ' || became, ', ') FROM"
	            " (SELECT * FROM change WHERE id > 1 ORDER BY id)"),
	    "cable-moved leaf01/4 -> leaf01/3, cable-moved leaf01/3 -> leaf01/4");
}

static void names_and_lids_are_kept(void **state)
{
	struct mkfab m = named();

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = done(named()) });
	port(m, 0x20, 1)->lid = 99;
	over((struct run){ .time = BEGAN + 1, .fabric = done(m) });
	assert_string_equal(last_change(), "lid host01 mlx5_0/1: 32 -> 99");
	m = named();
	port(m, 0x20, 1)->lid = 99;
	fabric_build_desc(m.b, fabric_build_find(m.b, m.subnet, 0x20), "login1 mlx5_0", 13);
	over((struct run){ .time = BEGAN + 2, .fabric = done(m) });
	assert_string_equal(last_change(), "name login1 mlx5_0: host01 mlx5_0 -> login1 mlx5_0");
}

/* What a sweep could not see is no change. */
static void silence_is_no_change(void **state)
{
	struct mkfab m = named();

	(void)state;
	over((struct run){ .time = BEGAN, .fabric = done(named()) });
	unplug(m);
	port(m, 0x10, 1)->answers.answered = 0;
	port(m, 0x20, 1)->answers.answered = 0;
	over((struct run){ .time = BEGAN + 1, .fabric = done(m) });
	assert_string_equal(history("SELECT count(*) FROM change"), "0");
}

static void a_device_in_another_ones_place_goes_on_with_its_history(void **state)
{
	struct mkfab m = mkfab();
	struct run run;

	(void)state;
	over((struct run){
	    .time = BEGAN,
	    .fabric = done(named()),
	    .faults = { { "port.width", IBC_WARNING, 0x20, 1 } },
	});
	m.subnet->subnet_prefix = 0xfe80000000000000;
	mk_switch(m, 0x10, "leaf01", 4);
	mk_ca(m, 0x99, "host01 mlx5_0", 1);
	mk_ca(m, 0x30, "host02 mlx5_0", 1);
	cable(m, 0x10, 1, 0x99, 1);
	run = ran((struct run){ .time = BEGAN + 1,
	                        .fabric = done(m),
	                        .faults = { { "port.width", IBC_WARNING, 0x99, 1 } } });
	assert_int_equal(only_case(&run)->state, IBC_CASE_OPEN);
	assert_int_equal(only_case(&run)->since, BEGAN);
	assert_true(ibc_report_changed(run.report));
	assert_string_equal(history("SELECT became FROM change WHERE what = 'replaced'"),
	                    "0x0000000000000099");
	end(run);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

/* How many incidents there are about a thing; -1: it could not be read. */
static int about(const char *thing)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS, .thing = thing };
	struct ibc_history *h;
	int n = 0;

	if (ibc_history_load("st", &opts, &h, NULL))
		return -1;
	while (ibc_history_incident(h, (size_t)n))
		n++;
	ibc_history_free(h);
	return n;
}

static void an_incident_is_about_the_thing_that_was_found(void **state)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS };
	struct run run = ran((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	const struct ibc_incident *i;
	struct ibc_history *h;

	(void)state;
	assert_int_equal(ibc_history_load("st", &opts, &h, NULL), 0);
	i = ibc_history_incident(h, 0);
	assert_int_equal(i->subject.kind, IBC_SUBJECT_PORT);
	assert_int_equal(i->subject.near.guid, 0x10);
	assert_int_equal(i->subject.near.port, 1);
	assert_string_equal(i->subject.near.desc, "leaf");
	assert_false(i->known);
	ibc_history_free(h);
	end(run);
}

static void a_thing_is_found_by_any_of_its_names(void **state)
{
	static const char *const names[] = { "leaf", "leaf/1", "l*", "0x10",
		                             "0x0000000000000010/1" };
	static const char *const others[] = { "leaf/2", "eaf", "0x11", "leaf/1 - x" };
	struct run run = ran((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (about(names[i]) != 1)
			fail_msg("%s", names[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (about(others[i]) != 0)
			fail_msg("%s", others[i]);
	assert_int_equal(about(only_case(&run)->id), 1);
	end(run);
}

/* Nothing is made to read it, not even what SQLite shares with writers. */
static void who_may_only_read_may_read_it(void **state)
{
	uid_t self = geteuid();

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	shell("chmod -R a+rX . ; chmod -R a-w st");
	if (!self)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(about(NULL), 1);
	assert_int_equal(seteuid(self), 0);
	shell("chmod -R u+w st");
}

/* What the last run did not look at is no better than it was when somebody did. */
static void a_past_has_the_last_verdict_and_what_is_still_open(void **state)
{
	static const struct {
		struct run run;
		enum ibc_severity verdict, open;
	} runs[] = {
		{ { .faults = WIDTH(IBC_CRITICAL) }, IBC_CRITICAL, IBC_CRITICAL },
		{ { .ran = { "port.mtu" } }, IBC_OK, IBC_CRITICAL },
		{ { .faults = WIDTH(IBC_CRITICAL), .known_until = "2099-12-31" }, IBC_OK, IBC_OK },
		{ { .faults = WIDTH(IBC_WARNING) }, IBC_WARNING, IBC_WARNING },
		{ { .ran = WIDTH_RAN }, IBC_OK, IBC_OK },
	};
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_TOP };
	const struct ibc_past_fabric *f;
	struct ibc_history *h;

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct run run = runs[i].run;

		run.time = BEGAN + (time_t)i * HOUR;
		over(run);
		assert_int_equal(ibc_history_load("st", &opts, &h, NULL), 0);
		f = ibc_history_fabric(h, 0);
		assert_int_equal(f->last.time, run.time);
		assert_int_equal(f->last.verdict, runs[i].verdict);
		assert_int_equal(f->last.open, runs[i].open);
		assert_string_equal(f->last.command, "all");
		ibc_history_free(h);
	}
}

static void a_fabric_is_forgotten_and_no_other(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN });
	over((struct run){ .time = BEGAN, .fabric = done(line_of(0x20, 2)) });
	expect_fabrics("2");
	assert_int_equal(ibc_history_forget("st", "nobody", NULL), -ENOENT);
	assert_int_equal(ibc_history_forget("st", "../st", NULL), -ENOENT);
	assert_int_equal(ibc_history_forget("st", "fe80000000000000-0000000000000020", NULL), 0);
	expect_fabrics("1");
	assert_string_equal(history("SELECT count(*) FROM run"), "1");
}

/* ---- data and wait ------------------------------------------------------------------------------
 */

/* Of switch 0x10, port 1 sent so much; a counter that is full clamps. */
static struct ibc_fabric *carried(time_t when, uint64_t sent, uint64_t waited, bool full)
{
	static struct ibc_counters counters[8];
	static unsigned int used;
	struct mkfab m = line_of(0x10, 2);
	struct ibc_counters *c = &counters[used++ % 8];

	m.subnet->time = (uint64_t)when;
	*c = (struct ibc_counters){ .known = 1u << IBC_XMIT_DATA | 1u << IBC_XMIT_WAIT,
		                    .saturated = full ? 1u << IBC_XMIT_WAIT : 0 };
	c->value[IBC_XMIT_DATA] = sent;
	c->value[IBC_XMIT_WAIT] = waited;
	answers_put(port(m, 0x10, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	port(m, 0x10, 1)->counters = c;
	return done(m);
}

static void carry(time_t when, uint64_t sent, uint64_t waited, bool full)
{
	over((struct run){ .time = when, .fabric = carried(when, sent, waited, full) });
}

/* "day sent waited" of each day of that port, from the first run on; ">=": at least */
static const char *days_of(const char *thing)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_SERIES, .thing = thing };
	const struct ibc_port_day *day;
	static char text[512];
	struct ibc_history *h;
	size_t at = 0;

	*text = '\0';
	assert_int_equal(ibc_history_load("st", &opts, &h, NULL), 0);
	for (size_t i = 0; (day = ibc_history_day(h, i)); i++) {
		assert_int_equal(day->at->num, 1);
		assert_false(day->received.known);
		at += (size_t)snprintf(
		    text + at, sizeof(text) - at, "%lld %s%llu %s%llu; ",
		    (long long)(day->time / DAY - BEGAN / DAY), day->sent.at_least ? ">=" : "",
		    (unsigned long long)day->sent.n, day->waited.at_least ? ">=" : "",
		    (unsigned long long)day->waited.n);
	}
	ibc_history_free(h);
	return text;
}

static void data_and_wait_of_a_day_add_up(void **state)
{
	(void)state;
	carry(BEGAN, 1000, 5, false);
	assert_string_equal(days_of("0x10/1"), ""); /* since when nobody knows */
	carry(BEGAN + HOUR, 1700, 5, false);
	carry(BEGAN + 2 * HOUR, 1ull << 60, 6, false);
	carry(BEGAN + DAY, (1ull << 60) + 4, 6, false);
	assert_string_equal(days_of("0x10/1"), "0 1152921504606845976 1; 1 4 0; ");
	assert_string_equal(history("SELECT count(*) FROM traffic"), "2");
}

static void what_was_full_or_cleared_may_have_been_more(void **state)
{
	(void)state;
	carry(BEGAN, 1000, 5, false);
	carry(BEGAN + HOUR, 400, 9, true);
	carry(BEGAN + 2 * HOUR, 500, 9, false);
	assert_string_equal(days_of("0x10/1"), "0 >=500 >=4; ");
}

static void a_port_that_was_not_read_has_no_day(void **state)
{
	(void)state;
	carry(BEGAN, 1000, 5, false);
	carry(BEGAN + HOUR, 1001, 5, false);
	over((struct run){ .time = BEGAN + DAY });
	assert_string_equal(days_of("0x10/1"), "0 1 0; ");
	carry(BEGAN + 2 * DAY, 1003, 5, false);
	assert_string_equal(days_of("0x10/1"), "0 1 0; 2 2 0; ");
}

static void days_of_long_ago_are_forgotten(void **state)
{
	(void)state;
	carry(BEGAN, 1, 0, false);
	carry(BEGAN + HOUR, 2, 0, false);
	over((struct run){ .time = BEGAN + 390 * DAY });
	carry(BEGAN + 402 * DAY, 3, 0, false);
	assert_string_equal(days_of("0x10/1"), "402 1 0; ");
}

static void a_damaged_day_is_kept_aside_with_its_history(void **state)
{
	struct run run;

	(void)state;
	carry(BEGAN, 1, 0, false);
	carry(BEGAN + HOUR, 2, 0, false);
	history("UPDATE traffic SET wait = x'00112233'");
	run = ran((struct run){ .time = BEGAN + 2 * HOUR,
	                        .fabric = carried(BEGAN + 2 * HOUR, 3, 0, false) });
	assert_non_null(strstr(run.damage, "is kept as"));
	end(run);
}

/* A run that clears counters: what was counted until then, and since then. */
static void clearing_loses_and_doubles_nothing(void **state)
{
	struct ibc_fabric *until = carried(BEGAN + HOUR, 1700, 8, false), *before;
	struct ibc_fabric *after = carried(BEGAN + HOUR + 1, 30, 0, false);
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	const struct ibc_input in = { .fabric = after };
	struct run run = { .time = BEGAN + HOUR };
	struct ibc_store *store;

	(void)state;
	carry(BEGAN, 1000, 5, false);
	opts.now = BEGAN + HOUR;
	assert_int_equal(ibc_store_open("st", after, &opts, &store, NULL), 0);
	assert_int_equal(ibc_store_sweep(store, &before, NULL), 0);
	make_report(&run, &in);
	ibc_store_cleared(store, until);
	assert_int_equal(ibc_store_record(store, &in, before, ibc_check_find, run.report, NULL), 0);
	assert_int_equal(ibc_store_commit(store, NULL), 0);
	ibc_store_free(store);
	end(run);
	carry(BEGAN + 2 * HOUR, 50, 1, false);
	assert_string_equal(days_of("0x10/1"), "0 >=750 >=4; ");
	ibc_fabric_free(before);
	ibc_fabric_free(until);
	ibc_fabric_free(after);
}

/* ---- which cables
 * --------------------------------------------------------------------------------- */

/* "name errors in hours, damage near/far" of each cable, the worst first */
static const char *worn_cables(void)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_TOP };
	const struct ibc_worn_cable *c;
	static char text[512];
	struct ibc_history *h;
	size_t at = 0;

	*text = '\0';
	assert_int_equal(ibc_history_load("st", &opts, &h, NULL), 0);
	for (size_t i = 0; (c = ibc_history_cable(h, i)); i++)
		at += (size_t)snprintf(
		    text + at, sizeof(text) - at, "%s-%s %llu in %llu, %llu/%llu%s; ",
		    c->near->port->node->desc, c->far ? c->far->port->node->desc : "?",
		    (unsigned long long)c->errors, (unsigned long long)c->hours,
		    (unsigned long long)c->near_damage, (unsigned long long)c->far_damage,
		    c->unread ? " unread" : "");
	ibc_history_free(h);
	return text;
}

static void a_cable_is_one_row_and_an_end_that_is_silent_is_said(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 7) });
	assert_string_equal(worn_cables(), "");
	over((struct run){ .time = BEGAN + HOUR, .fabric = counted(BEGAN + HOUR, 9) });
	over((struct run){ .time = BEGAN + 3 * HOUR, .fabric = counted(BEGAN + 3 * HOUR, 12) });
	assert_string_equal(worn_cables(), "leaf-host mlx5_0 5 in 2, 5/0 unread; ");
}

/* ---- damage -----------------------------------------------------------------------------------
 */

static void a_damaged_sweep_is_kept_aside_and_said_once(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN });
	shell("truncate -s 100 st/*/sweep.1");
	run = ran((struct run){ .time = BEGAN + 1 });
	assert_non_null(strstr(run.damage, "sweep.1.damaged"));
	end(run);
	run = ran((struct run){ .time = BEGAN + 2 });
	assert_string_equal(run.damage, "");
	end(run);
	assert_string_equal(shell("ls st/* | grep -c damaged"), "1");
}

static void a_damaged_history_is_kept_aside_and_a_new_one_begins(void **state)
{
	uint64_t errors;
	struct run run;

	(void)state;
	for (int i = 0; i < 2; i++) {
		over((struct run){ .time = BEGAN + 3 * i,
		                   .fabric = counted(BEGAN, 7),
		                   .faults = WIDTH(IBC_WARNING) });
		shell("echo nonsense >$(echo st/*/history.db)");
		run = ran((struct run){ .time = BEGAN + 3 * i + 1, .faults = WIDTH(IBC_WARNING) });
		assert_non_null(strstr(run.damage, "history.db.damaged"));
		assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
		end(run);
		found_counters(&errors);
		assert_int_equal(errors, 7); /* the sweep is not lost with it */
	}
	assert_string_equal(shell("ls st/* | grep -c db.damaged"), "2");
}

/* Any page: what cannot be read is never taken for nothing. */
static void a_page_that_is_damaged_is_found(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	shell("f=$(echo st/*/history.db); head -c 4096 $f >first; size=$(stat -c %s $f);"
	      "(cat first; head -c $((size - 4096)) /dev/zero | tr '\\0' x) >$f");
	run = ran((struct run){ .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING) });
	assert_non_null(strstr(run.damage, "history.db.damaged"));
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	end(run);
}

static void a_newer_history_is_left_alone(void **state)
{
	struct ibc_error err = { "" };
	struct run run = { .time = BEGAN + 1 };

	(void)state;
	over((struct run){ .time = BEGAN });
	history("PRAGMA user_version = 99");
	assert_int_equal(run_in(&run, "st", &err), -EPROTO);
	assert_non_null(strstr(err.text, "schema 99"));
	assert_string_equal(history("SELECT count(*) FROM run"), "1");
	end(run);
}

/* Makes what the version before this one left of the only history there is. */
static void make_old(void)
{
	history("ALTER TABLE incident DROP COLUMN settling");
	history("DROP TABLE pending");
	history("DROP TABLE traffic");
	history("PRAGMA user_version = 1");
}

static void a_history_of_no_release_is_set_aside_and_said(void **state)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS };
	struct ibc_error err = { "" };
	struct ibc_history *h;
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	make_old();
	assert_int_equal(ibc_history_load("st", &opts, &h, &err), -EUCLEAN);
	run = ran((struct run){ .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING) });
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	assert_non_null(strstr(run.damage, "schema 1"));
	assert_non_null(strstr(run.damage, "history.db.damaged"));
	end(run);
	shell("cd st/*; mv history.db.damaged history.db");
	assert_string_equal(history("PRAGMA user_version"), "1");
	assert_string_equal(life_of("port.width"), "opened");
}

#define LENGTH(list) (sizeof(list) / sizeof(*(list)))

/* ---- what others put there ------------------------------------------------------------------ */

/* The next run tells of damage, whose sentence has this in it, and begins anew. */
static void expect_set_aside(const char *what)
{
	struct run run = ran((struct run){ .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING) });

	if (!strstr(run.damage, what) || !strstr(run.damage, "history.db.damaged"))
		fail_msg("%s: %s", what, run.damage);
	assert_int_equal(only_case(&run)->state, IBC_CASE_NEW);
	end(run);
	shell("rm -r st");
}

static void a_table_that_is_damaged_is_said(void **state)
{
	static const char *const tables[] = { "fabric", "run",    "incident", "event",  "port",
		                              "delta",  "change", "pending",  "traffic" };
	struct ibc_error err = { "" };
	char command[256];

	(void)state;
	for (size_t i = 0; i < LENGTH(tables); i++) {
		struct run run = { .time = BEGAN + 1, .faults = WIDTH(IBC_WARNING) };

		over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
		snprintf(
		    command, sizeof(command),
		    "f=$(echo st/*/history.db); n=$(sqlite3 $f 'SELECT rootpage FROM sqlite_schema"
		    " WHERE name = \"%s\"'); dd if=/dev/urandom of=$f bs=4096 count=1"
		    " seek=$((n - 1)) conv=notrunc 2>/dev/null",
		    tables[i]);
		shell(command);
		if (run_in(&run, "st", &err))
			fail_msg("%s", err.text);
		assert_non_null(strstr(run.damage, "history.db.damaged"));
		end(run);
		shell("rm -r st");
	}
}

static void what_others_added_to_a_history_is_damage(void **state)
{
	static const char *const added[] = {
		"CREATE VIEW v AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT 1) SELECT 1",
		"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM incident; END",
		"CREATE TABLE more(a)",
		"ALTER TABLE fabric RENAME TO f",
		"DROP INDEX change_time",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(added); i++) {
		over((struct run){ .time = BEGAN });
		history(added[i]);
		expect_set_aside("tables are not those");
	}
}

static void numbers_that_cannot_be_are_damage(void **state)
{
	static const char *const numbers[] = {
		"UPDATE incident SET severity = 77",
		"UPDATE incident SET severity = -1",
		"UPDATE run SET id = 9223372036854775807",
		"UPDATE incident SET thing = x''",
	};
	static const char *const ports[] = { "-100000", "0", "16777216", "9223372036854775807" };
	char command[64];

	(void)state;
	for (size_t i = 0; i + 1 < LENGTH(numbers); i++) {
		over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
		history(numbers[i]);
		expect_set_aside("malformed");
	}
	for (size_t i = 0; i < LENGTH(ports); i++) {
		carry(BEGAN, 1, 0, false);
		carry(BEGAN + HOUR, 2, 0, false);
		snprintf(command, sizeof(command), "UPDATE port SET id = %s", ports[i]);
		history(command);
		carry(BEGAN + 2 * HOUR, 3, 0, false);
		assert_string_equal(shell("ls -d st/*/history.db.damaged | wc -l"), "1");
		shell("rm -r st");
	}
}

/* A rollback journal names a file that SQLite removes. */
static void a_journal_of_others_is_damage(void **state)
{
	(void)state;
	over((struct run){ .time = BEGAN });
	shell("touch victim; cp victim $(echo st/*)/history.db-journal");
	expect_set_aside("a journal that ibcheck does not leave");
	assert_string_equal(shell("ls victim"), "victim");
}

static void control_characters_of_a_history_are_replaced(void **state)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS |
		                                        IBC_HISTORY_EVENTS };
	struct ibc_history *h;

	(void)state;
	over((struct run){ .time = BEGAN, .faults = WIDTH(IBC_WARNING) });
	history("UPDATE incident SET message = char(27) || '[2J' || char(10) || 'OK: all is well',"
	        " name = 'leaf' || char(155)");
	history("UPDATE event SET message = char(8) || 'x'");
	assert_int_equal(ibc_history_load("st", &opts, &h, NULL), 0);
	assert_string_equal(ibc_history_incident(h, 0)->message,
	                    "\xef\xbf\xbd[2J\xef\xbf\xbdOK: all is well");
	assert_string_equal(ibc_history_incident(h, 0)->name, "leaf\xef\xbf\xbd");
	assert_string_equal(ibc_history_happening(h, 0)->message, "\xef\xbf\xbdx");
	ibc_history_free(h);
}

/*
 * A page of a tree whose children are all one page, for some levels: rows without end.  The table
 * is that of changes, which is large.
 */
static void pages_that_lead_in_a_circle_end(void **state)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_EVENTS };
	struct ibc_error err = { "" };
	struct ibc_history *h;

	(void)state;
	over((struct run){ .time = BEGAN });
	history("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
	        " INSERT INTO change SELECT i, 1, 1, 'a thing', 'a name', 'link-down', NULL, NULL"
	        " FROM n");
	history("PRAGMA wal_checkpoint(TRUNCATE)");
	assert_string_equal(
	    shell("python3 - st/*/history.db <<'END'\n"
	          "import sqlite3, struct, sys\n"
	          "path = sys.argv[1]\n"
	          "root = sqlite3.connect(path).execute('SELECT rootpage FROM"
	          " sqlite_schema WHERE name = \"change\"').fetchone()[0]\n"
	          "f = open(path, 'r+b')\n"
	          "data = bytearray(f.read())\n"
	          "size = struct.unpack('>H', data[16:18])[0]\n"
	          "at = lambda page: (page - 1) * size\n"
	          "leaf = struct.unpack('>I', data[at(root) + 8:at(root) + 12])[0]\n"
	          "levels = [len(data) // size + 1 + i for i in range(6)]\n"
	          "cells = (size - 12) // 8\n"
	          "def inner(child):\n"
	          "    page = bytearray(size)\n"
	          "    page[0:12] = struct.pack('>BHHHBI', 5, 0, cells,"
	          " size - 6 * cells, 0, child)\n"
	          "    for i in range(cells):\n"
	          "        place = size - 6 * (i + 1)\n"
	          "        page[12 + 2 * i:14 + 2 * i] = struct.pack('>H', place)\n"
	          "        page[place:place + 6] = struct.pack('>I', child) +"
	          " bytes([0x81, 0x00])\n"
	          "    return page\n"
	          "for i, page in enumerate(levels):\n"
	          "    data += inner(levels[i + 1] if i + 1 < len(levels) else leaf)\n"
	          "data[at(root):at(root) + size] = inner(levels[0])\n"
	          "data[28:32] = struct.pack('>I', len(data) // size)\n"
	          "f.seek(0)\n"
	          "f.write(data)\n"
	          "END\n"
	          "echo $?"),
	    "0");
	assert_int_equal(ibc_history_load("st", &opts, &h, &err), -EUCLEAN);
}

static void a_fabric_that_cannot_be_told_is_no_new_one(void **state)
{
	static const char *const marks[] = { ">fabric", "echo x >fabric", "rm fabric; mkdir fabric",
		                             "rm fabric; ln -s /etc/passwd fabric",
		                             "rm fabric; ln -s nowhere fabric" };
	struct ibc_error err = { "" };
	char command[128];

	(void)state;
	for (size_t i = 0; i < LENGTH(marks); i++) {
		struct run run = { .time = BEGAN + 1 };

		over((struct run){ .time = BEGAN });
		snprintf(command, sizeof(command), "cd st/*; %s", marks[i]);
		shell(command);
		assert_int_not_equal(run_in(&run, "st", &err), 0);
		if (!strstr(err.text, "/fabric"))
			fail_msg("%s", err.text);
		end(run);
		expect_fabrics("1");
		shell("rm -r st");
	}
}

static void a_pipe_keeps_nobody_waiting(void **state)
{
	static const char *const files[] = {
		"fabric",         "sweep.1",        "history.db",        "lock",
		"history.db-wal", "history.db-shm", "history.db-journal"
	};
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_TOP };
	struct ibc_history *h;
	struct ibc_error err;
	char command[128];

	(void)state;
	for (size_t i = 0; i < LENGTH(files); i++) {
		struct run run = { .time = BEGAN + 1 };

		over((struct run){ .time = BEGAN });
		snprintf(command, sizeof(command), "cd st/*; rm -f %s; mkfifo %s", files[i],
		         files[i]);
		shell(command);
		if (!ibc_history_load("st", &opts, &h, &err))
			ibc_history_free(h);
		assert_true(run_in(&run, "st", &err) || *run.damage);
		end(run);
		shell("rm -r st");
	}
}

/* Of a fabric's directory, and of each file in it: what is behind it stays as it was. */
static void a_link_leads_nowhere(void **state)
{
	static const char *const files[] = {
		"fabric", "fabric.new", "sweep.1",        "sweep.2",        "sweep.new",
		"lock",   "history.db", "history.db-wal", "history.db-shm", "history.db-journal"
	};
	struct ibc_error err;
	char command[160];

	(void)state;
	for (size_t i = 0; i < 2 * LENGTH(files); i++) {
		struct run run = { .time = BEGAN + 1 };

		over((struct run){ .time = BEGAN });
		snprintf(command, sizeof(command),
		         "rm -f victim; %s cd st/*; rm -f %s; ln -s ../../victim %s",
		         i % 2 ? "" : "echo kept >victim; chmod 600 victim;", files[i / 2],
		         files[i / 2]);
		shell(command);
		run_in(&run, "st", &err);
		end(run);
		assert_string_equal(shell("[ ! -e victim ] || stat -c %a victim | cat - victim |"
		                          " tr '\n' ' '"),
		                    i % 2 ? "" : "600 kept ");
		shell("rm -r st");
	}
	over((struct run){ .time = BEGAN });
	shell("mkdir victim.d; mv st/* elsewhere; ln -s ../victim.d st/$(ls elsewhere >/dev/null;"
	      " echo fe80000000000000-0000000000000010)");
	{
		struct run run = { .time = BEGAN + 1 };

		assert_int_not_equal(run_in(&run, "st", &err), 0);
		end(run);
	}
	assert_string_equal(shell("ls -A victim.d | wc -l"), "0");
}

static void a_last_sweep_that_is_gone_is_said(void **state)
{
	struct run run;

	(void)state;
	over((struct run){ .time = BEGAN });
	shell("rm st/*/sweep.1");
	run = ran((struct run){ .time = BEGAN + 1 });
	assert_non_null(strstr(run.damage, "sweep.1, the last sweep, is gone"));
	end(run);
}

/* ---- what the system refuses ---------------------------------------------------------------- */

static void refused(const char *where, int rc, const char *why)
{
	struct ibc_error err = { "" };
	struct run run = { .time = BEGAN, .faults = WIDTH(IBC_WARNING) };

	assert_int_equal(run_in(&run, where, &err), rc);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	assert_int_equal(only_case(&run)->state, IBC_CASE_UNKNOWN);
	end(run);
}

static void a_file_is_no_state_directory(void **state)
{
	(void)state;
	shell("echo >file");
	refused("file", -ENOTDIR, "use --since FILE, or name a directory");
}

static void only_the_directory_itself_is_made(void **state)
{
	(void)state;
	refused("missing/st", -ENOENT, "missing/st");
	assert_string_equal(shell("ls"), "");
}

static void file_systems_of_several_hosts_are_told(void **state)
{
	(void)state;
	assert_true(store_is_shared(0x6969));
	assert_false(store_is_shared(0xef53));     /* ext4 */
	assert_false(store_is_shared(0x01021994)); /* tmpfs */
}

static void two_runs_at_once_do_not_mix(void **state)
{
	char pid[32];
	int fd;

	(void)state;
	over((struct run){ .time = BEGAN });
	fd = open(shell("echo st/*/lock"), O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	snprintf(pid, sizeof(pid), "(pid %ld)", (long)getpid());
	refused("st", -EBUSY, pid);
	close(fd);
	over((struct run){ .time = BEGAN + 1 });
}

static void the_rights_are_those_of_the_directory(void **state)
{
	(void)state;
	assert_int_equal(mkdir("st", 0755), 0);
	assert_int_equal(chmod("st", 02770), 0); /* and its group */
	over((struct run){ .time = BEGAN });
	assert_string_equal(shell("stat -c %a st/* st/*/* | sort -u | paste -sd ,"), "2770,660");
}

/* A limit on the size of files stands for a disk that fills. */
static void a_disk_that_fills_loses_nothing(void **state)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct ibc_error err = { "" };
	uint64_t errors;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	over((struct run){ .time = BEGAN, .fabric = counted(BEGAN, 7) });
	for (rlim_t size = 0; size < 40000; size += 500) {
		const struct rlimit small = { size, RLIM_INFINITY };
		struct run run = { .time = BEGAN + 1,
			           .fabric = counted(BEGAN + 1, 8),
			           .faults = WIDTH(IBC_WARNING),
			           .uncommitted = true };

		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		run_in(&run, "st", &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
		if (run.rc)
			assert_int_equal(only_case(&run)->state, IBC_CASE_UNKNOWN);
		end(run);
		found_counters(&errors);
		assert_int_equal(errors, 7);
	}
	assert_string_equal(history("SELECT count(*) FROM incident"), "0");
}

static void without_memory_it_fails_and_changes_nothing(void **state)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct run run = { .faults = WIDTH(IBC_WARNING) };
	struct ibc_fabric *fab = two_switches();
	struct ibc_input in = { .fabric = fab };
	struct ibc_error err = { "" };
	int rc = -ENOMEM;

	(void)state;
	over((struct run){ .time = BEGAN });
	opts.now = BEGAN + 1;
	make_report(&run, &in);
	for (unsigned long n = 1; rc; n++) {
		struct ibc_store *store = NULL;
		struct ibc_fabric *before = NULL;

		alloc_fail_at(n);
		rc = ibc_store_open("st", fab, &opts, &store, &err);
		if (!rc)
			rc = ibc_store_sweep(store, &before, &err);
		if (!rc)
			rc = ibc_store_record(store, &in, before, ibc_check_find, run.report, &err);
		alloc_fail_at(0);
		if (rc && rc != -ENOMEM)
			fail_msg("allocation %lu: %s", n, err.text);
		run.report->failed = false;
		ibc_store_free(store);
		ibc_fabric_free(before);
	}
	assert_string_equal(history("SELECT count(*) FROM run"), "1");
	ibc_fabric_free(fab);
	end(run);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	TEST(the_first_run_finds_all_cases_new),
	TEST(the_same_sweep_again_makes_no_event),
	TEST(what_is_repaired_is_gone_once),
	TEST(a_check_that_did_not_run_closes_nothing),
	TEST(a_kind_that_did_not_run_is_not_over),
	TEST(a_kind_that_is_repaired_ends_while_another_stays),
	TEST(silence_closes_nothing_and_is_noted_once),
	TEST(what_gets_worse_says_so_and_what_gets_better_is_noted),
	TEST(what_flaps_is_one_incident_with_a_count),
	TEST(what_comes_back_a_day_later_is_another_incident),
	TEST(what_another_finding_explains_is_merged_and_keeps_its_beginning),
	TEST(what_is_found_at_another_port_of_a_switch_hides_no_end),
	TEST(a_note_is_no_incident),
	TEST(a_clock_that_went_back_a_year_makes_no_negative_time),
	TEST(what_ended_long_ago_is_forgotten),
	TEST(only_what_changed_is_shown),
	TEST(what_befell_the_memory_is_shown_and_is_no_incident),
	TEST(what_is_not_remembered_is_all_shown),
	TEST(a_fault_is_new_when_enough_runs_have_seen_it),
	TEST(a_fault_is_new_when_it_is_old_enough),
	TEST(a_run_that_does_not_wait_reports_what_others_did_not),
	TEST(what_heals_before_it_is_settled_is_recorded_and_not_reported),
	TEST(what_comes_back_is_reported_at_once),
	TEST(a_clock_that_went_back_does_not_keep_a_fault_unreported),
	TEST(a_member_that_is_not_settled_makes_no_case_worse),
	TEST(what_was_accepted_beforehand_is_no_change),
	TEST(what_is_accepted_no_longer_is_a_change),
	TEST(a_hook_gets_a_change_once),
	TEST(what_a_hook_did_not_take_it_gets_again_with_what_came_later),
	TEST(a_change_of_a_run_that_was_not_committed_is_none),
	TEST(what_was_committed_and_not_given_is_given_by_the_next_run),
	TEST(other_runs_record_while_a_hook_runs),
	TEST(what_nobody_took_is_forgotten_with_the_rest),
	TEST(a_hook_gets_only_what_its_user_noted),
	TEST(an_incident_whose_case_has_no_id_is_damage),
	TEST(a_fabric_with_half_of_its_switches_is_the_same),
	TEST(another_fabric_with_the_same_first_switch_has_a_part_of_its_own),
	TEST(two_fabrics_of_one_prefix_do_not_mix),
	TEST(another_prefix_is_another_fabric),
	TEST(without_switches_adapters_tell_it),
	TEST(what_a_host_had_alone_ends_once_when_it_sees_switches),
	TEST(a_port_that_still_has_no_cable_is_alone),
	TEST(what_stays_of_its_kind_is_not_gone),
	TEST(a_damaged_history_of_a_host_alone_harms_no_run),
	TEST(renumbered_lids_change_nothing),
	TEST(counters_that_a_run_did_not_read_stay_with_their_time),
	TEST(the_physical_layer_that_a_run_did_not_read_stays_with_its_time),
	TEST(a_cable_is_followed_by_its_serial_number),
	TEST(general_info_that_a_run_did_not_ask_for_stays),
	TEST(a_report_that_nobody_read_is_made_again),
	TEST(a_run_that_is_killed_leaves_what_was_there),
	TEST(a_month_of_runs_sums_up_to_what_was_counted),
	TEST(an_error_is_kept_by_port_and_hour),
	TEST(links_that_go_down_come_up_and_move_are_kept),
	TEST(names_and_lids_are_kept),
	TEST(silence_is_no_change),
	TEST(a_device_in_another_ones_place_goes_on_with_its_history),
	TEST(an_incident_is_about_the_thing_that_was_found),
	TEST(a_thing_is_found_by_any_of_its_names),
	TEST(who_may_only_read_may_read_it),
	TEST(a_past_has_the_last_verdict_and_what_is_still_open),
	TEST(a_fabric_is_forgotten_and_no_other),
	TEST(data_and_wait_of_a_day_add_up),
	TEST(what_was_full_or_cleared_may_have_been_more),
	TEST(a_port_that_was_not_read_has_no_day),
	TEST(days_of_long_ago_are_forgotten),
	TEST(a_damaged_day_is_kept_aside_with_its_history),
	TEST(clearing_loses_and_doubles_nothing),
	TEST(a_cable_is_one_row_and_an_end_that_is_silent_is_said),
	TEST(a_damaged_sweep_is_kept_aside_and_said_once),
	TEST(a_damaged_history_is_kept_aside_and_a_new_one_begins),
	TEST(a_page_that_is_damaged_is_found),
	TEST(a_newer_history_is_left_alone),
	TEST(a_history_of_no_release_is_set_aside_and_said),
	TEST(a_clock_that_is_years_ahead_forgets_nothing),
	TEST(a_table_that_is_damaged_is_said),
	TEST(what_others_added_to_a_history_is_damage),
	TEST(numbers_that_cannot_be_are_damage),
	TEST(a_journal_of_others_is_damage),
	TEST(control_characters_of_a_history_are_replaced),
	TEST(pages_that_lead_in_a_circle_end),
	TEST(a_fabric_that_cannot_be_told_is_no_new_one),
	TEST(a_pipe_keeps_nobody_waiting),
	TEST(a_link_leads_nowhere),
	TEST(a_last_sweep_that_is_gone_is_said),
	TEST(a_file_is_no_state_directory),
	TEST(only_the_directory_itself_is_made),
	TEST(file_systems_of_several_hosts_are_told),
	TEST(two_runs_at_once_do_not_mix),
	TEST(the_rights_are_those_of_the_directory),
	TEST(a_disk_that_fills_loses_nothing),
	TEST(without_memory_it_fails_and_changes_nothing),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
