/* SPDX-License-Identifier: BSD-2-Clause */
/* What only a page shows: pictures, and what those who decide ask. */
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

void report_brief(struct ibc_report *rep, const char *affected, time_t previous)
{
	rep->affected = report_keep(rep, affected);
	rep->previous = previous;
}

void report_consequence(struct ibc_report *rep, const char *check, const char *cost,
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
	*at = rep->failed ? NULL : c;
}
