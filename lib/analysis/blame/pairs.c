/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines become pairs of ends: those of one pair are one, whichever end they are of.
 * O(lines x log lines).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blame/blame.h"

/* struct mention - an end of an event */
struct mention {
	const char *key;
	const struct ibc_log_event *event;
	unsigned int side;
};

/* IPv4-mapped: a GID of RoCE v2. */
static bool is_mapped(const struct ibc_log_end *end)
{
	return !end->gid_prefix && end->gid_guid >> 32 == 0xffff;
}

static bool status_is_software(int status)
{
	switch (status) {
	case IBC_WC_LOC_LEN:
	case 2: /* IBV_WC_LOC_QP_OP_ERR */
	case 3: /* IBV_WC_LOC_EEC_OP_ERR */
	case IBC_WC_LOC_PROT:
	case 6: /* IBV_WC_MW_BIND_ERR */
	case 8: /* IBV_WC_LOC_ACCESS_ERR */
	case IBC_WC_REM_INV_REQ:
	case IBC_WC_REM_ACCESS:
	case IBC_WC_RNR_RETRY_EXC:
		return true;
	}
	return false;
}

static bool is_software(const struct ibc_log_event *e)
{
	return e->kind == IBC_LOG_COMPLETION && status_is_software(e->status);
}

static bool is_ethernet(const struct ibc_log_event *e)
{
	return !is_software(e) && (e->roce || is_mapped(&e->own) || is_mapped(&e->peer));
}

/* Lines of the same ends that no fault has in common; 0: of those that links break. */
static int class_of(const struct ibc_log_event *e)
{
	bool answered = e->kind == IBC_LOG_COMPLETION && e->status == IBC_WC_REM_OP;

	return is_ethernet(e) ? -1 : is_software(e) || answered ? e->status : 0;
}

static bool is_said(const struct ibc_log_event *e)
{
	return e->kind == IBC_LOG_PORT_EVENT || e->kind == IBC_LOG_DEVICE;
}

/* Was it then, on one of its hosts, by the part of the name before the first dot? */
static bool is_of_job(const struct ibc_blame_input *in, const struct ibc_log_event *e)
{
	const char *host = e->own.host;
	size_t n = strcspn(host, "."), i = 0;

	if (e->first && ((in->until && e->first > in->until + IBC_BLAME_SLACK) ||
	                 (in->from && e->last < in->from - IBC_BLAME_SLACK)))
		return false;
	while (i < in->num_hosts &&
	       (strcspn(in->hosts[i], ".") != n || strncasecmp(in->hosts[i], host, n) != 0))
		i++;
	return !*host || !in->num_hosts || i < in->num_hosts;
}

static bool is_flush(const struct ibc_log_event *e)
{
	return e->kind == IBC_LOG_COMPLETION && e->status == IBC_WC_WR_FLUSH;
}

void ibc_blame_span(const struct ibc_blame_input *in, time_t *first, time_t *last)
{
	*first = *last = 0;
	for (size_t i = 0; i < in->log->num; i++) {
		const struct ibc_log_event *e = &in->log->events[i];

		if (e->kind == IBC_LOG_USING || e->kind == IBC_LOG_SOCKETS || is_flush(e) ||
		    !is_of_job(in, e))
			continue;
		if (!*first || event_first(in, e) < *first)
			*first = event_first(in, e);
		if (event_last(in, e) > *last)
			*last = event_last(in, e);
	}
	if (*first)
		return;
	*first = in->at - in->slack;
	*last = in->at;
}

/* Counts what is no fault of this fabric; true: it is one. */
static bool counts(struct blame *b, const struct ibc_log_event *e)
{
	struct ibc_blame *out = &b->public;

	if (e->kind == IBC_LOG_USING)
		return false;
	if (e->kind == IBC_LOG_SOCKETS)
		out->sockets += e->count;
	else if (!is_of_job(b->in, e))
		out->others += e->count;
	else if (is_flush(e))
		out->flushes += e->count;
	else
		return true;
	return false;
}

/* struct functions - lines that name a PCI function and its HCA: what is so named is InfiniBand */
struct functions {
	const struct ibc_log_event **all;
	size_t num;
};

static int by_function(const void *va, const void *vz)
{
	const struct ibc_log_event *const *a = va, *const *z = vz;

	return strcmp((*a)->own.host, (*z)->own.host) ?: strcmp((*a)->own.pci, (*z)->own.pci);
}

static struct functions functions_of(struct blame *b)
{
	const struct ibc_joblog *log = b->in->log;
	struct functions f = { arena_array(b->arena, log->num + 1, sizeof(*f.all)), 0 };

	for (size_t i = 0; i < log->num; i++)
		if (*log->events[i].own.pci && *log->events[i].own.device && !log->events[i].roce)
			f.all[f.num++] = &log->events[i];
	if (f.num)
		qsort(f.all, f.num, sizeof(*f.all), by_function);
	return f;
}

/*
 * A host has Ethernet as well, by the same driver, and each unused port of that logs that it has no
 * cable.  1: its line is about an HCA of InfiniBand; 0: it is not; -1: that is not known.
 */
static int is_infiniband(const struct blame *b, const struct functions *f,
                         const struct line_pair *line)
{
	const struct ibc_log_event *e = line->event;

	if (e->program != IBC_LOG_KERNEL || !*e->own.pci)
		return 1;
	if (is_ethernet(e))
		return 0;
	if (*e->own.device || (f->num && bsearch(&e, f->all, f->num, sizeof(*f->all), by_function)))
		return 1;
	return blame_is_hca(b, line->ends[0]);
}

/* Leaves out what is about Ethernet, and what may be. */
static size_t drop_doubtful(struct blame *b, struct line_pair *lines, size_t n)
{
	const struct functions f = functions_of(b);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		int is = is_said(lines[i].event) ? is_infiniband(b, &f, &lines[i]) : 1;

		if (is > 0)
			lines[kept++] = lines[i];
		if (is >= 0)
			continue;
		b->public.doubts += lines[i].event->count;
		b->public.doubtful = b->public.doubtful ?: lines[i].event;
	}
	return kept;
}

/* A program that names its host beside an address, or beside a GID, says whose they are. */
static void learn(struct blame *b, const struct ibc_log_event *e)
{
	const struct ibc_log_end *own = &e->own;
	bool gid = *own->device && own->gid_guid && !is_mapped(own);

	if (!*own->host || (!*own->address && !gid))
		return;
	arena_grow(b->arena, &b->aliases, b->num_aliases, &b->room_aliases, sizeof(*b->aliases));
	b->aliases[b->num_aliases++] = (struct ibc_blame_alias){
		.host = own->host,
		.address = *own->address ? own->address : NULL,
		.device = own->device,
		.port = own->port,
		.guid = gid ? own->gid_guid : 0,
	};
}

static int by_mention(const void *va, const void *vz)
{
	const struct mention *a = va, *z = vz;

	return strcmp(a->key, z->key);
}

/* The same text is the same end, resolved once. */
static void make_ends(struct blame *b, struct line_pair *lines, size_t n)
{
	struct mention *all = arena_array(b->arena, 2 * n + 1, sizeof(*all));
	size_t ends = 0;

	for (size_t i = 0; i < 2 * n; i++) {
		const struct ibc_log_event *e = lines[i / 2].event;
		const struct ibc_log_end *end = i % 2 ? &e->peer : &e->own;

		all[i] = (struct mention){ arena_printf(
					       b->arena, "%s|%s|%s|%s|%u|%u|%" PRIx64 "|%" PRIx64,
					       end->host, end->address, end->device, end->pci,
					       end->port, end->lid, end->gid_prefix, end->gid_guid),
			                   e, (unsigned int)i };
	}
	if (n)
		qsort(all, 2 * n, sizeof(*all), by_mention);
	for (size_t i = 0; i < 2 * n; i++)
		ends += !i || by_mention(&all[i - 1], &all[i]) != 0;
	b->ends = arena_array(b->arena, ends + 1, sizeof(*b->ends));
	for (size_t i = 0; i < 2 * n; i++) {
		const struct ibc_log_event *e = all[i].event;

		if (!i || by_mention(&all[i - 1], &all[i]) != 0)
			b->ends[b->num_ends++] = (struct blame_end){
				.key = all[i].key, .raw = all[i].side % 2 ? &e->peer : &e->own
			};
		lines[all[i].side / 2].ends[all[i].side % 2] = &b->ends[b->num_ends - 1];
	}
}

/* ---- lines that are signs themselves ------------------------------------------------ */

static void add_said(struct blame *b, const struct line_pair *line)
{
	const struct ibc_log_event *e = line->event;

	arena_grow(b->arena, &b->said, b->num_said, &b->room_said, sizeof(*b->said));
	b->said[b->num_said++] = (struct said){
		.sign = { .kind = IBC_SIGN_SAID,
		          .from = event_first(b->in, e),
		          .until = event_last(b->in, e),
		          .text = e->text },
		.end = line->ends[0],
		.of_port = e->kind == IBC_LOG_PORT_EVENT,
	};
}

/* ---- pairs -------------------------------------------------------------------------- */

static size_t low_set(const struct line_pair *p)
{
	return p->ends[0]->set < p->ends[1]->set ? p->ends[0]->set : p->ends[1]->set;
}

static size_t high_set(const struct line_pair *p)
{
	return p->ends[0]->set < p->ends[1]->set ? p->ends[1]->set : p->ends[0]->set;
}

static int by_pair(const struct line_pair *a, const struct line_pair *z)
{
	return order_u64(low_set(a), low_set(z)) ?: order_u64(high_set(a), high_set(z))
	           ?: class_of(a->event) - class_of(z->event);
}

static int by_pair_and_line(const void *va, const void *vz)
{
	const struct line_pair *a = va, *z = vz;

	return by_pair(a, z) ?: (a->event > z->event) - (a->event < z->event);
}

static void add_line(struct blame *b, struct blame_pair *p, const struct line_pair *line,
                     uint64_t *most)
{
	const struct ibc_log_event *e = line->event;
	time_t first = event_first(b->in, e), last = event_last(b->in, e);
	struct ibc_blame_pair *out = &p->public;

	if (!e->first)
		b->public.untimed += e->count;
	if (e->count > *most) {
		*most = e->count;
		out->status = e->kind == IBC_LOG_COMPLETION ? e->status : IBC_WC_UNKNOWN;
		p->example = e;
	}
	out->first = !out->lines || first < out->first ? first : out->first;
	out->last = !out->lines || last > out->last ? last : out->last;
	out->lines += e->count;
	p->num_events++;
	b->public.lines += e->count;
}

static void begin_pair(struct blame_pair *p, const struct line_pair *line)
{
	struct blame_end *own = line->ends[0], *peer = line->ends[1];

	*p = (struct blame_pair){
		.public = { .own = own->name,
		            .peer = peer->name,
		            .own_port = own->num == 1 ? own->ports[0] : NULL,
		            .peer_port = peer->num == 1 ? peer->ports[0] : NULL,
		            .own_ports = own->num,
		            .peer_ports = peer->num },
		.ends = { own, peer },
		.software = is_software(line->event),
		.ethernet = is_ethernet(line->event),
		.answered = class_of(line->event),
		.example = line->event,
		.events = line,
	};
}

void blame_pairs(struct blame *b)
{
	const struct ibc_joblog *log = b->in->log;
	struct line_pair *lines = arena_array(b->arena, log->num + 1, sizeof(*lines));
	size_t n = 0, faults = 0, kept = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < log->num; i++) {
		const struct ibc_log_event *e = &log->events[i];

		learn(b, e);
		if (!counts(b, e))
			continue;
		faults += !is_said(e) && !is_software(e) && !is_ethernet(e);
		b->public.broken += is_said(e) ? 0 : e->count;
		lines[n++].event = e;
	}
	blame_index(b);
	make_ends(b, lines, n);
	blame_resolve(b);
	n = drop_doubtful(b, lines, n);
	/* what a host says of its own port is a fault of its own where nothing else broke */
	for (size_t i = 0; i < n; i++) {
		const struct ibc_log_event *e = lines[i].event;

		/* what IPoIB cannot send in time is a symptom, wherever the fault is */
		if (is_said(e) && !is_ethernet(e) && !strstr(e->text, "transmit timeout"))
			add_said(b, &lines[i]);
		if (!faults || !is_said(e) || is_ethernet(e))
			lines[kept++] = lines[i];
	}
	b->pairs = arena_array(b->arena, kept + 1, sizeof(*b->pairs));
	if (kept)
		qsort(lines, kept, sizeof(*lines), by_pair_and_line);
	for (size_t i = 0; i < kept; i++) {
		if (!i || by_pair(&lines[i - 1], &lines[i]) != 0) {
			begin_pair(&b->pairs[b->num_pairs++], &lines[i]);
			most = 0;
		}
		add_line(b, &b->pairs[b->num_pairs - 1], &lines[i], &most);
	}
}
