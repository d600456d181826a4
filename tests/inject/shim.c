/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For LD_PRELOAD: the n-th call of a kind fails, once.
 *
 * INJECT_KIND   alloc: malloc, calloc, realloc; read: read, pread, fgets, getline;
 *               readdir: readdir, scandir; open: open, openat, fopen, fdopen, opendir;
 *               sqlite: open, prepare, step, exec
 * INJECT_AT     which of them; 0: none
 * INJECT_COUNT  a file that gets the number of such calls when the program ends
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#define EXPORT __attribute__((visibility("default")))

/* What the library that is called next has; the first look-up may come before any constructor. */
#define NEXT(name)                                                                                 \
	static __typeof__(&name) next;                                                             \
	if (!next)                                                                                 \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

enum kind { NOTHING, ALLOC, READ, READDIR, OPEN, SQLITE };

static enum kind wanted;
static unsigned long at, calls;

static int fails(enum kind kind)
{
	return kind == wanted && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == at;
}

__attribute__((constructor)) static void begin(void)
{
	static const char *const names[] = {
		[ALLOC] = "alloc", [READ] = "read",     [READDIR] = "readdir",
		[OPEN] = "open",   [SQLITE] = "sqlite",
	};
	const char *kind = getenv("INJECT_KIND"), *n = getenv("INJECT_AT");

	at = n ? strtoul(n, NULL, 10) : 0;
	for (enum kind k = ALLOC; kind && k <= SQLITE; k++)
		if (!strcmp(kind, names[k]))
			wanted = k;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("INJECT_COUNT");
	unsigned long counted = calls;
	FILE *out;

	wanted = NOTHING;
	out = path ? fopen(path, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "%lu\n", counted);
	fclose(out);
}

/* ---- memory ---------------------------------------------------------------------------- */

/* dlsym() may allocate: until it has answered, from here, never given back. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *early_alloc(size_t size)
{
	void *p = early + early_used;

	early_used += (size + 15) / 16 * 16;
	return early_used <= sizeof(early) ? p : NULL;
}

EXPORT void free(void *p)
{
	NEXT(free);
	if ((char *)p < early || (char *)p >= early + sizeof(early))
		next(p);
}

EXPORT void *malloc(size_t size)
{
	static int looking;

	if (looking)
		return early_alloc(size);
	looking = 1;
	NEXT(malloc);
	looking = 0;
	if (!fails(ALLOC))
		return next(size);
	errno = ENOMEM;
	return NULL;
}

EXPORT void *calloc(size_t n, size_t size)
{
	static int looking;

	if (looking)
		return early_alloc(n * size);
	looking = 1;
	NEXT(calloc);
	looking = 0;
	if (!fails(ALLOC))
		return next(n, size);
	errno = ENOMEM;
	return NULL;
}

EXPORT void *realloc(void *p, size_t size)
{
	NEXT(realloc);
	if (!fails(ALLOC))
		return next(p, size);
	errno = ENOMEM;
	return NULL;
}

EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	NEXT(reallocarray);
	if (!fails(ALLOC))
		return next(p, n, size);
	errno = ENOMEM;
	return NULL;
}

/* ---- files ------------------------------------------------------------------------------ */

EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
	NEXT(read);
	if (!fails(READ))
		return next(fd, bytes, size);
	errno = EIO;
	return -1;
}

EXPORT ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	NEXT(pread);
	if (!fails(READ))
		return next(fd, bytes, size, offset);
	errno = EIO;
	return -1;
}

EXPORT ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
	NEXT(pread64);
	if (!fails(READ))
		return next(fd, bytes, size, offset);
	errno = EIO;
	return -1;
}

#define STREAM_ERROR 0x20 /* glibc: what ferror() looks at */

EXPORT char *fgets(char *line, int size, FILE *in)
{
	NEXT(fgets);
	if (!fails(READ))
		return next(line, size, in);
	in->_flags |= STREAM_ERROR;
	errno = EIO;
	return NULL;
}

EXPORT ssize_t getline(char **line, size_t *size, FILE *in)
{
	NEXT(getline);
	if (!fails(READ))
		return next(line, size, in);
	in->_flags |= STREAM_ERROR;
	errno = EIO;
	return -1;
}

/* A mode is passed on where there is one, and does no harm where there is none. */
#define OPEN_MODE(last)                                                                            \
	va_list more;                                                                              \
	va_start(more, last);                                                                      \
	mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;                  \
	va_end(more);                                                                              \
	if (fails(OPEN)) {                                                                         \
		errno = EMFILE;                                                                    \
		return -1;                                                                         \
	}

EXPORT int open(const char *path, int flags, ...)
{
	NEXT(open);
	OPEN_MODE(flags)
	return next(path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
	NEXT(open64);
	OPEN_MODE(flags)
	return next(path, flags, mode);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	NEXT(openat);
	OPEN_MODE(flags)
	return next(dir, path, flags, mode);
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	NEXT(openat64);
	OPEN_MODE(flags)
	return next(dir, path, flags, mode);
}

#define OR_FAIL(kind, error, ...)                                                                  \
	if (!fails(kind))                                                                          \
		return next(__VA_ARGS__);                                                          \
	errno = (error);                                                                           \
	return NULL

EXPORT FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	OR_FAIL(OPEN, EMFILE, path, mode);
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
	NEXT(fdopen);
	OR_FAIL(OPEN, ENOMEM, fd, mode);
}

EXPORT DIR *opendir(const char *path)
{
	NEXT(opendir);
	OR_FAIL(OPEN, EMFILE, path);
}

EXPORT DIR *fdopendir(int fd)
{
	NEXT(fdopendir);
	OR_FAIL(OPEN, ENOMEM, fd);
}

EXPORT struct dirent *readdir(DIR *dir)
{
	NEXT(readdir);
	OR_FAIL(READDIR, EIO, dir);
}

EXPORT int scandir(const char *path, struct dirent ***names, int (*filter)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
	NEXT(scandir);
	if (!fails(READDIR))
		return next(path, names, filter, compare);
	errno = EIO;
	return -1;
}

/* ---- SQLite ----------------------------------------------------------------------------- */

EXPORT int sqlite3_open_v2(const char *path, sqlite3 **db, int flags, const char *vfs)
{
	NEXT(sqlite3_open_v2);
	if (!fails(SQLITE))
		return next(path, db, flags, vfs);
	*db = NULL;
	return SQLITE_CANTOPEN;
}

EXPORT int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned int flags,
                              sqlite3_stmt **statement, const char **tail)
{
	NEXT(sqlite3_prepare_v3);
	if (!fails(SQLITE))
		return next(db, sql, bytes, flags, statement, tail);
	*statement = NULL;
	return SQLITE_IOERR;
}

EXPORT int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
                              const char **tail)
{
	NEXT(sqlite3_prepare_v2);
	if (!fails(SQLITE))
		return next(db, sql, bytes, statement, tail);
	*statement = NULL;
	return SQLITE_IOERR;
}

EXPORT int sqlite3_step(sqlite3_stmt *statement)
{
	NEXT(sqlite3_step);
	return fails(SQLITE) ? SQLITE_IOERR : next(statement);
}

EXPORT int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                        void *ctx, char **message)
{
	NEXT(sqlite3_exec);
	if (!fails(SQLITE))
		return next(db, sql, row, ctx, message);
	if (message)
		*message = NULL;
	return SQLITE_IOERR;
}
