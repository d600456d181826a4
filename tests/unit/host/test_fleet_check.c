/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>

#include "base/arena.h"
#include "fleet_of.h"
#include "store/store.h"

#define TEXT 8192

static void add(char text[TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char text[TEXT], const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, TEXT - n, format, ap);
	va_end(ap);
}

/* A report of the fleet with its cases; NULL: no memory. */
static struct ibc_report *judged(const struct ibc_fleet *fleet, const char *selection)
{
	const struct ibc_input in = { .fleet = fleet };
	struct ibc_report *rep = NULL;
	int rc = ibc_report_new(&rep, NULL);

	if (!rc)
		rc = ibc_check_run(&in, selection, rep, NULL);
	if (!rc)
		rc = ibc_check_fleet(fleet, NULL, rep, NULL);
	if (!rc)
		rc = ibc_report_finish(rep, NULL);
	if (!rc)
		rc = ibc_cases_find(&in, ibc_check_find, rep, NULL);
	if (!rc)
		return rep;
	assert_int_equal(rc, -ENOMEM);
	ibc_report_free(rep);
	return NULL;
}

/* "fleet.missing unknown n2: did not report" */
static const char *findings_of(const char *text, const struct ibc_fleet_opts *opts)
{
	static char told[TEXT];
	char subject[IBC_SUBJECT_TEXT];
	struct ibc_fleet *fleet = load(NULL, text, TEXT, opts);
	struct ibc_report *rep = judged(fleet, "fleet,-fleet.outlier");
	const struct ibc_finding *f;

	*told = '\0';
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		add(told, "%s%s %s %s: %s", i ? "; " : "", f->check,
		    ibc_severity_word(f->severity)->word,
		    ibc_subject_text(&f->subject, subject, sizeof(subject)), f->message);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	return told;
}

/* "n[1-3] 3 hosts, mlx5_1/1: is Down" */
static const char *cases_of(const char *text)
{
	static char told[TEXT];
	struct ibc_fleet *fleet = load(NULL, text, TEXT, &(struct ibc_fleet_opts){ .now = 0 });
	struct ibc_report *rep = judged(fleet, "fleet,-fleet.outlier");
	const struct ibc_case *c;

	*told = '\0';
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++)
		add(told, "%s%s %s (%zu of %zu)", i ? "; " : "", c->subject.near.desc, c->message,
		    c->num_members, c->num_findings);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	return told;
}

#define NOON        1769860800 /* 2026-01-31 12:00:00 UTC */
#define GUID(n, id) REPORT_AT("00", "\"" n "\"", "ok", id, "")
#define VERSION(n, v)                                                                              \
	"{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"" v "\"}, \"meta\": "    \
	"{\"time\": \"2026-01-31T12:00:00Z\", \"described\": \"" n "\", \"command\": \"host\"}, "  \
	"\"verdict\": \"ok\"}\n"
#define FOUND(check, severity, kind, thing, message)                                               \
	"{\"check\": \"" check "\", \"severity\": \"" severity "\", \"subject\": {\"kind\": "      \
	"\"" kind "\", \"node_desc\": \"" thing "\"}, \"message\": \"" message "\", "              \
	"\"advice\": null, \"known\": null}"
#define WITH(n, finding) REPORT_AT("00", "\"" n "\"", "critical", "0x" n, finding)

static const struct ibc_fleet_opts plain = { 0 };

/* ---- tests -------------------------------------------------------------------------------- */

static void who_did_not_report_is_missing(void **state)
{
	static const char *const names[] = { "n1", "n2" };
	static const struct ibc_hostlist hosts = { names, 2 };

	(void)state;
	assert_string_equal(
	    findings_of(REPORT("n1", "ok"), &(struct ibc_fleet_opts){ .expected = &hosts }),
	    "fleet.missing unknown n2: did not report");
	assert_string_equal(findings_of(REPORT("n1", "ok"), &plain), "");
}

static void a_verdict_that_no_finding_explains_is_told(void **state)
{
	(void)state;
	assert_string_equal(findings_of(REPORT("n1", "unknown"), &plain),
	                    "fleet.report unknown n1: could not check all: its report does not say "
	                    "why");
	assert_string_equal(findings_of(REPORT("n1", "warning"), &plain),
	                    "fleet.report warning n1: its report is warning, and no finding in it "
	                    "says why");
	assert_non_null(
	    strstr(findings_of("{\"schema\": 2, \"coverage\": {\"complete\": false, "
	                       "\"skipped\": [{\"check\": \"a.b\", \"reason\": \"R\"}]}, "
	                       "\"tool\": {\"name\": \"ibcheck\"}, \"meta\": "
	                       "{\"command\": \"host\", \"described\": \"n1\"}, "
	                       "\"verdict\": \"unknown\"}",
	                       &plain),
	           "n1: could not check all: R"));
	assert_string_equal(
	    findings_of("n1: {]\nn2: " REPORT("n2", "ok"), &plain),
	    "fleet.report unknown n1: its report is damaged: a bracket closes where "
	    "none may");
}

static void times_are_held_against_the_newest(void **state)
{
	struct ibc_fleet_opts opts = { .now = NOON + 7 * 86400, .max_age_seconds = 5 };

	(void)state;
	assert_string_equal(findings_of(REPORT_AT("00", "\"n1\"", "ok", "0x1", "")
	                                    REPORT_AT("06", "\"n2\"", "ok", "0x2", ""),
	                                &opts),
	                    "fleet.stale unknown n1: its report is 1 minutes older than the "
	                    "newest, and possibly no "
	                    "longer true");
	opts.max_age_seconds = 6;
	assert_string_equal(findings_of(REPORT_AT("00", "\"n1\"", "ok", "0x1", "")
	                                    REPORT_AT("06", "\"n2\"", "ok", "0x2", ""),
	                                &opts),
	                    "");
	opts.now = NOON - 4 * 3600;
	assert_string_equal(
	    findings_of(REPORT("n1", "ok"), &opts),
	    "fleet.stale unknown n1: its report is dated 4 hours in the future: its "
	    "clock is wrong");
	assert_string_equal(findings_of(REPORT_AT("xx", "\"n1\"", "ok", "0x1", ""), &plain),
	                    "fleet.stale unknown n1: does not say when its report was made");
}

static void of_two_versions_as_frequent_the_newer_is_usual(void **state)
{
	(void)state;
	assert_string_equal(
	    findings_of(VERSION("n1", "0.9") VERSION("n2", "0.10"), &plain),
	    "fleet.version warning n1: its report is of ibcheck 0.9; 1 of 2 reports "
	    "are of 0.10");
	assert_string_equal(findings_of(VERSION("n1", "1.0") VERSION("n2", "1.0"), &plain), "");
}

static void a_name_that_came_twice_is_one_host_or_two(void **state)
{
	(void)state;
	assert_string_equal(
	    findings_of("a: " GUID("n1", "0x1") "b: " GUID("n1", "0x1"), &plain),
	    "fleet.duplicate info n1: reported twice, as a and b, with the same node "
	    "GUIDs: the newer report counts");
	assert_string_equal(
	    findings_of("a: " GUID("n1", "0x1") "b: " GUID("n1", "0x2"), &plain),
	    "fleet.duplicate unknown n1: reported twice, as a and b, with different "
	    "node GUIDs: two hosts have this name, and only the newer report counts");
	assert_string_equal(findings_of("a: " VERSION("n1", "1.0") "b: " GUID("n1", "0x2"), &plain),
	                    "fleet.duplicate unknown n1: reported twice, as a and b: possibly two "
	                    "hosts have this name, and only the newer report counts");
	/* the same file twice, or a host that reports again and again */
	assert_string_equal(findings_of("a: " GUID("n1", "0x1") "a: " GUID("n1", "0x1"), &plain),
	                    "");
	/* all reports in one file */
	assert_string_equal(
	    findings_of("a: " GUID("n1", "0x1") "a: " GUID("n1", "0x2"), &plain),
	    "fleet.duplicate unknown n1: reported twice, as a and a, with different "
	    "node GUIDs: two hosts have this name, and only the newer report counts");
}

static void what_hosts_find_is_one_case_where_it_is_alike(void **state)
{
	(void)state;
	assert_string_equal(
	    cases_of(
		WITH("n1", FOUND("host.port-state", "critical", "port", "mlx5_0/1", "is Down"))
		    WITH("n2", FOUND("host.port-state", "critical", "port", "mlx5_0/1", "is Down"))
			WITH("n3",
	                     FOUND("host.port-state", "critical", "port", "mlx5_1/1", "is Down"))),
	    "n[1-2] 2 hosts, mlx5_0/1: is Down (2 of 2); n3 mlx5_1 is Down (1 of 1)");
	/* numbers and the host's own name may differ; a check that this version does not know, too
	 */
	assert_string_equal(
	    cases_of(WITH("n1", FOUND("host.new", "critical", "host", "n1", "n1 has 12.5 of 13"))
	                 WITH("n22", FOUND("host.new", "critical", "host", "this host",
	                                   "n22 has 7 of 13"))),
	    "n[1,22] 2 hosts, such as n1: n1 has 12.5 of 13 (2 of 2)");
	assert_string_equal(
	    cases_of(WITH("n1", FOUND("host.new", "critical", "host", "n1", "is hot"))
	                 WITH("n2", FOUND("host.new", "warning", "host", "n2", "is hot"))),
	    "n2 its report is critical, and no finding in it says why (1 of 1); n1 is hot (1 of "
	    "1); "
	    "n2 is hot (1 of 1)");
}

static void what_one_host_finds_twice_is_no_matter_of_hosts(void **state)
{
	(void)state;
	assert_string_equal(
	    cases_of(
		WITH("n1", FOUND("host.new", "critical", "host", "n1", "has 7 of 13") ", " FOUND(
			       "host.new", "critical", "host", "n1", "has 9 of 13"))),
	    "n1 has 7 of 13 (1 of 2)");
	assert_string_equal(
	    cases_of(WITH("n1", FOUND("host.new", "critical", "host", "n1", "is hot") ", " FOUND(
				    "host.new", "critical", "host", "n1", "is hot"))),
	    "n1 is hot (1 of 2)");
}

#define ALARM(fact_kind)                                                                           \
	"{\"check\": \"cable.alarm\", \"severity\": \"critical\", \"subject\": {\"kind\": "        \
	"\"port\", \"node_desc\": \"mlx5_0\", \"port\": 1}, \"message\": \"" fact_kind "\", "      \
	"\"facts\": {\"kind\": \"" fact_kind "\", \"alarm\": 2}, \"known\": null}"
#define RAN(host, ran, findings)                                                                   \
	"{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\"}, \"meta\": {\"command\": \"host\", "    \
	"\"described\": \"" host                                                                   \
	"\"}, \"verdict\": \"critical\", \"coverage\": {\"complete\": true, "                      \
	"\"skipped\": [], \"ran\": [" ran "]}, \"findings\": [" findings "], \"tables\": {}}\n"

/* Faults of one port of a host, of which each has a past of its own. */
static void a_host_runs_a_check_whole_or_in_part(void **state)
{
	const struct ibc_check *check = ibc_check_find("cable.alarm");
	const char *bias = "cable.alarm:bias", *power = "cable.alarm:tx-power";
	struct ibc_fleet *fleet = load(
	    NULL,
	    RAN("n1", "\"host.psid\", \"cable.alarm\"", ALARM("bias") ", " ALARM("tx-power"))
		RAN("n2", "\"cable.alarm:bias\", \"host.psid\"", ""),
	    TEXT, &plain);
	const struct ibc_input in = { .fleet = fleet };
	struct ibc_report *rep = judged(fleet, "fleet.missing");

	(void)state;
	assert_true(ibc_fleet_ran(fleet, ibc_fleet_find(fleet, "n1"), "cable.alarm"));
	assert_true(ibc_fleet_ran(fleet, ibc_fleet_find(fleet, "n1"), power));
	assert_false(ibc_fleet_ran(fleet, ibc_fleet_find(fleet, "n2"), "cable.alarm"));
	assert_true(ibc_fleet_ran(fleet, NULL, power));
	assert_true(store_looked(&in, NULL, check, bias, "n2 mlx5_0/1"));
	assert_false(store_looked(&in, NULL, check, power, "n2 mlx5_0/1"));
	assert_true(ibc_report_has_run(rep, "cable.alarm"));
	assert_string_equal(ibc_report_finding(rep, 0)->message, "bias");
	assert_string_not_equal(ibc_report_finding(rep, 0)->id, ibc_report_finding(rep, 1)->id);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
	fleet = load(NULL, RAN("n2", "\"cable.alarm:bias\"", ""), TEXT, &plain);
	rep = judged(fleet, "fleet.missing");
	assert_true(ibc_report_has_run(rep, bias));
	assert_false(ibc_report_has_run(rep, power));
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
}

/* A report with so many facts, all of one thing; to be freed. */
static char *report_with(const char *host, unsigned int facts)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out,
	        "{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\", \"version\": \"1.0\"}, "
	        "\"meta\": {\"time\": \"2026-01-31T12:00:00Z\", \"described\": \"%s\", "
	        "\"command\": \"host\"}, \"verdict\": \"ok\", \"tables\": {\"host_ports\": [",
	        host);
	for (unsigned int i = 0; i < facts; i++)
		fprintf(out, "%s{\"ca\": \"mlx5_%u\", \"port\": 1, \"board_id\": \"X%u\"}",
		        i ? ", " : "", i, i);
	fprintf(out, "]}}\n");
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The work for a host ends somewhere, and what was not done is told. */
static void a_report_with_too_much_in_it_is_not_compared(void **state)
{
	char *fits = report_with("n1", IBC_FLEET_FACTS);
	char *more = report_with("n1", IBC_FLEET_FACTS + 1);
	struct ibc_fleet *fleet = load(NULL, more, TEXT, &plain);

	(void)state;
	assert_int_equal(ibc_fleet_host(fleet, 0)->reports[0]->num_facts, 0);
	ibc_fleet_free(fleet);
	assert_string_equal(findings_of(fits, &plain), "");
	assert_string_equal(findings_of(more, &plain),
	                    "fleet.report unknown n1: its report has more than 8192 facts or "
	                    "findings: it was not compared with others or a policy, and its last "
	                    "findings were not read");
	free(fits);
	free(more);
}

static void without_memory_there_is_no_report(void **state)
{
	struct ibc_fleet *fleet = load(
	    NULL,
	    WITH("n1", FOUND("host.port-state", "critical", "port", "mlx5_0/1", "is Down"))
		WITH("n2", FOUND("host.port-state", "critical", "port", "mlx5_0/1", "is Down")),
	    TEXT, &plain);
	struct ibc_report *rep = NULL;

	(void)state;
	for (unsigned long n = 1; !rep; n++) {
		alloc_fail_at(n);
		rep = judged(fleet, "fleet,-fleet.outlier");
		alloc_fail_at(0);
	}
	assert_int_equal(ibc_report_count(rep, IBC_CRITICAL), 2);
	ibc_report_free(rep);
	ibc_fleet_free(fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_did_not_report_is_missing),
		cmocka_unit_test(a_verdict_that_no_finding_explains_is_told),
		cmocka_unit_test(times_are_held_against_the_newest),
		cmocka_unit_test(of_two_versions_as_frequent_the_newer_is_usual),
		cmocka_unit_test(a_name_that_came_twice_is_one_host_or_two),
		cmocka_unit_test(what_hosts_find_is_one_case_where_it_is_alike),
		cmocka_unit_test(what_one_host_finds_twice_is_no_matter_of_hosts),
		cmocka_unit_test(a_host_runs_a_check_whole_or_in_part),
		cmocka_unit_test(a_report_with_too_much_in_it_is_not_compared),
		cmocka_unit_test(without_memory_there_is_no_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
