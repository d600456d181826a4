/* SPDX-License-Identifier: BSD-2-Clause */
/* What only a page shows: pictures, what is remembered of ports, what somebody who decides asks. */
#include <string.h>

#include "base/arena.h"
#include "report/report.h"

void ibc_report_add_picture(struct ibc_report *rep, const char *id, const char *title,
                            const char *svg)
{
	struct picture **at = &rep->pictures, *p = arena_alloc(rep->arena, sizeof(*p));

	while (*at)
		at = &(*at)->next;
	if (p) {
		p->id = arena_strdup(rep->arena, id);
		p->title = report_keep(rep, title);
		/* a drawing has lines, which no text of a report has */
		p->svg = arena_strdup(rep->arena, svg);
	}
	if (p && p->id && p->svg)
		*at = p;
	else
		rep->failed = true;
}

void ibc_report_remember(struct ibc_report *rep, const char *what, time_t from,
                         unsigned int step_seconds, unsigned int steps)
{
	rep->pasts = (struct pasts){
		.what = report_keep(rep, what),
		.from = from,
		.step_seconds = step_seconds,
		.steps = steps < IBC_PAST_STEPS ? steps : IBC_PAST_STEPS,
	};
}

void ibc_report_remember_port(struct ibc_report *rep, uint64_t guid, unsigned int port,
                              const double *values)
{
	size_t size = rep->pasts.steps * sizeof(*values);
	struct past *p = arena_alloc(rep->arena, sizeof(*p) + size);

	if (!p) {
		rep->failed = true;
		return;
	}
	p->guid = guid;
	p->port = port;
	memcpy(p->values, values, size);
	p->next = rep->pasts.ports;
	rep->pasts.ports = p;
	rep->pasts.num++;
}

void ibc_report_brief(struct ibc_report *rep, const struct ibc_brief *brief)
{
	rep->brief = *brief;
	rep->brief.affected = report_keep(rep, brief->affected);
}

void ibc_report_consequence(struct ibc_report *rep, const char *check, const char *cost,
                            const char *who)
{
	struct consequence **at = &rep->consequences, *c = arena_alloc(rep->arena, sizeof(*c));

	if (!c) {
		rep->failed = true;
		return;
	}
	c->check = report_intern(rep, check);
	c->cost = report_keep(rep, cost);
	c->who = report_intern(rep, who);
	c->next = NULL;
	while (*at)
		at = &(*at)->next;
	*at = c;
}
