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

static bool make_matrix(struct ibc_matrix *m, const struct ibc_fattree *tree,
                        const struct ibc_report *rep)
{
	m->title = drawing_title(m->arena, m->fab);
	m->layout = arena_alloc(m->arena, sizeof(*m->layout));
	return m->title && m->layout && take_switches(m, tree) && matrix_events(m, rep) &&
	       matrix_tiles(m, tree) && matrix_rails(m) &&
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
