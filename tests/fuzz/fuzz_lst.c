/* SPDX-License-Identifier: BSD-2-Clause */
/* Any list of links of ibdiagnet is an error, or a fabric that a snapshot keeps. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read_lst, data, size), *again;
	size_t n;
	char *text;

	if (!fab)
		return 0;
	text = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, text, n);
	assert(again);
	assert(ibc_fabric_count(fab).cables == ibc_fabric_count(again).cables);
	free(text);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	return 0;
}
