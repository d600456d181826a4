/* SPDX-License-Identifier: BSD-2-Clause */
/* Before and after the work on a link: did it help, and what does the vendor want to know? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ibcheck/repair.h>

#include "columns.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define SINCE       (30.0 * 86400) /* errors of a month, as history shows them */
#define FLAPS       2              /* so often down: between them is an interval */
#define START       "start"
#define CHECK       "check"
#define HOUR        3600 /* seconds */
#define UNREAD_TEXT 64   /* all of the words of find_unread() */

/* ---- those that are started ---------------------------------------------------------------- */

struct repair_row {
	const struct ibc_port *port;
	time_t started;
	bool local;
};

static const char *serial_of(const struct ibc_port *port)
{
	return port && port->extra->module ? port->extra->module->serial : NULL;
}

GETTER(repair_started, struct repair_row, r, time_value(cell, r->local, r->started));
GETTER(repair_serial, struct repair_row, r, ibc_str(serial_of(r->port)));
GETTER(repair_peer_serial, struct repair_row, r, ibc_str(serial_of(r->port->peer)));

static const struct ibc_column repair_columns[] = {
	COLUMN("started", "STARTED", repair_started),
	PORT_COLUMNS,
	COLUMN("name", "PORT", cell_port_name),
	PEER_COLUMNS,
	COLUMN("peer", "PEER", cell_peer_name),
	COLUMN("serial", "SERIAL", repair_serial),
	COLUMN("peer_serial", "PEER SERIAL", repair_peer_serial),
	{ 0 },
};
static const struct ibc_table_type repairs_type = TABLE("repairs", repair_columns, NULL);

static void add_repair(const struct ibc_port *link, void *ctx)
{
	struct app *app = ctx;

	ibc_table_row(
	    app_table(app, &repairs_type),
	    &(struct repair_row){ link, (time_t)link->node->subnet->time, app_for_people(app) });
}

/* ---- which link ------------------------------------------------------------------------------ */

/* struct work - what the arguments name; @fault: what the case is of, or NULL */
struct work {
	struct ibc_history *history;
	const struct ibc_incident *fault;
	const struct ibc_port *link;
};

static const struct ibc_port *end_in(const struct ibc_fabric *fab, const struct ibc_end *e)
{
	const struct ibc_node *node = e->has_guid ? ibc_fabric_node_by_guid(fab, e->guid) : NULL;

	return node && e->has_port ? ibc_node_port(node, e->port) : NULL;
}

static bool is_link_fault(const struct ibc_incident *i)
{
	return ibc_repair_has_check(i->check) &&
	       (i->subject.kind == IBC_SUBJECT_PORT || i->subject.kind == IBC_SUBJECT_CABLE);
}

/*
 * The check of the case that was open when a repair of a port was started, so that it waits no
 * longer than that takes; NULL: there was none, or several.
 */
static const char *open_check(const struct ibc_history *h, const struct ibc_port *then)
{
	time_t at = (time_t)then->node->subnet->time;
	const struct ibc_incident *incident;
	const char *check = NULL;

	for (size_t i = 0; h && (incident = ibc_history_incident(h, i)); i++) {
		const struct ibc_port *end = end_in(then->node->subnet->fabric,
		                                    &incident->subject.near);

		if (!is_link_fault(incident) || !strcmp(incident->state, "merged") ||
		    incident->began > at || (incident->ended && incident->ended <= at) || !end ||
		    (end != then && end != then->peer))
			continue;
		if (check && strcmp(check, incident->check) != 0)
			return NULL;
		check = incident->check;
	}
	return check;
}

/* What the history has of a case, or of a link: its check, and when it counted errors. */
static int find_past(struct app *app, struct work *w, struct ibc_error *err)
{
	const struct ibc_history_opts opts = {
		.parts = IBC_HISTORY_INCIDENTS | IBC_HISTORY_SERIES,
		.since = time_of_sweep(app->fabric) - (time_t)SINCE,
		.thing = app->args[1],
	};
	bool is_case = ibc_is_case_id(app->args[1]);
	int rc = ibc_history_load(app->common.state, &opts, &w->history, err);

	if (rc || !is_case)
		return rc == -ENOENT && !is_case ? 0 : rc;
	w->fault = ibc_history_incident(w->history, 0);
	if (!w->fault)
		return cmd_fail(err, -ENOENT,
		                "%s has no case \"%s\" of this month: name the port, such as "
		                "leaf03/19",
		                app->common.state, app->args[1]);
	if (!is_link_fault(w->fault))
		return cmd_fail(
		    err, -EINVAL,
		    "case %s (%s) is not about a link that can be swept for itself: run "
		    "\"ibcheck all\" again after the work, or name a port",
		    app->args[1], w->fault->check);
	return 0;
}

static int find_link(struct app *app, struct work *w, struct ibc_error *err)
{
	int rc = w->fault ? 0 : place_find(app->fabric, app->args[1], &w->link, err);

	if (w->fault)
		w->link = end_in(app->fabric, &w->fault->subject.near)
		              ?: end_in(app->fabric, &w->fault->subject.far);
	if (!rc && !w->link)
		return cmd_fail(err, -ENODEV, "neither end of case %s answers", app->args[1]);
	if (!rc && !w->link->num)
		return cmd_fail(err, -EINVAL, "%s is no port with a cable: name one, such as %s/1",
		                app->args[1], w->link->node->label);
	return rc;
}

/*
 * struct flaps - when one end of a link went down
 * @hours: in which it did; @n: how often; @first, @last: of these hours
 */
struct flaps {
	const struct ibc_past_port *at;
	time_t first, last;
	double hours, n;
};

/*
 * In a burst that never ceased its mean.  Else each hour counts once, so that the next burst is
 * waited for; FLAPS of them show an interval.
 */
static double interval_of(const struct flaps *f)
{
	double span = (double)(f->last - f->first);

	if (f->n < FLAPS)
		return 0;
	return f->hours * HOUR > span ? (span + HOUR) / f->n : span / (f->hours - 1);
}

/* Usually between two times that it went down, by the end that counted most; 0: not known. */
static double flap_seconds(const struct ibc_history *h)
{
	const struct ibc_port_hour *hour;
	struct flaps f = { .at = NULL }, most = f;

	for (size_t i = 0; h && (hour = ibc_history_hour(h, i)); i++) {
		if (hour->counter != IBC_LINK_DOWNED)
			continue;
		if (hour->at != f.at)
			f = (struct flaps){ .at = hour->at, .first = hour->time };
		f.last = hour->time;
		f.hours++;
		f.n += (double)hour->amount.n;
		most = f.n > most.n ? f : most;
	}
	return interval_of(&most);
}

/* ---- before, and after --------------------------------------------------------------------------
 */

/* What of an end is not known, and so cannot be compared later; true: not because it has none. */
static bool find_unread(const struct app *app, const struct ibc_port *p, char list[UNREAD_TEXT])
{
	const struct ibc_attrs all = ibc_check_needs(app->selection);
	const struct ibc_phy *phy = p->extra->phy;
	bool has_plug = p->extra->module || ibc_phy_is_special(phy);
	bool unanswered = !p->counters;

	for (enum ibc_attr a = 0; (a = ibc_attrs_next(all, a));)
		unanswered |= ibc_port_unanswered(p, a) || ibc_node_unanswered(p->node, a);
	snprintf(list, UNREAD_TEXT, "%s%s%s", p->counters ? "" : ", counters",
	         ibc_phy_knows(phy, IBC_PHY_BITS_RECEIVED) ? "" : ", bit errors",
	         has_plug ? "" : ", light, serial number");
	if (unanswered && !*list)
		snprintf(list, UNREAD_TEXT, ", some registers");
	return unanswered;
}

static void report_lacking(struct app *app, const struct ibc_port *link)
{
	const struct ibc_port *ends[] = { link, link->peer };
	char list[2][UNREAD_TEXT] = { "", "" }, at[IBC_PLACE_TEXT];
	char text[2 * (IBC_PLACE_TEXT + UNREAD_TEXT)] = "";
	bool unanswered = false, same;

	for (int i = 0; i < 2 && ends[i]; i++)
		unanswered |= find_unread(app, ends[i], list[i]);
	same = !strcmp(list[0], list[1]);
	for (size_t i = 0, n = 0; i < (same ? 1 : 2); i++)
		if (*list[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s: %s", n ? "; " : "",
			                      same ? "both ends" : place_name(ends[i], at),
			                      list[i] + 2);
	if (*text)
		ibc_report_conclude(app->report, "not read of %s", text);
	if (unanswered)
		ibc_report_skip(app->report, "repair.link", text);
}

static int start(struct app *app, struct work *w, struct ibc_store *store, struct ibc_error *err)
{
	char text[2][IBC_PLACE_TEXT];
	int rc;

	if (!ibc_port_has_state(w->link))
		return cmd_fail(err, -ENODATA,
		                "%s does not answer: there is nothing to compare with",
		                place_name(w->link, text[0]));
	rc = ibc_store_repair_put(store, w->link, false, err);
	if (!rc)
		ibc_report_conclude(app->report,
		                    "%s - %s is kept as it is; after the work: ibcheck repair "
		                    "check %s",
		                    place_name(w->link, text[0]),
		                    place_name(w->link->peer, text[1]), app->args[1]);
	if (!rc)
		report_lacking(app, w->link);
	return rc;
}

static int check(struct app *app, struct work *w, struct ibc_store *store, struct ibc_error *err)
{
	struct ibc_repair r = {
		.now = app->fabric,
		.config = app->config,
		.flap_seconds = flap_seconds(w->history),
	};
	const struct ibc_port *now, *unused;
	struct ibc_fabric *after = NULL;
	bool begins = false;
	char word[IBC_SHELL_TEXT];
	int rc = ibc_store_repair_get(store, w->link, false, &app->before, &r.link, err);

	if (rc == -ENOENT)
		return cmd_fail(err, -ENOENT,
		                "no repair of %s was started: ibcheck repair start %s",
		                app->args[1], ibc_shell_word(app->args[1], word, sizeof(word)));
	if (rc)
		return rc;
	r.start = app->before;
	r.check = w->fault ? w->fault->check : open_check(w->history, r.link);
	rc = ibc_store_repair_get(store, w->link, true, &after, &unused, err);
	if (rc && rc != -ENOENT)
		return rc;
	r.after = after;
	rc = ibc_check_repair(&r, app->report, &begins, err);
	now = ibc_repair_find(r.link, app->fabric);
	if (!rc && begins && now)
		rc = ibc_store_repair_put(store, now, true, err);
	if (now)
		w->link = now;
	ibc_fabric_free(after);
	return rc;
}

/* Both ends of it, as the tables show them. */
static int show_link(struct app *app, const struct work *w, struct ibc_error *err)
{
	app->places = calloc(2, sizeof(*app->places));
	if (!app->places)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (const struct ibc_port *p = w->link; p && app->num_places < 2; p = p->peer)
		app->places[app->num_places++] = (struct ibc_place){ p->node, p->num };
	if (w->history)
		hours_table(app, w->history);
	return 0;
}

static int work_on(struct app *app, bool starts, struct ibc_error *err)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_store *store = NULL;
	struct work w = { .fault = NULL };
	int rc;

	app->how.physical = true;
	rc = app_sweep(app, IBC_ATTRS(IBC_ATTR_PORT_INFO), err);
	if (!rc)
		rc = find_past(app, &w, err);
	if (!rc)
		rc = find_link(app, &w, err);
	if (!rc) {
		opts.now = time_of_sweep(app->fabric);
		opts.command = app->cmd->name;
		rc = ibc_store_open(app->common.state, app->fabric, &opts, &store, err);
	}
	if (!rc)
		rc = starts ? start(app, &w, store, err) : check(app, &w, store, err);
	if (!rc)
		rc = show_link(app, &w, err);
	ibc_store_free(store);
	ibc_history_free(w.history);
	return rc;
}

static int repair_run(struct app *app, struct ibc_error *err)
{
	const char *word = app->args[0];
	bool starts = word && !strcmp(word, START);
	int rc;

	if (!app->common.state)
		return cmd_fail(err, -EINVAL,
		                "repair needs --state DIR, or state in the configuration");
	if (word && !starts && strcmp(word, CHECK) != 0)
		return cmd_fail(err, -EINVAL, "repair %s: it is \"start\" or \"check\"", word);
	if (word && !app->args[1])
		return cmd_fail(err, -EINVAL, "repair %s needs the ID of a case, or a port", word);
	if (word)
		return work_on(app, starts, err);
	app_table(app, &repairs_type);
	rc = ibc_history_repairs(app->common.state, add_repair, app, err);
	if (!rc && *err->text)
		ibc_report_skip(app->report, "repair.link", err->text);
	else
		ibc_report_past(app->report, &(struct ibc_last_run){ 0 });
	app->selects = *err->text; /* else no verdict */
	return rc;
}

static int repair_tables(struct app *app, struct ibc_error *err)
{
	int rc;

	if (!app->num_places)
		return 0;
	ibc_table_upright(app_table(app, &cables_type));
	rc = cables_table(app, err);
	return rc ? rc : identity_table(app, err);
}

const struct cmd cmd_repair = {
	.name = "repair",
	.summary = "before and after the work on a cable: did it help, and what an RMA wants",
	.args = "[start ID | check ID]",
	.example = "repair start 7f3a9c10 --state /var/lib/ibcheck\n"
		   "repair check 7f3a9c10 --state /var/lib/ibcheck\n"
		   "repair start leaf03/19 --state /var/lib/ibcheck\n",
	.group = CMD_FABRIC,
	.takes = TAKES_SWEEP | TAKES_CHECKS | TAKES_HISTORY,
	.of_things = true,
	.max_args = 2,
	.arg_words = "start check",
	.checks = IBC_REPAIR_CHECKS,
	.csv = &repairs_type,
	.shows = TABLES(&repairs_type, &cables_type, &identity_type, &error_hours_type, &plugs_type,
	                &phy_lanes_type, &phy_type, &phy_bins_type),
	.run = repair_run,
	.tables = repair_tables,
};
