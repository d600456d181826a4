/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * SLtoVLMappingTables: a switch has one for each way through it, which for most switches
 * are the same.  So two ways out by each port are asked for that leads to another switch
 * and has more than one virtual lane: from another such port, and from one of the others,
 * each time the next one.  Only where they differ all ways to these ports are.  What
 * leaves by a port with one virtual lane takes VL 0.
 *
 * An HCA has one table for each port, which tells it itself.
 */
#include <string.h>

#include "source/sweep.h"
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

/* The others, but for the port that it leaves by. */
static unsigned int later_pair(const struct lanes *l, unsigned int i)
{
	unsigned int nth = i / l->num_out;

	return nth < i % l->num_out ? nth : nth + 1;
}

static unsigned int first_pair(const struct lanes *l, unsigned int i)
{
	if (i < l->num_out && l->num_out > 1)
		return (i + 1) % l->num_out;
	return l->num_out + i % (l->num_in - l->num_out);
}

static unsigned int num_first_pairs(const struct lanes *l)
{
	return (l->num_out > 1 ? l->num_out : 0) + (l->num_in > l->num_out ? l->num_out : 0);
}

static void pair_of(const struct lanes *l, unsigned int i, unsigned int *in, unsigned int *out)
{
	*in = l->in[l->vl ? later_pair(l, i) : first_pair(l, i)];
	*out = l->in[i % l->num_out];
}

static uint32_t pair_modifier(const struct blocks *blocks, unsigned int i)
{
	unsigned int in, out;

	pair_of((const struct lanes *)blocks, i, &in, &out);
	return sl2vl_modifier(in, out);
}

static unsigned int sl2vl_width(const struct lanes *l)
{
	return l->blocks.dev->node->num_ports + 1u;
}

static void put_pair(struct lanes *l, unsigned int in, unsigned int out, const uint8_t vl[SMP_SLS])
{
	memcpy(l->vl + ((size_t)in * sl2vl_width(l) + out) * SMP_SLS, vl, SMP_SLS);
}

static bool learn_sl2vl(struct query *q, const uint8_t *data)
{
	struct lanes *l = (struct lanes *)q->blocks;
	uint8_t vl[SMP_SLS];
	unsigned int in, out;

	sl2vl_get(data, vl);
	pair_of(l, q->block, &in, &out);
	if (l->vl)
		put_pair(l, in, out, vl);
	else
		memcpy(l->first + (size_t)q->block * SMP_SLS, vl, sizeof(vl));
	return true;
}

static const struct handler handler_sl2vl = {
	.attribute = SMP_SL2VL_TABLE,
	.attr = IBC_ATTR_SL2VL,
	.learn = learn_sl2vl,
};

/* ---- into the model ----------------------------------------------------------------- */

/* vl: as in struct ibc_sl2vl, or NULL when out of memory. */
static void keep_sl2vl(struct sweep *s, const struct device *dev, const uint8_t *vl, bool uniform)
{
	struct ibc_sl2vl *t = sweep_keep(s, 1, sizeof(*t));

	if (!t || !vl)
		return;
	*t = (struct ibc_sl2vl){ vl, dev->node->num_ports + 1u, uniform };
	dev->node->sl2vl = t;
}

/* A table for all ways: what was told of some of them is the same. */
static void keep_uniform(struct sweep *s, const struct device *dev, const uint8_t vl[SMP_SLS])
{
	uint8_t *copy = sweep_keep(s, 1, SMP_SLS);

	if (copy)
		memcpy(copy, vl, SMP_SLS);
	keep_sl2vl(s, dev, copy, true);
}

/* A table for each way: none known yet, but of the ports that have one virtual lane. */
static void keep_each(struct sweep *s, struct lanes *l)
{
	const struct ibc_node *node = l->blocks.dev->node;
	size_t ways = (size_t)sl2vl_width(l) * sl2vl_width(l);

	l->vl = sweep_keep(s, ways, SMP_SLS);
	keep_sl2vl(s, l->blocks.dev, l->vl, false);
	if (!l->vl)
		return;
	memset(l->vl, IBC_VL_UNKNOWN, ways * SMP_SLS);
	for (unsigned int out = 1; out <= node->num_ports; out++)
		for (unsigned int in = 0; in <= node->num_ports; in++)
			if (node->ports[out].vl_active == ONE_VL)
				put_pair(l, in, out, (const uint8_t[SMP_SLS]){ 0 });
}

static const uint8_t *first_known(const struct lanes *l, unsigned int i)
{
	const uint8_t *vl = l->first + (size_t)i * SMP_SLS;

	return *vl == IBC_VL_UNKNOWN ? NULL : vl;
}

/* Puts what the first ways told into the table of each; the same for all ways, if alike. */
static void put_first(struct lanes *l, unsigned int ways, bool uniform)
{
	for (unsigned int i = 0; i < ways; i++) {
		const uint8_t *vl = first_known(l, i);
		unsigned int nth = first_pair(l, i), out = l->in[i % l->num_out];

		for (unsigned int in = 0; vl && in < sl2vl_width(l); in++)
			if (uniform || in == l->in[nth])
				put_pair(l, in, out, vl);
	}
}

/* Some that was told, and whether all that was is the same; NULL: nothing was. */
static const uint8_t *compare_first(const struct lanes *l, unsigned int ways, bool *same)
{
	const uint8_t *one = NULL;

	*same = true;
	for (unsigned int i = 0; i < ways; i++) {
		const uint8_t *vl = first_known(l, i);

		if (vl && !one)
			one = vl;
		*same &= !vl || memcmp(vl, one, SMP_SLS) == 0;
	}
	return one;
}

static bool evaluate_first(struct sweep *s, struct blocks *blocks)
{
	struct lanes *l = (struct lanes *)blocks;
	bool same, all = blocks_outcome(blocks) == ANSWER_OK;
	const uint8_t *one = compare_first(l, blocks->end, &same);

	if (l->vl || !one)
		return true;
	if (same && all && !l->mixed) {
		keep_uniform(s, blocks->dev, one);
		return true;
	}
	keep_each(s, l);
	if (!l->vl)
		return true;
	put_first(l, blocks->end, same && all);
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
	(void)blocks;
	(void)block;
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
	size_t width = dev->node->num_ports + 1u;
	struct hca_lanes *l = sweep_alloc(s, 1, sizeof(*l));

	if (l)
		l->vl = sweep_keep(s, width * width, SMP_SLS);
	if (!l || !l->vl)
		return;
	memset(l->vl, IBC_VL_UNKNOWN, width * width * SMP_SLS);
	keep_sl2vl(s, dev, l->vl, false);
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

/* false: the lanes of a port are not known. */
static bool find_ports(struct lanes *l, const struct ibc_node *node)
{
	bool known = true;

	for (unsigned int p = 1; p <= node->num_ports; p++) {
		if (!leads_to_switch(&node->ports[p]))
			continue;
		l->mixed |= node->ports[p].vl_active == ONE_VL;
		known &= node->ports[p].vl_active != 0;
		if (node->ports[p].vl_active > ONE_VL)
			l->in[l->num_in++] = (uint8_t)p;
	}
	l->num_out = l->num_in;
	for (unsigned int p = 1; p <= node->num_ports; p++)
		if (node->ports[p].peer &&
		    !(leads_to_switch(&node->ports[p]) && node->ports[p].vl_active > ONE_VL))
			l->in[l->num_in++] = (uint8_t)p;
	return known;
}

static void read_sl2vl(struct sweep *s, struct device *dev)
{
	struct lanes *l = sweep_alloc(s, 1, sizeof(*l));
	bool known = l && find_ports(l, dev->node);
	unsigned int ways = l ? num_first_pairs(l) : 0;

	if (l)
		l->first = sweep_alloc(s, ways + 1, SMP_SLS);
	if (!l || !l->first)
		return;
	if (!l->num_out && known)
		keep_uniform(s, dev, (const uint8_t[SMP_SLS]){ 0 });
	if (!ways)
		return;
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
