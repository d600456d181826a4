/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep that a run leaves for the next one: "sweep.N" of run N.  Which one counts the
 * history says, so that a run ends at one point for both, whenever it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "source/source.h"
#include "store/store.h"

#define PREFIX "sweep."

/*
 * The greatest number of a sweep that is there, or a negative errno; with @drop all others than
 * @but are removed.
 */
static int64_t greatest_but(const struct ibc_store *store, int64_t but, bool drop)
{
	DIR *entries = store_entries(store->fd);
	const struct dirent *entry;
	int64_t newest = 0;

	if (!entries)
		return -errno;
	while ((errno = 0, entry = readdir(entries))) {
		const char *name = entry->d_name;
		uint64_t read;
		int64_t number = 0;

		if (!strncmp(name, PREFIX, strlen(PREFIX)) &&
		    !str_u64(name + strlen(PREFIX), 1, INT64_MAX, &read))
			number = (int64_t)read;
		newest = number > newest ? number : newest;
		if (drop && number && number != but)
			unlinkat(store->fd, name, 0);
	}
	newest = errno ? -errno : newest;
	closedir(entries);
	return newest;
}

int64_t store_newest_sweep(const struct ibc_store *store, struct ibc_error *err)
{
	int64_t newest = greatest_but(store, 0, false);

	return newest < 0 ? fail(err, (int)newest, "cannot read %s: %s", store->dir,
	                         strerror((int)-newest))
	                  : newest;
}

void store_drop_sweeps(const struct ibc_store *store)
{
	greatest_but(store, store->run, true);
}

/* ---- reading ----------------------------------------------------------------------- */

static const char *sweep_name(struct arena *a, int64_t number)
{
	return arena_printf(a, PREFIX "%" PRId64, number);
}

int store_load_file(struct arena *a, int fd, const char *dir, const char *name,
                    struct ibc_fabric **out, struct ibc_error *err)
{
	const char *path = arena_printf(a, "%s/%s", dir, name);
	struct ibc_error why = { "" };
	int file;

	if (!path)
		return fail_nomem(err);
	file = ibc_file_open(fd, name, O_RDONLY, 0, &why);
	if (file < 0)
		return fail(err, file, "cannot open %s: %s", path, why.text);
	return source_state(file, path, out, err);
}

int store_load_sweep(struct arena *a, int fd, const char *dir, int64_t number,
                     struct ibc_fabric **out, struct ibc_error *err)
{
	const char *name = sweep_name(a, number);

	return name ? store_load_file(a, fd, dir, name, out, err) : fail_nomem(err);
}

int ibc_store_sweep(struct ibc_store *store, struct ibc_fabric **out, struct ibc_error *err)
{
	const char *last = sweep_name(store->arena, store->last_sweep);
	int64_t number = store->last_sweep;
	struct ibc_error why;
	int rc;

	/* it is there, or the newest is: a history that was lost may have taken its number along */
	if (!number || !last || !store_has(store, last))
		number = store_newest_sweep(store, err);
	if (number < 0)
		return (int)number;
	if (store->last_sweep && number != store->last_sweep)
		store->damage = arena_printf(store->arena,
		                             "%s/" PREFIX "%" PRId64 ", the last sweep, is gone",
		                             store->dir, store->last_sweep);
	if (!number)
		return fail(err, -ENOENT, "%s has no sweep yet", store->dir);
	rc = store_load_sweep(store->arena, store->fd, store->dir, number, out, &why);
	if (!rc || rc == -ENOMEM)
		return rc ? fail_nomem(err) : 0;
	rc = store_set_aside(store, sweep_name(store->arena, number), why.text, err);
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

int store_write_whole(const struct ibc_fabric *fab, const struct ibc_fabric *before, FILE *out,
                      struct ibc_error *err)
{
	(void)before;
	return ibc_fabric_write(fab, "snapshot.zst", out, err);
}

int store_write_file(const struct ibc_store *store, const char *name, store_writer *put,
                     const struct ibc_fabric *before, struct ibc_error *err)
{
	const cookie_io_functions_t io = { .write = sink_write };
	struct file_sink sink = { .fd = store_create(store, name, true, err) };
	FILE *out;
	int rc;

	if (sink.fd < 0)
		return sink.fd;
	out = fopencookie(&sink, "w", io);
	rc = out ? put(store->fabric, before, out, err) : fail_nomem(err);
	if (out && fclose(out) && !sink.error)
		sink.error = EIO;
	if (!rc && !sink.error && fsync(sink.fd))
		sink.error = errno;
	close(sink.fd);
	if (sink.error)
		rc = fail(err, -sink.error, "cannot write %s/%s: %s", store->dir, name,
		          strerror(sink.error));
	if (rc)
		unlinkat(store->fd, name, 0);
	return rc;
}

/* Under its own name it is whole. */
int store_write_sweep(struct ibc_store *store, const struct ibc_fabric *before,
                      struct ibc_error *err)
{
	static const char temp[] = PREFIX "new";
	const char *name = sweep_name(store->arena, store->run);
	int rc = name ? store_write_file(store, temp, write_state, before, err) : fail_nomem(err);

	if (!rc && renameat(store->fd, temp, store->fd, name)) {
		rc = fail(err, -errno, "cannot write %s/%s: %s", store->dir, temp, strerror(errno));
		unlinkat(store->fd, temp, 0);
	}
	return rc;
}
