/* SPDX-License-Identifier: BSD-2-Clause */
/* What is advised about a silent device while a switch is silent, whose tables nobody read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"
#include "mkcount.h"

#define LEAVES 4
#define SPINE  0x50 /* spines are 0x51 and so on */
#define HOST   0x100

static void hangs(struct mkfab m, uint64_t guid, unsigned int num)
{
	mk_active(port(m, guid, num));
	answers_put(port(m, guid, num), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(port(m, guid, num), IBC_ATTR_NODE_INFO, ANSWER_NONE);
}

/*
 * Leaves with two hosts each at ports 1 and 2, cabled to each spine by port 10 and so on; the sweep
 * began at the first host.  The first @hung spines do not answer, nor does leaf 4 if @hung_leaf.
 */
static struct mkfab tree(unsigned int spines, unsigned int hung, bool hung_leaf)
{
	struct mkfab m = mkfab();
	char name[32];

	for (unsigned int s = hung + 1; s <= spines; s++) {
		snprintf(name, sizeof(name), "spine%02u", s);
		mk_switch(m, SPINE + s, name, LEAVES);
	}
	for (unsigned int i = 1; i + hung_leaf <= LEAVES; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(m, i, name, 20)->device_id = 0xcf09;
		for (unsigned int h = 1; h <= 2; h++) {
			snprintf(name, sizeof(name), "host%u%u mlx5_0", i, h);
			mk_ca(m, HOST + 10 * i + h, name, 1);
			cable(m, i, h, HOST + 10 * i + h, 1);
		}
		port(m, i, 0)->lid = (uint16_t)i;
	}
	for (unsigned int s = 1; s <= spines; s++)
		for (unsigned int i = 1; i <= LEAVES; i++) {
			bool leaf = !hung_leaf || i < LEAVES;

			if (s > hung && leaf)
				cable(m, i, 9 + s, SPINE + s, i);
			else if (s > hung)
				hangs(m, SPINE + s, i);
			else if (leaf)
				hangs(m, i, 9 + s);
		}
	m.subnet->origin = port(m, HOST + 11, 1);
	return m;
}

/* The counters of a device are silent: what is advised begins with this. */
static void expect_advice(struct mkfab m, uint64_t guid, const char *begin)
{
	unsigned int num = guid > HOST;
	struct ibc_report *rep;
	const struct ibc_finding *f;

	answers_put(port(m, guid, num), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	rep = report_of(m, "counters.silent", NULL);
	f = ibc_report_finding(rep, 0);
	assert_non_null(f);
	assert_int_equal(f->subject.near.guid, guid);
	assert_memory_equal(f->advice, begin, strlen(begin));
	ibc_report_free(rep);
}

#define OWN "Sweep again. If it stays silent, its firmware does not answer"

static void half_of_the_ways_lead_over_the_one_of_two_spines_that_hangs(void **state)
{
	(void)state;
	expect_advice(tree(2, 1, false), 3,
	              "May follow from what is behind leaf01/10, which does not answer: look");
	expect_advice(tree(2, 1, false), HOST + 32,
	              "May follow from what is behind leaf01/10, which does not answer: look");
}

static void few_ways_leave_both_explanations(void **state)
{
	(void)state;
	expect_advice(tree(4, 1, false), 3,
	              "Sweep again with --routes: 25 % of the shortest paths lead over what is "
	              "behind leaf01/10, which does not answer. If it stays silent and its route "
	              "is another, its firmware");
	expect_advice(tree(4, 2, false), HOST + 21,
	              "May follow from what is behind leaf01/10 or another silent switch, which");
	expect_advice(tree(5, 2, false), HOST + 21, "Sweep again with --routes: 40 % ");
}

/* Their ways are known, and no silent switch is on them. */
static void who_is_beside_the_way_gets_its_own_advice(void **state)
{
	(void)state;
	expect_advice(tree(2, 1, false), HOST + 12, OWN);
	expect_advice(tree(2, 1, false), 1, OWN);
	expect_advice(tree(2, 1, false), SPINE + 2, OWN);
	expect_advice(tree(2, 0, true), HOST + 32, OWN);
	expect_advice(tree(2, 0, true), SPINE + 1, OWN);
	expect_advice(tree(3, 1, true), SPINE + 2, OWN);
}

static void who_answers_some_has_a_way(void **state)
{
	struct mkfab m = tree(2, 1, false);

	(void)state;
	mk_counters(m, port(m, HOST + 32, 1)); /* of PortCountersExtended */
	expect_advice(m, HOST + 32, OWN);
}

/* Two pods of a leaf and a spine, below a core that answers and one that hangs. */
static void the_way_leads_over_a_core(void **state)
{
	struct mkfab m = mkfab();

	(void)state;
	mk_switch(m, 0x61, "core01", 4);
	for (unsigned int pod = 1; pod <= 2; pod++) {
		mk_switch(m, pod, pod == 1 ? "leaf01" : "leaf02", 4)->device_id = 0xcf09;
		mk_switch(m, SPINE + pod, pod == 1 ? "spine01" : "spine02", 4);
		mk_ca(m, HOST + pod, pod == 1 ? "host01 mlx5_0" : "host02 mlx5_0", 1);
		cable(m, pod, 1, HOST + pod, 1);
		cable(m, pod, 2, SPINE + pod, 1);
		cable(m, SPINE + pod, 3, 0x61, pod);
		hangs(m, SPINE + pod, 4);
		port(m, pod, 0)->lid = (uint16_t)pod;
	}
	m.subnet->origin = port(m, HOST + 1, 1);
	expect_advice(m, 2, "May follow from what is behind spine01/4, which does not answer");
}

/* Of several as one finding: each has a way of its own. */
static void of_several_the_ways_are_put_together(void **state)
{
	struct mkfab m = tree(2, 1, false);

	(void)state;
	answers_put(port(m, HOST + 11, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	answers_put(port(m, HOST + 31, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	answers_put(port(m, HOST + 32, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	expect_advice(m, 3, "May follow from what is behind leaf01/10, which does not answer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_ways_lead_over_the_one_of_two_spines_that_hangs),
		cmocka_unit_test(few_ways_leave_both_explanations),
		cmocka_unit_test(who_is_beside_the_way_gets_its_own_advice),
		cmocka_unit_test(who_answers_some_has_a_way),
		cmocka_unit_test(the_way_leads_over_a_core),
		cmocka_unit_test(of_several_the_ways_are_put_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
