/* SPDX-License-Identifier: BSD-2-Clause */
/* What a few measurements come to, as findings: from what hosts print to what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "findings.h"
#include "mkperf.h"
#include "source/jobs/perfresults.h"
#include "source/source.h"

#define BEGIN(round, server, client, rail, rate, more)                                             \
	"# ibcheck-perf 1 round " round " server " server " client " client " rail " rail          \
	" device - rate " rate " pcie - test ib_write_bw" more "\n"
#define END(word) "# ibcheck-perf end " word "\n"
#define TABLE(gbps)                                                                                \
	" #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n"                   \
	" 65536 5000 0 " gbps " 0.1\n"
/* The client's side of a measurement on rail 0. */
#define GOT(round, server, client, gbps)                                                           \
	BEGIN(round, server, client, "0", "200", "") TABLE(gbps) END("ok")
/* Its server says that its port has another rate. */
#define SERVED(round, server, client, rate)                                                        \
	BEGIN(round, server, client, "0", rate, " role server") END("ok")
/* Three hosts, each with both others, all good. */
#define THREE GOT("1", "n1", "n2", "196") GOT("2", "n2", "n3", "196") GOT("3", "n3", "n1", "196")

static struct ibc_perf_results *read_all(const char *text)
{
	struct ibc_perf_results *r;
	struct text_file *f;

	assert_int_equal(ibc_perf_results_new(&r, NULL), 0);
	assert_int_equal(text_open_bytes("r", text, strlen(text), &f, NULL), 0);
	assert_int_equal(read_perf(f, r, NULL), 0);
	text_close(f);
	return r;
}

/* Of what was printed, with a plan and a baseline or NULL. */
static void expect_findings(const char *printed, const char *plan, const char *baseline,
                            const char *lines)
{
	struct ibc_perf_judge_opts opts = { .low = 5, .poor = 10, .outlier = 7, .spread = 10 };
	struct ibc_perf_results *r = read_all(printed),
				*before = baseline ? read_all(baseline) : NULL;
	struct ibc_perf_judgement *j;
	struct ibc_report *rep;
	struct text_file *f;

	opts.regression = 5;
	opts.latency_us = 100;
	opts.baseline = before;
	if (plan) {
		assert_int_equal(text_open_bytes("p", plan, strlen(plan), &f, NULL), 0);
		assert_int_equal(read_perf_plan(f, r, NULL), 0);
		text_close(f);
	}
	assert_int_equal(ibc_perf_judge(r, &opts, &j, NULL), 0);
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&(struct ibc_input){ .perf = j }, "perf", rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	ibc_perf_judgement_free(j);
	ibc_perf_results_free(r);
	ibc_perf_results_free(before);
	expect_of(rep, lines);
}

/* ---- what is not measured ---- */

static void what_only_a_server_says_of_its_client_counts(void **state)
{
	(void)state;
	expect_findings(THREE, NULL, NULL, "");
	expect_findings(THREE BEGIN("4", "n1", "n3", "0", "200", " role server") END("no-partner"),
	                NULL, NULL,
	                "unknown n3: has not been measured with n1 rail 0 in round 4: it did not "
	                "come\n");
	expect_findings(THREE BEGIN("4", "n1", "n4", "0", "200", " role server") END("no-partner"),
	                NULL, NULL,
	                "unknown n4: has not been tested: it did not answer its partners\n");
}

static void what_breaks_off_is_a_gap_until_it_is_measured_later(void **state)
{
	(void)state;
	expect_findings(THREE BEGIN("3", "n1", "n2", "0", "200", "") END("failed 1"), NULL, NULL,
	                "unknown n2: has not been measured with n1 rail 0 in round 3: it broke "
	                "off\n");
	expect_findings(BEGIN("1", "n1", "n2", "0", "200", "") END("failed 1") THREE, NULL, NULL,
	                "");
}

/* A host that lacks an HCA has printed nothing of that rail. */
static void of_all_rails_those_that_most_hosts_have_are_expected(void **state)
{
#define RAILS_OF(round, server, client)                                                            \
	BEGIN(round, server, client, "0", "200", "")                                               \
	TABLE("196") END("ok") BEGIN(round, server, client, "1", "200", "") TABLE("196") END("ok")

	(void)state;
	expect_findings(RAILS_OF("1", "n1", "n2") RAILS_OF("1", "n3", "n4")
	                    GOT("2", "n1", "n5", "196"),
	                "1 n1 n2 all\n1 n3 n4 all\n2 n1 n5 all\n", NULL,
	                "unknown n5: has not been measured with n1 rail 1 in round 2: it has "
	                "printed nothing\n");
	/* a rail that one host has beside, and a pair of which nothing is there at all */
	expect_findings(THREE GOT("1", "n4", "n5", "196") BEGIN("1", "n1", "n2", "7", "200", "")
	                    TABLE("196") END("ok"),
	                "1 n1 n2 all\n2 n2 n3 all\n4 n1 n3 all\n", NULL,
	                "unknown n3: has not been measured with n1 in round 4: it has printed "
	                "nothing\n");
}

static void rounds_of_two_plans_are_not_judged_together(void **state)
{
#define OF_PLAN(id, round, gbps)                                                                   \
	BEGIN(round, "n1", "n2", "0", "200", " plan " id) TABLE(gbps) END("ok")

	(void)state;
	expect_findings(OF_PLAN("17", "1", "196") OF_PLAN("18", "1", "20") OF_PLAN("18", "1", "20")
	                    OF_PLAN("18", "2", "196"),
	                NULL, NULL,
	                "unknown fabric: r, line 5: round 1 is of another plan than what was read "
	                "before, and what is measured by it is left out: judge each plan by "
	                "itself\n");
	expect_findings(OF_PLAN("17", "1", "196") OF_PLAN("17", "1", "195"), NULL, NULL, "");
	expect_findings(OF_PLAN("17", "1", "196") GOT("1", "n2", "n1", "196"), NULL, NULL, "");
}

/* ---- what is expected ---- */

/* A port that came up slower fills itself, and so is good by its own measure. */
static void a_port_that_is_slower_than_those_of_most_is_told(void **state)
{
	(void)state;
	expect_findings(GOT("1", "n1", "n2", "98") GOT("1", "n3", "n4", "196")
	                    SERVED("1", "n1", "n2", "100") SERVED("1", "n3", "n4", "200"),
	                NULL, NULL,
	                "warning n1: its port runs at 100 Gb/s, and three of four that were "
	                "measured at 200\n");
	/* half of them are another kind */
	expect_findings(GOT("1", "n1", "n2", "98") GOT("1", "n3", "n4", "98")
	                    SERVED("1", "n1", "n2", "100") SERVED("1", "n3", "n4", "100"),
	                NULL, NULL, "");
}

static void clients_of_one_server_share_its_port(void **state)
{
#define SHARES(client, gbps)                                                                       \
	BEGIN("1", "n1", client, "0", "200", " clients 3") TABLE(gbps) END("ok")

	(void)state;
	expect_findings(SHARES("n2", "65") SHARES("n3", "65") SHARES("n4", "65"), NULL, NULL, "");
	expect_findings(SHARES("n2", "65") SHARES("n3", "20"), NULL, NULL,
	                "critical n3: with n1 rail 0: 20 of 66.67 Gb/s (30 %)\n");
}

/* What was not there before is not as good as it was. */
static void what_the_baseline_lacks_is_not_compared(void **state)
{
	(void)state;
	expect_findings(THREE, NULL, THREE, "");
	expect_findings(THREE, NULL, GOT("1", "n1", "n2", "196"),
	                "unknown fabric: 1 measured ports are not in the baseline by host, rail "
	                "and test, and were not compared\n");
}

/* ---- with a fabric ---- */

/* Latencies to partners on the same leaf, of which most are known, and to those across. */
static struct mkperf *mk_latencies(double near, double across)
{
	struct mkperf *m = mkperf("synth:fattree:leaves=2,spines=2,hosts=4", 1);
	const struct ibc_node *leaf = m->hosts[0]->nodes[0]->ports[1].peer->node;

	for (uint32_t i = 1; i < m->num_hosts; i++) {
		bool same = m->hosts[i]->nodes[0]->ports[1].peer->node == leaf;

		if (same ? near <= 0 : across <= 0)
			continue;
		for (unsigned int round = 1; round <= (same ? 2 : 1); round++) {
			mkperf_add(m, round, 0, i);
			m->all[m->num - 1].latency = true;
			m->all[m->num - 1].test = "ib_write_lat";
			m->all[m->num - 1].value = same ? near : across;
			m->all[m->num - 1].hops = same ? 1 : 3;
		}
	}
	return m;
}

/* Each switch costs its time: across the fabric nothing is worse than it was nearby. */
static void latencies_are_compared_with_those_as_far_away(void **state)
{
	struct mkperf *before = mk_latencies(1.2, 1.9), *now = mk_latencies(0, 1.9);
	struct ibc_perf_judgement *j;

	(void)state;
	now->opts.latency_us = 5;
	now->opts.baseline = &before->results;
	j = mkperf_judge(now);
	assert_int_equal(j->num_worse, 0);
	assert_int_equal(j->uncompared, 0);
	assert_true(j->num_groups == 1 && j->groups[0].before <= 0);
	ibc_perf_judgement_free(j);
	for (size_t i = 0; i < now->num; i++)
		now->all[i].value = 2.2;
	j = mkperf_judge(now);
	assert_true(j->groups[0].before > 1.8 && j->groups[0].before < 2);
	ibc_perf_judgement_free(j);
	mkperf_free(before);
	mkperf_free(now);
}

/* Without hops the baseline has one median of all, and what is worse is so as a whole. */
static void latencies_of_a_baseline_without_hops_are_compared_as_a_whole(void **state)
{
	static const double near[] = { 1.2, 1.8 }, across[] = { 1.9, 2.8 };
	struct mkperf *before = mk_latencies(near[0], across[0]), *now;
	struct ibc_perf_judgement *j;

	(void)state;
	for (size_t i = 0; i < before->num; i++)
		before->all[i].hops = 0;
	for (size_t worse = 0; worse < 2; worse++) {
		now = mk_latencies(near[worse], across[worse]);
		now->opts.latency_us = 5;
		now->opts.baseline = &before->results;
		j = mkperf_judge(now);
		assert_int_equal(j->num_worse, 0);
		assert_int_equal(j->num_worse_pairs, 0);
		assert_int_equal(j->num_groups, 2);
		for (size_t i = 0; i < j->num_groups; i++)
			assert_int_equal(j->groups[i].before > 0, worse);
		ibc_perf_judgement_free(j);
		mkperf_free(now);
	}
	mkperf_free(before);
}

/* It shares nothing with itself. */
static void a_plan_that_ran_twice_finds_the_same(void **state)
{
	struct mkperf *m = mkperf("synth:fattree:leaves=8,spines=4,hosts=8", 3);
	struct ibc_perf_judgement *j;
	size_t shared;

	(void)state;
	mkperf_plan(m, 3);
	j = mkperf_judge(m);
	shared = j->shared;
	assert_true(shared > 0);
	ibc_perf_judgement_free(j);
	memcpy(m->all + m->num, m->all, m->num * sizeof(*m->all));
	m->results.num = m->num *= 2;
	j = mkperf_judge(m);
	assert_int_equal(j->shared, 2 * shared);
	assert_int_equal(j->num_hosts + j->num_links, 0);
	ibc_perf_judgement_free(j);
	mkperf_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_only_a_server_says_of_its_client_counts),
		cmocka_unit_test(what_breaks_off_is_a_gap_until_it_is_measured_later),
		cmocka_unit_test(of_all_rails_those_that_most_hosts_have_are_expected),
		cmocka_unit_test(rounds_of_two_plans_are_not_judged_together),
		cmocka_unit_test(a_port_that_is_slower_than_those_of_most_is_told),
		cmocka_unit_test(clients_of_one_server_share_its_port),
		cmocka_unit_test(what_the_baseline_lacks_is_not_compared),
		cmocka_unit_test(latencies_are_compared_with_those_as_far_away),
		cmocka_unit_test(latencies_of_a_baseline_without_hops_are_compared_as_a_whole),
		cmocka_unit_test(a_plan_that_ran_twice_finds_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
