/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * perfresults.c: what was measured, as it is gathered; perffile.c: what files have of it;
 * perfplan.c: what plans have
 */
#include <setjmp.h>

#include <ibcheck/perfresult.h>

struct arena;
struct perf_name;
struct text_file;

/*
 * struct perf_results - @public comes first
 * @escape: while a file is read: where the arena leaves to, and those below, without memory
 * @ends, @tests, @plans, and @rounds with the number of their plan: by name
 */
struct perf_results {
	struct ibc_perf_results public;
	struct arena *arena;
	struct ibc_perf_end *all_ends;
	struct ibc_perf_result *all_results;
	const char **all_flaws;
	size_t ends_room, results_room, flaws_room;
	struct perf_name *ends, *tests, *plans, *rounds;
	jmp_buf escape;
};

/* The same text, for as long as the results live. */
const char *perf_test_of(struct perf_results *r, const char *test);
/* Such texts that came from others, made fit to be shown. */
const char *perf_clean(struct perf_results *r, const char *text);
/* Is it the first plan that a result of this round named? */
bool perf_is_plan_of(struct perf_results *r, unsigned int round, const char *plan);
void perf_add(struct perf_results *r, const struct ibc_perf_result *result);
void perf_flaw(struct perf_results *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define PERF_ROUND_MAX 1000000 /* more rounds than any plan has */
/* The ends of a result: rail "2-3" is two of one host; false: a name is missing, or a rail too
 * long. */
bool perf_set_ends(struct perf_results *r, struct ibc_perf_result *result, const char *server,
                   const char *client, const char *rail);

/* ibc_perf_results_read() of a file that is open; 0 or -ENOMEM */
int read_perf(struct text_file *f, struct ibc_perf_results *results, struct ibc_error *err);
/* ibc_perf_results_expect(), likewise */
int read_perf_plan(struct text_file *f, struct ibc_perf_results *results, struct ibc_error *err);
