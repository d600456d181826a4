/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapters of hosts with several, exchanged.  Hosts are of one type if they have adapters
 * of the same names.  If nearly all adapters of a type are on leaves where most of their
 * name are, that is the rule, and those that are each where another of them belongs are exchanged.
 * Within a rail, the other adapters of a host show on which of its leaves it belongs: by
 * where hosts that share those leaves have theirs.  One that deviates alone may be meant.
 *
 * Where PCI addresses are known (HierarchyInfo), adapters of one address are meant instead.
 *
 * A name is no number of a rail: login and storage nodes number theirs otherwise, so types
 * vote apart.  Two rails cannot show which of two hosts moved within one of them.
 *
 * O(adapters times rails).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/rails/rails.h"
#include "analysis/tree/majority.h"
#include "analysis/tree/overlap.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

/* why each: doc/wiring.md, table 5, part G */
#define HOSTS_MIN   8    /* of a type that has a rule */
#define RULE_TENTHS 9    /* of the adapters of a type are where their like are */
#define STRAYS_MAX  4096 /* more are no faults */
#define WITNESS_MIN 2    /* other adapters of a host, and of those there are */
#define WITNESS_4TH 3    /* so many quarters agree */
#define RING_ACROSS 3    /* adapters of several hosts that are rotated; of one host all may be */
#define RING_MANY   64   /* where so many deviate only pairs mean anything across hosts */

/* ---- votes ---------------------------------------------------------------------------------- */

void rail_votes_init(struct rail_votes *v, struct arena *arena, uint32_t leaves, uint32_t rails)
{
	*v = (struct rail_votes){ .leaves = leaves, .rails = rails };
	v->votes = arena_array(arena, (size_t)leaves * rails + 1, sizeof(*v->votes));
	v->usual = arena_array(arena, leaves + 1u, sizeof(*v->usual));
}

void rail_votes_count(struct rail_votes *v)
{
	for (uint32_t leaf = 0; leaf < v->leaves; leaf++)
		for (uint32_t k = 1; k < v->rails; k++)
			if (*rail_votes_of(v, leaf, k) > *rail_votes_of(v, leaf, v->usual[leaf]))
				v->usual[leaf] = k;
}

uint32_t rail_votes_sum(const struct rail_votes *v, uint32_t leaf)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < v->rails; k++)
		sum += *rail_votes_of(v, leaf, k);
	return sum;
}

/* ---- hosts and their adapters -------------------------------------------------------------- */

/* "mlx5_0", by which adapters of a host differ; NULL: it has no such name. */
static const char *hca_name(const struct ibc_node *node)
{
	const char *const texts[] = { node->desc, node->name };

	for (size_t i = 0; i < 2; i++) {
		const char *space = strrchr(texts[i], ' '), *name = space ? space + 1 : texts[i];

		if (is_hca_name(name))
			return name;
	}
	return NULL;
}

static int by_slot(const void *va, const void *vz)
{
	const struct adapter *a = va, *z = vz;

	return order_u64(a->slot, z->slot);
}

/* The planes of an HCA are one adapter: the first that has a cable speaks for it. */
static bool is_other_plane(const struct ibc_port *port)
{
	unsigned int num = port->num;

	while (node_planes(port->node) && --num)
		if (port->node->ports[num].peer)
			return true;
	return false;
}

/* Is the PCI address of each HCA known, and another one?  The domain is not. */
static bool differ_by_pci(const struct ibc_fabric_host *h)
{
	for (size_t i = 0; i < h->num_nodes; i++) {
		const struct ibc_port *p = ibc_node_port(h->nodes[i], 1);

		if (!p || !p->extra->pci)
			return false;
		for (size_t k = 0; k < i; k++)
			if (ibc_node_port(h->nodes[k], 1)->extra->pci == p->extra->pci)
				return false;
	}
	return true;
}

static void add_adapter(struct rails *r, struct rail_host *host, const struct ibc_port *p)
{
	unsigned int i = 0, pci = host->by_pci ? p->extra->pci : 0;
	const char *name = hca_name(p->node) ?: pci ? ibc_port_label(p) : NULL;

	if (!p->peer || p->peer->node->type != IBC_NODE_SWITCH || !name)
		return;
	while (i < r->num_slots && (r->slots[i].port != p->num || r->slots[i].pci != pci ||
	                            (!pci && strcmp(r->slots[i].name, name) != 0)))
		i++;
	if (i == SLOTS_MAX || host->slots & 1ull << i)
		return;
	if (i == r->num_slots) {
		r->slots[r->num_slots].name = name;
		r->slots[r->num_slots].pci = pci;
		r->slots[r->num_slots++].port = p->num;
	}
	host->slots |= 1ull << i;
	r->adapters[host->first + host->num++] = (struct adapter){
		.port = p,
		.leaf = switch_number(&r->tree->switches, p->peer->node),
		.slot = (uint8_t)i,
	};
}

static int by_type(const void *va, const void *vz)
{
	const struct rail_host *a = va, *z = vz;

	return order_u64(a->slots, z->slots) ?: order_u64(a->first, z->first);
}

static void collect_adapters(struct rails *r)
{
	struct ibc_fabric_counts sizes = ibc_fabric_count(r->tree->fab);
	const struct ibc_fabric_host *h;
	const struct ibc_port *p;
	uint32_t n = 0;

	r->adapters = arena_array(r->tree->tmp, sizes.ports + 1, sizeof(*r->adapters));
	r->hosts = arena_array(r->tree->tmp, sizes.hosts + 1, sizeof(*r->hosts));
	for (size_t i = 0; (h = ibc_fabric_host(r->tree->fab, i)); i++) {
		struct rail_host *host = &r->hosts[r->num_hosts];

		*host = (struct rail_host){ .first = n, .by_pci = differ_by_pci(h) };
		for (size_t k = 0; k < h->num_nodes; k++)
			for (unsigned int num = 1; (p = ibc_node_port(h->nodes[k], num)); num++)
				if (!is_other_plane(p))
					add_adapter(r, host, p);
		if (!host->num || host->num > RAILS_MAX)
			continue;
		qsort(&r->adapters[n], host->num, sizeof(*r->adapters), by_slot);
		n += host->num;
		r->num_hosts++;
	}
	qsort(r->hosts, r->num_hosts, sizeof(*r->hosts), by_type);
	r->alone = arena_array(r->tree->arena, n + 1u, sizeof(struct ibc_node *));
}

/* ---- the rule of a type ---------------------------------------------------------------------- */

static bool is_home(const struct rail_type *t, uint32_t host, uint32_t rail)
{
	return t->votes.usual[rail_adapter(t, host, rail)->leaf] == rail;
}

static struct jack jack_of(const struct ibc_port *p)
{
	return (struct jack){ (uint32_t)node_order(p->node), p->num };
}

/* ---- exchanges ----------------------------------------------------------------------------- */

/*
 * struct stray - an adapter that belongs elsewhere
 * @here, @there: equal for those that are, and belong, at the same place
 */
struct stray {
	const struct adapter *adapter;
	uint32_t host, here, there;
	bool reported;
};

/* Adapters, each of which belongs where the one before it is, and the first where the last is. */
static void report_ring(const struct rail_type *t, struct stray *const *ring, uint32_t n,
                        const char *why)
{
	struct arena *a = t->all->tree->arena;
	struct wiring_case *c = wiring_add(t->all->tree, WIRING_RAIL, true, NULL);
	struct repair_step *steps = arena_array(a, n, sizeof(*steps));

	c->num_found = c->num_gaps = n;
	c->found = arena_array(a, n, sizeof(struct ibc_port *));
	c->gaps = arena_array(a, n, sizeof(*c->gaps));
	for (uint32_t i = 0; i < n; i++) {
		const struct ibc_port *p = ring[i]->adapter->port;
		const struct ibc_port *there = ring[(i + n - 1) % n]->adapter->port->peer;

		ring[i]->reported = true;
		c->found[i] = p;
		c->gaps[i] = (struct wiring_gap){ { p->node, p->num },
			                          { there->node, there->num } };
		/* the first goes from place to place, and each that it meets is right then */
		if (i)
			steps[c->num_steps++] = (struct repair_step){
				.action = IBC_ACTION_EXCHANGE,
				.from = jack_of(there),
				.to = jack_of(p->peer),
				.peer = jack_of(c->found[0]),
				.to_peer = jack_of(p),
			};
	}
	c->steps = steps;
	c->why = why;
}

/* Closes a ring of so many of n strays that begins with the ones in it. */
static bool close_ring(struct stray *all, uint32_t n, struct stray **ring, uint32_t at,
                       uint32_t length)
{
	for (uint32_t y = 0; y < n; y++) {
		bool used = all[y].reported || all[y].there != ring[at - 1]->here;

		for (uint32_t i = 0; i < at; i++)
			used |= ring[i] == &all[y];
		if (used)
			continue;
		ring[at] = &all[y];
		if (at + 1 < length ? close_ring(all, n, ring, at + 1, length)
		                    : all[y].here == ring[0]->there)
			return true;
	}
	return false;
}

static void report_rings(const struct rail_type *t, struct stray *all, uint32_t n, uint32_t most,
                         const char *why)
{
	struct stray *ring[RAILS_MAX];

	for (uint32_t length = 2; length <= most; length++)
		for (uint32_t x = 0; x < n; x++) {
			ring[0] = &all[x];
			if (!all[x].reported && close_ring(all, n, ring, 1, length))
				report_ring(t, ring, length, why);
		}
}

/* Those of one host first; what is left has no pair. */
static void pair_strays(const struct rail_type *t, struct stray *all, uint32_t n, const char *why)
{
	for (uint32_t x = 0, end; x < n; x = end) {
		for (end = x + 1; end < n && all[end].host == all[x].host;)
			end++;
		report_rings(t, &all[x], end - x, end - x, why);
	}
	if (n < STRAYS_MAX)
		report_rings(t, all, n, n < RING_MANY ? RING_ACROSS : 2, why);
	for (uint32_t x = 0; x < n; x++)
		if (!all[x].reported)
			t->all->alone[t->all->num_alone++] = all[x].adapter->port->node;
}

/* Adapters among those of another name. */
static void between_rails(struct rail_type *t)
{
	struct stray *all = arena_array(t->all->tree->tmp, (size_t)t->n * t->rails + 1,
	                                sizeof(*all));
	uint32_t n = 0;

	for (uint32_t h = 0; h < t->n; h++) {
		for (uint32_t k = 0; k < t->rails; k++) {
			const struct adapter *a = rail_adapter(t, h, k);
			uint32_t rail = t->votes.usual[a->leaf];

			if (rail != k && *rail_votes_of(&t->votes, a->leaf, rail) >= VOTERS_MIN)
				all[n++] = (struct stray){ a, h, rail, k, false };
		}
	}
	pair_strays(
	    t, all, n,
	    arena_printf(
		t->all->tree->arena,
		"nearly all of %u hosts with %u HCAs have each HCA on its own leaf switches", t->n,
		t->rails));
}

/* ---- within a rail ------------------------------------------------------------------------ */

/* Where the hosts that have a rail on a leaf have another one. */
static struct place *rail_place(const struct rail_type *t, uint32_t rail, uint32_t leaf,
                                uint32_t other)
{
	return &t->places[((size_t)rail * t->all->tree->switches.n + leaf) * t->rails + other];
}

static void find_places(struct rail_type *t)
{
	t->places = arena_array(t->all->tree->tmp,
	                        (size_t)t->rails * t->all->tree->switches.n * t->rails + 1,
	                        sizeof(*t->places));
	for (int pass = 0; pass < 2; pass++) /* votes, then counts who agrees */
		for (uint32_t h = 0; h < t->n; h++)
			for (uint32_t k = 0; k < t->rails * t->rails; k++) {
				uint32_t leaf = rail_adapter(t, h, k / t->rails)->leaf;
				uint32_t its = rail_adapter(t, h, k % t->rails)->leaf;
				struct place *p = rail_place(t, k / t->rails, leaf, k % t->rails);

				if (!pass)
					majority_vote(&p->leaf, its);
				p->have += pass && p->leaf.candidate == its;
			}
}

/* Where the other adapters of its host say it belongs, if enough of them agree. */
static uint32_t witnessed_leaf(const struct rail_type *t, uint32_t host, uint32_t rail)
{
	uint32_t says[RAILS_MAX], n = 0;

	for (uint32_t k = 0; k < t->rails; k++) {
		uint32_t leaf = rail_adapter(t, host, k)->leaf;
		uint32_t hosts = *rail_votes_of(&t->votes, leaf, k);
		const struct place *p = rail_place(t, k, leaf, rail);

		if (k != rail && hosts >= VOTERS_MIN && p->have * 4 >= hosts * WITNESS_4TH)
			says[n++] = (uint32_t)p->leaf.candidate;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t agree = 0;

		for (uint32_t k = 0; k < n; k++)
			agree += says[k] == says[i];
		if (agree >= WITNESS_MIN && agree * 4 >= n * WITNESS_4TH)
			return says[i];
	}
	return NO_SWITCH;
}

/* Adapters on another leaf of their own rail. */
static void within_rails(struct rail_type *t)
{
	struct stray *all;
	uint32_t n = 0;

	if (t->rails <= WITNESS_MIN)
		return;
	all = arena_array(t->all->tree->tmp, (size_t)t->n * t->rails + 1, sizeof(*all));
	find_places(t);
	for (uint32_t h = 0; h < t->n; h++) {
		for (uint32_t k = 0; k < t->rails; k++) {
			const struct adapter *a = rail_adapter(t, h, k);
			uint32_t leaf = is_home(t, h, k) ? witnessed_leaf(t, h, k) : NO_SWITCH;

			if (leaf != NO_SWITCH && leaf != a->leaf && t->votes.usual[leaf] == k)
				all[n++] = (struct stray){ a, h, a->leaf, leaf, false };
		}
	}
	pair_strays(t, all, n,
	            arena_printf(t->all->tree->arena,
	                         "the other %u HCAs of each host are on leaf switches whose hosts "
	                         "have this HCA there",
	                         t->rails - 1));
}

/* ---- all types ---------------------------------------------------------------------------- */

static void look_at_type(struct rails *r, const struct rail_host *hosts, uint32_t n)
{
	struct rail_type t = { .all = r, .hosts = hosts, .n = n, .rails = hosts[0].num };
	uint64_t home = 0;

	if (n < HOSTS_MIN || t.rails < 2)
		return;
	rail_votes_init(&t.votes, r->tree->tmp, r->tree->switches.n, t.rails);
	for (uint32_t h = 0; h < n; h++)
		for (uint32_t k = 0; k < t.rails; k++)
			++*rail_votes_of(&t.votes, rail_adapter(&t, h, k)->leaf, k);
	rail_votes_count(&t.votes);
	for (uint32_t h = 0; h < n; h++)
		for (uint32_t k = 0; k < t.rails; k++)
			home += is_home(&t, h, k);
	if (home * 10 < (uint64_t)n * t.rails * RULE_TENTHS)
		return;
	between_rails(&t);
	within_rails(&t);
	rail_parts(&t);
	rail_lacks(&t);
}

void wiring_rails(struct ibc_fattree *tree)
{
	struct rails r = { .tree = tree };
	struct wiring_case *c;

	collect_adapters(&r);
	sets_of_paths(tree->tmp, &tree->switches, &r.parts);
	r.reported = arena_array(tree->tmp, tree->switches.n + 1u, sizeof(*r.reported));
	for (uint32_t i = 0, end; i < r.num_hosts; i = end) {
		for (end = i + 1; end < r.num_hosts && r.hosts[end].slots == r.hosts[i].slots;)
			end++;
		look_at_type(&r, &r.hosts[i], end - i);
	}
	if (!r.num_alone)
		return;
	c = wiring_add(tree, WIRING_RAIL, false, NULL);
	c->nodes = r.alone;
	c->num_nodes = r.num_alone;
	c->why =
	    "on another leaf switch than the same HCA of other hosts, and no HCA is in their place";
}
