/* SPDX-License-Identifier: BSD-2-Clause */
/* Time: the clock, waits, and a line on stderr while a sweep takes long and a person is watching.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

#define PATIENCE_SECONDS 1.0 /* what is faster needs no progress */

double clock_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void clock_wait(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void time_text(double seconds, char text[TIME_TEXT])
{
	if (seconds < 120)
		snprintf(text, TIME_TEXT, "%.3g s", seconds);
	else if (seconds < 3600)
		snprintf(text, TIME_TEXT, "%.3g min", seconds / 60);
	else
		snprintf(text, TIME_TEXT, "%.4g h", seconds / 3600);
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
