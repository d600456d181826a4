/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the parts of synth.c share: a fabric that is being made. */
#include <stdint.h>

#include <ibcheck/fabric.h>

struct arena;
struct fabric_build;
struct ibc_error;

#define SYNTH_DIMS_MAX 8 /* of a torus or a HyperX; a hypercube of 256 switches */

enum synth_kind {
	SYNTH_FATTREE,
	SYNTH_TORUS,
	SYNTH_HYPERX,
	SYNTH_DRAGONFLY,
	SYNTH_DRAGONFLY_PLUS,
};

/*
 * What a specification says.  For fat-trees of two levels, one pod without uplinks; groups of
 * other networks are pods, and switches with hosts are leaves.
 * @size, @dims: the coordinates of leaves, but in fat-trees and dragonflies+
 * @planes: trees side by side, and ports of each HCA
 * @links: to other groups, of each switch of a dragonfly, of each spine of a dragonfly+
 */
struct shape {
	enum synth_kind kind;
	uint64_t levels, pods, leaves, spines, uplinks, hosts, cables, rails, planes, radix, seed;
	uint64_t links, size[SYNTH_DIMS_MAX];
	unsigned int dims;
	enum ibc_speed speed;
	uint32_t given; /* set of 1 << index into keys[] */
};

struct tree {
	const char *spec;
	struct ibc_attrs needs;
	struct arena *arena; /* until it is made, in fabric_build_run() */
	struct shape shape;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct ibc_node **leaves, **spines, **cores;
	uint16_t *guids, *lids; /* by order of making: which GUID, which LID */
	unsigned int made;
	uint16_t sm_lid;
	struct ibc_counters *counters; /* of every port; NULL: not asked for */
};

/*
 * synthspec.c: reads what is wanted, and refuses what fits no switch and no subnet: -EINVAL.
 * Neighbours of a leaf along a dimension, each @cables wide; of the groups of a dragonfly none.
 */
int synth_read(struct shape *shape, const char *spec, struct ibc_error *err);
uint64_t synth_along(const struct shape *s, unsigned int dim);
uint64_t synth_leaf_ports(const struct shape *s);
uint64_t synth_spine_ports(const struct shape *s);
uint64_t synth_switches(const struct shape *s);
uint64_t synth_nodes(const struct shape *s);

/*
 * synthnodes.c: the LID of the made-th node; a node; a cable; decimal digits of n, at least min:
 * names of a tier are equally long.
 */
uint16_t synth_lid(const struct tree *t, unsigned int made);
struct ibc_node *synth_node(struct tree *t, enum ibc_node_type type, unsigned int num_ports,
                            const char *desc);
void synth_join(const struct tree *t, struct ibc_node *a, uint64_t a_num, struct ibc_node *z,
                uint64_t z_num);
int synth_digits(uint64_t n, int min);

/* synthshapes.c: the name of a leaf by its coordinates; cables between leaves and between groups */
void synth_coordinates(const struct shape *s, uint64_t leaf, char *out, size_t size);
void synth_network(const struct tree *t);

/* synthtables.c: the tables of the switches and who governs, of what is in @needs. */
void synth_govern(struct tree *t, struct ibc_attrs needs);
