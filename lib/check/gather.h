/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_GATHER_H
#define CHECK_GATHER_H

/* What checks need to tell many alike things as one. */
#include "check/sink.h"

#define RELATED_MAX 8 /* of a crowd, so many are named */

/* Equal for nodes of the same vendor, device, type and port count. */
uint64_t device_type(const struct ibc_node *node);

/* A set of port numbers, as people write it: "1-4,7". */
struct port_set {
	bool has[256];
	unsigned int count;
};
void port_set_add(struct port_set *set, const struct ibc_port *port);
const char *port_set_text(struct ibc_sink *out, const struct port_set *set);

/* Starts the text of a finding about one plane where there are several: "umad:mlx5_1: ". */
const char *plane_prefix(struct ibc_sink *out, const struct ibc_plane *plane);

/* Has PortInfo answered, and does it say LinkUp? */
bool port_is_linkup(const struct ibc_port *port);
/* A cable, at its near end, with LinkUp told by PortInfo at both. */
bool is_known_cable(const struct ibc_port *port);

/* Names a port, of a cable the near end, in the finding, up to RELATED_MAX of them. */
struct few {
	const struct ibc_port *ports[RELATED_MAX];
	size_t count; /* of all that were added */
};
void few_add(struct few *few, const struct ibc_port *port);
void few_relate(struct ibc_sink *out, const struct few *few);

#endif
