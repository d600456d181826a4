/* SPDX-License-Identifier: BSD-2-Clause */
/* Any snapshot is an error, or a fabric whose snapshot is the same after another turn. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read_snapshot, data, size), *again;
	size_t first_size, second_size;
	char *first, *second;

	if (!fab)
		return 0;
	first = bytes_of(fab, "snapshot", &first_size);
	again = fabric_of(read_snapshot, first, first_size);
	assert(again);
	second = bytes_of(again, "snapshot", &second_size);
	assert(first_size == second_size && !memcmp(first, second, first_size));
	free(first);
	free(second);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	return 0;
}
