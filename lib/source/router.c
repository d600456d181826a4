/* SPDX-License-Identifier: BSD-2-Clause */
/* RouterInfo: one SMP each, of those routers that are of the vendor whose attribute it is. */
#include "source/sweep.h"
#include "wire/vendor.h"
#include "wire/virtual.h"

static bool learn_router(struct query *q, const uint8_t *data)
{
	struct ibc_router *router = sweep_keep(q->sweep, 1, sizeof(*router));

	if (router)
		router_get(data, router);
	q->dev->node->router = router;
	return router;
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
