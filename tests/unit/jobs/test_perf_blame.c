/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices of pairs with planted faults: the right one is blamed, and nobody else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mkperf.h"

#define RETESTS  4  /* by then all is decided that will be */
#define SHOWN    95 /* percent of the matrices whose fault must be found */
#define MATRICES 200

enum planted { PLANTED_NOTHING, PLANTED_HOSTS, PLANTED_LINK, PLANTED_LEAF, PLANTED_BOTH, KINDS };

static const char *const shapes[] = {
	"synth:fattree:leaves=8,spines=4,hosts=8,seed=",
	"synth:fattree:leaves=6,spines=6,hosts=6,seed=",
	"synth:fattree:leaves=16,spines=4,hosts=12,seed=",
	"synth:fattree:leaves=12,spines=12,hosts=12,seed=",
	"synth:fattree:leaves=4,spines=2,cables=2,hosts=16,seed=",
	"synth:fattree:levels=3,pods=4,leaves=4,spines=4,uplinks=4,hosts=4,seed=",
};

static const struct ibc_node *leaf_of(const struct ibc_fabric_host *host)
{
	return host->nodes[0]->ports[1].peer->node;
}

/* A cable between switches. */
static const struct ibc_port *random_link(struct mkperf *m)
{
	size_t ports = ibc_fabric_count(m->fab).ports;
	const struct ibc_port *p;

	do {
		p = ibc_fabric_port(m->fab, (size_t)(mkperf_random(m) * (double)ports));
	} while (!p->peer || p->node->type != IBC_NODE_SWITCH ||
	         p->peer->node->type != IBC_NODE_SWITCH);
	return p;
}

static void plant(struct mkperf *m, enum planted what)
{
	if (what == PLANTED_HOSTS || what == PLANTED_BOTH)
		for (size_t n = 1 + (size_t)(mkperf_random(m) * 2); n; n--)
			m->bad_host[(size_t)(mkperf_random(m) * (double)m->num_hosts)] = true;
	if (what == PLANTED_LINK || what == PLANTED_BOTH)
		m->link = random_link(m);
	if (what == PLANTED_LEAF)
		m->leaf = leaf_of(m->hosts[(size_t)(mkperf_random(m) * (double)m->num_hosts)]);
}

static bool is_planted(const struct mkperf *m, const struct ibc_perf_link *l)
{
	if (l->node)
		return l->node == m->leaf;
	return m->link && (l->port == m->link || l->port == m->link->peer);
}

/* How many are blamed who did nothing. */
static size_t count_innocent(const struct mkperf *m, const struct ibc_perf_judgement *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->num_hosts; i++)
		n += !m->bad_host[mkperf_host(m, j->hosts[i].host)];
	for (size_t i = 0; i < j->num_links; i++)
		n += !j->links[i].num_others && !is_planted(m, &j->links[i]);
	return n;
}

/* Is all blamed that a measurement went over? */
static bool is_found(const struct mkperf *m, const struct ibc_perf_judgement *j)
{
	bool link = (!m->link && !m->leaf) || !m->crossed;
	size_t bad = 0;

	for (size_t i = 0; i < m->num_hosts; i++)
		bad += m->bad_host[i];
	for (size_t i = 0; i < j->num_links; i++)
		link |= !j->links[i].num_others && is_planted(m, &j->links[i]);
	return link && j->num_hosts == bad;
}

static bool judge_matrix(unsigned int seed, size_t *innocent)
{
	char spec[128];
	struct mkperf *m;
	struct ibc_perf_judgement *j = NULL;
	bool found;

	snprintf(spec, sizeof(spec), "%s%u", shapes[seed % (sizeof(shapes) / sizeof(shapes[0]))],
	         1 + seed);
	m = mkperf(spec, seed);
	plant(m, seed / 7 % KINDS);
	mkperf_plan(m, 3);
	for (unsigned int again = 0; again <= RETESTS; again++) {
		j = mkperf_judge(m);
		*innocent += count_innocent(m, j);
		found = is_found(m, j);
		if (again == RETESTS || !mkperf_retest(m, j))
			break;
		ibc_perf_judgement_free(j);
	}
	ibc_perf_judgement_free(j);
	mkperf_free(m);
	return found;
}

/* Without a fabric, and without faults in it, hosts are found all the same. */
static void hosts_are_found_without_a_fabric(void **state)
{
	struct mkperf *m = mkperf("synth:fattree:leaves=12,spines=12,hosts=12", 1);
	struct ibc_perf_judgement *j;

	(void)state;
	m->opts.fab = NULL;
	m->bad_host[3] = m->bad_host[77] = true;
	mkperf_plan(m, 3);
	for (unsigned int again = 0; again < RETESTS; again++) {
		j = mkperf_judge(m);
		assert_false(j->has_routes);
		assert_int_equal(count_innocent(m, j), 0);
		mkperf_retest(m, j);
		ibc_perf_judgement_free(j);
	}
	j = mkperf_judge(m);
	assert_int_equal(j->num_hosts, 2);
	assert_int_equal(j->num_slow_pairs, 0);
	assert_int_equal(j->num_links, 0);
	ibc_perf_judgement_free(j);
	mkperf_free(m);
}

/* What adaptive routes share nobody knows: the pairs are told of, and no cable. */
static void no_cable_is_blamed_where_routes_are_adaptive(void **state)
{
	struct mkperf *m = mkperf("synth:fattree:leaves=8,spines=8,hosts=8", 1);
	struct ibc_perf_judgement *j;

	(void)state;
	m->opts.adaptive = true;
	m->link = random_link(m);
	mkperf_plan(m, 3);
	j = mkperf_judge(m);
	assert_true(j->adaptive && !j->has_routes);
	assert_int_equal(j->num_links, 0);
	assert_true(m->crossed && j->num_slow_pairs);
	ibc_perf_judgement_free(j);
	mkperf_free(m);
}

static void who_is_to_blame_is_found_and_nobody_else(void **state)
{
	size_t found = 0, innocent = 0;

	(void)state;
	for (unsigned int seed = 0; seed < MATRICES; seed++)
		found += judge_matrix(seed, &innocent);
	assert_int_equal(innocent, 0);
	assert_true(100 * found >= SHOWN * MATRICES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_found_without_a_fabric),
		cmocka_unit_test(no_cable_is_blamed_where_routes_are_adaptive),
		cmocka_unit_test(who_is_to_blame_is_found_and_nobody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
