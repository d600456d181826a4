/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A healthy fabric, swept up to a deadline: whatever was not reached is unknown, and nothing is
 * wrong.  The clock is virtual, so each deadline ends the sweep at the same query in every run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include <ibcheck/case.h>
#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>
#include <ibcheck/topo.h>

#include "base/array.h"
#include "findings.h"
#include "mkfile.h"
#include "mkrig.h"
#include "wire/smp.h"

#define POINTS 60

/* struct look - what a run compares with, and what it looks at */
struct look {
	const char *selection;
	bool plan, before, routes;
};

static const struct look looks[] = {
	{ "topo", .plan = true },
	{ .selection = "port,counters,fattree,sm" },
	{ "port,counters,fattree,sm,topo", .plan = true },
	{ "port,counters,fattree,sm,diff", .before = true },
	{ "port,counters,fattree,sm,qos,ar,cable,routes", .routes = true },
	{ NULL, .plan = true, .routes = true },
	{ NULL, .before = true, .routes = true },
};

/* With names alone, as people write it. */
static struct ibc_fabric *plan_of(const struct ibc_fabric *fab)
{
	size_t n;
	char *text = bytes_of(fab, "cables", &n);
	struct ibc_fabric *plan = fabric_of(read_cable_list, text, n);

	free(text);
	return plan;
}

static struct ibc_report *judge(const struct rig *r, const struct look *look)
{
	const struct ibc_routes_opts following = { .threads = 1, .bisections = 2, .shifts = 2 };
	struct ibc_input in = { .fabric = r->seen, .totals = true };
	struct ibc_comparison *cmp = NULL;
	struct ibc_fabric *plan = NULL;
	struct ibc_fattree *tree;
	struct ibc_routes *routes = NULL;
	struct ibc_report *rep;

	if (look->plan)
		plan = plan_of(r->real);
	in.before = look->before ? r->real : NULL;
	if (plan || in.before)
		assert_int_equal(ibc_compare(plan ? plan : r->real, r->seen, NULL, &cmp, NULL), 0);
	in.comparison = cmp;
	assert_int_equal(ibc_fattree_infer(r->seen, NULL, &tree, NULL), 0);
	in.fattree = tree;
	if (look->routes)
		assert_int_equal(ibc_routes_analyze(r->seen, &following, &routes, NULL), 0);
	in.routes = routes;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, look->selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	ibc_routes_free(routes);
	ibc_fattree_free(tree);
	ibc_comparison_free(cmp);
	ibc_fabric_free(plan);
	return rep;
}

/*
 * Answers overtake one another, so that a deadline ends the sweep between any two of them; those of
 * one attribute come last.
 */
static const uint16_t come_last[] = { 0, SMP_NODE_INFO, SMP_NODE_DESC, SMP_PORT_INFO };
static uint16_t last, answered;

static int answer(void *model, const struct mad_addr *to, uint8_t mad[MAD_SIZE])
{
	answered = (uint16_t)(mad[16] << 8 | mad[17]);
	return model_answer(model, to, mad);
}

static struct line_fate come_late(void *model)
{
	const uint64_t step_ns = 7 * RTT_NS,
		       most_ns = 31 * RTT_NS; /* which have no common divisor */
	uint64_t late_ns = model_asked_total(model) * step_ns % most_ns;

	return (struct line_fate){ answered == last ? most_ns + 4 * late_ns : late_ns, 1 };
}

static struct rig slow_rig(const struct look *look)
{
	struct ibc_attrs needs = ibc_check_needs(ibc_check_select(look->selection, NULL));
	struct rig r = rig_needing(TWO_TIER, needs);

	r.line.fate = come_late;
	r.answer = answer;
	return r;
}

static double whole_seconds(const struct look *look)
{
	struct rig r = slow_rig(look);
	struct ibc_report *rep;
	double seconds;

	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_false(ibc_fabric_subnet(r.seen, 0)->cut_short);
	seconds = ibc_fabric_subnet(r.seen, 0)->sweep.duration_seconds;
	rep = judge(&r, look);
	if (ibc_report_verdict(rep) > IBC_UNKNOWN)
		fail_msg("%s", findings_text(rep));
	ibc_report_free(rep);
	rig_free(&r);
	return seconds;
}

static void cut_at(const struct look *look, double seconds)
{
	struct rig r = slow_rig(look);
	struct ibc_report *rep;

	r.opts.deadline_seconds = seconds;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_true(ibc_fabric_subnet(r.seen, 0)->cut_short);
	rep = judge(&r, look);
	if (ibc_report_verdict(rep) != IBC_UNKNOWN)
		fail_msg("%s, cut after %.6f s: %s\n%s", look->selection ? look->selection : "all",
		         seconds, ibc_severity_word(ibc_report_verdict(rep))->word,
		         findings_text(rep));
	ibc_report_free(rep);
	rig_free(&r);
}

static void nothing_is_wrong_with_what_was_not_reached(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(looks) * ARRAY_SIZE(come_last); k++) {
		const struct look *look = &looks[k % ARRAY_SIZE(looks)];
		double whole;

		last = come_last[k / ARRAY_SIZE(looks)];
		whole = whole_seconds(look);

		for (unsigned int i = 1; i <= POINTS; i++)
			cut_at(look, whole * i / (POINTS + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wrong_with_what_was_not_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
