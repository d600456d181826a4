/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual ports (SR-IOV) of an HCA's port: where PortInfo says that it may have some,
 * VirtualizationInfo; where that says that it has, VPortInfo of each.
 */
#include "wire/virtual.h"
#include "source/sweep.h"

#define VPORTS_MAX 1024 /* more than any HCA has functions; a guess */
#define SILENT_MAX 3    /* tries in a row: who does not know an attribute should refuse it */

/* struct reading - of one port; @vports: by index, of no state where it was not told */
struct reading {
	struct blocks blocks;
	struct ibc_vports info;
	struct ibc_vport vports[];
};

static bool learn_vport(struct query *q, const uint8_t *data)
{
	struct reading *r = (struct reading *)q->blocks;
	struct ibc_vport v;

	if (!vport_get(data, (uint16_t)q->block, &v) || v.lid_index > r->info.top)
		return false;
	r->vports[q->block] = v;
	return true;
}

/* Each has a GUID of its own: else the modifier is not what picks one, and none is believed. */
static bool are_distinct(const struct reading *r)
{
	for (unsigned int i = 1; i < r->blocks.end; i++)
		if (r->vports[i].guid && r->vports[i].guid == r->vports[i - 1].guid)
			return false;
	return true;
}

/* What was told stays, should another one be silent: then the attribute was not answered. */
static bool keep_vports(struct sweep *s, struct blocks *blocks)
{
	struct reading *r = (struct reading *)blocks;
	struct ibc_vports *kept = sweep_keep(s, 1, sizeof(*kept));
	struct ibc_vport *vports = sweep_keep(s, blocks->end, sizeof(*vports));

	if (!kept || !vports)
		return true;
	if (!are_distinct(r)) {
		blocks->outcomes[ANSWER_REFUSED]++;
		return true;
	}
	*kept = r->info;
	kept->vports = vports;
	for (unsigned int i = 0; i < blocks->end; i++)
		if (r->vports[i].state)
			vports[kept->num_vports++] = r->vports[i];
	fabric_build_port(blocks->dev->node, blocks->port)->vports = kept;
	return true;
}

static const struct handler handler_vport = {
	.attribute = SMP_VPORT_INFO,
	.attr = IBC_ATTR_VPORTS,
	.of_port = true,
	.at_port = true,
	.learn = learn_vport,
};

static bool read_vports(struct query *q, const struct ibc_vports *info)
{
	struct sweep *s = q->sweep;
	struct reading *r = sweep_alloc(s, 1, sizeof(*r) + (info->top + 1u) * sizeof(r->vports[0]));

	if (!r)
		return true;
	r->info = *info;
	r->blocks = (struct blocks){
		.dev = q->dev,
		.handler = &handler_vport,
		.device = q->ask.device,
		.ended = keep_vports,
		.end = info->top + 1u,
		.port = q->port,
	};
	blocks_go_on(s, &r->blocks);
	return true;
}

static bool learn_virtualization(struct query *q, const uint8_t *data)
{
	struct ibc_vports info, *kept;

	virtualization_get(data, &info);
	if (info.enabled && (info.top > info.cap || info.top >= VPORTS_MAX))
		return false;
	if (info.enabled)
		return read_vports(q, &info);
	kept = sweep_keep(q->sweep, 1, sizeof(*kept));
	if (kept)
		*kept = info;
	port_of(q)->vports = kept;
	answers_put(port_of(q), IBC_ATTR_VPORTS, ANSWER_OK);
	return true;
}

static void miss_virtualization(struct query *q, enum answer outcome)
{
	answers_put(port_of(q), IBC_ATTR_VPORTS, outcome);
}

/* Its answer alone is not all of IBC_ATTR_VPORTS. */
static const struct handler handler_virtualization = {
	.attribute = SMP_VIRTUALIZATION_INFO,
	.of_port = true,
	.at_port = true,
	.learn = learn_virtualization,
	.missed = miss_virtualization,
};

static bool may_have_vports(const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_PORT_INFO) && port->peer && ibc_port_is_here(port) &&
	       port->cap_mask & IBC_CAP_HAS_MASK2 && port->cap_mask2 & IBC_CAP2_HAS_VPORTS;
}

static void ask_port(struct sweep *s, struct device *dev, unsigned int num)
{
	struct engine_device *device = sweep_alloc(s, 1, sizeof(*device));
	struct query *q = query_new(s, dev, &handler_virtualization, num);

	if (!device || !q)
		return;
	device->silent_max = SILENT_MAX;
	query_send(q, device);
}

void vports_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;

		for (unsigned int i = 1; node->type == IBC_NODE_CA && i <= node->num_ports; i++)
			if (may_have_vports(fabric_build_port(node, i)))
				ask_port(s, dev, i);
	}
}
