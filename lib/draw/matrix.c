/* SPDX-License-Identifier: BSD-2-Clause */
/* A matrix from its making to the picture that suits a fabric. */
#include "analysis/tree/wiring.h"
#include "base/arena.h"
#include "base/error.h"
#include "draw/layout.h"
#include "draw/matrixsvg.h"
#include "draw/title.h"

#define TREE_MAX 40 /* switches whose boxes and cables can still be followed by eye */

/* The switches of the tree, or for want of one of the fabric. */
static bool take_switches(struct ibc_matrix *m, const struct ibc_fattree *tree)
{
	struct switches *sw;
	struct arena *tmp;
	bool done;

	if (tree) {
		m->sw = &tree->switches;
		return true;
	}
	m->sw = sw = arena_alloc(m->arena, sizeof(*sw));
	tmp = arena_new();
	done = sw && tmp && switches_collect(m->arena, tmp, m->fab, sw);
	arena_free(tmp);
	return done;
}

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
static bool skip_others(struct ibc_matrix *m)
{
	bool *asked = arena_array(m->arena, m->sw->n + 1, sizeof(*asked));
	bool *has = arena_array(m->arena, m->num_tiles + 1, sizeof(*has));
	size_t n = 0;

	if (!asked || !has)
		return false;
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
	return true;
}

static bool make_matrix(struct ibc_matrix *m, const struct ibc_fattree *tree,
                        const struct ibc_report *rep)
{
	m->title = drawing_title(m->arena, m->fab);
	m->layout = arena_alloc(m->arena, sizeof(*m->layout));
	return m->title && m->layout && take_switches(m, tree) && matrix_events(m, rep) &&
	       matrix_tiles(m, tree) && matrix_rails(m) && skip_others(m) &&
	       layout_make(m, matrix_list_height(m), m->layout);
}

int ibc_matrix_build(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                     const struct ibc_report *rep, const struct ibc_matrix_opts *opts,
                     struct ibc_matrix **out, struct ibc_error *err)
{
	struct arena *a = arena_new();
	struct ibc_matrix *m = a ? arena_alloc(a, sizeof(*m)) : NULL;

	*out = NULL;
	if (m) {
		*m = (struct ibc_matrix){ .arena = a, .fab = fab, .opts = *opts };
		if (make_matrix(m, tree, rep))
			*out = m;
	}
	if (*out)
		return 0;
	arena_free(a);
	return fail_nomem(err);
}

void ibc_matrix_free(struct ibc_matrix *matrix)
{
	if (matrix)
		arena_free(matrix->arena);
}

int ibc_picture_svg(const struct ibc_fabric *fab, const struct ibc_fattree *tree,
                    const struct ibc_report *rep, const struct ibc_matrix_opts *opts, FILE *out,
                    struct ibc_error *err)
{
	struct ibc_matrix *m;
	int rc;

	if (tree && tree->family == IBC_FAMILY_FAT_TREE && tree->switches.n <= TREE_MAX &&
	    opts->colour == IBC_COLOUR_FAULTS)
		return ibc_fattree_draw(tree, rep, "svg", out, err);
	rc = ibc_matrix_build(fab, tree, rep, opts, &m, err);
	if (!rc)
		rc = ibc_matrix_svg(m, out, err);
	ibc_matrix_free(m);
	return rc;
}
