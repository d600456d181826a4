/* SPDX-License-Identifier: BSD-2-Clause */
/* One device of a model is asked for all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "source/sweep/models.h"

#define DEVICES   40
#define TRIES_MAX 12

/* What became of each device. */
enum fate { UNSEEN, ASKED, DONE, SETTLED };

static struct table {
	struct sweep s;
	struct ibc_subnet subnet;
	struct ibc_node node;
	struct model model;
	struct device devices[DEVICES];
	enum fate fates[DEVICES];
} t;

static void note_asked(struct sweep *s, struct device *dev)
{
	(void)s;
	assert_int_equal(t.fates[dev - t.devices], UNSEEN);
	t.fates[dev - t.devices] = ASKED;
}

static void note_settled(struct sweep *s, struct device *dev)
{
	(void)s;
	assert_int_equal(t.fates[dev - t.devices], UNSEEN);
	t.fates[dev - t.devices] = SETTLED;
}

static const struct model_query_rule rule = {
	.query = offsetof(struct model, firmware),
	.tries_max = TRIES_MAX,
	.ask = note_asked,
	.settled = note_settled,
};

static void table_start(void)
{
	memset(&t, 0, sizeof(t));
	t.s.scratch = arena_new();
	t.s.subnet = &t.subnet;
	assert_int_equal(fabric_build_new(&t.s.b, NULL), 0);
	assert_non_null(t.s.scratch);
	for (size_t i = 0; i < DEVICES; i++) {
		t.devices[i].node = &t.node;
		assert_non_null(model_of(&t.s, &t.devices[i]));
	}
}

static void table_end(void)
{
	HASH_CLEAR(hh, t.s.models);
	fabric_build_free(t.s.b);
	arena_free(t.s.scratch);
}

static struct model *the_kind(void)
{
	return t.devices[0].model;
}

static size_t count(enum fate fate)
{
	size_t n = 0;

	for (size_t i = 0; i < DEVICES; i++)
		n += t.fates[i] == fate;
	return n;
}

static void start(size_t i)
{
	model_query_start(&t.s, &rule, &t.devices[i]);
}

static void miss(size_t i)
{
	assert_int_equal(t.fates[i], ASKED);
	t.fates[i] = DONE;
	model_query_missed(&t.s, &rule, the_kind());
}

static void tell(size_t i, enum answer outcome)
{
	assert_int_equal(t.fates[i], ASKED);
	t.fates[i] = DONE;
	model_query_known(&t.s, &rule, the_kind(), outcome);
}

static size_t waiting(void)
{
	t.subnet.not_asked = 0;
	model_query_finish(&t.s, &rule);
	return t.subnet.not_asked;
}

static void one_is_asked_and_its_answer_holds_for_all(void **state)
{
	(void)state;
	table_start();
	for (size_t i = 0; i < 20; i++)
		start(i);
	assert_int_equal(count(ASKED), 1);
	assert_int_equal(waiting(), 19);
	tell(0, ANSWER_OK);
	assert_int_equal(count(SETTLED), 19);
	start(20);
	assert_int_equal(count(SETTLED), 20);
	assert_int_equal(waiting(), 0);
	table_end();
}

static void one_that_hesitates_brings_in_others(void **state)
{
	(void)state;
	table_start();
	for (size_t i = 0; i < 20; i++)
		start(i);
	model_query_hurry(&t.s, &rule, the_kind());
	assert_int_equal(count(ASKED), 9);
	model_query_hurry(&t.s, &rule, the_kind());
	assert_int_equal(count(ASKED), TRIES_MAX);
	table_end();
}

/* Each in its turn is asked, answers nothing, and nobody waits for it. */
static void who_comes_when_all_before_were_silent_is_asked_and_does_not_wait(void **state)
{
	(void)state;
	table_start();
	for (size_t i = 0; i < TRIES_MAX; i++) {
		start(i);
		assert_int_equal(t.fates[i], ASKED);
		model_query_hurry(&t.s, &rule, the_kind());
		miss(i);
	}
	assert_true(model_query_is_vain(&rule, the_kind()));
	start(TRIES_MAX);
	assert_int_equal(t.fates[TRIES_MAX], SETTLED);
	assert_int_equal(waiting(), 0);
	table_end();
}

static void what_a_later_one_tells_does_not_change_what_the_first_told(void **state)
{
	(void)state;
	table_start();
	for (size_t i = 0; i < 9; i++)
		start(i);
	model_query_hurry(&t.s, &rule, the_kind());
	tell(0, ANSWER_UNSUPPORTED);
	tell(1, ANSWER_OK);
	assert_int_equal(the_kind()->firmware.outcome, ANSWER_UNSUPPORTED);
	table_end();
}

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

/* A device that is asked, at random; DEVICES: none is. */
static size_t any_asked(uint32_t *seed)
{
	size_t first = random_next(seed) % DEVICES;

	for (size_t i = 0; i < DEVICES; i++)
		if (t.fates[(first + i) % DEVICES] == ASKED)
			return (first + i) % DEVICES;
	return DEVICES;
}

/* In whatever order devices come, hesitate, fall silent and answer. */
static void nobody_waits_while_nobody_is_asked(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned int run = 0; run < 2000; run++) {
		unsigned int silent = random_next(&seed) % 101;
		size_t next = 0, asked;

		table_start();
		while (next < DEVICES || count(ASKED)) {
			unsigned int what = random_next(&seed) % 3;

			asked = any_asked(&seed);
			if (next < DEVICES && (what == 0 || asked == DEVICES))
				start(next++);
			else if (asked < DEVICES && what == 1)
				model_query_hurry(&t.s, &rule, the_kind());
			else if (asked < DEVICES && random_next(&seed) % 100 < silent)
				miss(asked);
			else if (asked < DEVICES)
				tell(asked,
				     random_next(&seed) % 2 ? ANSWER_OK : ANSWER_UNSUPPORTED);
			if (waiting())
				assert_true(count(ASKED) > 0);
		}
		assert_int_equal(waiting(), 0);
		assert_int_equal(count(DONE) + count(SETTLED), DEVICES);
		table_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_asked_and_its_answer_holds_for_all),
		cmocka_unit_test(one_that_hesitates_brings_in_others),
		cmocka_unit_test(who_comes_when_all_before_were_silent_is_asked_and_does_not_wait),
		cmocka_unit_test(what_a_later_one_tells_does_not_change_what_the_first_told),
		cmocka_unit_test(nobody_waits_while_nobody_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
