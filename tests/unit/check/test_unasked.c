/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Never OK unasked: each check of the table, named alone, on fabrics of which one attribute after
 * the other, and then all that it reads, is reported by nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>
#include <ibcheck/source.h>

#include "fabric/attributes.h"
#include "findings.h"
#include "report/report.h"

static const char *const files[] = {
	"adaptive.snap.zst", "counted-later.snap", "faults.snap",  "phy-later.snap",
	"qos.snap.zst",      "sharp.snap.zst",     "virtual.snap",
};

static struct ibc_fabric *load(const char *name)
{
	char path[128];
	const char *spec = path;
	struct ibc_fabric *fab;
	struct ibc_error err;

	snprintf(path, sizeof(path), "tests/golden/fixtures/%s", name);
	if (ibc_fabric_load(&spec, 1, NULL, &fab, &err))
		fail_msg("%s", err.text);
	return fab;
}

/* Nobody who was asked has it. */
static void take_away(struct ibc_answers *a, uint64_t bits)
{
	uint64_t asked = a->asked & bits;

	a->answered &= ~asked;
	a->refused &= ~asked;
	a->unsupported |= asked;
}

static struct ibc_fabric *load_without(const char *name, struct ibc_attrs attrs)
{
	struct ibc_fabric *fab = load(name);
	const struct ibc_node *node;
	const struct ibc_port *p;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		take_away((struct ibc_answers *)&node->answers,
		          attrs_to_bits(attrs, attr_node_bits));
	for (size_t i = 0; (p = ibc_fabric_port(fab, i)); i++)
		take_away((struct ibc_answers *)&p->answers, attrs_to_bits(attrs, attr_port_bits));
	return fab;
}

/* struct seen - what came of a run */
struct seen {
	enum ibc_severity verdict;
	size_t findings, unreported;
};

static struct seen run_without(const char *name, const char *selection, const char *named,
                               struct ibc_attrs attrs, bool rates)
{
	struct ibc_fabric *before = rates ? load(name) : NULL, *fab = load_without(name, attrs);
	struct ibc_input in = { .fabric = fab, .before = before, .named = named, .totals = true };
	struct ibc_routes_opts following = { .trace = NULL };
	struct ibc_fattree *tree;
	struct ibc_routes *routes;
	struct ibc_report *rep;
	struct seen seen;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_routes_analyze(fab, &following, &routes, NULL), 0);
	in.fattree = tree;
	in.routes = routes;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, selection, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	seen = (struct seen){ ibc_report_verdict(rep), rep->num_findings,
		              count_notes(rep->unreported) };
	ibc_report_free(rep);
	ibc_routes_free(routes);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	ibc_fabric_free(before);
	return seen;
}

static void take_one_by_one(const char *file, const struct ibc_check *c)
{
	struct ibc_attrs optional = attrs_where(ATTR_OPTIONAL, true);
	struct seen whole = run_without(file, c->id, c->id, IBC_ATTRS(), true), without;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(c->needs, a));) {
		if (a == IBC_ATTR_LINK || a == IBC_ATTR_PORT_STATE)
			continue; /* never queries: PortInfo tells them */
		without = run_without(file, c->id, c->id, IBC_ATTRS(a), true);
		if (without.verdict != IBC_OK)
			continue;
		if (whole.findings && !without.findings)
			fail_msg("%s, %s: what was found is not, without %s, and all is OK", file,
			         c->id, ibc_attr_name(a));
		if (!ibc_attrs_has(optional, a) && whole.verdict != IBC_OK)
			fail_msg("%s, %s: OK without %s", file, c->id, ibc_attr_name(a));
	}
	without = run_without(file, c->id, c->id, c->needs, true);
	if (without.verdict == IBC_OK)
		fail_msg("%s, %s: OK, and nothing that it reads was reported", file, c->id);
}

static void a_named_check_that_could_check_nothing_is_never_ok(void **state)
{
	const struct ibc_check *c;

	(void)state;
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
		for (size_t i = 0; (c = ibc_check_at(i)); i++)
			if (!ibc_attrs_is_empty(c->needs) &&
			    !ibc_attrs_meet(c->needs,
			                    IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_STATE)))
				take_one_by_one(files[f], c);
}

static void what_nobody_named_leaves_the_verdict_to_the_rest_and_is_said(void **state)
{
	const struct ibc_attrs firmware = IBC_ATTRS(IBC_ATTR_GENERAL_INFO);
	const char *file = "uniform.db_csv";
	struct seen seen = run_without(file, "fabric,port.name", NULL, firmware, false);

	(void)state;
	assert_int_equal(seen.verdict, IBC_OK);
	assert_int_equal(seen.unreported, 2);
	seen = run_without(file, "fabric,port.name", "port.name", firmware, false);
	assert_int_equal(seen.verdict, IBC_OK);
	seen = run_without(file, "fabric,port.name", "fabric", firmware, false);
	assert_int_equal(seen.verdict, IBC_UNKNOWN);
	assert_int_equal(seen.unreported, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_check_that_could_check_nothing_is_never_ok),
		cmocka_unit_test(what_nobody_named_leaves_the_verdict_to_the_rest_and_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
