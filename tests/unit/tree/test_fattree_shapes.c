/* SPDX-License-Identifier: BSD-2-Clause */
/* Larger trees, odd ones, several at once, and what is none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "corpus.h"
#include "mkcapture.h"

#define SEEDS      5
#define TINY_SEEDS 20

struct shape {
	const char *name;
	struct tree_spec spec;
	unsigned int least; /* runs with one fault that tell the truth, in percent */
};

static const struct shape shapes[] = {
	{ "40x20", { .leaves = 40, .spines = 20, .hosts = 20 }, 100 },
	{ "32x9x2", { .leaves = 32, .spines = 9, .cables = 2, .hosts = 18 }, 100 },
	{ "18x18x2", { .leaves = 18, .spines = 18, .cables = 2, .hosts = 8 }, 100 },
	{ "8 pods", { 8, .leaves = 8, .spines = 8, .uplinks = 8, .hosts = 8 }, 100 },
	{ "8 rails", { .rails = 8, .leaves = 8, .spines = 8, .hosts = 8 }, 100 },
	{ "6x3x4", { .leaves = 6, .spines = 3, .cables = 4, .hosts = 12 }, 100 },
	{ "6 pods", { 6, .leaves = 4, .spines = 4, .uplinks = 4, .hosts = 4 }, 100 },
	{ "four levels",
	  { 3, .regions = 4, .tops = 2, .leaves = 4, .spines = 3, .uplinks = 3, .hosts = 4 },
	  100 },
	{ "director", { 6, .leaves = 6, .spines = 3, .cables = 2, .hosts = 6, .chips = 6 }, 100 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void score_seed(const struct tree_spec *spec, enum fault_kind kind, unsigned int seed,
                       struct score *score)
{
	struct mktree t = mktree(spec, seed * 100 + kind);
	struct truth fault;

	if (break_tree(&t, kind, 1, 0, &fault))
		corpus_run(&t, &fault, 1, NULL, score);
	else
		mktree_free(&t);
}

/* One fault of each kind, so many times; nothing is accused without. */
static struct score score_shape(const struct shape *shape, unsigned int seeds)
{
	struct mktree clean = mktree(&shape->spec, 1);
	struct score score = { 0 }, untouched = { 0 };

	corpus_run(&clean, NULL, 0, NULL, &untouched);
	assert_int_equal(untouched.cases, 0);
	for (unsigned int kind = 0; kind < FAULTS; kind++)
		for (unsigned int seed = 1; seed <= seeds; seed++)
			score_seed(&shape->spec, kind, seed, &score);
	print_score(shape->name, "any", &score);
	return score;
}

static void larger_and_odd_trees_are_no_harder(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		struct score score = score_shape(&shapes[i], SEEDS);

		assert_true(score.exact * 100 >= score.runs * shapes[i].least);
		assert_int_equal(score.wrong, 0);
	}
}

static void what_is_too_small_is_never_blamed_wrongly(void **state)
{
	static const struct shape tiny[] = {
		{ "3x6", { .leaves = 3, .spines = 6, .hosts = 6 }, 0 },
		{ "4x2", { .leaves = 4, .spines = 2, .hosts = 6 }, 0 },
		{ "4x2x3", { .leaves = 4, .spines = 2, .cables = 3, .hosts = 6 }, 0 },
		{ "20x2", { .leaves = 20, .spines = 2, .hosts = 6 }, 0 },
		{ "2x2", { .leaves = 2, .spines = 2, .hosts = 4 }, 0 },
		{ "4x1", { .leaves = 4, .spines = 1, .cables = 2, .hosts = 4 }, 0 },
		{ "pods of 2", { 3, .leaves = 2, .spines = 2, .uplinks = 2, .hosts = 2 }, 0 },
		{ "one uplink", { 4, .leaves = 6, .spines = 4, .uplinks = 1, .hosts = 6 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tiny) / sizeof(tiny[0]); i++)
		assert_int_equal(score_shape(&tiny[i], TINY_SEEDS).wrong, 0);
}

/* ---- several at once ---- */

/* A tree of three levels, one of two with trunks, and a small one, joined by nothing. */
static struct mktree several(uint64_t seed)
{
	static const struct tree_spec specs[] = {
		{ 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 6 },
		{ .leaves = 8, .spines = 4, .cables = 2, .hosts = 8 },
		{ .leaves = 10, .spines = 3, .hosts = 8 },
	};
	struct mktree t = mktree(&specs[0], seed);

	mktree_add(&t, &specs[1]);
	mktree_add(&t, &specs[2]);
	return t;
}

static void each_of_several_fabrics_has_its_own_rule(void **state)
{
	struct score clean = { 0 }, score = { 0 };
	struct mktree t = several(1);

	(void)state;
	corpus_run(&t, NULL, 0, NULL, &clean);
	assert_int_equal(clean.cases, 0);
	for (unsigned int kind = 0; kind < FAULTS; kind++) {
		for (unsigned int seed = 1; seed <= SEEDS && kind != FAULT_NO_SPINE; seed++) {
			struct truth fault;

			t = several(seed * 100 + kind);
			assert_int_equal(break_tree(&t, kind, 1, 0, &fault), 1);
			corpus_run(&t, &fault, 1, NULL, &score);
		}
	}
	print_score("several", "any", &score);
	assert_int_equal(score.exact, score.runs);
}

/* ---- what is no tree ---- */

#define RANDOM_SWITCHES 2000
#define RANDOM_PORTS    24

/* Random cables among switches; those of them that have hosts have many. */
static struct mktree mkrandom(unsigned int with_hosts, uint64_t seed)
{
	struct mktree t = { .random = seed };
	unsigned int next[RANDOM_SWITCHES] = { 0 };

	for (unsigned int i = 0; i < RANDOM_SWITCHES; i++)
		tree_switch(&t, (struct tree_switch){
				    .guid = 0x1000 + i, .place = i, .ports = RANDOM_PORTS + 4 });
	for (unsigned int i = 0; i < RANDOM_SWITCHES; i++)
		for (unsigned int k = 0; i % 100 < with_hosts && k < 4; k++)
			tree_host(&t, (struct tree_end){ i, RANDOM_PORTS + k + 1 }, 4 * i + k, 0);
	for (unsigned int n = 0; n < RANDOM_SWITCHES * RANDOM_PORTS / 2; n++) {
		unsigned int a = pick(&t, RANDOM_SWITCHES), z = pick(&t, RANDOM_SWITCHES);

		if (a != z && next[a] < RANDOM_PORTS && next[z] < RANDOM_PORTS)
			tree_link(&t, (struct tree_end){ a, ++next[a] },
			          (struct tree_end){ z, ++next[z] });
	}
	return t;
}

static void chance_is_no_rule(void **state)
{
	static const unsigned int shares[] = { 100, 50, 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct mktree t = mkrandom(shares[i], i + 1);
		struct ibc_fabric *fab = mktree_done(&t);
		struct ibc_fattree *tree;

		assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
		for (size_t k = 0; k < tree->num_cases; k++)
			assert_false(tree->cases[k].blamed);
		ibc_fattree_free(tree);
		ibc_fabric_free(fab);
	}
}

/* Two ranks, and between them chance. */
static void a_random_tier_has_no_rule(void **state)
{
	struct mktree t = mktree(&(struct tree_spec){ .leaves = 120, .spines = 40, .hosts = 4 }, 1);
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	unsigned int n = 0;

	(void)state;
	for (unsigned int i = 0; i < t.num_links; i++) {
		t.links[i].gone = pick(&t, 100) < 60;
		n += !t.links[i].gone;
	}
	assert_true(n > 1000);
	fab = mktree_done(&t);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (size_t k = 0; k < tree->num_cases; k++)
		assert_false(tree->cases[k].blamed);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

/* ---- captures ---- */

static void no_capture_is_blamed_of_what_it_is(void **state)
{
	static const struct {
		const char *file;
		unsigned int blamed;
	} captures[] = {
		{ CAPTURES "psmn-x5/psmn-x5.net", 0 },
		{ CAPTURES "stage-fdr10/stage-fdr10.net", 1 }, /* 7 of 8 uplinks */
		{ CAPTURES "ufm-lab-small/ufm-lab-small.net", 0 },
		{ CAPTURES "plafrim2-1/plafrim2-1.net", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		const char *specs[] = { captures[i].file };
		struct ibc_fattree *tree;
		struct ibc_fabric *fab;
		unsigned int blamed = 0;

		if (!has_capture(captures[i].file))
			continue;
		assert_int_equal(ibc_fabric_load(specs, 1, NULL, &fab, NULL), 0);
		assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
		for (size_t k = 0; k < tree->num_cases; k++)
			blamed += tree->cases[k].blamed;
		assert_int_equal(blamed, captures[i].blamed);
		ibc_fattree_free(tree);
		ibc_fabric_free(fab);
	}
}

/* ---- memory ---- */

static void every_failing_allocation_is_an_error(void **state)
{
	struct mktree t = several(7);
	struct truth faults[3];
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;
	unsigned long n = 0;
	int rc;

	(void)state;
	assert_true(break_tree(&t, FAULT_CROSSED, 1, 0, &faults[0]));
	assert_true(break_tree(&t, FAULT_LOWER_LOWER, 1, 0, &faults[1]));
	assert_true(break_tree(&t, FAULT_UNPLUGGED, 1, 0, &faults[2]));
	t.switches[tree_find(&t, TIER_SPINE, 0, 0, 2, 1)].gone = true;
	fab = mktree_done(&t);
	do {
		alloc_fail_at(++n);
		rc = ibc_fattree_infer(fab, NULL, &tree, NULL);
		alloc_fail_at(0);
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(rc == 0 || !tree);
	} while (rc);
	assert_true(n > 100);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_and_odd_trees_are_no_harder),
		cmocka_unit_test(what_is_too_small_is_never_blamed_wrongly),
		cmocka_unit_test(each_of_several_fabrics_has_its_own_rule),
		cmocka_unit_test(chance_is_no_rule),
		cmocka_unit_test(a_random_tier_has_no_rule),
		cmocka_unit_test(no_capture_is_blamed_of_what_it_is),
		cmocka_unit_test(every_failing_allocation_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
