/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* "watch": rounds of "all", what happened from one to the next, and how links do. */
#include <pthread.h>

#include <ibcheck/events.h>

#include "again.h"

struct watch_cfg {
	struct all_cfg all;
	double interval_seconds;
	unsigned int count;
};

/* ---- watch_log.c: what happened ------------------------------------------------------- */

/* Beside those of enum ibc_event_kind. */
enum watch_kind {
	WATCH_START,
	WATCH_CASE_NEW,
	WATCH_CASE_WORSE,
	WATCH_CASE_GONE,
	WATCH_QUIET, /* a link came up, and has counted no error for QUIET_SECONDS */
	WATCH_FAILED,
	WATCH_RESUMED,
	WATCH_SLOWER,
	WATCH_FASTER,
	WATCH_SETTINGS,
};

/*
 * struct happening - one thing, as it is added; all borrowed
 * @event: of two sweeps; @c: of two reports; or NULL
 * @text: a sentence
 * @wrong: a link was better before
 */
struct happening {
	const struct ibc_word *kind;
	const struct ibc_event *event;
	const struct ibc_case *c;
	const char *text;
	bool wrong;
};

/* struct spot - a port, whatever sweep it is in; @guid 0: none */
struct spot {
	uint64_t guid;
	unsigned int num;
};

/*
 * struct entry - a line of the log
 * @near, @far: the port that it is about, and the other end of the cable
 * @young: a link that came up at @since, of clock_seconds(), and has been up from then on
 * @ends: what the error counters of both ends came to when they were read first since then
 * @errors: how much they rose; @unread: those of one end were not read in the last round
 * @before: of a link that went down, @near to @far: what it was, with @gbps; else NULL
 */
struct entry {
	time_t when;
	char *text;
	struct spot near, far;
	enum ibc_severity severity;
	bool young, unread, quiet;
	double since;
	struct counted {
		bool known;
		uint64_t errors;
	} ends[2];
	uint64_t errors;
	char *before;
	double gbps;
};

/* struct log - the last things that happened, of @n in a ring */
#define LOG_ENTRIES 1000 /* some screens; a day of a quiet fabric */
struct log {
	struct entry entries[LOG_ENTRIES];
	size_t n;
};

/* ---- watch_rates.c: how links do --------------------------------------------------------- */

/*
 * struct rate - a cable, or a port without one
 * @near, @far: its ends in the last round; @far: NULL: none
 * @was: the far end in the round that counters are compared with, if there is none now; or NULL
 * @seconds: between the last two rounds; 0: not known
 * @per_second: errors of both ends, between the last two rounds; @wait, @util: percent, of the
 *	end with most of it; negative: not known
 * @errors, @flaps: since the round that counters are compared with
 */
struct rate {
	const struct ibc_port *near, *far, *was;
	double seconds, per_second, wait, util;
	uint64_t errors, flaps;
};

struct rates {
	struct rate *rows;
	size_t n, room;
};

/*
 * struct watch - all of it
 * @lock: who reads rounds, log or rates of another thread than that which sweeps
 * @cfg, @thing: as the configuration has them now, under @lock; @thing: what is looked at, as it
 *	was called; NULL: the whole fabric
 * @spots: of it in the last round that has it; @thing_lost: since when none has; 0: it is there
 * @out: for lines; NULL: a screen is open
 * @turns: rounds so far; @rounds: so many of them succeeded; @failure: why the last one did not, or
 * ""
 * @interval: until the next one, as it was last said; @frozen: there is none for now
 */
struct watch {
	struct app *app;
	const struct watch_cfg *cfg;
	struct again *again;
	pthread_mutex_t lock;
	const char *thing;
	struct spot *spots;
	size_t num_spots;
	time_t thing_lost;
	struct out *out;
	bool json;
	struct log log;
	struct rates rates;
	unsigned int turns, rounds;
	struct ibc_error failure;
	double interval;
	atomic_bool frozen;
};

/* ---- watch_rounds.c --------------------------------------------------------------------- */

extern atomic_bool watch_stop, watch_reload;
/* What was asked for, and what the configuration says of it. */
void watch_settle(struct watch *watch, const struct app *settings);
/* One round, and all that is learned of it; false: it failed, watch->failure. */
bool watch_round(struct watch *watch);
/* Waits until the next one is due; false: it is time to end. */
bool watch_wait(struct watch *watch);

/* watch_view.c: shows a screen until a person, or a signal, ends it; -ENOTTY: it cannot. */
int watch_show(struct watch *watch, struct ibc_error *err);

/* ---- watch_log.c, watch_rates.c ------------------------------------------------------------ */

/* Is it this port that is looked at, or one of this node?  Of the whole fabric always. */
bool watch_wants(const struct watch *watch, struct spot spot);
/* What happened from the round before to the last one. */
int log_round(struct watch *watch, struct ibc_error *err);
/* An event of the program itself, in words. */
void log_say(struct watch *watch, enum watch_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The i-th entry, the newest first; NULL past the last one. */
const struct entry *log_entry(const struct log *log, size_t i);
/* Its text, and how long a link that came up is without errors: into buf. */
#define ENTRY_TEXT (2 * IBC_EVENT_TEXT) /* and what it was before, ", no errors for 3600 s" */
const char *entry_text(const struct entry *entry, char buf[ENTRY_TEXT]);
void log_free(struct log *log);

/* A time of today, by the clock on the wall. */
#define CLOCK_TEXT 16
const char *clock_text(time_t when, char text[CLOCK_TEXT]);

/* Of the last round: all cables, or the ports of what is looked at. */
int rates_fill(struct watch *watch, struct ibc_error *err);

static inline bool same_spot(struct spot a, struct spot b)
{
	return a.guid == b.guid && a.num == b.num;
}

static inline struct spot spot_of(const struct ibc_port *port)
{
	return port ? (struct spot){ port->node->guid, port->num } : (struct spot){ 0 };
}
