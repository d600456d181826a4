/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets counters to 0, port by port, each only where it was read just before.  An
 * AllPortSelect would take fewer MADs, but would clear counters that were not read.
 */
#include "base/array.h"
#include "source/source.h"
#include "source/sweep/sweep.h"
#include "wire/pma.h"

/*
 * struct clearing - what to write where an attribute was read
 * @with, @without: capabilities that the device must have, and must not
 * @what: one enum ibc_clear
 * @select, @select2: the counters (IBA 16.1.3.5, 16.1.4)
 */
static const struct clearing {
	uint16_t attribute;
	enum ibc_attr attr;
	uint64_t with, without;
	uint32_t what;
	uint16_t select;
	uint32_t select2;
} clearings[] = {
	{ PMA_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS, 0, 0, IBC_CLEAR_ERRORS, 0x0fff, 0x1 },
	{ PMA_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS, 0, PMA_CAPS_EXT, IBC_CLEAR_DATA, 0xf000, 0 },
	{ PMA_PORT_COUNTERS_EXT, IBC_ATTR_PORT_COUNTERS_EXT, PMA_CAP_EXT_ERRORS, 0,
	  IBC_CLEAR_ERRORS, 0, 0x1fff },
	{ PMA_PORT_COUNTERS_EXT, IBC_ATTR_PORT_COUNTERS_EXT, PMA_CAP_EXT, 0, IBC_CLEAR_DATA, 0x00ff,
	  0 },
	{ PMA_PORT_COUNTERS_EXT, IBC_ATTR_PORT_COUNTERS_EXT, 0, PMA_CAP_EXT, IBC_CLEAR_DATA, 0x000f,
	  0 },
	{ PMA_RCV_ERROR_DETAILS, IBC_ATTR_RCV_ERROR_DETAILS, 0, 0, IBC_CLEAR_ERRORS, 0x003f, 0 },
	{ PMA_XMIT_DISCARD_DETAILS, IBC_ATTR_XMIT_DISCARD_DETAILS, 0, 0, IBC_CLEAR_ERRORS, 0x000f,
	  0 },
};

/* struct clear_order - one Set, to one port */
struct clear_order {
	struct engine_ask ask;
	struct sweep *sweep;
	struct count_place place;
	struct pma_clear clear;
};

static bool order_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	const struct clear_order *order = (struct clear_order *)ask_;

	(void)try;
	pma_clear(mad, to, &order->clear, order->place.lid);
	if (order->place.moved_to.dlid)
		*to = order->place.moved_to;
	return true;
}

/* Whether it was cleared shows in the next sweep; the answer does not count. */
static void order_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	const struct clear_order *order = (struct clear_order *)ask_;

	(void)mad;
	if (outcome == ENGINE_NOT_ASKED)
		order->sweep->subnet->not_asked++;
}

/* Is it one of those that the caller named, if he named any? */
static bool is_meant(const struct source_again *how, const struct ibc_node *node, unsigned int num)
{
	if (!how || !how->clear_only)
		return true;
	for (size_t i = 0; i < how->num_clear_only; i++)
		if (how->clear_only[i].node->guid == node->guid && how->clear_only[i].port == num)
			return true;
	return false;
}

static void clear_port(struct sweep *s, struct device *dev, const struct ibc_port *port)
{
	struct count_place place;

	if (!count_place(s, dev, port, &place))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(clearings); i++) {
		const struct clearing *c = &clearings[i];
		struct clear_order *order;

		if (!(c->what & s->opts->clear) || !ibc_port_has(port, c->attr) ||
		    c->with & ~place.caps || c->without & place.caps)
			continue;
		order = sweep_alloc(s, 1, sizeof(*order));
		order->sweep = s;
		order->place = place;
		order->clear = (struct pma_clear){ c->attribute, port->num, c->select, c->select2 };
		order->ask.route = order_route;
		order->ask.done = order_done;
		order->ask.device = place.device;
		engine_ask(s->engine, &order->ask);
	}
}

void clear_all(struct sweep *s)
{
	for (struct device *dev = s->devices; s->opts->clear && dev; dev = dev->next)
		for (unsigned int p = 1; p <= dev->node->num_ports; p++)
			if (is_meant(s->opts->again, dev->node, p))
				clear_port(s, dev, fabric_build_port(dev->node, p));
}
