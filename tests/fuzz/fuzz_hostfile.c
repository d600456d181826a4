/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file of hosts is an error, or has hosts, which can be planned for. */
#include <stdlib.h>

#include <ibcheck/perf.h>

#include "source/source.h"

#define FEW 200 /* more would measure the planner */

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void plan(const struct ibc_hostlist *hosts)
{
	struct ibc_perf_opts opts = { .mode = IBC_PERF_CIRCLE };
	struct ibc_perf_plan *out;

	if (ibc_perf_plan(hosts, &opts, &out, NULL) == 0)
		expect(out->num_tests == hosts->num * (hosts->num - 1) / 2);
	ibc_perf_plan_free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_file *f;
	struct ibc_hostlist *hosts;

	expect(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	if (read_hostfile(f, &hosts, NULL) == 0) {
		expect(hosts->num > 0 && *hosts->names[0]);
		if (hosts->num <= FEW)
			plan(hosts);
	}
	ibc_hostlist_free(hosts);
	text_close(f);
	return 0;
}
