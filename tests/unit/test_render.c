/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkreport.h"

#include <jansson.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"

/* ---- set-up ---------------------------------------------------------------- */

/* The tests run in a directory of their own; this is where they came from. */
static char top[4096], own[] = "/tmp/ibcheck-render-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return getcwd(top, sizeof(top)) && mkdtemp(own) ? chdir(own) : -1;
}

static int leave(void **state)
{
	(void)state;
	unlink("known.txt");
	unlink("report.json");
	unlink("report.xml");
	return chdir(top) || rmdir(own);
}

/* Finishes the report, renders it, frees it; the text is the caller's. */
static char *rendered(struct ibc_report *rep, const char *format,
                      const struct ibc_render_opts *opts)
{
	struct ibc_error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	mkfinished(rep);
	if (ibc_report_render(rep, format, opts, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	ibc_report_free(rep);
	return text;
}

static void assert_rendered(struct ibc_report *rep, const char *format,
                            const struct ibc_render_opts *opts, const char *expected)
{
	char *text = rendered(rep, format, opts);

	assert_string_equal(text, expected);
	free(text);
}

static void assert_contains(struct ibc_report *rep, const char *format,
                            const struct ibc_render_opts *opts, const char *expected)
{
	char *text = rendered(rep, format, opts);

	if (!strstr(text, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text);
	free(text);
}

static const struct ibc_render_opts verbose = { .verbose = true };

static const struct ibc_word linkup = { "linkup", "LinkUp" };

/* Says that a finding is known, as a line "port.width LINE" of a file would. */
static void accept_finding(struct ibc_report *rep, const char *line)
{
	FILE *file = fopen("known.txt", "w");

	assert_non_null(file);
	fprintf(file, "%s\n", line);
	fclose(file);
	assert_int_equal(ibc_report_known(rep, "known.txt", "2026-01-31", NULL, NULL, NULL), 0);
}

static void add_slow(struct ibc_report *rep)
{
	struct ibc_subject cable = mkcable(mkend(11, "leaf11", 25), mkend(108, "spine08", 11));

	ibc_report_add(rep, "topo.slow", IBC_WARNING, &cable,
	               "trained 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s)");
	ibc_report_advise(rep, "reseat, then replace the cable");
	ibc_report_fact(rep, "found_gbps", ibc_real(54.5));
	ibc_report_fact(rep, "state", ibc_enum(&linkup));
}

static void add_swap(struct ibc_report *rep)
{
	struct ibc_end leaf3 = mkend(3, "leaf03", 19), leaf7 = mkend(7, "leaf07", 20);
	struct ibc_end spine1 = mkend(101, "spine01", 7), spine2 = mkend(102, "spine02", 3);
	struct ibc_subject first = mkcable(leaf3, spine2), second = mkcable(leaf7, spine1);
	struct ibc_subject planned = mkcable(leaf3, mkend(101, "spine01", 3));

	ibc_report_add(rep, "topo.swapped", IBC_CRITICAL, &first,
	               "two cables are exchanged: leaf03/19 belongs on spine01/3");
	ibc_report_advise(rep, "exchange the two plugs at spine01/7 and spine02/3.");
	ibc_report_relate(rep, IBC_ROLE_FOUND, &second);
	ibc_report_relate(rep, IBC_ROLE_PLANNED, &planned);
}

static const struct ibc_column columns[] = {
	COLUMN(0, "node_guid", NULL),   COLUMN(1, "node", "NODE"),
	COLUMN(2, "port", "PORT"),      COLUMN(3, "state", "STATE"),
	COLUMN(4, "rate_gbps", "Gb/s"), COLUMN(5, "split", "SPLIT"),
	COLUMN(6, "peer", "PEER"),      { 0 },
};
static const struct ibc_table_type plugs = { "plugs", columns, NULL, NULL };
static const struct ibc_table_type empty = { "empty", columns, NULL, NULL };

static const struct ibc_column one_column[] = { COLUMN(0, "n", "N"), { 0 } };
static const struct ibc_table_type one = { "t", one_column, NULL, NULL };

static const struct ibc_column two_columns[] = { COLUMN(0, "a", "A"), COLUMN(1, "b", "B"), { 0 } };
static const struct ibc_table_type two = { "t", two_columns, NULL, NULL };

static void add_table(struct ibc_report *rep)
{
	struct ibc_table *t = ibc_report_table(rep, &plugs);

	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(0x2c9), ibc_str("leaf03"), ibc_u64(1),
	                                       ibc_enum(&linkup), ibc_real(54.5), ibc_bool(true),
	                                       ibc_str("spine01/3") });
	ibc_table_row(t,
	              (struct ibc_value[]){ ibc_guid(0x2c9), ibc_str("caf\xc3\xa9"), ibc_u64(12),
	                                    ibc_none(), ibc_none(), ibc_bool(false), ibc_none() });
	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(UINT64_MAX), ibc_str("\xe6\xa9\x9f"),
	                                       ibc_u64(3), ibc_enum(&linkup), ibc_real(100),
	                                       ibc_none(), ibc_str("") });
}

static void add_gaps(struct ibc_report *rep)
{
	ibc_report_cover(rep, "NodeInfo", &(struct ibc_coverage){ .asked = 9, .answered = 9 });
	ibc_report_cover(rep, "PortInfo", &(struct ibc_coverage){ 2593, 2581, 0, 3, 9 });
	ibc_report_cover(rep, "SwitchInfo",
	                 &(struct ibc_coverage){ .asked = 54, .answered = 53, .timed_out = 1 });
	ibc_report_not_asked(rep, 30);
	ibc_report_skip(rep, "port.vl", "a.net does not tell PortInfo");
	ibc_report_skip(rep, "port.mtu", NULL);
}

/* One of everything. */
static struct ibc_report *full_report(void)
{
	static const char *const arguments[] = { "topo", "-v", NULL };
	static const struct ibc_sweep sweep = { .sent = 9123,
		                                .answered = 9000,
		                                .peak_in_flight = 128,
		                                .rtt_p50_us = 31,
		                                .rtt_p99_us = 90 };
	struct ibc_subject node = mknode(9, "host09 <&\"'> | \xef\xbf\xbe");
	struct ibc_report *rep = mkreport();

	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .time = 1769860800,
	                                                    .host = "head",
	                                                    .command = "topo",
	                                                    .arguments = arguments,
	                                                    .source_kind = "umad",
	                                                    .source_ca = "mlx5_0",
	                                                    .source_port = 1,
	                                                    .duration_seconds = 0.12,
	                                                    .headline = "702 nodes, 54 switches" });
	add_slow(rep);
	add_swap(rep);
	ibc_report_add(rep, "port.silent", IBC_UNKNOWN, &node, "does not answer | at all");
	ibc_report_unanswered(rep, 13);
	ibc_report_add(rep, "port.width", IBC_WARNING, &node, "is known");
	accept_finding(rep, "port.width * 2026-12-31 alice is on order");
	ibc_report_ran(rep, "port.width");
	ibc_report_ran(rep, "port.state");
	accept_finding(rep, "port.width nothing 2026-12-31 alice r");
	accept_finding(rep, "topo.slow * 2026-01-01 bob was on order");
	ibc_report_sum(rep, "nodes", 702);
	ibc_report_sum(rep, "switches", 54);
	ibc_report_sum(rep, "links", 1296);
	ibc_report_sum(rep, "subnets", 1);
	add_gaps(rep);
	ibc_report_mads(rep, &sweep);
	add_table(rep);
	ibc_report_table(rep, &empty);
	return rep;
}

/* leaf03 does not answer: two of its ports say so, and what cannot be reached behind it. */
static struct ibc_report *report_with_a_case(void)
{
	struct ibc_report *rep = mkreport();
	struct ibc_case cases[2];

	mkfinding(rep, "a.silent", IBC_CRITICAL, 1);
	mkfinding(rep, "a.silent", IBC_CRITICAL, 2);
	mkfinding(rep, "b.unread", IBC_UNKNOWN, 2);
	mkfinding(rep, "b.unread", IBC_UNKNOWN, 3);
	mkfinding(rep, "c.cut-off", IBC_WARNING, 3);
	mkfinding(rep, "z.else", IBC_WARNING, 9);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	cases[0] = mkcase(rep, 0, 5, 2);
	cases[0].subject = mknode(1, "leaf03");
	cases[0].message = "does not answer";
	cases[0].advice = "look at its power";
	cases[0].trait = "switch leaf03";
	cases[1] = mkcase(rep, 5, 1, 1);
	mkcases(rep, cases, 2);
	return rep;
}

/* ---- text ------------------------------------------------------------------ */

static void an_empty_report_is_its_verdict(void **state)
{
	(void)state;
	assert_rendered(mkreport(), "text", NULL,
	                "OK: no findings\n\n"
	                "OK: no findings                                                       "
	                "                    exit 0\n");
}

static void findings_come_by_severity_then_the_sum(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_set_meta(rep, &(struct ibc_report_meta){ .headline = "702 nodes, 54 switches" });
	add_slow(rep);
	add_swap(rep);
	assert_rendered(
	    rep, "text", NULL,
	    "CRITICAL: 1 critical, 1 warning\n"
	    "702 nodes, 54 switches\n"
	    "\n"
	    "CRITICAL  topo.swapped    leaf03/19 - spine02/3  and  leaf07/20 - spine01/7  "
	    "[00c0ffef]\n"
	    "          Two cables are exchanged: leaf03/19 belongs on spine01/3.\n"
	    "          Fix: exchange the two plugs at spine01/7 and spine02/3.\n"
	    "WARNING   topo.slow       leaf11/25 - spine08/11  [00c0ffee]\n"
	    "          Trained 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s).\n"
	    "          Fix: reseat, then replace the cable.\n"
	    "\n"
	    "CRITICAL: 1 critical, 1 warning; topo.slow 1, topo.swapped 1          "
	    "                    exit 2\n");
}

static void verbose_text_gives_the_evidence(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_slow(rep);
	add_swap(rep);
	assert_rendered(
	    rep, "text", &verbose,
	    "CRITICAL: 1 critical, 1 warning\n\n"
	    "CRITICAL  topo.swapped    leaf03/19 - spine02/3  and  leaf07/20 - spine01/7  "
	    "[00c0ffef]\n"
	    "          Two cables are exchanged: leaf03/19 belongs on spine01/3.\n"
	    "          Fix: exchange the two plugs at spine01/7 and spine02/3.\n"
	    "          node      leaf03: GUID 0x0000000000000003\n"
	    "          node      spine02: GUID 0x0000000000000066\n"
	    "          found     leaf07/20 - spine01/7\n"
	    "          planned   leaf03/19 - spine01/3\n"
	    "WARNING   topo.slow       leaf11/25 - spine08/11  [00c0ffee]\n"
	    "          Trained 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s).\n"
	    "          Fix: reseat, then replace the cable.\n"
	    "          node      leaf11: GUID 0x000000000000000b\n"
	    "          node      spine08: GUID 0x000000000000006c\n"
	    "          found_gbps 54.5, state LinkUp\n"
	    "\n"
	    "CRITICAL: 1 critical, 1 warning; topo.slow 1, topo.swapped 1          "
	    "                    exit 2\n");
}

static void verbose_text_says_what_a_short_name_stands_for(void **state)
{
	struct ibc_subject node = { .kind = IBC_SUBJECT_NODE,
		                    .near = { .guid = 7,
		                              .has_guid = true,
		                              .desc = "MF0;leaf03:MQM8700/U1",
		                              .label = "leaf03" } };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "a.a", IBC_WARNING, &node, "m");
	assert_contains(rep, "text", &verbose,
	                "          node      leaf03: GUID 0x0000000000000007, NodeDescription "
	                "MF0;leaf03:MQM8700/U1\n");
}

static void the_sum_ends_with_what_it_comes_to(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_conclude(rep, "%d of %d cables as planned", 1293, 1296);
	add_slow(rep);
	assert_contains(rep, "text", NULL,
	                "\nWARNING: 1 warning; 1293 of 1296 cables as planned; topo.slow 1 ");
	rep = mkreport();
	ibc_report_conclude(rep, "%d of %d cables as planned", 1296, 1296);
	ibc_report_conclude(rep, "2 subnets|rails");
	assert_contains(
	    rep, "nagios", NULL,
	    "IBCHECK OK - 1296 of 1296 cables as planned; 2 subnets/rails | criticals=0 ");
}

static void a_table_says_what_it_leaves_out(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_table(rep);
	ibc_table_omit(ibc_report_table(rep, &plugs), 980, NULL);
	ibc_table_omit(NULL, 1, NULL);
	assert_contains(rep, "text", NULL, "\n... and 980 more: -v shows all\n\nOK: no findings ");
}

static void of_a_table_without_rows_the_number_is_left(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_table_omit(ibc_report_table(rep, &empty), 3, " that are down");
	assert_contains(rep, "text", NULL, "\nempty: none but 3 that are down: -v shows all\n");
}

static void an_upright_table_has_a_line_for_each_value_that_is_known(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_table(rep);
	ibc_table_upright(ibc_report_table(rep, &plugs));
	ibc_table_upright(NULL);
	assert_contains(rep, "text", NULL,
	                "\nNODE   leaf03\nPORT   1\nSTATE  LinkUp\nGb/s   54.5\nSPLIT  yes\n"
	                "PEER   spine01/3\n\nNODE   caf\xc3\xa9\nPORT   12\n");
}

static void subjects_are_named_as_people_do(void **state)
{
	static const struct {
		struct ibc_subject subject;
		const char *text;
	} cases[] = {
		{ { .kind = IBC_SUBJECT_FABRIC }, "a.a             fabric  [00c0ffee]\n" },
		{ { .kind = IBC_SUBJECT_NODE, .near = { .guid = 1, .has_guid = true } },
		  "a.a             0x0000000000000001  [00c0ffee]\n" },
		{ { .kind = IBC_SUBJECT_PORT,
		    .near = { .desc = "d",
		              .label = "l",
		              .port = 7,
		              .has_port = true,
		              .port_label = "4/1" } },
		  "a.a             l/7 (4/1)  [00c0ffee]\n" },
		{ { .kind = IBC_SUBJECT_CABLE,
		    .near = { .desc = "d", .port = 7, .has_port = true } },
		  "a.a             d/7 - ?  [00c0ffee]\n" },
		{ { .kind = IBC_SUBJECT_HOST, .near = { .desc = "node7" } },
		  "a.a             node7  [00c0ffee]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_report *rep = mkreport();

		ibc_report_add(rep, "a.a", IBC_INFO, &cases[i].subject, "m");
		assert_contains(rep, "text", NULL, cases[i].text);
	}
}

static void long_check_ids_keep_their_distance(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "group.rather-long-name", IBC_INFO, 1);
	assert_contains(rep, "text", NULL,
	                "INFO      group.rather-long-name  leaf/1  [00c0ffee]\n");
}

static void sentences_begin_large_unless_they_begin_with_a_name(void **state)
{
	static const struct {
		const char *message, *text;
	} cases[] = {
		{ "runs at 1x", "          Runs at 1x.\n" },
		{ "down", "          Down.\n" },
		{ "down: twice!", "          Down: twice!\n" },
		{ "leaf03 is odd", "          leaf03 is odd.\n" },
		{ "mlx5_0 is odd?", "          mlx5_0 is odd?\n" },
		{ "4x is odd.", "          4x is odd.\n" },
		{ "\xc3\xa9t\xc3\xa9", "          \xc3\xa9t\xc3\xa9.\n" },
		{ "", "          \n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_report *rep = mkreport();

		ibc_report_add(rep, "a.a", IBC_INFO, &the_fabric, "%s", cases[i].message);
		assert_contains(rep, "text", NULL, cases[i].text);
	}
}

/* Ports 2 .. last of other nodes, beside the first. */
static void relate_ports(struct ibc_report *rep, unsigned int last)
{
	for (unsigned int i = 2; i <= last; i++) {
		struct ibc_subject port = mkport(i, "leaf", i);

		ibc_report_relate(rep, IBC_ROLE_FOUND, &port);
	}
}

static void only_so_many_stand_beside_the_first(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	relate_ports(rep, 5);
	assert_contains(rep, "text", NULL,
	                " leaf/1  and  leaf/2  and  leaf/3  and 2 more  [00c0ffee]\n");
	rep = mkreport();
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	relate_ports(rep, 64);
	assert_contains(rep, "text", NULL,
	                " leaf/1  and  leaf/2  and  leaf/3  and more  [00c0ffee]\n");
}

static void evidence_of_another_kind_does_not_stand_beside_it(void **state)
{
	struct ibc_subject node = mknode(7, "leaf07");
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	ibc_report_relate(rep, IBC_ROLE_FOUND, &node);
	assert_contains(rep, "text", NULL, "a.a             leaf/1  [00c0ffee]\n");
}

static void a_finding_about_the_fabric_names_what_it_found(void **state)
{
	struct ibc_subject node = mknode(1, "leaf");
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_add(rep, "a.a", IBC_INFO, &the_fabric, "m");
	for (int i = 0; i < 4; i++)
		ibc_report_relate(rep, IBC_ROLE_FOUND, &node);
	assert_contains(rep, "text", NULL,
	                "a.a             leaf  and  leaf  and  leaf  and more  [00c0ffee]\n");
}

static void a_case_says_who_else_has_the_fault_and_what_follows(void **state)
{
	(void)state;
	assert_rendered(report_with_a_case(), "text", NULL,
	                "CRITICAL: 1 critical, 1 warning\n"
	                "\n"
	                "CRITICAL  a.silent        leaf03  [00c0ffee]\n"
	                "          Does not answer.\n"
	                "          2 in all, switch leaf03: leaf/1, leaf/1.\n"
	                "          It explains 3 findings: 2 b.unread, 1 c.cut-off.\n"
	                "          Fix: look at its power.\n"
	                "WARNING   z.else          leaf/1  [00c0fff3]\n"
	                "          Is not as it should be.\n"
	                "\n"
	                "CRITICAL: 1 critical, 1 warning; a.silent 1, z.else 1                 "
	                "                    exit 2\n");
	assert_contains(report_with_a_case(), "text", &(struct ibc_render_opts){ .oneline = true },
	                "CRITICAL  a.silent leaf03 [00c0ffee]: does not answer; explains 3 "
	                "findings: 2 b.unread, 1 c.cut-off\n");
	assert_contains(report_with_a_case(), "nagios", NULL,
	                "IBCHECK CRITICAL - 1 critical, 1 warning; a.silent leaf03 [00c0ffee]: "
	                "does not answer; explains 3 findings: 2 b.unread, 1 c.cut-off | "
	                "criticals=2 warnings=2 unknowns=2 cases_critical=1 cases_warning=1 "
	                "cases_unknown=0 ");
}

static void verbose_text_has_every_finding_of_a_case(void **state)
{
	(void)state;
	assert_contains(report_with_a_case(), "text", &verbose,
	                "          Fix: look at its power.\n"
	                "          node      leaf03: GUID 0x0000000000000001\n"
	                "          finding   a.silent leaf/1: is not as it should be\n"
	                "          finding   a.silent leaf/1: is not as it should be\n"
	                "          follows   b.unread leaf/1: is not as it should be\n"
	                "          follows   b.unread leaf/1: is not as it should be\n"
	                "          follows   c.cut-off leaf/1: is not as it should be\n"
	                "WARNING   z.else ");
}

static void a_case_with_a_finding_that_is_shown_is_shown(void **state)
{
	struct ibc_report *rep = report_with_a_case();
	char *text;

	(void)state;
	ibc_report_show(rep, &(struct ibc_show){ .guids = (uint64_t[]){ 3 }, .num_guids = 1 });
	text = rendered(rep, "text", NULL);
	assert_non_null(strstr(text, "\nCRITICAL  a.silent "));
	assert_null(strstr(text, "z.else   "));
	assert_non_null(strstr(text, "\n1 case not shown (--node, --severity)\n"));
	free(text);
}

static void of_many_with_the_fault_the_first_are_named(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_case one_case;

	(void)state;
	for (unsigned int i = 1; i <= 320; i++)
		mkfinding(rep, "a.a", IBC_WARNING, i);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	one_case = mkcase(rep, 0, 320, 320);
	mkcases(rep, &one_case, 1);
	assert_contains(rep, "text", NULL,
	                "          320 in all: leaf/1, leaf/1, leaf/1 and 317 more.\n");
}

static void what_a_screen_does_not_hold_is_counted(void **state)
{
	struct ibc_report *rep;
	char *text;

	(void)state;
	for (int all = 0; all < 2; all++) {
		rep = mkreport();
		for (unsigned int i = 0; i < 9; i++)
			mkfinding(rep, "a.a", IBC_WARNING, i);
		mkfinding(rep, "b.b", IBC_CRITICAL, 1);
		text = rendered(rep, "text", all ? &verbose : NULL);
		assert_non_null(strstr(text, "\n\nCRITICAL  b.b"));
		assert_int_equal(strstr(text, "\n... and 3 more: -v shows all\n") == NULL, all);
		assert_non_null(strstr(text, "\nCRITICAL: 1 critical, 9 warnings; a.a 9, b.b 1 "));
		free(text);
	}
}

static void known_findings_are_listed_apart(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_slow(rep);
	mkfinding(rep, "port.width", IBC_CRITICAL, 1);
	accept_finding(rep, "port.width * 2026-12-31 alice a new one is on order");
	accept_finding(rep, "topo.slow * 2026-01-30 bob soon");
	ibc_report_ran(rep, "port.width");
	assert_rendered(rep, "text", NULL,
	                "WARNING: 1 warning, 1 known\n"
	                "\n"
	                "WARNING   topo.slow       leaf11/25 - spine08/11  [00c0ffef]\n"
	                "          Trained 4x FDR (54.5 Gb/s), planned 4x EDR (100 Gb/s).\n"
	                "          Fix: reseat, then replace the cable.\n"
	                "          Known until 2026-01-30 (bob: soon): expired\n"
	                "\n"
	                "known     port.width      leaf/1  [00c0ffee]\n"
	                "          Is not as it should be.\n"
	                "          Known until 2026-12-31 (alice: a new one is on order)\n"
	                "\n"
	                "WARNING: 1 warning, 1 known; topo.slow 1                              "
	                "                    exit 1\n");
}

static void many_known_findings_are_counted(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		mkfinding(rep, "a.a", IBC_WARNING, i);
	accept_finding(rep, "* * 2026-12-31 alice r");
	assert_contains(rep, "text", NULL, "\n... and 2 more known: -v shows all\n\nOK: 5 known  ");
}

static void without_findings_the_sum_counts_checks(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_ran(rep, "a.a");
	assert_contains(rep, "text", NULL, "\nOK: 1 check passed  ");
	rep = mkreport();
	ibc_report_ran(rep, "a.a");
	ibc_report_ran(rep, "b.b");
	ibc_report_not_asked(rep, 1);
	assert_contains(rep, "text", NULL, "\nUNKNOWN: incomplete, 2 checks passed  ");
	rep = mkreport();
	mkfinding(rep, "a.a", IBC_INFO, 1);
	ibc_report_ran(rep, "a.a");
	assert_contains(rep, "text", NULL, "\nOK: 1 info; a.a 1  ");
}

static void gaps_are_said_one_by_one(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_gaps(rep);
	assert_rendered(rep, "text", NULL,
	                "UNKNOWN: incomplete\n"
	                "\n"
	                "not answered: PortInfo 12 of 2593 (3 refused), SwitchInfo 1 of 54\n"
	                "not sent before the deadline: 30 queries\n"
	                "not checked: port.vl (a.net does not tell PortInfo)\n"
	                "not checked: port.mtu (no reason given)\n"
	                "\n"
	                "UNKNOWN: incomplete                                                   "
	                "                    exit 3\n");
}

static void checks_skipped_for_one_reason_share_a_line(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_skip(rep, "a.a", "r");
	ibc_report_skip(rep, "b.b", NULL);
	ibc_report_skip(rep, "c.c", "r");
	ibc_report_skip(rep, "d.d", NULL);
	assert_contains(rep, "text", NULL,
	                "not checked: a.a, c.c (r)\n"
	                "not checked: b.b, d.d (no reason given)\n\n");
}

static void long_lines_fold_between_words(void **state)
{
	const struct ibc_render_opts narrow = { .columns = 40 };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_set_meta(rep,
	                    &(struct ibc_report_meta){
				.headline = "702 nodes, 54 switches, 1296 cables on 3 subnets" });
	add_slow(rep);
	ibc_report_add(rep, "a.a", IBC_WARNING, &the_fabric,
	               "has_a_word_that_is_longer_than_any_line_could_be and caf\xc3\xa9s and tea");
	assert_rendered(rep, "text", &narrow,
	                "WARNING: 2 warnings\n"
	                "702 nodes, 54 switches, 1296 cables on 3\n"
	                "subnets\n"
	                "\n"
	                "WARNING   a.a             fabric\n"
	                "                          [00c0ffee]\n"
	                "          has_a_word_that_is_longer_than_any_line_could_be\n"
	                "          and caf\xc3\xa9s and tea.\n"
	                "WARNING   topo.slow       leaf11/25 -\n"
	                "                          spine08/11\n"
	                "                          [00c0ffef]\n"
	                "          Trained 4x FDR (54.5 Gb/s),\n"
	                "          planned 4x EDR (100 Gb/s).\n"
	                "          Fix: reseat, then replace the\n"
	                "          cable.\n"
	                "\n"
	                "WARNING: 2 warnings; a.a 1, topo.slow 1\n"
	                "                                  exit 1\n");
}

static void the_exit_status_keeps_its_distance_or_takes_a_line(void **state)
{
	(void)state;
	assert_contains(mkreport(), "text", &(struct ibc_render_opts){ .columns = 23 },
	                "\n\nOK: no findings  exit 0\n");
	assert_contains(mkreport(), "text", &(struct ibc_render_opts){ .columns = 22 },
	                "\n\nOK: no findings\n                exit 0\n");
	assert_contains(mkreport(), "text", &(struct ibc_render_opts){ .columns = 5 },
	                "\n\nOK: no findings\n  exit 0\n");
}

static void colors_come_only_when_asked_for(void **state)
{
	struct ibc_report *rep = mkreport();
	const struct ibc_render_opts color = { .color = true };
	char *text;

	(void)state;
	mkfinding(rep, "a.a", IBC_CRITICAL, 1);
	text = rendered(rep, "text", &color);
	assert_memory_equal(text, "\033[1;31mCRITICAL\033[0m: 1 critical\n", 31);
	assert_non_null(strstr(text, "\n\033[1;31mCRITICAL\033[0m  a.a "));
	free(text);
	rep = mkreport();
	mkfinding(rep, "a.a", IBC_CRITICAL, 1);
	text = rendered(rep, "text", NULL);
	assert_null(strchr(text, '\033'));
	free(text);
}

static void control_characters_never_come_out(void **state)
{
	static const char bad[] = "\033]0;owned\a\r\n\x7f\xc2\x9b"
				  "2J\xe2\x80\xae\xff|";
	struct ibc_subject node = mknode(1, bad);
	const char *format;

	(void)state;
	for (size_t i = 0; (format = ibc_render_format(i)); i++) {
		struct ibc_report *rep = mkreport();
		struct ibc_table *t = ibc_report_table(rep, &one);
		char *text;

		ibc_report_set_meta(
		    rep, &(struct ibc_report_meta){ .headline = bad, .host = bad, .command = bad });
		ibc_report_add(rep, "a.a", IBC_WARNING, &node, "%s", bad);
		ibc_report_advise(rep, "%s", bad);
		ibc_report_fact(rep, "a", ibc_str(bad));
		ibc_report_skip(rep, "b.b", bad);
		ibc_table_row(t, (struct ibc_value[]){ ibc_str(bad) });
		text = rendered(rep, format, &verbose);
		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= ' ' ? *c != '\x7f' : *c == '\n');
		assert_null(strstr(text, "\xc2\x9b"));
		assert_null(strstr(text, "\xe2\x80\xae"));
		free(text);
	}
}

/* ---- tables in text -------------------------------------------------------- */

static void tables_align_words_left_and_numbers_right(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_table(rep);
	assert_contains(rep, "text", NULL,
	                "NODE    PORT  STATE   Gb/s  SPLIT  PEER\n"
	                "leaf03     1  LinkUp  54.5  yes    spine01/3\n"
	                "caf\xc3\xa9      12  -          -  no     -\n"
	                "\xe6\xa9\x9f         3  LinkUp   100  -\n"
	                "\n"
	                "OK: ");
}

static void texts_lose_their_middle_where_a_line_is_too_long(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("hall-b-node01 mlx5_0/1"), ibc_u64(123) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("caf\xc3\xa9 au lait \xc3\xa9t\xc3\xa9"),
	                                       ibc_u64(4) });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 17 },
	                "\n\nA               B\n"
	                "hall-..5_0/1  123\n"
	                "caf\xc3\xa9 ..t \xc3\xa9t\xc3\xa9    4\n\nOK");
}

/* Where one column is left, a character that takes two does not fit. */
static void wide_characters_are_never_cut_in_half(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("\xe6\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f\xe6"
	                                               "\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f/1"),
	                                       ibc_u64(7) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("x"), ibc_u64(8) });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 16 },
	                "\n\nA              B\n"
	                "\xe6\xa9\x9f\xe6\xa9\x9f..\xe6\xa9\x9f\xe6\xa9\x9f/1   7\n"
	                "x              8\n\nOK");
}

static void what_does_not_fit_a_line_goes_on_in_the_next(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("leaf01"), ibc_str("spine01/1") });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str(""), ibc_str("spine02/1") });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 16 },
	                "\n\nA\n    B\nleaf01\n    spine01/1\n\n    spine02/1\n\nOK");
}

static void a_column_can_be_hidden_from_text_alone(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_u64(1), ibc_u64(2) });
	ibc_table_hide(t, "a");
	ibc_table_hide(NULL, "a");
	assert_contains(rep, "text", NULL, "\n\nB\n2\n\nOK");
	rep = mkreport();
	t = ibc_report_table(rep, &two);
	ibc_table_row(t, (struct ibc_value[]){ ibc_u64(1), ibc_u64(2) });
	ibc_table_hide(t, "a");
	assert_contains(rep, "json", NULL, "\"a\": 1");
}

/* A word of a line of text is not cut: from the longest on. */
static void no_line_of_a_table_is_wider_than_the_terminal(void **state)
{
	(void)state;
	for (unsigned int columns_wide = 15; columns_wide < 60; columns_wide++) {
		const struct ibc_render_opts opts = { .columns = columns_wide };
		struct ibc_report *rep = mkreport();
		char *text, *line, *rest = NULL;
		unsigned int lines = 0;

		add_table(rep);
		text = rendered(rep, "text", &opts);
		for (line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest), lines++)
			assert_in_range(utf8_width(line), 1, columns_wide);
		assert_in_range(lines, 6, 20);
		free(text);
	}
}

static void several_tables_have_their_names(void **state)
{
	static const struct ibc_table_type unread = { "unread", one_column, NULL, NULL };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_table_row(ibc_report_table(rep, &one), (struct ibc_value[]){ ibc_u64(7) });
	ibc_report_table(rep, &unread);
	assert_contains(rep, "text", NULL, "t\nN\n7\n\nunread: none\n\nOK");
}

/* ---- groups -------------------------------------------------------------------- */

static const struct ibc_column group_columns[] = {
	COLUMN(0, "node", "NODE"),
	COLUMN(1, "lid", "LID"),
	COLUMN(2, "mtu", "MTU"),
	COLUMN(3, "port", "PORT"),
	{ 0 },
};
static const struct ibc_table_type grouped = { "grouped", group_columns, NULL, "node" };

static void add_port_row(struct ibc_report *rep, const char *node, unsigned int lid,
                         unsigned int port)
{
	ibc_table_row(
	    ibc_report_table(rep, &grouped),
	    (struct ibc_value[]){ ibc_str(node), ibc_u64(lid), ibc_u64(4096), ibc_u64(port) });
}

static void groups_say_once_what_their_rows_share(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_port_row(rep, "leaf01", 1, 1);
	add_port_row(rep, "leaf01", 1, 12);
	add_port_row(rep, "leaf02", 2, 1);
	assert_contains(rep, "text", NULL,
	                "\n\nall lines: MTU 4096\n"
	                "PORT\n"
	                "leaf01  LID 1\n"
	                "   1\n"
	                "  12\n"
	                "leaf02  LID 2\n"
	                "   1\n"
	                "\nOK");
}

static void a_single_group_has_all_in_its_heading(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_port_row(rep, "leaf01", 1, 1);
	add_port_row(rep, "leaf01", 1, 2);
	assert_contains(rep, "text", NULL, "\n\nPORT\nleaf01  LID 1, MTU 4096\n   1\n   2\n\nOK");
}

static void groups_of_one_row_each_are_lines(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_port_row(rep, "leaf01", 1, 1);
	add_port_row(rep, "leaf02", 2, 1);
	assert_contains(rep, "text", NULL,
	                "\n\nNODE    LID   MTU  PORT\n"
	                "leaf01    1  4096     1\n"
	                "leaf02    2  4096     1\n\nOK");
}

static void a_line_that_is_too_long_leaves_what_all_share_above(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_port_row(rep, "leaf01", 1, 1);
	add_port_row(rep, "leaf02", 2, 1);
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 22 },
	                "\n\nall lines: MTU 4096,\n"
	                "          PORT 1\n"
	                "NODE    LID\n"
	                "leaf01    1\n"
	                "leaf02    2\n\nOK");
}

static void rows_that_are_all_the_same_stay_lines(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	add_port_row(rep, "leaf01", 1, 1);
	add_port_row(rep, "leaf01", 1, 1);
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 22 },
	                "NODE    LID   MTU\n    PORT\nleaf01    1  4096\n       1\n"
	                "leaf01    1  4096\n       1\n\nOK");
}

static void details_are_for_the_verbose(void **state)
{
	static const struct ibc_column detailed[] = {
		{ .key = "a", .heading = "A", .value = nth_value, .detail = true },
		COLUMN(1, "b", "B"),
		{ 0 },
	};
	static const struct ibc_table_type type = { "t", detailed, NULL, NULL };
	static const char *const texts[] = { "\n\nB\n2\n\nOK", "\n\nA  B\n1  2\n\nOK" };

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct ibc_report *rep = mkreport();

		ibc_table_row(ibc_report_table(rep, &type),
		              (struct ibc_value[]){ ibc_u64(1), ibc_u64(2) });
		assert_contains(rep, "text", all ? &verbose : NULL, texts[all]);
	}
}

static void sentences_fold_below_their_heading(void **state)
{
	static const struct ibc_column with_sentence[] = {
		COLUMN(0, "a", "A"),
		{ .key = "b", .heading = "B", .value = nth_value, .arg = 1, .sentence = true },
		{ 0 },
	};
	static const struct ibc_table_type type = { "t", with_sentence, NULL, NULL };
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &type);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("leaf01"), ibc_str("is not as it is") });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("x"), ibc_str("was") });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 21 },
	                "\n\nA       B\nleaf01  is not as it\n        is\nx       was\n\nOK");
}

/* ---- what is shown --------------------------------------------------------------- */

static struct ibc_report *partly_shown(struct ibc_show show)
{
	struct ibc_report *rep = mkreport();

	add_slow(rep);
	add_swap(rep);
	mkfinding(rep, "a.a", IBC_INFO, 1);
	mkfinished(rep);
	ibc_report_show(rep, &show);
	return rep;
}

static void findings_of_less_severity_are_counted_and_not_shown(void **state)
{
	struct ibc_report *rep = partly_shown((struct ibc_show){ .least = IBC_UNKNOWN });
	char *text;

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	text = rendered(rep, "text", NULL);
	assert_null(strstr(text, "  topo.slow  "));
	assert_non_null(strstr(text, "\n\n2 cases not shown (--node, --severity)\n\n"));
	assert_memory_equal(text, "CRITICAL: 1 critical, 1 warning, 1 info\n", 40);
	assert_non_null(strstr(text, "info; a.a 1, topo.slow 1, topo.swapped 1 "));
	free(text);
}

static void json_leaves_out_what_is_not_shown_and_sums_all(void **state)
{
	struct ibc_show show = { .least = IBC_CRITICAL };

	(void)state;
	assert_contains(partly_shown(show), "json", NULL, "\"verdict\": \"critical\"");
	assert_contains(partly_shown(show), "json", NULL,
	                "{\"critical\": 1, \"warning\": 1, \"unknown\": 0, \"info\": 1, "
	                "\"known\": 0, \"hidden\": 2, ");
	assert_contains(partly_shown(show), "json", NULL,
	                "\"findings\": [\n    {\"check\": \"topo.swapped\"");
}

static void what_is_not_shown_is_in_no_line_of_nagios_either(void **state)
{
	char *text = rendered(partly_shown((struct ibc_show){ .least = IBC_CRITICAL }), "nagios",
	                      NULL);

	(void)state;
	assert_null(strstr(text, "topo.slow"));
	assert_non_null(strstr(text, "| criticals=1 warnings=1 "));
	free(text);
}

/* The cable's far end, or another cable of the case, may be the node that is asked for. */
static void findings_are_shown_for_each_node_that_they_name(void **state)
{
	static const struct {
		uint64_t guid;
		const char *check;
	} cases[] = {
		{ 1, "INFO      a.a " },
		{ 108, "WARNING   topo.slow " },
		{ 7, "CRITICAL  topo.swapped " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_show show = { .guids = &cases[i].guid, .num_guids = 1 };

		assert_contains(partly_shown(show), "text", NULL, cases[i].check);
		assert_contains(partly_shown(show), "text", NULL, "\n2 cases not shown (");
	}
}

static void rows_are_shown_for_the_nodes_that_are_asked_for(void **state)
{
	static const uint64_t guids[] = { UINT64_MAX, 5 };
	struct ibc_report *rep = partly_shown((struct ibc_show){ .guids = guids, .num_guids = 2 });
	struct ibc_table *t;
	char *text;

	(void)state;
	add_table(rep); /* node_guid 0x2c9 twice, then UINT64_MAX */
	t = ibc_report_table(rep, &two);
	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(1), ibc_guid(5) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(1), ibc_guid(2) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("of"), ibc_str("none") });
	text = rendered(rep, "text", NULL);
	assert_null(strstr(text, "leaf03     1"));
	assert_non_null(strstr(text, "\n\xe6\xa9\x9f       3  LinkUp   100      -\n"));
	assert_non_null(strstr(text, "A                   B\n"
	                             "0x0000000000000001  0x0000000000000005\n"
	                             "of                  none\n\n"));
	free(text);
}

/* A block of rows is full, and the first of the next is not shown. */
static void rows_that_are_not_shown_leave_no_gap(void **state)
{
	static const uint64_t guid = 1;
	struct ibc_report *rep = partly_shown((struct ibc_show){ .guids = &guid, .num_guids = 1 });
	struct ibc_table *t = ibc_report_table(rep, &one);
	char *text, *line;
	unsigned int lines = 0;

	(void)state;
	for (unsigned int i = 0; i < 400; i++)
		ibc_table_row(t, (struct ibc_value[]){ ibc_guid(1 + (i >= 128 && i < 140)) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_guid(2) });
	text = rendered(rep, "csv", &(struct ibc_render_opts){ .table = "t" });
	for (line = text; *line; line = strchr(line, '\n') + 1)
		lines++;
	assert_int_equal(lines, 1 + 400 - 12);
	assert_null(strstr(text, "2"));
	free(text);
}

static void one_line_a_finding_and_the_sum(void **state)
{
	const struct ibc_render_opts oneline = { .oneline = true };
	struct ibc_report *rep = mkreport();

	(void)state;
	add_slow(rep);
	add_swap(rep);
	add_table(rep);
	mkfinding(rep, "port.width", IBC_CRITICAL, 1);
	accept_finding(rep, "port.width * 2026-12-31 alice is on order");
	assert_rendered(
	    rep, "text", &oneline,
	    "CRITICAL  topo.swapped leaf03/19 - spine02/3 [00c0fff0]: two cables are exchanged: "
	    "leaf03/19 belongs on spine01/3\n"
	    "WARNING   topo.slow leaf11/25 - spine08/11 [00c0ffef]: trained 4x FDR (54.5 Gb/s), "
	    "planned 4x "
	    "EDR (100 Gb/s)\n"
	    "known     port.width leaf/1 [00c0ffee]: is not as it should be\n"
	    "CRITICAL: 1 critical, 1 warning, 1 known; topo.slow 1, topo.swapped 1"
	    "                     exit 2\n");
	assert_contains(mkreport(), "text", &oneline, "OK: no findings  ");
}

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

static void csv_has_the_cases_if_asked(void **state)
{
	(void)state;
	assert_rendered(report_with_a_case(), "csv",
	                &(struct ibc_render_opts){ .table = IBC_CASES_TABLE },
	                "id,check,severity,kind,node_guid,node_desc,port,peer_guid,peer_desc,"
	                "peer_port,message,advice,trait,members,findings,known_until\n"
	                "00c0ffee,a.silent,critical,node,0x0000000000000001,leaf03,,,,,does not "
	                "answer,look at its power,switch leaf03,2,5,\n"
	                "00c0fff3,z.else,warning,port,0x0000000000000009,leaf,1,,,,is not as it "
	                "should be,,,1,1,\n");
}

/* ---- nagios ----------------------------------------------------------------- */

static void nagios_gets_one_line_with_performance_data_first(void **state)
{
	(void)state;
	assert_rendered(
	    full_report(), "nagios", NULL,
	    "IBCHECK CRITICAL - 1 critical, 1 unknown, 1 warning, 1 info, 1 known, incomplete; "
	    "topo.swapped leaf03/19 - spine02/3 [00c0fff2]: two cables are exchanged: leaf03/19 "
	    "belongs on spine01/3 | criticals=1 warnings=1 unknowns=1 cases_critical=1 "
	    "cases_warning=1 cases_unknown=1 nodes=702 switches=54 "
	    "links=1296 unanswered=43 seconds=0.120s\n"
	    "not answered: PortInfo 12 of 2593 (3 refused), SwitchInfo 1 of 54\n"
	    "not sent before the deadline: 30 queries\n"
	    "not checked: port.vl (a.net does not tell PortInfo)\n"
	    "not checked: port.mtu (no reason given)\n"
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
	static const struct ibc_table_type routes = { "routes", figures, groups, NULL };
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
	assert_string_equal(ibc_render_format(3), "prometheus");
	assert_string_equal(ibc_render_format(4), "nagios");
	assert_string_equal(ibc_render_format(5), "junit");
	assert_null(ibc_render_format(6));
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

static unsigned long json_allocations_left;

static void *json_malloc(size_t size)
{
	if (!json_allocations_left)
		return NULL;
	json_allocations_left--;
	return malloc(size);
}

static void running_out_of_memory_for_json_is_a_failure(void **state)
{
	struct ibc_report *rep = full_report();
	unsigned long n = 0;
	int rc;

	(void)state;
	mkfinished(rep);
	json_set_alloc_funcs(json_malloc, free);
	do {
		json_allocations_left = n++;
		rc = render_away(rep, "json");
		assert_true(rc == 0 || rc == -ENOMEM);
	} while (rc);
	json_set_alloc_funcs(malloc, free);
	assert_in_range(n, 500, 5000);
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
		{ "schema", "1" },
		{ "tool", "{\"name\": \"ibcheck\", \"version\": \"" IBC_VERSION "\"}" },
		{ "meta.time", "null" },
		{ "meta.host", "null" },
		{ "meta.command", "null" },
		{ "meta.arguments", "[]" },
		{ "meta.source", "{\"kind\": null, \"ca\": null, \"port\": null, \"file\": null}" },
		{ "meta.duration_seconds", "null" },
		{ "verdict", "\"ok\"" },
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
	assert_int_equal(json_object_size(json), 9);
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
		  "[{\"check\": \"port.vl\", \"reason\": \"a.net does not tell PortInfo\"}, "
		  "{\"check\": \"port.mtu\", \"reason\": null}]" },
		{ "coverage.mads.peak_in_flight", "128" },
		{ "coverage.mads.rtt_p99_us", "90" },
		{ "findings.0.check", "\"known.stale\"" },
		{ "findings.0.subject",
		  "{\"kind\": \"fabric\", \"node_guid\": null, \"node_desc\": null, \"port\": "
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

static void findings_without_cases_are_not_rendered(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	mkfinding(rep, "a.a", IBC_WARNING, 1);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_report_render(rep, "text", NULL, stdout, NULL), -EINVAL);
	ibc_report_free(rep);
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
		"s/\"schema\": 1/\"schema\": 2/",
		"s/\"verdict\": \"critical\"/\"verdict\": \"ok\"/",
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
	    "      <skipped message=\"host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd: is known; known "
	    "until 2026-12-31 (alice: is on order)\">WARNING host09 &lt;&amp;&quot;'&gt; | "
	    "\xef\xbf\xbd: is known; known until 2026-12-31 (alice: is on order)\n"
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
	    "      <system-out>INFO fabric: line 1 of known.txt matches no finding: "
	    "port.width nothing 2026-12-31 alice r\n"
	    "Fix: remove the line if the fault is repaired, otherwise correct it\n"
	    "</system-out>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.port\" name=\"port.silent\">\n"
	    "      <error type=\"unknown\" message=\"host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd: "
	    "does not answer | at all\">UNKNOWN host09 &lt;&amp;&quot;'&gt; | \xef\xbf\xbd: does "
	    "not answer | at all\n"
	    "</error>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.topo\" name=\"topo.slow\">\n"
	    "      <failure type=\"warning\" message=\"leaf11/25 - spine08/11: trained 4x FDR "
	    "(54.5 "
	    "Gb/s), planned 4x EDR (100 Gb/s); known until 2026-01-01 (bob: was on order): "
	    "expired\">WARNING leaf11/25 - spine08/11: trained 4x FDR (54.5 Gb/s), planned 4x "
	    "EDR (100 Gb/s); known until 2026-01-01 (bob: was on order): expired\n"
	    "Fix: reseat, then replace the cable\n"
	    "</failure>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck.topo\" name=\"topo.swapped\">\n"
	    "      <failure type=\"critical\" message=\"leaf03/19 - spine02/3: two cables are "
	    "exchanged: leaf03/19 belongs on spine01/3\">CRITICAL leaf03/19 - spine02/3: two "
	    "cables are exchanged: leaf03/19 belongs on spine01/3\n"
	    "Fix: exchange the two plugs at spine01/7 and spine02/3.\n"
	    "</failure>\n"
	    "    </testcase>\n"
	    "    <testcase classname=\"ibcheck\" name=\"coverage\">\n"
	    "      <error type=\"unknown\" message=\"incomplete\">not answered: PortInfo "
	    "12 of 2593 (3 refused), SwitchInfo 1 of 54\n"
	    "not sent before the deadline: 30 queries\n"
	    "not checked: port.vl (a.net does not tell PortInfo)\n"
	    "not checked: port.mtu (no reason given)\n"
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
	    "first: leaf/1: is not as it should be\">INFO leaf/1");
}

static void a_consequence_fails_its_own_check_and_names_the_case(void **state)
{
	(void)state;
	assert_contains(report_with_a_case(), "junit", NULL,
	                "name=\"c.cut-off\">\n"
	                "      <failure type=\"warning\" message=\"leaf/1: is not as it should "
	                "be; follows from case 00c0ffee: leaf03: does not answer\">");
	assert_contains(report_with_a_case(), "junit", NULL,
	                "message=\"2 findings, the first: leaf/1: is not as it should be\">");
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

static const struct CMUnitTest cases_of_findings[] = {
	cmocka_unit_test(a_case_says_who_else_has_the_fault_and_what_follows),
	cmocka_unit_test(verbose_text_has_every_finding_of_a_case),
	cmocka_unit_test(a_case_with_a_finding_that_is_shown_is_shown),
	cmocka_unit_test(of_many_with_the_fault_the_first_are_named),
	cmocka_unit_test(csv_has_the_cases_if_asked),
	cmocka_unit_test(a_consequence_fails_its_own_check_and_names_the_case),
	cmocka_unit_test(json_has_the_findings_of_a_case_by_their_places),
	cmocka_unit_test(findings_without_cases_are_not_rendered),
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_report_is_its_verdict),
		cmocka_unit_test(findings_come_by_severity_then_the_sum),
		cmocka_unit_test(verbose_text_gives_the_evidence),
		cmocka_unit_test(verbose_text_says_what_a_short_name_stands_for),
		cmocka_unit_test(the_sum_ends_with_what_it_comes_to),
		cmocka_unit_test(a_table_says_what_it_leaves_out),
		cmocka_unit_test(of_a_table_without_rows_the_number_is_left),
		cmocka_unit_test(an_upright_table_has_a_line_for_each_value_that_is_known),
		cmocka_unit_test(subjects_are_named_as_people_do),
		cmocka_unit_test(long_check_ids_keep_their_distance),
		cmocka_unit_test(sentences_begin_large_unless_they_begin_with_a_name),
		cmocka_unit_test(only_so_many_stand_beside_the_first),
		cmocka_unit_test(evidence_of_another_kind_does_not_stand_beside_it),
		cmocka_unit_test(a_finding_about_the_fabric_names_what_it_found),
		cmocka_unit_test(what_a_screen_does_not_hold_is_counted),
		cmocka_unit_test(known_findings_are_listed_apart),
		cmocka_unit_test(many_known_findings_are_counted),
		cmocka_unit_test(without_findings_the_sum_counts_checks),
		cmocka_unit_test(gaps_are_said_one_by_one),
		cmocka_unit_test(checks_skipped_for_one_reason_share_a_line),
		cmocka_unit_test(long_lines_fold_between_words),
		cmocka_unit_test(the_exit_status_keeps_its_distance_or_takes_a_line),
		cmocka_unit_test(colors_come_only_when_asked_for),
		cmocka_unit_test(control_characters_never_come_out),
		cmocka_unit_test(tables_align_words_left_and_numbers_right),
		cmocka_unit_test(texts_lose_their_middle_where_a_line_is_too_long),
		cmocka_unit_test(wide_characters_are_never_cut_in_half),
		cmocka_unit_test(what_does_not_fit_a_line_goes_on_in_the_next),
		cmocka_unit_test(a_column_can_be_hidden_from_text_alone),
		cmocka_unit_test(no_line_of_a_table_is_wider_than_the_terminal),
		cmocka_unit_test(several_tables_have_their_names),
		cmocka_unit_test(groups_say_once_what_their_rows_share),
		cmocka_unit_test(a_single_group_has_all_in_its_heading),
		cmocka_unit_test(groups_of_one_row_each_are_lines),
		cmocka_unit_test(a_line_that_is_too_long_leaves_what_all_share_above),
		cmocka_unit_test(rows_that_are_all_the_same_stay_lines),
		cmocka_unit_test(details_are_for_the_verbose),
		cmocka_unit_test(sentences_fold_below_their_heading),
		cmocka_unit_test(findings_of_less_severity_are_counted_and_not_shown),
		cmocka_unit_test(json_leaves_out_what_is_not_shown_and_sums_all),
		cmocka_unit_test(what_is_not_shown_is_in_no_line_of_nagios_either),
		cmocka_unit_test(findings_are_shown_for_each_node_that_they_name),
		cmocka_unit_test(rows_are_shown_for_the_nodes_that_are_asked_for),
		cmocka_unit_test(rows_that_are_not_shown_leave_no_gap),
		cmocka_unit_test(one_line_a_finding_and_the_sum),
		cmocka_unit_test(csv_quotes_what_would_not_read_back),
		cmocka_unit_test(csv_has_every_column_words_as_in_json_and_nothing_for_null),
		cmocka_unit_test(csv_of_an_empty_table_is_its_head),
		cmocka_unit_test(csv_without_a_table_is_the_findings),
		cmocka_unit_test(nagios_gets_one_line_with_performance_data_first),
		cmocka_unit_test(nagios_says_what_is_not_known),
		cmocka_unit_test(nagios_gets_the_figures_of_tables),
		cmocka_unit_test(nagios_output_stays_small_unless_asked),
		cmocka_unit_test(formats_are_listed),
		cmocka_unit_test(a_full_disk_is_a_failure_in_every_format),
		cmocka_unit_test(a_stream_that_failed_before_is_a_failure),
		cmocka_unit_test(only_finished_reports_and_known_formats_are_rendered),
		cmocka_unit_test(running_out_of_memory_is_a_failure),
		cmocka_unit_test(running_out_of_memory_for_json_is_a_failure),
		cmocka_unit_test(every_key_is_there_in_an_empty_report),
		cmocka_unit_test(json_holds_all_that_a_report_does),
		cmocka_unit_test(numbers_out_of_the_ordinary_are_json_still),
		cmocka_unit_test(rows_do_not_inherit_from_the_row_before),
		cmocka_unit_test(a_table_of_any_size_is_written_whole),
		cmocka_unit_test(every_report_fits_the_schema),
		cmocka_unit_test(a_report_that_does_not_fit_the_schema_is_told),
		cmocka_unit_test(every_junit_report_is_xml_whose_sums_hold),
		cmocka_unit_test(junit_has_a_case_a_check_and_one_for_the_coverage),
		cmocka_unit_test(a_case_names_what_counts_first),
		cmocka_unit_test(silence_that_a_finding_tells_of_is_said_and_no_error),
		cmocka_unit_test(a_report_that_is_well_passes),
	};

	return cmocka_run_group_tests_name("cases", cases_of_findings, NULL, NULL) +
	       cmocka_run_group_tests_name("render", tests, enter, leave);
}
