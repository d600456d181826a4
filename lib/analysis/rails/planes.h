/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Planes: an HCA for XDR has four ports for what its host sees as one, each on switches of its own.
 * Which plane a port is of, it says itself where HierarchyInfo was read (templates 4 and 5); else
 * that of an HCA's port is its number, and of a switch's that of the HCAs below it.  Siblings are
 * the switches of the planes on ports of the same number.  Nothing rests on names.  Where fewer
 * than 95 % of the cables agree, nothing is known.
 *
 * O(ports times planes).
 */
#include "analysis/tree/switches.h"

#define NO_PLANE UINT8_MAX

/*
 * struct planes - planes are numbered from 0, as the ports of HCAs from 1
 * @n: how many; 0: none, or they are not understood
 * @hcas, @ports: nodes by number, one of each GUID, and their ports: ports[hca * n + plane], NULL
 *	without a cable
 * @plane_of, @set_of: by number of the switch: its plane, or NO_PLANE; the set of siblings that it
 *	is of, or NO_SWITCH
 * @members: members[set * n + plane]: numbers of switches, or NO_SWITCH
 * @asymmetric: a node says that its planes may differ
 */
struct planes {
	const struct switches *sw;
	unsigned int n;
	const struct ibc_node **hcas;
	const struct ibc_port **ports;
	uint32_t num_hcas;
	uint8_t *plane_of;
	uint32_t *set_of, *members, num_sets;
	bool asymmetric;
};

/* Does it show so many ports for one?  0: no. */
unsigned int node_planes(const struct ibc_node *node);

/* The port of an HCA of so many planes that is of this one. */
const struct ibc_port *hca_plane(const struct ibc_node *hca, unsigned int planes,
                                 unsigned int plane);

/* The same if it has a cable, wherever that was seen; NULL: it has no cable, or the node no planes.
 */
const struct ibc_port *planes_port(const struct planes *p, const struct ibc_node *hca,
                                   unsigned int plane);

/* From a, which has an escape. */
void planes_find(struct arena *a, const struct switches *sw, struct planes *out);
