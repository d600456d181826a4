/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is to blame for low results that nothing explains so far.
 *
 * A pair that is good in a round with far fewer others was slow for congestion.
 *
 * A cable or a switch, if low results went over it and no good one did: the one with most of
 * them first, whose results are then explained (greedy set cover).  The low results must be of
 * hosts that are good elsewhere, or of many hosts: what one bad host measures is all low,
 * whatever it goes over.  Where other cables have the same results all are listed.
 *
 * Then a host, if no result of it is good, with at least two partners who are good elsewhere, in
 * rounds in which good hosts are not slow with each other as well, and if there is no cable that
 * could as well be the cause of all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

#define FEWER        2 /* a round with half as many others is quieter: a retest has far less */
#define FULL_MIN     8 /* fewer pairs do not fill a network; a guess */
#define PARTNERS_MIN 2 /* one who is slow with two others is slow */
#define STRONG_MIN   2 /* low results of good hosts: one may be a moment */
/* So many hosts that are all slow have more in common than that; and a switch more than a cable. */
#define HOSTS_MIN  3
#define OTHERS_MAX 8   /* cables named with the suspected one: a longer list is no help */
#define CROWDED    100 /* one of so many good pairs is slow: two in a row are chance at 1 in 10^4 */

static bool is_open(const struct ibc_perf_verdict *v, bool latency)
{
	return judge_is_open(v) && v->result->latency == latency;
}

/* Share of what could be, or of the median; of latency of the median, by its inverse. */
static double ratio_of(const struct ibc_perf_verdict *v)
{
	if (v->result->latency)
		return v->median / v->result->value;
	return v->result->value / (v->expected > 0 ? v->expected : v->median);
}

/* ---- repeated pairs ----------------------------------------------------------------------- */

static int by_pair(const struct ibc_perf_result *a, const struct ibc_perf_result *z)
{
	return order_u64(a->client, z->client) ?: order_u64(a->server, z->server)
	    ?: judge_by_test(a, z);
}

static int by_pair_and_round(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *a = *(struct ibc_perf_verdict *const *)va;
	const struct ibc_perf_verdict *z = *(struct ibc_perf_verdict *const *)vz;

	return by_pair(a->result, z->result) ?: order_u64(a->result->round, z->result->round)
	    ?: order_u64((uintptr_t)a->result, (uintptr_t)z->result);
}

/* All that is judged, by pair and test, then in its order. */
static struct ibc_perf_verdict **sort_pairs(struct perf_judge *j, size_t *n)
{
	struct ibc_perf_verdict **sorted = arena_array(j->arena, j->out.results->num + 1,
	                                               sizeof(*sorted));

	*n = 0;
	for (size_t i = 0; i < j->out.results->num; i++)
		if (j->v[i].level != IBC_PERF_UNJUDGED)
			sorted[(*n)++] = &j->v[i];
	qsort(sorted, *n, sizeof(struct ibc_perf_verdict *), by_pair_and_round);
	return sorted;
}

static unsigned int last_round(const struct perf_judge *j)
{
	unsigned int most = 0;

	for (size_t i = 0; i < j->out.results->num; i++)
		most = j->v[i].result->round > most ? j->v[i].result->round : most;
	return most;
}

/* The quietest round in which a pair was good explains those that were fuller. */
void judge_repeats(struct perf_judge *j)
{
	uint32_t *in_round = arena_array(j->arena, last_round(j) + 1ul, sizeof(*in_round));
	size_t n;
	struct ibc_perf_verdict **sorted = sort_pairs(j, &n);

	for (size_t i = 0; i < j->out.results->num; i++)
		in_round[j->v[i].result->round] += j->v[i].result->status == IBC_PERF_MEASURED;
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t quiet = UINT32_MAX;

		for (end = i; end < n && !by_pair(sorted[i]->result, sorted[end]->result); end++)
			if (sorted[end]->level == IBC_PERF_GOOD &&
			    in_round[sorted[end]->result->round] < quiet)
				quiet = in_round[sorted[end]->result->round];
		for (size_t k = i; k < end && quiet < UINT32_MAX; k++) {
			uint32_t others = in_round[sorted[k]->result->round];
			bool fuller = others >= FULL_MIN && others >= FEWER * quiet;

			if (!judge_is_open(sorted[k]))
				continue;
			sorted[k]->cause = fuller ? IBC_PERF_CONGESTION : IBC_PERF_UNSTABLE;
			j->out.congested += fuller;
		}
	}
}

/* ---- cables and switches ------------------------------------------------------------------ */

static bool goes_over(const struct perf_judge *j, size_t result, size_t thing)
{
	const struct judge_path *path = &j->paths[result];

	for (uint32_t k = path->first; k < path->first + path->num; k++)
		if (j->steps[k] == thing)
			return true;
	return false;
}

/* Hosts whose open results all go over it, each with a partner that is good elsewhere. */
static size_t count_slow_ends(const struct perf_judge *j, size_t thing)
{
	size_t n = 0;
	bool *seen = arena_array(j->arena, j->out.results->num_ends + 1, sizeof(*seen));

	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;
		bool client = j->ends[r->client].good[0], server = j->ends[r->server].good[0];
		uint32_t end = server ? r->client : r->server;

		if (client == server || seen[end] || !is_open(&j->v[i], false) ||
		    !goes_over(j, i, thing))
			continue;
		seen[end] = true;
		n++;
	}
	return n;
}

static bool is_cable_of(const struct ibc_port *a, const struct ibc_port *z)
{
	return a == z || a->peer == z;
}

/* The cable of a host that is bad as a whole is the host's matter, unless that is good one way. */
static bool may_blame(const struct perf_judge *j, const struct perf_thing *t)
{
	size_t least = t->port ? STRONG_MIN : HOSTS_MIN;
	bool of_host = t->port && (t->port->node->type == IBC_NODE_CA ||
	                           (t->port->peer && t->port->peer->node->type == IBC_NODE_CA));

	if (t->passes || t->fails < least || (of_host && t->strong < STRONG_MIN))
		return false;
	return t->strong >= least || (t->fails >= STRONG_MIN * HOSTS_MIN &&
	                              count_slow_ends(j, (size_t)(t - j->things)) >= HOSTS_MIN);
}

static void blame_thing(struct perf_judge *j, const struct perf_thing *t)
{
	const struct ibc_port **others = arena_array(j->arena, OTHERS_MAX + 1, sizeof(*others));
	uint32_t *with = arena_array(j->arena, j->num_things, sizeof(*with));
	size_t thing = (size_t)(t - j->things);
	struct ibc_perf_link link = { .port = t->port,
		                      .node = t->port ? NULL : t->node,
		                      .others = others,
		                      .results = t->fails,
		                      .hosts = t->port ? 0 : count_slow_ends(j, thing),
		                      .level = IBC_PERF_LOW };

	/* cables, other than this one, that all its low results go over, and no good one does */
	for (size_t i = 0; i < j->out.results->num; i++)
		if (is_open(&j->v[i], false) && goes_over(j, i, thing))
			for (uint32_t k = 0; k < j->paths[i].num; k++)
				with[j->steps[j->paths[i].first + k]]++;
	for (size_t i = 0; t->port && i < j->num_things && link.num_others < OTHERS_MAX; i++) {
		const struct perf_thing *other = &j->things[i];
		size_t k = 0;

		if (!other->port || is_cable_of(other->port, t->port) || other->passes ||
		    with[i] != t->fails)
			continue;
		while (k < link.num_others && !is_cable_of(others[k], other->port))
			k++;
		others[k] = other->port;
		link.num_others += k == link.num_others;
	}
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
	arena_grow(j->arena, &j->links, j->out.num_links, &j->links_room, sizeof(*j->links));
	j->links[j->out.num_links++] = link;
	j->out.links = j->links;
}

/* A cable is less than a switch: that must have more to be blamed. */
void judge_links(struct perf_judge *j)
{
	const struct perf_thing *best;

	do {
		best = NULL;
		for (size_t i = 0; i < j->num_things; i++)
			j->things[i].fails = j->things[i].passes = j->things[i].strong = 0;
		for (size_t i = 0; i < j->out.results->num; i++) {
			const struct ibc_perf_verdict *v = &j->v[i];
			const struct judge_end *client = &j->ends[v->result->client];
			bool fails = is_open(v, false);

			for (uint32_t k = 0; k < j->paths[i].num; k++) {
				struct perf_thing *t = &j->things[j->steps[j->paths[i].first + k]];

				t->fails += fails;
				t->passes += v->level == IBC_PERF_GOOD && !v->result->latency;
				t->strong += fails && client->good[0] &&
				             j->ends[v->result->server].good[0];
			}
		}
		for (const struct perf_thing *t = j->things; t < j->things + j->num_things; t++)
			if ((!best || t->fails > best->fails ||
			     (t->fails == best->fails && t->port && !best->port)) &&
			    may_blame(j, t))
				best = t;
		if (best)
			blame_thing(j, best);
	} while (best);
}

/* ---- hosts ---------------------------------------------------------------------------------- */

/*
 * struct suspect_end - summary of an end's open results
 * @partner: that is good elsewhere, and @another: there is one more
 * @strong: results with such partners, @best: the best of them; @results: all
 * @quiet: of @strong, those in rounds that are not crowded
 */
struct suspect_end {
	uint32_t partner;
	bool another;
	size_t strong, quiet, results;
	const struct ibc_perf_verdict *best;
};

/* By round: good hosts are slow with each other as well, so that a slow one may be a good one. */
static bool *find_crowded(struct perf_judge *j, bool latency)
{
	unsigned int most = last_round(j);
	size_t *all = arena_array(j->arena, most + 1ul, sizeof(*all));
	size_t *low = arena_array(j->arena, most + 1ul, sizeof(*low));
	bool *crowded = arena_array(j->arena, most + 1ul, sizeof(*crowded));

	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;

		if (j->v[i].level == IBC_PERF_UNJUDGED || r->latency != latency ||
		    !j->ends[r->client].good[latency] || !j->ends[r->server].good[latency])
			continue;
		all[r->round]++;
		low[r->round] += is_open(&j->v[i], latency);
	}
	for (unsigned int i = 0; i <= most; i++)
		crowded[i] = all[i] >= LIKE_MIN && low[i] * CROWDED > all[i];
	return crowded;
}

static struct suspect_end *find_suspects(struct perf_judge *j, bool latency)
{
	struct suspect_end *all = arena_array(j->arena, j->out.results->num_ends + 1, sizeof(*all));
	const bool *crowded = find_crowded(j, latency);

	for (size_t i = 0; i < 2 * j->out.results->num; i++) {
		const struct ibc_perf_verdict *v = &j->v[i / 2];
		const struct ibc_perf_result *r = v->result;
		uint32_t partner = i % 2 ? r->client : r->server;
		struct suspect_end *s = &all[i % 2 ? r->server : r->client];

		if (!is_open(v, latency))
			continue;
		s->results++;
		if (!j->ends[partner].good[latency])
			continue;
		s->another |= s->strong && s->partner != partner;
		s->partner = s->strong++ ? s->partner : partner;
		s->quiet += !crowded[r->round];
		if (!s->best || ratio_of(v) > ratio_of(s->best))
			s->best = v;
	}
	return all;
}

/*
 * Do all open results of an end go over a cable or a switch that no good one goes over?  Its own
 * cable is no other cause; nor is the leaf, where it alone was tested below it.
 */
static bool is_doubtful(const struct perf_judge *j, uint32_t end, size_t results, uint32_t *with)
{
	const struct judge_end *e = &j->ends[end];
	bool doubtful = false;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < j->out.results->num; i++) {
			const struct ibc_perf_result *r = j->v[i].result;

			if (!is_open(&j->v[i], false) || (r->client != end && r->server != end))
				continue;
			for (uint32_t k = 0; k < j->paths[i].num; k++) {
				uint32_t thing = j->steps[j->paths[i].first + k];
				const struct perf_thing *t = &j->things[thing];
				bool own = t->port ? t->port == e->port || t->port->peer == e->port
				                   : t->node == e->leaf && t->fails == results;

				with[thing] = pass ? 0 : with[thing] + 1;
				doubtful |= with[thing] == results && !t->passes && !own;
			}
		}
	return doubtful;
}

/* The blamed ends of a host: one record. */
static void add_host(struct perf_judge *j, uint32_t number, const struct suspect_end *suspects,
                     bool latency)
{
	const struct ibc_perf_end **list = arena_array(j->arena, j->out.results->num_ends + 1,
	                                               sizeof(*list));
	struct ibc_perf_host host = { .ends = list, .latency = latency };
	const struct ibc_perf_verdict *best = NULL;
	size_t measured = 0;

	for (size_t i = 0; i < j->out.results->num_ends; i++) {
		const struct judge_end *e = &j->ends[i];

		if (e->host != number)
			continue;
		measured += e->measured;
		if (!e->blamed[latency])
			continue;
		host.leaf = host.num_ends ? host.leaf : e->leaf;
		list[host.num_ends++] = e->end;
		host.results += suspects[i].strong;
		if (!best || ratio_of(suspects[i].best) > ratio_of(best))
			best = suspects[i].best;
	}
	host.host = list[0]->host;
	host.all = measured == host.num_ends;
	host.best = best->result->value;
	host.expected = best->expected;
	host.median = best->median;
	host.level = best->level;
	arena_grow(j->arena, &j->hosts, j->out.num_hosts, &j->hosts_room, sizeof(*j->hosts));
	j->hosts[j->out.num_hosts++] = host;
	j->out.hosts = j->hosts;
}

void judge_hosts(struct perf_judge *j, bool latency)
{
	const struct suspect_end *suspects = find_suspects(j, latency);
	uint32_t *with = arena_array(j->arena, j->num_things + 1, sizeof(*with));
	bool *hosts = arena_array(j->arena, j->num_hosts + 1ul, sizeof(*hosts));

	for (uint32_t i = 0; i < j->out.results->num_ends; i++) {
		const struct suspect_end *s = &suspects[i];

		if (s->another && s->quiet >= PARTNERS_MIN && !j->ends[i].good[latency] &&
		    (latency || !is_doubtful(j, i, s->results, with)))
			j->ends[i].blamed[latency] = hosts[j->ends[i].host] = true;
	}
	/* a low result with a bad host does not accuse its partner */
	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;

		if (is_open(&j->v[i], latency) &&
		    (j->ends[r->client].blamed[latency] || j->ends[r->server].blamed[latency]))
			j->v[i].cause = IBC_PERF_BY_HOST;
	}
	for (uint32_t i = 0; i < j->num_hosts; i++)
		if (hosts[i])
			add_host(j, i, suspects, latency);
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* Pairs that are slow, and pairs whose results differ, for no reason that is known. */
void judge_pairs(struct perf_judge *j)
{
	size_t n;
	struct ibc_perf_verdict **sorted = sort_pairs(j, &n);
	struct ibc_perf_pair *slow_pairs = arena_array(j->arena, n + 1, sizeof(*slow_pairs));
	struct ibc_perf_pair *unstable = arena_array(j->arena, n + 1, sizeof(*unstable));

	j->out.slow_pairs = slow_pairs;
	j->out.unstable = unstable;
	for (size_t i = 0, end; i < n; i = end) {
		struct ibc_perf_pair slow = { .results = 0 }, all = { .results = 0 };

		for (end = i; end < n && !by_pair(sorted[i]->result, sorted[end]->result); end++) {
			struct ibc_perf_verdict *v = sorted[end];
			double value = v->result->value;

			if (judge_is_open(v)) {
				v->cause = IBC_PERF_UNDECIDED;
				if (!slow.results++ || ratio_of(v) < ratio_of(slow.verdict))
					slow.verdict = v;
			}
			if (v->cause != IBC_PERF_NO_CAUSE && v->cause != IBC_PERF_UNSTABLE)
				continue;
			if (!all.results++)
				all = (struct ibc_perf_pair){ v, value, value, 0, 1 };
			if (v->result->latency ? value > all.worst : value < all.worst) {
				all.worst = value;
				all.verdict = v;
			}
			if (v->result->latency ? value < all.best : value > all.best)
				all.best = value;
		}
		if (slow.results)
			slow_pairs[j->out.num_slow_pairs++] = slow;
		if (all.results > 1 &&
		    fabs(all.best - all.worst) > fmax(all.best, all.worst) * j->opts.spread / 100)
			unstable[j->out.num_unstable++] = all;
	}
}

/* Neither good nor bad: what they got, others explain, and at least once a shared cable does. */
void judge_unproven(struct perf_judge *j)
{
	size_t n = j->out.results->num_ends;
	bool *shared = arena_array(j->arena, n + 1, sizeof(*shared));
	struct ibc_perf_host *hosts = arena_array(j->arena, n + 1, sizeof(*hosts));

	j->out.unproven = hosts;
	for (size_t i = 0; i < 2 * j->out.results->num; i++) {
		const struct ibc_perf_verdict *v = &j->v[i / 2];
		uint32_t end = i % 2 ? v->result->server : v->result->client;
		struct judge_end *e = &j->ends[end];

		if (v->level > IBC_PERF_GOOD && !v->result->latency && !e->good[0] &&
		    !e->blamed[0]) {
			e->unproven = true;
			shared[end] |= v->cause == IBC_PERF_SHARED;
		}
	}
	for (size_t i = 0; i < j->out.num_slow_pairs; i++) {
		const struct ibc_perf_result *r = j->out.slow_pairs[i].verdict->result;

		shared[r->client] = shared[r->server] = false;
	}
	for (size_t i = 0; i < n; i++)
		if (shared[i])
			hosts[j->out.num_unproven++].host = j->ends[i].end->host;
}
