/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that does not answer to its M_Key hangs, or has another key.  Performance management
 * wants no M_Key: who answers it at the LID that the subnet manager gave the port GUID works.
 */
#include "source/sweep/keys.h"
#include "source/sweep/sweep.h"
#include "wire/pma.h"

/* The LID is where the modifier of an SMP would be. */
static bool alive_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	const struct pma_query what = { .attribute = PMA_CLASS_PORT_INFO };
	struct query *q = (struct query *)ask_;

	(void)try;
	if (q->sweep->lid_conflict) {
		query_free(q);
		return false;
	}
	pma_get(mad, to, &what, (uint16_t)q->modifier);
	return true;
}

static void alive_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	query_end((struct query *)ask_, outcome, mad ? pma_data(mad) : NULL);
}

static bool learn_alive(struct query *q, const uint8_t *data)
{
	(void)data;
	port_extra(port_of(q))->keyed_peer_lid = (uint16_t)q->modifier;
	return true;
}

static const struct handler handler_alive = { PMA_CLASS_PORT_INFO, .learn = learn_alive };

/* A LID that another device has by now says nothing. */
void alive_ask(struct sweep *s)
{
	for (struct device *dev = s->own_lid ? s->devices : NULL; dev; dev = dev->next)
		for (unsigned int p = 1; p <= dev->node->num_ports; p++) {
			const struct ibc_port *port = &dev->node->ports[p];
			struct query *q;
			uint64_t lid;

			if (port->peer || ibc_port_answer(port, IBC_ATTR_NODE_INFO) != IBC_SILENT ||
			    !keys_find(s->opts->keys, KEYS_LIDS, port->extra->keyed_peer, 0,
			               &lid) ||
			    s->by_lid[lid])
				continue;
			q = query_new(s, dev, &handler_alive, p);
			q->modifier = (uint32_t)lid;
			q->ask.route = alive_route;
			q->ask.done = alive_done;
			q->ask.device = &dev->through;
			q->ask.fast_only = true;
			engine_ask(s->engine, &q->ask);
		}
}
