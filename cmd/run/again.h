/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * "all" again and again in this process.  One thread sweeps, others may read what the last
 * rounds found meanwhile:
 *
 *	sweeping:  again_sweep(), then with the readers kept out again_turn(), then wait
 *	           for again_pause(), in pieces that the stop interrupts
 *	reading:   again_now() and again_then(), while again_turn() is kept out
 *
 * To end: *stop, and join the sweeping thread.  A sweep notices within a tenth of a second; a
 * hook that runs is ended by a SIGTERM to the thread (pthread_kill()).
 */
#include "all.h"

/*
 * struct again_opts - how
 * @cmd: instead of cmd_all, like which it is; or NULL
 * @format: that the tables are for; NULL: text
 * @interval_seconds: from the beginning of a sweep to that of the next
 * @since_first: counters are compared with the first round, or that of @rebase, not
 *	with the one before; with --state they are compared with what is remembered
 * @steady: the interval stays what it is, whatever does not answer
 * @verify: refuses settings that cannot be used, before they replace others; or NULL
 * @stop: set from any thread or from a signal's handler
 */
struct again_opts {
	const struct cmd *cmd;
	const char *format;
	double interval_seconds;
	bool since_first, steady;
	int (*verify)(const struct app *settings, struct ibc_error *err);
	atomic_bool *stop;
};

/*
 * struct again
 * @settings: its options and settings, nothing of a run; until the next again_reload()
 * @rounds: the one that is swept, the last one, the one before it; without commands: none
 * @base: counters are compared with it: of one of the rounds, or kept of one that is gone
 * @rebase: the next round gives it; set it while again_turn() is kept out
 * @due: when the next sweep is
 * @interval: until the next sweep, from the beginning of the last one
 */
enum { NEXT, NOW, THEN, ROUNDS };
struct again {
	struct app settings;
	struct again_opts opts;
	struct app rounds[ROUNDS];
	struct ibc_fabric *base;
	bool rebase;
	double due, interval;
};

/* @settings: of the command that runs all: its options begin with a struct all_cfg; they outlive it
 */
int again_new(const struct app *settings, const struct again_opts *opts, struct again **out,
              struct ibc_error *err);
/* NULL has no effect. */
void again_free(struct again *again);

/*
 * One round, whole: report, cases, tables; in the state directory, and the hook has run.  What
 * readers see is not touched.  Fails as the run of a command does, and the next one may succeed;
 * -ECANCELED: it was stopped, and nothing was added to the state.
 */
int again_sweep(struct again *again, struct ibc_error *err);
/* The round of a successful again_sweep() is the last one now, and the one before that freed. */
void again_turn(struct again *again);
/*
 * The last round, with its fabric and report; the one before it.  NULL: there is none yet.  Their
 * common and config are empty.
 */
struct app *again_now(struct again *again);
struct app *again_then(struct again *again);
/* The last rounds are not read any more: keeps what the next one is compared with. */
void again_shrink(struct again *again);
/* The sweep that counters are compared with, unless --state has one; NULL: none yet. */
const struct ibc_fabric *again_base(const struct again *again);

/*
 * Seconds until the next sweep is due, from now; 0: at once.  Where many queries are not answered
 * in time, or no sweep succeeds, it takes longer, up to AGAIN_PATIENCE intervals.
 */
#define AGAIN_PATIENCE 8 /* a minute at most where every 8 s are asked for; a guess */
double again_pause(const struct again *again);
/* For the rounds to come, the next one as well: in the thread that sweeps. */
void again_set_interval(struct again *again, double seconds);

/*
 * Reads the configuration again, for the rounds to come: in the thread that sweeps.  A mistake in
 * it leaves all as it was.
 */
int again_reload(struct again *again, struct ibc_error *err);
