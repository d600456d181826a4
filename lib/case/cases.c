/* SPDX-License-Identifier: BSD-2-Clause */
/* From findings to cases: what is one fault for whoever mends it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/case.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "case/advice.h"
#include "case/alike.h"
#include "case/map.h"
#include "case/words.h"
#include "report/report.h"

#define SECONDS_PER_HOUR 3600 /* counts come per hour */
#define ID_MAX           17   /* 64 bits in hexadecimal */

/*
 * struct draft - a case, while there are others to compare it with
 * @hash: of a view: of the check and of what its members have in common; @shared: with another
 * @least: of the hashes of its members
 */
struct draft {
	struct ibc_case c;
	uint64_t hash, least;
	bool shared;
};

/*
 * struct cases - what they are made of
 * @digits: the first of the ids that there are
 */
struct cases {
	const struct things *things;
	struct ibc_report *rep;
	const struct findings *f;
	struct grouping groups;
	struct map digits;
};

/* ---- one case ---------------------------------------------------------------------------- */

/* The facts that name a loss. */
static void add_cost(const struct ibc_finding *f, struct ibc_cost *cost)
{
	double per_hour = 0, errors = 0;

	for (size_t i = 0; i < f->num_facts; i++) {
		const struct ibc_fact *fact = &f->facts[i];
		double value = fact->value.kind == IBC_REAL  ? fact->value.real
		               : fact->value.kind == IBC_U64 ? (double)fact->value.num
		                                             : 0;

		if (!strcmp(fact->key, "hosts_cut_off"))
			cost->hosts += (uint64_t)value;
		else if (!strcmp(fact->key, "lost_gbps"))
			cost->gbps += value;
		else if (!strcmp(fact->key, "count_per_hour") ||
		         !strcmp(fact->key, "peer_count_per_hour"))
			per_hour += value;
		else if (!strcmp(fact->key, "errors"))
			errors += value;
	}
	cost->errors_per_second += per_hour / SECONDS_PER_HOUR;
	cost->errors += errors;
}

/* An HCA without any link: its host is cut off, whether a fact says so or not. */
static bool is_cut_off(const struct spot *spot)
{
	const struct ibc_port *p;
	bool any = false;

	if (!spot->node || spot->node->type != IBC_NODE_CA)
		return false;
	for (unsigned int num = 1; (p = ibc_node_port(spot->node, num)); num++) {
		if (!ibc_port_has_state(p) || p->phys_state == IBC_PHYS_LINKUP)
			return false;
		any = true;
	}
	return any;
}

static void draft_group(const struct cases *all, size_t lead, struct draft *d)
{
	const struct group *group = all->groups.group[lead];
	const struct ibc_check *check = all->f->check[lead];
	struct ibc_report *rep = all->rep;
	struct group_words w;

	if (group && group->hosts)
		w = alike_words(all->things, d->c.findings, d->c.num_members);
	else if (group)
		w = group_words(all->things, group, check, d->c.findings, d->c.num_members);
	else
		w = device_words(all->things, check, all->f->view[lead], d->c.findings,
		                 d->c.num_members);
	d->hash = hash_case(d->c.findings[0]->check, w.identity);
	if (!group || !group->hosts)
		d->hash = hash_more_facts(d->hash, check->many, d->c.findings[0]);
	d->c.subject = w.subject;
	d->c.subject.near.desc = report_intern(rep, w.subject.near.desc);
	d->c.subject.near.label = report_intern(rep, w.subject.near.label);
	d->c.message = report_keep(rep, w.message);
	d->c.advice = report_keep(rep, w.advice);
	d->c.trait = report_keep(rep, w.trait);
}

/* ---- where findings belong ------------------------------------------------------------------ */

/* struct seat - the case of a finding, by the first one of it; consequences come last */
struct seat {
	size_t lead, finding;
	bool follows;
	enum ibc_severity severity;
};

static int in_case(const void *va, const void *vz)
{
	const struct seat *a = va, *z = vz;

	return order_u64(a->follows, z->follows) ?: order_u64(z->severity, a->severity)
	    ?: order_u64(a->finding, z->finding);
}

/* The findings of a case stand at list, in the report's own memory. */
static struct draft draft_of(const struct cases *all, struct seat *seats, size_t n,
                             const struct ibc_finding **list)
{
	struct draft d = { .c = { .findings = list, .num_findings = n }, .least = UINT64_MAX };
	enum ibc_severity worst = IBC_OK; /* where none counts, of the worst */
	const char *advice;
	uint64_t hosts;

	qsort(seats, n, sizeof(*seats), in_case);
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = all->f->hash[seats[i].finding];

		list[i] = all->f->list[seats[i].finding];
		d.least = hash < d.least ? hash : d.least;
		d.c.num_members += !seats[i].follows;
		if (list[i]->severity > worst)
			worst = list[i]->severity;
		if (finding_counts(list[i]) && list[i]->severity > d.c.severity)
			d.c.severity = list[i]->severity;
		if (seats[i].follows)
			continue;
		hosts = d.c.cost.hosts;
		add_cost(list[i], &d.c.cost);
		if (d.c.cost.hosts == hosts)
			d.c.cost.hosts += is_cut_off(&all->f->thing[seats[i].finding].near) ||
			                  is_cut_off(&all->f->thing[seats[i].finding].far);
	}
	d.c.cost.whole = d.c.num_members == 1 && list[0]->subject.kind == IBC_SUBJECT_FABRIC;
	d.c.severity = d.c.severity ? d.c.severity : worst;
	d.c.known = list[0]->known;
	for (size_t i = 1; i < d.c.num_members; i++)
		if (finding_is_known(list[0]) && !finding_is_known(list[i]))
			d.c.known = NULL;
	if (d.c.num_members > 1) {
		draft_group(all, seats->lead, &d);
		return d;
	}
	advice = cable_advice(all->things, list, n);
	d.c.id = list[0]->id;
	d.c.subject = list[0]->subject;
	d.c.message = !all->things->hosts
	                  ? list[0]->message
	                  : report_keep(all->rep, alike_message(all->things->arena, list[0]));
	d.c.advice = advice ? report_keep(all->rep, advice) : list[0]->advice;
	return d;
}

/* ---- names of cases ---------------------------------------------------------------- */

/* "7f3a9c10", or all digits where it shares those with another. */
static const char *id_text(struct ibc_report *rep, uint64_t hash, bool whole)
{
	char id[ID_MAX];

	if (whole)
		snprintf(id, sizeof(id), "%016" PRIx64, hash);
	else
		snprintf(id, sizeof(id), "%08" PRIx32, (uint32_t)(hash >> 32));
	return report_keep(rep, id);
}

/*
 * By what each finding is alone: no id depends on what else was found, on how bad it is or on what
 * is said of it.
 */
static void name_findings(struct cases *all, struct findings *f)
{
	struct arena *arena = all->things->arena;
	bool *shared = arena_array(arena, f->n + 1, sizeof(*shared));
	char identity[IBC_IDENTITY_MAX];

	all->digits.arena = arena;
	f->hash = arena_array(arena, f->n + 1, sizeof(*f->hash));
	for (size_t i = 0; i < f->n; i++) {
		const struct ibc_finding *finding = f->list[i];
		size_t at;

		f->hash[i] = hash_case(finding->check,
		                       ibc_subject_identity(&finding->subject, identity));
		if (f->check[i] && f->check[i]->kinds)
			f->hash[i] = hash_more_kinds(f->hash[i], f->check[i]->kinds, finding);
		at = map_add(&all->digits, f->hash[i] >> 32, i);
		shared[at] |= f->hash[at] != f->hash[i];
	}
	for (size_t i = 0; i < f->n; i++)
		f->list[i]->id = id_text(all->rep, f->hash[i],
		                         shared[map_find(&all->digits, f->hash[i] >> 32)]);
}

/* What is found twice, by one check about one thing, is one fault: the worse leads. */
static void join_twins(struct findings *f, struct arena *arena)
{
	struct map first = { .arena = arena };
	size_t *lead = arena_array(arena, f->n + 1, sizeof(*lead));

	for (size_t i = 0; i < f->n; i++) {
		size_t at = map_add(&first, f->hash[i], i);

		lead[i] = i;
		if (f->list[i]->severity > f->list[lead[at]]->severity)
			lead[at] = i;
	}
	for (size_t i = 0; i < f->n; i++) {
		size_t cause = f->cause[i], twin = lead[map_find(&first, f->hash[cause])];

		f->cause[i] = f->cause[twin] == twin ? twin : cause;
	}
}

/*
 * What several things have in common.  Where that is the same for two views, which differ in what
 * was found, the least of their members distinguishes them.
 */
static void name_views(struct cases *all, struct draft *drafts, size_t n)
{
	struct map same = { .arena = all->things->arena };

	for (size_t i = 0; i < n; i++) {
		size_t at = drafts[i].c.id ? i : map_add(&same, drafts[i].hash, i);

		drafts[i].shared |= at != i;
		drafts[at].shared |= at != i;
	}
	for (size_t i = 0; i < n; i++) {
		struct draft *d = &drafts[i];
		size_t number = all->f->n + i, at;

		if (d->c.id)
			continue;
		if (d->shared)
			d->hash = hash_mix(d->hash ^ d->least);
		at = map_add(&all->digits, d->hash >> 32, number);
		d->c.id = id_text(all->rep, d->hash, at != number);
	}
}

static void add_cases(struct cases *all)
{
	struct ibc_report *rep = all->rep;
	struct arena *arena = all->things->arena;
	const struct findings *f = all->f;
	const struct ibc_finding **list = arena_array(rep->arena, f->n + 1, sizeof(*list));
	struct ibc_case *cases = arena_array(rep->arena, f->n + 1, sizeof(*cases));
	struct draft *drafts = arena_array(arena, f->n + 1, sizeof(*drafts));
	struct seat *seats = arena_array(arena, f->n + 1, sizeof(*seats));
	size_t *next = arena_array(arena, f->n + 1, sizeof(*next)), n = 0;

	/* side by side with those of their case: how many there are before it is where it begins */
	for (size_t i = 0; i < f->n; i++)
		next[all->groups.lead[f->cause[i]] + 1]++;
	for (size_t i = 0; i < f->n; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < f->n; i++) {
		size_t lead = all->groups.lead[f->cause[i]];

		seats[next[lead]++] = (struct seat){ lead, i, f->cause[i] != i,
			                             f->list[i]->severity };
	}
	for (size_t i = 0, end; i < f->n; i = end) {
		for (end = i + 1; end < f->n && seats[end].lead == seats[i].lead;)
			end++;
		drafts[n++] = draft_of(all, &seats[i], end - i, list + i);
	}
	if (rep->failed)
		return;
	name_views(all, drafts, n);
	for (size_t i = 0; i < n; i++)
		cases[i] = drafts[i].c;
	qsort(cases, n, sizeof(*cases), compare_cases);
	rep->cases = cases;
	rep->num_cases = n;
}

/*
 * What follows from a known fault is known; but one that was accepted by its id does not cover
 * what another check finds about the same thing: that is a case, unless it was accepted, too, or
 * the thing is gone.
 */
static void spread_known(const struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t by = f->cause[i];
		const struct ibc_finding *cause = f->list[by];

		const struct thing *a = &f->thing[i], *z = &f->thing[by];

		/* about the same cable, or about the same node */
		f->list[i]->beside = by != i && a->near.at &&
		                     is_about_link(a->subject) == is_about_link(z->subject) &&
		                     (a->near.at == z->near.at || a->near.at == z->far.at ||
		                      a->near.peer_at == z->near.at);
		if (!finding_is_known(cause) || finding_is_known(f->list[i]))
			continue;
		if (cause->known->by_id && f->list[i]->beside && f->list[i]->severity > IBC_INFO &&
		    strncmp(cause->check, "gone.", 5) != 0)
			f->cause[i] = i;
		else
			f->list[i]->known = cause->known;
	}
}

/* Findings are sorted by check. */
static struct findings list_findings(struct ibc_report *rep,
                                     const struct ibc_check *(*find_check)(const char *id),
                                     const struct things *t)
{
	size_t n = rep->num_findings;
	struct ibc_finding **list = arena_array(t->arena, n + 1, sizeof(*list));
	struct findings all = {
		.list = list,
		.n = n,
		.check = arena_array(t->arena, n + 1, sizeof(*all.check)),
		.thing = arena_array(t->arena, n + 1, sizeof(*all.thing)),
		.cause = arena_array(t->arena, n + 1, sizeof(*all.cause)),
		.view = arena_array(t->arena, n + 1, sizeof(struct view *)),
	}, *f = &all;
	const struct view **views = arena_array(t->arena, n + 1, sizeof(struct view *));

	for (const struct view *view = rep->views; view; view = view->next)
		for (size_t i = 0; i < view->n; i++)
			views[view->first + i] = view;

	for (size_t i = 0; i < f->n; i++) {
		list[i] = &rep->findings[rep->sorted[i] - rep->findings];
		f->check[i] = i && !strcmp(list[i]->check, list[i - 1]->check)
		                  ? f->check[i - 1]
		                  : find_check(list[i]->check);
		f->thing[i] = thing_of(t, &list[i]->subject);
		f->view[i] = views[rep->sorted[i] - rep->findings];
	}
	return all;
}

/* Twice, if a line of the file of known faults that covers nothing is a finding of its own. */
static void find_cases(const struct ibc_input *in,
                       const struct ibc_check *(*find_check)(const char *id), struct arena *arena,
                       struct ibc_report *rep)
{
	do {
		struct things t = things_make(in, arena);
		struct findings f = list_findings(rep, find_check, &t);
		struct cases all = { .things = &t, .rep = rep, .f = &f };

		name_findings(&all, &f);
		explain_findings(&t, &f);
		join_twins(&f, arena);
		report_known_ids(rep);
		spread_known(&f);
		if (!t.hosts)
			group_findings(&t, &f, &all.groups);
		group_alike_hosts(&t, &f, &all.groups);
		add_cases(&all);
	} while (!rep->failed && report_cases_made(rep));
}

int ibc_cases_find(const struct ibc_input *in,
                   const struct ibc_check *(*find_check)(const char *id), struct ibc_report *rep,
                   struct ibc_error *err)
{
	struct arena *arena = arena_new();

	if (!arena || rep->failed || setjmp(*arena_entry(arena))) {
		rep->failed = true;
	} else {
		arena_escape(rep->arena, arena_entry(arena));
		find_cases(in, find_check, arena, rep);
	}
	arena_escape(rep->arena, NULL);
	arena_free(arena);
	return rep->failed ? fail_nomem(err) : 0;
}
