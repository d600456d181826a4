/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * sql.c: the history, a database of SQLite.  The first failure sticks: every call after it
 * does nothing, and sql_failure() has it.  All statements are prepared.
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

/*
 * @path: for messages
 * @version: of its schema; 0: it is empty
 * @size: of the file when it was opened; @steps: of SQLite's machine since then
 */
struct sql {
	sqlite3 *handle;
	const char *path;
	int64_t version, size, steps;
	/* prepared once, found again by the address of their text */
	struct {
		const char *text;
		sqlite3_stmt *statement;
	} cached[SQL_STATEMENTS];
	int failed; /* of SQLite, or SQLITE_OK */
};

/*
 * The history in @dir, which stays open meanwhile: an empty one if it is not there; -EUCLEAN: it
 * is damaged, others put something beside it, or no release wrote it; -EPROTO: of a newer version.
 */
int sql_open(struct sql *sql, int dir, const char *path, struct ibc_error *err);
/* Makes the tables of what is empty, and those that an older version lacks. */
void sql_make(struct sql *sql);
/* To read only, also where nothing may be written. */
int sql_open_reader(struct sql *sql, int dir, const char *path, struct ibc_error *err);
void sql_close(struct sql *sql);

/*
 * A statement with its values bound: 'i' int64_t, 't' text that stays while it runs, or NULL,
 * 'b' struct sql_blob *.  NULL after a failure.  @sql: a literal.
 */
sqlite3_stmt *sql_query(struct sql *sql, const char *text, const char *types, ...);
/* The next row of it, or false. */
bool sql_row(struct sql *sql, sqlite3_stmt *statement);
/* A copy of a text in it, as utf8_clean() has it; NULL: there is none, or no memory, which sticks.
 */
char *sql_text(struct sql *sql, struct arena *a, sqlite3_stmt *row, int column);
/* A number in it; another one is damage, and @least. */
int64_t sql_between(struct sql *sql, sqlite3_stmt *row, int column, int64_t least, int64_t most);
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

/*
 * confined.c: what opens the files of STORE_HISTORY in a directory that is open, and no others.
 * The name of a VFS of SQLite, and what the history is called there.
 */
#define CONFINED_PATH 64
const char *confined_vfs(void);
void confined_path(char path[CONFINED_PATH], int dir);
