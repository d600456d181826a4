/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed, on its way to a hook: it is given until the hook has got it, once at least. */

#include "base/arena.h"
#include "store/store.h"

static int give_pending(struct ibc_store *store,
                        int (*give)(const char *const *changes, void *ctx, struct ibc_error *err),
                        void *ctx, struct ibc_error *err)
{
	sqlite3_stmt *row = sql_query(&store->sql, "SELECT run, report FROM pending ORDER BY run",
	                              "");
	const char **changes = NULL; /* ended by NULL */
	size_t num = 0, room = 0;
	int64_t last = 0;
	bool good = true;
	int rc;

	while (good && sql_row(&store->sql, row)) {
		const char *text = (const char *)sqlite3_column_text(row, 1);

		text = text ? arena_strdup(store->arena, text) : NULL;
		good = text && arena_grow(store->arena, &changes, num, &room, sizeof(*changes));
		if (good)
			changes[num++] = text;
		last = sqlite3_column_int64(row, 0);
	}
	good = good && arena_grow(store->arena, &changes, num, &room, sizeof(*changes));
	if (!good)
		sql_no_memory(&store->sql);
	rc = sql_failure(&store->sql, err);
	if (rc || !num)
		return rc;
	changes[num] = NULL;
	rc = give(changes, ctx, err);
	/* another run may be recording, and holds the history for longer than SQLite waits */
	if (!rc)
		rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	if (rc)
		return rc;
	sql_run(&store->sql, "DELETE FROM pending WHERE run <= ?", "i", last);
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
