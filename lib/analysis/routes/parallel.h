/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define THREADS_MAX 64 /* a guess: each has work space of its own */

struct arena;

/*
 * struct parallel - a job of many like items, shared by threads.  Each thread takes the next item
 * that no other has taken, so a result may depend on the item, never on the thread.
 * @arenas: by thread, for what items allocate: out of memory, the thread ends; NULL: none do
 */
struct parallel {
	void (*run)(void *ctx, unsigned int thread, size_t item);
	void *ctx;
	size_t items;
	struct arena *const *arenas;
};

/* As many as asked for, or as there are processors; never more than there are items. */
unsigned int parallel_threads(unsigned int wanted, size_t items);

/*
 * Returns when all is done.  Threads that the system refuses are done without.  False: one was out
 * of memory.  The arenas then have no escape.
 */
bool parallel_run(const struct parallel *job, unsigned int threads);
