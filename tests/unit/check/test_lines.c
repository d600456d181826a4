/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of files that are not understood: what follows from them, and what does not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/topo.h>

#include "mknet.h"

#define DAMAGED "[1]\tH-0000000000000020\n"

/* Of one fabric, or of one beside the plan of another. */
static struct ibc_report *report_of(const char *found, const char *planned, const char *checks)
{
	struct ibc_fabric *fab = load(found), *plan = planned ? load(planned) : NULL;
	struct ibc_comparison *cmp = NULL;
	struct ibc_input in = { .fabric = fab };
	struct ibc_report *rep;

	if (plan)
		assert_int_equal(ibc_compare(plan, fab, NULL, &cmp, NULL), 0);
	in.comparison = cmp;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, checks, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	ibc_comparison_free(cmp);
	ibc_fabric_free(plan);
	ibc_fabric_free(fab);
	return rep;
}

static const struct ibc_finding *finding_of(const struct ibc_report *rep, const char *check)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		if (!strcmp(f->check, check))
			return f;
	return NULL;
}

static void a_lost_line_is_unknown_whatever_is_selected(void **state)
{
	struct ibc_report *rep = report_of(SWITCH DAMAGED CA BACK, NULL, "port.name");

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_non_null(finding_of(rep, "fabric.lines"));
	ibc_report_free(rep);
	rep = report_of(SWITCH CABLE CA BACK, NULL, "port.name");
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

static void a_loss_that_no_finding_reports_is_unknown(void **state)
{
	struct ibc_report *rep;

	(void)state;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	ibc_report_lines_lost(rep, 1);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void what_the_plan_may_have_is_not_unexpected(void **state)
{
	struct ibc_report *rep = report_of(SWITCH CABLE "[2]\t\"x\"[1]\n" CA BACK,
	                                   SWITCH CABLE "[2]\tx\n" CA BACK, "topo");
	const struct ibc_finding *f = finding_of(rep, "topo.unexpected-node");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, IBC_UNKNOWN);
	assert_true(f->doubtful);
	assert_null(f->advice);
	assert_true(f->follows);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void what_may_be_in_a_lost_line_is_not_missing(void **state)
{
	struct ibc_report *rep = report_of(SWITCH CABLE "[2]\tx\n" CA BACK,
	                                   SWITCH CABLE "[2]\t\"x\"[1]\n" CA BACK, "topo");

	(void)state;
	assert_null(finding_of(rep, "topo.missing-cable"));
	assert_null(finding_of(rep, "topo.missing-node"));
	assert_non_null(finding_of(rep, "topo.unchecked"));
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	ibc_report_free(rep);
}

static void lines_that_are_lost_stay_lost_in_a_snapshot(void **state)
{
	struct ibc_fabric *fab = load(SWITCH DAMAGED CA BACK), *again;
	const struct ibc_subnet *subnet;
	char *bytes = bytes_of(fab, "snapshot", NULL);

	(void)state;
	again = fabric_of(read_snapshot, bytes, strlen(bytes));
	subnet = ibc_fabric_subnet(again, 0);
	assert_int_equal(subnet->lines_lost, 1);
	assert_int_equal(subnet->num_lost, 1);
	assert_int_equal(subnet->lost->line, 2);
	assert_string_equal(subnet->lost->why, "expected the peer's id in quotation marks");
	assert_true(subnet->cut_short);
	assert_true(ibc_attrs_has(subnet->lost_of, IBC_ATTR_NODE_INFO));
	free(bytes);
	ibc_fabric_free(again);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_line_is_unknown_whatever_is_selected),
		cmocka_unit_test(a_loss_that_no_finding_reports_is_unknown),
		cmocka_unit_test(what_the_plan_may_have_is_not_unexpected),
		cmocka_unit_test(what_may_be_in_a_lost_line_is_not_missing),
		cmocka_unit_test(lines_that_are_lost_stay_lost_in_a_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
