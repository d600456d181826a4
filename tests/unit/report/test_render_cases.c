/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of several findings, in the formats that have them. */
#include "mkrender.h"

static void a_case_says_what_follows_from_it(void **state)
{
	(void)state;
	assert_rendered(report_with_a_case(), "text", NULL,
	                "CRITICAL: 1 critical, 1 warning\n"
	                "\n"
	                "CRITICAL  a.silent        leaf03  [00c0ffee]\n"
	                "          Does not answer.\n"
	                "          Explains 3 findings: 2 b.unread, 1 c.cut-off.\n"
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
	                "does not answer; explains 3 findings: 2... | "
	                "criticals=2 warnings=2 unknowns=2 cases_critical=1 cases_warning=1 "
	                "cases_unknown=0 ");
	assert_contains(report_with_a_case(), "nagios", NULL,
	                "\nIBCHECK CRITICAL - 1 critical, 1 warning; a.silent leaf03 [00c0ffee]: "
	                "does not answer; explains 3 findings: 2 b.unread, 1 c.cut-off\n");
}

static void verbose_text_has_every_finding_of_a_case(void **state)
{
	(void)state;
	assert_contains(report_with_a_case(), "text", &verbose,
	                "          Fix: look at its power.\n"
	                "          node      leaf03: GUID 0x0000000000000001\n"
	                "          finding   a.silent leaf/1: is not as it should be [00c0ffee]\n"
	                "          finding   a.silent leaf/1: is not as it should be [00c0ffee]\n"
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
	assert_non_null(strstr(text, "\n1 case not shown (of other things)\n"));
	free(text);
}

static void what_was_not_read_of_all_is_shown_with_any_thing(void **state)
{
	struct ibc_report *rep = mkreport();
	char *text;

	(void)state;
	ibc_report_add(rep, "p.partial", IBC_UNKNOWN, &(struct ibc_subject){ 0 },
	               "nothing was read");
	mkfinding(rep, "z.silent", IBC_UNKNOWN, 1);
	mkfinished(rep);
	ibc_report_show(rep, &(struct ibc_show){ .guids = (uint64_t[]){ 3 }, .num_guids = 1 });
	text = rendered(rep, "text", NULL);
	assert_non_null(strstr(text, "\nUNKNOWN   p.partial "));
	assert_null(strstr(text, "UNKNOWN   z.silent "));
	free(text);
}

#define DAY   86400
#define BEGAN 1769860800

/* As lib/store leaves it: a.silent has this past, z.else is new, and one is gone. */
static struct ibc_report *report_with_a_past(enum ibc_case_state state, time_t age,
                                             unsigned int times)
{
	struct ibc_report *rep = report_with_a_case();
	struct ibc_case *gone = arena_alloc(rep->arena, sizeof(*gone));

	assert_non_null(gone);
	rep->remembered = BEGAN + age;
	rep->cases[0].state = state;
	rep->cases[0].since = BEGAN;
	rep->cases[0].times = times;
	rep->cases[1].state = IBC_CASE_NEW;
	*gone = (struct ibc_case){ .id = "00c0fffa",
		                   .check = "port.width",
		                   .severity = IBC_WARNING,
		                   .subject = mknode(7, "leaf07"),
		                   .message = "runs at 1x",
		                   .num_members = 2,
		                   .state = IBC_CASE_GONE,
		                   .since = BEGAN,
		                   .times = 1 };
	rep->gone = gone;
	rep->num_gone = 1;
	return rep;
}

static void a_case_says_what_is_remembered_of_it(void **state)
{
	(void)state;
	setenv("TZ", "UTC0", 1);
	assert_rendered(report_with_a_past(IBC_CASE_OPEN, 3 * DAY, 1), "text", NULL,
	                "CRITICAL: 1 critical (for 3 days), 1 warning (new), 1 ended\n"
	                "\n"
	                "CRITICAL  a.silent        leaf03  [00c0ffee]  for 3 days\n"
	                "          Does not answer.\n"
	                "          Explains 3 findings: 2 b.unread, 1 c.cut-off.\n"
	                "          Fix: look at its power.\n"
	                "WARNING   z.else          leaf/1  [00c0fff3]  new\n"
	                "          Is not as it should be.\n"
	                "\n"
	                "ended     port.width      leaf07  [00c0fffa]  after 3 days\n"
	                "          Last report: runs at 1x. The fault began 2026-01-31 12:00.\n"
	                "\n"
	                "CRITICAL: 1 critical (for 3 days), 1 warning (new), 1 ended; a.silent 1, "
	                "z.else 1         exit 2\n");
	assert_contains(report_with_a_past(IBC_CASE_BACK, 3 * DAY, 4), "text",
	                &(struct ibc_render_opts){ .oneline = true },
	                "CRITICAL  a.silent leaf03 [00c0ffee] (back, 4th time in 3 days): does not "
	                "answer; explains 3 findings: 2 b.unread, 1 c.cut-off\n"
	                "WARNING   z.else leaf/1 [00c0fff3] (new): is not as it should be\n"
	                "ended     port.width leaf07 [00c0fffa] (after 3 days): runs at 1x\n");
	assert_contains(report_with_a_past(IBC_CASE_WORSE, 3 * DAY, 1), "nagios", NULL,
	                "IBCHECK CRITICAL - 1 critical (worse, for 3 days), 1 warning (new), 1 "
	                "ended; a.silent leaf03 [00c0ffee] (worse, for 3 days): does not answer");
	assert_contains(report_with_a_past(IBC_CASE_WORSE, 3 * DAY, 1), "nagios", NULL,
	                "\nended port.width leaf07 [00c0fffa] (after 3 days): runs at 1x\n");
}

static void an_age_is_in_units_that_tell_enough(void **state)
{
	static const struct {
		time_t age;
		unsigned int times;
		const char *text;
	} pasts[] = {
		{ 0, 1, "  for less than 1 min\n" },
		{ 119, 1, "  for 1 min\n" },
		{ 7199, 1, "  for 119 min\n" },
		{ 7200, 2, "  2nd time in 2 h\n" },
		{ 2 * DAY - 1, 3, "  3rd time in 47 h\n" },
		{ 2 * DAY, 11, "  11th time in 2 days\n" },
		{ 500 * DAY, 121, "  121st time in 500 days\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pasts) / sizeof(*pasts); i++)
		assert_contains(report_with_a_past(IBC_CASE_OPEN, pasts[i].age, pasts[i].times),
		                "text", NULL, pasts[i].text);
}

static void of_several_cases_the_sum_counts_what_changed(void **state)
{
	static const struct {
		enum ibc_case_state state;
		const char *sum;
	} sums[] = {
		{ IBC_CASE_NEW, "WARNING: 2 warnings (all new), 1 ended\n" },
		{ IBC_CASE_WORSE, "WARNING: 2 warnings (1 new, 1 worse), 1 ended\n" },
		{ IBC_CASE_OPEN, "WARNING: 2 warnings (1 new), 1 ended\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		struct ibc_report *rep = report_with_a_past(sums[i].state, DAY, 1);

		rep->cases[0].severity = IBC_WARNING;
		for (size_t j = 0; j < rep->num_findings; j++)
			rep->findings[j].severity = IBC_WARNING;
		assert_contains(rep, "text", NULL, sums[i].sum);
	}
}

static void csv_has_the_cases_if_asked(void **state)
{
	(void)state;
	assert_rendered(report_with_a_case(), "csv",
	                &(struct ibc_render_opts){ .table = IBC_CASES_TABLE },
	                "id,check,severity,kind,node_guid,node_desc,port,peer_guid,peer_desc,"
	                "peer_port,message,advice,trait,members,findings,known_until,state,"
	                "since,times\n"
	                "00c0ffee,a.silent,critical,node,0x0000000000000001,leaf03,,,,,does not "
	                "answer,look at its power,switch leaf03,2,5,,,,\n"
	                "00c0fff3,z.else,warning,port,0x0000000000000009,leaf,1,,,,is not as it "
	                "should be,,,1,1,,,,\n");
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

static void a_consequence_fails_its_own_check_and_names_the_case(void **state)
{
	(void)state;
	assert_contains(report_with_a_case(), "junit", NULL,
	                "name=\"c.cut-off\">\n"
	                "      <failure type=\"warning\" message=\"leaf/1: is not as it should "
	                "be; follows from case 00c0ffee: leaf03: does not answer\">");
	assert_contains(
	    report_with_a_case(), "junit", NULL,
	    "message=\"2 findings, the first: leaf/1 [00c0ffee]: is not as it should be\">");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_case_says_what_follows_from_it),
		cmocka_unit_test(verbose_text_has_every_finding_of_a_case),
		cmocka_unit_test(a_case_with_a_finding_that_is_shown_is_shown),
		cmocka_unit_test(what_was_not_read_of_all_is_shown_with_any_thing),
		cmocka_unit_test(a_case_says_what_is_remembered_of_it),
		cmocka_unit_test(an_age_is_in_units_that_tell_enough),
		cmocka_unit_test(of_several_cases_the_sum_counts_what_changed),
		cmocka_unit_test(csv_has_the_cases_if_asked),
		cmocka_unit_test(findings_without_cases_are_not_rendered),
		cmocka_unit_test(a_consequence_fails_its_own_check_and_names_the_case),
	};

	return cmocka_run_group_tests_name("cases", tests, enter, leave);
}
