/* SPDX-License-Identifier: BSD-2-Clause */
/* How links do, from the round before to the last one, and since the first. */
#include <errno.h>
#include <stdlib.h>

#include "counters.h"
#include "watch.h"

static void add_end(struct rate *r, const struct ibc_fabric *then, const struct ibc_fabric *base,
                    const struct ibc_port *port)
{
	struct link_end last, all;
	uint32_t errors = 0;

	if (!port || !port->counters)
		return;
	/* most ports have counted no error in their lives, so that nothing is to be compared */
	for (unsigned int i = 0; i < IBC_COUNTERS; i++)
		if (IBC_ERROR_COUNTERS & 1u << i && port->counters->value[i])
			errors |= 1u << i;
	all = last = link_end_among(then, port, errors | 1u << IBC_XMIT_WAIT | 1u << IBC_XMIT_DATA);
	if (last.delta.seconds > 0) {
		r->seconds = last.delta.seconds;
		r->per_second += (double)last.errors / last.delta.seconds;
		r->wait = last.wait > r->wait ? last.wait : r->wait;
		r->util = last.util > r->util ? last.util : r->util;
	}
	if (base != then && errors)
		all = link_end_among(base, port, errors);
	r->errors += all.errors;
	if (all.delta.known & 1u << IBC_LINK_DOWNED)
		r->flaps += all.delta.value[IBC_LINK_DOWNED];
}

/* Of the whole fabric its cables; of one thing its ports, with a cable or without. */
static bool is_wanted(const struct watch *watch, const struct ibc_port *port)
{
	if (watch->thing)
		return port->num && watch_wants(watch, spot_of(port));
	return port->peer
	           ? ibc_port_is_near_end(port)
	           : port->num && ibc_port_has_state(port) && port->phys_state == IBC_PHYS_LINKUP;
}

int rates_fill(struct watch *watch, struct ibc_error *err)
{
	const struct ibc_fabric *fab = again_now(watch->again)->fabric;
	const struct ibc_fabric *base = again_base(watch->again);
	const struct app *then = again_then(watch->again);
	struct rates *rates = &watch->rates;
	const struct ibc_node *node;
	const struct ibc_port *port, *was;

	rates->n = 0;
	for (size_t i = 0; (port = ibc_fabric_port(fab, i)); i++) {
		struct rate rate = { .near = port, .far = port->peer, .wait = -1, .util = -1 };

		if (!is_wanted(watch, port))
			continue;
		if (then && !rate.far && base) {
			node = ibc_fabric_node_by_guid(base, port->node->guid);
			was = node ? ibc_node_port(node, port->num) : NULL;
			rate.was = was ? was->peer : NULL;
		}
		if (then) {
			add_end(&rate, then->fabric, base, rate.near);
			add_end(&rate, then->fabric, base, rate.far);
		}
		if (rows_grow(&rates->rows, rates->n, &rates->room, sizeof(*rates->rows), err))
			return -ENOMEM;
		rates->rows[rates->n++] = rate;
	}
	return 0;
}
