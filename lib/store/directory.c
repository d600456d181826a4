/* SPDX-License-Identifier: BSD-2-Clause */
/* The state directory: which part of it is this fabric's, and who may write there. */
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

#include <ibcheck/files.h>

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

/* The descriptor of @dir, or negative errno. */
static int open_state(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	int fd = ibc_dir_make(dir, err), rc = 0;
	struct statfs fs;
	struct stat st;

	if (fd == -ENOTDIR)
		return fail(err, -ENOTDIR,
		            "--state %s is a file: use --since FILE, or name a directory", dir);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || fstatfs(fd, &fs))
		rc = fail(err, -errno, "cannot use %s: %s", dir, strerror(errno));
	else if (store_is_shared((uint32_t)fs.f_type))
		rc = fail(err, -EREMOTE,
		          "%s is on a file system that hosts share (NFS, SMB), where no "
		          "lock protects it: name a directory on a local disk",
		          dir);
	else
		store->mode = st.st_mode & 02777;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

/* A directory that members of a group can replace: no link is followed. */
int store_open_part(int state, const char *name)
{
	int fd = openat(state, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

DIR *store_entries(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	DIR *entries = again < 0 ? NULL : fdopendir(again);

	if (!entries && again >= 0) {
		error = errno;
		close(again);
		errno = error;
	}
	return entries;
}

int store_each_part(const char *dir, store_part *take, void *ctx, struct ibc_error *err)
{
	struct dirent **names;
	int state = ibc_dir_open(dir, NULL, err), fd, n, rc = 0;
	bool any = false;

	if (state < 0)
		return state;
	n = scandirat(state, ".", &names, NULL, alphasort);
	if (n < 0)
		rc = fail(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		fd = rc || *names[i]->d_name == '.' ? -1 : store_open_part(state, names[i]->d_name);
		if (fd >= 0) {
			rc = take(ctx, fd, dir, names[i]->d_name, err);
			any = true;
		}
		store_unlock(&fd);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	close(state);
	return rc || any ? rc : fail(err, -ENOENT, "%s remembers no fabric", dir);
}

/*
 * It has the set-group-ID bit of the directory it is in: to ask for that may be forbidden
 * (RestrictSUIDSGID= of systemd), and is needed only where the umask took other bits.
 */
static int make_directory(struct ibc_store *store, int state, const char *name,
                          struct ibc_error *err)
{
	bool is_new = !mkdirat(state, name, store->mode & 0777);
	struct stat st;

	if (!is_new && errno != EEXIST)
		return fail(err, -errno, "cannot make %s: %s", store->dir, strerror(errno));
	store->fd = store_open_part(state, name);
	if (store->fd < 0)
		return fail(err, store->fd, "cannot open %s as a directory: %s", store->dir,
		            strerror(-store->fd));
	if (is_new && !fstat(store->fd, &st) && st.st_uid == geteuid() &&
	    (st.st_mode & 02777) != store->mode)
		fchmod(store->fd, store->mode);
	return 0;
}

int store_create(const struct ibc_store *store, const char *name, bool anew, struct ibc_error *err)
{
	struct ibc_error why = { "" };
	struct stat st;
	int fd;

	if (anew)
		unlinkat(store->fd, name, 0); /* a killed run left it, or another program */
	fd = ibc_file_open(store->fd, name, O_RDWR | O_CREAT | (anew ? O_EXCL : 0),
	                   store->mode & 0666, &why);
	if (fd < 0)
		return fail(err, fd, "cannot open %s/%s: %s", store->dir, name, why.text);
	/* whatever the umask says */
	if (!fstat(fd, &st) && st.st_uid == geteuid())
		fchmod(fd, store->mode & 0666);
	return fd;
}

bool store_has(const struct ibc_store *store, const char *name)
{
	struct stat st;

	return !fstatat(store->fd, name, &st, AT_SYMLINK_NOFOLLOW);
}

int store_set_aside(struct ibc_store *store, const char *name, const char *why,
                    struct ibc_error *err)
{
	static const char *const beside[] = { "-wal", "-journal" };
	const char *first = arena_printf(store->arena, "%s.damaged", name), *kept = first;

	for (unsigned int i = 2; kept && store_has(store, kept); i++)
		kept = arena_printf(store->arena, "%s.%u", first, i);
	if (!kept)
		return fail_nomem(err);
	if (renameat(store->fd, name, store->fd, kept))
		return fail(err, -errno, "%s/%s is damaged (%s), and cannot be kept as %s: %s",
		            store->dir, name, why, kept, strerror(errno));
	/* what SQLite keeps beside a database belongs to it */
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		const char *old = arena_printf(store->arena, "%s%s", name, beside[i]);
		const char *new = arena_printf(store->arena, "%s%s", kept, beside[i]);

		if (!old || !new)
			return fail_nomem(err);
		if (store_has(store, old) && renameat(store->fd, old, store->fd, new))
			return fail(err, -errno, "%s/%s cannot be kept: %s", store->dir, old,
			            strerror(errno));
	}
	store->damage = arena_printf(
	    store->arena, "%s%s%s; it is kept as %s/%s%s, and a new one begins",
	    store->damage ? store->damage : "", store->damage ? "; " : "", why, store->dir, kept,
	    strcmp(name, STORE_HISTORY) ? "" : ", with what a hook has not got yet");
	return store->damage ? 0 : fail_nomem(err);
}

/* ---- what a fabric is recognised by ------------------------------------------------- */

struct list {
	uint64_t *values;
	size_t num, room;
};

/* struct marks - its prefixes, sorted, and the GUIDs of its switches, sorted */
struct marks {
	struct list prefixes, guids;
};

static bool add_mark(struct arena *a, struct list *list, uint64_t value)
{
	if (!arena_grow(a, &list->values, list->num, &list->room, sizeof(value)))
		return false;
	list->values[list->num++] = value;
	return true;
}

static bool marks_of(struct arena *a, const struct ibc_fabric *fab, struct marks *m)
{
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	bool ok = true;

	for (size_t i = 0; ok && (subnet = ibc_fabric_subnet(fab, i)); i++)
		ok = add_mark(a, &m->prefixes, subnet->subnet_prefix);
	/* without a switch all nodes count */
	for (int all = 0; all < 2 && !m->guids.num; all++)
		for (size_t i = 0; ok && (node = ibc_fabric_node(fab, i)); i++)
			if ((all || node->type == IBC_NODE_SWITCH) && !node->named_only)
				ok = add_mark(a, &m->guids, node->guid);
	if (m->prefixes.num)
		qsort(m->prefixes.values, m->prefixes.num, sizeof(uint64_t), by_u64);
	if (m->guids.num)
		qsort(m->guids.values, m->guids.num, sizeof(uint64_t), by_u64);
	return ok;
}

/* How many two sorted lists have in common. */
static size_t common(const struct list *a, const struct list *b)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < a->num && j < b->num;) {
		n += a->values[i] == b->values[j];
		if (a->values[i] <= b->values[j])
			i++;
		else
			j++;
	}
	return n;
}

/* Switches in common if it is the same fabric, else 0: half of the fewer ones make it that. */
static size_t sameness(const struct marks *a, const struct marks *b)
{
	size_t fewer = a->guids.num < b->guids.num ? a->guids.num : b->guids.num;
	size_t n = common(&a->guids, &b->guids);

	return common(&a->prefixes, &b->prefixes) && 2 * n >= fewer ? n : 0;
}

#define MARKS_LINE "ibcheck fabric 1\n"

/* The file of a fabric's directory; -ENOENT: it has none. */
static int read_marks(struct arena *a, int part, const char *dir, struct marks *m,
                      struct ibc_error *err)
{
	struct ibc_error why = { "" };
	int fd = ibc_file_open(part, "fabric", O_RDONLY, 0, &why);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char line[64];
	int rc;

	*m = (struct marks){ .prefixes.values = NULL };
	if (fd >= 0 && !in) {
		close(fd);
		return fail_nomem(err);
	}
	if (!in)
		return fail(err, fd, "cannot read %s/fabric: %s", dir, why.text);
	rc = fgets(line, sizeof(line), in) && !strcmp(line, MARKS_LINE) ? 0 : -EUCLEAN;
	while (!rc && fgets(line, sizeof(line), in)) {
		bool is_prefix = !strncmp(line, "prefix ", 7);
		const char *word = line + (is_prefix ? 7 : 5);
		uint64_t value;

		line[strcspn(line, "\n")] = '\0';
		if ((!is_prefix && strncmp(line, "guid ", 5) != 0) || str_guid(word, &value))
			rc = -EUCLEAN;
		else if (!add_mark(a, is_prefix ? &m->prefixes : &m->guids, value))
			rc = -ENOMEM;
	}
	if (ferror(in))
		rc = -EIO;
	fclose(in);
	if (rc == -ENOMEM)
		return fail_nomem(err);
	return !rc ? 0
	           : fail(err, -EUCLEAN,
	                  "%s/fabric is damaged, and which fabric %s is about cannot be known; "
	                  "move that directory away, and a new one begins",
	                  dir, dir);
}

static int write_marks(const struct ibc_store *store, const struct marks *m, struct ibc_error *err)
{
	int fd = store_create(store, "fabric.new", true, err);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int rc = 0;
	bool good;

	if (fd < 0)
		return fd;
	if (!out) {
		close(fd);
		unlinkat(store->fd, "fabric.new", 0);
		return fail_nomem(err);
	}
	fputs(MARKS_LINE, out);
	for (size_t i = 0; i < m->prefixes.num; i++)
		fprintf(out, "prefix 0x%016" PRIx64 "\n", m->prefixes.values[i]);
	for (size_t i = 0; i < m->guids.num; i++)
		fprintf(out, "guid 0x%016" PRIx64 "\n", m->guids.values[i]);
	good = !fflush(out) && !fsync(fd);
	if (fclose(out) || !good || renameat(store->fd, "fabric.new", store->fd, "fabric")) {
		rc = fail(err, -errno, "cannot write %s/fabric: %s", store->dir, strerror(errno));
		unlinkat(store->fd, "fabric.new", 0);
	}
	return rc;
}

/* ---- this fabric's part --------------------------------------------------------------- */

/* Was it made of adapters that have switches now?  Their prefix may have changed with that. */
static bool is_island(const struct ibc_store *store, const struct marks *m, const struct marks *now)
{
	bool island = m->guids.num && !common(&m->guids, &now->guids);

	for (size_t i = 0; island && i < m->guids.num; i++)
		island = ibc_fabric_node_by_guid(store->fabric, m->guids.values[i]);
	return island;
}

/* One entry of the state directory; 0 also where it is no directory. */
static int look_at(struct ibc_store *store, int state, const char *dir, const char *name,
                   struct marks *m, struct ibc_error *err)
{
	const char *path = arena_printf(store->arena, "%s/%s", dir, name);
	int part = path ? store_open_part(state, name) : -ENOMEM, rc;
	struct stat st;

	*m = (struct marks){ .prefixes.values = NULL };
	if (part == -ENOTDIR && !fstatat(state, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    !S_ISLNK(st.st_mode))
		return 0;
	if (part < 0)
		return part == -ENOENT ? 0
		                       : fail(err, part, "cannot open %s as a directory: %s", path,
		                              strerror(-part));
	rc = read_marks(store->arena, part, path, m, err);
	close(part);
	return rc == -ENOENT ? 0 : rc;
}

/* @best: the name of what is known of this fabric, or NULL, and its marks. */
static int find_known(struct ibc_store *store, int state, const char *dir, const struct marks *now,
                      const char **best, struct marks *then, struct ibc_error *err)
{
	DIR *entries = store_entries(state);
	const struct dirent *entry;
	size_t most = 0;
	int rc = 0;

	if (!entries)
		return fail(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	while (!rc && (errno = 0, entry = readdir(entries))) {
		struct marks m;

		/* what a file system has at its top is none of ours */
		if (*entry->d_name == '.' || !strcmp(entry->d_name, "lost+found"))
			continue;
		rc = look_at(store, state, dir, entry->d_name, &m, err);
		if (!rc && is_island(store, &m, now))
			store->island_dir = arena_printf(store->arena, "%s/%s", dir, entry->d_name);
		if (rc || sameness(&m, now) <= most)
			continue;
		most = sameness(&m, now);
		*then = m;
		*best = arena_strdup(store->arena, entry->d_name);
		rc = *best ? 0 : fail_nomem(err);
	}
	if (!rc && errno)
		rc = fail(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	closedir(entries);
	return rc;
}

/*
 * Its prefix and its first switch name it: two first runs at once mean the same.  A name may be
 * taken by another fabric; one without marks is only just being made.
 */
static const char *name_new(struct ibc_store *store, int state, const struct marks *now)
{
	const char *first = arena_printf(store->arena, "%016" PRIx64 "-%016" PRIx64,
	                                 now->prefixes.num ? now->prefixes.values[0] : 0,
	                                 now->guids.num ? now->guids.values[0] : 0);
	const char *name = first;
	struct marks m;

	for (unsigned int i = 2; name && (look_at(store, state, store->dir, name, &m, NULL) ||
	                                  (m.prefixes.num && !sameness(&m, now)));
	     i++)
		name = arena_printf(store->arena, "%s-%u", first, i);
	return name;
}

static bool same_marks(const struct marks *a, const struct marks *b)
{
	return a->guids.num == b->guids.num && a->prefixes.num == b->prefixes.num &&
	       common(&a->guids, &b->guids) == a->guids.num &&
	       common(&a->prefixes, &b->prefixes) == a->prefixes.num;
}

/*
 * What a fleet has is one for all, and its file has no mark, so that no fabric is taken for it.
 * Marks are written under the lock: two first runs are at it at once.
 */
static int find_part(struct ibc_store *store, int state, const char *dir, struct ibc_error *err)
{
	struct marks now = { .prefixes.values = NULL }, then = { .prefixes.values = NULL };
	const char *name = NULL;
	int rc = 0;

	if (store->fabric && !marks_of(store->arena, store->fabric, &now))
		return fail_nomem(err);
	store->dir = dir;
	if (store->fabric)
		rc = find_known(store, state, dir, &now, &name, &then, err);
	if (rc)
		return rc;
	if (!name)
		name = store->fabric ? name_new(store, state, &now) : "fleet";
	store->dir = name ? arena_printf(store->arena, "%s/%s", dir, name) : NULL;
	if (!store->dir)
		return fail_nomem(err);
	rc = make_directory(store, state, name, err);
	if (!rc)
		rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	/* what is less than half of it is a part, and may be no part of the next sweep */
	if (!rc && 2 * common(&now.guids, &then.guids) >= then.guids.num &&
	    (!same_marks(&now, &then) || !store_has(store, "fabric")))
		rc = write_marks(store, &now, err);
	return rc;
}

int store_find_fabric(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	int state = open_state(store, dir, err), rc;
	char full[PATH_MAX]; /* for messages */

	if (state < 0)
		return state;
	dir = arena_strdup(store->arena, realpath(dir, full) ? full : dir);
	rc = dir ? find_part(store, state, dir, err) : fail_nomem(err);
	close(state);
	return rc;
}

/* Of this version only. */
bool store_open_island(struct ibc_store *store, struct ibc_error *err)
{
	const char *path = store->island_dir
	                       ? arena_printf(store->arena, "%s/" STORE_HISTORY, store->island_dir)
	                       : NULL;

	store->island_fd = path ? ibc_dir_open(store->island_dir, NULL, err) : -1;
	if (store->island_fd < 0 || faccessat(store->island_fd, STORE_HISTORY, F_OK, 0) ||
	    sql_open(&store->island, store->island_fd, path, err) || !store->island.version)
		return false;
	sql_begin(&store->island);
	return true;
}

/* ---- the lock --------------------------------------------------------------------------- */

int store_lock(const struct ibc_store *store, const char *name, unsigned int wait_ms, int *fd,
               struct ibc_error *err)
{
	static const struct timespec pause = { 0, TRY_MS * 1000000L };
	char holder[24] = ""; /* writes its number into it, a moment after it has the lock */

	*fd = store_create(store, name, false, err);
	if (*fd < 0)
		return *fd;
	/* runs hold it while they write; one that waits for a slow reader of its report, longer */
	for (unsigned int ms = 0; flock(*fd, LOCK_EX | LOCK_NB); ms += TRY_MS) {
		if (errno != EWOULDBLOCK)
			return fail(err, -errno, "cannot lock %s/%s: %s", store->dir, name,
			            strerror(errno));
		if (ms < wait_ms) {
			nanosleep(&pause, NULL);
			continue;
		}
		if (pread(*fd, holder, sizeof(holder) - 1, 0) > 0 && strtol(holder, NULL, 10) > 0)
			return fail(err, -EBUSY, "%s is in use by another run (pid %ld)",
			            store->dir, strtol(holder, NULL, 10));
		return fail(err, -EBUSY, "%s is in use by another run", store->dir);
	}
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
static int empty_directory(const struct ibc_store *store, int state, const char *name,
                           struct ibc_error *err)
{
	static const char *const ours[] = {
		"fabric",  STORE_LOCK,    "sweep.",        "kept.",
		"repair.", STORE_HISTORY, STORE_HOOK_LOCK, "hook.key."
	};
	DIR *entries = store_entries(store->fd);
	const struct dirent *entry;

	if (!entries)
		return fail(err, -errno, "cannot read %s: %s", store->dir, strerror(errno));
	/* what reading misses keeps the directory from being removed, and that is said */
	while ((entry = readdir(entries)))
		for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
			if (!strncmp(entry->d_name, ours[i], strlen(ours[i])))
				unlinkat(store->fd, entry->d_name, 0);
	closedir(entries);
	if (unlinkat(state, name, AT_REMOVEDIR))
		return fail(err, -errno, "cannot remove %s: %s", store->dir, strerror(errno));
	return 0;
}

static int forget(struct ibc_store *store, int state, const char *dir, const char *fabric,
                  struct ibc_error *err)
{
	struct stat st;
	int rc;

	store->dir = arena_printf(store->arena, "%s/%s", dir, fabric);
	if (!store->dir)
		return fail_nomem(err);
	store->fd = strchr(fabric, '/') || *fabric == '.' ? -1 : store_open_part(state, fabric);
	/* also one that is damaged */
	if (store->fd < 0 || !store_has(store, "fabric"))
		return fail(err, -ENOENT, "%s has no fabric %s", dir, fabric);
	store->mode = fstat(store->fd, &st) ? 0 : st.st_mode & 02777;
	rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	return rc ? rc : empty_directory(store, state, fabric, err);
}

int ibc_history_forget(const char *dir, const char *fabric, struct ibc_error *err)
{
	struct ibc_store store = { .arena = arena_new(), .fd = -1, .lock_fd = -1 };
	int state = ibc_dir_open(dir, NULL, err), rc = state;

	if (state >= 0)
		rc = store.arena ? forget(&store, state, dir, fabric, err) : fail_nomem(err);
	store_unlock(&store.lock_fd);
	store_unlock(&store.fd);
	store_unlock(&state);
	arena_free(store.arena);
	return rc;
}
