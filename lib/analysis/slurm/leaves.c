/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves that are one line: those that have more than half of their hosts in common, as the
 * leaves of a host's rails do.  A host is in one line, whatever it is cabled to: that of most of
 * its ports, of as many that of the first.  O(n log n) of the hosts, and of the square of the
 * leaves of each.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/slurm/slurm.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

#define RAILS_MAX 16 /* leaves of a host; one with more says nothing of which belong together */

/* ---- leaves of the same hosts ---------------------------------------------------------- */

/* struct leaf_host - @leaves: each once, in order */
struct leaf_host {
	uint32_t leaves[RAILS_MAX], num;
};

static int by_leaves(const void *a, const void *z)
{
	return memcmp(a, z, sizeof(struct leaf_host));
}

/* struct leaf_pair - leaves that so many hosts are on, both */
struct leaf_pair {
	uint32_t a, z;
	uint64_t hosts;
};

static int by_leaf_pair(const void *va, const void *vz)
{
	const struct leaf_pair *a = va, *z = vz;

	return order_u64(a->a, z->a) ?: order_u64(a->z, z->z);
}

static uint32_t leaf_of(const struct slurm_work *w, const struct ibc_port *p)
{
	return switch_number(&w->tree->switches, p->peer->node);
}

static void join_rails(struct slurm_work *w)
{
	const struct ibc_slurm *s = w->out;
	struct leaf_host *all = arena_array(w->tmp, s->num_hosts + 1, sizeof(*all));
	uint64_t *hosts = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*hosts));
	struct leaf_pair *pairs = NULL;
	size_t n = 0, room = 0;

	for (size_t i = 0; i < s->num_hosts; i++) {
		const struct ibc_slurm_host *h = &s->hosts[i];
		uint32_t leaves[RAILS_MAX], num = 0;

		/* of so many ports the first; what is more counts for its leaf alone */
		for (; num < h->num_ports && num < RAILS_MAX; num++)
			leaves[num] = leaf_of(w, h->ports[num]);
		qsort(leaves, num, sizeof(*leaves), by_u32);
		for (uint32_t k = 0; k < num; k++)
			if (!k || leaves[k - 1] != leaves[k]) {
				all[i].leaves[all[i].num++] = leaves[k];
				hosts[leaves[k]]++;
			}
	}
	qsort(all, s->num_hosts, sizeof(*all), by_leaves);
	for (size_t i = 0, end; i < s->num_hosts; i = end) {
		const struct leaf_host *l = &all[i];

		for (end = i; end < s->num_hosts && !by_leaves(l, &all[end]);)
			end++;
		for (uint32_t a = 0; a < l->num; a++)
			for (uint32_t z = a + 1; z < l->num; z++) {
				arena_grow(w->tmp, &pairs, n, &room, sizeof(*pairs));
				pairs[n++] = (struct leaf_pair){ l->leaves[a], l->leaves[z],
					                         end - i };
			}
	}
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_leaf_pair);
	for (size_t i = 0, end; i < n; i = end) {
		const struct leaf_pair *p = &pairs[i];
		uint64_t both = 0, most = hosts[p->a] > hosts[p->z] ? hosts[p->a] : hosts[p->z];

		for (end = i; end < n && !by_leaf_pair(p, &pairs[end]); end++)
			both += pairs[end].hosts;
		if (both * 2 > most)
			sets_join(&w->sets, p->a, p->z);
	}
}

/* ---- lines ------------------------------------------------------------------------------ */

/* The set of leaves that a host belongs to. */
static uint32_t home_of(const struct slurm_work *w, struct ibc_slurm_host *h)
{
	uint32_t best = 0;
	size_t most = 0;

	for (size_t i = 0; i < h->num_ports; i++) {
		uint32_t set = set_of(&w->sets, leaf_of(w, h->ports[i]));
		size_t n = 0;

		for (size_t k = 0; k < h->num_ports; k++)
			n += set_of(&w->sets, leaf_of(w, h->ports[k])) == set;
		if (n > most)
			best = set;
		most = n > most ? n : most;
	}
	h->split = most < h->num_ports;
	return best;
}

static int by_label(const void *va, const void *vz)
{
	const struct ibc_node *a = *(const struct ibc_node *const *)va;
	const struct ibc_node *z = *(const struct ibc_node *const *)vz;

	return strverscmp(a->label, z->label) ?: order_u64(node_order(a), node_order(z));
}

/* Lines stand in the order of what their switches are called; so do the switches of each. */
static void add_lines(struct slurm_work *w, const uint32_t *hosts, uint32_t *line_of)
{
	const struct switches *sw = &w->tree->switches;
	struct ibc_slurm *s = w->out;
	const struct ibc_node **sorted = arena_array(w->tmp, sw->n + 1u, sizeof(*sorted));
	const struct ibc_node **nodes = arena_array(s->arena, sw->n + 1u, sizeof(*nodes));

	memcpy(sorted, sw->nodes, sw->n * sizeof(*sorted));
	qsort(sorted, sw->n, sizeof(*sorted), by_label);
	for (uint32_t i = 0; i < sw->n; i++) {
		uint32_t set = set_of(&w->sets, switch_number(sw, sorted[i]));

		if (!hosts[set])
			continue;
		if (!line_of[set])
			line_of[set] = (uint32_t)++s->num_lines;
		s->lines[line_of[set] - 1].num_switches++;
	}
	s->num_leaves = s->num_lines;
	for (size_t i = 0; i < s->num_lines; i++) {
		s->lines[i].switches = nodes;
		nodes += s->lines[i].num_switches;
		s->lines[i].num_switches = 0;
	}
	for (uint32_t i = 0; i < sw->n; i++) {
		uint32_t line = line_of[set_of(&w->sets, switch_number(sw, sorted[i]))];
		struct ibc_slurm_switch *l = line ? &s->lines[line - 1] : NULL;

		if (l)
			((const struct ibc_node **)l->switches)[l->num_switches++] = sorted[i];
	}
}

void slurm_leaves(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;
	uint32_t *hosts = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*hosts));
	uint32_t *line_of = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*line_of));
	uint32_t *home = arena_array(w->tmp, s->num_hosts + 1, sizeof(*home));
	const char **names = arena_array(s->arena, s->num_hosts + 1, sizeof(*names));

	/* above the leaves each line has two below it, at least */
	s->lines = arena_array(s->arena, w->tree->switches.n * 2ul + 1, sizeof(*s->lines));
	sets_new(w->tmp, w->tree->switches.n, &w->sets);
	join_rails(w);
	for (size_t i = 0; i < s->num_hosts; i++) {
		home[i] = home_of(w, &s->hosts[i]);
		hosts[home[i]]++;
	}
	add_lines(w, hosts, line_of);
	for (uint32_t i = 0; i < w->tree->switches.n; i++) {
		if (!line_of[i])
			continue;
		s->lines[line_of[i] - 1].children = names;
		names += hosts[i];
	}
	/* hosts are in order, and so are those of each line */
	for (size_t i = 0; i < s->num_hosts; i++) {
		struct ibc_slurm_switch *line = &s->lines[line_of[home[i]] - 1];

		s->hosts[i].leaf = line;
		((const char **)line->children)[line->num_children++] = s->hosts[i].name;
	}
}
