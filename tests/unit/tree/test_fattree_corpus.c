/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of fault, at random places of eight clean trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "mkcapture.h"
#include "mkvariant.h"

#define SEEDS         50
#define SEVERAL_SEEDS 100
#define SEVERAL_LEAST 95 /* percent */

/*
 * struct maker - what makes a tree anew for each seed
 * @file: of a capture, which is broken somewhat as it is; that does not count
 * @undecidable: set of 1 << enum fault_kind
 * @least: so many runs, in percent, name exactly what is true
 */
struct maker {
	const char *name;
	struct tree_spec spec;
	void (*vary)(struct mktree *t);
	const char *file;
	unsigned int undecidable, least;
};

static const struct maker makers[] = {
	{ "two levels", { .leaves = 12, .spines = 12, .hosts = 12 }, .least = 100 },
	{ "two levels, 2:1", { .leaves = 16, .spines = 6, .hosts = 12 }, .least = 100 },
	{ "trunks of two", { .leaves = 8, .spines = 4, .cables = 2, .hosts = 8 }, .least = 100 },
	{ "pruned", { 4, .leaves = 8, .spines = 4, .uplinks = 2, .hosts = 8 }, .least = 100 },
	{ "three levels", { 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 6 }, .least = 100 },
	{ "dual-rail", { .rails = 2, .leaves = 8, .spines = 4, .hosts = 8 }, .least = 100 },
	{ "mixed speeds",
	  { .leaves = 12, .spines = 6, .hosts = 12 },
	  variant_generations,
	  .least = 100 },
	/*
	 * One of its two spines has hosts, which are stray no more if the other one has some.
	 * One of 8 uplinks of a leaf is missing; where another one of it goes it is as if they
	 * were meant to.
	 */
	{ "real cluster", .file = CAPTURES "stage-fdr10/stage-fdr10.net",
	  .undecidable = 1u << FAULT_HOST_UP, .least = 88 },
};
#define MAKERS (sizeof(makers) / sizeof(makers[0]))

static struct mktree make(const struct maker *m, uint64_t seed)
{
	struct mktree t = m->file ? mktree_of_file(m->file, seed) : mktree(&m->spec, seed);

	if (m->vary)
		m->vary(&t);
	return t;
}

static bool exists(const struct maker *m)
{
	return !m->file || has_capture(m->file);
}

static struct named named_before(const struct maker *m, struct score *score)
{
	struct mktree t = make(m, 1);

	return corpus_run(&t, NULL, 0, NULL, score);
}

static void score_kind(const struct maker *m, enum fault_kind kind, unsigned int n,
                       unsigned int seeds, struct score *score)
{
	struct score clean = { 0 };
	const struct named before = named_before(m, &clean);

	for (unsigned int seed = 1; seed <= seeds; seed++) {
		struct mktree t = make(m, seed * 100 + kind);
		struct truth faults[FAULTS_MAX];
		unsigned int made = break_tree(&t, kind, n, 1u << FAULT_ROTATED, faults);

		if (made < n)
			mktree_free(&t);
		else
			corpus_run(&t, faults, made, m->file ? &before : NULL, score);
	}
}

static void nothing_is_blamed_in_a_clean_tree(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		struct score score = { 0 };

		for (unsigned int seed = 1; seed <= SEEDS && !makers[i].file; seed++) {
			struct mktree t = make(&makers[i], seed);

			corpus_run(&t, NULL, 0, NULL, &score);
		}
		print_score(makers[i].name, "clean", &score);
		assert_int_equal(score.cases, 0);
	}
}

static void every_single_fault_is_one_case_that_names_its_sockets(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		if (!exists(&makers[i]))
			continue;
		for (unsigned int kind = 0; kind < FAULTS; kind++) {
			struct score score = { 0 };

			if (makers[i].undecidable & 1u << kind)
				continue;
			score_kind(&makers[i], kind, 1, SEEDS, &score);
			if (!score.runs)
				continue;
			print_score(makers[i].name, fault_names[kind], &score);
			assert_true(score.complete * 100 >= score.runs * makers[i].least);
			assert_true(score.cases <= score.runs);
			assert_true(score.cases * 100 >= score.runs * makers[i].least);
		}
	}
}

static void several_faults_at_once_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		if (makers[i].file)
			continue;
		for (unsigned int n = 2; n <= FAULTS_MAX; n++) {
			struct score score = { 0 };

			score_kind(&makers[i], FAULTS, n, SEVERAL_SEEDS, &score);
			print_score(makers[i].name, n == 2 ? "two" : "three", &score);
			assert_true(score.complete * 100 >= score.runs * SEVERAL_LEAST);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_blamed_in_a_clean_tree),
		cmocka_unit_test(every_single_fault_is_one_case_that_names_its_sockets),
		cmocka_unit_test(several_faults_at_once_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
