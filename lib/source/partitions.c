/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * P_KeyTables: of every host's port that has a cable, and of the port of the switch at
 * its other end where that lets only members through.
 */
#include "base/arena.h"
#include "source/sweep.h"
#include "wire/tables.h"

/* The table of one port. */
struct partitions {
	struct series series;
	struct ibc_pkeys pkeys;
	uint16_t keys[]; /* all there is room for */
};

static uint32_t block_modifier(const struct series *series, unsigned int block)
{
	bool is_switch = series->site->node->type == IBC_NODE_SWITCH;

	return pkey_modifier(is_switch ? series->port : 0, block);
}

static bool learn_pkeys(struct question *q, const uint8_t *data)
{
	struct partitions *p = (struct partitions *)q->series;

	block_words_get(data, p->keys + SMP_BLOCK_WORDS * q->block);
	return true;
}

/* Its zeros are no keys. */
static bool keep_pkeys(struct sweep *s, struct series *series)
{
	struct partitions *p = (struct partitions *)series;
	struct ibc_pkeys *pkeys;
	uint16_t *keys;
	size_t n = 0;

	if (series_outcome(series) != ANSWER_OK)
		return true;
	for (size_t i = 0; i < SMP_BLOCK_WORDS * series->end; i++)
		if (p->keys[i])
			p->keys[n++] = p->keys[i];
	pkeys = arena_alloc(fabric_build_arena(s->b), sizeof(*pkeys));
	keys = arena_array(fabric_build_arena(s->b), n + 1, sizeof(*keys));
	if (!pkeys || !keys) {
		s->out_of_memory = true;
		return true;
	}
	for (size_t i = 0; i < n; i++)
		keys[i] = p->keys[i];
	*pkeys = (struct ibc_pkeys){ keys, n };
	fabric_build_port(series->site->node, series->port)->pkeys = pkeys;
	return true;
}

static const struct topic topic_pkeys = {
	.attribute = SMP_PKEY_TABLE,
	.attr = IBC_ATTR_PKEY_TABLE,
	.of_port = true,
	.at_port = true,
	.learn = learn_pkeys,
};

static void read_pkeys(struct sweep *s, struct site *site, const struct ibc_port *port,
                       struct engine_device *device)
{
	bool is_switch = site->node->type == IBC_NODE_SWITCH;
	unsigned int cap = is_switch ? site->node->pkey_enforce_cap : site->node->pkey_cap;
	unsigned int blocks = cap ? (cap + SMP_BLOCK_WORDS - 1) / SMP_BLOCK_WORDS : 1;
	struct partitions *p = arena_alloc(s->scratch, sizeof(*p) + blocks * SMP_BLOCK_WORDS *
	                                                                sizeof(p->keys[0]));

	if (!p) {
		s->out_of_memory = true;
		return;
	}
	p->series = (struct series){
		.site = site,
		.topic = &topic_pkeys,
		.device = device,
		.modifier = block_modifier,
		.ended = keep_pkeys,
		.end = blocks,
		.port = port->num,
	};
	series_start(s, &p->series);
}

static bool is_wanted(const struct ibc_port *port)
{
	if (port->node->type != IBC_NODE_SWITCH)
		return ibc_port_has(port, IBC_ATTR_LINK) && ibc_port_is_here(port);
	return port->peer && port->peer->node->type != IBC_NODE_SWITCH && port->pkey_enforce;
}

void partitions_ask(struct sweep *s)
{
	for (struct site *site = s->sites; site; site = site->next) {
		struct engine_device *device = NULL;

		for (unsigned int i = 1; i <= site->node->num_ports; i++) {
			const struct ibc_port *port = fabric_build_port(site->node, i);

			if (!is_wanted(port))
				continue;
			if (!device)
				device = arena_alloc(s->scratch, sizeof(*device));
			if (device)
				read_pkeys(s, site, port, device);
			else
				s->out_of_memory = true;
		}
	}
}
