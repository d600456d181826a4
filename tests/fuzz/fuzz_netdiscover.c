/* SPDX-License-Identifier: BSD-2-Clause */
/* Any ibnetdiscover text is an error, or a fabric that can be written and read again. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read_netdiscover, data, size), *again;
	struct ibc_fabric_counts first, second;
	size_t n;
	char *text;
	bool whole;

	if (!fab)
		return 0;
	/* only a snapshot can hold that lines were lost */
	whole = !ibc_fabric_lines_lost(fab, NULL);
	text = bytes_of(fab, whole ? "netdiscover" : "snapshot", &n);
	again = fabric_of(whole ? read_netdiscover : read_snapshot, text, n);
	assert(again);
	first = ibc_fabric_count(fab);
	second = ibc_fabric_count(again);
	assert(first.nodes == second.nodes && first.cables == second.cables);
	free(text);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
	return 0;
}
