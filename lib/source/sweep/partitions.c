/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * P_KeyTables: of every host's port that has a cable, and of the port of the switch at
 * its other end where that lets only members through.
 */
#include <string.h>

#include "source/sweep/sweep.h"
#include "wire/tables.h"

/* The table of one port. */
struct partitions {
	struct blocks blocks;
	struct ibc_pkeys pkeys;
	uint16_t keys[]; /* all there is room for */
};

static uint32_t block_modifier(const struct blocks *blocks, unsigned int block)
{
	return pkey_modifier(blocks->dev->node->type == IBC_NODE_SWITCH ? blocks->port : 0, block);
}

static bool learn_pkeys(struct query *q, const uint8_t *data)
{
	struct partitions *p = (struct partitions *)q->blocks;

	block_words_get(data, p->keys + SMP_BLOCK_WORDS * q->block);
	return true;
}

/* Its zeros are no keys. */
static bool keep_pkeys(struct sweep *s, struct blocks *blocks)
{
	struct partitions *p = (struct partitions *)blocks;
	struct ibc_pkeys *pkeys;
	uint16_t *keys;
	size_t n = 0;

	if (blocks_outcome(blocks) != ANSWER_OK)
		return true;
	for (size_t i = 0; i < SMP_BLOCK_WORDS * blocks->end; i++)
		if (p->keys[i])
			p->keys[n++] = p->keys[i];
	pkeys = sweep_keep(s, 1, sizeof(*pkeys));
	keys = sweep_keep(s, n + 1, sizeof(*keys));
	memcpy(keys, p->keys, n * sizeof(*keys));
	*pkeys = (struct ibc_pkeys){ keys, n };
	port_extra(fabric_build_port(blocks->dev->node, blocks->port))->pkeys = pkeys;
	return true;
}

static const struct handler handler_pkeys = {
	.attribute = SMP_PKEY_TABLE,
	.attr = IBC_ATTR_PKEY_TABLE,
	.of_port = true,
	.at_port = true,
	.learn = learn_pkeys,
};

static void read_pkeys(struct sweep *s, struct device *dev, const struct ibc_port *port,
                       struct engine_device *device)
{
	bool is_switch = dev->node->type == IBC_NODE_SWITCH;
	unsigned int cap = is_switch ? dev->node->pkey_enforce_cap : dev->node->pkey_cap;
	unsigned int blocks = cap ? (cap + SMP_BLOCK_WORDS - 1) / SMP_BLOCK_WORDS : 1;
	struct partitions *p = sweep_alloc(
	    s, 1, sizeof(*p) + blocks * SMP_BLOCK_WORDS * sizeof(p->keys[0]));

	p->blocks = (struct blocks){
		.dev = dev,
		.handler = &handler_pkeys,
		.device = device,
		.modifier = block_modifier,
		.ended = keep_pkeys,
		.end = blocks,
		.port = port->num,
	};
	blocks_go_on(s, &p->blocks);
}

static bool wants_partitions(const struct ibc_port *port)
{
	if (port->node->type != IBC_NODE_SWITCH)
		return ibc_port_has(port, IBC_ATTR_LINK) && ibc_port_is_here(port);
	return port->peer && port->peer->node->type != IBC_NODE_SWITCH && port->pkey_enforce;
}

void partitions_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct engine_device *device = NULL;

		for (unsigned int i = 1; i <= dev->node->num_ports; i++) {
			const struct ibc_port *port = fabric_build_port(dev->node, i);

			if (!wants_partitions(port))
				continue;
			if (!device)
				device = sweep_alloc(s, 1, sizeof(*device));
			read_pkeys(s, dev, port, device);
		}
	}
}
