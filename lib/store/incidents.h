/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_INCIDENTS_H
#define STORE_INCIDENTS_H

/* Between incidents.c and casestate.c: one run as it is recorded. */
#include <stdint.h>

#include <ibcheck/check.h>

#include "base/hash.h"
#include "store/sql.h"

/*
 * struct incident - a row of the history
 * @key: check and thing
 * @hidden, @unseen: the run since which it is so, or 0
 * @settling: runs that have seen it while nobody has been told of it; 0: it has been told of
 * @state: what became of it in this run
 * @present: this run found it
 */
struct incident {
	UT_hash_handle hh;
	const char *key, *check, *thing, *name, *message, *case_id;
	int64_t id, opened, opens, hidden, unseen, settling;
	enum ibc_severity severity;
	enum ibc_case_state state;
	bool closed, present, known;
};

/*
 * struct recording - one run
 * @sql: the history; @run: its number there
 * @known: incidents by key
 * @states, @settling: of the case that is being seen: how many of its incidents are in each
 *	state, and how many runs have seen the oldest of those that are not settled
 */
struct recording {
	struct ibc_store *store;
	struct sql *sql;
	int64_t run;
	const struct ibc_input *in;
	const struct ibc_fabric *before;
	const struct ibc_check *(*find_check)(const char *id);
	struct ibc_report *rep;
	struct incident *known;
	bool failed;
	unsigned int states[IBC_CASE_UNSETTLED + 1];
	int64_t settling;
};

/* casestate.c: what a case is, from what the incidents of its members are; @i may be NULL. */
void case_adds(struct recording *r, struct ibc_case *c, size_t finding, const struct incident *i);
void case_settles(struct recording *r, struct ibc_case *c);
/* The cases whose incidents have all ended in this run. */
void case_gone(struct recording *r);

#endif
