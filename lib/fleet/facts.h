/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What hosts are compared by: of all that they report, the rows of one table, in facts.c. */
#include <ibcheck/fleet.h>

/*
 * struct fleet_fact - a fact that hosts of a kind share
 * @key: in a policy; @name: in a sentence; @unit: behind its value, or ""
 * @table, @thing, @what: as in struct ibc_fleet_key; a @thing that ends with "*" begins so
 * @command: that reports it
 * @words: what a policy can demand, FACT_NUMBER for a number; NULL, FACT_VERSION: any text
 * @may_lack: a host that lacks it is an outlier if it listed its modules; else that is not known
 */
struct fleet_fact {
	const char *key, *name, *unit, *table, *thing, *what, *command, *words;
	bool may_lack;
};

#define FACT_NUMBER  "#"
#define FACT_VERSION "version" /* of two the one with the higher numbers is the newer */
#define FACTS_MAX    64        /* rows: a set of them is a word of 64 bits */

#define COLUMNS_MAX                                                                                \
	40 /* that are kept of the tables of reports: two dozen facts, and what a check            \
	      or cabling.c reads */

/* The number of a column that is kept, below COLUMNS_MAX; -1: it is not. */
int fleet_column_of(const char *table, const char *what);
/* Its key. */
const char *fleet_column(size_t number);

/* NULL past the last one. */
const struct fleet_fact *fleet_fact_at(size_t row);
/* The row of a key of a report; -1: hosts are not compared by it. */
int fleet_fact_of(struct ibc_fleet_key key);
/* The row of this name, of @n bytes; -1: none. */
int fleet_fact_named(const char *name, size_t n);
/* Equal, as numbers if both are: "400" and "400.0". */
bool fleet_values_equal(const char *a, const char *z);
