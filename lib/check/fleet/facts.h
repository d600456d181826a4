/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Hosts with the facts that they are compared by, in facts.c, and facts that are
 * not as they ought to be, in deviation.c.
 */
#include <ibcheck/fleet.h>

#include "check/sink.h"
#include "fleet/policy.h"

#define GROUP_PARTS 4 /* facts of a group that count: two are the default */
#define FACT_NONE   0 /* struct compared.slot_of: hosts are not compared by it */

/*
 * struct compared_host - a host of which a report counts
 * @facts: that hosts are compared by, by key
 * @part: what it is grouped by, "" where it is not known
 * @next: of @facts, while outlier.c compares them in the order of their keys
 * @most: by row of the table of facts: what compared_value() found, from 1; 0: not looked for yet
 * @listed: its modules: what it has no fact of, it lacks
 */
struct compared_host {
	const struct ibc_fleet_host *host;
	const struct ibc_fleet_fact *facts;
	size_t num, next;
	uint32_t *most;
	const char *part[GROUP_PARTS];
	bool listed;
};

/* struct fact_slot - a key that hosts are compared by, and its row of the table of facts */
struct fact_slot {
	uint32_t key;
	int row;
};

/*
 * struct compared - the hosts of a fleet
 * @slot_of: by number of key: its slot, or FACT_NONE
 * @slots: from 1
 */
struct compared {
	struct ibc_sink *out;
	const struct ibc_fleet *fleet;
	uint32_t *slot_of;
	struct fact_slot *slots;
	size_t num_slots, num_parts, num;
	struct compared_host *hosts;
};

/* In the memory of the check; hosts in the order of their names. */
void compared_gather(struct ibc_sink *out, const struct ibc_fleet *fleet, struct compared *c);
/* The value that most of its things have; "" none is known.  Of a host of compared_gather(). */
const char *compared_value(const struct compared *c, const struct compared_host *h, int row);
/* The rule of the policy for a fact of this thing, or of the host as a whole ("");  NULL: none. */
const struct policy_rule *demanding_rule(const struct compared *c, const struct compared_host *h,
                                         int row, const char *thing);
/* Is any of the hosts, or of their adapters, in the section of a rule?  By name also one that is
 * missing or that was not compared. */
bool compared_selects(const struct compared *c, const struct policy_rule *rule);

/*
 * struct deviation - a fact that is not as it ought to be
 * @host: the number of its host
 * @value, @usual: it is, and ought to be; "" none
 * @count, @of: so many hosts of so many have the usual value; 0: a policy demands it
 */
struct deviation {
	size_t host, count, of;
	int row;
	const char *thing, *value, *usual;
};

/* struct deviations - in no order */
struct deviations {
	struct deviation *list;
	size_t num, room;
};
void deviation_add(const struct compared *c, struct deviations *all, struct deviation one);
/* One finding for each set of hosts with the same deviations; it sorts them. */
void deviations_report(const struct compared *c, struct deviations *all);
/* "firmware", " 28.39 Gb/s": a value as people read it; "none" */
const char *fact_value_text(struct ibc_sink *out, int row, const char *value);
