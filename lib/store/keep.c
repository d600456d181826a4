/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole sweeps that are kept for who asks later how the fabric was, and its routes were, at a
 * time: "kept.TIME-CABLING-GAPS-ROUTES.zst", a snapshot; without tables "kept.TIME-CABLING.zst".
 * The name has what decides whether another one is due, so that none is read for that.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "fabric/fabric.h"
#include "store/store.h"

#define NAME      "kept.%012" PRId64 "-%016" PRIx64
#define TEMPORARY "kept.new"

#define CHANGES_MAX 64  /* beside one a day: two weeks of some changes a day */
#define KEPT_MAX    464 /* as many, and 400 days, as long as the rest is remembered by default */
#define BYTES_MAX   (INT64_C(512) << 20) /* as many of 8,384 nodes, where each has 1.1 MB */
#define SEEN_MAX    1024 /* of names: more than there can be is what others put there */
#define DROPS_MAX   8    /* a run: more than a run can add */

/*
 * struct kept - one of them, as its name has it
 * @wrote: in ns; two of one second are in the order in which they were written
 * @gaps: of blocks of tables that were not answered, a sum; 0: there are none
 */
struct kept {
	char name[96];
	int64_t time, size;
	uint64_t wrote, cabling, gaps, routes;
	bool has_routes;
};

static void kept_name(struct kept *k)
{
	int n = snprintf(k->name, sizeof(k->name), NAME, k->time, k->cabling);

	if (k->has_routes)
		n += snprintf(k->name + n, sizeof(k->name) - (size_t)n,
		              "-%016" PRIx64 "-%016" PRIx64, k->gaps, k->routes);
	snprintf(k->name + n, sizeof(k->name) - (size_t)n, ".zst");
}

/* ---- those that are there -------------------------------------------------------------- */

static int by_time(const void *va, const void *vz)
{
	const struct kept *a = va, *z = vz;

	return order_u64((uint64_t)a->time, (uint64_t)z->time) ?: order_u64(a->wrote, z->wrote);
}

/* Only names that are written just so. */
static bool parse(const char *name, struct kept *k)
{
	int n = sscanf(name, "kept.%12" SCNd64 "-%16" SCNx64 "-%16" SCNx64 "-%16" SCNx64, &k->time,
	               &k->cabling, &k->gaps, &k->routes);

	k->has_routes = n == 4;
	if ((n != 2 && n != 4) || k->time < 0 || k->time > TIME_LAST)
		return false;
	kept_name(k);
	return !strcmp(k->name, name);
}

/* Oldest first; how many, or a negative errno. */
static ssize_t kept_list(struct arena *a, int fd, struct kept **out)
{
	DIR *entries = store_entries(fd);
	const struct dirent *entry;
	size_t n = 0, room = 0;
	jmp_buf *escape;
	struct stat st;
	bool memory = true;
	int error;

	*out = NULL;
	if (!entries)
		return -errno;
	escape = arena_escape(a, NULL); /* the directory is to be closed */
	while (memory && (errno = 0, entry = readdir(entries)) && n < SEEN_MAX) {
		struct kept k = { .time = 0 };

		if (!parse(entry->d_name, &k) || fstatat(fd, k.name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		k.size = st.st_size;
		k.wrote = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
		memory = arena_grow(a, out, n, &room, sizeof(k));
		if (memory)
			(*out)[n++] = k;
	}
	error = !memory ? ENOMEM : entry ? 0 : errno;
	arena_escape(a, escape);
	closedir(entries);
	if (n)
		qsort(*out, n, sizeof(**out), by_time);
	return error ? -error : (ssize_t)n;
}

/* ---- is one due? ----------------------------------------------------------------------- */

static uint64_t hash_of_port(const struct ibc_port *port)
{
	return hash_mix(hash_mix(port->node->guid) + port->num);
}

/* Sums, in whatever order: of cables by both ends, and of entries of the tables. */
static struct kept kept_of(const struct ibc_fabric *fab, time_t now)
{
	struct kept k = { .time = now };
	const struct ibc_subnet *subnet;
	const struct ibc_port *port;

	for (size_t i = 0; (port = fabric_next_cable(fab, &i));)
		k.cabling += hash_mix(hash_of_port(port) + 3 * hash_of_port(port->peer));
	for (size_t i = 0; (subnet = ibc_fabric_subnet(fab, i)); i++) {
		const struct ibc_forwarding *f = subnet->forwarding;

		k.has_routes |= f && f->num_lids;
		for (size_t column = 0; f && column < f->num_switches; column++) {
			uint64_t sw = hash_mix(f->switches[column]->guid + i);
			const uint8_t *out = f->out + column, *known = f->known + column;

			for (uint64_t lid = 0; lid < f->num_lids; lid++) {
				uint8_t to = out[lid * f->stride];

				if (to != IBC_NO_ENTRY)
					k.routes += hash_mix(sw + (lid << 8) + to);
				if (lid % IBC_LFT_BLOCK == 0 &&
				    !known[lid / IBC_LFT_BLOCK * f->stride])
					k.gaps += hash_mix(sw + lid) | 1;
			}
		}
	}
	kept_name(&k);
	return k;
}

/*
 * Another cabling, other routes, or another day.  Tables are compared with the last in which the
 * same blocks went unanswered: what was not answered is no change.  A sweep without tables has the
 * cabling to report, and a day only where no run reads tables.
 */
static bool is_due(const struct kept *now, const struct kept *all, size_t n)
{
	const struct kept *last = NULL, *routed = NULL, *like = NULL;

	/* what a clock that was ahead has left is no guide */
	for (const struct kept *k = all; k < all + n && k->time <= now->time; k++) {
		last = k;
		if (k->has_routes)
			routed = k;
		if (k->has_routes && k->gaps == now->gaps && k->cabling == now->cabling)
			like = k;
	}
	if (!last || last->cabling != now->cabling)
		return true;
	if (!now->has_routes)
		return last->time / DAY + 1 < now->time / DAY;
	if (!routed || routed->cabling != now->cabling || routed->time / DAY != now->time / DAY)
		return true;
	return like ? like->routes != now->routes : !now->gaps;
}

int store_keep(struct ibc_store *store, struct ibc_error *err)
{
	struct kept now = kept_of(store->fabric, store->opts.now), *all;
	ssize_t n = kept_list(store->arena, store->fd, &all);

	store->keeps = NULL;
	if (n < 0)
		return fail(err, (int)n, "cannot read %s: %s", store->dir, strerror((int)-n));
	if (now.time < 0 || now.time > TIME_LAST || !is_due(&now, all, (size_t)n))
		return 0;
	store->keeps = arena_strdup(store->arena, now.name);
	return store->keeps ? store_write_file(store, TEMPORARY, store_write_whole, NULL, err)
	                    : fail_nomem(err);
}

/* ---- bounds ------------------------------------------------------------------------------ */

/*
 * What goes first, or @n: what is too old, or of a clock that was ahead; of too much the oldest; of
 * too many changes the one that another followed soonest, so that a cable that comes and goes
 * does not take the place of all others.  Never the newest.
 */
static size_t first_to_go(const struct ibc_store *store, const struct kept *all, size_t n)
{
	int64_t now = store->opts.now, old = now - store->opts.retention_seconds, day = -1;
	int64_t bytes = 0, soonest = INT64_MAX;
	size_t changes = 0, change = n;

	for (size_t i = 0; i < n; i++) {
		bool is_new = !strcmp(all[i].name, store->keeps);
		bool of_day = all[i].has_routes && all[i].time / DAY != day;

		bytes += all[i].size;
		if (store->steady && !is_new && (all[i].time < old || all[i].time > now + DAY))
			return i;
		if (of_day)
			day = all[i].time / DAY;
		if (of_day || is_new || i + 1 == n)
			continue;
		changes++;
		if (all[i + 1].time - all[i].time < soonest) {
			soonest = all[i + 1].time - all[i].time;
			change = i;
		}
	}
	if ((bytes > BYTES_MAX || n > KEPT_MAX) && n > 1)
		return !strcmp(all[0].name, store->keeps);
	return changes > CHANGES_MAX ? change : n;
}

void store_kept(struct ibc_store *store)
{
	struct kept *all;
	ssize_t n;

	if (!store->keeps || renameat(store->fd, TEMPORARY, store->fd, store->keeps))
		return;
	n = kept_list(store->arena, store->fd, &all);
	for (int drops = 0; n > 0 && drops < DROPS_MAX; drops++) {
		size_t i = first_to_go(store, all, (size_t)n);

		if (i == (size_t)n || unlinkat(store->fd, all[i].name, 0))
			return;
		memmove(all + i, all + i + 1, ((size_t)n - i - 1) * sizeof(*all));
		n--;
	}
}

void store_unkeep(struct ibc_store *store)
{
	if (store->keeps && store->lock_fd >= 0)
		unlinkat(store->fd, TEMPORARY, 0);
	store->keeps = NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The one that was so at a time; of those with its cabling that follow each other one with routes.
 */
static size_t choose(const struct kept *all, size_t n, time_t at)
{
	size_t i = 0, k;

	while (i + 1 < n && all[i + 1].time <= at)
		i++;
	for (k = i; !all[k].has_routes && k > 0 && all[k - 1].cabling == all[i].cabling;)
		k--;
	if (all[k].has_routes)
		return k;
	for (k = i; !all[k].has_routes && k + 1 < n && all[k + 1].cabling == all[i].cabling;)
		k++;
	return all[k].has_routes ? k : i;
}

static int load_at(struct arena *a, int fd, const char *path, time_t at, struct ibc_fabric **out,
                   struct ibc_error *err)
{
	struct ibc_error why = { "" }, first = { "" };
	struct kept *all;
	ssize_t n = kept_list(a, fd, &all);
	int rc = -ENOENT;

	if (n < 0)
		return n == -ENOMEM
		           ? fail_nomem(err)
		           : fail(err, (int)n, "cannot read %s: %s", path, strerror((int)-n));
	while (rc && rc != -ENOMEM && n > 0) {
		size_t i = choose(all, (size_t)n, at);

		rc = store_load_file(a, fd, path, all[i].name, out, &why);
		if (rc && !*first.text)
			fail(&first, 0, "%s/%s was passed over: %s", path, all[i].name, why.text);
		memmove(all + i, all + i + 1, ((size_t)n - i - 1) * sizeof(*all));
		n--;
	}
	if (rc == -ENOMEM)
		return fail_nomem(err);
	if (rc)
		return fail(err, -ENOENT, "%s keeps no sweep%s%s", path, *first.text ? "; " : "",
		            first.text);
	return err ? fail(err, 0, "%s", first.text) : 0;
}

int ibc_history_sweep_at(const char *dir, const char *fabric, time_t at, struct ibc_fabric **out,
                         struct ibc_error *err)
{
	struct arena *a = arena_new();
	int state = ibc_dir_open(dir, NULL, err), fd, rc = state;
	const char *path = a ? arena_printf(a, "%s/%s", dir, fabric) : NULL;

	if (state >= 0) {
		fd = strchr(fabric, '/') || *fabric == '.' ? -ENOENT
		                                           : store_open_part(state, fabric);
		close(state);
		rc = !path ? fail_nomem(err)
		     : fd < 0
		         ? fail(err, fd, "cannot open %s as a directory: %s", path, strerror(-fd))
		         : load_at(a, fd, path, at, out, err);
		store_unlock(&fd);
	}
	arena_free(a);
	return rc;
}

void store_each_kept(struct ibc_store *store, int64_t since,
                     void (*each)(struct ibc_store *store, const struct ibc_fabric *fab,
                                  int64_t from, int64_t until, void *ctx),
                     void *ctx)
{
	struct kept *all;
	ssize_t n = kept_list(store->arena, store->fd, &all);
	int64_t until = (int64_t)store->opts.now;
	struct ibc_fabric *volatile fab = NULL;
	jmp_buf here, *outer = arena_escape(store->arena, &here);

	if (setjmp(here)) {
		ibc_fabric_free(fab);
		arena_escape(store->arena, outer);
		longjmp(*outer, 1);
	}
	for (ssize_t i = n - 1; i >= 0 && all[i].time >= since; i--) {
		struct ibc_fabric *loaded = NULL;
		struct ibc_error why;

		if (store_load_file(store->arena, store->fd, store->dir, all[i].name, &loaded,
		                    &why))
			continue;
		fab = loaded;
		each(store, fab, all[i].time, until, ctx);
		ibc_fabric_free(fab);
		fab = NULL;
		until = all[i].time;
	}
	arena_escape(store->arena, outer);
}
