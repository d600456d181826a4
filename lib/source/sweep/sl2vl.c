/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * SLtoVLMappingTables: a switch has one for each way through it, which for most switches
 * are the same.  So two ways out by each port are asked for that leads to another switch
 * and has more than one virtual lane: from another such port, and from one of the others,
 * each time the next one.  Only where they differ all ways to these ports are.  What
 * leaves by a port with one virtual lane takes VL 0.
 *
 * An HCA has one table for each port, which is asked of that port.
 */
#include <string.h>

#include "source/sweep/sweep.h"
#include "wire/tables.h"

#define ONE_VL 1 /* PortInfo.OperationalVLs */

struct lanes {
	struct blocks blocks;
	struct engine_device device;
	uint8_t *first; /* of each way asked for first: SMP_SLS */
	uint8_t *vl;    /* of each way there is; NULL until they are known to differ */
	unsigned int num_in, num_out;
	uint8_t in[255]; /* ports with a link, those whose ways out are asked for in front */
	bool mixed;      /* others to switches have one virtual lane */
};

/* The way that a block is of: one of those asked for @first, or of all. */
static void pair_of(const struct lanes *l, unsigned int i, bool first, unsigned int *in,
                    unsigned int *out)
{
	unsigned int to = i % l->num_out, from = i / l->num_out;

	if (!first)
		from += from >= to; /* not the port that it leaves by */
	else if (i < l->num_out && l->num_out > 1)
		from = (i + 1) % l->num_out;
	else
		from = l->num_out + i % (l->num_in - l->num_out);
	*in = l->in[from];
	*out = l->in[to];
}

static uint32_t pair_modifier(const struct blocks *blocks, unsigned int i)
{
	const struct lanes *l = (const struct lanes *)blocks;
	unsigned int in, out;

	pair_of(l, i, !l->vl, &in, &out);
	return sl2vl_modifier(in, out);
}

/* The lanes of a way, once all have some. */
static uint8_t *lanes_at(const struct lanes *l, unsigned int in, unsigned int out)
{
	return l->vl + ((size_t)in * (l->blocks.dev->node->num_ports + 1u) + out) * SMP_SLS;
}

static bool learn_sl2vl(struct query *q, const uint8_t *data)
{
	struct lanes *l = (struct lanes *)q->blocks;
	unsigned int in, out;

	pair_of(l, q->block, !l->vl, &in, &out);
	sl2vl_get(data, l->vl ? lanes_at(l, in, out) : l->first + (size_t)q->block * SMP_SLS);
	return true;
}

static const struct handler handler_sl2vl = {
	.attribute = SMP_SL2VL_TABLE,
	.attr = IBC_ATTR_SL2VL,
	.learn = learn_sl2vl,
};

/* ---- into the model ----------------------------------------------------------------- */

/* Room for a table of each way, of which nothing is known yet, or for one that holds for all. */
static uint8_t *keep_sl2vl(struct sweep *s, const struct device *dev, bool uniform)
{
	struct ibc_sl2vl *t = sweep_keep(s, 1, sizeof(*t));
	size_t width = dev->node->num_ports + 1u,
	       size = uniform ? SMP_SLS : width * width * SMP_SLS;
	uint8_t *vl = sweep_keep(s, 1, size);

	memset(vl, IBC_VL_UNKNOWN, size);
	*t = (struct ibc_sl2vl){ vl, (unsigned int)width, uniform };
	dev->node->sl2vl = t;
	return vl;
}

/* If the first ways are alike so are all; else all ways are asked for. */
static bool evaluate_first(struct sweep *s, struct blocks *blocks)
{
	struct lanes *l = (struct lanes *)blocks;
	const struct ibc_node *node = blocks->dev->node;
	bool same = true, all = blocks_outcome(blocks) == ANSWER_OK;
	const uint8_t *one = NULL;

	for (unsigned int i = 0; i < blocks->end && !l->vl; i++) {
		const uint8_t *vl = l->first + (size_t)i * SMP_SLS;

		if (*vl == IBC_VL_UNKNOWN)
			continue;
		one = one ? one : vl;
		same &= memcmp(vl, one, SMP_SLS) == 0;
	}
	if (!one)
		return true;
	if (same && all && !l->mixed) {
		memcpy(keep_sl2vl(s, blocks->dev, true), one, SMP_SLS);
		return true;
	}
	l->vl = keep_sl2vl(s, blocks->dev, false);
	for (unsigned int out = 1; out <= node->num_ports; out++)
		for (unsigned int in = 0; in <= node->num_ports; in++)
			if (node->ports[out].vl_active == ONE_VL)
				memset(lanes_at(l, in, out), 0, SMP_SLS);
	for (unsigned int i = 0; i < blocks->end; i++) {
		const uint8_t *vl = l->first + (size_t)i * SMP_SLS;
		unsigned int from, out;

		pair_of(l, i, true, &from, &out);
		for (unsigned int in = 0; *vl != IBC_VL_UNKNOWN && in <= node->num_ports; in++)
			if ((same && all) || in == from)
				memcpy(lanes_at(l, in, out), vl, SMP_SLS);
	}
	if (same)
		return true;
	blocks->next = blocks->in_vain = 0;
	blocks->end = l->num_out * (l->num_in - 1);
	memset(blocks->outcomes, 0, sizeof(blocks->outcomes));
	return false;
}

/* ---- of HCAs --------------------------------------------------------------------------- */

/* The tables of one HCA, a port after the other: blocks.port is the one that is asked. */
struct hca_lanes {
	struct blocks blocks;
	struct engine_device device;
	uint8_t *vl; /* as in struct ibc_sl2vl */
};

static uint32_t own_modifier(const struct blocks *blocks, unsigned int block)
{
	(void)blocks, (void)block;
	return sl2vl_modifier(0, 0);
}

static bool learn_hca_sl2vl(struct query *q, const uint8_t *data)
{
	struct hca_lanes *l = (struct hca_lanes *)q->blocks;

	sl2vl_get(data, l->vl + (size_t)q->port * SMP_SLS);
	return true;
}

static const struct handler handler_hca_sl2vl = {
	.attribute = SMP_SL2VL_TABLE,
	.attr = IBC_ATTR_HCA_SL2VL,
	.at_port = true,
	.learn = learn_hca_sl2vl,
};

/* The next port after one that has lanes to choose from; 0: there is none. */
static uint8_t next_port(const struct ibc_node *node, unsigned int num)
{
	while (++num <= node->num_ports)
		if (ibc_port_has(&node->ports[num], IBC_ATTR_PORT_INFO) && node->ports[num].peer &&
		    ibc_port_is_here(&node->ports[num]) && node->ports[num].vl_active > ONE_VL)
			return (uint8_t)num;
	return 0;
}

static bool ask_next_port(struct sweep *s, struct blocks *blocks)
{
	uint8_t num = next_port(blocks->dev->node, blocks->port);

	(void)s;
	if (!num)
		return true;
	blocks->port = num;
	blocks->end++;
	return false;
}

static void read_hca_sl2vl(struct sweep *s, struct device *dev)
{
	struct hca_lanes *l = sweep_alloc(s, 1, sizeof(*l));

	l->vl = keep_sl2vl(s, dev, false);
	l->blocks = (struct blocks){
		.dev = dev,
		.handler = &handler_hca_sl2vl,
		.device = &l->device,
		.modifier = own_modifier,
		.ended = ask_next_port,
	};
	blocks_go_on(s, &l->blocks);
}

void hca_sl2vl_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (dev->node->type == IBC_NODE_CA && next_port(dev->node, 0))
			read_hca_sl2vl(s, dev);
}

/* ---- for the sweep --------------------------------------------------------------------- */

static bool leads_to_switch(const struct ibc_port *port)
{
	return port->peer && port->peer->node->type == IBC_NODE_SWITCH;
}

static void read_sl2vl(struct sweep *s, struct device *dev)
{
	const struct ibc_port *ports = dev->node->ports;
	const unsigned int num_ports = dev->node->num_ports;
	struct lanes *l = sweep_alloc(s, 1, sizeof(*l));
	bool known = true; /* how many lanes the ports to switches have */
	unsigned int ways;

	for (unsigned int p = 1; p <= num_ports; p++) {
		if (!leads_to_switch(&ports[p]))
			continue;
		l->mixed |= ports[p].vl_active == ONE_VL;
		known &= ports[p].vl_active != 0;
		if (ports[p].vl_active > ONE_VL)
			l->in[l->num_in++] = (uint8_t)p;
	}
	l->num_out = l->num_in;
	for (unsigned int p = 1; p <= num_ports; p++)
		if (ports[p].peer && !(leads_to_switch(&ports[p]) && ports[p].vl_active > ONE_VL))
			l->in[l->num_in++] = (uint8_t)p;
	if (!l->num_out && known)
		memset(keep_sl2vl(s, dev, true), 0, SMP_SLS);
	ways = (l->num_out > 1 ? l->num_out : 0) + (l->num_in > l->num_out ? l->num_out : 0);
	if (!ways)
		return;
	l->first = sweep_alloc(s, ways, SMP_SLS);
	memset(l->first, IBC_VL_UNKNOWN, ways * SMP_SLS);
	l->blocks = (struct blocks){
		.dev = dev,
		.handler = &handler_sl2vl,
		.device = &l->device,
		.modifier = pair_modifier,
		.ended = evaluate_first,
		.end = ways,
	};
	blocks_go_on(s, &l->blocks);
}

void sl2vl_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (dev->node->type == IBC_NODE_SWITCH)
			read_sl2vl(s, dev);
}
