/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/arena.h"

struct shared {
	const struct parallel *job;
	atomic_size_t next;
	atomic_uint threads;
	atomic_bool out_of_memory;
};

static void run_items(struct shared *shared, unsigned int thread)
{
	size_t item;

	while ((item = atomic_fetch_add(&shared->next, 1)) < shared->job->items)
		shared->job->run(shared->job->ctx, thread, item);
}

static void *run_thread(void *arg)
{
	struct shared *const shared = arg;
	const unsigned int thread = atomic_fetch_add(&shared->threads, 1);
	struct arena *const arena = shared->job->arenas ? shared->job->arenas[thread] : NULL;

	if (!arena) {
		run_items(shared, thread);
		return NULL;
	}
	if (setjmp(*arena_entry(arena))) {
		shared->out_of_memory = true;
	} else {
		run_items(shared, thread);
	}
	arena_escape(arena, NULL);
	return NULL;
}

unsigned int parallel_threads(unsigned int wanted, size_t items)
{
	long n = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);

	if (n > THREADS_MAX)
		n = THREADS_MAX;
	if (n > 0 && (size_t)n > items)
		n = (long)items;
	return n > 0 ? (unsigned int)n : 1;
}

bool parallel_run(const struct parallel *job, unsigned int threads)
{
	struct shared shared = { .job = job };
	pthread_t others[THREADS_MAX];
	unsigned int n = 0;

	while (n + 1 < threads && n < THREADS_MAX &&
	       !pthread_create(&others[n], NULL, run_thread, &shared))
		n++;
	run_thread(&shared);
	while (n)
		pthread_join(others[--n], NULL);
	return !shared.out_of_memory;
}
