/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed, on its way to a hook: it is given until the hook has got it, once at least. */

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

static int give_pending(struct ibc_store *store,
                        int (*give)(const char *const *changes, void *ctx, struct ibc_error *err),
                        void *ctx, struct ibc_error *err)
{
	sqlite3_stmt *row = sql_query(&store->sql, "SELECT run, report FROM pending ORDER BY run",
	                              "");
	const char **changes = NULL; /* ended by NULL */
	size_t num = 0, room = 0, foreign = 0;
	int64_t last = 0;
	bool good = true;
	int rc = 0;

	while (good && sql_row(&store->sql, row)) {
		const char *text = (const char *)sqlite3_column_text(row, 1);

		last = sqlite3_column_int64(row, 0);
		text = text ? arena_strdup(store->arena, text) : NULL;
		good = text && arena_grow(store->arena, &changes, num, &room, sizeof(*changes));
		if (good)
			changes[num] = store_signed_text(store, last, text);
		if (good && changes[num])
			num++;
		else
			foreign++;
	}
	good = good && arena_grow(store->arena, &changes, num, &room, sizeof(*changes));
	if (!good)
		sql_no_memory(&store->sql);
	rc = sql_failure(&store->sql, err);
	if (rc || !(num + foreign))
		return rc;
	changes[num] = NULL;
	if (num)
		rc = give(changes, ctx, err);
	/* another run may be recording, and holds the history for longer than SQLite waits */
	if (!rc)
		rc = store_lock(store, STORE_LOCK, store->opts.wait_ms, &store->lock_fd, err);
	if (rc)
		return rc;
	sql_run(&store->sql, "DELETE FROM pending WHERE run <= ?", "i", last);
	rc = sql_failure(&store->sql, err);
	if (rc || !foreign)
		return rc;
	return fail(err, -EKEYREJECTED,
	            "the changes of %zu run%s in %s are not passed on: another user noted them, or "
	            "a version before 0.4; ibcheck history has what became of the cases",
	            foreign, foreign == 1 ? "" : "s", store->dir);
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
