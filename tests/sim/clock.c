/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: a program begins at CLOCK, in seconds since 1970.  Deadlines and waits are by
 * the clock that nobody sets.
 *
 * While the file SKIP is there a wait for a condition, or for a time, takes none, and all clocks go
 * on by what it would have taken: hours of rounds pass as fast as their work is done.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NSEC 1000000000LL
#define DAY  (86400 * NSEC) /* nobody waits longer; CLOCK_REALTIME began decades earlier */

static atomic_llong skipped; /* nanoseconds */

static int real_clock(clockid_t clock, struct timespec *ts)
{
	int (*get)(clockid_t, struct timespec *);

	*(void **)&get = dlsym(RTLD_NEXT, "clock_gettime");
	if (get(clock, ts))
		return -1;
	if (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) {
		ts->tv_sec += skipped / NSEC;
		ts->tv_nsec += skipped % NSEC;
		ts->tv_sec += ts->tv_nsec / NSEC;
		ts->tv_nsec %= NSEC;
	}
	return 0;
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

/*
 * A wait by CLOCK_REALTIME is one for an answer, and stays.  A short rest lets the other threads
 * have the processor, and the lock.
 */
__attribute__((visibility("default"))) int pthread_cond_timedwait(pthread_cond_t *cond,
                                                                  pthread_mutex_t *lock,
                                                                  const struct timespec *until)
{
	int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	const char *skip = getenv("SKIP");
	struct timespec now, real = *until;
	long long left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (until->tv_sec - now.tv_sec) * NSEC + until->tv_nsec - now.tv_nsec;
	if (skip && left < DAY && !access(skip, F_OK)) {
		skipped += left > 0 ? left : 0;
		pthread_mutex_unlock(lock);
		usleep(1000);
		pthread_mutex_lock(lock);
		return ETIMEDOUT;
	}
	*(void **)&wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	real.tv_sec -= skipped / NSEC;
	real.tv_nsec -= skipped % NSEC;
	if (real.tv_nsec < 0) {
		real.tv_sec--;
		real.tv_nsec += NSEC;
	}
	return wait(cond, lock, &real);
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *wait,
                                                     struct timespec *left)
{
	int (*sleeps)(const struct timespec *, struct timespec *);
	const char *skip = getenv("SKIP");

	if (skip && !access(skip, F_OK)) {
		skipped += wait->tv_sec * NSEC + wait->tv_nsec;
		return 0;
	}
	*(void **)&sleeps = dlsym(RTLD_NEXT, "nanosleep");
	return sleeps(wait, left);
}
