/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/events.h>

#include "mkcount.h"
#include "mkpair.h"

/* Frees both fabrics. */
static void expect_events(struct mkfab was, struct mkfab is, const char *lines)
{
	struct ibc_fabric *before = done(was), *now = done(is);
	struct ibc_events *events;
	const struct ibc_event *e;
	char *found = NULL, text[IBC_EVENT_TEXT];
	size_t size;
	FILE *out = open_memstream(&found, &size);

	assert_non_null(out);
	assert_int_equal(ibc_events_find(before, now, &events, NULL), 0);
	for (size_t i = 0; (e = ibc_events_at(events, i)); i++)
		fprintf(out, "%s: %s\n", ibc_event_word(e->kind)->word,
		        ibc_event_text(e, text, sizeof(text)));
	assert_int_equal(fclose(out), 0);
	ibc_events_free(events);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
	assert_string_equal(found, lines);
	free(found);
}

static void nothing_happens_in_a_fabric_that_stays_as_it_is(void **state)
{
	(void)state;
	expect_events(mk_site(), mk_site(), "");
}

/* ---- cables ---------------------------------------------------------------------- */

static void a_pulled_cable_is_told_once(void **state)
{
	(void)state;
	expect_events(mk_site(), mk_site_pulled(),
	              "state: leaf01/5 LinkUp -> Polling, was to spine01/1\n");
}

static void a_plugged_cable_tells_its_rate_and_its_other_end(void **state)
{
	(void)state;
	expect_events(mk_site_pulled(), mk_site(),
	              "state: leaf01/5 Polling -> LinkUp, 4x EDR, to spine01/1\n");
}

static void a_link_on_its_way_up_tells_how_far_it_is(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 5)->state = port(is, SPINE01, 1)->state = IBC_STATE_INIT;
	expect_events(mk_site_pulled(), is,
	              "state: leaf01/5 Polling -> LinkUp (Init), 4x EDR, to spine01/1\n");
}

static void the_last_step_of_a_link_is_told(void **state)
{
	struct mkfab was = mk_site();

	(void)state;
	port(was, LEAF01, 5)->state = port(was, SPINE01, 1)->state = IBC_STATE_INIT;
	expect_events(was, mk_site(), "state: leaf01/5 Init -> Active\n");
}

static void a_port_that_looks_for_a_peer_stays_what_it_is(void **state)
{
	struct mkfab is = mk_site_pulled();

	(void)state;
	port(is, LEAF01, 5)->phys_state = IBC_PHYS_TRAINING;
	expect_events(mk_site_pulled(), is, "");
}

static void what_one_end_alone_does_is_told_there(void **state)
{
	struct mkfab is = mk_site_pulled();

	(void)state;
	port(is, SPINE01, 1)->phys_state = IBC_PHYS_DISABLED;
	expect_events(mk_site_pulled(), is, "state: spine01/1 Polling -> Disabled\n");
}

static void a_port_that_does_not_answer_has_done_nothing(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	answers_put(port(is, LEAF01, 8), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	port(is, LEAF01, 8)->phys_state = 0;
	port(is, LEAF01, 8)->state = 0;
	expect_events(mk_site(), is, "");
}

static void a_slower_link_is_told_once(void **state)
{
	struct mkfab is = mk_site();

	(void)state;
	port(is, LEAF01, 5)->width_active = port(is, SPINE01, 1)->width_active = IBC_WIDTH_1X;
	expect_events(mk_site(), is, "rate: leaf01/5 4x EDR -> 1x EDR\n");
}

static void a_cable_that_leads_elsewhere_is_told_by_each_end_that_stayed_up(void **state)
{
	struct mkfab is = mk_site_nodes();

	(void)state;
	mk_site_hosts(is);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 5, SPINE01, 3);
	cable(is, LEAF01, 6, SPINE02, 1);
	cable(is, LEAF02, 5, SPINE01, 2);
	cable(is, LEAF02, 6, SPINE02, 2);
	expect_events(mk_site(), is,
	              "moved: leaf01/5 leads to spine01/3 now, not to spine01/1\n"
	              "state: spine01/1 LinkUp -> Polling, was to leaf01/5\n"
	              "state: spine01/3 Polling -> LinkUp, 4x EDR, to leaf01/5\n");
}

/* ---- nodes ----------------------------------------------------------------------- */

static struct mkfab mk_without_host04(void)
{
	struct mkfab m = mk_site_nodes();

	mk_site_uplinks(m);
	mk_site_hosts(m);
	return m;
}

static void a_host_that_is_gone_is_told_with_its_cable(void **state)
{
	(void)state;
	expect_events(mk_site(), mk_without_host04(),
	              "node_gone: host04 mlx5_0 is gone: leaf02/2 LinkUp -> Polling\n");
}

static void a_host_that_comes_is_told_with_its_cable(void **state)
{
	(void)state;
	expect_events(mk_without_host04(), mk_site(),
	              "node_new: host04 mlx5_0 is there: leaf02/2 Polling -> LinkUp, 4x EDR\n");
}

static void a_node_behind_a_link_that_is_up_is_silent_not_gone(void **state)
{
	struct mkfab is = mk_without_host04();

	(void)state;
	mk_active(port(is, LEAF02, 2));
	expect_events(mk_site(), is,
	              "node_silent: host04 mlx5_0 does not answer any more: leaf02/2 is LinkUp\n");
}

static void a_switch_that_is_gone_is_one_event(void **state)
{
	struct mkfab is = mkfab();

	(void)state;
	mk_switch(is, LEAF01, "leaf01", 8);
	mk_switch(is, LEAF02, "leaf02", 8);
	mk_switch(is, SPINE02, "spine02", 8);
	mk_ca(is, HOST01, "host01 mlx5_0", 1);
	mk_ca(is, HOST02, "host02 mlx5_0", 1);
	mk_ca(is, HOST03, "host03 mlx5_0", 1);
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	mk_site_hosts(is);
	cable(is, LEAF02, 2, HOST04, 1);
	cable(is, LEAF01, 6, SPINE02, 1);
	cable(is, LEAF02, 6, SPINE02, 2);
	expect_events(mk_site(), is, "node_gone: spine01 is gone, with 2 cables\n");
}

static void what_is_behind_a_switch_that_is_gone_is_told_with_it(void **state)
{
	struct mkfab is = mkfab();

	(void)state;
	mk_ca(is, HOST04, "host04 mlx5_0", 1);
	expect_events(mk_site(), is,
	              "node_gone: leaf02 is gone, with 4 cables and 6 nodes behind it\n");
}

static void of_a_sweep_that_was_cut_short_nobody_is_gone(void **state)
{
	struct mkfab is = mk_without_host04();

	(void)state;
	is.subnet->cut_short = true;
	expect_events(mk_site(), is, "state: leaf02/2 LinkUp -> Polling, was to host04 mlx5_0/1\n");
}

/* ---- counters -------------------------------------------------------------------- */

static struct pair mk_counted(void)
{
	return mk_pair(mk_site(), mk_site());
}

static void errors_are_told_of_the_port_that_counted_them(void **state)
{
	struct pair s = mk_counted();

	(void)state;
	count(s.before, LEAF01, 5, IBC_RCV_ERRORS, 3);
	count(s.now, LEAF01, 5, IBC_RCV_ERRORS, 15);
	count(s.now, LEAF01, 5, IBC_SYMBOL_ERROR, 2);
	expect_events(s.before, s.now, "errors: leaf01/5 SymbolErrorCounter 2, PortRcvErrors 12\n");
}

static void what_counts_where_all_is_well_is_no_error(void **state)
{
	struct pair s = mk_counted();

	(void)state;
	count(s.now, LEAF01, 5, IBC_XMIT_DATA, 1000);
	count(s.now, LEAF01, 5, IBC_RCV_SWITCH_RELAY, 3);
	expect_events(s.before, s.now, "");
}

static void a_link_that_was_down_meanwhile_is_a_flap(void **state)
{
	struct pair s = mk_counted();

	(void)state;
	count(s.now, LEAF01, 5, IBC_LINK_DOWNED, 1);
	expect_events(s.before, s.now,
	              "flap: leaf01/5 went down and came back: LinkDownedCounter 1\n");
}

static void a_counter_that_was_cleared_tells_no_errors(void **state)
{
	struct pair s = mk_counted();

	(void)state;
	count(s.before, LEAF01, 5, IBC_SYMBOL_ERROR, 12);
	expect_events(s.before, s.now, "");
}

static void what_a_link_counts_while_it_comes_up_is_no_event_of_its_own(void **state)
{
	struct pair s = mk_counted();
	struct ibc_port *p = port(s.before, LEAF01, 8), *q = port(s.now, LEAF01, 8);

	(void)state;
	mk_counters(s.before, p);
	mk_active(q);
	mk_counters(s.now, q);
	count(s.now, LEAF01, 8, IBC_SYMBOL_ERROR, 12);
	expect_events(s.before, s.now, "state: leaf01/8 Polling -> LinkUp, 4x EDR\n");
}

/* However far into a character of three bytes the names end. */
static void what_does_not_fit_is_cut_between_characters(void **state)
{
	char name[3 * 40 + 1], text[IBC_EVENT_TEXT];
	struct ibc_events *events;
	struct ibc_fabric *before, *now;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		memcpy(name + 3 * i, "\xe6\xa9\x9f", 4);
	before = done(mk_site());
	now = done(mk_site_pulled());
	((struct ibc_node *)ibc_fabric_node_by_guid(now, LEAF01))->label = name;
	assert_int_equal(ibc_events_find(before, now, &events, NULL), 0);
	for (size_t size = 60; size < 66; size++) {
		ibc_event_text(ibc_events_at(events, 0), text, size);
		assert_in_range(strlen(text), size - 4, size - 1);
		assert_int_equal(strlen(text) % 3, 0);
		ibc_place_text((struct ibc_place){ ibc_fabric_node_by_guid(now, LEAF01), 5 }, text,
		               size);
		assert_in_range(strlen(text), size - 4, size - 1);
		assert_int_equal(strlen(text) % 3, 0);
	}
	ibc_events_free(events);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_happens_in_a_fabric_that_stays_as_it_is),
		cmocka_unit_test(a_pulled_cable_is_told_once),
		cmocka_unit_test(a_plugged_cable_tells_its_rate_and_its_other_end),
		cmocka_unit_test(a_link_on_its_way_up_tells_how_far_it_is),
		cmocka_unit_test(the_last_step_of_a_link_is_told),
		cmocka_unit_test(a_port_that_looks_for_a_peer_stays_what_it_is),
		cmocka_unit_test(what_one_end_alone_does_is_told_there),
		cmocka_unit_test(a_port_that_does_not_answer_has_done_nothing),
		cmocka_unit_test(a_slower_link_is_told_once),
		cmocka_unit_test(a_cable_that_leads_elsewhere_is_told_by_each_end_that_stayed_up),
		cmocka_unit_test(a_host_that_is_gone_is_told_with_its_cable),
		cmocka_unit_test(a_host_that_comes_is_told_with_its_cable),
		cmocka_unit_test(a_node_behind_a_link_that_is_up_is_silent_not_gone),
		cmocka_unit_test(a_switch_that_is_gone_is_one_event),
		cmocka_unit_test(what_is_behind_a_switch_that_is_gone_is_told_with_it),
		cmocka_unit_test(of_a_sweep_that_was_cut_short_nobody_is_gone),
		cmocka_unit_test(errors_are_told_of_the_port_that_counted_them),
		cmocka_unit_test(what_counts_where_all_is_well_is_no_error),
		cmocka_unit_test(a_link_that_was_down_meanwhile_is_a_flap),
		cmocka_unit_test(a_counter_that_was_cleared_tells_no_errors),
		cmocka_unit_test(what_a_link_counts_while_it_comes_up_is_no_event_of_its_own),
		cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
