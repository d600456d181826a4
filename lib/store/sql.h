/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_SQL_H
#define STORE_SQL_H

/*
 * sql.c: the history, a database of SQLite.  The first failure sticks: every call after it
 * does nothing, and sql_failure() tells of it.  All statements are prepared.
 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/error.h>

struct arena;

#define SQL_STATEMENTS 64 /* more than there are */

/* struct sql_blob - bytes that stay while the statement runs */
struct sql_blob {
	const void *bytes;
	size_t size;
};

/* @version: of its schema; 0: it is empty */
struct sql {
	sqlite3 *handle;
	const char *path;
	int64_t version;
	/* prepared once, found again by the address of their text */
	struct {
		const char *text;
		sqlite3_stmt *statement;
	} cached[SQL_STATEMENTS];
	int failed; /* of SQLite, or SQLITE_OK */
};

/* An empty one if it is not there; -EUCLEAN: it is damaged; -EPROTO: of a newer version. */
int sql_open(struct sql *sql, const char *path, struct ibc_error *err);
/* Did an older version write it? */
bool sql_is_old(const struct sql *sql);
/* All of it into another file, which is empty or not there. */
void sql_copy(struct sql *sql, const char *path);
/* Makes the schema of this version of what is older, or empty. */
void sql_upgrade(struct sql *sql);
/* To read only, also where nothing may be written, and what an older version wrote. */
int sql_open_reader(struct sql *sql, const char *path, struct ibc_error *err);
void sql_close(struct sql *sql);

/*
 * A statement with its values bound: 'i' int64_t, 't' text that stays while it runs, or NULL,
 * 'b' struct sql_blob *.  NULL after a failure.  @sql: a literal.
 */
sqlite3_stmt *sql_query(struct sql *sql, const char *text, const char *types, ...);
/* The next row of it, or false. */
bool sql_row(struct sql *sql, sqlite3_stmt *statement);
/* A copy of a text in it; NULL: there is none, or no memory. */
char *sql_text(struct arena *a, sqlite3_stmt *row, int column);
/* sql_query(), and all its steps. */
void sql_run(struct sql *sql, const char *text, const char *types, ...);
/* The first column of its first row, or 0. */
int64_t sql_number(struct sql *sql, const char *text, const char *types, ...);

void sql_begin(struct sql *sql);
/* Puts on the disk what was changed so far, so that a full one is known before the end. */
void sql_flush(struct sql *sql);
void sql_commit(struct sql *sql);
void sql_rollback(struct sql *sql);
/* Memory ran out elsewhere: nothing of the transaction counts. */
void sql_no_memory(struct sql *sql);
/* What was read cannot be: as if SQLite had found a damaged page. */
void sql_damaged(struct sql *sql);
/* 0, or negative errno with a sentence. */
int sql_failure(const struct sql *sql, struct ibc_error *err);

#endif
