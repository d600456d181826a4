/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Between the files of the command history. */
#include <time.h>

#include <ibcheck/store.h>

#include "cmd.h"

/* history_values.c: people read the clock on the wall, programs that of UTC; 0 is no time */
struct ibc_value time_value(struct ibc_cell *cell, bool local, time_t when);
/* A day is one of UTC, whatever the clock on the wall says. */
struct ibc_value day_value(struct ibc_cell *cell, time_t when);
/* In text with ">=", where it is so; programs read at_least. */
struct ibc_value total_value(struct ibc_cell *cell, bool text, struct ibc_amount amount);
/* Of the port that the row begins with. */
ibc_getter past_fabric, past_guid, past_num, past_name;

/*
 * history.c: what is remembered of a case; @show: as tables.  -ENOENT: nothing, or there is no
 * --state; or as ibc_history_load()
 */
int history_find(struct app *app, const char *thing, bool show, struct ibc_error *err);
extern const struct ibc_table_type incidents_type, happenings_type;
void incidents_table(struct app *app, const struct ibc_history *h);

/* history_thing.c: what is at both ends of its cables, and what its ports counted over time */
extern const struct ibc_table_type counted_type, error_hours_type, traffic_days_type;
void hours_table(struct app *app, const struct ibc_history *h);
int thing_tables(struct app *app, const struct ibc_history *h, time_t since, struct ibc_error *err);

/* history_top.c: the cables that count errors, and the ports that wait */
extern const struct ibc_table_type worn_type, waiting_type;
void top_tables(struct app *app, const struct ibc_history *h);
