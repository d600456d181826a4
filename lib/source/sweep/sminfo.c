/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What a sweep learns of those who govern: SMInfo of every port that says it has a
 * subnet manager, and of the one that the origin takes its orders from.
 *
 * Each is asked when it is found and once more at the end.  A manager counts what it
 * does, and an answer is something done; who shows no progress is given a second, and
 * three more.  The answers of the beginning and of the end also show whether another
 * one has taken over meanwhile.
 */
#include "source/sweep/sweep.h"
#include "wire/tables.h"

#define WAIT_NS 1000000000ull /* a working SM counts up within it (ActCount) */
/* ... and once more so long for those that have done nothing yet */
#define LONGER_NS 3000000000ull

/* A port that was asked. */
struct manager {
	struct device *dev;
	struct ibc_port *port;
	struct ibc_sm_info *info; /* NULL: not answered yet */
	uint64_t known_ns;
	struct manager *next, *next_of_device;
	bool settled; /* it need not be asked again */
};

static const struct handler handler_sm_info, handler_sm_info_again, handler_origin_again;

static struct manager *manager_of(const struct device *dev, const struct ibc_port *port)
{
	struct manager *m = dev->managers;

	while (m && m->port != port)
		m = m->next_of_device;
	return m;
}

static void ask_first(struct sweep *s, struct device *dev, struct ibc_port *port)
{
	struct manager *m;

	if (manager_of(dev, port))
		return;
	m = sweep_alloc(s, 1, sizeof(*m));
	*m = (struct manager){
		.dev = dev, .port = port, .next = s->managers, .next_of_device = dev->managers
	};
	s->managers = m;
	dev->managers = m;
	query_ask(s, dev, &handler_sm_info, port->num);
}

/* ---- answers --------------------------------------------------------------------- */

static bool learn_sm_info(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct manager *m = manager_of(q->dev, port_of(q));
	struct sm_info known;

	sm_info_get(data, &known);
	if (known.state == IBC_SM_UNKNOWN)
		return false;
	m->info = sweep_keep(s, 1, sizeof(*m->info));
	*m->info = (struct ibc_sm_info){
		.guid = known.guid,
		.state = known.state,
		.priority = known.priority,
		.act_count = known.act_count,
		.act_count_later = known.act_count,
	};
	m->known_ns = sweep_now_ns(s);
	port_extra(m->port)->sm = m->info;
	return true;
}

static bool learn_sm_info_again(struct query *q, const uint8_t *data)
{
	struct manager *m = manager_of(q->dev, port_of(q));
	struct sm_info known;

	sm_info_get(data, &known);
	if (known.state == IBC_SM_UNKNOWN)
		return false;
	m->info->state_later = known.state;
	m->info->act_count_later = known.act_count;
	m->info->act_seconds = (double)(sweep_now_ns(q->sweep) - m->known_ns) / 1e9;
	m->settled = known.act_count != m->info->act_count || known.state == IBC_SM_NOT_ACTIVE;
	return true;
}

static void sm_info_again_missed(struct query *q, enum answer outcome)
{
	struct manager *m = manager_of(q->dev, port_of(q));

	(void)outcome;
	m->info->state_later = IBC_SM_UNKNOWN;
	m->info->act_seconds = (double)(sweep_now_ns(q->sweep) - m->known_ns) / 1e9;
	m->settled = true;
}

static bool learn_origin_again(struct query *q, const uint8_t *data)
{
	struct port_info pi;

	port_info_get(data, &pi);
	if (pi.sm_lid != port_of(q)->sm_lid)
		q->sweep->handed_over = true;
	return true;
}

static const struct handler handler_sm_info = {
	.attribute = SMP_SM_INFO,
	.attr = IBC_ATTR_SM_INFO,
	.of_port = true,
	.at_port = true,
	.learn = learn_sm_info,
};

static const struct handler handler_sm_info_again = {
	.attribute = SMP_SM_INFO,
	.of_port = true,
	.at_port = true,
	.learn = learn_sm_info_again,
	.missed = sm_info_again_missed,
};

static const struct handler handler_origin_again = {
	.attribute = SMP_PORT_INFO,
	.of_port = true,
	.learn = learn_origin_again,
};

/* ---- for the sweep ----------------------------------------------------------------- */

/*
 * Only the port at which packets end has capabilities; the way to another one than the first of
 * its device is known when all is.
 */
void sm_port(struct sweep *s, struct device *dev, struct ibc_port *port)
{
	bool is_end = port->num == 0 || port->node->type != IBC_NODE_SWITCH;

	if (is_end && port->cap_mask & IBC_CAP_IS_SM && port->num == dev->first)
		ask_first(s, dev, port);
}

void sm_ask_rest(struct sweep *s)
{
	unsigned int lid = s->subnet->origin ? s->subnet->origin->sm_lid : 0;

	for (struct device *dev = s->devices; dev; dev = dev->next) {
		unsigned int last = dev->node->type == IBC_NODE_SWITCH ? 0 : dev->node->num_ports;

		for (unsigned int p = last ? 1 : 0; p <= last; p++) {
			struct ibc_port *port = fabric_build_port(dev->node, p);
			bool is_master = lid && port->lid && lid >= port->lid &&
			                 lid < port->lid + (1u << port->lmc);

			if (ibc_port_is_here(port) && (port->cap_mask & IBC_CAP_IS_SM || is_master))
				ask_first(s, dev, port);
		}
	}
}

void sm_ask_again(struct sweep *s)
{
	for (struct manager *m = s->managers; m; m = m->next)
		if (m->info && !m->settled)
			query_ask(s, m->dev, &handler_sm_info_again, m->port->num);
}

/* Without the time for it no manager is asked once more. */
static void wait_for(struct sweep *s, uint64_t ns)
{
	bool in_time = sweep_has_time(s, ns);

	for (struct manager *m = s->managers; m; m = m->next) {
		m->settled |= !in_time;
		if (m->info && !m->settled)
			engine_linger(s->engine, ns);
	}
}

void sm_wait(struct sweep *s)
{
	wait_for(s, WAIT_NS);
}

void sm_wait_longer(struct sweep *s)
{
	wait_for(s, LONGER_NS);
}

/* What is governed means little if a manager takes over. */
void sm_ask_origin(struct sweep *s)
{
	const struct ibc_attrs managed = ibc_attrs_or(ibc_attrs_of_group(IBC_ATTRS_SM),
	                                              ibc_attrs_of_group(IBC_ATTRS_ROUTES));

	if (!ibc_attrs_meet(s->opts->needs, managed) || !s->subnet->origin)
		return;
	query_ask(s, dev_of(s, s->subnet->origin->node), &handler_origin_again,
	          s->subnet->origin->num);
}

bool sm_handed_over(const struct sweep *s)
{
	for (const struct manager *m = s->managers; m; m = m->next) {
		if (!m->info || m->info->state_later == IBC_SM_UNKNOWN)
			continue;
		if ((m->info->state == IBC_SM_MASTER) != (m->info->state_later == IBC_SM_MASTER))
			return true;
	}
	return s->handed_over;
}
