/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/cells.h"

#include <string.h>

#include "base/arena.h"

/* ---- ports --------------------------------------------------------------------------- */

const struct votes *votes_of_lower(const struct cells *c, uint32_t s)
{
	uint32_t g = c->tree->groups.as_lower[s];

	return g != NO_GROUP && c->votes[g] && c->votes[g]->names_lower ? c->votes[g] : NULL;
}

const struct votes *votes_of_upper(const struct cells *c, uint32_t s)
{
	uint32_t g = c->tree->groups.as_upper[s];

	return g != NO_GROUP && c->votes[g] && c->votes[g]->names_upper ? c->votes[g] : NULL;
}

static bool breaks(uint32_t elected, uint32_t far)
{
	return elected != far && elected != VOTE_SPLIT;
}

unsigned int votes_broken(const struct cells *c, const struct ibc_port *cable)
{
	uint32_t lower = number_of_end(c, cable), upper = number_of_end(c, cable->peer);
	const struct votes *up = votes_of_lower(c, lower), *down = votes_of_upper(c, upper);

	return (up && breaks(up->up[cable->num], upper)) +
	       (down && breaks(down->down[cable->peer->num], lower));
}

/* ---- cells --------------------------------------------------------------------------- */

static struct cell *add_cell(struct cells *c, uint32_t lower, uint32_t upper, bool outlier)
{
	if (!arena_grow(c->tree->tmp, &c->all, c->n, &c->room, sizeof(*c->all)))
		return NULL;
	c->all[c->n] = (struct cell){
		.lower = lower, .upper = upper, .outlier = outlier, .twin = NO_CELL
	};
	return &c->all[c->n++];
}

/* Does one of the two follow no rule? */
static bool is_outlier(const struct cells *c, uint32_t lower, uint32_t upper)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct wiring_group *g = &groups->all[groups->as_lower[lower]], *top;

	if (groups->as_upper[upper] == NO_GROUP)
		return true;
	top = &groups->all[groups->as_upper[upper]];
	return g->outlier_lower[groups->place_lower[lower]] || !top->evaluated ||
	       top->outlier_upper[groups->place_upper[upper]];
}

/* The cables of a pair that break most votes come first; else in their order. */
static void sort_by_votes(const struct cells *c, const struct ibc_port **cables, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct ibc_port *p = cables[i];
		unsigned int broken = votes_broken(c, p);
		uint32_t k = i;

		for (; k > 0 && votes_broken(c, cables[k - 1]) < broken; k--)
			cables[k] = cables[k - 1];
		cables[k] = p;
	}
}

/*
 * A cell for each cable of a pair beyond the wanted ones; of the others, two cells for each
 * that breaks the votes of both ends, if the ports of the group are in such an order that
 * this tells: another fault may have made room for it.
 */
static bool add_cable_cells(struct cells *c, const struct switch_pair *pair, uint32_t lower,
                            uint32_t wanted, bool detects, bool outlier)
{
	const struct ibc_port *cables[VOTE_PORTS];

	memcpy(cables, &c->tree->switches.cables[pair->first], pair->count * sizeof(*cables));
	sort_by_votes(c, cables, pair->count);
	for (uint32_t i = 0; i < pair->count; i++) {
		bool extra = i + wanted < pair->count;
		struct cell *cell;

		if (!extra && !(detects && votes_broken(c, cables[i]) == 2))
			continue;
		cell = add_cell(c, lower, pair->to, outlier);
		if (!cell)
			return false;
		cell->cable = cables[i];
		if (extra)
			continue;
		cell->twin = c->n;
		cell = add_cell(c, lower, pair->to, outlier);
		if (!cell)
			return false;
		cell->twin = c->n - 2;
	}
	return true;
}

static bool add_missing(struct cells *c, uint32_t lower, uint32_t upper, uint32_t n, bool outlier)
{
	for (uint32_t i = 0; i < n; i++)
		if (!add_cell(c, lower, upper, outlier))
			return false;
	return true;
}

static bool add_row(struct cells *c, const struct wiring_group *g, uint32_t lower)
{
	const struct wiring_groups *groups = &c->tree->groups;
	const struct switches *sw = &c->tree->switches;
	uint32_t own = (uint32_t)(g - groups->all);

	for (uint32_t u = 0; u < g->num_upper; u++) {
		const struct switch_pair *pair = switch_pair(sw, lower, g->upper[u]);
		uint32_t have = pair ? pair->count : 0;

		if (have < g->mode[u] && !add_missing(c, lower, g->upper[u], g->mode[u] - have,
		                                      is_outlier(c, lower, g->upper[u])))
			return false;
	}
	for (uint32_t i = sw->first_pair[lower]; i < sw->first_pair[lower + 1]; i++) {
		const struct switch_pair *pair = &sw->pairs[i];
		bool inside = groups->as_upper[pair->to] == own;
		uint32_t wanted = inside ? g->mode[groups->place_upper[pair->to]] : 0;

		if (c->tree->rank[pair->to] == g->rank + 1 &&
		    !add_cable_cells(c, pair, lower, wanted, c->votes[own]->detects && inside,
		                     is_outlier(c, lower, pair->to)))
			return false;
	}
	return true;
}

static bool add_group(struct cells *c, const struct wiring_group *g)
{
	for (uint32_t l = 0; g->evaluated && l < g->num_lower; l++)
		if (!add_row(c, g, g->lower[l]))
			return false;
	return true;
}

static void link_cells(struct cells *c)
{
	for (uint32_t s = 0; s < c->tree->switches.n; s++)
		c->row[s] = c->column[s] = NO_CELL;
	for (uint32_t i = c->n; i-- > 0;) {
		struct cell *cell = &c->all[i];

		cell->row = c->row[cell->lower];
		c->row[cell->lower] = i;
		cell->column = c->column[cell->upper];
		c->column[cell->upper] = i;
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

static double support(struct line shape)
{
	return shape.wanted ? 1 - shape.missing / (double)shape.wanted : 0;
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

/* What the gates ask for, in the order they are asked. */
static const char *gate_text(const char *word)
{
	static const char *const texts[][2] = {
		{ "row-and-column", "row >= 0.75 and column >= 0.75" },
		{ "rule", "row or column < 0.75, and rule < 0.9" },
		{ "single-uplink", "one uplink: 3 groups and column >= 0.75" },
		{ "like-groups", "rule >= 0.9, 3 groups, row >= 0.5 and column >= 0.5" },
		{ "column", "rule >= 0.9, row >= 0.5 and column >= 0.8" },
		{ "row", "rule >= 0.9, row >= 0.85 and column >= 0.67" },
		{ "share", "rule >= 0.9, but neither row nor column enough" },
		{ "outlier", "a switch of it is set aside" },
		{ "free-ports", "small group: the only free port that fits at both ends" },
	};
	size_t i = 0;

	while (strcmp(texts[i][0], word) != 0)
		i++;
	return texts[i][1];
}

static void set_gate(const struct cells *c, struct cell *cell, const struct wiring_gate *gate)
{
	const struct wiring_gate *old = &cell->gate;
	bool is_news = old->word != gate->word || old->row != gate->row ||
	               old->column != gate->column || old->rule != gate->rule;

	cell->gate = *gate;
	if (cell->used || !is_news)
		return;
	TRACE(c->tree->trace, IBC_TRACE_TREE,
	      "%s - %s, one link %s: row %.3g, column %.3g, rule %.3g: %s, gate %s (%s)",
	      c->tree->switches.nodes[cell->lower]->label,
	      c->tree->switches.nodes[cell->upper]->label, cell->cable ? "too many" : "missing",
	      gate->row, gate->column, gate->rule, cell->weak ? "not blamed" : "may be blamed",
	      gate->word, gate_text(gate->word));
}

/* What the rule wants, of each switch and of each shape. */
static void count_wanted(struct cells *c, const struct wiring_group *g)
{
	for (uint32_t l = 0; l < g->num_lower; l++) {
		struct line *line = &c->lower[g->lower[l]];

		for (uint32_t u = 0; u < g->num_upper; u++) {
			if (!g->outlier_upper[u])
				line->wanted += g->mode[u];
			if (!g->outlier_lower[l])
				c->upper[g->upper[u]].wanted += g->mode[u];
		}
	}
	c->shapes[g->rule - c->tree->rules].wanted += g->cables;
}

static void miss(struct line *line, const struct cell *cell)
{
	line->missing += !cell->cable;
	line->extra += cell->cable != NULL;
}

static uint32_t rule_of(const struct cells *c, uint32_t lower)
{
	const struct wiring_groups *groups = &c->tree->groups;

	return (uint32_t)(groups->all[groups->as_lower[lower]].rule - c->tree->rules);
}

/* What is wanted, and what of the cells is not explained yet. */
static void add_up(struct cells *c)
{
	const struct ibc_fattree *tree = c->tree;

	for (uint32_t s = 0; s < tree->switches.n; s++) {
		c->lower[s] = c->upper[s] = (struct line){ 0 };
		c->astray[s] = 0;
	}
	for (size_t r = 0; r < tree->num_rules; r++)
		c->shapes[r] = (struct line){ 0 };
	for (size_t i = 0; i < tree->groups.n; i++)
		if (tree->groups.all[i].evaluated)
			count_wanted(c, &tree->groups.all[i]);
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
		miss(&c->lower[cell->lower], cell);
		miss(&c->upper[cell->upper], cell);
	}
	for (uint32_t s = 0; s < tree->switches.n; s++)
		if (line_moves(c->lower[s]))
			c->shapes[rule_of(c, s)].missing += line_moves(c->lower[s]);
}

static bool is_damaged(const struct cells *c, uint32_t lower)
{
	const struct wiring_groups *groups = &c->tree->groups;

	return groups->all[groups->as_lower[lower]].damaged[groups->place_lower[lower]];
}

void cells_weigh(struct cells *c)
{
	add_up(c);
	for (uint32_t i = 0; i < c->n; i++) {
		struct cell *cell = &c->all[i];
		uint32_t l = cell->lower, u = cell->upper, rule = rule_of(c, l);
		struct wiring_gate gate = {
			.row = share_in_order(c->lower[l], c->astray[l], is_damaged(c, l)),
			.column = share_in_order(c->upper[u], c->astray[u], false),
			.rule = support(c->shapes[rule]),
			.word = "outlier",
		};

		cell->weak = cell->outlier || !may_blame(&c->tree->rules[rule], &gate);
		if (cell->weak && !cell->outlier && cell_is_pulled(c, cell)) {
			cell->weak = false;
			gate.word = "free-ports";
		}
		set_gate(c, cell, &gate);
	}
}

/* ---- strays ------------------------------------------------------------------------------ */

static bool are_neighbours(const struct ibc_fattree *tree, uint32_t s, uint32_t t)
{
	return tree->rank[s] == RANK_NONE || tree->rank[t] == RANK_NONE ||
	       tree->rank[s] + 1 == tree->rank[t] || tree->rank[t] + 1 == tree->rank[s];
}

static bool find_strays(struct cells *c)
{
	const struct switches *sw = &c->tree->switches;
	size_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t s = 0; s < sw->n; s++) {
			for (uint32_t i = sw->first_pair[s]; i < sw->first_pair[s + 1]; i++) {
				const struct switch_pair *p = &sw->pairs[i];

				if (p->to < s || are_neighbours(c->tree, s, p->to))
					continue;
				for (uint32_t k = 0; pass && k < p->count; k++)
					c->strays[c->num_strays++] = sw->cables[p->first + k];
				n += p->count;
			}
		}
		if (!pass)
			c->strays = arena_array(c->tree->tmp, n + 1, sizeof(*c->strays));
		if (!c->strays)
			return false;
	}
	return true;
}

bool cells_find(struct ibc_fattree *tree, struct cells *out)
{
	struct arena *tmp = tree->tmp;
	uint32_t n = tree->switches.n;

	*out = (struct cells){ .tree = tree };
	out->row = arena_array(tmp, n + 1u, sizeof(*out->row));
	out->column = arena_array(tmp, n + 1u, sizeof(*out->column));
	out->votes = arena_array(tmp, tree->groups.n + 1, sizeof(struct votes *));
	out->lower = arena_array(tmp, n + 1u, sizeof(*out->lower));
	out->upper = arena_array(tmp, n + 1u, sizeof(*out->upper));
	out->astray = arena_array(tmp, n + 1u, sizeof(*out->astray));
	out->promised = arena_array(tmp, n + 1u, VOTE_PORTS * sizeof(*out->promised));
	out->shapes = arena_array(tmp, tree->num_rules + 1, sizeof(*out->shapes));
	if (!out->row || !out->column || !out->votes || !out->lower || !out->upper ||
	    !out->astray || !out->promised || !out->shapes || !votes_count(tree, out->votes) ||
	    !find_strays(out))
		return false;
	for (size_t i = 0; i < tree->groups.n; i++)
		if (!add_group(out, &tree->groups.all[i]))
			return false;
	link_cells(out);
	cells_weigh(out);
	return true;
}

/* ---- looking up --------------------------------------------------------------------------- */

static bool fits(const struct cell *cell, bool extra)
{
	return !cell->used && (cell->cable != NULL) == extra;
}

uint32_t cell_in_row(const struct cells *c, uint32_t cell, bool extra)
{
	while (cell != NO_CELL && !fits(&c->all[cell], extra))
		cell = c->all[cell].row;
	return cell;
}

uint32_t cell_in_column(const struct cells *c, uint32_t cell, bool extra)
{
	while (cell != NO_CELL && !fits(&c->all[cell], extra))
		cell = c->all[cell].column;
	return cell;
}

uint32_t cell_missing(const struct cells *c, uint32_t lower, uint32_t upper)
{
	uint32_t cell = cell_in_row(c, c->row[lower], false);

	while (cell != NO_CELL && c->all[cell].upper != upper)
		cell = cell_in_row(c, c->all[cell].row, false);
	return cell;
}
