/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ExtendedNodeInfo: how many planes a device has, and whether they may differ.  An HCA with more
 * than two ports is asked what it knows; no older one has so many.  A switch is asked too if
 * something else made it tell what it knows.
 */
#include "source/sweep.h"
#include "wire/smp.h"

#define PORTS_OF_OLDER 2 /* as on all HCAs before XDR */

void planes_at_node(struct sweep *s, struct device *dev)
{
	if (dev->node->type == IBC_NODE_CA && dev->node->num_ports > PORTS_OF_OLDER &&
	    !ibc_attrs_has(s->needs, IBC_ATTR_PHY_EXT_PORT))
		smp_info_ask(s, dev);
}

static bool learn_ext_node(struct query *q, const uint8_t *data)
{
	struct ext_node_info info;

	ext_node_info_get(data, &info);
	q->dev->node->max_planes = info.max_planes;
	q->dev->node->asymmetric_planes = info.asymmetric;
	return true;
}

static const struct handler handler_ext_node = {
	.attribute = SMP_EXT_NODE_INFO,
	.attr = IBC_ATTR_EXT_NODE_INFO,
	.learn = learn_ext_node,
};

void ext_node_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (ibc_node_smp_capability(dev->node, IBC_SMP_EXT_NODE_INFO) == 1)
			smp_vendor_ask(s, dev, &handler_ext_node, 0);
}
