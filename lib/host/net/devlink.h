/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Answers of the kernel's devlink family, as facts of the PCI device they are of. */
#include <libmnl/libmnl.h>

/* For netlink_ask(); @ctx: the struct ibc_host.  Total: any message leaves a host. */
int devlink_on_info(const struct nlmsghdr *message, void *ctx);
int devlink_on_reporter(const struct nlmsghdr *message, void *ctx);
int devlink_on_param(const struct nlmsghdr *message, void *ctx);
