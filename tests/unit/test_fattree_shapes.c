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

#define SEEDS       5
#define TINY_SEEDS  40
#define CUT_OFF     "a pod with one uplink"

struct shape {
	const char *name;
	struct tree_spec spec;
};

static const struct shape shapes[] = {
	{ "40x20", { .leaves = 40, .spines = 20, .hosts = 20 } },
	{ "32x9x2", { .leaves = 32, .spines = 9, .cables = 2, .hosts = 18 } },
	{ "18x18x2", { .leaves = 18, .spines = 18, .cables = 2, .hosts = 8 } },
	{ "8 pods", { 8, .leaves = 8, .spines = 8, .uplinks = 8, .hosts = 8 } },
	{ "8 rails", { .rails = 8, .leaves = 8, .spines = 8, .hosts = 8 } },
	{ "6x3x4", { .leaves = 6, .spines = 3, .cables = 4, .hosts = 12 } },
	{ "6 pods", { 6, .leaves = 4, .spines = 4, .uplinks = 4, .hosts = 4 } },
	{ "four levels",
	  { 3, .regions = 4, .tops = 2, .leaves = 4, .spines = 3, .uplinks = 3, .hosts = 4 } },
	{ "director", { 6, .leaves = 6, .spines = 3, .cables = 2, .hosts = 6, .chips = 6 } },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct score score_shape(const struct tree_spec *spec, enum fault_kind kind, unsigned int n,
                                unsigned int seeds)
{
	struct score score = { 0 };

	for (unsigned int seed = 1; seed <= seeds; seed++) {
		struct mktree t = mktree(spec, seed * 100 + kind);
		struct truth faults[FAULTS_MAX];
		unsigned int made = break_tree(&t, kind, n, 0, faults);

		if (made < n)
			mktree_free(&t);
		else
			corpus_run(&t, faults, made, NULL, &score);
	}
	return score;
}

static void larger_and_odd_trees_are_no_harder(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		struct score sum = score_shape(&shapes[i].spec, FAULTS, 0, 1);

		assert_int_equal(sum.cases, 0);
		for (unsigned int kind = 0; kind < FAULTS; kind++) {
			struct score s = score_shape(&shapes[i].spec, kind, 1, SEEDS);

			print_score(shapes[i].name, fault_names[kind], &s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_and_odd_trees_are_no_harder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
