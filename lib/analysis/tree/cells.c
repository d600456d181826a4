/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/cells.h"

#include <string.h>

#include "base/arena.h"

#define SMALL_ROWS 4 /* too few for shares to decide: doc/wiring.md, table 5, part D */

/* ---- ports --------------------------------------------------------------------------- */

const uint32_t *votes_of(const struct cells *c, uint32_t s, int side)
{
	const struct votes *votes = c->votes[side][s];

	return votes && votes->names[side] ? votes->elected[side] : NULL;
}

unsigned int votes_broken(const struct cells *c, const struct ibc_port *cable)
{
	unsigned int broken = 0;

	for (int side = 0; side < 2; side++) {
		const struct ibc_port *end = cable_end(cable, side);
		const uint32_t *votes = votes_of(c, number_of_end(c, end), side);

		broken += votes && votes[end->num] != VOTE_SPLIT &&
		          votes[end->num] != number_of_end(c, end->peer);
	}
	return broken;
}

/* ---- cells --------------------------------------------------------------------------- */

static void add_cell(struct cells *c, uint32_t lower, uint32_t upper, bool outlier,
                     const struct ibc_port *cable)
{
	arena_grow(c->tree->tmp, &c->all, c->n, &c->room, sizeof(*c->all));
	c->all[c->n++] = (struct cell){
		.end = { lower, upper }, .cable = cable, .outlier = outlier, .twin = NO_CELL
	};
}

/* Does one of the two follow no rule? */
static bool is_outlier(const struct cells *c, uint32_t lower, uint32_t upper)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct wiring_group *g = &groups->all[groups->of[LOWER][lower]], *top;

	if (groups->of[UPPER][upper] == NO_GROUP)
		return true;
	top = &groups->all[groups->of[UPPER][upper]];
	return g->outlier[LOWER][groups->place[LOWER][lower]] || !top->evaluated ||
	       top->outlier[UPPER][groups->place[UPPER][upper]];
}

/*
 * A cell for each cable of a pair beyond the wanted ones: those that break most votes, else in
 * their order; of the others, two cells for each that breaks the votes of both ends, if the ports
 * of the group are in such an order that this means something: another fault may have made room
 * for it.
 */
static void add_cable_cells(struct cells *c, const struct trunk *pair, uint32_t lower,
                            uint32_t wanted, bool detects, bool outlier)
{
	const struct ibc_port *const *all = &c->tree->switches.cables[pair->first];
	uint32_t i = 0;

	for (unsigned int broken = 3; broken--;)
		for (uint32_t k = 0; k < pair->count; k++) {
			bool surplus = i + wanted < pair->count;

			if ((!surplus && !(detects && broken == 2)) ||
			    votes_broken(c, all[k]) != broken)
				continue;
			i++;
			add_cell(c, lower, pair->to, outlier, all[k]);
			if (surplus)
				continue;
			add_cell(c, lower, pair->to, outlier, NULL);
			c->all[c->n - 2].twin = c->n - 1;
			c->all[c->n - 1].twin = c->n - 2;
		}
}

/* What a lower switch lacks, then what it has too much. */
static void add_row(struct cells *c, const struct wiring_group *g, uint32_t lower)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct switches *sw = &c->tree->switches;
	const uint16_t *mode = modes_of(g, groups->place[LOWER][lower]);
	uint32_t own = (uint32_t)(g - groups->all);

	for (uint32_t u = 0; u < g->num[UPPER]; u++) {
		const struct trunk *pair = trunk_between(sw, lower, g->sw[UPPER][u]);

		for (uint32_t have = pair ? pair->count : 0; have < mode[u]; have++)
			add_cell(c, lower, g->sw[UPPER][u], is_outlier(c, lower, g->sw[UPPER][u]),
			         NULL);
	}
	for (const struct trunk *pair = trunks(sw, lower); pair < trunks(sw, lower + 1); pair++) {
		bool inside = groups->of[UPPER][pair->to] == own;
		uint32_t wanted = inside ? mode[groups->place[UPPER][pair->to]] : 0;

		if (c->tree->rank[pair->to] == g->rank + 1)
			add_cable_cells(c, pair, lower, wanted,
			                c->votes[LOWER][lower]->detects && inside,
			                is_outlier(c, lower, pair->to));
	}
}

/* ---- weighing --------------------------------------------------------------------------- */

/*
 * Of what is wanted of a switch, so much is in order; 0: it has more holes than regular ones
 * have, and is none that is known to be damaged.  A cable that leads astray may be for one of
 * them.
 */
static double share_in_order(struct line line, uint32_t astray, bool damaged)
{
	double holes = (double)line.missing - line.extra - astray;

	if (!line.wanted || (!damaged && holes > line_slack(line)))
		return 0;
	return 1 - line_moves(line) / (double)line.wanted;
}

/*
 * May a cell be held against two switches, where so much of the rule is kept?  Why these
 * numbers: doc/wiring.md, table 5, part D.
 */
static bool may_blame(const struct wiring_rule *rule, struct wiring_gate *gate)
{
	double lower = gate->row, upper = gate->column;

	gate->word = "row-and-column";
	if (lower >= 0.75 && upper >= 0.75)
		return true;
	gate->word = "rule";
	if (gate->rule < 0.9)
		return false;
	gate->word = "single-uplink";
	if (rule->uplinks == 1)
		return rule->groups >= 3 && upper >= 0.75; /* it has all or nothing */
	gate->word = "like-groups";
	if (rule->groups >= 3 && lower >= 0.5 && upper >= 0.5)
		return true;
	gate->word = "column";
	if (lower >= 0.5 && upper >= 0.8)
		return true;
	gate->word = "row";
	if (lower >= 0.85 && upper >= 0.67)
		return true;
	gate->word = "share";
	return false;
}

static void trace_gate(const struct cells *c, const struct cell *cell)
{
	static const char *const texts[][2] = {
		/* in the order they are asked */
		{ "row-and-column", "row >= 0.75 and column >= 0.75" },
		{ "rule", "row or column < 0.75, and rule < 0.9" },
		{ "single-uplink", "one uplink: 3 groups and column >= 0.75" },
		{ "like-groups", "rule >= 0.9, 3 groups, row >= 0.5 and column >= 0.5" },
		{ "column", "rule >= 0.9, row >= 0.5 and column >= 0.8" },
		{ "row", "rule >= 0.9, row >= 0.85 and column >= 0.67" },
		{ "share", "rule >= 0.9, but neither row nor column enough" },
		{ "outlier", "a switch of it is set aside" },
		{ "damaged", "what the switch has left is where similar ones have it" },
		{ "free-ports", "small group: the only free port that fits at both ends" },
	};
	const struct wiring_gate *gate = &cell->gate;
	size_t i = 0;

	while (strcmp(texts[i][0], gate->word) != 0)
		i++;
	trace_line(c->tree->trace, IBC_TRACE_TREE,
	           "%s - %s, one link %s: row %.3g, column %.3g, rule %.3g: %s, gate %s (%s)",
	           c->tree->switches.nodes[cell->end[LOWER]]->label,
	           c->tree->switches.nodes[cell->end[UPPER]]->label,
	           cell->cable ? "too many" : "missing", gate->row, gate->column, gate->rule,
	           cell->weak ? "not blamed" : "may be blamed", gate->word, texts[i][1]);
}

/* Is the switch damaged as a whole, so that its holes count for itself alone? */
static bool is_damaged(const struct cells *c, uint32_t s, int side)
{
	const struct wiring_groups *groups = &c->tree->groups;
	uint32_t g = groups->of[side][s];

	return g != NO_GROUP && groups->all[g].evaluated &&
	       groups->all[g].verdict[side][groups->place[side][s]] == VERDICT_DAMAGED;
}

static uint32_t rule_of(const struct cells *c, uint32_t lower)
{
	const struct wiring_groups *groups = &c->tree->groups;

	return (uint32_t)(class_of_lower(groups, lower)->rule - c->tree->rules);
}

/* What is wanted of each switch and of each shape, and what of the cells is not explained yet. */
static void add_up(struct cells *c)
{
	const struct ibc_fattree *tree = c->tree;

	memset(c->line[LOWER], 0, tree->switches.n * sizeof(*c->line[LOWER]));
	memset(c->line[UPPER], 0, tree->switches.n * sizeof(*c->line[UPPER]));
	memset(c->astray, 0, tree->switches.n * sizeof(*c->astray));
	memset(c->shapes, 0, tree->num_rules * sizeof(*c->shapes));
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];

		if (!g->evaluated)
			continue;
		for (uint32_t l = 0; l < g->num[LOWER]; l++)
			for (uint32_t u = 0; u < g->num[UPPER]; u++) {
				if (!g->outlier[UPPER][u])
					c->line[LOWER][g->sw[LOWER][l]].wanted += modes_of(g, l)[u];
				if (!g->outlier[LOWER][l])
					c->line[UPPER][g->sw[UPPER][u]].wanted += modes_of(g, l)[u];
			}
		for (uint32_t k = 0; k < g->num_classes; k++)
			c->shapes[g->class[k].rule - tree->rules].wanted += g->class[k].cables;
	}
	for (size_t i = 0; i < c->num_strays; i++) {
		if (!c->strays[i])
			continue;
		c->astray[number_of_end(c, c->strays[i])]++;
		c->astray[number_of_end(c, c->strays[i]->peer)]++;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cell *cell = &c->all[i];

		if (cell->used || cell->outlier || cell->twin != NO_CELL)
			continue;
		for (int side = 0; side < 2; side++) {
			if (is_damaged(c, cell->end[!side], !side))
				continue;
			c->line[side][cell->end[side]].missing += !cell->cable;
			c->line[side][cell->end[side]].extra += cell->cable != NULL;
		}
	}
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (line_moves(c->line[LOWER][s]) && !is_damaged(c, s, LOWER))
			c->shapes[rule_of(c, s)].missing += line_moves(c->line[LOWER][s]);
}

/* ---- pulled cables of small groups ------------------------------------------------------- */

/*
 * The one port of a switch of a group that a missing cable to far may have been pulled from: a port
 * that answered without a cable, or with one that is dead, where most others of the group have a
 * cable to far and none has another; or the only free port.  0: there is none, or more than one.
 */
static unsigned int only_place(const struct cells *c, uint32_t s, const struct wiring_group *g,
                               int side, uint32_t far)
{
	const struct switches *sw = &c->tree->switches;
	unsigned int free = 0, places = 0, last_free = 0, last_place = 0;
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++) {
		uint32_t votes = 0, others = 0;

		if (p->peer || !ibc_port_has(p, IBC_ATTR_PORT_INFO) ||
		    (p->phys_state != IBC_PHYS_POLLING && p->phys_state != IBC_PHYS_DISABLED) ||
		    c->promised[(size_t)s * VOTE_PORTS + num])
			continue;
		free++;
		last_free = num;
		for (uint32_t i = 0; i < g->num[side]; i++) {
			uint32_t beside = g->sw[side][i];
			const struct ibc_port *q = ibc_node_port(sw->nodes[beside], num);

			if (beside == s || !q || !q->peer)
				continue;
			votes += switch_number(sw, q->peer->node) == far;
			others += switch_number(sw, q->peer->node) != far;
		}
		if (others || votes * 2 <= g->num[side] - 1)
			continue;
		places++;
		last_place = num;
	}
	if (places)
		return places == 1 ? last_place : 0;
	return free == 1 ? last_free : 0;
}

bool cells_stand_alone(const struct cells *c, const struct wiring_group *g)
{
	const struct wiring_groups *groups = &c->tree->groups;

	for (size_t i = 0; i < groups->n; i++)
		if (groups->all[i].rank == g->rank && &groups->all[i] != g)
			return false;
	return true;
}

/*
 * Is a missing cable the only one of a row and a column of a group too small for shares to decide,
 * and is there one free port at each end that fits?  The ports are left in the cell.
 */
static bool is_pulled(const struct cells *c, struct cell *cell)
{
	const struct wiring_groups *groups = &c->tree->groups;
	uint32_t l = cell->end[LOWER], u = cell->end[UPPER];
	const struct wiring_group *g = &groups->all[groups->of[LOWER][l]];

	if (cell->cable || cell->used || g->num[LOWER] > SMALL_ROWS ||
	    c->line[LOWER][l].missing != 1 || c->line[UPPER][u].missing != 1 ||
	    !cells_stand_alone(c, g))
		return false;
	for (int side = 0; side < 2; side++)
		cell->port[side] = only_place(c, cell->end[side], g, side, cell->end[!side]);
	return cell->port[LOWER] && cell->port[UPPER];
}

void cells_weigh(struct cells *c)
{
	add_up(c);
	for (uint32_t i = 0; i < c->n; i++) {
		struct cell *cell = &c->all[i];
		uint32_t l = cell->end[LOWER], u = cell->end[UPPER], rule = rule_of(c, l);
		bool lower = is_damaged(c, l, LOWER), upper = is_damaged(c, u, UPPER);
		const struct line shape = c->shapes[rule];
		struct wiring_gate old = cell->gate, *gate = &cell->gate;

		*gate = (struct wiring_gate){
			.row = share_in_order(c->line[LOWER][l], c->astray[l], lower),
			.column = share_in_order(c->line[UPPER][u], c->astray[u], upper),
			.rule = shape.wanted ? 1 - shape.missing / (double)shape.wanted : 0,
			.word = "outlier",
		};
		cell->weak = cell->outlier || !may_blame(&c->tree->rules[rule], gate);
		cell->damage = !cell->outlier && (lower || upper);
		if (cell->damage) {
			cell->weak = false;
			gate->word = "damaged";
		}
		if (cell->weak && !cell->outlier && is_pulled(c, cell)) {
			cell->weak = false;
			gate->word = "free-ports";
		}
		if (trace_wants(c->tree->trace, IBC_TRACE_TREE) && !cell->used &&
		    (old.word != gate->word || old.row != gate->row || old.column != gate->column ||
		     old.rule != gate->rule))
			trace_gate(c, cell);
	}
}

/* ---- all of it ------------------------------------------------------------------------- */

void cells_find(struct ibc_fattree *tree, struct cells *out)
{
	struct arena *tmp = tree->tmp;
	const struct switches *sw = &tree->switches;
	const uint8_t *rank = tree->rank;
	const size_t n = sw->n + 1u;
	size_t room = 0;

	*out = (struct cells){
		.tree = tree,
		.astray = arena_array(tmp, n, sizeof(*out->astray)),
		.promised = arena_array(tmp, n, VOTE_PORTS * sizeof(*out->promised)),
		.shapes = arena_array(tmp, tree->num_rules + 1, sizeof(*out->shapes)),
	};
	for (int side = 0; side < 2; side++)
		out->votes[side] = arena_array(tmp, n, sizeof(struct votes *));
	votes_count(tree, out->votes);
	for (uint32_t s = 0; s < sw->n; s++)
		for (const struct trunk *p = trunks(sw, s); p < trunks(sw, s + 1); p++) {
			if (p->to < s || rank[s] == RANK_NONE || rank[p->to] == RANK_NONE ||
			    rank[s] + 1 == rank[p->to] || rank[p->to] + 1 == rank[s])
				continue;
			for (uint32_t k = 0; k < p->count; k++) {
				arena_grow(tmp, &out->strays, out->num_strays, &room,
				           sizeof(*out->strays));
				out->strays[out->num_strays++] = sw->cables[p->first + k];
			}
		}
	for (size_t i = 0; i < tree->groups.n; i++) {
		const struct wiring_group *g = &tree->groups.all[i];

		for (uint32_t l = 0; g->evaluated && l < g->num[LOWER]; l++)
			add_row(out, g, g->sw[LOWER][l]);
	}
	for (int side = 0; side < 2; side++) {
		out->line[side] = arena_array(tmp, n, sizeof(*out->line[side]));
		out->first[side] = arena_array(tmp, n, sizeof(*out->first[side]));
		memset(out->first[side], 0xff, n * sizeof(*out->first[side])); /* NO_CELL */
		for (uint32_t i = out->n; i-- > 0;) {
			uint32_t *first = &out->first[side][out->all[i].end[side]];

			out->all[i].next[side] = *first;
			*first = i;
		}
	}
	cells_weigh(out);
}

uint32_t cell_along(const struct cells *c, uint32_t cell, int side, bool extra)
{
	while (cell != NO_CELL && (c->all[cell].used || (c->all[cell].cable != NULL) != extra))
		cell = c->all[cell].next[side];
	return cell;
}

uint32_t cell_missing(const struct cells *c, uint32_t lower, uint32_t upper)
{
	uint32_t cell = cell_along(c, c->first[LOWER][lower], LOWER, false);

	while (cell != NO_CELL && c->all[cell].end[UPPER] != upper)
		cell = cell_along(c, c->all[cell].next[LOWER], LOWER, false);
	return cell;
}
