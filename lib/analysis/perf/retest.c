/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The next plan: pairs of hosts whose results decide about the suspects.  O(suspects x
 * hosts that are good).
 */
#include <string.h>

#include "analysis/perf/judge.h"
#include "base/arena.h"
#include "base/hash.h"
#include "fabric/fabric.h"

#define TRIES_MAX 4096 /* pairs that are tried for one cable */
#define PARTNERS  2    /* one who is slow with two others is slow */
#define QUIET     32   /* of so many hosts one pair at once, where routes are not known: a guess */

/*
 * struct retest - @next: by host: its first free round; @port_next: by node and port, likewise, of
 *	data that leave there: nothing is measured over what another one of the round goes over
 * @good: ends that are proven good and blamed for nothing
 * @done: by end: it has tests of its own
 * @first: round that is free for all
 * @unknown: by round from @first on: pairs whose path is not known
 */
struct retest {
	struct perf_judge *j;
	unsigned int *next, **port_next, first;
	uint32_t *good, *unknown;
	size_t num_good, num_unknown, unknown_room;
	bool *done;
};

static unsigned int *port_next(struct retest *t, const struct ibc_port *port)
{
	unsigned int **node = &t->port_next[node_order(port->node)];

	if (!*node)
		*node = arena_array(t->j->arena, port->node->num_ports + 1ul, sizeof(**node));
	return &(*node)[port->num];
}

/* Who were in one round are not together again: they may be in each other's way. */
static unsigned int unknown_round(struct retest *t, unsigned int round, uint32_t server,
                                  uint32_t client)
{
	const struct perf_judge *j = t->j;
	uint64_t spread = 1 + QUIET * j->out.num_slow_pairs / (j->num_hosts + 1);

	round += (unsigned int)(hash_mix(t->first ^ (uint64_t)client << 32 ^ server) % spread);
	for (;; round++) {
		while (t->num_unknown <= round - t->first) {
			arena_grow(j->arena, &t->unknown, t->num_unknown, &t->unknown_room,
			           sizeof(*t->unknown));
			t->unknown[t->num_unknown++] = 0;
		}
		if (t->unknown[round - t->first] <= j->num_hosts / QUIET)
			break;
	}
	t->unknown[round - t->first]++;
	return round;
}

static void add_retest(struct retest *t, uint32_t server, uint32_t client)
{
	struct perf_judge *j = t->j;
	unsigned int *a = &t->next[j->ends[server].host], *z = &t->next[j->ends[client].host];
	unsigned int round = *a > *z ? *a : *z;
	struct perf_thing path[PATH_MAX_THINGS];
	size_t n = judge_path_between(&j->ends[client], &j->ends[server], path);

	if (!n)
		round = unknown_round(t, round, server, client);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			unsigned int *next;

			if (!path[i].port || path[i].cable)
				continue;
			next = port_next(t, path[i].port);
			if (pass)
				*next = round + 1;
			else if (*next > round)
				round = *next;
		}
	*a = *z = round + 1;
	arena_grow(j->arena, &j->retests, j->num_retests, &j->retests_room, sizeof(*j->retests));
	j->retests[j->num_retests++] = (struct ibc_perf_retest){
		.round = round,
		.server = j->ends[server].end,
		.client = j->ends[client].end,
	};
}

/* With good hosts: on the same leaf, else those that are free first; of the same rail. */
static void test_suspect(struct retest *t, uint32_t suspect)
{
	const struct judge_end *s = &t->j->ends[suspect];
	const uint32_t *but = NULL;

	for (int i = 0; i < PARTNERS && !t->done[suspect]; i++) {
		const uint32_t *best = NULL;
		bool best_near = false;

		for (const uint32_t *k = t->good; k < t->good + t->num_good; k++) {
			const struct judge_end *g = &t->j->ends[*k];
			bool near = s->leaf && g->leaf == s->leaf;

			/* "": of a measurement without rails */
			if (k == but || g->host == s->host ||
			    (*s->end->rail && strcmp(g->end->rail, s->end->rail) != 0))
				continue;
			if (best && (near != best_near
			                 ? !near
			                 : t->next[g->host] >= t->next[t->j->ends[*best].host]))
				continue;
			best = k;
			best_near = near;
		}
		if (best)
			add_retest(t, *best, suspect);
		but = best;
	}
	t->done[suspect] = true;
}

static void test_pair(struct retest *t, const struct ibc_perf_result *r)
{
	bool client = t->j->ends[r->client].good[r->latency];
	bool server = t->j->ends[r->server].good[r->latency];

	if (client || server)
		add_retest(t, r->server, r->client);
	if (!client)
		test_suspect(t, r->client);
	if (!server)
		test_suspect(t, r->server);
}

/* ---- one cable of several ------------------------------------------------------------------- */

/* Do data from one to the other go over this cable, and over none of the others it may be? */
static bool goes_over_only(const struct judge_end *from, const struct judge_end *to,
                           const struct ibc_perf_link *link, const struct ibc_port *port)
{
	struct perf_thing path[PATH_MAX_THINGS];
	size_t n = judge_path_between(from, to, path);
	bool over_it = false;

	for (size_t i = 0; i <= link->num_others; i++) {
		const struct ibc_port *p = i ? link->others[i - 1] : link->port;

		for (size_t k = 0; k < n; k++) {
			if (!path[k].cable || (path[k].port != p && path[k].port->peer != p))
				continue;
			if (p != port)
				return false;
			over_it = true;
		}
	}
	return over_it;
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
			if (goes_over_only(from, to, link, port)) {
				add_retest(t, t->good[k], t->good[i]);
				return;
			}
		}
}

void judge_retests(struct perf_judge *j)
{
	size_t n = j->out.results->num_ends;
	struct retest t = {
		.j = j,
		.next = arena_array(j->arena, j->num_hosts + 1ul, sizeof(*t.next)),
		.good = arena_array(j->arena, n + 1, sizeof(*t.good)),
		.done = arena_array(j->arena, n + 1, sizeof(*t.done)),
	};

	if (j->opts.fab)
		t.port_next = arena_array(j->arena, ibc_fabric_count(j->opts.fab).nodes + 1,
		                          sizeof(*t.port_next));
	for (size_t i = 0; i < j->out.results->num; i++)
		if (j->out.results->all[i].round >= t.first)
			t.first = j->out.results->all[i].round + 1;
	for (uint32_t i = 0; i < j->num_hosts; i++)
		t.next[i] = t.first;
	for (uint32_t i = 0; i < n; i++) {
		const struct judge_end *e = &j->ends[i];

		if ((e->good[0] || e->good[1]) && !e->blamed[0] && !e->blamed[1])
			t.good[t.num_good++] = i;
	}
	for (size_t i = 0; i < j->out.num_hosts + j->out.num_untested; i++)
		for (size_t k = 0; k < j->hosts[i].num_ends; k++)
			test_suspect(&t, (uint32_t)(j->hosts[i].ends[k] - j->out.results->ends));
	/* those whose leaf is blamed have no better path */
	for (uint32_t i = 0; i < n; i++) {
		const struct ibc_node *leaf = j->ends[i].leaf;
		size_t k = 0;

		while (k < j->out.num_links && (!leaf || j->out.links[k].node != leaf))
			k++;
		if (j->ends[i].unproven && k == j->out.num_links)
			test_suspect(&t, i);
	}
	for (size_t i = 0; i < j->out.num_slow_pairs; i++)
		test_pair(&t, j->out.slow_pairs[i].verdict->result);
	for (size_t i = 0; i < j->out.num_unstable; i++)
		test_pair(&t, j->out.unstable[i].verdict->result);
	for (size_t i = 0; i < j->out.num_gaps; i++)
		add_retest(&t, j->out.gaps[i].verdict->result->server,
		           j->out.gaps[i].verdict->result->client);
	for (size_t i = 0; i < j->out.num_links; i++) {
		const struct ibc_perf_link *link = &j->out.links[i];

		for (size_t k = 0; link->num_others && k <= link->num_others; k++)
			test_cable(&t, link, k ? link->others[k - 1] : link->port);
	}
}
