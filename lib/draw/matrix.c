/* SPDX-License-Identifier: BSD-2-Clause */
/* A matrix is made: what it shows, and what of it. */
#include "draw/matrix.h"
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/error.h"

/* The switch, or those that a host is cabled to. */
static void note_asked(const struct ibc_matrix *m, const struct ibc_node *node, bool *asked)
{
	const struct ibc_port *p;

	if (node->type == IBC_NODE_SWITCH)
		asked[switch_number(m->sw, node)] = true;
	for (unsigned int i = 1; node->type != IBC_NODE_SWITCH && (p = ibc_node_port(node, i)); i++)
		if (p->peer && switch_number(m->sw, p->peer->node) != NO_SWITCH)
			asked[switch_number(m->sw, p->peer->node)] = true;
}

static bool any_asked(const struct ibc_matrix *m, const bool *asked,
                      const struct matrix_line *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (lines[i].ent < m->sw->n && asked[lines[i].ent])
			return true;
	return false;
}

/* Blocks that have nothing of what was asked for are not shown, unless none has. */
static void skip_others(struct ibc_matrix *m)
{
	bool *asked = arena_array(m->arena, m->sw->n + 1, sizeof(*asked));
	bool *has = arena_array(m->arena, m->num_tiles + 1, sizeof(*has));
	size_t n = 0;

	for (size_t i = 0; i < m->opts.num_places; i++) {
		const struct ibc_node *node = ibc_fabric_node_by_guid(m->fab,
		                                                      m->opts.places[i].node->guid);

		if (node)
			note_asked(m, node, asked);
	}
	for (size_t i = 0; i < m->num_tiles; i++) {
		const struct matrix_tile *tile = &m->tiles[i];

		has[i] = !tile->overview && (any_asked(m, asked, tile->rows, tile->num_rows) ||
		                             any_asked(m, asked, tile->cols, tile->num_cols));
		n += has[i];
	}
	for (size_t i = 0; n && i < m->num_tiles; i++) {
		m->tiles[i].skip = !has[i];
		m->tiles[i].alike = 1;
		m->not_asked += !has[i];
	}
}

int ibc_matrix_build(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                     const struct ibc_report *rep, const struct ibc_matrix_opts *opts,
                     struct ibc_matrix **out, struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct switches *sw;
	struct ibc_matrix *m;

	*out = NULL;
	if (!a || setjmp(*arena_entry(a))) {
		arena_free(a);
		return fail_nomem(err);
	}
	m = arena_alloc(a, sizeof(*m));
	sw = arena_alloc(a, sizeof(*sw));
	*m = (struct ibc_matrix){ .arena = a, .fab = fab, .opts = *opts, .sw = sw };
	if (tree)
		m->sw = &tree->switches;
	else
		switches_collect(a, a, fab, sw);
	m->title = drawing_title(a, fab);
	m->layout = arena_alloc(a, sizeof(*m->layout));
	matrix_events(m, rep);
	matrix_tiles(m, tree);
	matrix_rails(m);
	skip_others(m);
	layout_make(m, matrix_list_height(m), m->layout);
	arena_escape(a, NULL);
	*out = m;
	return 0;
}

void ibc_matrix_free(struct ibc_matrix *matrix)
{
	if (matrix)
		arena_free(matrix->arena);
}
