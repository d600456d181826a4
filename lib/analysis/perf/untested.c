/* SPDX-License-Identifier: BSD-2-Clause */
/* What was not measured: hosts as a whole, or a pair of hosts that were measured with others. */
#include <stdlib.h>
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"

#define BY_ITSELF 8 /* above all weights: what a host says of itself counts more than others */

/* What says most of why a host was not tested comes first. */
static int weight_of(const struct ibc_perf_result *r)
{
	static const int weights[] = {
		[IBC_PERF_SETUP] = 6,    [IBC_PERF_FAILED] = 5,     [IBC_PERF_UNREAD] = 4,
		[IBC_PERF_LOOPBACK] = 3, [IBC_PERF_NO_PARTNER] = 2, [IBC_PERF_ABSENT] = 1,
	};

	return weights[r->status];
}

/* struct untested - a host: @weight: of the result that is kept */
struct untested {
	bool measured;
	int weight;
	uint32_t end;
	const struct ibc_perf_result *result;
};

/* Records of hosts that are not tested stand behind those that are blamed. */
static const struct untested *find_untested(struct perf_judge *j)
{
	const struct ibc_perf_results *r = j->out.results;
	struct untested *all = arena_array(j->arena, j->num_hosts + 1, sizeof(*all));

	for (size_t i = 0; i < r->num_ends; i++)
		all[j->ends[i].host].measured |= j->ends[i].measured;
	for (size_t i = 0; i < 2 * r->num; i++) {
		const struct ibc_perf_result *result = &r->all[i / 2];
		bool server = i % 2 == 0;
		uint32_t end = server ? result->server : result->client;
		struct untested *u = &all[j->ends[end].host];
		bool own = result->by_server == server && result->status != IBC_PERF_ABSENT;
		int weight = weight_of(result) + (own ? BY_ITSELF : 0);

		if (result->status != IBC_PERF_MEASURED && weight > u->weight)
			*u = (struct untested){ u->measured, weight, end, result };
	}
	for (uint32_t i = 0; i < j->num_hosts; i++) {
		const struct ibc_perf_end **list;

		if (all[i].measured || !all[i].result)
			continue;
		list = arena_array(j->arena, 1, sizeof(*list));
		list[0] = j->ends[all[i].end].end;
		arena_grow(j->arena, &j->hosts, j->out.num_hosts + j->out.num_untested,
		           &j->hosts_room, sizeof(*j->hosts));
		j->hosts[j->out.num_hosts + j->out.num_untested++] = (struct ibc_perf_host){
			.host = list[0]->host,
			.ends = list,
			.num_ends = 1,
			.status = all[i].result->status,
			.why = all[i].result->why,
			.leaf = j->ends[all[i].end].leaf,
		};
	}
	j->out.hosts = j->hosts;
	j->out.untested = j->hosts ? j->hosts + j->out.num_hosts : NULL;
	return all;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static int order_of_ends(const struct ibc_perf_result *a, const struct ibc_perf_result *z)
{
	return order_u64(a->client, z->client) ?: order_u64(a->server, z->server);
}

static int by_gap(const void *va, const void *vz)
{
	const struct ibc_perf_verdict *const *a = va, *const *z = vz;
	const struct ibc_perf_result *ra = (*a)->result, *rz = (*z)->result;

	return order_of_ends(ra, rz) ?: weight_of(rz) - weight_of(ra) ?: order_u64(rz->round, ra->round)
	    ?: ra->by_server - rz->by_server;
}

/* Ends whose hosts were measured, and the pair was not, by this test, then or later. */
void judge_untested(struct perf_judge *j)
{
	const struct untested *hosts = find_untested(j);
	struct ibc_perf_verdict **all = arena_array(j->arena, j->out.results->num + 1,
	                                            sizeof(*all));
	struct ibc_perf_pair *gaps = arena_array(j->arena, j->out.results->num + 1, sizeof(*gaps));
	size_t n = 0;

	j->out.gaps = gaps;
	for (size_t i = 0; i < j->out.results->num; i++) {
		const struct ibc_perf_result *r = j->v[i].result;
		bool is_gap = r->status != IBC_PERF_MEASURED && r->status != IBC_PERF_LOOPBACK &&
		              hosts[j->ends[r->client].host].measured &&
		              hosts[j->ends[r->server].host].measured;

		if (is_gap || judge_is_measured(r))
			all[n++] = &j->v[i];
	}
	qsort(all, n, sizeof(struct ibc_perf_verdict *), by_gap);
	for (size_t i = 0, end; i < n; i = end) {
		const struct ibc_perf_result *gap = all[i]->result;
		bool measured = false;

		for (end = i; end < n && !order_of_ends(gap, all[end]->result); end++) {
			const struct ibc_perf_result *r = all[end]->result;

			/* what breaks off after it was measured is no old story */
			measured |= r->status == IBC_PERF_MEASURED && r->round >= gap->round &&
			            (!*gap->test || r->test == gap->test);
		}
		if (!measured)
			gaps[j->out.num_gaps++] = (struct ibc_perf_pair){ .verdict = all[i],
				                                          .results = 1 };
	}
}
