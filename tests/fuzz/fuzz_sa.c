/* SPDX-License-Identifier: BSD-2-Clause */
/* Any answer of subnet administration: records never lie beyond it. */
#include <stdlib.h>
#include <string.h>

#include "wire/sa.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void decode_records(const uint8_t *mad, size_t length)
{
	struct ibc_mc_member member;
	struct ibc_service service;
	struct sa_records records;
	struct ibc_path_sl path;

	if (sa_records_get(mad, length, SA_MEMBER_SIZE, &records))
		for (size_t i = 0; i < records.num; i++) {
			sa_member_get(records.first + i * records.size, &member);
			expect(member.sl < 16 && member.join_state < 16 && member.mtu < 64);
		}
	if (sa_records_get(mad, length, SA_SERVICE_SIZE, &records))
		for (size_t i = 0; i < records.num; i++)
			sa_service_get(records.first + i * records.size, &service);
	if (sa_records_get(mad, length, SA_PATH_SIZE, &records))
		for (size_t i = 0; i < records.num; i++) {
			sa_path_get(records.first + i * records.size, &path);
			expect(path.sl < 16);
		}
	sa_has_no_records(mad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of the very size, so that the sanitizer sees a step beyond it */
	uint8_t *mad = malloc(size ? size : 1);
	struct sa_class_info info;

	if (!mad)
		abort();
	memcpy(mad, data, size);
	if (size >= SA_HEADER_SIZE)
		decode_records(mad, size);
	if (size >= MAD_SIZE)
		sa_class_info_get(mad, &info);
	free(mad);
	return 0;
}
