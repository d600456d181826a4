/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual ports (SR-IOV) of an HCA's port: where PortInfo says that it may have some,
 * VirtualizationInfo; where that says that it has, VPortInfo of each.
 */
#include "wire/virtual.h"
#include "source/sweep/sweep.h"

#define VPORTS_MAX 1024 /* more than any HCA has functions; a guess */
#define SILENT_MAX 3    /* tries in a row: who does not know an attribute should refuse it */

/* struct reading - of one port; @vports: by index, of no state where it was not answered */
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

/* What was answered stays, though another one is silent: then the attribute was not answered. */
static bool keep_vports(struct sweep *s, struct blocks *blocks)
{
	struct reading *r = (struct reading *)blocks;
	struct ibc_vports *kept = sweep_keep(s, 1, sizeof(*kept));
	struct ibc_vport *vports = sweep_keep(s, blocks->end, sizeof(*vports));

	*kept = r->info;
	kept->vports = vports;
	for (unsigned int i = 0; i < blocks->end; i++) {
		/* with one GUID twice the modifier is not what picks one, and none is believed */
		if (i > 0 && r->vports[i].guid && r->vports[i].guid == r->vports[i - 1].guid) {
			blocks->outcomes[ANSWER_REFUSED]++;
			return true;
		}
		if (r->vports[i].state)
			vports[kept->num_vports++] = r->vports[i];
	}
	port_extra(fabric_build_port(blocks->dev->node, blocks->port))->vports = kept;
	return true;
}

static const struct handler handler_vport = {
	.attribute = SMP_VPORT_INFO,
	.attr = IBC_ATTR_VPORTS,
	.of_port = true,
	.at_port = true,
	.learn = learn_vport,
};

static bool learn_virtualization(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct ibc_vports info, *kept;
	struct reading *r;

	virtualization_get(data, &info);
	if (info.enabled && (info.top > info.cap || info.top >= VPORTS_MAX))
		return false;
	if (!info.enabled) {
		kept = sweep_keep(s, 1, sizeof(*kept));
		*kept = info;
		port_extra(port_of(q))->vports = kept;
		answers_put(port_of(q), IBC_ATTR_VPORTS, ANSWER_OK);
		return true;
	}
	r = sweep_alloc(s, 1, sizeof(*r) + (info.top + 1u) * sizeof(r->vports[0]));
	r->info = info;
	r->blocks = (struct blocks){
		.dev = q->dev,
		.handler = &handler_vport,
		.device = q->ask.device,
		.ended = keep_vports,
		.end = info.top + 1u,
		.port = q->port,
	};
	blocks_go_on(s, &r->blocks);
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

void vports_ask(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct ibc_node *node = dev->node;

		for (unsigned int i = 1; node->type == IBC_NODE_CA && i <= node->num_ports; i++) {
			const struct ibc_port *port = fabric_build_port(node, i);
			struct engine_device *device;

			if (!ibc_port_has(port, IBC_ATTR_PORT_INFO) || !port->peer ||
			    !ibc_port_is_here(port) || !(port->cap_mask & IBC_CAP_HAS_MASK2) ||
			    !(port->cap_mask2 & IBC_CAP2_HAS_VPORTS))
				continue;
			device = sweep_alloc(s, 1, sizeof(*device));
			device->silent_max = SILENT_MAX;
			query_send(query_new(s, dev, &handler_virtualization, i), device);
		}
	}
}
