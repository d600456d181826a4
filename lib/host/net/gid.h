/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What kind of address a GID of RoCE is. */
#include <string.h>

#include <ibcheck/host.h>

/* ::ffff:a.b.c.d */
static inline bool gid_is_ipv4(const struct ibc_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

/* fe80::/10, which no router forwards */
static inline bool gid_is_link_local(const struct ibc_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}
