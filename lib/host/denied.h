/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_DENIED_H
#define HOST_DENIED_H

/*
 * Processes whose descriptors may not be looked at, and which sockets could be among them.
 * A socket has the user that made it and the control group it was made in; one that no such
 * process fits is nobody's: the kernel made it for itself.
 */
#include <stdbool.h>

struct ibc_host;
struct ibc_socket;
struct dir;

void add_denied(struct ibc_host *host, const struct dir *proc, int pid);
bool may_be_denied(const struct ibc_host *host, const struct ibc_socket *socket);

#endif
