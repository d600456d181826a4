/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ExtendedPortInfo, as far as it is more than a speed: of all ports of those devices that say in
 * the vendor's GeneralInfo of subnet management that they know it, and only if the sweep reads
 * the physical layer.  It goes by directed routes too: a port may be read that has no LID.
 */
#include "source/sweep.h"
#include "wire/smp.h"
#include "wire/vendor.h"

#define SILENT_MAX 3 /* tries in a row: who does not know an attribute should refuse it */

static const struct handler handler_general_info, handler_ext_port;

static void ask(struct sweep *s, struct device *dev, const struct handler *handler,
                uint32_t modifier)
{
	struct query *q = query_new(s, dev, handler, handler->of_port ? modifier : 0);

	if (!q)
		return;
	q->modifier = modifier;
	dev->ext.silent_max = SILENT_MAX;
	query_send(q, &dev->ext);
}

void ext_port_at_node(struct sweep *s, struct device *dev)
{
	if (vendor_is_known(dev->node->vendor_id, dev->node->device_id))
		ask(s, dev, &handler_general_info, GENERAL_INFO_CAPABILITIES);
}

static bool learn_general_info(struct query *q, const uint8_t *data)
{
	capabilities_get(data, q->dev->node->smp_capabilities);
	return true;
}

/* Who is silent about GeneralInfo may know it: that is no answer. */
static enum answer without_asking(const struct ibc_node *node)
{
	return ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO_SMP) ? ANSWER_NONE
	                                                            : ANSWER_UNSUPPORTED;
}

void ext_port_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;

		for (unsigned int p = 1; p <= node->num_ports; p++) {
			struct ibc_port *port = fabric_build_port(node, p);

			if (!ibc_port_has(port, IBC_ATTR_PORT_INFO))
				continue;
			if (ibc_node_smp_capability(node, IBC_SMP_EXT_PORT_INFO) == 1)
				ask(s, dev, &handler_ext_port, p);
			else
				answers_put(port, IBC_ATTR_PHY_EXT_PORT, without_asking(node));
		}
	}
}

static bool learn_ext_port(struct query *q, const uint8_t *data)
{
	struct ibc_phy *phy = phy_of(q);

	if (phy)
		ext_port_values_get(data, phy);
	return true;
}

static const struct handler handler_general_info = {
	.attribute = SMP_GENERAL_INFO,
	.attr = IBC_ATTR_GENERAL_INFO_SMP,
	.learn = learn_general_info,
};

static const struct handler handler_ext_port = {
	.attribute = SMP_MLNX_EXT_PORT_INFO,
	.attr = IBC_ATTR_PHY_EXT_PORT,
	.of_port = true,
	.learn = learn_ext_port,
};
