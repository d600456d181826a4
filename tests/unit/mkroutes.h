/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKROUTES_H
#define MKROUTES_H

/*
 * Forwarding tables for the fabrics of mkfab.h, made when all is cabled:
 *
 *	struct fabric_forwarding *f = mk_tables(m, 40);
 *
 *	mk_min_hop(m, f);
 *	*mk_entry(f, 1, 7) = 3;		switch 1 sends LID 7 by port 3
 *	fab = done(m);
 *
 *	r = routed(m, 1);	or: routes = analyze(fab, 1)
 *	free_routed(r);
 *
 * Include it after mkfab.h.
 */
#include <stdlib.h>

#include <ibcheck/routes.h>

/* Empty tables of LIDs 0 .. num_lids - 1, answered by all switches. */
static inline struct fabric_forwarding *mk_tables(struct mkfab m, unsigned int num_lids)
{
	struct fabric_forwarding *f = fabric_build_forwarding(m.b, m.subnet, num_lids);

	assert_non_null(f);
	memset(f->known, 1, f->tables.stride * ((num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK));
	for (size_t i = 0; i < f->tables.num_switches; i++)
		answers_put(((struct ibc_node *)f->tables.switches[i]), IBC_ATTR_LFT, ANSWER_OK);
	ibc_attrs_add(&m.subnet->provides, IBC_ATTR_LFT);
	return f;
}

/* The entry of a LID in the table of a switch, to be changed. */
static inline uint8_t *mk_entry(struct fabric_forwarding *f, uint64_t guid, unsigned int lid)
{
	for (size_t i = 0; i < f->tables.num_switches; i++)
		if (f->tables.switches[i]->guid == guid)
			return &f->out[lid * f->tables.stride + i];
	fail_msg("no switch 0x%llx", (unsigned long long)guid);
	return NULL;
}

/* The block with that LID was not answered by that switch. */
static inline void mk_unread(struct fabric_forwarding *f, uint64_t guid, unsigned int lid)
{
	size_t column = (size_t)(mk_entry(f, guid, 0) - f->out);
	unsigned int first = lid / IBC_LFT_BLOCK * IBC_LFT_BLOCK;
	struct ibc_node *node = (struct ibc_node *)f->tables.switches[column];

	f->known[lid / IBC_LFT_BLOCK * f->tables.stride + column] = 0;
	for (unsigned int i = first; i < first + IBC_LFT_BLOCK; i++)
		f->out[i * f->tables.stride + column] = IBC_NO_ENTRY;
	answers_put(node, IBC_ATTR_LFT, ANSWER_NONE);
}

/* Sends one LID to its owner by a shortest way, from everywhere, by the lowest port that has one.
 */
static inline void mk_min_hop_to(struct fabric_forwarding *f, const struct ibc_port *dst)
{
	size_t n = f->tables.num_switches, head = 0, tail = 0;
	const struct ibc_node **queue = calloc(n + 1, sizeof(*queue));
	const struct ibc_port *at = dst->num == 0 ? dst : dst->peer;

	assert_non_null(queue);
	*mk_entry(f, at->node->guid, dst->lid) = at->num;
	queue[tail++] = at->node;
	while (head < tail) {
		const struct ibc_node *sw = queue[head++];

		for (unsigned int i = 1; i <= sw->num_ports; i++) {
			const struct ibc_port *far = sw->ports[i].peer;
			uint8_t *entry;

			if (!far || far->node->type != IBC_NODE_SWITCH)
				continue;
			entry = mk_entry(f, far->node->guid, dst->lid);
			if (*entry != IBC_NO_ENTRY)
				continue;
			*entry = far->num;
			queue[tail++] = far->node;
		}
	}
	free(queue);
}

/* All LIDs of the subnet, those of switches too. */
static inline void mk_min_hop(struct mkfab m, struct fabric_forwarding *f)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = fabric_build_node_at(m.b, i)); i++) {
		if (node->subnet != m.subnet)
			continue;
		if (node->type == IBC_NODE_SWITCH)
			mk_min_hop_to(f, &node->ports[0]);
		for (unsigned int num = 1; num <= node->num_ports; num++)
			if (node->type != IBC_NODE_SWITCH && node->ports[num].peer)
				mk_min_hop_to(f, &node->ports[num]);
	}
}

/* What its tables do, followed by so many threads; 0: as many as there are processors. */
static inline struct ibc_routes *analyze(const struct ibc_fabric *fab, unsigned int threads)
{
	struct ibc_routes_opts opts = IBC_ROUTES_OPTS_INIT;
	struct ibc_routes *routes;

	opts.threads = threads;
	assert_int_equal(ibc_routes_analyze(fab, &opts, &routes, NULL), 0);
	return routes;
}

struct routed {
	struct ibc_fabric *fab;
	struct ibc_routes *routes;
};

static inline struct routed routed(struct mkfab m, unsigned int threads)
{
	struct routed r = { .fab = done(m) };

	r.routes = analyze(r.fab, threads);
	return r;
}

static inline void free_routed(struct routed r)
{
	ibc_routes_free(r.routes);
	ibc_fabric_free(r.fab);
}

#endif
