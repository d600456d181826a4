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

/* struct leaf_host - @leaves: each once, in order */
struct leaf_host {
	uint32_t leaves[RAILS_MAX], num;
};

/* struct leaf_pair - leaves that so many hosts are on, both */
struct leaf_pair {
	uint32_t a, z;
	uint64_t hosts;
};

static uint32_t leaf_of(const struct slurm_work *w, const struct ibc_port *p)
{
	return switch_number(&w->tree->switches, p->peer->node);
}

/* ---- leaves of the same hosts ---------------------------------------------------------- */

/* In place, each once; how many. */
static uint32_t sort_unique(uint32_t *all, uint32_t n)
{
	uint32_t kept = 0;

	qsort(all, n, sizeof(*all), by_u32);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || all[kept - 1] != all[i])
			all[kept++] = all[i];
	return kept;
}

/* Of so many ports the first; what is more counts for its leaf alone. */
static struct leaf_host leaves_of(const struct slurm_work *w, const struct ibc_slurm_host *h)
{
	struct leaf_host l = { .num = 0 };

	for (size_t i = 0; i < h->num_ports && i < RAILS_MAX; i++)
		l.leaves[l.num++] = leaf_of(w, h->ports[i]);
	l.num = sort_unique(l.leaves, l.num);
	return l;
}

static int by_leaves(const void *a, const void *z)
{
	return memcmp(a, z, sizeof(struct leaf_host));
}

/* Pairs of the leaves of so many hosts that have all of them. */
static bool add_pairs(struct slurm_work *w, const struct leaf_host *l, uint64_t hosts,
                      struct leaf_pair **pairs, size_t *n, size_t *room)
{
	for (uint32_t i = 0; i < l->num; i++)
		for (uint32_t k = i + 1; k < l->num; k++) {
			if (!arena_grow(w->tmp, pairs, *n, room, sizeof(**pairs)))
				return false;
			(*pairs)[(*n)++] = (struct leaf_pair){ l->leaves[i], l->leaves[k], hosts };
		}
	return true;
}

static int by_pair(const void *va, const void *vz)
{
	const struct leaf_pair *a = va, *z = vz;

	return order_u64(a->a, z->a) ?: order_u64(a->z, z->z);
}

static void join_pairs(struct slurm_work *w, struct leaf_pair *pairs, size_t n,
                       const uint64_t *hosts)
{
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_pair);
	for (size_t i = 0, end; i < n; i = end) {
		const struct leaf_pair *p = &pairs[i];
		uint64_t both = 0, most = hosts[p->a] > hosts[p->z] ? hosts[p->a] : hosts[p->z];

		for (end = i; end < n && !by_pair(p, &pairs[end]); end++)
			both += pairs[end].hosts;
		if (both * 2 > most)
			sets_join(&w->sets, p->a, p->z);
	}
}

static bool join_rails(struct slurm_work *w)
{
	const struct ibc_slurm *s = w->out;
	struct leaf_host *all = arena_array(w->tmp, s->num_hosts + 1, sizeof(*all));
	uint64_t *hosts = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*hosts));
	struct leaf_pair *pairs = NULL;
	size_t n = 0, room = 0;

	if (!all || !hosts)
		return false;
	for (size_t i = 0; i < s->num_hosts; i++) {
		all[i] = leaves_of(w, &s->hosts[i]);
		for (uint32_t k = 0; k < all[i].num; k++)
			hosts[all[i].leaves[k]]++;
	}
	qsort(all, s->num_hosts, sizeof(*all), by_leaves);
	for (size_t i = 0, end; i < s->num_hosts; i = end) {
		for (end = i; end < s->num_hosts && !by_leaves(&all[i], &all[end]);)
			end++;
		if (!add_pairs(w, &all[i], end - i, &pairs, &n, &room))
			return false;
	}
	join_pairs(w, pairs, n, hosts);
	return true;
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

/* Hosts are in order, and so are those of each line. */
static bool fill_lines(struct slurm_work *w, const uint32_t *home)
{
	struct ibc_slurm *s = w->out;
	const char **names = arena_array(s->arena, s->num_hosts + 1, sizeof(*names));
	size_t *to = arena_array(w->tmp, s->num_lines + 1, sizeof(*to));

	if (!names || !to)
		return false;
	for (size_t i = 0, at = 0; i < s->num_lines; i++) {
		to[i] = at;
		s->lines[i].children = names + at;
		at += s->lines[i].num_children;
	}
	for (size_t i = 0; i < s->num_hosts; i++) {
		uint32_t line = w->line_of[home[i]] - 1;

		s->hosts[i].leaf = &s->lines[line];
		names[to[line]++] = s->hosts[i].name;
	}
	return true;
}

/* The switches of each line, of all that a host of it has ports on. */
static bool fill_switches(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;
	const struct switches *sw = &w->tree->switches;
	const struct ibc_node **nodes = arena_array(s->arena, sw->n + 1u,
	                                            sizeof(struct ibc_node *));
	size_t *to = arena_array(w->tmp, s->num_lines + 1, sizeof(*to)), at = 0;

	if (!nodes || !to)
		return false;
	for (uint32_t i = 0; i < sw->n; i++)
		if (w->line_of[set_of(&w->sets, i)]) {
			w->line_of[i] = w->line_of[set_of(&w->sets, i)];
			s->lines[w->line_of[i] - 1].num_switches++;
		}
	for (size_t i = 0; i < s->num_lines; i++) {
		to[i] = at;
		s->lines[i].switches = nodes + at;
		at += s->lines[i].num_switches;
	}
	for (uint32_t i = 0; i < sw->n; i++) {
		uint32_t line = w->line_of[switch_number(sw, w->by_label[i])];

		if (line)
			nodes[to[line - 1]++] = w->by_label[i];
	}
	return true;
}

static int by_label(const void *va, const void *vz)
{
	const struct ibc_node *a = *(const struct ibc_node *const *)va;
	const struct ibc_node *z = *(const struct ibc_node *const *)vz;

	return strverscmp(a->label, z->label) ?: order_u64(node_order(a), node_order(z));
}

/* Lines stand in the order of what their switches are called. */
static bool number_lines(struct slurm_work *w, const uint32_t *hosts)
{
	const struct switches *sw = &w->tree->switches;

	w->by_label = arena_array(w->tmp, sw->n + 1u, sizeof(struct ibc_node *));
	if (!w->by_label)
		return false;
	memcpy(w->by_label, sw->nodes, sw->n * sizeof(struct ibc_node *));
	qsort(w->by_label, sw->n, sizeof(struct ibc_node *), by_label);
	for (uint32_t i = 0; i < sw->n; i++) {
		uint32_t set = set_of(&w->sets, switch_number(sw, w->by_label[i]));

		if (!hosts[set] || w->line_of[set])
			continue;
		w->out->lines[w->out->num_lines].num_children = hosts[set];
		w->line_of[set] = (uint32_t)++w->out->num_lines;
	}
	w->out->num_leaves = w->out->num_lines;
	return true;
}

bool slurm_leaves(struct slurm_work *w)
{
	struct ibc_slurm *s = w->out;
	uint32_t *hosts = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*hosts));
	uint32_t *home = arena_array(w->tmp, s->num_hosts + 1, sizeof(*home));

	/* above the leaves each line has two below it, at least */
	s->lines = arena_array(s->arena, w->tree->switches.n * 2ul + 1, sizeof(*s->lines));
	w->line_of = arena_array(w->tmp, w->tree->switches.n + 1u, sizeof(*w->line_of));
	if (!hosts || !home || !s->lines || !w->line_of ||
	    !sets_new(w->tmp, w->tree->switches.n, &w->sets) || !join_rails(w))
		return false;
	for (size_t i = 0; i < s->num_hosts; i++) {
		home[i] = home_of(w, &s->hosts[i]);
		hosts[home[i]]++;
	}
	return number_lines(w, hosts) && fill_lines(w, home) && fill_switches(w);
}
