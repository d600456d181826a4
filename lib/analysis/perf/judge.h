/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who is to blame for results that are too low, in steps; each step looks only at what those
 * before have left open.  doc/perf.md has the reasons.  All memory is that of an arena with an
 * escape.
 *
 * paths.c: where hosts are, which route results took, who shared it; levels.c: what is low;
 * blame.c: repeated pairs, cables and hosts; baseline.c: what was better once; untested.c: what
 * was not measured; retest.c: what to measure next
 */
#include <ibcheck/perfresult.h>
#include <ibcheck/routes.h>

struct arena;

/*
 * struct judge_end - @host: number of its host; @good: has a good result of bandwidth, of latency
 * @blamed: likewise; @unproven: neither, of bandwidth
 */
struct judge_end {
	const struct ibc_perf_end *end;
	const struct ibc_port *port;
	const struct ibc_node *leaf;
	uint32_t host;
	bool good[2], blamed[2], measured, unproven;
};

/*
 * struct perf_thing - a switch, a cable, or one direction of it
 * @port: where data leave; of a cable one of its two; NULL: of a switch
 * @node: of the port; or the switch
 * @fails, @passes: results over it; @strong: those that fail between hosts that are good
 */
struct perf_thing {
	const struct ibc_port *port;
	const struct ibc_node *node;
	bool cable;
	uint32_t fails, passes, strong;
};

/* struct judge_path - of a result: @num steps from the first on */
struct judge_path {
	uint32_t first, num;
};

/*
 * struct perf_judge - @out comes first
 * @things: that any result went over
 * @steps: their numbers, path by path
 */
struct perf_judge {
	struct ibc_perf_judgement out;
	struct arena *arena;
	struct ibc_perf_judge_opts opts;
	struct ibc_perf_verdict *v;
	struct judge_end *ends;
	uint32_t num_hosts;
	struct judge_path *paths;
	struct perf_thing *things;
	size_t num_things, things_room;
	uint32_t *steps;
	struct ibc_perf_group *groups;
	struct ibc_perf_link *links;
	struct ibc_perf_host *hosts;
	size_t links_room, hosts_room;
	struct ibc_perf_retest *retests;
	size_t num_retests, retests_room;
};

/* paths.c */
void judge_places(struct perf_judge *j);
void judge_paths(struct perf_judge *j);
void judge_shares(struct perf_judge *j);
#define PATH_MAX_THINGS (3 * (IBC_HOPS_MAX + 1)) /* directions, cables and switches of a path */
/* What data from one end to another go over: so many; 0: not known. */
size_t judge_path_between(const struct judge_end *from, const struct judge_end *to,
                          struct perf_thing out[PATH_MAX_THINGS]);
/* levels.c */
void judge_levels(struct perf_judge *j);
/* blame.c */
void judge_repeats(struct perf_judge *j);
void judge_links(struct perf_judge *j);
void judge_hosts(struct perf_judge *j, bool latency);
void judge_pairs(struct perf_judge *j);
void judge_unproven(struct perf_judge *j);
/* baseline.c */
void judge_baseline(struct perf_judge *j);
/* untested.c */
void judge_untested(struct perf_judge *j);
/* retest.c */
void judge_retests(struct perf_judge *j);

#define LIKE_MIN 4 /* a median of fewer results is not the usual value */
/* levels.c: by test, what it measures, directions and memory. */
int judge_by_test(const struct ibc_perf_result *a, const struct ibc_perf_result *z);
double judge_expected_of(const struct ibc_perf_results *r, const struct ibc_perf_result *result);
bool judge_is_measured(const struct ibc_perf_result *r);
/* Is it measured, and judged, and low, and nothing is known that explains it? */
bool judge_is_open(const struct ibc_perf_verdict *v);
/* Of n values, which it sorts. */
double judge_median(double *values, size_t n);
