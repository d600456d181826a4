/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links before and after a repair: "repair.GUID-PORT-GUID-PORT.start.zst" and "... .after.zst",
 * whole snapshots; the GUIDs and ports are those of both ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "fabric/fabric.h"
#include "store/store.h"

#define TEMPORARY "repair.new"
#define LACKS     " lacks the link it is named by"

/* of a fabric: more than a shift repairs; a megabyte each of 8,384 nodes */
#define REPAIRS_MAX 64

struct repair_name {
	char text[96];
	uint64_t guid[2];
	unsigned int port[2];
	bool after;
};

static void name_it(struct repair_name *n)
{
	snprintf(n->text, sizeof(n->text), "repair.%016" PRIx64 "-%u-%016" PRIx64 "-%u.%s.zst",
	         n->guid[0], n->port[0], n->guid[1], n->port[1], n->after ? "after" : "start");
}

/* Only names that are written just so. */
static bool parse(const char *name, struct repair_name *n)
{
	size_t length = strlen(name);

	if (sscanf(name, "repair.%16" SCNx64 "-%3u-%16" SCNx64 "-%3u.", &n->guid[0], &n->port[0],
	           &n->guid[1], &n->port[1]) != 4)
		return false;
	n->after = length > 10 && !strcmp(name + length - 10, ".after.zst");
	name_it(n);
	return !strcmp(n->text, name);
}

static bool has_end(const struct repair_name *n, const struct ibc_port *p)
{
	for (int i = 0; p && i < 2; i++)
		if (n->guid[i] == p->node->guid && n->port[i] == p->num)
			return true;
	return false;
}

/* Calls for each, until one is not 0, which comes back. */
static int each_name(int fd, int (*take)(const struct repair_name *n, void *ctx), void *ctx)
{
	struct dirent **names;
	int n = scandirat(fd, ".", &names, NULL, alphasort), rc = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		struct repair_name name;

		if (!rc && parse(names[i]->d_name, &name))
			rc = take(&name, ctx);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return rc;
}

/*
 * struct named - what is looked for of a link; @found: the one that has @link itself, if one has
 * @others: how many other links there are, and the name of the one that was started first
 */
struct named {
	const struct ibc_port *link;
	bool after;
	int fd;
	size_t others;
	int64_t began;
	struct repair_name found, first;
};

static bool is_of(const struct repair_name *n, const struct ibc_port *link)
{
	return has_end(n, link) || has_end(n, link->peer);
}

static int look(const struct repair_name *n, void *ctx)
{
	struct named *named = ctx;
	struct stat st;

	if (is_of(n, named->link)) {
		if (n->after == named->after && (!*named->found.text || has_end(n, named->link)))
			named->found = *n;
	} else if (!n->after && !fstatat(named->fd, n->text, &st, AT_SYMLINK_NOFOLLOW)) {
		if (!named->others++ || st.st_mtim.tv_sec < named->began) {
			named->began = st.st_mtim.tv_sec;
			named->first = *n;
		}
	}
	return 0;
}

/* Of the link what the new one, @found, takes the place of. */
static int drop(const struct repair_name *n, void *ctx)
{
	const struct named *named = ctx;

	return is_of(n, named->link) && (n->after || !named->after) &&
	               strcmp(n->text, named->found.text) != 0 && unlinkat(named->fd, n->text, 0)
	           ? -errno
	           : 0;
}

int ibc_store_repair_put(struct ibc_store *store, const struct ibc_port *link, bool after,
                         struct ibc_error *err)
{
	const struct ibc_port *far = link->peer ? link->peer : link;
	struct named named = { .link = link, .after = after, .fd = store->fd };
	int rc = each_name(store->fd, look, &named);

	if (!rc)
		rc = store_write_file(store, TEMPORARY, store_write_whole, NULL, err);
	else
		return fail(err, rc, "cannot read %s: %s", store->dir, strerror(-rc));
	if (rc)
		return rc;
	named.found = (struct repair_name){ .guid = { link->node->guid, far->node->guid },
		                            .port = { link->num, far->num },
		                            .after = after };
	name_it(&named.found);
	/* one that is killed in between leaves no sweep that counts for another start */
	rc = each_name(store->fd, drop, &named);
	if (!rc && renameat(store->fd, TEMPORARY, store->fd, named.found.text))
		rc = -errno;
	if (rc)
		return fail(err, rc, "cannot write %s/%s: %s", store->dir, named.found.text,
		            strerror(-rc));
	for (int i = 0; named.others >= REPAIRS_MAX && i < 2; i++) {
		named.first.after = i;
		name_it(&named.first);
		unlinkat(store->fd, named.first.text, 0);
	}
	return 0;
}

int ibc_store_repair_get(struct ibc_store *store, const struct ibc_port *link, bool after,
                         struct ibc_fabric **out, const struct ibc_port **then,
                         struct ibc_error *err)
{
	struct named named = { .link = link, .after = after, .fd = store->fd };
	int rc = each_name(store->fd, look, &named);

	if (rc)
		return fail(err, rc, "cannot read %s: %s", store->dir, strerror(-rc));
	if (!*named.found.text)
		return fail(err, -ENOENT, "no repair of it was started");
	rc = store_load_file(store->arena, store->fd, store->dir, named.found.text, out, err);
	if (rc)
		return rc;
	*then = NULL;
	for (int i = 0; i < 2 && !*then; i++)
		*then = fabric_port_at(*out, named.found.guid[i], named.found.port[i]);
	if (*then)
		return 0;
	ibc_fabric_free(*out);
	return fail(err, -EUCLEAN, "%s/%s" LACKS, store->dir, named.found.text);
}

/* ---- all of them --------------------------------------------------------------------------- */

struct listing {
	struct arena *arena;
	const char *dir;
	int fd;
	void (*each)(const struct ibc_port *link, void *ctx);
	void *ctx;
	struct ibc_error first;
};

static int list_one(const struct repair_name *n, void *ctx)
{
	struct listing *l = ctx;
	struct ibc_fabric *fab = NULL;
	const struct ibc_port *port = NULL;
	struct ibc_error why;
	int rc = n->after ? 0 : store_load_file(l->arena, l->fd, l->dir, n->text, &fab, &why);

	if (rc == -ENOMEM || n->after)
		return rc;
	if (fab && (port = fabric_port_at(fab, n->guid[0], n->port[0])))
		l->each(port, l->ctx);
	else if (fab)
		fail(&why, 0, "%s/%s" LACKS, l->dir, n->text);
	if (!port && !*l->first.text)
		l->first = why;
	ibc_fabric_free(fab);
	return 0;
}

static int list_part(void *ctx, int fd, const char *dir, const char *name, struct ibc_error *err)
{
	struct listing *l = ctx;
	int rc;

	l->fd = fd;
	l->dir = arena_printf(l->arena, "%s/%s", dir, name);
	rc = l->dir ? each_name(fd, list_one, l) : -ENOMEM;
	return rc ? fail(err, rc, "cannot read %s/%s: %s", dir, name, strerror(-rc)) : 0;
}

int ibc_history_repairs(const char *dir, void (*each)(const struct ibc_port *link, void *ctx),
                        void *ctx, struct ibc_error *err)
{
	struct listing l = { .arena = arena_new(), .each = each, .ctx = ctx };
	int rc = l.arena ? store_each_part(dir, list_part, &l, err) : fail_nomem(err);

	arena_free(l.arena);
	return rc ? rc : fail(err, 0, "%s", l.first.text);
}
