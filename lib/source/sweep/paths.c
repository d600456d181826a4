/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The service levels of paths, asked of subnet administration: a PathRecord a pair.
 *
 * Most subnets have one level.  So a sample is asked first, up to 256 pairs of hosts spread
 * over all switches that have some, each pair in both directions.  If all have one level,
 * that is it.  If not: one pair for any two of these switches, in both directions, then
 * every pair of hosts, as far as 65,536 queries go.  Where eight queries in a row
 * brought nothing, nothing more is asked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "source/source.h"
#include "source/sweep/sa_client.h"

#define SAMPLE    256   /* queries: enough that a mix of service levels shows; a guess */
#define PAIRS_MAX 65536 /* a few seconds of a subnet manager; a guess */

struct path_ask {
	struct engine_ask ask;
	struct sa_client *sa;
	uint16_t slid, dlid;
};

/* A host, and the switch it is cabled to. */
struct pair_end {
	const struct ibc_port *port;
	size_t leaf;
};

/*
 * struct pair_ends - the hosts, by switch, then by GUID and port
 * @first: of a switch; one more than there are switches
 */
struct pair_ends {
	struct pair_end *end;
	size_t *first, num, leaves;
};

/* Pairs to be asked for, once each; there is room for one more than @most. */
struct pairs {
	uint32_t *pair; /* DLID, and below it the SLID */
	size_t num, most;
};

/* ---- hosts ------------------------------------------------------------------------ */

static bool is_end(const struct ibc_subnet *subnet, const struct ibc_port *port)
{
	return port->node->subnet == subnet && port->node->type == IBC_NODE_CA && port->lid &&
	       port->lid <= UNICAST_LID_MAX && port->state == IBC_STATE_ACTIVE && port->peer &&
	       port->peer->node->type == IBC_NODE_SWITCH;
}

static int by_leaf(const void *va, const void *vz)
{
	const struct ibc_port *a = ((const struct pair_end *)va)->port;
	const struct ibc_port *z = ((const struct pair_end *)vz)->port;

	if (a->peer->node != z->peer->node && a->peer->node->guid != z->peer->node->guid)
		return a->peer->node->guid < z->peer->node->guid ? -1 : 1;
	return order_u64(a->node->guid, z->node->guid) ?: a->lid - z->lid;
}

static void ends_of(struct sweep *s, struct pair_ends *e)
{
	size_t room = 1;

	for (const struct device *dev = s->devices; dev; dev = dev->next)
		room += dev->node->type == IBC_NODE_CA ? dev->node->num_ports : 0;
	e->end = sweep_alloc(s, room, sizeof(*e->end));
	e->first = sweep_alloc(s, room + 1, sizeof(*e->first));
	for (const struct device *dev = s->devices; dev; dev = dev->next)
		for (unsigned int i = 1; i <= dev->node->num_ports; i++)
			if (is_end(s->subnet, &dev->node->ports[i]))
				e->end[e->num++].port = &dev->node->ports[i];
	qsort(e->end, e->num, sizeof(*e->end), by_leaf);
	for (size_t i = 0; i < e->num; i++) {
		if (i == 0 || e->end[i].port->peer->node != e->end[i - 1].port->peer->node)
			e->first[e->leaves++] = i;
		e->end[i].leaf = e->leaves - 1;
	}
	e->first[e->leaves] = e->num;
}

/* ---- pairs ------------------------------------------------------------------------ */

static void add_path_pair(struct pairs *p, const struct pair_end *src, const struct pair_end *dst)
{
	if (p->num < p->most && src->port->lid != dst->port->lid)
		p->pair[p->num++] = (uint32_t)dst->port->lid << 16 | src->port->lid;
}

/* Every switch in turn, each time with another one and other hosts. */
static void choose_sample(const struct pair_ends *e, struct pairs *p)
{
	size_t others = e->leaves > 1 ? e->leaves - 1 : 1, n = 0;

	for (size_t k = 0; e->num > 1 && k < SAMPLE / 2; k++) {
		size_t a = k % e->leaves, round = k / e->leaves, again = round / others;
		size_t z = e->leaves > 1 ? (a + 1 + (round + a * 7) % others) % e->leaves : a;
		size_t of_a = e->first[a + 1] - e->first[a], of_z = e->first[z + 1] - e->first[z];
		const struct pair_end *src = &e->end[e->first[a] + (again + a) % of_a];
		const struct pair_end *dst = &e->end[e->first[z] + (again / of_a + a) % of_z];

		add_path_pair(p, src, dst);
		add_path_pair(p, dst, src);
	}
	qsort(p->pair, p->num, sizeof(*p->pair), by_u32);
	for (size_t i = 0; i < p->num; i++)
		if (n == 0 || p->pair[n - 1] != p->pair[i])
			p->pair[n++] = p->pair[i];
	p->num = n;
}

/* One pair of any two switches, then every pair. */
static void choose_all(const struct pair_ends *e, struct pairs *p)
{
	for (size_t z = 0; z < e->leaves && p->num < p->most; z++)
		for (size_t a = 0; a < e->leaves; a++)
			if (a != z)
				add_path_pair(p, &e->end[e->first[a]], &e->end[e->first[z]]);
	for (size_t z = 0; z < e->num && p->num < p->most; z++)
		for (size_t a = 0; a < e->num; a++) {
			const struct pair_end *src = &e->end[a], *dst = &e->end[z];
			bool are_first = e->first[src->leaf] == a && e->first[dst->leaf] == z;

			if (!are_first || src->leaf == dst->leaf)
				add_path_pair(p, src, dst);
		}
}

/* ---- queries -------------------------------------------------------------------- */

static bool path_route(struct engine_ask *ask_, unsigned int try, struct mad_addr *to,
                       uint8_t mad[MAD_SIZE])
{
	const struct path_ask *q = (const struct path_ask *)ask_;
	struct sa_query what = {
		.method = MAD_METHOD_GET,
		.attribute = SA_PATH_RECORD,
		.slid = q->slid,
		.dlid = q->dlid,
	};

	(void)try;
	if (q->sa->in_vain >= SA_IN_VAIN_MAX)
		return false;
	sa_route(q->sa, &what, to, mad);
	return true;
}

/* Is it the path that was asked for? */
static bool learn_path(const struct path_ask *q, const uint8_t *mad)
{
	struct sa_client *sa = q->sa;
	struct ibc_path_sl path;

	if (q->ask.length < SA_HEADER_SIZE + SA_PATH_SIZE)
		return false;
	sa_path_get(mad + SA_HEADER_SIZE, &path);
	if (path.slid != q->slid || path.dlid != q->dlid)
		return false;
	arena_grow(sa->sweep->scratch, &sa->paths, sa->num_paths, &sa->path_room, sizeof(path));
	sa->paths[sa->num_paths++] = path;
	return true;
}

/* That there is no such path is an answer. */
static void path_done(struct engine_ask *ask_, enum engine_outcome outcome,
                      const uint8_t mad[MAD_SIZE])
{
	const struct path_ask *q = (const struct path_ask *)ask_;
	struct sa_client *sa = q->sa;

	if (outcome == ENGINE_NOT_ASKED) {
		sa->sweep->subnet->not_asked++;
		return;
	}
	if ((outcome == ENGINE_ANSWERED && learn_path(q, mad)) || (mad && sa_has_no_records(mad))) {
		sa->in_vain = 0;
		sa->paths_open--;
		return;
	}
	if (outcome != ENGINE_SILENT)
		sa->paths_outcome = ANSWER_REFUSED;
	sa->in_vain++;
}

static void ask_pairs(struct sa_client *sa, const struct pairs *p)
{
	struct path_ask *asks = sweep_alloc(sa->sweep, p->num + 1, sizeof(*asks));

	sa->paths_open += p->num;
	for (size_t i = 0; i < p->num; i++) {
		struct path_ask *q = &asks[i];

		q->sa = sa;
		q->dlid = (uint16_t)(p->pair[i] >> 16);
		q->slid = (uint16_t)p->pair[i];
		q->ask.device = &sa->device;
		q->ask.route = path_route;
		q->ask.done = path_done;
		engine_ask(sa->sweep->engine, &q->ask);
	}
}

void paths_ask_sample(struct sa_client *sa)
{
	struct pairs p = { sweep_alloc(sa->sweep, SAMPLE + 1, sizeof(*p.pair)), 0, SAMPLE };
	struct pair_ends e = { 0 };

	sa->paths_begun = true;
	ends_of(sa->sweep, &e);
	choose_sample(&e, &p);
	ask_pairs(sa, &p);
}

void paths_ask_rest(struct sa_client *sa)
{
	struct pairs p = { .most = PAIRS_MAX };
	struct pair_ends e = { 0 };
	size_t n = 0;

	while (n < sa->num_paths && sa->paths[n].sl == sa->paths[0].sl)
		n++;
	if (n == sa->num_paths || sa->in_vain >= SA_IN_VAIN_MAX)
		return;
	ends_of(sa->sweep, &e);
	p.pair = sweep_alloc(sa->sweep, PAIRS_MAX + 1, sizeof(*p.pair));
	choose_all(&e, &p);
	/* those of the sample are known */
	qsort(sa->paths, sa->num_paths, sizeof(*sa->paths), by_dlid);
	n = 0;
	for (size_t i = 0; i < p.num; i++) {
		const struct ibc_path_sl key = { .slid = (uint16_t)p.pair[i],
			                         .dlid = (uint16_t)(p.pair[i] >> 16) };

		if (!bsearch(&key, sa->paths, sa->num_paths, sizeof(key), by_dlid))
			p.pair[n++] = p.pair[i];
	}
	p.num = n;
	ask_pairs(sa, &p);
}

void paths_finish(struct sa_client *sa)
{
	struct ibc_path_sl *paths;

	if (!sa->paths_begun)
		return;
	paths = sweep_keep(sa->sweep, sa->num_paths + 1, sizeof(*paths));
	if (sa->num_paths) {
		qsort(sa->paths, sa->num_paths, sizeof(*sa->paths), by_dlid);
		memcpy(paths, sa->paths, sa->num_paths * sizeof(*paths));
	}
	sa->known->paths = paths;
	sa->known->num_paths = sa->num_paths;
	answers_put(sa->origin, IBC_ATTR_PATH_RECORD,
	            sa->paths_open ? sa->paths_outcome : ANSWER_OK);
}
