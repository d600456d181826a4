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
	assert_contains(report_with_a_case(), "junit", NULL,
	                "message=\"2 findings, the first: leaf/1: is not as it should be\">");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_case_says_what_follows_from_it),
		cmocka_unit_test(verbose_text_has_every_finding_of_a_case),
		cmocka_unit_test(a_case_with_a_finding_that_is_shown_is_shown),
		cmocka_unit_test(csv_has_the_cases_if_asked),
		cmocka_unit_test(findings_without_cases_are_not_rendered),
		cmocka_unit_test(a_consequence_fails_its_own_check_and_names_the_case),
	};

	return cmocka_run_group_tests_name("cases", tests, enter, leave);
}
