/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fabrics by formula: healthy, fully answered, of any size one subnet holds.  Fat-trees are
 * wired here, other networks by synthshapes.c; synthspec.c reads what is wanted.
 *
 * Layout of fat-trees, which expected topologies and tests count on (ports from 1):
 *   leaf   hosts first, then @cables to spine 1 of its pod, to spine 2, ...
 *   spine  @cables to leaf 1 of its pod, to leaf 2, ..., then its uplinks
 *   core   one port a pod; uplink u of the spine at position s goes to core
 *	    s * uplinks + u, whatever the pod
 *
 * With rails=R, R leaves next to each other make a group: HCA r of every host
 * of the group sits on its leaf r.  With planes=P all switches are there P times, and port p
 * of every HCA is on those of plane p alone.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "fabric/build.h"
#include "source/source.h"
#include "source/synth/synth.h"

/* What it provides: all that is asked by SMPs, counters and firmware if they are. */
#define SMPS                                                                                       \
	IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SWITCH_INFO,                    \
	          IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO, IBC_ATTR_LINK)

/* ---- wiring ---------------------------------------------------------------- */

/*
 * 0 .. n-1, shuffled (Fisher, Yates) unless state is NULL: by splitmix64, which has the same
 * numbers everywhere, unlike rand().
 */
static uint16_t *new_permutation(struct arena *a, size_t n, uint64_t *state)
{
	uint16_t *p = arena_array(a, n, sizeof(*p));

	for (size_t i = 0; i < n; i++) {
		size_t j = state ? hash_mix(*state += 0x9e3779b97f4a7c15) % (i + 1) : i;

		p[i] = p[j];
		p[j] = (uint16_t)i;
	}
	return p;
}

/* Of all planes, one after the other; @n: of each.  @name: NULL: by their coordinates */
static struct ibc_node **make_tier(struct tree *t, const char *name, int min_digits, uint64_t n,
                                   uint64_t ports)
{
	uint64_t all = n * t->shape.planes;
	struct ibc_node **tier = arena_array(t->arena, all + 1, sizeof(struct ibc_node *));
	char desc[40], plane[24] = "";

	for (uint64_t i = 0; i < all; i++) {
		if (t->shape.planes > 1)
			snprintf(plane, sizeof(plane), "-p%llu", (unsigned long long)(i / n + 1));
		if (name)
			snprintf(desc, sizeof(desc), "%s%0*llu%s", name,
			         synth_digits(n, min_digits), (unsigned long long)(i % n) + 1,
			         plane);
		else
			synth_coordinates(&t->shape, i, desc, sizeof(desc));
		tier[i] = synth_node(t, IBC_NODE_SWITCH,
		                     (unsigned int)(t->shape.radix ? t->shape.radix : ports), desc);
	}
	return tier;
}

/* HCA r of each host of a group of leaves sits on its leaf r. */
static void wire_hosts(struct tree *t)
{
	const struct shape *s = &t->shape;
	uint64_t leaves = s->pods * s->leaves, hosts = leaves / s->rails * s->hosts;
	struct ibc_node *hca;
	char desc[48];

	for (uint64_t leaf = 0; leaf < leaves; leaf++)
		for (uint64_t h = 0; h < s->hosts; h++) {
			uint64_t host = leaf / s->rails * s->hosts + h;

			snprintf(desc, sizeof(desc), "node%0*llu mlx5_%llu", synth_digits(hosts, 4),
			         (unsigned long long)host + 1,
			         (unsigned long long)(leaf % s->rails));
			hca = synth_node(t, IBC_NODE_CA, (unsigned int)s->planes, desc);
			for (uint64_t p = 0; p < s->planes; p++)
				synth_join(t, t->leaves[p * leaves + leaf], h + 1, hca, p + 1);
		}
}

/* Pods of the next plane are counted on; each has cores of its own. */
static void wire_pod(struct tree *t, uint64_t pod)
{
	const struct shape *s = &t->shape;
	struct ibc_node **cores = t->cores + pod / s->pods * s->spines * s->uplinks;

	for (uint64_t leaf = 0; leaf < s->leaves; leaf++)
		for (uint64_t spine = 0; spine < s->spines; spine++)
			for (uint64_t c = 1; c <= s->cables; c++)
				synth_join(t, t->leaves[pod * s->leaves + leaf],
				           s->hosts + spine * s->cables + c,
				           t->spines[pod * s->spines + spine],
				           leaf * s->cables + c);
	for (uint64_t spine = 0; spine < s->spines; spine++)
		for (uint64_t u = 0; u < s->uplinks; u++)
			synth_join(t, t->spines[pod * s->spines + spine],
			           s->leaves * s->cables + u + 1, cores[spine * s->uplinks + u],
			           pod % s->pods + 1);
}

static int make_network(void *ctx)
{
	struct tree *t = ctx;
	const struct shape *s = &t->shape;
	uint64_t random = s->seed;

	t->subnet = fabric_build_subnet(t->build, t->spec, "synth");
	t->subnet->provides = SMPS;
	if (ibc_attrs_has(t->needs, IBC_ATTR_GENERAL_INFO))
		ibc_attrs_add(&t->subnet->provides, IBC_ATTR_GENERAL_INFO);
	/* what a device counts; details follow only where their parent did */
	if (ibc_attrs_has(t->needs, IBC_ATTR_PORT_COUNTERS)) {
		ibc_attrs_add(&t->subnet->provides, IBC_ATTR_PORT_COUNTERS);
		ibc_attrs_add(&t->subnet->provides, IBC_ATTR_PORT_COUNTERS_EXT);
		t->counters = arena_alloc(fabric_build_arena(t->build), sizeof(*t->counters));
		t->counters->known = (1u << IBC_LOCAL_PHYSICAL) - 1;
	}
	t->guids = new_permutation(t->arena, synth_nodes(s), s->seed ? &random : NULL);
	t->lids = new_permutation(t->arena, synth_nodes(s), s->seed ? &random : NULL);
	t->sm_lid = synth_lid(t, (unsigned int)synth_switches(s)); /* the first host */
	t->leaves = make_tier(t, s->dims ? NULL : "leaf", 2, s->pods * s->leaves,
	                      synth_leaf_ports(s));
	t->spines = make_tier(t, "spine", 2, s->pods * s->spines, synth_spine_ports(s));
	t->cores = make_tier(t, "core", 3, s->spines * s->uplinks, s->pods);
	wire_hosts(t);
	for (uint64_t pod = 0; pod < s->pods * s->planes; pod++)
		wire_pod(t, pod);
	synth_network(t);
	synth_govern(t, t->needs);
	return 0;
}

int source_synth(const char *spec, const struct ibc_source_opts *opts, struct fabric_build *b,
                 struct ibc_error *err)
{
	struct tree t = { .spec = spec, .needs = opts ? opts->needs : IBC_ATTRS(), .build = b };
	int rc = synth_read(&t.shape, spec, err);

	if (rc)
		return rc;
	t.arena = arena_new();
	rc = fabric_build_run(b, t.arena, make_network, &t);
	arena_free(t.arena);
	return rc ? fail_nomem(err) : 0;
}
