/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkreport.h"

#include <unistd.h>

#include "report/report.h"

#define TODAY "2026-01-31"

/* ---- set-up ---------------------------------------------------------------- */

static char path[64];

static void write_bytes(const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static int make_file(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/ibcheck-known-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int known(struct ibc_report *rep, const char *text, struct ibc_error *err)
{
	write_bytes(text, strlen(text));
	return ibc_report_known(rep, path, TODAY, NULL, NULL, err);
}

/* A cable leaf03/19 - spine02/3, as a warning of port.width. */
static struct ibc_report *with_cable(void)
{
	struct ibc_report *rep = mkreport();
	struct ibc_subject cable = mkcable(mkend(0x2c9, "leaf03", 19), mkend(0xf45, "spine02", 3));

	cable.near.label = "Leaf Three";
	ibc_report_add(rep, "port.width", IBC_WARNING, &cable, "runs at 1x");
	ibc_report_ran(rep, "port.width");
	return rep;
}

/* Does a line with these first two fields cover that cable? */
static bool covers(const char *check_and_subject)
{
	struct ibc_report *rep = with_cable();
	char line[512];
	bool covered;

	snprintf(line, sizeof(line), "%s 2026-12-31 alice ordered a new one\n", check_and_subject);
	assert_int_equal(known(rep, line, NULL), 0);
	covered = ibc_report_finding(rep, 0)->known;
	assert_int_equal(ibc_report_verdict(rep), covered ? IBC_OK : IBC_WARNING);
	ibc_report_free(rep);
	return covered;
}

/* ---- what a line covers ------------------------------------------------------ */

static void a_covered_finding_stays_listed_and_does_not_count(void **state)
{
	struct ibc_report *rep = with_cable();
	const struct ibc_finding *f = ibc_report_finding(rep, 0);

	(void)state;
	assert_int_equal(
	    known(rep, "port.width leaf03/19 2026-12-31 alice ordered a new one\n", NULL), 0);
	assert_string_equal(f->known->until, "2026-12-31");
	assert_string_equal(f->known->owner, "alice");
	assert_string_equal(f->known->reason, "ordered a new one");
	assert_false(f->known->expired);
	assert_int_equal(ibc_report_count(rep, IBC_WARNING), 0);
	assert_int_equal(report_count_known(rep), 1);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

static void checks_match_by_name_and_wildcard(void **state)
{
	(void)state;
	assert_true(covers("port.width *"));
	assert_true(covers("port.* *"));
	assert_true(covers("* *"));
	assert_false(covers("port.speed *"));
	assert_false(covers("port *"));
}

static void a_cable_matches_by_either_end(void **state)
{
	(void)state;
	assert_true(covers("port.width leaf03"));
	assert_true(covers("port.width leaf03/19"));
	assert_true(covers("port.width spine02/3"));
	assert_true(covers("port.width spine*"));
	assert_true(covers("port.width leaf0[1-4]/19"));
	assert_true(covers("port.width \"Leaf Three/19\""));
	assert_false(covers("port.width leaf03/1"));
	assert_false(covers("port.width leaf0"));
	assert_false(covers("port.width fabric"));
}

static void a_cable_matches_by_both_ends_in_either_order(void **state)
{
	(void)state;
	assert_true(covers("port.width \"leaf03/19 - spine02/3\""));
	assert_true(covers("port.width \"spine02/3 - leaf03/19\""));
	assert_true(covers("port.width \"leaf* - 0xf45\""));
	assert_false(covers("port.width \"leaf03/19 - leaf03/19\""));
	assert_false(covers("port.width \"leaf03/19 - spine02/4\""));
	assert_false(covers("port.width \"leaf03/19 -\""));
}

static void a_guid_matches_with_and_without_its_zeros(void **state)
{
	(void)state;
	assert_true(covers("port.width 0x00000000000002c9"));
	assert_true(covers("port.width 0x00000000000002c9/19"));
	assert_true(covers("port.width 0x2c9"));
	assert_true(covers("port.width 0X2C9/19"));
	assert_true(covers("port.width 0x*2c9/*"));
	assert_false(covers("port.width 0x2c9/1"));
	assert_false(covers("port.width 0x2c9/"));
	assert_false(covers("port.width 0x2c9/x"));
	assert_false(covers("port.width 0x2c"));
	assert_false(covers("port.width 0x"));
	assert_false(covers("port.width 0x2c9z"));
}

static void names_match_as_people_say_them(void **state)
{
	struct ibc_subject cable = mkcable(mkend(1, "MF0;spine02:MQM8700/U1", 11),
	                                   mkend(2, "node17.site mlx5_0", 1));
	static const char *const lines[] = { "spine02",
		                             "SPINE02/11",
		                             "spine02.site/11",
		                             "node17",
		                             "NODE17/1",
		                             "\"node17 HCA-1\"",
		                             "\"node17 - spine02/11\"",
		                             "\"spine02/11 (6/1) - node17.site mlx5_0/1\"",
		                             "spine02/6/1" };

	(void)state;
	cable.near.port_label = "6/1";
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ibc_report *rep = mkreport();
		char line[200];

		snprintf(line, sizeof(line), "a.a %s 2026-12-31 alice r\n", lines[i]);
		ibc_report_add(rep, "a.a", IBC_WARNING, &cable, "m");
		assert_int_equal(known(rep, line, NULL), 0);
		assert_non_null(ibc_report_finding(rep, 0)->known);
		ibc_report_free(rep);
	}
}

static void another_port_of_a_name_in_its_domain_is_not_covered(void **state)
{
	(void)state;
	assert_true(covers("port.width leaf03.site/19"));
	assert_false(covers("port.width leaf03.site/18"));
	assert_false(covers("port.width LEAF03/18"));
}

static void names_that_look_like_patterns_match_as_they_are(void **state)
{
	struct ibc_subject odd = mknode(1, "rack[7] - top");
	struct ibc_subject cable = mkcable(mkend(1, "rack[7] - top", 1), mkend(2, "b", 2));
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "a.a", IBC_WARNING, &odd, "m");
	ibc_report_add(rep, "b.b", IBC_WARNING, &cable, "m");
	assert_int_equal(known(rep,
	                       "a.a \"rack[7] - top\" 2026-12-31 a r\n"
	                       "b.b \"rack[7] - top/1 - b/2\" 2026-12-31 a r\n",
	                       NULL),
	                 0);
	assert_non_null(ibc_report_finding(rep, 0)->known);
	assert_non_null(ibc_report_finding(rep, 1)->known);
	ibc_report_free(rep);
}

static void findings_of_the_fabric_and_of_hosts_match(void **state)
{
	struct ibc_subject host = mkhost("node7"), port = mkport(1, "fabric", 1);
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "a.a", IBC_WARNING, &the_fabric, "m");
	ibc_report_add(rep, "b.b", IBC_WARNING, &host, "m");
	ibc_report_add(rep, "c.c", IBC_WARNING, &port, "m");
	ibc_report_add(rep, "d.d", IBC_WARNING, &the_fabric, "m");
	assert_int_equal(known(rep,
	                       "a.a fabric 2026-12-31 a r\n"
	                       "b.b node7 2026-12-31 a r\n"
	                       "c.c fabric/2 2026-12-31 a r\n"
	                       "d.d node* 2026-12-31 a r\n",
	                       NULL),
	                 0);
	assert_non_null(ibc_report_finding(rep, 0)->known);
	assert_non_null(ibc_report_finding(rep, 1)->known);
	assert_null(ibc_report_finding(rep, 2)->known);
	assert_null(ibc_report_finding(rep, 3)->known);
	ibc_report_free(rep);
}

static void a_known_silence_settles_its_queries(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_cover(rep, "PortInfo", &(struct ibc_coverage){ .asked = 2, .timed_out = 2 });
	mkfinding(rep, "port.silent", IBC_INFO, 1);
	ibc_report_unanswered(rep, 2);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_int_equal(known(rep, "port.silent * 2026-12-31 alice is being moved", NULL), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

/* ---- dates ------------------------------------------------------------------- */

static void an_expired_line_is_named_and_the_finding_counts(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep, "port.width * 2026-01-30 alice soon\n", NULL), 0);
	assert_true(ibc_report_finding(rep, 0)->known->expired);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	assert_null(ibc_report_finding(rep, 1));
	ibc_report_free(rep);
}

static void a_line_holds_on_its_last_day(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep, "port.width * " TODAY " alice soon\n", NULL), 0);
	assert_false(ibc_report_finding(rep, 0)->known->expired);
	ibc_report_free(rep);
}

static void a_line_that_holds_wins_over_one_that_expired_then_the_first(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep,
	                       "port.width * 2026-01-01 old r\n"
	                       "port.width * 2026-12-31 alice r\n"
	                       "port.width * 2027-12-31 bob r\n"
	                       "port.width * 2026-01-02 older r\n",
	                       NULL),
	                 0);
	assert_string_equal(ibc_report_finding(rep, 0)->known->owner, "alice");
	assert_null(ibc_report_finding(rep, 1));
	ibc_report_free(rep);
}

static void only_days_that_exist_are_dates(void **state)
{
	static const struct {
		const char *date;
		bool good;
	} dates[] = {
		{ "2026-02-28", true },  { "2028-02-29", true },  { "2000-02-29", true },
		{ "2026-12-31", true },  { "2026-02-29", false }, { "2100-02-29", false },
		{ "2026-04-31", false }, { "2026-13-01", false }, { "2026-00-10", false },
		{ "2026-01-00", false }, { "2026-1-1", false },   { "26-01-01", false },
		{ "2026/01/01", false }, { "2026-01/01", false }, { "2026-01-0x", false },
		{ "2026-0x-01", false }, { "x026-01-01", false }, { "2026-01-011", false },
		{ "tomorrow!!", false },
	};
	struct ibc_error err;
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		struct ibc_report *rep = mkreport();

		snprintf(line, sizeof(line), "a.a * %s alice r", dates[i].date);
		assert_int_equal(known(rep, line, &err), dates[i].good ? 0 : -EINVAL);
		if (!dates[i].good)
			assert_non_null(strstr(err.text, dates[i].date));
		ibc_report_free(rep);
	}
}

static void until_may_have_a_time(void **state)
{
	static const struct {
		const char *until;
		bool good, expired;
	} times[] = {
		{ "2026-01-31T12:00", true, false },     { "2026-01-31T11:59", true, true },
		{ "2026-01-30T23:59", true, true },      { "2026-02-01T00:00", true, false },
		{ "2026-01-31", true, false },           { "2026-01-31T24:00", false, false },
		{ "2026-01-31T12", false, false },       { "2026-01-31T", false, false },
		{ "2026-01-31T1:00", false, false },     { "2026-01-31 12:00", false, false },
		{ "2026-01-31T12:60", false, false },    { "2026-01-31T12:00:00", true, false },
		{ "2026-01-31T12:00:60", false, false },
	};
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct ibc_report *rep = with_cable();
		int rc;

		snprintf(line, sizeof(line), "port.width * \"%s\" alice r", times[i].until);
		write_bytes(line, strlen(line));
		rc = ibc_report_known(rep, path, TODAY "T12:00", NULL, NULL, NULL);
		assert_int_equal(rc, times[i].good ? 0 : -EINVAL);
		if (!rc)
			assert_int_equal(ibc_report_finding(rep, 0)->known->expired,
			                 times[i].expired);
		ibc_report_free(rep);
	}
}

/* A reboot that is planned: nothing is silent yet. */
static void what_is_planned_for_hours_is_not_stale_before_they_are_over(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep, "* node07 " TODAY "T12:00 alice reboot", NULL), 0);
	assert_null(ibc_report_finding(rep, 1));
	assert_int_equal(known(rep, "* node07 2026-01-30T12:00 alice reboot", NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 1)->check, "known.stale");
	ibc_report_free(rep);
}

static void today_is_a_date_too(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_error err;

	(void)state;
	assert_int_equal(ibc_report_known(rep, path, "today", NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "today"));
	ibc_report_free(rep);
}

/* ---- lines that cover nothing -------------------------------------------------- */

static void a_line_that_covers_nothing_is_stale(void **state)
{
	struct ibc_report *rep = with_cable();
	const struct ibc_finding *f;
	char message[256];

	(void)state;
	assert_int_equal(known(rep, "# old\n\nport.width leaf09/1 2026-12-31 alice r\n", NULL), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	f = ibc_report_finding(rep, 1);
	assert_string_equal(f->check, "known.stale");
	assert_int_equal(f->severity, IBC_INFO);
	assert_int_equal(f->subject.kind, IBC_SUBJECT_FABRIC);
	snprintf(message, sizeof(message), "line 3 of %s matches no finding: %s", path,
	         "port.width leaf09/1 2026-12-31 alice r");
	assert_string_equal(f->message, message);
	assert_string_equal(f->facts[0].value.str, path);
	assert_int_equal(f->facts[1].value.num, 3);
	assert_string_equal(f->facts[2].value.str, "port.width leaf09/1 2026-12-31 alice r");
	ibc_report_free(rep);
}

static void a_line_for_a_check_that_did_not_run_is_not_stale(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep,
	                       "topo.swapped * 2026-12-31 alice r\n"
	                       "topo.* * 2026-12-31 alice r\n",
	                       NULL),
	                 0);
	assert_null(ibc_report_finding(rep, 1));
	assert_int_equal(known(rep, "port.* leaf09 2026-12-31 alice r\n", NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 1)->check, "known.stale");
	ibc_report_free(rep);
}

static void a_line_for_a_kind_that_did_not_run_is_not_stale(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	ibc_report_ran(rep, "cable.alarm:bias");
	assert_int_equal(known(rep,
	                       "cable.alarm:tx-power leaf09 2026-12-31 alice r\n"
	                       "cable.alarm leaf09 2026-12-31 alice r\n",
	                       NULL),
	                 0);
	assert_null(ibc_report_finding(rep, 1));
	assert_int_equal(known(rep, "cable.alarm:bias leaf09 2026-12-31 alice r\n", NULL), 0);
	assert_non_null(strstr(ibc_report_finding(rep, 1)->message, "cable.alarm:bias"));
	ibc_report_free(rep);
	rep = with_cable();
	ibc_report_ran(rep, "cable.alarm");
	ibc_report_unreported(rep, "cable.alarm:tx-fault", "no device has it");
	assert_int_equal(known(rep,
	                       "cable.alarm:bias leaf09 2026-12-31 alice r\n"
	                       "cable.alarm:tx-fault leaf09 2026-12-31 alice r\n",
	                       NULL),
	                 0);
	assert_non_null(strstr(ibc_report_finding(rep, 1)->message, "cable.alarm:bias"));
	assert_null(ibc_report_finding(rep, 2));
	ibc_report_free(rep);
}

static bool is_named_in(const char *check, void *ctx)
{
	return !strcmp(check, ctx);
}

static void the_caller_may_tell_what_ran(void **state)
{
	static const char text[] = "topo.swapped * 2026-12-31 alice r\n"
				   "port.width nothing 2026-12-31 alice r\n";
	struct ibc_report *rep = with_cable();

	(void)state;
	write_bytes(text, strlen(text));
	assert_int_equal(ibc_report_known(rep, path, TODAY, is_named_in, "topo.swapped", NULL), 0);
	assert_non_null(strstr(ibc_report_finding(rep, 1)->message, "topo.swapped"));
	assert_null(ibc_report_finding(rep, 2));
	ibc_report_free(rep);
}

/* ---- cases ------------------------------------------------------------------- */

/* Findings 00c0ffe0 and 00c0ffe1 have the fault of a case, 00c0ffe2 follows; 00c0ffe3 is alone. */
static struct ibc_report *with_cases(const char *lines)
{
	struct ibc_report *rep = mkreport();

	mkfinding(rep, "a.a", IBC_WARNING, 1);
	mkfinding(rep, "a.a", IBC_WARNING, 2);
	mkfinding(rep, "b.b", IBC_UNKNOWN, 3);
	mkfinding(rep, "c.c", IBC_INFO, 4);
	ibc_report_ran(rep, "a.a");
	ibc_report_ran(rep, IBC_KNOWN_CASE);
	assert_int_equal(known(rep, lines, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	return rep;
}

/* True: there is something more, and the cases are to be found again. */
static bool find_cases(struct ibc_report *rep)
{
	static const char *const ids[] = { "00c0ffe0", "00c0ffe1", "00c0ffe2", "00c0ffe3" };
	struct ibc_case cases[] = { mkcase(rep, 0, 3, 2), mkcase(rep, 3, 1, 1) };

	for (size_t i = 0; i < 4; i++)
		report_own_finding(rep, ibc_report_finding(rep, i))->id = ids[i];
	for (size_t i = 4; ibc_report_finding(rep, i); i++)
		report_own_finding(rep, ibc_report_finding(rep, i))->id = "ffffffff";
	report_known_ids(rep);
	cases[0].severity = IBC_UNKNOWN;
	return mkcases(rep, cases, 2);
}

/* What a line with this subject makes of the finding it has the id of; is that known? */
static bool accepted(const char *subject, const char *grown)
{
	struct ibc_report *rep;
	const struct ibc_known *k;
	char line[128];
	bool known;

	snprintf(line, sizeof(line), "case \"%s\" 2026-12-31 alice r", subject);
	rep = with_cases(line);
	assert_false(find_cases(rep));
	k = ibc_report_finding(rep, 0)->known;
	assert_string_equal(k->owner, "alice");
	for (size_t i = 1; i < 4; i++)
		assert_null(ibc_report_finding(rep, i)->known);
	if (grown)
		assert_string_equal(k->grown, grown);
	known = !k->expired;
	ibc_report_free(rep);
	return known;
}

static void a_line_accepts_one_fault_whatever_else_its_case_shows(void **state)
{
	(void)state;
	assert_true(accepted("00c0ffe0", NULL));
	assert_true(accepted("00c0ffe012345678", NULL));
	assert_true(accepted("00c0ffe0:critical", NULL));
	assert_true(accepted("00c0ffe0:warning:a.a", NULL));
	assert_true(accepted("00c0ffe0:warning:a.a:leaf:1/2 - b/3", NULL));
}

static void what_got_worse_than_accepted_counts_again_and_says_so(void **state)
{
	(void)state;
	assert_false(accepted("00c0ffe0:info", "it was info and is warning"));
}

static void a_line_for_a_case_that_is_gone_is_stale(void **state)
{
	struct ibc_report *rep = with_cases("case 12345678:critical:a.a 2026-12-31 alice r\n"
	                                    "case 12345679 2026-12-31 alice r\n"
	                                    "case 1234567a:critical:z.z 2026-12-31 alice r\n");

	(void)state;
	assert_null(ibc_report_finding(rep, 4));
	assert_true(find_cases(rep));
	assert_string_equal(ibc_report_finding(rep, 4)->check, "known.stale");
	assert_string_equal(ibc_report_finding(rep, 5)->check, "known.stale");
	assert_null(ibc_report_finding(rep, 6));
	assert_null(ibc_report_case_at(rep, 0));
	assert_false(find_cases(rep));
	ibc_report_free(rep);
}

static void a_case_that_a_line_did_accept_counts_after_its_date(void **state)
{
	struct ibc_report *rep = with_cases("case 00c0ffe0 2026-01-30 alice r\n");

	(void)state;
	assert_false(find_cases(rep));
	assert_true(ibc_report_finding(rep, 0)->known->expired);
	assert_null(ibc_report_finding(rep, 0)->known->grown);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void what_is_retired_covers_nothing_and_is_never_stale(void **state)
{
	struct ibc_report *rep = with_cases("retired * 2020-01-01T10:00 alice r\n"
	                                    "retired \"leaf/1 - spine/2\" 2026-12-31 alice r\n");

	(void)state;
	assert_false(find_cases(rep));
	for (size_t i = 0; i < 4; i++)
		assert_null(ibc_report_finding(rep, i)->known);
	assert_null(ibc_report_finding(rep, 4));
	ibc_report_free(rep);
}

static int note_line(const struct ibc_known_line *line, void *ctx)
{
	fprintf(ctx, "%lu %s %s %s%s\n", line->number, line->check, line->subject,
	        line->known.owner, line->known.expired ? " expired" : "");
	return 0;
}

static void lines_can_be_read_without_a_report(void **state)
{
	static const char text[] =
	    "# those\ncase 00c0ffee:info 2026-01-30 alice r\n\n* b 2026-12-31 "
	    "bob r\nretired node* 2020-01-01T10:00 carol r\n";
	struct ibc_error err;
	char *noted;
	size_t size;
	FILE *out = open_memstream(&noted, &size);

	(void)state;
	write_bytes(text, strlen(text));
	assert_int_equal(ibc_known_read(path, TODAY, note_line, out, &err), 0);
	fclose(out);
	assert_string_equal(noted, "2 case 00c0ffee:info alice expired\n4 * b bob\n"
	                           "5 retired node* carol\n");
	free(noted);
	assert_int_equal(ibc_known_read("/none", TODAY, note_line, NULL, &err), -ENOENT);
}

/* ---- files ------------------------------------------------------------------- */

static void comments_quotes_blanks_and_line_ends_are_read(void **state)
{
	struct ibc_report *rep = with_cable();
	const struct ibc_known *k;

	(void)state;
	assert_int_equal(known(rep,
	                       "  # a comment\r\n\r\n \t\n"
	                       "\t\"port.width\"\t\"Leaf Three/19\"  \"2026-12-31\" \"Alice B.\" "
	                       " \"see ticket #7, \" \r\n",
	                       NULL),
	                 0);
	k = ibc_report_finding(rep, 0)->known;
	assert_string_equal(k->owner, "Alice B.");
	assert_string_equal(k->reason, "see ticket #7,");
	ibc_report_free(rep);
	rep = with_cable();
	assert_int_equal(known(rep, "port.width * 2026-12-31 alice \"a reason\"", NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->known->reason, "a reason");
	ibc_report_free(rep);
	rep = with_cable();
	assert_int_equal(known(rep, "port.width * 2026-12-31 alice \"a\" or \"b\"", NULL), 0);
	assert_string_equal(ibc_report_finding(rep, 0)->known->reason, "\"a\" or \"b\"");
	ibc_report_free(rep);
}

static void an_empty_file_covers_nothing(void **state)
{
	struct ibc_report *rep = with_cable();

	(void)state;
	assert_int_equal(known(rep, "", NULL), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	ibc_report_free(rep);
}

static void bad_lines_are_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "port.width", "SUBJECT" },
		{ "port.width *", "UNTIL" },
		{ "case leaf03 2026-12-31 alice r", "is not a case" },
		{ "case 7f3a9c1 2026-12-31 alice r", "is not a case" },
		{ "case 7f3a9c10:3:critical 2026-12-31 alice r", "is not a case" },
		{ "case 7f3a9c10:x 2026-12-31 alice r", "is not a case" },
		{ "case 7f3a9c10:bad 2026-12-31 alice r", "is not a case" },
		{ "port.width * 2026-12-31", "OWNER" },
		{ "port.width * 2026-12-31 alice", "no REASON after the owner, \"alice\"" },
		{ "port.width * 2026-12-31 alice \"\"", "no REASON" },
		{ "port.width \"node 01/1 2026-12-31 alice r", "SUBJECT" },
		{ "port.width \"node\"01/1 2026-12-31 alice r", "SUBJECT" },
		{ "\"\" * 2026-12-31 alice r", "CHECK" },
		{ "port.width node 01/1 2026-12-31 alice r", "\"01/1\" is not a date" },
		{ "port.width leaf03/19 - spine02/3 2026-12-31 alice r", "\"-\" is not a date" },
		{ "port.width * \033[2J alice r", "\"\xef\xbf\xbd[2J\" is not a date" },
	};
	struct ibc_error err;
	char text[256], where[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ibc_report *rep = with_cable();

		snprintf(text, sizeof(text), "# first\n%s\n", bad[i].line);
		assert_int_equal(known(rep, text, &err), -EINVAL);
		snprintf(where, sizeof(where), "%s:2: ", path);
		assert_memory_equal(err.text, where, strlen(where));
		assert_non_null(strstr(err.text, bad[i].why));
		ibc_report_free(rep);
	}
}

static void files_without_end_are_refused(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_error err;
	char *text = malloc(20002);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 5000);
	write_bytes(text, 5000);
	assert_int_equal(ibc_report_known(rep, path, TODAY, NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1: the line is longer than 4094 bytes"));
	write_bytes("a.a\0 * 2026-12-31 a r\nb\n", 24);
	assert_int_equal(ibc_report_known(rep, path, TODAY, NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "NUL byte"));
	memset(text, '\n', 20002);
	write_bytes(text, 10000);
	assert_int_equal(ibc_report_known(rep, path, TODAY, NULL, NULL, &err), 0);
	write_bytes(text, 20002);
	assert_int_equal(ibc_report_known(rep, path, TODAY, NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 10000 lines"));
	free(text);
	ibc_report_free(rep);
}

static void files_that_cannot_be_read_are_named(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_error err;

	(void)state;
	assert_int_equal(ibc_report_known(rep, "/nonexistent/known", TODAY, NULL, NULL, &err),
	                 -ENOENT);
	assert_string_equal(err.text, "cannot open /nonexistent/known: No such file or directory");
	assert_int_equal(ibc_report_known(rep, "/tmp", TODAY, NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "cannot open /tmp: it is no file");
	ibc_report_free(rep);
}

static void running_out_of_memory_is_a_failure(void **state)
{
	static const char text[] = "port.width \"leaf03/19 - spine02/3\" 2026-12-31 alice r\n"
				   "port.width other 2026-12-31 alice r\n";
	struct ibc_report *rep;
	unsigned long n = 0;
	int rc;

	(void)state;
	write_bytes(text, strlen(text));
	do {
		rep = with_cable();
		alloc_fail_at(++n);
		rc = ibc_report_known(rep, path, TODAY, NULL, NULL, NULL);
		alloc_fail_at(0);
		if (rc) {
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(ibc_report_finish(rep, NULL), -ENOMEM);
			assert_int_equal(ibc_report_known(rep, path, TODAY, NULL, NULL, NULL),
			                 -ENOMEM);
		} else {
			assert_int_equal(ibc_report_verdict(rep), IBC_OK);
		}
		ibc_report_free(rep);
	} while (rc);
	assert_in_range(n, 15, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_covered_finding_stays_listed_and_does_not_count),
		cmocka_unit_test(checks_match_by_name_and_wildcard),
		cmocka_unit_test(a_cable_matches_by_either_end),
		cmocka_unit_test(a_cable_matches_by_both_ends_in_either_order),
		cmocka_unit_test(a_guid_matches_with_and_without_its_zeros),
		cmocka_unit_test(names_match_as_people_say_them),
		cmocka_unit_test(another_port_of_a_name_in_its_domain_is_not_covered),
		cmocka_unit_test(names_that_look_like_patterns_match_as_they_are),
		cmocka_unit_test(findings_of_the_fabric_and_of_hosts_match),
		cmocka_unit_test(a_known_silence_settles_its_queries),
		cmocka_unit_test(an_expired_line_is_named_and_the_finding_counts),
		cmocka_unit_test(a_line_holds_on_its_last_day),
		cmocka_unit_test(a_line_that_holds_wins_over_one_that_expired_then_the_first),
		cmocka_unit_test(only_days_that_exist_are_dates),
		cmocka_unit_test(until_may_have_a_time),
		cmocka_unit_test(what_is_planned_for_hours_is_not_stale_before_they_are_over),
		cmocka_unit_test(today_is_a_date_too),
		cmocka_unit_test(a_line_that_covers_nothing_is_stale),
		cmocka_unit_test(a_line_for_a_check_that_did_not_run_is_not_stale),
		cmocka_unit_test(a_line_for_a_kind_that_did_not_run_is_not_stale),
		cmocka_unit_test(the_caller_may_tell_what_ran),
		cmocka_unit_test(a_line_accepts_one_fault_whatever_else_its_case_shows),
		cmocka_unit_test(what_got_worse_than_accepted_counts_again_and_says_so),
		cmocka_unit_test(a_line_for_a_case_that_is_gone_is_stale),
		cmocka_unit_test(a_case_that_a_line_did_accept_counts_after_its_date),
		cmocka_unit_test(what_is_retired_covers_nothing_and_is_never_stale),
		cmocka_unit_test(lines_can_be_read_without_a_report),
		cmocka_unit_test(comments_quotes_blanks_and_line_ends_are_read),
		cmocka_unit_test(an_empty_file_covers_nothing),
		cmocka_unit_test(bad_lines_are_refused_with_file_and_line),
		cmocka_unit_test(files_without_end_are_refused),
		cmocka_unit_test(files_that_cannot_be_read_are_named),
		cmocka_unit_test(running_out_of_memory_is_a_failure),
	};

	return cmocka_run_group_tests_name("known", tests, make_file, remove_file);
}
