/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapters of hosts with several, exchanged.  Hosts are of one type if they have adapters
 * of the same names.  If nearly all adapters of a type are on leaves where most of their
 * name are, that is the rule, and two that are each where the other belongs are exchanged.
 * Within a rail, the other adapters of a host show on which of its leaves it belongs: by
 * where hosts that share those leaves have theirs.  One that deviates alone may be meant.
 *
 * Where PCI addresses are known (HierarchyInfo), adapters of one address are meant instead.
 *
 * A name is no number of a rail: login and storage nodes number theirs otherwise, so types
 * vote apart.  Two rails cannot show which of two hosts moved within one of them.
 *
 * Then rails that are in parts, and hosts that lack one.  Leaves of a rail hang together if there
 * is a path between them; where most rails do not, that is meant, and so is a rail whose leaves are
 * islands.  A host lacks a rail if it is on leaves of all others: the names of its adapters do not
 * show it, as those left are numbered from 0 again.  Its own name does: hosts that are called
 * like those with all rails should have them; login nodes may have one less.  What hosts of several
 * types show is reported once, for the first of them.
 *
 * O(adapters times rails, switches times parts of a rail, hosts times hosts that lack one).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/majority.h"
#include "analysis/tree/overlap.h"
#include "analysis/tree/railvotes.h"
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

/* why each: doc/wiring.md, table 5, part G */
#define SLOTS_MAX   64   /* names of adapters, in all */
#define RAILS_MAX   16   /* adapters of a host */
#define VOTERS_MIN  3    /* that speak for a leaf */
#define HOSTS_MIN   8    /* of a type that has a rule */
#define RULE_TENTHS 9    /* of the adapters of a type are where their like are */
#define STRAYS_MAX  4096 /* more are no faults */
#define WITNESS_MIN 2    /* other adapters of a host, and of those there are */
#define WITNESS_4TH 3    /* so many quarters agree */
#define LACK_MIN    3    /* rails, of which a host lacks one: with two, hosts with one are usual */
#define LACK_TENTHS 1    /* of the hosts lack one; if more, that is meant */
#define NO_RAIL     UINT32_MAX

/* struct adapter - @port: its own, cabled to a leaf */
struct adapter {
	const struct ibc_port *port;
	uint32_t leaf;
	uint8_t slot;
};

/*
 * struct rail_host
 * @by_pci: its slots are PCI addresses, which stay as they are where an adapter is lost
 * @slots: set of slots, one adapter each, in their order
 * @reported: that it lacks a rail
 */
struct rail_host {
	uint32_t first, num;
	uint64_t slots;
	bool reported, by_pci;
};

/*
 * struct rails
 * @hosts: by type
 */
struct rails {
	struct ibc_fattree *tree;
	struct {
		const char *name;
		unsigned int port, pci;
	} slots[SLOTS_MAX];
	unsigned int num_slots;
	struct adapter *adapters;
	struct rail_host *hosts;
	uint32_t num_hosts;
	struct sets parts;             /* switches that hang together */
	bool *reported;                /* by switch: of a rail that is reported to be in parts */
	const struct ibc_node **alone; /* adapters that deviate, and none is their pair */
	size_t num_alone;
};

/* struct place - the leaf that most of some hosts are on, if so many as @have are most of them */
struct place {
	struct majority leaf;
	uint32_t have;
};

/*
 * struct rail_type - hosts of one type
 * @rails: adapters of each
 * @votes: which rail each leaf is of
 * @places: by rail, leaf, other rail: where hosts on that leaf have the other
 */
struct rail_type {
	struct rails *all;
	const struct rail_host *hosts;
	uint32_t n, rails;
	struct rail_votes votes;
	struct place *places;
};

static inline const struct adapter *rail_adapter(const struct rail_type *t, uint32_t host,
                                                 uint32_t rail)
{
	return &t->all->adapters[t->hosts[host].first + rail];
}

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
		if (host->num < 2 || host->num > RAILS_MAX)
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

/* Two adapters, each where the other belongs. */
static void report_exchange(const struct rail_type *t, const struct ibc_port *x,
                            const struct ibc_port *y, const char *why)
{
	struct arena *a = t->all->tree->arena;
	struct wiring_case *c = wiring_add(t->all->tree, WIRING_RAIL, true, NULL);
	struct repair_step *step = arena_alloc(a, sizeof(*step));

	c->num_found = c->num_gaps = 2;
	c->found = arena_array(a, 2, sizeof(struct ibc_port *));
	c->gaps = arena_array(a, 2, sizeof(*c->gaps));
	c->found[0] = x;
	c->found[1] = y;
	c->gaps[0] = (struct wiring_gap){ { x->node, x->num }, { y->peer->node, y->peer->num } };
	c->gaps[1] = (struct wiring_gap){ { y->node, y->num }, { x->peer->node, x->peer->num } };
	*step = (struct repair_step){ .action = IBC_ACTION_EXCHANGE,
		                      .from = jack_of(x->peer),
		                      .to = jack_of(y->peer),
		                      .peer = jack_of(x),
		                      .to_peer = jack_of(y) };
	c->steps = step;
	c->num_steps = 1;
	c->why = why;
}

/* ---- pairs -------------------------------------------------------------------------------- */

/*
 * struct stray - an adapter that belongs elsewhere
 * @here, @there: equal for those that are, and belong, at the same place
 */
struct stray {
	const struct adapter *adapter;
	uint32_t host, here, there;
	bool reported;
};

/* Those of one host first; what is left has no pair. */
static void pair_strays(struct rail_type *t, struct stray *all, uint32_t n, const char *why)
{
	for (int any = 0; any < 2 && n < STRAYS_MAX; any++)
		for (uint32_t x = 0; x < n; x++)
			for (uint32_t y = x + 1; y < n; y++) {
				if (!any && all[y].host != all[x].host)
					break; /* they stand side by side */
				if (all[x].reported || all[y].reported ||
				    all[x].here != all[y].there || all[x].there != all[y].here)
					continue;
				all[x].reported = all[y].reported = true;
				report_exchange(t, all[x].adapter->port, all[y].adapter->port, why);
			}
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

/* ---- rails in parts ----------------------------------------------------------------------- */

static bool is_of_rail(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	return t->votes.usual[leaf] == rail && *rail_votes_of(&t->votes, leaf, rail) >= VOTERS_MIN;
}

static bool hang_together(const struct rail_type *t, uint32_t leaf, uint32_t other)
{
	return set_of(&t->all->parts, leaf) == set_of(&t->all->parts, other);
}

/* Leaves of a rail that hang together with one of them. */
static uint32_t leaves_with(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		n += is_of_rail(t, s, rail) && hang_together(t, s, leaf);
	return n;
}

/* A leaf of the largest part of a rail, or NO_SWITCH; *whole: there is no other part. */
static uint32_t largest_part(const struct rail_type *t, uint32_t rail, bool *whole)
{
	uint32_t best = NO_SWITCH, most = 0;

	*whole = true;
	for (uint32_t s = 0; s < t->all->tree->switches.n; s++) {
		uint32_t n;

		if (!is_of_rail(t, s, rail) || (best != NO_SWITCH && hang_together(t, s, best)))
			continue;
		n = leaves_with(t, s, rail);
		*whole &= best == NO_SWITCH;
		if (n > most) {
			best = s;
			most = n;
		}
	}
	return best;
}

static const char *rail_name(const struct rail_type *t, uint32_t rail)
{
	return t->all->slots[rail_adapter(t, 0, rail)->slot].name;
}

/*
 * Each leaf by itself, as of a rail for storage that was built without spines.  One leaf of two
 * that lost its cables differs from the other.
 */
static bool are_islands(const struct rail_type *t, uint32_t leaf, uint32_t rail)
{
	const uint32_t *first = t->all->tree->switches.first_pair;

	for (uint32_t s = 0; s < t->all->tree->switches.n; s++)
		if (is_of_rail(t, s, rail) &&
		    (first[s + 1] > first[s]) != (first[leaf + 1] > first[leaf]))
			return false;
	return leaves_with(t, leaf, rail) == 1;
}

/* The leaves of the smaller parts of a rail; it is reported then, for other types too. */
static void report_parts(const struct rail_type *t, uint32_t rail, uint32_t largest,
                         const char *others)
{
	struct rails *r = t->all;
	const struct switches *sw = &r->tree->switches;
	const struct ibc_node **nodes = arena_array(r->tree->arena, sw->n,
	                                            sizeof(struct ibc_node *));
	struct wiring_case *c;
	size_t n = 0;

	for (uint32_t s = 0; s < sw->n; s++) {
		if (!is_of_rail(t, s, rail))
			continue;
		if (!hang_together(t, s, largest) && !r->reported[s])
			nodes[n++] = sw->nodes[s];
		r->reported[s] = true;
	}
	if (!n)
		return;
	c = wiring_add(r->tree, WIRING_RAIL_PARTS, true, NULL);
	c->nodes = nodes;
	c->num_nodes = n;
	c->why = arena_printf(r->tree->arena,
	                      "no path to %s and the other leaf switches of rail %s, and %s whole",
	                      sw->nodes[largest]->label, rail_name(t, rail), others);
}

/* Rails in parts beside most that are whole; where most are in parts, that is meant. */
static void look_at_parts(const struct rail_type *t)
{
	uint32_t largest[RAILS_MAX], whole = 0, parted = 0;
	const char *others;

	for (uint32_t k = 0; k < t->rails; k++) {
		bool is_whole;

		largest[k] = largest_part(t, k, &is_whole);
		if (largest[k] == NO_SWITCH)
			continue;
		whole += is_whole;
		if (is_whole || are_islands(t, largest[k], k))
			largest[k] = NO_SWITCH;
		else
			parted++;
	}
	others = arena_printf(t->all->tree->tmp,
	                      whole + parted == 2 ? "the other rail of these %u hosts is"
	                                          : "most other rails of these %u hosts are",
	                      t->n);
	for (uint32_t k = 0; whole >= parted && k < t->rails; k++)
		if (largest[k] != NO_SWITCH)
			report_parts(t, k, largest[k], others);
}

/* ---- hosts that lack a rail ----------------------------------------------------------------- */

static const char *rail_host_name(const struct rail_type *t, const struct rail_host *host)
{
	return t->all->adapters[host->first].port->node->host_name;
}

static const char *after_digits(const char *text)
{
	return text + strspn(text, "0123456789");
}

static bool are_called_alike(const char *a, const char *z)
{
	for (a = after_digits(a), z = after_digits(z); *a && *a == *z;) {
		a = after_digits(a + 1);
		z = after_digits(z + 1);
	}
	return *a == *z;
}

/* The rail that a host lacks, which is on the leaves of all others; or NO_RAIL. */
static uint32_t lacked_rail(const struct rail_type *t, const struct rail_host *host)
{
	uint32_t has = 0, all = (1u << t->rails) - 1, like = 0;

	for (uint32_t i = 0; i < host->num; i++) {
		uint32_t leaf = t->all->adapters[host->first + i].leaf;

		if (is_of_rail(t, leaf, t->votes.usual[leaf]))
			has |= 1u << t->votes.usual[leaf];
	}
	if (t->rails < LACK_MIN || host->num + 1 != t->rails ||
	    (uint32_t)__builtin_popcount(has) != host->num)
		return NO_RAIL;
	/* is it called like one that has all rails, but for digits?  Login nodes are not */
	while (like < t->n &&
	       !are_called_alike(rail_host_name(t, host), rail_host_name(t, &t->hosts[like])))
		like++;
	return like < t->n ? (uint32_t)__builtin_ctz(all & ~has) : NO_RAIL;
}

/*
 * A unit all hosts of which lack one is not reported: none of its leaves is then known to be of a
 * rail, and it may be meant.
 */
static void look_at_lacks(const struct rail_type *t)
{
	struct rails *r = t->all;
	struct arena *a = r->tree->arena;
	uint32_t n = 0;

	for (uint32_t h = 0; h < r->num_hosts; h++)
		n += lacked_rail(t, &r->hosts[h]) != NO_RAIL;
	for (uint32_t h = 0; n * 10 <= t->n * LACK_TENTHS && h < r->num_hosts; h++) {
		struct rail_host *host = &r->hosts[h];
		uint32_t rail = lacked_rail(t, host);
		struct wiring_case *c;

		if (rail == NO_RAIL || host->reported)
			continue;
		host->reported = true;
		c = wiring_add(r->tree, WIRING_RAIL_HOST, true,
		               r->adapters[host->first].port->node);
		c->why = arena_printf(a, "%u hosts that have %u of them have one on rail %s too",
		                      t->n, t->rails, rail_name(t, rail));
	}
}

/* ---- all types ---------------------------------------------------------------------------- */

static void look_at_type(struct rails *r, const struct rail_host *hosts, uint32_t n)
{
	struct rail_type t = { .all = r, .hosts = hosts, .n = n, .rails = hosts[0].num };
	uint64_t home = 0;

	if (n < HOSTS_MIN)
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
	look_at_parts(&t);
	look_at_lacks(&t);
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
