/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

/* From bytes to hosts: lines.c cuts streams into labels, draft.c reads reports, hosts.c joins them.
 */
#include <ibcheck/fleet.h>

#include "base/jsonpush.h"
#include "fleet/pool.h"

/*
 * struct ibc_fleet - what was read
 * @texts: of values and findings; @keys: "table", NUL, "thing", NUL, "what"
 * @checks: that ran on any of the hosts
 * @reports: as they ended
 * @launcher: the first line of srun, pdsh or clush itself
 */
struct ibc_fleet {
	struct arena *arena;
	struct pool texts, keys, checks;
	struct ibc_fleet_report **reports;
	size_t num_reports, room_reports;
	struct ibc_fleet_host *hosts;
	size_t num_hosts, room_hosts;
	struct ibc_fleet_opts opts;
	time_t newest;
	const char *launcher;
	size_t launcher_lines;
};

#define CELLS_MAX 16 /* of a row that are kept; a table of draft.c has 14 */
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

/*
 * struct draft - a report while it arrives
 * @at: by depth, which member is read, as draft.c has them; -1: nobody wants it
 * @too_many: facts or findings, for struct ibc_fleet_report
 * @head: numbers of texts by HEAD_...; @row: of the cells of the row that is read
 */
struct draft {
	struct ibc_fleet *fleet;
	signed char at[5];
	uint32_t head[HEADS], row[CELLS_MAX];
	struct ibc_fleet_finding finding, *findings;
	struct ibc_fleet_fact *facts;
	size_t num_findings, room_findings, num_facts, room_facts;
	bool too_many;
	uint64_t adapters, ran[IBC_FLEET_CHECKS / 64];
};

/* ---- draft.c ---------------------------------------------------------------------------- */

/* For struct json_push. */
int draft_take(void *draft, enum json_event event, unsigned int depth, const char *text,
               size_t length);
/*
 * Makes it a report of the fleet, and empties it.  @trouble: why it is not whole, or NULL.
 * @label, @source: as a report has them.
 */
int draft_end(struct draft *draft, const char *label, const char *source, const char *trouble);
void draft_free(struct draft *draft);

/* ---- lines.c ---------------------------------------------------------------------------- */

struct feed;

/* Reports that arrive as @name, a file or "standard input"; @label: for lines without; or NULL. */
struct feed *feed_new(struct ibc_fleet *fleet, const char *name, const char *label);
/* The next bytes; 0, or -ENOMEM. */
int feed_bytes(struct feed *feed, const char *bytes, size_t n);
int feed_end(struct feed *feed);
void feed_free(struct feed *feed);

/* ---- hosts.c ---------------------------------------------------------------------------- */

/* Empty, to be freed with ibc_fleet_free(); NULL: no memory. */
struct ibc_fleet *fleet_new(const struct ibc_fleet_opts *opts);
/* From the reports to hosts; 0, or -ENOMEM. */
int fleet_join(struct ibc_fleet *fleet);
/*
 * Whether all that it tells is known: a damaged report tells nothing, and of what one with too many
 * facts lacks nobody knows whether the host does.  fleet.report names both.
 */
bool fleet_reported_well(const struct ibc_fleet_host *host);

#endif
