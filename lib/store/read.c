/* SPDX-License-Identifier: BSD-2-Clause */
/* The histories of a state directory, for whoever may read them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ibcheck/files.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "store/history.h"

/* ---- rows -------------------------------------------------------------------------- */

static void read_incidents(struct ibc_history *h)
{
	const struct ibc_history_opts *o = h->opts;
	sqlite3_stmt *row = sql_query(
	    &h->sql,
	    "SELECT check_id, thing, name, message, advice, case_id, opened, last_seen,"
	    " closed, opens, severity, known, hidden, unseen FROM incident"
	    " WHERE (?1 IS NULL OR check_id = ?1) AND (closed IS NULL OR"
	    " (closed >= ?2 AND NOT ?3)) ORDER BY opened DESC, id DESC",
	    "tii", o->check, (int64_t)o->since, (int64_t)o->open);

	while (sql_row(&h->sql, row)) {
		struct ibc_incident i = {
			.fabric = h->last->shown.name,
			.check = sql_text(&h->sql, h->arena, row, 0),
			.thing = sql_text(&h->sql, h->arena, row, 1),
			.name = sql_text(&h->sql, h->arena, row, 2),
			.message = sql_text(&h->sql, h->arena, row, 3),
			.advice = sql_text(&h->sql, h->arena, row, 4),
			.case_id = sql_text(&h->sql, h->arena, row, 5),
			.began = (time_t)sqlite3_column_int64(row, 6),
			.last_seen = (time_t)sqlite3_column_int64(row, 7),
			.ended = (time_t)sqlite3_column_int64(row, 8),
			.times = (unsigned int)sqlite3_column_int64(row, 9),
			.severity = (enum ibc_severity)sql_between(&h->sql, row, 10, IBC_OK,
			                                           IBC_CRITICAL),
			.known = sqlite3_column_int(row, 11),
			.state = sqlite3_column_int64(row, 8)    ? "ended"
			         : sqlite3_column_int64(row, 12) ? "merged"
			         : sqlite3_column_int64(row, 13) ? "unseen"
			                                         : "open",
		};

		if (!i.check || !i.thing || !i.name || !i.message || !i.case_id)
			sql_damaged(&h->sql);
		else if (history_is_about(h, i.name, i.thing, i.case_id)) {
			i.subject = past_subject(h->arena, i.thing, i.name);
			HISTORY_ADD(h, incidents, i);
		}
	}
}

static void read_happenings(struct ibc_history *h)
{
	sqlite3_stmt *row = sql_query(&h->sql,
	                              "SELECT event.time, kind, check_id, name, event.message, "
	                              "NULL, NULL, thing, case_id, run"
	                              " FROM event JOIN incident ON incident = incident.id"
	                              " WHERE event.time >= ?1 AND (?2 IS NULL OR check_id = ?2)"
	                              " UNION ALL SELECT time, what, NULL, name, NULL, was, "
	                              "became, thing, NULL, run FROM change"
	                              " WHERE time >= ?1 AND ?2 IS NULL ORDER BY run, 1",
	                              "it", (int64_t)h->opts->since, h->opts->check);

	while (sql_row(&h->sql, row)) {
		struct ibc_happening e = {
			.time = (time_t)sqlite3_column_int64(row, 0),
			.fabric = h->last->shown.name,
			.what = sql_text(&h->sql, h->arena, row, 1),
			.check = sql_text(&h->sql, h->arena, row, 2),
			.name = sql_text(&h->sql, h->arena, row, 3),
			.message = sql_text(&h->sql, h->arena, row, 4),
			.before = sql_text(&h->sql, h->arena, row, 5),
			.after = sql_text(&h->sql, h->arena, row, 6),
		};
		const char *thing = sql_text(&h->sql, h->arena, row, 7);
		const char *case_id = sql_text(&h->sql, h->arena, row, 8);

		if (!e.what || !e.name || !thing)
			sql_damaged(&h->sql);
		else if (history_is_about(h, e.name, thing, case_id))
			HISTORY_ADD(h, happenings, e);
	}
}

/* Verdicts are of runs; a run of some checks says nothing of what others have left open. */
static void read_last_run(struct ibc_history *h)
{
	struct ibc_last_run *last = &h->last->shown.last;
	sqlite3_stmt *row = sql_query(
	    &h->sql,
	    "SELECT begun, verdict, command, (SELECT max(severity) FROM incident WHERE"
	    " closed IS NULL AND NOT hidden AND NOT known)"
	    " FROM run ORDER BY id DESC LIMIT 1",
	    "");

	while (sql_row(&h->sql, row)) {
		last->time = (time_t)sql_between(&h->sql, row, 0, 0, TIME_LAST);
		last->verdict = (enum ibc_severity)sql_between(&h->sql, row, 1, IBC_OK,
		                                               IBC_CRITICAL);
		last->command = sql_text(&h->sql, h->arena, row, 2);
		last->open = (enum ibc_severity)sql_between(&h->sql, row, 3, IBC_OK, IBC_CRITICAL);
	}
}

static void read_runs(struct ibc_history *h)
{
	struct ibc_past_fabric *f = &h->last->shown;
	sqlite3_stmt *row = sql_query(&h->sql,
	                              "SELECT begun FROM run WHERE begun >= ? ORDER BY begun", "i",
	                              (int64_t)h->opts->since - DAY);
	time_t *runs = NULL;
	size_t room = 0;

	while (sql_row(&h->sql, row)) {
		arena_grow(h->arena, &runs, f->num_runs, &room, sizeof(*runs));
		runs[f->num_runs++] = (time_t)sqlite3_column_int64(row, 0);
	}
	f->runs = runs;
}

/* ---- all fabrics of a directory ----------------------------------------------------- */

static void read_parts(struct ibc_history *h, int fd, const char *dir)
{
	unsigned int parts = h->opts->parts;

	read_last_run(h);
	if (parts & IBC_HISTORY_INCIDENTS)
		read_incidents(h);
	if (parts & IBC_HISTORY_EVENTS) {
		read_happenings(h);
		read_runs(h);
	}
	if (parts & (IBC_HISTORY_SERIES | IBC_HISTORY_TOP))
		history_sweep(h, fd, dir);
	if (parts & IBC_HISTORY_SERIES)
		history_series(h);
	if (parts & IBC_HISTORY_TOP)
		history_top(h);
}

static int read_fabric(void *ctx, int fd, const char *dir, const char *name, struct ibc_error *err)
{
	struct ibc_history *h = ctx;
	const char *where = arena_printf(h->arena, "%s/%s", dir, name);
	const char *path = arena_printf(h->arena, "%s/" STORE_HISTORY, where);
	struct past_fabric *fabric = arena_alloc(h->arena, sizeof(*fabric));
	int rc;

	if (fabric)
		fabric->shown.name = arena_strdup(h->arena, name);
	if (!where || !path || !fabric || !fabric->shown.name)
		return fail_nomem(err);
	*(h->last ? &h->last->next : &h->fabrics) = fabric;
	h->last = fabric;
	if (faccessat(fd, STORE_HISTORY, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	rc = sql_open_reader(&h->sql, fd, path, err);
	if (!rc && h->sql.version) {
		if (setjmp(*arena_entry(h->arena))) {
			sql_no_memory(&h->sql);
		} else {
			read_parts(h, fd, where);
		}
		arena_escape(h->arena, NULL);
		rc = sql_failure(&h->sql, err);
	}
	sql_close(&h->sql);
	return rc;
}

int ibc_history_load(const char *dir, const struct ibc_history_opts *opts, struct ibc_history **out,
                     struct ibc_error *err)
{
	struct ibc_history *h = xalloc(sizeof(*h));
	struct ibc_history_opts look = *opts;
	char text[STR_GUID_MAX];
	uint64_t guid;
	int rc = -ENOMEM;

	if (h)
		h->arena = arena_new();
	if (h && h->arena) {
		/* a GUID is kept with all its digits */
		if (opts->thing && !strncmp(opts->thing, "0x", 2) && !str_guid(opts->thing, &guid))
			look.thing = str_from_guid(text, guid);
		h->opts = &look;
		rc = store_each_part(dir, read_fabric, h, err);
		h->opts = NULL;
	}
	if (rc) {
		ibc_history_free(h);
		return rc == -ENOMEM ? fail_nomem(err) : rc;
	}
	*out = h;
	return 0;
}

void ibc_history_free(struct ibc_history *h)
{
	if (!h)
		return;
	for (struct past_fabric *f = h->fabrics; f; f = f->next)
		ibc_fabric_free(f->sweep);
	free(h->named);
	arena_free(h->arena);
	free(h);
}

/* ---- walking ------------------------------------------------------------------------ */

const struct ibc_past_fabric *ibc_history_fabric(const struct ibc_history *h, size_t i)
{
	const struct past_fabric *f = h->fabrics;

	for (; f && i; i--)
		f = f->next;
	return f ? &f->shown : NULL;
}

#define WALK(type, name, list)                                                                     \
	const struct type *ibc_history_##name(const struct ibc_history *h, size_t i)               \
	{                                                                                          \
		return i < h->num_##list ? &h->list[i] : NULL;                                     \
	}

WALK(ibc_incident, incident, incidents)
WALK(ibc_happening, happening, happenings)
WALK(ibc_port_hour, hour, hours)
WALK(ibc_port_day, day, days)
WALK(ibc_worn_cable, cable, cables)
WALK(ibc_waiting_port, waiting, waiting)
