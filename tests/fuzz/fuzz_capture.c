/* SPDX-License-Identifier: BSD-2-Clause */
/* Any capture is an error, or can be listed, anonymized, searched and, if it is a trace, swept. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/build.h"
#include "source/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void sweep_it(const uint8_t *data, size_t size)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_fabric *fab = NULL;
	struct fabric_build *b;
	struct text_file *f;

	assert(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	assert(fabric_build_new(&b, NULL) == 0);
	if (replay_capture(f, "fuzz", &opts, b, NULL))
		fabric_build_free(b);
	else if (fabric_build_finish(b, &fab, NULL) == 0)
		ibc_fabric_free(fab);
	text_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_capture_search found;
	struct ibc_capture *cap = NULL;
	struct text_file *f;
	FILE *null = fopen("/dev/null", "w");

	assert(null);
	assert(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	if (capture_read(f, &cap, NULL) == 0) {
		assert(ibc_capture_anonymize(cap, null, "x.pcap", NULL) == 0);
		assert(ibc_capture_search(cap, cap, NULL, 0, &found, NULL) == 0);
		if (ibc_capture_sweeps(cap))
			sweep_it(data, size);
	}
	ibc_capture_free(cap);
	text_close(f);
	fclose(null);
	return 0;
}
