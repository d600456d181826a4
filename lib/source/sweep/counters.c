/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What a sweep learns of counters.  They are read over LIDs, from the device's
 * performance management: another queue than that of its subnet management, with
 * a limit of its own.
 *
 * ClassPortInfo says which attributes a device has.  Devices of one kind are
 * alike in that, so one of them is asked for all (models.h).
 *
 * Where PortCountersExtended carries the error counters too it is asked alone, else
 * beside PortCounters.  Details are asked where what they detail has counted.
 */
#include <stdlib.h>

#include "base/array.h"
#include "fabric/attributes.h"
#include "fabric/fabric.h"
#include "source/source.h"
#include "source/sweep/models.h"
#include "transport/transport.h"
#include "wire/mad.h"
#include "wire/pma.h"

#define TRIED_MAX 256 /* devices of a kind asked before one of them has answered */

/* A device whose counters are read. */
struct target {
	struct device *dev;
	struct model *model;
	struct engine_device pma;
	struct mad_addr moved_to; /* instead of moved_from; 0: to nowhere */
	uint16_t moved_from;
	bool begun, ready;
	uint8_t first; /* a port of it that can be reached */
};

enum { CLASS_INFO, SAMPLES, COUNTERS, COUNTERS_EXT, RCV_ERRORS, XMIT_DISCARDS, VL_WAIT, HANDLERS };
static const struct handler handlers[HANDLERS];

/* ---- sending ------------------------------------------------------------------ */

static const struct model_query_rule class_info_rule;

static bool count_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;
	struct target *t = q->dev->target;
	bool of_class = q->handler == &handlers[CLASS_INFO];
	struct pma_query pma = { q->handler->attribute, of_class ? 0 : q->port };
	uint16_t lid = gsi_lid(q->sweep, q->dev, port_of(q));

	if (q->sweep->lid_conflict) {
		query_free(q);
		return false;
	}
	if (of_class && try > 0)
		model_query_hurry(q->sweep, &class_info_rule, t->model);
	pma_get(mad, to, &pma, lid);
	if (t->moved_from == lid)
		*to = t->moved_to;
	return true;
}

static void count_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE]);

static void count_ask(struct sweep *s, struct target *t, const struct handler *handler,
                      unsigned int port)
{
	struct query *q;
	struct ibc_port *p = fabric_build_port(t->dev->node, port);

	if (ibc_port_has(p, handler->attr)) /* it was asked for beside another */
		return;
	if (ibc_attrs_has(t->model->unsupported, handler->attr)) {
		TRACE_PORT(s, IBC_TRACE_COUNTERS, p, "%s not asked: its model has none",
		           ibc_attr_name(handler->attr));
		answers_put(p, handler->attr, ANSWER_UNSUPPORTED);
		return;
	}
	TRACE_PORT(s, IBC_TRACE_COUNTERS, p, "%s asked", ibc_attr_name(handler->attr));
	q = query_new(s, t->dev, handler, port);
	q->ask.route = count_route;
	q->ask.done = count_done;
	q->ask.device = handler == &handlers[SAMPLES] ? &t->model->samples : &t->pma;
	engine_ask(s->engine, &q->ask);
}

static void ask_counters(struct sweep *s, struct target *t, unsigned int port)
{
	uint64_t caps = t->model->caps;

	if (caps & PMA_CAPS_EXT)
		count_ask(s, t, &handlers[COUNTERS_EXT], port);
	if (!(caps & PMA_CAPS_EXT) || !(caps & PMA_CAP_EXT_ERRORS))
		count_ask(s, t, &handlers[COUNTERS], port);
	if (ibc_attrs_has(s->needs, IBC_ATTR_VL_XMIT_WAIT))
		count_ask(s, t, &handlers[VL_WAIT], port);
}

/* ---- outcomes ------------------------------------------------------------------- */

/* Once, and somewhere else than where it was asked. */
static bool follow_redirect(struct query *q, const uint8_t *mad)
{
	struct target *t = q->dev->target;
	uint16_t lid = gsi_lid(q->sweep, q->dev, port_of(q));
	struct pma_class_info info;

	if (!mad || q->redirected || t->moved_from == lid ||
	    (q->handler != &handlers[CLASS_INFO] && !pma_is_redirect(mad)))
		return false;
	pma_class_info_get(pma_data(mad), &info);
	if (info.redirect.dlid == 0 || info.redirect.dlid > UNICAST_LID_MAX ||
	    (info.redirect.dlid == lid && info.redirect.qpn <= 1))
		return false;
	TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q), "redirected to LID %u",
	           info.redirect.dlid);
	t->model->redirects = true;
	t->moved_from = lid;
	t->moved_to = info.redirect;
	q->redirected = true;
	engine_ask(q->sweep->engine, &q->ask);
	return true;
}

static void count_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	const uint16_t code = 7 << 2, attribute_unsupported = 3 << 2;
	struct query *q = (struct query *)ask_;
	enum ibc_attr attr = q->handler->attr;
	struct mad_header h = { 0 };

	if (outcome == ENGINE_SILENT && q->sweep->is_replay && port_is_down(port_of(q))) {
		query_free(q);
		return;
	}
	if (outcome != ENGINE_NOT_ASKED && !q->sweep->lid_conflict) {
		if (follow_redirect(q, mad))
			return;
		if (outcome == ENGINE_UNSUPPORTED)
			mad_header_get(mad, &h);
		/*
		 * Others of its model do not have it either; but that a modifier is not
		 * supported says something of one port only.
		 */
		if ((h.status & code) == attribute_unsupported && q->handler->of_port &&
		    attr != IBC_ATTR_PORT_COUNTERS) {
			TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q),
			           "%s dropped for its model: status 0x%04x", ibc_attr_name(attr),
			           h.status);
			ibc_attrs_add(&q->dev->target->model->unsupported, attr);
		}
		/* who lets PortSamplesControl fall has none: all else can do without it */
		if (outcome == ENGINE_SILENT && q->handler == &handlers[SAMPLES])
			outcome = ENGINE_UNSUPPORTED;
	}
	query_end(q, outcome, mad ? pma_data(mad) : NULL);
}

/* ---- what a device can ------------------------------------------------------------ */

static void be_ready(struct sweep *s, struct target *t)
{
	const struct ibc_node *node = t->dev->node;

	t->ready = true;
	for (unsigned int p = 1; p <= node->num_ports; p++)
		count_port(s, t->dev, fabric_build_port(node, p));
}

static void ask_class_info(struct sweep *s, struct device *dev)
{
	const struct model_key *key = &dev->model->key;

	TRACE(s->opts->trace, IBC_TRACE_COUNTERS,
	      "ClassPortInfo of model 0x%06x/0x%04x revision 0x%x is asked of 0x%016" PRIx64,
	      key->vendor_id, key->device_id, key->revision, dev->node->guid);
	count_ask(s, dev->target, &handlers[CLASS_INFO], dev->target->first);
}

/* Where one was redirected each is asked: it may be redirected to another place. */
static void class_info_settled(struct sweep *s, struct device *dev)
{
	if (dev->model->redirects)
		model_query_try(s, &class_info_rule, dev);
	else
		be_ready(s, dev->target);
}

static const struct model_query_rule class_info_rule = {
	.query = offsetof(struct model, class_info),
	.tries_max = TRIED_MAX,
	.ask = ask_class_info,
	.settled = class_info_settled,
};

static void model_known(struct query *q, enum answer outcome)
{
	struct target *t = q->dev->target;

	t->model->class_info.outcome = outcome;
	be_ready(q->sweep, t);
	model_query_known(q->sweep, &class_info_rule, t->model, outcome);
}

static bool learn_class_info(struct query *q, const uint8_t *data)
{
	struct target *t = q->dev->target;
	struct pma_class_info info;

	pma_class_info_get(data, &info);
	t->model->caps = PMA_CAPS(info.cap_mask, info.cap_mask2);
	TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q),
	           "has PortCountersExtended: %s, with error counters: %s",
	           t->model->caps & PMA_CAPS_EXT ? "yes" : "no",
	           t->model->caps & PMA_CAP_EXT_ERRORS ? "yes" : "no");
	if (!t->model->tick_asked && t->model->caps & PMA_CAP_XMIT_WAIT) {
		t->model->tick_asked = true;
		count_ask(q->sweep, t, &handlers[SAMPLES], q->port);
	}
	model_known(q, ANSWER_OK);
	return true;
}

/* Without it, what every device has is asked for. */
static void class_info_missed(struct query *q, enum answer outcome)
{
	struct target *t = q->dev->target;

	if (outcome == ANSWER_UNSUPPORTED && t->model->class_info.outcome == ANSWER_NONE) {
		model_known(q, outcome);
		return;
	}
	be_ready(q->sweep, t);
	model_query_missed(q->sweep, &class_info_rule, t->model);
}

static bool learn_samples(struct query *q, const uint8_t *data)
{
	struct model *model = q->dev->target->model;

	model->tick = ANSWER_OK;
	model->tick_value = pma_tick_get(data);
	return true;
}

static void samples_missed(struct query *q, enum answer outcome)
{
	q->dev->target->model->tick = outcome;
}

/* ---- counters ---------------------------------------------------------------------- */

/* The port's counters, as of now. */
static struct ibc_counters *counters_of(struct sweep *s, struct ibc_port *port)
{
	struct ibc_counters *c = (struct ibc_counters *)port->counters;
	uint64_t now_ns = sweep_now_ns(s);

	if (!c)
		c = sweep_keep(s, 1, sizeof(*c));
	c->at_seconds = s->start_fraction + (double)(now_ns - s->start_ns) / 1e9;
	port->counters = c;
	return c;
}

static bool learn_details(struct query *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));

	pma_counters_get(q->handler->attribute, q->dev->target->model->caps, data, c);
	TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q), "%s read, %d counters known",
	           ibc_attr_name(q->handler->attr), __builtin_popcount(c->known));
	return true;
}

static bool learn_counters(struct query *q, const uint8_t *data)
{
	static const struct {
		enum ibc_counter parent;
		const struct handler *details;
	} detailed[] = {
		{ IBC_RCV_ERRORS, &handlers[RCV_ERRORS] },
		{ IBC_XMIT_DISCARDS, &handlers[XMIT_DISCARDS] },
	};
	const struct ibc_port *port = port_of(q);

	learn_details(q, data);
	for (size_t i = 0; i < sizeof(detailed) / sizeof(detailed[0]); i++) {
		const struct handler *details = detailed[i].details;
		enum ibc_counter parent = detailed[i].parent;
		uint64_t value = port->counters->value[parent];

		if (!(port->counters->known & 1u << parent) || !value ||
		    ibc_port_answer(port, details->attr))
			continue;
		TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port, "%s is %" PRIu64,
		           ibc_counter_word(parent)->name, value);
		count_ask(q->sweep, q->dev->target, details, q->port);
	}
	return true;
}

/* A device that promises more than it has still has the counters all have. */
static void counters_ext_missed(struct query *q, enum answer outcome)
{
	struct target *t = q->dev->target;

	if (outcome != ANSWER_UNSUPPORTED)
		return;
	if (ibc_attrs_has(t->model->unsupported, IBC_ATTR_PORT_COUNTERS_EXT))
		t->model->caps &= ~(PMA_CAPS_EXT | PMA_CAP_EXT_ERRORS);
	count_ask(q->sweep, t, &handlers[COUNTERS], q->port);
}

static bool learn_vl_wait(struct query *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));
	uint64_t *wait = sweep_keep(q->sweep, PMA_VLS, sizeof(*wait));

	pma_vl_wait_get(data, wait);
	c->vl_wait = wait;
	return true;
}

static const struct handler handlers[HANDLERS] = {
	[CLASS_INFO] = { PMA_CLASS_PORT_INFO, IBC_ATTR_PERF_CLASS_PORT_INFO,
	                 .learn = learn_class_info, .missed = class_info_missed },
	[SAMPLES] = { PMA_PORT_SAMPLES_CONTROL, IBC_ATTR_PORT_SAMPLES_CONTROL,
	              .learn = learn_samples, .missed = samples_missed },
	[COUNTERS] = { PMA_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS, .of_port = true,
	               .learn = learn_counters },
	[COUNTERS_EXT] = { PMA_PORT_COUNTERS_EXT, IBC_ATTR_PORT_COUNTERS_EXT, .of_port = true,
	                   .learn = learn_counters, .missed = counters_ext_missed },
	[RCV_ERRORS] = { PMA_RCV_ERROR_DETAILS, IBC_ATTR_RCV_ERROR_DETAILS, .of_port = true,
	                 .learn = learn_details },
	[XMIT_DISCARDS] = { PMA_XMIT_DISCARD_DETAILS, IBC_ATTR_XMIT_DISCARD_DETAILS,
	                    .of_port = true, .learn = learn_details },
	[VL_WAIT] = { PMA_VL_XMIT_WAIT, IBC_ATTR_VL_XMIT_WAIT, .of_port = true,
	              .learn = learn_vl_wait },
};

/* ---- for the sweep --------------------------------------------------------------------- */

/* Is it down, by a PortInfo that may not be noted yet, and wanted all the same? */
static bool is_wanted_down(const struct sweep *s, const struct ibc_port *port)
{
	const struct ibc_port_id id = { port->node->guid, port->num };
	const struct ibc_down *down = s->opts->again ? &s->opts->again->down : NULL;

	return down && port->node->type == IBC_NODE_SWITCH && port->phys_state &&
	       port->phys_state != IBC_PHYS_LINKUP &&
	       (down->all || (down->num_ports &&
	                      bsearch(&id, down->ports, down->num_ports, sizeof(id), by_port_id)));
}

/* Does it have a link, and are those that have one wanted? */
static bool is_wanted_up(const struct sweep *s, const struct ibc_port *port)
{
	return ibc_port_has(port, IBC_ATTR_LINK) && ibc_port_is_here(port) &&
	       !(s->opts->again && s->opts->again->down.alone);
}

/*
 * What cannot be reached is not sent, yet it is a query without an answer:
 * without a subnet manager, ten thousand time-outs would say no more.
 */
void count_port(struct sweep *s, struct device *dev, struct ibc_port *port)
{
	struct target *t = dev->target;

	if (port->num == 0 || !(is_wanted_up(s, port) || is_wanted_down(s, port)))
		return;
	if (!t) {
		dev->target = t = sweep_alloc(s, 1, sizeof(*t));
		t->model = model_of(s, dev);
		t->dev = dev;
	}
	if (!gsi_lid(s, dev, port) || model_query_is_vain(&class_info_rule, t->model)) {
		TRACE_PORT(s, IBC_TRACE_COUNTERS, port, "not asked: %s",
		           gsi_lid(s, dev, port) ? "no device of its model answers"
		                                 : "there is no LID to it, or it is not Active");
		answers_put(port, IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
		return;
	}
	dev->lid_used = true;
	if (t->ready) {
		ask_counters(s, t, port->num);
	} else if (!t->begun) {
		t->begun = true;
		t->first = port->num;
		if (t->model->redirects)
			model_query_try(s, &class_info_rule, t->dev);
		else
			model_query_start(s, &class_info_rule, t->dev);
	}
}

/* The answer of one device of a model holds for the others that were not asked. */
static void share(struct ibc_node *node, enum ibc_attr attr, enum answer outcome)
{
	if (!ibc_node_answer(node, attr) && outcome != ANSWER_NONE)
		answers_put(node, attr, outcome);
}

bool count_place(const struct sweep *s, const struct device *dev, const struct ibc_port *port,
                 struct count_place *out)
{
	struct target *t = dev->target;

	if (!t || !port->counters)
		return false;
	*out = (struct count_place){
		.device = &t->pma,
		.caps = t->model->caps,
		.lid = gsi_lid(s, dev, port),
	};
	if (t->moved_from == out->lid)
		out->moved_to = t->moved_to;
	return out->lid != 0;
}

/* Those that are down and have counted nothing: they never had a link. */
static void forget_unused(const struct ibc_node *node)
{
	static const enum ibc_attr read[] = { IBC_ATTR_PORT_COUNTERS, IBC_ATTR_PORT_COUNTERS_EXT,
		                              IBC_ATTR_VL_XMIT_WAIT };
	struct ibc_port *p;

	for (unsigned int num = 1; (p = fabric_build_port(node, num)); num++) {
		bool counted = !p->counters || !port_is_down(p);

		for (unsigned int i = 0; !counted && i < IBC_COUNTERS; i++)
			counted = p->counters->known >> i & 1 && p->counters->value[i];
		if (counted)
			continue;
		p->counters = NULL;
		for (size_t i = 0; i < ARRAY_SIZE(read); i++)
			answers_drop(&p->answers, attr_port_bits[read[i]]);
	}
}

void count_finish(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		const struct target *t = dev->target;
		struct ibc_node *node = dev->node;

		if (!t)
			continue;
		forget_unused(node);
		if (!t->begun || model_query_is_vain(&class_info_rule, t->model))
			answers_put(node, IBC_ATTR_PERF_CLASS_PORT_INFO, ANSWER_NONE);
		share(node, IBC_ATTR_PERF_CLASS_PORT_INFO, t->model->class_info.outcome);
		if (!ibc_node_has(node, IBC_ATTR_PERF_CLASS_PORT_INFO))
			continue;
		node->perf_cap_mask = (uint16_t)t->model->caps;
		node->perf_cap_mask2 = (uint32_t)(t->model->caps >> 16);
		share(node, IBC_ATTR_PORT_SAMPLES_CONTROL, t->model->tick);
		if (ibc_node_has(node, IBC_ATTR_PORT_SAMPLES_CONTROL))
			node->xmit_wait_tick = t->model->tick_value;
	}
	model_query_finish(s, &class_info_rule);
}
