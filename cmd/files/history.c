/* SPDX-License-Identifier: BSD-2-Clause */
/* What earlier runs found: incidents, and what happened to a thing. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "columns.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define SINCE_MAX_SECONDS (3650.0 * 86400) /* ten years: longer than anything is kept */
#define SINCE_DEFAULT     (30.0 * 86400)   /* a month: what people remember themselves */
#define SINCE_TOP         (7.0 * 86400)    /* what to replace this week */
#define TOP               "top"
#define FORGET            "forget"

struct history_cfg {
	double since;
	const char *check;
	bool open;
};

static const struct opt history_opts[] = {
	OPT_SECONDS(
	    0, "since", "AGE", struct history_cfg, since, SINCE_MAX_SECONDS,
	    "incidents that are open or ended since then (7d, 12h; default 30d, of top 7d)"),
	OPT_STR(0, "check", "ID", struct history_cfg, check, "incidents of this check",
	        .hint = HINT_CHECK),
	OPT_FLAG(0, "open", struct history_cfg, open, "only incidents that have not ended"),
	OPT_END,
};

/* ---- incidents ------------------------------------------------------------------ */

struct incident_row {
	struct ibc_incident i;
	bool local;
};

GETTER(past_severity, struct incident_row, r, ibc_enum(ibc_severity_word(r->i.severity)));
GETTER(past_began, struct incident_row, r, time_value(cell, r->local, r->i.began));
GETTER(past_seen, struct incident_row, r, time_value(cell, r->local, r->i.last_seen));
GETTER(past_ended, struct incident_row, r, time_value(cell, r->local, r->i.ended));

static const struct ibc_column incident_columns[] = {
	FIELD("fabric", NULL, struct incident_row, i.fabric),
	COLUMN("severity", "SEVERITY", past_severity),
	COLUMN("began", "BEGAN", past_began),
	COLUMN("last_seen", NULL, past_seen),
	COLUMN("ended", "ENDED", past_ended),
	FIELD("state", "STATE", struct incident_row, i.state),
	FIELD("times", "TIMES", struct incident_row, i.times),
	FIELD("check", "CHECK", struct incident_row, i.check),
	FIELD("subject", "WHERE", struct incident_row, i.name),
	FIELD("identity", NULL, struct incident_row, i.thing),
	FIELD("case", "ID", struct incident_row, i.case_id),
	FIELD("advice", NULL, struct incident_row, i.advice),
	FIELD_BY(field_value, "message", "WHAT", struct incident_row, i.message, .sentence = true),
	{ 0 },
};
const struct ibc_table_type incidents_type = { "incidents", incident_columns, NULL, NULL, NULL };

/* ---- what happened ---------------------------------------------------------------- */

struct happening_row {
	struct ibc_happening h;
	bool local;
};

static struct ibc_value happening_text(struct ibc_cell *cell)
{
	const struct happening_row *r = cell->row;
	const struct ibc_happening *h = &r->h;
	bool both = h->before && *h->before && h->after && *h->after;

	if (h->message)
		return ibc_str(h->message);
	if (!strcmp(h->what, "link-down"))
		return ibc_cell_text(cell, "was to %s", h->before);
	return ibc_cell_text(cell, "%s%s%s", h->before ? h->before : "", both ? " -> " : "",
	                     h->after ? h->after : "");
}

GETTER(happening_time, struct happening_row, r, time_value(cell, r->local, r->h.time));

static const struct ibc_column happening_columns[] = {
	FIELD("fabric", NULL, struct happening_row, h.fabric),
	COLUMN("time", "TIME", happening_time),
	FIELD("event", "EVENT", struct happening_row, h.what),
	FIELD("check", "CHECK", struct happening_row, h.check),
	FIELD("subject", "WHERE", struct happening_row, h.name),
	SENTENCE("text", "WHAT", happening_text),
	{ 0 },
};
const struct ibc_table_type happenings_type = { "events", happening_columns, NULL, NULL, NULL };

/* ---- the command ---------------------------------------------------------------------- */

void incidents_table(struct app *app, const struct ibc_history *h)
{
	struct ibc_table *table = app_table(app, &incidents_type);
	const struct ibc_incident *incident;

	for (size_t i = 0; (incident = ibc_history_incident(h, i)); i++)
		ibc_table_row(table, &(struct incident_row){ *incident, app_for_people(app) });
}

static void add_happenings(struct app *app, const struct ibc_history *h)
{
	struct ibc_table *table = app_table(app, &happenings_type);
	const struct ibc_happening *happening;

	for (size_t i = 0; (happening = ibc_history_happening(h, i)); i++)
		ibc_table_row(table, &(struct happening_row){ *happening, app_for_people(app) });
}

int history_find(struct app *app, const char *thing, bool show, struct ibc_error *err)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS | IBC_HISTORY_EVENTS,
		                               .thing = thing };
	struct ibc_history *h;
	int rc;

	if (!app->common.state)
		return -ENOENT;
	rc = ibc_history_load(app->common.state, &opts, &h, err);
	if (rc)
		return rc;
	rc = ibc_history_incident(h, 0) || ibc_history_happening(h, 0) ? 0 : -ENOENT;
	if (show && ibc_history_incident(h, 0))
		incidents_table(app, h);
	if (show && ibc_history_happening(h, 0))
		add_happenings(app, h);
	ibc_history_free(h);
	return rc;
}

static bool is_word(const struct app *app, const char *word)
{
	return app->args[0] && !strcmp(app->args[0], word);
}

static int history_run(struct app *app, struct ibc_error *err)
{
	const struct history_cfg *c = app->cfg;
	const char *format = app->common.format;
	bool forgets = is_word(app, FORGET);

	ibc_report_past(app->report, &(struct ibc_last_run){ 0 });
	if (!app->common.state)
		return cmd_fail(err, -EINVAL,
		                "history needs --state DIR, or state in the "
		                "configuration");
	if (!strcmp(format, "nagios") || !strcmp(format, "junit"))
		return cmd_fail(err, -EINVAL,
		                "history judges nothing: -f %s is for commands that check, such "
		                "as all",
		                format);
	if (forgets && !app->args[1])
		return cmd_fail(err, -EINVAL, "forget needs the FABRIC, as \"ls %s\" has it",
		                app->common.state);
	if (!forgets && app->args[0] && app->args[1])
		return cmd_fail(err, -EINVAL, "history does not take \"%s\"", app->args[1]);
	if (c->check && !ibc_check_find(c->check))
		return cmd_fail(err, -EINVAL, "--check %s: there is no such check", c->check);
	return forgets ? ibc_history_forget(app->common.state, app->args[1], err) : 0;
}

static int history_tables(struct app *app, struct ibc_error *err)
{
	const struct history_cfg *c = app->cfg;
	bool top = is_word(app, TOP), known;
	struct ibc_history_opts opts = { .check = c->check, .open = c->open };
	const struct ibc_past_fabric *f;
	struct ibc_last_run last = { 0 };
	struct ibc_history *h;
	double since = c->since > 0 ? c->since : top ? SINCE_TOP : SINCE_DEFAULT;
	int rc;

	if (is_word(app, FORGET))
		return 0;
	opts.since = time(NULL) - (time_t)since;
	opts.thing = top ? NULL : app->args[0];
	opts.parts = top ? IBC_HISTORY_TOP : IBC_HISTORY_INCIDENTS;
	if (opts.thing)
		opts.parts |= IBC_HISTORY_EVENTS | IBC_HISTORY_SERIES;
	rc = ibc_history_load(app->common.state, &opts, &h, err);
	if (rc)
		return rc;
	known = ibc_history_incident(h, 0) || ibc_history_happening(h, 0) ||
	        ibc_history_hour(h, 0) || ibc_history_day(h, 0);
	/* of all fabrics that are remembered: the last run, and the worst of what is open */
	for (size_t i = 0; (f = ibc_history_fabric(h, i)); i++) {
		enum ibc_severity open = f->last.open > last.open ? f->last.open : last.open;

		if (f->last.time > last.time)
			last = f->last;
		last.open = open;
		known |= f->num_places > 0;
	}
	ibc_report_past(app->report, &last);
	if (top) {
		top_tables(app, h);
	} else if (opts.thing && !known) {
		/* what is misspelt must not look like a thing that has no faults */
		rc = cmd_fail(err, -ENOENT, "%s remembers nothing of \"%s\" in this time",
		              app->common.state, opts.thing);
	} else {
		incidents_table(app, h);
		if (opts.thing) {
			add_happenings(app, h);
			rc = thing_tables(app, h, opts.since, err);
		}
	}
	ibc_history_free(h);
	return rc;
}

const struct cmd cmd_history = {
	.name = "history",
	.args = "[THING | top | forget FABRIC]",
	.summary = "past faults, one port's history, cables to replace",
	.example = "history --state /var/lib/ibcheck --open\n"
		   "history --state /var/lib/ibcheck leaf03/19\n"
		   "history --state /var/lib/ibcheck top --since 7d\n",
	.group = CMD_FABRIC,
	.takes = TAKES_HISTORY,
	.opts = history_opts,
	.cfg_size = sizeof(struct history_cfg),
	.max_args = 2,
	.csv = &incidents_type,
	.shows = TABLES(&incidents_type, &happenings_type, &ends_type, &cables_type, &plugs_type,
	                &phy_lanes_type, &identity_type, &counted_type, &error_hours_type,
	                &traffic_days_type, &worn_type, &waiting_type),
	.run = history_run,
	.tables = history_tables,
};
