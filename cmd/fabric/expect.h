/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* plan.c: a fabric held against the topology that is expected, for topo and for all. */
#include "cmd.h"

/*
 * Reads the plan, each file a subnet of it, sweeps, compares, and runs the checks.  The
 * plan comes first, so that a bad file is reported before anything is asked.
 */
int expect_run(struct app *app, const char *const *files, size_t n, struct ibc_error *err);

/* all.c: what all runs, with the files of --expect, or none. */
int all_sweep(struct app *app, const struct str_list *expect, bool routes, struct ibc_error *err);

/* The table of what to do; text shows a screen of it, unless asked for all. */
extern const struct ibc_table_type plan_type;
int plan_table(struct app *app, struct ibc_error *err);
/* The same as a work order, for a spreadsheet: not for stdout, where the report goes. */
int plan_refuse_stdout(const char *path, struct ibc_error *err);
int plan_write(const struct app *app, const char *path, struct ibc_error *err);
