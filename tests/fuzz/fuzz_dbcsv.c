/* SPDX-License-Identifier: BSD-2-Clause */
/* Any ibdiagnet2.db_csv is an error, or a fabric that a snapshot keeps. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read_dbcsv, data, size), *again;
	struct ibc_fabric_counts first, second;
	size_t n;
	char *text;

	if (!fab)
		return 0;
	text = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, text, n);
	assert(again);
	first = ibc_fabric_count(fab);
	second = ibc_fabric_count(again);
	assert(first.nodes == second.nodes && first.cables == second.cables);
	free(text);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	return 0;
}
