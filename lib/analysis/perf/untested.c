/* SPDX-License-Identifier: BSD-2-Clause */
/* What was not measured: hosts as a whole, or a pair of hosts that were measured with others. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

/* What tells most of why a host was not tested comes first. */
static int weight_of(const struct ibc_perf_result *r)
{
	static const int weights[] = {
		[IBC_PERF_SETUP] = 6,    [IBC_PERF_FAILED] = 5,     [IBC_PERF_UNREAD] = 4,
		[IBC_PERF_LOOPBACK] = 3, [IBC_PERF_NO_PARTNER] = 2, [IBC_PERF_ABSENT] = 1,
	};

	return weights[r->status];
}

/* struct untested - a host: @told: the weight of what is kept */
struct untested {
	bool measured;
	int told;
	uint32_t end;
	const struct ibc_perf_result *result;
};

/* What a host says of itself counts more than what others say of it. */
static void tell(struct untested *u, const struct ibc_perf_result *r, uint32_t end, bool own)
{
	int told = 2 * weight_of(r) + own * 16;

	if (told <= u->told)
		return;
	u->told = told;
	u->result = r;
	u->end = end;
}

static void add_untested(struct perf_judge *j, const struct untested *u)
{
	const struct ibc_perf_end **list = arena_array(j->arena, 1, sizeof(*list));

	if (!list || !arena_grow(j->arena, &j->hosts, j->out.num_hosts + j->out.num_untested,
	                         &j->hosts_room, sizeof(*j->hosts))) {
		j->failed = true;
		return;
	}
	list[0] = j->ends[u->end].end;
	j->hosts[j->out.num_hosts + j->out.num_untested++] = (struct ibc_perf_host){
		.host = list[0]->host,
		.ends = list,
		.num_ends = 1,
		.status = u->result->status,
		.why = u->result->why,
		.leaf = j->ends[u->end].leaf,
	};
}

/* Records of hosts that are not tested stand behind those that are blamed. */
static struct untested *find_untested(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	struct untested *all = arena_array(j->arena, j->num_hosts + 1, sizeof(*all));

	if (!all) {
		j->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < r->num_ends; i++)
		all[j->ends[i].host].measured |= j->ends[i].measured;
	for (size_t i = 0; i < r->num; i++) {
		const struct ibc_perf_result *result = &r->all[i];
		bool by_server = result->by_server, absent = result->status == IBC_PERF_ABSENT;

		if (result->status == IBC_PERF_MEASURED)
			continue;
		tell(&all[j->ends[result->server].host], result, result->server,
		     by_server && !absent);
		tell(&all[j->ends[result->client].host], result, result->client,
		     !by_server && !absent);
	}
	for (uint32_t i = 0; i < j->num_hosts && !j->failed; i++)
		if (!all[i].measured && all[i].result)
			add_untested(j, &all[i]);
	j->out.hosts = j->hosts;
	j->out.untested = j->hosts ? j->hosts + j->out.num_hosts : NULL;
	return all;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static int by_gap(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	const struct ibc_perf_result *ra = (*a)->result, *rz = (*z)->result;
	int order = order_u64((uint64_t)ra->client << 32 | ra->server,
	                      (uint64_t)rz->client << 32 | rz->server);

	order = order ? order : weight_of(rz) - weight_of(ra);
	order = order ? order : order_u64(rz->round, ra->round);
	return order ? order : ra->by_server - rz->by_server;
}

static bool is_gap(const struct perf_judge *j, const struct untested *hosts,
                   const struct ibc_perf_result *r)
{
	return r->status != IBC_PERF_MEASURED && r->status != IBC_PERF_LOOPBACK &&
	       hosts[j->ends[r->client].host].measured && hosts[j->ends[r->server].host].measured;
}

/* Measured by the same test, and not before: what breaks off after that is no old story. */
static bool closes(const struct ibc_perf_result *gap, const struct ibc_perf_result *r)
{
	return r->status == IBC_PERF_MEASURED && r->round >= gap->round &&
	       (!*gap->test || r->test == gap->test);
}

/* The ends of a gap, unless the pair was measured another time. */
static size_t list_gaps(struct perf_judge *j, const struct untested *hosts,
                        struct ibc_perf_verdict **gaps)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < j->out.results->num; i++)
		if (is_gap(j, hosts, j->v[i].result) ||
		    (j->v[i].result->status == IBC_PERF_MEASURED && !j->v[i].result->by_server))
			gaps[n++] = &j->v[i];
	qsort(gaps, n, sizeof(struct ibc_perf_verdict *), by_gap);
	for (size_t i = 0, end; i < n; i = end) {
		bool measured = false;

		for (end = i; end < n && gaps[end]->result->client == gaps[i]->result->client &&
		              gaps[end]->result->server == gaps[i]->result->server;
		     end++)
			measured |= closes(gaps[i]->result, gaps[end]->result);
		if (!measured)
			gaps[kept++] = gaps[i];
	}
	return kept;
}

void judge_untested(struct perf_judge *j)
{
	struct untested *hosts = find_untested(j);
	struct ibc_perf_verdict **gaps = arena_array(j->arena, j->out.results->num + 1,
	                                             sizeof(*gaps));
	struct ibc_perf_pair *pairs;
	size_t n;

	if (!hosts || !gaps) {
		j->failed = true;
		return;
	}
	n = list_gaps(j, hosts, gaps);
	pairs = arena_array(j->arena, n + 1, sizeof(*pairs));
	if (!pairs) {
		j->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct ibc_perf_pair){ .verdict = gaps[i], .results = 1 };
	j->out.gaps = pairs;
	j->out.num_gaps = n;
}
