/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks, their rows and columns, and what goes into which cell.  Every cable among switches is
 * in one cell of one block, whatever it should be: where it does not fit, its block has a
 * column more for the switch at its other end.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "draw/matrix.h"

#define OVERVIEW_MIN 8 /* so many blocks are seen at once without one */

/* struct beside - a column of a block for a switch that is none of its group */
struct beside {
	uint32_t tile, ent;
};

/*
 * struct tiling
 * @tiles: by group, then what is in none, then the overview
 * @row_at, @col_at: by switch: place in its block, behind the column of hosts
 * @over_row, @over_col: by group: place in the overview; NO_GROUP
 * @in_rest: by switch: it is a row of what is in no group
 */
struct tiling {
	struct ibc_matrix *m;
	const struct switches *sw;
	const struct ibc_fattree *tree;
	struct parting p;
	struct matrix_tile *tiles;
	uint32_t rest, overview, num_tiles;
	bool has_overview;
	uint32_t *row_at, *col_at, *over_row, *over_col;
	bool *in_rest;
	struct matrix_parts parts;
	struct beside *beside;
	size_t num_beside, beside_room;
};

/* ---- parts --------------------------------------------------------------------------- */

/* Of two switches the one that is the row: the lower; of one rank the later in the list. */
static bool is_row(const struct parting *p, uint32_t s, uint32_t t)
{
	return p->rank[s] != p->rank[t] ? p->rank[s] < p->rank[t] : p->pos[s] >= p->pos[t];
}

/*
 * Where the overview has the cables of a switch to another thing.  False: nowhere, which is so of
 * the upper ranks of deep trees.
 */
static bool overview_cell(const struct tiling *t, uint32_t row, uint32_t col, uint32_t *at_row,
                          uint32_t *at_col)
{
	const struct parting *p = &t->p;
	uint32_t as_row = p->as_row[row];

	if (!t->has_overview || as_row == NO_GROUP)
		return false;
	*at_row = as_row;
	*at_col = p->n;
	if (p->square && col < t->sw->n)
		*at_col = p->as_col[col];
	if (!p->square && p->rank[row] == 1) {
		*at_row = p->as_col[row];
		*at_col = as_row;
	}
	return *at_row != NO_GROUP && (p->square || p->rank[row] <= 1);
}

/* What is between a row and a column: in its block, and in the overview. */
static void put_part(struct tiling *t, uint32_t row, uint32_t col, struct matrix_part part)
{
	uint32_t tile = t->p.as_row[row] == NO_GROUP ? t->rest : t->p.as_row[row];
	bool is_switch = col < t->sw->n;
	bool regular = is_switch && tile != t->rest && t->p.as_col[col] == tile;

	part.tile = t->overview;
	if (overview_cell(t, row, col, &part.row, &part.col))
		parts_add(t->m->arena, &t->parts, &part);
	if (t->p.square && is_switch && !regular && !part.event && tile != t->rest)
		return; /* between groups: the overview has it */
	part.tile = tile;
	part.row = row;
	part.col = col;
	t->in_rest[row] |= tile == t->rest;
	if (col == ENT_HOSTS(t->sw))
		t->tiles[tile].has_hosts = true;
	else if (!regular && col != ENT_ITSELF(t->sw)) {
		arena_grow(t->m->arena, &t->beside, t->num_beside, &t->beside_room,
		           sizeof(*t->beside));
		t->beside[t->num_beside++] = (struct beside){ tile, col };
	}
	parts_add(t->m->arena, &t->parts, &part);
}

static void put_event(struct tiling *t, const struct matrix_event *e)
{
	bool swap = e->to < t->sw->n && !is_row(&t->p, e->sw, e->to);
	uint32_t as_col = t->p.as_col[e->sw];

	if (e->to == ENT_ITSELF(t->sw) && t->p.as_row[e->sw] == NO_GROUP && as_col != NO_GROUP)
		parts_add(t->m->arena, &t->parts,
		          &(struct matrix_part){
			      .tile = as_col, .row = ENT_ITSELF(t->sw), .col = e->sw, .event = e });
	else
		put_part(t, swap ? e->to : e->sw, swap ? e->sw : e->to,
		         (struct matrix_part){ .event = e });
}

static void collect_parts(struct tiling *t)
{
	const struct switches *sw = t->sw;
	const struct ibc_port *p,
	    **hosts = arena_array(t->m->arena, ibc_fabric_count(t->m->fab).ports + 1,
	                          sizeof(*hosts));

	for (uint32_t s = 0; s < sw->n; s++) {
		uint32_t num_hosts = 0;

		for (uint32_t k = sw->first_pair[s]; k < sw->first_pair[s + 1]; k++)
			if (is_row(&t->p, s, sw->pairs[k].to))
				put_part(
				    t, s, sw->pairs[k].to,
				    (struct matrix_part){ .ports = &sw->cables[sw->pairs[k].first],
				                          .num_ports = sw->pairs[k].count });
		for (unsigned int num = 1; (p = ibc_node_port(sw->nodes[s], num)); num++)
			if (p->peer && switch_number(sw, p->peer->node) == NO_SWITCH &&
			    !node_is_aggregator(p->peer->node))
				hosts[num_hosts++] = p;
		if (num_hosts)
			put_part(t, s, ENT_HOSTS(sw),
			         (struct matrix_part){ .ports = hosts, .num_ports = num_hosts });
		hosts += num_hosts;
		t->in_rest[s] |= t->p.as_row[s] == NO_GROUP && t->p.as_col[s] == NO_GROUP;
	}
	for (size_t i = 0; i < sw->num_loops; i++) {
		uint32_t s = switch_number(sw, sw->loops[i]->node);

		put_part(t, s, s, (struct matrix_part){ .ports = &sw->loops[i], .num_ports = 1 });
	}
	for (size_t i = 0; i < t->m->events.n; i++)
		put_event(t, &t->m->events.all[i]);
}

/* ---- rows and columns ---------------------------------------------------------------- */

static int by_tile_and_ent(const void *x, const void *z, void *ctx)
{
	const struct tiling *t = ctx;
	const struct beside *a = x, *b = z;
	uint32_t n = t->sw->n;

	return order_u64(a->tile, b->tile)
	           ?: order_u64(a->ent < n ? t->p.pos[a->ent] : a->ent,
	                        b->ent < n ? t->p.pos[b->ent] : b->ent);
}

static void add_line(struct matrix_line *lines, uint32_t *n, uint32_t ent, const char *name,
                     bool gap)
{
	lines[*n] = (struct matrix_line){ .ent = ent, .name = name };
	lines[*n].gaps = *n ? lines[*n - 1].gaps + gap : 0;
	++*n;
}

/* A gap where the part changes, in a square of several. */
static bool starts_part(const struct tiling *t, const struct matrix_line *lines, uint32_t n,
                        uint32_t s)
{
	return t->p.square && n && lines[n - 1].ent < t->sw->n &&
	       t->p.part[lines[n - 1].ent] != t->p.part[s];
}

static void line_room(struct tiling *t)
{
	uint32_t *rows = arena_array(t->m->arena, t->num_tiles, sizeof(*rows));
	uint32_t *cols = arena_array(t->m->arena, t->num_tiles, sizeof(*cols));

	for (uint32_t s = 0; s < t->sw->n; s++) {
		if (t->p.as_row[s] != NO_GROUP)
			rows[t->p.as_row[s]]++;
		if (t->p.as_col[s] != NO_GROUP)
			cols[t->p.as_col[s]]++;
		rows[t->rest] += t->in_rest[s];
	}
	for (size_t i = 0; i < t->num_beside; i++)
		cols[t->beside[i].tile]++;
	for (uint32_t i = 0; i < t->num_tiles; i++) {
		bool over = t->has_overview && i == t->overview;
		struct matrix_tile *tile = &t->tiles[i];

		tile->rows = arena_array(t->m->arena, (over ? t->p.n : rows[i]) + 1,
		                         sizeof(*tile->rows));
		tile->cols = arena_array(t->m->arena, (over ? t->p.n : cols[i]) + 2,
		                         sizeof(*tile->cols));
	}
}

static void add_switch_lines(struct tiling *t, uint32_t s)
{
	uint32_t as_row = t->in_rest[s] ? t->rest : t->p.as_row[s], as_col = t->p.as_col[s];
	const char *name = t->sw->nodes[s]->label;

	if (as_row != NO_GROUP) {
		struct matrix_tile *tile = &t->tiles[as_row];

		t->row_at[s] = tile->num_rows;
		add_line(tile->rows, &tile->num_rows, s, name,
		         starts_part(t, tile->rows, tile->num_rows, s));
	}
	if (as_col != NO_GROUP) {
		struct matrix_tile *tile = &t->tiles[as_col];

		t->col_at[s] = tile->num_cols;
		tile->regular++;
		add_line(tile->cols, &tile->num_cols, s, name,
		         (tile->has_hosts && tile->num_cols == 1) ||
		             starts_part(t, tile->cols, tile->num_cols, s));
	}
}

static void list_lines(struct tiling *t)
{
	size_t kept = 0;

	if (t->num_beside)
		qsort_r(t->beside, t->num_beside, sizeof(*t->beside), by_tile_and_ent, t);
	for (size_t i = 0; i < t->num_beside; i++)
		if (!kept || by_tile_and_ent(&t->beside[kept - 1], &t->beside[i], t))
			t->beside[kept++] = t->beside[i];
	t->num_beside = kept;
	line_room(t);
	for (uint32_t i = 0; i < t->num_tiles; i++)
		if (t->tiles[i].has_hosts)
			add_line(t->tiles[i].cols, &t->tiles[i].num_cols, ENT_HOSTS(t->sw), "hosts",
			         false);
	for (uint32_t i = 0; i < t->sw->n; i++)
		add_switch_lines(t, t->p.order[i]);
	for (size_t i = 0; i < t->num_beside; i++) {
		struct matrix_tile *tile = &t->tiles[t->beside[i].tile];
		uint32_t ent = t->beside[i].ent;

		add_line(tile->cols, &tile->num_cols, ent,
		         ent < t->sw->n ? t->sw->nodes[ent]->label : "no peer",
		         tile->num_cols == tile->regular + tile->has_hosts);
	}
}

/* ---- what blocks are called ---------------------------------------------------------- */

/* "pod3" of a plan, or "leaf01 .. leaf32". */
static const char *lines_text(const struct tiling *t, const struct matrix_line *lines, uint32_t n)
{
	const char *pod = n && lines[0].ent < t->sw->n ? t->sw->nodes[lines[0].ent]->pod : NULL;

	for (uint32_t i = 0; pod && i < n; i++)
		if (lines[i].ent >= t->sw->n || !t->sw->nodes[lines[i].ent]->pod ||
		    strcmp(t->sw->nodes[lines[i].ent]->pod, pod) != 0)
			pod = NULL;
	if (pod || n < 2)
		return pod ? pod : n ? lines[0].name : "";
	return arena_printf(t->m->arena, "%s .. %s", lines[0].name, lines[n - 1].name);
}

static void name_tiles(struct tiling *t)
{
	for (uint32_t i = 0; i <= t->rest; i++) {
		struct matrix_tile *tile = &t->tiles[i];
		unsigned int tiers = t->tree ? t->tree->tiers : 0;

		tile->rank = RANK_NONE;
		tile->what = "switch to switch";
		if (i == t->rest)
			tile->what = "cables outside of the groups";
		else if (!t->p.square) {
			tile->rank = t->tree->groups.all[i].rank;
			tile->what = arena_printf(t->m->arena, "%s to %s",
			                          rank_name(tile->rank, tiers),
			                          rank_name(tile->rank + 1, tiers));
		}
		tile->name = lines_text(t, tile->rows, tile->num_rows);
	}
}

static int by_rank_and_place(const void *x, const void *z, void *ctx)
{
	const struct tiling *t = ctx;
	const struct matrix_tile *a = &t->tiles[*(const uint32_t *)x];
	const struct matrix_tile *b = &t->tiles[*(const uint32_t *)z];

	return order_u64(a->rank, b->rank)
	           ?: order_u64(a->num_rows ? t->p.pos[a->rows[0].ent] : 0,
	                        b->num_rows ? t->p.pos[b->rows[0].ent] : 0);
}

/* Groups of the lowest rank down; what is inside of them, and the groups above, across. */
static void list_overview(struct tiling *t, const uint32_t *order)
{
	struct matrix_tile *tile = &t->tiles[t->overview];

	t->over_row = arena_array(t->m->arena, t->p.n + 1, sizeof(*t->over_row));
	t->over_col = arena_array(t->m->arena, t->p.n + 1, sizeof(*t->over_col));
	tile->overview = true;
	tile->rank = RANK_NONE;
	tile->what = t->p.square ? "group to group" : "overview: cables in each group, and up";
	tile->name = "";
	t->over_col[t->p.n] = tile->num_cols;
	add_line(tile->cols, &tile->num_cols, t->p.n, t->p.square ? "hosts" : "inside", false);
	for (uint32_t i = 0; i < t->p.n; i++) {
		const struct matrix_tile *group = &t->tiles[order[i]];

		if (t->p.square || group->rank == 0) {
			t->over_row[order[i]] = tile->num_rows;
			add_line(tile->rows, &tile->num_rows, order[i], group->name, false);
		}
		if (t->p.square || group->rank == 1) {
			t->over_col[order[i]] = tile->num_cols;
			add_line(tile->cols, &tile->num_cols, order[i],
			         lines_text(t, group->rows, group->num_rows), tile->num_cols == 1);
		}
	}
	tile->regular = tile->num_cols;
}

/* ---- where parts go --------------------------------------------------------------- */

static uint32_t column_at(const struct tiling *t, uint32_t tile, uint32_t ent)
{
	const struct matrix_tile *b = &t->tiles[tile];
	size_t low = 0, high = t->num_beside;

	if (ent == ENT_HOSTS(t->sw))
		return 0;
	if (ent < t->sw->n && tile != t->rest && t->p.as_col[ent] == tile)
		return t->col_at[ent];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct beside want = { tile, ent };

		if (by_tile_and_ent(&t->beside[middle], &want, (void *)t) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high && t->beside[high - 1].tile == tile;)
		high--;
	return b->has_hosts + b->regular + (uint32_t)(low - high);
}

/* From what things are called to their places. */
static void place_parts(struct tiling *t)
{
	for (size_t i = 0; i < t->parts.n; i++) {
		struct matrix_part *part = &t->parts.all[i];

		if (t->has_overview && part->tile == t->overview) {
			part->row = t->over_row[part->row];
			part->col = t->over_col[part->col];
			continue;
		}
		part->row = part->row == ENT_ITSELF(t->sw) ? AT_LINE : t->row_at[part->row];
		part->col = part->col == ENT_ITSELF(t->sw) ? AT_LINE
		                                           : column_at(t, part->tile, part->col);
	}
}

/* ---- all -------------------------------------------------------------------------- */

void matrix_tiles(struct ibc_matrix *m, const struct ibc_fattree *tree)
{
	struct tiling t = { .m = m, .sw = m->sw, .tree = tree };
	struct arena *a = m->arena;
	uint32_t *order;

	parting_make(a, m->sw, tree, &t.p);
	t.rest = t.p.n;
	t.overview = t.p.n + 1;
	t.has_overview = t.p.square ? t.p.n > 1 : t.p.n > OVERVIEW_MIN && tree->tiers > 2;
	t.num_tiles = t.p.n + 1 + t.has_overview;
	t.tiles = arena_array(a, t.num_tiles, sizeof(*t.tiles));
	t.row_at = arena_array(a, t.sw->n + 1, sizeof(*t.row_at));
	t.col_at = arena_array(a, t.sw->n + 1, sizeof(*t.col_at));
	t.in_rest = arena_array(a, t.sw->n + 1, sizeof(*t.in_rest));
	collect_parts(&t);
	list_lines(&t);
	name_tiles(&t);
	/* the overview first, then from the leaves up, what is in no group last */
	order = arena_array(a, t.p.n + 1, sizeof(*order));
	for (uint32_t i = 0; i < t.p.n; i++)
		order[i] = i;
	qsort_r(order, t.p.n, sizeof(*order), by_rank_and_place, &t);
	order[t.p.n] = t.rest;
	if (t.has_overview)
		list_overview(&t, order);
	place_parts(&t);
	matrix_cells(m, t.tiles, &t.parts);
	m->tiles = arena_array(a, t.num_tiles + 1, sizeof(*m->tiles));
	if (t.has_overview)
		m->tiles[m->num_tiles++] = t.tiles[t.overview];
	for (uint32_t i = 0; i <= t.p.n; i++)
		if (t.tiles[order[i]].num_rows)
			m->tiles[m->num_tiles++] = t.tiles[order[i]];
	matrix_fold(m);
}
