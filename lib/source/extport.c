/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ExtendedPortInfo, as far as it is more than a speed: of all ports of those devices that say in
 * the vendor's GeneralInfo of subnet management that they know it, and only if the sweep reads
 * the physical layer.
 */
#include "source/sweep.h"
#include "wire/smp.h"

static const struct handler handler_ext_port;

void ext_port_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;

		for (unsigned int p = 1; p <= node->num_ports; p++) {
			struct ibc_port *port = fabric_build_port(node, p);

			if (!ibc_port_has(port, IBC_ATTR_PORT_INFO))
				continue;
			if (ibc_node_smp_capability(node, IBC_SMP_EXT_PORT_INFO) == 1)
				smp_vendor_ask(s, dev, &handler_ext_port, p);
			else
				answers_put(port, IBC_ATTR_PHY_EXT_PORT, smp_vendor_unasked(node));
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

static const struct handler handler_ext_port = {
	.attribute = SMP_MLNX_EXT_PORT_INFO,
	.attr = IBC_ATTR_PHY_EXT_PORT,
	.of_port = true,
	.learn = learn_ext_port,
};
