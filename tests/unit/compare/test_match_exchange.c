/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that stand in each other's place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkmatch.h"

/* Every planned node in turn has the next one's device, and all the others their own. */
static void expect_turned(struct pair *p, size_t n, const char *const *names)
{
	struct matched t = match_wires(p);
	struct score s = score(p, &t);

	for (size_t i = 0; i < n; i++) {
		uint32_t node = wires_named(&p->plan, names[i]);
		uint32_t next = wires_named(&p->plan, names[(i + 1) % n]);
		uint32_t planned = number(t.planned, &p->plan, node);

		assert_int_equal(t.m.exchanged[planned], number(t.planned, &p->plan, next));
		assert_int_equal(t.m.found_of[planned], number(t.found, &p->real, next));
		assert_int_equal(t.m.how[planned], MATCH_PLACE);
	}
	assert_int_equal(s.exchanged, n);
	assert_int_equal(s.wrong_switches + s.wrong_hosts, n);
	assert_int_equal(s.how[MATCH_NOT], 0);
	pair_free(p, &t);
}

static void exchange(struct pair *p, const char *a, const char *z)
{
	wires_exchange(&p->real, wires_named(&p->real, a), wires_named(&p->real, z));
}

static void two_exchanged_leaves_are_told(void **state)
{
	static const char *const leaves[] = { "leaf01", "leaf03" };
	struct pair p = pair_of(SMALL);

	(void)state;
	exchange(&p, "leaf01", "leaf03");
	expect_turned(&p, 2, leaves);
	p = pair_of(SMALL);
	wires_name_only(&p.plan);
	exchange(&p, "leaf01", "leaf03");
	expect_turned(&p, 2, leaves);
}

static void two_exchanged_spines_are_told(void **state)
{
	static const char *const spines[] = { "spine01", "spine02" };
	struct pair p = pair_of(SMALL);

	(void)state;
	exchange(&p, "spine01", "spine02");
	expect_turned(&p, 2, spines);
}

static void three_leaves_in_turn_are_told(void **state)
{
	static const char *const leaves[] = { "leaf01", "leaf02", "leaf04" };
	struct pair p = pair_of(SMALL);

	(void)state;
	exchange(&p, "leaf01", "leaf02");
	exchange(&p, "leaf01", "leaf04");
	expect_turned(&p, 3, leaves);
}

/* Two plugs, and not two hosts: the one is less work, and as likely. */
static void hosts_of_one_cable_stay_who_they_are(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	exchange(&p, "node0001 mlx5_0", "node0009 mlx5_0");
	expect(&p, 0, 0);
	p = pair_of(SMALL);
	wires_name_only(&p.plan);
	exchange(&p, "node0001 mlx5_0", "node0009 mlx5_0");
	expect(&p, 0, 0);
}

static void hosts_that_changed_places_with_all_their_hcas_are_told(void **state)
{
	struct pair p = pair_of("synth:fattree:rails=2,leaves=4,spines=2,hosts=3,radix=36");
	struct matched t;
	struct score s;

	(void)state;
	exchange(&p, "node0001 mlx5_0", "node0005 mlx5_0");
	exchange(&p, "node0001 mlx5_1", "node0005 mlx5_1");
	t = match_wires(&p);
	s = score(&p, &t);
	assert_int_equal(s.exchanged, 4);
	assert_int_equal(s.wrong_hosts, 4);
	pair_free(&p, &t);
}

static void crossed_rails_of_a_host_are_two_plugs(void **state)
{
	struct pair p = pair_of("synth:fattree:rails=2,leaves=4,spines=2,hosts=3,radix=36");

	(void)state;
	exchange(&p, "node0001 mlx5_0", "node0001 mlx5_1");
	expect(&p, 0, 0);
}

/* The GUID went to another host, the names stayed: the cards changed places, not plugs. */
static void hcas_changed_between_hosts_are_told_by_the_names(void **state)
{
	static const char *const hosts[] = { "node0001 mlx5_0", "node0009 mlx5_0" };
	struct pair p = pair_of(SMALL);
	uint32_t a = wires_named(&p.plan, hosts[0]), z = wires_named(&p.plan, hosts[1]);

	(void)state;
	wires_exchange(&p.real, a, z);
	strcpy(p.real.nodes[a].desc, hosts[1]);
	strcpy(p.real.nodes[z].desc, hosts[0]);
	expect_turned(&p, 2, hosts);
}

/* leaf01 stands where leaf03 was, which is gone; in its own place is a new one. */
static void a_spare_and_a_moved_switch_are_known_by_their_places(void **state)
{
	struct pair p = pair_of(SMALL);
	uint32_t moved = wires_named(&p.plan, "leaf01"), gone = wires_named(&p.plan, "leaf03");
	struct matched t;
	uint32_t planned;

	(void)state;
	wires_exchange(&p.real, moved, gone);
	wires_replace(&p.real, gone);
	t = match_wires(&p);
	planned = number(t.planned, &p.plan, moved);
	assert_int_equal(t.m.found_of[planned], number(t.found, &p.real, gone));
	assert_int_equal(t.m.exchanged[planned], MATCH_NONE);
	planned = number(t.planned, &p.plan, gone);
	assert_int_equal(t.m.found_of[planned], number(t.found, &p.real, moved));
	assert_int_equal(t.m.how[planned], MATCH_PLACE);
	pair_free(&p, &t);
}

static void two_wrong_cables_make_no_exchange(void **state)
{
	struct pair p = pair_of("synth:fattree:leaves=12,spines=6,hosts=8,radix=36");
	size_t crossed = 0;

	(void)state;
	for (uint32_t i = 0; i < p.real.num_cables && crossed < 2; i++) {
		if (!wires_is_trunk(&p.real, i))
			continue;
		wires_cross(&p.real, i, i + 7);
		crossed++;
	}
	expect(&p, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_exchanged_leaves_are_told),
		cmocka_unit_test(two_exchanged_spines_are_told),
		cmocka_unit_test(three_leaves_in_turn_are_told),
		cmocka_unit_test(hosts_of_one_cable_stay_who_they_are),
		cmocka_unit_test(hosts_that_changed_places_with_all_their_hcas_are_told),
		cmocka_unit_test(crossed_rails_of_a_host_are_two_plugs),
		cmocka_unit_test(hcas_changed_between_hosts_are_told_by_the_names),
		cmocka_unit_test(a_spare_and_a_moved_switch_are_known_by_their_places),
		cmocka_unit_test(two_wrong_cables_make_no_exchange),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
