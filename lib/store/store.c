/* SPDX-License-Identifier: BSD-2-Clause */
/* A run and its state directory, from opening it to the commit. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/gone/gone.h"
#include "base/arena.h"
#include "base/error.h"
#include "report/report.h"
#include "store/store.h"

/* ---- opening ----------------------------------------------------------------------- */

static int set_history_aside(struct ibc_store *store, struct ibc_error *err)
{
	struct ibc_error why = *err;

	sql_close(&store->sql);
	unlinkat(store->fd, STORE_HISTORY "-shm", 0);
	return store_set_aside(store, STORE_HISTORY, why.text, err);
}

/* An empty file with the rights of the directory: SQLite gives its others the same. */
static int open_history(struct ibc_store *store, struct ibc_error *err)
{
	const char *path = arena_printf(store->arena, "%s/" STORE_HISTORY, store->dir);
	int fd = path ? store_create(store, STORE_HISTORY, false, err) : fail_nomem(err);
	int rc;

	if (fd < 0)
		return fd;
	close(fd);
	store->last_sweep = 0;
	rc = sql_open(&store->sql, store->fd, path, err);
	if (rc)
		return rc;
	if (store->sql.version)
		store->last_sweep = sql_number(&store->sql, "SELECT sweep FROM fabric", "");
	store->migrated = store->sql.version && store->sql.version < SCHEMA_EXPECTS;
	sql_make(&store->sql);
	return sql_failure(&store->sql, err);
}

static int open_all(struct ibc_store *store, const char *dir, struct ibc_error *err)
{
	struct ibc_error text = { "" };
	int rc = store_find_fabric(store, dir, err);

	if (rc)
		return rc;
	rc = open_history(store, &text);
	if (rc == -EUCLEAN) {
		rc = set_history_aside(store, &text);
		rc = rc ? rc : open_history(store, &text);
	}
	/* one that cannot be written leaves the sweep to compare with; ibc_store_record() says why
	 */
	if (store->sql.failed && rc != -ENOMEM)
		return 0;
	return rc && *text.text ? fail(err, rc, "%s", text.text) : rc;
}

int ibc_store_open(const char *dir, const struct ibc_fabric *fab, const struct ibc_store_opts *opts,
                   struct ibc_store **out, struct ibc_error *err)
{
	struct ibc_store *store = xalloc(sizeof(*store));
	int rc;

	if (!store)
		return fail_nomem(err);
	store->opts = *opts;
	store->fabric = fab;
	store->fd = store->island_fd = store->lock_fd = -1;
	store->arena = arena_new();
	rc = store->arena ? open_all(store, dir, err) : fail_nomem(err);
	if (rc) {
		ibc_store_free(store);
		return rc;
	}
	*out = store;
	return 0;
}

static void drop_island(struct ibc_store *store)
{
	sql_rollback(&store->island);
	sql_close(&store->island);
	store_unlock(&store->island_fd);
}

void ibc_store_free(struct ibc_store *store)
{
	if (!store)
		return;
	drop_island(store);
	store_unkeep(store);
	sql_rollback(&store->sql);
	sql_close(&store->sql);
	store_unlock(&store->lock_fd);
	store_unlock(&store->fd);
	arena_free(store->arena);
	free(store);
}

const char *ibc_store_damage(const struct ibc_store *store)
{
	return store->damage;
}

/* ---- one run ------------------------------------------------------------------------- */

#define RUNS_MAX INT32_MAX /* one each second for 68 years */

/* A number that no sweep has: one that a killed run left is not taken for this one. */
static int add_run(struct ibc_store *store, const struct ibc_report *rep, struct ibc_error *err)
{
	int64_t last = sql_number(&store->sql, "SELECT max(id) FROM run", "");
	int64_t newest = store_newest_sweep(store, err);

	if (newest < 0)
		return (int)newest;
	last = last > newest ? last : newest;
	if (last < 0 || last >= RUNS_MAX)
		sql_damaged(&store->sql);
	else
		store->run = last + 1;
	sql_run(&store->sql, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?)", "iitiii", store->run,
	        (int64_t)store->opts.now, store->opts.command ? store->opts.command : "",
	        (int64_t)ibc_report_verdict(rep), (int64_t)rep->num_findings,
	        (int64_t)report_is_complete(rep));
	return 0;
}

/* What the last line of the report says of it. */
static void conclude(const struct ibc_store *store, struct ibc_report *rep)
{
	if (rep->sight_changed)
		ibc_report_conclude(rep, report_is_complete(rep)
		                             ? "all queries are answered again"
		                             : "less is seen than in the last run");
	if (store->num_replaced == 1)
		ibc_report_conclude(rep, "%s, and its history goes on", store->replaced);
	else if (store->num_replaced)
		ibc_report_conclude(rep, "%zu devices were replaced, and their history goes on",
		                    store->num_replaced);
	rep->sight_changed |= store->num_replaced > 0;
	rep->remembered = store->opts.now;
}

#define PRUNE_ROWS "2000" /* a run: a few milliseconds */
#define PRUNE_DAYS "8"    /* likewise: a day of 32,768 ports has half a megabyte */

#define JUMP_DAYS   45 /* who runs it once a month still forgets */
#define STEADY_DAYS 7  /* a clock that is wrong is noticed within a week */

/*
 * What ended too long ago, a bounded number of rows each time.  Not after a clock that is years
 * ahead: only if there are runs of some weeks before this one.
 */
static void forget_old(struct ibc_store *store)
{
	int64_t now = (int64_t)store->opts.now, kept = store->opts.retention_seconds;
	int64_t before = now - kept;
	int64_t steady = kept / 2 < STEADY_DAYS * DAY ? kept / 2 : STEADY_DAYS * DAY;

	store->steady = sql_number(&store->sql,
	                           "SELECT count(*) FROM run WHERE begun BETWEEN ? AND ?", "ii",
	                           now - JUMP_DAYS * DAY, now - steady) > 0;
	if (!store->steady)
		return;
	sql_run(&store->sql,
	        "DELETE FROM event WHERE incident IN"
	        " (SELECT id FROM incident WHERE closed < ? LIMIT " PRUNE_ROWS ")",
	        "i", before);
	sql_run(&store->sql,
	        "DELETE FROM incident WHERE id IN"
	        " (SELECT id FROM incident WHERE closed < ? LIMIT " PRUNE_ROWS ")",
	        "i", before);
	sql_run(&store->sql,
	        "DELETE FROM delta WHERE (hour, port, counter) IN (SELECT hour, port, counter"
	        " FROM delta WHERE hour < ? ORDER BY hour LIMIT " PRUNE_ROWS ")",
	        "i", before / HOUR);
	sql_run(&store->sql,
	        "DELETE FROM traffic WHERE day IN"
	        " (SELECT day FROM traffic WHERE day < ? LIMIT " PRUNE_DAYS ")",
	        "i", before / DAY);
	sql_run(&store->sql,
	        "DELETE FROM change WHERE id IN"
	        " (SELECT id FROM change WHERE time < ? LIMIT " PRUNE_ROWS ")",
	        "i", before);
	sql_run(&store->sql, "DELETE FROM pending WHERE time < ?", "i", before);
	sql_run(&store->sql,
	        "DELETE FROM run WHERE id IN"
	        " (SELECT id FROM run ORDER BY id LIMIT " PRUNE_ROWS ") AND begun < ?",
	        "i", before);
}

/* A part of the fabric is no sweep of it: the last one stays, and the next run compares with that.
 */
static bool is_partial(const struct ibc_store *store)
{
	return store->gone && store->gone->partial;
}

static int record(struct ibc_store *store, const struct ibc_input *in,
                  const struct ibc_fabric *before,
                  const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep,
                  struct ibc_error *err)
{
	bool complete = report_is_complete(rep);
	int64_t then;
	int rc;

	store->num_replaced = 0;
	sql_begin(&store->sql);
	rc = add_run(store, rep, err);
	if (rc)
		return rc;
	/* does it see less than the last run of this command, or all again? */
	then = sql_number(&store->sql,
	                  "SELECT complete + 1 FROM run WHERE command = ? AND id < ?"
	                  " ORDER BY id DESC LIMIT 1",
	                  "ti", store->opts.command ? store->opts.command : "", store->run);
	rep->sight_changed = then && then != complete + 1;
	if (store->fabric && !store->gone)
		store_expect(store, before, &IBC_EXPECT_INIT);
	if (store->fabric)
		store_replaced(store);
	store_incidents(store, in, before, find_check, rep);
	report_sort_cases(rep);
	if (store->fabric && !is_partial(store)) {
		store_deltas(store, store->cleared ? NULL : in->windows, before,
		             store->cleared ? store->cleared : store->fabric);
		if (store->cleared)
			store_deltas(store, NULL, store->cleared, store->fabric);
		store_changes(store, before);
	}
	if (store->fabric)
		store_expected(store, before, rep);
	forget_old(store);
	if (!is_partial(store))
		sql_run(&store->sql, "UPDATE fabric SET sweep = ?", "i",
		        store->fabric ? store->run : 0);
	sql_flush(&store->sql);
	rc = sql_failure(&store->sql, err);
	if (rc || !store->fabric || is_partial(store))
		return rc;
	rc = store_write_sweep(store, before, err);
	return rc ? rc : store_keep(store, err);
}

/* What it put into the cases is not so, if it is not kept. */
static void forget_states(struct ibc_report *rep)
{
	rep->num_gone = 0;
	rep->remembered = 0;
	for (size_t i = 0; i < rep->num_cases; i++) {
		rep->cases[i].state = IBC_CASE_UNKNOWN;
		rep->cases[i].since = 0;
		rep->cases[i].times = 0;
		rep->cases[i].settling = NULL;
	}
}

void ibc_store_cleared(struct ibc_store *store, const struct ibc_fabric *until)
{
	store->cleared = until;
}

int ibc_store_record(struct ibc_store *store, const struct ibc_input *in,
                     const struct ibc_fabric *before,
                     const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep,
                     struct ibc_error *err)
{
	struct ibc_error why = { "" };
	int rc;

	if (setjmp(*arena_entry(store->arena))) {
		sql_no_memory(&store->sql);
		rc = sql_failure(&store->sql, &why);
	} else {
		rc = record(store, in, before, find_check, rep, &why);
	}
	arena_escape(store->arena, NULL);
	store->recorded = !rc;
	if (!rc) {
		conclude(store, rep);
		return 0;
	}
	sql_rollback(&store->sql);
	forget_states(rep);
	if (rc != -EUCLEAN) /* else a page that opening did not need */
		return fail(err, rc, "%s", why.text);
	drop_island(store);
	store->damage = NULL; /* what was found before was reported */
	rc = set_history_aside(store, &why);
	if (!rc)
		rc = open_history(store, &why);
	return fail(err, rc ? rc == -EUCLEAN ? -EIO : rc : -EUCLEAN, "%s",
	            rc ? why.text : store->damage);
}

int ibc_store_pend(struct ibc_store *store, const char *changes, struct ibc_report *rep,
                   struct ibc_error *err)
{
	const char *text = store_signed(store, store->run, changes, err);
	int rc;

	if (text)
		sql_run(&store->sql, "INSERT INTO pending VALUES(?, ?, ?)", "iit", store->run,
		        (int64_t)store->opts.now, text);
	sql_flush(&store->sql);
	rc = text ? sql_failure(&store->sql, err) : -EIO;
	if (rc) {
		store->recorded = false;
		sql_rollback(&store->sql);
		forget_states(rep);
	}
	return rc;
}

int ibc_store_commit(struct ibc_store *store, struct ibc_error *err)
{
	int rc;

	if (!store->recorded)
		return 0;
	store->recorded = false;
	sql_commit(&store->sql);
	rc = sql_failure(&store->sql, err);
	if (rc)
		return rc;
	if (store->island.handle)
		sql_commit(&store->island);
	drop_island(store);
	if (!is_partial(store))
		store_drop_sweeps(store);
	store_kept(store);
	return 0;
}
