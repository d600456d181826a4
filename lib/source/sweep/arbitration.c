/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * VLArbitrationTables: of every port with a link and more than one virtual lane, that says that
 * it has such tables.  Most ports of a subnet have the same, and share what is kept of them.
 */
#include <string.h>

#include "source/sweep/sweep.h"
#include "wire/tables.h"

#define ONE_VL    1  /* PortInfo.OperationalVLs: nothing to arbitrate */
#define TABLE_MAX 64 /* slots of a table: two blocks */
#define KEPT_MAX  8  /* more different ones are rare, and are then kept several times */

/* struct kept - the tables that were kept last, of any port */
struct kept {
	const struct ibc_arbitration *tables[KEPT_MAX];
	unsigned int n;
};

/* struct arbitration - the tables of one port; its slots are kept only if no other port has such */
struct arbitration {
	struct blocks blocks;
	struct kept *kept;
	struct ibc_arbitration table;
	struct ibc_vl_slot slots[];
};

static unsigned int num_blocks(unsigned int slots)
{
	return (slots + SMP_VL_SLOTS - 1) / SMP_VL_SLOTS;
}

static uint32_t slots_modifier(const struct blocks *blocks, unsigned int block)
{
	const struct arbitration *a = (const struct arbitration *)blocks;
	unsigned int high = num_blocks(a->table.num_high);
	bool is_switch = blocks->dev->node->type == IBC_NODE_SWITCH;

	return arbitration_modifier(is_switch ? blocks->port : 0,
	                            block < high ? ARBITRATION_HIGH + block
	                                         : ARBITRATION_LOW + block - high);
}

static bool learn_slots(struct query *q, const uint8_t *data)
{
	struct arbitration *a = (struct arbitration *)q->blocks;
	struct ibc_vl_slot block[SMP_VL_SLOTS];
	unsigned int high = num_blocks(a->table.num_high), nth = q->block;
	unsigned int first = 0, room = a->table.num_high;

	if (nth >= high) {
		nth -= high;
		first = a->table.num_high;
		room = a->table.num_low;
	}
	vl_slots_get(data, block);
	for (unsigned int i = 0; i < SMP_VL_SLOTS && SMP_VL_SLOTS * nth + i < room; i++)
		a->slots[first + SMP_VL_SLOTS * nth + i] = block[i];
	return true;
}

static bool keep_slots(struct sweep *s, struct blocks *blocks)
{
	struct arbitration *a = (struct arbitration *)blocks;
	size_t n = a->table.num_high + a->table.num_low;
	const struct ibc_arbitration *found = NULL;

	if (blocks_outcome(blocks) != ANSWER_OK)
		return true;
	for (unsigned int i = 0; i < KEPT_MAX && !found; i++) {
		const struct ibc_arbitration *t = a->kept->tables[i];

		if (t && t->num_high == a->table.num_high && t->num_low == a->table.num_low &&
		    !memcmp(t->slots, a->slots, n * sizeof(*a->slots)))
			found = t;
	}
	if (!found) {
		struct ibc_arbitration *t = sweep_keep(s, 1, sizeof(*t));
		struct ibc_vl_slot *slots = sweep_keep(s, n, sizeof(*slots));

		*t = a->table;
		t->slots = memcpy(slots, a->slots, n * sizeof(*slots));
		a->kept->tables[a->kept->n++ % KEPT_MAX] = found = t;
	}
	port_extra(fabric_build_port(blocks->dev->node, blocks->port))->arbitration = found;
	return true;
}

static const struct handler handler_slots = { SMP_VL_ARBITRATION, IBC_ATTR_VL_ARBITRATION,
	                                      .of_port = true, .at_port = true,
	                                      .learn = learn_slots };

static uint8_t slots_of(uint8_t cap)
{
	return cap < TABLE_MAX ? cap : TABLE_MAX;
}

static void read_slots(struct sweep *s, struct device *dev, const struct ibc_port *port,
                       struct engine_device *device, struct kept *kept)
{
	uint8_t high = slots_of(port->arb_high_cap), low = slots_of(port->arb_low_cap);
	struct arbitration *a = sweep_alloc(s, 1,
	                                    sizeof(*a) + (size_t)(high + low) * sizeof(*a->slots));

	a->kept = kept;
	a->table.num_high = high;
	a->table.num_low = low;
	a->blocks = (struct blocks){
		.dev = dev,
		.handler = &handler_slots,
		.device = device,
		.modifier = slots_modifier,
		.ended = keep_slots,
		.end = num_blocks(high) + num_blocks(low),
		.port = port->num,
	};
	blocks_go_on(s, &a->blocks);
}

void arbitration_ask(struct sweep *s)
{
	struct kept *kept = sweep_alloc(s, 1, sizeof(*kept));

	for (struct device *dev = s->devices; dev; dev = dev->next) {
		struct engine_device *device = NULL;

		for (unsigned int i = 1; i <= dev->node->num_ports; i++) {
			const struct ibc_port *port = fabric_build_port(dev->node, i);

			if (!ibc_port_has(port, IBC_ATTR_PORT_INFO) || !port->peer ||
			    !ibc_port_is_here(port) || port->vl_active <= ONE_VL ||
			    port->arb_high_cap + port->arb_low_cap == 0)
				continue;
			if (!device)
				device = sweep_alloc(s, 1, sizeof(*device));
			read_slots(s, dev, port, device, kept);
		}
	}
}
