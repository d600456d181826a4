/* SPDX-License-Identifier: BSD-2-Clause */
/* What switches say of their adaptive routing: one SMP each, of those that know the attribute. */
#include "wire/adaptive.h"
#include "source/sweep.h"

static bool learn_ar_info(struct query *q, const uint8_t *data)
{
	struct ibc_ar_info *info = sweep_keep(q->sweep, 1, sizeof(*info));

	if (info)
		ar_info_get(data, info);
	q->dev->node->ar = info;
	return info;
}

static const struct handler handler_ar_info = {
	.attribute = SMP_AR_INFO,
	.attr = IBC_ATTR_AR_INFO,
	.learn = learn_ar_info,
};

/* Real switches set the second bit alone: either will do. */
static bool knows_ar(const struct ibc_node *node)
{
	return ibc_node_smp_capability(node, IBC_SMP_AR) == 1 ||
	       ibc_node_smp_capability(node, IBC_SMP_AR_REV1) == 1;
}

void ar_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		if (dev->node->type != IBC_NODE_SWITCH)
			continue;
		if (knows_ar(dev->node))
			smp_vendor_ask(s, dev, &handler_ar_info, 0);
		else
			answers_put(dev->node, IBC_ATTR_AR_INFO, smp_vendor_unasked(dev->node));
	}
}
