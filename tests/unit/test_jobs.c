/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ibcheck/jobs.h>

#include "base/arena.h"
#include "base/array.h"
#include "source/source.h"

/* What the file held is gone when this returns. */
static int read_text(const char *text, struct ibc_jobs **out, struct ibc_error *err)
{
	char *copy = strdup(text);
	struct text_file *f;
	int rc;

	*out = NULL;
	rc = text_open_bytes("jobs", copy, strlen(copy), &f, err);
	if (!rc) {
		rc = read_jobs(f, out, err);
		text_close(f);
	}
	free(copy);
	return rc;
}

/* "12 alice train: n1 n2; 13: n3", or the sentence of the error. */
static const char *jobs_of(const char *text)
{
	static char out[4096];
	struct ibc_error err = { "" };
	struct ibc_jobs *jobs;
	FILE *to;

	if (read_text(text, &jobs, &err)) {
		assert_null(jobs);
		snprintf(out, sizeof(out), "%s", err.text);
		return out;
	}
	out[0] = '\0';
	to = fmemopen(out, sizeof(out), "w");
	for (size_t i = 0; i < jobs->num; i++) {
		const struct ibc_job *job = &jobs->jobs[i];

		fprintf(to, "%s%s", i ? "; " : "", job->id);
		fprintf(to, "%s%s", job->user ? " " : "", job->user ? job->user : "");
		fprintf(to, "%s%s:", job->name ? " " : "", job->name ? job->name : "");
		for (size_t k = 0; k < job->num_hosts; k++)
			fprintf(to, " %s", job->hosts[k]);
	}
	fclose(to);
	ibc_jobs_free(jobs);
	return out;
}

#define JOB(rest) "{\"jobs\":[{\"job_id\":12," rest "}]}"

static void jobs_of_squeue_are_read_in_all_versions_of_its_schema(void **state)
{
	static const char *const same[] = {
		/* data_parser/v0.0.37 to v0.0.39 */
		JOB("\"job_state\":\"RUNNING\",\"nodes\":\"n[1-2]\",\"user_name\":\"al\",\"name\":"
		    "\"t\","
		    "\"job_resources\":{\"nodes\":\"n9\",\"allocated_cores\":4}"),
		/* from v0.0.40 on */
		"{\n \"jobs\": [\n  {\n   \"name\": \"t\", \"user_name\": \"al\",\n"
		"   \"job_id\": 12, \"array_job_id\": {\"set\": true, \"number\": 7},\n"
		"   \"job_state\": [\"RUNNING\"],\n"
		"   \"job_resources\": {\"nodes\": {\"list\": \"n9\"}},\n"
		"   \"nodes\": \"n[1-2]\"\n  }\n ],\n \"errors\": [], \"warnings\": [] }\n",
		/* what jq makes of it */
		("[{\"job_id\":\"12\",\"nodes\":\"n1,n2\",\"name\":\"\\u0074\","
		 "\"user_name\":\"al\"}]"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_string_equal(jobs_of(same[i]), "12 al t: n1 n2");
}

static void jobs_without_hosts_are_left_out(void **state)
{
	(void)state;
	assert_string_equal(jobs_of("{\"jobs\":[]}"), "");
	assert_string_equal(jobs_of(JOB("\"job_state\":[\"PENDING\"],\"nodes\":\"\"")), "");
	assert_string_equal(jobs_of(JOB("\"job_state\":[\"COMPLETED\"],\"nodes\":\"n1\"")), "");
	assert_string_equal(jobs_of(JOB("\"job_state\":\"TIMEOUT\",\"nodes\":\"n1\"")), "");
	assert_string_equal(
	    jobs_of(JOB("\"job_state\":[\"FAILED\",\"COMPLETING\"],\"nodes\":\"n1\"")), "12: n1");
	assert_string_equal(jobs_of("{\"jobs\":[null,7,{}]}"), "");
}

static void lines_are_a_job_and_its_hosts(void **state)
{
	(void)state;
	assert_string_equal(jobs_of("# queue\n12 n[1-2]\r\n\n  13_4\tn3, n4  \n14 n5"),
	                    "12: n1 n2; 13_4: n3 n4; 14: n5");
	assert_string_equal(jobs_of(""), "");
	assert_string_equal(jobs_of("12\n"), "jobs: line 1: expected a job and its hosts, as "
	                                     "\"1234 node[01-16]\"");
	assert_string_equal(
	    jobs_of("12 n1\n13 n[3-1]\n"),
	    "jobs: line 2: job 13: host list, column 3: a range that runs backwards");
}

static void strange_texts_are_clean(void **state)
{
	(void)state;
	assert_string_equal(
	    jobs_of(JOB("\"name\":\"a\\n\\\"b\\\\\\/\\u00e9\\ud83d\xff\",\"nodes\":\"n1\"")),
	    "12 a\xef\xbf\xbd\"b\\/\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd: n1");
}

static void what_is_cut_or_odd_is_an_error_with_its_line(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "{\"jobs\":[\n{\"job_id\":12,",
		  "line 2: this is no whole JSON: it ends in the middle" },
		{ "{\"jobs\":[", "line 1: this is no whole JSON: it ends in the middle" },
		{ "{\"jobs\":[{\"nodes\":\"n1",
		  "line 1: this is no whole JSON: it ends in the middle" },
		{ "{\"jobs\":[{\"nodes\":\"n1\"",
		  "line 1: this is no whole JSON: it ends in the middle" },
		{ "{\"jobs\":[{} {}]}",
		  "line 1: this is no whole JSON: what begins here is damaged" },
		{ "{\"jobs\" []}", "line 1: this is no whole JSON: what begins here is damaged" },
		{ "{jobs:[]}", "line 1: this is no whole JSON: what begins here is damaged" },
		{ "{\"jobs\":}", "line 1: this is no whole JSON: what begins here is damaged" },
		{ "{\"jobs\":[\n{},\n]}", "line 3: this is no whole JSON: expected a value" },
		{ "{\"jobs\":[]}\n[]", "line 2: this is no whole JSON: something follows its end" },
		{ "{\"nodes\":[]}", "it has no \"jobs\": give the output of \"squeue --json\"" },
		{ JOB("\"nodes\":\"n[1\""),
		  "line 1: job 12: host list, column 2: a [ without its ]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(jobs_of(cases[i].text) + strlen("jobs: "), cases[i].error);
}

/* However much of it there is: an error or all of its jobs, never some of them. */
static void no_part_of_a_file_passes_for_all(void **state)
{
	static const char whole[] = JOB(
	    "\"nodes\":\"n[1-2]\",\"x\":[{},\"\\u00\"],\"job_state\":[\"RUNNING\"]");
	char part[sizeof(whole)];

	(void)state;
	assert_string_equal(jobs_of(whole), "12: n1 n2");
	for (size_t n = 1; n < sizeof(whole) - 1; n++) {
		memcpy(part, whole, n);
		part[n] = '\0';
		assert_non_null(strstr(jobs_of(part), "it ends in the middle"));
	}
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	struct ibc_error err = { "" };
	struct ibc_jobs *jobs;

	(void)state;
	assert_int_equal(ibc_jobs_read("/nowhere/jobs", &jobs, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open /nowhere/jobs: No such file or directory");
	assert_int_equal(ibc_jobs_read("/", &jobs, &err), -EISDIR);
}

static void no_memory_is_an_error(void **state)
{
	static const char text[] = JOB("\"nodes\":\"n[1-2]\",\"name\":\"t\"");
	struct ibc_jobs *jobs;
	unsigned long n = 0;
	int rc;

	(void)state;
	do {
		alloc_fail_at(++n);
		rc = read_text(text, &jobs, NULL);
		alloc_fail_at(0);
		assert_true(rc ? !jobs : jobs->num == 1);
	} while (rc);
	ibc_jobs_free(jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_of_squeue_are_read_in_all_versions_of_its_schema),
		cmocka_unit_test(jobs_without_hosts_are_left_out),
		cmocka_unit_test(lines_are_a_job_and_its_hosts),
		cmocka_unit_test(strange_texts_are_clean),
		cmocka_unit_test(what_is_cut_or_odd_is_an_error_with_its_line),
		cmocka_unit_test(no_part_of_a_file_passes_for_all),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
