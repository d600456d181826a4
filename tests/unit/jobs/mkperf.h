/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKPERF_H
#define MKPERF_H

/*
 * What perftest would measure on a fabric with planted faults: every flow of a round gets, of
 * each cable on its way, the part that the others leave it, and no more than its hosts can.
 *
 *	struct mkperf m = mkperf(fab, seed);
 *
 *	m.bad_host[3] = true;
 *	mkperf_plan(&m, 3);
 *	judged = mkperf_judge(&m);
 *
 * Include it after <cmocka.h>.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/hostlist.h>
#include <ibcheck/perf.h>
#include <ibcheck/perfresult.h>
#include <ibcheck/routes.h>
#include <ibcheck/source.h>

#include "base/hash.h"

#define MKPERF_RATE  100.0 /* EDR */
#define MKPERF_HOSTS 1024
#define MKPERF_MAX   16384 /* results */

/*
 * struct mkperf - @link: both directions have a quarter; @leaf: nothing through it gets more
 * than half; NULL: none.  @crossed: results that the link or the leaf made low
 */
struct mkperf {
	struct ibc_fabric *fab;
	uint64_t seed;
	size_t num_hosts, num;
	const struct ibc_fabric_host *hosts[MKPERF_HOSTS];
	bool bad_host[MKPERF_HOSTS];
	const struct ibc_port *link;
	const struct ibc_node *leaf;
	size_t crossed;
	struct ibc_perf_end ends[MKPERF_HOSTS];
	struct ibc_perf_result all[MKPERF_MAX];
	struct ibc_perf_results results;
	struct ibc_perf_judge_opts opts;
};

/* 0 .. 1 */
static inline double mkperf_random(struct mkperf *m)
{
	m->seed += 0x9e3779b97f4a7c15;
	return (double)(hash_mix(m->seed) >> 11) / (double)(1ull << 53);
}

static inline struct mkperf *mkperf(const char *spec, uint64_t seed)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct mkperf *m = calloc(1, sizeof(*m));
	const struct ibc_fabric_host *h;

	assert_non_null(m);
	m->seed = seed;
	opts.needs = IBC_ATTRS(IBC_ATTR_LFT);
	assert_int_equal(ibc_fabric_load(&spec, 1, &opts, &m->fab, NULL), 0);
	for (size_t i = 0; (h = ibc_fabric_host(m->fab, i)); i++) {
		assert_true(i < MKPERF_HOSTS);
		m->hosts[m->num_hosts++] = h;
		m->ends[i] = (struct ibc_perf_end){
			.host = h->name, .rail = "0", .rate_gbps = MKPERF_RATE, .reported = true
		};
	}
	m->results = (struct ibc_perf_results){ .ends = m->ends, .all = m->all };
	m->results.num_ends = m->num_hosts;
	m->opts = (struct ibc_perf_judge_opts){
		.low = 5, .poor = 10, .outlier = 7, .spread = 10, .regression = 5, .latency_us = 2.5
	};
	m->opts.fab = m->fab;
	return m;
}

static inline void mkperf_free(struct mkperf *m)
{
	ibc_fabric_free(m->fab);
	free(m);
}

static inline uint32_t mkperf_host(const struct mkperf *m, const char *name)
{
	uint32_t i = 0;

	while (strcmp(m->ends[i].host, name) != 0)
		i++;
	return i;
}

static inline void mkperf_add(struct mkperf *m, unsigned int round, uint32_t server,
                              uint32_t client)
{
	assert_true(m->num < MKPERF_MAX);
	m->all[m->num++] = (struct ibc_perf_result){
		.round = round, .server = server, .client = client, .test = "ib_write_bw"
	};
	m->results.num = m->num;
}

static inline void mkperf_way(const struct mkperf *m, const struct ibc_perf_result *r,
                              struct ibc_path *path)
{
	const struct ibc_port *from = &m->hosts[r->client]->nodes[0]->ports[1],
			      *to = &m->hosts[r->server]->nodes[0]->ports[1];

	assert_int_equal(ibc_path_find(from, to->lid, path, NULL), 0);
	assert_int_equal(path->end, IBC_ROUTE_ARRIVES);
}

/* Loads of all ports of a round at once: by GUID and number, in a table of their own. */
struct mkperf_loads {
	struct {
		const struct ibc_port *port;
		unsigned int n;
	} slot[1 << 15];
};

static inline unsigned int *mkperf_slot(struct mkperf_loads *l, const struct ibc_port *port)
{
	size_t i = hash_mix((uint64_t)(uintptr_t)port) % (1 << 15);

	while (l->slot[i].port && l->slot[i].port != port)
		i = (i + 1) % (1 << 15);
	l->slot[i].port = port;
	return &l->slot[i].n;
}

static inline void mkperf_value(struct mkperf *m, struct mkperf_loads *loads,
                                struct ibc_perf_result *r)
{
	double value = MKPERF_RATE * (0.965 + 0.02 * mkperf_random(m)), part;
	bool crossed = false;
	struct ibc_path path;

	mkperf_way(m, r, &path);
	if (m->bad_host[r->client] || m->bad_host[r->server])
		value *= 0.5 + 0.3 * mkperf_random(m);
	for (size_t k = 0; k < path.num; k++) {
		bool slow = m->link && (path.out[k] == m->link || path.out[k] == m->link->peer);

		part = MKPERF_RATE * (slow ? 0.25 : 1) / *mkperf_slot(loads, path.out[k]);
		value = part * 0.97 < value ? part * 0.97 : value;
		if (m->leaf && path.out[k]->node == m->leaf && value > MKPERF_RATE / 2)
			value = MKPERF_RATE / 2;
		crossed |= slow || (m->leaf && path.out[k]->node == m->leaf);
	}
	r->value = value;
	m->crossed += crossed;
}

/* Measures what was added since the first one. */
static inline void mkperf_measure(struct mkperf *m, size_t first)
{
	struct mkperf_loads *loads = NULL;
	struct ibc_path path;

	for (size_t i = first; i < m->num; i++) {
		if (i == first || m->all[i].round != m->all[i - 1].round) {
			free(loads);
			loads = calloc(1, sizeof(*loads));
			assert_non_null(loads);
			for (size_t k = first; k < m->num; k++) {
				if (m->all[k].round != m->all[i].round)
					continue;
				mkperf_way(m, &m->all[k], &path);
				for (size_t h = 0; h < path.num; h++)
					++*mkperf_slot(loads, path.out[h]);
			}
		}
		mkperf_value(m, loads, &m->all[i]);
	}
	free(loads);
}

/* So many random rounds. */
static inline void mkperf_plan(struct mkperf *m, unsigned int rounds)
{
	struct ibc_perf_opts opts = { .rounds = rounds, .seed = m->seed };
	const char *names[MKPERF_HOSTS];
	struct ibc_hostlist *hosts;
	struct ibc_perf_plan *plan;

	for (size_t i = 0; i < m->num_hosts; i++)
		names[i] = m->hosts[i]->name;
	assert_int_equal(ibc_hostlist_of(names, m->num_hosts, &hosts, NULL), 0);
	assert_int_equal(ibc_perf_plan(hosts, &opts, &plan, NULL), 0);
	for (size_t i = 0; i < plan->num_tests; i++)
		mkperf_add(m, plan->tests[i].round, mkperf_host(m, plan->tests[i].server),
		           mkperf_host(m, plan->tests[i].client));
	mkperf_measure(m, 0);
	ibc_perf_plan_free(plan);
	ibc_hostlist_free(hosts);
}

static inline struct ibc_perf_judgement *mkperf_judge(struct mkperf *m)
{
	struct ibc_perf_judgement *out;

	assert_int_equal(ibc_perf_judge(&m->results, &m->opts, &out, NULL), 0);
	return out;
}

static inline int mkperf_by_round(const void *a, const void *z)
{
	const struct ibc_perf_result *x = a, *y = z;

	return (int)x->round - (int)y->round;
}

/* What the judgement asks for next; false: nothing. */
static inline bool mkperf_retest(struct mkperf *m, const struct ibc_perf_judgement *j)
{
	size_t n, first = m->num;
	const struct ibc_perf_retest *tests = ibc_perf_retests(j, &n);

	for (size_t i = 0; i < n; i++)
		mkperf_add(m, tests[i].round, (uint32_t)(tests[i].server - m->ends),
		           (uint32_t)(tests[i].client - m->ends));
	qsort(m->all + first, n, sizeof(*m->all), mkperf_by_round);
	mkperf_measure(m, first);
	return n;
}

#endif
