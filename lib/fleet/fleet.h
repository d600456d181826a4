/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From bytes to hosts: lines.c cuts streams into labels, draft.c reads reports, hosts.c joins them.
 * All of it lives in one arena, which leaves by @escape when there is no memory; what else is open
 * by then is in the fleet, and goes with it.
 */
#include <setjmp.h>

#include <ibcheck/fleet.h>

#include "base/jsonpush.h"
#include "fleet/facts.h"
#include "fleet/pool.h"

/* What is kept of a report as a whole. */
enum {
	HEAD_SCHEMA,
	HEAD_VERDICT,
	HEAD_TOOL,
	HEAD_VERSION,
	HEAD_TIME,
	HEAD_HOST,
	HEAD_DESCRIBED,
	HEAD_COMMAND,
	HEAD_COMPLETE,
	HEAD_SKIPPED,
	HEAD_RAN,
	HEADS
};

/* Cells of a row: two that name what it is about, the value in the table "facts", and columns. */
enum { CELL_THING, CELL_MORE, CELL_VALUE, CELL_COLUMNS, CELLS = CELL_COLUMNS + COLUMNS_MAX };

/*
 * struct draft - a report while it arrives
 * @made: the one that was made before it;  @spare: another one that is free
 * @at: by depth, which member is read, as draft.c has them; -1: it is skipped
 * @too_many: facts or findings, for struct ibc_fleet_report
 * @head: numbers of texts by HEAD_...; @row: of the cells of the row that is read
 */
struct draft {
	struct ibc_fleet *fleet;
	struct draft *made, *spare;
	struct json_push push;
	signed char at[5];
	uint32_t head[HEADS], row[CELLS];
	struct ibc_fleet_finding finding, *findings;
	struct ibc_fleet_fact *facts;
	size_t num_findings, room_findings, num_facts, room_facts;
	bool too_many;
	uint64_t adapters, ran[IBC_FLEET_CHECKS / 64];
};

#define REST_MAX 4096 /* bytes of a line that has not ended: its label is in them */

/*
 * struct feed - a file, or standard input: several labels, or none
 * @labels: @streams has that of each number; that of number 0 takes lines without label
 * @line: the number of the one that is read; @rest: its beginning, until it is whole
 * @in_line: it has begun, and what follows is of the stream @now; NULL: of none
 */
struct feed {
	const char *name;
	struct pool labels;
	struct stream **streams, *now;
	size_t num, room;
	enum { UNDECIDED, PLAIN, LABELLED } form;
	unsigned long line;
	bool in_line;
	char rest[REST_MAX];
	size_t num_rest;
};

/*
 * struct ibc_fleet - what was read
 * @texts: of values and findings; @keys: "table", NUL, "thing", NUL, "what"
 * @checks: that ran on any of the hosts
 * @reports: as they ended
 * @launcher: the first line of srun, pdsh or clush itself
 * @drafts: all that were made;  @spare: the first one that is free
 * @fd: the file that is read, or -1;  @files: of the directory that is read
 */
struct ibc_fleet {
	jmp_buf escape;
	struct arena *arena;
	struct pool texts, keys, checks;
	struct ibc_fleet_report **reports;
	size_t num_reports, room_reports;
	struct ibc_fleet_host *hosts;
	size_t num_hosts;
	struct ibc_fleet_opts opts;
	time_t newest;
	const char *launcher;
	size_t launcher_lines;
	struct draft *drafts, *spare;
	struct feed feed;
	int fd;
	struct dirent **files;
	int num_files;
};

/* ---- draft.c ---------------------------------------------------------------------------- */

/* An empty one. */
struct draft *draft_new(struct ibc_fleet *fleet);
/*
 * Makes it a report of the fleet, and a draft that is free.  @trouble: why it is not whole, or
 * NULL.  @label, @source: as a report has them.
 */
void draft_end(struct draft *draft, const char *label, const char *source, const char *trouble);

/* ---- lines.c ---------------------------------------------------------------------------- */

/* Reports that arrive as @name, a file or "standard input"; @label: for lines without; or NULL. */
void feed_begin(struct ibc_fleet *fleet, const char *name, const char *label);
void feed_bytes(struct ibc_fleet *fleet, const char *bytes, size_t n);
void feed_end(struct ibc_fleet *fleet);

/* ---- hosts.c ---------------------------------------------------------------------------- */

/* Empty, to be freed with ibc_fleet_free(); NULL: no memory.  The caller sets its escape. */
struct ibc_fleet *fleet_new(const struct ibc_fleet_opts *opts);
/* From the reports to hosts. */
void fleet_join(struct ibc_fleet *fleet);
/*
 * Whether all that it reports is known: a damaged report contains nothing, and of what one with too
 * many facts lacks it is not known whether the host does.  fleet.report names both.
 */
bool fleet_reported_well(const struct ibc_fleet_host *host);
