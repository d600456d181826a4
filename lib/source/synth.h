/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SYNTH_H
#define SOURCE_SYNTH_H

/* What the parts of synth.c share: a fat-tree that is being made. */
#include <stdint.h>

#include <ibcheck/fabric.h>

struct fabric_build;

/* What a specification says; for two levels, one pod without uplinks. */
struct shape {
	uint64_t levels, pods, leaves, spines, uplinks, hosts, cables, rails, radix, seed;
	enum ibc_speed speed;
	uint32_t given; /* set of 1 << index into keys[] */
};

struct tree {
	struct shape shape;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct ibc_node **leaves, **spines, **cores;
	uint16_t *guids, *lids; /* by order of making: which GUID, which LID */
	unsigned int made;
	uint16_t sm_lid;
	struct ibc_counters *counters; /* of every port; NULL: not asked for */
};

/* synthtables.c: the tables of the switches and who governs, of what is in @needs; -ENOMEM. */
int synth_govern(struct tree *t, struct ibc_attrs needs);

#endif
