/* SPDX-License-Identifier: BSD-2-Clause */
/* How sentences call a node: by the short name, where that is unique, or with the GUID. */
#include <errno.h>
#include <string.h>

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

static int label_run(struct ibc_fabric *fab, const struct called *run, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		run[i].node->label = label_of(fab, run, i, n);
		if (!run[i].node->label)
			return -ENOMEM;
	}
	return 0;
}

/* Only a switch has a system's name in its own: "MF0;spine02:MQM8700/U1". */
static int find_text(struct ibc_fabric *fab, struct called *called)
{
	const struct ibc_node *node = called->node;
	char text[NODENAME_MAX];

	called->text = node->name;
	if (node->type == IBC_NODE_SWITCH && name_of_system(text, node->name))
		called->text = arena_strdup(fab->arena, text);
	return called->text ? 0 : -ENOMEM;
}

int fabric_label(struct ibc_fabric *fab)
{
	struct called *called = xrealloc(NULL, fab->num_nodes, sizeof(*called));
	size_t n;
	int rc = called ? 0 : -ENOMEM;

	for (size_t i = 0; i < fab->num_nodes && !rc; i++) {
		called[i].node = &fab->nodes[i]->node;
		rc = find_text(fab, &called[i]);
	}
	if (!rc)
		qsort(called, fab->num_nodes, sizeof(*called), by_subnet_then_text);
	for (size_t i = 0; i < fab->num_nodes && !rc; i += n) {
		n = 1;
		while (i + n < fab->num_nodes && compare_called(&called[i], &called[i + n]) == 0)
			n++;
		rc = label_run(fab, called + i, n);
	}
	free(called);
	return rc;
}
