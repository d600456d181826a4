/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/routes/faults.h"
#include "base/array.h"

#include "base/arena.h"
#include "base/hash.h"

/* Where there is no entry the port tells why. */
struct fault_key {
	uint32_t end, at, port;
};
#define NONE_HERE 0 /* the switch has no entry for it */
#define ONLY_OWN  1 /* but the switch itself has one */
#define CUT_OFF   2 /* no cable leads there; at: the part */

/*
 * struct fault - see struct ibc_route_fault
 * @first, @sender: the first pair: the destination, and the column of who sends
 * @last: the destination that came last
 * @whole, @part: by place among the senders: that all hosts of that column send to a
 *	destination of it, or all but one, @own, which is the destination itself
 */
struct fault {
	struct fault_key key;
	UT_hash_handle hh;
	const struct route_dest *first, *last;
	uint32_t sender, own;
	size_t dsts;
	uint64_t pairs;
	uint64_t *whole, *part;
};

static size_t set_words(const struct route_subnet *p)
{
	return p->num_senders / 64 + 1;
}

static struct fault *find_fault(struct faults *f, const struct route_subnet *p,
                                struct fault_key key)
{
	struct fault *fault;

	HASH_FIND(hh, f->table, &key, sizeof(key), fault);
	if (fault)
		return fault;
	fault = arena_alloc(f->a, sizeof(*fault));
	if (!fault)
		return NULL;
	fault->key = key;
	fault->whole = arena_array(f->a, set_words(p), sizeof(*fault->whole));
	fault->part = arena_array(f->a, set_words(p), sizeof(*fault->part));
	if (!fault->whole || !fault->part)
		return NULL;
	HASH_ADD(hh, f->table, key, sizeof(key), fault);
	return hash_added(fault) ? fault : NULL;
}

/* Nobody can send to what no switch, but its own, has an entry for. */
static bool has_entry_nowhere(const struct walk *w)
{
	for (uint32_t s = 0; s < w->p->n; s++)
		if (w->row[s] != IBC_NO_ENTRY && s != w->dest->sw)
			return false;
	return true;
}

/* Are they in parts that no cable joins?  What lies beyond a silent port may be one. */
static bool is_parted(const struct route_subnet *p, uint32_t a, uint32_t z)
{
	return p->part[a] != p->part[z] && !p->silent;
}

static uint32_t smaller_part(const struct route_subnet *p, uint32_t a, uint32_t z)
{
	uint32_t i = p->part[a], k = p->part[z];

	if (p->parts[i].hosts == p->parts[k].hosts)
		return i > k ? i : k;
	return p->parts[i].hosts < p->parts[k].hosts ? i : k;
}

/* What one thing explains is told of that, once, and not of each switch. */
static void blame_no_entry(struct walk *w)
{
	uint32_t own = w->dest->sw;
	bool nowhere = has_entry_nowhere(w);

	for (uint32_t i = 1; i <= w->num_ends; i++) {
		struct route_end *end = &w->ends[i];

		if (end->end != IBC_ROUTE_NO_ENTRY)
			continue;
		if (is_parted(w->p, end->at, own)) {
			end->at = smaller_part(w->p, end->at, own);
			end->port = CUT_OFF;
		} else if (nowhere) {
			end->at = own;
			end->port = w->row[own] != IBC_NO_ENTRY ? ONLY_OWN : NONE_HERE;
		}
	}
}

static struct fault *fault_of(struct faults *f, const struct walk *w, struct route_end *end,
                              uint32_t sender)
{
	const struct fault_key key = { .end = end->end, .at = end->at, .port = end->port };

	if (end->fault)
		return end->fault;
	end->fault = find_fault(f, w->p, key);
	if (!end->fault)
		return NULL;
	if (!end->fault->first) {
		end->fault->first = w->dest;
		end->fault->sender = sender;
	}
	end->fault->dsts += end->fault->last != w->dest;
	end->fault->last = w->dest;
	return end->fault;
}

static void put_pairs(struct fault *fault, const struct walk *w, uint32_t sender)
{
	uint32_t i = w->p->sender[sender];
	uint64_t bit = 1ull << i % 64;

	fault->pairs += walk_senders(w, sender);
	if (sender != w->dest->sw || (fault->part[i / 64] & bit && fault->own != w->dest->host)) {
		fault->whole[i / 64] |= bit;
		return;
	}
	fault->part[i / 64] |= bit;
	fault->own = w->dest->host;
}

bool faults_count(struct faults *f, struct walk *w, uint64_t *broken, uint64_t *unknown)
{
	blame_no_entry(w);
	for (uint32_t i = 0; i < w->p->num_senders; i++) {
		uint32_t s = w->p->senders[i], route = w->route[s];
		struct route_end *end = walk_end(w, route);
		struct fault *fault;

		if (route < ROUTE_END || !walk_senders(w, s))
			continue;
		fault = fault_of(f, w, end, s);
		if (!fault)
			return false;
		put_pairs(fault, w, s);
		*(end->end == IBC_ROUTE_UNKNOWN ? unknown : broken) += walk_senders(w, s);
	}
	return true;
}

static bool merge_fault(struct faults *f, const struct route_subnet *p, const struct fault *from)
{
	struct fault *fault = find_fault(f, p, from->key);

	if (!fault)
		return false;
	if (!fault->first || from->first < fault->first) {
		fault->first = from->first;
		fault->sender = from->sender;
	}
	fault->dsts += from->dsts;
	fault->pairs += from->pairs;
	for (size_t i = 0; i < set_words(p); i++) {
		fault->whole[i] |= from->whole[i];
		fault->part[i] |= from->part[i];
	}
	return true;
}

bool faults_merge(struct faults *f, const struct faults *from, const struct route_subnet *p)
{
	const struct fault *fault;

	for (fault = from->table; fault; fault = fault->hh.next)
		if (!merge_fault(f, p, fault))
			return false;
	return true;
}

/* ---- telling ------------------------------------------------------------------------ */

static int by_fault_key(const struct fault *a, const struct fault *z)
{
	int order = order_u64(a->key.end, z->key.end) ?: order_u64(a->key.at, z->key.at);

	return order ?: order_u64(a->key.port, z->key.port);
}

static size_t count_sources(const struct fault *fault, const struct route_subnet *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->num_senders; i++) {
		if (fault->whole[i / 64] >> i % 64 & 1)
			n += route_hosts(p, p->senders[i]);
		else if (fault->part[i / 64] >> i % 64 & 1)
			n += route_hosts(p, p->senders[i]) - 1;
	}
	return n;
}

bool faults_write(struct faults *f, struct route_subnet *p)
{
	struct fault *fault;

	HASH_SORT(f->table, by_fault_key);
	p->faults = arena_array(p->routes->arena, HASH_COUNT(f->table) + 1, sizeof(*p->faults));
	for (fault = f->table; p->faults && fault; fault = fault->hh.next) {
		bool none = fault->key.end == IBC_ROUTE_NO_ENTRY;
		bool cut = none && fault->key.port == CUT_OFF;

		p->faults[p->num_faults++] = (struct ibc_route_fault){
			.end = fault->key.end,
			.at = p->lft->switches[fault->key.at],
			.port = none ? 0 : fault->key.port,
			.only_own = none && fault->key.port == ONLY_OWN,
			.cut_switches = cut ? p->parts[fault->key.at].switches : 0,
			.cut_hosts = cut ? p->parts[fault->key.at].hosts : 0,
			.src = walk_first_sender(p, fault->sender, fault->first),
			.dst = p->hosts[fault->first->host].port,
			.dlid = fault->first->lid,
			.srcs = count_sources(fault, p),
			.dsts = fault->dsts,
			.pairs = fault->pairs,
		};
	}
	return p->faults;
}

void faults_free(struct faults *f)
{
	HASH_CLEAR(hh, f->table);
}
