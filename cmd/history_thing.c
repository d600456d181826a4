/* SPDX-License-Identifier: BSD-2-Clause */
/* One thing over time: what is at both ends of its cables, and what its ports counted. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define HOUR          3600  /* seconds */
#define DAY           86400 /* seconds */
#define STEPS_MAX     60    /* characters of a trend: two months of days */
#define HOURLY_DAYS   2     /* so short a time is shown by the hour */
#define LEVELS        8     /* of a character */
#define PORTS_OF_TEXT 4     /* so many ports are shown with their data and wait */

/* ---- what was counted ------------------------------------------------------------------- */

struct hour_row {
	struct ibc_port_hour h;
	bool local;
};

GETTER(hour_time, struct hour_row, r, time_value(cell, r->local, r->h.time));
GETTER(hour_counter, struct hour_row, r, ibc_str(ibc_counter_word(r->h.counter)->name));

static const struct ibc_column hour_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	COLUMN("time", "HOUR FROM", hour_time),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN("port", NULL, past_num),
	COLUMN("subject", "PORT", past_name),
	COLUMN("counter", "COUNTER", hour_counter),
	FIELD("amount", "AMOUNT", struct hour_row, h.amount.n),
	FIELD("at_least", NULL, struct hour_row, h.amount.at_least),
	{ 0 },
};
const struct ibc_table_type error_hours_type = { "error_hours", hour_columns, NULL, NULL,
	                                         "errors by hour" };

GETTER(day_date, struct ibc_port_day, d, day_value(cell, d->time));
GETTER(day_sent, struct ibc_port_day, d, total_value(cell, false, d->sent));
GETTER(day_received, struct ibc_port_day, d, total_value(cell, false, d->received));
GETTER(day_waited, struct ibc_port_day, d, total_value(cell, false, d->waited));
GETTER(day_least, struct ibc_port_day, d,
       ibc_bool(d->sent.at_least || d->received.at_least || d->waited.at_least));

static const struct ibc_column day_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	COLUMN("date", "DAY", day_date),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN("port", NULL, past_num),
	COLUMN("subject", "PORT", past_name),
	COLUMN("sent_bytes", "SENT BYTES", day_sent),
	COLUMN("received_bytes", "RECEIVED BYTES", day_received),
	COLUMN("wait_ticks", "PortXmitWait", day_waited),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct ibc_port_day, wait_percent),
	COLUMN("at_least", NULL, day_least),
	{ 0 },
};
const struct ibc_table_type traffic_days_type = { "traffic_days", day_columns, NULL, NULL,
	                                          "data and waiting by day" };

/* ---- trends ------------------------------------------------------------------------------- */

/*
 * struct trend - one counter of one port over time, in steps
 * @looked: whether the port was read in it, else nothing is known of the step
 * @wait_percent: mean of the days where it is known, or below 0
 */
struct trend {
	const struct ibc_past_port *at;
	const char *counter;
	struct ibc_amount total, step[STEPS_MAX];
	bool looked[STEPS_MAX], ascii, local;
	time_t from, last;
	unsigned int step_seconds, steps;
	double wait_percent;
};

/* Blocks of Unicode, where the terminal's locale has them. */
static bool is_ascii(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool ascii = !locale || strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;

	if (locale)
		freelocale(locale);
	return ascii;
}

/* "?": the port was not read; "_": nothing; then an eighth of the greatest step each. */
static const char *character(const struct trend *t, unsigned int step, uint64_t greatest)
{
	static const char *const blocks[2][LEVELS] = {
		{ "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
		{ ".", ":", "-", "=", "+", "*", "#", "@" },
	};
	uint64_t n = t->step[step].n;

	if (!n)
		return t->looked[step] ? "_" : "?";
	return blocks[t->ascii][(unsigned int)((double)n / (double)greatest * (LEVELS - 0.5))];
}

static uint64_t greatest_step(const struct trend *t)
{
	uint64_t greatest = 0;

	for (unsigned int i = 0; i < t->steps; i++)
		greatest = t->step[i].n > greatest ? t->step[i].n : greatest;
	return greatest;
}

static struct ibc_value trend_line(struct ibc_cell *cell)
{
	const struct trend *t = cell->row;
	struct ibc_value line = ibc_none();

	for (unsigned int i = 0; i < t->steps; i++)
		line = ibc_cell_text(cell, "%s", character(t, i, greatest_step(t)));
	return line;
}

static struct ibc_value trend_each(struct ibc_cell *cell)
{
	const struct trend *t = cell->row;
	unsigned int days = t->step_seconds / DAY;

	return days ? ibc_cell_text(cell, "%u day%s", days, days == 1 ? "" : "s")
	            : ibc_str("1 hour");
}

GETTER(trend_total, struct trend, t, total_value(cell, t->local, t->total));
GETTER(trend_most, struct trend, t, t->total.known ? ibc_u64(greatest_step(t)) : ibc_none());
GETTER(trend_from, struct trend, t, time_value(cell, t->local, t->from));
GETTER(trend_last, struct trend, t, time_value(cell, t->local, t->last));

static const struct ibc_column trend_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN("port", NULL, past_num),
	COLUMN("subject", "PORT", past_name),
	FIELD("counter", "COUNTER", struct trend, counter),
	COLUMN("total", "TOTAL", trend_total),
	FIELD("at_least", NULL, struct trend, total.at_least),
	COLUMN("greatest_step", "GREATEST", trend_most),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct trend, wait_percent),
	COLUMN("from", "FROM", trend_from),
	COLUMN("last", "LAST", trend_last),
	FIELD("step_seconds", NULL, struct trend, step_seconds),
	COLUMN("each", "EACH", trend_each),
	COLUMN("trend", "TREND", trend_line),
	{ 0 },
};
const struct ibc_table_type trends_type = { "trends", trend_columns, NULL, NULL, NULL };

/* ---- of one port ---------------------------------------------------------------------------- */

/* struct series - the hours and days of one port, from the first ones on */
struct series {
	const struct ibc_history *h;
	const struct ibc_past_port *at;
	size_t hour, day;
	time_t since;
	bool brief; /* of many ports text shows those with errors */
	size_t omitted;
};

static unsigned int step_of(const struct trend *t, time_t when)
{
	return when < t->from ? 0 : (unsigned int)((when - t->from) / t->step_seconds);
}

/* What is counted in a day cannot be divided. */
static void set_steps(struct trend *t, time_t since, time_t unit)
{
	const struct ibc_past_fabric *f = t->at->fabric;
	time_t from = since > f->first_run ? since : f->first_run;
	unsigned int units;

	if (f->last_run - from >= HOURLY_DAYS * DAY)
		unit = DAY;
	t->from = from - from % unit;
	units = f->last_run < t->from ? 1 : (unsigned int)((f->last_run - t->from) / unit) + 1;
	t->step_seconds = (unsigned int)unit * ((units + STEPS_MAX - 1) / STEPS_MAX);
	t->steps = step_of(t, f->last_run) + 1;
}

static const struct ibc_port_hour *hour_of(const struct series *s, size_t i)
{
	const struct ibc_port_hour *hour = ibc_history_hour(s->h, s->hour + i);

	return hour && hour->at == s->at ? hour : NULL;
}

static const struct ibc_port_day *day_of(const struct series *s, size_t i)
{
	const struct ibc_port_day *day = ibc_history_day(s->h, s->day + i);

	return day && day->at == s->at ? day : NULL;
}

static void note_looks(struct trend *t, const struct ibc_port_day *day)
{
	for (unsigned int hour = 0; hour < 24; hour++) {
		time_t when = day->time + (time_t)hour * HOUR;

		if (day->hours >> hour & 1 && when + HOUR > t->from && step_of(t, when) < t->steps)
			t->looked[step_of(t, when)] = true;
	}
}

static void add_amount(struct trend *t, time_t when, struct ibc_amount amount)
{
	unsigned int step = step_of(t, when);

	if (!amount.known || step >= t->steps)
		return;
	t->total.known = true;
	t->total.at_least |= amount.at_least;
	t->total.n += amount.n;
	t->step[step].n += amount.n;
	if (amount.n)
		t->last = when;
}

/* Its steps, and in which of them it was read. */
static struct trend frame_of(const struct app *app, const struct series *s, time_t unit)
{
	struct trend t = { .at = s->at,
		           .local = history_is_text(app),
		           .ascii = !strcmp(app->common.format, FORMAT_TEXT) && is_ascii(),
		           .wait_percent = -1 };
	const struct ibc_port_day *day;

	set_steps(&t, s->since, unit);
	for (size_t i = 0; (day = day_of(s, i)); i++)
		note_looks(&t, day);
	return t;
}

static void add_trend(struct app *app, struct series *s, const struct trend *t, bool is_error)
{
	if (s->brief && !is_error)
		s->omitted++;
	else
		ibc_table_row(app_table(app, &trends_type), t);
}

/* A row for each counter that rose; one that says so, if none did or nobody looked. */
static void add_errors(struct app *app, struct series *s)
{
	struct trend none = frame_of(app, s, HOUR);
	const struct ibc_port_hour *hour;
	bool any = false;

	for (unsigned int c = 0; c < IBC_COUNTERS; c++) {
		struct trend t = none;

		t.counter = ibc_counter_word(c)->name;
		for (size_t i = 0; (hour = hour_of(s, i)); i++)
			if (hour->counter == c)
				add_amount(&t, hour->time, hour->amount);
		if (t.total.known)
			add_trend(app, s, &t, true);
		any |= t.total.known;
	}
	none.counter = "all error counters";
	none.total.known = day_of(s, 0);
	if (!any)
		add_trend(app, s, &none, false);
}

static struct ibc_amount amount_of(const struct ibc_port_day *day, enum ibc_counter counter)
{
	return counter == IBC_XMIT_DATA  ? day->sent
	       : counter == IBC_RCV_DATA ? day->received
	                                 : day->waited;
}

static double mean_wait(const struct series *s)
{
	const struct ibc_port_day *day;
	double sum = 0, days = 0;

	for (size_t i = 0; (day = day_of(s, i)); i++)
		if (day->wait_percent >= 0) {
			sum += day->wait_percent;
			days++;
		}
	return days > 0 ? sum / days : -1;
}

static void add_traffic(struct app *app, struct series *s)
{
	static const enum ibc_counter traffic[] = { IBC_XMIT_DATA, IBC_RCV_DATA, IBC_XMIT_WAIT };
	const struct ibc_port_day *day;

	for (size_t c = 0; c < ARRAY_SIZE(traffic); c++) {
		struct trend t = frame_of(app, s, DAY);

		t.counter = ibc_counter_word(traffic[c])->name;
		for (size_t i = 0; (day = day_of(s, i)); i++)
			add_amount(&t, day->time, amount_of(day, traffic[c]));
		if (traffic[c] == IBC_XMIT_WAIT)
			t.wait_percent = mean_wait(s);
		if (t.total.known)
			add_trend(app, s, &t, false);
	}
}

/* ---- of all ports --------------------------------------------------------------------------- */

static void find_port(struct series *s)
{
	const struct ibc_port_hour *hour;
	const struct ibc_port_day *day;

	s->hour = s->day = 0;
	while ((hour = ibc_history_hour(s->h, s->hour)) && hour->at != s->at)
		s->hour++;
	while ((day = ibc_history_day(s->h, s->day)) && day->at != s->at)
		s->day++;
}

static void add_port(struct app *app, struct series *s, const struct ibc_past_port *at)
{
	s->at = at;
	find_port(s);
	add_errors(app, s);
	add_traffic(app, s);
}

/* The ports with data, then those with nothing but errors; @app NULL: only how many. */
static size_t add_ports(struct app *app, struct series *s)
{
	const struct ibc_past_port *last = NULL;
	const struct ibc_port_hour *hour;
	const struct ibc_port_day *day;
	size_t n = 0;

	for (size_t i = 0; (day = ibc_history_day(s->h, i)); last = day->at, i++)
		if (day->at != last && ++n && app)
			add_port(app, s, day->at);
	for (size_t i = 0; (hour = ibc_history_hour(s->h, i)); last = hour->at, i++) {
		s->at = hour->at;
		find_port(s);
		if (hour->at != last && !day_of(s, 0) && ++n && app)
			add_port(app, s, hour->at);
	}
	return n;
}

/* A port of which nothing was ever kept: that is said, too. */
static void add_unread(struct app *app, struct series *s, const struct ibc_past_fabric *f,
                       const struct ibc_port *port)
{
	struct ibc_past_port p = { f, NULL, port->node->guid, port->num, port };
	const struct ibc_port_day *day;
	char name[IBC_PLACE_TEXT];

	for (size_t i = 0; (day = ibc_history_day(s->h, i)); i++)
		if (day->at->guid == p.guid && day->at->num == p.num)
			return;
	p.name = ibc_place_text((struct ibc_place){ port->node, port->num }, name, sizeof(name));
	add_port(app, s, &p);
}

static void add_unread_ports(struct app *app, struct series *s, const struct ibc_past_fabric *f)
{
	const struct ibc_port *port;

	for (size_t i = 0; i < f->num_places; i++) {
		const struct ibc_place *place = &f->places[i];
		unsigned int num = place->port ? place->port : 1;

		for (; (port = ibc_node_port(place->node, num)); num++) {
			if (port->peer)
				add_unread(app, s, f, port);
			if (place->port)
				break;
		}
	}
}

/* ---- both ends --------------------------------------------------------------------- */

/* Is it the far end of one that is shown before it? */
static bool is_far_end(const struct ibc_past_fabric *f, size_t i)
{
	const struct ibc_place *place = &f->places[i];
	const struct ibc_port *port = place->port ? ibc_node_port(place->node, place->port) : NULL;

	for (size_t k = 0; port && port->peer && k < i; k++)
		if (f->places[k].node == port->peer->node &&
		    (!f->places[k].port || f->places[k].port == port->peer->num))
			return true;
	return false;
}

static int show_fabric(struct app *app, const struct ibc_past_fabric *f, struct ibc_error *err)
{
	struct ibc_place *near = calloc(f->num_places + 1, sizeof(*near));
	int rc = near ? 0 : cmd_fail(err, -ENOMEM, "out of memory");

	/* to be looked at only, and given back */
	app->fabric = (struct ibc_fabric *)f->sweep;
	app->places = near;
	for (size_t i = 0; near && i < f->num_places; i++)
		if (!is_far_end(f, i))
			near[app->num_places++] = f->places[i];
	if (app->num_places)
		ends_table(app);
	if (!rc && app->num_places && cables_known(app->fabric))
		rc = cables_table(app, err);
	app->places = (struct ibc_place *)f->places;
	app->num_places = f->num_places;
	if (!rc && f->num_places && app_shows_all(app))
		rc = identity_table(app, err);
	app->fabric = NULL;
	app->places = NULL;
	app->num_places = 0;
	free(near);
	return rc;
}

static void add_details(struct app *app, const struct ibc_history *h)
{
	struct ibc_table *hours = app_table(app, &error_hours_type);
	struct ibc_table *days = app_table(app, &traffic_days_type);
	const struct ibc_port_hour *hour;
	const struct ibc_port_day *day;

	for (size_t i = 0; (hour = ibc_history_hour(h, i)); i++)
		ibc_table_row(hours, &(struct hour_row){ *hour, history_is_text(app) });
	for (size_t i = 0; (day = ibc_history_day(h, i)); i++)
		ibc_table_row(days, day);
}

int thing_tables(struct app *app, const struct ibc_history *h, time_t since, struct ibc_error *err)
{
	struct series s = { .h = h, .since = since };
	const struct ibc_past_fabric *f;
	int rc = 0;

	if (!history_is_text(app)) { /* programs find each table, whatever is in it */
		app_table(app, &ends_type);
		app_table(app, &identity_type);
	}
	for (size_t i = 0; !rc && (f = ibc_history_fabric(h, i)); i++)
		rc = show_fabric(app, f, err);
	s.brief = !app_shows_all(app) && add_ports(NULL, &s) > PORTS_OF_TEXT;
	add_ports(app, &s);
	for (size_t i = 0; (f = ibc_history_fabric(h, i)); i++)
		add_unread_ports(app, &s, f);
	ibc_table_omit(app_table(app, &trends_type), s.omitted, " of data, wait and no errors");
	if (app_shows_all(app))
		add_details(app, h);
	return rc;
}
