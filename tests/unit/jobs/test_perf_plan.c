/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/perf.h>
#include <ibcheck/routes.h>

#include "base/arena.h"
#include "mkclos.h"

/* ---- what a plan has ------------------------------------------------------------------ */

static struct ibc_perf_plan *plan_of(const char *list, const struct ibc_perf_opts *opts)
{
	struct ibc_error err = { "" };
	struct ibc_hostlist *hosts;
	struct ibc_perf_plan *plan;

	assert_int_equal(ibc_hostlist_parse(list, &hosts, &err), 0);
	if (ibc_perf_plan(hosts, opts, &plan, &err))
		fail_msg("%s", err.text);
	ibc_hostlist_free(hosts);
	return plan;
}

static void refuses(const char *list, const struct ibc_perf_opts *opts, int code, const char *why)
{
	struct ibc_error err = { "" };
	struct ibc_hostlist *hosts;
	struct ibc_perf_plan *plan;

	assert_int_equal(ibc_hostlist_parse(list, &hosts, &err), 0);
	assert_int_equal(ibc_perf_plan(hosts, opts, &plan, &err), code);
	assert_null(plan);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	ibc_hostlist_free(hosts);
}

static size_t host_number(const struct ibc_perf_plan *plan, const char *host)
{
	for (size_t i = 0; i < plan->num_hosts; i++)
		if (plan->hosts[i] == host)
			return i;
	fail_msg("%s is no host of the plan", host);
	return 0;
}

/* meetings[a * n + z]: how often the two meet, a < z; the lower one serves */
static unsigned int *meetings(const struct ibc_perf_plan *plan)
{
	size_t n = plan->num_hosts;
	unsigned int *met = calloc(n * n, sizeof(*met));

	for (size_t i = 0; i < plan->num_tests; i++) {
		size_t a = host_number(plan, plan->tests[i].server);
		size_t z = host_number(plan, plan->tests[i].client);

		assert_true(a < z);
		met[a * n + z]++;
	}
	return met;
}

/* Of each round, a host is in so many tests at the most; returns the least over all rounds. */
static size_t tests_a_round(const struct ibc_perf_plan *plan, unsigned int most)
{
	size_t least = SIZE_MAX;

	for (unsigned int round = 1; round <= plan->rounds; round++) {
		unsigned int *times = calloc(plan->num_hosts, sizeof(*times));
		size_t n = 0;

		for (size_t i = 0; i < plan->num_tests; i++) {
			const struct ibc_perf_test *t = &plan->tests[i];

			assert_true(t->round >= 1 && t->round <= plan->rounds);
			assert_true(i == 0 || t->round >= t[-1].round);
			if (t->round != round)
				continue;
			assert_true(++times[host_number(plan, t->server)] <= most);
			assert_true(++times[host_number(plan, t->client)] <= most);
			n++;
		}
		least = n < least ? n : least;
		free(times);
	}
	return least;
}

/* ---- random rounds ----------------------------------------------------------------------- */

static void each_round_is_a_matching_and_no_pair_meets_twice(void **state)
{
	static const char *const lists[] = { "n[1-2]", "n[1-3]",  "n[1-4]", "n[1-7]",
		                             "n[1-8]", "n[1-33]", "n[1-64]" };

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (unsigned int seed = 0; seed < 20; seed++) {
			struct ibc_perf_opts opts = { .seed = seed };
			struct ibc_perf_plan *plan = plan_of(lists[i], &opts);
			size_t n = plan->num_hosts;
			unsigned int *met = meetings(plan);

			assert_int_equal(plan->rounds, n < 3 ? 1 : 3);
			assert_int_equal(tests_a_round(plan, 1), n / 2);
			for (size_t k = 0; k < n * n; k++)
				assert_true(met[k] <= 1);
			assert_int_equal(plan->repeats, 0);
			assert_int_equal(plan->num_resting, 0);
			free(met);
			ibc_perf_plan_free(plan);
		}
}

static void of_an_odd_number_another_host_rests_in_each_round(void **state)
{
	struct ibc_perf_opts opts = { .rounds = 7 };
	struct ibc_perf_plan *plan = plan_of("n[1-7]", &opts);
	unsigned int *met = meetings(plan), degree[7] = { 0 };

	(void)state;
	for (size_t k = 0; k < 49; k++) {
		assert_int_equal(met[k], k / 7 < k % 7);
		degree[k / 7] += met[k];
		degree[k % 7] += met[k];
	}
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(degree[i], 6); /* of 7 rounds */
	free(met);
	ibc_perf_plan_free(plan);
}

static void more_rounds_than_partners_repeat_pairs_and_that_is_counted(void **state)
{
	struct ibc_perf_opts opts = { .rounds = 5 };
	struct ibc_perf_plan *plan = plan_of("n[1-4]", &opts);
	unsigned int *met = meetings(plan), all = 0;

	(void)state;
	assert_int_equal(tests_a_round(plan, 1), 2);
	for (size_t k = 0; k < 16; k++) {
		assert_true(met[k] <= 2);
		all += met[k] > 1;
	}
	assert_int_equal(plan->repeats, 4);
	assert_int_equal(all, 4);
	free(met);
	ibc_perf_plan_free(plan);
}

static bool equal_plans(const struct ibc_perf_plan *a, const struct ibc_perf_plan *z)
{
	assert_int_equal(a->num_tests, z->num_tests);
	for (size_t i = 0; i < a->num_tests; i++)
		if (strcmp(a->tests[i].server, z->tests[i].server) != 0 ||
		    strcmp(a->tests[i].client, z->tests[i].client) != 0)
			return false;
	return true;
}

static void the_seed_decides_and_the_order_of_names_does_not(void **state)
{
	struct ibc_perf_opts opts = { .seed = 7 }, other = { .seed = 8 };
	struct ibc_perf_plan *a = plan_of("n[1-40]", &opts);
	struct ibc_perf_plan *z = plan_of("n[21-40],n3,n[1-20]", &opts);
	struct ibc_perf_plan *o = plan_of("n[1-40]", &other);

	(void)state;
	assert_true(equal_plans(a, z));
	assert_false(equal_plans(a, o));
	ibc_perf_plan_free(a);
	ibc_perf_plan_free(z);
	ibc_perf_plan_free(o);
}

/* Every pair is as likely: over many seeds none is missing, none is often there. */
static void all_partners_are_as_likely(void **state)
{
	unsigned int met[36] = { 0 };

	(void)state;
	for (unsigned int seed = 0; seed < 500; seed++) {
		struct ibc_perf_opts opts = { .rounds = 1, .seed = seed };
		struct ibc_perf_plan *plan = plan_of("n[1-6]", &opts);
		unsigned int *m = meetings(plan);

		for (size_t k = 0; k < 36; k++)
			met[k] += m[k];
		free(m);
		ibc_perf_plan_free(plan);
	}
	for (size_t k = 0; k < 36; k++)
		if (k / 6 < k % 6) /* 500 times 3 of 15 pairs, within six deviations */
			assert_in_range(met[k], 46, 154);
}

static void rails_one_after_the_other_are_as_many_rounds(void **state)
{
	struct ibc_perf_opts opts = { .rails = 4 }, whole = { 0 };
	struct ibc_perf_plan *plan = plan_of("n[1-6]", &opts), *all = plan_of("n[1-6]", &whole);

	(void)state;
	assert_int_equal(plan->rounds, 12);
	assert_int_equal(tests_a_round(plan, 1), 3);
	for (size_t i = 0; i < plan->num_tests; i++) {
		assert_int_equal(plan->tests[i].rail, (plan->tests[i].round - 1) % 4);
		assert_int_equal(plan->tests[i].peer_rail, plan->tests[i].rail);
	}
	for (size_t i = 0; i < all->num_tests; i++)
		assert_int_equal(all->tests[i].rail, IBC_PERF_ALL_RAILS);
	ibc_perf_plan_free(plan);
	ibc_perf_plan_free(all);
}

/* ---- other modes ---------------------------------------------------------------------------- */

static void in_a_circle_each_meets_each_once(void **state)
{
	static const struct {
		const char *list;
		unsigned int rounds;
	} cases[] = { { "n[1-2]", 1 }, { "n[1-3]", 3 }, { "n[1-9]", 9 }, { "n[1-16]", 15 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_perf_opts opts = { .mode = IBC_PERF_CIRCLE };
		struct ibc_perf_plan *plan = plan_of(cases[i].list, &opts);
		size_t n = plan->num_hosts;
		unsigned int *met = meetings(plan);

		assert_int_equal(plan->rounds, cases[i].rounds);
		assert_int_equal(tests_a_round(plan, 1), n / 2);
		for (size_t k = 0; k < n * n; k++)
			assert_int_equal(met[k], k / n < k % n);
		free(met);
		ibc_perf_plan_free(plan);
	}
}

static void in_a_ring_each_meets_its_neighbours(void **state)
{
	static const struct {
		const char *list;
		unsigned int rounds, tests;
	} cases[] = {
		{ "n[1-2]", 1, 1 }, { "n[1-3]", 3, 3 }, { "n[1-6]", 2, 6 }, { "n[1-7]", 3, 7 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_perf_opts opts = { .mode = IBC_PERF_RING };
		struct ibc_perf_plan *plan = plan_of(cases[i].list, &opts);
		size_t n = plan->num_hosts;
		unsigned int *met = meetings(plan);

		assert_int_equal(plan->rounds, cases[i].rounds);
		assert_int_equal(plan->num_tests, cases[i].tests);
		tests_a_round(plan, 1);
		for (size_t k = 0; k + 1 < n; k++)
			assert_int_equal(met[k * n + k + 1], 1);
		assert_int_equal(met[n - 1], 1);
		free(met);
		ibc_perf_plan_free(plan);
	}
}

static void of_an_incast_several_send_to_one(void **state)
{
	struct ibc_perf_opts opts = { .mode = IBC_PERF_INCAST, .rounds = 2 };
	struct ibc_perf_plan *plan = plan_of("n[1-11]", &opts);
	unsigned int served[2][11] = { { 0 } };

	(void)state;
	assert_int_equal(plan->rounds, 2);
	assert_int_equal(plan->num_tests, 16); /* two groups of five, and one host rests */
	for (size_t i = 0; i < plan->num_tests; i++) {
		const struct ibc_perf_test *t = &plan->tests[i];

		served[t->round - 1][host_number(plan, t->server)]++;
		for (size_t k = 0; k < plan->num_tests; k++) /* who serves sends to none */
			assert_false(plan->tests[k].round == t->round &&
			             plan->tests[k].client == t->server);
	}
	for (size_t i = 0; i < 11; i++)
		assert_true((served[0][i] == 0 || served[0][i] == 4) &&
		            (served[1][i] == 0 || served[1][i] == 4));
	ibc_perf_plan_free(plan);
}

static void of_one_host_each_hca_meets_others(void **state)
{
	struct ibc_perf_opts opts = { .mode = IBC_PERF_SELF, .rails = 4, .rounds = 9 };
	struct ibc_perf_plan *plan = plan_of("n[1-2]", &opts);
	unsigned int met[2][4][4] = { { { 0 } } };

	(void)state;
	assert_int_equal(plan->rounds, 3); /* there are no more */
	assert_int_equal(plan->num_tests, 2 * 6);
	for (size_t i = 0; i < plan->num_tests; i++) {
		const struct ibc_perf_test *t = &plan->tests[i];

		assert_ptr_equal(t->server, t->client);
		assert_true(t->rail < t->peer_rail && t->peer_rail < 4);
		assert_int_equal(++met[host_number(plan, t->server)][t->rail][t->peer_rail], 1);
	}
	ibc_perf_plan_free(plan);
}

static void what_cannot_be_planned_is_refused(void **state)
{
	struct ibc_perf_opts opts = { 0 };

	(void)state;
	refuses("n1", &opts, -EINVAL, "two hosts, and there is one");
	opts.rounds = 4000;
	refuses("n[1-4096]", &opts, -EINVAL, "more than 1000000 tests");
	opts = (struct ibc_perf_opts){ .mode = IBC_PERF_CIRCLE };
	refuses("n[1-20000]", &opts, -EINVAL, "more than 1000000 tests");
	opts.rounds = 2;
	refuses("n[1-4]", &opts, -EINVAL, "--rounds does not go with this mode");
	opts.mode = IBC_PERF_RING;
	refuses("n[1-4]", &opts, -EINVAL, "--rounds does not go with this mode");
	opts.mode = IBC_PERF_COVER;
	refuses("n[1-4]", &opts, -EINVAL, "--rounds does not go with this mode");
	opts.rounds = 0;
	refuses("n[1-4]", &opts, -EINVAL, "needs --source");
	opts = (struct ibc_perf_opts){ .mode = IBC_PERF_SELF, .rails = 1 };
	refuses("n1", &opts, -EINVAL, "needs --rails");
}

static void a_name_that_would_break_a_line_is_refused(void **state)
{
	static const char *const names[] = { "n1", "MT4115 card" };
	struct ibc_perf_opts opts = { 0 };
	struct ibc_error err = { "" };
	struct ibc_hostlist *hosts;
	struct ibc_perf_plan *plan;

	(void)state;
	assert_int_equal(ibc_hostlist_of(names, 2, &hosts, NULL), 0);
	assert_int_equal(ibc_perf_plan(hosts, &opts, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "\"MT4115 card\" cannot stand in a plan"));
	ibc_hostlist_free(hosts);
}

/* ---- with a fabric -----------------------------------------------------------------------------
 */

static const struct clos tree = { .leaves = 3, .spines = 2, .hosts = 4, .cables = 1 };

static struct ibc_fabric *tree_fabric(void)
{
	struct mkfab m = mkfab();

	mk_clos(m, &tree);
	mk_d_mod_k(m, &tree);
	return done(m);
}

static void a_circle_within_leaves_stays_there(void **state)
{
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_CIRCLE, .fab = fab };
	/* of the third leaf there is one host */
	struct ibc_perf_plan *plan = plan_of("host[01-09]", &opts);
	unsigned int *met = meetings(plan);

	(void)state;
	assert_int_equal(plan->rounds, 3);
	assert_int_equal(plan->num_tests, 2 * 6);
	for (size_t k = 0; k < 81; k++)
		assert_int_equal(met[k], k / 9 < k % 9 && k / 9 / 4 == k % 9 / 4);
	assert_int_equal(plan->num_resting, 1);
	assert_string_equal(plan->resting[0], "host09");
	free(met);
	ibc_perf_plan_free(plan);
	ibc_fabric_free(fab);
}

static void hosts_that_the_fabric_has_not_are_named(void **state)
{
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_CIRCLE, .fab = fab };

	(void)state;
	refuses("host[11-15]", &opts, -EINVAL, "host[13-15] are not in the fabric");
	opts.mode = IBC_PERF_COVER;
	refuses("host[11-13]", &opts, -EINVAL, "host13 is not in the fabric");
	ibc_fabric_free(fab);
}

static void a_plan_without_any_test_is_none(void **state)
{
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_CIRCLE, .fab = fab };

	(void)state;
	refuses("host[01,05,09]", &opts, -EINVAL, "no two of these hosts share a leaf");
	opts.mode = IBC_PERF_COVER;
	refuses("host[01-04]", &opts, -EINVAL, "no route between these hosts passes a cable");
	ibc_fabric_free(fab);
}

/* Marks the ports between switches on the way; by GUID and port. */
static void mark_route(const struct ibc_fabric *fab, const struct ibc_perf_test *t,
                       bool seen[64][64])
{
	const struct ibc_node *from = NULL, *to = NULL, *node;
	struct ibc_path path;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		if (node->type != IBC_NODE_CA)
			continue;
		from = strcmp(node->host_name, t->client) == 0 ? node : from;
		to = strcmp(node->host_name, t->server) == 0 ? node : to;
	}
	assert_true(from && to);
	assert_int_equal(ibc_path_find(&from->ports[1], to->ports[1].lid, &path, NULL), 0);
	assert_int_equal(path.end, IBC_ROUTE_ARRIVES);
	for (size_t i = 1; i + 1 < path.num; i++)
		seen[path.out[i]->node->guid][path.out[i]->num] = true;
}

static size_t covered_by(const struct ibc_fabric *fab, const struct ibc_perf_plan *plan)
{
	bool seen[64][64] = { { false } };
	size_t n = 0;

	for (size_t i = 0; i < plan->num_tests; i++)
		mark_route(fab, &plan->tests[i], seen);
	for (size_t i = 0; i < sizeof(seen); i++)
		n += ((bool *)seen)[i];
	return n;
}

static void every_cable_between_switches_has_a_flow_each_way(void **state)
{
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER, .fab = fab };
	struct ibc_perf_plan *plan = plan_of("host[01-12]", &opts);

	(void)state;
	assert_int_equal(plan->links, 2 * 3 * 2);
	assert_int_equal(plan->num_uncovered, 0);
	assert_int_equal(covered_by(fab, plan), plan->links);
	tests_a_round(plan, 1);
	assert_true(plan->rounds <= 2); /* 12 hosts are 6 flows a round, of two cables each */
	for (size_t i = 0; i < plan->num_tests; i++)
		assert_int_equal(plan->tests[i].rail, 0);
	ibc_perf_plan_free(plan);
	ibc_fabric_free(fab);
}

static void cables_that_these_hosts_do_not_use_are_named(void **state)
{
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER, .fab = fab };
	struct ibc_perf_plan *plan = plan_of("host[01-08]", &opts);

	(void)state;
	/* nothing goes to the third leaf, or comes from there */
	assert_int_equal(plan->num_uncovered, 4);
	assert_int_equal(covered_by(fab, plan), plan->links - 4);
	for (size_t i = 0; i < plan->num_uncovered; i++)
		assert_true(plan->uncovered[i]->node->guid == clos_leaf(2) ||
		            plan->uncovered[i]->peer->node->guid == clos_leaf(2));
	ibc_perf_plan_free(plan);
	ibc_fabric_free(fab);
}

static void without_tables_there_is_no_cover(void **state)
{
	struct mkfab m = mkfab();
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER };
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &tree);
	opts.fab = fab = done(m);
	refuses("host[01-12]", &opts, -ENODATA, "no linear forwarding tables");
	ibc_fabric_free(fab);
}

/* A route that goes round and one that ends nowhere cover nothing, and end the search. */
static void broken_tables_cover_nothing(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER };
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &tree);
	f = mk_d_mod_k(m, &tree);
	for (unsigned int lid = 101; lid < 113; lid++)
		for (unsigned int s = 0; s < 2; s++) /* spines send all to another leaf */
			*mk_entry(f, clos_spine(s),
			          lid) = (uint8_t)clos_down(&tree, ((lid - 101) / 4 + 1) % 3, 0);
	opts.fab = fab = done(m);
	refuses("host[01-12]", &opts, -EINVAL, "no route between these hosts passes a cable");
	ibc_fabric_free(fab);
}

static void a_route_to_the_wrong_host_covers_nothing(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER };
	struct ibc_fabric *fab;

	(void)state;
	mk_clos(m, &tree);
	f = mk_d_mod_k(m, &tree);
	for (unsigned int i = 0; i < 12; i++) /* its leaf sends it to the host beside it */
		*mk_entry(f, clos_leaf(i / 4), 101 + i) = (uint8_t)(1 + (i + 1) % 4);
	opts.fab = fab = done(m);
	refuses("host[01-12]", &opts, -EINVAL, "no route between these hosts passes a cable");
	ibc_fabric_free(fab);
}

/* Two HCAs a host, each on a leaf of its own: flows stay on their rail. */
static void flows_stay_on_their_rail(void **state)
{
	struct mkfab m = mkfab();
	struct fabric_forwarding *f;
	struct ibc_perf_opts opts = { .mode = IBC_PERF_COVER };
	struct ibc_perf_plan *plan;
	struct ibc_fabric *fab;
	char name[32];

	(void)state;
	for (unsigned int s = 1; s <= 4; s++) /* leaves of rail 0, then of rail 1 */
		mk_switch(m, s, "leaf", 8);
	for (unsigned int h = 0; h < 4; h++)
		for (unsigned int r = 0; r < 2; r++) {
			/* GUIDs the other way round than names */
			uint64_t guid = 101 + h * 2 + !r;

			snprintf(name, sizeof(name), "host%u mlx5_%u", h, r);
			mk_ca(m, guid, name, 1);
			cable(m, 1 + r * 2 + h / 2, 1 + h % 2, guid, 1);
		}
	cable(m, 1, 5, 2, 5); /* and none between those of rail 1 */
	cable(m, 1, 6, 3, 6);
	f = mk_tables(m, 128);
	mk_min_hop(m, f);
	opts.fab = fab = done(m);
	plan = plan_of("host[0-3]", &opts);
	assert_int_equal(plan->links, 4);
	assert_int_equal(plan->num_uncovered, 2); /* between the rails */
	for (size_t i = 0; i < plan->num_tests; i++)
		assert_int_equal(plan->tests[i].rail, 0);
	ibc_perf_plan_free(plan);
	ibc_fabric_free(fab);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
	static const enum ibc_perf_mode modes[] = { IBC_PERF_RANDOM, IBC_PERF_CIRCLE,
		                                    IBC_PERF_COVER };
	struct ibc_fabric *fab = tree_fabric();
	struct ibc_hostlist *hosts;
	struct ibc_perf_plan *plan;

	(void)state;
	assert_int_equal(ibc_hostlist_parse("host[01-12]", &hosts, NULL), 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct ibc_perf_opts opts = { .mode = modes[i], .fab = fab };
		int rc = -ENOMEM;

		for (unsigned long n = 1; rc; n++) {
			alloc_fail_at(n);
			rc = ibc_perf_plan(hosts, &opts, &plan, NULL);
			alloc_fail_at(0);
			assert_true(rc == 0 || (rc == -ENOMEM && !plan));
		}
		ibc_perf_plan_free(plan);
	}
	ibc_hostlist_free(hosts);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_round_is_a_matching_and_no_pair_meets_twice),
		cmocka_unit_test(of_an_odd_number_another_host_rests_in_each_round),
		cmocka_unit_test(more_rounds_than_partners_repeat_pairs_and_that_is_counted),
		cmocka_unit_test(the_seed_decides_and_the_order_of_names_does_not),
		cmocka_unit_test(all_partners_are_as_likely),
		cmocka_unit_test(rails_one_after_the_other_are_as_many_rounds),
		cmocka_unit_test(in_a_circle_each_meets_each_once),
		cmocka_unit_test(in_a_ring_each_meets_its_neighbours),
		cmocka_unit_test(of_an_incast_several_send_to_one),
		cmocka_unit_test(of_one_host_each_hca_meets_others),
		cmocka_unit_test(what_cannot_be_planned_is_refused),
		cmocka_unit_test(a_name_that_would_break_a_line_is_refused),
		cmocka_unit_test(a_circle_within_leaves_stays_there),
		cmocka_unit_test(hosts_that_the_fabric_has_not_are_named),
		cmocka_unit_test(a_plan_without_any_test_is_none),
		cmocka_unit_test(every_cable_between_switches_has_a_flow_each_way),
		cmocka_unit_test(cables_that_these_hosts_do_not_use_are_named),
		cmocka_unit_test(without_tables_there_is_no_cover),
		cmocka_unit_test(broken_tables_cover_nothing),
		cmocka_unit_test(a_route_to_the_wrong_host_covers_nothing),
		cmocka_unit_test(flows_stay_on_their_rail),
		cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
