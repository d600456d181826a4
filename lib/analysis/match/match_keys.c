/* SPDX-License-Identifier: BSD-2-Clause */
/* Which nodes of the two sides have the same key: both are sorted, then merged. */
#include <stdlib.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/array.h"

bool match_keys_new(const struct matching *w, size_t room, struct match_keys *out)
{
	out->n = 0;
	out->key = arena_array(w->scratch, room + 1, sizeof(*out->key));
	return out->key;
}

static int by_hash_then_node(const void *va, const void *vz)
{
	const struct match_key *a = va, *z = vz;

	return order_u64(a->hash, z->hash) ?: order_u64(a->node, z->node);
}

/* The keys from at on that are alike. */
static struct match_keys run_from(const struct match_keys *keys, size_t at)
{
	struct match_keys run = { .key = keys->key + at };

	while (at + run.n < keys->n && run.key[run.n].hash == run.key->hash)
		run.n++;
	return run;
}

void match_join(struct match_keys *planned, struct match_keys *found, match_settle *settle,
                void *ctx)
{
	size_t p = 0, f = 0;

	qsort(planned->key, planned->n, sizeof(*planned->key), by_hash_then_node);
	qsort(found->key, found->n, sizeof(*found->key), by_hash_then_node);
	while (p < planned->n && f < found->n) {
		struct match_keys ours = run_from(planned, p), theirs = run_from(found, f);

		if (ours.key->hash == theirs.key->hash)
			settle(ctx, &ours, &theirs);
		if (ours.key->hash <= theirs.key->hash)
			p += ours.n;
		if (theirs.key->hash <= ours.key->hash)
			f += theirs.n;
	}
}
