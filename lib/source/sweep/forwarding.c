/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * LinearForwardingTables, read when discovery is done: then the switches and the
 * largest LinearFDBTop are known, and blocks go straight to their rows.  All switches
 * are read side by side, so that the rows in use stay in the cache.
 */
#include "source/sweep/sweep.h"

struct lft {
	struct blocks blocks;
	struct engine_device device;
	uint8_t *out; /* its column */
	size_t stride;
	uint8_t *known;
	unsigned int top;
};

/* The largest LID that has an entry. */
unsigned int forwarding_top(const struct ibc_node *node)
{
	unsigned int top = node->lft_top;

	if (node->lft_cap && top >= node->lft_cap)
		top = node->lft_cap - 1u;
	return top < UNICAST_LID_MAX ? top : UNICAST_LID_MAX;
}

static bool learn_lft(struct query *q, const uint8_t *data)
{
	struct lft *lft = (struct lft *)q->blocks;
	unsigned int first = IBC_LFT_BLOCK * q->block;

	for (unsigned int i = 0; i < IBC_LFT_BLOCK && first + i <= lft->top; i++)
		lft->out[(first + i) * lft->stride] = data[i];
	lft->known[q->block * lft->stride] = 1;
	return true;
}

static const struct handler handler_lft = { SMP_LINEAR_FDB, IBC_ATTR_LFT, .learn = learn_lft };

void forwarding_again(struct sweep *s, struct device *dev)
{
	struct fabric_forwarding *f = s->forwarding;
	const struct ibc_forwarding *t = &f->tables;
	size_t column = fabric_column(t->switches, t->num_switches, dev->node);
	struct lft *lft = sweep_alloc(s, 1, sizeof(*lft));
	unsigned int blocks;

	*lft = (struct lft){
		.blocks = { .dev = dev, .handler = &handler_lft, .device = &lft->device },
		.out = f->out + column,
		.known = f->known + column,
		.stride = t->stride,
		.top = forwarding_top(dev->node),
	};
	lft->blocks.end = blocks = lft->top / IBC_LFT_BLOCK + 1;
	/* beyond its own top a switch has no entry */
	for (; blocks * IBC_LFT_BLOCK < t->num_lids; blocks++)
		lft->known[blocks * lft->stride] = 1;
	blocks_go_on(s, &lft->blocks);
}

/* Without SwitchInfo there is no end to it: a query without an answer. */
void forwarding_ask(struct sweep *s)
{
	unsigned int num_lids = 0;

	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (ibc_node_has(dev->node, IBC_ATTR_SWITCH_INFO) &&
		    forwarding_top(dev->node) >= num_lids)
			num_lids = forwarding_top(dev->node) + 1;
	s->forwarding = fabric_build_forwarding(s->b, s->subnet, num_lids);
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		if (ibc_node_has(dev->node, IBC_ATTR_SWITCH_INFO))
			forwarding_again(s, dev);
		else if (dev->node->type == IBC_NODE_SWITCH)
			answers_put(dev->node, IBC_ATTR_LFT, ANSWER_NONE);
	}
}
