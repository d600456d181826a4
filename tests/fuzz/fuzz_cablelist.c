/* SPDX-License-Identifier: BSD-2-Clause */
/* Any list of cables is an error, or a fabric that can be written and read again. */
#include "plan_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read_cable_list, data, size);

	if (fab) {
		plan_again(fab, "cables", read_cable_list);
		plan_again(fab, "netdiscover", read_netdiscover);
	}
	ibc_fabric_free(fab);
	return 0;
}
