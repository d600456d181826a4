/* SPDX-License-Identifier: BSD-2-Clause */

/* What arrives and must not be trusted, what refuses, and what breaks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkengine.h"

/* ---- arrivals that are no answer ---------------------------------------------- */

static void a_late_answer_is_dropped_and_the_query_asked_again(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = 25 * MS },
	                             (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 1, 0, 1);

	(void)state;
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	assert_int_equal(elapsed_ns(w), 45 * MS);
	assert_int_equal(stats(w).dropped_late, 1);
	assert_int_equal(stats(w).retried, 1);
	assert_int_equal(stats(w).answered, 1);
	free(q);
	world_free(w);
}

static void a_duplicate_is_dropped(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .duplicate_every = 1 },
	                             (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 50, 0, 1), *more;

	(void)state;
	run(w);
	more = ask_many(w, 1, 1, 1);
	run(w);
	assert_int_equal(ended(q, 50, ENGINE_ANSWERED), 50);
	assert_int_equal(stats(w).answered, 51);
	assert_int_equal(stats(w).dropped_late, 50);
	free(q);
	free(more);
	world_free(w);
}

static void a_short_answer_is_none(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .shorten_every = 1 },
	                             (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 1, 0, 1);

	(void)state;
	run(w);
	assert_int_equal(q->outcome, ENGINE_SILENT);
	assert_int_equal(stats(w).dropped_short, 4);
	free(q);
	world_free(w);
}

static void other_attribute(uint8_t mad[MAD_SIZE])
{
	mad[17] ^= 1;
}

static void other_modifier(uint8_t mad[MAD_SIZE])
{
	mad[23] ^= 1;
}

static void other_class(uint8_t mad[MAD_SIZE])
{
	mad[1] = 0x04;
}

static void other_method(uint8_t mad[MAD_SIZE])
{
	mad[3] = MAD_METHOD_GET;
}

static void answers_to_something_else_are_none(void **state)
{
	static void (*const mangle[])(uint8_t *) = { other_attribute, other_modifier, other_class,
		                                     other_method };

	(void)state;
	for (size_t i = 0; i < sizeof(mangle) / sizeof(mangle[0]); i++) {
		struct world *w = world_with(
		    (struct line_opts){ .rtt_ns = MS, .mangle_every = 1, .mangle = mangle[i] },
		    (struct engine_opts){ 0 });
		struct query *q = ask_many(w, 1, 0, 1);

		run(w);
		assert_int_equal(q->outcome, ENGINE_SILENT);
		assert_int_equal(stats(w).dropped_mismatch, 4);
		assert_int_equal(stats(w).answered, 0);
		free(q);
		world_free(w);
	}
}

static void unknown_id(uint8_t mad[MAD_SIZE])
{
	memset(mad + 12, 0xff, 4);
}

static void stale_generation(uint8_t mad[MAD_SIZE])
{
	mad[12] ^= 0x80;
}

static void an_answer_nobody_waits_for_is_dropped(void **state)
{
	static void (*const mangle[])(uint8_t *) = { unknown_id, stale_generation };

	(void)state;
	for (size_t i = 0; i < sizeof(mangle) / sizeof(mangle[0]); i++) {
		struct world *w = world_with(
		    (struct line_opts){ .rtt_ns = MS, .mangle_every = 1, .mangle = mangle[i] },
		    (struct engine_opts){ 0 });
		struct query *q = ask_many(w, 1, 0, 1);

		run(w);
		assert_int_equal(q->outcome, ENGINE_SILENT);
		assert_int_equal(stats(w).dropped_late, 4);
		free(q);
		world_free(w);
	}
}

static void upper_half_of_the_id(uint8_t mad[MAD_SIZE])
{
	memset(mad + 8, 0x5a, 4);
}

static void the_kernel_may_write_its_half_of_the_id(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = MS, .mangle_every = 1, .mangle = upper_half_of_the_id },
	    (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 1, 0, 1);

	(void)state;
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	free(q);
	world_free(w);
}

/* A transport that puts less than a header before every arrival of another. */
struct chatty {
	struct transport base;
	struct transport *line;
	bool turn;
};

static int chatty_recv(struct transport *t, struct mad_in *in, uint64_t wait_ns)
{
	struct chatty *c = (struct chatty *)t;

	c->turn = !c->turn;
	if (!c->turn)
		return c->line->ops->recv(c->line, in, wait_ns);
	*in = (struct mad_in){ .length = 10, .status = ETIMEDOUT };
	return 1;
}

static int chatty_send(struct transport *t, const struct mad_addr *to, const uint8_t mad[MAD_SIZE],
                       unsigned int timeout_ms)
{
	struct chatty *c = (struct chatty *)t;

	return c->line->ops->send(c->line, to, mad, timeout_ms);
}

static uint64_t chatty_now(struct transport *t)
{
	struct chatty *c = (struct chatty *)t;

	return c->line->ops->now_ns(c->line);
}

static void less_than_a_header_is_dropped(void **state)
{
	static const struct transport_ops ops = { chatty_send, chatty_recv, chatty_now, NULL };
	const struct engine_opts opts = { .window = 8, .per_device = 4, .timeout_ms = 1000 };
	struct world *w = world();
	struct chatty chatty = { .base = { &ops }, .line = line_transport(w->line) };
	struct query *q;

	(void)state;
	engine_free(w->engine);
	assert_int_equal(engine_new(&chatty.base, &opts, &w->engine, NULL), 0);
	q = ask_many(w, 10, 0, 1);
	run(w);
	assert_int_equal(ended(q, 10, ENGINE_ANSWERED), 10);
	assert_true(stats(w).dropped_short >= 10);
	free(q);
	world_free(w);
}

/* ---- answers that say no -------------------------------------------------------- */

static void a_refusal_is_an_answer_and_final(void **state)
{
	static const struct {
		uint16_t status;
		enum engine_outcome outcome;
	} cases[] = {
		{ 0x04, ENGINE_UNSUPPORTED }, { 0x08, ENGINE_UNSUPPORTED },
		{ 0x0c, ENGINE_UNSUPPORTED }, { 0x1c, ENGINE_UNSUPPORTED },
		{ 0x02, ENGINE_REFUSED },     { 0x7f00, ENGINE_REFUSED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = world();
		struct query *q;

		w->status[0] = cases[i].status;
		q = ask_many(w, 1, 0, 1);
		run(w);
		assert_int_equal(q->outcome, cases[i].outcome);
		assert_true(q->has_mad);
		assert_int_equal(stats(w).sent, 1);
		assert_int_equal(stats(w).refused, cases[i].outcome == ENGINE_REFUSED);
		assert_int_equal(stats(w).unsupported, cases[i].outcome == ENGINE_UNSUPPORTED);
		free(q);
		world_free(w);
	}
}

static void not_busy(void *ctx)
{
	((struct world *)ctx)->status[0] = 0;
}

static void a_busy_device_is_asked_again_after_a_while(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->status[0] = 1;
	q = ask_many(w, 1, 0, 1);
	assert_int_equal(engine_run(w->engine, not_busy, w, NULL), 0); /* at 100 ms */
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	assert_int_equal(elapsed_ns(w), 331 * MS);
	assert_int_equal(w->asked_at_ns[1], 20 * MS);
	free(q);
	world_free(w);
}

static void busy_to_the_end_is_a_refusal_not_silence(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->status[0] = 1;
	q = ask_many(w, 2, 0, 1);
	run(w);
	assert_int_equal(ended(q, 2, ENGINE_REFUSED), 2);
	assert_int_equal(stats(w).refused, 2);
	assert_int_equal(stats(w).timed_out, 0);
	free(q);
	world_free(w);
}

static void a_second_answer_after_busy_is_dropped(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .duplicate_every = 1 },
	                             (struct engine_opts){ 0 });
	struct query *q;

	(void)state;
	w->status[0] = 1;
	q = ask_many(w, 1, 0, 1);
	assert_int_equal(engine_run(w->engine, not_busy, w, NULL), 0);
	assert_int_equal(stats(w).dropped_late, 3);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	free(q);
	world_free(w);
}

/* ---- read-only ------------------------------------------------------------------ */

static void nothing_but_a_get_leaves_this_host(void **state)
{
	static const uint8_t methods[] = { MAD_METHOD_SET, 0x03, 0x05, 0x06, 0x07,
		                           0x12,           0x15, 0x7f, 0x81, 0xff };

	(void)state;
	for (size_t i = 0; i < sizeof(methods); i++) {
		struct world *w = world();
		struct query set = query_of(w, 0), *get;

		set.method = methods[i];
		engine_ask(w->engine, &set.ask);
		get = ask_many(w, 1, 0, 1);
		run(w);
		assert_int_equal(set.outcome, ENGINE_NOT_ASKED);
		assert_int_equal(get->outcome, ENGINE_ANSWERED);
		assert_int_equal(line_counts(w->line)->sent, 1);
		assert_int_equal(stats(w).sent, 1);
		free(get);
		world_free(w);
	}
}

/* What became of one MAD of this class and method. */
static enum engine_outcome outcome_of(bool may_clear, uint8_t mgmt_class, uint8_t method)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS },
	                             (struct engine_opts){ .may_clear = may_clear });
	struct query q = query_of(w, 0);

	q.mgmt_class = mgmt_class;
	q.method = method;
	engine_ask(w->engine, &q.ask);
	run(w);
	assert_int_equal(line_counts(w->line)->sent, q.outcome == ENGINE_ANSWERED);
	world_free(w);
	return q.outcome;
}

static enum engine_outcome leaves(uint8_t mgmt_class, uint8_t method)
{
	return outcome_of(true, mgmt_class, method);
}

static void counters_are_cleared_only_by_who_was_asked_to(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(false, MAD_CLASS_PERFORMANCE, MAD_METHOD_SET),
	                 ENGINE_NOT_ASKED);
	assert_int_equal(outcome_of(false, MAD_CLASS_PERFORMANCE, MAD_METHOD_GET), ENGINE_ANSWERED);
}

static void who_may_clear_counters_may_set_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(leaves(MAD_CLASS_PERFORMANCE, MAD_METHOD_SET), ENGINE_ANSWERED);
	assert_int_equal(leaves(MAD_CLASS_PERFORMANCE, MAD_METHOD_GET), ENGINE_ANSWERED);
	assert_int_equal(leaves(MAD_CLASS_PERFORMANCE, 0x03), ENGINE_NOT_ASKED);
	assert_int_equal(leaves(MAD_CLASS_SMP, MAD_METHOD_SET), ENGINE_NOT_ASKED);
	assert_int_equal(leaves(MAD_CLASS_SMP_DIRECTED, MAD_METHOD_SET), ENGINE_NOT_ASKED);
	assert_int_equal(leaves(MAD_CLASS_SA, MAD_METHOD_SET), ENGINE_NOT_ASKED);
	assert_int_equal(leaves(MAD_CLASS_PERFORMANCE, MAD_METHOD_GET_TABLE), ENGINE_NOT_ASKED);
}

/* ---- transports that fail ----------------------------------------------------------- */

static void expect_failure(struct line_opts opts, int rc)
{
	struct world *w = world_with(opts, (struct engine_opts){ 0 });
	struct query *q, then = query_of(w, 1);
	struct ibc_error err = { "" };

	w->silent[3] = true;
	q = ask_many(w, 100, 0, 5);
	q[99].then = &then;
	assert_int_equal(engine_run(w->engine, NULL, NULL, &err), rc);
	assert_non_null(strstr(err.text, strerror(-rc)));
	assert_int_equal(engine_open(w->engine), 0);
	assert_true(ended(q, 100, ENGINE_NOT_ASKED) > 0);
	assert_int_equal(then.done, 1);
	assert_int_equal(then.outcome, ENGINE_NOT_ASKED);
	assert_false(engine_cut_short(w->engine));
	free(q);
	world_free(w);
}

static void a_broken_transport_ends_the_run(void **state)
{
	(void)state;
	expect_failure((struct line_opts){ .rtt_ns = MS, .fail_send_at = 30, .failure = -EIO },
	               -EIO);
	expect_failure((struct line_opts){ .rtt_ns = MS, .fail_send_at = 1, .failure = -ENODEV },
	               -ENODEV);
	expect_failure((struct line_opts){ .rtt_ns = MS, .fail_recv_at = 1, .failure = -EIO },
	               -EIO);
	expect_failure((struct line_opts){ .rtt_ns = MS, .fail_recv_at = 17, .failure = -EBADF },
	               -EBADF);
}

static void a_send_that_finds_no_room_is_made_again(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = MS, .fail_send_at = 2, .failure = -EAGAIN },
	    (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 2, 0, 2);

	(void)state;
	assert_int_equal(engine_run(w->engine, NULL, NULL, NULL), 0);
	assert_int_equal(q[0].outcome, ENGINE_ANSWERED);
	assert_int_equal(q[1].outcome, ENGINE_SILENT);
	assert_int_equal(elapsed_ns(w), 1330 * MS);
	assert_int_equal(stats(w).sent, 1);
	line_opts(w->line)->fail_send_at = 0;
	free(q);
	q = ask_many(w, 1, 7, 1);
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	free(q);
	world_free(w);
}

static void a_mad_that_cannot_be_sent_is_given_up_at_once(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = MS, .fail_send_at = 1, .failure = -EINVAL },
	    (struct engine_opts){ 0 });
	struct query *q = ask_many(w, 20, 0, 2);

	(void)state;
	run(w);
	assert_int_equal(ended(q, 20, ENGINE_SILENT), 20);
	assert_int_equal(elapsed_ns(w), 0);
	assert_int_equal(stats(w).sent, 0);
	free(q);
	world_free(w);
}

/* Answers that lie there when the host wakes up are no time-outs. */
static void a_host_that_stalls_loses_nothing(void **state)
{
	struct world *w = world();
	struct query *q = ask_many(w, 500, 0, 500);

	(void)state;
	for (size_t i = 0; i < 500; i += 100)
		q[i].stall_ns = 300 * MS;
	run(w);
	assert_int_equal(ended(q, 500, ENGINE_ANSWERED), 500);
	assert_int_equal(stats(w).retried, 0);
	assert_int_equal(stats(w).dropped_late, 0);
	free(q);
	world_free(w);
}

/* Arrivals never end, and still a lost MAD is missed in time. */
static void time_outs_are_seen_while_answers_rain(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = 0 },
	                             (struct engine_opts){ .window = 4 });
	struct query *lost, *q;

	(void)state;
	w->silent[0] = true;
	lost = ask_many(w, 1, 0, 1);
	q = ask_many(w, 100, 1, 1);
	for (size_t i = 0; i < 100; i++)
		q[i].stall_ns = MS;
	run(w);
	assert_in_range(w->asked_at_ns[w->asked_total - 1], 1, 2000 * MS);
	assert_true(lost->routed == 4);
	assert_true(lost->done_at_ns < 1500 * MS);
	free(lost);
	free(q);
	world_free(w);
}

/* ---- everything at once --------------------------------------------------------------- */

static void whatever_goes_wrong_every_query_ends_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct line_opts opts = {
			.rtt_ns = MS,
			.seed = seed,
			.loss = 0.05 * (seed % 7),
			.silence = seed % 3,
			.service_ns = seed % 2 ? MS / 4 : 0,
			.device_queue = 3,
			.duplicate_every = 7,
			.shorten_every = 31,
			.late_every = 13,
			.late_ns = 40 * MS,
			.mangle_every = 17,
			.mangle = other_modifier,
		};
		struct world *w = world_with(opts, (struct engine_opts){ .window = 8 * seed });
		struct query *q;
		struct ibc_sweep s;

		memset(w->silent, true, 5);
		for (size_t i = 0; i < 40; i++)
			w->device[i].ignore_timeouts = i % 4 == 0;
		for (size_t i = 10; i < 20; i++)
			w->status[i] = i;
		q = ask_many(w, 1000, 0, 40);
		run(w);
		s = stats(w);
		assert_int_equal(ended(q, 1000, ENGINE_ANSWERED), s.answered);
		assert_int_equal(ended(q, 1000, ENGINE_SILENT), s.timed_out);
		assert_int_equal(ended(q, 1000, ENGINE_REFUSED), s.refused);
		assert_int_equal(ended(q, 1000, ENGINE_UNSUPPORTED), s.unsupported);
		assert_int_equal(s.answered + s.timed_out + s.refused + s.unsupported, 1000);
		assert_int_equal(s.sent, line_counts(w->line)->sent);
		assert_true(s.peak_in_flight <= 8 * seed + 1024);
		free(q);
		world_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_answer_is_dropped_and_the_query_asked_again),
		cmocka_unit_test(a_duplicate_is_dropped),
		cmocka_unit_test(a_short_answer_is_none),
		cmocka_unit_test(answers_to_something_else_are_none),
		cmocka_unit_test(an_answer_nobody_waits_for_is_dropped),
		cmocka_unit_test(the_kernel_may_write_its_half_of_the_id),
		cmocka_unit_test(less_than_a_header_is_dropped),
		cmocka_unit_test(a_refusal_is_an_answer_and_final),
		cmocka_unit_test(a_busy_device_is_asked_again_after_a_while),
		cmocka_unit_test(busy_to_the_end_is_a_refusal_not_silence),
		cmocka_unit_test(a_second_answer_after_busy_is_dropped),
		cmocka_unit_test(nothing_but_a_get_leaves_this_host),
		cmocka_unit_test(counters_are_cleared_only_by_who_was_asked_to),
		cmocka_unit_test(who_may_clear_counters_may_set_nothing_else),
		cmocka_unit_test(a_broken_transport_ends_the_run),
		cmocka_unit_test(a_send_that_finds_no_room_is_made_again),
		cmocka_unit_test(a_mad_that_cannot_be_sent_is_given_up_at_once),
		cmocka_unit_test(a_host_that_stalls_loses_nothing),
		cmocka_unit_test(time_outs_are_seen_while_answers_rain),
		cmocka_unit_test(whatever_goes_wrong_every_query_ends_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
