/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKCAPTURE_H
#define MKCAPTURE_H

/*
 * Trees of captures of real fabrics, which are kept beside the project, so that they can be
 * broken as others are.
 *
 * Include it after <cmocka.h>.
 */
#include <unistd.h>

#include <ibcheck/source.h>

#include "analysis/tree/switches.h"
#include "analysis/tree/wiring.h"
#include "fabric/fabric.h"
#include "mktree.h"

#define CAPTURES "../shared/data/"

static inline bool has_capture(const char *path)
{
	if (access(path, R_OK) == 0)
		return true;
	print_message("SKIPPED: there is no %s\n", path);
	return false;
}

static inline void capture_cables(struct mktree *t, const struct ibc_fattree *tree, uint32_t s)
{
	const struct ibc_node *node = tree->switches.nodes[s];
	const struct ibc_port *p;

	for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++) {
		struct tree_end near = { s, num };
		uint32_t far = p->peer ? switch_number(&tree->switches, p->peer->node) : NO_SWITCH;

		if (far != NO_SWITCH && tree->rank[far] > tree->rank[s])
			tree_link(t, near, (struct tree_end){ far, p->peer->num })->speed =
			    p->speed_active;
		else if (far == NO_SWITCH && p->peer)
			tree_host(t, near, (unsigned int)node_order(p->peer->node),
			          p->peer->num - 1u);
	}
}

/* Its switches are of the tiers that they have ranks of. */
static inline struct mktree mktree_of_file(const char *path, uint64_t seed)
{
	struct mktree t = { .spec = { .pods = 1, .rails = 1, .regions = 1 }, .random = seed };
	const char *specs[] = { path };
	struct ibc_fattree *tree;
	struct ibc_fabric *fab;

	assert_int_equal(ibc_fabric_load(specs, 1, NULL, &fab, NULL), 0);
	assert_int_equal(ibc_fattree_infer(fab, NULL, &tree, NULL), 0);
	for (uint32_t s = 0; s < tree->switches.n; s++)
		tree_switch(&t, (struct tree_switch){ .tier = tree->rank[s],
		                                      .place = s,
		                                      .ports = tree->switches.nodes[s]->num_ports,
		                                      .guid = tree->switches.nodes[s]->guid });
	for (uint32_t s = 0; s < tree->switches.n; s++)
		capture_cables(&t, tree, s);
	ibc_fattree_free(tree);
	ibc_fabric_free(fab);
	return t;
}

#endif
