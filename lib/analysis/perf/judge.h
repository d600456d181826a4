/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PERF_JUDGE_H
#define PERF_JUDGE_H

/*
 * Who is to blame for results that are too low, in steps; each step looks only at what those
 * before have left open.  doc/perf.md has the reasons.
 *
 * ways.c: where hosts are, which way results went, who shared it; levels.c: what is low;
 * repeats.c: what was measured more than once; blame.c: cables and hosts; baseline.c: what was
 * better once; untested.c: what was not measured; retest.c: what to measure next
 */
#include <ibcheck/perfresult.h>
#include <ibcheck/routes.h>

struct arena;
struct perf_thing;

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

/* struct judge_way - of a result: num steps from the first on */
struct judge_way {
	uint32_t first, num;
};

/*
 * struct perf_judge - @out comes first
 * @things: that any result went over
 * @steps: their numbers, way by way
 */
struct perf_judge {
	struct ibc_perf_judgement out;
	struct arena *arena;
	struct ibc_perf_judge_opts opts;
	struct ibc_perf_verdict *v;
	struct judge_end *ends;
	uint32_t num_hosts;
	struct judge_way *ways;
	struct perf_thing *things;
	size_t num_things, things_room;
	uint32_t *steps;
	size_t num_steps, steps_room;
	struct ibc_perf_group *groups;
	struct ibc_perf_link *links;
	size_t links_room;
	struct ibc_perf_host *hosts;
	size_t hosts_room;
	struct ibc_perf_retest *retests;
	size_t num_retests, retests_room;
	bool failed;
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

/* ways.c */
void judge_places(struct perf_judge *j);
void judge_ways(struct perf_judge *j);
void judge_shares(struct perf_judge *j);
#define WAY_MAX (3 * (IBC_HOPS_MAX + 1)) /* directions, cables and switches of a way */
/* What data from one end to another go over: so many; 0: not known. */
size_t judge_way_between(const struct judge_end *from, const struct judge_end *to,
                         struct perf_thing out[WAY_MAX]);
/* levels.c */
void judge_expected(struct perf_judge *j);
void judge_levels(struct perf_judge *j);
void judge_shared(struct perf_judge *j);
/* repeats.c */
void judge_repeats(struct perf_judge *j);
void judge_unstable(struct perf_judge *j);
/* By pair and test, then in their order: of n results that were measured. */
uint32_t *judge_by_pair(struct perf_judge *j, size_t *n);
bool judge_is_pair(const struct ibc_perf_verdict *a, const struct ibc_perf_verdict *z);
/* blame.c */
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

#define LIKE_MIN 4 /* of fewer results no median tells what is usual */
/* levels.c: by test, what it measures, directions and memory. */
int judge_by_test(const struct ibc_perf_result *a, const struct ibc_perf_result *z);
double judge_expected_of(const struct ibc_perf_results *r, const struct ibc_perf_result *result);
bool judge_is_measured(const struct ibc_perf_verdict *v);
/* Is it measured, and judged, and low, and nothing is known that explains it? */
bool judge_is_open(const struct ibc_perf_verdict *v);
/* Share of what could be, or of the median; of latency of the median, by its inverse. */
double judge_ratio(const struct ibc_perf_verdict *v);

#endif
