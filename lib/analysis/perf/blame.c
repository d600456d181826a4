/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is to blame for low results that nothing explains so far.
 *
 * A cable or a switch, if low results went over it and no good one did: the one with most of
 * them first, whose results are then explained (greedy set cover).  The low results must be of
 * hosts that are good elsewhere, or of many hosts: what one bad host measures is all low,
 * whatever it goes over.  Where other cables have the same results nobody is blamed.
 *
 * Then a host, if no result of it is good, with at least two partners who are good elsewhere,
 * there is no cable that could as well be the cause of all of them, and chance is none: where
 * pairs of good hosts are often slow as well, as in full rounds of a network with congestion, a
 * host must be slow more often before it is blamed.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

#define PARTNERS_MIN 2 /* one who is slow with two others is slow */
#define STRONG_MIN   2 /* low results of good hosts: one may be a moment */
/* So many hosts that are all slow have more in common than that; and a switch more than a cable. */
#define HOSTS_MIN  3
#define OTHERS_MAX 8    /* cables that one result can go over, and more help nobody */
#define INNOCENT   0.05 /* so many hosts may be blamed by chance: of 20 runs one has a wrong one */

static bool is_open(const struct ibc_perf_verdict *v, bool latency)
{
	return judge_is_open(v) && v->result->latency == latency;
}

static bool is_proven(const struct perf_judge *j, uint32_t end, bool latency)
{
	return j->ends[end].good[latency];
}

/* ---- cables and switches ----------------------------------------------------------------- */

static void count_things(struct perf_judge *j)
{
	for (size_t i = 0; i < j->num_things; i++)
		j->things[i].fails = j->things[i].passes = j->things[i].strong = 0;
	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_verdict *v = &j->v[i];
		const struct ibc_perf_result *r = v->result;
		bool fails = is_open(v, false), passes = v->level == IBC_PERF_GOOD && !r->latency;
		bool strong = fails && is_proven(j, r->client, false) &&
		              is_proven(j, r->server, false);

		for (uint32_t k = 0; k < j->ways[i].num; k++) {
			struct perf_thing *t = &j->things[j->steps[j->ways[i].first + k]];

			t->fails += fails;
			t->passes += passes;
			t->strong += strong;
		}
	}
}

static bool goes_over(const struct perf_judge *j, size_t result, size_t thing)
{
	const struct judge_way *way = &j->ways[result];

	for (uint32_t k = way->first; k < way->first + way->num; k++)
		if (j->steps[k] == thing)
			return true;
	return false;
}

/* Hosts whose open results all go over it, each with a partner that is good elsewhere. */
static size_t count_slow_ends(const struct perf_judge *j, size_t thing)
{
	size_t n = 0;
	bool *seen = arena_array(j->arena, j->out.results->num_ends + 1, sizeof(*seen));

	for (size_t i = 0; seen && i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;

		if (!is_open(&j->v[i], false) || !goes_over(j, i, thing))
			continue;
		for (int side = 0; side < 2; side++) {
			uint32_t end = side ? r->server : r->client;
			uint32_t partner = side ? r->client : r->server;

			if (seen[end] || is_proven(j, end, false) || !is_proven(j, partner, false))
				continue;
			seen[end] = true;
			n++;
		}
	}
	return n;
}

static bool may_blame_thing(const struct perf_judge *j, size_t i)
{
	const struct perf_thing *t = &j->things[i];
	size_t least = t->port ? STRONG_MIN : HOSTS_MIN;

	if (t->passes || t->fails < least)
		return false;
	return t->strong >= least ||
	       (t->fails >= STRONG_MIN * HOSTS_MIN && count_slow_ends(j, i) >= HOSTS_MIN);
}

/* A cable is less than a switch: that must have more to be blamed. */
static bool is_better(const struct perf_thing *t, const struct perf_thing *best)
{
	if (!best || t->fails != best->fails)
		return !best || t->fails > best->fails;
	return t->port && !best->port;
}

static bool is_cable_of(const struct ibc_port *a, const struct ibc_port *z)
{
	return a == z || a->peer == z;
}

/* Cables, other than this one, that all its low results go over, and no good one does. */
static bool find_others(struct perf_judge *j, size_t thing, struct ibc_perf_link *link)
{
	const struct ibc_port *own = j->things[thing].port;
	const struct ibc_port **others = arena_array(j->arena, OTHERS_MAX + 1, sizeof(*others));
	uint32_t *with = arena_array(j->arena, j->num_things, sizeof(*with));

	if (!others || !with)
		return false;
	for (size_t i = 0; i < j->out.results->num; i++)
		for (uint32_t k = 0; is_open(&j->v[i], false) && k < j->ways[i].num; k++)
			with[j->steps[j->ways[i].first + k]] += goes_over(j, i, thing);
	for (size_t i = 0; own && i < j->num_things && link->num_others < OTHERS_MAX; i++) {
		const struct perf_thing *t = &j->things[i];
		size_t k = 0;

		if (!t->port || is_cable_of(t->port, own) || t->passes ||
		    with[i] != j->things[thing].fails)
			continue;
		while (k < link->num_others && !is_cable_of(others[k], t->port))
			k++;
		others[k] = t->port;
		link->num_others += k == link->num_others;
	}
	link->others = others;
	return true;
}

static bool is_cable_of_host(const struct ibc_port *port)
{
	return port->node->type == IBC_NODE_CA ||
	       (port->peer && port->peer->node->type == IBC_NODE_CA);
}

static void blame_thing(struct perf_judge *j, size_t thing)
{
	const struct perf_thing *t = &j->things[thing];
	struct ibc_perf_link link = { .port = t->port,
		                      .node = t->port ? NULL : t->node,
		                      .results = t->fails,
		                      .level = IBC_PERF_LOW };

	if (!find_others(j, thing, &link) ||
	    !arena_grow(j->arena, &j->links, j->out.num_links, &j->links_room, sizeof(*j->links))) {
		j->failed = true;
		return;
	}
	link.hosts = t->port ? 0 : count_slow_ends(j, thing);
	for (size_t i = 0; i < j->out.results->num; i++) {
		struct ibc_perf_verdict *v = &j->v[i];

		if (!is_open(v, false) || !goes_over(j, i, thing))
			continue;
		v->cause = link.num_others ? IBC_PERF_UNDECIDED : IBC_PERF_BY_LINK;
		if (v->result->value <= link.best)
			continue;
		link.best = v->result->value;
		link.expected = v->expected > 0 ? v->expected : v->median;
		link.level = v->level;
	}
	j->links[j->out.num_links++] = link;
	j->out.links = j->links;
}

/* The cable of a host that is bad as a whole is the host's matter, unless that is good one way. */
static bool is_whole_host(const struct perf_thing *t)
{
	return t->port && is_cable_of_host(t->port) && t->strong < STRONG_MIN;
}

void judge_links(struct perf_judge *j)
{
	for (;;) {
		const struct perf_thing *best = NULL;

		count_things(j);
		for (size_t i = 0; i < j->num_things; i++)
			if (is_better(&j->things[i], best) && !is_whole_host(&j->things[i]) &&
			    may_blame_thing(j, i))
				best = &j->things[i];
		if (!best || j->failed)
			return;
		blame_thing(j, (size_t)(best - j->things));
	}
}

/* ---- hosts ---------------------------------------------------------------------------------- */

/*
 * struct suspect_end - what an end's open results tell
 * @partners: that are good elsewhere, up to two different ones
 * @proven: how many of them there are
 * @strong: results with such partners, @best: the best of them; @results: all
 * @chance: that a good host has them
 */
struct suspect_end {
	uint32_t partners[PARTNERS_MIN];
	size_t proven, strong, results;
	double chance;
	const struct ibc_perf_verdict *best;
};

/* struct round_sum - results of hosts that are good, and how many of them are low for no reason */
struct round_sum {
	size_t n, low;
};

/* By round; the last element is of all. */
static struct round_sum *sum_rounds(struct perf_judge *j, bool latency, unsigned int *most)
{
	struct round_sum *sums;

	*most = 0;
	for (size_t i = 0; i < j->out.results->num; i++)
		if (j->v[i].result->round > *most)
			*most = j->v[i].result->round;
	sums = arena_array(j->arena, *most + 2, sizeof(*sums));
	for (size_t i = 0; sums && i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;

		if (j->v[i].level == IBC_PERF_UNJUDGED || r->latency != latency ||
		    !is_proven(j, r->client, latency) || !is_proven(j, r->server, latency))
			continue;
		for (int all = 0; all < 2; all++) {
			struct round_sum *sum = &sums[all ? *most + 1 : r->round];

			sum->n++;
			sum->low += is_open(&j->v[i], latency);
		}
	}
	return sums;
}

/* That two good hosts are slow in this round; where there are too few of them, in any. */
static double chance_in(const struct round_sum *sums, unsigned int most, unsigned int round)
{
	const struct round_sum *sum = sums[round].n >= LIKE_MIN ? &sums[round] : &sums[most + 1];

	return sum->n ? (double)sum->low / (double)sum->n : 0;
}

static void add_suspicion(const struct perf_judge *j, struct suspect_end *s, uint32_t partner,
                          const struct ibc_perf_verdict *v, double chance)
{
	s->results++;
	if (!is_proven(j, partner, v->result->latency))
		return;
	s->chance = s->strong++ ? s->chance * chance : chance;
	if (!s->best || judge_ratio(v) > judge_ratio(s->best))
		s->best = v;
	if ((!s->proven || s->partners[0] != partner) && s->proven < PARTNERS_MIN)
		s->partners[s->proven++] = partner;
}

static struct suspect_end *find_suspects(struct perf_judge *j, bool latency)
{
	struct suspect_end *all = arena_array(j->arena, j->out.results->num_ends + 1, sizeof(*all));
	unsigned int most;
	const struct round_sum *sums = sum_rounds(j, latency, &most);

	for (size_t i = 0; all && sums && i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;
		double chance;

		if (!is_open(&j->v[i], latency))
			continue;
		chance = chance_in(sums, most, r->round);
		add_suspicion(j, &all[r->client], r->server, &j->v[i], chance);
		add_suspicion(j, &all[r->server], r->client, &j->v[i], chance);
	}
	return sums ? all : NULL;
}

static bool is_of(const struct ibc_perf_verdict *v, uint32_t end, bool latency)
{
	return is_open(v, latency) && (v->result->client == end || v->result->server == end);
}

/* Its own cable is no other cause; nor is the leaf, where it alone was tested below it. */
static bool is_own(const struct judge_end *e, const struct perf_thing *t, size_t results)
{
	if (t->port)
		return t->port == e->port || t->port->peer == e->port;
	return t->node == e->leaf && t->fails == results;
}

/* Do all open results of an end go over a cable or a switch that no good one goes over? */
static bool is_doubtful(const struct perf_judge *j, uint32_t end, size_t results)
{
	const struct judge_way *way = NULL;
	size_t first = 0;

	while (first < j->out.results->num && !is_of(&j->v[first], end, false))
		first++;
	way = &j->ways[first];
	for (uint32_t k = way->first; k < way->first + way->num; k++) {
		uint32_t thing = j->steps[k];
		size_t i = first;

		if (j->things[thing].passes || is_own(&j->ends[end], &j->things[thing], results))
			continue;
		while (i < j->out.results->num &&
		       (!is_of(&j->v[i], end, false) || goes_over(j, i, thing)))
			i++;
		if (i == j->out.results->num)
			return true;
	}
	return false;
}

/* Ends that are blamed, by host: one record each. */
static int by_host_number(const void *va, const void *vz, void *ctx)
{
	const struct judge_end *ends = ctx;
	const uint32_t *a = va, *z = vz;
	int order = order_u64(ends[*a].host, ends[*z].host);

	return order ? order : by_u32(va, vz);
}

static void add_host(struct perf_judge *j, const uint32_t *ends, size_t n,
                     const struct suspect_end *suspects, bool latency)
{
	const struct judge_end *first = &j->ends[ends[0]];
	const struct ibc_perf_end **list = arena_array(j->arena, n, sizeof(*list));
	const struct ibc_perf_verdict *best = NULL;
	struct ibc_perf_host host = { .host = first->end->host,
		                      .ends = list,
		                      .num_ends = n,
		                      .latency = latency,
		                      .leaf = first->leaf };

	if (!list ||
	    !arena_grow(j->arena, &j->hosts, j->out.num_hosts, &j->hosts_room, sizeof(*j->hosts))) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct suspect_end *s = &suspects[ends[i]];

		list[i] = j->ends[ends[i]].end;
		host.results += s->strong;
		if (!best || judge_ratio(s->best) > judge_ratio(best))
			best = s->best;
	}
	host.best = best->result->value;
	host.expected = best->expected;
	host.median = best->median;
	host.level = best->level;
	j->hosts[j->out.num_hosts++] = host;
	j->out.hosts = j->hosts;
}

/* Its results are explained; what a bad host measures tells nothing of anybody else. */
static void explain_results(struct perf_judge *j, bool latency)
{
	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;

		if (is_open(&j->v[i], latency) &&
		    (j->ends[r->client].blamed[latency] || j->ends[r->server].blamed[latency]))
			j->v[i].cause = IBC_PERF_BY_HOST;
	}
}

/* How many ends of its host were measured at all. */
static void set_all(struct perf_judge *j, size_t first_host)
{
	for (size_t i = first_host; i < j->out.num_hosts; i++) {
		size_t measured = 0;

		for (size_t k = 0; k < j->out.results->num_ends; k++)
			measured += j->ends[k].measured &&
			            !strcmp(j->ends[k].end->host, j->hosts[i].host);
		j->hosts[i].all = measured == j->hosts[i].num_ends;
	}
}

void judge_hosts(struct perf_judge *j, bool latency)
{
	size_t n = 0, first = 0, before = j->out.num_hosts;
	struct suspect_end *suspects = find_suspects(j, latency);
	uint32_t *blamed = arena_array(j->arena, j->out.results->num_ends + 1, sizeof(*blamed));

	if (!suspects || !blamed) {
		j->failed = true;
		return;
	}
	for (uint32_t i = 0; i < j->out.results->num_ends; i++)
		if (suspects[i].proven == PARTNERS_MIN && !is_proven(j, i, latency) &&
		    suspects[i].chance * (double)j->out.results->num_ends <= INNOCENT &&
		    (latency || !is_doubtful(j, i, suspects[i].results)))
			blamed[n++] = i;
	for (size_t i = 0; i < n; i++)
		j->ends[blamed[i]].blamed[latency] = true;
	explain_results(j, latency);
	qsort_r(blamed, n, sizeof(*blamed), by_host_number, j->ends);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && j->ends[blamed[i]].host == j->ends[blamed[first]].host)
			continue;
		add_host(j, blamed + first, i - first, suspects, latency);
		first = i;
	}
	set_all(j, before);
}

/* ---- what is left ------------------------------------------------------------------------------
 */

/* One for each pair: the worst of its results that nothing explains. */
void judge_pairs(struct perf_judge *j)
{
	size_t n, room = 0;
	const uint32_t *sorted = judge_by_pair(j, &n);
	struct ibc_perf_pair *pairs = NULL;

	for (size_t i = 0; sorted && i < n; i++) {
		struct ibc_perf_verdict *v = &j->v[sorted[i]];
		struct ibc_perf_pair *last = j->out.num_slow_pairs
		                                 ? &pairs[j->out.num_slow_pairs - 1]
		                                 : NULL;

		if (!judge_is_open(v)) /* of one of several cables it is said that it is slow */
			continue;
		v->cause = IBC_PERF_UNDECIDED;
		if (last && judge_is_pair(last->verdict, v)) {
			last->results++;
			if (judge_ratio(v) < judge_ratio(last->verdict))
				last->verdict = v;
			continue;
		}
		if (!arena_grow(j->arena, &pairs, j->out.num_slow_pairs, &room, sizeof(*pairs))) {
			j->failed = true;
			return;
		}
		pairs[j->out.num_slow_pairs++] = (struct ibc_perf_pair){ .verdict = v,
			                                                 .results = 1 };
	}
	j->out.slow_pairs = pairs;
}

/* Neither good nor bad: what they got, others explain. */
static void mark_unproven(struct perf_judge *j, bool *shared)
{
	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_verdict *v = &j->v[i];

		for (int side = 0; side < 2; side++) {
			uint32_t end = side ? v->result->server : v->result->client;
			struct judge_end *e = &j->ends[end];

			if (v->level <= IBC_PERF_GOOD || v->result->latency || e->good[0] ||
			    e->blamed[0])
				continue;
			e->unproven = true;
			shared[end] |= v->cause == IBC_PERF_SHARED;
		}
	}
	for (size_t i = 0; i < j->out.num_slow_pairs; i++) {
		const struct ibc_perf_result *r = j->out.slow_pairs[i].verdict->result;

		shared[r->client] = shared[r->server] = false;
	}
}

void judge_unproven(struct perf_judge *j)
{
	size_t n = j->out.results->num_ends, room = 0;
	bool *shared = arena_array(j->arena, n + 1, sizeof(*shared));
	struct ibc_perf_host *hosts = NULL;

	if (!shared) {
		j->failed = true;
		return;
	}
	mark_unproven(j, shared);
	for (size_t i = 0; i < n; i++) {
		const struct ibc_perf_end **list;

		if (!shared[i])
			continue;
		list = arena_array(j->arena, 1, sizeof(*list));
		if (!list ||
		    !arena_grow(j->arena, &hosts, j->out.num_unproven, &room, sizeof(*hosts))) {
			j->failed = true;
			return;
		}
		list[0] = j->ends[i].end;
		hosts[j->out.num_unproven++] = (struct ibc_perf_host){
			.host = list[0]->host, .ends = list, .num_ends = 1, .leaf = j->ends[i].leaf
		};
	}
	j->out.unproven = hosts;
}
