/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_FLEET_H
#define IBCHECK_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <ibcheck/error.h>
#include <ibcheck/hostlist.h>
#include <ibcheck/report.h>

#pragma GCC visibility push(default)

/**
 * DOC: many hosts
 *
 * A fleet is the JSON reports of the commands host, ipoib and roce of many hosts, as files or as
 * the labelled lines of srun, pdsh, clush or flux.  What is wrong with one report is kept with
 * it, and spoils no other.  Texts are kept once, so that what hosts have in common costs nothing.
 */
struct ibc_fleet;
struct ibc_policy;

/**
 * struct ibc_fleet_opts - what a fleet is read for
 * @expected: hosts that shall be there, or NULL; outlives the fleet
 * @now: what is dated more than IBC_FLEET_CLOCK_SECONDS later has a wrong clock; 0: nothing has
 * @max_age_seconds: a report that is so much older than the newest is stale; 0: none is
 * @policy: what facts must be, or NULL; outlives the fleet
 * @group: facts that hosts have in common which are compared, "psid,rate"; "" all are; NULL: as
 *	IBC_FLEET_GROUP
 */
struct ibc_fleet_opts {
	const struct ibc_hostlist *expected;
	time_t now;
	unsigned int max_age_seconds;
	const struct ibc_policy *policy;
	const char *group;
};
#define IBC_FLEET_GROUP "psid,rate"

#define IBC_FLEET_CLOCK_SECONDS 300 /* clocks of a site differ by less, as Kerberos wants it */

/* struct ibc_fleet_fact - numbers for ibc_fleet_key() and ibc_fleet_text() */
struct ibc_fleet_fact {
	uint32_t key, value;
};

/**
 * struct ibc_fleet_key - what a fact is about
 * @table: of the report: "host_ports", "facts"
 * @thing: its row: "mlx5_0/1"; of the table "facts" the subject
 * @what: the column: "firmware"; of the table "facts" the key
 */
struct ibc_fleet_key {
	const char *table, *thing, *what;
};

/**
 * struct ibc_fleet_finding - what a host says of itself
 * @check, @kind, @thing, @message, @advice: numbers for ibc_fleet_text(); @kind and @thing: of its
 *	subject; 0: none; @fact_kind: likewise its fact "kind"
 * @known: the host's file of known faults covers it: it does not count
 */
struct ibc_fleet_finding {
	uint32_t check, kind, thing, message, advice, fact_kind;
	enum ibc_severity severity;
	bool known;
};

#define IBC_FLEET_CHECKS                                                                           \
	256 /* different ones that reports name; there are less than half as many */

/*
 * Of a report: what hosts are compared by, and findings.  A hypervisor with 8 adapters of 16
 * virtual functions each, and 8 GPUs, has 7,500 facts.
 */
#define IBC_FLEET_FACTS 8192

/**
 * struct ibc_fleet_report - one report, or what came in its place
 * @label: of its lines, or the name of its file without suffix; NULL: none
 * @source: where it was: its label, "FILE", or "FILE, line 17"
 * @described: the host it describes, as it is written there; "" unknown
 * @command: "host", "ipoib", "roce"; @version: of ibcheck
 * @time: when it was made; 0: not known
 * @verdict: as the host says
 * @gap: why the host could not check all, or ""
 * @trouble: why it is no report, a sentence without its subject; NULL: it is one
 * @superseded: by a newer one of the same command and host
 * @too_many: it has more than IBC_FLEET_FACTS facts or findings: of its findings the first ones
 *	are kept, and no fact
 * @adapters: a hash of the node GUIDs of its adapters; 0: none are known
 * @ran: a bit for each check, for ibc_fleet_ran()
 * @findings, @facts: by key
 */
struct ibc_fleet_report {
	const char *label, *source, *described, *command, *version, *gap, *trouble;
	time_t time;
	enum ibc_severity verdict;
	bool superseded, too_many;
	uint64_t adapters, ran[IBC_FLEET_CHECKS / 64];
	const struct ibc_fleet_finding *findings;
	const struct ibc_fleet_fact *facts;
	size_t num_findings, num_facts;
};

/**
 * struct ibc_fleet_host - one host
 * @name: as it describes itself, without its domain unless there are two that differ by that;
 *	where it does not say, its label
 * @is_name: false: @name only says where its report was
 * @alias: a label that is another name than @name, or NULL
 * @reports: by command, then the newest first; none: it is missing, unless @came_as
 * @verdict: the worst of those that count: critical > unknown > warning > ok
 * @expected: it is among those that shall be there
 * @came_as: it has no report, but its label came with one of that name; or NULL
 * @time: of its oldest report that counts; 0: not known
 */
struct ibc_fleet_host {
	const char *name, *alias, *came_as;
	const struct ibc_fleet_report *const *reports;
	size_t num_reports;
	enum ibc_severity verdict;
	bool expected, is_name;
	time_t time;
};

/**
 * ibc_fleet_load() - read reports
 * @paths: files, directories, whose files are read, and "-" for standard input
 * @out: to be freed with ibc_fleet_free()
 *
 * Return: 0; -ENOENT, -EACCES ... a path cannot be read; -ENODATA there is no report at all;
 * -ENOMEM.
 */
int ibc_fleet_load(const char *const *paths, size_t n, const struct ibc_fleet_opts *opts,
                   struct ibc_fleet **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_fleet_free(struct ibc_fleet *fleet);

/* In the order of strverscmp(3) of their names, n2 before n10; NULL past the last one. */
const struct ibc_fleet_host *ibc_fleet_host(const struct ibc_fleet *fleet, size_t i);
/* By name, or NULL. */
const struct ibc_fleet_host *ibc_fleet_find(const struct ibc_fleet *fleet, const char *name);
/*
 * Did the check run, or the kind "cable.alarm:bias", as a report of the host that counts says?
 * NULL: on any host.
 */
bool ibc_fleet_ran(const struct ibc_fleet *fleet, const struct ibc_fleet_host *host,
                   const char *check);
/* By the number of a fact or of a finding; "" for 0. */
const char *ibc_fleet_text(const struct ibc_fleet *fleet, uint32_t number);
struct ibc_fleet_key ibc_fleet_key(const struct ibc_fleet *fleet, uint32_t key);
/* One more than the greatest number of a key. */
size_t ibc_fleet_num_keys(const struct ibc_fleet *fleet);
/* When the newest report was made, but for those of wrong clocks; 0: not known. */
time_t ibc_fleet_time(const struct ibc_fleet *fleet);
/* What it was read for. */
const struct ibc_fleet_opts *ibc_fleet_opts_of(const struct ibc_fleet *fleet);
/* Lines of srun, pdsh or clush itself: how many; @first: the first, or NULL. */
size_t ibc_fleet_launcher_lines(const struct ibc_fleet *fleet, const char **first);

/* ---- what must be ---------------------------------------------------------------------------- */

int ibc_policy_new(struct ibc_policy **out, struct ibc_error *err);
void ibc_policy_free(struct ibc_policy *policy);
/**
 * ibc_policy_set() - one line of a policy
 * @section: which hosts or adapters: "all", "host login*", "psid MT_0000000838"
 * @key: a fact: "firmware"; @value: what it must be: one or several with commas, or patterns
 *
 * Return: 0; -ENOMEM; -EINVAL with a sentence that names what is wrong, without file and line.
 */
int ibc_policy_set(struct ibc_policy *policy, const char *section, const char *key,
                   const char *value, struct ibc_error *err);
/* 0, or -EINVAL naming the word that hosts cannot be grouped by. */
int ibc_fleet_group_verify(const char *group, struct ibc_error *err);
#pragma GCC visibility pop

#endif
