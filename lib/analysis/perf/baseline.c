/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is worse than it was.  If all is, by the medians of like results, that is one change, of
 * a firmware or of the measurement.  Else a host, by its best result then and now; else a pair
 * that was measured both times.  What is blamed for something else is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

/*
 * struct reached - the best of an end, or the value of a pair, then or now
 * @hops: of the latency of an end: so far away was the partner; else 0
 */
struct reached {
	const char *host, *rail, *peer, *peer_rail; /* peer "": of an end */
	const struct ibc_perf_result *result;
	uint32_t verdict;
	unsigned int hops;
};

static int by_who(const struct reached *a, const struct reached *z)
{
	int order = judge_by_test(a->result, z->result);

	order = order ? order : strcmp(a->peer, z->peer);
	order = order ? order : strcmp(a->host, z->host);
	order = order ? order : strcmp(a->rail, z->rail);
	order = order ? order : order_u64(a->hops, z->hops);
	return order ? order : strcmp(a->peer_rail, z->peer_rail);
}

static bool is_worse(const struct ibc_perf_result *r, double value, double than, double percent)
{
	return r->latency ? value > than * (1 + percent / 100) : value < than * (1 - percent / 100);
}

/* The best first. */
static int by_who_and_value(const void *va, const void *vz)
{
	const struct reached *a = va, *z = vz;
	int order = by_who(a, z);

	if (order)
		return order;
	order = (a->result->value < z->result->value) - (a->result->value > z->result->value);
	return a->result->latency ? -order : order;
}

static bool is_measured(const struct ibc_perf_result *r)
{
	return r->status == IBC_PERF_MEASURED && !r->by_server;
}

/* Each switch costs its time: a partner on the same leaf is no measure for one across. */
static unsigned int hops_of(const struct perf_judge *j, const struct ibc_perf_results *from,
                            uint32_t i)
{
	if (!from->all[i].latency)
		return 0;
	return from == j->out.results ? j->v[i].hops : from->all[i].hops;
}

static bool tells_hops(const struct perf_judge *j, const struct ibc_perf_results *from)
{
	for (uint32_t i = 0; i < from->num; i++)
		if (hops_of(j, from, i))
			return true;
	return false;
}

/* The best of each end and of each pair; @far: of ends by how far their partners are. */
static struct reached *list_reached(struct perf_judge *j, const struct ibc_perf_results *from,
                                    bool far, size_t *n)
{
	struct reached *all = arena_array(j->arena, 3 * from->num + 1, sizeof(*all));
	size_t kept = 0;

	*n = 0;
	if (!all) {
		j->failed = true;
		return NULL;
	}
	for (uint32_t i = 0; i < from->num; i++) {
		const struct ibc_perf_result *r = &from->all[i];
		const struct ibc_perf_end *a = &from->ends[r->client], *z = &from->ends[r->server];
		unsigned int hops;

		if (!is_measured(r))
			continue;
		hops = far ? hops_of(j, from, i) : 0;
		all[(*n)++] = (struct reached){ a->host, a->rail, "", "", r, i, hops };
		all[(*n)++] = (struct reached){ z->host, z->rail, "", "", r, i, hops };
		all[(*n)++] = (struct reached){ a->host, a->rail, z->host, z->rail, r, i, 0 };
	}
	qsort(all, *n, sizeof(*all), by_who_and_value);
	for (size_t i = 0; i < *n; i++)
		if (!kept || by_who(&all[kept - 1], &all[i]) != 0)
			all[kept++] = all[i];
	*n = kept;
	return all;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int by_real(const void *va, const void *vz)
{
	const double *a = va, *z = vz;

	return (*a > *z) - (*a < *z);
}

/* Of the results that are like those of a group, @far: as far too; 0: too few. */
static double median_like(const struct ibc_perf_results *from, const struct ibc_perf_verdict *like,
                          bool far, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < from->num; i++)
		if (is_measured(&from->all[i]) && !judge_by_test(&from->all[i], like->result) &&
		    judge_expected_of(from, &from->all[i]) == like->expected &&
		    (!far || !like->result->latency || !like->hops ||
		     from->all[i].hops == like->hops))
			room[n++] = from->all[i].value;
	if (n < LIKE_MIN)
		return 0;
	qsort(room, n, sizeof(*room), by_real);
	return room[n / 2];
}

/* Latencies of a baseline without hops are near and far: they are compared with all of now. */
static double now_of(const struct perf_judge *j, const struct ibc_perf_group *g, bool far,
                     double *room)
{
	return far || !g->example->result->latency || !g->example->hops
	           ? g->median
	           : median_like(j->out.results, g->example, false, room);
}

/* True if any group is worse as a whole. */
static bool judge_all(struct perf_judge *j, bool far)
{
	const struct ibc_perf_results *old = j->opts.baseline;
	size_t most = old->num > j->out.results->num ? old->num : j->out.results->num;
	double *room = arena_array(j->arena, most + 1, sizeof(*room));
	bool worse = false;

	j->failed = j->failed || !room;
	for (size_t i = 0; room && i < j->out.num_groups; i++) {
		struct ibc_perf_group *g = &j->groups[i];
		double before = g->num >= LIKE_MIN ? median_like(old, g->example, far, room) : 0;

		if (before > 0 &&
		    is_worse(g->example->result, now_of(j, g, far, room), before,
		             j->opts.regression) &&
		    is_worse(g->example->result, g->median, before, j->opts.regression)) {
			g->before = before;
			worse = true;
		}
	}
	return worse;
}

/* ---- hosts and pairs --------------------------------------------------------------------------
 */

static void add_worse_host(struct perf_judge *j, struct ibc_perf_host **hosts, size_t *room,
                           const struct reached *now, const struct reached *before)
{
	const struct ibc_perf_verdict *v = &j->v[now->verdict];
	uint32_t end = strcmp(now->host, j->out.results->ends[v->result->client].host) != 0 ||
	                       strcmp(now->rail, j->out.results->ends[v->result->client].rail) != 0
	                   ? v->result->server
	                   : v->result->client;
	const struct ibc_perf_end **list = arena_array(j->arena, 1, sizeof(*list));

	if (!list || !arena_grow(j->arena, hosts, j->out.num_worse, room, sizeof(**hosts))) {
		j->failed = true;
		return;
	}
	list[0] = j->ends[end].end;
	(*hosts)[j->out.num_worse++] = (struct ibc_perf_host){
		.host = now->host,
		.ends = list,
		.num_ends = 1,
		.latency = now->result->latency,
		.level = IBC_PERF_LOW,
		.best = now->result->value,
		.expected = v->expected,
		.median = v->median,
		.before = before->result->value,
		.leaf = j->ends[end].leaf,
	};
}

static void add_worse_pair(struct perf_judge *j, struct ibc_perf_pair **pairs, size_t *room,
                           const struct reached *now, const struct reached *before)
{
	if (!arena_grow(j->arena, pairs, j->out.num_worse_pairs, room, sizeof(**pairs))) {
		j->failed = true;
		return;
	}
	(*pairs)[j->out.num_worse_pairs++] = (struct ibc_perf_pair){
		.verdict = &j->v[now->verdict],
		.best = now->result->value,
		.before = before->result->value,
		.results = 1,
	};
}

static bool is_worse_host(const struct ibc_perf_host *hosts, size_t n, const char *host)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(hosts[i].host, host))
			return true;
	return false;
}

/* Ends come before pairs: "" is before any name. */
static void compare_reached(struct perf_judge *j, const struct reached *now, size_t n,
                            const struct reached *before, size_t num_before)
{
	struct ibc_perf_host *hosts = NULL;
	struct ibc_perf_pair *pairs = NULL;
	size_t hosts_room = 0, pairs_room = 0, k = 0;

	for (int peers = 0; peers < 2; peers++, k = 0)
		for (size_t i = 0; i < n && !j->failed; i++) {
			const struct ibc_perf_verdict *v = &j->v[now[i].verdict];

			while (k < num_before && by_who(&before[k], &now[i]) < 0)
				k++;
			if ((now[i].peer[0] != '\0') != peers)
				continue;
			if (k == num_before || by_who(&before[k], &now[i]) != 0) {
				j->out.uncompared += !peers;
				continue;
			}
			if (v->level > IBC_PERF_GOOD ||
			    !is_worse(now[i].result, now[i].result->value, before[k].result->value,
			              j->opts.regression))
				continue;
			if (!peers)
				add_worse_host(j, &hosts, &hosts_room, &now[i], &before[k]);
			else if (!is_worse_host(hosts, j->out.num_worse, now[i].host) &&
			         !is_worse_host(hosts, j->out.num_worse, now[i].peer))
				add_worse_pair(j, &pairs, &pairs_room, &now[i], &before[k]);
		}
	j->out.worse = hosts;
	j->out.worse_pairs = pairs;
}

void judge_baseline(struct perf_judge *j)
{
	struct reached *now, *before;
	size_t n, num_before;
	bool far;

	if (!j->opts.baseline)
		return;
	far = tells_hops(j, j->out.results) && tells_hops(j, j->opts.baseline);
	if (judge_all(j, far))
		return;
	now = list_reached(j, j->out.results, far, &n);
	before = list_reached(j, j->opts.baseline, far, &num_before);
	if (now && before)
		compare_reached(j, now, n, before, num_before);
}
