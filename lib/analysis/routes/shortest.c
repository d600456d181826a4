/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many switches lie at least between each switch that has hosts and every other:
 * breadth-first search from 64 of them at a time, a bit each.  O(senders / 64 x cables x levels).
 */
#include <string.h>

#include "analysis/routes/routes.h"
#include "base/arena.h"

#define BATCH 64 /* senders at a time: one bit each of a word */

/* struct hop_search - what a thread needs: sets of the senders of its batch, by column */
struct hop_search {
	uint64_t *seen, *reached, *next;
};

struct searches {
	struct route_subnet *p;
	struct hop_search *of_thread;
};

/* Those that are new at a switch have their shortest route to it. */
static bool take_depth(const struct route_subnet *p, struct hop_search *s, uint32_t first,
                       unsigned int switches)
{
	uint64_t any = 0;

	for (uint32_t column = 0; column < p->n; column++) {
		uint64_t fresh = s->next[column] & ~s->seen[column];

		s->next[column] = 0;
		s->reached[column] = fresh;
		s->seen[column] |= fresh;
		any |= fresh;
		for (; fresh; fresh &= fresh - 1) {
			uint32_t from = first + (uint32_t)__builtin_ctzll(fresh);

			p->shortest[(size_t)from * p->n + column] = (uint8_t)switches;
		}
	}
	return any;
}

static void search_batch(void *ctx, unsigned int thread, size_t batch)
{
	const struct searches *searches = ctx;
	const struct route_subnet *p = searches->p;
	struct hop_search *s = &searches->of_thread[thread];
	uint32_t first = (uint32_t)batch * BATCH;

	memset(s->seen, 0, p->n * sizeof(*s->seen));
	for (uint32_t i = first; i < first + BATCH && i < p->num_senders; i++)
		s->next[p->senders[i]] = 1ull << (i - first);
	for (unsigned int n = 1; take_depth(p, s, first, n) && n < UINT8_MAX; n++)
		for (uint32_t column = 0; column < p->n; column++) {
			const uint32_t *next_hop = &p->next_hop[(size_t)column * p->width];

			/* from every switch that was just reached by each of its cables */
			for (unsigned int port = 1; s->reached[column] && port < p->width; port++)
				if (next_hop[port] < HOP_SPECIAL)
					s->next[next_hop[port] >> 8] |= s->reached[column];
		}
	memset(s->next, 0, p->n * sizeof(*s->next));
}

void routes_shortest(struct route_subnet *p)
{
	struct searches searches = { .p = p };
	const struct parallel job = { search_batch, &searches, (p->num_senders + BATCH - 1) / BATCH,
		                      NULL };
	unsigned int threads = parallel_threads(p->routes->opts.threads, job.items);

	p->shortest = arena_array(p->routes->arena, (size_t)p->num_senders + 1, p->n + 1);
	searches.of_thread = arena_array(p->tmp, threads, sizeof(*searches.of_thread));
	for (unsigned int i = 0; i < threads; i++)
		searches.of_thread[i] = (struct hop_search){
			.seen = arena_array(p->tmp, p->n + 1u, sizeof(uint64_t)),
			.reached = arena_array(p->tmp, p->n + 1u, sizeof(uint64_t)),
			.next = arena_array(p->tmp, p->n + 1u, sizeof(uint64_t)),
		};
	parallel_run(&job, threads);
}
