/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Answers of the kernel's RDMA netlink, for netlink_ask(); @ctx: the struct ibc_host. */
#include <libmnl/libmnl.h>

/* Queue pairs and memory regions, of which the owners get records. */
int resources_on_entry(const struct nlmsghdr *message, void *ctx);
/* Whether devices belong to one network namespace each, as a fact. */
int resources_on_system(const struct nlmsghdr *message, void *ctx);
