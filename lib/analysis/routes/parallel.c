/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS_MAX 64 /* a guess: each has work space of its own */

struct shared {
	const struct parallel *job;
	atomic_size_t next;
	atomic_uint threads;
};

static void *run_items(void *arg)
{
	struct shared *shared = arg;
	unsigned int thread = atomic_fetch_add(&shared->threads, 1);
	size_t item;

	while ((item = atomic_fetch_add(&shared->next, 1)) < shared->job->items)
		shared->job->run(shared->job->ctx, thread, item);
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

void parallel_run(const struct parallel *job, unsigned int threads)
{
	struct shared shared = { .job = job };
	pthread_t others[THREADS_MAX];
	unsigned int n = 0;

	while (n + 1 < threads && n < THREADS_MAX &&
	       !pthread_create(&others[n], NULL, run_items, &shared))
		n++;
	run_items(&shared);
	while (n)
		pthread_join(others[--n], NULL);
}
