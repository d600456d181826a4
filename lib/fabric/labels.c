/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sentences call a node: by the short name, where that is unique, or with the GUID.  And
 * what is written beside its ports, where the model alone decides that.
 */
#include <string.h>

#include "base/array.h"
#include "base/nodename.h"
#include "base/str.h"
#include "fabric/fabric.h"

/* struct called - a node, by what people call it: a part of its name, or all of it */
struct called {
	struct ibc_node *node;
	const char *text;
};

static int compare_called(const struct called *a, const struct called *z)
{
	if (a->node->subnet != z->node->subnet)
		return a->node->subnet->index < z->node->subnet->index ? -1 : 1;
	return strcmp(a->text, z->text);
}

/* Whole names last: within a run of one text, those of one name stand together. */
static int by_subnet_then_text(const void *va, const void *vz)
{
	const struct called *a = va, *z = vz;

	return compare_called(a, z) ?: strcmp(a->node->name, z->node->name);
}

static const char *with_guid(struct ibc_fabric *fab, const struct ibc_node *node)
{
	char guid[STR_GUID_MAX];

	str_from_guid(guid, node->guid);
	if (node->name[0] == '\0')
		return arena_strdup(fab->arena, guid);
	return arena_printf(fab->arena, "%s (%s)", node->name, guid);
}

/* @i of @n nodes that are called alike. */
static const char *label_of(struct ibc_fabric *fab, const struct called *run, size_t i, size_t n)
{
	const struct ibc_node *node = run[i].node;

	if (node->name[0] == '\0')
		return with_guid(fab, node);
	if (n == 1)
		return run->text;
	if ((i > 0 && !strcmp(node->name, run[i - 1].node->name)) ||
	    (i + 1 < n && !strcmp(node->name, run[i + 1].node->name)))
		return with_guid(fab, node);
	return node->name;
}

void fabric_label(struct ibc_fabric *fab, struct arena *scratch)
{
	struct called *called = arena_array(scratch, fab->num_nodes + 1, sizeof(*called));
	char text[NODENAME_MAX];
	size_t n;

	for (size_t i = 0; i < fab->num_nodes; i++) {
		struct ibc_node *node = &fab->nodes[i]->node;

		called[i] = (struct called){ node, node->name };
		/* only a switch has a system's name in its own: "MF0;spine02:MQM8700/U1" */
		if (node->type == IBC_NODE_SWITCH && name_of_system(text, node->name))
			called[i].text = arena_strdup(fab->arena, text);
	}
	qsort(called, fab->num_nodes, sizeof(*called), by_subnet_then_text);
	for (size_t i = 0; i < fab->num_nodes; i += n) {
		n = 1;
		while (i + n < fab->num_nodes && compare_called(&called[i], &called[i + n]) == 0)
			n++;
		for (size_t k = 0; k < n; k++)
			called[i + k].node->label = label_of(fab, called + i, k, n);
	}
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

#define XDR_SWITCH_ID 0xd2f4 /* Quantum-3 (ibdm/Fabric.h of NVIDIA, BSD) */
#define FNM_FIRST     145    /* and 146, of such a switch */

static bool is_fnm(const struct ibc_port *port)
{
	if (port->extra->fnm)
		return true;
	if (ibc_phy_knows(port->extra->phy, IBC_PHY_PORT_TYPE))
		return port->extra->phy->value[IBC_PHY_PORT_TYPE] == IBC_PORT_FNM;
	return port->node->type == IBC_NODE_SWITCH && port->node->device_id == XDR_SWITCH_ID &&
	       port->num >= FNM_FIRST;
}

bool ibc_port_is_fnm(const struct ibc_port *port)
{
	return is_fnm(port) || (port->peer && is_fnm(port->peer));
}

const char *ibc_port_label(const struct ibc_port *port)
{
	const struct ibc_node *node = port->node;
	const char *own = port->extra->label;

	if (own && *own)
		return own;
	if (is_fnm(port))
		return "FNM";
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (node->type == IBC_NODE_SWITCH && node->device_id == models[i].device_id &&
		    node->num_ports == models[i].num_ports && port->num &&
		    port->num <= models[i].num_labels)
			return models[i].labels[port->num - 1];
	return NULL;
}
