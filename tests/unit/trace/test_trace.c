/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of decisions, and that nothing is while nobody asks; of the engine: test_engine.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>
#include <ibcheck/source.h>
#include <ibcheck/topo.h>

#include "base/trace.h"
#include "mkcount.h"
#include "mkrig.h"
#include "mktrace.h"

static void what_nobody_asks_for_is_not_even_evaluated(void **state)
{
	struct mktrace t;
	int n = 0;

	(void)state;
	mktrace_start(&t);
	TRACE(NULL, IBC_TRACE_TREE, "%d", ++n);
	t.trace.topics = 0;
	TRACE(&t.trace, IBC_TRACE_TREE, "%d", ++n);
	t.trace.topics = 1u << IBC_TRACE_ENGINE;
	TRACE(&t.trace, IBC_TRACE_TREE, "%d", ++n);
	assert_null(t.text);
	t.trace.topics = 1u << IBC_TRACE_TREE;
	TRACE(&t.trace, IBC_TRACE_TREE, "%d", ++n);
	assert_string_equal(t.text, "tree: 1\n");
	mktrace_free(&t);
}

static struct ibc_fabric *fabric_of(const char *path)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_fabric *fab;

	opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	assert_int_equal(ibc_fabric_load(&path, 1, &opts, &fab, NULL), 0);
	return fab;
}

static void the_gate_that_refuses_a_missing_link_tells_its_numbers(void **state)
{
	struct ibc_fabric *fab = fabric_of("topologies/two-level-small+missing-cable.net");
	struct ibc_fattree *tree;
	struct mktrace t;

	(void)state;
	mktrace_start(&t);
	assert_int_equal(ibc_fattree_infer(fab, &t.trace, &tree, NULL), 0);
	assert_traced(&t, "tree: group 0: rule of 2 uplinks, support 0.875, like groups: 1, ");
	assert_traced(&t, "tree: leaf04 - spine02, one link missing: row 0.5, column 0.75, rule "
	                  "0.875: not blamed, gate rule (row or column < 0.75, and rule < 0.9)\n");
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	mktrace_free(&t);
}

static void the_gate_that_admits_one_tells_its_numbers(void **state)
{
	struct ibc_fabric *fab = fabric_of("synth:fattree:leaves=4,spines=4,hosts=2,cables=1");
	struct ibc_fattree *tree;
	struct ibc_port *p;
	struct mktrace t;

	(void)state;
	for (size_t i = 0; (p = (struct ibc_port *)ibc_fabric_port(fab, i)); i++)
		if (p->peer && p->node->type == IBC_NODE_SWITCH &&
		    p->peer->node->type == IBC_NODE_SWITCH)
			break;
	((struct ibc_port *)p->peer)->peer = NULL;
	p->peer = NULL;
	mktrace_start(&t);
	assert_int_equal(ibc_fattree_infer(fab, &t.trace, &tree, NULL), 0);
	assert_traced(&t,
	              "one link missing: row 0.75, column 0.75, rule 0.938: may be blamed, gate "
	              "row-and-column (row >= 0.75 and column >= 0.75)\n");
	assert_traced(&t, "tree: case missing, blamed: 0 links found, 1 missing, ");
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	mktrace_free(&t);
}

static void a_sweep_tells_what_it_finds_and_no_key(void **state)
{
	struct rig r = rig_needing("synth:fattree:leaves=2,spines=1,hosts=1",
	                           IBC_ATTRS(IBC_ATTR_PORT_COUNTERS));
	struct mktrace t;

	(void)state;
	mktrace_start(&t);
	r.opts.trace = &t.trace;
	r.opts.m_key = 0xfeedbeefcafef00d;
	r.opts.sm_key = r.opts.m_key;
	sweep(&r);
	assert_int_equal(r.rc, 0);
	assert_traced(&t, "engine: sent, try 0, ");
	assert_traced(&t, "discovery: part 1 of ");
	assert_traced(&t, " found: switch, ");
	assert_traced(&t, " joined to 0x");
	assert_traced(&t, "discovery: LID routes are trusted\n");
	assert_traced(&t, "counters: ClassPortInfo of model ");
	assert_traced(&t, " PortCountersExtended asked\n");
	assert_null(strcasestr(t.text, "feedbeef"));
	assert_null(strcasestr(t.text, "cafef00d"));
	rig_free(&r);
	mktrace_free(&t);
}

static void the_blamed_end_tells_its_counts_and_limits(void **state)
{
	struct pair s = mk_pair(mk_leaf(3), mk_leaf(3));
	struct ibc_fabric *before, *now;
	struct ibc_report *rep;
	struct ibc_input in = { 0 };
	struct mktrace t;

	(void)state;
	count(s.now, 1, 2, IBC_RCV_ERRORS, 212);
	before = done(s.before);
	now = done(s.now);
	mktrace_start(&t);
	in.fabric = now;
	in.before = before;
	in.trace = &t.trace;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "counters.rcv-errors", rep, NULL), 0);
	assert_traced(&t, "counters: counters.rcv-errors: PortRcvErrors 212 at leaf01/2 in 3600 s, "
	                  "212 per hour; warning from 1, critical from 10: critical\n");
	assert_traced(&t, "PortRcvErrors 212 at leaf01/2 (a), 0 at host02 mlx5_0/1 (z): sender "
	                  "host02 mlx5_0/1 blamed, only the receiver reports it\n");
	ibc_report_free(rep);
	ibc_fabric_free(now);
	ibc_fabric_free(before);
	mktrace_free(&t);
}

static void nodes_and_routes_are_traced(void **state)
{
	struct ibc_fabric *fab = fabric_of("synth:fattree:leaves=2,spines=2,hosts=1");
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	struct ibc_comparison *cmp;
	struct ibc_routes *routes;
	struct mktrace t;

	(void)state;
	mktrace_start(&t);
	opts.trace = &t.trace;
	assert_int_equal(ibc_compare(fab, fab, &t.trace, &cmp, NULL), 0);
	assert_traced(&t, "match: planned leaf01 is found leaf01: by GUID\n");
	assert_int_equal(ibc_routes_analyze(fab, &opts, &routes, NULL), 0);
	assert_traced(&t, ": credit loops\n");
	assert_traced(&t, " 2 pairs, 2 routed, 0 broken, 0 unknown; 0 credit loops\n");
	ibc_routes_free(routes);
	ibc_comparison_free(cmp);
	ibc_fabric_free(fab);
	mktrace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_asks_for_is_not_even_evaluated),
		cmocka_unit_test(the_gate_that_refuses_a_missing_link_tells_its_numbers),
		cmocka_unit_test(the_gate_that_admits_one_tells_its_numbers),
		cmocka_unit_test(a_sweep_tells_what_it_finds_and_no_key),
		cmocka_unit_test(the_blamed_end_tells_its_counts_and_limits),
		cmocka_unit_test(nodes_and_routes_are_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
