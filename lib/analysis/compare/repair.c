/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/compare/repair.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"

#define NONE       UINT32_MAX
#define HEIGHT_MAX 16  /* more tiers than a tree has; see doc/wiring.md, table 6 */
#define UNSEEN_FAR 100 /* further than any way round it is worth */

/* A cable segment's end: absent cable segments count first, each has two. */
struct tip {
	struct jack jack;
	uint32_t end;
};

struct repair_graph {
	const struct segment *absent, *surplus;
	uint32_t num_absent, num_segments;
	const struct repair_node *nodes;
	struct tip *tips;  /* by jack */
	uint32_t *partner; /* by end: the end of the other colour in the same jack, or NONE */
	bool *seen;        /* by cable segment */

	/* the component at hand: jacks v[0] .. v[n], and the cable segment between v[i] and v[i +
	 * 1] */
	struct jack *v;
	const struct segment **edge;
	size_t n;

	/* absent or surplus cables that share no jack with another */
	const struct segment **lone_absent, **lone_surplus;
	size_t num_lone_absent, num_lone_surplus;

	const struct segment **kept; /* what the faults point into */
	size_t num_kept;
	struct repair *out;
};

/* ---- what a move costs --------------------------------------------------------------- */

static uint64_t rack_distance(const struct repair_node *nodes, uint32_t a, uint32_t b)
{
	if (nodes && (nodes[a].unseen || nodes[b].unseen))
		return UNSEEN_FAR;
	if (a == b)
		return 0;
	return nodes && nodes[a].rack && nodes[a].rack == nodes[b].rack ? 1 : 2;
}

static uint64_t depth(const struct repair_node *nodes, uint32_t node)
{
	return nodes && nodes[node].height < HEIGHT_MAX ? HEIGHT_MAX - nodes[node].height : 0;
}

/* Of a plug from one jack to another; sums of many still compare. */
static uint64_t cost(const struct repair_graph *g, struct jack from, struct jack to)
{
	return (rack_distance(g->nodes, from.node, to.node) << 32) + depth(g->nodes, from.node) +
	       depth(g->nodes, to.node);
}

/* ---- components ------------------------------------------------------------------------ */

static const struct segment *segment_of(const struct repair_graph *g, uint32_t end)
{
	uint32_t segment = end / 2;

	return segment < g->num_absent ? &g->absent[segment] : &g->surplus[segment - g->num_absent];
}

static bool is_absent(const struct repair_graph *g, uint32_t end)
{
	return end / 2 < g->num_absent;
}

static int compare_jacks(struct jack a, struct jack z)
{
	return order_u64(a.node, z.node) ?: order_u64(a.port, z.port);
}

/* Of one jack the surplus cable first: cycles start there. */
static int by_jack(const void *va, const void *vz)
{
	const struct tip *a = va, *z = vz;

	return compare_jacks(a->jack, z->jack) ?: order_u64(z->end, a->end);
}

static void join_tips(struct repair_graph *g)
{
	uint32_t n = 2 * g->num_segments;

	for (uint32_t end = 0; end < n; end++) {
		g->tips[end] = (struct tip){ segment_of(g, end)->end[end % 2], end };
		g->partner[end] = NONE;
	}
	qsort(g->tips, n, sizeof(*g->tips), by_jack);
	for (uint32_t i = 1; i < n; i++) {
		if (compare_jacks(g->tips[i - 1].jack, g->tips[i].jack) != 0)
			continue;
		g->partner[g->tips[i - 1].end] = g->tips[i].end;
		g->partner[g->tips[i].end] = g->tips[i - 1].end;
	}
}

/* Follows cable segments from an end until a jack leads no further, or back. */
static void walk_segments(struct repair_graph *g, uint32_t end)
{
	g->n = 0;
	g->v[0] = segment_of(g, end)->end[end % 2];
	while (end != NONE && !g->seen[end / 2]) {
		uint32_t far = end ^ 1;

		g->seen[end / 2] = true;
		g->edge[g->n++] = segment_of(g, end);
		g->v[g->n] = segment_of(g, far)->end[far % 2];
		end = g->partner[far];
	}
}

static void reverse_walk(struct repair_graph *g)
{
	for (size_t i = 0, k = g->n; i < k; i++, k--) {
		struct jack v = g->v[i];

		g->v[i] = g->v[k];
		g->v[k] = v;
	}
	for (size_t i = 0, k = g->n - 1; i < k; i++, k--) {
		const struct segment *edge = g->edge[i];

		g->edge[i] = g->edge[k];
		g->edge[k] = edge;
	}
}

/* ---- faults and their steps --------------------------------------------------------------- */

static struct repair_fault *last_fault(const struct repair_graph *g)
{
	return &g->out->faults[g->out->num_faults - 1];
}

static struct repair_step *add_step(struct repair_graph *g, enum ibc_action action,
                                    const struct segment *segment, const struct segment *becomes)
{
	struct repair_step *step = &g->out->steps[g->out->num_steps++];

	*step = (struct repair_step){ .action = action, .segment = segment, .becomes = becomes };
	last_fault(g)->num_steps++;
	return step;
}

/* A plug of a cable segment, the other one of which stays. */
static void add_move(struct repair_graph *g, struct jack from, struct jack to, struct jack peer,
                     const struct segment *segment, const struct segment *becomes)
{
	struct repair_step *step = add_step(g, IBC_ACTION_MOVE, segment, becomes);

	step->from = from;
	step->to = to;
	step->peer = peer;
}

static void add_connection(struct repair_graph *g, const struct segment *absent)
{
	struct repair_step *step = add_step(g, IBC_ACTION_CONNECT, NULL, absent);

	step->to = absent->end[0];
	step->peer = absent->end[1];
}

static void add_removal(struct repair_graph *g, const struct segment *surplus)
{
	struct repair_step *step = add_step(g, IBC_ACTION_REMOVE, surplus, NULL);

	step->from = surplus->end[0];
	step->peer = surplus->end[1];
}

/* A fault of every second cable segment from absent, and from surplus, below n. */
static void add_fault(struct repair_graph *g, size_t absent, size_t surplus, size_t n)
{
	struct repair_fault *fault = &g->out->faults[g->out->num_faults++];

	*fault = (struct repair_fault){ .first_step = (uint32_t)g->out->num_steps };
	fault->absent = &g->kept[g->num_kept];
	for (size_t i = absent; i < n; i += 2, fault->num_absent++)
		g->kept[g->num_kept++] = g->edge[i];
	fault->surplus = &g->kept[g->num_kept];
	for (size_t i = surplus; i < n; i += 2, fault->num_surplus++)
		g->kept[g->num_kept++] = g->edge[i];
}

/* So that surplus[i] becomes absent[i], as far as there is one. */
static void reorder_segments(const struct segment **list, size_t from, size_t to)
{
	const struct segment *moved = list[from];

	for (; from < to; from++)
		list[from] = list[from + 1];
	for (; from > to; from--)
		list[from] = list[from - 1];
	list[to] = moved;
}

/*
 * A path that starts with an absent cable segment.  Its first jack is free, and so is the last
 * one if it ends with one: surplus cable segments before the connection become the absent one
 * before them, those after it the one after them, each into the jack just freed.
 */
static void repair_gap(struct repair_graph *g)
{
	const struct jack *v = g->v;
	size_t absent = (g->n + 1) / 2, surplus = g->n / 2, at = surplus;
	uint64_t sum = 0, least;

	add_fault(g, 0, 1, g->n);
	for (size_t i = 0; i < surplus; i++)
		sum += cost(g, v[2 * i + 2], v[2 * i]);
	least = sum;
	for (size_t i = surplus; absent > surplus && i-- > 0;) {
		sum += cost(g, v[2 * i + 1], v[2 * i + 3]) - cost(g, v[2 * i + 2], v[2 * i]);
		if (sum < least) {
			least = sum;
			at = i;
		}
	}
	for (size_t i = 0; i < at; i++)
		add_move(g, v[2 * i + 2], v[2 * i], v[2 * i + 1], g->edge[2 * i + 1],
		         g->edge[2 * i]);
	for (size_t i = surplus; i-- > at;)
		add_move(g, v[2 * i + 1], v[2 * i + 3], v[2 * i + 2], g->edge[2 * i + 1],
		         g->edge[2 * i + 2]);
	if (absent == surplus)
		return;
	add_connection(g, g->edge[2 * at]);
	reorder_segments(last_fault(g)->absent, at, surplus);
}

/*
 * A path that starts and ends with a surplus cable segment: no jack is free before one of them
 * is removed; the others follow towards it.
 */
static void repair_excess(struct repair_graph *g)
{
	const struct jack *v = g->v;
	size_t surplus = (g->n + 1) / 2, at = 0;
	uint64_t sum = 0, least;

	add_fault(g, 1, 0, g->n);
	for (size_t i = 1; i < surplus; i++)
		sum += cost(g, v[2 * i + 1], v[2 * i - 1]);
	least = sum;
	for (size_t i = 1; i < surplus; i++) {
		sum += cost(g, v[2 * i - 2], v[2 * i]) - cost(g, v[2 * i + 1], v[2 * i - 1]);
		if (sum < least) {
			least = sum;
			at = i;
		}
	}
	add_removal(g, g->edge[2 * at]);
	reorder_segments(last_fault(g)->surplus, at, surplus - 1);
	for (size_t i = at; i-- > 0;)
		add_move(g, v[2 * i], v[2 * i + 2], v[2 * i + 1], g->edge[2 * i],
		         g->edge[2 * i + 1]);
	for (size_t i = at + 1; i < surplus; i++)
		add_move(g, v[2 * i + 1], v[2 * i - 1], v[2 * i], g->edge[2 * i],
		         g->edge[2 * i - 1]);
}

/*
 * One way to mend a cycle: the plugs at every second jack move, each to the place before
 * it, by exchanges; the one pair that costs most is spared.
 */
struct turn {
	const struct repair_graph *g;
	size_t k;     /* plugs */
	bool outlier; /* those at the odd jacks */
	size_t spare; /* this one and the one before it are never exchanged */
	uint64_t cost;
};

/* Index of the surplus cable segment whose plug has the place i of the turn. */
static size_t turn_edge(const struct turn *t, size_t i)
{
	return 2 * (t->outlier ? i : (t->k - i) % t->k);
}

static struct jack turn_moves(const struct turn *t, size_t i)
{
	return t->g->v[turn_edge(t, i) + t->outlier];
}

static struct turn plan_turn(const struct repair_graph *g, bool outlier)
{
	struct turn t = { .g = g, .k = g->n / 2, .outlier = outlier };
	uint64_t most = 0;

	for (size_t i = 0; i < t.k; i++) {
		uint64_t one = cost(g, turn_moves(&t, i), turn_moves(&t, (i + t.k - 1) % t.k));

		t.cost += one;
		if (one > most) {
			most = one;
			t.spare = i;
		}
	}
	t.cost -= most;
	return t;
}

/* A cycle that starts with a surplus cable segment. */
static void repair_cycle(struct repair_graph *g)
{
	struct turn t = plan_turn(g, false), outlier = plan_turn(g, true);

	if (outlier.cost < t.cost)
		t = outlier;
	add_fault(g, 1, 0, g->n);
	last_fault(g)->cycle = true;
	if (t.outlier)
		reorder_segments(last_fault(g)->absent, t.k - 1, 0);
	for (size_t n = 1; n < t.k; n++) {
		size_t i = (t.spare + n) % t.k, e = turn_edge(&t, i), all = 2 * t.k;
		struct repair_step *step = add_step(
		    g, IBC_ACTION_EXCHANGE, g->edge[e],
		    g->edge[t.outlier ? (e + all - 1) % all : e + 1]);

		step->from = turn_moves(&t, i);
		step->to = turn_moves(&t, (i + t.k - 1) % t.k);
		step->peer = g->v[e + !t.outlier];
		/* the plug of the spared one goes all the way round */
		step->to_peer = g->v[turn_edge(&t, t.spare) + !t.outlier];
	}
}

static void repair_path(struct repair_graph *g, bool starts_absent)
{
	bool ends_absent = starts_absent == (g->n % 2 == 1);

	if (g->n == 1 && starts_absent) {
		g->lone_absent[g->num_lone_absent++] = g->edge[0];
		return;
	}
	if (g->n == 1) {
		g->lone_surplus[g->num_lone_surplus++] = g->edge[0];
		return;
	}
	if (!starts_absent && !ends_absent) {
		repair_excess(g);
		return;
	}
	if (!starts_absent)
		reverse_walk(g);
	repair_gap(g);
}

/* ---- cables that stand alone ----------------------------------------------------------------- */

static uint32_t lower_node(const struct segment *s)
{
	return s->end[0].node < s->end[1].node ? s->end[0].node : s->end[1].node;
}

static int compare_ends(const struct segment *a, const struct segment *z)
{
	uint32_t low = lower_node(a), other = lower_node(z);
	uint32_t high = a->end[0].node ^ a->end[1].node ^ low;
	uint32_t other_high = z->end[0].node ^ z->end[1].node ^ other;

	return order_u64(low, other) ?: order_u64(high, other_high);
}

static int by_ends(const void *va, const void *vz)
{
	const struct segment *a = *(const struct segment *const *)va;
	const struct segment *z = *(const struct segment *const *)vz;

	return compare_ends(a, z)
	           ?: compare_jacks(a->end[0], z->end[0])
	           ?: compare_jacks(a->end[1], z->end[1]);
}

/* Between the same two nodes, and both jacks are others: both plugs move. */
static void repair_both_ends(struct repair_graph *g, const struct segment *absent,
                             const struct segment *surplus)
{
	unsigned int far = surplus->end[0].node == absent->end[0].node ? 1 : 0;
	const struct jack *from = surplus->end, *to = absent->end;

	g->edge[0] = absent;
	g->edge[1] = surplus;
	add_fault(g, 0, 1, 2);
	add_move(g, from[!far], to[0], from[far], surplus, absent);
	add_move(g, from[far], to[1], to[0], surplus, absent);
}

static void repair_lone(struct repair_graph *g)
{
	const struct segment **a = g->lone_absent, **a_end = a + g->num_lone_absent;
	const struct segment **s = g->lone_surplus, **s_end = s + g->num_lone_surplus;

	qsort(a, g->num_lone_absent, sizeof(*a), by_ends);
	qsort(s, g->num_lone_surplus, sizeof(*s), by_ends);
	while (a < a_end || s < s_end) {
		int order = a == a_end ? 1 : s == s_end ? -1 : compare_ends(*a, *s);

		if (order == 0) {
			repair_both_ends(g, *a++, *s++);
			continue;
		}
		g->edge[0] = order < 0 ? *a++ : *s++;
		add_fault(g, order < 0 ? 0 : 1, order < 0 ? 1 : 0, 1);
		if (order < 0)
			add_connection(g, g->edge[0]);
		else
			add_removal(g, g->edge[0]);
	}
}

/* ---- order -------------------------------------------------------------------------------- */

struct fault_place {
	struct repair_fault fault;
	struct jack jack;
	uint32_t rack;
};

static int by_fault_place(const void *va, const void *vz)
{
	const struct fault_place *a = va, *z = vz;

	return order_u64(a->fault.cycle, z->fault.cycle)
	           ?: order_u64(a->rack, z->rack)
	           ?: compare_jacks(a->jack, z->jack);
}

/* By where the first thing to do about each is done. */
static void order_faults(struct repair_graph *g, struct fault_place *places,
                         struct repair_step *steps)
{
	struct repair *r = g->out;
	uint32_t n = 0;

	for (size_t i = 0; i < r->num_faults; i++) {
		const struct repair_step *step = &r->steps[r->faults[i].first_step];

		places[i].fault = r->faults[i];
		places[i].jack = step->action == IBC_ACTION_REMOVE ? step->from : step->to;
		places[i].rack = g->nodes ? g->nodes[places[i].jack.node].rack : 0;
	}
	qsort(places, r->num_faults, sizeof(*places), by_fault_place);
	for (uint32_t i = 0; i < r->num_faults; i++) {
		const struct repair_step *from = &r->steps[places[i].fault.first_step];

		r->faults[i] = places[i].fault;
		r->faults[i].first_step = n;
		for (uint32_t k = 0; k < r->faults[i].num_steps; k++) {
			steps[n] = from[k];
			steps[n++].fault = i;
		}
	}
	r->steps = steps;
}

bool repair_find(struct arena *a, const struct segment *absent, size_t num_absent,
                 const struct segment *surplus, size_t num_surplus, const struct repair_node *nodes,
                 struct repair *out)
{
	const size_t n = num_absent + num_surplus;
	struct fault_place *places = arena_array(a, n, sizeof(*places));
	struct repair_step *steps = arena_array(a, n, sizeof(*steps));
	struct repair_graph g = {
		.absent = absent,
		.surplus = surplus,
		.num_absent = (uint32_t)num_absent,
		.num_segments = (uint32_t)n,
		.nodes = nodes,
		.tips = arena_array(a, 2 * n, sizeof(*g.tips)),
		.partner = arena_array(a, 2 * n, sizeof(*g.partner)),
		.seen = arena_array(a, n, sizeof(*g.seen)),
		.v = arena_array(a, n + 1, sizeof(*g.v)),
		.edge = arena_array(a, n + 1, sizeof(*g.edge)),
		.kept = arena_array(a, n, sizeof(*g.kept)),
		.lone_absent = arena_array(a, num_absent, sizeof(*g.lone_absent)),
		.lone_surplus = arena_array(a, num_surplus, sizeof(*g.lone_surplus)),
		.out = out,
	};

	*out = (struct repair){
		.faults = arena_array(a, n, sizeof(*out->faults)),
		.steps = arena_array(a, n, sizeof(*out->steps)),
	};
	if (!places || !steps || !g.tips || !g.partner || !g.seen || !g.v || !g.edge || !g.kept ||
	    !g.lone_absent || !g.lone_surplus || !out->faults || !out->steps)
		return false;
	join_tips(&g);
	for (uint32_t i = 0; i < 2 * g.num_segments; i++) {
		uint32_t end = g.tips[i].end;

		if (g.partner[end] != NONE || g.seen[end / 2])
			continue;
		walk_segments(&g, end);
		repair_path(&g, is_absent(&g, end));
	}
	for (uint32_t i = 0; i < 2 * g.num_segments; i++) {
		if (g.seen[g.tips[i].end / 2])
			continue;
		walk_segments(&g, g.tips[i].end); /* of a cycle: the first at a jack is surplus */
		repair_cycle(&g);
	}
	repair_lone(&g);
	order_faults(&g, places, steps);
	return true;
}
