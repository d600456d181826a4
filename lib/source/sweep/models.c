/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/sweep/models.h"

#define AT_ONCE 8 /* devices asked in place of one that does not answer */

/* A device that waits for another of its model. */
struct model_query_entry {
	struct device *dev;
	struct model_query_entry *next;
};

struct model *model_of(struct sweep *s, struct device *dev)
{
	const struct ibc_node *node = dev->node;
	struct model_key key = { node->type, node->vendor_id, node->device_id, node->revision };
	struct model *model = dev->model;

	if (!model)
		HASH_FIND(hh, s->models, &key, sizeof(key), model);
	if (!model) {
		model = sweep_alloc(s, 1, sizeof(*model));
		model->key = key;
		model->samples.ignore_timeouts = true;
		HASH_ADD(hh, s->models, key, sizeof(model->key), model);
		fabric_build_need(s->b, hash_added(model));
	}
	return dev->model = model;
}

/* ---- one device for all of a model ------------------------------------------------ */

static struct model_query *query_of(const struct model_query_rule *rule, struct model *model)
{
	return (struct model_query *)((char *)model + rule->query);
}

bool model_query_is_vain(const struct model_query_rule *rule, struct model *model)
{
	const struct model_query *q = query_of(rule, model);

	return q->outcome == ANSWER_NONE && q->missed >= rule->tries_max;
}

void model_query_try(struct sweep *s, const struct model_query_rule *rule, struct device *dev)
{
	query_of(rule, dev->model)->tried++;
	rule->ask(s, dev);
}

void model_query_start(struct sweep *s, const struct model_query_rule *rule, struct device *dev)
{
	struct model_query *q = query_of(rule, dev->model);
	struct model_query_entry *entry;

	if (q->outcome != ANSWER_NONE || model_query_is_vain(rule, dev->model)) {
		rule->settled(s, dev);
	} else if (q->tried == q->missed) {
		model_query_try(s, rule, dev);
	} else {
		entry = sweep_alloc(s, 1, sizeof(*entry));
		*entry = (struct model_query_entry){ dev, q->waiting };
		q->waiting = entry;
	}
}

void model_query_hurry(struct sweep *s, const struct model_query_rule *rule, struct model *model)
{
	struct model_query *q = query_of(rule, model);

	for (unsigned int i = 0; i < AT_ONCE && q->waiting && q->tried < rule->tries_max; i++) {
		struct device *dev = q->waiting->dev;

		q->waiting = q->waiting->next;
		model_query_try(s, rule, dev);
	}
}

static void release_all(struct sweep *s, const struct model_query_rule *rule, struct model *model)
{
	struct model_query_entry *entry = query_of(rule, model)->waiting;

	query_of(rule, model)->waiting = NULL;
	for (; entry; entry = entry->next)
		model_query_start(s, rule, entry->dev);
}

void model_query_known(struct sweep *s, const struct model_query_rule *rule, struct model *model,
                       enum answer outcome)
{
	struct model_query *q = query_of(rule, model);

	if (q->outcome == ANSWER_NONE)
		q->outcome = outcome;
	release_all(s, rule, model);
}

void model_query_missed(struct sweep *s, const struct model_query_rule *rule, struct model *model)
{
	query_of(rule, model)->missed++;
	if (model_query_is_vain(rule, model))
		release_all(s, rule, model);
	else
		model_query_hurry(s, rule, model);
}

void model_query_finish(struct sweep *s, const struct model_query_rule *rule)
{
	const struct model_query_entry *entry;

	for (struct model *model = s->models; model; model = model->hh.next)
		for (entry = query_of(rule, model)->waiting; entry; entry = entry->next)
			s->subnet->not_asked++;
}
