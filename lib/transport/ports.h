/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The RDMA ports of this host, and which of them a sweep may start from. */
#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

struct local_port {
	struct transport_port at;
	bool ethernet;
};

/* All of them, freed with free(); -ENODEV when there are none. */
int local_ports(struct local_port **out, size_t *n, struct ibc_error *err);
bool local_port_has_link(const struct local_port *p);
/* Is its device an NVSwitch bridge?  Reads the VPD; false where that cannot be read. */
bool local_port_is_of_bridge(const struct local_port *p);

/*
 * Which one is meant by ca (NULL: any but of NVSwitch bridges) and port (0: any): an active one
 * before one that is only up.  -ENODEV, and why none of them will do.
 */
int local_port_choose(const struct local_port *ports, size_t n, const char *ca, unsigned int port,
                      const struct local_port **out, struct ibc_error *err);
