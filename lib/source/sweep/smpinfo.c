/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of the vendor's own a device knows in subnet management, which its GeneralInfo there
 * says, and the attributes of which each device, or each port, has one: ExtendedNodeInfo,
 * ExtendedPortInfo, AdaptiveRoutingInfo, RouterInfo.  All goes by directed routes too: a port
 * may be read that has no LID.
 */
#include "source/sweep/models.h"
#include "source/sweep/sweep.h"
#include "wire/adaptive.h"
#include "wire/smp.h"
#include "wire/vendor.h"
#include "wire/virtual.h"

#define SILENT_MAX 3 /* tries in a row: who does not know an attribute should refuse it */

static const struct handler handler_general_info;

void smp_vendor_ask(struct sweep *s, struct device *dev, const struct handler *handler,
                    uint32_t modifier)
{
	struct query *q = query_new(s, dev, handler, handler->of_port ? modifier : 0);

	q->modifier = modifier;
	dev->ext.silent_max = SILENT_MAX;
	query_send(q, &dev->ext);
}

static void smp_info_ask(struct sweep *s, struct device *dev)
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

static bool learn_general_info(struct query *q, const uint8_t *data)
{
	capabilities_get(data, q->dev->node->smp_capabilities);
	model_of(q->sweep, q->dev)->knows_smp_info = true;
	return true;
}

static const struct handler handler_general_info = {
	.attribute = SMP_GENERAL_INFO,
	.attr = IBC_ATTR_GENERAL_INFO_SMP,
	.learn = learn_general_info,
};

/* ---- the planes of a node ------------------------------------------------- */

/*
 * ExtendedNodeInfo: how many planes a device has, and whether they may differ.  An HCA with more
 * than two ports is asked what it knows; no older one has so many.  A switch is asked too if
 * its GeneralInfo was read for another reason.
 */
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

/* ---- more than a speed of a port ------------------------------------------ */

static const struct handler handler_ext_port;

/*
 * ExtendedPortInfo, as far as it is more than a speed: of all ports of those devices that say in
 * the vendor's GeneralInfo of subnet management that they know it, and only if the sweep reads
 * the physical layer.
 */
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
				/* who was silent may know it, and that is no answer */
				answers_put(port, IBC_ATTR_PHY_EXT_PORT,
				            ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO_SMP)
				                ? ANSWER_NONE
				                : ANSWER_UNSUPPORTED);
		}
	}
}

static bool learn_ext_port(struct query *q, const uint8_t *data)
{
	ext_port_values_get(data, phy_of(q));
	return true;
}

static const struct handler handler_ext_port = {
	.attribute = SMP_MLNX_EXT_PORT_INFO,
	.attr = IBC_ATTR_PHY_EXT_PORT,
	.of_port = true,
	.learn = learn_ext_port,
};

/* ---- adaptive routing ----------------------------------------------------- */

/* What switches say of their adaptive routing: one SMP each, of those that know the attribute. */
static bool learn_ar_info(struct query *q, const uint8_t *data)
{
	struct ibc_ar_info *info = sweep_keep(q->sweep, 1, sizeof(*info));

	ar_info_get(data, info);
	q->dev->node->ar = info;
	return true;
}

static const struct handler handler_ar_info = {
	.attribute = SMP_AR_INFO,
	.attr = IBC_ATTR_AR_INFO,
	.learn = learn_ar_info,
};

/*
 * Real switches set the second bit alone: either will do.  Where all of a model are silent they
 * have none of it, as far as is known: so is ibsim.
 */
void ar_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;
		bool is_silent;

		if (node->type != IBC_NODE_SWITCH)
			continue;
		is_silent = ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO_SMP) &&
		            model_of(s, dev)->knows_smp_info;
		if (ibc_node_smp_capability(node, IBC_SMP_AR) == 1 ||
		    ibc_node_smp_capability(node, IBC_SMP_AR_REV1) == 1)
			smp_vendor_ask(s, dev, &handler_ar_info, 0);
		else
			answers_put(node, IBC_ATTR_AR_INFO,
			            is_silent ? ANSWER_NONE : ANSWER_UNSUPPORTED);
	}
}

/* ---- routers -------------------------------------------------------------- */

/* RouterInfo: one SMP each, of those routers that are of the vendor whose attribute it is. */
static bool learn_router(struct query *q, const uint8_t *data)
{
	struct ibc_router *router = sweep_keep(q->sweep, 1, sizeof(*router));

	router_get(data, router);
	q->dev->node->router = router;
	return true;
}

static const struct handler handler_router = {
	.attribute = SMP_ROUTER_INFO,
	.attr = IBC_ATTR_ROUTER_INFO,
	.learn = learn_router,
};

void routers_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;

		if (node->type != IBC_NODE_ROUTER)
			continue;
		if (vendor_is_known(node->vendor_id, node->device_id))
			smp_vendor_ask(s, dev, &handler_router, 0);
		else
			answers_put(node, IBC_ATTR_ROUTER_INFO, ANSWER_UNSUPPORTED);
	}
}
