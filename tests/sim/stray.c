/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD, over libumad2sim, whose receiver locks the queue of whoever is registered for
 * a MAD, and only then looks whether there is one: a query of a class that opensm does not serve
 * (performance, the vendor's) ends it where it runs.  A lock that lies in the first page is that
 * of no queue.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#define PAGE 4096

static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);

__attribute__((constructor)) static void find(void)
{
	*(void **)&unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	*(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

static int call(int (*function)(pthread_mutex_t *), pthread_mutex_t *mutex)
{
	return (uintptr_t)mutex < PAGE || !function ? 0 : function(mutex);
}

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return call(lock, mutex);
}

__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return call(unlock, mutex);
}
