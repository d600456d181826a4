/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees that are irregular by design: nothing is accused, and faults are found none the less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "mkvariant.h"

#define SEEDS 20

static const struct tree_spec shapes[] = {
	{ .leaves = 12, .spines = 6, .hosts = 12 },
	{ .leaves = 8, .spines = 4, .cables = 2, .hosts = 12 },
	{ .pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 6 },
	{ .rails = 4, .leaves = 4, .spines = 4, .hosts = 6 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/*
 * struct variant - with the least shares of runs, in percent, that tell the truth
 * @undecidable: set of 1 << enum fault_kind
 * @single, @two, @three: faults at once; no more sockets than true ones are named, and at
 *			  least half of those; or by switch, where no port tells
 */
static const struct variant {
	const char *name;
	void (*vary)(struct mktree *t);
	bool by_switch;
	unsigned int undecidable, single, two, three;
} variants[] = {
	/* of dark ports in no order nobody knows what they were for */
	{ "all ports", variant_all_ports, true, 1u << FAULT_NO_SPINE, 100, 100, 98 },
	/* two spines of a pod may each have half of what the other had: whose is whose? */
	{ "leaf ports", variant_leaf_ports, true, 1u << FAULT_NO_SPINE, 97, 98, 97 },
	{ "few hosts", variant_few_hosts, false, 0, 98, 98, 97 },
	{ "empty leaves", variant_empty_leaves, false, 0, 100, 100, 97 },
	{ "missing racks", variant_missing_racks, false, 0, 96, 98, 95 },
	{ "generations", variant_generations, false, 0, 100, 98, 96 },
	{ "aggregation", variant_aggregation, false, 0, 100, 98, 96 },
	/* one host more on a spine is none too many */
	{ "storage", variant_storage, false, 1u << FAULT_HOST_UP, 100, 97, 93 },
	{ "management", variant_management, false, 0, 100, 100, 98 },
	/* what is wrong at a leaf of a pair has the cable of the pair against it too */
	{ "leaf pairs", variant_leaf_pairs, false, 0, 100, 97, 93 },
	/* what is missing on a service leaf is as if it were meant */
	{ "service leaves", variant_service_leaves, false, 0, 93, 93, 87 },
	{ "half spine", variant_half_spine, false, 0, 81, 83, 76 },
	{ "last spine", variant_last_spine, false, 0, 66, 87, 82 },
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static struct score score_variant(const struct variant *v, enum fault_kind kind, unsigned int n)
{
	struct score score = { 0 };

	for (size_t i = 0; i < SHAPES; i++) {
		for (unsigned int seed = 1; seed <= SEEDS; seed++) {
			struct mktree t = mktree(&shapes[i], seed * 1000 + i * 100 + kind);
			struct truth faults[FAULTS_MAX];
			unsigned int without = v->undecidable | 1u << FAULT_ROTATED, made;

			v->vary(&t);
			made = break_tree(&t, kind, n, without, faults);
			if (made < n)
				mktree_free(&t);
			else
				corpus_run(&t, faults, made, NULL, &score);
		}
	}
	return score;
}

static void assert_share(const struct variant *v, const struct score *s, unsigned int least)
{
	unsigned int right = v->by_switch ? s->pair : s->exact;

	assert_true(right * 100 >= s->runs * least);
}

static void nothing_is_blamed_that_is_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < VARIANTS; i++) {
		struct score score = score_variant(&variants[i], FAULTS, 0);

		print_score(variants[i].name, "clean", &score);
		assert_int_equal(score.cases, 0);
	}
}

static void single_faults_are_found_none_the_less(void **state)
{
	(void)state;
	for (size_t i = 0; i < VARIANTS; i++) {
		for (unsigned int kind = 0; kind < FAULTS; kind++) {
			struct score score;

			if (variants[i].undecidable & 1u << kind)
				continue;
			score = score_variant(&variants[i], kind, 1);
			print_score(variants[i].name, fault_names[kind], &score);
			assert_share(&variants[i], &score, variants[i].single);
		}
	}
}

static void several_faults_are_found_none_the_less(void **state)
{
	(void)state;
	for (size_t i = 0; i < VARIANTS; i++) {
		struct score two = score_variant(&variants[i], FAULTS, 2);
		struct score three = score_variant(&variants[i], FAULTS, 3);

		print_score(variants[i].name, "two", &two);
		print_score(variants[i].name, "three", &three);
		assert_share(&variants[i], &two, variants[i].two);
		assert_share(&variants[i], &three, variants[i].three);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_blamed_that_is_meant),
		cmocka_unit_test(single_faults_are_found_none_the_less),
		cmocka_unit_test(several_faults_are_found_none_the_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
