/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with which cable of which switch, from the findings. */
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "draw/draw.h"
#include "draw/matrix.h"

void named_each(const struct ibc_report *rep,
                void (*visit)(void *ctx, const struct ibc_finding *f,
                              const struct ibc_subject *subject),
                void *ctx)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		if (f->severity < IBC_WARNING || f->follows || (f->known && !f->known->expired))
			continue;
		visit(ctx, f, &f->subject);
		for (size_t k = 0; k < f->num_related; k++)
			if (f->related[k].role == IBC_ROLE_FOUND ||
			    f->related[k].role == IBC_ROLE_PLANNED)
				visit(ctx, f, &f->related[k].subject);
	}
}

const struct ibc_node *named_end_node(const struct ibc_fabric *fab, const struct ibc_end *end)
{
	return end->has_guid ? ibc_fabric_node_by_guid(fab, end->guid) : NULL;
}

bool named_is_there(const struct ibc_node *near, const struct ibc_subject *cable,
                    const struct ibc_node *far)
{
	const struct ibc_port *port = cable->near.has_port ? ibc_node_port(near, cable->near.port)
	                                                   : NULL;

	return port && port->peer && port->peer->node == far &&
	       (!cable->far.has_port || port->peer->num == cable->far.port);
}

struct marking {
	struct ibc_matrix *m;
	const struct ibc_finding *last;
	size_t room, seen; /* @seen: events before those of the last finding */
};

const char *mark_word(enum matrix_mark mark)
{
	static const char *const words[] = {
		[MARK_NONE] = "",
		[MARK_OTHER] = "another fault",
		[MARK_CONGESTED] = "congested",
		[MARK_ERRORS] = "errors",
		[MARK_SLOW] = "slow",
		[MARK_SILENT] = "not checked",
		[MARK_MISSING] = "missing",
		[MARK_MISPLACED] = "misplaced",
	};

	return words[mark];
}

/* By what is in its id; the first that fits. */
static enum matrix_mark mark_of(const struct ibc_finding *f, bool is_there)
{
	static const struct {
		const char *id;
		enum matrix_mark mark;
	} kinds[] = {
		{ "topo.slow", MARK_SLOW },
		{ "topo.narrow", MARK_SLOW },
		{ "fattree.slow", MARK_SLOW },
		{ "port.width", MARK_SLOW },
		{ "port.speed", MARK_SLOW },
		{ "port.rate", MARK_SLOW },
		{ "diff.speed", MARK_SLOW },
		{ "counters.congestion", MARK_CONGESTED },
		{ "counters.slow-receiver", MARK_CONGESTED },
		{ "counters.", MARK_ERRORS },
		{ "phy.", MARK_ERRORS },
		{ "fattree.opensm", MARK_OTHER },
		{ "fattree.oversubscribed", MARK_OTHER },
		{ "fattree.", MARK_MISPLACED },
		{ "topo.", MARK_MISPLACED },
		{ "diff.links", MARK_MISPLACED },
	};

	if (f->severity == IBC_UNKNOWN)
		return MARK_SILENT;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strncmp(f->check, kinds[i].id, strlen(kinds[i].id)) != 0)
			continue;
		return kinds[i].mark == MARK_MISPLACED && !is_there ? MARK_MISSING : kinds[i].mark;
	}
	return MARK_OTHER;
}

static void add_event(struct marking *k, uint32_t sw, uint32_t to, const struct ibc_node *host,
                      bool is_there)
{
	struct matrix_events *events = &k->m->events;

	arena_grow(k->m->arena, &events->all, events->n, &k->room, sizeof(*events->all));
	events->all[events->n++] = (struct matrix_event){ sw, to, host, mark_of(k->last, is_there),
		                                          k->last };
}

/* The cable of two nodes, either of which may not have been found. */
static void mark_cable(struct marking *k, const struct ibc_node *a, const struct ibc_node *z,
                       bool is_there)
{
	const struct switches *sw = k->m->sw;
	uint32_t s = a ? switch_number(sw, a) : NO_SWITCH;
	uint32_t t = z ? switch_number(sw, z) : NO_SWITCH;

	if (s != NO_SWITCH)
		add_event(k, s,
		          t != NO_SWITCH ? t
		          : z            ? ENT_HOSTS(sw)
		                         : ENT_NOWHERE(sw),
		          t == NO_SWITCH ? z : NULL, is_there);
	else if (t != NO_SWITCH)
		add_event(k, t, a ? ENT_HOSTS(sw) : ENT_NOWHERE(sw), a, is_there);
}

static void mark_port(struct marking *k, const struct ibc_port *port)
{
	const struct ibc_node *peer = port && port->peer ? port->peer->node : NULL;

	if (port)
		mark_cable(k, port->node, peer, peer != NULL);
}

/* Findings that left no event behind are counted, so that none is lost. */
static void next_finding(struct marking *k, const struct ibc_finding *f)
{
	if (k->last == f)
		return;
	if (k->last && k->seen == k->m->events.n)
		k->m->events.unseen++;
	k->last = f;
	k->seen = k->m->events.n;
}

static void mark_subject(void *ctx, const struct ibc_finding *f, const struct ibc_subject *subject)
{
	struct marking *k = ctx;
	const struct ibc_node *a = named_end_node(k->m->fab, &subject->near);
	const struct ibc_node *z = named_end_node(k->m->fab, &subject->far);

	next_finding(k, f);
	if (subject->kind == IBC_SUBJECT_CABLE)
		mark_cable(k, a, z, a && z && named_is_there(a, subject, z));
	else if (subject->kind == IBC_SUBJECT_PORT && a)
		mark_port(k, ibc_node_port(a, subject->near.port));
	else if (subject->kind == IBC_SUBJECT_NODE && a && switch_number(k->m->sw, a) != NO_SWITCH)
		add_event(k, switch_number(k->m->sw, a), ENT_ITSELF(k->m->sw), NULL, true);
	else if (subject->kind == IBC_SUBJECT_NODE && a)
		for (unsigned int num = 1; num <= a->num_ports; num++)
			mark_port(k, ibc_node_port(a, num));
}

void matrix_events(struct ibc_matrix *m, const struct ibc_report *rep)
{
	struct marking k = { .m = m };

	named_each(rep, mark_subject, &k);
	next_finding(&k, NULL);
}
