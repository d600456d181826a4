/* SPDX-License-Identifier: BSD-2-Clause */
/* Cause and consequence: which finding explains which, by the lists of the checks. */
#include "case/explain.h"

#include <stdlib.h>
#include <string.h>

#include <ibcheck/routes.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "case/behind.h"

#define NOBODY SIZE_MAX

/* ---- where causes are ------------------------------------------------------------------ */

/* A check has a finding with this key. */
struct entry {
	uint64_t key;
	size_t finding, next;
};

/* struct row - one of .explained_by, of a check that has findings */
struct row {
	uint64_t check;
	enum ibc_relation relation;
};

/*
 * struct causes - findings that may explain others, by check and key
 * @slots, @mask: a hash table: each has the number of an entry, which begins a list, or NOBODY
 * @rows: of the check whose findings are looked at, ended by one without relation
 * @keys, @relation: of the finding that is looked at, and what they are good for
 * @gates: of behind.h; NULL: nobody asked yet
 */
struct causes {
	const struct things *things;
	struct findings *f;
	struct entry *entries;
	size_t n, room, *slots, mask, *gates;
	struct row *rows;
	const struct ibc_check **present; /* checks that have findings, each once */
	size_t num_present;
	struct keys keys;
	enum ibc_relation relation;
	bool failed;
};

static uint64_t hash_check(const struct ibc_check *check)
{
	return hash_more(HASH_BEGIN, check->id);
}

/* As one of a check. */
static uint64_t key_in(uint64_t check, uint64_t key)
{
	return hash_mix(key ^ hash_mix(check));
}

static void note_keys(struct causes *c, size_t finding)
{
	uint64_t check = hash_check(c->f->check[finding]);

	c->failed |= c->keys.failed;
	for (size_t i = 0; i < c->keys.n && !c->failed; i++) {
		c->failed = !grow(&c->entries, c->n, &c->room, sizeof(*c->entries));
		if (!c->failed)
			c->entries[c->n++] = (struct entry){ key_in(check, c->keys.key[i]), finding,
				                             NOBODY };
	}
}

/* What it is about, with all that it names, but for those who suffer, and who did it. */
static void note_cause(struct causes *c, size_t i)
{
	const struct ibc_finding *f = c->f->list[i];

	c->keys.n = 0;
	keys_of_thing(c->things, &f->subject, &c->keys);
	keys_beside(c->things, &f->subject, &c->keys);
	keys_subnet(c->things, &f->subject, &c->keys);
	for (size_t k = 0; k < f->num_related; k++) {
		const struct ibc_related *r = &f->related[k];

		if (r->role == IBC_ROLE_VICTIM || r->role == IBC_ROLE_CAUSE)
			continue;
		keys_of_thing(c->things, &r->subject, &c->keys);
		keys_beside(c->things, &r->subject, &c->keys);
	}
	note_keys(c, i);
}

/* The most severe of a key come first in its list, of these the first. */
static void hash_causes(struct causes *c)
{
	size_t size = 2;

	while (size < 2 * c->n)
		size *= 2;
	c->mask = size - 1;
	c->slots = arena_array(c->things->arena, size, sizeof(*c->slots));
	c->failed |= !c->slots;
	for (size_t i = 0; !c->failed && i < size; i++)
		c->slots[i] = NOBODY;
	for (enum ibc_severity now = IBC_OK; !c->failed && now <= IBC_CRITICAL; now++) {
		for (size_t i = c->n; i-- > 0;) {
			size_t *slot = &c->slots[c->entries[i].key & c->mask];

			if (c->f->list[c->entries[i].finding]->severity != now)
				continue;
			c->entries[i].next = *slot;
			*slot = i;
		}
	}
}

/* ---- who asks --------------------------------------------------------------------------- */

/* Only what others may explain says more than the finding does. */
static bool may_explain(const struct ibc_finding *cause, const struct ibc_finding *f)
{
	return cause != f && (cause->severity > IBC_INFO || f->severity <= IBC_INFO);
}

static bool is_better(const struct causes *c, size_t at, size_t best)
{
	if (best == NOBODY)
		return true;
	return (order_u64(c->f->list[best]->severity, c->f->list[at]->severity)
	            ?: order_u64(at, best)) < 0;
}

/* The most severe with that key, then the first; or what was found before. */
static size_t better_cause(const struct causes *c, size_t finding, uint64_t key, size_t best)
{
	size_t i = c->slots[key & c->mask];

	while (i != NOBODY &&
	       (c->entries[i].key != key ||
	        !may_explain(c->f->list[c->entries[i].finding], c->f->list[finding])))
		i = c->entries[i].next;
	return i != NOBODY && is_better(c, c->entries[i].finding, best) ? c->entries[i].finding
	                                                                : best;
}

static bool concerns(enum ibc_relation relation, const struct ibc_finding *f,
                     const struct ibc_related *r)
{
	if (relation == IBC_ACROSS || f->subject.kind == IBC_SUBJECT_FABRIC)
		return true;
	return r->role == IBC_ROLE_CAUSE;
}

/* The pair that a finding names. */
static const struct ibc_port *find_witness(const struct causes *c, const struct ibc_finding *f,
                                           unsigned int *dlid)
{
	for (size_t i = 0; i < f->num_facts; i++)
		if (!strcmp(f->facts[i].key, "dlid") && f->facts[i].value.kind == IBC_U64)
			*dlid = (unsigned int)f->facts[i].value.num;
	for (size_t i = 0; i < f->num_related; i++)
		if (f->related[i].role == IBC_ROLE_VICTIM)
			return thing_port(c->things, &f->related[i].subject.near);
	return NULL;
}

/* Else the way is that of our own queries, from where the sweep began. */
static const struct ibc_port *find_query(const struct causes *c, const struct ibc_finding *f,
                                         unsigned int *dlid)
{
	const struct ibc_node *node = thing_node(c->things, &f->subject.near);
	const struct ibc_port *port;

	for (unsigned int num = 0; node && num <= node->num_ports && !*dlid; num++) {
		port = ibc_node_port(node, num);
		*dlid = port ? port->lid : 0;
	}
	return node ? node->subnet->origin : NULL;
}

static void keys_of_route(struct causes *c, const struct ibc_finding *f)
{
	const struct ibc_port *src;
	struct ibc_path path;
	unsigned int dlid = 0;

	src = find_witness(c, f, &dlid);
	if (!src || !dlid)
		src = find_query(c, f, &dlid);
	if (!src || !dlid || ibc_path_find(src, dlid, &path, NULL))
		return;
	for (size_t i = 0; i < path.num; i++)
		keys_at_port(c->things, path.out[i], &c->keys);
}

/* How a subject is looked for, by relation; those of IBC_BEHIND are nodes. */
static void (*const keys_by_relation[])(const struct things *t, const struct ibc_subject *subject,
                                        struct keys *keys) = {
	[IBC_SAME] = keys_of_thing,   [IBC_AT] = keys_at,     [IBC_BESIDE] = keys_of_nodes,
	[IBC_BEHIND] = keys_of_nodes, [IBC_ACROSS] = keys_at, [IBC_IN_SUBNET] = keys_subnet,
};

static void find_keys(struct causes *c, const struct ibc_finding *f, enum ibc_relation relation)
{
	if (c->relation == relation)
		return;
	c->relation = relation;
	c->keys.n = 0;
	keys_by_relation[relation](c->things, &f->subject, &c->keys);
	for (size_t i = 0; relation != IBC_SAME && i < f->num_related; i++)
		if (concerns(relation, f, &f->related[i]))
			keys_by_relation[relation](c->things, &f->related[i].subject, &c->keys);
	if (relation == IBC_ACROSS)
		keys_of_route(c, f);
	c->failed |= c->keys.failed;
}

static size_t cause_at(const struct causes *c, size_t finding, uint64_t check)
{
	size_t best = NOBODY;

	for (size_t i = 0; i < c->keys.n; i++)
		best = better_cause(c, finding, key_in(check, c->keys.key[i]), best);
	return best;
}

/* The nearest gate that has one: what explains that one in its turn lies before it. */
static size_t cause_before(struct causes *c, size_t finding, uint64_t check)
{
	size_t best = NOBODY;

	if (!c->gates)
		c->gates = find_gates(c->things);
	c->failed |= !c->gates;
	for (size_t i = 0; !c->failed && best == NOBODY && i < c->keys.n; i++) {
		size_t at = c->gates[node_of_key(c->keys.key[i])];

		for (; best == NOBODY && at != NO_GATE; at = c->gates[at])
			best = better_cause(c, finding, key_in(check, key_of_node(at)), best);
	}
	return best;
}

static size_t find_cause(struct causes *c, size_t finding)
{
	size_t best = NOBODY;

	c->relation = 0;
	for (const struct row *row = c->rows; row->relation && best == NOBODY; row++) {
		find_keys(c, c->f->list[finding], row->relation);
		best = row->relation == IBC_BEHIND ? cause_before(c, finding, row->check)
		                                   : cause_at(c, finding, row->check);
	}
	return best;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Findings are sorted by check. */
static bool is_new_check(const struct findings *f, size_t i)
{
	return f->check[i] && (!i || f->check[i] != f->check[i - 1]);
}

static void find_present(struct causes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->f->n; i++)
		n += is_new_check(c->f, i);
	c->present = arena_array(c->things->arena, n + 1, sizeof(struct ibc_check *));
	c->failed |= !c->present;
	for (size_t i = 0; !c->failed && i < c->f->n; i++)
		if (is_new_check(c->f, i))
			c->present[c->num_present++] = c->f->check[i];
}

static bool has_findings(const struct causes *c, const char *check)
{
	for (size_t i = 0; i < c->num_present; i++)
		if (!strcmp(c->present[i]->id, check))
			return true;
	return false;
}

static void find_rows(struct causes *c, const struct ibc_check *check)
{
	const struct ibc_explainer *by = check->explained_by;
	size_t n = 0;

	while (by && by[n].check)
		n++;
	c->rows = arena_array(c->things->arena, n + 1, sizeof(*c->rows));
	c->failed |= !c->rows;
	for (n = 0; !c->failed && by && by->check; by++)
		if (has_findings(c, by->check))
			c->rows[n++] = (struct row){ hash_more(HASH_BEGIN, by->check),
				                     by->relation };
}

/* Causes have causes; the lists have no circles. */
static void find_roots(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t root = i;

		while (f->cause[root] != root)
			root = f->cause[root];
		f->cause[i] = root;
	}
}

static void explain_all(struct causes *c)
{
	struct findings *f = c->f;

	for (size_t i = 0; i < f->n; i++)
		if (f->check[i])
			note_cause(c, i);
	hash_causes(c);
	find_present(c);
	for (size_t i = 0; i < f->n && !c->failed; i++) {
		size_t cause = NOBODY;

		if (is_new_check(f, i))
			find_rows(c, f->check[i]);
		if (f->check[i] && !c->failed)
			cause = find_cause(c, i);
		f->cause[i] = cause == NOBODY ? i : cause;
	}
}

bool explain_findings(const struct things *t, struct findings *f)
{
	struct causes c = { .things = t, .f = f };

	explain_all(&c);
	if (!c.failed)
		find_roots(f);
	keys_free(&c.keys);
	free(c.entries);
	return !c.failed;
}
