/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/routes.h>

#include "base/arena.h"
#include "mkclos.h"

/* Hosts 101, 102 and 103, 104 on two leaves with one cable up each. */
static const struct clos narrow = { .leaves = 2, .spines = 1, .hosts = 2, .cables = 1 };
/* As many cables up as hosts. */
static const struct clos full = { .leaves = 4, .spines = 2, .hosts = 4, .cables = 2 };

#define ALL 1000 /* more than there are */

static const struct ibc_routes_opts shifts_only = { .threads = 1, .shifts = ALL };

struct scene {
	struct mkfab m;
	struct fabric_forwarding *f;
	struct ibc_fabric *fab;
	struct ibc_routes *routes;
};

static struct scene scene(const struct clos *c)
{
	struct scene s = { .m = mkfab() };

	mk_clos(s.m, c);
	s.f = mk_d_mod_k(s.m, c);
	return s;
}

static const struct ibc_bandwidth *simulate(struct scene *s, const struct ibc_routes_opts *opts)
{
	s->fab = done(s->m);
	assert_int_equal(ibc_routes_analyze(s->fab, opts, &s->routes, NULL), 0);
	return ibc_routes_bandwidth(s->routes, 0);
}

static void end(struct scene *s)
{
	ibc_routes_free(s->routes);
	ibc_fabric_free(s->fab);
}

static void expect(double found, double expected)
{
	if (fabs(found - expected) > 1e-6)
		fail_msg("%g is not %g", found, expected);
}

/* By 1 and by 3 one flow goes each way, by 2 two do. */
static void flows_that_share_a_cable_get_their_part_of_it(void **state)
{
	struct scene s = scene(&narrow);
	const struct ibc_bandwidth *b = simulate(&s, &shifts_only);
	const struct ibc_hot_link *hot = ibc_routes_hot_link(s.routes, 0);

	(void)state;
	assert_int_equal(b->hosts, 4);
	assert_int_equal(b->shifts, 3);
	expect(b->shift_mean, (1 + 0.5 + 1) / 3);
	expect(b->shift_worst, 0.5);
	assert_int_equal(b->shift_worst_by, 2);
	assert_int_equal(b->bisections, 0);
	expect(b->lowest, (0.5 + 0.5 + 1 + 1) / 4);
	assert_int_equal(b->lowest_from->guid, 1);
	assert_int_equal(b->lowest_to->guid, 2);
	expect(hot->mean, 4.0 / 3);
	assert_int_equal(hot->most, 2);
	assert_int_equal(hot->port->node->guid, 1);
	assert_int_equal(hot->port->num, 3);
	assert_non_null(ibc_routes_hot_link(s.routes, 3));
	assert_null(ibc_routes_hot_link(s.routes, 4));
	end(&s);
}

static void set_rate(struct mkfab m, uint64_t guid, unsigned int num, enum ibc_speed speed)
{
	port(m, guid, num)->speed_active = (uint16_t)speed;
	((struct ibc_port *)port(m, guid, num)->peer)->speed_active = (uint16_t)speed;
}

static void a_cable_of_twice_the_rate_carries_two(void **state)
{
	struct scene s = scene(&narrow);

	(void)state;
	set_rate(s.m, 1, 3, IBC_SPEED_HDR);
	set_rate(s.m, 2, 3, IBC_SPEED_HDR);
	expect(simulate(&s, &shifts_only)->shift_worst, 1);
	end(&s);
}

/* 4x SDR is 8 Gb/s, 4x QDR 32. */
static void a_slow_cable_leaves_less(void **state)
{
	struct scene s = scene(&narrow);
	const struct ibc_bandwidth *b;

	(void)state;
	for (uint64_t host = 101; host <= 104; host++)
		set_rate(s.m, host, 1, IBC_SPEED_QDR);
	set_rate(s.m, 1, 3, IBC_SPEED_SDR);
	b = simulate(&s, &shifts_only);
	expect(b->shift_worst, 8.0 / 64);
	/* by 1 and by 3: two stay on their leaf, two cross */
	expect(b->shift_mean, (0.125 + 2 * (0.5 + 0.5 * 8.0 / 32)) / 3);
	end(&s);
}

static void what_a_slow_host_gets_is_measured_by_its_own_link(void **state)
{
	struct scene s = scene(&narrow);

	(void)state;
	for (uint64_t host = 101; host <= 104; host++)
		set_rate(s.m, host, 1, IBC_SPEED_SDR);
	expect(simulate(&s, &shifts_only)->shift_worst, 1);
	end(&s);
}

static void a_rate_that_was_not_told_is_not_blamed(void **state)
{
	struct scene s = scene(&narrow);

	(void)state;
	set_rate(s.m, 1, 3, IBC_SPEED_UNKNOWN);
	set_rate(s.m, 101, 1, IBC_SPEED_UNKNOWN);
	expect(simulate(&s, &shifts_only)->shift_worst, 0.5);
	end(&s);
}

static void d_mod_k_on_a_full_tree_carries_every_shift(void **state)
{
	struct scene s = scene(&full);
	const struct ibc_bandwidth *b = simulate(&s, &shifts_only);

	(void)state;
	assert_int_equal(b->shifts, 15);
	expect(b->shift_mean, 1);
	expect(b->shift_worst, 1);
	expect(b->lowest, 1);
	end(&s);
}

static void random_halves_collide_even_there(void **state)
{
	const struct ibc_routes_opts opts = { .threads = 1, .bisections = 200, .seed = 1 };
	struct scene s = scene(&full);
	const struct ibc_bandwidth *b = simulate(&s, &opts);

	(void)state;
	assert_int_equal(b->bisections, 200);
	assert_int_equal(b->shifts, 0);
	assert_true(b->mean > 0.7 && b->mean < 0.95);
	assert_true(b->worst < b->mean && b->worst > 0.4);
	assert_true(b->error > 0 && b->error < 0.02);
	end(&s);
}

/* One of two hosts sends to the other. */
static void two_hosts_have_one_bisection(void **state)
{
	static const struct clos two = { .leaves = 2, .spines = 1, .hosts = 1, .cables = 1 };
	const struct ibc_routes_opts opts = { .bisections = 5, .seed = 3 };
	struct scene s = scene(&two);
	const struct ibc_bandwidth *b = simulate(&s, &opts);

	(void)state;
	expect(b->mean, 1);
	expect(b->error, 0);
	assert_int_equal(b->hosts, 2);
	assert_int_equal(ibc_routes_hot_link(s.routes, 0)->most, 1);
	end(&s);
}

static void who_is_not_reached_is_left_out(void **state)
{
	struct scene s = scene(&narrow);
	const struct ibc_bandwidth *b;

	(void)state;
	/* nothing arrives at leaf 2, and nothing leaves it */
	for (unsigned int lid = 103; lid <= 104; lid++)
		*mk_entry(s.f, 51, lid) = IBC_NO_ENTRY;
	for (unsigned int lid = 101; lid <= 102; lid++)
		mk_unread(s.f, 2, lid);
	b = simulate(&s, &shifts_only);
	assert_int_equal(b->hosts, 2);
	assert_int_equal(b->shifts, 2);
	expect(b->shift_mean, 1);
	assert_null(b->lowest_from);
	assert_null(ibc_routes_hot_link(s.routes, 0));
	end(&s);
}

/* A host at either end of a row of switches, and one beside the first. */
static void a_way_of_many_switches_takes_part_too(void **state)
{
	struct scene s = { .m = mkfab() };
	const struct ibc_bandwidth *b;

	(void)state;
	for (unsigned int i = 1; i <= 300; i++) {
		mk_switch(s.m, i, "sw", 4);
		if (i > 1)
			cable(s.m, i - 1, 1, i, 2);
	}
	for (unsigned int i = 1; i <= 3; i++)
		mk_ca(s.m, 1000 + i, "host mlx5_0", 1);
	cable(s.m, 1, 3, 1001, 1);
	cable(s.m, 1, 4, 1002, 1);
	cable(s.m, 300, 3, 1003, 1);
	mk_min_hop(s.m, mk_tables(s.m, 1004));
	b = simulate(&s, &shifts_only);
	assert_int_equal(b->hosts, 3);
	expect(b->shift_mean, 1);
	assert_non_null(b->lowest_from);
	expect(b->lowest, 1);
	end(&s);
}

static void without_two_hosts_there_is_nothing_to_simulate(void **state)
{
	static const struct clos one = { .leaves = 1, .spines = 1, .hosts = 1, .cables = 1 };
	struct scene s = scene(&one);
	const struct ibc_bandwidth *b = simulate(&s, NULL);

	(void)state;
	assert_int_equal(b->bisections, 0);
	assert_int_equal(b->shifts, 0);
	assert_int_equal(b->hosts, 0);
	end(&s);
}

/* ---- the same by other means ---------------------------------------------------------------- */

static unsigned int loads[4096][64]; /* by LID of the switch, then port */

/* Counts the cables between switches on a way; false: it does not arrive. */
static bool follow(const struct ibc_port *src, unsigned int dlid, unsigned int *most)
{
	struct ibc_path path;

	assert_int_equal(ibc_path_find(src, dlid, &path, NULL), 0);
	if (path.end != IBC_ROUTE_ARRIVES)
		return false;
	for (size_t i = 1; i + 1 < path.num; i++) {
		unsigned int *load = &loads[path.out[i]->node->guid][path.out[i]->num];

		if (!most)
			++*load;
		else if (*load > *most)
			*most = *load;
	}
	return true;
}

static double naive_shift(const struct ibc_port *const *hosts, size_t n, size_t by)
{
	double sum = 0;
	size_t routed = 0;

	memset(loads, 0, sizeof(loads));
	for (size_t i = 0; i < n; i++)
		follow(hosts[i], hosts[(i + by) % n]->lid, NULL);
	for (size_t i = 0; i < n; i++) {
		unsigned int most = 1;

		if (!follow(hosts[i], hosts[(i + by) % n]->lid, &most))
			continue;
		sum += 1.0 / most;
		routed++;
	}
	return routed ? sum / (double)routed : -1;
}

/* Hosts in the order of their switches, and of the ports of those. */
static size_t collect_hosts(const struct ibc_fabric *fab, const struct ibc_port **hosts)
{
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		for (unsigned int num = 1; num <= node->num_ports; num++)
			if (node->type == IBC_NODE_SWITCH && node->ports[num].peer &&
			    node->ports[num].peer->node->type == IBC_NODE_CA)
				hosts[n++] = node->ports[num].peer;
	return n;
}

static void every_shift_is_what_its_ways_one_by_one_make_it(void **state)
{
	static const struct clos c = { .leaves = 5, .spines = 3, .hosts = 4, .cables = 1 };
	uint64_t random = 11;

	(void)state;
	for (unsigned int round = 0; round < 6; round++) {
		const struct ibc_port *hosts[20];
		struct scene s = scene(&c);
		const struct ibc_bandwidth *b;
		double sum = 0, worst = 2;
		unsigned int shifts = 0;

		mk_nonsense(s.f, 30 * round, &random);
		b = simulate(&s, &shifts_only);
		assert_int_equal(collect_hosts(s.fab, hosts), 20);
		for (size_t by = 1; by < 20; by++) {
			double mean = naive_shift(hosts, 20, by);

			if (mean < 0)
				continue;
			sum += mean;
			worst = mean < worst ? mean : worst;
			shifts++;
		}
		assert_int_equal(b->shifts, shifts);
		expect(b->shift_mean, sum / shifts);
		expect(b->shift_worst, worst);
		end(&s);
	}
}

/* ---- what must not matter -------------------------------------------------------------------- */

static void expect_same(const struct ibc_routes *a, const struct ibc_routes *z)
{
	const struct ibc_hot_link *hot, *other;
	const struct ibc_bandwidth *b;

	for (size_t i = 0; (b = ibc_routes_bandwidth(a, i)); i++)
		assert_memory_equal(b, ibc_routes_bandwidth(z, i), sizeof(*b));
	for (size_t i = 0; (hot = ibc_routes_hot_link(a, i)); i++) {
		other = ibc_routes_hot_link(z, i);
		assert_ptr_equal(hot->port, other->port);
		assert_true(hot->mean == other->mean);
		assert_int_equal(hot->most, other->most);
	}
}

static void threads_change_nothing_and_the_seed_all(void **state)
{
	struct ibc_routes_opts opts = { .threads = 1, .bisections = 30, .shifts = 4, .seed = 5 };
	struct ibc_routes *others;
	struct scene s = { .m = mkfab() };

	(void)state;
	mk_clos(s.m, &full);
	mk_d_mod_k(s.m, &full);
	s.m = mk_subnet(s.m, "storage");
	mk_clos(s.m, &narrow);
	mk_d_mod_k(s.m, &narrow);
	simulate(&s, &opts);
	assert_int_equal(ibc_routes_bandwidth(s.routes, 0)->shifts, 4);
	assert_int_equal(ibc_routes_bandwidth(s.routes, 1)->shifts, 3);
	assert_int_equal(ibc_routes_bandwidth(s.routes, 1)->hosts, 4);
	opts.threads = 4;
	assert_int_equal(ibc_routes_analyze(s.fab, &opts, &others, NULL), 0);
	expect_same(s.routes, others);
	ibc_routes_free(others);
	opts.seed = 6;
	assert_int_equal(ibc_routes_analyze(s.fab, &opts, &others, NULL), 0);
	assert_true(ibc_routes_bandwidth(others, 0)->mean !=
	            ibc_routes_bandwidth(s.routes, 0)->mean);
	ibc_routes_free(others);
	end(&s);
}

static void no_memory_is_an_error(void **state)
{
	const struct ibc_routes_opts opts = { .threads = 2, .bisections = 3, .shifts = 2 };
	struct scene s = scene(&narrow);
	int rc = -1;

	(void)state;
	s.fab = done(s.m);
	for (unsigned long n = 1; rc; n++) {
		alloc_fail_at(n);
		rc = ibc_routes_analyze(s.fab, &opts, &s.routes, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(ibc_routes_bandwidth(s.routes, 0)->bisections, 3);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_that_share_a_cable_get_their_part_of_it),
		cmocka_unit_test(a_cable_of_twice_the_rate_carries_two),
		cmocka_unit_test(a_slow_cable_leaves_less),
		cmocka_unit_test(what_a_slow_host_gets_is_measured_by_its_own_link),
		cmocka_unit_test(a_rate_that_was_not_told_is_not_blamed),
		cmocka_unit_test(d_mod_k_on_a_full_tree_carries_every_shift),
		cmocka_unit_test(random_halves_collide_even_there),
		cmocka_unit_test(two_hosts_have_one_bisection),
		cmocka_unit_test(who_is_not_reached_is_left_out),
		cmocka_unit_test(a_way_of_many_switches_takes_part_too),
		cmocka_unit_test(without_two_hosts_there_is_nothing_to_simulate),
		cmocka_unit_test(every_shift_is_what_its_ways_one_by_one_make_it),
		cmocka_unit_test(threads_change_nothing_and_the_seed_all),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests_name("bandwidth", tests, NULL, NULL);
}
