/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a program of perftest prints, a line at a time. */
#include <stdbool.h>
#include <stdint.h>

#define PERFTEST_SAID 160 /* bytes of a line with the reason of a failure */

/*
 * struct perftest - begins as zeros
 * @found: there is a @value, in Gb/s or, of @latency, in microseconds
 * @unit: of JSON, which has none: "" unless the list of results gives it
 * @fault: why there is a number that cannot be used, or NULL
 * @said: the last line that is no part of a table
 *
 * The rest is for perftest_line().
 */
struct perftest {
	bool found, latency, both_ways, gpu;
	double value;
	char unit[16];
	const char *fault;
	char said[PERFTEST_SAID];

	unsigned int column; /* where the value stands in the table; 0: outside of one */
	double factor;       /* from the unit of the table to Gb/s */
	uint64_t bytes;      /* of the messages that value is of */
	bool of_table;
};

void perftest_line(struct perftest *p, const char *line);
/* A unit of bandwidth as perftest or people write it, to Gb/s; 0: it is none. */
double perftest_unit(const char *unit);
