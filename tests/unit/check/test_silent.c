/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings.h"

/* A trained link of the leaf behind which nobody answers. */
static void silent_peer(struct mkfab m, uint64_t guid, unsigned int num, enum answer outcome)
{
	mk_active(port(m, guid, num));
	answers_put(port(m, guid, num), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	answers_put(port(m, guid, num), IBC_ATTR_NODE_INFO, outcome);
}

static uint64_t told(const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	uint64_t sum = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		sum += f->unanswered;
	return sum;
}

static void silence_is_unknown_not_ok(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	silent_peer(m, 1, 4, ANSWER_NONE);
	rep = report_of(m, "port", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_int_equal(told(rep), 1);
	expect_of(rep, "unknown leaf01/4: is LinkUp, its peer does not answer\n");
}

static void silence_is_unknown_even_if_nobody_looks_for_it(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	silent_peer(m, 1, 4, ANSWER_NONE);
	rep = report_of(m, "port.width", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "");
}

static void a_peer_that_refuses_is_said_to_refuse(void **state)
{
	struct mkfab m = mk_leaf(2);

	(void)state;
	silent_peer(m, 1, 4, ANSWER_REFUSED);
	silent_peer(m, 1, 5, ANSWER_NONE);
	answers_put(port(m, 1, 5), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	expect(m, "port.silent",
	       "unknown leaf01/4: is LinkUp, its peer refuses NodeInfo\n"
	       "unknown leaf01/5: does not answer PortInfo\n"
	       "unknown leaf01/5: has a link, its peer does not answer\n");
}

static void what_a_device_does_not_have_is_no_silence(void **state)
{
	struct mkfab m = mk_leaf(2);
	struct ibc_report *rep;

	(void)state;
	answers_put(port(m, 1, 1), IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_UNSUPPORTED);
	rep = report_of(m, "port", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static struct ibc_report *report_of_silent_peers(unsigned int n)
{
	struct mkfab m = mkfab();

	mk_switch(m, 1, "leaf01", 40);
	for (unsigned int num = 1; num <= n; num++)
		silent_peer(m, 1, num < 10 ? num : num + 3, ANSWER_NONE);
	return report_of(m, "port.silent", NULL);
}

static void each_of_many_silent_peers_of_one_switch_is_a_finding(void **state)
{
	struct ibc_report *rep = report_of_silent_peers(21);

	(void)state;
	assert_int_equal(told(rep), 21);
	assert_non_null(ibc_report_finding(rep, 20));
	assert_int_equal(ibc_report_finding(rep, 20)->subject.near.port, 24);
	ibc_report_free(rep);
}

/* Four leaves with a host each, cabled to two spines, of which some do not answer. */
static struct mkfab two_levels(unsigned int silent_spines)
{
	struct mkfab m = mkfab();
	char name[32];

	mk_switch(m, 0x51, "spine01", 8);
	mk_switch(m, 0x52, "spine02", 8);
	for (unsigned int i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(m, i, name, 8);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 1);
		cable(m, i, 1, host(i), 1);
		for (unsigned int spine = 1; spine <= 2; spine++) {
			if (spine <= silent_spines)
				silent_peer(m, i, 4 + spine, ANSWER_NONE);
			else
				cable(m, i, 4 + spine, 0x50 + spine, i);
		}
	}
	return m;
}

static void a_silent_switch_is_one_finding(void **state)
{
	struct ibc_report *rep = report_of(two_levels(1), "port.silent", NULL);

	(void)state;
	assert_int_equal(told(rep), 4);
	assert_int_equal(ibc_report_finding(rep, 0)->num_related, 3);
	expect_of(rep, "unknown leaf01/5: is LinkUp, its peer does not answer; the same at port 5 "
	               "of 4 switches: probably one silent switch\n");
}

static void two_silent_switches_are_two_findings(void **state)
{
	(void)state;
	expect(two_levels(2), "port.silent",
	       "unknown leaf01/5: is LinkUp, its peer does not answer; the same at port 5 of 4 "
	       "switches: probably one silent switch\n"
	       "unknown leaf01/6: is LinkUp, its peer does not answer; the same at port 6 of 4 "
	       "switches: probably one silent switch\n");
}

/* The way to who answers half may lead over the switch that hangs. */
static void no_reset_is_advised_while_a_switch_hangs(void **state)
{
	struct mkfab m = two_levels(1);
	struct ibc_report *rep;
	const struct ibc_finding *f;
	size_t led = 0;

	(void)state;
	answers_put(fabric_build_find(m.b, m.subnet, 2), IBC_ATTR_NODE_DESC, ANSWER_NONE);
	port(m, 3, 0)->lid = 3;
	answers_put(port(m, 3, 0), IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
	rep = report_of(m, "port.silent,counters.silent", NULL);
	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		assert_null(strstr(f->advice, "reset"));
		led += !strncmp(f->advice, "May follow from what is behind leaf01/5", 39);
	}
	assert_int_equal(led, 2);
	ibc_report_free(rep);
}

/* As many hosts, or a switch that nobody has seen: hosts beside them say nothing of it. */
static void a_silent_number_beside_hosts_is_no_switch(void **state)
{
	struct mkfab m = two_levels(0);

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		silent_peer(m, i, 2, ANSWER_NONE);
	expect(m, "port.silent",
	       "unknown leaf01/2: is LinkUp, its peer does not answer\n"
	       "unknown leaf02/2: is LinkUp, its peer does not answer\n"
	       "unknown leaf03/2: is LinkUp, its peer does not answer\n");
}

static void silent_hosts_are_not_taken_for_one_switch(void **state)
{
	struct mkfab m = two_levels(0);

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		silent_peer(m, i, 2, ANSWER_NONE);
	mk_ca(m, 0x900, "host09 mlx5_0", 1);
	cable(m, 4, 2, 0x900, 1);
	silent_peer(m, 1, 3, ANSWER_NONE);
	silent_peer(m, 2, 3, ANSWER_NONE);
	silent_peer(m, 3, 4, ANSWER_NONE);
	silent_peer(m, 4, 4, ANSWER_REFUSED);
	silent_peer(m, 2, 4, ANSWER_NONE);
	expect(m, "port.silent",
	       "unknown leaf01/2: is LinkUp, its peer does not answer\n"
	       "unknown leaf01/3: is LinkUp, its peer does not answer\n"
	       "unknown leaf02/2: is LinkUp, its peer does not answer\n"
	       "unknown leaf02/3: is LinkUp, its peer does not answer\n"
	       "unknown leaf02/4: is LinkUp, its peer does not answer\n"
	       "unknown leaf03/2: is LinkUp, its peer does not answer\n"
	       "unknown leaf03/4: is LinkUp, its peer does not answer\n"
	       "unknown leaf04/4: is LinkUp, its peer refuses NodeInfo\n");
}

static void a_silent_leaf_is_seen_from_its_spines(void **state)
{
	struct mkfab m = mkfab();
	char name[32];

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		snprintf(name, sizeof(name), "spine%02u", i);
		mk_switch(m, 0x50 + i, name, 8);
		silent_peer(m, 0x50 + i, 3, ANSWER_NONE);
	}
	for (unsigned int i = 1; i <= 2; i++) {
		snprintf(name, sizeof(name), "leaf%02u", i);
		mk_switch(m, i, name, 8);
		snprintf(name, sizeof(name), "host%02u mlx5_0", i);
		mk_ca(m, host(i), name, 1);
		cable(m, i, 3, host(i), 1);
		cable(m, i, 5, 0x51, i);
		cable(m, i, 6, 0x52, i);
	}
	expect(m, "port.silent",
	       "unknown spine01/3: is LinkUp, its peer does not answer; the same at port 3 of 2 "
	       "switches: probably one silent switch\n");
}

static void a_node_that_answers_little_is_one_finding(void **state)
{
	struct mkfab m = mk_leaf(4);
	struct ibc_report *rep;

	(void)state;
	answers_put(fabric_build_find(m.b, m.subnet, 1), IBC_ATTR_NODE_DESC, ANSWER_NONE);
	for (unsigned int num = 1; num <= 4; num++)
		answers_put(port(m, 1, num), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	answers_put(port(m, 1, 1), IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_NONE);
	rep = report_of(m, "port.silent", NULL);
	assert_int_equal(told(rep), 6);
	expect_of(rep, "unknown leaf01: does not answer NodeDescription, 4 of PortInfo, "
	               "MlnxExtPortInfo\n");
}

static void one_without_a_name_is_named_by_the_port_before_it(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	mk_ca(m, 0x900, "", 1);
	cable(m, 1, 3, 0x900, 1);
	answers_put(fabric_build_find(m.b, m.subnet, 0x900), IBC_ATTR_NODE_DESC, ANSWER_NONE);
	rep = report_of(m, "port.silent", NULL);
	assert_int_equal(ibc_report_finding(rep, 0)->related[0].subject.near.port, 3);
	expect_of(rep, "unknown 0x0000000000000900: does not answer NodeDescription; it is behind "
	               "leaf01/3\n");
}

static void a_port_that_does_not_answer_is_named(void **state)
{
	struct mkfab m = mk_leaf(4);

	(void)state;
	answers_put(port(m, 1, 3), IBC_ATTR_PORT_INFO, ANSWER_NONE);
	answers_put(port(m, 1, 3), IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_NONE);
	answers_put(port(m, host(2), 1), IBC_ATTR_PORT_INFO, ANSWER_REFUSED);
	answers_put(port(m, host(4), 1), IBC_ATTR_PORT_INFO, ANSWER_REFUSED);
	answers_put(port(m, host(4), 1), IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_NONE);
	expect(m, "port.silent",
	       "unknown leaf01/3: does not answer PortInfo, MlnxExtPortInfo\n"
	       "unknown host02 mlx5_0/1: refuses PortInfo\n"
	       "unknown host04 mlx5_0/1: does not answer, or refuses, PortInfo, MlnxExtPortInfo\n");
}

static void a_probe_of_a_known_peer_is_not_a_silent_peer(void **state)
{
	struct mkfab m = mk_leaf(1);

	(void)state;
	answers_put(port(m, 1, 1), IBC_ATTR_NODE_INFO, ANSWER_NONE);
	expect(m, "port.silent", "unknown leaf01/1: does not answer NodeInfo\n");
}

static void a_kernel_that_does_not_tell_is_not_said_to_want_a_key(void **state)
{
	struct mkfab m = mk_leaf(1);
	struct ibc_report *rep;

	(void)state;
	m.subnet->local = true;
	port(m, 1, 1)->answers.answered = 0;
	rep = report_of(m, "port.silent", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "dmesg"));
	assert_null(strstr(ibc_report_finding(rep, 0)->advice, "-y"));
	ibc_report_free(rep);
}

static void a_deadline_is_one_finding(void **state)
{
	struct mkfab m = mk_leaf(3);
	struct ibc_report *rep;

	(void)state;
	m.subnet->cut_short = true;
	m.subnet->not_asked = 1234;
	m.subnet->sweep.timed_out = 5;
	m.subnet->sweep.refused = 2;
	rep = report_of(m, "port.silent", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_int_equal(told(rep), 1234);
	expect_of(rep, "unknown fabric: the deadline ended the sweep: 1234 queries were not sent, "
	               "7 timed out\n");
}

static void a_deadline_before_the_first_answer_is_unknown(void **state)
{
	struct mkfab m = mkfab(), second = mk_subnet(m, "umad:mlx5_1");
	struct ibc_report *rep;

	(void)state;
	second.subnet->cut_short = true;
	second.subnet->not_asked = 1;
	rep = report_of(m, "port", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "unknown fabric: umad:mlx5_1: the deadline ended the sweep: 1 query was not "
	               "sent, 0 timed out\n");
}

/* ---- nothing is forgotten, whatever the answers were ---- */

static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void answer_at_random(struct ibc_answers *a, const uint64_t bits[IBC_ATTR_COUNT],
                             uint32_t *seed)
{
	const struct ibc_attrs always = ibc_attrs_of_group(IBC_ATTRS_ALWAYS);

	*a = (struct ibc_answers){ 0 };
	for (enum ibc_attr attr = 0; (attr = ibc_attrs_next(always, attr));) {
		uint64_t *const sets[] = { NULL, &a->answered, &a->unsupported, &a->refused };
		uint64_t *set;

		if (random_next(seed) % 4 == 0)
			continue;
		set = sets[random_next(seed) % 4];
		a->asked |= bits[attr];
		if (set)
			*set |= bits[attr];
	}
}

static struct ibc_fabric *random_fabric(uint32_t *seed)
{
	unsigned int hosts = 1 + random_next(seed) % 40;
	struct mkfab m = mk_leaf(hosts);

	for (unsigned int i = 0; i <= hosts; i++) {
		struct ibc_node *n = fabric_build_find(m.b, m.subnet, i ? host(i) : 1);

		answer_at_random(&n->answers, attr_node_bits, seed);
		for (unsigned int num = i ? 1 : 0; num <= n->num_ports; num++)
			answer_at_random(&port(m, n->guid, num)->answers, attr_port_bits, seed);
	}
	m.subnet->not_asked = random_next(seed) % 3;
	m.subnet->cut_short = m.subnet->not_asked > 0;
	return done(m);
}

static uint64_t gap_of(const struct ibc_fabric *fab)
{
	uint64_t gap = ibc_fabric_subnet(fab, 0)->not_asked;

	for (enum ibc_attr a = 0; a < IBC_ATTR_COUNT; a++) {
		struct ibc_coverage c = ibc_fabric_coverage(fab, a);

		gap += c.timed_out + c.refused;
	}
	return gap;
}

static void every_query_without_answer_is_told_of_once(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct ibc_fabric *fab = random_fabric(&seed);
		struct ibc_input in = { .fabric = fab };
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		assert_int_equal(ibc_check_run(&in, "port.silent", rep, NULL), 0);
		assert_int_equal(ibc_report_finish(rep, NULL), 0);
		assert_int_equal(told(rep), gap_of(fab));
		assert_int_equal(ibc_report_verdict(rep), gap_of(fab) ? IBC_UNKNOWN : IBC_OK);
		ibc_report_free(rep);
		ibc_fabric_free(fab);
	}
}

static void whatever_was_answered_no_check_trips_over_it(void **state)
{
	uint32_t seed = 99;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct ibc_fabric *fab = random_fabric(&seed);
		struct ibc_input in = { .fabric = fab };
		struct ibc_report *rep;

		assert_int_equal(ibc_report_new(&rep, NULL), 0);
		assert_int_equal(ibc_check_run(&in, NULL, rep, NULL), 0);
		assert_int_equal(ibc_report_finish(rep, NULL), 0);
		assert_true(!gap_of(fab) || ibc_report_verdict(rep) >= IBC_UNKNOWN);
		ibc_report_free(rep);
		ibc_fabric_free(fab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_unknown_not_ok),
		cmocka_unit_test(silence_is_unknown_even_if_nobody_looks_for_it),
		cmocka_unit_test(a_peer_that_refuses_is_said_to_refuse),
		cmocka_unit_test(what_a_device_does_not_have_is_no_silence),
		cmocka_unit_test(each_of_many_silent_peers_of_one_switch_is_a_finding),
		cmocka_unit_test(a_silent_switch_is_one_finding),
		cmocka_unit_test(two_silent_switches_are_two_findings),
		cmocka_unit_test(no_reset_is_advised_while_a_switch_hangs),
		cmocka_unit_test(a_silent_number_beside_hosts_is_no_switch),
		cmocka_unit_test(silent_hosts_are_not_taken_for_one_switch),
		cmocka_unit_test(a_silent_leaf_is_seen_from_its_spines),
		cmocka_unit_test(a_node_that_answers_little_is_one_finding),
		cmocka_unit_test(one_without_a_name_is_named_by_the_port_before_it),
		cmocka_unit_test(a_port_that_does_not_answer_is_named),
		cmocka_unit_test(a_probe_of_a_known_peer_is_not_a_silent_peer),
		cmocka_unit_test(a_kernel_that_does_not_tell_is_not_said_to_want_a_key),
		cmocka_unit_test(a_deadline_is_one_finding),
		cmocka_unit_test(a_deadline_before_the_first_answer_is_unknown),
		cmocka_unit_test(every_query_without_answer_is_told_of_once),
		cmocka_unit_test(whatever_was_answered_no_check_trips_over_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
