/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A damaged switch and one of another design may lack the same.  What decides is what can be seen
 * beside the count, how many are alike, and where the cables are that are left (doc/wiring.md,
 * table 5, part B).  O(cells of a group), and for each switch that lacks cables O(its cables by
 * the switches beside it).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/trim.h"
#include "base/arena.h"

/* why each: doc/wiring.md, table 5, part B */
#define APART_PART 4 /* one lower switch in so many has none to an upper one: meant, if ... */
#define NEAR_PART  4 /* ... no more than one in so many breaks the order */
#define LIKE_MIN   2 /* so many of its looks lack nothing: a lower switch is no other kind */
#define IN_A_ROW   3 /* so many that have none to an upper one, and names in a row: warning */

/* ---- what is lacking --------------------------------------------------------------------- */

/* What a lower switch should have to each upper one; 0: it differs. */
static uint32_t row_mode(const struct wiring_group *g, uint32_t place)
{
	const uint16_t *modes = modes_of(g, place);
	uint32_t mode = 0;

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (g->outlier[UPPER][u])
			continue;
		if (mode && modes[u] != mode)
			return 0;
		mode = modes[u];
	}
	return mode;
}

/*
 * What an upper switch should have to each lower one: as those beside it, of them that have the
 * fewest, but no fewer than it has; 0: there are none.
 */
static uint32_t column_mode(const struct trim *t, uint32_t place)
{
	const struct wiring_group *g = t->g;
	uint32_t most = 0, mode = 0;

	for (uint32_t l = 0; l < g->num[LOWER]; l++)
		if (!g->outlier[LOWER][l] && !g->class_of[l] && cells_of_row(t, l)[place] > most)
			most = cells_of_row(t, l)[place];
	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		uint32_t beside = g->class[0].mode[u];

		if (!g->outlier[UPPER][u] &&
		    (mode < most ? beside > mode : beside >= most && beside < mode))
			mode = beside;
	}
	return mode;
}

/*
 * The same of a lower switch of a class: as the class has it to others of that mode, or, where it
 * has some to a part of them only, what one of its members has to this one.
 */
static uint32_t mode_in_class(const struct trim *t, uint32_t class, uint32_t mode, uint32_t place)
{
	const struct wiring_group *g = t->g;
	uint32_t only = NONE;

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (g->outlier[UPPER][u] || g->class[0].mode[u] != mode)
			continue;
		if (only != NONE && only != g->class[class].mode[u])
			return g->class[class].mode[place];
		only = g->class[class].mode[u];
	}
	return only == NONE ? 0 : only;
}

/*
 * struct lack - what a row or a column has less than the others
 * @mode: what it should have to each switch across, of most; 0: it differs
 * @holes: cables, if it has no other fault; 0: it is regular, or it is more than that
 * @even: the same number to each
 * @moved: it has all its cables, so many of them elsewhere
 * @apart: it has all or none to each across: of a lower one, where it could have some of several;
 *	   of an upper one, none to a good part
 * @periodic: of an upper one: none to every second, third ... name
 * @row: of an upper one: none to those at an end of the row of names
 */
struct lack {
	uint32_t mode, holes;
	bool even, moved, apart, periodic, row;
};

/* struct row - a lower switch; @aside: it has no vote, @hole: it has no cable there */
struct row {
	const char *name;
	bool aside, hole;
};

static int by_row_name(const void *va, const void *vz)
{
	const struct row *a = va, *z = vz;

	return strverscmp(a->name, z->name);
}

/* Are the holes at every so many-th, but for few? */
static bool is_periodic(const struct row *rows, uint32_t n, uint32_t step, uint32_t first)
{
	uint32_t expected = 0, others = 0;

	for (uint32_t i = 0; i < n; i++) {
		expected += !rows[i].aside && i % step == first;
		others += !rows[i].aside && rows[i].hole != (i % step == first);
	}
	return others * NEAR_PART <= expected;
}

/* How many holes there are from an end on, up to the first row without one. */
static uint32_t holes_from(const struct row *row, uint32_t n, int step)
{
	uint32_t holes = 0;

	for (; n-- && (row->hole || row->aside); row += step)
		holes += row->hole && !row->aside;
	return holes;
}

/*
 * In what order of names are those to which an upper switch has no cable?  @want: of it, by their
 * class.
 */
static void find_order(const struct trim *t, uint32_t place, const uint32_t *want, uint32_t holes,
                       struct lack *lack)
{
	const struct wiring_group *g = t->g;
	uint32_t n = g->num[LOWER];
	struct row *rows = arena_array(t->tree->tmp, n, sizeof(*rows));

	for (uint32_t l = 0; l < n; l++)
		rows[l] = (struct row){ t->tree->switches.nodes[g->sw[LOWER][l]]->label,
			                g->outlier[LOWER][l] || !want[g->class_of[l]],
			                !cells_of_row(t, l)[place] };
	qsort(rows, n, sizeof(*rows), by_row_name);
	for (uint32_t step = 2; step <= APART_PART; step++)
		for (uint32_t first = 0; first < step; first++)
			lack->periodic |= is_periodic(rows, n, step, first);
	lack->row = holes >= IN_A_ROW && holes * 4 <= n * 3 &&
	            (holes_from(rows, n, 1) == holes || holes_from(rows + n - 1, n, -1) == holes);
}

static struct lack lack_of(const struct trim *t, int side, uint32_t place)
{
	const struct wiring_group *g = t->g;
	struct lack lack = { .mode = side == UPPER ? column_mode(t, place) : row_mode(g, place) };
	uint32_t want[CLASSES_MAX] = { 0 };
	uint32_t missing = 0, extra = 0, first = 0, across = 0, none = 0, partly = 0, full = 0;
	bool even = side == LOWER;

	if (t->stray[side][place] || (side == LOWER && t->same[place]) ||
	    (side == UPPER && !lack.mode))
		return lack;
	for (uint32_t k = 0; side == UPPER && k < g->num_classes; k++)
		want[k] = mode_in_class(t, k, lack.mode, place);
	for (uint32_t i = 0; i < g->num[!side]; i++) {
		uint32_t row = side == LOWER ? place : i, column = side == LOWER ? i : place;
		uint32_t cell = cells_of_row(t, row)[column];
		uint32_t wanted = side == LOWER ? modes_of(g, row)[column] : want[g->class_of[row]];
		uint32_t hole = cell < wanted ? wanted - cell : 0;

		if (g->outlier[!side][i] || (!wanted && !cell))
			continue;
		first = across++ ? first : hole;
		even &= cell && hole == first;
		missing += hole;
		none += !cell;
		partly += cell && hole;
		full += cell && !hole;
		extra += cell - (wanted - hole);
	}
	even &= first && across > 1 && !extra;
	if ((extra && extra != missing) || (!g->outlier[side][place] && !even))
		return lack;
	lack.holes = missing;
	lack.even = even;
	lack.moved = extra != 0;
	/* a fault besides leaves it a switch of another design */
	lack.apart = none && !partly && missing > none &&
	             (side == LOWER || none * APART_PART >= across);
	if (side == UPPER && none * APART_PART >= across && partly < none && partly <= full)
		find_order(t, place, want, none, &lack);
	return lack;
}

/* ---- what decides ------------------------------------------------------------------------- */

/* Do both speak for the same? */
static bool is_beside(const struct wiring_group *g, int side, uint32_t place, uint32_t other)
{
	return side == UPPER || g->class_of[place] == g->class_of[other];
}

/*
 * Is there more to be seen than the count?  Those speak that lack half as much at the most; what is
 * not another kind of its class is one that two look like which keep the rule.
 */
static bool is_visibly_other(const struct trim *t, int side, uint32_t place,
                             const struct lack *lacks)
{
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	const struct ibc_node *node = sw->nodes[g->sw[side][place]];
	uint64_t hosts = 0, n = 0, its = sw->hosts[g->sw[side][place]];
	uint32_t like = 0;
	bool same_model = false;

	for (uint32_t i = 0; i < g->num[side]; i++) {
		like += side == LOWER && !g->outlier[side][i] && is_beside(g, side, place, i) &&
		        looks_like(sw, g->sw[side][place], g->sw[side][i]);
		if ((g->outlier[side][i] && !lacks[i].holes) || !is_beside(g, side, place, i) ||
		    lacks[i].holes * 2 > lacks[place].holes)
			continue;
		same_model |= is_same_model(node, sw->nodes[g->sw[side][i]]);
		hosts += sw->hosts[g->sw[side][i]];
		n++;
	}
	if (like >= LIKE_MIN)
		return false;
	if (side == UPPER)
		return !same_model || (its && !hosts);
	return !same_model || its * n * 100 < hosts * DAMAGED_HOSTS;
}

/* How many of its class lack so many, and, if that is asked, look like it? */
static uint32_t count_alike(const struct trim *t, int side, uint32_t place,
                            const struct lack *lacks, uint32_t holes, bool looks)
{
	const struct wiring_group *g = t->g;
	uint32_t alike = 0;

	for (uint32_t i = 0; i < g->num[side]; i++)
		alike += lacks[i].holes == holes && is_beside(g, side, place, i) &&
		         (!looks ||
		          looks_like(&t->tree->switches, g->sw[side][place], g->sw[side][i]));
	return alike;
}

/*
 * How many lack so many, and are a kind: of few lower switches as many as look like one of them, so
 * that a damaged one is not added to two that are meant so.
 */
static uint32_t count_kind(const struct trim *t, int side, uint32_t place, const struct lack *lacks)
{
	const struct lack *lack = &lacks[place];
	uint32_t all = count_alike(t, side, place, lacks, lack->holes, false), most = 0;

	if (side == UPPER || lack->moved || all < ALIKE_MIN || all >= 2 * ALIKE_MIN)
		return all;
	for (uint32_t i = 0; i < t->g->num[side]; i++) {
		uint32_t like = 0;

		if (lacks[i].holes == lack->holes && is_beside(t->g, side, place, i))
			like = count_alike(t, side, i, lacks, lack->holes, true);
		most = like > most ? like : most;
	}
	return most;
}

/*
 * Is there a design that it may be of, and has lost more: another of its model that lacks the same
 * number to each, or several that lack the same, and all no more than it?
 */
static bool may_be_of_others(const struct trim *t, int side, uint32_t place,
                             const struct lack *lacks)
{
	const struct wiring_group *g = t->g;
	const struct switches *sw = &t->tree->switches;

	for (uint32_t i = 0; i < g->num[side]; i++)
		if (i != place && lacks[i].holes && lacks[i].holes <= lacks[place].holes &&
		    is_beside(g, side, place, i) &&
		    is_same_model(sw->nodes[g->sw[side][i]], sw->nodes[g->sw[side][place]]) &&
		    (lacks[i].even ||
		     count_alike(t, side, place, lacks, lacks[i].holes, false) >= ALIKE_MIN))
			return true;
	return false;
}

/* Does another upper switch lack just the same, cable by cable? */
static bool has_twin(const struct trim *t, uint32_t place, const struct lack *lacks)
{
	for (uint32_t i = 0; i < t->g->num[UPPER]; i++) {
		bool same = i != place && lacks[i].holes == lacks[place].holes;

		for (uint32_t l = 0; same && l < t->g->num[LOWER]; l++)
			same = cells_of_row(t, l)[i] == cells_of_row(t, l)[place];
		if (same)
			return true;
	}
	return false;
}

/* Does a switch lead there through this port? */
static bool leads_to(const struct ibc_node *node, unsigned int num, const struct ibc_node *far)
{
	const struct ibc_port *p = ibc_node_port(node, num);

	return p && p->peer && p->peer->node == far;
}

uint32_t places_kept(const struct trim *t, int side, uint32_t place, uint32_t class)
{
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	uint32_t s = g->sw[side][place], all = 0, kept = 0;

	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
		if (t->tree->groups.of[!side][p->to] != (size_t)(g - t->tree->groups.all))
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct ibc_port *end = sw->cables[p->first + k];
			uint32_t agree = 0, others = 0;

			for (uint32_t i = 0; i < g->num[side]; i++) {
				if (g->outlier[side][i] || i == place ||
				    (side == LOWER && g->class_of[i] != class))
					continue;
				others++;
				agree += leads_to(sw->nodes[g->sw[side][i]], end->num,
				                  sw->nodes[p->to]);
			}
			kept += agree * 2 > others;
			all++;
		}
	}
	return all ? kept * 100 / all : 0;
}

/* How many of the other switches of a side lead there, by port; @n: that lead there at all. */
static void vote(const struct trim *t, int side, uint32_t but, uint32_t to,
                 uint32_t votes[VOTE_PORTS], uint32_t *n)
{
	const struct switches *sw = &t->tree->switches;

	memset(votes, 0, VOTE_PORTS * sizeof(*votes));
	*n = 0;
	for (uint32_t i = 0; i < t->g->num[side]; i++) {
		const struct trunk *p = trunk_between(sw, t->g->sw[side][i], to);

		if (!p || i == but || t->g->outlier[side][i])
			continue;
		for (uint32_t k = 0; k < p->count; k++)
			votes[sw->cables[p->first + k]->num]++;
		++*n;
	}
}

/* Is a port free at which most of them lead there? */
static bool has_free_port(const struct ibc_node *node, const uint32_t votes[VOTE_PORTS], uint32_t n)
{
	for (unsigned int num = 1; num <= node->num_ports && num < VOTE_PORTS; num++)
		if (votes[num] * 2 > n &&
		    !(ibc_node_port(node, num) && ibc_node_port(node, num)->peer))
			return true;
	return false;
}

/* Does it look as one that has a cable there, and has some to all others? */
static bool may_have_had(const struct trim *t, uint32_t lower, uint32_t place)
{
	const struct wiring_group *g = t->g;
	bool like = false;

	for (uint32_t u = 0; u < g->num[UPPER]; u++)
		if (u != place && !cells_of_row(t, lower)[u] && modes_of(g, lower)[u])
			return false;
	for (uint32_t l = 0; l < g->num[LOWER] && !like; l++)
		like = !g->outlier[LOWER][l] && cells_of_row(t, l)[place] &&
		       looks_like(&t->tree->switches, g->sw[LOWER][lower], g->sw[LOWER][l]);
	return like;
}

/*
 * An upper switch has all cables to some and none to others: are, of most of those, the ports free
 * where a cable would be, at both ends, while they look like those that have it?
 */
static bool are_places_free(const struct trim *t, uint32_t place)
{
	const struct switches *sw = &t->tree->switches;
	const struct wiring_group *g = t->g;
	uint32_t lower[VOTE_PORTS], upper[VOTE_PORTS], n, m, none = 0, are_free = 0;
	uint32_t u = g->sw[UPPER][place];

	vote(t, LOWER, NONE, u, lower, &n);
	for (uint32_t l = 0; l < g->num[LOWER]; l++) {
		uint32_t s = g->sw[LOWER][l];

		if (g->outlier[LOWER][l] || cells_of_row(t, l)[place] ||
		    (g->class_of[l] && !modes_of(g, l)[place]))
			continue;
		none++;
		if (!has_free_port(sw->nodes[s], lower, n) || !may_have_had(t, l, place))
			continue;
		vote(t, UPPER, place, s, upper, &m);
		are_free += has_free_port(sw->nodes[u], upper, m);
	}
	return are_free * 2 > none;
}

/* Are its cables at the same few ports of all across, as those of a switch that has its own? */
static bool has_own_places(const struct trim *t, int side, uint32_t place, uint32_t mode)
{
	const struct switches *sw = &t->tree->switches;
	uint32_t s = t->g->sw[side][place], all = 0, distinct = 0;
	bool seen[VOTE_PORTS] = { false };

	for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
		if (t->tree->groups.of[!side][p->to] != (size_t)(t->g - t->tree->groups.all))
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct ibc_port *far = sw->cables[p->first + k]->peer;

			distinct += !seen[far->num];
			seen[far->num] = true;
			all++;
		}
	}
	return distinct <= mode && all > distinct;
}

static enum wiring_verdict judge_lack(const struct trim *t, int side, uint32_t place,
                                      const struct lack *lacks)
{
	const struct wiring_group *g = t->g;
	const struct lack *lack = &lacks[place];
	uint32_t alike = count_kind(t, side, place, lacks);
	bool twins = count_alike(t, side, place, lacks, lack->holes, true) > 1;
	uint32_t class = side == LOWER ? g->class_of[place] : 0;
	bool torn = side == LOWER && t->torn[place];

	if (lack->moved)
		return !torn && alike < ALIKE_MIN && !is_visibly_other(t, side, place, lacks) &&
		               places_kept(t, side, place, class) >= KEPT_PERCENT
		           ? VERDICT_DAMAGED
		           : VERDICT_NONE;
	/* two against one or two: who of them is meant otherwise cannot be known */
	if (alike >= ALIKE_MIN || lack->periodic ||
	    (lack->apart && (side == UPPER ? !are_places_free(t, place) : twins)) ||
	    (t->left[side] < ROWS_MIN && has_twin(t, place, lacks) &&
	     !(side == UPPER && t->lesser[place])))
		return VERDICT_DIFFERENT;
	if (is_visibly_other(t, side, place, lacks))
		return VERDICT_DIFFERENT;
	if (torn || lack->even || lack->row ||
	    (side == UPPER && (lack->apart || t->lesser[place])) || twins ||
	    t->left[side] < ROWS_MIN || may_be_of_others(t, side, place, lacks))
		return VERDICT_DOUBTFUL;
	return places_kept(t, side, place, class) == 100 ||
	               has_own_places(t, side, place, lack->mode)
	           ? VERDICT_DAMAGED
	           : VERDICT_DOUBTFUL;
}

/* Upper switches that were set aside, and are alike: they have a number of their own. */
static void find_column_classes(struct trim *t)
{
	struct wiring_group *g = t->g;
	uint32_t *only = arena_array(t->tree->tmp, g->num[UPPER] + 1u, sizeof(*only));
	uint32_t alike[COUNT_MAX + 1] = { 0 };

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		bool equal = g->outlier[UPPER][u] && !t->stray[UPPER][u];

		for (uint32_t l = 0, cell; equal && l < g->num[LOWER]; l++) {
			if (g->outlier[LOWER][l] || g->class_of[l])
				continue;
			cell = cells_of_row(t, l)[u];
			equal = cell && (!only[u] || only[u] == cell);
			only[u] = cell;
		}
		only[u] = equal ? only[u] : 0;
		alike[only[u]]++;
	}
	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		if (!only[u] || alike[only[u]] < ALIKE_MIN)
			continue;
		g->class[0].mode[u] = (uint16_t)only[u];
		g->outlier[UPPER][u] = false;
		g->verdict[UPPER][u] = VERDICT_DIFFERENT;
		t->left[UPPER]++;
	}
}

/*
 * Are there enough to compare with?  One upper switch is, where it has many below it, or other
 * groups are as large.
 */
static bool has_siblings(const struct trim *t, int side)
{
	const struct wiring_groups *groups = &t->tree->groups;
	const struct wiring_group *g = t->g, *other;
	uint32_t like = 0;

	if (side == LOWER || t->left[side] != 1 || g->num[LOWER] >= 2 * ROWS_MIN)
		return t->left[side] >= (side == LOWER ? ROWS_MIN : 1);
	for (other = groups->all; other < groups->all + groups->n; other++)
		like += other != g && other->rank == g->rank &&
		        other->num[LOWER] == g->num[LOWER] && other->num[UPPER] == g->num[UPPER];
	return like >= LIKE_MIN;
}

void lacks_judge(struct trim *t, int side)
{
	struct wiring_group *g = t->g;
	uint32_t n = g->num[side];
	struct lack *lacks = arena_array(t->tree->tmp, n + 1u, sizeof(*lacks));
	bool judged;

	if (side == UPPER)
		find_column_classes(t);
	for (uint32_t i = 0; i < n; i++)
		lacks[i] = lack_of(t, side, i);
	judged = has_siblings(t, side);
	for (uint32_t i = 0; i < n && judged; i++)
		if (lacks[i].holes)
			g->verdict[side][i] = (uint8_t)judge_lack(t, side, i, lacks);
	for (uint32_t i = 0; i < n; i++) {
		if (!lacks[i].holes || g->verdict[side][i] == VERDICT_NONE)
			continue;
		t->left[side] -= !g->outlier[side][i];
		g->outlier[side][i] = true;
		for (uint32_t k = 0;
		     side == UPPER && g->verdict[side][i] == VERDICT_DAMAGED && k < g->num_classes;
		     k++)
			g->class[k].mode[i] = (uint16_t)mode_in_class(t, k, lacks[i].mode, i);
	}
}
