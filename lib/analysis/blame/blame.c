/* SPDX-License-Identifier: BSD-2-Clause */
/* From lines to causes: the steps, and what they leave. */
#include "analysis/blame/blame.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"

static const struct word_entry kind_words[] = {
	{ IBC_BLAME_FABRIC, { "fabric", "fabric" } },
	{ IBC_BLAME_HOST, { "host", "host" } },
	{ IBC_BLAME_SOFTWARE, { "software", "software" } },
	{ IBC_BLAME_UNSEEN, { "unseen", "not seen" } },
	WORDS_END,
};

const struct ibc_word *ibc_blame_kind_word(enum ibc_blame_kind kind)
{
	return words_find(kind_words, kind);
}

static int by_lines(const void *va, const void *vz)
{
	const struct ibc_blame_pair *a = va, *z = vz;

	return order_u64(a->cause, z->cause) ?: order_u64(z->lines, a->lines)
	           ?: strcmp(a->own, z->own) ?: strcmp(a->peer, z->peer);
}

static void blame_conclude(struct blame *b)
{
	struct ibc_blame *out = &b->public;
	struct ibc_blame_pair *pairs = arena_array(b->arena, b->num_pairs + 1, sizeof(*pairs));

	for (size_t i = 0; i < b->num_pairs; i++) {
		struct ibc_blame_pair *p = &pairs[out->num_pairs];

		*p = b->pairs[i].public;
		if (p->cause-- == NO_CAUSE)
			continue;
		out->first = !out->num_pairs || p->first < out->first ? p->first : out->first;
		out->last = p->last > out->last ? p->last : out->last;
		out->num_pairs++;
	}
	if (out->num_pairs)
		qsort(pairs, out->num_pairs, sizeof(*pairs), by_lines);
	out->pairs = pairs;
	for (size_t i = 0; i < b->num_causes && out->lines; i++)
		b->causes[i].share_percent = (b->causes[i].lines * 100 + out->lines / 2) /
		                             out->lines;
	out->causes = b->causes;
	out->num_causes = b->num_causes;
}

int ibc_blame_find(const struct ibc_blame_input *in, struct ibc_blame **out, struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct blame *b;

	*out = NULL;
	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	b = arena_alloc(a, sizeof(*b));
	*b = (struct blame){ .arena = a, .in = in };
	for (size_t i = 0; i < in->num_aliases; i++) {
		arena_grow(a, &b->aliases, i, &b->room_aliases, sizeof(*b->aliases));
		b->aliases[i] = in->aliases[i];
		b->num_aliases++;
	}
	blame_pairs(b);
	blame_cross(b);
	blame_suspect(b);
	blame_cover(b);
	blame_conclude(b);
	arena_escape(a, NULL);
	if (b->failed) {
		arena_free(a);
		return fail_nomem(err);
	}
	*out = &b->public;
	return 0;
}

void ibc_blame_free(struct ibc_blame *blame)
{
	if (blame)
		arena_free(((struct blame *)blame)->arena);
}
