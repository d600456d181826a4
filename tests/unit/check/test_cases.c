/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "mkcases.h"
#include "mksm.h"

/* Hosts that are planned at leaf i, at ports 3 and 4, and are off. */
static void plan_hosts(struct site s, unsigned int leaf, unsigned int n)
{
	char name[32];

	for (unsigned int i = 0; i < n; i++) {
		uint64_t guid = 0x1000 + 16 * leaf + i;

		snprintf(name, sizeof(name), "off%u%u mlx5_0", leaf, i + 1);
		mk_ca(s.planned, guid, name, 1);
		cable(s.planned, LEAF(leaf), 3 + i, guid, 1);
		port(s.now, LEAF(leaf), 3 + i)->phys_state = IBC_PHYS_POLLING;
	}
}

/* Runs slower than both ends enable. */
static void slow_down(struct site s, unsigned int leaf, unsigned int num, enum ibc_speed speed)
{
	struct ibc_port *p = port(s.now, LEAF(leaf), num);

	p->speed_active = speed;
	((struct ibc_port *)p->peer)->speed_active = speed;
}

/* ---- cause and consequence ---- */

static void a_healthy_fabric_has_no_case(void **state)
{
	(void)state;
	expect_cases(site(), "");
}

static void a_missing_uplink_is_one_case(void **state)
{
	(void)state;
	expect_cases(site_without(AT(2, 5)),
	             "critical topo.missing-cable leaf02/5, 1 of 2: is missing: both of its ports "
	             "are Polling; leaf02 has 3 of its 4 uplinks\n");
}

static void a_host_that_is_off_is_one_case(void **state)
{
	struct site s = site();

	(void)state;
	plan_hosts(s, 2, 1);
	expect_cases(s, "critical topo.missing-node off21 mlx5_0, 1 of 1: is missing: it belongs "
	                "on leaf02/3 (Polling)\n");
}

static void a_cable_with_four_counters_is_one_case_with_one_advice(void **state)
{
	struct site s = site();
	struct ibc_report *rep;

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	count(s.now, LEAF(1), 1, IBC_RCV_ERRORS, 20);
	count(s.now, LEAF(1), 1, IBC_LINK_ERROR_RECOVERY, 2);
	count(s.now, LEAF(1), 1, IBC_LINK_DOWNED, 5);
	rep = report_of_site(s);
	assert_string_equal(
	    ibc_report_case_at(rep, 0)->advice,
	    "Take the link out of service first: disable the port at the switch. Only leaf01/1 "
	    "receives damaged data: the cable or the transmitter of host01 mlx5_0/1 is at fault. "
	    "Reseat and clean the plug at host01 mlx5_0/1 first, then the other; then replace the "
	    "cable. If the errors continue, host01 mlx5_0/1 is at fault.");
	expect_cases_of(rep, "critical counters.symbol leaf01/1, 1 of 4: SymbolErrorCounter rose "
	                     "by 400 at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

static void errors_at_both_ends_blame_the_cable(void **state)
{
	struct site s = site();
	struct ibc_report *rep;

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	count(s.now, HOST(1), 1, IBC_RCV_ERRORS, 20);
	rep = report_of_site(s);
	assert_string_equal(ibc_report_case_at(rep, 0)->advice,
	                    "Both ends receive damaged data, so the cable is at fault. Reseat and "
	                    "clean both plugs. If the errors continue, replace it.");
	ibc_report_free(rep);
}

static void a_cable_trained_down_by_its_errors_is_one_case(void **state)
{
	struct site s = site();
	struct ibc_report *rep;

	(void)state;
	count(s.now, LEAF(1), 5, IBC_SYMBOL_ERROR, 400);
	slow_down(s, 1, 5, IBC_SPEED_QDR);
	rep = report_of_site(s);
	assert_string_equal(
	    ibc_report_case_at(rep, 0)->advice,
	    "Only leaf01/5 receives damaged data: the cable or the transmitter of spine01/1 is at "
	    "fault. Reseat and clean the plug at spine01/1 first, then the other; then replace the "
	    "cable. If the errors continue, spine01/1 is at fault. It is repaired when it trains "
	    "to "
	    "EDR again.");
	expect_cases_of(rep,
	                "warning counters.symbol leaf01/5, 1 of 3: SymbolErrorCounter rose by 400 "
	                "at leaf01/5, 0 at spine01/1 in 1 h\n");
}

static void two_faults_are_two_cases(void **state)
{
	struct site s = site_without(AT(2, 5));

	(void)state;
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	expect_cases(s, "critical topo.missing-cable leaf02/5, 1 of 2: is missing: both of its "
	                "ports are Polling; leaf02 has 3 of its 4 uplinks\n"
	                "critical counters.symbol leaf01/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

/* Hosts, then bandwidth, then errors a second; never the digits of an id. */
static void what_costs_more_comes_first(void **state)
{
	struct site s = site_without(AT(2, 5));

	(void)state;
	plan_hosts(s, 4, 1);
	count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
	count(s.now, LEAF(3), 1, IBC_SYMBOL_ERROR, 4000);
	expect_cases(s,
	             "critical topo.missing-node off41 mlx5_0, 1 of 1: is missing: it belongs on "
	             "leaf04/3 (Polling)\n"
	             "critical topo.missing-cable leaf02/5, 1 of 2: is missing: both of its "
	             "ports are Polling; leaf02 has 3 of its 4 uplinks\n"
	             "critical counters.symbol leaf03/1, 1 of 1: SymbolErrorCounter rose by 4000 "
	             "at leaf03/1, 0 at host05 mlx5_0/1 in 1 h\n"
	             "critical counters.symbol leaf01/1, 1 of 1: SymbolErrorCounter rose by 400 "
	             "at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

/* ---- many things with one fault ---- */

static void hosts_of_one_switch_are_one_case(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int i = 1; i <= 4; i++)
		slow_down(s, 3, 4 + i, IBC_SPEED_QDR);
	expect_cases(s, "warning port.speed leaf03, 4 of 8: 4 cables run at QDR, expected is EDR: "
	                "leaf03/[5-8]\n");
}

static void hosts_all_over_are_a_list(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		plan_hosts(s, leaf, 2);
	expect_cases(s, "critical topo.missing-node fabric, 8 of 8: 8 planned devices are missing: "
	                "off[11-12,21-22,31-32,41-42]\n");
}

static void a_few_that_are_alike_stay_alone(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		count(s.now, LEAF(leaf), 1, IBC_SYMBOL_ERROR, 400);
	expect_cases(s, "critical counters.symbol leaf01/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf02/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf02/1, 0 at host03 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf03/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf03/1, 0 at host05 mlx5_0/1 in 1 h\n"
	                "critical counters.symbol leaf04/1, 1 of 1: SymbolErrorCounter rose by 400 "
	                "at leaf04/1, 0 at host07 mlx5_0/1 in 1 h\n");
}

/* All cables to spines are a class, of which one stands out. */
static void a_class_is_one_case_and_a_deviant_another(void **state)
{
	struct site s = site();

	(void)state;
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		for (unsigned int num = 5; num <= 8; num++)
			slow_down(s, leaf, num, leaf + num == 6 ? IBC_SPEED_DDR : IBC_SPEED_QDR);
	expect_cases(s, "warning port.speed fabric, 15 of 16: 15 of 16 cables between MT53000 and "
	                "MT53000 run at QDR, expected is EDR: leaf[01-04]\n"
	                "warning port.speed leaf01/5, 1 of 2: runs at DDR, both ends enable EDR\n");
}

/* ---- properties ---- */

static size_t count_findings(const struct ibc_report *rep)
{
	size_t n = 0;

	while (ibc_report_finding(rep, n))
		n++;
	return n;
}

static void copy_finding(struct ibc_report *rep, const struct ibc_finding *f)
{
	ibc_report_add(rep, f->check, f->severity, &f->subject, "%s", f->message);
	if (f->advice)
		ibc_report_advise(rep, "%s", f->advice);
	for (size_t i = 0; i < f->num_facts; i++)
		ibc_report_fact(rep, f->facts[i].key, f->facts[i].value);
	for (size_t i = 0; i < f->num_related; i++)
		ibc_report_relate(rep, f->related[i].role, &f->related[i].subject);
}

/* The findings of a report but one, last first, with their cases. */
static struct ibc_report *turned(const struct swept *w, const struct ibc_finding *left_out)
{
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	for (size_t i = count_findings(w->rep); i-- > 0;)
		if (ibc_report_finding(w->rep, i) != left_out)
			copy_finding(rep, ibc_report_finding(w->rep, i));
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&w->in, ibc_check_find, rep, NULL), 0);
	return rep;
}

static size_t count_cases(const struct ibc_report *rep)
{
	size_t n = 0;

	while (ibc_report_case_at(rep, n))
		n++;
	return n;
}

static const struct ibc_case *case_of_id(const struct ibc_report *rep, const char *id)
{
	const struct ibc_case *c;
	size_t i = 0;

	while ((c = ibc_report_case_at(rep, i)) && strcmp(c->id, id) != 0)
		i++;
	return c;
}

/* Every finding in one case, none less severe, no two of one id. */
static void assert_nothing_is_lost(const struct ibc_report *rep)
{
	enum ibc_severity worst = IBC_OK, worst_case = IBC_OK;
	const struct ibc_finding *f;
	const struct ibc_case *c;
	size_t n = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		size_t cases = 0;

		worst = f->severity > worst ? f->severity : worst;
		for (size_t k = 0; (c = ibc_report_case_at(rep, k)); k++)
			for (size_t m = 0; m < c->num_findings; m++)
				cases += c->findings[m] == f;
		assert_int_equal(cases, 1);
	}
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++) {
		worst_case = c->severity > worst_case ? c->severity : worst_case;
		assert_ptr_equal(case_of_id(rep, c->id), c);
		assert_true(c->num_members >= 1 && c->num_members <= c->num_findings);
		n += c->num_findings;
	}
	assert_int_equal(n, count_findings(rep));
	assert_int_equal(worst_case, worst);
}

static void assert_same_cases(const struct ibc_report *a, const struct ibc_report *z)
{
	const struct ibc_case *c, *same;

	assert_int_equal(count_cases(a), count_cases(z));
	for (size_t i = 0; (c = ibc_report_case_at(a, i)); i++) {
		same = case_of_id(z, c->id);
		assert_non_null(same);
		assert_int_equal(same->num_findings, c->num_findings);
		assert_int_equal(same->num_members, c->num_members);
		assert_string_equal(same->message, c->message);
	}
}

static unsigned int dice(uint64_t *seed, unsigned int n)
{
	*seed += 0x9e3779b97f4a7c15;
	return (unsigned int)(hash_mix(*seed) % n);
}

static void break_something(struct site s, uint64_t *seed)
{
	static const enum ibc_counter counters[] = { IBC_SYMBOL_ERROR, IBC_RCV_ERRORS,
		                                     IBC_LINK_ERROR_RECOVERY, IBC_LINK_DOWNED,
		                                     IBC_XMIT_DISCARDS };
	unsigned int leaf = 1 + dice(seed, 4), num = 5 + dice(seed, 4), host = 1 + dice(seed, 2);
	unsigned int kind = dice(seed, 4);

	if (!port(s.now, LEAF(leaf), num)->peer)
		return;
	if (kind == 0)
		slow_down(s, leaf, num, IBC_SPEED_QDR);
	else if (kind == 1)
		port(s.now, LEAF(leaf), host)->state = IBC_STATE_INIT;
	else
		count(s.now, LEAF(leaf), kind == 2 ? num : host, counters[dice(seed, 5)], 50);
}

/* A fabric that lacks cables and hosts, and more. */
static struct site broken_site(uint64_t *seed)
{
	unsigned int out[3] = { 0 }, faults = dice(seed, 12);
	struct site s;

	for (unsigned int i = 0, n = dice(seed, 3); i < n; i++)
		out[i] = AT(1 + i, 5 + dice(seed, 4));
	s = site_of(out);
	for (unsigned int leaf = 1; leaf <= 4; leaf++)
		plan_hosts(s, leaf, dice(seed, 3));
	while (faults--)
		break_something(s, seed);
	return s;
}

/* With tables in which an entry or two are wrong, and subnet managers or none. */
static struct site governed(struct site s, uint64_t *seed)
{
	struct fabric_forwarding *f = mk_tables(s.now, 64);

	mk_min_hop(s.now, f);
	for (unsigned int n = dice(seed, 3); n > 0; n--)
		*mk_entry(f, LEAF(1 + dice(seed, 4)),
		          HOST(1 + dice(seed, 8))) = (uint8_t)(1 + dice(seed, 10));
	for (unsigned int n = dice(seed, 3); n > 0; n--)
		mk_sm(s.now, HOST(n), 10, IBC_SM_MASTER);
	return s;
}

static void no_finding_is_lost_and_order_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 200; round++) {
		uint64_t seed = round;
		struct site s = governed(broken_site(&seed), &seed);
		struct swept w = sweep_site_for(s, "port,counters,topo,fattree,sm,routes",
		                                round % 2);
		struct ibc_report *other = turned(&w, NULL);

		assert_int_equal(ibc_cases_find(&w.in, ibc_check_find, w.rep, NULL), 0);
		assert_nothing_is_lost(w.rep);
		assert_same_cases(w.rep, other);
		ibc_report_free(other);
		ibc_report_free(w.rep);
		swept_free(&w);
	}
}

/*
 * Nobody answers behind leaf01/5, nor to counters of a host of leaf02; the table of leaf01, where
 * the sweep began, sends those queries out of that port.
 */
static char *cases_of_silence(unsigned int out, bool tables)
{
	struct site s = site();
	struct ibc_port *dark = port(s.now, LEAF(1), 5), *mute = port(s.now, HOST(3), 1);
	struct fabric_forwarding *f = tables ? mk_tables(s.now, 64) : NULL;
	struct swept w;
	char *text;

	s.now.subnet->origin = port(s.now, HOST(1), 1);
	if (tables) {
		mk_min_hop(s.now, f);
		*mk_entry(f, LEAF(1), mute->lid) = (uint8_t)out;
		*mk_entry(f, LEAF(2), s.now.subnet->origin->lid) = 6;
	}
	((struct ibc_port *)dark->peer)->peer = NULL;
	dark->peer = NULL;
	answers_put(dark, IBC_ATTR_NODE_INFO, ANSWER_NONE);
	mute->counters = NULL;
	answers_put(mute, IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	w = sweep_site_for(s, "port.silent,counters.silent", true);
	assert_int_equal(ibc_cases_find(&w.in, ibc_check_find, w.rep, NULL), 0);
	text = cases_text(w.rep, false);
	ibc_report_free(w.rep);
	swept_free(&w);
	return text;
}

static void what_is_asked_over_a_silent_switch_is_its_consequence(void **state)
{
	char *across = cases_of_silence(5, true), *past = cases_of_silence(6, true),
	     *unread = cases_of_silence(5, false);

	(void)state;
	assert_null(strstr(across, "counters.silent"));
	assert_non_null(strstr(across, "port.silent leaf01/5, 1 of 2"));
	assert_non_null(strstr(past, "counters.silent"));
	assert_string_equal(unread, past);
	free(across);
	free(past);
	free(unread);
}

static void without_its_cause_a_case_dissolves(void **state)
{
	struct site s = site();
	struct ibc_report *other;
	struct swept w;

	(void)state;
	count(s.now, LEAF(1), 5, IBC_SYMBOL_ERROR, 400);
	slow_down(s, 1, 5, IBC_SPEED_QDR);
	w = sweep_site(s);
	assert_int_equal(ibc_cases_find(&w.in, ibc_check_find, w.rep, NULL), 0);
	other = turned(&w, *ibc_report_case_at(w.rep, 0)->findings);
	assert_nothing_is_lost(other);
	assert_int_equal(count_findings(other) + 1, count_findings(w.rep));
	assert_null(case_of_id(other, ibc_report_case_at(w.rep, 0)->id));
	ibc_report_free(other);
	ibc_report_free(w.rep);
	swept_free(&w);
}

static void another_fault_is_one_case_more_and_renames_none(void **state)
{
	struct ibc_report *before, *after;
	const struct ibc_case *c;

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct site s = site_without(AT(2, 5));

		plan_hosts(s, 3, 2);
		if (more)
			count(s.now, LEAF(1), 1, IBC_SYMBOL_ERROR, 400);
		*(more ? &after : &before) = report_of_site(s);
	}
	assert_int_equal(count_cases(after), count_cases(before) + 1);
	for (size_t i = 0; (c = ibc_report_case_at(before, i)); i++)
		assert_non_null(case_of_id(after, c->id));
	ibc_report_free(before);
	ibc_report_free(after);
}

static void cases_without_memory_are_none(void **state)
{
	struct site s = site_without(AT(2, 5));
	unsigned long n = 0;
	struct swept w;
	int rc;

	(void)state;
	for (unsigned int num = 5; num <= 8; num++)
		slow_down(s, 3, num, IBC_SPEED_QDR);
	w = sweep_site(s);
	do {
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		for (size_t i = 0; i < count_findings(w.rep); i++)
			copy_finding(rep, ibc_report_finding(w.rep, i));
		assert_int_equal(ibc_report_finish(rep, NULL), 0);
		alloc_fail_at(++n);
		rc = ibc_cases_find(&w.in, ibc_check_find, rep, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		ibc_report_free(rep);
	} while (rc);
	assert_true(n > 5);
	ibc_report_free(w.rep);
	swept_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_fabric_has_no_case),
		cmocka_unit_test(a_missing_uplink_is_one_case),
		cmocka_unit_test(a_host_that_is_off_is_one_case),
		cmocka_unit_test(a_cable_with_four_counters_is_one_case_with_one_advice),
		cmocka_unit_test(errors_at_both_ends_blame_the_cable),
		cmocka_unit_test(a_cable_trained_down_by_its_errors_is_one_case),
		cmocka_unit_test(two_faults_are_two_cases),
		cmocka_unit_test(what_costs_more_comes_first),
		cmocka_unit_test(hosts_of_one_switch_are_one_case),
		cmocka_unit_test(hosts_all_over_are_a_list),
		cmocka_unit_test(a_few_that_are_alike_stay_alone),
		cmocka_unit_test(a_class_is_one_case_and_a_deviant_another),
		cmocka_unit_test(no_finding_is_lost_and_order_does_not_matter),
		cmocka_unit_test(what_is_asked_over_a_silent_switch_is_its_consequence),
		cmocka_unit_test(without_its_cause_a_case_dissolves),
		cmocka_unit_test(another_fault_is_one_case_more_and_renames_none),
		cmocka_unit_test(cases_without_memory_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
