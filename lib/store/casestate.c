/* SPDX-License-Identifier: BSD-2-Clause */
/* What a report says of the past of its cases, and which of them are gone. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "report/report.h"
#include "store/incidents.h"
#include "store/store.h"

/* ---- those that are there --------------------------------------------------------- */

void case_adds(struct recording *r, struct ibc_case *c, size_t finding, const struct incident *i)
{
	time_t now = r->store->opts.now;
	struct ibc_finding *f = report_own_finding(r->rep, c->findings[finding]);

	if (finding >= c->num_members || !i)
		return;
	f->state = i->state;
	f->since = (time_t)i->opened < now ? (time_t)i->opened : now; /* the clock went back */
	if (!c->since || f->since < c->since)
		c->since = f->since;
	if (i->opens > c->times)
		c->times = (unsigned int)i->opens;
	/* one of several that was accepted is no news of them */
	r->states[i->known && c->num_members > 1 ? IBC_CASE_OPEN : i->state]++;
	if (i->state == IBC_CASE_UNSETTLED && i->settling > r->settling)
		r->settling = i->settling;
}

/* "run 1 of 3", "5 of 15 min" */
static const char *say_settling(const struct recording *r, const struct ibc_case *c)
{
	const struct ibc_store_opts *opts = &r->store->opts;

	if (opts->settle_runs)
		return arena_printf(r->rep->arena, "run %lld of %u", (long long)r->settling,
		                    opts->settle_runs);
	return arena_printf(r->rep->arena, "%lld of %u min", (long long)(opts->now - c->since) / 60,
	                    (opts->settle_seconds + 59) / 60);
}

/*
 * A new member makes an old case worse; it is new, or back, if all of it is.  Those that are
 * not settled have no part in it, unless there are no others.
 */
void case_settles(struct recording *r, struct ibc_case *c)
{
	const unsigned int *n = r->states;
	unsigned int all = n[IBC_CASE_NEW] + n[IBC_CASE_BACK] + n[IBC_CASE_WORSE] +
	                   n[IBC_CASE_OPEN];

	c->settling = NULL;
	if (!all && n[IBC_CASE_UNSETTLED]) {
		c->state = IBC_CASE_UNSETTLED;
		c->settling = say_settling(r, c);
		r->failed |= !c->settling;
	} else if (!all)
		c->state = IBC_CASE_UNKNOWN;
	else if (n[IBC_CASE_OPEN] == all)
		c->state = IBC_CASE_OPEN;
	else if (n[IBC_CASE_NEW] == all)
		c->state = IBC_CASE_NEW;
	else
		c->state = n[IBC_CASE_BACK] == all ? IBC_CASE_BACK : IBC_CASE_WORSE;
	memset(r->states, 0, sizeof(r->states));
	r->settling = 0;
}

/* ---- those that are gone ------------------------------------------------------------ */

/* The end that a piece of an identity stands for, and what it was called. */
static struct ibc_end end_of(struct arena *a, const char *thing, size_t n, const char *name,
                             size_t length)
{
	const char *called = memrchr(name, '/', length);
	struct ibc_end end;

	parse_end(thing, n, &end);
	end.desc = arena_strndup(a, name,
	                         end.has_port && called ? (size_t)(called - name) : length);
	return end;
}

struct ibc_subject past_subject(struct arena *a, const char *thing, const char *name)
{
	const char *dash = strstr(thing, SEPARATOR), *between = strstr(name, SEPARATOR);
	struct ibc_subject s = { .kind = IBC_SUBJECT_FABRIC };

	if (!strcmp(thing, "fabric"))
		return s;
	if (!dash || !between) {
		s.near = end_of(a, thing, strlen(thing), name, strlen(name));
		s.kind = s.near.has_port   ? IBC_SUBJECT_PORT
		         : s.near.has_guid ? IBC_SUBJECT_NODE
		                           : IBC_SUBJECT_HOST;
		return s;
	}
	s.kind = IBC_SUBJECT_CABLE;
	s.near = end_of(a, thing, (size_t)(dash - thing), name, (size_t)(between - name));
	dash += strlen(SEPARATOR);
	between += strlen(SEPARATOR);
	s.far = end_of(a, dash, strlen(dash), between, strlen(between));
	return s;
}

static void add_gone(struct recording *r, const struct incident *i)
{
	struct ibc_report *rep = r->rep;

	rep->gone[rep->num_gone++] = (struct ibc_case){
		.id = report_keep(rep, i->case_id),
		.check = report_keep(rep, i->check),
		.severity = i->severity,
		.subject = past_subject(rep->arena, i->thing, i->name),
		.message = report_keep(rep, i->message),
		.num_members = 1,
		.state = IBC_CASE_GONE,
		.since = (time_t)i->opened,
		.times = (unsigned int)i->opens,
	};
}

void case_gone(struct recording *r)
{
	struct incident *i, *next;
	struct ibc_report *rep = r->rep;
	size_t n = 0;

	HASH_ITER(hh, r->known, i, next)
		n += i->state == IBC_CASE_GONE;
	rep->num_gone = 0;
	rep->gone = arena_array(rep->arena, n, sizeof(*rep->gone));
	if (n && !rep->gone) {
		r->failed = true;
		return;
	}
	HASH_ITER(hh, r->known, i, next)
		if (i->state == IBC_CASE_GONE)
			add_gone(r, i);
	if (rep->num_gone)
		qsort(rep->gone, rep->num_gone, sizeof(*rep->gone), compare_cases);
	r->failed |= rep->failed;
}
