/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ibcheck/case.h>

#include "mkcount.h"
#include "mksm.h"
#include "report/report.h"

/* The node was asked, and told nothing. */
static void hush(struct mkfab m, uint64_t guid, enum answer outcome)
{
	struct ibc_node *n = fabric_build_find(m.b, m.subnet, guid);

	for (unsigned int num = 1; num <= n->num_ports; num++) {
		struct ibc_port *p = fabric_build_port(n, num);

		if (!p->counters)
			continue;
		p->counters = NULL;
		answers_put(p, IBC_ATTR_PORT_COUNTERS, outcome);
		answers_put(p, IBC_ATTR_PORT_COUNTERS_EXT, outcome);
	}
}

static struct mkfab mk_told(unsigned int hosts)
{
	struct mkfab m = mk_leaf(hosts);

	mk_all_counting(m);
	return m;
}

/* Two leaves with so many hosts each. */
static struct mkfab mk_two_leaves(unsigned int hosts)
{
	struct mkfab m = mk_leaf(hosts);
	char name[32];

	mk_switch(m, 2, "leaf02", hosts + 4);
	cable(m, 1, hosts + 1, 2, hosts + 1);
	for (unsigned int i = 1; i <= hosts; i++) {
		snprintf(name, sizeof(name), "node%02u mlx5_0", i);
		mk_ca(m, 0x400 + i * 16, name, 1);
		cable(m, 2, i, 0x400 + i * 16, 1);
	}
	mk_all_counting(m);
	return m;
}

static uint64_t told(const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	uint64_t n = 0;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++)
		n += f->unanswered;
	return n;
}

/* Silence is unknown, and every question is told of once. */
static void expect_silence(struct mkfab m, uint64_t queries, const char *lines)
{
	struct ibc_report *rep = report_of(m, "counters.silent,port.silent", NULL);

	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	assert_int_equal(told(rep), queries);
	expect_of(rep, lines);
}

static void a_silent_agent_is_unknown_not_ok(void **state)
{
	struct mkfab m = mk_told(4);

	(void)state;
	hush(m, host(2), ANSWER_NONE);
	expect_silence(m, 2, "unknown host02 mlx5_0: does not answer 2 of 3 counter queries\n");
}

static void an_agent_that_refuses_is_said_to_refuse(void **state)
{
	struct mkfab m = mk_told(4);

	(void)state;
	hush(m, host(2), ANSWER_REFUSED);
	expect_silence(m, 2, "unknown host02 mlx5_0: refuses 2 of 3 counter queries\n");
}

static void a_device_lacks_extended_counters_but_never_all(void **state)
{
	struct mkfab m = mk_told(4);
	struct ibc_node *n;

	(void)state;
	hush(m, host(2), ANSWER_UNSUPPORTED);
	n = fabric_build_find(m.b, m.subnet, host(2));
	answers_put(fabric_build_port(n, 1), IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
	expect(m, "counters.silent,port.silent", "");
	m = mk_told(4);
	hush(m, host(2), ANSWER_UNSUPPORTED);
	expect_silence(m, 1, "unknown host02 mlx5_0: refuses 1 of 3 counter queries\n");
}

static void the_agent_of_a_switch_is_one_finding(void **state)
{
	struct mkfab m = mk_told(4);

	(void)state;
	hush(m, 1, ANSWER_NONE);
	expect_silence(m, 8, "unknown leaf01: does not answer 8 of 9 counter queries\n");
}

static void all_adapters_of_a_leaf_are_one_finding_at_the_leaf(void **state)
{
	struct mkfab m = mk_two_leaves(3);

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		hush(m, host(i), ANSWER_NONE);
	expect_silence(m, 6,
	               "unknown leaf01: none of the 3 HCAs at this switch reports its counters\n");
}

static void a_leaf_that_is_silent_with_its_adapters_is_one_finding(void **state)
{
	struct mkfab m = mk_two_leaves(3);

	(void)state;
	for (unsigned int i = 1; i <= 3; i++)
		hush(m, host(i), ANSWER_NONE);
	hush(m, 1, ANSWER_NONE);
	expect_silence(m, 14,
	               "unknown leaf01: none of the 3 HCAs at this switch reports its counters, "
	               "nor does the switch\n");
}

static void a_fabric_that_tells_nothing_is_one_finding(void **state)
{
	struct mkfab m = mk_told(3);

	(void)state;
	hush(m, 1, ANSWER_NONE);
	for (unsigned int i = 1; i <= 3; i++)
		hush(m, host(i), ANSWER_NONE);
	expect_silence(m, 12, "unknown fabric: 4 of 4 devices do not report their counters\n");
}

static void without_a_lid_nothing_can_be_asked(void **state)
{
	struct mkfab m = mk_told(3);
	struct ibc_report *rep;

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		hush(m, host(i), ANSWER_NONE);
		port(m, host(i), 1)->lid = 0;
	}
	rep = report_of(m, "counters.silent", NULL);
	assert_non_null(strstr(ibc_report_finding(rep, 0)->advice, "subnet manager"));
	expect_of(rep, "unknown fabric: 2 of 4 devices do not report their counters: they have no "
	               "LID, so they were not queried\n");
	m = mk_told(3);
	hush(m, host(1), ANSWER_NONE);
	port(m, host(1), 1)->lid = 0;
	expect_silence(
	    m, 2, "unknown host01 mlx5_0: does not answer 2 of 3 counter queries: it has no LID\n");
}

static void a_local_port_without_lid_can_ask_nobody(void **state)
{
	struct mkfab m = mk_told(2);

	(void)state;
	m.subnet->origin = port(m, host(1), 1);
	port(m, host(1), 1)->lid = 0;
	hush(m, 1, ANSWER_NONE);
	for (unsigned int i = 1; i <= 2; i++)
		hush(m, host(i), ANSWER_NONE);
	expect_silence(m, 8,
	               "unknown fabric: 3 of 3 devices do not report their counters: they have no "
	               "LID, so they were not queried\n");
}

static void many_silent_agents_are_one_finding(void **state)
{
	struct mkfab m = mk_told(30);

	(void)state;
	for (unsigned int i = 1; i <= 21; i++)
		hush(m, host(i), ANSWER_NONE);
	expect_silence(m, 42, "unknown fabric: 21 of 31 devices do not report their counters\n");
}

static void counters_that_no_check_reads_are_no_gap(void **state)
{
	struct mkfab m = mk_told(3);
	struct ibc_report *rep;

	(void)state;
	hush(m, host(1), ANSWER_NONE);
	rep = report_of(m, "port.silent", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "");
}

static void counters_that_are_read_and_not_told_are_unknown_whoever_tells(void **state)
{
	struct mkfab m = mk_told(3);
	struct ibc_report *rep;

	(void)state;
	hush(m, host(1), ANSWER_NONE);
	rep = report_of(m, "counters.saturated", NULL);
	assert_int_equal(ibc_report_verdict(rep), IBC_UNKNOWN);
	expect_of(rep, "");
}

/* ---- the earlier sweep ---- */

static void a_node_that_is_new_is_a_note(void **state)
{
	struct ibc_report *rep = report_of_pair(mk_pair(mk_leaf(2), mk_leaf(3)), "counters.silent",
	                                        NULL);

	(void)state;
	assert_int_equal(ibc_report_verdict(rep), IBC_OK);
	expect_of(rep, "info fabric: new since the earlier sweep, and compared from the next one "
	               "on: 2 ports\n");
}

static void a_port_that_was_silent_before_is_unknown(void **state)
{
	struct pair s = mk_pair(mk_leaf(3), mk_leaf(3));

	(void)state;
	hush(s.before, host(1), ANSWER_NONE);
	expect_pair(s, "counters",
	            "unknown fabric: 1 port did not report counters in the earlier sweep: the "
	            "increase since then is not known\n");
}

static void a_sweep_of_the_same_time_cannot_be_compared_with(void **state)
{
	struct pair s = mk_pair(mk_leaf(1), mk_leaf(1));

	(void)state;
	s.now.subnet->time = s.before.subnet->time;
	expect_pair(
	    s, "counters.silent",
	    "unknown fabric: the earlier sweep is not older than this one: 2 ports cannot be "
	    "compared\n");
}

static void what_was_read_once_of_twice_is_unknown(void **state)
{
	const struct ibc_counters all = { .known = UINT32_MAX },
				  traffic = { .known = 1u << IBC_XMIT_DATA };
	struct mkfab m = mk_leaf(1);
	struct ibc_input in = { 0 };
	struct ibc_report *rep;

	(void)state;
	mk_all_counting(m);
	m.subnet->read_twice = true;
	port_extra(port(m, 1, 1))->rose = &traffic;
	port_extra(port(m, host(1), 1))->rose = &all;
	in.fabric = in.before = done(m);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, "counters.silent", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_fabric_free((struct ibc_fabric *)in.fabric);
	expect_of(rep,
	          "unknown fabric: 1 port reported error counters in one of two readings only: "
	          "by how much they rose is not known\n");
}

static void a_misfit_is_told_once(void **state)
{
	struct pair s = mk_pair(mk_leaf(1), mk_leaf(1));
	struct ibc_report *rep;

	(void)state;
	s.now.subnet->time = s.before.subnet->time - 10;
	rep = report_of_pair(s, "counters", NULL);
	assert_string_equal(ibc_report_finding(rep, 0)->check, "counters.state");
	assert_null(ibc_report_finding(rep, 1));
	ibc_report_free(rep);
}

/* ---- partitions ---- */

static const uint16_t limited[] = { 0x7fff }, full[] = { 0xffff }, other[] = { 0x8001 },
		      mixed[] = { 0x8001, 0xffff };

static void hush_all(struct mkfab m, uint64_t guid)
{
	hush(m, guid, ANSWER_NONE);
	answers_put(fabric_build_find(m.b, m.subnet, guid), IBC_ATTR_PORT_SAMPLES_CONTROL,
	            ANSWER_NONE);
}

/* Swept from host01, to which so many others are silent, and administration, which host02 has. */
static struct mkfab mk_hushed(unsigned int hosts, unsigned int silent, const uint16_t *ours,
                              const uint16_t *theirs)
{
	struct mkfab m = mk_told(hosts);

	mk_sm(m, host(2), 10, IBC_SM_MASTER);
	mk_sa(m, host(1), port(m, host(2), 1)->lid, 0, ANSWER_NONE);
	if (ours)
		mk_pkeys(m, port(m, host(1), 1), ours, 1);
	for (unsigned int i = 2; i <= silent + 1; i++) {
		hush_all(m, host(i));
		if (theirs)
			mk_pkeys(m, port(m, host(i), 1), theirs, 1);
	}
	return m;
}

#define LIMITED                                                                                    \
	"host01 mlx5_0/1 has P_Key 0x7fff (limited) at index 0, which no limited member answers: "
#define NO_ANSWER " devices do not answer what is sent by LID\n"
#define SHUT_OUT  "sm.pkey,counters.silent,sm.sa-silent"

static void expect_cases(struct mkfab m, const char *lines)
{
	struct ibc_fabric *fab = done(m);
	struct ibc_input in = { .fabric = fab };
	struct ibc_report *rep;
	char *text;

	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, SHUT_OUT, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	text = cases_text(rep, false);
	assert_string_equal(text, lines);
	free(text);
	ibc_report_free(rep);
	ibc_fabric_free(fab);
}

static void a_limited_member_leads_where_limited_members_are_silent(void **state)
{
	struct mkfab m = mk_hushed(6, 5, limited, limited);

	(void)state;
	expect_cases(mk_hushed(6, 5, limited, limited),
	             "critical sm.pkey fabric, 1 of 7: " LIMITED "5 of 6" NO_ANSWER);
	expect_cases(mk_hushed(6, 5, limited, NULL),
	             "critical sm.pkey fabric, 1 of 7: " LIMITED "5 of 6" NO_ANSWER);
	expect_cases(mk_hushed(7, 4, limited, limited),
	             "critical sm.pkey fabric, 1 of 6: " LIMITED "4 of 7" NO_ANSWER);
	hush_all(m, 1);
	expect_cases(m, "critical sm.pkey fabric, 1 of 8: " LIMITED "6 of 6" NO_ANSWER);
}

static void administration_may_answer_as_a_full_member(void **state)
{
	struct mkfab m = mk_hushed(6, 5, limited, limited);

	(void)state;
	mk_pkeys(m, port(m, host(2), 1), full, 1);
	mk_counting(m, host(2));
	mk_sa(m, host(1), port(m, host(2), 1)->lid, 300, ANSWER_OK);
	expect_cases(m, "unknown sm.pkey fabric, 1 of 5: " LIMITED "4 of 6" NO_ANSWER);
}

static void another_partition_leads_if_all_tables_were_read(void **state)
{
	(void)state;
	expect_cases(mk_hushed(6, 5, full, other),
	             "critical sm.pkey fabric, 1 of 7: host01 mlx5_0/1 has P_Key 0xffff (full) at "
	             "index 0, which the others lack: 5 of 6" NO_ANSWER);
	expect(mk_hushed(6, 5, full, NULL), "sm.pkey", "");
}

static void no_partition_is_blamed_for(struct mkfab m)
{
	expect(m, "sm.pkey", "");
}

static void what_partitions_do_not_explain_is_none_of_theirs(void **state)
{
	struct mkfab m;

	(void)state;
	/* few of many; fewer than three; our own table was not read; one side is a full member */
	no_partition_is_blamed_for(mk_hushed(9, 3, limited, limited));
	no_partition_is_blamed_for(mk_hushed(3, 2, limited, limited));
	no_partition_is_blamed_for(mk_hushed(6, 5, NULL, limited));
	no_partition_is_blamed_for(mk_hushed(6, 5, full, limited));
	no_partition_is_blamed_for(mk_hushed(6, 5, limited, full));
	/* one of the silent is reached: it has a reason of its own, and so may the others */
	m = mk_hushed(6, 5, limited, limited);
	mk_pkeys(m, port(m, host(3), 1), mixed, 2);
	no_partition_is_blamed_for(m);
	/* one that is shut out answers: nobody looks at P_Keys there */
	m = mk_hushed(6, 4, limited, limited);
	mk_pkeys(m, port(m, host(6), 1), limited, 1);
	no_partition_is_blamed_for(m);
	/* the port of the silent administration answers all else */
	m = mk_hushed(6, 5, limited, limited);
	mk_counting(m, host(2));
	no_partition_is_blamed_for(m);
	/* the port of a silent device answers as administration */
	m = mk_hushed(6, 5, limited, limited);
	mk_sa(m, host(1), port(m, host(2), 1)->lid, 300, ANSWER_OK);
	no_partition_is_blamed_for(m);
	/* silent administration is on this host */
	m = mk_hushed(6, 5, limited, limited);
	mk_sa(m, host(1), port(m, host(1), 1)->lid, 0, ANSWER_NONE);
	no_partition_is_blamed_for(m);
	/* who refuses has got the query; without a LID there was none */
	m = mk_hushed(6, 5, limited, limited);
	answers_put(port(m, host(3), 1), IBC_ATTR_PORT_COUNTERS, ANSWER_REFUSED);
	no_partition_is_blamed_for(m);
	m = mk_hushed(6, 5, limited, limited);
	port(m, host(3), 1)->lid = 0;
	no_partition_is_blamed_for(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_silent_agent_is_unknown_not_ok),
		cmocka_unit_test(an_agent_that_refuses_is_said_to_refuse),
		cmocka_unit_test(a_device_lacks_extended_counters_but_never_all),
		cmocka_unit_test(the_agent_of_a_switch_is_one_finding),
		cmocka_unit_test(all_adapters_of_a_leaf_are_one_finding_at_the_leaf),
		cmocka_unit_test(a_leaf_that_is_silent_with_its_adapters_is_one_finding),
		cmocka_unit_test(a_fabric_that_tells_nothing_is_one_finding),
		cmocka_unit_test(without_a_lid_nothing_can_be_asked),
		cmocka_unit_test(a_local_port_without_lid_can_ask_nobody),
		cmocka_unit_test(many_silent_agents_are_one_finding),
		cmocka_unit_test(counters_that_no_check_reads_are_no_gap),
		cmocka_unit_test(counters_that_are_read_and_not_told_are_unknown_whoever_tells),
		cmocka_unit_test(a_node_that_is_new_is_a_note),
		cmocka_unit_test(a_port_that_was_silent_before_is_unknown),
		cmocka_unit_test(a_sweep_of_the_same_time_cannot_be_compared_with),
		cmocka_unit_test(what_was_read_once_of_twice_is_unknown),
		cmocka_unit_test(a_misfit_is_told_once),
		cmocka_unit_test(a_limited_member_leads_where_limited_members_are_silent),
		cmocka_unit_test(administration_may_answer_as_a_full_member),
		cmocka_unit_test(another_partition_leads_if_all_tables_were_read),
		cmocka_unit_test(what_partitions_do_not_explain_is_none_of_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
