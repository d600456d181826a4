/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep of the last run, in a file that one run at a time may use.
 *
 * The lock is a file of its own, which stays: a lock on the state itself would be
 * lost with every rename.  What is written waits in FILE.new, so that a run which
 * is killed leaves no litter that the next one does not use.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "source/source.h"

/* struct ibc_state - path is absolute, all links in it followed */
struct ibc_state {
	struct arena *arena;
	const char *path, *lock, *temp;
	int lock_fd;
	bool written;
};

/* ---- opening ---------------------------------------------------------------- */

/*
 * The name behind all symbolic links, so that two names of one state share a lock
 * and a link stays one; of a file that is still to be made, its directory's.
 */
static int resolve_state_name(const char *path, char full[PATH_MAX], struct ibc_error *err)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char dir[PATH_MAX];
	size_t used;

	if (realpath(path, full))
		return 0;
	if (errno != ENOENT || !*base)
		return fail(err, -errno, "cannot use %s: %s", path, strerror(errno));
	if (snprintf(dir, sizeof(dir), "%.*s.", (int)(base - path), path) >= PATH_MAX)
		return fail(err, -ENAMETOOLONG, "cannot use %s: its name is too long", path);
	if (!realpath(dir, full))
		return fail(err, -errno, "cannot use %s: its directory: %s", path, strerror(errno));
	used = strlen(full);
	if ((size_t)snprintf(full + used, PATH_MAX - used, "/%s", base) >= PATH_MAX - used)
		return fail(err, -ENAMETOOLONG, "cannot use %s: its name is too long", path);
	return 0;
}

/* What is set aside and replaced must be a file: no device, no directory. */
static int verify_kind(const char *path, struct ibc_error *err)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	return fail(err, -EINVAL, "cannot use %s: it is %s", path,
	            S_ISDIR(st.st_mode) ? "a directory" : "not a file");
}

static int name_files(struct ibc_state *state, const char *path, struct ibc_error *err)
{
	char full[PATH_MAX];
	int rc = resolve_state_name(path, full, err);

	if (rc)
		return rc;
	rc = verify_kind(full, err);
	if (rc)
		return rc;
	state->path = arena_strdup(state->arena, full);
	state->lock = arena_printf(state->arena, "%s.lock", full);
	state->temp = arena_printf(state->arena, "%s.new", full);
	return state->path && state->lock && state->temp ? 0 : fail_nomem(err);
}

/* The lock's holder writes its number into it; 0: it did not come to that yet. */
static long lock_holder(const struct ibc_state *state)
{
	char text[24] = "";

	return pread(state->lock_fd, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static int fail_busy(const struct ibc_state *state, struct ibc_error *err)
{
	long pid = lock_holder(state);

	if (pid > 0)
		return fail(err, -EBUSY, "%s is in use by another run (pid %ld)", state->path, pid);
	return fail(err, -EBUSY, "%s is in use by another run", state->path);
}

static int take_lock(struct ibc_state *state, struct ibc_error *err)
{
	state->lock_fd = open(state->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (state->lock_fd < 0)
		return fail(err, -errno, "cannot open %s: %s", state->lock, strerror(errno));
	if (flock(state->lock_fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK
		           ? fail_busy(state, err)
		           : fail(err, -errno, "cannot lock %s: %s", state->lock, strerror(errno));
	/* on a full disk it is only the number that is missing */
	if (!ftruncate(state->lock_fd, 0))
		dprintf(state->lock_fd, "%ld\n", (long)getpid());
	return 0;
}

int ibc_state_open(const char *path, struct ibc_state **out, struct ibc_error *err)
{
	struct ibc_state *state = xalloc(sizeof(*state));
	int rc;

	if (!state)
		return fail_nomem(err);
	state->lock_fd = -1;
	state->arena = arena_new();
	rc = state->arena ? name_files(state, path, err) : fail_nomem(err);
	if (!rc)
		rc = take_lock(state, err);
	if (rc) {
		ibc_state_free(state);
		return rc;
	}
	*out = state;
	return 0;
}

void ibc_state_free(struct ibc_state *state)
{
	if (!state)
		return;
	if (state->written)
		unlink(state->temp);
	if (state->lock_fd >= 0)
		close(state->lock_fd);
	arena_free(state->arena);
	free(state);
}

/* ---- the last run ------------------------------------------------------------- */

int ibc_state_load(const struct ibc_state *state, const struct ibc_source_opts *opts,
                   struct ibc_fabric **out, struct ibc_error *err)
{
	if (access(state->path, F_OK) && errno == ENOENT)
		return fail(err, -ENOENT, "%s does not exist yet", state->path);
	return ibc_fabric_load(&state->path, 1, opts, out, err);
}

int ibc_state_set_aside(struct ibc_state *state, const char *suffix, const char **kept,
                        struct ibc_error *err)
{
	const char *name = arena_printf(state->arena, "%s.%s", state->path, suffix);

	/* what was set aside before stays as well; the lock keeps others from the name */
	for (unsigned int i = 2; name && !access(name, F_OK); i++)
		name = arena_printf(state->arena, "%s.%s.%u", state->path, suffix, i);
	if (!name)
		return fail_nomem(err);
	if (rename(state->path, name))
		return fail(err, -errno, "cannot keep %s as %s: %s", state->path, name,
		            strerror(errno));
	*kept = name;
	return 0;
}

/* ---- the next one --------------------------------------------------------------- */

/* struct sink - remembers why writing failed first, which a stream forgets */
struct sink {
	int fd, error;
};

static ssize_t sink_write(void *cookie, const char *bytes, size_t n)
{
	struct sink *sink = cookie;
	size_t done = 0;
	ssize_t rc;

	while (done < n && !sink->error) {
		rc = write(sink->fd, bytes + done, n - done);
		if (rc < 0 && errno != EINTR)
			sink->error = errno;
		done += rc > 0 ? (size_t)rc : 0;
	}
	return sink->error ? 0 : (ssize_t)n;
}

/* A name that asks for another format gets what holds counters, too. */
static const char *format_of(const char *path)
{
	const char *format = ibc_fabric_format(path);

	return strncmp(format, "snapshot", strlen("snapshot")) ? "snapshot" : format;
}

/* 0, a positive errno of the system, or what ibc_fabric_write() says. */
static int write_all(struct sink *sink, const struct ibc_fabric *fab, const char *format,
                     struct ibc_error *err)
{
	const cookie_io_functions_t io = { .write = sink_write };
	FILE *out = fopencookie(sink, "w", io);
	int rc;

	if (!out)
		return fail_nomem(err);
	rc = strcmp(format, "snapshot") ? ibc_fabric_write(fab, format, out, err)
	                                : write_state(fab, NULL, out, err);
	if (fclose(out) && !sink->error)
		sink->error = EIO;
	if (!sink->error && !rc && fsync(sink->fd))
		sink->error = errno;
	return sink->error ? sink->error : rc;
}

static int open_temp(struct ibc_state *state)
{
	struct stat old;
	int fd;

	unlink(state->temp); /* of a run that was killed */
	fd = open(state->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return fd;
	state->written = true;
	if (!stat(state->path, &old)) /* who might read the old one may read the new one */
		fchmod(fd, old.st_mode & 07777);
	return fd;
}

int ibc_state_write(struct ibc_state *state, const struct ibc_fabric *fab, struct ibc_error *err)
{
	struct sink sink = { .fd = open_temp(state) };
	int rc;

	if (sink.fd < 0)
		return fail(err, -errno, "cannot write %s: %s", state->temp, strerror(errno));
	rc = write_all(&sink, fab, format_of(state->path), err);
	close(sink.fd);
	if (rc) {
		unlink(state->temp);
		state->written = false;
	}
	return rc > 0 ? fail(err, -rc, "cannot write %s: %s", state->temp, strerror(rc)) : rc;
}

int ibc_state_commit(struct ibc_state *state, struct ibc_error *err)
{
	if (!state->written)
		return 0;
	if (rename(state->temp, state->path))
		return fail(err, -errno, "cannot replace %s: %s", state->path, strerror(errno));
	state->written = false;
	return 0;
}
