/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/sql.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

#define WAIT_MS 1000 /* for a reader that is about to close; nobody else writes */

/*
 * The n-th makes schema n (PRAGMA user_version) of the one before it: all of them a new
 * history, the last ones one of an older ibcheck.  Times are seconds since 1970; severities
 * those of enum ibc_severity.
 */
static const char *const schemas[] = {
	/* which sweep counts: the number of the run that left it */
	"CREATE TABLE fabric(sweep INTEGER NOT NULL);"
	"INSERT INTO fabric VALUES(0);"
	"CREATE TABLE run(id INTEGER PRIMARY KEY, begun INTEGER NOT NULL, command TEXT NOT NULL,"
	" verdict INTEGER NOT NULL, incidents INTEGER NOT NULL, complete INTEGER NOT NULL);"
	/*
	 * One a root finding, closed or not.  hidden: part of another case since this run, or 0;
	 * unseen: not looked at since this run, or 0
	 */
	"CREATE TABLE incident(id INTEGER PRIMARY KEY, check_id TEXT NOT NULL, thing TEXT NOT NULL,"
	" name TEXT NOT NULL, severity INTEGER NOT NULL, opened INTEGER NOT NULL,"
	" last_seen INTEGER NOT NULL, closed INTEGER, opens INTEGER NOT NULL,"
	" message TEXT NOT NULL, advice TEXT, known INTEGER NOT NULL, case_id TEXT NOT NULL, "
	"hidden INTEGER NOT NULL,"
	" unseen INTEGER NOT NULL);"
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
	"PRAGMA user_version = 1;",
	/*
	 * settling: runs that have seen it since it opened, while it is not told of yet; else 0.
	 * pending: what changed in a run, as a JSON report that no hook has got yet
	 */
	"ALTER TABLE incident ADD COLUMN settling INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE pending(run INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
	" report TEXT NOT NULL);"
	"PRAGMA user_version = 2;",
	/* see traffic.c; hours: set of 1 << hour of the day in which ports were read */
	"CREATE TABLE traffic(day INTEGER PRIMARY KEY, hours INTEGER NOT NULL, wait BLOB NOT NULL,"
	" xmit BLOB NOT NULL, rcv BLOB NOT NULL);"
	"PRAGMA user_version = 3;",
};
#define SCHEMA ((int64_t)ARRAY_SIZE(schemas))

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
	{ SQLITE_CORRUPT, -EUCLEAN }, { SQLITE_NOTADB, -EUCLEAN },  { SQLITE_FULL, -ENOSPC },
	{ SQLITE_NOMEM, -ENOMEM },    { SQLITE_READONLY, -EACCES }, { SQLITE_CANTOPEN, -EACCES },
	{ SQLITE_PERM, -EACCES },     { SQLITE_BUSY, -EBUSY },      { SQLITE_LOCKED, -EBUSY },
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

static int open_handle(struct sql *sql, const char *path, const char *name, int flags)
{
	*sql = (struct sql){ .path = path };
	note(sql, sqlite3_open_v2(name, &sql->handle, flags | SQLITE_OPEN_NOMUTEX, NULL));
	if (!sql->failed)
		note(sql, sqlite3_busy_timeout(sql->handle, WAIT_MS));
	return sql->failed;
}

static int verify_version(struct sql *sql, struct ibc_error *err)
{
	sql->version = sql_number(sql, "PRAGMA user_version", "");
	if (sql->failed || sql->version <= SCHEMA)
		return sql_failure(sql, err);
	return fail(err, -EPROTO, "%s: schema %lld; this is ibcheck %s, which knows schema %lld",
	            sql->path, (long long)sql->version, IBC_VERSION, (long long)SCHEMA);
}

int sql_open(struct sql *sql, const char *path, struct ibc_error *err)
{
	open_handle(sql, path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	execute(sql, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
	return verify_version(sql, err);
}

bool sql_is_old(const struct sql *sql)
{
	return sql->version && sql->version < SCHEMA;
}

void sql_copy(struct sql *sql, const char *path)
{
	sql_run(sql, "VACUUM INTO ?", "t", path);
}

void sql_upgrade(struct sql *sql)
{
	if (sql->version == SCHEMA)
		return;
	sql_begin(sql);
	while (sql->version < SCHEMA)
		execute(sql, schemas[sql->version++]);
	sql_commit(sql);
}

/* The name of a file that nobody changes; characters that end a path in a URI are quoted. */
static void immutable_name(const char *path, char *name, size_t size)
{
	FILE *out = fmemopen(name, size, "w");

	*name = '\0';
	if (!out)
		return;
	fputs("file:", out);
	for (; *path; path++)
		fprintf(out, strchr("%?#", *path) ? "%%%02X" : "%c", (unsigned char)*path);
	fputs("?immutable=1", out);
	fclose(out);
}

/* Without the right to write, a reader cannot make the file that it shares with writers. */
int sql_open_reader(struct sql *sql, const char *path, struct ibc_error *err)
{
	char name[3 * PATH_MAX];
	int rc;

	open_handle(sql, path, path, SQLITE_OPEN_READONLY);
	execute(sql, "PRAGMA mmap_size = 1000000000"); /* several years: it is read once */
	rc = verify_version(sql, err);
	if ((sql->failed & 0xff) == SQLITE_CANTOPEN || (sql->failed & 0xff) == SQLITE_READONLY) {
		sql_close(sql);
		immutable_name(path, name, sizeof(name));
		open_handle(sql, path, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
		rc = verify_version(sql, err);
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

static void bind_blob(struct sql *sql, sqlite3_stmt *statement, int i, const struct sql_blob *blob)
{
	note(sql, sqlite3_bind_blob64(statement, i, blob->bytes, blob->size, SQLITE_STATIC));
}

static void bind(struct sql *sql, sqlite3_stmt *statement, const char *types, va_list ap)
{
	for (int i = 1; *types; i++, types++) {
		if (*types == 'i')
			note(sql, sqlite3_bind_int64(statement, i, va_arg(ap, int64_t)));
		else if (*types == 'b')
			bind_blob(sql, statement, i, va_arg(ap, const struct sql_blob *));
		else
			note(sql, sqlite3_bind_text(statement, i, va_arg(ap, const char *), -1,
			                            SQLITE_STATIC));
	}
}

static sqlite3_stmt *bound(struct sql *sql, const char *text, const char *types, va_list ap)
{
	sqlite3_stmt *statement = sql->failed ? NULL : find_statement(sql, text);

	if (statement)
		bind(sql, statement, types, ap);
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

char *sql_text(struct arena *a, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? arena_strdup(a, text) : NULL;
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
