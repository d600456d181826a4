/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a memory of earlier runs costs: a run of a large fabric, and a year of them.
 *
 *	store DIR SPEC		milliseconds of one run: sweep loaded, history, sweep written,
 *				commit, is a sweep to be kept, one that is kept written; its KB
 *	store DIR year PORTS	fills the history there is with a year; prints megabytes
 *
 * In a run all ports carry data, 2,000 error counters move, and 200 incidents are open; a year has
 * such traffic every day, 2,000 counters that move in 200 of its hours, 50 incidents a day, and a
 * run every 5 minutes.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <ibcheck/ibcheck.h>

#include "base/arena.h"
#include "store/store.h"

#define INCIDENTS 200
#define MOVED     2000

static void check(int rc, const struct ibc_error *err)
{
	if (!rc)
		return;
	fprintf(stderr, "store: %s\n", err->text);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- one run ------------------------------------------------------------------------ */

/* Bytes of 300 seconds at up to 100 Gb/s, and ticks of a tenth of them: noise, but repeatable. */
static uint64_t noise(uint64_t port, uint64_t time, unsigned int column)
{
	uint64_t x = (port << 32 ^ time << 4 ^ column) * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 32) % (3750ull << 30);
	return column == TRAFFIC_WAIT ? (port % 4 ? 0 : x / 10) : x & ~3ull;
}

/* They go on from run to run. */
static void add_traffic(struct ibc_counters *c, uint64_t port, unsigned int run)
{
	static const enum ibc_counter columns[] = { IBC_XMIT_WAIT, IBC_XMIT_DATA, IBC_RCV_DATA };

	for (unsigned int i = 0; i < TRAFFIC_COLUMNS; i++) {
		c->known |= 1u << columns[i];
		for (unsigned int k = 0; k <= run; k++)
			c->value[columns[i]] += noise(port, k, i);
	}
}

/* Ports of a fabric made by formula share counters, the same each time: these go on. */
static struct ibc_fabric *sweep(const char *spec, unsigned int run, struct ibc_counters **all)
{
	struct ibc_source_opts opts = IBC_SOURCE_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_fabric *fab;
	const struct ibc_port *port;
	unsigned int moved = 0;

	opts.needs = IBC_ATTRS(IBC_ATTR_PORT_COUNTERS, IBC_ATTR_LFT);
	check(ibc_fabric_load(&spec, 1, &opts, &fab, &err), &err);
	((struct ibc_subnet *)ibc_fabric_subnet(fab, 0))->time = 1780000000 + run * 300;
	*all = calloc(ibc_fabric_count(fab).ports, sizeof(**all));
	for (size_t i = 0; *all && (port = ibc_fabric_port(fab, i)); i++) {
		struct ibc_counters *c = &(*all)[i];

		if (!port->counters)
			continue;
		*c = *port->counters;
		add_traffic(c, i, run);
		c->known |= 1u << IBC_SYMBOL_ERROR;
		c->value[IBC_SYMBOL_ERROR] = moved < MOVED ? run : 0;
		((struct ibc_port *)port)->counters = c;
		moved++;
	}
	return fab;
}

static struct ibc_report *report(const struct ibc_input *in)
{
	struct ibc_report *rep;
	const struct ibc_port *port;
	unsigned int n = 0;

	check(ibc_report_new(&rep, NULL), NULL);
	for (size_t i = 0; n < INCIDENTS && (port = ibc_fabric_port(in->fabric, i)); i++) {
		struct ibc_subject s = { .kind = IBC_SUBJECT_PORT,
			                 .near = { .guid = port->node->guid,
			                           .has_guid = true,
			                           .desc = port->node->desc,
			                           .port = port->num,
			                           .has_port = true } };

		if (port->num && ++n)
			ibc_report_add(rep, "port.width", IBC_WARNING, &s, "runs at 1x");
	}
	ibc_report_ran(rep, "port.width");
	check(ibc_report_finish(rep, NULL), NULL);
	check(ibc_cases_find(in, ibc_check_find, rep, NULL), NULL);
	return rep;
}

#define PARTS 6

static void one_run(const char *dir, const char *spec, unsigned int run, double ms[PARTS])
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_counters *counters;
	struct ibc_fabric *fab = sweep(spec, run, &counters), *before = NULL;
	const struct ibc_input in = { .fabric = fab };
	struct ibc_report *rep = report(&in);
	struct ibc_error err = { "" };
	struct ibc_store *store;
	double begun = now_ms(), write;

	opts.now = (time_t)ibc_fabric_subnet(fab, 0)->time;
	opts.command = "bench";
	check(ibc_store_open(dir, fab, &opts, &store, &err), &err);
	ibc_store_sweep(store, &before, &err);
	ms[0] = now_ms() - begun;
	begun = now_ms();
	check(ibc_store_record(store, &in, before, ibc_check_find, rep, &err), &err);
	ms[1] = now_ms() - begun;
	begun = now_ms();
	check(store_write_sweep(store, before, &err), &err);
	write = now_ms() - begun;
	ms[1] -= write;
	ms[2] = write;
	/* of today the first run has kept one, of tomorrow there is none */
	for (int part = 4; run && part < PARTS; part++) {
		begun = now_ms();
		check(store_keep(store, &err), &err);
		ms[part] = now_ms() - begun;
		ms[1] -= part == 4 ? ms[part] : 0;
		store->opts.now += DAY;
		store->keeps = NULL;
	}
	begun = now_ms();
	check(ibc_store_commit(store, &err), &err);
	ms[3] = now_ms() - begun;
	ibc_store_free(store);
	ibc_report_free(rep);
	ibc_fabric_free(before);
	ibc_fabric_free(fab);
	free(counters);
}

/* ---- a year --------------------------------------------------------------------------- */

static void fill_year(struct sql *sql, int64_t ports)
{
	sql_begin(sql);
	for (int64_t i = 1000; i < 1000 + 365 * 288; i++)
		sql_run(sql, "INSERT INTO run VALUES(?, ?, 'counters', 1, 50, 1)", "ii", i,
		        1780000000 + i * 300);
	for (int64_t hour = 0; hour < 200; hour++)
		for (int64_t port = 1; port <= ports; port++)
			sql_run(
			    sql,
			    "INSERT OR IGNORE INTO delta VALUES(?, ?, 'SymbolErrorCounter', ?, 0)",
			    "iii", 1780000000 / 3600 + hour * 43, port, hour + port);
	for (int64_t i = 0; i < 365 * 50; i++) {
		sql_run(sql,
		        "INSERT INTO incident(check_id, thing, name, severity, opened, last_seen,"
		        " closed, opens, message, advice, known, case_id, hidden, unseen, "
		        "settling) VALUES("
		        " 'counters.symbol', '0x0002c90300000010/1 - 0x0002c90300000020/2',"
		        " 'leaf01/1 - spine01/2', 2, ?1, ?1 + 600, ?1 + 900, 1, 'SymbolErrorCounter"
		        " rose by 40 at leaf01/1, 0 at spine01/2 in 5 min', 'Only leaf01/1 receives"
		        " damaged data: the cable or the transmitter of spine01/2 is at fault.', 0,"
		        " '7f3a9c10', 0, 0, 0)",
		        "i", (int64_t)1780000000 + i * 1728);
		for (int kind = 0; kind < 2; kind++)
			sql_run(sql, "INSERT INTO event VALUES(last_insert_rowid(), ?, ?, ?, NULL)",
			        "iit", 1000 + i * 6 + kind, (int64_t)1780000000 + i * 1728,
			        kind ? "closed" : "opened");
	}
	sql_commit(sql);
}

/* Days before those of the runs; 288 times as much as in a run, of every port that has a number. */
static void fill_traffic(struct sql *sql)
{
	struct ibc_store store = { .sql = *sql };
	size_t ports = (size_t)sql_number(&store.sql, "SELECT max(id) FROM port", "") + 1;

	sql_begin(&store.sql);
	for (unsigned int day = 1; day <= 365; day++) {
		struct traffic t;

		store.arena = arena_new();
		store.opts.now = 1780000000 - (time_t)day * 86400;
		traffic_begin(&t, &store, ports);
		for (size_t port = 1; port < ports; port++)
			for (unsigned int i = 0; i < TRAFFIC_COLUMNS; i++)
				t.codes[i][port] = 1 + 2 * 288 * noise(port, day, i);
		t.n = ports;
		t.moved = true;
		traffic_end(&t);
		arena_free(store.arena);
	}
	sql_commit(&store.sql);
	*sql = store.sql;
}

/* The first file that a pattern names, which has to be freed. */
static glob_t first_of(const char *dir, const char *what)
{
	struct ibc_error err = { "" };
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/%s", dir, what);
	check(glob(pattern, 0, NULL, &found), &err);
	return found;
}

static void year(const char *dir, int64_t ports)
{
	struct ibc_error err = { "" };
	glob_t found = first_of(dir, "*");
	char path[4200];
	struct stat st;
	struct sql sql;
	int fd;

	fd = ibc_dir_open(found.gl_pathv[0], NULL, &err);
	check(fd < 0 ? fd : 0, &err);
	snprintf(path, sizeof(path), "%s/" STORE_HISTORY, found.gl_pathv[0]);
	check(sql_open(&sql, fd, path, &err), &err);
	fill_year(&sql, ports);
	fill_traffic(&sql);
	check(sql_failure(&sql, &err), &err);
	sql_close(&sql);
	check(stat(path, &st), &err);
	printf("%.0f\n", (double)st.st_size / 1e6);
	globfree(&found);
}

int main(int argc, char **argv)
{
	double ms[PARTS], best[PARTS] = { 1e9, 1e9, 1e9, 1e9, 1e9, 1e9 };
	struct stat st = { 0 };
	glob_t kept;

	if (argc == 4 && !strcmp(argv[2], "year")) {
		year(argv[1], atoll(argv[3]));
		return 0;
	}
	if (argc != 3)
		return 1;
	for (unsigned int run = 0; run < 6; run++) {
		one_run(argv[1], argv[2], run, ms);
		for (int i = 0; run && i < PARTS; i++)
			best[i] = ms[i] < best[i] ? ms[i] : best[i];
	}
	kept = first_of(argv[1], "*/kept.*");
	stat(kept.gl_pathv[0], &st);
	globfree(&kept);
	printf("%.0f %.0f %.0f %.0f %.0f %.0f %lld\n", best[0], best[1], best[2], best[3], best[4],
	       best[5], (long long)st.st_size / 1000);
	return 0;
}
