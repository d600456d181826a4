/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkreport.h"

#include <math.h>
#include <unistd.h>

static const struct ibc_word ca = { "ca", "CA" }, sw = { "switch", "Switch" };

static const struct ibc_column columns[] = {
	COLUMN(0, "node_guid", NULL), COLUMN(1, "node_desc", NULL), COLUMN(2, "node_type", NULL),
	COLUMN(3, "port", NULL),      COLUMN(4, "errors", NULL),    COLUMN(5, "load", NULL),
	COLUMN(6, "up", NULL),        COLUMN(7, "peer", NULL),      { 0 },
};

static const struct ibc_label guid_port[] = {
	{ "guid", "node_guid" },
	{ "port", "port" },
	{ 0 },
};

static const struct ibc_label with_peer[] = {
	{ "hca", "node_desc" }, { "port", "port" }, { "uplink", "peer" }, { "lid", "lid" }, { 0 },
};

static const struct ibc_metric numbers[] = {
	{ "errors", "port_errors", "PortErrors", IBC_METRIC_COUNTER },
	{ "load", "port_load_ratio", NULL, IBC_METRIC_GAUGE },
	{ "up", "port_up", "has a link,\n\\o/", IBC_METRIC_GAUGE },
	{ "nowhere", "port_nowhere", "is no column", IBC_METRIC_GAUGE },
	{ "node_desc", "port_desc", "is no number", IBC_METRIC_GAUGE },
	{ 0 },
};

static const struct ibc_metric info[] = {
	{ "peer", "uplink_info", "uplink", IBC_METRIC_INFO },
	{ 0 },
};

static const struct ibc_metric_group groups[] = {
	{ "fabric_switch_", "Switch", "node_type", "switch", guid_port, numbers },
	{ "fabric_hca_", "HCA", "node_type", "ca", with_peer, info },
	{ 0 },
};

static const struct ibc_metric_group whole[] = {
	{ "fabric_", NULL, NULL, NULL, guid_port, numbers },
	{ 0 },
};

static const struct ibc_table_type grouped_ports = { "ports", columns, groups, NULL, NULL };
static const struct ibc_table_type whole_ports = { "ports", columns, whole, NULL, NULL };

static void add_row(struct ibc_table *t, const struct ibc_word *type, unsigned int port,
                    struct ibc_value errors, struct ibc_value load, const char *peer)
{
	bool is_switch = type == &sw;

	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(is_switch ? 0x2C9 : 7),
	                                       ibc_str(is_switch ? "leaf03" : "node01 \"mlx5\\0\""),
	                                       ibc_enum(type), ibc_u64(port), errors, load,
	                                       ibc_bool(peer != NULL), ibc_str(peer) });
}

/* Finishes the report, renders it, frees it; the text is the caller's. */
static char *rendered(struct ibc_report *rep)
{
	struct ibc_error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	mkfinished(rep);
	if (ibc_report_render(rep, "prometheus", NULL, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	ibc_report_free(rep);
	return text;
}

static void assert_in(const char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text);
}

static void assert_not_in(const char *text, const char *unexpected)
{
	if (strstr(text, unexpected))
		fail_msg("\"%s\" in:\n%s", unexpected, text);
}

/* All of the table's metrics and nothing of the program's own. */
static void assert_measured(struct ibc_report *rep, const char *expected)
{
	char *text = rendered(rep), *from = strstr(text, "# HELP fabric_"), *to;

	assert_non_null(from);
	to = strstr(from, "# HELP ibcheck_duplicate_samples");
	assert_non_null(to);
	*to = '\0';
	assert_string_equal(from, expected);
	free(text);
}

static void set_meta(struct ibc_report *rep, const char *command, const char *device)
{
	ibc_report_set_meta(rep, &(struct ibc_report_meta){
				     .time = 1769860800,
				     .command = command,
				     .source_kind = "umad",
				     .source_ca = device,
				     .source_port = 1,
				     .duration_seconds = 0.1200000000001,
				 });
}

/* ---- the program's own -------------------------------------------------------- */

static void one_verdict_of_all_is_1(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	set_meta(rep, "ports", "mlx5_0");
	mkfinding(rep, "port.width", IBC_WARNING, 1);
	text = rendered(rep);
	assert_in(text, "# TYPE ibcheck_verdict gauge\n"
	                "ibcheck_verdict{command=\"ports\",source=\"mlx5_0/1\",verdict=\"ok\"} 0\n"
	                "ibcheck_verdict{command=\"ports\",source=\"mlx5_0/1\","
	                "verdict=\"warning\"} 1\n"
	                "ibcheck_verdict{command=\"ports\",source=\"mlx5_0/1\","
	                "verdict=\"unknown\"} 0\n"
	                "ibcheck_verdict{command=\"ports\",source=\"mlx5_0/1\","
	                "verdict=\"critical\"} 0\n");
	free(text);
}

static void the_run_tells_when_and_how_long(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	set_meta(rep, "all", NULL);
	text = rendered(rep);
	assert_in(text, "ibcheck_last_run_timestamp_seconds{command=\"all\",source=\"umad\"} "
	                "1769860800\n");
	assert_in(text, "ibcheck_run_duration_seconds{command=\"all\",source=\"umad\"} 0.12\n");
	assert_in(text, "ibcheck_complete{command=\"all\",source=\"umad\"} 1\n");
	assert_in(text, "version=\"" IBC_VERSION "\"} 1\n");
	free(text);
}

static void what_is_not_known_has_no_sample(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	text = rendered(rep);
	assert_in(text, "ibcheck_complete{command=\"\",source=\"\"} 1\n");
	assert_not_in(text, "timestamp");
	assert_not_in(text, "duration");
	assert_not_in(text, "rtt");
	assert_not_in(text, "coverage_asked");
	free(text);
}

static void a_source_file_is_its_name_escaped(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_set_meta(
	    rep, &(struct ibc_report_meta){ .source_kind = "snapshot", .source_file = "a\"b\\c" });
	text = rendered(rep);
	assert_in(text, "ibcheck_complete{command=\"\",source=\"a\\\"b\\\\c\"} 1\n");
	free(text);
}

static void checks_that_found_nothing_say_0(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_ran(rep, "port.mtu");
	ibc_report_ran(rep, "port.width");
	ibc_report_skip(rep, "port.vl", NULL);
	mkfinding(rep, "port.width", IBC_CRITICAL, 1);
	mkfinding(rep, "port.width", IBC_INFO, 2);
	mkfinding(rep, "port.width", IBC_CRITICAL, 3);
	mkfinding(rep, "known.stale", IBC_INFO, 4);
	text = rendered(rep);
	assert_in(text, ",check=\"port.mtu\",severity=\"critical\"} 0\n");
	assert_in(text, ",check=\"port.width\",severity=\"critical\"} 2\n");
	assert_in(text, ",check=\"port.width\",severity=\"info\"} 1\n");
	assert_in(text, ",check=\"known.stale\",severity=\"info\"} 1\n");
	assert_not_in(text, "port.vl");
	assert_in(text, "ibcheck_findings{command=\"\",source=\"\",severity=\"critical\"} 2\n");
	assert_in(text, "ibcheck_checks_run{command=\"\",source=\"\"} 2\n");
	assert_in(text, "ibcheck_checks_skipped{command=\"\",source=\"\"} 1\n");
	assert_in(text, "ibcheck_complete{command=\"\",source=\"\"} 0\n");
	free(text);
}

static void a_finding_names_its_cable(void **state)
{
	struct ibc_subject cable = mkcable(mkend(3, "leaf03", 19), mkend(0x65, "spine01", 3));
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_add(rep, "topo.slow", IBC_WARNING, &cable, "is slow");
	ibc_report_add(rep, "sm.none", IBC_CRITICAL, &the_fabric, "no subnet manager");
	text = rendered(rep);
	assert_in(text, "ibcheck_finding{command=\"\",source=\"\",check=\"topo.slow\","
	                "severity=\"warning\",subject=\"leaf03/19 - spine01/3\","
	                "guid=\"0x0000000000000003\",port=\"19\","
	                "peer_guid=\"0x0000000000000065\",peer_port=\"3\"} 1\n");
	assert_in(text, "check=\"sm.none\",severity=\"critical\",subject=\"fabric\",guid=\"\","
	                "port=\"\",peer_guid=\"\",peer_port=\"\"} 1\n");
	free(text);
}

static void two_findings_about_one_port_are_one_sample(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_subject at = mkport(1, "leaf", 1);
	char *text, *first;

	(void)state;
	ibc_report_add(rep, "port.mtu", IBC_WARNING, &at, "one");
	ibc_report_add(rep, "port.mtu", IBC_CRITICAL, &at, "three");
	ibc_report_add(rep, "port.mtu", IBC_WARNING, &at, "two");
	text = rendered(rep);
	first = strstr(text, "check=\"port.mtu\",severity=\"warning\",subject=\"leaf/1\"");
	assert_non_null(first);
	*strstr(first, "# HELP") = '\0';
	assert_in(first, "} 2\n");
	assert_null(strstr(first + 30, "severity=\"warning\",subject=\"leaf/1\""));
	free(text);
}

static void a_case_is_a_sample_with_its_id(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_case cases[2];
	char *text;

	(void)state;
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	mkfinding(rep, "b.b", IBC_UNKNOWN, 2);
	mkfinding(rep, "c.c", IBC_INFO, 3);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	cases[0] = mkcase(rep, 0, 2, 1);
	cases[0].severity = IBC_UNKNOWN;
	cases[1] = mkcase(rep, 2, 1, 1);
	mkcases(rep, cases, 2);
	text = rendered(rep);
	assert_in(text, "\nibcheck_case{command=\"\",source=\"\",id=\"00c0ffee\",check=\"a.a\","
	                "severity=\"unknown\",subject=\"leaf/1\",guid=\"0x0000000000000001\","
	                "port=\"1\",peer_guid=\"\",peer_port=\"\"} 1\n"
	                "ibcheck_case{command=\"\",source=\"\",id=\"00c0fff0\",");
	assert_in(text, "\nibcheck_cases{command=\"\",source=\"\",severity=\"warning\"} 0\n"
	                "ibcheck_cases{command=\"\",source=\"\",severity=\"unknown\"} 1\n");
	assert_in(text, "\nibcheck_known_cases{command=\"\",source=\"\"} 0\n");
	free(text);
}

static void very_many_findings_are_counted_and_not_all_listed(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;
	size_t n = 0;

	(void)state;
	for (unsigned int i = 1; i <= 1005; i++)
		mkfinding(rep, "port.width", IBC_WARNING, i);
	text = rendered(rep);
	for (const char *at = text; (at = strstr(at, "\nibcheck_finding{")); at++)
		n++;
	assert_int_equal(n, 1000);
	n = 0;
	for (const char *at = text; (at = strstr(at, "\nibcheck_case{")); at++)
		n++;
	assert_int_equal(n, 1000);
	assert_in(text, "ibcheck_findings{command=\"\",source=\"\",severity=\"warning\"} 1005\n");
	free(text);
}

static void known_findings_are_counted_apart(void **state)
{
	char path[] = "/tmp/ibcheck-known-XXXXXX";
	struct ibc_report *rep = mkreport();
	int fd = mkstemp(path);
	char *text;

	(void)state;
	assert_true(fd >= 0);
	dprintf(fd, "port.width * 2026-12-31 jo spare\n");
	close(fd);
	mkfinding(rep, "port.width", IBC_CRITICAL, 1);
	assert_int_equal(ibc_report_known(rep, path, "2026-01-31", NULL, NULL, NULL), 0);
	unlink(path);
	text = rendered(rep);
	assert_in(text, "ibcheck_known_findings{command=\"\",source=\"\"} 1\n");
	assert_in(text, "ibcheck_findings{command=\"\",source=\"\",severity=\"critical\"} 0\n");
	assert_in(text, ",check=\"port.width\",severity=\"critical\"} 0\n");
	assert_not_in(text, "ibcheck_finding{");
	free(text);
}

static void coverage_is_told_by_attribute_and_outcome(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_cover(rep, "PortInfo", &(struct ibc_coverage){ 2593, 2570, 11, 3, 9 });
	ibc_report_not_asked(rep, 30);
	ibc_report_mads(rep, &(struct ibc_sweep){ .sent = 2600,
	                                          .answered = 2570,
	                                          .dropped_short = 1,
	                                          .peak_in_flight = 128,
	                                          .rtt_p50_us = 31,
	                                          .rtt_p99_us = 1500000 });
	ibc_report_sum(rep, "nodes", 702);
	text = rendered(rep);
	assert_in(text, "ibcheck_coverage_asked{command=\"\",source=\"\",attribute=\"PortInfo\"} "
	                "2593\n");
	assert_in(text,
	          "coverage_answered{command=\"\",source=\"\",attribute=\"PortInfo\"} 2570\n");
	assert_in(text,
	          "coverage_unsupported{command=\"\",source=\"\",attribute=\"PortInfo\"} 11\n");
	assert_in(text, "coverage_refused{command=\"\",source=\"\",attribute=\"PortInfo\"} 3\n");
	assert_in(text, "coverage_timed_out{command=\"\",source=\"\",attribute=\"PortInfo\"} 9\n");
	assert_in(text, "ibcheck_coverage_not_asked{command=\"\",source=\"\"} 30\n");
	assert_in(text, "ibcheck_mads_sent{command=\"\",source=\"\"} 2600\n");
	assert_in(text, "ibcheck_mads_dropped_short{command=\"\",source=\"\"} 1\n");
	assert_in(text, "ibcheck_mads_peak_in_flight{command=\"\",source=\"\"} 128\n");
	assert_in(text, "ibcheck_mads_rtt_p50_seconds{command=\"\",source=\"\"} 3.1e-05\n");
	assert_in(text, "ibcheck_mads_rtt_p99_seconds{command=\"\",source=\"\"} 1.5\n");
	assert_in(text, "ibcheck_size{command=\"\",source=\"\",item=\"nodes\"} 702\n");
	free(text);
}

/* ---- tables --------------------------------------------------------------------- */

static void columns_become_metrics_of_the_rows_that_are_meant(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &grouped_ports);

	(void)state;
	add_row(t, &sw, 1, ibc_u64(12), ibc_real(0.5), "spine01");
	add_row(t, &ca, 1, ibc_u64(99), ibc_real(0.25), "leaf03");
	add_row(t, &sw, 2, ibc_u64(0), ibc_none(), NULL);
	add_row(t, &ca, 2, ibc_u64(99), ibc_none(), NULL);
	assert_measured(
	    rep, "# HELP fabric_switch_port_errors_total Switch PortErrors\n"
		 "# TYPE fabric_switch_port_errors_total counter\n"
		 "fabric_switch_port_errors_total{guid=\"0x00000000000002c9\",port=\"1\"} 12\n"
		 "fabric_switch_port_errors_total{guid=\"0x00000000000002c9\",port=\"2\"} 0\n"
		 "# HELP fabric_switch_port_load_ratio Switch\n"
		 "# TYPE fabric_switch_port_load_ratio gauge\n"
		 "fabric_switch_port_load_ratio{guid=\"0x00000000000002c9\",port=\"1\"} 0.5\n"
		 "# HELP fabric_switch_port_up Switch has a link,\\n\\\\o/\n"
		 "# TYPE fabric_switch_port_up gauge\n"
		 "fabric_switch_port_up{guid=\"0x00000000000002c9\",port=\"1\"} 1\n"
		 "fabric_switch_port_up{guid=\"0x00000000000002c9\",port=\"2\"} 0\n"
		 "# HELP fabric_hca_uplink_info HCA uplink\n"
		 "# TYPE fabric_hca_uplink_info gauge\n"
		 "fabric_hca_uplink_info{hca=\"node01 \\\"mlx5\\\\0\\\"\",port=\"1\","
		 "uplink=\"leaf03\",lid=\"\"} 1\n");
}

/* A collector refuses a file that has one series twice. */
static void equal_labels_are_one_sample_the_first_that_is_known(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &whole_ports);
	char *text;

	(void)state;
	add_row(t, &sw, 1, ibc_none(), ibc_real(0.5), NULL);
	add_row(t, &sw, 1, ibc_u64(2), ibc_real(0.75), NULL);
	add_row(t, &sw, 1, ibc_u64(3), ibc_none(), NULL);
	text = rendered(rep);
	assert_in(text, "# HELP fabric_port_errors_total PortErrors\n");
	assert_in(text, "errors_total{guid=\"0x00000000000002c9\",port=\"1\"} 2\n# ");
	assert_in(text, "load_ratio{guid=\"0x00000000000002c9\",port=\"1\"} 0.5\n# ");
	/* one of errors, one of load, two of up */
	assert_in(text, "ibcheck_duplicate_samples{command=\"\",source=\"\"} 4\n");
	free(text);
}

static void numbers_out_of_the_ordinary_have_no_sample(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &whole_ports);
	char *text;

	(void)state;
	add_row(t, &sw, 1, ibc_u64(UINT64_MAX), ibc_real((double)NAN), NULL);
	add_row(t, &sw, 2, ibc_u64(1), ibc_real((double)INFINITY), NULL);
	text = rendered(rep);
	assert_in(text, "port=\"1\"} 18446744073709551615\n");
	assert_not_in(text, "load_ratio");
	free(text);
}

static void a_table_without_metrics_or_rows_has_none(void **state)
{
	static const struct ibc_table_type others = { "others", columns, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_table(rep, &whole_ports);
	add_row(ibc_report_table(rep, &others), &sw, 1, ibc_none(), ibc_none(), NULL);
	text = rendered(rep);
	assert_not_in(text, "fabric_");
	assert_in(text, "ibcheck_duplicate_samples{command=\"\",source=\"\"} 0\n");
	free(text);
}

static int render_away(const struct ibc_report *rep)
{
	FILE *out = fopen("/dev/null", "w");
	int rc;

	assert_non_null(out);
	rc = ibc_report_render(rep, "prometheus", NULL, out, NULL);
	fclose(out);
	return rc;
}

static void running_out_of_memory_is_a_failure(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &grouped_ports);
	unsigned long n = 0;
	int rc;

	(void)state;
	mkfinding(rep, "port.width", IBC_WARNING, 1);
	for (unsigned int i = 1; i < 10; i++)
		add_row(t, i & 1 ? &sw : &ca, i, ibc_u64(i), ibc_real(i), "peer");
	mkfinished(rep);
	do {
		alloc_fail_at(++n);
		rc = render_away(rep);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	assert_in_range(n, 8, 100);
	ibc_report_free(rep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_verdict_of_all_is_1),
		cmocka_unit_test(the_run_tells_when_and_how_long),
		cmocka_unit_test(what_is_not_known_has_no_sample),
		cmocka_unit_test(a_source_file_is_its_name_escaped),
		cmocka_unit_test(checks_that_found_nothing_say_0),
		cmocka_unit_test(a_finding_names_its_cable),
		cmocka_unit_test(two_findings_about_one_port_are_one_sample),
		cmocka_unit_test(a_case_is_a_sample_with_its_id),
		cmocka_unit_test(very_many_findings_are_counted_and_not_all_listed),
		cmocka_unit_test(known_findings_are_counted_apart),
		cmocka_unit_test(coverage_is_told_by_attribute_and_outcome),
		cmocka_unit_test(columns_become_metrics_of_the_rows_that_are_meant),
		cmocka_unit_test(equal_labels_are_one_sample_the_first_that_is_known),
		cmocka_unit_test(numbers_out_of_the_ordinary_have_no_sample),
		cmocka_unit_test(a_table_without_metrics_or_rows_has_none),
		cmocka_unit_test(running_out_of_memory_is_a_failure),
	};

	return cmocka_run_group_tests_name("prometheus", tests, NULL, NULL);
}
