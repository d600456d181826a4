/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a fabric in which no node is known by GUID or name.  Colours are refined as
 * Weisfeiler and Leman do: a node's colour is what it is, then with each round also the
 * ports and colours at the far ends of its cables.  Those that one node on either side
 * has, after the fewest rounds that yield any, are where the search for places starts; one wrong
 * cable changes every colour within a few rounds, so equal colours are not asked for.
 * Where a part has no such node, as one of several alike has not, it is assumed to be the
 * first part with a node of the same colour.  What came of it is given up if the cables
 * between switches do not bear it out: then it is another fabric.
 *
 * Cost: a few rounds over the cables, and sorting.
 */
#include <string.h>

#include "analysis/match/match_work.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "fabric/fabric.h"

#define ROUNDS  3 /* beyond that a single fault has changed everything */
#define REPEATS 8 /* parts that are alike but for others that were matched before */

/*
 * struct shape_side - a fabric and its parts
 * @part_of: by node: which part it is in
 * @known: by part: a node in it has a counterpart, or it is a node without a cable
 * @cables: by node
 */
struct shape_side {
	const struct ibc_fabric *fab;
	const struct wiring *g;
	uint32_t n, parts;
	uint32_t *part_of;
	bool *known;
	uint8_t *cables;
	uint64_t *colour, *next;
	struct match_keys keys;
};

struct shapes {
	struct matching *w;
	struct shape_side planned, found;
	bool known;     /* of types and numbers of ports by both sides */
	bool *by_shape; /* by planned part: it was matched by shape alone */
	size_t pairs;
};

/* ---- parts ----------------------------------------------------------------------------- */

/* counterpart: by node, MATCH_NONE if it has none */
static void find_parts(struct arena *a, struct shape_side *s, const uint32_t *counterpart)
{
	uint32_t *queue = arena_array(a, s->n + 1, sizeof(*queue));

	s->part_of = arena_array(a, s->n + 1, sizeof(*s->part_of));
	s->known = arena_array(a, s->n + 1, sizeof(*s->known));
	s->cables = arena_array(a, s->n + 1, sizeof(*s->cables));
	s->colour = arena_array(a, s->n + 1u, sizeof(*s->colour));
	s->next = arena_array(a, s->n + 1u, sizeof(*s->next));
	s->keys.key = arena_array(a, s->n + 1u, sizeof(*s->keys.key));
	for (uint32_t i = 0; i < s->n; i++)
		s->cables[i] = (uint8_t)wire_count(s->g, i);
	memset(s->part_of, 0xff, s->n * sizeof(*s->part_of));
	for (uint32_t start = 0; start < s->n; start++) {
		uint32_t queued = 1;

		if (s->part_of[start] != MATCH_NONE)
			continue;
		queue[0] = start;
		s->part_of[start] = s->parts;
		for (uint32_t i = 0; i < queued; i++)
			for (unsigned int num = 1; num <= wire_ports(s->g, queue[i]); num++) {
				const struct wire *wire = wire_at(s->g, queue[i], num);

				if (!wire || s->part_of[wire->node] != MATCH_NONE)
					continue;
				s->part_of[wire->node] = s->parts;
				queue[queued++] = wire->node;
			}
		s->parts++;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->known[s->part_of[i]] |= counterpart[i] != MATCH_NONE || !s->cables[i];
}

static bool is_open(const struct shape_side *s, uint32_t node)
{
	return !s->known[s->part_of[node]];
}

static bool has_open(const struct shape_side *s)
{
	for (uint32_t i = 0; i < s->parts; i++)
		if (!s->known[i])
			return true;
	return false;
}

/*
 * struct colour_view - how colours are refined
 * @hosts: by cables to what has only one; else they may come and go
 * @ends: and such a node has a colour of its own
 */
struct colour_view {
	unsigned int rounds;
	bool hosts, ends;
};

/* ---- colours --------------------------------------------------------------------------- */

/* Colours the open nodes of a side, and collects them. */
static void colour_side(struct shape_side *s, bool known, const struct colour_view *view)
{
	const struct ibc_node *node;

	for (uint32_t i = 0; (node = ibc_fabric_node(s->fab, i)); i++)
		s->colour[i] = known ? hash_mix(node->type << 8 | node->num_ports) : 0;
	for (unsigned int round = 0; round < view->rounds; round++) {
		uint64_t *swap = s->colour;

		for (uint32_t i = 0; i < s->n; i++) {
			uint64_t sum = 0;

			if (!is_open(s, i))
				continue;
			for (unsigned int num = 1; num <= wire_ports(s->g, i); num++) {
				const struct wire *wire = wire_at(s->g, i, num);

				if (wire && (view->hosts || s->cables[wire->node] > 1))
					sum += hash_mix(s->colour[wire->node] +
					                (wire->port << 8 | num));
			}
			s->next[i] = hash_mix(s->colour[i] + sum);
		}
		s->colour = s->next;
		s->next = swap;
	}
	s->keys.n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (is_open(s, i) && s->cables[i] > (view->ends ? 0 : 1))
			s->keys.key[s->keys.n++] = (struct match_key){ s->colour[i], i };
}

static void colour_sides(struct shapes *s, struct colour_view view)
{
	colour_side(&s->planned, s->known, &view);
	colour_side(&s->found, s->known, &view);
}

/* ---- pairs ----------------------------------------------------------------------------- */

static void pair_nodes(struct shapes *s, uint32_t planned, uint32_t found, enum match_how how)
{
	match_pair(s->w, planned, found, how);
	match_look_around(s->w, planned);
	s->pairs++;
}

static void settle_colour(void *ctx, const struct match_keys *planned,
                          const struct match_keys *found)
{
	if (planned->n == 1 && found->n == 1)
		pair_nodes(ctx, planned->key->node, found->key->node, MATCH_PLACE);
}

static void note_known(struct shape_side *s, const uint32_t *counterpart)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->known[s->part_of[i]] |= counterpart[i] != MATCH_NONE;
}

/*
 * The colours that one node on either side has.  Switches are known by their trunks if that
 * can be: which hosts are up is a matter of chance, and by chance the same elsewhere.
 */
static bool pair_unique(struct shapes *s)
{
	const size_t before = s->pairs;

	for (unsigned int i = 0; i < 2 * ROUNDS && s->pairs == before; i++) {
		if (!has_open(&s->planned) || !has_open(&s->found))
			return false;
		colour_sides(
		    s, (struct colour_view){ .rounds = 1 + i % ROUNDS, .hosts = i >= ROUNDS });
		match_join(&s->planned.keys, &s->found.keys, settle_colour, s);
	}
	match_settle_places(s->w);
	note_known(&s->planned, s->w->m->found_of);
	note_known(&s->found, s->w->m->planned_of);
	return s->pairs > before;
}

/* One node of each part is enough: the rest follows by its place. */
static void assume_pairs(void *ctx, const struct match_keys *planned,
                         const struct match_keys *found)
{
	struct shapes *s = ctx;
	size_t f = 0;

	for (size_t p = 0; p < planned->n; p++) {
		const uint32_t node = planned->key[p].node;

		while (f < found->n && !is_open(&s->found, found->key[f].node))
			f++;
		if (f == found->n)
			return;
		if (!is_open(&s->planned, node))
			continue;
		s->planned.known[s->planned.part_of[node]] = true;
		s->found.known[s->found.part_of[found->key[f].node]] = true;
		pair_nodes(s, node, found->key[f].node, MATCH_ASSUMED);
	}
}

static void pair_equal(struct shapes *s)
{
	static const struct colour_view views[] = {
		{ 3, true, false },  { 2, true, false },  { 1, true, false },
		{ 2, false, false }, { 1, false, false }, { 1, true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		if (!has_open(&s->planned) || !has_open(&s->found))
			return;
		colour_sides(s, views[i]);
		match_join(&s->planned.keys, &s->found.keys, assume_pairs, s);
		match_settle_places(s->w);
	}
}

/* ---- proof ----------------------------------------------------------------------------- */

/* Parts that cables between nodes with more than one speak against lose their pairs. */
static void prove_parts(const struct shapes *s)
{
	const struct shape_side *side = &s->planned;
	struct match *m = s->w->m;
	int64_t *proof = arena_array(s->w->scratch, side->parts + 1, sizeof(*proof));

	for (uint32_t i = 0; i < side->n; i++) {
		if (side->cables[i] < 2)
			continue;
		for (unsigned int num = 1; num <= wire_ports(side->g, i); num++) {
			const struct wire *plan = wire_at(side->g, i, num), *real = NULL;
			uint32_t far = plan ? m->found_of[plan->node] : MATCH_NONE;

			if (!plan || side->cables[plan->node] < 2)
				continue;
			if (m->found_of[i] != MATCH_NONE && far != MATCH_NONE)
				real = wire_at(&s->w->found, m->found_of[i], num);
			proof[side->part_of[i]] += real && real->node == far &&
			                                   real->port == plan->port
			                               ? 1
			                               : -1;
		}
	}
	for (uint32_t i = 0; i < side->n; i++) {
		const uint32_t part = side->part_of[i];

		if (!s->by_shape[part] || proof[part] >= 0 || m->found_of[i] == MATCH_NONE)
			continue;
		m->planned_of[m->found_of[i]] = MATCH_NONE;
		m->found_of[i] = MATCH_NONE;
		m->how[i] = MATCH_NOT;
	}
}

/* ---- the step -------------------------------------------------------------------------- */

static bool has_guesses(const struct ibc_fabric *fab)
{
	const struct ibc_node *node;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (node->named_only)
			return true;
	return false;
}

void match_shapes(struct matching *w)
{
	struct shapes s = {
		.w = w,
		.planned = { .fab = w->m->planned, .g = &w->planned, .n = w->m->num_planned },
		.found = { .fab = w->m->found, .g = &w->found, .n = w->m->num_found },
		.known = !has_guesses(w->m->planned) && !has_guesses(w->m->found),
	};

	find_parts(w->scratch, &s.planned, w->m->found_of);
	find_parts(w->scratch, &s.found, w->m->planned_of);
	if (!has_open(&s.planned) || !has_open(&s.found))
		return;
	s.by_shape = arena_array(w->scratch, s.planned.parts + 1u, sizeof(*s.by_shape));
	for (uint32_t i = 0; i < s.planned.parts; i++)
		s.by_shape[i] = !s.planned.known[i];
	for (unsigned int i = 0; i < REPEATS && pair_unique(&s); i++)
		;
	pair_equal(&s);
	prove_parts(&s);
}
