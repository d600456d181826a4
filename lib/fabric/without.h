/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What several things take with them that are taken away together, and the fabric that is left. */
#include <ibcheck/fabric.h>

struct arena;

/* struct gone - by node, a bit each port whose cable goes; bit 0: the node does */
struct gone {
	uint64_t (*ports)[4];
};
/* From an arena that has an escape. */
void gone_new(struct arena *a, const struct ibc_fabric *fab, const struct ibc_place *places,
              size_t n, struct gone *out);
/* Is it one of the things, or the port of one? */
bool gone_has(const struct gone *gone, const struct ibc_node *node, unsigned int port);
/* Does the cable of a port go, by either end? */
bool goes_with(const struct gone *gone, const struct ibc_port *port);
