/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_PERFRESULT_H
#define IBCHECK_PERFRESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

#pragma GCC visibility push(default)

/**
 * DOC: measurements between hosts
 *
 * What perftest measured between pairs of hosts, and what is made of it: which host, which
 * cable or which switch is to blame, and what stays open.
 */

/* ---- what was measured -------------------------------------------------------------- */

/**
 * struct ibc_perf_end - a host's port on one rail, where measurements begin and end
 * @rail: "0"; of a measurement without rails ""
 * @device: "mlx5_0/1"; NULL: not known
 * @rate_gbps, @pcie_gbps: of the port, and of the PCIe link behind it; 0: not known
 * @reported: the host itself has printed something, and is not only named by others
 */
struct ibc_perf_end {
	const char *host, *rail, *device;
	double rate_gbps, pcie_gbps;
	bool reported;
};

enum ibc_perf_status {
	IBC_PERF_MEASURED,
	IBC_PERF_NO_PARTNER, /* the server did not answer */
	IBC_PERF_SETUP,      /* it could not begin */
	IBC_PERF_FAILED,     /* it broke off */
	IBC_PERF_UNREAD,     /* what was printed is cut off, or has no number that can be used */
	IBC_PERF_LOOPBACK,   /* one HCA with itself: no cable takes part */
	IBC_PERF_ABSENT,     /* of the plan, and nothing was printed */
};
const struct ibc_word *ibc_perf_status_word(enum ibc_perf_status status);

/**
 * struct ibc_perf_result - one measurement
 * @round: from 1; those of one round ran at once
 * @server, @client: ends, by their number
 * @test: "ib_write_bw", or ""; the same pointer for the same text
 * @latency: @value is in microseconds, else in Gb/s
 * @both_ways: @value is the sum of both directions
 * @gpu: from and to the memory of a GPU
 * @by_server: the server's side of it, which has no value
 * @value: 0 unless it was measured
 * @clients: of the server at the same time; 0 and 1: this one alone
 * @hops: switches on its way, from a baseline; 0: not known
 * @why: what it printed when it failed, or why it cannot be read; or NULL
 */
struct ibc_perf_result {
	unsigned int round, clients, hops;
	uint32_t server, client;
	const char *test;
	bool latency, both_ways, gpu, by_server;
	enum ibc_perf_status status;
	double value;
	const char *why;
};

/* struct ibc_perf_results - of all files; @flaws: sentences on what could not be read, whole */
struct ibc_perf_results {
	const struct ibc_perf_end *ends;
	const struct ibc_perf_result *all;
	const char *const *flaws;
	size_t num_ends, num, num_flaws;
};

int ibc_perf_results_new(struct ibc_perf_results **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_perf_results_free(struct ibc_perf_results *results);

/**
 * ibc_perf_results_read() - add what a file has, or all files of a directory
 * @path: what ibcheck-perf-run printed, with or without the labels of srun, pdsh or clush; or
 *	CSV with the headings round,a,b,rail,value,unit (a sends to b), recognised by content
 *
 * What is not understood becomes a flaw, or a result that was not read.
 *
 * Return: 0, -ENOMEM, or what the system said.
 */
int ibc_perf_results_read(struct ibc_perf_results *results, const char *path,
                          struct ibc_error *err);

/**
 * ibc_perf_results_expect() - add IBC_PERF_ABSENT for tests of a plan without a result
 * @path: lines ROUND SERVER CLIENT RAIL
 *
 * Return: 0; -EINVAL, with file and line; -ENOMEM; what the system said.
 */
int ibc_perf_results_expect(struct ibc_perf_results *results, const char *path,
                            struct ibc_error *err);

/* ---- what is made of it --------------------------------------------------------------- */

enum ibc_perf_level {
	IBC_PERF_UNJUDGED, /* not measured, or there is nothing to compare with */
	IBC_PERF_GOOD,
	IBC_PERF_LOW,  /* a warning */
	IBC_PERF_POOR, /* critical */
};

/* Why a result is not good; the first that holds. */
enum ibc_perf_cause {
	IBC_PERF_NO_CAUSE,
	IBC_PERF_BY_HOST,    /* one of its hosts is blamed */
	IBC_PERF_BY_LINK,    /* a cable or a switch on its way is */
	IBC_PERF_SHARED,     /* as its way was shared in its round, it could not be more */
	IBC_PERF_CONGESTION, /* the same pair is good in a round with fewer others */
	IBC_PERF_UNSTABLE,   /* the same pair differs from time to time */
	IBC_PERF_UNDECIDED,  /* these measurements do not separate the suspects */
};
const struct ibc_word *ibc_perf_cause_word(enum ibc_perf_cause cause);

/**
 * struct ibc_perf_judge_opts - from how much on something is worth reporting; numbers are percent
 * @low, @poor: below what the slower of port and PCIe can carry
 * @outlier: below the median of like results
 * @spread: of repeated results, between the best and the worst
 * @regression: worse than the baseline
 * @latency_us: microseconds
 * @fab: the fabric the hosts are in, or NULL: then no cable can be blamed
 * @baseline: earlier results, or NULL
 * @adaptive: routes are adaptive: the cables of a packet are unknown, and none is blamed
 * @gpu: all results are from and to memory of GPUs
 */
struct ibc_perf_judge_opts {
	double low, poor, outlier, spread, regression, latency_us;
	const struct ibc_fabric *fab;
	const struct ibc_perf_results *baseline;
	bool adaptive, gpu;
};

/**
 * struct ibc_perf_verdict - what is made of one result
 * @expected: Gb/s that the slower of port and PCIe carries, both directions if both were used;
 *	0: not known
 * @median: of the results that are like it: test, directions, @expected, of latency @hops
 * @hops: so many switches are on its way; 0: not known
 * @share: of a way that others used in the same round: Gb/s that are left; 0: all
 */
struct ibc_perf_verdict {
	const struct ibc_perf_result *result;
	enum ibc_perf_level level;
	enum ibc_perf_cause cause;
	double expected, median, share;
	unsigned int hops;
};

/**
 * struct ibc_perf_group - results that are like each other
 * @slow: the median itself is below the limits: then it is no fault of one host
 * @before: median of the baseline, if all is worse than that by more than is allowed; else 0
 */
struct ibc_perf_group {
	const struct ibc_perf_verdict *example;
	size_t num;
	double median, before;
	enum ibc_perf_level slow;
};

/**
 * struct ibc_perf_host - a host that is blamed, or was not tested
 * @ends: of it that are meant, and @all: they are all that were measured
 * @level: of what it reached with its best partner, @best, instead of @expected (0: not known)
 * @before: what it reached in the baseline; 0: that is not the matter
 * @results: so many, with partners that are proven good
 * @leaf: of the first end, or NULL
 * @status: of what was not tested, and @why it was not, or NULL
 */
struct ibc_perf_host {
	const char *host;
	const struct ibc_perf_end *const *ends;
	size_t num_ends, results;
	bool all, latency;
	enum ibc_perf_level level;
	double best, expected, median, before;
	const struct ibc_node *leaf;
	enum ibc_perf_status status;
	const char *why;
};

/**
 * struct ibc_perf_link - a cable or a switch that is blamed
 * @node: the switch, or NULL
 * @port: where what is slow leaves, or NULL
 * @others: other cables that the same results would fit, ended by NULL
 * @results: so many bad ones went over it, and no good one; @best of them, of @expected
 * @hosts: all hosts of the switch are slow, as far as they were tested: so many; else 0
 */
struct ibc_perf_link {
	const struct ibc_node *node;
	const struct ibc_port *port;
	const struct ibc_port *const *others;
	size_t num_others, results, hosts;
	double best, expected;
	enum ibc_perf_level level;
};

/**
 * struct ibc_perf_pair - two hosts
 * @verdict: of the worst of their results
 * @worst, @best: of repeated ones
 * @before: of the baseline, or 0
 * @results: how many
 */
struct ibc_perf_pair {
	const struct ibc_perf_verdict *verdict;
	double worst, best, before;
	size_t results;
};

/**
 * struct ibc_perf_judgement - all of it
 * @verdicts: of each result, in their order
 * @hosts: blamed; @untested: not measured at all; @worse: worse than in the baseline; @unproven:
 *	neither good nor blamed, as others shared their way each time
 * @slow_pairs: undecided; @unstable; @worse_pairs; @gaps: pairs that were not measured, of hosts
 *	that were with others
 * @measured: so many results, and @all_hosts: hosts in them and in what was not measured
 * @congested, @shared: so many results are low for these causes
 * @suspects: undecided results, and hosts that are blamed or not tested
 * @leaves: by end: the leaf it is below, or NULL
 * @uncompared: so many ends, of this test, are not in the baseline, where there is one
 * @unplaced: so many ends are not in the fabric, where there is one
 */
struct ibc_perf_judgement {
	const struct ibc_perf_results *results;
	const struct ibc_perf_verdict *verdicts;
	const struct ibc_perf_group *groups;
	const struct ibc_perf_host *hosts, *untested, *worse, *unproven;
	const struct ibc_perf_link *links;
	const struct ibc_node *const *leaves;
	const struct ibc_perf_pair *slow_pairs, *unstable, *worse_pairs, *gaps;
	size_t num_groups, num_hosts, num_untested, num_worse, num_unproven, num_links;
	size_t num_slow_pairs, num_unstable, num_worse_pairs, num_gaps;
	size_t measured, all_hosts, congested, shared, unplaced, uncompared;
	bool adaptive, has_routes;
};

/**
 * ibc_perf_judge() - find out who is to blame
 * @out: borrows from @results and the fabric; to be freed with ibc_perf_judgement_free()
 *
 * O(results * (log results + hops)), and for each cable that is blamed O(results * hops) more.
 *
 * Return: 0 or -ENOMEM.
 */
int ibc_perf_judge(const struct ibc_perf_results *results, const struct ibc_perf_judge_opts *opts,
                   struct ibc_perf_judgement **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_perf_judgement_free(struct ibc_perf_judgement *judgement);

/* struct ibc_perf_retest - one line of the next plan */
struct ibc_perf_retest {
	unsigned int round;
	const struct ibc_perf_end *server, *client;
};
/**
 * ibc_perf_retests() - what to measure next, of a judgement
 * @n: how many
 *
 * Each suspect with a host that is proven good, on the same leaf if there is one; pairs of good
 * hosts that were slow once more, and where it is not known which cable of several it is, pairs
 * of good hosts over each of them.  Rounds follow the last one.
 *
 * Return: borrowed from the judgement; NULL with *n = 0.
 */
const struct ibc_perf_retest *ibc_perf_retests(const struct ibc_perf_judgement *judgement,
                                               size_t *n);

#pragma GCC visibility pop

#endif
