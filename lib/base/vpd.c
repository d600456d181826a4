/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/vpd.h"

#include <string.h>

#define HEADER 3    /* bytes, of a large resource (tag, length) and of a field (keyword, length) */
#define LARGE  0x80 /* bit of the tag of a large resource */
enum { READ_ONLY = 0x90, READ_WRITE = 0x91 };

static const char mark[] = "SMDL=SW_MNG";

bool vpd_is_nvswitch_bridge(const unsigned char *vpd, size_t n)
{
	/* of small resources there is only the end */
	for (size_t at = 0, length; at + HEADER <= n && vpd[at] & LARGE; at += HEADER + length) {
		const unsigned char *field = vpd + at + HEADER, *end;

		length = vpd[at + 1] | (size_t)vpd[at + 2] << 8;
		end = length < n - at - HEADER ? field + length : vpd + n;
		if (vpd[at] != READ_ONLY && vpd[at] != READ_WRITE)
			continue;
		while (end - field >= HEADER) {
			size_t room = (size_t)(end - field) - HEADER;
			size_t bytes = field[2] < room ? field[2] : room;

			if (memmem(field + HEADER, bytes, mark, strlen(mark)))
				return true;
			field += HEADER + bytes;
		}
	}
	return false;
}
