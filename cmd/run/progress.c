/* SPDX-License-Identifier: BSD-2-Clause */
/* Time: the clock, waits, and a line on stderr while a sweep takes long and a person is watching.
 */
#include <errno.h>
#include <inttypes.h>
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

struct timespec clock_after(clockid_t clock, double seconds)
{
	struct timespec ts;
	time_t whole = (time_t)seconds;

	clock_gettime(clock, &ts);
	ts.tv_sec += whole;
	ts.tv_nsec += (long)((seconds - (double)whole) * 1e9);
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

/* ---- windows --------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_signal(int signum)
{
	(void)signum;
	interrupted = 1;
}

/* What is ignored stays so: a shell's background jobs. */
static void set_handlers(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESETHAND | SA_RESTART };
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

bool window_wait(double seconds, unsigned int window, unsigned int of)
{
	double end = clock_seconds() + seconds, left;
	struct progress progress = progress_start();

	if (window == 1)
		set_handlers(on_signal);
	/* no longer than a second at once: a signal may come between the question and the wait */
	while (!interrupted && (left = end - clock_seconds()) > 0) {
		progress.shown = progress.terminal && seconds > PATIENCE_SECONDS;
		if (progress.shown)
			fprintf(stderr, "\rwindow %u of %u: next sweep in %.0f s\033[K", window, of,
			        left);
		nanosleep(&(struct timespec){ .tv_sec = left >= 1,
		                              .tv_nsec = left >= 1 ? 0 : (long)(left * 1e9) },
		          NULL);
	}
	progress_end(&progress);
	if (window == of || interrupted)
		set_handlers(SIG_DFL);
	return !interrupted;
}

/* ---- words and progress -------------------------------------------------------------- */

const char *duration_text(double seconds, char text[TIME_TEXT])
{
	if (seconds < 120)
		snprintf(text, TIME_TEXT, "%.3g s", seconds);
	else if (seconds < 3600)
		snprintf(text, TIME_TEXT, "%.3g min", seconds / 60);
	else if (seconds < 2 * 86400)
		snprintf(text, TIME_TEXT, "%.4g h", seconds / 3600);
	else
		snprintf(text, TIME_TEXT, "%.3g days", seconds / 86400);
	return text;
}

struct progress progress_start(void)
{
	return (struct progress){ .started = clock_seconds(), .terminal = isatty(STDERR_FILENO) };
}

bool progress_tick(void *ctx, uint64_t answered, uint64_t open, size_t nodes)
{
	struct progress *p = ctx;

	if (p->terminal && clock_seconds() - p->started >= PATIENCE_SECONDS) {
		p->shown = true;
		fprintf(stderr,
		        "\rsweeping: %zu nodes, %" PRIu64 " answers, %" PRIu64 " open\033[K", nodes,
		        answered, open);
	}
	return !p->stop || !*p->stop;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
