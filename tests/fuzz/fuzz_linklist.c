/* SPDX-License-Identifier: BSD-2-Clause */
/* Any output of iblinkinfo is an error, or a fabric that a snapshot keeps. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	expect_kept(read_link_list, data, size);
	return 0;
}
