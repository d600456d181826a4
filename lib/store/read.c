/* SPDX-License-Identifier: BSD-2-Clause */
/* What the histories of a state directory tell to whoever may read them. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "store/store.h"

#define SEPARATOR " - " /* of the ends of a cable */

struct ibc_history {
	struct arena *arena;
	const struct ibc_history_opts *opts;
	const char *fabric;
	struct sql sql;
	struct ibc_incident *incidents;
	struct ibc_happening *happenings;
	struct ibc_worn_port *ports;
	size_t num_incidents, room_incidents, num_happenings, room_happenings, num_ports,
	    room_ports;
};

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

static bool is_about(const struct ibc_history *h, const char *name, const char *thing,
                     const char *case_id)
{
	const char *pattern = h->opts->thing;

	return !pattern || either_end_matches(pattern, name) ||
	       either_end_matches(pattern, thing) || (case_id && !strcmp(pattern, case_id));
}

/* ---- rows -------------------------------------------------------------------------- */

static const char *text_at(const struct ibc_history *h, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? arena_strdup(h->arena, text) : NULL;
}

#define ADD(h, list, item)                                                                         \
	(arena_grow((h)->arena, &(h)->list, (h)->num_##list, &(h)->room_##list,                    \
	            sizeof(*(h)->list))                                                            \
	     ? (void)((h)->list[(h)->num_##list++] = (item))                                       \
	     : sql_no_memory(&(h)->sql))

static const char *state_of(sqlite3_stmt *row)
{
	if (sqlite3_column_int64(row, 8))
		return "ended";
	if (sqlite3_column_int64(row, 12))
		return "merged";
	return sqlite3_column_int64(row, 13) ? "unseen" : "open";
}

static void read_incidents(struct ibc_history *h)
{
	const struct ibc_history_opts *o = h->opts;
	sqlite3_stmt *row = sql_query(
	    &h->sql,
	    "SELECT check_id, thing, name, message, advice, case_id, opened, last_seen,"
	    " closed, opens, severity, known, hidden, unseen FROM incident"
	    " WHERE (?1 IS NULL OR check_id = ?1) AND (closed IS NULL OR"
	    " (closed >= ?2 AND NOT ?3)) ORDER BY opened DESC, id DESC",
	    "tii", o->check, (int64_t)o->since, (int64_t)o->open);

	while (sql_row(&h->sql, row)) {
		struct ibc_incident i = {
			.fabric = h->fabric,
			.check = text_at(h, row, 0),
			.thing = text_at(h, row, 1),
			.name = text_at(h, row, 2),
			.message = text_at(h, row, 3),
			.advice = text_at(h, row, 4),
			.case_id = text_at(h, row, 5),
			.began = (time_t)sqlite3_column_int64(row, 6),
			.last_seen = (time_t)sqlite3_column_int64(row, 7),
			.ended = (time_t)sqlite3_column_int64(row, 8),
			.times = (unsigned int)sqlite3_column_int64(row, 9),
			.severity = (enum ibc_severity)sqlite3_column_int(row, 10),
			.state = state_of(row),
		};

		if (!i.check || !i.thing || !i.name || !i.case_id)
			sql_no_memory(&h->sql);
		else if (is_about(h, i.name, i.thing, i.case_id))
			ADD(h, incidents, i);
	}
}

static void read_happenings(struct ibc_history *h)
{
	sqlite3_stmt *row = sql_query(&h->sql,
	                              "SELECT event.time, kind, check_id, name, event.message, "
	                              "NULL, NULL, thing, case_id, run"
	                              " FROM event JOIN incident ON incident = incident.id"
	                              " WHERE event.time >= ?1 AND (?2 IS NULL OR check_id = ?2)"
	                              " UNION ALL SELECT time, what, NULL, name, NULL, was, "
	                              "became, thing, NULL, run FROM change"
	                              " WHERE time >= ?1 AND ?2 IS NULL ORDER BY run, 1",
	                              "it", (int64_t)h->opts->since, h->opts->check);

	while (sql_row(&h->sql, row)) {
		struct ibc_happening e = {
			.time = (time_t)sqlite3_column_int64(row, 0),
			.fabric = h->fabric,
			.what = text_at(h, row, 1),
			.check = text_at(h, row, 2),
			.name = text_at(h, row, 3),
			.message = text_at(h, row, 4),
			.before = text_at(h, row, 5),
			.after = text_at(h, row, 6),
		};
		const char *thing = (const char *)sqlite3_column_text(row, 7);
		const char *case_id = (const char *)sqlite3_column_text(row, 8);

		if (!e.what || !e.name || !thing)
			sql_no_memory(&h->sql);
		else if (is_about(h, e.name, thing, case_id))
			ADD(h, happenings, e);
	}
}

/* What damage to a link makes: congestion, and what a switch refuses, is no wear. */
#define WEAR                                                                                       \
	"('SymbolErrorCounter', 'LinkErrorRecoveryCounter', 'LinkDownedCounter', 'PortRcvErrors'," \
	" 'LocalLinkIntegrityErrors', 'ExcessiveBufferOverrunErrors')"

static void read_ports(struct ibc_history *h)
{
	sqlite3_stmt *row = sql_query(
	    &h->sql,
	    "WITH worn AS (SELECT port, count(DISTINCT hour) AS hours, sum(amount) AS errors,"
	    " max(at_least) AS least, max(hour) AS last FROM delta"
	    " WHERE hour >= ?1 AND counter IN " WEAR " GROUP BY port),"
	    " sums AS (SELECT port, counter, sum(amount) AS n, max(at_least) AS least FROM delta"
	    " WHERE hour >= ?1 GROUP BY port, counter),"
	    " lists AS (SELECT DISTINCT port, group_concat(counter || ' ' ||"
	    " CASE WHEN least THEN '>=' ELSE '' END || n, ', ') OVER (PARTITION BY port"
	    " ORDER BY n DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS list"
	    " FROM sums)"
	    " SELECT name, peer, guid, num, hours, errors, least, last, list FROM worn"
	    " JOIN lists USING(port) JOIN port ON id = port ORDER BY hours DESC, errors DESC, name",
	    "i", (int64_t)h->opts->since / 3600);

	while (sql_row(&h->sql, row)) {
		struct ibc_worn_port p = {
			.fabric = h->fabric,
			.name = text_at(h, row, 0),
			.peer = text_at(h, row, 1),
			.hours = (uint64_t)sqlite3_column_int64(row, 4),
			.errors = (uint64_t)sqlite3_column_int64(row, 5),
			.at_least = sqlite3_column_int(row, 6),
			.last = (time_t)sqlite3_column_int64(row, 7) * 3600,
			.counters = text_at(h, row, 8),
		};
		char thing[32];

		snprintf(thing, sizeof(thing), "0x%016" PRIx64 "/%d",
		         (uint64_t)sqlite3_column_int64(row, 2), sqlite3_column_int(row, 3));
		if (!p.name || !p.counters)
			sql_no_memory(&h->sql);
		else if (is_about(h, p.name, thing, NULL))
			ADD(h, ports, p);
	}
}

/* ---- all fabrics of a directory ----------------------------------------------------- */

static int read_fabric(struct ibc_history *h, const char *dir, const char *name,
                       struct ibc_error *err)
{
	const char *path = arena_printf(h->arena, "%s/%s/" STORE_HISTORY, dir, name);
	int rc;

	h->fabric = arena_strdup(h->arena, name);
	if (!path || !h->fabric)
		return fail_nomem(err);
	if (access(path, F_OK))
		return 0;
	rc = sql_open_reader(&h->sql, path, err);
	if (!rc) {
		if (h->opts->parts & IBC_HISTORY_INCIDENTS)
			read_incidents(h);
		if (h->opts->parts & IBC_HISTORY_EVENTS)
			read_happenings(h);
		if (h->opts->parts & IBC_HISTORY_PORTS)
			read_ports(h);
		rc = sql_failure(&h->sql, err);
	}
	sql_close(&h->sql);
	return rc;
}

static int read_fabrics(struct ibc_history *h, const char *dir, struct ibc_error *err)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort), rc = 0;
	bool any = false;

	if (n < 0)
		return fail(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!rc && *names[i]->d_name != '.') {
			rc = read_fabric(h, dir, names[i]->d_name, err);
			any = true;
		}
		free(names[i]);
	}
	free(names);
	return rc || any ? rc : fail(err, -ENOENT, "%s remembers no fabric", dir);
}

int ibc_history_load(const char *dir, const struct ibc_history_opts *opts, struct ibc_history **out,
                     struct ibc_error *err)
{
	struct ibc_history *h = xalloc(sizeof(*h));
	struct ibc_history_opts look = *opts;
	uint64_t guid;
	int rc = -ENOMEM;

	if (h)
		h->arena = arena_new();
	if (h && h->arena) {
		/* a GUID is kept with all its digits */
		if (opts->thing && !strncmp(opts->thing, "0x", 2) && !str_guid(opts->thing, &guid))
			look.thing = arena_printf(h->arena, "0x%016" PRIx64, guid);
		h->opts = &look;
		rc = read_fabrics(h, dir, err);
		h->opts = NULL;
	}
	if (rc) {
		ibc_history_free(h);
		return rc == -ENOMEM ? fail_nomem(err) : rc;
	}
	*out = h;
	return 0;
}

void ibc_history_free(struct ibc_history *h)
{
	if (!h)
		return;
	arena_free(h->arena);
	free(h);
}

const struct ibc_incident *ibc_history_incident(const struct ibc_history *h, size_t i)
{
	return i < h->num_incidents ? &h->incidents[i] : NULL;
}

const struct ibc_happening *ibc_history_happening(const struct ibc_history *h, size_t i)
{
	return i < h->num_happenings ? &h->happenings[i] : NULL;
}

const struct ibc_worn_port *ibc_history_port(const struct ibc_history *h, size_t i)
{
	return i < h->num_ports ? &h->ports[i] : NULL;
}
