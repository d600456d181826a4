/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of matching share: pairs, and the keys that nodes have in common. */
#include <stdlib.h>

#include "analysis/match/match_work.h"
#include "base/array.h"
#include "base/trace.h"

/* ---- pairs ----------------------------------------------------------------------------- */

bool match_are_free(const struct matching *w, uint32_t planned, uint32_t found)
{
	return w->m->found_of[planned] == MATCH_NONE && w->m->planned_of[found] == MATCH_NONE;
}

bool match_may_be(const struct matching *w, uint32_t planned, uint32_t found)
{
	const struct ibc_node *p = planned_node(w, planned), *f = found_node(w, found);

	return p->named_only || f->named_only || p->type == f->type;
}

void match_pair(struct matching *w, uint32_t planned, uint32_t found, enum match_how how)
{
	static const char *const by[] = {
		[MATCH_NOT] = "nothing",
		[MATCH_GUID] = "GUID",
		[MATCH_NAME] = "name",
		[MATCH_PLACE] = "place",
		[MATCH_ASSUMED] = "one of several equal ones",
	};

	TRACE(w->trace, IBC_TRACE_MATCH, "planned %s is found %s: by %s",
	      planned_node(w, planned)->label, found_node(w, found)->label, by[how]);
	w->m->found_of[planned] = found;
	w->m->planned_of[found] = planned;
	w->m->how[planned] = (uint8_t)how;
}

/* ---- keys: both sides are sorted, then merged ---------------------------------------------- */

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
