/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many things with one fault: of one class, at one place, or a list.  doc/cases.md has the
 * reason of each number.
 */
#include "case/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "case/words.h"
#include "report/report.h"

#define CLASS_MIN     4  /* so few alike can be chance */
#define CLASS_PERCENT 80 /* of those checked: the others are exceptions */
#define PLACE_MIN     3  /* two can be neighbours by chance */
#define PLACE_PERCENT 50 /* of what is there: less has other causes */
#define LIST_MIN      5  /* more than a screen should repeat */
#define PLACE_CASES   2  /* a place is worth one case more than a list */

/*
 * struct root - a finding without a cause
 * @alike: equal for those that may be put together
 * @device: equal for those that are of one device; 0: it is one by itself
 */
struct root {
	uint64_t alike, device;
	size_t finding;
};

/* A trait of one of the devices of a bucket. */
struct member {
	struct trait trait;
	size_t device;
};

/*
 * struct bucket - devices whose findings are alike
 * @devices: the first finding of each; @sizes: how many it has
 * @done: it belongs to a group
 * @members: their traits, by kind and key
 * @picked: for the group that is made; @pick, @round: those have the number of this one
 */
struct bucket {
	const struct things *things;
	const struct findings *f;
	const struct tallies *tallies;
	struct grouping *out;
	size_t *devices, *sizes, n, left;
	bool *done;
	struct member *members;
	size_t num_members;
	size_t *picked, num_picked, *pick, round;
};

/* ---- what is alike -------------------------------------------------------------------------- */

static uint64_t hash_alike(const struct findings *f, size_t i)
{
	const struct ibc_finding *finding = f->list[i];
	uint64_t hash = hash_more(HASH_BEGIN, finding->check);

	hash = hash_mix(hash ^ (uint64_t)finding->severity << 2 ^
	                (uint64_t)is_about_link(&finding->subject) << 1 ^
	                finding_is_known(finding));
	return hash_more_facts(hash, f->check[i]->many, finding);
}

static bool may_be_grouped(const struct findings *f, size_t i)
{
	enum ibc_subject_kind kind = f->list[i]->subject.kind;

	return f->cause[i] == i && f->check[i] && f->check[i]->many &&
	       (kind == IBC_SUBJECT_NODE || kind == IBC_SUBJECT_PORT || kind == IBC_SUBJECT_CABLE);
}

static int by_alike(const void *va, const void *vz)
{
	const struct root *a = va, *z = vz;
	int order = order_u64(a->alike, z->alike);

	if (!order)
		order = order_u64(a->device, z->device);
	return order ? order : order_u64(a->finding, z->finding);
}

/* ---- things with another fault of their own ------------------------------------------------- */

struct touched {
	uint64_t key;
	size_t finding;
};

static int by_touched(const void *va, const void *vz)
{
	const struct touched *a = va, *z = vz;

	return order_u64(a->key, z->key) ?: order_u64(a->finding, z->finding);
}

static bool list_touched(const struct things *t, const struct findings *f, struct touched **list,
                         size_t *n)
{
	struct keys keys = { .n = 0 };
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < f->n && !keys.failed; i++) {
		if (f->cause[i] != i || !f->check[i] || f->list[i]->severity <= IBC_INFO)
			continue;
		keys.n = 0;
		keys_of_thing(t, &f->list[i]->subject, &keys);
		for (size_t k = 0; k < keys.n && !keys.failed; k++) {
			keys.failed = !arena_grow(t->arena, list, *n, &room, sizeof(**list));
			if (!keys.failed)
				(*list)[(*n)++] = (struct touched){ keys.key[k], i };
		}
	}
	keys_free(&keys);
	return !keys.failed;
}

/* By finding: does its thing have one of another check?  NULL: no memory. */
static bool *find_burdened(const struct things *t, const struct findings *f)
{
	bool *burdened = arena_array(t->arena, f->n + 1, sizeof(*burdened));
	struct touched *list = NULL;
	size_t n;

	if (!burdened || !list_touched(t, f, &list, &n))
		return NULL;
	if (n)
		qsort(list, n, sizeof(*list), by_touched);
	for (size_t i = 0, end; i < n; i = end) {
		bool several = false;

		for (end = i + 1; end < n && list[end].key == list[i].key; end++)
			several |= f->check[list[end].finding] != f->check[list[i].finding];
		for (size_t k = i; several && k < end; k++)
			burdened[list[k].finding] = true;
	}
	return burdened;
}

/* ---- groups -----------------------------------------------------------------------------------
 */

static bool is_wide(const struct bucket *b, const struct member *m, size_t n)
{
	const struct tally *tally = find_tally(b->tallies, m->trait.key);
	bool class = m->trait.kind == TRAIT_MODEL;
	size_t findings = 0, there;

	for (size_t i = 0; i < n; i++)
		findings += b->sizes[m[i].device];
	there = is_about_link(&b->f->list[b->devices[m->device]]->subject) ? tally->links
	                                                                   : tally->nodes;
	return n >= (class ? CLASS_MIN : PLACE_MIN) &&
	       findings * 100 >= there * (class ? CLASS_PERCENT : PLACE_PERCENT);
}

static int by_trait(const void *va, const void *vz)
{
	const struct member *a = va, *z = vz;

	return order_u64(a->trait.key, z->trait.key) ?: order_u64(a->device, z->device);
}

static bool list_members(struct bucket *b)
{
	struct trait traits[THING_TRAITS_MAX];

	b->members = arena_array(b->things->arena, b->n * THING_TRAITS_MAX, sizeof(*b->members));
	if (!b->members)
		return false;
	for (size_t i = 0; i < b->n; i++) {
		size_t n = traits_of(b->things, &b->f->list[b->devices[i]]->subject, traits);

		for (size_t k = 0; k < n; k++)
			b->members[b->num_members++] = (struct member){ traits[k], i };
	}
	if (b->num_members)
		qsort(b->members, b->num_members, sizeof(*b->members), by_trait);
	return true;
}

static size_t same_trait(const struct bucket *b, size_t i)
{
	size_t n = 1;

	while (i + n < b->num_members && b->members[i + n].trait.key == b->members[i].trait.key)
		n++;
	return n;
}

static struct group *new_group(struct bucket *b, enum trait_kind kind, size_t values)
{
	struct group *g = arena_alloc(b->things->arena, sizeof(*g));

	if (g)
		*g = (struct group){
			.kind = kind,
			.values = arena_array(b->things->arena, values + 1, sizeof(*g->values)),
		};
	return g && g->values ? g : NULL;
}

/* The first finding of the first of its devices speaks for all that were picked. */
static void close_group(struct bucket *b, const struct group *g)
{
	size_t lead = SIZE_MAX;

	for (size_t i = 0; i < b->num_picked; i++)
		if (b->devices[b->picked[i]] < lead)
			lead = b->devices[b->picked[i]];
	for (size_t i = 0; i < b->num_picked; i++) {
		b->out->lead[b->devices[b->picked[i]]] = lead;
		b->done[b->picked[i]] = true;
	}
	b->left -= b->num_picked;
	b->out->group[lead] = g;
}

/* Each only once. */
static void pick_device(struct bucket *b, size_t device)
{
	if (b->done[device] || b->pick[device] == b->round)
		return;
	b->pick[device] = b->round;
	b->picked[b->num_picked++] = device;
}

static void begin_picking(struct bucket *b)
{
	b->round++;
	b->num_picked = 0;
}

static void add_value(struct bucket *b, struct group *g, const struct trait *trait)
{
	const struct tally *tally = find_tally(b->tallies, trait->key);

	g->values[g->num_values++] = *trait;
	g->things += is_about_link(&b->f->list[b->devices[0]]->subject) ? tally->links
	                                                                : tally->nodes;
}

static bool group_classes(struct bucket *b)
{
	for (size_t i = 0, n; i < b->num_members; i += n) {
		struct group *g;

		n = same_trait(b, i);
		if (b->members[i].trait.kind != TRAIT_MODEL || !is_wide(b, &b->members[i], n))
			continue;
		g = new_group(b, TRAIT_MODEL, 1);
		if (!g)
			return false;
		begin_picking(b);
		for (size_t k = i; k < i + n; k++)
			pick_device(b, b->members[k].device);
		add_value(b, g, &b->members[i].trait);
		close_group(b, g);
	}
	return true;
}

/* Those at places of a kind that have it widely; how many cases there are then. */
static size_t pick_places(struct bucket *b, enum trait_kind kind, struct group *g)
{
	size_t left;

	begin_picking(b);
	for (size_t i = 0, n; i < b->num_members; i += n) {
		n = same_trait(b, i);
		if (b->members[i].trait.kind != kind || !is_wide(b, &b->members[i], n))
			continue;
		for (size_t k = i; k < i + n; k++)
			pick_device(b, b->members[k].device);
		if (g)
			add_value(b, g, &b->members[i].trait);
	}
	left = b->left - b->num_picked;
	return !b->num_picked ? SIZE_MAX : 1 + (left >= LIST_MIN ? 1 : left);
}

static bool group_places(struct bucket *b)
{
	enum trait_kind kind = TRAIT_NONE;
	size_t best = SIZE_MAX;
	struct group *g;

	for (enum trait_kind k = TRAIT_HOST; k <= TRAIT_RACK; k++) {
		size_t cases = pick_places(b, k, NULL);

		if (cases < best)
			kind = k;
		best = cases < best ? cases : best;
	}
	if (kind == TRAIT_NONE || (best > PLACE_CASES && b->left >= LIST_MIN))
		return true;
	g = new_group(b, kind, b->num_members);
	if (!g)
		return false;
	pick_places(b, kind, g);
	close_group(b, g);
	return true;
}

static bool group_rest(struct bucket *b)
{
	struct group *g = new_group(b, TRAIT_NONE, 0);

	if (!g)
		return false;
	begin_picking(b);
	for (size_t i = 0; i < b->n; i++)
		pick_device(b, i);
	close_group(b, g);
	return true;
}

static bool group_bucket(struct bucket *b)
{
	if (b->f->check[b->devices[0]]->together)
		return b->n < 2 || group_rest(b);
	if (b->n >= PLACE_MIN && (!list_members(b) || !group_classes(b)))
		return false;
	if (b->left >= PLACE_MIN && !group_places(b))
		return false;
	return b->left < LIST_MIN || group_rest(b);
}

/* ---- buckets ----------------------------------------------------------------------------------
 */

/* All findings of a device follow its first. */
static void add_device(struct bucket *b, const struct root *roots, size_t n)
{
	b->devices[b->n] = roots->finding;
	b->sizes[b->n++] = n;
	b->left++;
	for (size_t i = 0; i < n; i++)
		b->out->lead[roots[i].finding] = roots->finding;
}

static bool group_alike(struct bucket *b, const struct root *roots, size_t n)
{
	struct arena *arena = b->things->arena;

	b->devices = arena_array(arena, n, sizeof(*b->devices));
	b->sizes = arena_array(arena, n, sizeof(*b->sizes));
	b->done = arena_array(arena, n, sizeof(*b->done));
	b->picked = arena_array(arena, n, sizeof(*b->picked));
	b->pick = arena_array(arena, n, sizeof(*b->pick));
	if (!b->devices || !b->sizes || !b->done || !b->picked || !b->pick)
		return false;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
		     roots[i].device && end < n && roots[end].device == roots[i].device;)
			end++;
		add_device(b, &roots[i], end - i);
	}
	return group_bucket(b);
}

static struct root *list_roots(const struct things *t, const struct findings *f, size_t *n)
{
	struct root *roots = arena_array(t->arena, f->n + 1, sizeof(*roots));
	bool *burdened = find_burdened(t, f);

	*n = 0;
	for (size_t i = 0; roots && burdened && i < f->n; i++)
		if (may_be_grouped(f, i) && !burdened[i])
			roots[(*n)++] = (struct root){ hash_alike(f, i),
				                       device_id_of(t, &f->list[i]->subject), i };
	if (!roots || !burdened)
		return NULL;
	qsort(roots, *n, sizeof(*roots), by_alike);
	return roots;
}

bool group_findings(const struct things *t, const struct findings *f, struct grouping *out)
{
	struct tallies tallies;
	struct root *roots;
	size_t n;

	out->lead = arena_array(t->arena, f->n + 1, sizeof(*out->lead));
	out->group = arena_array(t->arena, f->n + 1, sizeof(struct group *));
	roots = list_roots(t, f, &n);
	if (!out->lead || !out->group || !roots || !tally_traits(t, f, &tallies))
		return false;
	for (size_t i = 0; i < f->n; i++)
		out->lead[i] = i;
	for (size_t i = 0, end; i < n; i = end) {
		struct bucket b = { .things = t, .f = f, .tallies = &tallies, .out = out };

		for (end = i + 1; end < n && roots[end].alike == roots[i].alike;)
			end++;
		if (end > i + 1 && !group_alike(&b, &roots[i], end - i))
			return false;
	}
	for (size_t i = 0; i < f->n; i++)
		out->lead[i] = out->lead[out->lead[i]];
	return true;
}
