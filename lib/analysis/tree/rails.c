/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapters of hosts with several, exchanged.  Hosts are of one type if they have adapters
 * of the same names.  If nearly all adapters of a type are on leaves where most of their
 * name are, that is the rule, and two that are each where the other belongs are exchanged.
 * Within a rail, the other adapters of a host tell on which of its leaves it belongs: by
 * where hosts that share those leaves have theirs.  One that deviates alone may be meant.
 *
 * A name is no number of a rail: login and storage nodes number theirs otherwise, so types
 * vote apart.  Two rails cannot tell which of two hosts moved within one of them.
 *
 * O(adapters times rails).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/majority.h"
#include "analysis/tree/rails.h"
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

/* ---- hosts and their adapters -------------------------------------------------------------- */

/* "mlx5_0", by which adapters of a host are told apart; NULL: nothing is. */
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

/* SLOTS_MAX: there are too many. */
static unsigned int slot_of(struct rails *r, const char *name, unsigned int port)
{
	unsigned int i = 0;

	while (i < r->num_slots && (r->slots[i].port != port || strcmp(r->slots[i].name, name)))
		i++;
	if (i == r->num_slots && i < SLOTS_MAX) {
		r->slots[i].name = name;
		r->slots[i].port = port;
		r->num_slots++;
	}
	return i;
}

static int by_slot(const void *va, const void *vz)
{
	const struct adapter *a = va, *z = vz;

	return (a->slot > z->slot) - (a->slot < z->slot);
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

static void add_adapter(struct rails *r, struct rail_host *host, const struct ibc_port *p)
{
	const char *name = hca_name(p->node);
	unsigned int slot;

	if (!p->peer || p->peer->node->type != IBC_NODE_SWITCH || !name)
		return;
	slot = slot_of(r, name, p->num);
	if (slot == SLOTS_MAX || host->slots & 1ull << slot)
		return;
	host->slots |= 1ull << slot;
	r->adapters[host->first + host->num++] = (struct adapter){
		.port = p,
		.leaf = switch_number(&r->tree->switches, p->peer->node),
		.slot = (uint8_t)slot,
	};
}

static int by_type(const void *va, const void *vz)
{
	const struct rail_host *a = va, *z = vz;

	return order_u64(a->slots, z->slots) ?: order_u64(a->first, z->first);
}

static bool collect_adapters(struct rails *r)
{
	struct ibc_fabric_counts sizes = ibc_fabric_count(r->tree->fab);
	const struct ibc_fabric_host *h;
	const struct ibc_port *p;
	uint32_t n = 0;

	r->adapters = arena_array(r->tree->tmp, sizes.ports + 1, sizeof(*r->adapters));
	r->hosts = arena_array(r->tree->tmp, sizes.hosts + 1, sizeof(*r->hosts));
	if (!r->adapters || !r->hosts)
		return false;
	for (size_t i = 0; (h = ibc_fabric_host(r->tree->fab, i)); i++) {
		struct rail_host *host = &r->hosts[r->num_hosts];

		*host = (struct rail_host){ .first = n };
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
	return r->alone;
}

/* ---- the rule of a type ---------------------------------------------------------------------- */

static void vote_rails(struct rail_type *t)
{
	for (uint32_t h = 0; h < t->n; h++)
		for (uint32_t k = 0; k < t->rails; k++)
			++*rail_votes_of(&t->votes, rail_adapter(t, h, k)->leaf, k);
	rail_votes_count(&t->votes);
}

static bool is_home(const struct rail_type *t, uint32_t host, uint32_t rail)
{
	return t->votes.usual[rail_adapter(t, host, rail)->leaf] == rail;
}

static bool has_rule(const struct rail_type *t)
{
	uint64_t home = 0;

	for (uint32_t h = 0; h < t->n; h++)
		for (uint32_t k = 0; k < t->rails; k++)
			home += is_home(t, h, k);
	return home * 10 >= (uint64_t)t->n * t->rails * RULE_TENTHS;
}

/* ---- telling of it ------------------------------------------------------------------------ */

static struct jack jack_of(const struct ibc_port *p)
{
	return (struct jack){ (uint32_t)node_order(p->node), p->num };
}

static struct wiring_gap adapter_gap(const struct ibc_port *adapter, const struct ibc_port *leaf)
{
	return (struct wiring_gap){ .lower = { adapter->node, adapter->num },
		                    .upper = { leaf->node, leaf->num } };
}

/* Two adapters, each where the other belongs; false: out of memory. */
static bool report_exchange(const struct rail_type *t, const struct ibc_port *x,
                            const struct ibc_port *y, const char *why)
{
	struct arena *a = t->all->tree->arena;
	struct wiring_case *c = wiring_add(t->all->tree, WIRING_RAIL, true);
	struct repair_step *step = arena_alloc(a, sizeof(*step));

	if (!c || !step || !why)
		return false;
	c->found = arena_array(a, 2, sizeof(struct ibc_port *));
	c->gaps = arena_array(a, 2, sizeof(*c->gaps));
	if (!c->found || !c->gaps)
		return false;
	c->found[c->num_found++] = x;
	c->found[c->num_found++] = y;
	c->gaps[c->num_gaps++] = adapter_gap(x, y->peer);
	c->gaps[c->num_gaps++] = adapter_gap(y, x->peer);
	*step = (struct repair_step){ .action = IBC_ACTION_EXCHANGE,
		                      .from = jack_of(x->peer),
		                      .to = jack_of(y->peer),
		                      .peer = jack_of(x),
		                      .to_peer = jack_of(y) };
	c->steps = step;
	c->num_steps = 1;
	c->why = why;
	return true;
}

static bool report_alone(struct rails *r)
{
	struct wiring_case *c;

	if (!r->num_alone)
		return true;
	c = wiring_add(r->tree, WIRING_RAIL, false);
	if (!c)
		return false;
	c->nodes = r->alone;
	c->num_nodes = r->num_alone;
	c->why =
	    "on another leaf switch than the same HCA of other hosts, and no HCA is in their place";
	return true;
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

struct rail_strays {
	struct stray *all;
	uint32_t n;
};

static bool changed_places(const struct stray *x, const struct stray *y)
{
	return !x->reported && !y->reported && x->here == y->there && x->there == y->here;
}

/* Those of one host first; what is left has no pair. */
static bool pair_strays(struct rail_type *t, const struct rail_strays *strays, const char *why)
{
	struct stray *all = strays->all;

	for (int any = 0; any < 2 && strays->n < STRAYS_MAX; any++)
		for (uint32_t x = 0; x < strays->n; x++)
			for (uint32_t y = x + 1; y < strays->n; y++) {
				if (!any && all[y].host != all[x].host)
					break; /* they stand side by side */
				if (!changed_places(&all[x], &all[y]))
					continue;
				all[x].reported = all[y].reported = true;
				if (!report_exchange(t, all[x].adapter->port, all[y].adapter->port,
				                     why))
					return false;
			}
	for (uint32_t x = 0; x < strays->n; x++)
		if (!all[x].reported)
			t->all->alone[t->all->num_alone++] = all[x].adapter->port->node;
	return true;
}

static bool new_strays(struct rail_type *t, struct rail_strays *out)
{
	out->n = 0;
	out->all = arena_array(t->all->tree->tmp, (size_t)t->n * t->rails + 1, sizeof(*out->all));
	return out->all;
}

/* Adapters among those of another name. */
static bool between_rails(struct rail_type *t)
{
	struct rail_strays strays;

	if (!new_strays(t, &strays))
		return false;
	for (uint32_t h = 0; h < t->n; h++) {
		for (uint32_t k = 0; k < t->rails; k++) {
			const struct adapter *a = rail_adapter(t, h, k);
			uint32_t rail = t->votes.usual[a->leaf];

			if (rail != k && *rail_votes_of(&t->votes, a->leaf, rail) >= VOTERS_MIN)
				strays.all[strays.n++] = (struct stray){ a, h, rail, k, false };
		}
	}
	return pair_strays(
	    t, &strays,
	    arena_printf(
		t->all->tree->arena,
		"nearly all of %u hosts with %u HCAs have each HCA on its own leaf switches", t->n,
		t->rails));
}

/* ---- within a rail ------------------------------------------------------------------------ */

static uint32_t *rail_place(const struct rail_type *t, uint32_t rail, uint32_t leaf, uint32_t other)
{
	return &t->place[((size_t)rail * t->all->tree->switches.n + leaf) * t->rails + other];
}

/* The leaf that most of these hosts have an adapter on, or NO_SWITCH. */
static uint32_t common_leaf(const struct rail_type *t, const uint32_t *hosts, uint32_t n,
                            uint32_t rail)
{
	struct majority leaf = { NO_SWITCH, 0 };
	uint32_t have = 0;

	for (uint32_t i = 0; i < n; i++)
		majority_vote(&leaf, rail_adapter(t, hosts[i], rail)->leaf);
	for (uint32_t i = 0; i < n; i++)
		have += rail_adapter(t, hosts[i], rail)->leaf == leaf.candidate;
	return have * 4 >= n * WITNESS_4TH ? (uint32_t)leaf.candidate : NO_SWITCH;
}

/* Hosts by the leaf of one of their adapters: first[leaf] .. first[leaf + 1] of sorted. */
static void sort_hosts(const struct rail_type *t, uint32_t rail, uint32_t *first, uint32_t *sorted)
{
	uint32_t n = t->all->tree->switches.n, sum = 0;

	memset(first, 0, (n + 1u) * sizeof(*first));
	for (uint32_t h = 0; h < t->n; h++)
		first[rail_adapter(t, h, rail)->leaf + 1]++;
	for (uint32_t s = 0; s <= n; s++)
		sum = first[s] += sum;
	for (uint32_t h = t->n; h--;)
		sorted[--first[rail_adapter(t, h, rail)->leaf + 1]] = h;
	memmove(first, first + 1, n * sizeof(*first));
	first[n] = t->n;
}

static bool find_places(struct rail_type *t)
{
	uint32_t n = t->all->tree->switches.n;
	uint32_t *first = arena_array(t->all->tree->tmp, n + 2u, sizeof(*first));
	uint32_t *sorted = arena_array(t->all->tree->tmp, t->n + 1u, sizeof(*sorted));

	t->place = arena_array(t->all->tree->tmp, (size_t)t->rails * n * t->rails + 1,
	                       sizeof(*t->place));
	if (!first || !sorted || !t->place)
		return false;
	for (uint32_t k = 0; k < t->rails; k++) {
		sort_hosts(t, k, first, sorted);
		for (uint32_t s = 0; s < n; s++)
			for (uint32_t i = 0; i < t->rails; i++) {
				uint32_t hosts = first[s + 1] - first[s];

				*rail_place(t, k, s, i) = hosts < VOTERS_MIN
				                              ? NO_SWITCH
				                              : common_leaf(t, sorted + first[s],
				                                            hosts, i);
			}
	}
	return true;
}

/* Where the other adapters of its host say it belongs, if enough of them agree. */
static uint32_t witnessed_leaf(const struct rail_type *t, uint32_t host, uint32_t rail)
{
	uint32_t says[RAILS_MAX], n = 0;

	for (uint32_t k = 0; k < t->rails; k++) {
		uint32_t leaf = *rail_place(t, k, rail_adapter(t, host, k)->leaf, rail);

		if (k != rail && leaf != NO_SWITCH)
			says[n++] = leaf;
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
static bool within_rails(struct rail_type *t)
{
	struct rail_strays strays;

	if (t->rails <= WITNESS_MIN)
		return true;
	if (!new_strays(t, &strays) || !find_places(t))
		return false;
	for (uint32_t h = 0; h < t->n; h++) {
		for (uint32_t k = 0; k < t->rails; k++) {
			const struct adapter *a = rail_adapter(t, h, k);
			uint32_t leaf = is_home(t, h, k) ? witnessed_leaf(t, h, k) : NO_SWITCH;

			if (leaf != NO_SWITCH && leaf != a->leaf && t->votes.usual[leaf] == k)
				strays.all[strays.n++] = (struct stray){ a, h, a->leaf, leaf,
					                                 false };
		}
	}
	return pair_strays(t, &strays,
	                   arena_printf(t->all->tree->arena,
	                                "the other %u HCAs of each host are on leaf switches whose "
	                                "hosts have this HCA there",
	                                t->rails - 1));
}

/* ---- all types ---------------------------------------------------------------------------- */

static bool look_at_type(struct rails *r, const struct rail_host *hosts, uint32_t n)
{
	struct rail_type t = { .all = r, .hosts = hosts, .n = n, .rails = hosts[0].num };

	if (n < HOSTS_MIN)
		return true;
	if (!rail_votes_init(&t.votes, r->tree->tmp, r->tree->switches.n, t.rails))
		return false;
	vote_rails(&t);
	return !has_rule(&t) || (between_rails(&t) && within_rails(&t) && rails_judge_whole(&t));
}

bool wiring_rails(struct ibc_fattree *tree)
{
	struct rails r = { .tree = tree };

	if (!collect_adapters(&r) || !rails_find_parts(&r))
		return false;
	for (uint32_t i = 0, end; i < r.num_hosts; i = end) {
		for (end = i + 1; end < r.num_hosts && r.hosts[end].slots == r.hosts[i].slots;)
			end++;
		if (!look_at_type(&r, &r.hosts[i], end - i))
			return false;
	}
	return report_alone(&r);
}
