/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/congestion.h>

#include "mkseries.h"

/* struct whole - what a series is to the end, with all that it borrows from */
struct whole {
	struct ibc_windows *windows;
	struct ibc_input in;
	struct ibc_congestion *c;
};

static struct whole whole(struct series *s)
{
	struct whole w;

	for (unsigned int i = 0; i <= s->windows; i++)
		for (uint64_t guid = 1; guid < 0x800; guid++) {
			struct ibc_node *n = fabric_build_find(s->sweeps[i].b, s->sweeps[i].subnet,
			                                       guid);

			if (n)
				n->perf_cap_mask2 |= 2; /* 64 bits */
		}
	w.in = finish_series(s, &w.windows);
	assert_int_equal(ibc_congestion_find(w.windows, w.in.before, w.in.fabric, &w.c, NULL), 0);
	return w;
}

static void free_whole(struct whole *w)
{
	ibc_congestion_free(w->c);
	free_series(&w->in, w->windows);
}

/* A host waits for the leaf, as long as that waits for host01. */
static void host_waits(struct series *s, unsigned int window, unsigned int nth, double percent)
{
	for (unsigned int i = window; i <= s->windows; i++)
		counters_of(s->sweeps[i], host(nth), 1)->value[IBC_XMIT_WAIT] +=
		    (uint64_t)(percent / 100 * EDR_4X_HOUR / 8);
}

/* ---- roots ---- */

static void a_root_has_its_windows_onset_victims_and_cost(void **state)
{
	struct series s = series(5);
	const struct ibc_congestion_root *root;
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 2);
	for (unsigned int i = 3; i <= 5; i++) {
		waits(&s, i, 1, 40);
		host_waits(&s, i, 2, 10);
	}
	host_waits(&s, 5, 3, 6);
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 1);
	assert_int_equal(w.c->lasting, 1);
	root = w.c->roots;
	assert_string_equal(root->kind->word, "slow_receiver");
	assert_int_equal(root->port->num, 1);
	assert_string_equal(root->strip, "-.###");
	assert_int_equal(root->windows, 5);
	assert_int_equal(root->with, 3);
	assert_int_equal(root->onset, 3);
	assert_true(root->lasts);
	assert_int_equal(root->victims, 2);
	assert_int_equal(root->num_hosts, 2);
	assert_string_equal(root->hosts[0].name, "host02");
	assert_string_equal(root->hosts[1].name, "host03");
	assert_float_equal(root->hosts[0].lost_bytes, 0.3 * EDR_4X_HOUR, 1e3);
	assert_float_equal(root->lost_bytes, (0.02 + 1.2 + 0.3 + 0.06) * EDR_4X_HOUR, 1e3);
	assert_float_equal(w.c->lost_bytes, w.c->lasting_bytes, 1);
	free_whole(&w);
}

static void a_root_of_few_windows_does_not_last(void **state)
{
	struct series s = series(5);
	struct whole w;

	(void)state;
	waits(&s, 2, 1, 90);
	waits(&s, 3, 1, 90);
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 1);
	assert_int_equal(w.c->lasting, 0);
	assert_false(w.c->roots->lasts);
	assert_string_equal(w.c->roots->strip, ".##..");
	free_whole(&w);
}

static void nothing_lasts_in_one_window(void **state)
{
	struct series s = series(1);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 40);
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 1);
	assert_false(w.c->roots->lasts);
	free_whole(&w);
}

static void the_one_that_costs_most_comes_first(void **state)
{
	struct series s = series(2);
	struct whole w;

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		waits(&s, i, 1, 10);
		waits(&s, i, 3, 30);
	}
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 2);
	assert_int_equal(w.c->roots[0].port->num, 3);
	assert_int_equal(w.c->roots[1].port->num, 1);
	free_whole(&w);
}

static void what_waits_less_than_a_root_still_counts_as_lost(void **state)
{
	struct series s = series(2);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 3);
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 0);
	assert_float_equal(w.c->lost_bytes, 0.03 * EDR_4X_HOUR, 1e3);
	free_whole(&w);
}

static void a_window_that_nobody_read_is_a_question_mark(void **state)
{
	struct series s = series(5);
	struct whole w;

	(void)state;
	for (unsigned int i = 3; i <= 5; i++)
		waits(&s, i, 1, 10);
	is_silent(&s, 1, 1); /* windows 1 and 2 */
	w = whole(&s);
	assert_string_equal(w.c->roots->strip, "\?\?+++");
	assert_int_equal(w.c->roots->windows, 3);
	assert_int_equal(w.c->roots->with, 3);
	assert_int_equal(w.c->roots->onset, 3);
	assert_int_equal(w.c->gaps[IBC_WAIT_UNREAD], 1);
	free_whole(&w);
}

/* The device died, or its cable was pulled, before the last sweep. */
static void a_root_that_is_gone_since_is_still_told(void **state)
{
	struct series s = series(4);
	struct whole w;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		waits(&s, i, 1, 40);
	fabric_build_free(s.sweeps[4].b);
	s.sweeps[4] = mk_leaf(0);
	s.sweeps[4].subnet->time = 1000000 + 4 * HOUR;
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 1);
	assert_string_equal(w.c->roots->port->node->label, "leaf01");
	assert_string_equal(w.c->roots->strip, "###?");
	assert_int_equal(w.c->roots->windows, 3);
	assert_int_equal(w.c->gaps[IBC_WAIT_UNREAD], 6);
	assert_string_equal(w.c->gap_at[IBC_WAIT_UNREAD]->node->label, "leaf01");
	free_whole(&w);
}

static void a_root_without_its_cable_still_has_its_name(void **state)
{
	struct series s = series(4);
	struct whole w;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		waits(&s, i, 1, 40);
	is_unplugged(&s, 4, 1);
	w = whole(&s);
	assert_string_equal(w.c->roots->port->peer->node->host_name, "host01");
	assert_true(w.c->roots->lasts);
	assert_int_equal(w.c->gaps[IBC_WAIT_UNREAD], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_UNREAD]->num, 1);
	free_whole(&w);
}

/* Not one window without congestion after the other. */
static void what_is_gone_stays_unknown(void **state)
{
	struct series s = series(5);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 40);
	waits(&s, 2, 1, 40);
	is_unplugged(&s, 3, 1);
	w = whole(&s);
	assert_string_equal(w.c->roots->strip, "##\?\?\?");
	assert_int_equal(w.c->roots->windows, 2);
	assert_true(w.c->roots->lasts);
	free_whole(&w);
}

/* Over all windows together it would be less than the time. */
static void more_waiting_than_time_is_not_no_waiting(void **state)
{
	struct series s = series(3);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 40);
	waits(&s, 2, 1, 150);
	waits(&s, 3, 1, 40);
	w = whole(&s);
	assert_string_equal(w.c->roots->strip, "#\?#");
	assert_int_equal(w.c->roots->windows, 2);
	assert_int_equal(w.c->gaps[IBC_WAIT_IMPOSSIBLE], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_IMPOSSIBLE]->num, 1);
	free_whole(&w);
}

/* The finding tells of that window, too. */
static void victims_are_of_the_window_that_speaks_for_the_root(void **state)
{
	struct series s = series(2);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 40);
	host_waits(&s, 1, 2, 10);
	host_waits(&s, 1, 3, 10);
	waits(&s, 2, 1, 30);
	host_waits(&s, 2, 2, 10);
	w = whole(&s);
	assert_float_equal(w.c->roots->worst_percent, 30, 0.01);
	assert_int_equal(w.c->roots->victims, 1);
	assert_int_equal(w.c->roots->num_hosts, 2);
	free_whole(&w);
}

/* Nobody else waits, or the leaf does not tell: it costs that host time all the same. */
static void a_host_that_is_a_root_itself_is_named(void **state)
{
	struct series s = series(2);
	struct whole w;

	(void)state;
	for (unsigned int i = 1; i <= 2; i++)
		host_waits(&s, i, 2, 10);
	w = whole(&s);
	assert_int_equal(w.c->num_roots, 1);
	assert_string_equal(w.c->roots->kind->word, "unknown");
	assert_int_equal(w.c->roots->victims, 0);
	assert_int_equal(w.c->roots->num_hosts, 1);
	assert_string_equal(w.c->roots->hosts->name, "host02");
	free_whole(&w);
}

/* As counters.congestion judges it. */
static void what_one_known_window_of_many_shows_lasts(void **state)
{
	struct series s = series(4);
	struct whole w;

	(void)state;
	waits(&s, 4, 1, 40);
	is_silent(&s, 1, 1);
	is_silent(&s, 2, 1);
	w = whole(&s);
	assert_string_equal(w.c->roots->strip, "\?\?\?#");
	assert_int_equal(w.c->roots->windows, 1);
	assert_true(w.c->roots->lasts);
	assert_int_equal(w.c->lasting, 1);
	free_whole(&w);
}

/* What it showed before is not known any more: what came after is the least there was. */
static void a_clear_in_between_makes_no_wait_of_its_own(void **state)
{
	struct series s = series(3);
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 40);
	is_cleared(&s, 2, 1, IBC_XMIT_WAIT);
	waits(&s, 3, 1, 10);
	w = whole(&s);
	assert_string_equal(w.c->roots->strip, "#.+");
	assert_int_equal(w.c->gaps[IBC_WAIT_CLEARED], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_CLEARED]->num, 1);
	free_whole(&w);
}

/* ---- what is not known ---- */

static void every_reason_not_to_know_is_told(void **state)
{
	struct series s = series(1);
	struct whole w;

	(void)state;
	for (unsigned int i = 0; i <= 1; i++) {
		counters_of(s.sweeps[i], 1, 1)->known &= ~(1u << IBC_XMIT_WAIT);
		answers_put(fabric_build_find(s.sweeps[i].b, s.sweeps[i].subnet, host(1)),
		            IBC_ATTR_PORT_SAMPLES_CONTROL, ANSWER_NONE);
		answers_put(port(s.sweeps[i], 1, 3), IBC_ATTR_PORT_COUNTERS_EXT, ANSWER_NONE);
	}
	waits(&s, 1, 2, 400);
	w = whole(&s);
	assert_int_equal(w.c->gaps[IBC_WAIT_NONE], 1);
	assert_int_equal(w.c->gaps[IBC_WAIT_NO_TICK], 1);
	assert_int_equal(w.c->gaps[IBC_WAIT_IMPOSSIBLE], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_IMPOSSIBLE]->num, 2);
	assert_int_equal(w.c->gaps[IBC_WAIT_32_BITS], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_32_BITS]->num, 3);
	assert_int_equal(w.c->gaps[IBC_WAIT_HCA_TICK], 2);
	assert_int_equal(w.c->gaps[IBC_WAIT_UNREAD], 0);
	for (unsigned int i = 0; i < IBC_WAIT_GAPS; i++)
		assert_non_null(ibc_wait_gap_word(i)->name);
	assert_null(ibc_wait_gap_word(IBC_WAIT_GAPS));
	free_whole(&w);
}

static void a_link_of_unknown_speed_is_no_impossible_wait(void **state)
{
	struct series s = series(1);
	struct whole w;

	(void)state;
	waits(&s, 1, 2, 40);
	for (unsigned int i = 0; i <= 1; i++)
		port(s.sweeps[i], 1, 2)->speed_active = 0;
	w = whole(&s);
	assert_int_equal(w.c->gaps[IBC_WAIT_NO_SPEED], 1);
	assert_int_equal(w.c->gap_at[IBC_WAIT_NO_SPEED]->num, 2);
	assert_int_equal(w.c->gaps[IBC_WAIT_IMPOSSIBLE], 0);
	free_whole(&w);
}

/* ---- tiers ---- */

static void tiers_tell_where_the_waiting_is(void **state)
{
	struct series s = series(2);
	const struct ibc_wait_tiers *r;
	struct whole w;

	(void)state;
	waits(&s, 1, 1, 60);
	is_silent(&s, 0, 3);
	w = whole(&s);
	assert_int_equal(w.c->num_tiers, 2);
	r = &w.c->tiers[0];
	assert_string_equal(r->from, "host");
	assert_string_equal(r->to, "leaf");
	assert_int_equal(r->ports, 3);
	assert_null(r->worst);
	assert_false(r->between_switches);
	r = &w.c->tiers[1];
	assert_string_equal(r->from, "leaf");
	assert_string_equal(r->to, "host");
	assert_int_equal(r->ports, 2);
	assert_int_equal(r->unknown, 1);
	assert_int_equal(r->long_waits, 1);
	assert_float_equal(r->mean_percent, 15, 0.01);
	assert_float_equal(r->worst_percent, 30, 0.01);
	assert_int_equal(r->worst->num, 1);
	free_whole(&w);
}

static void tiers_without_a_known_port_have_no_numbers(void **state)
{
	struct series s = series(1);
	struct whole w;

	(void)state;
	for (unsigned int num = 1; num <= 3; num++)
		is_silent(&s, 0, num);
	w = whole(&s);
	assert_int_equal(w.c->tiers[1].ports, 0);
	assert_int_equal(w.c->tiers[1].unknown, 3);
	assert_true(w.c->tiers[1].mean_percent < 0);
	assert_true(w.c->tiers[1].worst_percent < 0);
	free_whole(&w);
}

/* ---- the picture ---- */

static void the_picture_has_ranks_and_a_box_for_each_window(void **state)
{
	struct series s = series(5);
	char *svg = NULL, *at;
	struct whole w;
	size_t size, boxes = 0;
	FILE *out;

	(void)state;
	for (unsigned int i = 2; i <= 5; i++)
		waits(&s, i, 1, 40);
	is_silent(&s, 0, 3);
	w = whole(&s);
	out = open_memstream(&svg, &size);
	assert_int_equal(ibc_congestion_svg(w.c, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(svg, "leaf01/1, slow receiver"));
	assert_non_null(
	    strstr(svg, "leaf to host: 2 ports, 1 of them 15 % or longer, 1 not known"));
	for (at = svg; (at = strstr(at, "width=\"13\"")); at++)
		boxes++;
	assert_int_equal(boxes, 5);
	free(svg);
	free_whole(&w);
}

static void a_picture_that_cannot_be_written_is_an_error(void **state)
{
	struct series s = series(2);
	struct whole w = whole(&s);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setbuf(full, NULL);
	assert_int_equal(ibc_congestion_svg(w.c, full, NULL), -EIO);
	fclose(full);
	free_whole(&w);
}

/* ---- memory ---- */

static void no_memory_is_an_error_wherever_it_ends(void **state)
{
	struct series s = series(2);
	struct ibc_congestion *c = NULL;
	struct whole w;
	int rc = -ENOMEM;

	(void)state;
	waits(&s, 1, 1, 40);
	host_waits(&s, 1, 2, 10);
	w = whole(&s);
	for (unsigned long nth = 1; rc == -ENOMEM; nth++) {
		assert_true(nth < 100);
		alloc_fail_at(nth);
		rc = ibc_congestion_find(w.windows, w.in.before, w.in.fabric, &c, NULL);
		alloc_fail_at(0);
	}
	assert_int_equal(rc, 0);
	ibc_congestion_free(c);
	ibc_congestion_free(NULL);
	free_whole(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_has_its_windows_onset_victims_and_cost),
		cmocka_unit_test(a_root_of_few_windows_does_not_last),
		cmocka_unit_test(nothing_lasts_in_one_window),
		cmocka_unit_test(the_one_that_costs_most_comes_first),
		cmocka_unit_test(what_waits_less_than_a_root_still_counts_as_lost),
		cmocka_unit_test(a_window_that_nobody_read_is_a_question_mark),
		cmocka_unit_test(a_root_that_is_gone_since_is_still_told),
		cmocka_unit_test(a_root_without_its_cable_still_has_its_name),
		cmocka_unit_test(what_is_gone_stays_unknown),
		cmocka_unit_test(more_waiting_than_time_is_not_no_waiting),
		cmocka_unit_test(victims_are_of_the_window_that_speaks_for_the_root),
		cmocka_unit_test(a_host_that_is_a_root_itself_is_named),
		cmocka_unit_test(what_one_known_window_of_many_shows_lasts),
		cmocka_unit_test(a_clear_in_between_makes_no_wait_of_its_own),
		cmocka_unit_test(every_reason_not_to_know_is_told),
		cmocka_unit_test(a_link_of_unknown_speed_is_no_impossible_wait),
		cmocka_unit_test(tiers_tell_where_the_waiting_is),
		cmocka_unit_test(tiers_without_a_known_port_have_no_numbers),
		cmocka_unit_test(the_picture_has_ranks_and_a_box_for_each_window),
		cmocka_unit_test(a_picture_that_cannot_be_written_is_an_error),
		cmocka_unit_test(no_memory_is_an_error_wherever_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
