/* SPDX-License-Identifier: BSD-2-Clause */
/* What most of a class have, and who has something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis/compare/peers.h"

static void each_class_has_its_own_norm(void **state)
{
	struct peer peers[] = {
		{ 0, 2, 7, 0 }, { 0, 1, 5, 1 }, { 0, 1, 9, 2 }, { 0, 2, 7, 3 }, { 0, 1, 9, 4 }
	};
	struct peer_group g = { .few = 2, .percent = 60 };

	(void)state;
	peers_sort(peers, 5);
	assert_true(peers_next(peers, 5, &g));
	assert_true(g.num == 3 && g.count == 2 && g.norm == 9 && g.usual);
	assert_true(g.peers[0].value == 5 && g.peers[0].row == 1);
	assert_true(peers_next(peers, 5, &g));
	assert_true(g.num == 2 && g.count == 2 && g.norm == 7 && g.usual);
	assert_false(peers_next(peers, 5, &g));
}

static void too_few_and_too_small_a_part_make_no_norm(void **state)
{
	struct peer peers[] = {
		{ 0, 0, 1, 0 }, { 0, 0, 1, 1 }, { 0, 0, 2, 2 }, { 0, 0, 2, 3 }, { 0, 0, 3, 4 }
	};
	struct peer_group part = { .few = 4, .percent = 60 }, few = { .few = 6, .percent = 10 };
	struct peer_group enough = { .few = 5, .percent = 40 };

	(void)state;
	peers_sort(peers, 5);
	assert_true(peers_next(peers, 5, &part) && !part.usual);
	assert_true(peers_next(peers, 5, &few) && !few.usual);
	/* of two values that as many have the least */
	assert_true(peers_next(peers, 5, &enough) && enough.usual && enough.norm == 1);
}

static void nobody_is_in_no_class(void **state)
{
	struct peer_group g = { .few = 1, .percent = 1 };

	(void)state;
	peers_sort(NULL, 0);
	assert_false(peers_next(NULL, 0, &g));
	assert_false(g.usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_class_has_its_own_norm),
		cmocka_unit_test(too_few_and_too_small_a_part_make_no_norm),
		cmocka_unit_test(nobody_is_in_no_class),
	};

	return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
