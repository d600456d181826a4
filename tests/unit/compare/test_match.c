/* SPDX-License-Identifier: BSD-2-Clause */
/* Which node is which, by its place, and when nothing is known at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkmatch.h"

static const char *const shapes[] = {
	"synth:fattree:leaves=12,spines=6,hosts=8,radix=36",
	"synth:fattree:leaves=8,spines=4,cables=2,hosts=6,radix=36",
	"synth:fattree:levels=3,pods=4,leaves=4,spines=4,uplinks=2,hosts=4,radix=36",
	"synth:fattree:rails=4,leaves=16,spines=4,hosts=6,radix=40",
	"synth:fattree:leaves=36,spines=18,hosts=18,radix=37",
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* ---- nothing is known ---- */

static void unplug(struct wires *w)
{
	w->cables[wires_trunk(w)].gone = true;
}

static void cross(struct wires *w)
{
	wires_cross(w, wires_trunk(w), wires_trunk(w));
}

static void rotate(struct wires *w)
{
	uint32_t middle = wires_trunk(w);

	wires_cross(w, wires_trunk(w), middle);
	wires_cross(w, middle, wires_trunk(w));
}

/* Into a socket that is free on every switch of these shapes. */
static void slip(struct wires *w)
{
	struct wire_end *end = &w->cables[wires_trunk(w)].end[wires_random(w, 2)];

	end->port = w->nodes[end->node].num_ports;
}

static void (*const faults[])(struct wires *) = { unplug, cross, rotate, slip };
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

/* All GUIDs and names are new, and up to three things are wrong. */
static void try_without_names(const char *shape, unsigned int seed)
{
	struct pair p = pair_of(shape);
	struct matched t;
	struct score s;

	p.real.random = seed;
	wires_replace_all(&p.real);
	for (unsigned int i = 0; i < seed % 4; i++)
		faults[(seed / 4 + i) % FAULTS](&p.real);
	t = match_wires(&p);
	s = score(&p, &t);
	if (s.how[MATCH_NOT] > 0 || s.how[MATCH_ASSUMED] > 1 || s.wrong_switches > 0)
		fail_msg("%s, seed %u: %zu of %zu nodes matched, %zu switches wrong", shape, seed,
		         p.plan.num_nodes - s.how[MATCH_NOT], p.plan.num_nodes, s.wrong_switches);
	pair_free(&p, &t);
}

static void without_any_name_all_is_told_by_its_place(void **state)
{
	(void)state;
	for (size_t shape = 0; shape < SHAPES; shape++)
		for (unsigned int seed = 0; seed < 60; seed++)
			try_without_names(shapes[shape], seed);
}

/* ---- replaced, renamed ---- */

static void a_replaced_hca_is_known_by_its_place(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_replace(&p.real, wires_named(&p.real, "node0003 mlx5_0"));
	expect(&p, 1, 0);
}

static void a_replaced_switch_is_known_by_its_place(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_replace(&p.real, wires_named(&p.real, "leaf02"));
	expect(&p, 1, 0);
	p = pair_of(SMALL);
	wires_replace(&p.real, wires_named(&p.real, "spine01"));
	expect(&p, 1, 0);
}

static void a_whole_replaced_rack_is_known_by_its_place(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_replace(&p.real, wires_named(&p.real, "leaf02"));
	for (unsigned int i = 5; i <= 8; i++) {
		char name[32];

		snprintf(name, sizeof(name), "node%04u mlx5_0", i);
		wires_replace(&p.real, wires_named(&p.real, name));
	}
	expect(&p, 5, 0);
}

static void a_renamed_node_is_known_by_its_place(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_name_only(&p.plan);
	strcpy(p.real.nodes[wires_named(&p.real, "leaf03")].desc, "leaf-03-old");
	expect(&p, 1, 0);
}

static void a_list_of_names_is_enough(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_name_only(&p.plan);
	expect(&p, 0, 0);
}

/* What a list of cables does not tell is guessed: the type, the number of ports. */
static void a_wrong_guess_forbids_nothing(void **state)
{
	struct pair p = pair_of(SMALL);
	uint32_t leaf = wires_named(&p.plan, "leaf03");

	(void)state;
	wires_name_only(&p.plan);
	for (uint32_t i = 0; i < p.plan.num_nodes; i++) {
		p.plan.nodes[i].type = IBC_NODE_SWITCH;
		p.plan.nodes[i].num_ports = 40;
	}
	wires_replace(&p.real, leaf);
	wires_replace(&p.real, wires_named(&p.plan, "node0001 mlx5_0"));
	expect(&p, 2, 0);
}

static void a_default_description_that_all_share_is_no_name(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	wires_replace_all(&p.real);
	for (uint32_t i = 0; i < p.plan.num_nodes; i++) {
		strcpy(p.plan.nodes[i].desc, "Quantum Mellanox Technologies");
		strcpy(p.real.nodes[i].desc, "Quantum Mellanox Technologies");
	}
	expect(&p, p.plan.num_nodes, 0);
}

static void names_on_one_switch_are_enough_for_the_rest(void **state)
{
	struct pair p = pair_of(SMALL);
	uint32_t leaf = wires_named(&p.plan, "leaf01");

	(void)state;
	wires_replace_all(&p.real);
	strcpy(p.real.nodes[leaf].desc, "leaf01");
	expect(&p, p.plan.num_nodes - 1, 0);
}

/* ---- missing ---- */

static void a_missing_node_is_nobody_else(void **state)
{
	struct pair p = pair_of(SMALL);

	(void)state;
	/* one that nobody planned, elsewhere: not the one that is gone */
	wires_remove(&p.real, wires_named(&p.plan, "node0003 mlx5_0"));
	wires_remove(&p.plan, wires_named(&p.plan, "node0016 mlx5_0"));
	expect(&p, 0, 1);
	p = pair_of(SMALL);
	wires_remove(&p.real, wires_named(&p.plan, "leaf01"));
	wires_remove(&p.plan, wires_named(&p.plan, "leaf04"));
	expect(&p, 0, 1);
}

static void a_single_cable_makes_no_switch_another(void **state)
{
	struct pair p = pair_of("synth:fattree:leaves=8,spines=3,hosts=2,radix=36");
	uint32_t gone = wires_named(&p.plan, "spine01"), other = wires_named(&p.plan, "spine03");
	struct wire_cable *in_its_place = NULL;

	(void)state;
	/* spine03 is not planned, and has one cable where spine01 is gone */
	for (size_t i = 0; i < p.real.num_cables; i++)
		for (int e = 0; e < 2; e++)
			if (p.real.cables[i].end[e].node == gone)
				in_its_place = &p.real.cables[i];
	assert_non_null(in_its_place);
	wires_remove(&p.real, gone);
	for (size_t i = 0; i < p.real.num_cables; i++)
		for (int e = 0; e < 2; e++)
			if (p.real.cables[i].end[e].node == other &&
			    (p.real.cables[i].end[!e].node == in_its_place->end[0].node ||
			     p.real.cables[i].end[!e].node == in_its_place->end[1].node)) {
				struct wire_end far = p.real.cables[i].end[e];

				p.real.cables[i].gone = true;
				in_its_place->gone = false;
				for (int side = 0; side < 2; side++)
					if (in_its_place->end[side].node == gone)
						in_its_place->end[side] = far;
			}
	wires_remove(&p.plan, other);
	expect(&p, 0, 1);
}

/* Its port is up, and nobody answers: what is behind it is not in the fabric. */
static void what_is_behind_a_silent_leaf_stays_without_a_counterpart(void **state)
{
	struct pair p = pair_of(SMALL);
	struct mkfab m = mkfab();
	struct matched t;
	struct score s;
	uint32_t leaf = wires_named(&p.plan, "leaf02"), spine = wires_named(&p.plan, "spine01");

	(void)state;
	wires_replace_all(&p.real);
	wires_remove(&p.real, leaf);
	for (unsigned int i = 5; i <= 8; i++) {
		char name[32];

		snprintf(name, sizeof(name), "node%04u mlx5_0", i);
		wires_remove(&p.real, wires_named(&p.plan, name));
	}
	wires_add(&p.real, m);
	mk_active(port(m, p.real.nodes[spine].guid, 2));
	t = matched(wires_done(&p.plan), done(m));
	s = score(&p, &t);
	assert_int_equal(s.how[MATCH_NOT], 5);
	assert_int_equal(s.how[MATCH_PLACE], p.plan.num_nodes - 5);
	assert_int_equal(s.wrong_switches + s.wrong_hosts, 0);
	pair_free(&p, &t);
}

/* ---- subnets ---- */

/* The same tree in each of two subnets, known by names that are the same in both. */
static void rails_in_subnets_of_their_own_keep_apart(void **state)
{
	struct wires plan = wires_of(SMALL), real = wires_copy(&plan);
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;

	(void)state;
	for (unsigned int subnet = 0; subnet < 2; subnet++) {
		for (uint32_t i = 0; i < plan.num_nodes; i++) {
			plan.nodes[i].guid = 0x1000 * (subnet + 1) + i;
			real.nodes[i].guid = 0x8000 * (subnet + 1) - i;
		}
		if (subnet > 0) {
			planned = mk_subnet(planned, "two");
			found = mk_subnet(found, "two");
		}
		wires_add(&plan, planned);
		wires_add(&real, found);
	}
	t = matched(done(planned), done(found));
	for (uint32_t i = 0; i < t.m.num_planned; i++) {
		const struct ibc_node *p = ibc_fabric_node(t.planned, i);
		const struct ibc_node *f = ibc_fabric_node(t.found, t.m.found_of[i]);

		assert_int_equal(t.m.how[i], MATCH_NAME);
		assert_string_equal(p->desc, f->desc);
		assert_int_equal(p->subnet->index, f->subnet->index);
	}
	wires_free(&plan);
	wires_free(&real);
	matched_free(&t);
}

/* Two trees alike, and nothing known of either: which is which is assumed. */
static void twins_without_names_are_assumed(void **state)
{
	struct wires plan = wires_of(shapes[2]), real = wires_copy(&plan);
	struct mkfab planned = mkfab(), found = mkfab();
	struct matched t;
	size_t assumed = 0;

	(void)state;
	real.random = 77;
	wires_replace_all(&plan);
	wires_replace_all(&real);
	wires_add(&plan, planned);
	wires_add(&real, found);
	planned = mk_subnet(planned, "two");
	found = mk_subnet(found, "two");
	wires_replace_all(&plan);
	wires_replace_all(&real);
	wires_cross(&real, wires_trunk(&real), wires_trunk(&real));
	wires_add(&plan, planned);
	wires_add(&real, found);
	t = matched(done(planned), done(found));
	for (uint32_t i = 0; i < t.m.num_planned; i++) {
		assert_int_not_equal(t.m.how[i], MATCH_NOT);
		assumed += t.m.how[i] == MATCH_ASSUMED;
	}
	assert_in_range(assumed, 1, 2);
	wires_free(&plan);
	wires_free(&real);
	matched_free(&t);
}

static void pairs_back_to_back_are_assumed(void **state)
{
	struct mkfab m[2];
	struct matched t;

	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		m[side] = mkfab();
		for (uint64_t i = 1; i <= 8; i++)
			mk_ca(m[side], 100 * (side + 1) + i, "", 1);
		for (uint64_t i = 1; i <= 8; i += 2)
			cable(m[side], 100 * (side + 1) + i, 1, 100 * (side + 1) + i + 1, 1);
	}
	t = matched(done(m[0]), done(m[1]));
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(t.m.found_of[i], i);
		assert_int_equal(t.m.how[i], i % 2 ? MATCH_PLACE : MATCH_ASSUMED);
	}
	matched_free(&t);
}

/* ---- another fabric ---- */

static void fabrics_that_have_nothing_in_common_stay_apart(void **state)
{
	(void)state;
	for (size_t a = 0; a < SHAPES; a++) {
		for (size_t z = 0; z < SHAPES; z++) {
			struct wires plan = wires_of(shapes[a]), real = wires_of(shapes[z]);
			size_t matched_nodes = 0;
			struct matched t;

			wires_replace_all(&real);
			t = matched(wires_done(&plan), wires_done(&real));
			for (uint32_t i = 0; i < t.m.num_planned; i++)
				matched_nodes += t.m.how[i] != MATCH_NOT;
			if (a != z)
				assert_in_range(matched_nodes, 0, t.m.num_planned / 10);
			wires_free(&plan);
			wires_free(&real);
			matched_free(&t);
		}
	}
}

static void nothing_fits_nothing(void **state)
{
	struct matched t = matched(done(mkfab()), done(mkfab()));

	(void)state;
	assert_int_equal(t.m.num_planned, 0);
	matched_free(&t);
	t = matched(wires_load(SMALL), done(mkfab()));
	for (uint32_t i = 0; i < t.m.num_planned; i++)
		assert_int_equal(t.m.how[i], MATCH_NOT);
	matched_free(&t);
	t = matched(done(mkfab()), wires_load(SMALL));
	for (uint32_t i = 0; i < t.m.num_found; i++)
		assert_int_equal(t.m.planned_of[i], MATCH_NONE);
	matched_free(&t);
}

/* Whatever there is, nobody is two but by a second name, and who changed places did so with
 * somebody. */
static void assert_one_to_one(const struct match *m)
{
	for (uint32_t i = 0; i < m->num_planned; i++) {
		uint32_t at = i;

		assert_int_equal(m->found_of[i] == MATCH_NONE, m->how[i] == MATCH_NOT);
		if (m->how[i] == MATCH_ALIAS)
			assert_int_not_equal(m->planned_of[m->found_of[i]], i);
		else if (m->found_of[i] != MATCH_NONE)
			assert_int_equal(m->planned_of[m->found_of[i]], i);
		if (m->exchanged[i] == MATCH_NONE)
			continue;
		do {
			at = m->exchanged[at];
			assert_int_not_equal(at, MATCH_NONE);
		} while (at != i);
	}
	for (uint32_t i = 0; i < m->num_found; i++)
		if (m->planned_of[i] != MATCH_NONE)
			assert_int_equal(m->found_of[m->planned_of[i]], i);
}

/* Names and GUIDs of which many are the same, cables at random. */
static struct wires tangle(unsigned int seed)
{
	struct wires w = { .num_nodes = 40, .random = seed };

	w.nodes = wires_room(w.num_nodes, sizeof(*w.nodes));
	w.cables = wires_room(200, sizeof(*w.cables));
	for (uint32_t i = 0; i < w.num_nodes; i++) {
		w.nodes[i].guid = 1 + wires_random(&w, 60);
		w.nodes[i].type = wires_random(&w, 3) ? IBC_NODE_SWITCH : IBC_NODE_CA;
		w.nodes[i].num_ports = (uint8_t)(1 + wires_random(&w, 8));
		w.nodes[i].named_only = wires_random(&w, 4) == 0;
		snprintf(w.nodes[i].desc, sizeof(w.nodes[i].desc), "n%u%s", wires_random(&w, 50),
		         wires_random(&w, 2) ? " mlx5_0" : "");
	}
	for (size_t i = 0; i < 200; i++) {
		uint32_t a = wires_random(&w, w.num_nodes), z = wires_random(&w, w.num_nodes);

		w.cables[i] = (struct wire_cable){
			.end = { { a, (uint8_t)(1 + wires_random(&w, w.nodes[a].num_ports)) },
			         { z, (uint8_t)(1 + wires_random(&w, w.nodes[z].num_ports)) } },
		};
	}
	w.num_cables = 200;
	return w;
}

/* In a tangle ports are taken already, or both ends are one. */
static struct ibc_fabric *done_tangle(const struct wires *w)
{
	struct mkfab m = mkfab();
	struct ibc_node *made[40];

	for (uint32_t i = 0; i < w->num_nodes; i++) {
		const struct wire_node *n = &w->nodes[i];

		made[i] = mk_node(m, n->guid, n->type, n->desc, n->num_ports);
		made[i]->named_only = n->named_only;
	}
	for (size_t i = 0; i < w->num_cables; i++) {
		const struct wire_end *end = w->cables[i].end;

		fabric_build_link(fabric_build_port(made[end[0].node], end[0].port),
		                  fabric_build_port(made[end[1].node], end[1].port));
	}
	return done(m);
}

static void in_any_tangle_nobody_is_two(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < 300; seed++) {
		struct wires plan = tangle(seed), real = tangle(seed % 2 ? seed : seed + 1000);
		struct matched t;

		for (unsigned int i = 0; i < 10; i++)
			wires_replace(&real, wires_random(&real, real.num_nodes));
		for (unsigned int i = 0; i < 4; i++)
			wires_exchange(&real, wires_random(&real, 8), wires_random(&real, 8));
		t = matched(done_tangle(&plan), done_tangle(&real));
		assert_one_to_one(&t.m);
		wires_free(&plan);
		wires_free(&real);
		matched_free(&t);
	}
}

/* ---- memory ---- */

static void every_allocation_may_fail(void **state)
{
	struct pair p = pair_of(SMALL);
	struct ibc_fabric *planned, *found;
	bool matched_all = false;
	unsigned long n = 0;

	(void)state;
	wires_replace_all(&p.real);
	planned = wires_done(&p.plan);
	found = wires_done(&p.real);
	while (!matched_all) {
		struct arena *a = arena_new();
		struct match m;

		alloc_fail_at(++n);
		matched_all = match_nodes(a, planned, found, NULL, &m);
		alloc_fail_at(0);
		arena_free(a);
	}
	assert_in_range(n, 10, 1000);
	ibc_fabric_free(planned);
	ibc_fabric_free(found);
	wires_free(&p.plan);
	wires_free(&p.real);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_any_name_all_is_told_by_its_place),
		cmocka_unit_test(a_replaced_hca_is_known_by_its_place),
		cmocka_unit_test(a_replaced_switch_is_known_by_its_place),
		cmocka_unit_test(a_whole_replaced_rack_is_known_by_its_place),
		cmocka_unit_test(a_renamed_node_is_known_by_its_place),
		cmocka_unit_test(a_list_of_names_is_enough),
		cmocka_unit_test(a_wrong_guess_forbids_nothing),
		cmocka_unit_test(a_default_description_that_all_share_is_no_name),
		cmocka_unit_test(names_on_one_switch_are_enough_for_the_rest),
		cmocka_unit_test(a_missing_node_is_nobody_else),
		cmocka_unit_test(a_single_cable_makes_no_switch_another),
		cmocka_unit_test(what_is_behind_a_silent_leaf_stays_without_a_counterpart),
		cmocka_unit_test(rails_in_subnets_of_their_own_keep_apart),
		cmocka_unit_test(twins_without_names_are_assumed),
		cmocka_unit_test(pairs_back_to_back_are_assumed),
		cmocka_unit_test(fabrics_that_have_nothing_in_common_stay_apart),
		cmocka_unit_test(nothing_fits_nothing),
		cmocka_unit_test(in_any_tangle_nobody_is_two),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
