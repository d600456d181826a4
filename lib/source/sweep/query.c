/* SPDX-License-Identifier: BSD-2-Clause */

/* Queries by SMP: the way there, and what becomes of them. */
#include <stdio.h>
#include <string.h>

#include "source/sweep/keys.h"
#include "source/sweep/sweep.h"
#include "wire/smp.h"

struct ibc_port *port_of(const struct query *q)
{
	return fabric_build_port(q->dev->node, q->port);
}

uint16_t gsi_lid(const struct sweep *s, const struct device *dev, const struct ibc_port *port)
{
	const struct ibc_port *own = s->subnet->origin;
	bool is_switch = dev->node->type == IBC_NODE_SWITCH;
	uint16_t lid = is_switch ? dev->node->ports[0].lid : port->lid;

	if (!own || own->state != IBC_STATE_ACTIVE || own->lid == 0)
		return 0;
	if (!is_switch && port->state != IBC_STATE_ACTIVE)
		return 0;
	return lid <= UNICAST_LID_MAX && s->by_lid[lid] == dev ? lid : 0;
}

static bool is_probe(const struct query *q)
{
	return q->handler->through && q->dev;
}

/* ---- sending -------------------------------------------------------------- */

void query_free(struct query *q)
{
	q->next_spare = q->sweep->spare;
	q->sweep->spare = q;
}

/* Is another port of the device asked than the one that the site's way leads to? */
static bool is_elsewhere(const struct query *q)
{
	return q->handler->at_port && q->port != q->dev->first &&
	       q->dev->node->type != IBC_NODE_SWITCH;
}

static uint16_t lid_of_query(const struct query *q)
{
	uint16_t lid = q->dev->lid;

	if (!is_elsewhere(q))
		return lid;
	lid = port_of(q)->lid;
	return lid <= UNICAST_LID_MAX && q->sweep->by_lid[lid] == q->dev ? lid : 0;
}

/*
 * The first try takes the cheap way where there is one, the others the sure one.  One query tries
 * a new way; the others wait for what becomes of it.
 */
static enum addressing choose_addressing(struct query *q, unsigned int try)
{
	struct sweep *s = q->sweep;
	enum addressing cheap = is_probe(q) ? COMBINED : BY_LID;

	if (try > 0 || !s->own_lid || !q->dev || !lid_of_query(q) || q->dev->hops == 0)
		return DIRECTED;
	if (s->trust[cheap] == UNTRIED)
		s->trust[cheap] = TRYING;
	else if (s->trust[cheap] != TRUSTED)
		return DIRECTED;
	return cheap;
}

struct device *dev_of(const struct sweep *s, const struct ibc_node *node)
{
	struct device *dev;

	HASH_FIND_PTR(s->by_node, &node, dev);
	return dev;
}

/* The hops of the directed part; a probe takes one more, and so does what is asked elsewhere. */
static size_t hops_of(const struct query *q, uint8_t hops[SMP_MAX_HOPS])
{
	const struct ibc_port *last = NULL;
	const struct device *dev = q->dev;
	size_t n = 0;

	if (dev && is_probe(q))
		last = port_of(q);
	else if (dev && is_elsewhere(q) && port_of(q)->peer)
		last = port_of(q)->peer;
	if (last && last->node != dev->node)
		dev = dev_of(q->sweep, last->node);
	if (dev && q->addressing == DIRECTED) {
		n = dev->hops;
		memcpy(hops, dev->path, n);
	}
	if (last)
		hops[n++] = last->num;
	return n;
}

uint64_t port_guid_of(const struct device *dev)
{
	return dev->node->ports[dev->first].guid;
}

/* Of a probe: whom the key files have behind the port it leaves by; 0: not known. */
static uint64_t arrives_at(const struct query *q)
{
	uint64_t guid;

	if (!q->dev)
		return q->sweep->own_guid;
	if (is_elsewhere(q))
		return port_of(q)->guid;
	guid = port_guid_of(q->dev);
	if (is_probe(q) && !keys_find(q->sweep->opts->keys, KEYS_NEIGHBORS, guid, q->port, &guid))
		return 0;
	return guid;
}

bool m_key_of(const struct query *q, uint64_t *m_key)
{
	return keys_find(q->sweep->opts->keys, KEYS_M, arrives_at(q), 0, m_key);
}

static bool query_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;
	struct smp_query smp = {
		.attribute = q->handler->attribute,
		.modifier = q->modifier,
		.m_key = q->sweep->opts->m_key,
	};
	uint8_t hops[SMP_MAX_HOPS];
	size_t n;

	/* the far side is known in the meantime, or the sweep is to start over */
	if (q->sweep->lid_conflict || q->sweep->endless ||
	    (is_probe(q) && q->handler->attr && port_of(q)->peer)) {
		query_free(q);
		return false;
	}
	if (m_key_of(q, &smp.m_key) && is_probe(q))
		port_extra(port_of(q))->keyed_peer = arrives_at(q);
	q->addressing = (uint8_t)choose_addressing(q, try);
	if (try == 0)
		q->first_addressing = q->addressing;
	n = hops_of(q, hops);
	if (q->addressing != DIRECTED)
		q->dev->lid_used = true;
	if (q->addressing == BY_LID)
		smp_get_by_lid(mad, to, &smp, lid_of_query(q));
	else if (q->addressing == COMBINED)
		smp_get_combined(mad, to, &smp, q->dev->lid, q->sweep->own_lid, hops, n);
	else
		smp_get_directed(mad, to, &smp, hops, n);
	return true;
}

static void query_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE]);

/* "PortInfo of 0x0002c90300000001/3" */
static void query_name(const struct engine_ask *ask_, char *text, size_t size)
{
	const struct query *q = (const struct query *)ask_;
	const char *attr = q->handler->attr ? ibc_attr_name(q->handler->attr) : "a query";

	if (!q->dev)
		snprintf(text, size, "%s of the local port", attr);
	else if (is_probe(q) || q->handler->of_port)
		snprintf(text, size, "%s %s 0x%016" PRIx64 "/%u", attr,
		         is_probe(q) ? "through" : "of", q->dev->node->guid, q->port);
	else
		snprintf(text, size, "%s of 0x%016" PRIx64, attr, q->dev->node->guid);
}

struct query *query_new(struct sweep *s, struct device *dev, const struct handler *handler,
                        unsigned int port)
{
	struct query *q = s->spare;

	if (q)
		s->spare = q->next_spare;
	else
		q = sweep_alloc(s, 1, sizeof(*q));
	*q = (struct query){
		.ask.name = query_name,
		.sweep = s,
		.dev = dev,
		.handler = handler,
		.port = (uint8_t)port,
		.modifier = handler->of_port && !handler->at_port ? port : 0,
	};
	return q;
}

void query_send(struct query *q, struct engine_device *device)
{
	q->ask.route = query_route;
	q->ask.done = query_done;
	q->ask.device = device;
	engine_ask(q->sweep->engine, &q->ask);
}

void query_ask(struct sweep *s, struct device *dev, const struct handler *handler,
               unsigned int port)
{
	struct query *q = query_new(s, dev, handler, port);

	if (!dev)
		query_send(q, &s->start);
	else
		query_send(q, is_probe(q) ? &dev->through : &dev->sma);
}

/* ---- outcomes ------------------------------------------------------------- */

/* Does the way that the first try took work? */
static void evaluate_addressing(struct query *q, bool answered)
{
	enum trust *trust = &q->sweep->trust[q->first_addressing];
	bool worked = q->addressing == q->first_addressing;

	if (*trust == TRYING) {
		*trust = !answered ? UNTRIED : worked ? TRUSTED : REFUSED;
		TRACE(q->sweep->opts->trace, IBC_TRACE_DISCOVERY, "%s routes are %s",
		      q->first_addressing == COMBINED ? "combined" : "LID",
		      !answered ? "untried still: no answer by any route"
		      : worked  ? "trusted"
		                : "not used any more: only a directed route was answered");
	}
	if (answered && !worked) {
		TRACE(q->sweep->opts->trace, IBC_TRACE_DISCOVERY,
		      "LID %u of 0x%016" PRIx64 " not trusted: only a directed route was answered",
		      q->dev->lid, q->dev->node->guid);
		q->dev->lid = 0;
	}
}

/* An answer stays, should the same be asked for again without one. */
static void query_note(const struct query *q, enum answer outcome)
{
	enum ibc_attr attr = q->handler->attr;

	if (q->blocks || !attr)
		return;
	if (is_probe(q) || q->handler->of_port) {
		if (!ibc_port_has(port_of(q), attr))
			answers_put(port_of(q), attr, outcome);
	} else if (q->dev && !ibc_node_has(q->dev->node, attr)) {
		answers_put(q->dev->node, attr, outcome);
	}
}

enum answer answer_of(enum engine_outcome outcome)
{
	static const enum answer as_answer[] = {
		[ENGINE_ANSWERED] = ANSWER_OK,
		[ENGINE_UNSUPPORTED] = ANSWER_UNSUPPORTED,
		[ENGINE_REFUSED] = ANSWER_REFUSED,
		[ENGINE_SILENT] = ANSWER_NONE,
	};

	return as_answer[outcome];
}

void query_end(struct query *q, enum engine_outcome outcome, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct blocks *blocks = q->blocks;

	if (outcome == ENGINE_NOT_ASKED) {
		s->subnet->not_asked++;
	} else if (!s->lid_conflict) {
		if (outcome == ENGINE_ANSWERED && !q->handler->learn(q, data))
			outcome = ENGINE_REFUSED;
		query_note(q, answer_of(outcome));
		if (outcome != ENGINE_ANSWERED && q->handler->missed)
			q->handler->missed(q, answer_of(outcome));
	}
	query_free(q);
	if (!blocks)
		return;
	if (outcome == ENGINE_NOT_ASKED)
		blocks_cut(s, blocks);
	else
		blocks_known(s, blocks, answer_of(outcome));
}

static void query_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;

	if (outcome != ENGINE_NOT_ASKED && !q->sweep->lid_conflict &&
	    q->first_addressing != DIRECTED)
		evaluate_addressing(q, outcome != ENGINE_SILENT);
	query_end(q, outcome, mad ? smp_data(mad) : NULL);
}
