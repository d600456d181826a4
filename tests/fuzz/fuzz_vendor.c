/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of the vendor's management: an attribute's bytes. */
#include <stdlib.h>
#include <string.h>

#include "wire/vendor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of the very size, so that the sanitizer sees a step beyond it */
	uint8_t *mad = calloc(1, MAD_SIZE);
	struct general_info info;

	if (!mad)
		abort();
	if (size)
		memcpy(mad + VENDOR_DATA_OFFSET, data,
		       size < VENDOR_DATA_SIZE ? size : VENDOR_DATA_SIZE);
	general_info_get(vendor_data(mad), &info);
	if (info.firmware.major > UINT8_MAX)
		abort();
	free(mad);
	return 0;
}
