/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * What a sweep learns of counters.  They are read over LIDs, from the device's
 * performance management: another queue than that of its subnet management, with
 * a limit of its own.
 *
 * Which attributes a device has its ClassPortInfo tells.  Devices of one kind are
 * alike in that, so one of them is asked for all (models.h).
 *
 * Where PortCountersExtended carries the error counters too it is asked alone, else
 * beside PortCounters.  Details are asked where what they detail has counted.
 */
#include "source/models.h"
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

static const struct handler handler_class_info, handler_samples, handler_counters,
    handler_counters_ext, handler_rcv_errors, handler_xmit_discards, handler_vl_wait;

/* ---- where to ask ------------------------------------------------------------ */

static struct target *target_of(struct sweep *s, struct device *dev)
{
	struct target *t;

	if (dev->target)
		return dev->target;
	if (!model_of(s, dev))
		return NULL;
	t = sweep_alloc(s, 1, sizeof(*t));
	if (!t)
		return NULL;
	t->model = dev->model;
	t->dev = dev;
	dev->target = t;
	return t;
}

/* ---- sending ------------------------------------------------------------------ */

static const struct model_query_rule class_info_rule;

static bool count_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;
	struct target *t = q->dev->target;
	bool of_class = q->handler == &handler_class_info;
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
	if (!q)
		return;
	q->ask.route = count_route;
	q->ask.done = count_done;
	q->ask.device = handler == &handler_samples ? &t->model->samples : &t->pma;
	engine_ask(s->engine, &q->ask);
}

static void ask_counters(struct sweep *s, struct target *t, unsigned int port)
{
	uint64_t caps = t->model->caps;

	if (caps & PMA_CAPS_EXT)
		count_ask(s, t, &handler_counters_ext, port);
	if (!(caps & PMA_CAPS_EXT) || !(caps & PMA_CAP_EXT_ERRORS))
		count_ask(s, t, &handler_counters, port);
	if (ibc_attrs_has(s->needs, IBC_ATTR_VL_XMIT_WAIT))
		count_ask(s, t, &handler_vl_wait, port);
}

/* ---- outcomes ------------------------------------------------------------------- */

/* Once, and somewhere else than where it was asked. */
static bool follow_redirect(struct query *q, const uint8_t *mad)
{
	struct target *t = q->dev->target;
	uint16_t lid = gsi_lid(q->sweep, q->dev, port_of(q));
	struct pma_class_info info;

	if (!mad || q->redirected || t->moved_from == lid ||
	    (q->handler != &handler_class_info && !pma_is_redirect(mad)))
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

/*
 * Others of its kind do not have it either; but that a modifier is not supported
 * says something of one port only.
 */
static void remember_unsupported(struct query *q, const uint8_t *mad)
{
	const uint16_t code = 7 << 2, attribute_unsupported = 3 << 2;
	struct mad_header h;

	mad_header_get(mad, &h);
	if ((h.status & code) != attribute_unsupported || !q->handler->of_port)
		return;
	TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q),
	           "%s dropped for its model: status 0x%04x", ibc_attr_name(q->handler->attr),
	           h.status);
	ibc_attrs_add(&q->dev->target->model->unsupported, q->handler->attr);
}

static void count_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;

	if (outcome != ENGINE_NOT_ASKED && !q->sweep->lid_conflict) {
		if (follow_redirect(q, mad))
			return;
		if (outcome == ENGINE_UNSUPPORTED && q->handler->attr != IBC_ATTR_PORT_COUNTERS)
			remember_unsupported(q, mad);
		/* who lets PortSamplesControl fall has none: all else can do without it */
		if (outcome == ENGINE_SILENT && q->handler == &handler_samples)
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
	count_ask(s, dev->target, &handler_class_info, dev->target->first);
}

/* Where one was sent elsewhere each is asked, to be told where its own place is. */
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
		count_ask(q->sweep, t, &handler_samples, q->port);
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

/* The port's counters, as of now; NULL when out of memory. */
static struct ibc_counters *counters_of(struct sweep *s, struct ibc_port *port)
{
	struct ibc_counters *c = (struct ibc_counters *)port->counters;
	uint64_t now_ns = sweep_now_ns(s);

	if (!c)
		c = sweep_keep(s, 1, sizeof(*c));
	if (!c)
		return NULL;
	c->at_seconds = s->start_fraction + (double)(now_ns - s->start_ns) / 1e9;
	port->counters = c;
	return c;
}

static bool learn_details(struct query *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));

	if (!c)
		return true;
	pma_counters_get(q->handler->attribute, q->dev->target->model->caps, data, c);
	TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port_of(q), "%s read, %d counters known",
	           ibc_attr_name(q->handler->attr), __builtin_popcount(c->known));
	return true;
}

static bool learn_counters(struct query *q, const uint8_t *data)
{
	const struct ibc_port *port = port_of(q);

	learn_details(q, data);
	if (port->counters) {
		const struct {
			enum ibc_counter parent;
			const struct handler *details;
		} detailed[] = {
			{ IBC_RCV_ERRORS, &handler_rcv_errors },
			{ IBC_XMIT_DISCARDS, &handler_xmit_discards },
		};
		const struct ibc_counters *c = port->counters;

		for (size_t i = 0; i < sizeof(detailed) / sizeof(detailed[0]); i++) {
			const struct handler *details = detailed[i].details;

			if (c->known & 1u << detailed[i].parent && c->value[detailed[i].parent] &&
			    !ibc_port_answer(port, details->attr)) {
				TRACE_PORT(q->sweep, IBC_TRACE_COUNTERS, port, "%s is %" PRIu64,
				           ibc_counter_word(detailed[i].parent)->name,
				           c->value[detailed[i].parent]);
				count_ask(q->sweep, q->dev->target, details, q->port);
			}
		}
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
	count_ask(q->sweep, t, &handler_counters, q->port);
}

static bool learn_vl_wait(struct query *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));
	uint64_t *wait = sweep_keep(q->sweep, PMA_VLS, sizeof(*wait));

	if (!c || !wait)
		return true;
	pma_vl_wait_get(data, wait);
	c->vl_wait = wait;
	return true;
}

static const struct handler handler_class_info = {
	.attribute = PMA_CLASS_PORT_INFO,
	.attr = IBC_ATTR_PERF_CLASS_PORT_INFO,
	.learn = learn_class_info,
	.missed = class_info_missed,
};

static const struct handler handler_samples = {
	.attribute = PMA_PORT_SAMPLES_CONTROL,
	.attr = IBC_ATTR_PORT_SAMPLES_CONTROL,
	.learn = learn_samples,
	.missed = samples_missed,
};

static const struct handler handler_counters = {
	.attribute = PMA_PORT_COUNTERS,
	.attr = IBC_ATTR_PORT_COUNTERS,
	.of_port = true,
	.learn = learn_counters,
};

static const struct handler handler_counters_ext = {
	.attribute = PMA_PORT_COUNTERS_EXT,
	.attr = IBC_ATTR_PORT_COUNTERS_EXT,
	.of_port = true,
	.learn = learn_counters,
	.missed = counters_ext_missed,
};

static const struct handler handler_rcv_errors = {
	.attribute = PMA_RCV_ERROR_DETAILS,
	.attr = IBC_ATTR_RCV_ERROR_DETAILS,
	.of_port = true,
	.learn = learn_details,
};

static const struct handler handler_xmit_discards = {
	.attribute = PMA_XMIT_DISCARD_DETAILS,
	.attr = IBC_ATTR_XMIT_DISCARD_DETAILS,
	.of_port = true,
	.learn = learn_details,
};

static const struct handler handler_vl_wait = {
	.attribute = PMA_VL_XMIT_WAIT,
	.attr = IBC_ATTR_VL_XMIT_WAIT,
	.of_port = true,
	.learn = learn_vl_wait,
};

/* ---- for the sweep --------------------------------------------------------------------- */

static bool is_counted(const struct ibc_port *port)
{
	return port->num != 0 && ibc_port_has(port, IBC_ATTR_LINK) && ibc_port_is_here(port);
}

/*
 * What cannot be reached is not sent, yet it is a query without an answer:
 * without a subnet manager, ten thousand time-outs would tell no more.
 */
void count_port(struct sweep *s, struct device *dev, struct ibc_port *port)
{
	struct target *t;

	if (!is_counted(port))
		return;
	t = target_of(s, dev);
	if (!t)
		return;
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

/* What one of a kind told holds for this one, unless it was asked itself. */
static void share(struct ibc_node *node, enum ibc_attr attr, enum answer outcome)
{
	if (!ibc_node_answer(node, attr) && outcome != ANSWER_NONE)
		answers_put(node, attr, outcome);
}

static void finish_target(const struct target *t)
{
	struct ibc_node *node = t->dev->node;
	struct model *model = t->model;

	if (!t->begun || model_query_is_vain(&class_info_rule, model))
		answers_put(node, IBC_ATTR_PERF_CLASS_PORT_INFO, ANSWER_NONE);
	share(node, IBC_ATTR_PERF_CLASS_PORT_INFO, model->class_info.outcome);
	if (!ibc_node_has(node, IBC_ATTR_PERF_CLASS_PORT_INFO))
		return;
	node->perf_cap_mask = (uint16_t)model->caps;
	node->perf_cap_mask2 = (uint32_t)(model->caps >> 16);
	share(node, IBC_ATTR_PORT_SAMPLES_CONTROL, model->tick);
	if (ibc_node_has(node, IBC_ATTR_PORT_SAMPLES_CONTROL))
		node->xmit_wait_tick = model->tick_value;
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

void count_finish(struct sweep *s)
{
	for (struct device *dev = s->devices; dev; dev = dev->next)
		if (dev->target)
			finish_target(dev->target);
	model_query_finish(s, &class_info_rule);
}
