/* SPDX-License-Identifier: BSD-2-Clause */
/* The state directory: which part of it is this fabric's, and who may write there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "store/store.h"

#define TRY_MS 20 /* between two tries to get the lock */

/* ---- the directory ---------------------------------------------------------------- */

/* The lock of flock(), and the memory that SQLite shares, hold on one host only. */
bool store_is_shared(uint32_t magic)
{
	/* statfs(2): NFS, SMB, SMB2, CIFS, AFS, Coda */
	static const uint32_t shared[] = { 0x6969,     0x517b,     0xfe534d42,
		                           0xff534d42, 0x5346414f, 0x73757245 };

	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (shared[i] == magic)
			return true;
	return false;
}

static int verify_directory(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	struct statfs fs;
	struct stat st;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return fail(err, -errno, "cannot make %s: %s", dir, strerror(errno));
	if (stat(dir, &st) || statfs(dir, &fs))
		return fail(err, -errno, "cannot use %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(err, -ENOTDIR,
		            "--state %s is a file: use --since FILE, or name a directory", dir);
	if (store_is_shared((uint32_t)fs.f_type))
		return fail(err, -EREMOTE,
		            "%s is on a file system that hosts share (NFS, SMB), where no "
		            "lock protects it: name a directory on a local disk",
		            dir);
	store->mode = st.st_mode & 02777;
	return 0;
}

/*
 * It has the set-group-ID bit of the directory it is in: to ask for that may be forbidden
 * (RestrictSUIDSGID= of systemd), and is needed only where the umask took other bits.
 */
static int make_directory(const struct ibc_store *store, struct ibc_error *err)
{
	struct stat st;

	if (mkdir(store->dir, store->mode & 0777) && errno != EEXIST)
		return fail(err, -errno, "cannot make %s: %s", store->dir, strerror(errno));
	if (stat(store->dir, &st) || (st.st_mode & 02777) != store->mode)
		chmod(store->dir, store->mode);
	return 0;
}

int store_create(const struct ibc_store *store, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, store->mode & 0666);

	if (fd < 0)
		return -errno;
	fchmod(fd, store->mode & 0666); /* whatever the umask says; of others' files it fails */
	return fd;
}

const char *store_kept_name(const struct ibc_store *store, const char *name, const char *what)
{
	const char *first = arena_printf(store->arena, "%s/%s.%s", store->dir, name, what);
	const char *kept = first;

	for (unsigned int i = 2; kept && !access(kept, F_OK); i++)
		kept = arena_printf(store->arena, "%s.%u", first, i);
	return kept;
}

int store_set_aside(struct ibc_store *store, const char *name, const char *why,
                    struct ibc_error *err)
{
	const char *path = arena_printf(store->arena, "%s/%s", store->dir, name);
	const char *kept = store_kept_name(store, name, "damaged");

	if (!path || !kept)
		return fail_nomem(err);
	if (rename(path, kept))
		return fail(err, -errno, "%s is damaged (%s), and cannot be kept as %s: %s", path,
		            why, kept, strerror(errno));
	store->damage = arena_printf(store->arena, "%s%s%s; it is kept as %s, and a new one begins",
	                             store->damage ? store->damage : "", store->damage ? "; " : "",
	                             why, kept);
	return store->damage ? 0 : fail_nomem(err);
}

/* ---- what a fabric is recognised by ------------------------------------------------- */

/* struct marks - its prefixes, sorted, and the GUIDs of its switches, sorted */
struct marks {
	uint64_t *prefixes, *guids;
	size_t num_prefixes, num_guids, room_prefixes, room_guids;
};

static bool add_mark(struct arena *a, uint64_t **list, size_t *n, size_t *room, uint64_t value)
{
	if (!arena_grow(a, list, *n, room, sizeof(**list)))
		return false;
	(*list)[(*n)++] = value;
	return true;
}

static bool mark_nodes(struct arena *a, const struct ibc_fabric *fab, bool all, struct marks *m)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if ((all || node->type == IBC_NODE_SWITCH) && !node->named_only &&
		    !add_mark(a, &m->guids, &m->num_guids, &m->room_guids, node->guid))
			return false;
	return true;
}

static bool marks_of(struct arena *a, const struct ibc_fabric *fab, struct marks *m)
{
	const struct ibc_subnet *subnet;
	bool ok = true;

	*m = (struct marks){ .prefixes = NULL };
	for (size_t i = 0; ok && (subnet = ibc_fabric_subnet(fab, i)); i++)
		ok = add_mark(a, &m->prefixes, &m->num_prefixes, &m->room_prefixes,
		              subnet->subnet_prefix);
	ok = ok && mark_nodes(a, fab, false, m);
	if (ok && !m->num_guids)
		ok = mark_nodes(a, fab, true, m);
	if (m->num_prefixes)
		qsort(m->prefixes, m->num_prefixes, sizeof(*m->prefixes), by_u64);
	if (m->num_guids)
		qsort(m->guids, m->num_guids, sizeof(*m->guids), by_u64);
	return ok;
}

/* How many two sorted lists have in common. */
static size_t common(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < na && j < nb;) {
		n += a[i] == b[j];
		if (a[i] == b[j] || a[i] < b[j])
			i++;
		else
			j++;
	}
	return n;
}

/* Switches in common if it is the same fabric, else 0: half of the fewer ones make it that. */
static size_t sameness(const struct marks *a, const struct marks *b)
{
	size_t fewer = a->num_guids < b->num_guids ? a->num_guids : b->num_guids;
	size_t n = common(a->guids, a->num_guids, b->guids, b->num_guids);

	if (!common(a->prefixes, a->num_prefixes, b->prefixes, b->num_prefixes))
		return 0;
	return 2 * n >= fewer ? n : 0;
}

#define MARKS_LINE "ibcheck fabric 1\n"

static bool read_mark(struct arena *a, char *line, struct marks *m)
{
	uint64_t value;

	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "prefix ", 7) && !str_guid(line + 7, &value))
		return add_mark(a, &m->prefixes, &m->num_prefixes, &m->room_prefixes, value);
	return !strncmp(line, "guid ", 5) && !str_guid(line + 5, &value) &&
	       add_mark(a, &m->guids, &m->num_guids, &m->room_guids, value);
}

/* False: it is none, or damaged. */
static bool read_marks(struct arena *a, const char *path, struct marks *m)
{
	FILE *in = fopen(path, "re");
	char line[64];
	bool good;

	*m = (struct marks){ .prefixes = NULL };
	if (!in)
		return false;
	good = fgets(line, sizeof(line), in) && !strcmp(line, MARKS_LINE);
	while (good && fgets(line, sizeof(line), in))
		good = read_mark(a, line, m);
	good = good && !ferror(in);
	fclose(in);
	return good;
}

static int write_marks(const struct ibc_store *store, const struct marks *m, struct ibc_error *err)
{
	const char *path = arena_printf(store->arena, "%s/fabric", store->dir);
	const char *temp = arena_printf(store->arena, "%s/fabric.new", store->dir);
	int fd = path && temp ? store_create(store, temp) : -ENOMEM;
	FILE *out = fd >= 0 && !ftruncate(fd, 0) ? fdopen(fd, "w") : NULL;

	if (!out)
		return fail(err, fd < 0 ? fd : -errno, "cannot write %s: %s", temp,
		            strerror(fd < 0 ? -fd : errno));
	fputs(MARKS_LINE, out);
	for (size_t i = 0; i < m->num_prefixes; i++)
		fprintf(out, "prefix 0x%016" PRIx64 "\n", m->prefixes[i]);
	for (size_t i = 0; i < m->num_guids; i++)
		fprintf(out, "guid 0x%016" PRIx64 "\n", m->guids[i]);
	if (fflush(out) || fsync(fd) || fclose(out) || rename(temp, path))
		return fail(err, -errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* ---- this fabric's part --------------------------------------------------------------- */

static const char *dir_of(struct arena *a, const char *path)
{
	return arena_strndup(a, path, (size_t)(strrchr(path, '/') - path));
}

/* Was it made of adapters that have switches now?  Their prefix may have changed with that. */
static bool is_island(const struct ibc_store *store, const struct marks *m, const struct marks *now)
{
	bool island = m->num_guids && !common(m->guids, m->num_guids, now->guids, now->num_guids);

	for (size_t i = 0; island && i < m->num_guids; i++)
		island = ibc_fabric_node_by_guid(store->fabric, m->guids[i]);
	return island;
}

static int find_known(struct ibc_store *store, const char *dir, const struct marks *now,
                      struct marks *then, struct ibc_error *err)
{
	DIR *entries = opendir(dir);
	const struct dirent *entry;
	size_t best = 0;

	if (!entries)
		return fail(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	while ((entry = readdir(entries))) {
		const char *path = arena_printf(store->arena, "%s/%s/fabric", dir, entry->d_name);
		struct marks m;

		if (*entry->d_name == '.' || !path || !read_marks(store->arena, path, &m))
			continue;
		if (is_island(store, &m, now))
			store->island_dir = dir_of(store->arena, path);
		if (sameness(&m, now) <= best)
			continue;
		best = sameness(&m, now);
		*then = m;
		store->dir = dir_of(store->arena, path);
	}
	closedir(entries);
	return 0;
}

/* Is it there, and of another fabric?  One without marks is only just being made. */
static bool is_taken(struct ibc_store *store, const char *path, const struct marks *now)
{
	const char *file = arena_printf(store->arena, "%s/fabric", path);
	struct marks m;

	return file && !access(file, F_OK) &&
	       !(read_marks(store->arena, file, &m) && sameness(&m, now));
}

/* Its prefix and its first switch name it: two first runs at once mean the same. */
static int make_new(struct ibc_store *store, const char *dir, const struct marks *now,
                    struct ibc_error *err)
{
	const char *name = arena_printf(store->arena, "%s/%016" PRIx64 "-%016" PRIx64, dir,
	                                now->num_prefixes ? now->prefixes[0] : 0,
	                                now->num_guids ? now->guids[0] : 0);

	store->dir = name;
	for (unsigned int i = 2; store->dir && is_taken(store, store->dir, now); i++)
		store->dir = arena_printf(store->arena, "%s-%u", name, i);
	if (!name || !store->dir)
		return fail_nomem(err);
	return make_directory(store, err);
}

static bool same_marks(const struct marks *a, const struct marks *b)
{
	return a->num_guids == b->num_guids && a->num_prefixes == b->num_prefixes &&
	       common(a->guids, a->num_guids, b->guids, b->num_guids) == a->num_guids &&
	       common(a->prefixes, a->num_prefixes, b->prefixes, b->num_prefixes) ==
	           a->num_prefixes;
}

/* One for all fleets: its file has no mark, so that no fabric is taken for it. */
static int use_fleet(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	const struct marks none = { .prefixes = NULL };
	int rc;

	store->dir = arena_printf(store->arena, "%s/fleet", dir);
	if (!store->dir)
		return fail_nomem(err);
	rc = make_directory(store, err);
	return rc ? rc : write_marks(store, &none, err);
}

int store_find_fabric(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	struct marks now, then = { .prefixes = NULL };
	char full[PATH_MAX];
	int rc = verify_directory(store, dir, err);

	if (rc)
		return rc;
	if (!realpath(dir, full))
		return fail(err, -errno, "cannot use %s: %s", dir, strerror(errno));
	if (!store->fabric)
		return use_fleet(store, full, err);
	if (!marks_of(store->arena, store->fabric, &now))
		return fail_nomem(err);
	rc = find_known(store, full, &now, &then, err);
	if (!rc && !store->dir)
		rc = make_new(store, full, &now, err);
	return rc || same_marks(&now, &then) ? rc : write_marks(store, &now, err);
}

/* Of this version only: a run that sees no switch again upgrades it. */
bool store_open_island(struct ibc_store *store, struct ibc_error *err)
{
	const char *path = store->island_dir
	                       ? arena_printf(store->arena, "%s/" STORE_HISTORY, store->island_dir)
	                       : NULL;

	if (!path || access(path, F_OK) || sql_open(&store->island, path, err) ||
	    !store->island.version || sql_is_old(&store->island))
		return false;
	sql_begin(&store->island);
	return true;
}

/* ---- the lock --------------------------------------------------------------------------- */

/* The lock's holder writes its number into it; 0: it did not come to that yet. */
static long lock_holder(int fd)
{
	char text[24] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static int fail_busy(const struct ibc_store *store, int fd, struct ibc_error *err)
{
	long pid = lock_holder(fd);

	if (pid > 0)
		return fail(err, -EBUSY, "%s is in use by another run (pid %ld)", store->dir, pid);
	return fail(err, -EBUSY, "%s is in use by another run", store->dir);
}

/* Runs hold it while they write; one that waits for a slow reader of its report, longer. */
static int wait_for_lock(int fd, unsigned int wait_ms)
{
	static const struct timespec pause = { 0, TRY_MS * 1000000L };

	for (unsigned int ms = 0; flock(fd, LOCK_EX | LOCK_NB); ms += TRY_MS) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (ms >= wait_ms)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int store_lock(const struct ibc_store *store, const char *name, unsigned int wait_ms, int *fd,
               struct ibc_error *err)
{
	const char *path = arena_printf(store->arena, "%s/%s", store->dir, name);
	int rc;

	if (!path)
		return fail_nomem(err);
	rc = *fd = store_create(store, path);
	if (rc < 0)
		return fail(err, rc, "cannot open %s: %s", path, strerror(-rc));
	rc = wait_for_lock(*fd, wait_ms);
	if (rc == -EBUSY)
		return fail_busy(store, *fd, err);
	if (rc)
		return fail(err, rc, "cannot lock %s: %s", path, strerror(-rc));
	/* on a full disk it is only the number that is missing */
	if (!ftruncate(*fd, 0))
		dprintf(*fd, "%ld\n", (long)getpid());
	return 0;
}

void store_unlock(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- forgetting ------------------------------------------------------------------------- */

/* Nothing but what is made here: a directory that holds more stays. */
static int empty_directory(const char *path, struct ibc_error *err)
{
	static const char *const ours[] = { "fabric", STORE_LOCK, "sweep.", STORE_HISTORY,
		                            STORE_HOOK_LOCK };
	DIR *entries = opendir(path);
	const struct dirent *entry;

	if (!entries)
		return fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	while ((entry = readdir(entries)))
		for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
			if (!strncmp(entry->d_name, ours[i], strlen(ours[i])))
				unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
	return rmdir(path) ? fail(err, -errno, "cannot remove %s: %s", path, strerror(errno)) : 0;
}

static int forget(struct ibc_store *store, const char *dir, const char *fabric,
                  struct ibc_error *err)
{
	struct marks m;
	struct stat st;
	int rc;

	store->dir = arena_printf(store->arena, "%s/%s", dir, fabric);
	if (!store->dir)
		return fail_nomem(err);
	if (strchr(fabric, '/') || *fabric == '.' ||
	    !read_marks(store->arena, arena_printf(store->arena, "%s/fabric", store->dir), &m))
		return fail(err, -ENOENT, "%s has no fabric %s", dir, fabric);
	store->mode = stat(store->dir, &st) ? 0 : st.st_mode & 02777;
	rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	return rc ? rc : empty_directory(store->dir, err);
}

int ibc_history_forget(const char *dir, const char *fabric, struct ibc_error *err)
{
	struct ibc_store store = { .arena = arena_new(), .lock_fd = -1 };
	int rc = store.arena ? forget(&store, dir, fabric, err) : fail_nomem(err);

	store_unlock(&store.lock_fd);
	arena_free(store.arena);
	return rc;
}
