/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sweep learns of firmware: the vendor's GeneralInfo, from each device that may
 * know it, over its LID.
 *
 * Who does not know a management class may also say nothing, so that a whole kind of
 * devices can be silent.  One of a kind is asked for all (models.h); where a few do not
 * answer, they have no such attribute.  Nor does a query wait for long: all there is to
 * lose is a version.
 */
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "source/sweep/keys.h"
#include "source/sweep/models.h"
#include "wire/vendor.h"

#define TRIED_MAX 4 /* devices of a kind asked before one of them has answered */

static const struct handler handler_general_info;
static const struct model_query_rule firmware_rule;

/* ---- sending ------------------------------------------------------------------ */

bool v_key_of(const struct sweep *s, const struct device *dev, uint64_t *v_key)
{
	*v_key = s->opts->vs_key;
	return keys_find(s->opts->keys, KEYS_VENDOR, port_guid_of(dev), 0, v_key) || *v_key;
}

static bool firmware_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                           uint8_t mad[MAD_SIZE])
{
	struct query *q = (struct query *)ask_;
	uint64_t v_key = 0;

	if (q->sweep->lid_conflict) {
		query_free(q);
		return false;
	}
	if (try > 0)
		model_query_hurry(q->sweep, &firmware_rule, q->dev->model);
	v_key_of(q->sweep, q->dev, &v_key);
	vendor_get(mad, to, VENDOR_GENERAL_INFO, gsi_lid(q->sweep, q->dev, port_of(q)), v_key);
	return true;
}

static void firmware_done(struct engine_ask *ask_, enum engine_outcome outcome,
                          const uint8_t mad[MAD_SIZE])
{
	query_end((struct query *)ask_, outcome, mad ? vendor_data(mad) : NULL);
}

static void firmware_send(struct sweep *s, struct device *dev)
{
	struct query *q = query_new(s, dev, &handler_general_info, dev->first);

	q->ask.route = firmware_route;
	q->ask.done = firmware_done;
	q->ask.device = &dev->vendor;
	q->ask.fast_only = true;
	engine_ask(s->engine, &q->ask);
}

/*
 * One of its model has answered, or several did not.  Where there is a V_Key the class is
 * known: that others of the model are silent says nothing of this device.
 */
static void firmware_settled(struct sweep *s, struct device *dev)
{
	enum answer outcome = dev->model->firmware.outcome;
	uint64_t v_key;

	if (outcome == ANSWER_OK || (outcome == ANSWER_NONE && v_key_of(s, dev, &v_key)))
		firmware_send(s, dev);
	else
		answers_put(dev->node, IBC_ATTR_GENERAL_INFO, ANSWER_UNSUPPORTED);
}

static const struct model_query_rule firmware_rule = {
	.query = offsetof(struct model, firmware),
	.tries_max = TRIED_MAX,
	.ask = firmware_send,
	.settled = firmware_settled,
};

/* ---- answers ----------------------------------------------------------------------- */

static bool learn_general_info(struct query *q, const uint8_t *data)
{
	struct sweep *s = q->sweep;
	struct ibc_node *node = q->dev->node;
	struct general_info info;
	const struct firmware_version *v = &info.firmware;

	general_info_get(data, &info);
	if (!v->major && !v->minor && !v->sub_minor)
		return false;
	node->firmware = arena_printf(fabric_build_arena(s->b), "%u.%u.%04u", v->major, v->minor,
	                              v->sub_minor);
	if (*info.psid)
		node->psid = utf8_clean(fabric_build_arena(s->b), info.psid, sizeof(info.psid));
	node->has_gmp_capabilities = info.has_capabilities;
	memcpy(node->gmp_capabilities, info.capabilities, sizeof(node->gmp_capabilities));
	model_query_known(s, &firmware_rule, q->dev->model, ANSWER_OK);
	return true;
}

static void general_info_missed(struct query *q, enum answer outcome)
{
	if (outcome == ANSWER_UNSUPPORTED)
		model_query_known(q->sweep, &firmware_rule, q->dev->model, outcome);
	else
		model_query_missed(q->sweep, &firmware_rule, q->dev->model);
}

static const struct handler handler_general_info = { VENDOR_GENERAL_INFO, IBC_ATTR_GENERAL_INFO,
	                                             .learn = learn_general_info,
	                                             .missed = general_info_missed };

/* ---- for the sweep ------------------------------------------------------------------- */

/* What cannot be reached is not sent, yet it is a query without an answer. */
void firmware_ask(struct sweep *s, struct device *dev)
{
	struct ibc_node *node = dev->node;

	if (!vendor_is_known(node->vendor_id, node->device_id))
		return;
	model_of(s, dev);
	if (!gsi_lid(s, dev, fabric_build_port(node, dev->first))) {
		answers_put(node, IBC_ATTR_GENERAL_INFO, ANSWER_NONE);
		return;
	}
	dev->lid_used = true;
	model_query_start(s, &firmware_rule, dev);
}

void firmware_finish(struct sweep *s)
{
	uint64_t v_key;

	model_query_finish(s, &firmware_rule);
	for (struct device *dev = s->devices; dev; dev = dev->next) {
		const struct model_query *query = dev->model ? &dev->model->firmware : NULL;

		if (query && query->missed && query->outcome == ANSWER_NONE && !query->waiting &&
		    !v_key_of(s, dev, &v_key) &&
		    ibc_node_answer(dev->node, IBC_ATTR_GENERAL_INFO) == IBC_SILENT)
			answers_put(dev->node, IBC_ATTR_GENERAL_INFO, ANSWER_UNSUPPORTED);
	}
}
