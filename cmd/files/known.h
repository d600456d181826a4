/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The command known: lines of the file of known faults, and of what was taken away. */
#include <time.h>

#include "cmd.h"

struct known_cfg {
	const char *until, *reason, *owner;
	double for_seconds;
	struct str_list expect;
	bool routes, unseen, gone, yes;
};

/* ---- known_case.c ---------------------------------------------------------------------- */

/* Is one the beginning of the other?  Reports show the first digits of an ID. */
bool same_id(const char *a, const char *z);
/* The text belongs to the app from here on.  NULL: -ENOMEM. */
int known_keep(struct app *app, struct str_list *list, char *text, struct ibc_error *err);
/*
 * The case of the ID as all finds it, with the lines that are there; with --state it is compared
 * with what is remembered, and nothing is recorded.
 */
int look_for_case(struct app *app, const char *path, const char *id, const struct ibc_case **out,
                  struct ibc_error *err);

/* ---- retire.c -------------------------------------------------------------------------- */

/*
 * struct missing_row - what is open of gone.*, by the state
 * @subject: as a line of the file names it
 */
struct missing_row {
	const char *subject, *check, *id;
	time_t since;
	bool local;
};

/* @rows: texts are those of app->file.strings */
struct missing {
	struct missing_row *rows;
	size_t n, room;
};

extern const struct ibc_table_type missing_type;

/* All that is missing, each thing once; -ENOENT: nothing is. */
int missing_find(struct app *app, struct missing *out, struct ibc_error *err);
/*
 * What an argument of "known retire" stands for: a name, a pattern, the names of a range, or what
 * an ID is about.
 */
int retire_find(struct app *app, const char *path, const char *arg, struct str_list *subjects,
                struct ibc_error *err);
