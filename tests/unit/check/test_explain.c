/* SPDX-License-Identifier: BSD-2-Clause */
/* What explains what, by each relation, for checks that are made up; and what is known of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "findings.h"
#include "mkplan.h"
#include "mkreport.h"

/* ---- set-up ---- */

static enum ibc_relation relation;

/* "b.effect" is explained by "a.cause", as the test says. */
static const struct ibc_check *find_check(const char *id)
{
	static struct ibc_explainer by[2];
	static const struct ibc_check cause = { .id = "a.cause" };
	static const struct ibc_check effect = { .id = "b.effect", .explained_by = by };

	by[0] = (struct ibc_explainer){ "a.cause", relation };
	return strcmp(id, cause.id) ? &effect : &cause;
}

static size_t count_cases(const struct ibc_fabric *fab, struct ibc_report *rep)
{
	struct ibc_input in = { .fabric = fab };
	size_t n = 0;

	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, find_check, rep, NULL), 0);
	while (ibc_report_case_at(rep, n))
		n++;
	return n;
}

/* Is an effect there explained by a cause here, by that relation? */
static bool explains_as(const struct ibc_fabric *fab, enum ibc_relation by,
                        enum ibc_severity severity, const struct ibc_subject *cause,
                        const struct ibc_subject *effect)
{
	struct ibc_report *rep = mkreport();
	size_t n;

	relation = by;
	ibc_report_add(rep, "a.cause", severity, cause, "m");
	ibc_report_add(rep, "b.effect", IBC_CRITICAL, effect, "m");
	n = count_cases(fab, rep);
	if (n == 1)
		assert_int_equal(ibc_report_case_at(rep, 0)->severity, IBC_CRITICAL);
	ibc_report_free(rep);
	return n == 1;
}

static bool is_explained(const struct ibc_fabric *fab, enum ibc_relation by,
                         const struct ibc_subject *cause, const struct ibc_subject *effect)
{
	return explains_as(fab, by, IBC_WARNING, cause, effect);
}

/* Swept from the first host of leaf01, which has spines 1 to 4 above it. */
static struct ibc_fabric *fabric_without(const unsigned int *out)
{
	struct mkfab m = mk_cabled(mk_uncabled(), out);

	m.subnet->origin = port(m, HOST(1), 1);
	return done(m);
}
#define WITHOUT(...) fabric_without((const unsigned int[]){ __VA_ARGS__, 0 })

static struct ibc_subject node_of(uint64_t guid)
{
	return mknode(guid, "n");
}

/* ---- relations ---- */

static void the_same_thing_is_the_same(void **state)
{
	struct ibc_fabric *fab = WITHOUT(0);
	struct ibc_subject leaf1 = node_of(LEAF(1)), leaf2 = node_of(LEAF(2));

	(void)state;
	assert_true(is_explained(fab, IBC_SAME, &leaf1, &leaf1));
	assert_false(is_explained(fab, IBC_SAME, &leaf1, &leaf2));
	assert_true(is_explained(fab, IBC_SAME, &leaf1, &the_fabric));
	ibc_fabric_free(fab);
}

static void a_port_lies_at_its_node_and_at_the_far_end_of_its_cable(void **state)
{
	struct ibc_fabric *fab = WITHOUT(0);
	struct ibc_subject leaf = node_of(LEAF(1)), spine = node_of(SPINE(1)),
			   other = node_of(SPINE(2)), uplink = mkport(LEAF(1), "leaf01", 5),
			   far = mkport(SPINE(1), "spine01", 1);

	(void)state;
	assert_true(is_explained(fab, IBC_AT, &leaf, &uplink));
	assert_true(is_explained(fab, IBC_AT, &spine, &uplink));
	assert_true(is_explained(fab, IBC_AT, &far, &uplink));
	assert_false(is_explained(fab, IBC_AT, &other, &uplink));
	assert_false(is_explained(fab, IBC_AT, &uplink, &leaf));
	ibc_fabric_free(fab);
}

static void what_has_one_way_only_is_behind_it(void **state)
{
	struct ibc_fabric *fab = WITHOUT(AT(2, 6), AT(2, 7), AT(2, 8));
	struct ibc_subject spine = node_of(SPINE(1)), leaf = node_of(LEAF(2)),
			   host = node_of(HOST(3)), origin = node_of(LEAF(1));

	(void)state;
	assert_true(is_explained(fab, IBC_BEHIND, &spine, &leaf));
	assert_true(is_explained(fab, IBC_BEHIND, &spine, &host));
	assert_true(is_explained(fab, IBC_BEHIND, &leaf, &host));
	assert_true(is_explained(fab, IBC_BEHIND, &origin, &spine));
	assert_false(is_explained(fab, IBC_BEHIND, &host, &leaf));
	ibc_fabric_free(fab);
}

static void what_has_two_ways_is_behind_neither(void **state)
{
	struct ibc_fabric *fab = WITHOUT(AT(2, 7), AT(2, 8));
	struct ibc_subject spine = node_of(SPINE(1)), leaf = node_of(LEAF(2)),
			   host = node_of(HOST(3));

	(void)state;
	assert_false(is_explained(fab, IBC_BEHIND, &spine, &leaf));
	assert_false(is_explained(fab, IBC_BEHIND, &spine, &host));
	assert_true(is_explained(fab, IBC_BEHIND, &leaf, &host));
	ibc_fabric_free(fab);
}

static void a_ring_of_cables_leads_across_each_of_them(void **state)
{
	struct ibc_fabric *fab = WITHOUT(0);
	struct ibc_subject first = mkport(LEAF(1), "leaf01", 5),
			   on = mkport(SPINE(2), "spine02", 3),
			   off = mkport(SPINE(3), "spine03", 3);
	const struct ibc_subject *const causes[] = { &on, &off };

	(void)state;
	relation = IBC_ACROSS;
	for (size_t i = 0; i < 2; i++) {
		struct ibc_report *rep = mkreport();

		ibc_report_add(rep, "a.cause", IBC_WARNING, causes[i], "m");
		ibc_report_add(rep, "b.effect", IBC_WARNING, &first, "m");
		ibc_report_relate(rep, IBC_ROLE_FOUND, &on);
		assert_int_equal(count_cases(fab, rep), i == 0 ? 1 : 2);
		ibc_report_free(rep);
	}
	ibc_fabric_free(fab);
}

static void what_is_of_another_subnet_explains_nothing_in_this_one(void **state)
{
	struct mkfab m = mk_subnet(mk_planned(), "other");
	struct ibc_subject here = node_of(LEAF(1)), also = node_of(SPINE(1)), there = node_of(0x99);
	struct ibc_fabric *fab;

	(void)state;
	mk_switch(m, 0x99, "elsewhere", 4);
	fab = done(m);
	assert_true(explains_as(fab, IBC_IN_SUBNET, IBC_CRITICAL, &here, &also));
	assert_false(explains_as(fab, IBC_IN_SUBNET, IBC_CRITICAL, &here, &there));
	ibc_fabric_free(fab);
}

static void a_warning_explains_nothing_of_the_rest_of_its_subnet(void **state)
{
	struct ibc_subject here = node_of(LEAF(1)), also = node_of(SPINE(1));
	struct ibc_fabric *fab = WITHOUT(0);

	(void)state;
	assert_false(is_explained(fab, IBC_IN_SUBNET, &here, &also));
	assert_true(explains_as(fab, IBC_IN_SUBNET, IBC_UNKNOWN, &here, &also));
	ibc_fabric_free(fab);
}

static void only_what_is_about_all_of_a_subnet_explains_it_as_a_whole(void **state)
{
	const struct ibc_subject all = { .kind = IBC_SUBJECT_FABRIC };
	struct ibc_subject here = node_of(LEAF(1)), also = node_of(SPINE(1));
	struct ibc_fabric *fab = WITHOUT(0);

	(void)state;
	assert_true(is_explained(fab, IBC_OF_SUBNET, &all, &also));
	assert_true(is_explained(fab, IBC_OF_SUBNET, &all, &all));
	assert_false(is_explained(fab, IBC_OF_SUBNET, &here, &also));
	ibc_fabric_free(fab);
}

/* ---- what is known ---- */

/* One line of known faults over a cause at leaf01 and an effect at its port. */
static struct ibc_report *with_known(const char *line, enum ibc_severity cause)
{
	char path[] = "/tmp/ibcheck-explain-XXXXXX";
	struct ibc_subject leaf = node_of(LEAF(1)), port = mkport(LEAF(1), "n", 5);
	struct ibc_fabric *fab = WITHOUT(0);
	struct ibc_report *rep = mkreport();
	int fd = mkstemp(path);

	relation = IBC_AT;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	close(fd);
	ibc_report_add(rep, "a.cause", cause, &leaf, "m");
	ibc_report_add(rep, "b.effect", IBC_WARNING, &port, "m");
	assert_int_equal(ibc_report_known(rep, path, "2026-01-31", NULL, NULL, NULL), 0);
	unlink(path);
	assert_int_equal(count_cases(fab, rep), 1);
	ibc_fabric_free(fab);
	return rep;
}

static void what_follows_from_a_known_fault_is_known(void **state)
{
	struct ibc_report *rep = with_known("a.cause * 2026-12-31 alice ordered\n", IBC_WARNING);

	(void)state;
	assert_non_null(ibc_report_case_at(rep, 0)->known);
	assert_non_null(ibc_report_finding(rep, 1)->known);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

static void a_known_consequence_does_not_hide_its_cause(void **state)
{
	struct ibc_report *rep = with_known("b.effect * 2026-12-31 alice ordered\n", IBC_WARNING);

	(void)state;
	assert_null(ibc_report_case_at(rep, 0)->known);
	assert_null(ibc_report_finding(rep, 0)->known);
	assert_int_equal(ibc_report_verdict(rep), IBC_WARNING);
	ibc_report_free(rep);
}

static void a_known_case_that_got_worse_counts_again(void **state)
{
	struct ibc_report *rep = with_known("", IBC_WARNING);
	char id[IBC_IDENTITY_MAX], line[IBC_IDENTITY_MAX + 64];
	static const struct {
		const char *accepted;
		enum ibc_severity now, verdict;
	} tries[] = {
		{ "warning", IBC_WARNING, IBC_OK },
		{ "warning", IBC_CRITICAL, IBC_CRITICAL },
		{ "critical", IBC_CRITICAL, IBC_OK },
	};

	(void)state;
	snprintf(id, sizeof(id), "%s", ibc_report_case_at(rep, 0)->id);
	ibc_report_free(rep);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		snprintf(line, sizeof(line), "case %s:%s 2026-12-31 alice ordered\n", id,
		         tries[i].accepted);
		rep = with_known(line, tries[i].now);
		assert_int_equal(ibc_report_verdict(rep), tries[i].verdict);
		ibc_report_free(rep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_thing_is_the_same),
		cmocka_unit_test(a_port_lies_at_its_node_and_at_the_far_end_of_its_cable),
		cmocka_unit_test(what_has_one_way_only_is_behind_it),
		cmocka_unit_test(what_has_two_ways_is_behind_neither),
		cmocka_unit_test(a_ring_of_cables_leads_across_each_of_them),
		cmocka_unit_test(what_is_of_another_subnet_explains_nothing_in_this_one),
		cmocka_unit_test(a_warning_explains_nothing_of_the_rest_of_its_subnet),
		cmocka_unit_test(only_what_is_about_all_of_a_subnet_explains_it_as_a_whole),
		cmocka_unit_test(what_follows_from_a_known_fault_is_known),
		cmocka_unit_test(a_known_consequence_does_not_hide_its_cause),
		cmocka_unit_test(a_known_case_that_got_worse_counts_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
