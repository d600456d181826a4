/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks that are no trees, by formula.  Ports from 1: hosts first, then neighbours, each by
 * @cables ports, then cables to other groups.
 *   torus       of each dimension the next switch, then the one before; of a dimension of two
 *		 switches, the other
 *   HyperX      of each dimension all others, in order
 *   dragonfly   the others of the group, in order: a HyperX but for its first dimension
 *   dragonfly+  leaves and spines of a group are a fat-tree of two levels; spines lead out
 *
 * Cable j of a group leads to the group 1 + j mod (groups - 1) after it, so that all pairs of
 * groups are joined alike; what is left over is not cabled.  Dragonfly: Kim, Dally, Scott, Abts,
 * ISCA 2008; dragonfly+: Shpiner et al., HiPINEB 2017; HyperX: Ahn et al., SC 2009.
 */
#include <stdio.h>

#include "source/synth/synth.h"

/* Leaves from one to the next along a dimension: the last runs fastest. */
static uint64_t stride_of(const struct shape *s, unsigned int dim)
{
	uint64_t stride = 1;

	while (++dim < s->dims)
		stride *= s->size[dim];
	return stride;
}

void synth_coordinates(const struct shape *s, uint64_t leaf, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "sw");

	for (unsigned int d = 0; d < s->dims && used < size; d++)
		used += (size_t)snprintf(
		    out + used, size - used, "%s%0*llu", d ? "-" : "", synth_digits(s->size[d], 2),
		    (unsigned long long)(leaf / stride_of(s, d) % s->size[d] + 1));
}

static void join_leaves(const struct tree *t, uint64_t a, uint64_t a_slot, uint64_t z,
                        uint64_t z_slot)
{
	const struct shape *s = &t->shape;

	for (uint64_t c = 1; c <= s->cables; c++)
		synth_join(t, t->leaves[a], s->hosts + a_slot * s->cables + c, t->leaves[z],
		           s->hosts + z_slot * s->cables + c);
}

/* From a leaf at place at of a line to those after it; @slot: its first port along the line. */
static void join_line(const struct tree *t, uint64_t leaf, unsigned int dim, uint64_t slot)
{
	const struct shape *s = &t->shape;
	uint64_t size = s->size[dim], stride = stride_of(s, dim), at = leaf / stride % size;
	uint64_t start = leaf - at * stride;

	if (s->kind == SYNTH_TORUS && size > 2) {
		join_leaves(t, leaf, slot, start + (at + 1) % size * stride, slot + 1);
		return;
	}
	for (uint64_t to = at + 1; to < size; to++)
		join_leaves(t, leaf, slot + to - 1, start + to * stride, slot + at);
}

/* Cable j of a group, from its side: the ports of each of its switches that lead on come last. */
static void join_groups(const struct tree *t)
{
	const struct shape *s = &t->shape;
	bool plus = s->kind == SYNTH_DRAGONFLY_PLUS;
	struct ibc_node **tier = plus ? t->spines : t->leaves;
	uint64_t switches = plus ? s->spines : s->leaves, others = s->pods - 1;
	uint64_t ports = (plus ? synth_spine_ports(s) : synth_leaf_ports(s)) - s->links;
	uint64_t channels = switches * s->links / others * others;

	for (uint64_t group = 0; group < s->pods; group++)
		for (uint64_t j = 0; j < channels; j++) {
			uint64_t far = (group + j % others + 1) % s->pods;
			uint64_t back = j / others * others + others - 1 - j % others;

			if (far > group)
				synth_join(t, tier[group * switches + j / s->links],
				           ports + j % s->links + 1,
				           tier[far * switches + back / s->links],
				           ports + back % s->links + 1);
		}
}

void synth_network(const struct tree *t)
{
	const struct shape *s = &t->shape;

	for (uint64_t leaf = 0; s->dims && leaf < s->pods * s->leaves; leaf++)
		for (unsigned int d = 0, slot = 0; d < s->dims; d++) {
			if (synth_along(s, d))
				join_line(t, leaf, d, slot);
			slot += (unsigned int)synth_along(s, d);
		}
	if (s->links)
		join_groups(t);
}
