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
 * @number: of the result
 * @end: of this judgement's results, that which is meant
 */
struct reached {
	const char *host, *rail, *peer, *peer_rail; /* peer "": of an end */
	const struct ibc_perf_result *result;
	uint32_t number, end;
	unsigned int hops;
};

static int by_who(const struct reached *a, const struct reached *z)
{
	return judge_by_test(a->result, z->result) ?: strcmp(a->peer, z->peer)
	    ?: strcmp(a->host, z->host) ?: strcmp(a->rail, z->rail)
	    ?: order_u64(a->hops, z->hops) ?: strcmp(a->peer_rail, z->peer_rail);
}

static bool is_worse(const struct perf_judge *j, const struct ibc_perf_result *r, double value,
                     double than)
{
	double part = j->opts.regression / 100;

	return r->latency ? value > than * (1 + part) : value < than * (1 - part);
}

/* The best first. */
static int by_who_and_value(const void *va, const void *vz)
{
	const struct reached *a = va, *z = vz;
	int order = (a->result->value < z->result->value) - (a->result->value > z->result->value);

	return by_who(a, z) ?: a->result->latency ? -order : order;
}

/* Each switch costs its time: a partner on the same leaf is no measure for one across. */
static unsigned int hops_of(const struct perf_judge *j, const struct ibc_perf_results *from,
                            size_t i)
{
	if (!from->all[i].latency)
		return 0;
	return from == j->out.results ? j->v[i].hops : from->all[i].hops;
}

static bool has_hops(const struct perf_judge *j, const struct ibc_perf_results *from)
{
	for (size_t i = 0; i < from->num; i++)
		if (hops_of(j, from, i))
			return true;
	return false;
}

/* The best of each end and of each pair; @far: of ends by how far their partners are. */
static struct reached *list_reached(struct perf_judge *j, const struct ibc_perf_results *from,
                                    bool far, size_t *num)
{
	struct reached *all = arena_array(j->arena, 3 * from->num + 1, sizeof(*all));
	size_t n = 0;

	*num = 0;
	for (uint32_t i = 0; i < from->num; i++) {
		const struct ibc_perf_result *r = &from->all[i];
		const struct ibc_perf_end *a = &from->ends[r->client], *z = &from->ends[r->server];
		unsigned int hops = far ? hops_of(j, from, i) : 0;

		if (!judge_is_measured(r))
			continue;
		all[n++] = (struct reached){ a->host, a->rail, "", "", r, i, r->client, hops };
		all[n++] = (struct reached){ z->host, z->rail, "", "", r, i, r->server, hops };
		all[n++] = (struct reached){
			a->host, a->rail, z->host, z->rail, r, i, r->client, 0
		};
	}
	qsort(all, n, sizeof(*all), by_who_and_value);
	for (size_t i = 0; i < n; i++)
		if (!*num || by_who(&all[*num - 1], &all[i]) != 0)
			all[(*num)++] = all[i];
	return all;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Of the results that are like those of a group, @far: as far too; 0: too few. */
static double median_like(const struct ibc_perf_results *from, const struct ibc_perf_verdict *like,
                          bool far, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < from->num; i++)
		if (judge_is_measured(&from->all[i]) &&
		    !judge_by_test(&from->all[i], like->result) &&
		    judge_expected_of(from, &from->all[i]) == like->expected &&
		    (!far || !like->result->latency || !like->hops ||
		     from->all[i].hops == like->hops))
			room[n++] = from->all[i].value;
	return n < LIKE_MIN ? 0 : judge_median(room, n);
}

/* True if any group is worse as a whole. */
static bool judge_all(struct perf_judge *j, bool far)
{
	const struct ibc_perf_results *old = j->opts.baseline, *r = j->out.results;
	double *room = arena_array(j->arena, old->num + r->num + 1, sizeof(*room));
	bool worse = false;

	for (size_t i = 0; i < j->out.num_groups; i++) {
		struct ibc_perf_group *g = &j->groups[i];
		const struct ibc_perf_result *example = g->example->result;
		double before = g->num < LIKE_MIN ? 0 : median_like(old, g->example, far, room);
		/* latencies of a baseline without hops are near and far, as all of now are */
		double now = far || !example->latency || !g->example->hops
		                 ? g->median
		                 : median_like(r, g->example, false, room);

		if (before <= 0 || !is_worse(j, example, now, before) ||
		    !is_worse(j, example, g->median, before))
			continue;
		g->before = before;
		worse = true;
	}
	return worse;
}

/* ---- hosts and pairs ------------------------------------------------------------------------ */

static bool is_worse_host(const struct ibc_perf_host *hosts, size_t n, const char *host)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(hosts[i].host, host))
			return true;
	return false;
}

void judge_baseline(struct perf_judge *j)
{
	const struct ibc_perf_results *old = j->opts.baseline;
	bool far = old && has_hops(j, j->out.results) && has_hops(j, old);
	struct reached *now, *before;
	struct ibc_perf_host *hosts;
	struct ibc_perf_pair *pairs;
	size_t n, num_before, k = 0;

	if (!old || judge_all(j, far))
		return;
	now = list_reached(j, j->out.results, far, &n);
	before = list_reached(j, old, far, &num_before);
	j->out.worse = hosts = arena_array(j->arena, n + 1, sizeof(*hosts));
	j->out.worse_pairs = pairs = arena_array(j->arena, n + 1, sizeof(*pairs));
	/* ends first, of all tests, then pairs of hosts that are not worse */
	for (size_t i = 0; i < 2 * n; i++) {
		const struct reached *w = &now[i % n];
		const struct ibc_perf_end *end = j->ends[w->end].end;
		bool is_pair = *w->peer;

		k = i % n ? k : 0;
		while (k < num_before && by_who(&before[k], w) < 0)
			k++;
		if (is_pair != (i >= n))
			continue;
		if (k == num_before || by_who(&before[k], w) != 0)
			j->out.uncompared += !is_pair;
		else if (j->v[w->number].level > IBC_PERF_GOOD ||
		         !is_worse(j, w->result, w->result->value, before[k].result->value))
			continue;
		else if (!is_pair)
			hosts[j->out.num_worse++] = (struct ibc_perf_host){
				.host = w->host,
				.ends = memcpy(arena_alloc(j->arena, sizeof(end)), &end,
				               sizeof(end)),
				.num_ends = 1,
				.latency = w->result->latency,
				.level = IBC_PERF_LOW,
				.best = w->result->value,
				.expected = j->v[w->number].expected,
				.median = j->v[w->number].median,
				.before = before[k].result->value,
				.leaf = j->ends[w->end].leaf,
			};
		else if (!is_worse_host(hosts, j->out.num_worse, w->host) &&
		         !is_worse_host(hosts, j->out.num_worse, w->peer))
			pairs[j->out.num_worse_pairs++] = (struct ibc_perf_pair){
				.verdict = &j->v[w->number],
				.best = w->result->value,
				.before = before[k].result->value,
				.results = 1,
			};
	}
}
