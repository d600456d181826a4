/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "host/host.h"

struct mnl_socket;

/*
 * Data Center Bridging of an interface (IEEE 802.1Qaz) into @out: flow control by priority,
 * classes, applications, what the peer said.  0 or errno: EOPNOTSUPP where there is none.
 */
int dcb_read(struct ibc_host *host, struct mnl_socket *route, const char *name,
             struct ibc_ethernet *out);

/* Takes an answer to DCB_CMD_IEEE_GET; for tests as well. */
struct nlmsghdr;
void dcb_take(struct ibc_host *host, const struct nlmsghdr *message, struct ibc_ethernet *out);
