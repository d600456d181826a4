/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The command blame: what there is to go by, from files, a state directory and the batch system. */
#include <ibcheck/blame.h>
#include <ibcheck/joblog.h>

#include "cmd.h"

struct blame_cfg {
	const char *hosts, *at, *job, *sacct;
	struct str_list fleet;
};

/*
 * struct blame_work - all that an answer borrows from
 * @in, @blame: the question, and the answer
 * @past, @kept, @middle: of the state directory, its sweep of the time, and the last one before its
 * last; @before: the last before the lines
 * @aliases, @signs: of @in, as long as they grow; @text: what they point to
 * @first, @last: of the lines of faults
 * @bad_reports: of hosts, that could not be read
 */
struct blame_work {
	struct ibc_blame_input in;
	struct ibc_blame *blame;
	struct ibc_joblog *log;
	struct ibc_history *history;
	struct ibc_fabric *kept, *middle;
	const struct ibc_fabric *before;
	const struct ibc_past_fabric *past;
	struct ibc_fleet *fleet;
	struct ibc_hostlist *job_hosts;
	struct ibc_blame_alias *aliases;
	size_t num_aliases, room_aliases;
	struct ibc_blame_sign *signs;
	size_t num_signs, room_signs, bad_reports;
	struct str_list text;
	time_t first, last;
};

/* blame_names.c: the hosts of addresses, and the HCAs of hosts */
int blame_hosts(struct blame_work *w, const char *path, struct ibc_error *err);
int blame_fleet(struct blame_work *w, const struct str_list *paths, struct ibc_error *err);
/* "2026-03-03T12:11", with seconds or a Z if it is UTC; false: it is no time. */
bool blame_time(const char *text, time_t *out);

/* blame_job.c: the hosts and the time of a job, by the file, or by sacct(1) */
int blame_job(struct blame_work *w, const char *job, const char *file, struct ibc_error *err);

/* blame_past.c */
/* Reads the state directory: w->history, w->in.then.  0 also where it has no sweep. */
int blame_remember(struct app *app, struct blame_work *w, struct ibc_error *err);
/* What was seen at the time: of the history, and between w->in.then and w->in.now. */
int blame_signs(struct blame_work *w, struct ibc_error *err);
