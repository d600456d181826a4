/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs read. */
#include "mkrender.h"

#include <jansson.h>
#include <math.h>

/* ---- CSV ------------------------------------------------------------------------- */

static void csv_quotes_what_would_not_read_back(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("a,b"), ibc_str("the \"spine\"") });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str(""), ibc_str("a b;c'd") });
	assert_rendered(rep, "csv", &(struct ibc_render_opts){ .table = "t" },
	                "a,b\n\"a,b\",\"the \"\"spine\"\"\"\n,a b;c'd\n");
}

static void csv_has_every_column_words_as_in_json_and_nothing_for_null(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_table(rep);
	ibc_table_hide(ibc_report_table(rep, &plugs), "port");
	assert_rendered(rep, "csv", &(struct ibc_render_opts){ .table = "plugs", .columns = 20 },
	                "node_guid,node,port,state,rate_gbps,split,peer\n"
	                "0x00000000000002c9,leaf03,1,linkup,54.5,true,spine01/3\n"
	                "0x00000000000002c9,caf\xc3\xa9,12,,,false,\n"
	                "0xffffffffffffffff,\xe6\xa9\x9f,3,linkup,100,,\n");
}

static void csv_of_an_empty_table_is_its_head(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_slow(rep);
	ibc_report_table(rep, &empty);
	assert_rendered(rep, "csv", &(struct ibc_render_opts){ .table = "empty" },
	                "node_guid,node,port,state,rate_gbps,split,peer\n");
}

#define CSV_FINDINGS                                                                               \
	"check,severity,kind,node_guid,node_desc,port,peer_guid,peer_desc,peer_port,"              \
	"message,advice,known_until\n"

static void csv_without_a_table_is_the_findings(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	assert_rendered(mkreport(), "csv", NULL, CSV_FINDINGS);
	add_slow(rep);
	add_table(rep);
	ibc_report_add(rep, "a.a", IBC_INFO, &the_fabric, "m");
	accept_finding(rep, "topo.slow * 2026-12-31 alice is on order");
	assert_rendered(rep, "csv", NULL,
	                CSV_FINDINGS "a.a,info,fabric,,,,,,,m,,\n"
	                             "topo.slow,warning,cable,0x000000000000000b,leaf11,25,"
	                             "0x000000000000006c,spine08,11,\"trained 4x FDR (54.5 Gb/s), "
	                             "planned 4x EDR (100 Gb/s)\",\"reseat, then replace the "
	                             "cable\",2026-12-31\n");
	assert_rendered(partly_shown((struct ibc_show){ .least = IBC_CRITICAL }), "csv", NULL,
	                CSV_FINDINGS "topo.swapped,critical,cable,0x0000000000000003,leaf03,19,"
	                             "0x0000000000000066,spine02,3,two cables are exchanged: "
	                             "leaf03/19 belongs on spine01/3,exchange the two plugs at "
	                             "spine01/7 and spine02/3.,\n");
}

/* ---- nagios ----------------------------------------------------------------- */

static void nagios_gets_one_line_with_performance_data_first(void **state)
{
	(void)state;
	assert_rendered(
	    full_report(), "nagios", NULL,
	    "IBCHECK CRITICAL - 1 critical, 1 unknown, 1 warning, 1 info, 1 known, incomplete; "
	    "topo.swapped leaf03/19 - spine02/3... | "
	    "criticals=1 warnings=1 unknowns=1 cases_critical=1 "
	    "cases_warning=1 cases_unknown=1 nodes=702 switches=54 "
	    "links=1296 unanswered=43 seconds=0.120s\n"
	    "IBCHECK CRITICAL - 1 critical, 1 unknown, 1 warning, 1 info, 1 known, incomplete; "
	    "topo.swapped leaf03/19 - spine02/3 [00c0fff2]: two cables are exchanged: leaf03/19 "
	    "belongs on spine01/3\n"
	    "not answered: PortInfo 12 of 2593 (3 refused), SwitchInfo 1 of 54\n"
	    "not sent before the deadline: 30 queries\n"
	    "not checked: port.vl (a.net does not tell PortInfo); "
	    "port.mtu (no reason given)\n"
	    "CRITICAL topo.swapped leaf03/19 - spine02/3 [00c0fff2]: two cables are exchanged: "
	    "leaf03/19 "
	    "belongs on spine01/3\n"
	    "UNKNOWN port.silent host09 <&\"'> / \xef\xbf\xbe [00c0ffef]: does not answer / at "
	    "all\n"
	    "WARNING topo.slow leaf11/25 - spine08/11 [00c0fff1]: trained 4x FDR (54.5 Gb/s), "
	    "planned 4x "
	    "EDR (100 Gb/s)\n"
	    "INFO known.stale fabric [00c0ffee]: line 1 of known.txt matches no finding: "
	    "port.width "
	    "nothing 2026-12-31 alice r\n"
	    "known until 2026-12-31 (alice: is on order): port.width host09 <&\"'> / "
	    "\xef\xbf\xbe [00c0fff0]: is known\n");
}

/* Wrappers put it into a command, or into JSON; the whole name is in the line below. */
static void nagios_has_no_quotes_in_its_first_line(void **state)
{
	struct ibc_subject subject = mkport(1, "it's \"leaf\\01\" `x`|", 1);
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "a.a", IBC_WARNING, &subject, "is not as it should be");
	assert_contains(rep, "nagios", NULL, "IBCHECK WARNING - 1 warning; a.a its leaf01 x//1 [");
}

static void nagios_says_what_is_not_known(void **state)
{
	(void)state;
	assert_rendered(
	    mkreport(), "nagios", NULL,
	    "IBCHECK OK - no findings | criticals=0 warnings=0 unknowns=0 cases_critical=0 "
	    "cases_warning=0 cases_unknown=0 nodes=U switches=U "
	    "links=U unanswered=0 seconds=U\n");
}

/* Further rows are told by their number; what has no number is not known. */
static void nagios_gets_the_figures_of_tables(void **state)
{
	static const struct ibc_column figures[] = {
		COLUMN(0, "subnet", NULL), COLUMN(1, "broken", NULL), COLUMN(2, "mean", NULL), { 0 }
	};
	static const struct ibc_label labels[] = { { "subnet", "subnet" }, { 0 } };
	static const struct ibc_metric metrics[] = {
		{ "broken", "pairs_broken", "pairs", IBC_METRIC_FIGURE },
		{ "subnet", "info", "a gauge is no figure", IBC_METRIC_INFO },
		{ "mean", "bisection_ratio", "share", IBC_METRIC_FIGURE },
		{ "gone", "gone", "no such column", IBC_METRIC_FIGURE },
		{ 0 },
	};
	static const struct ibc_metric_group groups[] = {
		{ "routes_", "Routes:", NULL, NULL, labels, metrics },
		{ 0 },
	};
	static const struct ibc_table_type routes = { "routes", figures, groups, NULL, NULL };
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &routes);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("a|b"), ibc_u64(3), ibc_real(0.25) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("b"), ibc_u64(0), ibc_none() });
	assert_rendered(
	    rep, "nagios", NULL,
	    "IBCHECK OK - no findings | criticals=0 warnings=0 unknowns=0 cases_critical=0 "
	    "cases_warning=0 cases_unknown=0 nodes=U switches=U "
	    "links=U pairs_broken=3 pairs_broken_2=0 bisection_ratio=0.25 "
	    "bisection_ratio_2=U unanswered=0 seconds=U\n");
}

static void nagios_output_stays_small_unless_asked(void **state)
{
	struct ibc_report *rep;
	char *text;

	(void)state;
	for (int all = 0; all < 2; all++) {
		rep = mkreport();
		for (unsigned int i = 0; i < 50; i++)
			mkfinding(rep, i % 2 ? "a.a" : "b.b", IBC_WARNING, i);
		accept_finding(rep, "b.b * 2026-12-31 alice r");
		text = rendered(rep, "nagios", all ? &verbose : NULL);
		assert_int_equal(strstr(text, "\n... and 5 more\n") == NULL, all);
		assert_int_equal(strstr(text, "\n... and 5 more known\n") == NULL, all);
		free(text);
	}
}

/* ---- what can go wrong ------------------------------------------------------- */

static void formats_are_listed(void **state)
{
	(void)state;
	assert_string_equal(ibc_render_format(0), "text");
	assert_string_equal(ibc_render_format(1), "json");
	assert_string_equal(ibc_render_format(2), "csv");
	assert_string_equal(ibc_render_format(3), "html");
	assert_string_equal(ibc_render_format(4), "prometheus");
	assert_string_equal(ibc_render_format(5), "nagios");
	assert_string_equal(ibc_render_format(6), "junit");
	assert_null(ibc_render_format(7));
}

/* A file that is always full takes some of what it gets, into its buffer. */
static void a_full_disk_is_a_failure_in_every_format(void **state)
{
	struct ibc_report *rep = full_report();
	struct ibc_error err;
	const char *format;

	(void)state;
	mkfinished(rep);
	for (size_t i = 0; (format = ibc_render_format(i)); i++) {
		for (int buffered = 0; buffered < 2; buffered++) {
			FILE *full = fopen("/dev/full", "w");

			assert_non_null(full);
			setvbuf(full, NULL, buffered ? _IOFBF : _IONBF, 0);
			assert_int_equal(ibc_report_render(rep, format, NULL, full, &err), -EIO);
			assert_string_equal(err.text,
			                    "cannot write the report: No space left on device");
			fclose(full);
		}
	}
	ibc_report_free(rep);
}

static void a_stream_that_failed_before_is_a_failure(void **state)
{
	struct ibc_report *rep = mkreport();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	fputs("x", full);
	freopen("/dev/null", "w", full);
	fputs("x", full);
	mkfinished(rep);
	assert_int_equal(ibc_report_render(rep, "text", NULL, full, NULL), 0);
	fclose(full);
	full = fopen("/dev/null", "r");
	assert_int_equal(ibc_report_render(rep, "text", NULL, full, NULL), -EIO);
	fclose(full);
	ibc_report_free(rep);
}

static void only_finished_reports_and_known_formats_are_rendered(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_error err;

	(void)state;
	assert_int_equal(ibc_report_render(rep, "yaml", NULL, stdout, &err), -EINVAL);
	assert_string_equal(err.text, "no such format: \"yaml\"");
	assert_int_equal(ibc_report_render(rep, "text", NULL, stdout, &err), -EINVAL);
	assert_string_equal(err.text, "the report is not finished");
	alloc_fail_at(1);
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	alloc_fail_at(0);
	assert_int_equal(ibc_report_render(rep, "text", NULL, stdout, &err), -ENOMEM);
	assert_string_equal(err.text, "out of memory");
	ibc_report_free(rep);
}

static int render_away(const struct ibc_report *rep, const char *format)
{
	FILE *out = fopen("/dev/null", "w");
	int rc;

	assert_non_null(out);
	rc = ibc_report_render(rep, format, &verbose, out, NULL);
	fclose(out);
	return rc;
}

static void running_out_of_memory_is_a_failure(void **state)
{
	struct ibc_report *rep = full_report();
	const char *format;
	unsigned long n;
	int rc;

	(void)state;
	mkfinished(rep);
	for (size_t i = 0; (format = ibc_render_format(i)); i++) {
		n = 0;
		do {
			alloc_fail_at(++n);
			rc = render_away(rep, format);
			alloc_fail_at(0);
			assert_true(rc == 0 || rc == -ENOMEM);
		} while (rc);
		assert_in_range(n, 1, 20);
	}
	ibc_report_free(rep);
}

/* ---- JSON -------------------------------------------------------------------- */

static json_t *parsed(struct ibc_report *rep)
{
	json_error_t err;
	char *text = rendered(rep, "json", NULL);
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &err);

	if (!json)
		fail_msg("%s in:\n%s", err.text, text);
	free(text);
	return json;
}

/* By keys and indices, as in "findings.0.subject.port". */
static const json_t *at(const json_t *json, const char *path)
{
	char *steps = strdup(path), *rest = NULL;

	for (char *s = strtok_r(steps, ".", &rest); s; s = strtok_r(NULL, ".", &rest)) {
		json = json_is_array(json) ? json_array_get(json, strtoul(s, NULL, 10))
		                           : json_object_get(json, s);
		if (!json)
			fail_msg("no %s in %s", s, path);
	}
	free(steps);
	return json;
}

static void assert_json(const json_t *json, const char *path, const char *expected)
{
	char *text = json_dumps(at(json, path), JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	assert_string_equal(text, expected);
	free(text);
}

static void every_key_is_there_in_an_empty_report(void **state)
{
	static const struct {
		const char *path, *value;
	} expected[] = {
		{ "schema", "2" },
		{ "tool", "{\"name\": \"ibcheck\", \"version\": \"" IBC_VERSION "\"}" },
		{ "meta.time", "null" },
		{ "meta.host", "null" },
		{ "meta.command", "null" },
		{ "meta.arguments", "[]" },
		{ "meta.source", "{\"kind\": null, \"ca\": null, \"port\": null, \"file\": null}" },
		{ "meta.duration_seconds", "null" },
		{ "verdict", "\"ok\"" },
		{ "verdict_time", "null" },
		{ "summary", "{\"critical\": 0, \"warning\": 0, \"unknown\": 0, \"info\": 0, "
		             "\"known\": 0, \"cases_critical\": 0, \"cases_warning\": 0, "
		             "\"cases_unknown\": 0, \"cases_info\": 0, "
		             "\"nodes\": null, \"switches\": null, "
		             "\"links\": null}" },
		{ "coverage.complete", "true" },
		{ "coverage.attributes", "[]" },
		{ "coverage.not_asked", "0" },
		{ "coverage.ran", "[]" },
		{ "coverage.skipped", "[]" },
		{ "coverage.mads.sent", "0" },
		{ "coverage.mads.rtt_p50_us", "null" },
		{ "coverage.mads.rtt_p99_us", "null" },
		{ "findings", "[]" },
		{ "cases", "[]" },
		{ "tables", "{}" },
	};
	json_t *json = parsed(mkreport());

	(void)state;
	assert_int_equal(json_object_size(json), 10);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_json(json, expected[i].path, expected[i].value);
	json_decref(json);
}

static void json_holds_all_that_a_report_does(void **state)
{
	static const struct {
		const char *path, *value;
	} expected[] = {
		{ "meta.time", "\"2026-01-31T12:00:00Z\"" },
		{ "meta.host", "\"head\"" },
		{ "meta.arguments", "[\"topo\", \"-v\"]" },
		{ "meta.source", "{\"kind\": \"umad\", \"ca\": \"mlx5_0\", \"port\": 1, "
		                 "\"file\": null}" },
		{ "meta.duration_seconds", "0.12" },
		{ "verdict", "\"critical\"" },
		{ "verdict_time", "\"2026-01-31T12:00:00Z\"" },
		{ "summary", "{\"critical\": 1, \"warning\": 1, \"unknown\": 1, \"info\": 1, "
		             "\"known\": 1, \"cases_critical\": 1, \"cases_warning\": 1, "
		             "\"cases_unknown\": 1, \"cases_info\": 1, \"nodes\": 702, "
		             "\"switches\": 54, \"links\": 1296, "
		             "\"subnets\": 1}" },
		{ "coverage.complete", "false" },
		{ "coverage.attributes.1",
		  "{\"attribute\": \"PortInfo\", \"asked\": 2593, \"answered\": 2581, "
		  "\"unsupported\": 0, \"refused\": 3, \"timed_out\": 9}" },
		{ "coverage.not_asked", "30" },
		{ "coverage.ran", "[\"port.width\", \"port.state\"]" },
		{ "coverage.skipped",
		  "[{\"check\": \"port.vl\", \"reason\": \"a.net does not tell PortInfo\", "
		  "\"option\": null}, {\"check\": \"port.mtu\", \"reason\": null, \"option\": "
		  "null}]" },
		{ "coverage.mads.peak_in_flight", "128" },
		{ "coverage.mads.rtt_p99_us", "90" },
		{ "findings.0.check", "\"known.stale\"" },
		{ "findings.0.subject",
		  "{\"kind\": \"fabric\", \"node_guid\": null, \"node_desc\": "
		  "\"port.width nothing 2026-12-31 alice r\", \"port\": "
		  "null, \"port_label\": null, "
		  "\"peer_guid\": null, \"peer_desc\": null, \"peer_port\": null, "
		  "\"peer_port_label\": null}" },
		{ "findings.0.known", "null" },
		{ "findings.1.unanswered", "13" },
		{ "findings.1.advice", "null" },
		{ "findings.1.subject.kind", "\"node\"" },
		{ "findings.1.subject.port", "null" },
		{ "findings.2.known", "{\"until\": \"2026-12-31\", \"owner\": \"alice\", "
		                      "\"reason\": \"is on order\", \"expired\": false, "
		                      "\"grown\": null}" },
		{ "findings.3.severity", "\"warning\"" },
		{ "findings.3.known.expired", "true" },
		{ "findings.3.facts", "{\"found_gbps\": 54.5, \"state\": \"linkup\"}" },
		{ "findings.4.subject",
		  "{\"kind\": \"cable\", \"node_guid\": \"0x0000000000000003\", "
		  "\"node_desc\": \"leaf03\", \"port\": 19, \"port_label\": null, "
		  "\"peer_guid\": \"0x0000000000000066\", \"peer_desc\": \"spine02\", "
		  "\"peer_port\": 3, \"peer_port_label\": null}" },
		{ "findings.4.related.1",
		  "{\"role\": \"planned\", \"kind\": \"cable\", "
		  "\"node_guid\": \"0x0000000000000003\", "
		  "\"node_desc\": \"leaf03\", \"port\": 19, \"port_label\": null, "
		  "\"peer_guid\": \"0x0000000000000065\", \"peer_desc\": \"spine01\", "
		  "\"peer_port\": 3, \"peer_port_label\": null}" },
		{ "findings.4.advice", "\"exchange the two plugs at spine01/7 and spine02/3.\"" },
		{ "tables.plugs.1",
		  "{\"node_guid\": \"0x00000000000002c9\", \"node\": \"caf\xc3\xa9\", "
		  "\"port\": 12, \"state\": null, \"rate_gbps\": null, \"split\": false, "
		  "\"peer\": null}" },
		{ "tables.plugs.2.node_guid", "\"0xffffffffffffffff\"" },
		{ "tables.plugs.2.rate_gbps", "100.0" },
		{ "tables.plugs.2.peer", "\"\"" },
		{ "tables.empty", "[]" },
	};
	json_t *json = parsed(full_report());

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_json(json, expected[i].path, expected[i].value);
	json_decref(json);
}

static void json_has_the_findings_of_a_case_by_their_places(void **state)
{
	struct ibc_report *rep = report_with_a_case();
	json_t *json;

	(void)state;
	ibc_report_show(rep, &(struct ibc_show){ .guids = (uint64_t[]){ 3 }, .num_guids = 1 });
	json = parsed(rep);
	assert_json(json, "cases.0.findings", "[0, 1]");
	assert_json(json, "summary.hidden", "4");
	assert_int_equal(json_array_size(at(json, "cases")), 1);
	json_decref(json);
	json = parsed(report_with_a_case());
	assert_json(json, "cases.0.id", "\"00c0ffee\"");
	assert_json(json, "cases.0.check", "\"a.silent\"");
	assert_json(json, "cases.0.subject.node_desc", "\"leaf03\"");
	assert_json(json, "cases.0.message", "\"does not answer\"");
	assert_json(json, "cases.0.advice", "\"look at its power\"");
	assert_json(json, "cases.0.trait", "\"switch leaf03\"");
	assert_json(json, "cases.0.members", "2");
	assert_json(json, "cases.0.findings", "[0, 1, 2, 3, 4]");
	assert_json(json, "cases.0.since", "null");
	assert_json(json, "cases.1.findings", "[5]");
	assert_json(json, "summary.critical", "2");
	assert_json(json, "summary.cases_critical", "1");
	assert_json(json, "summary.cases_unknown", "0");
	json_decref(json);
}

static void numbers_out_of_the_ordinary_are_json_still(void **state)
{
	static const char *const expected[] = {
		"9223372036854775807",
		"1.84467440737096e19",
		"null",
		"null",
		"null",
		"0.1",
		"-0.0",
		"1e300",
	};
	const struct ibc_value values[] = {
		ibc_u64(INT64_MAX),  ibc_u64(UINT64_MAX), ibc_real(NAN),  ibc_real(INFINITY),
		ibc_real(-INFINITY), ibc_real(0.1),       ibc_real(-0.0), ibc_real(1e300),
	};
	struct ibc_report *rep = mkreport();
	json_t *json;
	char path[32];

	(void)state;
	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .duration_seconds = NAN });
	for (size_t i = 0; i < 8; i++)
		ibc_table_row(ibc_report_table(rep, &one), &values[i]);
	json = parsed(rep);
	assert_json(json, "meta.duration_seconds", "null");
	for (size_t i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "tables.t.%zu.n", i);
		assert_json(json, path, expected[i]);
	}
	json_decref(json);
}

static void rows_do_not_inherit_from_the_row_before(void **state)
{
	struct ibc_report *rep = mkreport();
	json_t *json;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		add_table(rep);
	json = parsed(rep);
	for (unsigned int i = 0; i < 30; i++) {
		const json_t *row = json_array_get(at(json, "tables.plugs"), i);

		assert_true(json_equal(row, json_array_get(at(json, "tables.plugs"), i % 3)));
	}
	json_decref(json);
}

static void a_table_of_any_size_is_written_whole(void **state)
{
	const unsigned int n = 30000;
	struct ibc_report *rep = mkreport();
	json_t *json;

	(void)state;
	for (unsigned int i = 0; i < n / 3; i++)
		add_table(rep);
	json = parsed(rep);
	assert_int_equal(json_array_size(at(json, "tables.plugs")), n);
	json_decref(json);
}

/* ---- what other programs say --------------------------------------------------- */

static void write_report(struct ibc_report *rep, const char *format, const char *path)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	mkfinished(rep);
	assert_int_equal(ibc_report_render(rep, format, NULL, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	ibc_report_free(rep);
}

/* Runs a command that says 77 where it lacks something. */
static void assert_passes(const char *command)
{
	int status = system(command);

	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# skipped: %s\n", command);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static struct ibc_report *only_silence(void)
{
	struct ibc_report *rep = mkreport();

	add_gaps(rep);
	return rep;
}

static struct ibc_report *only_accepted_silence(void)
{
	struct ibc_report *rep = mkreport();

	ibc_report_cover(rep, "PortInfo", &(struct ibc_coverage){ .asked = 2, .refused = 2 });
	mkfinding(rep, "port.silent", IBC_UNKNOWN, 1);
	ibc_report_unanswered(rep, 2);
	accept_finding(rep, "port.silent * 2026-12-31 alice is being moved");
	return rep;
}

static struct ibc_report *only_odd_numbers(void)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &one);

	ibc_table_row(t, (struct ibc_value[]){ ibc_u64(UINT64_MAX) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_real(NAN) });
	return rep;
}

static struct ibc_report *only_critical(void)
{
	return partly_shown((struct ibc_show){ .least = IBC_CRITICAL });
}

static struct ibc_report *(*const samples[])(void) = {
	mkreport, full_report, only_silence, only_accepted_silence, only_odd_numbers, only_critical,
};
#define NUM_SAMPLES (sizeof(samples) / sizeof(samples[0]))

static void every_report_fits_the_schema(void **state)
{
	char command[sizeof(top) + 64];

	(void)state;
	snprintf(command, sizeof(command), "%s/tests/validate-report report.json", top);
	for (size_t i = 0; i < NUM_SAMPLES; i++) {
		write_report(samples[i](), "json", "report.json");
		assert_passes(command);
	}
}

static void a_report_that_does_not_fit_the_schema_is_told(void **state)
{
	static const char *const edits[] = {
		"s/\"schema\": 2/\"schema\": 1/",
		"s/\"verdict\": \"critical\"/\"verdict\": \"ok\"/",
		"s/\"verdict_time\": \"2026/\"verdict_time\": \"2025/",
		"s/\"complete\": false/\"complete\": true/",
		"s/\"info\": 1/\"info\": 2/",
		"s/\"known\": 1/\"known\": 2/",
		"s/\"peer_port\": 3/\"peer_port\": \"3\"/",
		"s/\"advice\": null/\"remark\": null/",
		"s/\"timed_out\": 9/\"timed_out\": 8/",
		"s/\"check\": \"topo.slow\"/\"check\": \"x.slow\"/",
		"s/0.12/NaN/",
		"s/\"port\": 12/\"ports\": 12/",
		"s/\"tool\"/\"meta\": {}, \"tool\"/",
		"$d",
	};
	char command[sizeof(top) + 256];

	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		write_report(full_report(), "json", "report.json");
		snprintf(
		    command, sizeof(command),
		    "sed -i '%s' report.json; %s/tests/validate-report report.json >/dev/null; "
		    "s=$?; [ $s = 77 ] && exit 77; [ $s = 1 ]",
		    edits[i], top);
		assert_passes(command);
	}
}

static void every_junit_report_is_xml_whose_sums_hold(void **state)
{
	static const char command[] =
	    "command -v python3 >/dev/null || exit 77; python3 -c \"\n"
	    "import xml.etree.ElementTree as xml\n"
	    "root = xml.parse('report.xml').getroot()\n"
	    "cases = root.findall('./testsuite/testcase')\n"
	    "assert root.tag == 'testsuites' and len(cases) == int(root.get('tests'))\n"
	    "for sum, tag in ('failures', 'failure'), ('errors', 'error'), ('skipped', "
	    "'skipped'):\n"
	    "    found = sum + str(len([c for c in cases if c.find(tag) is not None]))\n"
	    "    for suite in root, root.find('testsuite'):\n"
	    "        assert sum + suite.get(sum) == found, found\n"
	    "\"";

	(void)state;
	for (size_t i = 0; i < NUM_SAMPLES; i++) {
		write_report(samples[i](), "junit", "report.xml");
		assert_passes(command);
	}
}

/* ---- JUnit --------------------------------------------------------------------- */

static void junit_has_a_case_a_check_and_one_for_the_coverage(void **state)
{
	(void)state;
	assert_rendered(
	    full_report(), "junit", NULL,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuites name=\"ibcheck\" tests=\"9\" failures=\"2\" errors=\"2\" "
	    "skipped=\"3\" time=\"0.120\">\n"
	    "  <testsuite name=\"ibcheck topo\" tests=\"9\" failures=\"2\" errors=\"2\" "
	    "skipped=\"3\" time=\"0.120\" timestamp=\"2026-01-31T12:00:00\" "
	    "hostname=\"head\">\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.width\">\n"
	    "      <skipped message=\"host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd [00c0fff0]: is "
	    "known; "
	    "known until 2026-12-31 (alice: is on order)\">WARNING host09 &lt;&amp;&quot;'&gt; | "
	    "\xef\xbf\xbd [00c0fff0]: is known; known until 2026-12-31 (alice: is on order)\n"
	    "</skipped>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.state\">\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.vl\">\n"
	    "      <skipped message=\"not checked: a.net does not tell PortInfo\"></skipped>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.mtu\">\n"
	    "      <skipped message=\"not checked: no reason given\"></skipped>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.known\" name=\"known.stale\">\n"
	    "      <system-out>INFO fabric [00c0ffee]: line 1 of known.txt matches no finding: "
	    "port.width nothing 2026-12-31 alice r\n"
	    "Fix: find out whether the fault is repaired, or has another name now\n"
	    "</system-out>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.silent\">\n"
	    "      <error type=\"unknown\" message=\"host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd "
	    "[00c0ffef]: "
	    "does not answer | at all\">UNKNOWN host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd "
	    "[00c0ffef]: does not answer | at all\n"
	    "</error>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.topo\" name=\"topo.slow\">\n"
	    "      <failure type=\"warning\" message=\"leaf11/25 - spine08/11 [00c0fff1]: trained "
	    "4x FDR "
	    "(54.5 "
	    "Gb/s), planned 4x EDR (100 Gb/s); known until 2026-01-01 (bob: was on order): "
	    "expired\">WARNING leaf11/25 - spine08/11 [00c0fff1]: trained 4x FDR (54.5 Gb/s), "
	    "planned 4x "
	    "EDR (100 Gb/s); known until 2026-01-01 (bob: was on order): expired\n"
	    "Fix: reseat, then replace the cable\n"
	    "</failure>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.topo\" name=\"topo.swapped\">\n"
	    "      <failure type=\"critical\" message=\"leaf03/19 - spine02/3 [00c0fff2]: two "
	    "cables are "
	    "exchanged: leaf03/19 belongs on spine01/3\">CRITICAL leaf03/19 - spine02/3 "
	    "[00c0fff2]: two "
	    "cables are exchanged: leaf03/19 belongs on spine01/3\n"
	    "Fix: exchange the two plugs at spine01/7 and spine02/3.\n"
	    "</failure>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck\" name=\"coverage\">\n"
	    "      <error type=\"unknown\" message=\"incomplete\">not answered: PortInfo "
	    "12 of 2593 (3 refused), SwitchInfo 1 of 54\n"
	    "not sent before the deadline: 30 queries\n"
	    "not checked: port.vl (a.net does not tell PortInfo); "
	    "port.mtu (no reason given)\n"
	    "</error>\n"
	    "    </testcase>\n"
	    "  </testsuite>\n"
	    "</testsuites>\n");
}

static void a_case_names_what_counts_first(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "a.a", IBC_INFO, 1);
	mkfinding(rep, "a.a", IBC_CRITICAL, 2);
	mkfinding(rep, "a.a", IBC_WARNING, 3);
	accept_finding(rep, "a.a 0x2 2026-12-31 alice r");
	ibc_report_skip(rep, "a.a", "half of it");
	assert_contains(
	    rep, "junit", NULL,
	    "<failure type=\"warning\" message=\"not checked: half of it; 3 findings, the "
	    "first: leaf/1 [00c0fff0]: is not as it should be\">INFO leaf/1 [00c0ffee]");
}

/* A kind that passed is not skipped because another was. */
static void a_check_that_ran_in_part_is_a_case_a_kind(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_ran(rep, "a.a:x");
	ibc_report_ran(rep, "a.a:y");
	ibc_report_skip(rep, "a.a:z", "no answer");
	mkfinding(rep, "a.a", IBC_CRITICAL, 1);
	ibc_report_fact(rep, "kind", ibc_str("y"));
	assert_contains(
	    rep, "junit", NULL,
	    "<testcase classname=\"ibcheck.a\" name=\"a.a:x\">\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.a\" name=\"a.a:y\">\n"
	    "      <failure type=\"critical\" message=\"leaf/1 [00c0ffee]: is not as it "
	    "should be\">CRITICAL leaf/1 [00c0ffee]: is not as it should be\n"
	    "</failure>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.a\" name=\"a.a:z\">\n"
	    "      <skipped message=\"not checked: no answer\"></skipped>\n");
}

static void silence_that_a_finding_tells_of_is_said_and_no_error(void **state)
{
	(void)state;
	assert_contains(only_accepted_silence(), "junit", NULL,
	                "name=\"coverage\">\n"
	                "      <system-out>not answered: PortInfo 2 of 2 (2 refused)\n"
	                "</system-out>\n");
}

static void a_report_that_is_well_passes(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_ran(rep, "port.width");
	assert_rendered(rep, "junit", NULL,
	                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                "<testsuites name=\"ibcheck\" tests=\"2\" failures=\"0\" errors=\"0\" "
	                "skipped=\"0\" time=\"0.000\">\n"
	                "  <testsuite name=\"ibcheck\" tests=\"2\" failures=\"0\" errors=\"0\" "
	                "skipped=\"0\" time=\"0.000\">\n"
	                "    <testcase classname=\"ibcheck.port\" name=\"port.width\">\n"
	                "    </testcase>\n"
	                "    <testcase classname=\"ibcheck\" name=\"coverage\">\n"
	                "    </testcase>\n"
	                "  </testsuite>\n"
	                "</testsuites>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_quotes_what_would_not_read_back),
		cmocka_unit_test(csv_has_every_column_words_as_in_json_and_nothing_for_null),
		cmocka_unit_test(csv_of_an_empty_table_is_its_head),
		cmocka_unit_test(csv_without_a_table_is_the_findings),
		cmocka_unit_test(nagios_gets_one_line_with_performance_data_first),
		cmocka_unit_test(nagios_has_no_quotes_in_its_first_line),
		cmocka_unit_test(nagios_says_what_is_not_known),
		cmocka_unit_test(nagios_gets_the_figures_of_tables),
		cmocka_unit_test(nagios_output_stays_small_unless_asked),
		cmocka_unit_test(formats_are_listed),
		cmocka_unit_test(a_full_disk_is_a_failure_in_every_format),
		cmocka_unit_test(a_stream_that_failed_before_is_a_failure),
		cmocka_unit_test(only_finished_reports_and_known_formats_are_rendered),
		cmocka_unit_test(running_out_of_memory_is_a_failure),
		cmocka_unit_test(every_key_is_there_in_an_empty_report),
		cmocka_unit_test(json_holds_all_that_a_report_does),
		cmocka_unit_test(json_has_the_findings_of_a_case_by_their_places),
		cmocka_unit_test(numbers_out_of_the_ordinary_are_json_still),
		cmocka_unit_test(rows_do_not_inherit_from_the_row_before),
		cmocka_unit_test(a_table_of_any_size_is_written_whole),
		cmocka_unit_test(every_report_fits_the_schema),
		cmocka_unit_test(a_report_that_does_not_fit_the_schema_is_told),
		cmocka_unit_test(every_junit_report_is_xml_whose_sums_hold),
		cmocka_unit_test(junit_has_a_case_a_check_and_one_for_the_coverage),
		cmocka_unit_test(a_check_that_ran_in_part_is_a_case_a_kind),
		cmocka_unit_test(a_case_names_what_counts_first),
		cmocka_unit_test(silence_that_a_finding_tells_of_is_said_and_no_error),
		cmocka_unit_test(a_report_that_is_well_passes),
	};

	return cmocka_run_group_tests_name("render", tests, enter, leave);
}
