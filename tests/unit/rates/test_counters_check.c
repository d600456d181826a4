/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mkcount.h"
#include "report/report.h"

static struct pair leaves(unsigned int hosts)
{
	return mk_pair(mk_leaf(hosts), mk_leaf(hosts));
}

/* ---- all of them ---- */

static void counters_that_stand_still_give_no_finding(void **state)
{
	struct pair s = leaves(6);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 0; i < IBC_COUNTERS; i++) {
		count(s.before, 1, 1, i, 77);
		count(s.now, 1, 1, i, 77);
	}
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static void mk_serial(struct mkfab m, uint64_t guid, unsigned int num, const char *serial)
{
	struct ibc_module *module = arena_alloc(fabric_build_arena(m.b), sizeof(*module));
	struct ibc_port *p = port(m, guid, num);

	assert_non_null(module);
	module->serial = serial;
	port_extra(p)->module = module;
}

static void each_check_is_raised_by_its_counter_and_by_nothing_else(void **state)
{
	static const struct {
		enum ibc_counter counter;
		uint64_t value;
		const char *check;
	} cases[] = {
		{ IBC_SYMBOL_ERROR, 1, "counters.symbol" },
		{ IBC_LINK_ERROR_RECOVERY, 1, "counters.recovery" },
		{ IBC_LINK_DOWNED, 1, "counters.downed" },
		{ IBC_LINK_DOWNED, 3, "counters.flap" },
		{ IBC_RCV_ERRORS, 1, "counters.rcv-errors" },
		{ IBC_RCV_REMOTE_PHYSICAL, 1, "counters.remote-physical" },
		{ IBC_XMIT_DISCARDS, 1, "counters.discards" },
		{ IBC_XMIT_CONSTRAINT, 1, "counters.constraint" },
		{ IBC_RCV_CONSTRAINT, 1, "counters.constraint" },
		{ IBC_LOCAL_LINK_INTEGRITY, 1, "counters.integrity" },
		{ IBC_EXCESSIVE_BUFFER_OVERRUN, 1, "counters.overrun" },
		{ IBC_VL15_DROPPED, 50, "counters.vl15" },
		{ IBC_DLID_MAPPING, 1, "counters.rcv-errors" },
		{ IBC_LOOPING, 1, "counters.rcv-errors" },
		{ IBC_RCV_SWITCH_RELAY, 1000, NULL },
		{ IBC_VL_MAPPING, 1000, NULL },
		{ IBC_QP1_DROPPED, 1000, NULL },
		{ IBC_XMIT_DATA, 1000000, NULL },
		{ IBC_RCV_PKTS, 1000000, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair s = leaves(3);
		struct ibc_report *rep;

		count(s.now, 1, 2, cases[i].counter, cases[i].value);
		rep = report_of_pair(s, "counters", NULL);
		if (!cases[i].check) {
			expect_of(rep, "");
			continue;
		}
		assert_non_null(ibc_report_finding(rep, 0));
		assert_string_equal(ibc_report_finding(rep, 0)->check, cases[i].check);
		assert_non_null(ibc_report_finding(rep, 0)->advice);
		assert_null(ibc_report_finding(rep, 1));
		ibc_report_free(rep);
	}
}

/* The ports of two hosts change places in the earlier sweep. */
static void errors_of_a_cable_that_was_exchanged_do_not_blame_the_new_one(void **state)
{
	struct pair s = leaves(3);
	struct ibc_port *two = port(s.before, 1, 2), *three = port(s.before, 1, 3);
	struct ibc_port *far = (struct ibc_port *)two->peer;
	struct ibc_report *rep;

	(void)state;
	two->peer = three->peer;
	((struct ibc_port *)two->peer)->peer = two;
	three->peer = far;
	far->peer = three;
	count(s.now, 1, 2, IBC_SYMBOL_ERROR, 200);
	rep = report_of_pair(s, "counters.symbol", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->message,
	                       "in 1 h; the cable was exchanged in between: leaf01/2 led to host03 "
	                       "mlx5_0/1 before"));
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "leave the new one"));
	ibc_report_free(rep);
}

static void errors_of_a_cable_with_another_serial_number_say_so(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	mk_serial(s.before, 1, 2, "MT1");
	mk_serial(s.now, 1, 2, "MT2");
	mk_serial(s.before, 1, 3, "MT3");
	mk_serial(s.now, 1, 3, "MT3");
	count(s.now, 1, 2, IBC_SYMBOL_ERROR, 200);
	count(s.now, 1, 3, IBC_SYMBOL_ERROR, 100);
	rep = report_of_pair(s, "counters.symbol", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->message,
	                       "in between: SN MT2 at leaf01/2, before SN MT1"));
	assert_null(strstr(ibc_report_finding(rep, 1)->message, "exchanged"));
	assert_non_null(strstr(ibc_report_finding(rep, 1)->advice, "Reseat and clean"));
	ibc_report_free(rep);
}

static void overruns_and_lost_integrity_are_named_by_their_counters(void **state)
{
	struct pair s = leaves(3);

	(void)state;
	count(s.now, 1, 2, IBC_LOCAL_LINK_INTEGRITY, 1);
	count(s.now, 1, 3, IBC_EXCESSIVE_BUFFER_OVERRUN, 2);
	expect_pair(s, "counters.integrity,counters.overrun",
	            "critical leaf01/2 - host02 mlx5_0/1: LocalLinkIntegrityErrors rose by 1 at "
	            "leaf01/2, 0 at host02 mlx5_0/1 in 1 h\n"
	            "critical leaf01/3 - host03 mlx5_0/1: ExcessiveBufferOverrunErrors rose by 2 "
	            "at leaf01/3, 0 at host03 mlx5_0/1 in 1 h\n");
}

static void without_an_earlier_sweep_totals_are_not_evaluated_and_that_is_said_once(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 100000);
	count(m, 1, 1, IBC_LINK_DOWNED, 100);
	rep = report_of(m, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info fabric: counters.*: lifetime totals are not judged: use --interval, "
	               "--state or --since\n");
}

static void other_groups_say_nothing_of_totals(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	expect(m, "port", "");
}

static struct ibc_report *report_of_totals(struct mkfab m)
{
	struct ibc_input in = { .totals = true, .fabric = done(m) };
	struct ibc_report *rep;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "counters", rep, NULL), 0);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
	return rep;
}

static void totals_above_their_limits_name_the_cable_and_no_rate(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 4711);
	count(m, 1, 1, IBC_LINK_DOWNED, 12);
	count(m, 1, 2, IBC_XMIT_WAIT, UINT64_MAX / 2);
	count(m, 1, 2, IBC_XMIT_DISCARDS, 101);
	expect_of(report_of_totals(m),
	          "warning leaf01/1 - host01 mlx5_0/1: since the last clear: SymbolErrorCounter "
	          "4711 at leaf01/1\n"
	          "warning leaf01/2 - host02 mlx5_0/1: since the last clear: PortXmitDiscards 101 "
	          "at leaf01/2\n");
}

static void totals_up_to_their_limits_are_one_line(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 10);
	count(m, 1, 2, IBC_XMIT_DISCARDS, 100);
	count(m, 1, 3, IBC_RCV_SWITCH_RELAY, 1000000);
	rep = report_of_totals(m);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep,
	          "info fabric: since the last clear: 3 cables reported errors, 1000110 in all, "
	          "none above its limit\n");
}

static void totals_of_a_host_that_restarted_blame_no_cable(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	count(m, 1, 2, IBC_LINK_DOWNED, 500);
	expect_of(report_of_totals(m), "info fabric: since the last clear: 1 cable went down, most "
	                               "likely with a device that restarted\n");
}

/* A leaf with two cables to a switch above it. */
static struct mkfab mk_uplinks(void)
{
	struct mkfab m = mk_leaf(3);

	mk_switch(m, 2, "spine01", 4);
	cable(m, 1, 4, 2, 1);
	cable(m, 1, 5, 2, 2);
	mk_all_counting(m);
	return m;
}

static void totals_of_links_between_switches_that_go_down_name_them(void **state)
{
	struct mkfab m = mk_uplinks();

	(void)state;
	count(m, 1, 4, IBC_LINK_DOWNED, 12);
	expect_of(report_of_totals(m), "warning leaf01/4 - spine01/1: since the last clear: "
	                               "LinkDownedCounter 12 at leaf01/4\n");
}

static void a_switch_that_restarted_often_is_no_bad_cable(void **state)
{
	struct mkfab m = mk_uplinks();

	(void)state;
	count(m, 1, 4, IBC_LINK_DOWNED, 12);
	count(m, 1, 5, IBC_LINK_DOWNED, 15);
	expect_of(report_of_totals(m),
	          "info fabric: since the last clear: 1 cable reported errors, "
	          "3 in all, none above its limit; 2 cables went down, most "
	          "likely with a device that restarted\n");
}

static void totals_are_no_gap_where_nobody_asks_for_them(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	count(m, 1, 1, IBC_SYMBOL_ERROR, 4711);
	expect(m, "counters.totals", "");
}

/* ---- cables: two ends are one case ---- */

static void errors_at_one_end_blame_the_other(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 2, IBC_RCV_ERRORS, 12);
	rep = report_of_pair(s, "counters", NULL);
	assert_string_equal(
	    ibc_report_finding(rep, 0)->advice,
	    "Only leaf01/2 receives damaged data: the cable or the transmitter of host02 mlx5_0/1 "
	    "is at fault. Reseat and clean the plug at host02 mlx5_0/1 first, then the other; then "
	    "replace the cable. If the errors continue, host02 mlx5_0/1 is at fault.");
	expect_of(rep, "critical leaf01/2 - host02 mlx5_0/1: PortRcvErrors rose by 12 at leaf01/2, "
	               "0 at host02 mlx5_0/1 in 1 h\n");
}

static void errors_at_the_far_end_blame_the_near_one(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	count(s.now, host(2), 1, IBC_RCV_ERRORS, 1);
	rep = report_of_pair(s, "counters", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "the transmitter of leaf01/2"));
	expect_of(rep, "warning leaf01/2 - host02 mlx5_0/1: PortRcvErrors rose by 0 at leaf01/2, 1 "
	               "at host02 mlx5_0/1 in 1 h\n");
}

static void errors_at_both_ends_blame_the_cable(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 2, IBC_SYMBOL_ERROR, 3);
	count(s.now, host(2), 1, IBC_SYMBOL_ERROR, 4);
	rep = report_of_pair(s, "counters", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "so the cable is at fault"));
	expect_of(rep, "warning leaf01/2 - host02 mlx5_0/1: SymbolErrorCounter rose by 3 at "
	               "leaf01/2, 4 at host02 mlx5_0/1 in 1 h\n");
}

static void an_end_that_does_not_tell_is_not_taken_for_clean(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 2, IBC_SYMBOL_ERROR, 3);
	port(s.now, host(2), 1)->counters = NULL;
	rep = report_of_pair(s, "counters.symbol", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "Only one end reports"));
	expect_of(rep,
	          "warning leaf01/2 - host02 mlx5_0/1: SymbolErrorCounter rose by 3 at leaf01/2 "
	          "and is not known at host02 mlx5_0/1 in 1 h\n");
	s = leaves(3);
	count(s.now, host(2), 1, IBC_SYMBOL_ERROR, 3);
	counters_of(s.now, 1, 2)->known &= ~(1u << IBC_SYMBOL_ERROR);
	expect_pair(
	    s, "counters.symbol",
	    "warning leaf01/2 - host02 mlx5_0/1: SymbolErrorCounter is not known at leaf01/2 "
	    "and rose by 3 at host02 mlx5_0/1 in 1 h\n");
}

static void a_port_without_known_peer_is_evaluated_alone(void **state)
{
	struct pair s = leaves(2);
	struct ibc_report *rep;

	(void)state;
	mk_active(port(s.before, 1, 5));
	mk_active(port(s.now, 1, 5));
	mk_counters(s.before, port(s.before, 1, 5));
	mk_counters(s.now, port(s.now, 1, 5));
	count(s.now, 1, 5, IBC_SYMBOL_ERROR, 1);
	rep = report_of_pair(s, "counters", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "at leaf01/5"));
	expect_of(rep, "warning leaf01/5: SymbolErrorCounter rose by 1 in 1 h\n");
}

static void errors_on_most_cables_of_a_device_blame_the_device(void **state)
{
	struct pair s = leaves(5);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		count(s.now, i == 2 ? host(2) : 1, i == 2 ? 1 : i, IBC_SYMBOL_ERROR, 20);
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 3);
	assert_int_equal(ibc_report_finding(rep, 0)->related[1].subject.near.guid, 1);
	expect_of(rep,
	          "critical leaf01: SymbolErrorCounter rose on 3 of its 5 cables, by 60 in 1 h\n");
}

static void errors_on_half_of_the_cables_are_those_of_cables(void **state)
{
	struct pair s = leaves(6);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		count(s.now, 1, i, IBC_LINK_ERROR_RECOVERY, 1);
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_count(rep, IBC_WARNING), 3);
	ibc_report_free(rep);
}

/* ---- how much is too much ---- */

static void symbol_errors_of_old_links_are_held_against_their_bit_error_rate(void **state)
{
	static const struct {
		uint64_t errors;
		const char *severity;
	} cases[] = {
		{ 115, NULL }, { 116, "warning" }, { 1151, "warning" }, { 1152, "critical" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair s = leaves(1);
		const struct ibc_finding *f;
		struct ibc_report *rep;

		port(s.now, 1, 1)->speed_active = IBC_SPEED_QDR;
		port(s.now, host(1), 1)->speed_active = IBC_SPEED_QDR;
		count(s.now, 1, 1, IBC_SYMBOL_ERROR, cases[i].errors);
		rep = report_of_pair(s, "counters", NULL);
		f = ibc_report_finding(rep, 0);
		assert_int_equal(f != NULL, cases[i].severity != NULL);
		if (f)
			assert_string_equal(ibc_severity_word(f->severity)->word,
			                    cases[i].severity);
		ibc_report_free(rep);
	}
}

static void a_link_of_unknown_rate_is_held_to_the_stricter_limit(void **state)
{
	struct pair s = leaves(1);

	(void)state;
	port(s.now, 1, 1)->speed_active = 0;
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 1);
	expect_pair(s, "counters",
	            "warning leaf01/1 - host01 mlx5_0/1: SymbolErrorCounter rose by 1 at leaf01/1, "
	            "0 at host01 mlx5_0/1 in 1 h\n");
}

static void few_events_in_a_short_time_make_no_rate(void **state)
{
	struct pair s = leaves(1);

	(void)state;
	s.now.subnet->time = s.before.subnet->time + 10;
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 9);        /* 3240 an hour */
	count(s.now, 1, 1, IBC_LINK_ERROR_RECOVERY, 2); /* 720 an hour */
	expect_pair(s, "counters",
	            "warning leaf01/1 - host01 mlx5_0/1: LinkErrorRecoveryCounter rose by 2 at "
	            "leaf01/1, 0 at host01 mlx5_0/1 in 10 s\n"
	            "warning leaf01/1 - host01 mlx5_0/1: SymbolErrorCounter rose by 9 at leaf01/1, "
	            "0 at host01 mlx5_0/1 in 10 s\n");
}

static void many_events_in_a_short_time_do(void **state)
{
	struct pair s = leaves(1);

	(void)state;
	s.now.subnet->time = s.before.subnet->time + 10;
	port(s.now, 1, 1)->speed_active = IBC_SPEED_QDR;
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 10); /* 3600 an hour, more than 1152 */
	expect_pair(s, "counters",
	            "critical leaf01/1 - host01 mlx5_0/1: SymbolErrorCounter rose by 10 at "
	            "leaf01/1, 0 at host01 mlx5_0/1 in 10 s\n");
}

static void an_event_in_two_days_is_less_than_one_an_hour(void **state)
{
	struct pair s = leaves(1);

	(void)state;
	s.now.subnet->time = s.before.subnet->time + 48 * HOUR;
	count(s.now, 1, 1, IBC_LINK_ERROR_RECOVERY, 40);
	expect_pair(s, "counters", "");
	s = leaves(1);
	s.now.subnet->time = s.before.subnet->time + 48 * HOUR;
	count(s.now, 1, 1, IBC_LINK_ERROR_RECOVERY, 48);
	expect_pair(s, "counters",
	            "warning leaf01/1 - host01 mlx5_0/1: LinkErrorRecoveryCounter rose by 48 at "
	            "leaf01/1, 0 at host01 mlx5_0/1 in 2 days\n");
}

/* ---- received, and of no use ---- */

static struct ibc_report *report_of_details(enum ibc_counter detail)
{
	struct pair s = leaves(2);

	counters_of(s.before, 1, 1)->known &= (1u << IBC_LOCAL_PHYSICAL) - 1;
	count(s.now, 1, 1, IBC_RCV_ERRORS, 5);
	count(s.now, 1, 1, detail, 5);
	return report_of_pair(s, "counters", NULL);
}

static void the_details_of_receive_errors_choose_the_advice(void **state)
{
	static const struct {
		enum ibc_counter detail;
		const char *advice;
	} cases[] = {
		{ IBC_LOCAL_PHYSICAL, "Only leaf01/1 receives damaged data" },
		{ IBC_MALFORMED_PACKET, "malformed" },
		{ IBC_BUFFER_OVERRUN, "credits" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibc_report *rep = report_of_details(cases[i].detail);

		assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, cases[i].advice));
		assert_null(ibc_report_finding(rep, 1));
		ibc_report_free(rep);
	}
}

static void relay_errors_count_where_their_details_blame(void **state)
{
	struct pair s = leaves(2);

	(void)state;
	count(s.now, 1, 1, IBC_RCV_SWITCH_RELAY, 9);
	count(s.now, 1, 1, IBC_DLID_MAPPING, 2);
	count(s.now, 1, 1, IBC_LOOPING, 3);
	expect_pair(s, "counters",
	            "warning leaf01/1: received packets it could not forward in 1 h: 2 to a LID "
	            "without a route, 3 whose route leads back out of the port they came from\n");
}

static void an_overrun_is_a_matter_of_credits(void **state)
{
	struct pair s = leaves(2);
	struct ibc_report *rep;

	(void)state;
	count(s.now, host(1), 1, IBC_EXCESSIVE_BUFFER_OVERRUN, 1);
	rep = report_of_pair(s, "counters", NULL);
	assert_non_null(
	    strstr(ibc_report_finding(rep, 0)->advice, "host01 mlx5_0/1 received more"));
	ibc_report_free(rep);
}

/* ---- damage that went on ---- */

/* host01 - leaf01 - spine01 - leaf02 - host02 */
static struct mkfab mk_chain(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "leaf01", 4);
	mk_switch(m, 2, "spine01", 4);
	mk_switch(m, 3, "leaf02", 4);
	mk_ca(m, host(1), "host01 mlx5_0", 1);
	mk_ca(m, host(2), "host02 mlx5_0", 1);
	cable(m, 1, 1, host(1), 1);
	cable(m, 1, 2, 2, 1);
	cable(m, 2, 2, 3, 2);
	cable(m, 3, 1, host(2), 1);
	return m;
}

static void marked_packets_are_followed_to_where_they_were_damaged(void **state)
{
	struct pair s = mk_pair(mk_chain(), mk_chain());
	const struct ibc_finding *f;
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 1, IBC_RCV_ERRORS, 5); /* from host01 */
	count(s.now, 2, 1, IBC_RCV_REMOTE_PHYSICAL, 4);
	count(s.now, 3, 2, IBC_RCV_REMOTE_PHYSICAL, 3);
	count(s.now, host(2), 1, IBC_RCV_REMOTE_PHYSICAL, 2);
	rep = report_of_pair(s, "counters.remote-physical", NULL);
	f = ibc_report_finding(rep, 0);
	assert_int_equal(f->num_related, 3);
	assert_int_equal(f->related[0].role, IBC_ROLE_VICTIM);
	expect_of(rep, "warning leaf01/1 - host01 mlx5_0/1: packets that arrive damaged at "
	               "leaf01/1 were forwarded to 3 ports: 9 in 1 h\n");
}

static void damage_does_not_travel_upstream(void **state)
{
	struct pair s = mk_pair(mk_chain(), mk_chain());

	(void)state;
	count(s.now, 3, 2, IBC_SYMBOL_ERROR, 1); /* at leaf02, from spine01 */
	count(s.now, 2, 1, IBC_RCV_REMOTE_PHYSICAL, 4);
	expect_pair(s, "counters.remote-physical",
	            "warning spine01/1: received 4 packets in 1 h that were damaged upstream, but "
	            "no upstream port reports errors\n");
}

/* What came in at a port never leaves by it. */
static void damage_does_not_go_back_where_it_came_in(void **state)
{
	struct pair s = mk_pair(mk_chain(), mk_chain());

	(void)state;
	count(s.now, 3, 2, IBC_SYMBOL_ERROR, 1); /* at leaf02, from spine01 */
	count(s.now, 2, 2, IBC_RCV_REMOTE_PHYSICAL, 4);
	expect_pair(s, "counters.remote-physical",
	            "warning spine01/2: received 4 packets in 1 h that were damaged upstream, but "
	            "no upstream port reports errors\n");
}

/* ---- links that went down ---- */

static void a_link_that_went_down_once_is_a_warning(void **state)
{
	struct pair s = leaves(3);

	(void)state;
	count(s.now, 1, 2, IBC_LINK_DOWNED, 1);
	count(s.now, host(2), 1, IBC_LINK_DOWNED, 1);
	expect_pair(s, "counters",
	            "warning leaf01/2 - host02 mlx5_0/1: LinkDownedCounter rose by 1 at leaf01/2, "
	            "1 at host02 mlx5_0/1 in 1 h\n");
}

static void a_flap_is_told_once_by_whoever_runs(void **state)
{
	static const char line[] = " leaf01/2 - host02 mlx5_0/1: LinkDownedCounter rose by 4 at "
				   "leaf01/2, 0 at host02 mlx5_0/1 in 1 h\n";
	static const char *const cases[][2] = {
		{ "counters", "critical" },
		{ "counters.flap", "critical" },
		{ "counters.downed", "warning" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair s = leaves(3);
		char expected[256];

		count(s.now, 1, 2, IBC_LINK_DOWNED, 4);
		snprintf(expected, sizeof(expected), "%s%s", cases[i][1], line);
		expect_pair(s, cases[i][0], expected);
	}
}

/* A host with two adapters on a leaf, and another host. */
static struct mkfab mk_rails(void)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "leaf01", 8);
	mk_switch(m, 2, "leaf02", 8);
	for (unsigned int i = 1; i <= 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 1);
		snprintf(name, sizeof(name), "host%02u mlx5_1", i);
		mk_ca(m, host(i) + 1, name, 1);
		cable(m, 1, i, host(i), 1);
		cable(m, 2, i, host(i) + 1, 1);
	}
	return m;
}

static void all_cables_of_a_host_going_down_are_a_restart(void **state)
{
	struct pair s = mk_pair(mk_rails(), mk_rails());
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 2, IBC_LINK_DOWNED, 2);
	count(s.now, 2, 2, IBC_LINK_DOWNED, 1);
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info host02 mlx5_0: all 2 cables of host02 went down and came back: "
	               "probably a restart\n");
}

static void one_rail_of_a_host_going_down_is_not(void **state)
{
	struct pair s = mk_pair(mk_rails(), mk_rails());

	(void)state;
	count(s.now, 2, 2, IBC_LINK_DOWNED, 1);
	expect_pair(s, "counters",
	            "warning leaf02/2 - host02 mlx5_1/1: LinkDownedCounter rose by 1 at leaf02/2, "
	            "0 at host02 mlx5_1/1 in 1 h\n");
}

static void all_cables_of_a_switch_going_down_are_a_restart(void **state)
{
	struct pair s = mk_pair(mk_rails(), mk_rails());

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		count(s.now, host(i), 1, IBC_LINK_DOWNED, 1);
	expect_pair(
	    s, "counters",
	    "info leaf01: all 3 cables of leaf01 went down and came back: probably a restart\n");
}

/* Of six cables so many times each; the last one more often. */
static struct pair restarted_leaf(unsigned int times, unsigned int more)
{
	struct pair s = leaves(6);

	for (unsigned int i = 1; i <= 6; i++)
		count(s.now, 1, i, IBC_LINK_DOWNED, times + (i == 6 ? more : 0));
	return s;
}

static void what_a_restart_does_not_explain_is_the_fault_of_one_cable(void **state)
{
	static const char restart[] = "info leaf01: all 6 cables of leaf01 went down and came "
				      "back: probably a restart\n";
	static const struct {
		unsigned int times, more;
		const char *severity;
	} cases[] = { { 1, 0, NULL },      { 1, 1, NULL },       { 2, 1, "warning" },
		      { 1, 3, "warning" }, { 1, 4, "critical" }, { 2, 9, "critical" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int n = cases[i].times + cases[i].more;
		char lines[512], one[256] = "";

		if (cases[i].severity)
			snprintf(one, sizeof(one),
			         "%s leaf01/6 - host06 mlx5_0/1: LinkDownedCounter rose by %u at "
			         "leaf01/6, 0 at host06 mlx5_0/1 in 1 h; a restart explains up to "
			         "2 of them\n",
			         cases[i].severity, n);
		snprintf(lines, sizeof(lines), "%s%s", restart, one);
		expect_pair(restarted_leaf(cases[i].times, cases[i].more), "counters", lines);
	}
}

static void a_cable_between_two_that_restarted_is_innocent(void **state)
{
	struct pair s = mk_pair(mk_rails(), mk_rails());
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		count(s.now, 1, i, IBC_LINK_DOWNED, i == 2 ? 4 : 2);
	count(s.now, 2, 2, IBC_LINK_DOWNED, 2); /* host02 on both its rails */
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	ibc_report_free(rep);
}

static void a_host_of_one_cable_that_counts_anew_was_restarted(void **state)
{
	struct pair s = leaves(3);

	(void)state;
	count(s.now, 1, 2, IBC_LINK_DOWNED, 1);
	count(s.before, host(2), 1, IBC_XMIT_DATA, 1000);
	expect_pair(s, "counters.downed",
	            "info host02 mlx5_0: the cable of host02 went down, and its counters start "
	            "from 0 again: probably a restart\n");
}

static void a_host_whose_links_flap_was_not_restarted(void **state)
{
	struct pair s = mk_pair(mk_rails(), mk_rails());
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 2, IBC_LINK_DOWNED, 5);
	count(s.now, 2, 2, IBC_LINK_DOWNED, 5);
	rep = report_of_pair(s, "counters", NULL);
	assert_int_equal(ibc_report_count(rep, IBC_CRITICAL), 2);
	ibc_report_free(rep);
}

/* ---- dropped ---- */

static void discards_are_evaluated_by_their_reason(void **state)
{
	static const struct {
		enum ibc_counter detail;
		const char *line;
	} cases[] = {
		{ IBC_SW_HOQ_DISCARDS, "critical leaf01/1: discarded 20 packets in 1 h: they "
		                       "waited too long to be sent\n" },
		{ IBC_SW_LIFETIME_DISCARDS, "critical leaf01/1: discarded 20 packets in 1 h: they "
		                            "waited too long to be sent\n" },
		{ IBC_NEIGHBOR_MTU_DISCARDS, "warning leaf01/1: discarded 20 packets in 1 h: they "
		                             "are larger than the MTU of the "
		                             "link\n" },
		{ IBC_INACTIVE_DISCARDS,
		  "info leaf01/1: discarded 20 packets in 1 h because the link was down\n" },
		{ IBC_RCV_PKTS, "warning leaf01/1: discarded 20 packets in 1 h; the device does "
		                "not report the reason\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair s = leaves(2);

		count(s.now, 1, 1, IBC_XMIT_DISCARDS, 20);
		count(s.now, 1, 1, cases[i].detail, 20);
		expect_pair(s, "counters", cases[i].line);
	}
}

static void what_a_link_discards_while_it_goes_down_is_no_fault_of_its_own(void **state)
{
	struct pair s = leaves(2);
	struct ibc_report *rep;

	(void)state;
	count(s.now, 1, 1, IBC_XMIT_DISCARDS, 20);
	count(s.now, 1, 2, IBC_XMIT_DISCARDS, 20); /* stayed up */
	count(s.now, host(1), 1, IBC_LINK_DOWNED, 1);
	rep = report_of_pair(s, "counters.discards", NULL);
	expect_of(rep, "warning leaf01/2: discarded 20 packets in 1 h; the device does not report "
	               "the reason\n");
	s = leaves(2);
	count(s.now, 1, 1, IBC_XMIT_DISCARDS, 20);
	port(s.before, 1, 1)->state = IBC_STATE_INIT;
	expect_pair(s, "counters.discards", "");
	s = leaves(2);
	count(s.now, 1, 1, IBC_SYMBOL_ERROR, 100000);
	count(s.now, 1, 1, IBC_LINK_DOWNED, 1);
	rep = report_of_pair(s, "counters.symbol,counters.downed", NULL);
	assert_true(ibc_report_count(rep, IBC_CRITICAL) + ibc_report_count(rep, IBC_WARNING));
	ibc_report_free(rep);
}

static void discards_of_several_reasons_are_one_finding_of_the_worst(void **state)
{
	struct pair s = leaves(2);

	(void)state;
	count(s.now, 1, 1, IBC_XMIT_DISCARDS, 120);
	count(s.now, 1, 1, IBC_INACTIVE_DISCARDS, 100);
	count(s.now, 1, 1, IBC_SW_HOQ_DISCARDS, 3);
	expect_pair(
	    s, "counters",
	    "warning leaf01/1: discarded 3 packets in 1 h: they waited too long to be sent\n");
}

static void both_directions_of_constraint_errors_add_up(void **state)
{
	struct pair s = leaves(2);

	(void)state;
	count(s.now, 1, 1, IBC_XMIT_CONSTRAINT, 2);
	count(s.now, 1, 1, IBC_RCV_CONSTRAINT, 3);
	expect_pair(s, "counters",
	            "critical leaf01/1: dropped 5 packets in 1 h: their P_Key is of no partition "
	            "that this link carries\n");
}

static void management_packets_that_we_asked_for_again_are_not_counted(void **state)
{
	struct pair s = leaves(2);

	(void)state;
	s.now.subnet->sweep.retried = 30;
	s.before.subnet->sweep.timed_out = 30;
	count(s.now, 1, 1, IBC_VL15_DROPPED, 109);
	expect_pair(s, "counters", "");
	s = leaves(2);
	s.now.subnet->sweep.retried = 60;
	count(s.now, 1, 1, IBC_VL15_DROPPED, 110);
	expect_pair(s, "counters", "warning leaf01/1: dropped 110 management packets in 1 h\n");
}

/* ---- the counters themselves ---- */

static void a_full_counter_is_a_warning_without_any_time(void **state)
{
	struct mkfab m = mk_leaf(3);

	(void)state;
	mk_all_counting(m);
	counters_of(m, 1, 1)->saturated = 1u << IBC_RCV_ERRORS | 1u << IBC_XMIT_DATA;
	counters_of(m, 1, 2)->saturated = 1u << IBC_XMIT_DATA;
	expect(m, "counters.saturated",
	       "info fabric: 2 ports have 32-bit traffic counters at their maximum: PortXmitData\n"
	       "warning leaf01/1: has counters at their maximum, which no longer rise: "
	       "PortRcvErrors\n");
}

static void full_counters_of_many_ports_are_one_finding(void **state)
{
	struct mkfab m = mk_leaf(9);

	(void)state;
	mk_all_counting(m);
	for (unsigned int i = 1; i <= 9; i++)
		counters_of(m, 1, i)->saturated = 1u << (i % 2 ? IBC_RCV_ERRORS : IBC_SYMBOL_ERROR);
	expect(m, "counters.saturated",
	       "warning fabric: 9 ports have counters at their maximum, which no longer rise: "
	       "SymbolErrorCounter, PortRcvErrors\n");
}

static void what_a_full_counter_rose_by_is_a_lower_bound(void **state)
{
	struct pair s = leaves(1);

	(void)state;
	count(s.now, 1, 1, IBC_RCV_ERRORS, 65535);
	counters_of(s.now, 1, 1)->saturated = 1u << IBC_RCV_ERRORS;
	expect_pair(s, "counters.rcv-errors",
	            "critical leaf01/1 - host01 mlx5_0/1: PortRcvErrors rose by at least 65535 at "
	            "leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

static void a_counter_that_went_backwards_was_cleared(void **state)
{
	struct pair s = leaves(3);
	struct ibc_report *rep;

	(void)state;
	count(s.before, 1, 1, IBC_RCV_ERRORS, 100);
	count(s.now, 1, 1, IBC_RCV_ERRORS, 2);
	rep = report_of_pair(s, "counters", NULL);
	expect_of(rep, "info leaf01/1: was cleared by another program, or restarted, since the "
	               "earlier sweep: PortRcvErrors\n"
	               "warning leaf01/1 - host01 mlx5_0/1: PortRcvErrors rose by at least 2 at "
	               "leaf01/1, 0 at host01 mlx5_0/1 in 1 h\n");
}

static void a_fabric_that_somebody_cleared_is_one_note(void **state)
{
	struct pair s = leaves(9);

	(void)state;
	for (unsigned int i = 1; i <= 9; i++)
		count(s.before, 1, i, i % 2 ? IBC_RCV_PKTS : IBC_XMIT_PKTS, 100);
	expect_pair(s, "counters",
	            "info fabric: 9 ports were cleared by another program since the earlier sweep: "
	            "PortXmitPkts, PortRcvPkts\n");
}

/* ---- without memory ---- */

static bool runs_with_memory_for(const struct ibc_input *in, unsigned long n)
{
	struct ibc_report *rep;
	bool well;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	alloc_fail_at(n);
	well = ibc_check_run(in, "counters", rep, NULL) == 0;
	well = ibc_report_finish(rep, NULL) == 0 && well;
	alloc_fail_at(0);
	assert_true(well || ibc_report_verdict(rep) >= IBC_UNKNOWN);
	ibc_report_free(rep);
	return well;
}

static void without_memory_a_run_fails_and_never_says_ok(void **state)
{
	struct pair s = mk_pair(mk_chain(), mk_chain());
	struct ibc_fabric *before, *now;
	struct ibc_input in;
	unsigned long n = 1;

	(void)state;
	count(s.now, 1, 1, IBC_RCV_ERRORS, 5);
	count(s.now, 2, 1, IBC_RCV_REMOTE_PHYSICAL, 4);
	count(s.now, 2, 2, IBC_LINK_DOWNED, 1);
	count(s.now, 3, 2, IBC_XMIT_DISCARDS, 5);
	load(s, 3, 1, 10, 40);
	before = done(s.before);
	now = done(s.now);
	in = (struct ibc_input){ .fabric = now, .before = before };
	while (!runs_with_memory_for(&in, n))
		n++;
	assert_true(n > 40);
	ibc_fabric_free(before);
	ibc_fabric_free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_that_stand_still_give_no_finding),
		cmocka_unit_test(each_check_is_raised_by_its_counter_and_by_nothing_else),
		cmocka_unit_test(errors_of_a_cable_that_was_exchanged_do_not_blame_the_new_one),
		cmocka_unit_test(errors_of_a_cable_with_another_serial_number_say_so),
		cmocka_unit_test(overruns_and_lost_integrity_are_named_by_their_counters),
		cmocka_unit_test(
		    without_an_earlier_sweep_totals_are_not_evaluated_and_that_is_said_once),
		cmocka_unit_test(other_groups_say_nothing_of_totals),
		cmocka_unit_test(totals_above_their_limits_name_the_cable_and_no_rate),
		cmocka_unit_test(totals_up_to_their_limits_are_one_line),
		cmocka_unit_test(totals_of_a_host_that_restarted_blame_no_cable),
		cmocka_unit_test(totals_of_links_between_switches_that_go_down_name_them),
		cmocka_unit_test(a_switch_that_restarted_often_is_no_bad_cable),
		cmocka_unit_test(totals_are_no_gap_where_nobody_asks_for_them),
		cmocka_unit_test(errors_at_one_end_blame_the_other),
		cmocka_unit_test(errors_at_the_far_end_blame_the_near_one),
		cmocka_unit_test(errors_at_both_ends_blame_the_cable),
		cmocka_unit_test(an_end_that_does_not_tell_is_not_taken_for_clean),
		cmocka_unit_test(a_port_without_known_peer_is_evaluated_alone),
		cmocka_unit_test(errors_on_most_cables_of_a_device_blame_the_device),
		cmocka_unit_test(errors_on_half_of_the_cables_are_those_of_cables),
		cmocka_unit_test(symbol_errors_of_old_links_are_held_against_their_bit_error_rate),
		cmocka_unit_test(a_link_of_unknown_rate_is_held_to_the_stricter_limit),
		cmocka_unit_test(few_events_in_a_short_time_make_no_rate),
		cmocka_unit_test(many_events_in_a_short_time_do),
		cmocka_unit_test(an_event_in_two_days_is_less_than_one_an_hour),
		cmocka_unit_test(the_details_of_receive_errors_choose_the_advice),
		cmocka_unit_test(relay_errors_count_where_their_details_blame),
		cmocka_unit_test(an_overrun_is_a_matter_of_credits),
		cmocka_unit_test(marked_packets_are_followed_to_where_they_were_damaged),
		cmocka_unit_test(damage_does_not_travel_upstream),
		cmocka_unit_test(damage_does_not_go_back_where_it_came_in),
		cmocka_unit_test(a_link_that_went_down_once_is_a_warning),
		cmocka_unit_test(a_flap_is_told_once_by_whoever_runs),
		cmocka_unit_test(all_cables_of_a_host_going_down_are_a_restart),
		cmocka_unit_test(one_rail_of_a_host_going_down_is_not),
		cmocka_unit_test(all_cables_of_a_switch_going_down_are_a_restart),
		cmocka_unit_test(what_a_restart_does_not_explain_is_the_fault_of_one_cable),
		cmocka_unit_test(a_cable_between_two_that_restarted_is_innocent),
		cmocka_unit_test(a_host_of_one_cable_that_counts_anew_was_restarted),
		cmocka_unit_test(a_host_whose_links_flap_was_not_restarted),
		cmocka_unit_test(discards_are_evaluated_by_their_reason),
		cmocka_unit_test(what_a_link_discards_while_it_goes_down_is_no_fault_of_its_own),
		cmocka_unit_test(discards_of_several_reasons_are_one_finding_of_the_worst),
		cmocka_unit_test(both_directions_of_constraint_errors_add_up),
		cmocka_unit_test(management_packets_that_we_asked_for_again_are_not_counted),
		cmocka_unit_test(a_full_counter_is_a_warning_without_any_time),
		cmocka_unit_test(full_counters_of_many_ports_are_one_finding),
		cmocka_unit_test(what_a_full_counter_rose_by_is_a_lower_bound),
		cmocka_unit_test(a_counter_that_went_backwards_was_cleared),
		cmocka_unit_test(a_fabric_that_somebody_cleared_is_one_note),
		cmocka_unit_test(without_memory_a_run_fails_and_never_says_ok),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
