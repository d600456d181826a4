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
#define SILENT_MIN    2  /* of what does not answer: whoever looks for one is there already */
#define PLACE_PERCENT 50 /* of what is there: less has other causes */
#define PLACE_CASES   2  /* a place is worth one case more than a list */

/* A trait of a finding of one of the devices of a bucket. */
struct member {
	struct trait trait;
	struct tally *tally;
	size_t device;
};

/*
 * struct bucket - devices whose findings are alike; a device is its first finding
 * @next: by finding: the next of the same device, after the last its first
 * @done: by device: it belongs to a group
 * @members: the traits of all their findings, one device after the other
 * @picked: for the group that is made; @pick, @round: those have the number of this one
 */
struct bucket {
	const struct things *things;
	const struct findings *f;
	struct tallies *tallies;
	struct grouping *out;
	size_t *next, *devices, n, left;
	bool *done;
	struct member *members;
	size_t num_members, room_members;
	size_t *picked, num_picked, *pick, round;
};

/* ---- what is alike -------------------------------------------------------------------------- */

static bool may_be_grouped(const struct findings *f, size_t i)
{
	enum ibc_subject_kind kind = f->list[i]->subject.kind;

	return f->cause[i] == i && f->check[i] && f->check[i]->many &&
	       (kind == IBC_SUBJECT_NODE || kind == IBC_SUBJECT_PORT || kind == IBC_SUBJECT_CABLE);
}

/* ---- things with another fault of their own ------------------------------------------------- */

/*
 * struct burden - which things have several faults
 * @number: of @check, by the key of a thing; @check: the only one that has findings of it, or NULL
 * @of: by finding: does its thing have one of another check?
 */
struct burden {
	struct map number;
	const struct ibc_check **check;
	size_t room;
	bool *of;
};

static void find_burden(struct burden *b, const struct findings *f)
{
	struct arena *arena = b->number.arena;
	size_t *end = arena_array(arena, f->n + 1, sizeof(*end)), k = 0;
	struct keys keys = { .arena = arena };

	b->of = arena_array(arena, f->n + 1, sizeof(*b->of));
	for (size_t i = 0; i < f->n; i++) {
		if (f->cause[i] == i && f->check[i] && f->list[i]->severity > IBC_INFO)
			keys_of_thing(&f->thing[i], &keys);
		for (; k < keys.n; k++) {
			size_t n = b->number.n, at;

			arena_grow(arena, &b->check, n, &b->room, sizeof(*b->check));
			at = map_add(&b->number, keys.key[k], n);
			if (at == n || b->check[at] != f->check[i])
				b->check[at] = at == n ? f->check[i] : NULL;
			keys.key[k] = at; /* the number of the thing */
		}
		end[i] = k;
	}
	k = 0;
	for (size_t i = 0; i < f->n; i++)
		for (; k < end[i]; k++)
			b->of[i] |= !b->check[keys.key[k]];
}

/* ---- groups ------------------------------------------------------------------------ */

/* How many things there are that could have the fault. */
static size_t things_of(const struct bucket *b, const struct tally *tally)
{
	return is_about_link(b->f->thing[b->devices[0]].subject) ? tally->links : tally->nodes;
}

static bool is_silence(const struct ibc_finding *f)
{
	return !strcmp(f->check, "port.silent");
}

static bool is_wide(const struct bucket *b, const struct member *m)
{
	bool class = is_class(m->trait.kind);

	if (m->trait.kind == TRAIT_SWITCH && is_silence(b->f->list[b->devices[0]]))
		return m->tally->devices >= SILENT_MIN;
	return m->tally->devices > 1 &&
	       m->tally->devices + m->tally->behind >= (class ? CLASS_MIN : PLACE_MIN) &&
	       (m->tally->findings + m->tally->behind) * 100 >=
	           things_of(b, m->tally) * (class ? CLASS_PERCENT : PLACE_PERCENT);
}

/* Nodes behind that of a finding, which are part of it, and are at the same places. */
static void count_behind(struct bucket *b, size_t finding, const struct trait *traits, size_t n)
{
	const struct ibc_finding *f = b->f->list[finding];
	struct trait behind[THING_TRAITS_MAX];

	for (size_t i = 0; f->subject.kind == IBC_SUBJECT_NODE && i < f->num_related; i++) {
		const struct ibc_related *r = &f->related[i];
		struct thing thing = thing_of(b->things, &r->subject);
		size_t num = 0;

		if (r->role == IBC_ROLE_PLANNED && r->subject.kind == IBC_SUBJECT_NODE)
			num = traits_of(b->tallies, &thing, behind);
		for (size_t k = 0; k < n * num; k++)
			if (traits[k / num].number == behind[k % num].number &&
			    !is_class(traits[k / num].kind))
				b->tallies->list[behind[k % num].number].behind++;
	}
}

/* The traits of all findings of all devices. */
static void list_members(struct bucket *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t device = b->devices[i], finding = device;

		do {
			struct trait traits[THING_TRAITS_MAX];
			size_t n = traits_of(b->tallies, &b->f->thing[finding], traits);

			for (size_t k = 0; k < n; k++) {
				struct tally *tally = &b->tallies->list[traits[k].number];

				arena_grow(b->things->arena, &b->members, b->num_members,
				           &b->room_members, sizeof(*b->members));
				b->members[b->num_members++] = (struct member){ traits[k], tally,
					                                        device };
				tally->devices += !tally->findings || tally->last != device;
				tally->last = device;
				tally->findings++;
			}
			count_behind(b, finding, traits, n);
			finding = b->next[finding];
		} while (finding != device);
	}
}

static struct group *new_group(struct bucket *b, enum trait_kind kind, size_t values)
{
	struct group *g = arena_alloc(b->things->arena, sizeof(*g));

	g->kind = kind;
	g->values = arena_array(b->things->arena, values + 1, sizeof(*g->values));
	return g;
}

/* The first of the devices speaks for all that were picked. */
static void close_group(struct bucket *b, struct group *g)
{
	size_t lead = b->picked[0];

	for (size_t i = 0; i < b->num_picked; i++) {
		size_t device = b->picked[i], finding = device;

		b->out->lead[device] = lead;
		b->done[device] = true;
		do {
			g->devices += finding == device || b->f->view[device];
			finding = b->next[finding];
		} while (finding != device);
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

/* Each only once. */
static void add_value(struct bucket *b, struct group *g, const struct member *m)
{
	if (m->tally->named)
		return;
	m->tally->named = true;
	g->values[g->num_values++] = m->trait;
	g->things += things_of(b, m->tally);
}

/*
 * That slow links are slow is no news: a speed is a class of what was counted.  Nor is it that
 * the parts of a vendor are of that vendor.
 */
static bool may_be_class(const struct bucket *b, enum trait_kind kind)
{
	const struct ibc_check *check = b->f->check[b->devices[0]];

	if (kind == TRAIT_SPEED)
		return ibc_attrs_has(check->needs, IBC_ATTR_PORT_COUNTERS);
	return kind != TRAIT_PART || !strstr(check->many, "{vendor}");
}

/* The wider kinds first, each of those devices that no wider class has; too few are none. */
static void group_classes(struct bucket *b)
{
	for (enum trait_kind kind = TRAIT_MODEL; kind < TRAITS; kind++)
		for (size_t i = 0; may_be_class(b, kind) && i < b->num_members; i++) {
			const struct member *m = &b->members[i];
			struct group *g;

			if (m->trait.kind != kind || b->done[m->device] || m->tally->named ||
			    !is_wide(b, m))
				continue;
			begin_picking(b);
			for (size_t k = 0; k < b->num_members; k++)
				if (b->members[k].tally == m->tally)
					pick_device(b, b->members[k].device);
			if (b->num_picked < CLASS_MIN) {
				m->tally->named = true;
				continue;
			}
			g = new_group(b, kind, 1);
			add_value(b, g, m);
			close_group(b, g);
		}
}

/* Those at places of a kind that have it widely; how many cases there are then. */
static size_t pick_places(struct bucket *b, enum trait_kind kind, struct group *g)
{
	size_t left;

	begin_picking(b);
	for (size_t i = 0; i < b->num_members; i++) {
		const struct member *m = &b->members[i];

		if (m->trait.kind != kind || !is_wide(b, m))
			continue;
		pick_device(b, m->device);
		if (g)
			add_value(b, g, m);
	}
	left = b->left - b->num_picked;
	return !b->num_picked ? SIZE_MAX : 1 + (left >= LIST_MIN ? 1 : left);
}

static void group_places(struct bucket *b)
{
	enum trait_kind kind = TRAIT_NONE;
	size_t best = SIZE_MAX;
	struct group *g;

	for (enum trait_kind k = TRAIT_HOST; k <= TRAIT_POD; k++) {
		size_t cases = pick_places(b, k, NULL);

		if (cases < best)
			kind = k;
		best = cases < best ? cases : best;
	}
	if (kind == TRAIT_NONE || (best > PLACE_CASES && b->left >= LIST_MIN))
		return;
	g = new_group(b, kind, b->num_members);
	pick_places(b, kind, g);
	close_group(b, g);
}

/* A list: switches apart, which would be lost among so many hosts. */
static void group_rest(struct bucket *b, bool switches, size_t least)
{
	begin_picking(b);
	for (size_t i = 0; i < b->n; i++) {
		const struct thing *thing = &b->f->thing[b->devices[i]];
		bool is_switch = thing->subject->kind == IBC_SUBJECT_NODE && thing->near.node &&
		                 thing->near.node->type == IBC_NODE_SWITCH;

		if (is_switch == switches)
			pick_device(b, b->devices[i]);
	}
	if (b->num_picked >= least)
		close_group(b, new_group(b, TRAIT_NONE, 0));
}

/* ---- buckets ----------------------------------------------------------------------- */

/* struct alike - a list of devices whose findings are alike, by the first and the last */
struct alike {
	size_t first, last;
};

/*
 * struct sorting - of findings into lists
 * @device: by what is alike and a device: its first finding
 * @number: of @lists, by what is alike; @next: by device
 */
struct sorting {
	struct map device, number;
	struct alike *lists;
	size_t room, *next;
};

/*
 * All findings of a device, or of a view, follow its first, which is alone if its thing has another
 * fault.
 */
static void sort_finding(struct sorting *s, struct bucket *b, size_t i, bool alone)
{
	const struct ibc_finding *f = b->f->list[i];
	const struct view *view = b->f->view[i];
	bool link = view || is_about_link(&f->subject);
	uint64_t alike = hash_mix(hash_more(HASH_BEGIN, f->check) ^ (uint64_t)f->severity << 2 ^
	                          (uint64_t)link << 1);
	uint64_t device = view ? hash_mix(view->first + 1) : device_id_of(&b->f->thing[i]);
	size_t first, n = s->number.n, at;

	alike = hash_more_facts(alike, b->f->check[i]->many, f);
	first = device ? map_add(&s->device, hash_mix(alike) ^ device, i) : i;
	b->next[i] = first == i ? i : b->next[first];
	b->next[first] = i;
	b->out->lead[i] = first;
	if (first != i || alone)
		return;
	arena_grow(s->number.arena, &s->lists, n, &s->room, sizeof(*s->lists));
	at = map_add(&s->number, alike, n);
	if (at == n)
		s->lists[at].first = i;
	else
		s->next[s->lists[at].last] = i;
	s->lists[at].last = i;
	s->next[i] = i;
}

void group_findings(const struct things *t, const struct findings *f, struct grouping *out)
{
	struct arena *arena = t->arena;
	size_t n = f->n + 1;
	struct tallies tallies = tally_traits(t, f);
	struct bucket b = {
		.things = t,
		.f = f,
		.tallies = &tallies,
		.out = out,
		.next = arena_array(arena, n, sizeof(*b.next)),
		.devices = arena_array(arena, n, sizeof(*b.devices)),
		.done = arena_array(arena, n, sizeof(*b.done)),
		.picked = arena_array(arena, n, sizeof(*b.picked)),
		.pick = arena_array(arena, n, sizeof(*b.pick)),
	};
	struct sorting s = { .device = { .arena = arena },
		             .number = { .arena = arena },
		             .next = arena_array(arena, n, sizeof(*s.next)) };
	struct burden burden = { .number = { .arena = arena } };

	out->lead = arena_array(arena, n, sizeof(*out->lead));
	out->group = arena_array(arena, n, sizeof(struct group *));
	find_burden(&burden, f);
	for (size_t i = 0; i < f->n; i++) {
		bool alone = burden.of[i] && !(f->check[i] && f->check[i]->together);

		out->lead[i] = i;
		if (may_be_grouped(f, i) && (!alone || f->view[i]))
			sort_finding(&s, &b, i, alone);
	}
	for (size_t i = 0; i < s.number.n; i++) {
		size_t at = s.lists[i].first;
		bool together;

		b.n = 0;
		b.devices[b.n++] = at;
		for (; at != s.lists[i].last; b.devices[b.n++] = at)
			at = s.next[at];
		b.left = b.n;
		together = f->check[b.devices[0]]->together;
		if (!together && b.n > 1) {
			list_members(&b);
			group_classes(&b);
		}
		if (!together && b.left > 1)
			group_places(&b);
		group_rest(&b, true, together ? 2 : LIST_MIN);
		group_rest(&b, false, together ? 2 : LIST_MIN);
		for (size_t k = 0; k < b.num_members; k++) {
			struct tally *tally = b.members[k].tally;

			tally->devices = tally->findings = tally->behind = 0;
			tally->named = false;
		}
		b.num_members = 0;
	}
	for (size_t i = 0; i < f->n; i++)
		out->lead[i] = out->lead[out->lead[i]];
}
