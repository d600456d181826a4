/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes that carry the same: a GUID, or a name in one of its forms.  Where one planned and
 * one found node share it and no other does, they are a pair; with several subnets the
 * same once more inside each pair of subnets.  O(n log n).
 */
#include <string.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

#define TEXTS_A_NODE 2 /* its name, and its description */

/* struct pass - what is compared
 * @how: MATCH_GUID, or MATCH_NAME by texts
 * @texts: 1: the name; 2: the description as well
 * @whole_hosts: a key of a node that is matched already is taken all the same
 */
struct pass {
	enum match_how how;
	unsigned int texts;
	enum name_form form;
	bool whole_hosts;
};

static const struct pass passes[] = {
	{ .how = MATCH_GUID },
	{ MATCH_NAME, 1, NAME_EXACT, false },
	{ MATCH_NAME, 2, NAME_EXACT, false },
	{ MATCH_NAME, 2, NAME_FOLDED, false },
	{ MATCH_NAME, 2, NAME_SHORT, false },
	{ MATCH_NAME, 2, NAME_HOST, true },
};

struct work {
	struct matching *w;
	const struct pass *pass;
	bool by_subnet;
	struct match_keys planned, found;
};

/* ---- keys ------------------------------------------------------------------------------ */

static const char *text_of(const struct ibc_node *node, unsigned int i)
{
	return i == 0 ? node->name : node->desc;
}

/* The found subnet that a node is in, as far as it is known. */
static uint32_t subnet_of(const struct matching *w, const struct ibc_node *node)
{
	unsigned int subnet = node->subnet->index;

	return node->subnet->fabric == w->m->planned ? w->subnet_of[subnet] : subnet;
}

static void add_key(const struct work *k, struct match_keys *keys, const struct ibc_node *node,
                    uint64_t hash)
{
	const uint32_t subnet = k->by_subnet ? subnet_of(k->w, node) : 0;
	const uint32_t number = (uint32_t)node_order(node);

	if (subnet == MATCH_NONE)
		return;
	/* a text that is both name and description is one key */
	hash = hash_mix(hash + subnet);
	if (keys->n > 0 && keys->key[keys->n - 1].node == number &&
	    keys->key[keys->n - 1].hash == hash)
		return;
	keys->key[keys->n++] = (struct match_key){ hash, number };
}

static void add_keys_of(const struct work *k, struct match_keys *keys, const struct ibc_node *node)
{
	char text[NODENAME_MAX];

	if (k->pass->how == MATCH_GUID) {
		if (!node->named_only && node->guid)
			add_key(k, keys, node, node->guid);
		return;
	}
	/* only hosts are known by less than their whole name */
	if (k->pass->form == NAME_HOST && node->type != IBC_NODE_CA && !node->named_only)
		return;
	for (unsigned int i = 0; i < k->pass->texts; i++)
		if (name_form(text, text_of(node, i), k->pass->form))
			add_key(k, keys, node, hash_of_text(text));
}

static void collect_node_keys(const struct work *k, struct match_keys *keys,
                              const struct ibc_fabric *fab, const uint32_t *taken)
{
	const struct ibc_node *node;

	keys->n = 0;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (taken[i] == MATCH_NONE || k->pass->whole_hosts)
			add_keys_of(k, keys, node);
}

/* ---- pairs ----------------------------------------------------------------------------- */

/* The hashes agree: do the keys? */
static bool share_key(const struct work *k, uint32_t planned, uint32_t found)
{
	const struct ibc_node *p = planned_node(k->w, planned), *f = found_node(k->w, found);
	const unsigned int texts = k->pass->texts;
	char mine[NODENAME_MAX], other[NODENAME_MAX];

	if (k->pass->how == MATCH_GUID)
		return p->guid == f->guid;
	if (k->pass->form >= NAME_SHORT && names_are_apart(p->name, f->name))
		return false;
	for (unsigned int i = 0; i < texts * texts; i++)
		if (name_form(mine, text_of(p, i / texts), k->pass->form) &&
		    name_form(other, text_of(f, i % texts), k->pass->form) &&
		    strcmp(mine, other) == 0)
			return true;
	return false;
}

static void settle_key(void *ctx, const struct match_keys *planned, const struct match_keys *found)
{
	const struct work *k = ctx;
	const uint32_t p = planned->key->node, f = found->key->node;
	struct match *m = k->w->m;
	bool is_free = false;

	/* of a host with several HCAs in the plan each is called by more than its host */
	if (planned->n > 1 && k->pass->whole_hosts)
		return;
	if (planned->n > 1 || found->n > 1) {
		for (size_t i = 0; i < found->n; i++)
			is_free |= m->planned_of[found->key[i].node] == MATCH_NONE;
		for (size_t i = 0; is_free && i < planned->n; i++)
			m->unclear[planned->key[i].node] = true;
		return;
	}
	if (match_are_free(k->w, p, f) && match_may_be(k->w, p, f) && share_key(k, p, f))
		match_pair(k->w, p, f, k->pass->how);
}

static void run_pass(struct work *k, bool by_subnet)
{
	k->by_subnet = by_subnet;
	collect_node_keys(k, &k->planned, k->w->m->planned, k->w->m->found_of);
	collect_node_keys(k, &k->found, k->w->m->found, k->w->m->planned_of);
	match_join(&k->planned, &k->found, settle_key, k);
}

/* ---- subnets ---------------------------------------------------------------------------- */

/* The strict plurality of n votes that are stride apart, or MATCH_NONE. */
static uint32_t plurality_of(const size_t *votes, size_t n, size_t stride)
{
	uint32_t best = MATCH_NONE;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		if (votes[i * stride] == most)
			best = MATCH_NONE;
		if (votes[i * stride] <= most)
			continue;
		most = votes[i * stride];
		best = (uint32_t)i;
	}
	return best;
}

/* Subnets are those that share the most nodes; while that is not known, those of one number. */
static void pair_subnets(struct matching *w)
{
	const size_t rows = ibc_fabric_count(w->m->planned).subnets;
	const size_t columns = ibc_fabric_count(w->m->found).subnets;
	size_t *votes = arena_array(w->scratch, rows * columns + 1, sizeof(*votes)), sum = 0;

	for (uint32_t i = 0; i < w->m->num_planned; i++) {
		if (w->m->found_of[i] == MATCH_NONE)
			continue;
		votes[planned_node(w, i)->subnet->index * columns +
		      found_node(w, w->m->found_of[i])->subnet->index]++;
		sum++;
	}
	for (uint32_t p = 0; p < rows; p++) {
		uint32_t f = plurality_of(votes + p * columns, columns, 1);

		if (f != MATCH_NONE && plurality_of(votes + f, rows, columns) != p)
			f = MATCH_NONE;
		w->subnet_of[p] = sum == 0 && rows == columns ? p : f;
	}
}

void match_names(struct matching *w)
{
	const bool many = ibc_fabric_count(w->m->planned).subnets > 1 ||
	                  ibc_fabric_count(w->m->found).subnets > 1;
	struct work k = { .w = w };

	k.planned.key = arena_array(w->scratch, w->m->num_planned * TEXTS_A_NODE + 1,
	                            sizeof(struct match_key));
	k.found.key = arena_array(w->scratch, w->m->num_found * TEXTS_A_NODE + 1,
	                          sizeof(struct match_key));
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		k.pass = &passes[i];
		run_pass(&k, false);
		if (!many)
			continue;
		pair_subnets(w);
		run_pass(&k, true);
	}
}
