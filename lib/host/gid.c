/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/gid.h"

#include <string.h>

bool gid_is_ipv4(const struct ibc_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

bool gid_is_link_local(const struct ibc_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}
