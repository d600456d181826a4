/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that read a history share: the thing, the last sweep, the ports, the errors. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/names.h>
#include <ibcheck/source.h>

#include "base/str.h"
#include "fabric/fabric.h"
#include "report/report.h"
#include "store/history.h"

/* ---- is it about that thing? ------------------------------------------------------- */

/* "leaf03/19" is named by itself, by "leaf03", and of "host01 mlx5_0/1" by "host01". */
static bool end_matches(const char *pattern, const char *text, size_t n)
{
	char end[IBC_IDENTITY_MAX], *cut;

	if (!str_cut(end, sizeof(end), text, n))
		return false;
	if (!fnmatch(pattern, end, 0))
		return true;
	cut = strrchr(end, '/');
	if (cut)
		*cut = '\0';
	if (cut && !fnmatch(pattern, end, 0))
		return true;
	cut = strchr(end, ' ');
	if (cut)
		*cut = '\0';
	return cut && !fnmatch(pattern, end, 0);
}

static bool either_end_matches(const char *pattern, const char *text)
{
	const char *dash = strstr(text, SEPARATOR);

	if (!fnmatch(pattern, text, 0))
		return true;
	if (!dash)
		return end_matches(pattern, text, strlen(text));
	return end_matches(pattern, text, (size_t)(dash - text)) ||
	       end_matches(pattern, dash + strlen(SEPARATOR), strlen(dash + strlen(SEPARATOR)));
}

bool history_is_about(const struct ibc_history *h, const char *name, const char *thing,
                      const char *case_id)
{
	const char *pattern = h->opts->thing;

	return !pattern || either_end_matches(pattern, name) ||
	       either_end_matches(pattern, thing) || (case_id && !strcmp(pattern, case_id));
}

/* ---- the last sweep ------------------------------------------------------------------- */

static void add_place(struct ibc_history *h, struct ibc_place place)
{
	struct past_fabric *f = h->last;

	for (size_t i = 0; i < f->num_places; i++)
		if (f->places[i].node == place.node && f->places[i].port == place.port)
			return;
	arena_grow(h->arena, &f->places, f->num_places, &f->room_places, sizeof(place));
	f->places[f->num_places++] = place;
}

static void find_named(struct ibc_history *h, const char *text, size_t n)
{
	char name[IBC_IDENTITY_MAX];
	size_t num;

	if (!str_cut(name, sizeof(name), text, n) ||
	    ibc_fabric_find(h->last->sweep, name, &h->named, &num, NULL))
		return;
	for (size_t i = 0; i < num; i++)
		add_place(h, h->named[i]);
	/* a cable has two ends; a whole switch has too many of them */
	for (const struct ibc_place *p = h->named; p < h->named + num; p++) {
		unsigned int last = p->port ? p->port : p->node->num_ports;
		const struct ibc_port *port;

		if (!p->port && p->node->type == IBC_NODE_SWITCH)
			continue;
		for (unsigned int i = p->port ? p->port : 1; i <= last; i++)
			if ((port = ibc_node_port(p->node, i)) && port->peer)
				add_place(h,
				          (struct ibc_place){ port->peer->node, port->peer->num });
	}
	free(h->named);
	h->named = NULL;
}

/* A thing, or both ends of a cable. */
static void find_thing(struct ibc_history *h, const char *thing)
{
	const char *dash = strstr(thing, SEPARATOR);

	find_named(h, thing, dash ? (size_t)(dash - thing) : strlen(thing));
	if (dash)
		find_named(h, dash + strlen(SEPARATOR), strlen(dash + strlen(SEPARATOR)));
}

void history_sweep(struct ibc_history *h, int fd, const char *dir)
{
	int64_t number = sql_number(&h->sql, "SELECT sweep FROM fabric", "");
	struct past_fabric *f = h->last;

	f->shown.first_run = sql_number(&h->sql, "SELECT min(begun) FROM run", "");
	f->shown.last_run = sql_number(&h->sql, "SELECT max(begun) FROM run", "");
	f->room = store_port_room(&h->sql);
	f->ports = arena_array(h->arena, f->room, sizeof(struct ibc_past_port *));
	if (number && h->opts->parts & (IBC_HISTORY_SERIES | IBC_HISTORY_TOP) &&
	    !store_load_sweep(h->arena, fd, dir, number, &f->sweep, NULL))
		f->shown.sweep = f->sweep;
	if (!f->sweep || !h->opts->thing)
		return;
	find_thing(h, h->opts->thing);
	for (size_t i = 0; i < h->num_incidents; i++)
		if (h->incidents[i].fabric == f->shown.name &&
		    !strcmp(h->incidents[i].case_id, h->opts->thing))
			find_thing(h, h->incidents[i].thing);
	f->shown.places = f->places;
	f->shown.num_places = f->num_places;
}

/* ---- ports ------------------------------------------------------------------------------ */

struct ibc_past_port *history_new_port(struct ibc_history *h, uint64_t guid, unsigned int num,
                                       const char *name)
{
	struct ibc_past_port *p = arena_alloc(h->arena, sizeof(*p));
	char text[IBC_PLACE_TEXT];

	*p = (struct ibc_past_port){ .fabric = &h->last->shown, .guid = guid, .num = num };
	p->port = fabric_port_at(h->last->sweep, guid, num);
	if (p->port)
		name = ibc_place_text((struct ibc_place){ p->port->node, num }, text, sizeof(text));
	if (!name) {
		sql_no_memory(&h->sql);
		return NULL;
	}
	p->name = arena_strdup(h->arena, name);
	return p;
}

const struct ibc_past_port *history_port(struct ibc_history *h, int64_t id)
{
	struct past_fabric *f = h->last;
	sqlite3_stmt *row;

	if (id <= 0 || (size_t)id >= f->room)
		return NULL;
	if (f->ports[id])
		return f->ports[id];
	row = sql_query(&h->sql, "SELECT guid, num, name FROM port WHERE id = ?", "i", id);
	while (sql_row(&h->sql, row))
		f->ports[id] = history_new_port(h, (uint64_t)sqlite3_column_int64(row, 0),
		                                (unsigned int)sqlite3_column_int(row, 1),
		                                sql_text(&h->sql, h->arena, row, 2));
	return f->ports[id];
}

/* ---- errors and traffic -------------------------------------------------------------------- */

sqlite3_stmt *history_deltas(struct ibc_history *h)
{
	return sql_query(&h->sql,
	                 "SELECT hour, port, counter, amount, at_least FROM delta WHERE hour >= ?"
	                 " ORDER BY hour, port, counter",
	                 "i", (int64_t)h->opts->since / HOUR);
}

bool history_delta(struct ibc_history *h, sqlite3_stmt *row, struct delta_row *out)
{
	const char *name;

	do {
		if (!sql_row(&h->sql, row))
			return false;
		name = (const char *)sqlite3_column_text(row, 2);
		out->counter = name ? 0 : IBC_COUNTERS;
		while (out->counter < IBC_COUNTERS &&
		       strcmp(ibc_counter_word(out->counter)->name, name) != 0)
			out->counter++;
	} while (out->counter == IBC_COUNTERS);
	out->hour = sql_between(&h->sql, row, 0, 0, TIME_LAST / HOUR);
	out->port = sqlite3_column_int64(row, 1);
	out->amount = (struct ibc_amount){ true, sqlite3_column_int(row, 4),
		                           (uint64_t)sqlite3_column_int64(row, 3) };
	return true;
}

double history_seconds(const struct past_fabric *f, time_t day)
{
	time_t from = day > f->shown.first_run ? day : f->shown.first_run;
	time_t to = day + DAY < f->shown.last_run ? day + DAY : f->shown.last_run;

	return to > from ? (double)(to - from) : 0;
}

double history_wait_percent(const struct ibc_past_port *at, uint64_t ticks, double seconds)
{
	struct ibc_delta delta = { .known = BIT(IBC_XMIT_WAIT), .seconds = seconds };

	delta.value[IBC_XMIT_WAIT] = ticks;
	return at->port ? ibc_delta_wait_percent(at->port, &delta) : -1;
}
