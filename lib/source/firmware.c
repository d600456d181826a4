/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sweep learns of firmware: the vendor's GeneralInfo, from each device that may
 * know it, over its LID.
 *
 * Who does not know a management class may also say nothing, so that a whole kind of
 * devices can be silent.  One of a kind is asked and the others wait for it; should it
 * not answer at once a few others are asked, and where none of them answers, nobody
 * else is: they have no such attribute.  Nor does a question wait for long: all there
 * is to lose is a version.
 */
#include "base/arena.h"
#include "source/kinds.h"
#include "wire/vendor.h"

#define TRIED_MAX 4 /* devices of a kind asked before one of them has answered */

static const struct topic topic_general_info;

/* ---- sending ------------------------------------------------------------------ */

static void try_others(struct sweep *s, struct firmware_kind *kind);

static bool firmware_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                           uint8_t mad[MAD_SIZE])
{
	struct question *q = (struct question *)ask_;

	if (q->sweep->misled) {
		question_free(q);
		return false;
	}
	if (try > 0)
		try_others(q->sweep, &q->site->kind->firmware);
	vendor_get(mad, to, VENDOR_GENERAL_INFO, gsi_lid(q->sweep, q->site, port_of(q)));
	return true;
}

static void firmware_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE])
{
	question_end((struct question *)ask_, outcome, mad ? vendor_data(mad) : NULL);
}

static void firmware_send(struct sweep *s, struct site *site)
{
	struct question *q = question_new(s, site, &topic_general_info, site->first);

	if (!q)
		return;
	q->ask.route = firmware_route;
	q->ask.done = firmware_done;
	q->ask.device = &site->vendor;
	q->ask.brief = true;
	engine_ask(s->engine, &q->ask);
}

/* ---- one of a kind, and the others ----------------------------------------------- */

static bool is_given_up(const struct firmware_kind *kind)
{
	return kind->outcome == ANSWER_NONE && kind->missed >= TRIED_MAX;
}

static void try_next(struct sweep *s, struct firmware_kind *kind)
{
	struct site *site = kind->waiting;

	kind->waiting = site->next_waiting;
	kind->tried++;
	firmware_send(s, site);
}

static void try_others(struct sweep *s, struct firmware_kind *kind)
{
	while (kind->waiting && kind->tried < TRIED_MAX)
		try_next(s, kind);
}

static void begin(struct sweep *s, struct site *site)
{
	struct firmware_kind *kind = &site->kind->firmware;

	if (kind->outcome == ANSWER_OK) {
		firmware_send(s, site);
	} else if (kind->outcome == ANSWER_UNSUPPORTED || is_given_up(kind)) {
		answers_put(&site->node->answers, IBC_ATTR_GENERAL_INFO, ANSWER_UNSUPPORTED);
	} else {
		site->next_waiting = kind->waiting;
		kind->waiting = site;
		if (kind->tried == kind->missed)
			try_next(s, kind);
	}
}

/* What they waited for is decided. */
static void release_waiting(struct sweep *s, struct firmware_kind *kind)
{
	struct site *site = kind->waiting, *next;

	kind->waiting = NULL;
	for (; site; site = next) {
		next = site->next_waiting;
		begin(s, site);
	}
}

static void kind_told(struct sweep *s, struct firmware_kind *kind, enum answer outcome)
{
	if (kind->outcome != ANSWER_NONE)
		return;
	kind->outcome = outcome;
	release_waiting(s, kind);
}

/* ---- answers ----------------------------------------------------------------------- */

static bool learn_general_info(struct question *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct firmware_version v;
	const char *text;

	general_info_get(data, &v);
	if (!v.major && !v.minor && !v.sub_minor)
		return false;
	text = arena_printf(fabric_build_arena(s->b), "%u.%u.%04u", v.major, v.minor, v.sub_minor);
	if (!text)
		s->out_of_memory = true;
	q->site->node->firmware = text;
	kind_told(s, &q->site->kind->firmware, ANSWER_OK);
	return true;
}

static void general_info_missed(struct question *q, enum answer outcome)
{
	struct firmware_kind *kind = &q->site->kind->firmware;

	if (outcome == ANSWER_UNSUPPORTED) {
		kind_told(q->sweep, kind, outcome);
		return;
	}
	kind->missed++;
	if (is_given_up(kind))
		release_waiting(q->sweep, kind);
	else
		try_others(q->sweep, kind);
}

static const struct topic topic_general_info = {
	.attribute = VENDOR_GENERAL_INFO,
	.attr = IBC_ATTR_GENERAL_INFO,
	.learn = learn_general_info,
	.missed = general_info_missed,
};

/* ---- for the sweep ------------------------------------------------------------------- */

/* What cannot be reached is not sent, yet it is a question without an answer. */
void firmware_ask(struct sweep *s, struct site *site)
{
	struct ibc_node *node = site->node;

	if (!(s->needs & IBC_ATTR_GENERAL_INFO) || !s->counting ||
	    !vendor_is_known(node->vendor_id, node->device_id) || !kind_of(s, site))
		return;
	if (!gsi_lid(s, site, fabric_build_port(node, site->first))) {
		answers_put(&node->answers, IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
		return;
	}
	site->lid_used = true;
	begin(s, site);
}

static bool is_silent(const struct ibc_node *node)
{
	const struct ibc_answers *a = &node->answers;
	uint32_t told = a->answered | a->unsupported | a->refused;

	return a->asked & ~told & IBC_ATTR_GENERAL_INFO;
}

void firmware_finish(struct sweep *s)
{
	for (struct kind *kind = s->kinds; kind; kind = kind->hh.next)
		for (struct site *site = kind->firmware.waiting; site; site = site->next_waiting)
			s->plane->not_asked++;
	for (struct site *site = s->sites; site; site = site->next) {
		const struct firmware_kind *kind = site->kind ? &site->kind->firmware : NULL;

		if (kind && kind->missed && kind->outcome == ANSWER_NONE && !kind->waiting &&
		    is_silent(site->node))
			answers_put(&site->node->answers, IBC_ATTR_GENERAL_INFO,
			            ANSWER_UNSUPPORTED);
	}
}
