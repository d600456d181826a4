/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKWIRE_H
#define MKWIRE_H

/*
 * A fabric taken apart, to be changed and put together again: nodes keep their place in
 * the list whatever they are called, so that a test knows who is who.
 *
 *	struct wires plan = wires_of("synth:fattree:leaves=4,spines=3,hosts=5");
 *	struct wires real = wires_copy(&plan);
 *
 *	wires_rename(&real);
 *	wires_cross(&real, 3, 17);
 *	fab = wires_done(&real);
 *
 * Include it after <cmocka.h>.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "mkfab.h"
#include "source/source.h"

struct wire_node {
	uint64_t guid;
	char desc[64];
	uint8_t type, num_ports;
	bool gone, named_only;
};

struct wire_end {
	uint32_t node;
	uint8_t port;
};

struct wire_cable {
	struct wire_end end[2];
	bool gone;
};

struct wires {
	struct wire_node *nodes;
	struct wire_cable *cables;
	size_t num_nodes, num_cables;
	uint64_t random;
};

static inline void *wires_room(size_t n, size_t size)
{
	void *room = calloc(n + 1, size);

	assert_non_null(room);
	return room;
}

static inline struct ibc_fabric *wires_load(const char *spec)
{
	struct ibc_error err = { "" };
	struct fabric_build *b;
	struct ibc_fabric *fab;

	assert_int_equal(fabric_build_new(&b, NULL), 0);
	if (source_synth(spec, NULL, b, &err))
		fail_msg("%s: %s", spec, err.text);
	assert_int_equal(fabric_build_finish(b, &fab, NULL), 0);
	return fab;
}

/* Takes a fabric of one subnet apart. */
static inline struct wires wires_of(const char *spec)
{
	struct ibc_fabric *fab = wires_load(spec);
	struct ibc_fabric_counts n = ibc_fabric_count(fab);
	struct wires w = { .num_nodes = n.nodes, .random = 1 };
	const struct ibc_node *node;
	const struct ibc_port *p;

	w.nodes = wires_room(n.nodes, sizeof(*w.nodes));
	w.cables = wires_room(n.cables, sizeof(*w.cables));
	for (uint32_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		w.nodes[i] = (struct wire_node){ .guid = node->guid,
			                         .type = node->type,
			                         .num_ports = node->num_ports };
		snprintf(w.nodes[i].desc, sizeof(w.nodes[i].desc), "%s", node->desc);
		for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
			if (ibc_port_is_near_end(p))
				w.cables[w.num_cables++] = (struct wire_cable){
					.end = { { i, p->num },
					         { (uint32_t)node_order(p->peer->node),
					           p->peer->num } }
				};
	}
	ibc_fabric_free(fab);
	return w;
}

static inline struct wires wires_copy(const struct wires *from)
{
	struct wires w = *from;

	w.nodes = wires_room(w.num_nodes, sizeof(*w.nodes));
	w.cables = wires_room(w.num_cables, sizeof(*w.cables));
	memcpy(w.nodes, from->nodes, w.num_nodes * sizeof(*w.nodes));
	memcpy(w.cables, from->cables, w.num_cables * sizeof(*w.cables));
	return w;
}

static inline void wires_free(struct wires *w)
{
	free(w->nodes);
	free(w->cables);
}

static inline uint64_t wires_next(struct wires *w)
{
	return hash_mix(w->random += 0x9e3779b97f4a7c15);
}

static inline uint32_t wires_random(struct wires *w, size_t below)
{
	return (uint32_t)(wires_next(w) % below);
}

/* ---- names ---- */

static inline uint32_t wires_named(const struct wires *w, const char *desc)
{
	for (uint32_t i = 0; i < w->num_nodes; i++)
		if (strcmp(w->nodes[i].desc, desc) == 0)
			return i;
	fail_msg("no node %s", desc);
	return 0;
}

/* Another device: nothing that it carries is known. */
static inline void wires_replace(struct wires *w, uint32_t node)
{
	/* scattered: the order of GUIDs shall tell nothing */
	w->nodes[node].guid = wires_next(w) >> 1;
	snprintf(w->nodes[node].desc, sizeof(w->nodes[node].desc), "new-%016llx",
	         (unsigned long long)w->nodes[node].guid);
}

static inline void wires_replace_all(struct wires *w)
{
	for (uint32_t i = 0; i < w->num_nodes; i++)
		wires_replace(w, i);
}

/* As a list of cables tells of them: by name. */
static inline void wires_name_only(struct wires *w)
{
	for (uint32_t i = 0; i < w->num_nodes; i++) {
		w->nodes[i].guid = i + 1;
		w->nodes[i].named_only = true;
	}
}

/* ---- faults ---- */

static inline bool wires_is_trunk(const struct wires *w, uint32_t cable)
{
	return w->nodes[w->cables[cable].end[0].node].type == IBC_NODE_SWITCH &&
	       w->nodes[w->cables[cable].end[1].node].type == IBC_NODE_SWITCH;
}

/* Any cable between switches. */
static inline uint32_t wires_trunk(struct wires *w)
{
	uint32_t cable;

	do
		cable = wires_random(w, w->num_cables);
	while (!wires_is_trunk(w, cable));
	return cable;
}

/* Two cables change their second ends. */
static inline void wires_cross(struct wires *w, uint32_t a, uint32_t z)
{
	struct wire_end end = w->cables[a].end[1];

	w->cables[a].end[1] = w->cables[z].end[1];
	w->cables[z].end[1] = end;
}

/* Two devices change places: each is cabled as the other one was. */
static inline void wires_exchange(struct wires *w, uint32_t a, uint32_t z)
{
	for (size_t i = 0; i < w->num_cables; i++) {
		for (int e = 0; e < 2; e++) {
			struct wire_end *end = &w->cables[i].end[e];

			if (end->node == a || end->node == z)
				end->node = end->node == a ? z : a;
		}
	}
}

static inline void wires_remove(struct wires *w, uint32_t node)
{
	w->nodes[node].gone = true;
	for (size_t i = 0; i < w->num_cables; i++)
		if (w->cables[i].end[0].node == node || w->cables[i].end[1].node == node)
			w->cables[i].gone = true;
}

/* ---- together again ---- */

/* In the subnet of m, named to be found by their GUIDs. */
static inline void wires_add(const struct wires *w, struct mkfab m)
{
	struct ibc_node **made = wires_room(w->num_nodes, sizeof(struct ibc_node *));

	for (uint32_t i = 0; i < w->num_nodes; i++) {
		const struct wire_node *n = &w->nodes[i];

		if (n->gone)
			continue;
		made[i] = n->type == IBC_NODE_SWITCH
		              ? mk_switch(m, n->guid, n->desc, n->num_ports)
		              : mk_node(m, n->guid, n->type, n->desc, n->num_ports);
		made[i]->named_only = n->named_only;
	}
	for (size_t i = 0; i < w->num_cables; i++) {
		const struct wire_end *end = w->cables[i].end;
		struct ibc_port *ports[2];

		if (w->cables[i].gone)
			continue;
		for (int e = 0; e < 2; e++) {
			ports[e] = fabric_build_port(made[end[e].node], end[e].port);
			mk_active(ports[e]);
		}
		assert_int_equal(fabric_build_link(ports[0], ports[1]), 0);
	}
	free(made);
}

static inline struct ibc_fabric *wires_done(const struct wires *w)
{
	struct mkfab m = mkfab();

	wires_add(w, m);
	return done(m);
}

#endif
