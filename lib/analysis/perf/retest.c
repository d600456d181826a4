/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The next plan: whom to measure with whom so that what is open now is decided.  O(suspects x
 * hosts that are good).
 */
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

#define TRIES_MAX 4096 /* pairs that are tried for one cable */
#define PARTNERS  2    /* one who is slow with two others is slow */
#define QUIET     32   /* of so many hosts one pair at once, where routes are not known: a guess */

/*
 * struct used - a port that data leave by in a round; NULL: one that is not known
 * @n: how often
 */
struct used {
	struct used_key {
		const struct ibc_port *port;
		uint64_t round;
	} key;
	size_t n;
	UT_hash_handle hh;
};

/*
 * struct retest - @next: by host: its first free round
 * @good: ends that are proven good and blamed for nothing
 * @done: by end: it has tests of its own
 * @first: round that is free for all
 * @used: nothing is measured over what another one of the round goes over
 */
struct retest {
	struct perf_judge *j;
	unsigned int *next;
	uint32_t *good;
	size_t num_good;
	bool *done;
	unsigned int first;
	struct used *used;
};

static struct used *find_used(const struct retest *t, const struct ibc_port *port,
                              unsigned int round)
{
	const struct used_key key = { .port = port, .round = round };
	struct used *found;

	HASH_FIND(hh, t->used, &key, sizeof(key), found);
	return found;
}

/* Is the round full, or data of another test go over the same? */
static bool is_taken(const struct retest *t, const struct perf_thing *way, size_t n,
                     unsigned int round)
{
	const struct used *unknown = n ? NULL : find_used(t, NULL, round);
	size_t i = 0;

	if (unknown && unknown->n > t->j->num_hosts / QUIET)
		return true;
	while (i < n && (!way[i].port || way[i].cable || !find_used(t, way[i].port, round)))
		i++;
	return i < n;
}

static void use(struct retest *t, const struct ibc_port *port, unsigned int round)
{
	struct used *u = find_used(t, port, round);

	if (!u) {
		u = arena_alloc(t->j->arena, sizeof(*u));
		if (!u) {
			t->j->failed = true;
			return;
		}
		u->key = (struct used_key){ .port = port, .round = round };
		HASH_ADD(hh, t->used, key, sizeof(u->key), u);
		t->j->failed = t->j->failed || !hash_added(u);
	}
	u->n++;
}

static void add_retest(struct retest *t, uint32_t server, uint32_t client)
{
	struct perf_judge *j = t->j;
	unsigned int *a = &t->next[j->ends[server].host], *z = &t->next[j->ends[client].host];
	unsigned int round = *a > *z ? *a : *z;
	struct perf_thing way[WAY_MAX];
	size_t n = judge_way_between(&j->ends[client], &j->ends[server], way);

	if (!arena_grow(j->arena, &j->retests, j->num_retests, &j->retests_room,
	                sizeof(*j->retests))) {
		j->failed = true;
		return;
	}
	/* those who were in one round are not together again: they may be in each other's way */
	if (!n)
		round += (unsigned int)(hash_mix(t->first ^ (uint64_t)client << 32 ^ server) %
		                        (1 + QUIET * j->out.num_slow_pairs / (j->num_hosts + 1)));
	while (is_taken(t, way, n, round))
		round++;
	for (size_t i = 0; i < n; i++)
		if (way[i].port && !way[i].cable)
			use(t, way[i].port, round);
	if (!n)
		use(t, NULL, round);
	*a = *z = round + 1;
	j->retests[j->num_retests++] = (struct ibc_perf_retest){
		.round = round,
		.server = j->ends[server].end,
		.client = j->ends[client].end,
	};
}

/* The free one on the same leaf, else the one that is free first; of the same rail. */
static const uint32_t *find_partner(const struct retest *t, const struct judge_end *s,
                                    const uint32_t *but)
{
	const uint32_t *best = NULL;
	bool best_near = false;

	for (const uint32_t *i = t->good; i < t->good + t->num_good; i++) {
		const struct judge_end *g = &t->j->ends[*i];
		bool near = s->leaf && g->leaf == s->leaf;

		/* "": all rails, of a plan that nobody answered */
		if (i == but || g->host == s->host ||
		    (*s->end->rail && strcmp(g->end->rail, s->end->rail) != 0))
			continue;
		if (best &&
		    (near != best_near ? !near
		                       : t->next[g->host] >= t->next[t->j->ends[*best].host]))
			continue;
		best = i;
		best_near = near;
	}
	return best;
}

static void test_suspect(struct retest *t, uint32_t suspect)
{
	const uint32_t *partner = NULL;

	for (int i = 0; i < PARTNERS && !t->done[suspect]; i++) {
		partner = find_partner(t, &t->j->ends[suspect], partner);
		if (partner)
			add_retest(t, *partner, suspect);
	}
	t->done[suspect] = true;
}

static void test_pair(struct retest *t, const struct ibc_perf_verdict *v)
{
	const struct perf_judge *j = t->j;
	uint32_t client = v->result->client, server = v->result->server;
	bool latency = v->result->latency;

	if (j->ends[client].good[latency] || j->ends[server].good[latency])
		add_retest(t, server, client);
	if (!j->ends[client].good[latency])
		test_suspect(t, client);
	if (!j->ends[server].good[latency])
		test_suspect(t, server);
}

/* ---- one cable of several ---------------------------------------------------------------------
 */

static bool goes_over_cable(const struct perf_thing *way, size_t n, const struct ibc_port *port)
{
	size_t i = 0;

	while (i < n && (!way[i].cable || (way[i].port != port && way[i].port->peer != port)))
		i++;
	return i < n;
}

/* Do data from one to the other go over this cable, and over none of the others it may be? */
static bool tells_apart(const struct judge_end *from, const struct judge_end *to,
                        const struct ibc_perf_link *link, const struct ibc_port *port)
{
	struct perf_thing way[WAY_MAX];
	size_t n = judge_way_between(from, to, way), others = 0;

	for (size_t i = 0; i <= link->num_others; i++) {
		const struct ibc_port *p = i ? link->others[i - 1] : link->port;
		bool over = goes_over_cable(way, n, p);

		if (p == port && !over)
			return false;
		others += p != port && over;
	}
	return !others;
}

static bool ends_at(const struct judge_end *e, const struct ibc_port *port)
{
	return e->leaf == port->node || e->leaf == port->peer->node;
}

/* Good hosts whose data go over this cable, and over none of the others it may be. */
static void test_cable(struct retest *t, const struct ibc_perf_link *link,
                       const struct ibc_port *port)
{
	size_t below = 0, tries = 0;

	for (size_t i = 0; i < t->num_good; i++)
		below += ends_at(&t->j->ends[t->good[i]], port);
	for (size_t i = 0; i < t->num_good; i++)
		for (size_t k = 0; k < t->num_good && tries < TRIES_MAX; k++) {
			const struct judge_end *from = &t->j->ends[t->good[i]];
			const struct judge_end *to = &t->j->ends[t->good[k]];

			if (from->host == to->host ||
			    (below && !ends_at(from, port) && !ends_at(to, port)))
				continue;
			tries++;
			if (!tells_apart(from, to, link, port))
				continue;
			add_retest(t, t->good[k], t->good[i]);
			return;
		}
}

/* ---- all ---------------------------------------------------------------------------------------
 */

static bool begin_retest(struct retest *t)
{
	struct perf_judge *j = t->j;
	size_t n = j->out.results->num_ends;

	t->next = arena_array(j->arena, j->num_hosts + 1, sizeof(*t->next));
	t->good = arena_array(j->arena, n + 1, sizeof(*t->good));
	t->done = arena_array(j->arena, n + 1, sizeof(*t->done));
	if (!t->next || !t->good || !t->done)
		return false;
	for (size_t i = 0; i < j->out.results->num; i++)
		if (j->out.results->all[i].round >= t->first)
			t->first = j->out.results->all[i].round + 1;
	for (uint32_t i = 0; i < j->num_hosts; i++)
		t->next[i] = t->first;
	for (uint32_t i = 0; i < n; i++)
		if ((j->ends[i].good[0] || j->ends[i].good[1]) && !j->ends[i].blamed[0] &&
		    !j->ends[i].blamed[1])
			t->good[t->num_good++] = i;
	return true;
}

static void test_hosts(struct retest *t, const struct ibc_perf_host *hosts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < hosts[i].num_ends; k++)
			test_suspect(t, (uint32_t)(hosts[i].ends[k] - t->j->out.results->ends));
}

/* Those whose leaf is blamed have no better way. */
static void test_unproven(struct retest *t)
{
	const struct perf_judge *j = t->j;

	for (uint32_t i = 0; i < j->out.results->num_ends; i++) {
		size_t k = 0;

		while (k < j->out.num_links &&
		       (!j->ends[i].leaf || j->out.links[k].node != j->ends[i].leaf))
			k++;
		if (j->ends[i].unproven && k == j->out.num_links)
			test_suspect(t, i);
	}
}

void judge_retests(struct perf_judge *j)
{
	struct retest t = { .j = j };

	if (!begin_retest(&t)) {
		j->failed = true;
		return;
	}
	test_hosts(&t, j->out.hosts, j->out.num_hosts);
	test_hosts(&t, j->out.untested, j->out.num_untested);
	test_unproven(&t);
	for (size_t i = 0; i < j->out.num_slow_pairs; i++)
		test_pair(&t, j->out.slow_pairs[i].verdict);
	for (size_t i = 0; i < j->out.num_unstable; i++)
		test_pair(&t, j->out.unstable[i].verdict);
	for (size_t i = 0; i < j->out.num_gaps; i++)
		add_retest(&t, j->out.gaps[i].verdict->result->server,
		           j->out.gaps[i].verdict->result->client);
	for (size_t i = 0; i < j->out.num_links; i++)
		for (size_t k = 0; j->out.links[i].num_others && k <= j->out.links[i].num_others;
		     k++)
			test_cable(&t, &j->out.links[i],
			           k ? j->out.links[i].others[k - 1] : j->out.links[i].port);
	HASH_CLEAR(hh, t.used); /* its elements are the arena's */
}
