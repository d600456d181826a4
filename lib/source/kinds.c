/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/kinds.h"

#include "base/arena.h"

static struct kind *kind_find(struct sweep *s, const struct ibc_node *node)
{
	struct kind_key key = { node->type, node->vendor_id, node->device_id, node->revision };
	struct kind *kind;

	HASH_FIND(hh, s->kinds, &key, sizeof(key), kind);
	if (kind)
		return kind;
	kind = arena_alloc(s->scratch, sizeof(*kind));
	if (!kind)
		return NULL;
	kind->key = key;
	kind->samples.patient = true;
	HASH_ADD(hh, s->kinds, key, sizeof(kind->key), kind);
	return hash_added(kind) ? kind : NULL;
}

struct kind *kind_of(struct sweep *s, struct site *site)
{
	if (!site->kind)
		site->kind = kind_find(s, site->node);
	if (!site->kind)
		s->out_of_memory = true;
	return site->kind;
}

void kinds_free(struct sweep *s)
{
	HASH_CLEAR(hh, s->kinds);
}
