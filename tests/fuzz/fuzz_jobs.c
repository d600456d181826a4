/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of jobs is an error, or each of its jobs has hosts. */
#include <stdlib.h>

#include <ibcheck/jobs.h>

#include "source/source.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_file *f;
	struct ibc_jobs *jobs;

	expect(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	if (read_jobs(f, &jobs, NULL) == 0)
		for (size_t i = 0; i < jobs->num; i++)
			expect(jobs->jobs[i].id && jobs->jobs[i].num_hosts &&
			       jobs->jobs[i].hosts[0]);
	ibc_jobs_free(jobs);
	text_close(f);
	return 0;
}
