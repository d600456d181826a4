/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of results can be judged: what it has are results, or flaws. */
#include <stdlib.h>

#include <ibcheck/perfresult.h>

#include "source/jobs/perfresults.h"
#include "source/source.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void judge(const struct ibc_perf_results *r)
{
	const struct ibc_perf_judge_opts opts = { .low = 5,
		                                  .poor = 10,
		                                  .outlier = 7,
		                                  .spread = 10,
		                                  .regression = 5,
		                                  .latency_us = 2.5,
		                                  .baseline = r };
	struct ibc_perf_judgement *j;
	size_t n;

	expect(ibc_perf_judge(r, &opts, &j, NULL) == 0);
	for (size_t i = 0; i < r->num; i++) {
		const struct ibc_perf_result *result = &r->all[i];

		expect(result->client < r->num_ends && result->server < r->num_ends);
		expect((result->value > 0) == (result->status == IBC_PERF_MEASURED ||
		                               result->status == IBC_PERF_LOOPBACK));
		expect(j->verdicts[i].level <= IBC_PERF_POOR);
	}
	ibc_perf_retests(j, &n);
	ibc_perf_judgement_free(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_perf_results *r;
	struct text_file *f;

	expect(ibc_perf_results_new(&r, NULL) == 0);
	for (int plan = 0; plan < 2; plan++) {
		expect(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
		if (plan)
			read_perf_plan(f, r, NULL);
		else
			expect(read_perf(f, r, NULL) == 0);
		text_close(f);
	}
	judge(r);
	ibc_perf_results_free(r);
	return 0;
}
