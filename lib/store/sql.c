/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/sql.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/utf8.h"
#include "store/store.h"

#define WAIT_MS 1000 /* for a reader that is about to close; no other process writes */

#define SCHEMA       5 /* PRAGMA user_version */
#define SCHEMA_FIRST 4 /* of release 0.3.0; those before it no release wrote */

/*
 * A new history is made by the steps from the first schema to the last one, an older one goes on by
 * those that it lacks.  One that is there must have exactly this: no view or trigger of others
 * runs. Times are seconds since 1970; severities those of enum ibc_severity.
 */
static const char schema_4[] =
    /* which sweep counts: the number of the run that left it */
    "CREATE TABLE fabric(sweep INTEGER NOT NULL);"
    "INSERT INTO fabric VALUES(0);"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, begun INTEGER NOT NULL, command TEXT NOT NULL,"
    " verdict INTEGER NOT NULL, incidents INTEGER NOT NULL, complete INTEGER NOT NULL);"
    /*
     * One a root finding, closed or not.  hidden: part of another case since this run, or 0;
     * unseen: not looked at since this run, or 0; settling: runs that have seen it since it
     * opened, while it is not reported yet, else 0
     */
    "CREATE TABLE incident(id INTEGER PRIMARY KEY, check_id TEXT NOT NULL, thing TEXT NOT NULL,"
    " name TEXT NOT NULL, severity INTEGER NOT NULL, opened INTEGER NOT NULL,"
    " last_seen INTEGER NOT NULL, closed INTEGER, opens INTEGER NOT NULL,"
    " message TEXT NOT NULL, advice TEXT, known INTEGER NOT NULL, case_id TEXT NOT NULL,"
    " hidden INTEGER NOT NULL, unseen INTEGER NOT NULL, settling INTEGER NOT NULL);"
    "CREATE INDEX incident_open ON incident(id) WHERE closed IS NULL;"
    "CREATE INDEX incident_closed ON incident(closed) WHERE closed IS NOT NULL;"
    "CREATE TABLE event(incident INTEGER NOT NULL, run INTEGER NOT NULL, time INTEGER NOT NULL,"
    " kind TEXT NOT NULL, message TEXT, PRIMARY KEY(incident, run, kind)) WITHOUT ROWID;"
    "CREATE TABLE port(id INTEGER PRIMARY KEY, guid INTEGER NOT NULL, num INTEGER NOT NULL,"
    " name TEXT NOT NULL, peer TEXT NOT NULL, UNIQUE(guid, num));"
    /* errors that a port counted within an hour since 1970; only what is not 0 */
    "CREATE TABLE delta(hour INTEGER NOT NULL, port INTEGER NOT NULL, counter TEXT NOT NULL,"
    " amount INTEGER NOT NULL, at_least INTEGER NOT NULL, PRIMARY KEY(hour, port, counter))"
    " WITHOUT ROWID;"
    "CREATE TABLE change(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, time INTEGER NOT NULL,"
    " thing TEXT NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL, was TEXT, became TEXT);"
    "CREATE INDEX change_time ON change(time);"
    /* what changed in a run, as a JSON report that no hook has got yet */
    "CREATE TABLE pending(run INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
    " report TEXT NOT NULL);"
    /* see traffic.c; hours: set of 1 << hour of the day in which ports were read */
    "CREATE TABLE traffic(day INTEGER PRIMARY KEY, hours INTEGER NOT NULL, wait BLOB NOT NULL,"
    " xmit BLOB NOT NULL, rcv BLOB NOT NULL);"
    "PRAGMA user_version = 4;";
/* What is expected beside the last sweep, and of it what is not yet: see expected.c. */
static const char schema_5[] =
    "CREATE TABLE absent_node(guid INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL,"
    " host TEXT, seen INTEGER NOT NULL, missed INTEGER NOT NULL, earlier INTEGER NOT NULL);"
    "CREATE TABLE absent_cable(guid INTEGER NOT NULL, num INTEGER NOT NULL, name TEXT NOT NULL,"
    " far_guid INTEGER NOT NULL, far_num INTEGER NOT NULL, far_name TEXT NOT NULL,"
    " seen INTEGER NOT NULL, missed INTEGER NOT NULL, earlier INTEGER NOT NULL,"
    " PRIMARY KEY(guid, num, far_guid, far_num)) WITHOUT ROWID;"
    "CREATE TABLE young(guid INTEGER NOT NULL, far_guid INTEGER NOT NULL, num INTEGER NOT NULL,"
    " far_num INTEGER NOT NULL, runs INTEGER NOT NULL,"
    " PRIMARY KEY(guid, far_guid, num, far_num)) WITHOUT ROWID;"
    "CREATE TABLE sm(guid INTEGER NOT NULL, num INTEGER NOT NULL, name TEXT NOT NULL,"
    " master INTEGER NOT NULL, seen INTEGER NOT NULL, runs INTEGER NOT NULL,"
    " PRIMARY KEY(guid, num)) WITHOUT ROWID;"
    /* of cases that 0.3.0 had as one incident each, and whose ID was accepted */
    "CREATE TABLE member(case_id TEXT NOT NULL, finding_id TEXT NOT NULL,"
    " PRIMARY KEY(case_id, finding_id)) WITHOUT ROWID;"
    "PRAGMA user_version = 5;";
static const char *const steps[] = { schema_4, schema_5 };

/* The first pages: what is damaged there is known before the report is made. */
static const char a_row_of_each[] =
    "SELECT (SELECT 1 FROM fabric NOT INDEXED), (SELECT 1 FROM run NOT INDEXED),"
    " (SELECT 1 FROM incident NOT INDEXED), (SELECT 1 FROM event NOT INDEXED),"
    " (SELECT 1 FROM port NOT INDEXED), (SELECT 1 FROM delta NOT INDEXED),"
    " (SELECT 1 FROM change NOT INDEXED), (SELECT 1 FROM pending NOT INDEXED),"
    " (SELECT 1 FROM traffic NOT INDEXED)";

static const char a_row_of_expected[] =
    "SELECT (SELECT 1 FROM absent_node NOT INDEXED), (SELECT 1 FROM absent_cable NOT INDEXED),"
    " (SELECT 1 FROM young NOT INDEXED), (SELECT 1 FROM sm NOT INDEXED),"
    " (SELECT 1 FROM member NOT INDEXED)";

/* ---- failures --------------------------------------------------------------------- */

static void note(struct sql *sql, int rc)
{
	if (!sql->failed && rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		sql->failed = rc;
}

void sql_no_memory(struct sql *sql)
{
	note(sql, SQLITE_NOMEM);
}

void sql_damaged(struct sql *sql)
{
	note(sql, SQLITE_CORRUPT);
}

static const struct {
	int sqlite, code;
} codes[] = {
	{ SQLITE_CORRUPT, -EUCLEAN },
	{ SQLITE_NOTADB, -EUCLEAN },
	{ SQLITE_FULL, -ENOSPC },
	{ SQLITE_NOMEM, -ENOMEM },
	{ SQLITE_READONLY, -EACCES },
	{ SQLITE_CANTOPEN, -EACCES },
	{ SQLITE_PERM, -EACCES },
	{ SQLITE_BUSY, -EBUSY },
	{ SQLITE_LOCKED, -EBUSY },
	/* what our statements never meet in what they wrote; the first: see is_endless() */
	{ SQLITE_INTERRUPT, -EUCLEAN },
	{ SQLITE_TOOBIG, -EUCLEAN },
	{ SQLITE_CONSTRAINT, -EUCLEAN },
	{ SQLITE_MISMATCH, -EUCLEAN },
};

int sql_failure(const struct sql *sql, struct ibc_error *err)
{
	int code = -EIO;

	if (!sql->failed)
		return 0;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].sqlite == (sql->failed & 0xff))
			code = codes[i].code;
	return fail(err, code, "%s: %s", sql->path, sqlite3_errstr(sql->failed));
}

/* ---- opening ---------------------------------------------------------------------- */

static void execute(struct sql *sql, const char *text)
{
	if (!sql->failed)
		note(sql, sqlite3_exec(sql->handle, text, NULL, NULL, NULL));
}

#define STEPS         1000000   /* of SQLite's machine, from one look at their number to the next */
#define STEPS_ALWAYS  200000000 /* seconds: more than a small history can take */
#define STEPS_PER_KB  5000      /* some hundred rows, with a look into an index for each */
#define STEPS_PER_ROW 1000      /* that this run added */
#define VALUE_MAX     (1 << 28) /* bytes: a day of TRAFFIC_PORTS_MAX ports has half of it */

/* Pages that lead in a circle, or many times to one another, have no end of rows. */
static int is_endless(void *ctx)
{
	struct sql *sql = ctx;
	int64_t most = STEPS_ALWAYS + sql->size / 1024 * STEPS_PER_KB +
	               (int64_t)sqlite3_total_changes(sql->handle) * STEPS_PER_ROW;

	sql->steps += STEPS;
	return sql->steps > most;
}

/* What stands in it was written by others: nothing of it may act. */
static int open_handle(struct sql *sql, int dir, const char *path, const char *name, int flags)
{
	struct stat st;

	*sql = (struct sql){ .path = path };
	if (!fstatat(dir, STORE_HISTORY, &st, AT_SYMLINK_NOFOLLOW))
		sql->size = st.st_size;
	note(sql, sqlite3_open_v2(name, &sql->handle, flags | SQLITE_OPEN_NOMUTEX, confined_vfs()));
	if (sql->failed)
		return sql->failed;
	note(sql, sqlite3_busy_timeout(sql->handle, WAIT_MS));
	note(sql, sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL));
	note(sql, sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL));
	sqlite3_limit(sql->handle, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_progress_handler(sql->handle, STEPS, is_endless, sql);
	execute(sql, "PRAGMA cell_size_check = ON");
	return sql->failed;
}

/* All tables, indices, views and triggers, as text: to be freed with sqlite3_free(), or NULL. */
static char *contents_of(struct sql *sql, sqlite3 *handle)
{
	static const char all[] =
	    "SELECT group_concat(type || name || tbl_name || ifnull(sql, ''), x'0a')"
	    " FROM (SELECT * FROM sqlite_schema ORDER BY type, name)";
	sqlite3_stmt *row = NULL;
	char *text = NULL;

	note(sql, sqlite3_prepare_v2(handle, all, -1, &row, NULL));
	if (row)
		note(sql, sqlite3_step(row));
	if (!sql->failed)
		text = sqlite3_mprintf("%s", sqlite3_column_text(row, 0)); /* of nothing: "" */
	sqlite3_finalize(row);
	if (!text)
		sql_no_memory(sql);
	return text;
}

/* Is it what sql_make() makes, or, with version 0, empty? */
static bool is_as_made(struct sql *sql)
{
	sqlite3 *model = NULL;
	char *is = contents_of(sql, sql->handle), *should = NULL;
	bool same;

	note(sql, sqlite3_open(":memory:", &model));
	for (int64_t v = SCHEMA_FIRST; !sql->failed && v <= sql->version; v++)
		note(sql, sqlite3_exec(model, steps[v - SCHEMA_FIRST], NULL, NULL, NULL));
	if (!sql->failed)
		should = contents_of(sql, model);
	same = is && should && !strcmp(is, should);
	sqlite3_free(is);
	sqlite3_free(should);
	sqlite3_close(model);
	return same;
}

static int verify(struct sql *sql, struct ibc_error *err)
{
	sql->version = sql_number(sql, "PRAGMA user_version", "");
	if (sql->failed)
		return sql_failure(sql, err);
	if (sql->version > SCHEMA)
		return fail(err, -EPROTO,
		            "%s: schema %lld; this is ibcheck %s, which knows schema %d", sql->path,
		            (long long)sql->version, IBC_VERSION, SCHEMA);
	if (sql->version && sql->version < SCHEMA_FIRST)
		return fail(err, -EUCLEAN, "%s: schema %lld, of a build before the first release",
		            sql->path, (long long)sql->version);
	if (!is_as_made(sql) && !sql->failed)
		return fail(err, -EUCLEAN, "%s: its tables are not those that ibcheck makes",
		            sql->path);
	if (sql->version)
		sql_number(sql, a_row_of_each, "");
	if (sql->version >= SCHEMA_EXPECTS)
		sql_number(sql, a_row_of_expected, "");
	return sql_failure(sql, err);
}

int sql_open(struct sql *sql, int dir, const char *path, struct ibc_error *err)
{
	char name[CONFINED_PATH];
	struct stat st;

	*sql = (struct sql){ .path = path };
	/*
	 * A rollback journal is not ours: an empty history has it in memory until it is one with a
	 * write-ahead log.  It would be rolled back, whatever it says.
	 */
	if (!fstatat(dir, STORE_HISTORY "-journal", &st, AT_SYMLINK_NOFOLLOW))
		return fail(err, -EUCLEAN, "%s-journal: a journal that ibcheck does not leave",
		            path);
	if (errno != ENOENT)
		return fail(err, -errno, "%s-journal: %s", path, strerror(errno));
	confined_path(name, dir);
	open_handle(sql, dir, path, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	if (!sql->size)
		execute(sql, "PRAGMA journal_mode = MEMORY");
	execute(sql, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
	return sql->failed ? sql_failure(sql, err) : verify(sql, err);
}

void sql_make(struct sql *sql)
{
	int64_t next = sql->version ? sql->version + 1 : SCHEMA_FIRST;

	if (next > SCHEMA)
		return;
	sql_begin(sql);
	for (; next <= SCHEMA; next++)
		execute(sql, steps[next - SCHEMA_FIRST]);
	sql_commit(sql);
	sql->version = SCHEMA;
}

/* Without the right to write, a reader cannot make the file that it shares with writers. */
int sql_open_reader(struct sql *sql, int dir, const char *path, struct ibc_error *err)
{
	char name[CONFINED_PATH], uri[CONFINED_PATH + 32];
	int rc;

	confined_path(name, dir);
	open_handle(sql, dir, path, name, SQLITE_OPEN_READONLY);
	rc = sql->failed ? sql_failure(sql, err) : verify(sql, err);
	if ((sql->failed & 0xff) == SQLITE_CANTOPEN || (sql->failed & 0xff) == SQLITE_READONLY) {
		sql_close(sql);
		snprintf(uri, sizeof(uri), "file:%s?immutable=1", name);
		open_handle(sql, dir, path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
		rc = sql->failed ? sql_failure(sql, err) : verify(sql, err);
	}
	return rc;
}

void sql_close(struct sql *sql)
{
	for (size_t i = 0; i < SQL_STATEMENTS; i++)
		sqlite3_finalize(sql->cached[i].statement);
	sqlite3_close(sql->handle);
	*sql = (struct sql){ .path = NULL };
}

/* ---- statements ------------------------------------------------------------------- */

static sqlite3_stmt *find_statement(struct sql *sql, const char *text)
{
	size_t i = 0;

	while (i < SQL_STATEMENTS && sql->cached[i].text && sql->cached[i].text != text)
		i++;
	assert(i < SQL_STATEMENTS);
	if (!sql->cached[i].text)
		note(sql, sqlite3_prepare_v3(sql->handle, text, -1, SQLITE_PREPARE_PERSISTENT,
		                             &sql->cached[i].statement, NULL));
	if (sql->failed)
		return NULL;
	sql->cached[i].text = text;
	sqlite3_reset(sql->cached[i].statement);
	return sql->cached[i].statement;
}

static sqlite3_stmt *bound(struct sql *sql, const char *text, const char *types, va_list ap)
{
	sqlite3_stmt *statement = sql->failed ? NULL : find_statement(sql, text);

	for (int i = 1; statement && *types; i++, types++) {
		const struct sql_blob *blob;

		if (*types == 'i') {
			note(sql, sqlite3_bind_int64(statement, i, va_arg(ap, int64_t)));
		} else if (*types == 'b') {
			blob = va_arg(ap, const struct sql_blob *);
			note(sql, sqlite3_bind_blob64(statement, i, blob->bytes, blob->size,
			                              SQLITE_STATIC));
		} else {
			note(sql, sqlite3_bind_text(statement, i, va_arg(ap, const char *), -1,
			                            SQLITE_STATIC));
		}
	}
	return sql->failed ? NULL : statement;
}

sqlite3_stmt *sql_query(struct sql *sql, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list ap;

	va_start(ap, types);
	statement = bound(sql, text, types, ap);
	va_end(ap);
	return statement;
}

bool sql_row(struct sql *sql, sqlite3_stmt *statement)
{
	int rc = sql->failed ? SQLITE_DONE : sqlite3_step(statement);

	note(sql, rc);
	if (rc != SQLITE_ROW && statement)
		sqlite3_reset(statement);
	return rc == SQLITE_ROW;
}

char *sql_text(struct sql *sql, struct arena *a, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	if (!text && sqlite3_column_type(row, column) == SQLITE_NULL)
		return NULL;
	text = text ? utf8_clean(a, text, strlen(text)) : NULL;
	if (!text)
		sql_no_memory(sql);
	return (char *)text;
}

int64_t sql_between(struct sql *sql, sqlite3_stmt *row, int column, int64_t least, int64_t most)
{
	int64_t number = sqlite3_column_int64(row, column);

	if (number >= least && number <= most)
		return number;
	sql_damaged(sql);
	return least;
}

void sql_run(struct sql *sql, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list ap;

	va_start(ap, types);
	statement = bound(sql, text, types, ap);
	va_end(ap);
	while (sql_row(sql, statement))
		;
}

int64_t sql_number(struct sql *sql, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	int64_t number = 0;
	va_list ap;

	va_start(ap, types);
	statement = bound(sql, text, types, ap);
	va_end(ap);
	if (sql_row(sql, statement))
		number = sqlite3_column_int64(statement, 0);
	if (statement)
		sqlite3_reset(statement);
	return number;
}

/* ---- the transaction --------------------------------------------------------------- */

void sql_begin(struct sql *sql)
{
	execute(sql, "BEGIN IMMEDIATE");
}

void sql_flush(struct sql *sql)
{
	if (!sql->failed)
		note(sql, sqlite3_db_cacheflush(sql->handle));
}

void sql_commit(struct sql *sql)
{
	execute(sql, "COMMIT");
}

void sql_rollback(struct sql *sql)
{
	if (sql->handle && !sqlite3_get_autocommit(sql->handle))
		sqlite3_exec(sql->handle, "ROLLBACK", NULL, NULL, NULL);
}
