/* SPDX-License-Identifier: BSD-2-Clause */
/* What only a page shows: pictures, and what is remembered of ports. */
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
