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

/* "12: n1 n2; 13: n3", or the sentence of the error. */
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

		fprintf(to, "%s%s:", i ? "; " : "", job->id);
		for (size_t k = 0; k < job->num_hosts; k++)
			fprintf(to, " %s", job->hosts[k]);
	}
	fclose(to);
	ibc_jobs_free(jobs);
	return out;
}

static void lines_are_a_job_and_its_hosts(void **state)
{
	(void)state;
	assert_string_equal(jobs_of("# queue\n12 n[1-2]\r\n\n  13_4\tn3, n4  \n14 n5"),
	                    "12: n1 n2; 13_4: n3 n4; 14: n5");
	assert_string_equal(jobs_of(""), "");
	assert_string_equal(jobs_of("12\n13  \r\n14 n1"), "14: n1");
}

static void a_line_that_is_not_understood_is_one_job_less(void **state)
{
	static const char first[] = "jobs: line 2: job 13: host list, column 3: a range that runs "
				    "backwards";
	struct ibc_jobs *jobs;

	(void)state;
	assert_int_equal(read_text("12 n1\n13 n[3-1]\n14 n2\n15 n[\n", &jobs, NULL), 0);
	assert_int_equal(jobs->num, 2);
	assert_int_equal(jobs->lost, 2);
	assert_string_equal(jobs->first_lost, first);
	ibc_jobs_free(jobs);
	assert_string_equal(jobs_of("\n13 n[3-1]\n"), first);
}

static void strange_texts_are_clean(void **state)
{
	(void)state;
	assert_string_equal(jobs_of("1\xff\x01 n1"), "1\xef\xbf\xbd\xef\xbf\xbd: n1");
}

static void json_is_refused_with_the_command_for_lines(void **state)
{
	static const char *const texts[] = { "{\"jobs\":[]}", "\n [{\"job_id\":1}]", "{" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_string_equal(jobs_of(texts[i]),
		                    "jobs: JSON is not read: give the output of squeue -t R,CG -h "
		                    "-o '%A %N'");
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
	static const char text[] = "12 n[1-2]\n";
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
		cmocka_unit_test(lines_are_a_job_and_its_hosts),
		cmocka_unit_test(a_line_that_is_not_understood_is_one_job_less),
		cmocka_unit_test(strange_texts_are_clean),
		cmocka_unit_test(json_is_refused_with_the_command_for_lines),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
