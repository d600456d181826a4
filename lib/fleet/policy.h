/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a site demands of its hosts, in policy.c. */
#include "fleet/facts.h"

enum { SELECT_ALL = -1, SELECT_HOST = -2 };

/*
 * struct policy_rule - a fact, and what it must be
 * @row: of the table of facts
 * @selector: the row of the fact that says which hosts or adapters it is for, or SELECT_...
 * @section: as it is written: "psid MT_0000000838"; @pattern: the part of it for that fact
 * @values: alternatives, as they are written: "28.39.1002, 28.4*"
 */
struct policy_rule {
	int row, selector;
	const char *section, *pattern, *values;
};

/* @rows: a bit for each row that has a rule */
struct ibc_policy {
	struct arena *arena;
	struct policy_rule *rules;
	size_t num, room;
	uint64_t rows;
};

/* Is the value one of the alternatives?  "" is "none". */
bool policy_allows(const struct policy_rule *rule, const char *value);
