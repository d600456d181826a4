/* SPDX-License-Identifier: BSD-2-Clause */

/* Questions by SMP: the way there, and what becomes of them. */
#include <string.h>

#include "base/arena.h"
#include "source/sweep.h"
#include "wire/smp.h"

struct ibc_port *port_of(const struct question *q)
{
	return fabric_build_port(q->site->node, q->port);
}

uint16_t gsi_lid(const struct sweep *s, const struct site *site, const struct ibc_port *port)
{
	const struct ibc_port *own = s->plane->origin;
	bool is_switch = site->node->type == IBC_NODE_SWITCH;
	uint16_t lid = is_switch ? site->node->ports[0].lid : port->lid;

	if (!own || own->state != IBC_STATE_ACTIVE || own->lid == 0)
		return 0;
	if (!is_switch && port->state != IBC_STATE_ACTIVE)
		return 0;
	return lid <= UNICAST_LID_MAX && s->by_lid[lid] == site ? lid : 0;
}

static bool is_probe(const struct question *q)
{
	return q->topic->beyond && q->site;
}

/* ---- sending -------------------------------------------------------------- */

void question_free(struct question *q)
{
	q->next_spare = q->sweep->spare;
	q->sweep->spare = q;
}

/* Is another port of the device asked than the one that the site's way leads to? */
static bool is_elsewhere(const struct question *q)
{
	return q->topic->at_port && q->port != q->site->first &&
	       q->site->node->type != IBC_NODE_SWITCH;
}

static uint16_t lid_of(const struct question *q)
{
	uint16_t lid = q->site->lid;

	if (!is_elsewhere(q))
		return lid;
	lid = port_of(q)->lid;
	return lid <= UNICAST_LID_MAX && q->sweep->by_lid[lid] == q->site ? lid : 0;
}

/* One question tries a new way; the others wait for what becomes of it. */
static bool may_use(enum trust *trust)
{
	if (*trust != UNTRIED)
		return *trust == TRUSTED;
	*trust = TRYING;
	return true;
}

/* The first try takes the cheap way where there is one, the others the sure one. */
static enum way choose_way(struct question *q, unsigned int try)
{
	struct sweep *s = q->sweep;
	enum way cheap = is_probe(q) ? COMBINED : BY_LID;

	if (try > 0 || !s->own_lid || !q->site || !lid_of(q) || q->site->hops == 0)
		return DIRECTED;
	return may_use(&s->trust[cheap]) ? cheap : DIRECTED;
}

/* The far side told in the meantime, or the sweep is to start over. */
static bool is_moot(const struct question *q)
{
	return q->sweep->misled || (is_probe(q) && port_of(q)->peer);
}

struct site *site_of(const struct sweep *s, const struct ibc_node *node)
{
	struct site *site;

	for (unsigned int i = 0; i <= node->num_ports; i++) {
		site = s->by_lid[node->ports[i].lid % (UNICAST_LID_MAX + 1)];
		if (site && site->node == node)
			return site;
	}
	for (site = s->sites; site && site->node != node; site = site->next)
		;
	return site;
}

/* The hops of the directed part; a probe takes one more, and so does what is asked elsewhere. */
static size_t hops_of(const struct question *q, uint8_t hops[SMP_MAX_HOPS])
{
	const struct ibc_port *last = NULL;
	const struct site *site = q->site;
	size_t n = 0;

	if (site && is_probe(q))
		last = port_of(q);
	else if (site && is_elsewhere(q) && port_of(q)->peer)
		last = port_of(q)->peer;
	if (last && last->node != site->node)
		site = site_of(q->sweep, last->node);
	if (site && q->way == DIRECTED) {
		n = site->hops;
		memcpy(hops, site->path, n);
	}
	if (last)
		hops[n++] = last->num;
	return n;
}

static bool question_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                           uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;
	const struct smp_question smp = {
		.attribute = q->topic->attribute,
		.modifier = q->modifier,
		.m_key = q->sweep->opts->m_key,
	};
	uint8_t hops[SMP_MAX_HOPS];
	size_t n;

	if (is_moot(q)) {
		question_free(q);
		return false;
	}
	q->way = (uint8_t)choose_way(q, try);
	if (try == 0)
		q->first_way = q->way;
	n = hops_of(q, hops);
	if (q->way != DIRECTED)
		q->site->lid_used = true;
	if (q->way == BY_LID)
		smp_get_by_lid(mad, to, &smp, lid_of(q));
	else if (q->way == COMBINED)
		smp_get_combined(mad, to, &smp, q->site->lid, q->sweep->own_lid, hops, n);
	else
		smp_get_directed(mad, to, &smp, hops, n);
	return true;
}

static void question_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE]);

struct question *question_new(struct sweep *s, struct site *site, const struct topic *topic,
                              unsigned int port)
{
	struct question *q = s->spare;

	if (q)
		s->spare = q->next_spare;
	else
		q = arena_alloc(s->scratch, sizeof(*q));
	if (!q) {
		s->out_of_memory = true;
		return NULL;
	}
	*q = (struct question){
		.sweep = s,
		.site = site,
		.topic = topic,
		.port = (uint8_t)port,
		.modifier = topic->of_port && !topic->at_port ? port : 0,
	};
	return q;
}

void question_send(struct question *q, struct engine_device *device)
{
	q->ask.route = question_route;
	q->ask.done = question_done;
	q->ask.device = device;
	engine_ask(q->sweep->engine, &q->ask);
}

void ask(struct sweep *s, struct site *site, const struct topic *topic, unsigned int port)
{
	struct question *q = question_new(s, site, topic, port);

	if (!q)
		return;
	if (!site)
		question_send(q, &s->start);
	else
		question_send(q, is_probe(q) ? &site->beyond : &site->sma);
}

/* ---- outcomes ------------------------------------------------------------- */

/* What the outcome tells of the way the first try took. */
static void judge_way(struct question *q, bool answered)
{
	enum trust *trust = &q->sweep->trust[q->first_way];
	bool worked = q->way == q->first_way;

	if (*trust == TRYING)
		*trust = !answered ? UNTRIED : worked ? TRUSTED : REFUSED;
	if (answered && !worked)
		q->site->lid = 0;
}

static void question_note(const struct question *q, enum answer outcome)
{
	if (q->series || !q->topic->attr)
		return;
	if (is_probe(q) || q->topic->of_port)
		answers_put(port_of(q), q->topic->attr, outcome);
	else if (q->site)
		answers_put(q->site->node, q->topic->attr, outcome);
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

void question_end(struct question *q, enum engine_outcome outcome, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct series *series = q->series;

	if (outcome == ENGINE_NOT_ASKED) {
		s->plane->not_asked++;
	} else if (!s->misled) {
		if (outcome == ENGINE_ANSWERED && !q->topic->learn(q, data))
			outcome = ENGINE_REFUSED;
		question_note(q, answer_of(outcome));
		if (outcome != ENGINE_ANSWERED && q->topic->missed)
			q->topic->missed(q, answer_of(outcome));
	}
	question_free(q);
	if (!series)
		return;
	if (outcome == ENGINE_NOT_ASKED)
		series_cut(s, series);
	else
		series_told(s, series, answer_of(outcome));
}

static void question_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;

	if (outcome != ENGINE_NOT_ASKED && !q->sweep->misled && q->first_way != DIRECTED)
		judge_way(q, outcome != ENGINE_SILENT);
	question_end(q, outcome, mad ? smp_data(mad) : NULL);
}
