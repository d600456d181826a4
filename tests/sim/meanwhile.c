/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: before call number MEANWHILE_AT that is about a file of the name MEANWHILE_NAME
 * (a path that ends in it), and before the next one, runs the command in MEANWHILE.  So whoever can
 * write the directory has his turn between any two steps of a program, on any machine.  A call of
 * fsync() counts as one about the file "fsync".
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static void before_call(const char *path)
{
	static long calls;
	const char *name = getenv("MEANWHILE_NAME"), *at = getenv("MEANWHILE_AT");
	size_t n = name ? strlen(name) : 0, length = strlen(path);

	if (!n || !at || length < n || strcmp(path + length - n, name) != 0)
		return;
	calls++;
	if (calls != atol(at) && calls != atol(at) + 1)
		return;
	unsetenv("LD_PRELOAD"); /* the command has no turns of its own */
	if (system(getenv("MEANWHILE")))
		abort();
}

static void *next(const char *function)
{
	return dlsym(RTLD_NEXT, function);
}

SHOWN int openat(int dir, const char *path, int flags, ...)
{
	int (*call)(int, const char *, int, ...);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	*(void **)&call = next("openat");
	before_call(path);
	return call(dir, path, flags, mode);
}

SHOWN int open(const char *path, int flags, ...)
{
	int (*call)(const char *, int, ...);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	*(void **)&call = next("open");
	before_call(path);
	return call(path, flags, mode);
}

SHOWN FILE *fopen(const char *path, const char *mode)
{
	FILE *(*call)(const char *, const char *);

	*(void **)&call = next("fopen");
	before_call(path);
	return call(path, mode);
}

SHOWN int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	int (*call)(int, const char *, struct stat *, int);

	*(void **)&call = next("fstatat");
	before_call(path);
	return call(dir, path, st, flags);
}

SHOWN int faccessat(int dir, const char *path, int mode, int flags)
{
	int (*call)(int, const char *, int, int);

	*(void **)&call = next("faccessat");
	before_call(path);
	return call(dir, path, mode, flags);
}

SHOWN int renameat(int from, const char *path, int to, const char *name)
{
	int (*call)(int, const char *, int, const char *);

	*(void **)&call = next("renameat");
	before_call(path);
	before_call(name);
	return call(from, path, to, name);
}

SHOWN int fsync(int fd)
{
	int (*call)(int);

	*(void **)&call = next("fsync");
	before_call("fsync");
	return call(fd);
}
