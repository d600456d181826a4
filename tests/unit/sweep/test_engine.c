/* SPDX-License-Identifier: BSD-2-Clause */

/* How questions are asked: window, limits, ladder, slow lane, deadline. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkengine.h"
#include "mktrace.h"

static void every_query_is_answered_once(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 1000, 0, 100);

	(void)state;
	assert_int_equal(engine_open(w->engine), 1000);
	run(w);
	assert_int_equal(ended(q, 1000, ENGINE_ANSWERED), 1000);
	assert_true(q[0].has_mad);
	assert_int_equal(stats(w).sent, 1000);
	assert_int_equal(stats(w).answered, 1000);
	assert_int_equal(stats(w).retried, 0);
	assert_false(engine_cut_short(w->engine));
	free(q);
	world_free(w);
}

static void the_window_is_filled_and_never_exceeded(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .window = 32 });
	struct query *q = ask_many(w, 2000, 0, 500);

	(void)state;
	run(w);
	assert_int_equal(line_counts(w->line)->peak_in_flight, 32);
	assert_int_equal(stats(w).peak_in_flight, 32);
	/* 2000 questions of 1 ms, 32 at a time */
	assert_int_equal(elapsed_ns(w), (2000 + 31) / 32 * MS);
	free(q);
	world_free(w);
}

static void a_device_gets_four_at_a_time(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 30, 0, 1);

	(void)state;
	run(w);
	assert_int_equal(line_counts(w->line)->peak_in_flight, 4);
	free(q);
	world_free(w);
}

static void a_limit_grows_with_answers_up_to_its_cap(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 320, 0, 1);

	(void)state;
	run(w);
	assert_in_range(line_counts(w->line)->peak_in_flight, 10, 14);
	free(q);
	q = ask_many(w, 10000, 0, 1);
	run(w);
	assert_int_equal(line_counts(w->line)->peak_in_flight, 64);
	free(q);
	world_free(w);
}

/* No two questions to the device overlap until it has answered 32. */
static void a_limit_halves_on_time_outs_down_to_one(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent_until_ns = 10 * MS;
	q = ask_many(w, 40, 0, 1);
	run(w);
	assert_int_equal(ended(q, 40, ENGINE_ANSWERED), 40);
	assert_int_equal(stats(w).retried, 4);
	assert_int_equal(w->asked_at_ns[3], 0);
	assert_int_equal(w->asked_at_ns[4], 20 * MS);
	for (size_t i = 5; i < 36; i++)
		assert_true(w->asked_at_ns[i] >= w->asked_at_ns[i - 1] + MS);
	assert_int_equal(w->asked_at_ns[37], w->asked_at_ns[36]);
	free(q);
	world_free(w);
}

static void a_patient_device_keeps_its_limit(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent_until_ns = 10 * MS;
	w->device[0].ignore_timeouts = true;
	q = ask_many(w, 40, 0, 1);
	run(w);
	assert_int_equal(w->asked_at_ns[4], 20 * MS);
	assert_int_equal(w->asked_at_ns[7], 20 * MS);
	free(q);
	world_free(w);
}

static void devices_are_asked_in_turn(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .window = 2, .per_device = 1 });
	struct query *first = ask_many(w, 20, 0, 1), *second = ask_many(w, 1, 1, 1);

	(void)state;
	run(w);
	assert_int_equal(second->done_at_ns, MS);
	free(first);
	free(second);
	world_free(w);
}

/* ---- the ladder ---------------------------------------------------------------- */

static void expect_ladder(enum line_silence silence, unsigned int timeout_ms,
                          const uint64_t at_ms[5])
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .silence = silence },
	                             (struct engine_opts){ .timeout_ms = timeout_ms });
	struct query *q;

	w->silent[7] = true;
	q = ask_many(w, 1, 7, 1);
	run(w);
	assert_int_equal(w->asked_total, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(w->asked_at_ns[i], at_ms[i] * MS);
	assert_int_equal(q->done_at_ns, at_ms[4] * MS);
	assert_int_equal(ended(q, 1, ENGINE_SILENT), 1);
	assert_false(q->has_mad);
	assert_int_equal(stats(w).sent, 4);
	assert_int_equal(stats(w).retried, 3);
	assert_int_equal(stats(w).timed_out, 1);
	free(q);
	world_free(w);
}

static void silence_is_met_with_longer_and_longer_waits(void **state)
{
	(void)state;
	expect_ladder(LINE_SAYS_TIMED_OUT, 1000, (uint64_t[]){ 0, 20, 80, 330, 1330 });
}

static void a_mad_lost_without_a_word_is_missed_in_time(void **state)
{
	(void)state;
	expect_ladder(LINE_SAYS_NOTHING, 1000, (uint64_t[]){ 0, 20, 80, 330, 1330 });
}

static void a_simulator_that_gives_up_at_once_costs_no_time(void **state)
{
	(void)state;
	expect_ladder(LINE_SAYS_AT_ONCE, 1000, (uint64_t[]){ 0, 0, 0, 0, 0 });
}

static void a_shorter_last_wait_cuts_the_others(void **state)
{
	(void)state;
	expect_ladder(LINE_SAYS_NOTHING, 10, (uint64_t[]){ 0, 10, 20, 30, 40 });
	expect_ladder(LINE_SAYS_NOTHING, 50, (uint64_t[]){ 0, 20, 70, 120, 170 });
}

static void every_try_has_an_id_of_its_own(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent[7] = true;
	q = ask_many(w, 1, 7, 1);
	run(w);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(w->tid[i], w->tid[j]);
	free(q);
	world_free(w);
}

static void a_later_try_may_be_answered(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent_until_ns = 50 * MS;
	q = ask_many(w, 1, 0, 1);
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	assert_int_equal(q->routed, 3);
	assert_int_equal(elapsed_ns(w), 81 * MS);
	free(q);
	world_free(w);
}

/* ---- the slow lane --------------------------------------------------------------- */

static void the_slow_lane_waits_for_the_others(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = 10 * MS },
	                             (struct engine_opts){ .per_device = 1 });
	struct query *silent, *busy = ask_many(w, 50, 1, 1);

	(void)state;
	w->silent[0] = true;
	silent = ask_many(w, 1, 0, 1);
	run(w);
	/* 32 answers, one after the other, then two at a time: 410 ms */
	assert_in_range(busy[49].done_at_ns, 400 * MS, 420 * MS);
	assert_int_equal(silent->done_at_ns, busy[49].done_at_ns + 1000 * MS);
	free(silent);
	free(busy);
	world_free(w);
}

static void many_silent_devices_cost_one_slow_wait(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	memset(w->silent, true, 100);
	q = ask_many(w, 2000, 0, 1000);
	run(w);
	assert_int_equal(ended(q, 2000, ENGINE_SILENT), 200);
	assert_in_range(elapsed_ns(w), 1 * MS, 1700 * MS);
	free(q);
	world_free(w);
}

static void slow_waits_do_not_fill_the_window(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .window = 16 });
	struct query *q;

	(void)state;
	memset(w->silent, true, sizeof(w->silent));
	q = ask_many(w, 500, 0, 500);
	run(w);
	assert_int_equal(ended(q, 500, ENGINE_SILENT), 500);
	/* 500 last waits, 16 of them starting every 20 ms */
	assert_int_equal(stats(w).peak_in_flight, 500);
	free(q);
	world_free(w);
}

static void slow_waits_are_limited_as_well(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .window = 256 });
	struct query *q;

	(void)state;
	memset(w->silent, true, sizeof(w->silent));
	q = ask_many(w, 3000, 0, 3000);
	run(w);
	assert_int_equal(ended(q, 3000, ENGINE_SILENT), 3000);
	assert_int_equal(stats(w).peak_in_flight, 1024);
	free(q);
	world_free(w);
}

static void a_dead_device_is_not_asked_everything(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent[0] = true;
	q = ask_many(w, 64, 0, 1);
	run(w);
	assert_int_equal(ended(q, 64, ENGINE_SILENT), 64);
	assert_int_equal(stats(w).timed_out, 64);
	assert_in_range(elapsed_ns(w), 1330 * MS, 1600 * MS);
	/* a few on the fast ladder while the first was on its way down, and one on trial */
	assert_in_range(w->asked_total, 13, 33);
	free(q);
	world_free(w);
}

static void a_brief_query_ends_with_the_fast_ladder(void **state)
{
	struct world *w = world();
	struct query odd = query_of(w, 0), *q;

	(void)state;
	w->silent_on = SMP_NODE_DESC;
	odd.attribute = SMP_NODE_DESC;
	odd.ask.fast_only = true;
	engine_ask(w->engine, &odd.ask);
	q = ask_many(w, 64, 0, 1);
	run(w);
	assert_int_equal(odd.outcome, ENGINE_SILENT);
	assert_int_equal(odd.routed, 3);
	assert_int_equal(odd.done_at_ns, 330 * MS);
	assert_int_equal(ended(q, 64, ENGINE_ANSWERED), 64);
	free(q);
	world_free(w);
}

static void a_brief_query_says_nothing_of_its_device(void **state)
{
	struct world *w = world();
	struct query first = query_of(w, 0), then = query_of(w, 0);

	(void)state;
	w->silent_until_ns = 331 * MS;
	first.ask.fast_only = true;
	first.then = &then;
	engine_ask(w->engine, &first.ask);
	run(w);
	assert_int_equal(first.outcome, ENGINE_SILENT);
	assert_int_equal(then.outcome, ENGINE_ANSWERED);
	assert_int_equal(then.done_at_ns, 351 * MS);
	world_free(w);
}

static void what_is_asked_of_a_dead_device_later_is_not_sent(void **state)
{
	struct world *w = world();
	struct query first = query_of(w, 0), then = query_of(w, 0);
	uint64_t end_ns;

	(void)state;
	w->silent[0] = true;
	first.then = &then;
	engine_ask(w->engine, &first.ask);
	run(w);
	end_ns = elapsed_ns(w);
	assert_int_equal(then.outcome, ENGINE_SILENT);
	assert_int_equal(then.routed, 0);
	assert_int_equal(end_ns, 1330 * MS);
	world_free(w);
}

static void a_device_that_wakes_up_is_asked_everything(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent_until_ns = 360 * MS;
	q = ask_many(w, 64, 0, 1);
	run(w);
	assert_int_equal(ended(q, 64, ENGINE_ANSWERED), 64);
	free(q);
	world_free(w);
}

static void silence_on_one_query_is_not_held_against_the_others(void **state)
{
	struct world *w = world();
	struct query odd = query_of(w, 0), *q;

	(void)state;
	w->silent_on = SMP_NODE_DESC;
	odd.attribute = SMP_NODE_DESC;
	engine_ask(w->engine, &odd.ask);
	q = ask_many(w, 64, 0, 1);
	run(w);
	assert_int_equal(odd.outcome, ENGINE_SILENT);
	assert_int_equal(odd.routed, 4);
	assert_int_equal(ended(q, 64, ENGINE_ANSWERED), 64);
	free(q);
	world_free(w);
}

static void a_device_that_answers_others_is_not_dead(void **state)
{
	struct world *w = world();
	struct query known = query_of(w, 0), odd = query_of(w, 0), then = query_of(w, 0);

	(void)state;
	w->silent_on = SMP_NODE_DESC;
	odd.attribute = SMP_NODE_DESC;
	odd.then = &then;
	engine_ask(w->engine, &known.ask);
	engine_ask(w->engine, &odd.ask);
	run(w);
	assert_int_equal(odd.outcome, ENGINE_SILENT);
	assert_int_equal(then.outcome, ENGINE_ANSWERED);
	assert_int_equal(elapsed_ns(w), 1331 * MS);
	world_free(w);
}

/* The one that failed already would only fail again. */
static void a_fresh_query_stands_trial(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .window = 1, .per_device = 1 });
	struct query odd = query_of(w, 0),
		     q[3] = { query_of(w, 0), query_of(w, 0), query_of(w, 0) };

	(void)state;
	w->silent_on = SMP_NODE_DESC;
	odd.attribute = SMP_NODE_DESC;
	engine_ask(w->engine, &odd.ask);
	for (size_t i = 0; i < 3; i++)
		engine_ask(w->engine, &q[i].ask);
	run(w);
	/* the window kept the three from being asked; one of them cleared the device */
	assert_int_equal(q[0].done_at_ns, 331 * MS);
	assert_int_equal(q[1].done_at_ns, 332 * MS);
	assert_int_equal(q[2].done_at_ns, 333 * MS);
	assert_int_equal(odd.done_at_ns, 1333 * MS);
	assert_int_equal(stats(w).retried, 3);
	world_free(w);
}

static void probes_through_a_switch_are_each_asked_to_the_end(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent[0] = true;
	w->device[0].ignore_timeouts = true;
	q = ask_many(w, 36, 0, 1);
	run(w);
	assert_int_equal(ended(q, 36, ENGINE_SILENT), 36);
	assert_int_equal(w->asked_total, 4 * 36);
	assert_true(elapsed_ns(w) < 2500 * MS);
	free(q);
	world_free(w);
}

/* ---- the rest ---------------------------------------------------------------------- */

static void a_deadline_ends_it_with_what_is_known(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = 10 * MS },
	                             (struct engine_opts){ .deadline_ns = 95 * MS });
	struct query *q, then = query_of(w, 2), parked = query_of(w, 3);
	size_t answered;

	(void)state;
	w->silent[0] = true;
	w->silent[3] = true;
	q = ask_many(w, 200, 0, 2);
	q[198].then = &then;
	engine_ask(w->engine, &parked.ask);
	run(w);
	assert_true(engine_cut_short(w->engine));
	assert_int_equal(elapsed_ns(w), 95 * MS);
	answered = ended(q, 200, ENGINE_ANSWERED);
	assert_in_range(answered, 30, 99);
	assert_int_equal(ended(q, 200, ENGINE_NOT_ASKED), 200 - answered);
	assert_int_equal(then.outcome, ENGINE_NOT_ASKED);
	assert_int_equal(parked.outcome, ENGINE_NOT_ASKED);
	assert_int_equal(stats(w).timed_out, 0);
	free(q);
	world_free(w);
}

static void a_deadline_ends_the_slow_lane_as_well(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .deadline_ns = 700 * MS });
	struct query *q;

	(void)state;
	w->silent[0] = true;
	q = ask_many(w, 64, 0, 1);
	run(w);
	assert_int_equal(elapsed_ns(w), 700 * MS);
	assert_int_equal(ended(q, 64, ENGINE_NOT_ASKED), 64);
	free(q);
	world_free(w);
}

static void an_engine_may_run_again(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .deadline_ns = 5 * MS });
	struct query *q;

	(void)state;
	q = ask_many(w, 100, 0, 1);
	run(w);
	assert_true(engine_cut_short(w->engine));
	free(q);
	q = ask_many(w, 4, 0, 1);
	run(w);
	assert_false(engine_cut_short(w->engine));
	assert_int_equal(ended(q, 4, ENGINE_ANSWERED), 4);
	/* answers to the questions that were given up */
	assert_int_equal(stats(w).dropped_late, 4);
	free(q);
	world_free(w);
}

static void a_run_lingers_once_as_long_as_it_was_told(void **state)
{
	struct world *w = world();

	(void)state;
	engine_linger(w->engine, 1000 * MS);
	run(w);
	assert_true(stats(w).duration_seconds >= 1 && stats(w).duration_seconds < 1.11);
	run(w);
	assert_true(stats(w).duration_seconds < 1.11);
	world_free(w);
}

static void a_query_that_became_moot_is_forgotten(void **state)
{
	struct world *w = world();
	struct query q[3] = { query_of(w, 0), query_of(w, 0), query_of(w, 0) };

	(void)state;
	q[1].moot = true;
	for (size_t i = 0; i < 3; i++)
		engine_ask(w->engine, &q[i].ask);
	run(w);
	assert_int_equal(q[0].outcome, ENGINE_ANSWERED);
	assert_int_equal(q[1].done, 0);
	assert_int_equal(q[2].outcome, ENGINE_ANSWERED);
	assert_int_equal(stats(w).sent, 2);
	assert_int_equal(stats(w).answered, 2);
	world_free(w);
}

static void count_ticks(void *ctx)
{
	((struct world *)ctx)->ticks++;
}

static void a_tick_comes_ten_times_a_second(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->silent[0] = true;
	q = ask_many(w, 1, 0, 1);
	assert_int_equal(engine_run(w->engine, count_ticks, w, NULL), 0);
	assert_in_range(w->ticks, 12, 14);
	free(q);
	world_free(w);
}

static void ask_another(void *ctx)
{
	struct query *another = ctx;

	engine_ask(another->world->engine, &another->ask);
}

static void silence_is_time_for_another_query(void **state)
{
	struct world *w = world();
	struct query *q, another = query_of(w, 2);

	(void)state;
	w->silent[1] = w->silent[2] = true;
	q = ask_many(w, 1, 1, 1);
	engine_when_silent(w->engine, ask_another, &another);
	run(w);
	assert_int_equal(ended(q, 1, ENGINE_SILENT), 1);
	assert_int_equal(ended(&another, 1, ENGINE_SILENT), 1);
	/* one more than the 1330 of a ladder is the first wait; the slow ones wait together */
	assert_int_equal(q->done_at_ns, (20 + 1330) * MS);
	assert_int_equal(another.done_at_ns, (20 + 1330) * MS);
	free(q);
	world_free(w);
}

static void who_is_answered_asks_nothing_more(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 1000, 0, 100), another = query_of(w, 2);

	(void)state;
	engine_when_silent(w->engine, ask_another, &another);
	run(w);
	w->silent[0] = true; /* in a later run it would have been the time */
	ask_another(&another);
	run(w);
	assert_int_equal(another.done, 1);
	free(q);
	world_free(w);
}

static void round_trips_are_told_in_percentiles(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 98, 0, 98), *slow;

	(void)state;
	run(w);
	line_opts(w->line)->rtt_ns = 10 * MS;
	slow = ask_many(w, 2, 0, 2);
	run(w);
	assert_in_range(stats(w).rtt_p50_us, 1000, 1125);
	assert_in_range(stats(w).rtt_p99_us, 10000, 11250);
	assert_true(stats(w).duration_seconds > 0.0109 && stats(w).duration_seconds < 0.0111);
	free(q);
	free(slow);
	world_free(w);
}

static void no_memory_is_told(void **state)
{
	struct engine_opts opts = { .window = 8, .per_device = 1, .timeout_ms = 1 };
	struct engine *e;
	struct ibc_error err;

	(void)state;
	for (unsigned long n = 1; n <= 2; n++) {
		alloc_fail_at(n);
		assert_int_equal(engine_new(NULL, &opts, &e, &err), -ENOMEM);
		assert_null(e);
	}
	alloc_fail_at(0);
	engine_free(NULL);
}

static void halving_and_the_breaker_are_traced(void **state)
{
	struct mktrace t;
	struct query *q;
	struct world *w;

	(void)state;
	mktrace_start(&t);
	w = world_with((struct line_opts){ .rtt_ns = MS },
	               (struct engine_opts){ .trace = &t.trace });
	w->silent[0] = true;
	q = ask_many(w, 1, 0, 1);
	run(w);
	assert_traced(&t, "engine: sent, try 0, 1 of 4 at the device, ");
	assert_traced(&t, "engine: no answer to try 0: a query\n"
	                  "engine: limit halved to 2: a query\n"
	                  "engine: sent again, try 1, ");
	assert_traced(&t, "engine: breaker open, no answer to the fast retries: a query\n"
	                  "engine: breaker half-open, a repeated query is the probe: a query\n");
	assert_traced(&t, "engine: breaker open for good, the probe was silent: a query\n"
	                  "engine: silent: a query\n");
	free(q);
	world_free(w);
	mktrace_free(&t);
}

static void a_limit_that_grows_and_a_deadline_are_traced(void **state)
{
	struct query *q, *silent;
	struct mktrace t;
	struct world *w;

	(void)state;
	mktrace_start(&t);
	w = world_with((struct line_opts){ .rtt_ns = MS },
	               (struct engine_opts){ .trace = &t.trace, .deadline_ns = 30 * MS });
	w->silent[1] = true;
	q = ask_many(w, 40, 0, 1);
	silent = ask_many(w, 1, 1, 1);
	run(w);
	assert_traced(&t, "engine: limit grown to 5: a query\n");
	assert_traced(&t, "engine: deadline, open queries: 1\n");
	free(silent);
	free(q);
	world_free(w);
	mktrace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_query_is_answered_once),
		cmocka_unit_test(the_window_is_filled_and_never_exceeded),
		cmocka_unit_test(a_device_gets_four_at_a_time),
		cmocka_unit_test(a_limit_grows_with_answers_up_to_its_cap),
		cmocka_unit_test(a_limit_halves_on_time_outs_down_to_one),
		cmocka_unit_test(a_patient_device_keeps_its_limit),
		cmocka_unit_test(devices_are_asked_in_turn),
		cmocka_unit_test(silence_is_met_with_longer_and_longer_waits),
		cmocka_unit_test(a_mad_lost_without_a_word_is_missed_in_time),
		cmocka_unit_test(a_simulator_that_gives_up_at_once_costs_no_time),
		cmocka_unit_test(a_shorter_last_wait_cuts_the_others),
		cmocka_unit_test(every_try_has_an_id_of_its_own),
		cmocka_unit_test(a_later_try_may_be_answered),
		cmocka_unit_test(the_slow_lane_waits_for_the_others),
		cmocka_unit_test(many_silent_devices_cost_one_slow_wait),
		cmocka_unit_test(slow_waits_do_not_fill_the_window),
		cmocka_unit_test(slow_waits_are_limited_as_well),
		cmocka_unit_test(a_dead_device_is_not_asked_everything),
		cmocka_unit_test(a_brief_query_ends_with_the_fast_ladder),
		cmocka_unit_test(a_brief_query_says_nothing_of_its_device),
		cmocka_unit_test(what_is_asked_of_a_dead_device_later_is_not_sent),
		cmocka_unit_test(a_device_that_wakes_up_is_asked_everything),
		cmocka_unit_test(silence_on_one_query_is_not_held_against_the_others),
		cmocka_unit_test(a_device_that_answers_others_is_not_dead),
		cmocka_unit_test(a_fresh_query_stands_trial),
		cmocka_unit_test(probes_through_a_switch_are_each_asked_to_the_end),
		cmocka_unit_test(a_deadline_ends_it_with_what_is_known),
		cmocka_unit_test(a_deadline_ends_the_slow_lane_as_well),
		cmocka_unit_test(an_engine_may_run_again),
		cmocka_unit_test(a_run_lingers_once_as_long_as_it_was_told),
		cmocka_unit_test(a_query_that_became_moot_is_forgotten),
		cmocka_unit_test(a_tick_comes_ten_times_a_second),
		cmocka_unit_test(silence_is_time_for_another_query),
		cmocka_unit_test(who_is_answered_asks_nothing_more),
		cmocka_unit_test(round_trips_are_told_in_percentiles),
		cmocka_unit_test(no_memory_is_told),
		cmocka_unit_test(halving_and_the_breaker_are_traced),
		cmocka_unit_test(a_limit_that_grows_and_a_deadline_are_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
