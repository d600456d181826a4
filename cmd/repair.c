/* SPDX-License-Identifier: BSD-2-Clause */
/* Before and after the work on a link: did it help, and what does the vendor want to know? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ibcheck/repair.h>

#include "columns.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define SINCE (30.0 * 86400) /* errors of a month, as history shows them */
#define FLAPS 2              /* so often down: between them is an interval */
#define START "start"
#define CHECK "check"
#define HOUR  3600 /* seconds */

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

/*
 * struct work - what the arguments name
 * @check: of the case, or NULL; @subject: of it
 */
struct work {
	struct ibc_history *history;
	const char *check;
	struct ibc_subject subject;
	const struct ibc_port *link;
};

static const struct ibc_port *end_in(const struct ibc_fabric *fab, const struct ibc_end *e)
{
	const struct ibc_node *node = e->has_guid ? ibc_fabric_node_by_guid(fab, e->guid) : NULL;

	return node && e->has_port ? ibc_node_port(node, e->port) : NULL;
}

/* What the history has of a case, or of a link: its check, and when it counted errors. */
static int find_past(struct app *app, struct work *w, struct ibc_error *err)
{
	const struct ibc_history_opts opts = {
		.parts = IBC_HISTORY_INCIDENTS | IBC_HISTORY_SERIES,
		.since = time_of_sweep(app->fabric) - (time_t)SINCE,
		.thing = app->args[1],
	};
	const struct ibc_incident *incident;
	bool is_case = ibc_is_case_id(app->args[1]);
	int rc = ibc_history_load(app->common.state, &opts, &w->history, err);

	if (rc == -ENOENT && !is_case)
		return 0;
	if (rc)
		return rc;
	incident = is_case ? ibc_history_incident(w->history, 0) : NULL;
	if (!is_case)
		return 0;
	if (!incident)
		return cmd_fail(err, -ENOENT,
		                "%s has no case \"%s\" of this month: name the port, such as "
		                "leaf03/19",
		                app->common.state, app->args[1]);
	w->check = incident->check;
	w->subject = incident->subject;
	if (!ibc_repair_has_check(w->check) ||
	    (w->subject.kind != IBC_SUBJECT_PORT && w->subject.kind != IBC_SUBJECT_CABLE))
		return cmd_fail(
		    err, -EINVAL,
		    "case %s (%s) is not about a link that can be swept for itself: run "
		    "\"ibcheck all\" again after the work, or name a port",
		    app->args[1], w->check);
	return 0;
}

static int find_link(struct app *app, struct work *w, struct ibc_error *err)
{
	int rc = w->check ? 0 : place_find(app->fabric, app->args[1], &w->link, err);

	if (w->check)
		w->link = end_in(app->fabric, &w->subject.near)
		              ?: end_in(app->fabric, &w->subject.far);
	if (!rc && !w->link)
		return cmd_fail(err, -ENODEV, "neither end of case %s answers", app->args[1]);
	if (!rc && !w->link->num)
		return cmd_fail(err, -EINVAL, "%s is no port with a cable: name one, such as %s/1",
		                app->args[1], w->link->node->label);
	return rc;
}

/* Usually between two times that it went down; 0: not known. */
static double flap_seconds(const struct ibc_history *h)
{
	const struct ibc_port_hour *hour;
	time_t first = 0, last = 0;
	uint64_t n = 0;

	for (size_t i = 0; h && (hour = ibc_history_hour(h, i)); i++) {
		if (hour->counter != IBC_LINK_DOWNED)
			continue;
		first = !n || hour->time < first ? hour->time : first;
		last = hour->time > last ? hour->time : last;
		n += hour->amount.n;
	}
	return n >= FLAPS ? (double)(last + HOUR - first) / (double)n : 0;
}

/* ---- before, and after --------------------------------------------------------------------------
 */

static int start(struct app *app, struct work *w, struct ibc_store *store, struct ibc_error *err)
{
	char text[2][IBC_PLACE_TEXT];
	int rc;

	if (!ibc_port_has_state(w->link))
		return cmd_fail(err, -ENODATA,
		                "%s does not answer: there is nothing to compare with",
		                port_text(w->link, text[0]));
	rc = ibc_store_repair_put(store, w->link, false, err);
	if (!rc)
		ibc_report_conclude(app->report,
		                    "%s - %s is kept as it is; after the work: ibcheck repair "
		                    "check %s",
		                    port_text(w->link, text[0]), port_text(w->link->peer, text[1]),
		                    app->args[1]);
	return rc;
}

static int check(struct app *app, struct work *w, struct ibc_store *store, struct ibc_error *err)
{
	struct ibc_repair r = {
		.now = app->fabric,
		.config = app->config,
		.check = w->check,
		.flap_seconds = flap_seconds(w->history),
	};
	const struct ibc_port *now, *unused;
	struct ibc_fabric *after = NULL;
	bool begins = false;
	int rc = ibc_store_repair_get(store, w->link, false, &app->before, &r.link, err);

	if (rc == -ENOENT)
		return cmd_fail(err, -ENOENT,
		                "no repair of %s was started: ibcheck repair start %s",
		                app->args[1], app->args[1]);
	if (rc)
		return rc;
	r.start = app->before;
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
	struct work w = { .check = NULL };
	int rc;

	app->physical = true;
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

	if (!app->common.state)
		return cmd_fail(err, -EINVAL,
		                "repair needs --state DIR, or state in the configuration");
	if (word && !starts && strcmp(word, CHECK) != 0)
		return cmd_fail(err, -EINVAL, "repair %s: it is \"start\" or \"check\"", word);
	if (word && !app->args[1])
		return cmd_fail(err, -EINVAL, "repair %s needs the ID of a case, or a port", word);
	if (word)
		return work_on(app, starts, err);
	app->selects = false; /* no verdict */
	ibc_report_past(app->report, &(struct ibc_last_run){ 0 });
	app_table(app, &repairs_type);
	return ibc_history_repairs(app->common.state, add_repair, app, err);
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
	.takes = TAKES_SWEEP | TAKES_CHECKS | TAKES_KNOWN | TAKES_HISTORY,
	.of_things = true,
	.max_args = 2,
	.checks = "port,counters,phy,cable",
	.csv = &repairs_type,
	.shows = TABLES(&repairs_type, &cables_type, &identity_type, &error_hours_type, &plugs_type,
	                &phy_lanes_type, &phy_type, &phy_bins_type),
	.run = repair_run,
	.tables = repair_tables,
};
