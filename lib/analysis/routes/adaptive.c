/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All choices that switches have, from all senders to each LID of a host.  O(LIDs x switches)
 * to see which entries differ, and O(choices) for each switch that has hosts, shared by
 * threads by destination switch as reach.c does.
 */
#include "analysis/routes/adaptive.h"

#include <string.h>

#include "analysis/routes/channels.h"
#include "analysis/routes/parallel.h"
#include "base/arena.h"

/* first: by column, its first destination */
struct following {
	struct route_subnet *p;
	struct choice_ports ports;
	struct ar_found *found;
	unsigned int threads;
	uint32_t *first;
};

/* ---- one destination, and those that are like it -------------------------------------- */

static void count_pairs(struct ar_found *f, size_t lids)
{
	const struct choices *c = &f->c;
	const struct route_subnet *p = c->p;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		uint32_t s = p->senders[i];
		uint64_t n = lids * (route_hosts(p, s) - (s == c->dest->sw));
		uint8_t fate = c->fate[s];

		f->sums.pairs += n;
		if (fate == FATE_ARRIVES)
			f->sums.arrive += n;
		else if (fate & FATE_UNKNOWN)
			f->sums.unknown += n;
		else if (fate & FATE_ARRIVES)
			f->sums.some += n;
		else
			f->sums.none += n;
	}
}

/* Puts down what has been waiting. */
static void put_carried(struct ar_found *f, uint32_t s)
{
	unsigned int at = 0, port, n = ports_count(&f->waiting[s].links);

	while (ports_next(&f->waiting[s].links, &at, &port))
		f->carried[(size_t)s * f->c.p->width + port] += f->waiting[s].lids *
		                                                (uint64_t)AR_PARTS / n;
	f->waiting[s].lids = 0;
}

/* Mostly a switch has the same choices as for the LIDs before: those are put down at once. */
static void count_carried(struct ar_found *f, size_t lids)
{
	const struct choices *c = &f->c;

	for (uint32_t i = 0; i < c->num_order; i++) {
		uint32_t s = c->order[i];

		if (memcmp(&f->waiting[s].links, &c->links[s], sizeof(*c->links)) != 0) {
			put_carried(f, s);
			f->waiting[s].links = c->links[s];
		}
		f->waiting[s].lids += lids;
	}
}

/* What was followed is done with: so many LIDs had it. */
static void conclude(struct ar_found *f, size_t lids)
{
	if (!lids)
		return;
	count_pairs(f, lids);
	count_carried(f, lids);
	if (!ar_faults_count(f, lids))
		f->failed = true;
}

static void follow_dest(struct ar_found *f)
{
	struct channels *ch = f->c.p->channels;

	choices_follow(&f->c);
	if (ch->plain && f->c.p->hosts[f->c.dest->host].leaf)
		ar_channels_put(ch, &f->c, f->beyond, IBC_LOOP_HOSTS);
	if (!ar_groups_see(f))
		f->failed = true;
}

static void follow_switch(void *ctx, unsigned int thread, size_t item)
{
	struct following *w = ctx;
	struct ar_found *f = &w->found[thread];
	size_t lids = 0;

	for (uint32_t i = w->first[item]; i < w->first[item + 1] && !f->failed; i++, lids++) {
		if (choices_to(&f->c, &w->p->dests[i]) && lids)
			continue;
		conclude(f, lids);
		lids = 0;
		follow_dest(f);
	}
	conclude(f, lids);
}

/* ---- all ------------------------------------------------------------------------------ */

static bool start_following(struct following *w, struct arena *a)
{
	struct route_subnet *p = w->p;
	size_t cells = (size_t)p->n * p->width + 1;

	w->first = arena_array(a, p->n + 1u, sizeof(*w->first));
	w->found = arena_array(a, w->threads, sizeof(*w->found));
	if (!w->first || !w->found || !choice_ports_new(&w->ports, p, a))
		return false;
	for (size_t i = 0; i < p->host_dests; i++)
		w->first[p->dests[i].sw + 1]++;
	for (uint32_t s = 0; s < p->n; s++)
		w->first[s + 1] += w->first[s];
	for (unsigned int i = 0; i < w->threads; i++) {
		struct ar_found *f = &w->found[i];

		f->a = arena_new();
		if (!f->a || !choices_new(&f->c, p, &w->ports, f->a))
			return false;
		f->carried = arena_array(i ? f->a : p->routes->arena, cells, sizeof(*f->carried));
		f->groups = arena_array(f->a, p->n + 1u, sizeof(*f->groups));
		f->waiting = arena_array(f->a, p->n + 1u, sizeof(*f->waiting));
		f->beyond = arena_array(f->a, p->n + 1u, sizeof(*f->beyond));
		if (!f->carried || !f->groups || !f->waiting || !f->beyond)
			return false;
	}
	return true;
}

static bool add_found(struct ar_found *sum, const struct ar_found *f)
{
	const struct route_subnet *p = sum->c.p;

	sum->sums.pairs += f->sums.pairs;
	sum->sums.arrive += f->sums.arrive;
	sum->sums.some += f->sums.some;
	sum->sums.none += f->sums.none;
	sum->sums.unknown += f->sums.unknown;
	sum->failed |= f->failed;
	for (size_t i = 0; i < (size_t)p->n * p->width; i++)
		sum->carried[i] += f->carried[i];
	return ar_faults_merge(sum, f) && ar_groups_merge(sum, f);
}

static bool report_found(struct following *w)
{
	struct ar_found *sum = &w->found[0];
	struct route_subnet *p = w->p;

	for (unsigned int i = 0; i < w->threads; i++)
		for (uint32_t s = 0; s < p->n; s++)
			put_carried(&w->found[i], s);
	for (unsigned int i = 1; i < w->threads; i++)
		if (!add_found(sum, &w->found[i]))
			return false;
	if (sum->failed)
		return false;
	p->ar_sums->pairs = sum->sums.pairs;
	p->ar_sums->arrive = sum->sums.arrive;
	p->ar_sums->some = sum->sums.some;
	p->ar_sums->none = sum->sums.none;
	p->ar_sums->unknown = sum->sums.unknown;
	p->ar_carried = sum->carried;
	return ar_faults_report(sum, p) && ar_groups_report(sum, p);
}

/* Which switches have such tables, and whether all they have is here. */
static bool sum_switches(struct route_subnet *p)
{
	const struct ibc_ar_tables *ar = p->lft->ar;
	size_t blocks = (p->lft->num_lids + IBC_LFT_BLOCK - 1) / IBC_LFT_BLOCK;
	struct ibc_ar_sums *sums = arena_alloc(p->routes->arena, sizeof(*sums));

	if (!sums)
		return false;
	sums->subnet = p->subnet;
	for (uint32_t s = 0; s < p->n; s++) {
		bool has = false;

		for (size_t i = 0; i < blocks && !has; i++)
			has = ar->blocks[i * p->lft->stride + s];
		sums->switches += has;
		sums->private_switches += ar->switches[s].private_tables;
	}
	sums->followed = sums->switches && !sums->private_switches;
	sums->rings_followed = sums->followed && p->channels->plain;
	p->ar_sums = sums;
	p->num_ar_sums = 1;
	return true;
}

bool routes_adaptive(struct route_subnet *p)
{
	struct following w = { .p = p };
	const struct parallel job = { follow_switch, &w, p->n };
	bool done;

	if (!p->lft->ar)
		return true;
	if (!sum_switches(p))
		return false;
	if (!p->ar_sums->followed)
		return true;
	w.threads = parallel_threads(p->routes->opts.threads, p->num_senders);
	done = start_following(&w, p->tmp);
	if (done) {
		parallel_run(&job, w.threads);
		done = report_found(&w);
	}
	for (unsigned int i = 0; w.found && i < w.threads; i++) {
		ar_faults_free(&w.found[i]);
		arena_free(w.found[i].a);
	}
	return done;
}
