/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan has, and no result. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "source/jobs/perfresults.h"
#include "source/source.h"

#define RAILS_MAX 64 /* of a host: ibcheck-perf-run has so many ports for them */

/*
 * struct expecting - @sorted: what was there before, in the order of by_pair()
 * @rails: that most hosts have
 */
struct expecting {
	struct perf_results *r;
	struct text_file *text;
	struct ibc_perf_result *sorted;
	size_t num, num_rails;
	const char *rails[RAILS_MAX];
};

/* How many hosts have it decides: one that lacks an HCA prints nothing of its rail. */
static void list_rails(struct expecting *e)
{
	const struct ibc_perf_results *r = &e->r->public;
	size_t hosts[RAILS_MAX] = { 0 }, num = 0, most = 0;

	for (size_t i = 0, k; i < r->num_ends; i++) {
		for (k = 0; k < num && strcmp(e->rails[k], r->ends[i].rail) != 0;)
			k++;
		if (k == RAILS_MAX || !*r->ends[i].rail)
			continue;
		e->rails[k] = r->ends[i].rail;
		num += k == num;
		most = ++hosts[k] > most ? hosts[k] : most;
	}
	for (size_t k = 0; k < num; k++)
		if (2 * hosts[k] > most)
			e->rails[e->num_rails++] = e->rails[k];
}

/* The same host may have many ends: names decide, and the rail where the plan has one. */
static int by_pair(const void *va, const void *vz, void *ctx)
{
	const struct ibc_perf_result *a = va, *z = vz;
	const struct ibc_perf_end *ends = ((struct expecting *)ctx)->r->public.ends;
	int order = order_u64(a->round, z->round)
	                ?: strcmp(ends[a->server].host, ends[z->server].host);

	return order ?: strcmp(ends[a->client].host, ends[z->client].host);
}

static bool has_result(struct expecting *e, const struct ibc_perf_result *wanted, bool any_rail)
{
	size_t low = 0, high = e->num;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_pair(&e->sorted[middle], wanted, e) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < e->num && !by_pair(&e->sorted[low], wanted, e); low++)
		if (any_rail || (e->sorted[low].server == wanted->server &&
		                 e->sorted[low].client == wanted->client))
			return true;
	return false;
}

static int take_plan_line(void *ctx, char *line, struct ibc_error *err)
{
	struct expecting *e = ctx;
	struct ibc_perf_result wanted = { .status = IBC_PERF_ABSENT };
	char *rest, *word[4] = { NULL }, *at = line;
	uint64_t round;
	size_t n = 0;
	bool any_rail;

	if (line[strspn(line, " \t")] == '#' || !line[strspn(line, " \t")])
		return 0;
	for (; n < 4 && (word[n] = strtok_r(at, " \t", &rest)); at = NULL)
		n++;
	if (n < 4 || strtok_r(NULL, " \t", &rest) || str_u64(word[0], 1, PERF_ROUND_MAX, &round))
		return text_fail(e->text, err,
		                 "expected ROUND SERVER CLIENT RAIL, as ibcheck perf plan writes");
	any_rail = !strcmp(word[3], "all");
	if (!perf_set_ends(e->r, &wanted, word[1], word[2], any_rail ? "" : word[3]))
		return text_fail(e->text, err, "the rail is too long");
	wanted.round = (unsigned int)round;
	wanted.test = perf_test_of(e->r, "");
	/* of a pair that printed nothing at all it is one gap, not one a rail */
	if (!has_result(e, &wanted, any_rail)) {
		perf_add(e->r, &wanted);
		return 0;
	}
	for (size_t i = 0; any_rail && i < e->num_rails; i++) {
		perf_set_ends(e->r, &wanted, word[1], word[2], e->rails[i]);
		if (!has_result(e, &wanted, false))
			perf_add(e->r, &wanted);
	}
	return 0;
}

int read_perf_plan(struct text_file *f, struct ibc_perf_results *results, struct ibc_error *err)
{
	struct perf_results *r = (struct perf_results *)results;
	struct expecting e = { .r = r, .text = f };
	int rc;

	if (setjmp(r->escape)) {
		arena_escape(r->arena, NULL);
		return fail_nomem(err);
	}
	arena_escape(r->arena, &r->escape);
	e.sorted = arena_array(r->arena, results->num + 1, sizeof(*e.sorted));
	for (; e.num < results->num; e.num++)
		e.sorted[e.num] = results->all[e.num];
	list_rails(&e);
	qsort_r(e.sorted, e.num, sizeof(*e.sorted), by_pair, &e);
	rc = text_each_line(f, take_plan_line, &e, err);
	arena_escape(r->arena, NULL);
	return rc;
}
