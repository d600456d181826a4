/* SPDX-License-Identifier: BSD-2-Clause */
/* What a state directory remembers of the time of some lines, and what two sweeps have seen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/counters.h>
#include <ibcheck/events.h>
#include <ibcheck/names.h>

#include "blame.h"

#define HOUR 3600 /* seconds */

static time_t time_of_fabric(const struct ibc_fabric *fab)
{
	return fab && ibc_fabric_subnet(fab, 0) ? (time_t)ibc_fabric_subnet(fab, 0)->time : 0;
}

/* ---- the sweep of the time ---------------------------------------------------------- */

/* Is it of the same fabric as the sweep now?  Half of its switches are there, as --state has it. */
static bool is_same_fabric(const struct ibc_fabric *then, const struct ibc_fabric *now)
{
	const struct ibc_node *node;
	size_t all = 0, same = 0;

	for (size_t i = 0; now && (node = ibc_fabric_node(then, i)); i++) {
		all++;
		same += ibc_fabric_node_by_guid(now, node->guid) != NULL;
	}
	return !now || same * 2 >= all;
}

/* Of the sweeps that are kept, and of the last one, the latest that is not after the lines. */
static int take_sweep(struct app *app, struct blame_work *w, const struct ibc_past_fabric *f,
                      struct ibc_error *err)
{
	time_t at = w->first - IBC_BLAME_BEFORE, last = time_of_fabric(f->sweep);
	struct ibc_fabric *kept = NULL;
	int rc = ibc_history_sweep_at(app->common.state, f->name, at, &kept, err);

	if (rc && rc != -ENOENT)
		return rc;
	if (!app->fabric)
		w->in.now = f->sweep;
	w->past = f;
	w->before = f->sweep && (last <= at || !kept) ? f->sweep : kept;
	w->kept = kept;
	/* lines without a time may be of an hour, in which there is another one */
	rc = ibc_history_sweep_at(app->common.state, f->name, last - 1, &w->middle, err);
	if (rc && rc != -ENOENT)
		return rc;
	/* one that is kept has tables rather than the last, and holds until the next one */
	w->in.then = kept && (time_of_fabric(kept) <= at || last > at) ? kept : f->sweep;
	return 0;
}

int blame_remember(struct app *app, struct blame_work *w, struct ibc_error *err)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS | IBC_HISTORY_EVENTS |
		                                        IBC_HISTORY_SERIES,
		                               .since = w->first - IBC_BLAME_SPAN };
	const struct ibc_past_fabric *f, *best = NULL;
	int rc = ibc_history_load(app->common.state, &opts, &w->history, err);

	/* that of the sweep now, else the only one; of the same one as it was, the last */
	for (size_t i = 0; !rc && (f = ibc_history_fabric(w->history, i)); i++) {
		if (!f->sweep || !is_same_fabric(f->sweep, app->fabric))
			continue;
		if (best && !is_same_fabric(best->sweep, f->sweep))
			return cmd_fail(
			    err, -EINVAL,
			    "%s remembers several fabrics, %s and %s: say by --source which "
			    "one the job ran on",
			    app->common.state, best->name, f->name);
		if (!best || time_of_fabric(f->sweep) > time_of_fabric(best->sweep))
			best = f;
	}
	return rc || !best ? rc : take_sweep(app, w, best, err);
}

/* ---- signs -------------------------------------------------------------------------- */

static int add_sign(struct blame_work *w, const struct ibc_blame_sign *sign, struct ibc_error *err)
{
	if (sign->until < w->first - IBC_BLAME_BEFORE || sign->from > w->last + IBC_BLAME_AFTER)
		return 0;
	if (rows_grow(&w->signs, w->num_signs, &w->room_signs, sizeof(*w->signs), err))
		return -ENOMEM;
	w->signs[w->num_signs++] = *sign;
	return 0;
}

/*
 * When what a run reported at that time may have happened: after the run before it.  Where that is
 * not known, in the time that a sign may span.
 */
static time_t run_before(const struct blame_work *w, time_t when)
{
	time_t before = when - IBC_BLAME_SPAN;

	for (size_t i = 0; w->past && i < w->past->num_runs && w->past->runs[i] < when; i++)
		before = w->past->runs[i];
	return before;
}

/* What the history calls by name; a name that is there no more, or twice, is no place. */
static bool find_place(const struct blame_work *w, const char *name, struct ibc_blame_sign *sign)
{
	const struct ibc_fabric *const fabrics[] = { w->in.then, w->in.now };
	struct ibc_place *places;
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(fabrics); i++) {
		if (!fabrics[i] || ibc_fabric_find(fabrics[i], name, &places, &n, NULL))
			continue;
		sign->guid = places[0].node->guid;
		sign->port = places[0].port;
		free(places);
		if (n == 1)
			return true;
	}
	return false;
}

/* A fault that came back began again then. */
static int add_happening(struct blame_work *w, const struct ibc_happening *h, struct ibc_error *err)
{
	struct ibc_blame_sign sign = { .from = run_before(w, h->time), .until = h->time };
	const struct ibc_incident *incident;

	if (!strcmp(h->what, "link-down") || !strcmp(h->what, "moved"))
		sign.kind = IBC_SIGN_DOWN;
	for (size_t i = 0; !strcmp(h->what, "reopened") && h->check &&
	                   (incident = ibc_history_incident(w->history, i));
	     i++)
		if (!strcmp(incident->check, h->check) && !strcmp(incident->name, h->name)) {
			sign.kind = IBC_SIGN_INCIDENT;
			sign.check = h->check;
			sign.case_id = incident->case_id;
			sign.guid = incident->subject.near.guid;
			sign.port = incident->subject.near.port;
		}
	if (!sign.kind || (!sign.guid && !find_place(w, h->name, &sign)))
		return 0;
	return add_sign(w, &sign, err);
}

static bool names_port(const struct ibc_subject *s, const struct ibc_past_port *port)
{
	return (s->near.has_guid && s->near.guid == port->guid && s->near.port == port->num) ||
	       (s->far.has_guid && s->far.guid == port->guid && s->far.port == port->num);
}

/*
 * Errors of an hour are of its runs, and since the one before; where incidents date them, of the
 * time from which they began until they were seen last.
 */
static int add_hour(struct blame_work *w, const struct ibc_port_hour *hour, struct ibc_error *err)
{
	const struct ibc_incident *incident;
	time_t end = hour->time + HOUR, began = 0, seen = 0;
	struct ibc_blame_sign sign = { .kind = IBC_SIGN_COUNTED,
		                       .guid = hour->at->guid,
		                       .port = hour->at->num,
		                       .from = run_before(w, hour->time),
		                       .until = run_before(w, end),
		                       .counter = hour->counter,
		                       .amount = hour->amount.n };

	for (size_t i = 0; (incident = ibc_history_incident(w->history, i)); i++) {
		if (strncmp(incident->check, "counters.", 9) != 0 ||
		    !names_port(&incident->subject, hour->at) || incident->began >= end ||
		    incident->last_seen < hour->time)
			continue;
		began = !began || incident->began < began ? incident->began : began;
		seen = incident->last_seen > seen ? incident->last_seen : seen;
	}
	if (began > hour->time)
		sign.from = run_before(w, began);
	if (seen && seen < sign.until)
		sign.until = seen;
	return add_sign(w, &sign, err);
}

static bool is_of_past(const struct blame_work *w, const char *fabric)
{
	return w->past && !strcmp(w->past->name, fabric);
}

static int add_history(struct blame_work *w, struct ibc_error *err)
{
	const struct ibc_incident *incident;
	const struct ibc_happening *happening;
	const struct ibc_port_hour *hour;
	int rc = 0;

	for (size_t i = 0; !rc && (incident = ibc_history_incident(w->history, i)); i++)
		if (incident->subject.near.has_guid && is_of_past(w, incident->fabric))
			rc = add_sign(
			    w,
			    &(struct ibc_blame_sign){ .kind = IBC_SIGN_INCIDENT,
			                              .guid = incident->subject.near.guid,
			                              .port = incident->subject.near.port,
			                              .from = run_before(w, incident->began),
			                              .until = incident->began,
			                              .check = incident->check,
			                              .case_id = incident->case_id },
			    err);
	for (size_t i = 0; !rc && (happening = ibc_history_happening(w->history, i)); i++)
		if (is_of_past(w, happening->fabric))
			rc = add_happening(w, happening, err);
	for (size_t i = 0; !rc && (hour = ibc_history_hour(w->history, i)); i++)
		if (is_of_past(w, hour->at->fabric->name))
			rc = add_hour(w, hour, err);
	return rc;
}

/* ---- between two sweeps ------------------------------------------------------------- */

static int add_counted(struct blame_work *w, const struct ibc_fabric *before,
                       const struct ibc_fabric *now, struct ibc_error *err)
{
	const struct ibc_port *port;
	struct ibc_delta delta;
	int rc = 0;

	for (size_t i = 0; !rc && (port = ibc_fabric_port(now, i)); i++) {
		if (!port->counters || !ibc_delta_among(before, port, IBC_ERROR_COUNTERS, &delta))
			continue;
		for (unsigned int c = 0; !rc && c < IBC_COUNTERS; c++)
			if (delta.known & IBC_ERROR_COUNTERS & 1u << c && delta.value[c])
				rc = add_sign(
				    w,
				    &(struct ibc_blame_sign){ .kind = IBC_SIGN_COUNTED,
				                              .guid = port->node->guid,
				                              .port = port->num,
				                              .from = time_of_fabric(before),
				                              .until = time_of_fabric(now),
				                              .counter = c,
				                              .amount = delta.value[c] },
				    err);
	}
	return rc;
}

/* What has no peer any more is down only if it says so: its peer may not have answered. */
static bool went_down(const struct ibc_event *e)
{
	return e->was && e->was->peer && e->is && ibc_port_has_state(e->is) &&
	       e->is->state == IBC_STATE_DOWN;
}

static int add_between(struct blame_work *w, const struct ibc_fabric *before,
                       const struct ibc_fabric *now, struct ibc_error *err)
{
	time_t from = time_of_fabric(before), until = time_of_fabric(now);
	time_t at = w->first - IBC_BLAME_BEFORE;
	struct ibc_events *events = NULL;
	const struct ibc_event *e;
	int rc;

	if (!from || until <= from)
		return 0;
	/* each change is kept: until the last run before the lines all was as in the one before */
	for (size_t i = 0; w->past && i < w->past->num_runs; i++)
		if (w->past->runs[i] > from && w->past->runs[i] <= at)
			from = w->past->runs[i];
	rc = ibc_events_find(before, now, &events, err);
	for (size_t i = 0; !rc && (e = ibc_events_at(events, i)); i++) {
		struct ibc_blame_sign sign = { .from = from, .until = until };

		if (e->kind == IBC_EVENT_NODE_GONE || e->kind == IBC_EVENT_NODE_SILENT) {
			sign.kind = e->kind == IBC_EVENT_NODE_GONE ? IBC_SIGN_GONE
			                                           : IBC_SIGN_SILENT;
			sign.guid = e->node->guid;
		} else if (e->was && (e->kind == IBC_EVENT_MOVED || e->kind == IBC_EVENT_FLAP ||
		                      (e->kind == IBC_EVENT_STATE && went_down(e)))) {
			sign.kind = IBC_SIGN_DOWN;
			sign.guid = e->was->node->guid;
			sign.port = e->was->num;
		}
		if (sign.kind)
			rc = add_sign(w, &sign, err);
	}
	ibc_events_free(events);
	return rc ? rc : add_counted(w, before, now, err);
}

int blame_signs(struct blame_work *w, struct ibc_error *err)
{
	const struct ibc_fabric *const sweeps[] = { w->before, w->middle,
		                                    w->past ? w->past->sweep : NULL, w->in.now };
	const struct ibc_fabric *before = NULL;
	int rc = w->history ? add_history(w, err) : 0;

	/* each with the one before it: what lies between two is kept apart */
	for (size_t i = 0; !rc && w->past && i < ARRAY_SIZE(sweeps); i++) {
		if (!sweeps[i] || (before && time_of_fabric(sweeps[i]) <= time_of_fabric(before)))
			continue;
		rc = before ? add_between(w, before, sweeps[i], err) : 0;
		before = sweeps[i];
	}
	w->in.remembers = w->past;
	w->in.runs = w->past ? w->past->runs : NULL;
	w->in.num_runs = w->past ? w->past->num_runs : 0;
	w->in.signs = w->signs;
	w->in.num_signs = w->num_signs;
	return rc;
}
