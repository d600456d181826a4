/* SPDX-License-Identifier: BSD-2-Clause */
/* A line on stderr while a sweep takes long and a person is watching. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

#define PATIENCE_SECONDS 1.0

double clock_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct progress progress_start(void)
{
	return (struct progress){ .started = clock_seconds(), .terminal = isatty(STDERR_FILENO) };
}

void progress_tick(void *ctx, uint64_t answered, uint64_t open, size_t nodes)
{
	struct progress *p = ctx;

	if (!p->terminal || clock_seconds() - p->started < PATIENCE_SECONDS)
		return;
	p->shown = true;
	fprintf(stderr, "\rsweeping: %zu nodes, %" PRIu64 " answers, %" PRIu64 " open\033[K", nodes,
	        answered, open);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
