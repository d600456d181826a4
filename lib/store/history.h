/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Between read.c, past.c, series.c and top.c: what is read of the histories of a directory. */
#include <ibcheck/store.h>

#include "base/arena.h"
#include "store/store.h"

/*
 * struct past_fabric - beside it, by the number of a port in its history: the port
 * @places: of its last sweep: what the thing names, and the far ends of its cables
 */
struct past_fabric {
	struct ibc_past_fabric shown;
	struct past_fabric *next;
	struct ibc_fabric *sweep;
	struct ibc_past_port **ports;
	size_t room;
	struct ibc_place *places;
	size_t num_places, room_places;
};

#define HISTORY_LIST(type, name)                                                                   \
	struct type *name;                                                                         \
	size_t num_##name, room_##name

/*
 * struct ibc_history - without memory the arena leaves what is read of a fabric
 * @named: what ibc_fabric_find() returned, until it is kept elsewhere
 */
struct ibc_history {
	struct arena *arena;
	struct ibc_place *named;
	const struct ibc_history_opts *opts;
	struct past_fabric *fabrics, *last;
	struct sql sql;
	HISTORY_LIST(ibc_incident, incidents);
	HISTORY_LIST(ibc_happening, happenings);
	HISTORY_LIST(ibc_port_hour, hours);
	HISTORY_LIST(ibc_port_day, days);
	HISTORY_LIST(ibc_worn_cable, cables);
	HISTORY_LIST(ibc_waiting_port, waiting);
};

#define HISTORY_ADD(h, list, item)                                                                 \
	do {                                                                                       \
		arena_grow((h)->arena, &(h)->list, (h)->num_##list, &(h)->room_##list,             \
		           sizeof(*(h)->list));                                                    \
		(h)->list[(h)->num_##list++] = (item);                                             \
	} while (0)

/* ---- past.c ---- */

/* Is it what was asked for?  @case_id may be NULL. */
bool history_is_about(const struct ibc_history *h, const char *name, const char *thing,
                      const char *case_id);
/* Of the fabric that was opened last: its last sweep, as far as that is wanted and can be read. */
void history_sweep(struct ibc_history *h, int fd, const char *dir);
/* The port of a number; NULL: there is none. */
const struct ibc_past_port *history_port(struct ibc_history *h, int64_t id);
/* One with its name of today, if it is there, else @name. */
struct ibc_past_port *history_new_port(struct ibc_history *h, uint64_t guid, unsigned int num,
                                       const char *name);
/* The part of a day in which runs looked. */
double history_seconds(const struct past_fabric *fabric, time_t day);
/* The part of a time that a port waited; negative: its speed is not known. */
double history_wait_percent(const struct ibc_past_port *at, uint64_t ticks, double seconds);

/* struct delta_row - errors of a port in an hour */
struct delta_row {
	int64_t hour, port;
	unsigned int counter;
	struct ibc_amount amount;
};
sqlite3_stmt *history_deltas(struct ibc_history *h);
/* Skips counters that this program does not know. */
bool history_delta(struct ibc_history *h, sqlite3_stmt *row, struct delta_row *out);

/* ---- series.c ---- */

void history_series(struct ibc_history *h);

/* ---- top.c ---- */

void history_top(struct ibc_history *h);
