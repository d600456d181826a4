/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* An acceptance that can be stopped, and gone on with: accept_file.c. */
#include <time.h>

#include "cmd.h"

/* struct acceptance_gap - time that was not watched, by the clock on the wall, and why */
struct acceptance_gap {
	time_t from, until;
	char why[160]; /* a line of the file has 200 at most */
};

/*
 * struct acceptance - what is known of it; the numbers are those of the file DIR/acceptance,
 *	which is replaced as a whole after each sweep
 * @file: its path; @dir: what belongs to this one alone; @first: its first sweep, in there
 * @held: what keeps another run away; -1: nothing
 * @begun, @last: when it began, and its last sweep, by the clock on the wall
 * @asked, @watched, @lost: seconds: those of --for, those between sweeps that succeeded, and those
 *	between others
 * @plan: of the files of --expect: acceptance_plan()
 * @samples, @failed: sweeps
 * @physical: 1: there are devices that answer for the physical layer
 * @paused: seconds in which it did not run
 * @resumed: this run goes on with an earlier one
 */
struct acceptance {
	char *file, *dir, *first;
	int held;
	double begun, last, asked, watched, lost, paused, plan, samples, failed, physical;
	struct acceptance_gap *gaps;
	size_t num_gaps;
	bool resumed;
};

/*
 * Takes up what @state has of an unfinished acceptance, or is about to begin one; makes @state if
 * it is not there.
 * @a: asked and plan are set: they must be those it began with
 * @restart: nothing is taken up
 */
int acceptance_open(struct acceptance *a, const char *state, bool restart, struct ibc_error *err);
int acceptance_save(const struct acceptance *a, struct ibc_error *err);
/* Adds the time since @a->last, which becomes @until; the last gap grows if it is one with it. */
int acceptance_add_gap(struct acceptance *a, time_t until, const char *why, struct ibc_error *err);
/* It is over: what it found stays, and the next one starts from nothing. */
int acceptance_end(const struct acceptance *a, struct ibc_error *err);
void acceptance_free(struct app *app); /* of app->own */

/* What is accepted: a hash of the bytes of the files, in their order, and of the selection. */
int acceptance_plan(const struct str_list *files, const struct ibc_check_set *checks, double *plan,
                    struct ibc_error *err);

/*
 * Sweeps.  Of a new one, keeps it in a->first, and finds out whether the physical layer answers; of
 * one that goes on, whether it is the same fabric.
 */
int acceptance_sweep(struct app *app, struct ibc_error *err);
/* That sweep again; @first: to be freed with ibc_fabric_free(). */
int acceptance_load(const struct app *app, struct ibc_fabric **first, struct ibc_error *err);
