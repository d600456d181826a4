/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vendor's GeneralInfo of subnet management, which tells what of the vendor's own a device
 * knows there, and the way in which all of that is asked for.  It goes by directed routes too: a
 * port may be read that has no LID.
 */
#include "source/models.h"
#include "source/sweep.h"
#include "wire/smp.h"
#include "wire/vendor.h"

#define SILENT_MAX 3 /* tries in a row: who does not know an attribute should refuse it */

static const struct handler handler_general_info;

void smp_vendor_ask(struct sweep *s, struct device *dev, const struct handler *handler,
                    uint32_t modifier)
{
	struct query *q = query_new(s, dev, handler, handler->of_port ? modifier : 0);

	if (!q)
		return;
	q->modifier = modifier;
	dev->ext.silent_max = SILENT_MAX;
	query_send(q, &dev->ext);
}

void smp_info_ask(struct sweep *s, struct device *dev)
{
	if (vendor_is_known(dev->node->vendor_id, dev->node->device_id))
		smp_vendor_ask(s, dev, &handler_general_info, GENERAL_INFO_CAPABILITIES);
}

/* Adaptive routing is of switches; the physical layer of all. */
void smp_info_at_node(struct sweep *s, struct device *dev)
{
	const struct ibc_node *node = dev->node;

	if (node->type == IBC_NODE_SWITCH || ibc_attrs_has(s->needs, IBC_ATTR_PHY_EXT_PORT))
		smp_info_ask(s, dev);
}

enum answer smp_vendor_unasked(const struct ibc_node *node)
{
	return ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO_SMP) ? ANSWER_NONE
	                                                            : ANSWER_UNSUPPORTED;
}

bool smp_info_is_silent(struct sweep *s, struct device *dev)
{
	const struct model *model = model_of(s, dev);

	return ibc_node_unanswered(dev->node, IBC_ATTR_GENERAL_INFO_SMP) && model &&
	       model->knows_smp_info;
}

static bool learn_general_info(struct query *q, const uint8_t *data)
{
	struct model *model = model_of(q->sweep, q->dev);

	capabilities_get(data, q->dev->node->smp_capabilities);
	if (model)
		model->knows_smp_info = true;
	return true;
}

static const struct handler handler_general_info = {
	.attribute = SMP_GENERAL_INFO,
	.attr = IBC_ATTR_GENERAL_INFO_SMP,
	.learn = learn_general_info,
};
