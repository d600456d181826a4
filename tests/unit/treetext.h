/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TREETEXT_H
#define TREETEXT_H

/*
 * What an inference says of a tree, as text to compare with.
 *
 * Include it after <cmocka.h>.
 */
#include "analysis/tree/wiring.h"
#include "mkvariant.h"

/* Six leaves with hosts on ports 1-8, uplinks on 9-12; leaf n is on port n + 1 of four spines. */
static const struct tree_spec two_levels = { .leaves = 6, .spines = 4, .hosts = 8 };
/* Leaves with uplinks on 5-8; spines with cores on 5-6; a pod on each port of eight cores. */
static const struct tree_spec pods = {
	.pods = 4, .leaves = 4, .spines = 4, .uplinks = 2, .hosts = 4
};

static const char *const kinds[] = {
	[WIRING_SAME_RANK] = "same rank",
	[WIRING_MISSING] = "missing",
	[WIRING_UNEVEN] = "uneven",
	[WIRING_SWAPPED] = "swapped",
	[WIRING_PORTS] = "ports",
	[WIRING_NO_SPINE] = "absent",
	[WIRING_NO_LEAF] = "no leaf",
	[WIRING_HOST_UP] = "host",
	[WIRING_SLOW] = "slow",
	[WIRING_RAIL] = "rail",
	[WIRING_RAIL_PARTS] = "rail-parts",
	[WIRING_RAIL_HOST] = "rail-host",
	[WIRING_IRREGULAR] = "irregular",
};
static const char *const actions[] = {
	[IBC_ACTION_MOVE] = "move",
	[IBC_ACTION_EXCHANGE] = "exchange",
	[IBC_ACTION_CONNECT] = "connect",
	[IBC_ACTION_REMOVE] = "remove",
};

/* Text that grows. */
struct text {
	char bytes[4096];
	size_t used;
};

static inline void say(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void say(struct text *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	t->used += (size_t)vsnprintf(t->bytes + t->used, sizeof(t->bytes) - t->used, format, ap);
	va_end(ap);
	assert_true(t->used < sizeof(t->bytes));
}

static inline void say_jack(struct text *t, const struct wiring_jack *s)
{
	if (s->node && s->port)
		say(t, "%s/%u", s->node->desc, s->port);
	else
		say(t, "%s", s->node ? s->node->desc : "nobody");
}

static inline void say_case(struct text *t, const struct wiring_case *k)
{
	const char *separator = ": ";

	say(t, "%s", kinds[k->kind]);
	for (size_t i = 0; i < k->num_found; i++, separator = ", ")
		say(t, "%s%s/%u - %s/%u", separator, k->found[i]->node->desc, k->found[i]->num,
		    k->found[i]->peer->node->desc, k->found[i]->peer->num);
	for (size_t i = 0; i < k->num_tied; i++, separator = ", ")
		say(t, "%sor %s/%u", separator, k->tied[i]->node->desc, k->tied[i]->num);
	for (size_t i = 0; i < k->num_gaps; i++, separator = ", ") {
		say(t, "%swanted ", separator);
		say_jack(t, &k->gaps[i].lower);
		say(t, " - ");
		say_jack(t, &k->gaps[i].upper);
	}
	for (size_t i = 0; i < k->num_nodes && !k->num_found && !k->num_gaps; i++, separator = ", ")
		say(t, "%s%s", separator, k->nodes[i]->desc);
	if (k->why)
		say(t, " (%s)", k->why);
	for (size_t i = 0; i < k->num_steps; i++)
		say(t, "%s%s", i ? ", " : "; ", actions[k->steps[i].action]);
	say(t, "\n");
}

static inline void expect_some(struct mktree *t, bool blamed, const char *expected)
{
	struct ibc_fabric *fab = mktree_done(t);
	struct ibc_fattree *tree;
	struct text found = { "", 0 };

	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (size_t i = 0; i < tree->num_cases; i++)
		if (tree->cases[i].blamed == blamed)
			say_case(&found, &tree->cases[i]);
	assert_string_equal(found.bytes, expected);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
}

/* What is accused of a tree, a line each, and ends it. */
static inline void expect(struct mktree *t, const char *expected)
{
	expect_some(t, true, expected);
}

static inline void expect_told(struct mktree *t, const char *expected)
{
	expect_some(t, false, expected);
}

/* The cable at a port of a switch, as its lower end. */
static inline struct tree_link *uplink(struct mktree *t, unsigned int sw, unsigned int port)
{
	const struct tree_end end = { sw, port };

	for (unsigned int i = 0; i < t->num_links; i++)
		if (same_end(t->links[i].end[0], end))
			return &t->links[i];
	fail_msg("no such cable");
	return NULL;
}

static inline struct tree_link *leaf_uplink(struct mktree *t, unsigned int leaf, unsigned int port)
{
	return uplink(t, tree_find(t, TIER_LEAF, 0, 0, 0, leaf), port);
}

static inline void swap_upper(struct tree_link *a, struct tree_link *z)
{
	struct tree_end end = a->end[1];

	a->end[1] = z->end[1];
	z->end[1] = end;
}

static inline void unplug_spine(struct mktree *t, unsigned int place, unsigned int from_leaf)
{
	unsigned int spine = tree_find(t, TIER_SPINE, 0, 0, 0, place);

	for (unsigned int i = 0; i < t->num_links; i++)
		if (t->links[i].end[1].sw == spine &&
		    t->switches[t->links[i].end[0].sw].place >= from_leaf)
			t->links[i].gone = true;
}

#endif
