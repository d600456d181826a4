/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries of registers in the engine: what may leave, and how devices that are slow are asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "engine/gate.h"
#include "mkengine.h"
#include "wire/registers.h"
#include "wire/secrets.h"
#include "wire/smp.h"
#include "wire/vendor.h"

#define PER_DEVICE 2
#define AGAIN      1

/* ---- what may leave -------------------------------------------------------------------- */

static const struct register_query questions[] = {
	{ REGISTER_PPCNT, 1, 0x12 }, { REGISTER_PPCNT, 1, 0x16 }, { REGISTER_PPCNT, 1, 0x1a },
	{ REGISTER_PPCNT, 1, 0x22 }, { REGISTER_PPCNT, 1, 0x23 }, { REGISTER_PDDR, 1, 0 },
	{ REGISTER_PDDR, 1, 1 },     { REGISTER_PDDR, 1, 2 },     { REGISTER_PDDR, 1, 3 },
	{ REGISTER_PDDR, 1, 6 },     { REGISTER_PDDR, 1, 8 },     { REGISTER_PDDR, 1, 9 },
	{ REGISTER_PPHCR, 1, 0 },    { REGISTER_PRTL, 1, 0 },     { REGISTER_MTMP, 0, 0 },
	{ REGISTER_MFCR, 0, 0 },     { REGISTER_MFSM, 0, 15 },    { REGISTER_FORE, 0, 0 },
};

static bool is_open(const uint8_t mad[MAD_SIZE])
{
	struct mad_header h;

	mad_header_get(mad, &h);
	return gate_is_open(&h, mad, true);
}

static void question(uint8_t mad[MAD_SIZE], size_t i)
{
	struct mad_addr to;

	register_get(mad, &to, &questions[i], 1, 0);
}

static void what_is_in_the_table_may_leave(void **state)
{
	uint8_t mad[MAD_SIZE];
	struct mad_addr to;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		question(mad, i);
		assert_true(is_open(mad));
	}
	vendor_get(mad, &to, VENDOR_GENERAL_INFO, 1, 7);
	assert_true(is_open(mad));
}

/*
 * With one bit changed it may leave only if it is another query of the table: each of them is
 * known by the first two dwords of its register.
 */
static void one_bit_more_makes_no_query_that_is_not_in_the_table(void **state)
{
	uint8_t mad[MAD_SIZE], whole[MAD_SIZE];
	unsigned int open = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		question(mad, i);
		for (unsigned int bit = 8 * 32; bit < 8 * MAD_SIZE; bit++) {
			struct register_query q = questions[i];
			struct mad_addr to;

			mad[bit / 8] ^= 0x80 >> bit % 8;
			if (is_open(mad)) {
				open++;
				q.port = q.port ? mad[37] : 0;
				q.select = q.id == REGISTER_PPCNT  ? mad[39]
				           : q.id == REGISTER_PDDR ? mad[43]
				           : q.id == REGISTER_MFSM ? mad[36]
				                                   : 0;
				assert_true(q.port != 255 && (q.port || i > 13));
				register_get(whole, &to, &q, 1, 0);
				assert_memory_equal(mad, whole, MAD_SIZE);
			}
			mad[bit / 8] ^= 0x80 >> bit % 8;
		}
	}
	/* of each port but the first 7 others, and a few groups, pages and fans */
	assert_in_range(open, 14 * 7, 14 * 7 + 40);
}

/* Class, method and attribute: nothing but a Get of one of the two, each with its own data. */
static void of_the_vendors_class_only_two_attributes_leave(void **state)
{
	static const uint16_t attributes[] = { VENDOR_ACCESS_REGISTER, VENDOR_GENERAL_INFO };
	struct mad_addr to;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		uint8_t mad[MAD_SIZE];

		question(mad, 0);
		if (attributes[i] == VENDOR_GENERAL_INFO)
			vendor_get(mad, &to, VENDOR_GENERAL_INFO, 1, 7);
		for (unsigned int attribute = 0; attribute <= UINT16_MAX; attribute++) {
			bytes_put(mad + 16, 2, attribute);
			assert_int_equal(is_open(mad), attribute == attributes[i]);
		}
		bytes_put(mad + 16, 2, attributes[i]);
		for (unsigned int method = 0; method < 256; method++) {
			mad[3] = (uint8_t)method;
			assert_int_equal(is_open(mad), method == MAD_METHOD_GET);
		}
	}
}

/* With a bit in it GeneralInfo, of either class, is no longer the question that is known. */
static void an_attribute_is_asked_for_with_nothing_in_it(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		uint16_t attribute;
		unsigned int from, to;
	} asked[] = {
		{ MAD_CLASS_VENDOR, VENDOR_GENERAL_INFO, 32, MAD_SIZE },
		{ MAD_CLASS_SMP, SMP_GENERAL_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_AR_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_PRIVATE_LFT_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_AR_GROUPS, 64, 128 },
		{ MAD_CLASS_SMP, SMP_AR_LFT, 64, 128 },
		{ MAD_CLASS_SMP, SMP_MLNX_EXT_PORT_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_VIRTUALIZATION_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_VPORT_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_ROUTER_INFO, 64, 128 },
		{ MAD_CLASS_SMP, SMP_EXT_NODE_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_GENERAL_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_AR_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_PRIVATE_LFT_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_AR_GROUPS, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_AR_LFT, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_MLNX_EXT_PORT_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_VIRTUALIZATION_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_VPORT_INFO, 64, 128 },
		{ MAD_CLASS_SMP_DIRECTED, SMP_ROUTER_INFO, 64, 128 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		uint8_t mad[MAD_SIZE];
		struct mad_header h = { .mgmt_class = asked[i].mgmt_class,
			                .method = MAD_METHOD_GET,
			                .attribute = asked[i].attribute };

		/* keys, LIDs and the path of a directed one may be anything */
		memset(mad, 0xff, sizeof(mad));
		memset(mad + asked[i].from, 0, asked[i].to - asked[i].from);
		mad_header_put(mad, &h);
		assert_true(is_open(mad));
		for (unsigned int bit = 8 * asked[i].from; bit < 8 * asked[i].to; bit++) {
			mad[bit / 8] ^= 0x80 >> bit % 8;
			assert_false(is_open(mad));
			mad[bit / 8] ^= 0x80 >> bit % 8;
		}
	}
}

static void expect_known(void *ctx, enum secret what, uint8_t *bytes, size_t n)
{
	(void)ctx;
	(void)bytes;
	(void)n;
	assert_int_not_equal(what, SECRET_OTHER);
}

/*
 * AccessRegister, 0xff52, is among those that do not.  What does is known to recordings without
 * names: of others they keep nothing.
 */
static void of_what_vendors_added_to_subnet_management_ten_attributes_leave(void **state)
{
	static const uint8_t classes[] = { MAD_CLASS_SMP, MAD_CLASS_SMP_DIRECTED };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		struct mad_header h = { .mgmt_class = classes[i], .method = MAD_METHOD_GET };
		uint8_t mad[MAD_SIZE] = { 0 };
		unsigned int open = 0;

		for (unsigned int attribute = 0xff00; attribute <= UINT16_MAX; attribute++) {
			h.attribute = (uint16_t)attribute;
			mad_header_put(mad, &h);
			if (!is_open(mad))
				continue;
			open++;
			mad_secrets(mad, sizeof(mad), expect_known, NULL);
		}
		assert_int_equal(open, 10);
	}
}

/* What the upper bits of these mean is not known, but for the first table. */
static void a_modifier_that_is_not_understood_does_not_leave(void **state)
{
	static const struct {
		uint16_t attribute;
		uint32_t last;
	} of[] = {
		{ SMP_PRIVATE_LFT_INFO, 0 }, { SMP_GENERAL_INFO, 4 },
		{ SMP_AR_INFO, 0 },          { SMP_AR_GROUPS, 30719 },
		{ SMP_AR_LFT, 3071 },        { SMP_MLNX_EXT_PORT_INFO, 255 },
		{ SMP_EXT_NODE_INFO, 0 },    { SMP_VIRTUALIZATION_INFO, 0 },
		{ SMP_VPORT_INFO, 65535 },   { SMP_ROUTER_INFO, 0 },
	};
	uint8_t mad[MAD_SIZE] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct mad_header h = { .mgmt_class = MAD_CLASS_SMP,
			                .method = MAD_METHOD_GET,
			                .attribute = of[i].attribute };

		for (unsigned int bit = 0; bit <= 33; bit++) {
			h.modifier = bit < 32 ? 1u << bit : of[i].last + bit - 32;
			mad_header_put(mad, &h);
			assert_int_equal(is_open(mad), h.modifier <= of[i].last);
		}
	}
}

static void a_class_that_nobody_asks_does_not_leave(void **state)
{
	uint8_t mad[MAD_SIZE];
	unsigned int open = 0;

	(void)state;
	question(mad, 0);
	for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
		mad[1] = (uint8_t)mgmt_class;
		open += is_open(mad);
	}
	assert_int_equal(open, 5);
}

/* ---- on the way ------------------------------------------------------------------------- */

/* PPCNT that clears. */
static bool route_clear(struct engine_ask *ask, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask;

	(void)try;
	q->routed++;
	register_get(mad, to, &questions[1], q->device, 0);
	mad[40] = 0x80;
	return true;
}

static bool route_register(struct engine_ask *ask, unsigned int try, struct mad_addr *to,
                           uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask;

	assert_int_equal(try, 3);
	q->routed++;
	register_get(mad, to, &questions[1], q->device, 0);
	return true;
}

static void a_get_that_clears_is_refused_by_the_engine(void **state)
{
	struct world *w = world();
	struct query q = query_of(w, 5);

	(void)state;
	q.ask.route = route_clear;
	engine_ask(w->engine, &q.ask);
	run(w);
	assert_int_equal(q.done, 1);
	assert_int_equal(q.outcome, ENGINE_NOT_ASKED);
	assert_int_equal(line_counts(w->line)->sent, 0);
	world_free(w);
}

static struct query register_query_of(struct world *w, unsigned int device)
{
	struct query q = query_of(w, device);

	q.ask.route = route_register;
	q.ask.slow = true;
	q.ask.again = AGAIN;
	w->device[device].limit_max = PER_DEVICE;
	return q;
}

static struct query *ask_registers(struct world *w, size_t n, unsigned int device,
                                   unsigned int devices)
{
	struct query *q = calloc(n, sizeof(*q));

	assert_non_null(q);
	for (size_t i = 0; i < n; i++) {
		q[i] = register_query_of(w, device + i % devices);
		engine_ask(w->engine, &q[i].ask);
	}
	return q;
}

static enum engine_outcome outcome_of_status(uint16_t status)
{
	struct world *w = world();
	struct query *q;
	enum engine_outcome outcome;

	w->status[5] = status;
	q = ask_registers(w, 1, 5, 1);
	run(w);
	outcome = q->outcome;
	free(q);
	world_free(w);
	return outcome;
}

/* 0x04 is "version" elsewhere, and 0x1c "invalid field": there it means the attribute. */
static void the_status_of_a_register_is_its_own(void **state)
{
	(void)state;
	assert_int_equal(outcome_of_status(0), ENGINE_ANSWERED);
	assert_int_equal(outcome_of_status(0x04), ENGINE_UNSUPPORTED);
	assert_int_equal(outcome_of_status(0x0c), ENGINE_UNSUPPORTED);
	assert_int_equal(outcome_of_status(0x14), ENGINE_UNSUPPORTED);
	assert_int_equal(outcome_of_status(0x1c), ENGINE_REFUSED);
}

static uint16_t busy_until; /* so many answers are "busy" */

static void mangle_busy(uint8_t mad[MAD_SIZE])
{
	if (busy_until > 0) {
		busy_until--;
		bytes_put(mad + 4, 2, 1);
	}
}

static void who_is_busy_is_asked_again_later(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = MS, .mangle = mangle_busy, .mangle_every = 1 },
	    (struct engine_opts){ 0 });
	struct query *q;

	(void)state;
	busy_until = 5;
	q = ask_registers(w, 1, 5, 1);
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	assert_int_equal(q->routed, 6);
	/* a pause each time, and not a second */
	assert_in_range(elapsed_ns(w), 100 * MS, 200 * MS);
	free(q);
	world_free(w);
}

/* Slower than the first wait: the pause is over when it says so. */
static void who_is_busy_late_is_asked_again_as_well(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = 60 * MS, .mangle = mangle_busy, .mangle_every = 1 },
	    (struct engine_opts){ 0 });
	struct query *q;

	(void)state;
	busy_until = 2;
	q = ask_registers(w, 1, 5, 1);
	run(w);
	assert_int_equal(q->outcome, ENGINE_ANSWERED);
	assert_in_range(elapsed_ns(w), 180 * MS, 200 * MS);
	free(q);
	world_free(w);
}

static void who_is_busy_for_ever_has_refused(void **state)
{
	struct world *w = world();
	struct query *q;

	(void)state;
	w->status[5] = 1;
	q = ask_registers(w, 1, 5, 1);
	run(w);
	assert_int_equal(q->outcome, ENGINE_REFUSED);
	assert_in_range(elapsed_ns(w), 100 * MS, 1000 * MS);
	free(q);
	world_free(w);
}

/* It takes 60 ms for each: three times the wait after which others give a place back. */
static void a_device_has_two_queries_at_most(void **state)
{
	struct world *w = world_with(
	    (struct line_opts){ .rtt_ns = MS, .service_ns = 60 * MS, .device_queue = PER_DEVICE },
	    (struct engine_opts){ 0 });
	struct query *q = ask_registers(w, 200, 5, 1);

	(void)state;
	run(w);
	assert_int_equal(ended(q, 200, ENGINE_ANSWERED), 200);
	assert_int_equal(line_counts(w->line)->overflowed, 0);
	assert_int_equal(line_counts(w->line)->sent, 200);
	assert_in_range(stats(w).peak_in_flight, 1, PER_DEVICE);
	free(q);
	world_free(w);
}

static void many_devices_are_asked_side_by_side(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .service_ns = 60 * MS },
	                             (struct engine_opts){ 0 });
	struct query *q = ask_registers(w, 10000, 1, 1000);

	(void)state;
	run(w);
	assert_int_equal(ended(q, 10000, ENGINE_ANSWERED), 10000);
	/* a place of the window each for 20 ms; one after the other it would be ten minutes */
	assert_in_range(elapsed_ns(w), 600 * MS, 2000 * MS);
	free(q);
	world_free(w);
}

static void what_is_lost_is_asked_for_once_more(void **state)
{
	struct world *w = world_with((struct line_opts){ .rtt_ns = MS, .loss = 0.02, .seed = 1 },
	                             (struct engine_opts){ 0 });
	struct query *q = ask_registers(w, 1000, 1, 100);

	(void)state;
	run(w);
	assert_in_range(ended(q, 1000, ENGINE_ANSWERED), 995, 1000);
	assert_in_range(stats(w).retried, 5, 60);
	free(q);
	world_free(w);
}

static void devices_that_fall_silent_cost_two_waits(void **state)
{
	struct world *w = world();
	struct query *q = ask_registers(w, 200 * 100, 1, 100);

	(void)state;
	for (unsigned int d = 1; d <= 8; d++)
		w->silent[d] = true;
	run(w);
	assert_int_equal(ended(q, 200 * 100, ENGINE_SILENT), 8 * 200);
	assert_int_equal(ended(q, 200 * 100, ENGINE_ANSWERED), 92 * 200);
	assert_in_range(elapsed_ns(w), 1000 * MS, 2100 * MS);
	free(q);
	world_free(w);
}

/* Two were sent at a time, and the second of them is not the probe. */
static void a_silent_query_that_is_not_the_probe_is_no_verdict(void **state)
{
	struct world *w = world();
	struct query *first = ask_registers(w, 2, 5, 1), *rest;

	(void)state;
	w->silent_until_ns = 900 * MS;
	run(w);
	rest = ask_registers(w, 20, 5, 1);
	run(w);
	assert_int_equal(ended(first, 2, ENGINE_ANSWERED), 2);
	assert_int_equal(ended(rest, 20, ENGINE_ANSWERED), 20);
	free(first);
	free(rest);
	world_free(w);
}

/* Others go first, and are not held up by what firmware takes its time over. */
static void other_queries_are_not_slowed(void **state)
{
	struct world *w = world();
	struct query *slow = ask_registers(w, 100, 100, 100);
	struct query *fast = ask_many(w, 1000, 1, 50);

	(void)state;
	for (unsigned int d = 100; d < 200; d++)
		w->silent[d] = true;
	run(w);
	assert_int_equal(ended(slow, 100, ENGINE_SILENT), 100);
	for (size_t i = 0; i < 1000; i++)
		assert_true(fast[i].done_at_ns < 20 * MS);
	free(slow);
	free(fast);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_in_the_table_may_leave),
		cmocka_unit_test(one_bit_more_makes_no_query_that_is_not_in_the_table),
		cmocka_unit_test(of_the_vendors_class_only_two_attributes_leave),
		cmocka_unit_test(an_attribute_is_asked_for_with_nothing_in_it),
		cmocka_unit_test(of_what_vendors_added_to_subnet_management_ten_attributes_leave),
		cmocka_unit_test(a_modifier_that_is_not_understood_does_not_leave),
		cmocka_unit_test(a_class_that_nobody_asks_does_not_leave),
		cmocka_unit_test(a_get_that_clears_is_refused_by_the_engine),
		cmocka_unit_test(the_status_of_a_register_is_its_own),
		cmocka_unit_test(who_is_busy_is_asked_again_later),
		cmocka_unit_test(who_is_busy_late_is_asked_again_as_well),
		cmocka_unit_test(who_is_busy_for_ever_has_refused),
		cmocka_unit_test(a_device_has_two_queries_at_most),
		cmocka_unit_test(many_devices_are_asked_side_by_side),
		cmocka_unit_test(what_is_lost_is_asked_for_once_more),
		cmocka_unit_test(devices_that_fall_silent_cost_two_waits),
		cmocka_unit_test(a_silent_query_that_is_not_the_probe_is_no_verdict),
		cmocka_unit_test(other_queries_are_not_slowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
