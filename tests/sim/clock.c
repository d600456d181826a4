/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: a program begins at CLOCK, in seconds since 1970.  Deadlines and waits are by
 * the clock that nobody sets.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int real_clock(clockid_t clock, struct timespec *ts)
{
	int (*get)(clockid_t, struct timespec *);

	*(void **)&get = dlsym(RTLD_NEXT, "clock_gettime");
	return get(clock, ts);
}

static struct timespec begun;

__attribute__((constructor)) static void begin(void)
{
	real_clock(CLOCK_MONOTONIC, &begun);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *ts)
{
	const char *set = getenv("CLOCK");
	long nsec;
	int rc;

	if (!set || clock != CLOCK_REALTIME)
		return real_clock(clock, ts);
	rc = real_clock(CLOCK_MONOTONIC, ts);
	nsec = ts->tv_nsec - begun.tv_nsec;
	ts->tv_sec += (time_t)atoll(set) - begun.tv_sec - (nsec < 0);
	ts->tv_nsec = nsec + (nsec < 0) * 1000000000L;
	return rc;
}

__attribute__((visibility("default"))) time_t time(time_t *out)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}
