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
#include "base/arena.h"
#include "source/models.h"
#include "transport/transport.h"
#include "wire/mad.h"
#include "wire/pma.h"

#define TRIED_MAX 256 /* devices of a kind asked before one of them has answered */

/* A device whose counters are read. */
struct target {
	struct site *site;
	struct kind *kind;
	struct engine_device pma;
	struct mad_addr moved_to; /* instead of moved_from; 0: to nowhere */
	uint16_t moved_from;
	bool begun, ready;
	uint8_t first; /* a port of it that can be reached */
};

static const struct topic topic_class_info, topic_samples, topic_counters, topic_counters_ext,
    topic_rcv_errors, topic_xmit_discards, topic_vl_wait;

/* ---- where to ask ------------------------------------------------------------ */

static struct target *target_of(struct sweep *s, struct site *site)
{
	struct target *t;

	if (site->target)
		return site->target;
	t = arena_alloc(s->scratch, sizeof(*t));
	if (t)
		t->kind = kind_of(s, site);
	if (!t || !t->kind) {
		s->out_of_memory = true;
		return NULL;
	}
	t->site = site;
	site->target = t;
	return t;
}

/* ---- sending ------------------------------------------------------------------ */

static const struct model_query_rule class_info_rule;

static bool count_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                        uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;
	struct target *t = q->site->target;
	bool of_class = q->topic == &topic_class_info;
	struct pma_question pma = { q->topic->attribute, of_class ? 0 : q->port };
	uint16_t lid = gsi_lid(q->sweep, q->site, port_of(q));

	if (q->sweep->misled) {
		question_free(q);
		return false;
	}
	if (of_class && try > 0)
		model_query_hurry(q->sweep, &class_info_rule, t->kind);
	pma_get(mad, to, &pma, lid);
	if (t->moved_from == lid)
		*to = t->moved_to;
	return true;
}

static void count_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE]);

static void count_ask(struct sweep *s, struct target *t, const struct topic *topic,
                      unsigned int port)
{
	struct question *q;

	if (ibc_attrs_has(t->kind->unsupported, topic->attr)) {
		answers_put(fabric_build_port(t->site->node, port), topic->attr,
		            ANSWER_UNSUPPORTED);
		return;
	}
	q = question_new(s, t->site, topic, port);
	if (!q)
		return;
	q->ask.route = count_route;
	q->ask.done = count_done;
	q->ask.device = topic == &topic_samples ? &t->kind->samples : &t->pma;
	engine_ask(s->engine, &q->ask);
}

static void ask_counters(struct sweep *s, struct target *t, unsigned int port)
{
	uint64_t caps = t->kind->caps;

	if (caps & PMA_CAPS_EXT)
		count_ask(s, t, &topic_counters_ext, port);
	if (!(caps & PMA_CAPS_EXT) || !(caps & PMA_CAP_EXT_ERRORS))
		count_ask(s, t, &topic_counters, port);
	if (ibc_attrs_has(s->needs, IBC_ATTR_VL_XMIT_WAIT))
		count_ask(s, t, &topic_vl_wait, port);
}

/* ---- outcomes ------------------------------------------------------------------- */

/* Once, and somewhere else than where it was asked. */
static bool follow_redirect(struct question *q, const uint8_t *mad)
{
	struct target *t = q->site->target;
	uint16_t lid = gsi_lid(q->sweep, q->site, port_of(q));
	struct pma_class_info info;

	if (!mad || q->redirected || t->moved_from == lid ||
	    (q->topic != &topic_class_info && !pma_is_redirect(mad)))
		return false;
	pma_class_info_get(pma_data(mad), &info);
	if (info.redirect.dlid == 0 || info.redirect.dlid > UNICAST_LID_MAX ||
	    (info.redirect.dlid == lid && info.redirect.qpn <= 1))
		return false;
	t->kind->redirects = true;
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
static void remember_unsupported(struct question *q, const uint8_t *mad)
{
	const uint16_t code = 7 << 2, attribute_unsupported = 3 << 2;
	struct mad_header h;

	mad_header_get(mad, &h);
	if ((h.status & code) == attribute_unsupported && q->topic->of_port)
		ibc_attrs_add(&q->site->target->kind->unsupported, q->topic->attr);
}

static void count_done(struct engine_ask *ask_, enum engine_outcome outcome,
                       const uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;

	if (outcome != ENGINE_NOT_ASKED && !q->sweep->misled) {
		if (follow_redirect(q, mad))
			return;
		if (outcome == ENGINE_UNSUPPORTED)
			remember_unsupported(q, mad);
		/* who lets PortSamplesControl fall has none: all else can do without it */
		if (outcome == ENGINE_SILENT && q->topic == &topic_samples)
			outcome = ENGINE_UNSUPPORTED;
	}
	question_end(q, outcome, mad ? pma_data(mad) : NULL);
}

/* ---- what a device can ------------------------------------------------------------ */

static void be_ready(struct sweep *s, struct target *t)
{
	const struct ibc_node *node = t->site->node;

	t->ready = true;
	for (unsigned int p = 1; p <= node->num_ports; p++)
		count_port(s, t->site, fabric_build_port(node, p));
}

static void ask_class_info(struct sweep *s, struct site *site)
{
	count_ask(s, site->target, &topic_class_info, site->target->first);
}

/* Where one was sent elsewhere each is asked, to be told where its own place is. */
static void class_info_settled(struct sweep *s, struct site *site)
{
	if (site->kind->redirects)
		model_query_try(s, &class_info_rule, site);
	else
		be_ready(s, site->target);
}

static const struct model_query_rule class_info_rule = {
	.query = offsetof(struct kind, class_info),
	.tries_max = TRIED_MAX,
	.ask = ask_class_info,
	.settled = class_info_settled,
};

static void begin(struct sweep *s, struct target *t)
{
	if (t->kind->redirects)
		model_query_try(s, &class_info_rule, t->site);
	else
		model_query_start(s, &class_info_rule, t->site);
}

static void kind_told(struct question *q, enum answer outcome)
{
	struct target *t = q->site->target;

	t->kind->class_info.outcome = outcome;
	be_ready(q->sweep, t);
	model_query_told(q->sweep, &class_info_rule, t->kind, outcome);
}

static bool learn_class_info(struct question *q, const uint8_t *data)
{
	struct target *t = q->site->target;
	struct pma_class_info info;

	pma_class_info_get(data, &info);
	t->kind->caps = PMA_CAPS(info.cap_mask, info.cap_mask2);
	if (!t->kind->tick_asked && t->kind->caps & PMA_CAP_XMIT_WAIT) {
		t->kind->tick_asked = true;
		count_ask(q->sweep, t, &topic_samples, q->port);
	}
	kind_told(q, ANSWER_OK);
	return true;
}

/* Without it, what every device has is asked for. */
static void class_info_missed(struct question *q, enum answer outcome)
{
	struct target *t = q->site->target;

	if (outcome == ANSWER_UNSUPPORTED && t->kind->class_info.outcome == ANSWER_NONE) {
		kind_told(q, outcome);
		return;
	}
	be_ready(q->sweep, t);
	model_query_missed(q->sweep, &class_info_rule, t->kind);
}

static bool learn_samples(struct question *q, const uint8_t *data)
{
	struct kind *kind = q->site->target->kind;

	kind->tick = ANSWER_OK;
	kind->tick_value = pma_tick_get(data);
	return true;
}

static void samples_missed(struct question *q, enum answer outcome)
{
	q->site->target->kind->tick = outcome;
}

/* ---- counters ---------------------------------------------------------------------- */

/* The port's counters, as of now; NULL when out of memory. */
static struct ibc_counters *counters_of(struct sweep *s, struct ibc_port *port)
{
	struct ibc_counters *c = (struct ibc_counters *)port->counters;
	uint64_t now_ns = s->transport->ops->now_ns(s->transport);

	if (!c)
		c = arena_alloc(fabric_build_arena(s->b), sizeof(*c));
	if (!c) {
		s->out_of_memory = true;
		return NULL;
	}
	c->at_seconds = s->start_fraction + (double)(now_ns - s->start_ns) / 1e9;
	port->counters = c;
	return c;
}

static void ask_details(struct question *q, const struct ibc_port *port)
{
	const struct {
		enum ibc_counter parent;
		const struct topic *details;
	} detailed[] = {
		{ IBC_RCV_ERRORS, &topic_rcv_errors },
		{ IBC_XMIT_DISCARDS, &topic_xmit_discards },
	};
	const struct ibc_counters *c = port->counters;

	for (size_t i = 0; i < sizeof(detailed) / sizeof(detailed[0]); i++) {
		const struct topic *details = detailed[i].details;

		if (c->known & 1u << detailed[i].parent && c->value[detailed[i].parent] &&
		    !ibc_port_answer(port, details->attr))
			count_ask(q->sweep, q->site->target, details, q->port);
	}
}

static bool learn_details(struct question *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));

	if (c)
		pma_counters_get(q->topic->attribute, q->site->target->kind->caps, data, c);
	return true;
}

static bool learn_counters(struct question *q, const uint8_t *data)
{
	const struct ibc_port *port = port_of(q);

	learn_details(q, data);
	if (port->counters)
		ask_details(q, port);
	return true;
}

/* A device that promises more than it has still has the counters all have. */
static void counters_ext_missed(struct question *q, enum answer outcome)
{
	struct target *t = q->site->target;

	if (outcome != ANSWER_UNSUPPORTED)
		return;
	if (ibc_attrs_has(t->kind->unsupported, IBC_ATTR_PORT_COUNTERS_EXT))
		t->kind->caps &= ~(PMA_CAPS_EXT | PMA_CAP_EXT_ERRORS);
	count_ask(q->sweep, t, &topic_counters, q->port);
}

static bool learn_vl_wait(struct question *q, const uint8_t *data)
{
	struct ibc_counters *c = counters_of(q->sweep, port_of(q));
	uint64_t *wait = arena_array(fabric_build_arena(q->sweep->b), PMA_VLS, sizeof(*wait));

	if (!wait)
		q->sweep->out_of_memory = true;
	if (!c || !wait)
		return true;
	pma_vl_wait_get(data, wait);
	c->vl_wait = wait;
	return true;
}

static const struct topic topic_class_info = {
	.attribute = PMA_CLASS_PORT_INFO,
	.attr = IBC_ATTR_PERF_CLASS_PORT_INFO,
	.learn = learn_class_info,
	.missed = class_info_missed,
};

static const struct topic topic_samples = {
	.attribute = PMA_PORT_SAMPLES_CONTROL,
	.attr = IBC_ATTR_PORT_SAMPLES_CONTROL,
	.learn = learn_samples,
	.missed = samples_missed,
};

static const struct topic topic_counters = {
	.attribute = PMA_PORT_COUNTERS,
	.attr = IBC_ATTR_PORT_COUNTERS,
	.of_port = true,
	.learn = learn_counters,
};

static const struct topic topic_counters_ext = {
	.attribute = PMA_PORT_COUNTERS_EXT,
	.attr = IBC_ATTR_PORT_COUNTERS_EXT,
	.of_port = true,
	.learn = learn_counters,
	.missed = counters_ext_missed,
};

static const struct topic topic_rcv_errors = {
	.attribute = PMA_RCV_ERROR_DETAILS,
	.attr = IBC_ATTR_RCV_ERROR_DETAILS,
	.of_port = true,
	.learn = learn_details,
};

static const struct topic topic_xmit_discards = {
	.attribute = PMA_XMIT_DISCARD_DETAILS,
	.attr = IBC_ATTR_XMIT_DISCARD_DETAILS,
	.of_port = true,
	.learn = learn_details,
};

static const struct topic topic_vl_wait = {
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
 * What cannot be reached is not sent, yet it is a question without an answer:
 * without a subnet manager, ten thousand time-outs would tell no more.
 */
void count_port(struct sweep *s, struct site *site, struct ibc_port *port)
{
	struct target *t;

	if (!is_counted(port))
		return;
	t = target_of(s, site);
	if (!t)
		return;
	if (!gsi_lid(s, site, port) || model_query_is_vain(&class_info_rule, t->kind)) {
		answers_put(port, IBC_ATTR_PORT_COUNTERS, ANSWER_NONE);
		return;
	}
	site->lid_used = true;
	if (t->ready) {
		ask_counters(s, t, port->num);
	} else if (!t->begun) {
		t->begun = true;
		t->first = port->num;
		begin(s, t);
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
	struct ibc_node *node = t->site->node;
	struct kind *kind = t->kind;

	if (!t->begun || model_query_is_vain(&class_info_rule, kind))
		answers_put(node, IBC_ATTR_PERF_CLASS_PORT_INFO, ANSWER_NONE);
	share(node, IBC_ATTR_PERF_CLASS_PORT_INFO, kind->class_info.outcome);
	if (!ibc_node_has(node, IBC_ATTR_PERF_CLASS_PORT_INFO))
		return;
	node->perf_cap_mask = (uint16_t)kind->caps;
	node->perf_cap_mask2 = (uint32_t)(kind->caps >> 16);
	share(node, IBC_ATTR_PORT_SAMPLES_CONTROL, kind->tick);
	if (ibc_node_has(node, IBC_ATTR_PORT_SAMPLES_CONTROL))
		node->xmit_wait_tick = kind->tick_value;
}

bool count_place(const struct sweep *s, const struct site *site, const struct ibc_port *port,
                 struct count_place *out)
{
	struct target *t = site->target;

	if (!t || !port->counters)
		return false;
	*out = (struct count_place){
		.device = &t->pma,
		.caps = t->kind->caps,
		.lid = gsi_lid(s, site, port),
	};
	if (t->moved_from == out->lid)
		out->moved_to = t->moved_to;
	return out->lid != 0;
}

void count_finish(struct sweep *s)
{
	for (struct site *site = s->sites; site; site = site->next)
		if (site->target)
			finish_target(site->target);
	model_query_finish(s, &class_info_rule);
}
