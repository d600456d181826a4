/* SPDX-License-Identifier: BSD-2-Clause */
/* Time of a trace that is replayed: what was taken is taken again, however late the host was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "transport/transport.h"

#define MS 1000000ull

/* The fates of the queries of a test, in the order in which they are sent. */
static const struct replay_fate *fates;

static void next_answer(void *ctx, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                        struct mad_in *in, struct replay_fate *fate)
{
	(void)ctx, (void)to, (void)mad;
	*fate = *fates++;
	*in = (struct mad_in){ .length = fate->query };
}

static uint64_t never_late(void *ctx, uint64_t now_ns)
{
	(void)ctx, (void)now_ns;
	return 0;
}

static const struct replay_ops ops = { next_answer, never_late };

static struct transport *replay_of(const struct replay_fate *list)
{
	struct transport *t;

	fates = list;
	assert_int_equal(transport_replay(&ops, NULL, &t, NULL), 0);
	return t;
}

static void send_query(struct transport *t, unsigned int timeout_ms)
{
	const struct mad_addr to = { 0 };
	const uint8_t mad[MAD_SIZE] = { 0 };

	assert_int_equal(t->ops->send(t, &to, mad, timeout_ms), 0);
}

/* Which query is answered within so many ms, by its place; -1: none. */
static long answered(struct transport *t, unsigned int wait_ms)
{
	struct mad_in in;

	return t->ops->recv(t, &in, wait_ms * MS) ? (long)in.length : -1;
}

static void an_answer_comes_after_its_time(void **state)
{
	static const struct replay_fate list[] = { { 5 * MS, 0, 1, 1, false } };
	struct transport *t = replay_of(list);

	(void)state;
	send_query(t, 20);
	assert_int_equal(answered(t, 3), -1);
	assert_int_equal(answered(t, 3), 0);
	assert_int_equal(t->ops->now_ns(t), 5 * MS);
	t->ops->close(t);
}

/* The host slept: its wait was over, and yet nothing was sent again. */
static void what_a_stalled_host_took_late_is_taken_again(void **state)
{
	static const struct replay_fate list[] = { { 90 * MS, 0, 2, 2, false },
		                                   { 95 * MS, 1, 3, 3, false } };
	struct transport *t = replay_of(list);

	(void)state;
	send_query(t, 20);
	send_query(t, 200);
	assert_int_equal(answered(t, 20), 0);
	assert_int_equal(answered(t, 0), -1);
	assert_int_equal(answered(t, 20), 1);
	t->ops->close(t);
}

/* The second was sent again before its answer came, and that before the answer of the first. */
static void what_came_after_the_next_try_is_late_again(void **state)
{
	static const struct replay_fate list[] = { { 60 * MS, 0, 4, 4, false },
		                                   { 25 * MS, 1, 3, 2, false },
		                                   { 50 * MS, 2, 5, 5, false } };
	struct transport *t = replay_of(list);

	(void)state;
	send_query(t, 100);
	send_query(t, 20);
	assert_int_equal(answered(t, 20), -1);
	assert_int_equal(answered(t, 10), -1);
	send_query(t, 60);
	assert_int_equal(answered(t, 0), 1);
	assert_int_equal(answered(t, 40), 0);
	assert_int_equal(answered(t, 40), 2);
	t->ops->close(t);
}

/* What came before the next try of another query was here before that was sent. */
static void no_wait_ends_before_what_came_in_it(void **state)
{
	static const struct replay_fate list[] = { { 0, 0, REPLAY_NEVER, 3, false },
		                                   { 70 * MS, 1, 2, 2, false } };
	struct transport *t = replay_of(list);

	(void)state;
	send_query(t, 20);
	send_query(t, 200);
	assert_int_equal(answered(t, 20), 1);
	assert_int_equal(answered(t, 0), -1);
	t->ops->close(t);
}

/* Nothing follows the last try: what came just after its time was given up. */
static void of_a_last_try_only_what_is_far_too_late_was_taken(void **state)
{
	static const struct replay_fate list[] = { { 220 * MS, 0, 2, 2, true },
		                                   { 300 * MS, 1, 3, 3, true } };
	struct transport *t = replay_of(list);

	(void)state;
	send_query(t, 200);
	assert_int_equal(answered(t, 200), -1);
	assert_int_equal(answered(t, 30), 0);
	send_query(t, 200);
	assert_int_equal(answered(t, 200), 1);
	t->ops->close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_comes_after_its_time),
		cmocka_unit_test(what_a_stalled_host_took_late_is_taken_again),
		cmocka_unit_test(what_came_after_the_next_try_is_late_again),
		cmocka_unit_test(no_wait_ends_before_what_came_in_it),
		cmocka_unit_test(of_a_last_try_only_what_is_far_too_late_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
