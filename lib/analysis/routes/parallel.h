/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_PARALLEL_H
#define ANALYSIS_PARALLEL_H

#include <stddef.h>

/*
 * A job of many like items, shared by threads.  Each thread takes the next items that
 * nobody has taken, so a result may depend on the item, never on the thread.
 */
struct parallel {
	void (*run)(void *ctx, unsigned int thread, size_t item);
	void *ctx;
	size_t items;
};

/* As many as asked for, or as there are processors; never more than there are items. */
unsigned int parallel_threads(unsigned int wanted, size_t items);

/* Returns when all is done.  Threads that the system refuses are done without. */
void parallel_run(const struct parallel *job, unsigned int threads);

#endif
