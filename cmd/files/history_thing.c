/* SPDX-License-Identifier: BSD-2-Clause */
/* One thing over time: what is at both ends of its cables, and what its ports counted. */
#include <errno.h>
#include <stdlib.h>

#include "columns.h"
#include "history.h"
#include "phy.h"
#include "show.h"

#define HOUR          3600  /* seconds */
#define DAY           86400 /* seconds */
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

/* ---- what was counted since then ------------------------------------------------------------ */

/*
 * struct counted - one counter of one port
 * @last: when it rose, as far as that is known
 * @wait_percent: mean of the days where it is known, or below 0
 */
struct counted {
	const struct ibc_past_port *at;
	const char *counter;
	struct ibc_amount total;
	bool local;
	time_t from, last;
	double wait_percent;
};

GETTER(counted_total, struct counted, c, total_value(cell, c->local, c->total));
GETTER(counted_from, struct counted, c, time_value(cell, c->local, c->from));
GETTER(counted_last, struct counted, c, time_value(cell, c->local, c->last));

static const struct ibc_column counted_columns[] = {
	COLUMN("fabric", NULL, past_fabric),
	COLUMN("node_guid", NULL, past_guid),
	COLUMN("port", NULL, past_num),
	COLUMN("subject", "PORT", past_name),
	FIELD("counter", "COUNTER", struct counted, counter),
	COLUMN("total", "TOTAL", counted_total),
	FIELD("at_least", NULL, struct counted, total.at_least),
	COLUMN_AT("wait_percent", "WAIT %", field_tenths, struct counted, wait_percent),
	COLUMN("from", "FROM", counted_from),
	COLUMN("last", "LAST", counted_last),
	{ 0 },
};
const struct ibc_table_type counted_type = { "counted", counted_columns, NULL, NULL, NULL };

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

static struct counted counted_of(const struct app *app, const struct series *s, const char *counter,
                                 time_t unit)
{
	time_t first = s->at->fabric->first_run, from = s->since > first ? s->since : first;

	return (struct counted){ .at = s->at,
		                 .counter = counter,
		                 .local = app_for_people(app),
		                 .from = from - from % unit,
		                 .wait_percent = -1 };
}

static void add_amount(struct counted *row, time_t when, struct ibc_amount amount)
{
	if (!amount.known)
		return;
	row->total.known = true;
	row->total.at_least |= amount.at_least;
	row->total.n += amount.n;
	if (amount.n)
		row->last = when;
}

static void add_counted(struct app *app, struct series *s, const struct counted *row, bool is_error)
{
	if (s->brief && !is_error)
		s->omitted++;
	else
		ibc_table_row(app_table(app, &counted_type), row);
}

/* A row for each counter that rose; one that says so, if none did or the port was not read. */
static void add_errors(struct app *app, struct series *s)
{
	struct counted none = counted_of(app, s, "all error counters", HOUR);
	const struct ibc_port_hour *hour;
	bool any = false;

	for (unsigned int c = 0; c < IBC_COUNTERS; c++) {
		struct counted row = counted_of(app, s, ibc_counter_word(c)->name, HOUR);

		for (size_t i = 0; (hour = hour_of(s, i)); i++)
			if (hour->counter == c)
				add_amount(&row, hour->time, hour->amount);
		if (row.total.known)
			add_counted(app, s, &row, true);
		any |= row.total.known;
	}
	none.total.known = day_of(s, 0);
	if (!any)
		add_counted(app, s, &none, false);
}

static void add_traffic(struct app *app, struct series *s)
{
	static const enum ibc_counter counters[] = { IBC_XMIT_DATA, IBC_RCV_DATA, IBC_XMIT_WAIT };
	const struct ibc_port_day *day;
	double wait = 0, days = 0;

	for (size_t i = 0; (day = day_of(s, i)); i++)
		if (day->wait_percent >= 0) {
			wait += day->wait_percent;
			days++;
		}
	for (size_t c = 0; c < ARRAY_SIZE(counters); c++) {
		struct counted row = counted_of(app, s, ibc_counter_word(counters[c])->name, DAY);

		for (size_t i = 0; (day = day_of(s, i)); i++) {
			const struct ibc_amount amounts[] = { day->sent, day->received,
				                              day->waited };

			add_amount(&row, day->time, amounts[c]);
		}
		if (counters[c] == IBC_XMIT_WAIT && days > 0)
			row.wait_percent = wait / days;
		if (row.total.known)
			add_counted(app, s, &row, false);
	}
}

/* ---- of all ports --------------------------------------------------------------------------- */

/* From its first hour and its first day on. */
static void find_port(struct series *s, const struct ibc_past_port *at)
{
	const struct ibc_port_hour *hour;
	const struct ibc_port_day *day;

	s->at = at;
	s->hour = s->day = 0;
	while ((hour = ibc_history_hour(s->h, s->hour)) && hour->at != at)
		s->hour++;
	while ((day = ibc_history_day(s->h, s->day)) && day->at != at)
		s->day++;
}

static void add_port(struct app *app, struct series *s, const struct ibc_past_port *at)
{
	find_port(s, at);
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
		find_port(s, hour->at);
		if (hour->at != last && !day_of(s, 0) && ++n && app)
			add_port(app, s, hour->at);
	}
	return n;
}

/* A port of which nothing was ever kept: that is said, too. */
static void add_unread_ports(struct app *app, struct series *s, const struct ibc_past_fabric *f)
{
	for (size_t i = 0; i < f->num_places; i++) {
		const struct ibc_place *place = &f->places[i];
		unsigned int num = place->port ? place->port : 1;
		const struct ibc_port *port;

		for (; (port = ibc_node_port(place->node, num)); num++) {
			struct ibc_past_port p = { f, NULL, port->node->guid, num, port };
			const struct ibc_port_day *day;
			char name[IBC_PLACE_TEXT];
			size_t d = 0;

			while ((day = ibc_history_day(s->h, d)) &&
			       !(day->at->guid == p.guid && day->at->num == p.num))
				d++;
			p.name = place_name(port, name);
			if (port->peer && !day)
				add_port(app, s, &p);
			if (place->port)
				break;
		}
	}
}

/* ---- both ends --------------------------------------------------------------------- */

static int show_fabric(struct app *app, const struct ibc_past_fabric *f, struct ibc_error *err)
{
	struct ibc_place *near = calloc(f->num_places + 1, sizeof(*near));
	int rc = near ? 0 : cmd_fail(err, -ENOMEM, "out of memory");

	/* to be looked at only, and given back */
	app->fabric = (struct ibc_fabric *)f->sweep;
	app->places = near;
	for (size_t i = 0; near && i < f->num_places; i++) {
		const struct ibc_place *p = &f->places[i];
		const struct ibc_port *port = p->port ? ibc_node_port(p->node, p->port) : NULL;
		size_t k = 0; /* one that is shown before it, and whose far end it is */

		while (port && port->peer && k < i &&
		       !(f->places[k].node == port->peer->node &&
		         (!f->places[k].port || f->places[k].port == port->peer->num)))
			k++;
		if (!port || !port->peer || k == i)
			near[app->num_places++] = *p;
	}
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

void hours_table(struct app *app, const struct ibc_history *h)
{
	struct ibc_table *hours = app_table(app, &error_hours_type);
	const struct ibc_port_hour *hour;

	for (size_t i = 0; (hour = ibc_history_hour(h, i)); i++)
		ibc_table_row(hours, &(struct hour_row){ *hour, app_for_people(app) });
}

int thing_tables(struct app *app, const struct ibc_history *h, time_t since, struct ibc_error *err)
{
	struct series s = { .h = h, .since = since };
	const struct ibc_past_fabric *f;
	const struct ibc_port_day *day;
	struct ibc_table *days;
	int rc = 0;

	if (!app_for_people(app)) { /* programs find each table, whatever is in it */
		app_table(app, &ends_type);
		app_table(app, &identity_type);
	}
	for (size_t i = 0; !rc && (f = ibc_history_fabric(h, i)); i++)
		rc = show_fabric(app, f, err);
	s.brief = !app_shows_all(app) && add_ports(NULL, &s) > PORTS_OF_TEXT;
	add_ports(app, &s);
	for (size_t i = 0; (f = ibc_history_fabric(h, i)); i++)
		add_unread_ports(app, &s, f);
	ibc_table_omit(app_table(app, &counted_type), s.omitted, " of data, wait and no errors");
	if (!app_shows_all(app))
		return rc;
	hours_table(app, h);
	days = app_table(app, &traffic_days_type);
	for (size_t i = 0; (day = ibc_history_day(h, i)); i++)
		ibc_table_row(days, day);
	return rc;
}
