/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/tree/depth.h"

#include "analysis/tree/switches.h"
#include "base/arena.h"
#include "fabric/fabric.h"

unsigned int *depth_measure(struct arena *a, const struct ibc_fabric *fab)
{
	size_t nodes = ibc_fabric_count(fab).nodes, n = 0;
	const struct ibc_node **queue = arena_array(a, nodes, sizeof(struct ibc_node *));
	unsigned int *depth = arena_array(a, nodes, sizeof(*depth));
	const struct ibc_node *node;
	const struct ibc_port *p;

	if (!queue || !depth)
		return NULL;
	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++) {
		depth[i] = node->type == IBC_NODE_SWITCH || node_is_aggregator(node) ? DEPTH_NONE
		                                                                     : 0;
		if (!depth[i])
			queue[n++] = node;
	}
	for (size_t i = 0; i < n; i++) {
		for (unsigned int num = 1; (p = ibc_node_port(queue[i], num)); num++) {
			if (!p->peer || depth[node_order(p->peer->node)] != DEPTH_NONE)
				continue;
			depth[node_order(p->peer->node)] = depth[node_order(queue[i])] + 1;
			queue[n++] = p->peer->node;
		}
	}
	return depth;
}
