/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a run of a command is: what it was asked for, what it found, what it shows. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <ibcheck/ibcheck.h>

#include "opts.h"

/* The common options. */
struct common {
	struct str_list sources, phy;
	const char *ca, *node_name_map, *format, *output, *config, *known, *root, *checks, *debug,
	    *record, *state, *key_files, *hook, *unhealthy;
	const char *table, *severity, *node, *sort;
	unsigned int port, timeout_ms;
	uint64_t m_key, vs_key;
	double deadline_seconds, reopen_seconds, retention_seconds, hook_seconds, interval_seconds;
	double forget_seconds;
	struct opt_span settle;
	unsigned int windows; /* of --count; 0: one */
	bool quiet, verbose, help, version, oneline, changes, physical, no_pager;
};

/*
 * struct out - stdout, or a file that appears whole or not at all; stays where it is
 * @file: to be written
 * @name: for messages
 * @dir: that it is in, @file_name there, and @temp until it is whole, then with @mode; NULL: none
 * @error: the first that a write met, or 0
 */
struct out {
	FILE *file;
	const char *name;
	char *file_name, *temp;
	int dir, fd, error;
	unsigned int mode;
};

/*
 * struct command_line - what a run was asked for
 * @words: all of it, for the report
 * @given, @given_own: which of the common options, and of the command's own, as in opt_set
 * @own: what these are
 */
struct command_line {
	const char *const *words;
	uint64_t given, given_own;
	const void *own;
};

/* struct config_file - @strings: values from it: owned; @lines: of it, for who asks where from */
struct config_file {
	struct str_list strings;
	struct config_line *lines;
	size_t num_lines;
};

/*
 * struct how - how a run sweeps and judges: set by its command before it sweeps
 * @earlier: of this process, to compare with: borrowed; or NULL
 * @following: how routes are followed
 * @tables, @paths: files instead of the fabric's tables and service levels, or NULL
 * @sm_key: for queries to subnet administration
 * @relevant: attributes whose silence counts, whatever the checks
 * @no_counters: nothing but a check would look at them
 * @physical: read the physical layer; --physical sets it, too
 * @keeps_routes: read forwarding tables as well, for the state to keep
 * @judges_tables: and others, where the source has them, without being asked to
 * @totals: judge lifetime totals; @spares_counters: a source without counters leaves no gap
 * @checks_file: lines of it that are not understood are critical
 * @down: counters of ports without a link that a sweep reads
 * @clear_only: @num_clear_only ports for app_clear(); NULL: all
 */
struct how {
	struct ibc_fabric *earlier;
	struct ibc_routes_opts following;
	const char *tables, *paths;
	uint64_t sm_key;
	struct ibc_attrs relevant;
	bool no_counters, physical, keeps_routes, judges_tables, totals, spares_counters;
	bool checks_file;
	struct ibc_down down;
	const struct ibc_place *clear_only;
	size_t num_clear_only;
};

/*
 * struct sweeps - those of a run
 * @begun: how many; @windows: what the table has of those between them
 * @linked: ports that had a link in the last one: of @down of struct how; or NULL
 * @recording: of --record, into @out once the first begins; @unrecorded: it could not be written
 */
struct sweeps {
	unsigned int begun;
	struct window_row *windows;
	size_t num_windows;
	struct ibc_port_id *linked;
	struct ibc_recording *recording;
	struct out out;
	bool unrecorded;
};

/*
 * struct memory - of --state, from app_remember() on
 * @asked: it was; @store: NULL before; @last: the sweep of the last run, or NULL
 * @retired: what was taken away on purpose
 * @newest: of files without a sweep: the time of the newest of them, or 0
 * @recorded: app_record(): the run is in the state, once it is committed
 * @looks_back: as one that records, but for that
 * @changes: what a hook is to get of this run, or NULL; @hook_failed: it did not
 */
struct memory {
	bool asked, recorded, looks_back, hook_failed;
	struct ibc_store *store;
	struct ibc_fabric *last;
	struct ibc_retired *retired;
	size_t num_retired;
	time_t newest;
	char *changes;
};

/*
 * struct shown - how the report looks
 * @aside: it is on stderr: the command's output is another; @list: that of --list, or NULL
 * @once: and then the run ends; @no_rows: of tables: none would be read
 * @down: ports without a link, too
 */
struct shown {
	char *list;
	bool aside, once, no_rows, down;
};

/*
 * struct app - one run of a command: what it is given, what it finds, what it shows
 *
 * By main.c before the command runs:
 * @asked: options common to all, of the command line
 * @args: what is left after the options; NULL-terminated
 *
 * By settings_read(), until settings_free():
 * @common, @cfg: what was asked, the command's own too, and what the file has beside it
 * @config: of the checks; a command may set more from its options
 * @trace: what --debug traces
 *
 * All that follows is of one run, until run_free().  By the command, before it sweeps:
 * @selection: the checks that run; @selects: the command runs some: app_select()
 * @stop: ends a sweep, and the run with -ECANCELED; or NULL
 * @jobs: of --jobs, that congestion costs time; or NULL
 *
 * What it finds; NULL where it is not there:
 * @fabric, @before, @planned: the sweep, an earlier one, and an expected topology
 * @windows: between the sweeps of this run
 * @host, @host_before: this host, and the same a window earlier
 * @own: of the command, which knows what is in it: own_size bytes, zero when it begins
 * @comparison: of the fabric with @before or @planned; @fattree: app_infer(); @routes: app_follow()
 * @slurm, @slurm_file: the tree that Slurm is to know, and the one that it has
 * @unhealthy: of --unhealthy
 *
 * What it shows:
 * @report: made empty before run(), filled by app_check() and tables(), then rendered
 * @headline: of @meta: app_say()
 * @places: of show its arguments, else of --node; @case_ids: likewise; @past_ids: those of them
 *	that the memory has
 * @undone: what was asked for was not done, as stderr says
 */
struct app {
	const struct cmd *const *commands;
	const struct cmd *cmd;
	struct common asked, common;
	struct command_line line;
	char **args;
	void *cfg;
	struct config_file file;
	struct ibc_config *config;
	struct ibc_trace trace;

	struct ibc_check_set selection;
	bool selects;
	atomic_bool *stop;
	struct how how;
	struct ibc_jobs *jobs;

	struct sweeps sweep;
	struct memory memory;
	struct ibc_fabric *fabric, *before, *planned;
	struct ibc_windows *windows;
	struct ibc_host *host, *host_before;
	void *own;
	struct ibc_comparison *comparison;
	struct ibc_fattree *fattree;
	struct ibc_routes *routes;
	struct ibc_slurm *slurm;
	struct ibc_slurm_file *slurm_file;
	struct ibc_opinions *unhealthy;

	struct ibc_report *report;
	struct ibc_report_meta meta;
	char *headline;
	struct ibc_place *places;
	size_t num_places;
	struct str_list case_ids, past_ids;
	struct shown shown;
	bool undone;
};
