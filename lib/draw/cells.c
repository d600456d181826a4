/* SPDX-License-Identifier: BSD-2-Clause */
/* What a cell shows, from the cables and findings that fall into it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/array.h"
#include "draw/matrix.h"

const char *part_case(const struct matrix_part *part)
{
	const struct ibc_case *in = part->event ? part->event->finding->in_case : NULL;

	return in ? in->id : "";
}

static int by_cell(const void *x, const void *z)
{
	const struct matrix_part *a = x, *b = z;

	return order_u64(a->tile, b->tile)
	    ?: order_u64(a->row, b->row)
	    ?: order_u64(a->col, b->col)
	    ?: strcmp(part_case(a), part_case(b))
	    ?: order_u64((uintptr_t)a->ports, (uintptr_t)b->ports)
	    ?: order_u64((uintptr_t)a->event, (uintptr_t)b->event);
}

/* @sums: of many switches: how many cables they have is counted, but no shade is made of it */
static void fill_cell(const struct ibc_matrix *m, struct matrix_cell *cell, bool sums)
{
	for (size_t i = 0; i < cell->num_parts; i++) {
		const struct matrix_part *part = &cell->parts[i];

		cell->cables += part->num_ports;
		for (uint32_t k = 0; k < part->num_ports; k++) {
			colour_add(&m->opts, part->ports[k], &cell->value);
			if (part->ports[k]->peer)
				colour_add(&m->opts, part->ports[k]->peer, &cell->value);
		}
		if (part->event && part->event->mark > cell->mark)
			cell->mark = part->event->mark;
	}
	cell->shade = colour_shade(m->opts.colour, &cell->value,
	                           sums ? cell->cables > 0 : cell->cables);
}

/* Parts of one block become its cells. */
static void make_cells(struct ibc_matrix *m, struct matrix_tile *tile,
                       const struct matrix_part *parts, size_t n)
{
	tile->cells = arena_array(m->arena, n, sizeof(*tile->cells));
	for (size_t i = 0, next; i < n; i = next) {
		struct matrix_cell *cell = &tile->cells[tile->num_cells++];

		for (next = i + 1; next < n && parts[next].row == parts[i].row &&
		                   parts[next].col == parts[i].col;)
			next++;
		*cell = (struct matrix_cell){ .row = parts[i].row,
			                      .col = parts[i].col,
			                      .parts = &parts[i],
			                      .num_parts = next - i };
		fill_cell(m, cell, tile->overview || (tile->has_hosts && !cell->col));
		tile->cables += cell->cables;
		tile->score += cell->mark ? SCORE_FAULT : cell->shade > 1 ? cell->shade : 0;
	}
}

void parts_add(struct arena *a, struct matrix_parts *parts, const struct matrix_part *part)
{
	arena_grow(a, &parts->all, parts->n, &parts->room, sizeof(*part));
	parts->all[parts->n++] = *part;
}

void matrix_cells(struct ibc_matrix *m, struct matrix_tile *tiles, struct matrix_parts *parts)
{
	const struct matrix_part *all = parts->all;

	if (parts->n)
		qsort(parts->all, parts->n, sizeof(*all), by_cell);
	for (size_t i = 0, end; i < parts->n; i = end) {
		for (end = i + 1; end < parts->n && all[end].tile == all[i].tile;)
			end++;
		make_cells(m, &tiles[all[i].tile], &all[i], end - i);
	}
}

/* ---- blocks that are equal ----------------------------------------------------------- */

/* Whole, of cells that all look the same, as do those of hosts: the look, else 0. */
static uint32_t plain_look(const struct matrix_tile *tile)
{
	const struct matrix_cell *one[2] = { NULL, NULL }; /* of switches, of hosts */
	size_t whole = (size_t)tile->num_rows * tile->regular, n = 0;

	if (tile->rank == RANK_NONE) /* every two once */
		whole = (whole - tile->num_rows) / 2;
	if (tile->overview || tile->num_cols != tile->regular + tile->has_hosts)
		return 0;
	for (size_t i = 0; i < tile->num_cells; i++) {
		const struct matrix_cell *cell = &tile->cells[i];
		bool of_hosts = tile->has_hosts && !cell->col;

		n += !of_hosts;
		if (!one[of_hosts])
			one[of_hosts] = cell;
		if (cell->mark || cell->shade != one[of_hosts]->shade ||
		    (!of_hosts && cell->cables != one[0]->cables))
			return 0;
	}
	if (!n || n != whole)
		return 0;
	return (one[0]->cables * SHADES + one[0]->shade) * SHADES + (one[1] ? one[1]->shade : 0) +
	       1;
}

#define FOLD_MIN 8 /* so many blocks are seen at once, each with its names */

void matrix_fold(struct ibc_matrix *m)
{
	uint32_t *look = arena_array(m->arena, m->num_tiles + 1, sizeof(*look));

	for (size_t i = 0; i < m->num_tiles; i++) {
		struct matrix_tile *tile = &m->tiles[i];

		tile->alike = 1;
		if (m->num_tiles <= FOLD_MIN)
			continue;
		look[i] = plain_look(tile);
		for (size_t k = 0; look[i] && k < i; k++) {
			struct matrix_tile *first = &m->tiles[k];

			if (first->skip || look[k] != look[i] || first->rank != tile->rank ||
			    first->num_rows != tile->num_rows || first->regular != tile->regular ||
			    first->num_cols != tile->num_cols)
				continue;
			first->alike++;
			tile->skip = true;
			break;
		}
	}
}
