/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/models.h"

#include "base/arena.h"

#define AT_ONCE 8 /* devices asked in place of one that does not answer */

/* A device that waits for another of its model. */
struct model_query_entry {
	struct site *site;
	struct model_query_entry *next;
};

static struct kind *kind_find(struct sweep *s, const struct ibc_node *node)
{
	struct kind_key key = { node->type, node->vendor_id, node->device_id, node->revision };
	struct kind *kind;

	HASH_FIND(hh, s->kinds, &key, sizeof(key), kind);
	if (kind)
		return kind;
	kind = arena_alloc(s->scratch, sizeof(*kind));
	if (!kind)
		return NULL;
	kind->key = key;
	kind->samples.patient = true;
	HASH_ADD(hh, s->kinds, key, sizeof(kind->key), kind);
	return hash_added(kind) ? kind : NULL;
}

struct kind *kind_of(struct sweep *s, struct site *site)
{
	if (!site->kind)
		site->kind = kind_find(s, site->node);
	if (!site->kind)
		s->out_of_memory = true;
	return site->kind;
}

void kinds_free(struct sweep *s)
{
	HASH_CLEAR(hh, s->kinds);
}

/* ---- one device for all of a model ------------------------------------------------ */

static struct model_query *query_of(const struct model_query_rule *rule, struct kind *kind)
{
	return (struct model_query *)((char *)kind + rule->query);
}

bool model_query_is_vain(const struct model_query_rule *rule, struct kind *kind)
{
	const struct model_query *q = query_of(rule, kind);

	return q->outcome == ANSWER_NONE && q->missed >= rule->tries_max;
}

void model_query_try(struct sweep *s, const struct model_query_rule *rule, struct site *site)
{
	query_of(rule, site->kind)->tried++;
	rule->ask(s, site);
}

void model_query_start(struct sweep *s, const struct model_query_rule *rule, struct site *site)
{
	struct model_query *q = query_of(rule, site->kind);
	struct model_query_entry *entry;

	if (q->outcome != ANSWER_NONE || model_query_is_vain(rule, site->kind)) {
		rule->settled(s, site);
	} else if (q->tried == q->missed) {
		model_query_try(s, rule, site);
	} else {
		entry = arena_alloc(s->scratch, sizeof(*entry));
		if (!entry) {
			s->out_of_memory = true;
			return;
		}
		*entry = (struct model_query_entry){ site, q->waiting };
		q->waiting = entry;
	}
}

void model_query_hurry(struct sweep *s, const struct model_query_rule *rule, struct kind *kind)
{
	struct model_query *q = query_of(rule, kind);

	for (unsigned int i = 0; i < AT_ONCE && q->waiting && q->tried < rule->tries_max; i++) {
		struct site *site = q->waiting->site;

		q->waiting = q->waiting->next;
		model_query_try(s, rule, site);
	}
}

static void release_all(struct sweep *s, const struct model_query_rule *rule, struct kind *kind)
{
	struct model_query_entry *entry = query_of(rule, kind)->waiting;

	query_of(rule, kind)->waiting = NULL;
	for (; entry; entry = entry->next)
		model_query_start(s, rule, entry->site);
}

void model_query_told(struct sweep *s, const struct model_query_rule *rule, struct kind *kind,
                      enum answer outcome)
{
	struct model_query *q = query_of(rule, kind);

	if (q->outcome == ANSWER_NONE)
		q->outcome = outcome;
	release_all(s, rule, kind);
}

void model_query_missed(struct sweep *s, const struct model_query_rule *rule, struct kind *kind)
{
	query_of(rule, kind)->missed++;
	if (model_query_is_vain(rule, kind))
		release_all(s, rule, kind);
	else
		model_query_hurry(s, rule, kind);
}

void model_query_finish(struct sweep *s, const struct model_query_rule *rule)
{
	const struct model_query_entry *entry;

	for (struct kind *kind = s->kinds; kind; kind = kind->hh.next)
		for (entry = query_of(rule, kind)->waiting; entry; entry = entry->next)
			s->plane->not_asked++;
}
