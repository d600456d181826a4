/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What groups of ports have and lack.  A group serves LIDs; the ports that lead nearer to all
 * of them, to some, or to none are what it could have.  That is a rule only where nearly all
 * groups keep it: routing that leaves shortest ways on purpose has others.
 */
#include <stdlib.h>

#include "analysis/routes/adaptive.h"
#include "base/arena.h"
#include "base/array.h"
#include "fabric/fabric.h"

#define KEEP_PARTS 9  /* of ten groups so many keep the rule, else it is none: a guess */
#define OF_PARTS   10 /* the ten */

/* struct ar_group - ports that lead nearer to all LIDs of hosts that use it, and to some */
struct ar_group {
	bool used, up;
	struct ibc_port_set all, some;
};

/* ---- what its LIDs would have --------------------------------------------------------- */

/* Ports from which it is one switch less to the destination. */
static struct ibc_port_set nearer_ports(const struct choices *c, uint32_t s)
{
	const struct route_subnet *p = c->p;
	const uint8_t *hops = &p->shortest[(size_t)p->sender[c->dest->sw] * p->n];
	const struct choice_ports *ports = c->ports;
	struct ibc_port_set set = { { 0 } };

	/* for every choice of every destination switch: without a branch, a word at a time */
	for (uint32_t i = ports->first[s]; hops[s] > 1 && i < ports->first[s + 1];) {
		unsigned int word = ports->links[i].port / 64;
		uint64_t bits = 0;

		for (; i < ports->first[s + 1] && ports->links[i].port / 64 == word; i++)
			bits |= (uint64_t)(hops[ports->links[i].to] + 1 == hops[s])
			        << ports->links[i].port % 64;
		set.words[word] = bits;
	}
	return set;
}

static bool see_group(struct ar_found *f, uint32_t s, unsigned int number)
{
	const struct route_subnet *p = f->c.p;
	struct ibc_port_set near;
	struct ar_group *group;
	unsigned int at = 0, port;

	if (!f->groups[s])
		f->groups[s] = arena_array(f->a, p->lft->ar->switches[s].num_groups,
		                           sizeof(*f->groups[s]));
	if (!f->groups[s])
		return false;
	group = &f->groups[s][number];
	near = nearer_ports(&f->c, s);
	for (unsigned int i = 0; i < SET_WORDS; i++) {
		group->all.words[i] = group->used ? group->all.words[i] & near.words[i]
		                                  : near.words[i];
		group->some.words[i] |= near.words[i];
	}
	if (ports_next(&near, &at, &port) && p->rank[choice_next(p, s, port)] > p->rank[s])
		group->up = true;
	group->used = true;
	return true;
}

bool ar_groups_see(struct ar_found *f)
{
	const struct choices *c = &f->c;
	unsigned int number;

	if (!c->p->shortest)
		return true;
	for (uint32_t i = 0; i < c->num_order; i++)
		if (c->order[i] != c->dest->sw && choices_group(c, c->order[i], &number) &&
		    !see_group(f, c->order[i], number))
			return false;
	return true;
}

static void merge_group(struct ar_group *to, const struct ar_group *from)
{
	if (!to->used)
		*to = *from;
	for (unsigned int i = 0; from->used && i < SET_WORDS; i++) {
		to->all.words[i] &= from->all.words[i];
		to->some.words[i] |= from->some.words[i];
	}
	to->up |= from->up;
}

bool ar_groups_merge(struct ar_found *f, const struct ar_found *from)
{
	const struct route_subnet *p = f->c.p;

	for (uint32_t s = 0; s < p->n; s++) {
		unsigned int n = from->groups[s] ? p->lft->ar->switches[s].num_groups : 0;

		if (n && !f->groups[s])
			f->groups[s] = arena_array(f->a, n, sizeof(*f->groups[s]));
		if (n && !f->groups[s])
			return false;
		for (unsigned int i = 0; i < n; i++)
			merge_group(&f->groups[s][i], &from->groups[s][i]);
	}
	return true;
}

/* ---- what they have ------------------------------------------------------------------- */

/* The ports that are of one kind of oddity. */
static struct ibc_port_set odd_ports(const struct choice_ports *ports, const struct ar_group *group,
                                     const struct ibc_port_set *has, uint32_t s,
                                     enum ibc_ar_oddity what)
{
	struct ibc_port_set set;

	for (unsigned int i = 0; i < SET_WORDS; i++) {
		uint64_t all = group->all.words[i], some = group->some.words[i];
		uint64_t live = ports->live[s].words[i], in = has->words[i];

		set.words[i] = what == IBC_AR_LACKS    ? all & ~in
		               : what == IBC_AR_SPARES ? some & ~all & ~in
		               : what == IBC_AR_KEEPS  ? in & live & ~some
		                                       : in & ports->down[s].words[i];
	}
	return set;
}

/*
 * struct rule - do groups of switches of a rank that lead up, or down, have all they could?
 * @groups: that are used; @keep: that do
 */
struct rule {
	size_t groups, keep;
};

/*
 * struct group_report
 * @rules: by rank, then up
 * @odd: column * width + port: how many groups it is odd in, and @lowest of them
 */
struct group_report {
	struct route_subnet *p;
	const struct ar_found *f;
	struct rule rules[UINT8_MAX + 1][2];
	uint32_t *odd, *lowest;
	struct ibc_ar_odd_port *list;
	size_t num, room;
};

typedef void group_fn(struct group_report *r, uint32_t s, unsigned int number, void *ctx);

static void each_group(struct group_report *r, group_fn *fn, void *ctx)
{
	for (uint32_t s = 0; s < r->p->n; s++)
		for (unsigned int i = 0;
		     r->f->groups[s] && i < r->p->lft->ar->switches[s].num_groups; i++)
			if (r->f->groups[s][i].used)
				fn(r, s, i, ctx);
}

static struct ibc_port_set odd_of(const struct group_report *r, uint32_t s, unsigned int number,
                                  enum ibc_ar_oddity what)
{
	return odd_ports(r->f->c.ports, &r->f->groups[s][number],
	                 r->p->lft->ar->switches[s].groups[number], s, what);
}

static struct rule *rule_of(struct group_report *r, uint32_t s, unsigned int number)
{
	return &r->rules[r->p->rank[s]][r->f->groups[s][number].up];
}

static void count_rule(struct group_report *r, uint32_t s, unsigned int number, void *ctx)
{
	struct ibc_port_set lacks = odd_of(r, s, number, IBC_AR_LACKS);
	struct ibc_port_set keeps = odd_of(r, s, number, IBC_AR_KEEPS);
	struct rule *rule = rule_of(r, s, number);

	(void)ctx;
	rule->groups++;
	rule->keep += !ports_any(&lacks) && !ports_any(&keeps);
}

static void count_odd(struct group_report *r, uint32_t s, unsigned int number, void *ctx)
{
	enum ibc_ar_oddity what = *(const enum ibc_ar_oddity *)ctx;
	struct ibc_port_set set = odd_of(r, s, number, what);
	const struct rule *rule = rule_of(r, s, number);
	unsigned int at = 0, port;

	if (what != IBC_AR_NO_LINK && rule->keep * OF_PARTS < rule->groups * KEEP_PARTS)
		return;
	while (ports_next(&set, &at, &port)) {
		size_t cell = (size_t)s * r->p->width + port;

		if (!r->odd[cell]++)
			r->lowest[cell] = number;
	}
}

/* Those of one kind; then nothing is counted any more. */
static bool list_odd(struct group_report *r, enum ibc_ar_oddity what)
{
	size_t cells = (size_t)r->p->n * r->p->width;

	for (size_t i = 0; i < cells; i++) {
		uint32_t s = (uint32_t)(i / r->p->width);

		if (!r->odd[i])
			continue;
		if (!arena_grow(r->p->routes->arena, &r->list, r->num, &r->room, sizeof(*r->list)))
			return false;
		r->list[r->num++] = (struct ibc_ar_odd_port){
			.what = what,
			.port = ibc_node_port(r->p->lft->switches[s],
			                      (unsigned int)(i % r->p->width)),
			.group = r->lowest[i],
			.groups = r->odd[i],
			.others = rule_of(r, s, r->lowest[i])->keep,
		};
		r->odd[i] = 0;
	}
	return true;
}

bool ar_groups_report(const struct ar_found *f, struct route_subnet *p)
{
	size_t cells = (size_t)p->n * p->width + 1;
	struct group_report *r = arena_alloc(p->tmp, sizeof(*r));
	bool done = r;

	if (!r)
		return false;
	r->p = p;
	r->f = f;
	r->odd = arena_array(p->tmp, cells, sizeof(*r->odd));
	r->lowest = arena_array(p->tmp, cells, sizeof(*r->lowest));
	if (!r->odd || !r->lowest)
		return false;
	each_group(r, count_rule, NULL);
	for (enum ibc_ar_oddity what = IBC_AR_LACKS; done && what <= IBC_AR_NO_LINK; what++) {
		each_group(r, count_odd, &what);
		done = list_odd(r, what);
	}
	p->ar_odd_ports = r->list;
	p->num_ar_odd_ports = r->num;
	return done;
}
