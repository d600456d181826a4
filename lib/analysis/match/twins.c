/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/match/twins.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "fabric/fabric.h"

#define FAMILY_MAX 128 /* names that share a form: more are numbered through, or made up */

struct twins {
	const struct ibc_fabric *plan;
	struct match_keys named, other;
	twin_note *note;
	void *ctx;
};

/* ---- keys ------------------------------------------------------------------------------ */

static int by_name_hash(const void *va, const void *vz)
{
	const struct match_key *a = va, *z = vz;

	return order_u64(a->hash, z->hash);
}

/* Those of others are kept only where a named node has the same. */
static void add_key(struct twins *t, struct match_keys *keys, const struct ibc_node *node,
                    const char *text)
{
	const struct match_key key = { hash_of_text(text), (uint32_t)node_order(node) };

	if (keys == &t->named || bsearch(&key, t->named.key, t->named.n, sizeof(key), by_name_hash))
		keys->key[keys->n++] = key;
}

/* The text, and it without each of its letters. */
static void add_near(struct twins *t, struct match_keys *keys, const struct ibc_node *node,
                     const char *text)
{
	char less[NODENAME_MAX];

	add_key(t, keys, node, text);
	strcpy(less, text + (*text != '\0'));
	for (size_t i = 0; text[i]; i++) {
		add_key(t, keys, node, less);
		less[i] = text[i];
	}
}

static void collect_keys(struct twins *t, struct match_keys *keys, const struct ibc_node *node)
{
	char text[NODENAME_MAX];

	if (name_plain(text, node->name))
		add_near(t, keys, node, text);
	if (name_form(text, node->name, NAME_SHORT))
		add_near(t, keys, node, text);
}

static size_t key_room(const struct ibc_node *node)
{
	return 2 * (strlen(node->name) + 2);
}

/* ---- pairs ----------------------------------------------------------------------------- */

/* A device has one cable a port, and none to itself. */
static bool can_be_one(const struct ibc_node *a, const struct ibc_node *z)
{
	const struct ibc_port *p, *other;

	if (a == z || a->subnet != z->subnet)
		return false;
	for (unsigned int num = 1; (p = ibc_node_port(a, num)); num++) {
		other = ibc_node_port(z, num);
		if (p->peer && (p->peer->node == z || (other && other->peer)))
			return false;
	}
	return true;
}

static void settle_form(void *ctx, const struct match_keys *named, const struct match_keys *other)
{
	const struct twins *t = ctx;

	if (named->n > FAMILY_MAX || other->n > FAMILY_MAX)
		return;
	for (size_t i = 0; i < named->n; i++)
		for (size_t k = 0; k < other->n; k++) {
			const struct ibc_node *a = ibc_fabric_node(t->plan, named->key[i].node);
			const struct ibc_node *z = ibc_fabric_node(t->plan, other->key[k].node);

			if (can_be_one(a, z) && names_compare(a->name, z->name))
				t->note(t->ctx, a, z);
		}
}

void twins_find(struct arena *a, const struct ibc_fabric *plan, const uint32_t *counterpart,
                twin_note *note, void *ctx)
{
	struct twins t = { .plan = plan, .note = note, .ctx = ctx };
	const struct ibc_node *node;
	size_t named = 0, all = 0;

	for (size_t i = 0; (node = ibc_fabric_node(plan, i)); i++) {
		bool is_named = node->named_only && (!counterpart || counterpart[i] == MATCH_NONE);

		named += is_named ? key_room(node) : 0;
		all += key_room(node);
	}
	if (!named)
		return;
	t.named.key = arena_array(a, named, sizeof(*t.named.key));
	t.other.key = arena_array(a, all, sizeof(*t.other.key));
	for (size_t i = 0; (node = ibc_fabric_node(plan, i)); i++)
		if (node->named_only && (!counterpart || counterpart[i] == MATCH_NONE))
			collect_keys(&t, &t.named, node);
	qsort(t.named.key, t.named.n, sizeof(*t.named.key), by_name_hash);
	for (size_t i = 0; (node = ibc_fabric_node(plan, i)); i++)
		collect_keys(&t, &t.other, node);
	match_join(&t.named, &t.other, settle_form, &t);
}
