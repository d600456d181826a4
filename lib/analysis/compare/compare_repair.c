/* SPDX-License-Identifier: BSD-2-Clause */
/* How to mend the cable segments: what is near, and what is high, as the plan has it. */
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/comparison.h"
#include "fabric/fabric.h"

struct racked {
	const char *rack;
	uint32_t node;
};

static int by_rack(const void *va, const void *vz)
{
	const struct racked *a = va, *z = vz;
	int order = strcmp(a->rack, z->rack);

	return order ? order : (a->node > z->node) - (a->node < z->node);
}

/* Numbers racks from 1; returns the last. */
static uint32_t number_racks(struct ibc_comparison *cmp, struct repair_node *nodes)
{
	struct racked *list = comparison_array(cmp, cmp->planned.num_nodes, sizeof(*list));
	const struct ibc_node *node;
	uint32_t rack = 0;
	size_t n = 0;

	for (uint32_t i = 0; list && (node = side_node(&cmp->planned, i)); i++)
		if (node->rack)
			list[n++] = (struct racked){ node->rack, jack_node(cmp, node) };
	if (n)
		qsort(list, n, sizeof(*list), by_rack);
	for (size_t i = 0; i < n; i++) {
		rack += i == 0 || strcmp(list[i - 1].rack, list[i].rack) != 0;
		nodes[list[i].node].rack = rack;
	}
	return rack;
}

/* The adapters of a host stand together, wherever that is. */
static void number_hosts(const struct ibc_comparison *cmp, struct repair_node *nodes,
                         uint32_t racks)
{
	const struct ibc_fabric_host *host;

	for (size_t i = 0; (host = ibc_fabric_host(cmp->found.fab, i)); i++) {
		racks++;
		for (size_t k = 0; k < host->num_nodes; k++) {
			struct repair_node *node = &nodes[node_order(host->nodes[k])];

			if (!node->rack)
				node->rack = racks;
		}
	}
}

static struct repair_node *describe_nodes(struct ibc_comparison *cmp)
{
	struct repair_node *nodes = comparison_array(cmp, (size_t)socket_nobody(cmp) + 1,
	                                             sizeof(*nodes));
	const struct ibc_node *node;

	if (!nodes)
		return NULL;
	for (uint32_t i = 0; (node = side_node(&cmp->planned, i)); i++) {
		nodes[jack_node(cmp, node)].height = cmp->depth[i];
		nodes[jack_node(cmp, node)].unseen = cmp->match.found_of[i] == MATCH_NOBODY;
	}
	nodes[socket_nobody(cmp)].unseen = true;
	number_hosts(cmp, nodes, number_racks(cmp, nodes));
	return nodes;
}

void compare_repair(struct ibc_comparison *cmp)
{
	const struct repair_node *nodes = describe_nodes(cmp);

	if (!nodes || !repair_find(cmp->arena, cmp->absent, cmp->num_absent, cmp->surplus,
	                           cmp->num_surplus, nodes, &cmp->repair))
		cmp->failed = true;
}
