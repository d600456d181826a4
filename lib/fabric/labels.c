/* SPDX-License-Identifier: BSD-2-Clause */
/* How sentences call a node: its name, with the GUID where that is needed. */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "fabric/fabric.h"

static int compare_node_names(const struct ibc_node *a, const struct ibc_node *z)
{
	if (a->subnet != z->subnet)
		return a->subnet->index < z->subnet->index ? -1 : 1;
	return strcmp(a->name, z->name);
}

static int by_subnet_then_name(const void *va, const void *vz)
{
	return compare_node_names(*(struct ibc_node *const *)va, *(struct ibc_node *const *)vz);
}

static const char *label_of(struct ibc_fabric *fab, const struct ibc_node *node, bool unique)
{
	char guid[STR_GUID_MAX];

	str_from_guid(guid, node->guid);
	if (node->name[0] == '\0')
		return arena_strdup(fab->arena, guid);
	if (unique)
		return node->name;
	return arena_printf(fab->arena, "%s (%s)", node->name, guid);
}

static int label_run(struct ibc_fabric *fab, struct ibc_node **nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		nodes[i]->label = label_of(fab, nodes[i], n == 1);
		if (!nodes[i]->label)
			return -ENOMEM;
	}
	return 0;
}

int fabric_label(struct ibc_fabric *fab)
{
	struct ibc_node **nodes = xrealloc(NULL, fab->num_nodes, sizeof(struct ibc_node *));
	size_t n;
	int rc = 0;

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < fab->num_nodes; i++)
		nodes[i] = &fab->nodes[i]->node;
	qsort(nodes, fab->num_nodes, sizeof(struct ibc_node *), by_subnet_then_name);
	for (size_t i = 0; i < fab->num_nodes && !rc; i += n) {
		n = 1;
		while (i + n < fab->num_nodes && compare_node_names(nodes[i], nodes[i + n]) == 0)
			n++;
		rc = label_run(fab, nodes + i, n);
	}
	free(nodes);
	return rc;
}
