/* SPDX-License-Identifier: BSD-2-Clause */
/* Cause and consequence: which finding explains which, by the lists of the checks. */
#include "case/explain.h"

#include <stdlib.h>
#include <string.h>

#include <ibcheck/routes.h>

#include "base/arena.h"
#include "base/array.h"
#include "case/behind.h"
#include "case/map.h"
#include "report/report.h"

#define NO_CAUSE SIZE_MAX

/* ---- where causes are ------------------------------------------------------------------ */

/* Of the findings of a check at one key the best cause; @next: of another check, or NO_CAUSE. */
struct cause {
	const struct ibc_check *check;
	size_t finding, next;
};

/* struct row - one of .explained_by, of a check that has findings */
struct row {
	const struct ibc_check *check;
	enum ibc_relation relation;
};

/*
 * struct present - a check that has findings
 * @relations: how it explains others that have: a bit for each enum ibc_relation
 * @rows: of its own list, ended by one without relation
 */
struct present {
	const struct ibc_check *check;
	unsigned int relations;
	struct row *rows;
};

/*
 * struct causes - findings that may explain others, by key
 * @first: by key the first of @list
 * @keys, @relation: of the finding that is looked at, and what they are good for
 * @gates: of behind.h; NULL: not looked for yet
 */
struct causes {
	const struct things *things;
	struct findings *f;
	struct map first;
	struct cause *list;
	size_t n, room, *gates;
	struct present *checks;
	size_t num_checks;
	struct keys keys;
	enum ibc_relation relation;
};

static bool is_better(const struct causes *c, size_t at, size_t best)
{
	if (best == NO_CAUSE)
		return true;
	return (order_u64(c->f->list[best]->severity, c->f->list[at]->severity)
	            ?: order_u64(at, best)) < 0;
}

/* The most severe of a check, then the first, is as good a cause as all of them. */
static void note_key(struct causes *c, uint64_t key, size_t finding)
{
	const struct ibc_check *check = c->f->check[finding];
	size_t first, i;

	arena_grow(c->things->arena, &c->list, c->n, &c->room, sizeof(*c->list));
	first = map_add(&c->first, key, c->n);
	for (i = first; i < c->n && c->list[i].check != check;)
		i = c->list[i].next;
	if (i < c->n) {
		if (is_better(c, finding, c->list[i].finding))
			c->list[i].finding = finding;
		return;
	}
	c->list[c->n] = (struct cause){ check, finding, NO_CAUSE };
	if (first < c->n) {
		c->list[c->n].next = c->list[first].next;
		c->list[first].next = c->n;
	}
	c->n++;
}

#define HAS(relations, relation) ((relations)&1U << (relation))

static void keys_of_cause(struct causes *c, const struct thing *thing, unsigned int relations)
{
	if (relations & ~(1U << IBC_BESIDE | 1U << IBC_IN_SUBNET))
		keys_of_thing(thing, &c->keys);
	if (HAS(relations, IBC_BESIDE))
		keys_beside(thing, &c->keys);
}

/* 0: it has none. */
static uint64_t number_fact(const struct ibc_finding *f, const char *key)
{
	const struct ibc_value *value = finding_fact(f, key);

	return !value ? 0 : value->kind == IBC_BOOL ? value->flag : value->num;
}

/* What it is about, with all that it names, but for those who suffer, and who did it. */
static void note_cause(struct causes *c, size_t i, unsigned int relations)
{
	const struct ibc_finding *f = c->f->list[i];

	/* a device that is another one, or has another name, explains nothing at its cables */
	if (!relations || number_fact(f, "cables_compared"))
		return;
	c->keys.n = 0;
	keys_of_cause(c, &c->f->thing[i], relations);
	if (HAS(relations, IBC_SAME) || HAS(relations, IBC_IN_SUBNET))
		keys_subnet(&c->f->thing[i], &c->keys);
	for (size_t k = 0; k < f->num_related; k++) {
		const struct ibc_related *r = &f->related[k];
		struct thing thing;

		if (r->role == IBC_ROLE_VICTIM || r->role == IBC_ROLE_CAUSE)
			continue;
		thing = thing_of(c->things, &r->subject);
		keys_of_cause(c, &thing, relations);
	}
	for (size_t k = 0; k < c->keys.n; k++)
		note_key(c, c->keys.key[k], i);
}

/* ---- who asks --------------------------------------------------------------------------- */

/*
 * That of a check in the list of a key; or what was found before.  Only what others may explain
 * says more than the finding does.  A whole subnet suffers from more than a warning, which a
 * standby is that hangs beside a master that works.
 */
static size_t better_cause(const struct causes *c, size_t finding, const struct ibc_check *check,
                           size_t first, size_t best)
{
	enum ibc_severity least = c->relation == IBC_IN_SUBNET ? IBC_WARNING : IBC_INFO;
	const struct ibc_finding *cause;
	size_t i = first;

	while (i != NO_CAUSE && c->list[i].check != check)
		i = c->list[i].next;
	/* a check whose kinds explain one another: its first is not its own cause */
	if (i == NO_CAUSE || c->list[i].finding == finding)
		return best;
	cause = c->f->list[c->list[i].finding];
	if ((c->relation == IBC_OF_SUBNET && cause->subject.kind != IBC_SUBJECT_FABRIC) ||
	    (cause->severity <= least && c->f->list[finding]->severity > IBC_INFO))
		return best;
	return is_better(c, c->list[i].finding, best) ? c->list[i].finding : best;
}

/* Else the way is that of our own queries, from where the sweep began. */
static const struct ibc_port *find_query(const struct ibc_node *node, unsigned int *dlid)
{
	const struct ibc_port *port;

	for (unsigned int num = 0; node && num <= node->num_ports && !*dlid; num++) {
		port = ibc_node_port(node, num);
		*dlid = port ? port->lid : 0;
	}
	return node ? node->subnet->origin : NULL;
}

static void keys_of_way(struct causes *c, const struct ibc_port *src, unsigned int dlid)
{
	struct ibc_path path;

	if (!src || !dlid || ibc_path_find(src, dlid, &path, NULL))
		return;
	for (size_t i = 0; i < path.num; i++) {
		struct spot spot = spot_of_port(c->things, path.out[i]);

		keys_at_spot(&spot, &c->keys);
	}
}

/* How a thing is looked for, by relation; those of IBC_BEHIND are nodes. */
static void (*const keys_by_relation[])(const struct thing *thing, struct keys *keys) = {
	[IBC_SAME] = keys_of_thing,    [IBC_AT] = keys_at,          [IBC_BESIDE] = keys_of_nodes,
	[IBC_BEHIND] = keys_of_nodes,  [IBC_ACROSS] = keys_at,      [IBC_IN_SUBNET] = keys_subnet,
	[IBC_OF_SUBNET] = keys_subnet, [IBC_NAMED] = keys_of_thing,
};

/* Of keys only those that have causes, as the first of their lists. */
static void find_lists(struct causes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->keys.n; i++) {
		c->keys.key[n] = map_find(&c->first, c->keys.key[i]);
		n += c->keys.key[n] != MAP_NONE;
	}
	c->keys.n = n;
}

static void find_keys(struct causes *c, size_t finding, enum ibc_relation relation)
{
	const struct ibc_finding *f = c->f->list[finding];

	if (c->relation == relation)
		return;
	c->relation = relation;
	c->keys.n = 0;
	if (relation != IBC_NAMED)
		keys_by_relation[relation](&c->f->thing[finding], &c->keys);
	for (size_t i = 0; relation != IBC_SAME && i < f->num_related; i++)
		if (relation == IBC_ACROSS || f->subject.kind == IBC_SUBJECT_FABRIC ||
		    f->related[i].role == IBC_ROLE_CAUSE) {
			struct thing thing = thing_of(c->things, &f->related[i].subject);

			keys_by_relation[relation](&thing, &c->keys);
		}
	if (relation == IBC_ACROSS) {
		/* the pair that it names */
		unsigned int dlid = 0;
		const struct ibc_port *src = NULL;

		for (size_t i = 0; i < f->num_facts; i++)
			if (!strcmp(f->facts[i].key, "dlid") && f->facts[i].value.kind == IBC_U64)
				dlid = (unsigned int)f->facts[i].value.num;
		for (size_t i = 0; !src && i < f->num_related; i++)
			if (f->related[i].role == IBC_ROLE_VICTIM)
				src = thing_of(c->things, &f->related[i].subject).near.port;
		if (!src || !dlid)
			src = find_query(c->f->thing[finding].near.node, &dlid);
		keys_of_way(c, src, dlid);
	}
	if (relation != IBC_BEHIND)
		find_lists(c);
}

static size_t cause_at(const struct causes *c, size_t finding, const struct ibc_check *check)
{
	size_t best = NO_CAUSE;

	for (size_t i = 0; i < c->keys.n; i++)
		best = better_cause(c, finding, check, c->keys.key[i], best);
	return best;
}

/* Of queries to a LID and their answers, whose way is that of the tables, too. */
static size_t cause_on_way(struct causes *c, size_t finding, const struct ibc_check *check,
                           const struct ibc_port *origin, unsigned int there, bool back_only)
{
	const struct ibc_port *port;

	port = origin ? ibc_fabric_port_by_lid(origin->node->subnet, there) : NULL;
	c->relation = 0;
	c->keys.n = 0;
	if (!back_only)
		keys_of_way(c, origin, there);
	if (port)
		keys_of_way(c, port, origin->lid);
	find_lists(c);
	return cause_at(c, finding, check);
}

static size_t cause_to_node(struct causes *c, size_t finding, const struct ibc_check *check,
                            const struct ibc_node *node, bool back_only)
{
	unsigned int lid = 0;
	const struct ibc_port *origin = find_query(node, &lid);

	return lid ? cause_on_way(c, finding, check, origin, lid, back_only) : NO_CAUSE;
}

/*
 * LID-routed queries without an answer: of subnet administration, or of counters.  What a
 * switch cannot send to us, the hosts at it cannot either; else the way of each device that is
 * silent must have a cause, and where only some of them are named, there is none.
 */
static size_t cause_of_silence(struct causes *c, size_t finding, const struct ibc_check *check)
{
	const struct ibc_finding *f = c->f->list[finding];
	const struct ibc_node *node = c->f->thing[finding].near.node;
	uint64_t lid = f->subject.kind == IBC_SUBJECT_FABRIC ? number_fact(f, "lid") : 0, named = 0;
	const struct ibc_subnet *subnet = thing_subnet(&c->f->thing[finding]);
	size_t best = NO_CAUSE;

	if (number_fact(f, "refused") || (!lid && !number_fact(f, "questions")))
		return NO_CAUSE;
	if (lid)
		return subnet ? cause_on_way(c, finding, check, subnet->origin, (unsigned int)lid,
		                             false)
		              : NO_CAUSE;
	if (node && node->type == IBC_NODE_SWITCH)
		best = cause_to_node(c, finding, check, node, true);
	if (best != NO_CAUSE)
		return best;
	if (!f->num_related && node)
		return cause_to_node(c, finding, check, node, false);
	for (size_t i = 0; i < f->num_related; i++) {
		if (f->related[i].role != IBC_ROLE_FOUND)
			continue;
		node = thing_of(c->things, &f->related[i].subject).near.node;
		best = cause_to_node(c, finding, check, node, false);
		if (best == NO_CAUSE)
			return NO_CAUSE;
		named++;
	}
	return named == number_fact(f, "devices") ? best : NO_CAUSE;
}

/* The nearest gate that has one: what explains that one in its turn lies before it. */
static size_t cause_before(struct causes *c, size_t finding, const struct ibc_check *check)
{
	size_t best = NO_CAUSE;

	if (!c->gates)
		c->gates = find_gates(c->things);
	for (size_t i = 0; best == NO_CAUSE && i < c->keys.n; i++) {
		size_t at = c->gates[node_of_key(c->keys.key[i])];

		for (; best == NO_CAUSE && at != NO_GATE; at = c->gates[at])
			best = better_cause(c, finding, check, map_find(&c->first, key_of_node(at)),
			                    best);
	}
	return best;
}

static size_t find_cause(struct causes *c, size_t finding, const struct row *row)
{
	size_t best = NO_CAUSE;

	c->relation = 0;
	for (; row->relation && best == NO_CAUSE; row++) {
		find_keys(c, finding, row->relation);
		best = row->relation == IBC_BEHIND ? cause_before(c, finding, row->check)
		                                   : cause_at(c, finding, row->check);
		if (best == NO_CAUSE && row->relation == IBC_ACROSS)
			best = cause_of_silence(c, finding, row->check);
	}
	return best;
}

/* ---- all of them -------------------------------------------------------------------------- */

static void find_rows(struct causes *c, struct present *p)
{
	const struct ibc_explainer *by = p->check->explained_by;
	size_t n = 0;

	while (by && by[n].check)
		n++;
	p->rows = arena_array(c->things->arena, n + 1, sizeof(*p->rows));
	for (n = 0; by && by->check; by++) {
		for (size_t i = 0; i < c->num_checks; i++) {
			struct present *cause = &c->checks[i];

			if (strcmp(cause->check->id, by->check) != 0)
				continue;
			cause->relations |= 1U << by->relation;
			p->rows[n++] = (struct row){ cause->check, by->relation };
		}
	}
}

/* Lines of a file, or what a sweep did not reach. */
static bool is_loss(const struct ibc_finding *f)
{
	return !strcmp(f->check, "fabric.lines") ||
	       (!strcmp(f->check, "port.silent") && finding_fact(f, "not_asked"));
}

void explain_findings(const struct things *t, struct findings *f)
{
	struct causes c = {
		.things = t, .f = f, .first = { .arena = t->arena }, .keys = { .arena = t->arena }
	};
	struct present **present = arena_array(t->arena, f->n, sizeof(struct present *));
	size_t lost = 0;

	c.checks = arena_array(t->arena, f->n, sizeof(*c.checks));
	for (size_t i = 0; i < f->n; i++) { /* findings are sorted by check */
		if (f->check[i] && (!i || f->check[i] != f->check[i - 1]))
			c.checks[c.num_checks++].check = f->check[i];
		present[i] = f->check[i] ? &c.checks[c.num_checks - 1] : NULL;
	}
	for (size_t i = 0; i < c.num_checks; i++)
		find_rows(&c, &c.checks[i]);
	for (size_t i = 0; i < f->n; i++)
		if (present[i])
			note_cause(&c, i, present[i]->relations);
	while (lost < f->n && !is_loss(f->list[lost]))
		lost++;
	for (size_t i = 0; i < f->n; i++) {
		size_t cause = present[i] ? find_cause(&c, i, present[i]->rows) : NO_CAUSE;

		if (f->list[i]->doubtful && lost < f->n)
			cause = lost;
		f->cause[i] = cause == NO_CAUSE ? i : cause;
	}
	/* causes have causes; the lists have no circles */
	for (size_t i = 0; i < f->n; i++) {
		size_t root = i;

		while (f->cause[root] != root)
			root = f->cause[root];
		f->cause[i] = root;
	}
}
