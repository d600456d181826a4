/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep that a run leaves for the next one: "sweep.N" of run N.  Which one counts the
 * history says, so that a run ends at one point for both, whenever it is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "source/source.h"
#include "store/store.h"

#define PREFIX "sweep."

/* The number in a name; 0: it is no sweep. */
static int64_t number_of(const char *name)
{
	uint64_t number;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
	    str_u64(name + strlen(PREFIX), 1, INT64_MAX, &number))
		return 0;
	return (int64_t)number;
}

const char *store_sweep_path(struct arena *a, const char *dir, int64_t number)
{
	return arena_printf(a, "%s/" PREFIX "%" PRId64, dir, number);
}

int64_t store_newest_sweep(const struct ibc_store *store)
{
	DIR *entries = opendir(store->dir);
	const struct dirent *entry;
	int64_t newest = 0;

	while (entries && (entry = readdir(entries)))
		if (number_of(entry->d_name) > newest)
			newest = number_of(entry->d_name);
	if (entries)
		closedir(entries);
	return newest;
}

void store_drop_sweeps(const struct ibc_store *store)
{
	DIR *entries = opendir(store->dir);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (number_of(entry->d_name) && number_of(entry->d_name) != store->run)
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
}

/* ---- reading ----------------------------------------------------------------------- */

/* It is there, or the newest is: a history that was lost may have taken its number along. */
static int64_t sweep_to_load(const struct ibc_store *store)
{
	const char *path = store_sweep_path(store->arena, store->dir, store->last_sweep);

	return store->last_sweep && path && !access(path, F_OK) ? store->last_sweep
	                                                        : store_newest_sweep(store);
}

int ibc_store_sweep(struct ibc_store *store, struct ibc_fabric **out, struct ibc_error *err)
{
	int64_t number = sweep_to_load(store);
	const char *path = store_sweep_path(store->arena, store->dir, number);
	struct ibc_error why;
	int rc;

	if (!path)
		return fail_nomem(err);
	if (!number)
		return fail(err, -ENOENT, "%s has no sweep yet", store->dir);
	rc = ibc_fabric_load(&path, 1, NULL, out, &why);
	if (!rc || rc == -ENOMEM)
		return rc ? fail_nomem(err) : 0;
	rc = store_set_aside(store, strrchr(path, '/') + 1, why.text, err);
	return rc ? rc : fail(err, -ENOENT, "%s", store->damage);
}

/* ---- writing ----------------------------------------------------------------------- */

/* struct file_sink - remembers why writing failed first, which a stream forgets */
struct file_sink {
	int fd, error;
};

static ssize_t sink_write(void *cookie, const char *bytes, size_t n)
{
	struct file_sink *sink = cookie;
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

/* 0, a positive errno of the system, or what write_state() says. */
static int write_all(struct file_sink *sink, const struct ibc_fabric *fab,
                     const struct ibc_fabric *before, struct ibc_error *err)
{
	const cookie_io_functions_t io = { .write = sink_write };
	FILE *out = fopencookie(sink, "w", io);
	int rc;

	if (!out)
		return fail_nomem(err);
	rc = write_state(fab, before, out, err);
	if (fclose(out) && !sink->error)
		sink->error = EIO;
	if (!sink->error && !rc && fsync(sink->fd))
		sink->error = errno;
	return sink->error ? sink->error : rc;
}

/* Under its own name it is whole. */
int store_write_sweep(struct ibc_store *store, const struct ibc_fabric *before,
                      struct ibc_error *err)
{
	const char *temp = arena_printf(store->arena, "%s/" PREFIX "new", store->dir);
	const char *path = store_sweep_path(store->arena, store->dir, store->run);
	struct file_sink sink = { .fd = path && temp ? store_create(store, temp) : -ENOMEM };
	int rc;

	if (sink.fd < 0)
		return fail(err, sink.fd, "cannot write %s: %s", temp, strerror(-sink.fd));
	rc = ftruncate(sink.fd, 0) ? errno : write_all(&sink, store->fabric, before, err);
	close(sink.fd);
	if (!rc && rename(temp, path))
		rc = errno;
	if (rc)
		unlink(temp);
	return rc > 0 ? fail(err, -rc, "cannot write %s: %s", temp, strerror(rc)) : rc;
}
