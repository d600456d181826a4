/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A large fabric in which a part of all answers is not true: GUIDs change between queries, ports
 * lead to nodes that there are not, tables are another switch's.  Whatever is told, every sweep
 * and every analysis of "all --routes" ends, with the memory that a fabric may have; and what
 * cannot be one subnet ends the sweep, and is named.
 *
 * LYING_RUNS: so many; LYING_FIRST: the first; LYING_TRACE: of that one, MADs are recorded into
 * this file, and nothing else is done.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <ibcheck/capture.h>
#include <ibcheck/case.h>
#include <ibcheck/check.h>
#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>

#include "mkrig.h"
#include "model/hostile.h"
#include "model/swept.h"
#include "source/capture.h"

#define SPEC   "synth:fattree:leaves=36,spines=18,hosts=18" /* 702 nodes */
#define KB_MAX (1 << 20)
/* as a sweep of the largest fabrics, and once more */
#define SENT_MAX 4000000
#define PARTS    20

static unsigned int number_of(const char *name, unsigned int otherwise)
{
	const char *value = getenv(name);

	return value ? (unsigned int)strtoul(value, NULL, 10) : otherwise;
}

/* From 0.2 to 100 % of the answers. */
static double part_of(unsigned int run)
{
	return 0.002 * pow(500, run % PARTS / (PARTS - 1.0));
}

static double seconds_and_memory(long *kb)
{
	struct rusage used;

	assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
	*kb = used.ru_maxrss;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* All checks, with all that the program would follow for them. */
static void judge(const struct ibc_fabric *fab)
{
	struct ibc_input in = { .fabric = fab, .totals = true };
	struct ibc_fattree *tree;
	struct ibc_routes *routes;
	struct ibc_report *rep;

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	assert_int_equal(ibc_routes_analyze(fab, NULL, &routes, NULL), 0);
	in.fattree = tree;
	in.routes = routes;
	assert_int_equal(ibc_report_new(&rep, NULL), 0);
	assert_int_equal(ibc_check_run(&in, NULL, rep, NULL), 0);
	assert_int_equal(ibc_report_finish(rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&in, ibc_check_find, rep, NULL), 0);
	ibc_report_free(rep);
	ibc_routes_free(routes);
	ibc_fattree_free(tree);
}

static struct line *lying_line(struct hostile *h)
{
	return line_new(
	    &(struct line_opts){ .rtt_ns = RTT_NS, .fate = hostile_fate, .whole = hostile_whole },
	    hostile_answer, h);
}

/* What was seen, or NULL and why. */
static struct ibc_fabric *see(struct hostile *h, struct ibc_error *err)
{
	struct ibc_source_opts how = IBC_SOURCE_OPTS_INIT;
	struct line *line = lying_line(h);
	struct ibc_fabric *fab = NULL;

	how.needs = ibc_check_needs(ibc_check_select(NULL, NULL));
	if (swept(line, &how, &fab, err))
		assert_string_not_equal(err->text, "");
	assert_true(line_counts(line)->sent < SENT_MAX);
	line_free(line);
	return fab;
}

static struct hostile liars_of(const struct ibc_fabric *real, unsigned int run)
{
	/* every other without switches where nobody is: else most end there */
	return (struct hostile){ .model = model_new(real, NULL),
		                 .real = real,
		                 .kinds = HOSTILE_ALL &
		                          ~(run & 1 ? HOSTILE_KIND(HOSTILE_INVENTED) : 0),
		                 .part = part_of(run / 2),
		                 .seed = run };
}

static void lie(const struct ibc_fabric *real, unsigned int run)
{
	struct hostile h = liars_of(real, run);
	struct ibc_error err = { "" };
	struct ibc_fabric *seen = see(&h, &err);
	size_t nodes = seen ? ibc_fabric_count(seen).nodes : 0;

	if (seen)
		judge(seen);
	ibc_fabric_free(seen);
	model_free(h.model);
	if (getenv("LYING_RUNS"))
		print_message("run %u: %.1f %%: %zu nodes %s\n", run, 100 * part_of(run / 2), nodes,
		              err.text);
}

static void a_fabric_that_lies_comes_to_an_end(void **state)
{
	unsigned int first = number_of("LYING_FIRST", 0), runs = number_of("LYING_RUNS", 40);
	struct ibc_fabric *real;
	double begun, longest = 0;
	long kb = 0;

	(void)state;
	if (getenv("LYING_TRACE"))
		return;
	real = swept_real(SPEC);
	for (unsigned int run = first; run < first + runs; run++) {
		begun = seconds_and_memory(&kb);
		lie(real, run);
		longest = fmax(longest, seconds_and_memory(&kb) - begun);
		assert_true(kb < KB_MAX);
	}
	print_message("the longest of %u runs took %.2f s; %ld MB at the most\n", runs, longest,
	              kb / 1024);
	ibc_fabric_free(real);
}

/* A spine that has another GUID whenever it is asked, and all that is true otherwise. */
static void a_port_that_leads_elsewhere_when_asked_again_is_named(void **state)
{
	struct ibc_fabric *real = swept_real(SPEC);
	struct hostile h = { .model = model_new(real, NULL),
		             .real = real,
		             .kinds = HOSTILE_KIND(HOSTILE_GUID),
		             .part = 0.02,
		             .seed = 1 };
	struct ibc_error err = { "" };

	(void)state;
	assert_null(see(&h, &err));
	assert_non_null(strstr(err.text, " led to 0x"));
	assert_non_null(strstr(err.text, "and when asked again to 0x"));
	model_free(h.model);
	ibc_fabric_free(real);
}

/* So few ports each that it is their number alone that cannot be. */
static void more_devices_than_lids_are_no_subnet(void **state)
{
	struct ibc_fabric *real = swept_real("synth:fattree:leaves=2,spines=1,hosts=1,radix=8");
	struct hostile h = { .model = model_new(real, NULL),
		             .real = real,
		             .kinds = HOSTILE_KIND(HOSTILE_INVENTED) | HOSTILE_KIND(HOSTILE_LINKED),
		             .part = 1,
		             .inventions = 4 };
	struct ibc_error err = { "" };

	(void)state;
	assert_null(see(&h, &err));
	assert_non_null(strstr(err.text, "the fabric has no end: after 491"));
	assert_non_null(strstr(err.text, "the last behind 0x"));
	assert_non_null(strstr(err.text, "at most 49151 LIDs"));
	model_free(h.model);
	ibc_fabric_free(real);
}

/* For tests/inject/lying: the program replays it. */
static void a_trace_is_written(void **state)
{
	const char *path = getenv("LYING_TRACE");
	struct ibc_source_opts how = IBC_SOURCE_OPTS_INIT;
	struct transport_port from = { .ca = "sim0", .port = 1 };
	struct ibc_recording *recording;
	struct ibc_fabric *real;
	struct fabric_build *b;
	struct transport *t;
	struct hostile h;
	FILE *file;

	(void)state;
	if (!path)
		return;
	real = swept_real(SPEC);
	h = liars_of(real, number_of("LYING_FIRST", 0));
	how.needs = ibc_check_needs(ibc_check_select(NULL, NULL));
	t = line_transport(lying_line(&h));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(ibc_recording_new(file, path, &recording, NULL), 0);
	recording_run(recording);
	assert_int_equal(recording_wrap(recording, &from, 0, &t, NULL), 0);
	assert_int_equal(fabric_build_new(&b, NULL), 0);
	discover_subnet(t, &from, "umad", &how, b, NULL);
	fabric_build_free(b);
	t->ops->close(t);
	assert_int_equal(ibc_recording_end(recording, NULL), 0);
	assert_int_equal(fclose(file), 0);
	model_free(h.model);
	ibc_fabric_free(real);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_that_lies_comes_to_an_end),
		cmocka_unit_test(a_trace_is_written),
		cmocka_unit_test(a_port_that_leads_elsewhere_when_asked_again_is_named),
		cmocka_unit_test(more_devices_than_lids_are_no_subnet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
