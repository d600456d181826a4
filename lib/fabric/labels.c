/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sentences call a node: its name, with the GUID where that is needed.  And what is written
 * beside its ports, where the model alone decides that.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
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

/* ---- ports --------------------------------------------------------------------------- */

#define CAGE(n) #n "/1", #n "/2"

/* Two ports share a cage. */
static const char *const twin_cages[] = {
	CAGE(1),  CAGE(2),  CAGE(3),  CAGE(4),  CAGE(5),  CAGE(6),  CAGE(7),  CAGE(8),
	CAGE(9),  CAGE(10), CAGE(11), CAGE(12), CAGE(13), CAGE(14), CAGE(15), CAGE(16),
	CAGE(17), CAGE(18), CAGE(19), CAGE(20), CAGE(21), CAGE(22), CAGE(23), CAGE(24),
	CAGE(25), CAGE(26), CAGE(27), CAGE(28), CAGE(29), CAGE(30), CAGE(31), CAGE(32),
};

/* Only what is certain: a technician pulls the plug that a label names. */
static const struct {
	uint16_t device_id;
	uint8_t num_ports; /* with that of the aggregation node, which has no cage */
	const char *const *labels;
	size_t num_labels;
} models[] = {
	{ 0xd2f2, 65, twin_cages, ARRAY_SIZE(twin_cages) }, /* Quantum-2: QM9700, QM9790 */
};

const char *model_port_label(const struct ibc_node *node, unsigned int num)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (node->type == IBC_NODE_SWITCH && node->device_id == models[i].device_id &&
		    node->num_ports == models[i].num_ports && num && num <= models[i].num_labels)
			return models[i].labels[num - 1];
	return NULL;
}

void fabric_label_ports(struct ibc_fabric *fab)
{
	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = &fab->nodes[i]->node;

		for (unsigned int num = 1; num <= node->num_ports; num++) {
			struct ibc_port *port = (struct ibc_port *)&node->ports[num];

			if (!port->label || !*port->label)
				port->label = model_port_label(node, num);
		}
	}
}
