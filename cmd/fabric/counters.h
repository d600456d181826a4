/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <ibcheck/counters.h>

#include "cmd.h"

struct counters_cfg {
	const char *since, *clear, *svg, *metrics, *ports, *jobs;
	unsigned int top;
	bool totals, vl, down;
};

/*
 * samples.c: sweeps, and finds the earlier sweep to compare with: app->fabric, app->before,
 * unless that is what the state has.
 */
int samples_take(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err);
/* Once the checks have reported it: then tables show totals rather than nothing. */
void samples_forget_misfit(struct app *app);

/*
 * clear.c: reads the counters into app->before, sets them to 0, sweeps again into
 * app->fabric, and says what was lost and what was not cleared
 */
int clear_run(struct app *app, const struct counters_cfg *cfg, struct ibc_error *err);

/*
 * links.c: the table of links that counted something bad since the sweep @before, or
 * in their lives if that is NULL; worst first, at most @top of them, 0: all; with app->shown.down
 * of those that are down
 */
extern const struct ibc_table_type links_type;
int links_table(struct app *app, const struct ibc_fabric *now, const struct ibc_fabric *before,
                size_t top, struct ibc_error *err);

/* Waiting for less than this share of the time is no news. */
#define WAIT_PERCENT 1

/*
 * struct link_end - what one end of a link counted since the sweep @before, or in its life;
 * @errors: their sum; @wait, @util: percent; negative: not known
 */
struct link_end {
	const struct ibc_port *port;
	struct ibc_delta delta;
	uint64_t errors;
	double wait, util;
};
struct link_end link_end_of(const struct ibc_windows *windows, const struct ibc_fabric *before,
                            const struct ibc_port *port);
/* By those counters only that are @wanted, a set of 1 << enum ibc_counter. */
struct link_end link_end_among(const struct ibc_fabric *before, const struct ibc_port *port,
                               uint32_t wanted);
/* "PortRcvErrors 12, SymbolErrorCounter >=65535" into the cell: what is not 0 */
void link_end_text(const struct link_end *end, struct ibc_cell *cell);

/*
 * congestion.c: of the windows of the run, if there were any: the roots of congestion, at most
 * @top, 0: all; the jobs of --jobs whose hosts wait, if it was given; waiting tier by tier, and
 * what is not known of it
 */
extern const struct ibc_table_type congestion_type, congested_jobs_type, wait_tiers_type,
    wait_gaps_type;
int congestion_tables(struct app *app, size_t top, struct ibc_error *err);
/*
 * Reads the file of --jobs into app->jobs, before anybody waits for the windows; NULL: nothing.  A
 * pipe can be read but once.
 */
/* ibc_jobs_read(), and reports what was skipped. */
int app_jobs_read(const char *file, struct ibc_jobs **out, struct ibc_error *err);
int congestion_read_jobs(struct app *app, const char *file, struct ibc_error *err);

/* vls.c: the table of virtual lanes that waited, since @before or in their lives */
extern const struct ibc_table_type vls_type;
void lanes_table(struct app *app, const struct ibc_fabric *now, const struct ibc_fabric *before);

/*
 * counters_table.c: adds what programs want of a sweep that counted: every port with its counters,
 * every node, and, if there is an earlier sweep, what each port counted since.  They are metrics,
 * too, by the names of the usual exporter of fabrics; text does not show them.
 * @before: or NULL
 */
extern const struct ibc_table_type nodes_type, counters_type, deltas_type;
/* What is written of it: @no_data: without rates and counters of data; @switches: of these only */
struct counters_choice {
	bool no_data, switches;
};
void counters_tables(struct app *app, const struct ibc_fabric *before,
                     const struct counters_choice *choice);
/* Only what each port counted since. */
void deltas_table(struct app *app, const struct ibc_fabric *before,
                  const struct counters_choice *choice);
/* The same of one port, without its node. */
void counters_of_port(struct app *app, const struct ibc_port *p, const struct ibc_fabric *before);
