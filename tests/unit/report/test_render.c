/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read. */
#include "mkrender.h"

#include "base/utf8.h"

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

static void what_a_screen_does_not_hold_is_counted(void **state)
{
	struct ibc_report *rep;
	char *text;

	(void)state;
	for (int all = 0; all < 3; all++) {
		rep = mkreport();
		for (unsigned int i = 0; i < 9; i++)
			mkfinding(rep, "a.a", IBC_WARNING, i);
		mkfinding(rep, "b.b", IBC_CRITICAL, 1);
		text = rendered(rep, "text", all == 2 ? NULL : all ? &verbose : &one_screen);
		assert_non_null(strstr(text, "\n\nCRITICAL  b.b"));
		assert_int_equal(strstr(text, "\n... and 3 more: -v shows all\n") == NULL, all > 0);
		assert_non_null(strstr(text, "\nCRITICAL: 1 critical, 9 warnings; a.a 9, b.b 1 "));
		free(text);
	}
}

static void every_critical_case_has_its_line(void **state)
{
	struct ibc_report *rep = mkreport();
	const char *at;
	size_t lines = 0;
	char *text;

	(void)state;
	for (unsigned int i = 0; i < 40; i++)
		mkfinding(rep, "a.a", IBC_CRITICAL, i);
	for (unsigned int i = 0; i < 5; i++)
		mkfinding(rep, "b.b", IBC_WARNING, i);
	text = rendered(rep, "text", &one_screen);
	for (at = text; (at = strstr(at, "\nCRITICAL  a.a ")); at++)
		lines++;
	assert_int_equal(lines, 40);
	assert_non_null(strstr(text, "\n... and 5 more: -v shows all\n"));
	free(text);
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
	assert_contains(rep, "text", &one_screen,
	                "\n... and 2 more known: -v shows all\n\nOK: 5 known  ");
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
	                "not checked: port.vl (a.net does not tell PortInfo); "
	                "port.mtu (no reason given)\n"
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
	                "not checked: a.a, c.c (r); b.b, d.d (no reason given)\n\n");
}

static void what_nobody_asked_for_is_one_line(void **state)
{
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_report_unasked(rep, "b.b", "--routes");
	ibc_report_unasked(rep, "gone", "--state");
	ibc_report_unasked(rep, "c", "--routes");
	assert_contains(rep, "text", NULL,
	                "not checked: b.b and 1 more (--routes); gone (--state)\n\n");
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
	                "          [00c0ffee]\n"
	                "          has_a_word_that_is_longer_than_any_line_could_be\n"
	                "          and caf\xc3\xa9s and tea.\n"
	                "WARNING   topo.slow       leaf11/25 -\n"
	                "          spine08/11  [00c0ffef]\n"
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

static void texts_go_on_below_where_a_line_is_too_long(void **state)
{
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &two);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("hall-b-node01 mlx5_0/1"), ibc_u64(123) });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("caf\xc3\xa9 au lait \xc3\xa9t\xc3\xa9"),
	                                       ibc_u64(4) });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 17 },
	                "\n\nA               B\n"
	                "hall-b-       123\n"
	                "node01\n"
	                "mlx5_0/1\n"
	                "caf\xc3\xa9 au lait    4\n"
	                "\xc3\xa9t\xc3\xa9\n\nOK");
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
	assert_contains(
	    rep, "text", &(struct ibc_render_opts){ .columns = 16 },
	    "\n\nA              B\n"
	    "\xe6\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f\xe6\xa9\x9f/  7\n"
	    "1\n"
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
	static const struct ibc_table_type unread = { "unread", one_column, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();

	(void)state;
	ibc_table_row(ibc_report_table(rep, &one), (struct ibc_value[]){ ibc_u64(7) });
	ibc_report_table(rep, &unread);
	assert_contains(rep, "text", NULL, "t\nN\n7\n\nunread: none\n\nOK");
}

static void a_title_stands_before_the_name(void **state)
{
	static const struct ibc_table_type left = { "t_left", one_column, NULL, NULL,
		                                    "what is left" };
	static const struct ibc_table_type gone = { "t_gone", one_column, NULL, NULL,
		                                    "what is gone" };

	(void)state;
	for (int html = 0; html < 2; html++) {
		struct ibc_report *rep = mkreport();

		ibc_table_row(ibc_report_table(rep, &left), (struct ibc_value[]){ ibc_u64(7) });
		ibc_report_table(rep, &gone);
		if (html)
			assert_contains(rep, "html", NULL,
			                "id=\"table-t_left\">\n<h2>what is left</h2>");
		else
			assert_contains(
			    rep, "text", NULL,
			    "what is left (t_left)\nN\n7\n\nwhat is gone (t_gone): none\n\nOK");
	}
}

/* ---- groups -------------------------------------------------------------------- */

static const struct ibc_column group_columns[] = {
	COLUMN(0, "node", "NODE"),
	COLUMN(1, "lid", "LID"),
	COLUMN(2, "mtu", "MTU"),
	COLUMN(3, "port", "PORT"),
	{ 0 },
};
static const struct ibc_table_type grouped = { "grouped", group_columns, NULL, "node", NULL };

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
	                "\n\nsame in every row: MTU 4096\n"
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
	                "\n\nsame in every row: MTU\n"
	                "          4096, PORT 1\n"
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
	static const struct ibc_table_type type = { "t", detailed, NULL, NULL, NULL };
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
	static const struct ibc_table_type type = { "t", with_sentence, NULL, NULL, NULL };
	struct ibc_report *rep = mkreport();
	struct ibc_table *t = ibc_report_table(rep, &type);

	(void)state;
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("leaf01"), ibc_str("is not as it is") });
	ibc_table_row(t, (struct ibc_value[]){ ibc_str("x"), ibc_str("was") });
	assert_contains(rep, "text", &(struct ibc_render_opts){ .columns = 21 },
	                "\n\nA       B\nleaf01  is not as it\n        is\nx       was\n\nOK");
}

/* ---- what is shown --------------------------------------------------------------- */

static void findings_of_less_severity_are_counted_and_not_shown(void **state)
{
	struct ibc_report *rep = partly_shown((struct ibc_show){ .least = IBC_UNKNOWN });
	char *text;

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_CRITICAL);
	text = rendered(rep, "text", NULL);
	assert_null(strstr(text, "  topo.slow  "));
	assert_non_null(strstr(text, "\n\n2 cases not shown (--severity)\n\n"));
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
	                "\"findings\": [\n    {\"id\": \"00c0ffee\", \"check\": \"topo.swapped\"");
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
	assert_non_null(strstr(text, "\n\xe6\xa9\x9f       3  LinkUp   100\n"));
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
		cmocka_unit_test(every_critical_case_has_its_line),
		cmocka_unit_test(known_findings_are_listed_apart),
		cmocka_unit_test(many_known_findings_are_counted),
		cmocka_unit_test(without_findings_the_sum_counts_checks),
		cmocka_unit_test(gaps_are_said_one_by_one),
		cmocka_unit_test(checks_skipped_for_one_reason_share_a_line),
		cmocka_unit_test(what_nobody_asked_for_is_one_line),
		cmocka_unit_test(long_lines_fold_between_words),
		cmocka_unit_test(the_exit_status_keeps_its_distance_or_takes_a_line),
		cmocka_unit_test(colors_come_only_when_asked_for),
		cmocka_unit_test(control_characters_never_come_out),
		cmocka_unit_test(tables_align_words_left_and_numbers_right),
		cmocka_unit_test(texts_go_on_below_where_a_line_is_too_long),
		cmocka_unit_test(wide_characters_are_never_cut_in_half),
		cmocka_unit_test(what_does_not_fit_a_line_goes_on_in_the_next),
		cmocka_unit_test(a_column_can_be_hidden_from_text_alone),
		cmocka_unit_test(no_line_of_a_table_is_wider_than_the_terminal),
		cmocka_unit_test(several_tables_have_their_names),
		cmocka_unit_test(a_title_stands_before_the_name),
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
	};

	return cmocka_run_group_tests_name("render", tests, enter, leave);
}
