/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and cables of a fabric by formula: what a healthy device answers. */
#include <stdio.h>
#include <string.h>

#include "fabric/build.h"
#include "source/synth/synth.h"

/* Leaves room for the port GUIDs of a CA, which follow its node GUID. */
#define GUID_BASE      0x0200000000000000ull
#define GUID_STEP      0x10                  /* a CA and its ports */
#define DEFAULT_PREFIX 0xfe80000000000000ull /* fe80::/64 */

#define VENDOR_ID       0x2c9 /* the devices most fabrics are made of: MT4115, SwitchIB-2 */
#define DEVICE_CA       4115  /* MT4115 */
#define DEVICE_SWITCH   53000 /* SwitchIB-2 */
#define FIRMWARE_CA     "12.28.2006"
#define FIRMWARE_SWITCH "15.2010.5042"
#define CAP_MASK_CA     0x2651e848 /* as ibstat shows it of such a CA */
#define CAP_MASK_SWITCH 0x42504848 /* of port 0 of such a switch */
#define LFT_CAP         49152      /* all unicast LIDs */
#define MTU_4096        5          /* MTUCap code 5 (IBA 14.2.5.6) */
#define VLS_8           4          /* VLCap code 4: VL0-7 (IBA 14.2.5.6) */

uint16_t synth_lid(const struct tree *t, unsigned int made)
{
	return (uint16_t)(t->lids[made] + 1);
}

/* ---- making nodes and cables --------------------------------------------- */

static void bring_up(const struct tree *t, struct ibc_port *port)
{
	port->state = IBC_STATE_ACTIVE;
	port->phys_state = IBC_PHYS_LINKUP;
	port->width_active = IBC_WIDTH_4X;
	port->speed_active = t->shape.speed;
	port->mtu_active = MTU_4096;
	port->vl_active = VLS_8;
}

/* What only a port that packets end at has: a LID, a GUID, capabilities. */
static void make_endport(const struct tree *t, struct ibc_port *port, unsigned int made)
{
	bool is_switch = port->node->type == IBC_NODE_SWITCH;

	port->guid = port->node->guid + port->num;
	port->lid = synth_lid(t, made);
	port->sm_lid = t->sm_lid;
	port->cap_mask = is_switch ? CAP_MASK_SWITCH : CAP_MASK_CA;
	if (port->lid == t->sm_lid)
		port->cap_mask |= IBC_CAP_IS_SM;
	port->subnet_prefix = DEFAULT_PREFIX;
}

struct ibc_node *synth_node(struct tree *t, enum ibc_node_type type, unsigned int num_ports,
                            const char *desc)
{
	const enum ibc_speed speed = t->shape.speed;
	unsigned int made = t->made++, first = type != IBC_NODE_SWITCH, speeds = (speed << 1) - 1;
	struct ibc_node *node = fabric_build_node(
	    t->build, t->subnet, GUID_BASE + GUID_STEP * (t->guids[made] + 1ull), type, num_ports);

	fabric_build_desc(t->build, node, desc, strlen(desc));
	node->system_guid = node->guid;
	node->vendor_id = VENDOR_ID;
	node->device_id = DEVICE_CA;
	if (type == IBC_NODE_SWITCH) {
		answers_put(node, IBC_ATTR_SWITCH_INFO, ANSWER_OK);
		node->device_id = DEVICE_SWITCH;
		node->lft_cap = LFT_CAP;
		node->lft_top = (uint16_t)synth_nodes(&t->shape);
	}
	if (ibc_attrs_has(t->subnet->provides, IBC_ATTR_GENERAL_INFO)) {
		answers_put(node, IBC_ATTR_GENERAL_INFO, ANSWER_OK);
		node->firmware = type == IBC_NODE_SWITCH ? FIRMWARE_SWITCH : FIRMWARE_CA;
	}
	if (speed != IBC_SPEED_FDR10)
		speeds &= ~(unsigned int)IBC_SPEED_FDR10;
	for (unsigned int i = first; i <= num_ports; i++) {
		struct ibc_port *port = fabric_build_port(node, i);

		answers_put(port, IBC_ATTR_PORT_INFO, ANSWER_OK);
		if (speed == IBC_SPEED_FDR10)
			answers_put(port, IBC_ATTR_MLNX_EXT_PORT_INFO, ANSWER_OK);
		port->state = IBC_STATE_DOWN;
		port->phys_state = IBC_PHYS_POLLING;
		port->width_supported = IBC_WIDTH_1X | IBC_WIDTH_4X |
		                        (speed >= IBC_SPEED_HDR ? IBC_WIDTH_2X : 0);
		port->width_enabled = port->width_supported;
		port->speed_supported = port->speed_enabled = (uint16_t)speeds;
		port->mtu_cap = MTU_4096;
		port->vl_cap = VLS_8;
	}
	make_endport(t, fabric_build_port(node, first), made);
	for (unsigned int i = first + 1; first && i <= num_ports; i++)
		make_endport(t, fabric_build_port(node, i), t->made++);
	if (type == IBC_NODE_SWITCH)
		bring_up(t, fabric_build_port(node, 0));
	return node;
}

void synth_join(const struct tree *t, struct ibc_node *a, uint64_t a_num, struct ibc_node *z,
                uint64_t z_num)
{
	struct ibc_port *ends[2] = { fabric_build_port(a, (unsigned int)a_num),
		                     fabric_build_port(z, (unsigned int)z_num) };

	fabric_build_link(ends[0], ends[1]);
	for (int i = 0; i < 2; i++) {
		bring_up(t, ends[i]);
		if (!t->counters)
			continue;
		/* nothing was ever sent, and nothing went wrong */
		answers_put(ends[i], IBC_ATTR_PORT_COUNTERS, ANSWER_OK);
		answers_put(ends[i], IBC_ATTR_PORT_COUNTERS_EXT, ANSWER_OK);
		ends[i]->counters = t->counters;
	}
}

/* Decimal digits of n, at least min: names of a tier are equally long. */
int synth_digits(uint64_t n, int min)
{
	int width = snprintf(NULL, 0, "%llu", (unsigned long long)n);

	return width > min ? width : min;
}
