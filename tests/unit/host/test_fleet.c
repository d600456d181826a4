/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "fleet_of.h"

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

/* "n1 ok[host 28.1] n2 unknown[its report ends in the middle]" */
static const char *told(const struct ibc_fleet *fleet)
{
	static char text[TEXT];
	const struct ibc_fleet_host *h;

	*text = '\0';
	for (size_t i = 0; (h = ibc_fleet_host(fleet, i)); i++) {
		add(text, "%s%s %s", i ? " " : "", h->name, ibc_severity_word(h->verdict)->word);
		if (h->alias)
			add(text, "(%s)", h->alias);
		if (h->came_as)
			add(text, "=%s", h->came_as);
		for (size_t k = 0; k < h->num_reports; k++) {
			const struct ibc_fleet_report *r = h->reports[k];

			add(text, "[%s%s]", r->superseded ? "older " : "",
			    r->trouble ? r->trouble : r->command);
			for (size_t f = 0; f < r->num_findings; f++)
				add(text, "<%s %s: %s>",
				    ibc_fleet_text(fleet, r->findings[f].check),
				    ibc_fleet_text(fleet, r->findings[f].thing),
				    ibc_fleet_text(fleet, r->findings[f].message));
		}
	}
	return text;
}

static const struct ibc_fleet_opts plain = { 0 };

static void expect_with(const struct ibc_fleet_opts *opts, const char *label, const char *text,
                        const char *expected)
{
	for (size_t piece = 1; piece < 8000; piece = piece < 20 ? piece + 1 : piece * 3) {
		struct ibc_fleet *fleet = load(label, text, piece, opts);

		assert_non_null(fleet);
		assert_string_equal(told(fleet), expected);
		ibc_fleet_free(fleet);
	}
}

static void expect(const char *label, const char *text, const char *expected)
{
	expect_with(&plain, label, text, expected);
}

/* ---- tests -------------------------------------------------------------------------------- */

static void reports_come_one_after_another(void **state)
{
	(void)state;
	expect(NULL, REPORT("n1", "ok") REPORT("n2", "warning"), "n1 ok[host] n2 warning[host]");
	expect(NULL, "\n\n  " REPORT("n1", "ok") "\n" REPORT("n2", "ok"),
	       "n1 ok[host] n2 ok[host]");
	expect("n1", REPORT("n1", "ok"), "n1 ok[host]");
	expect(NULL, REPORT("n10", "ok") REPORT("n9", "ok"), "n9 ok[host] n10 ok[host]");
	expect(NULL, "", "");
}

static void findings_and_facts_are_kept(void **state)
{
	struct ibc_fleet *fleet = load(NULL, REPORT_AT("00", "\"n1\"", "critical", "0x1", DOWN), 7,
	                               &plain);
	const struct ibc_fleet_report *r = ibc_fleet_host(fleet, 0)->reports[0];
	char text[TEXT] = "";

	(void)state;
	assert_string_equal(told(fleet),
	                    "n1 critical[host]<host.port-state mlx5_1/1: is \"Down\">");
	assert_string_equal(ibc_fleet_text(fleet, r->findings[0].advice), "m\u00e9nd \U0001f600");
	assert_string_equal(ibc_fleet_text(fleet, r->findings[0].kind), "port");
	for (size_t i = 0; i < r->num_facts; i++) {
		struct ibc_fleet_key key = ibc_fleet_key(fleet, r->facts[i].key);

		add(text, "%s %s %s=%s;", key.table, key.thing, key.what,
		    ibc_fleet_text(fleet, r->facts[i].value));
	}
	/* what is null is no fact, nor is what hosts are not compared by */
	assert_string_equal(text, "host_ports mlx5_0/1 rate_gbps=400.0;"
	                          "host_ports mlx5_0/1 node_guid=0x1;facts mlx5_0 fw_ver=28.1;");
	ibc_fleet_free(fleet);
}

/* Hosts have them, and are not compared by them. */
static void nvswitch_bridges_are_no_facts(void **state)
{
	static const char report[] = REPORT("n1", "ok");
	char text[sizeof(report) + 32];
	const char *at = strstr(report, "\"state\"");
	struct ibc_fleet *fleet;

	(void)state;
	snprintf(text, sizeof(text), "%.*s\"kind\": \"nvswitch-bridge\", %s", (int)(at - report),
	         report, at);
	fleet = load(NULL, text, sizeof(text), &plain);
	assert_int_equal(ibc_fleet_host(fleet, 0)->reports[0]->num_facts, 1); /* fw_ver */
	assert_true(ibc_fleet_host(fleet, 0)->reports[0]->adapters == 0);
	ibc_fleet_free(fleet);
}

/* srun cuts what each task writes, and a piece becomes a line. */
static void labelled_pieces_are_joined_wherever_they_were_cut(void **state)
{
	static const char *const reports[] = { REPORT_AT("00", "\"n1\"", "critical", "0x1", DOWN),
		                               REPORT("n2", "ok") };

	(void)state;
	for (size_t cut = 1; cut < 60; cut++) {
		char stream[16 * TEXT] = "";
		size_t at = 0;

		for (size_t i = 0; i < strlen(reports[0]); i += cut)
			for (size_t k = 0; k < ARRAY_SIZE(reports); k++)
				if (i < strlen(reports[k]))
					at += (size_t)sprintf(
					    stream + at, "%02zu: %.*s\n", k,
					    (int)strcspn(reports[k] + i, "\n") < (int)cut
						? (int)strcspn(reports[k] + i, "\n")
						: (int)cut,
					    reports[k] + i);
		expect(NULL, stream,
		       "n1 critical[host]<host.port-state mlx5_1/1: is \"Down\"> "
		       "n2 ok[host]");
	}
}

static void a_line_longer_than_any_buffer_has_one_label(void **state)
{
	char *stream = malloc(400000);
	size_t n = (size_t)sprintf(stream, "n1: {\"blanks\": \"");

	(void)state;
	memset(stream + n, 'x', 300000);
	strcpy(stream + n + 300000, "\", \"n2: \": 1}\n");
	for (size_t piece = 1000; piece < 500000; piece *= 7) {
		struct ibc_fleet *fleet = load(NULL, stream, piece, &plain);

		assert_string_equal(told(fleet),
		                    "n1 unknown[wrote JSON that is no report of ibcheck]");
		ibc_fleet_free(fleet);
	}
	free(stream);
}

static void what_is_wrong_with_one_report_spoils_no_other(void **state)
{
	(void)state;
	/* cut, then the next begins a line */
	expect(NULL, "{\"meta\": {\"described\": \"n1\"},\n" REPORT("n2", "ok"),
	       "n1 unknown[its report ends in the middle] n2 ok[host]");
	expect(NULL, "{\"meta\": {\"described\": \"n1\",,\n" REPORT("n2", "ok"),
	       "n1 unknown[its report is damaged: a key is missing] n2 ok[host]");
	expect(NULL, "n1: {\"a\": \nn2: " REPORT("n2", "ok"),
	       "n1 unknown[its report ends in the middle] n2 ok[host]");
	expect(NULL, "n1: bash: ibcheck: command not found\nn2: " REPORT("n2", "ok"),
	       "n1 unknown[wrote no report, but: bash: ibcheck: command not found] n2 ok[host]");
	expect(NULL, "n1: \nn2: " REPORT("n2", "ok"), "n1 unknown[wrote nothing] n2 ok[host]");
	expect(NULL, "n1: {\"a\": \"\tb\"}\nn2: " REPORT("n2", "ok"),
	       "n1 unknown[its report is damaged: a text in it has a control character] "
	       "n2 ok[host]");
	/* of a number nobody knows whose it is, unless the report tells */
	expect(NULL, "1: {]\n0: {\"meta\": {\"described\": \"n3\"}\n2: " REPORT("n2", "ok"),
	       "label 1 unknown[its report is damaged: a bracket closes where none may] "
	       "n2 ok[host] n3 unknown[its report ends in the middle]");
}

static void what_is_no_report_is_said_to_be_none(void **state)
{
	(void)state;
	expect("n1", "", "n1 unknown[wrote nothing]");
	expect("n1", "Segmentation fault\n",
	       "n1 unknown[wrote no report, but: Segmentation fault]");
	expect("n1", "a: b: c\nd: e\n", "n1 unknown[wrote no report, but: a: b: c]");
	expect("n1", "{\"schema\": 1, \"tool\": {\"name\": \"ibcheck\", \"version\": \"9\"}}",
	       "n1 unknown[its report has schema 1, of ibcheck 9; this version reads schema 2]");
	expect("n1",
	       "{\"schema\": 2, \"tool\": {\"name\": \"ibcheck\"}, \"meta\": {\"command\": "
	       "\"all\"}}",
	       "n1 unknown[its report is one of \"ibcheck all\", not of host, ipoib or roce]");
	expect("n1", "[1]", "n1 unknown[wrote no report, but: [1]]");
	expect(NULL, "hello\n", "FILE unknown[wrote no report, but: hello]");
	expect(NULL, "\x28\xb5\x2f\xfd\x04\x58\x41",
	       "FILE unknown[wrote no report, but: bytes that are compressed: unpack them first]");
}

static void what_the_launcher_says_is_no_host(void **state)
{
	struct ibc_fleet *fleet = load(
	    NULL, "0: " REPORT("n1", "ok") "srun: error: n3: task 2: Exited\npdsh@login: n4: x\n",
	    5, &plain);
	const char *first;

	(void)state;
	assert_string_equal(told(fleet), "n1 ok[host]");
	assert_int_equal(ibc_fleet_launcher_lines(fleet, &first), 2);
	assert_string_equal(first, "srun: error: n3: task 2: Exited");
	ibc_fleet_free(fleet);
}

static void a_host_may_be_called_like_a_launcher(void **state)
{
	(void)state;
	expect(NULL, "pdsh-gw1: " REPORT("pdsh-gw1", "critical") "\n", "pdsh-gw1 critical[host]");
}

/* (ibcheck host -f json; clush ... ) | ibcheck fleet - */
static void lines_with_labels_may_follow_a_report_without(void **state)
{
	(void)state;
	expect(NULL, REPORT("adm", "ok") "\nn1: " REPORT("n1", "critical") "\n",
	       "adm ok[host] n1 critical[host]");
}

/* Of what a host sends nothing is longer than there is room for. */
static void names_of_facts_are_cut(void **state)
{
	static char text[8192];
	struct ibc_fleet *fleet;

	(void)state;
	snprintf(text, sizeof(text),
	         "{\"schema\":2,\"tool\":{\"name\":\"ibcheck\",\"version\":\"1.0\"},"
	         "\"meta\":{\"time\":\"2026-01-31T12:00:00Z\",\"host\":\"n1\",\"described\":\"n1\","
	         "\"command\":\"host\"},\"verdict\":\"ok\",\"coverage\":{\"complete\":true},"
	         "\"findings\":[],\"tables\":{\"facts\":[{\"subject\":\"%0600d\","
	         "\"key\":\"%04000d\",\"value\":\"v\"}]}}",
	         0, 0);
	fleet = load(NULL, text, 100, &plain);
	assert_non_null(fleet);
	assert_int_equal(ibc_fleet_host(fleet, 0)->reports[0]->num_facts, 1);
	ibc_fleet_free(fleet);
}

static void a_host_has_one_name(void **state)
{
	(void)state;
	expect(NULL, REPORT("n1.a.org", "ok") REPORT("n2", "ok"), "n1 ok[host] n2 ok[host]");
	expect(NULL, REPORT("n1.a.org", "ok") REPORT("n1.b.org", "warning"),
	       "n1.a.org ok[host] n1.b.org warning[host]");
	expect(NULL, REPORT("10.0.0.1", "ok") REPORT("10.1.0.1", "ok"),
	       "10.0.0.1 ok[host] 10.1.0.1 ok[host]");
	expect("n7", REPORT("n1", "ok"), "n1 ok(n7)[host]");
	expect("n1.host", REPORT("n1", "ok"), "n1 ok[host]");
	expect("n10", REPORT("n1", "ok"), "n1 ok(n10)[host]");
	/* where it does not tell: its label, then who ran it */
	expect("n7", REPORT_AT("00", "null", "ok", "0x1", ""), "n7 ok[host]");
	expect(NULL, REPORT_AT("00", "null", "ok", "0x1", ""), "login ok[host]");
}

static void the_newest_report_counts_and_a_wrong_clock_does_not(void **state)
{
	static const struct ibc_fleet_opts then = { .now = 1769860800 }; /* 12:00:00 */
	struct ibc_fleet *fleet = load(NULL,
	                               REPORT_AT("07", "\"n1\"", "ok", "0x1", "")
	                                   REPORT_AT("09", "\"n1\"", "critical", "0x1", ""),
	                               100, &then);

	(void)state;
	assert_string_equal(told(fleet), "n1 critical[host][older host]");
	assert_int_equal(ibc_fleet_time(fleet), 1769860809);
	assert_int_equal(ibc_fleet_host(fleet, 0)->reports[0]->adapters,
	                 ibc_fleet_host(fleet, 0)->reports[1]->adapters);
	ibc_fleet_free(fleet);
	fleet = load(NULL, REPORT("n1", "ok"), 100, &(struct ibc_fleet_opts){ .now = 1000 });
	assert_int_equal(ibc_fleet_time(fleet), 0);
	ibc_fleet_free(fleet);
}

static void expected_hosts_are_missing_unless_their_label_came(void **state)
{
	static const char *const names[] = { "n1", "n2.a.org", "n3", "n4" };
	static const struct ibc_hostlist hosts = { names, ARRAY_SIZE(names) };
	static const struct ibc_fleet_opts opts = { .expected = &hosts };

	(void)state;
	expect_with(&opts, NULL,
	            "n1: " REPORT("n1", "ok") "n2: " REPORT("n2", "ok") "n3: " REPORT("n1", "ok"),
	            "n1 ok(n3)[host][older host] n2 ok[host] n3 unknown=n1 n4 unknown");
	/* labels with the domain, of clones; "n3" is not "n33" */
	expect_with(
	    &opts, NULL,
	    "n1.a.org: " REPORT("n1", "ok") "n2.a.org: " REPORT("n2", "ok") "n3.a.org: " REPORT(
		"n1", "ok") "n33: " REPORT("n1", "ok") "n4-x: " REPORT("n1", "ok"),
	    "n1 ok(n3.a.org)[host][older host][older host][older host] n2 ok[host] "
	    "n3 unknown=n1 n4 unknown");
}

static void without_memory_there_is_no_fleet(void **state)
{
	struct ibc_fleet *fleet = NULL;

	(void)state;
	for (unsigned long n = 1; !fleet; n++) {
		alloc_fail_at(n);
		fleet = load(NULL,
		             "n1: " REPORT_AT("00", "\"n1\"", "critical", "0x1", DOWN) "n2: x\n",
		             50, &plain);
		alloc_fail_at(0);
	}
	assert_string_equal(told(fleet), "n1 critical[host]<host.port-state mlx5_1/1: is \"Down\"> "
	                                 "n2 unknown[wrote no report, but: x]");
	ibc_fleet_free(fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_come_one_after_another),
		cmocka_unit_test(findings_and_facts_are_kept),
		cmocka_unit_test(nvswitch_bridges_are_no_facts),
		cmocka_unit_test(labelled_pieces_are_joined_wherever_they_were_cut),
		cmocka_unit_test(a_line_longer_than_any_buffer_has_one_label),
		cmocka_unit_test(what_is_wrong_with_one_report_spoils_no_other),
		cmocka_unit_test(what_is_no_report_is_said_to_be_none),
		cmocka_unit_test(what_the_launcher_says_is_no_host),
		cmocka_unit_test(a_host_may_be_called_like_a_launcher),
		cmocka_unit_test(lines_with_labels_may_follow_a_report_without),
		cmocka_unit_test(names_of_facts_are_cut),
		cmocka_unit_test(a_host_has_one_name),
		cmocka_unit_test(the_newest_report_counts_and_a_wrong_clock_does_not),
		cmocka_unit_test(expected_hosts_are_missing_unless_their_label_came),
		cmocka_unit_test(without_memory_there_is_no_fleet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
