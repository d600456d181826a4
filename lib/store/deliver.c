/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed, on its way to a hook: it is given until the hook has got it, once at least. */
#include <errno.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "store/store.h"

/* struct pending - what waits, ended by NULL, and the run of the last of it */
struct pending {
	const char **changes;
	size_t num, room;
	int64_t last;
};

/* @text: NULL ends them. */
static void add_change(struct ibc_store *store, struct pending *p, const char *text)
{
	if (arena_grow(store->arena, &p->changes, p->num, &p->room, sizeof(*p->changes)))
		p->changes[p->num] = text;
	else
		sql_no_memory(&store->sql);
}

static void read_pending(struct ibc_store *store, struct pending *p)
{
	sqlite3_stmt *row = sql_query(&store->sql, "SELECT run, report FROM pending ORDER BY run",
	                              "");

	while (sql_row(&store->sql, row)) {
		const char *text = (const char *)sqlite3_column_text(row, 1);

		text = text ? arena_strdup(store->arena, text) : NULL;
		if (!text)
			sql_no_memory(&store->sql);
		add_change(store, p, text);
		p->last = sqlite3_column_int64(row, 0);
		p->num++;
	}
	add_change(store, p, NULL);
}

static int give_pending(struct ibc_store *store,
                        int (*give)(const char *const *changes, void *ctx, struct ibc_error *err),
                        void *ctx, struct ibc_error *err)
{
	struct pending p = { .changes = NULL };
	int rc;

	read_pending(store, &p);
	rc = sql_failure(&store->sql, err);
	if (rc || !p.num)
		return rc;
	rc = give(p.changes, ctx, err);
	/* another run may be recording, and holds the history for longer than SQLite waits */
	if (!rc)
		rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	if (rc)
		return rc;
	sql_run(&store->sql, "DELETE FROM pending WHERE run <= ?", "i", p.last);
	return sql_failure(&store->sql, err);
}

int ibc_store_deliver(struct ibc_store *store, unsigned int wait_ms,
                      int (*give)(const char *const *changes, void *ctx, struct ibc_error *err),
                      void *ctx, struct ibc_error *err)
{
	int fd = -1, rc;

	/* others need not wait for a hook */
	store_unlock(&store->lock_fd);
	rc = store_lock(store, STORE_HOOK_LOCK, wait_ms, &fd, err);
	if (!rc)
		rc = give_pending(store, give, ctx, err);
	store_unlock(&fd);
	return rc;
}
