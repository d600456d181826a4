/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_GID_H
#define HOST_GID_H

/* What kind of address a GID of RoCE is. */
#include <ibcheck/host.h>

/* ::ffff:a.b.c.d */
bool gid_is_ipv4(const struct ibc_gid *gid);
/* fe80::/10, which no router forwards */
bool gid_is_link_local(const struct ibc_gid *gid);

#endif
