/* SPDX-License-Identifier: BSD-2-Clause */
/* A year of faults that come one by one and in bursts, go in any order, and are accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ibcheck/ibcheck.h>

#include "mkcases.h"
#include "mkrandom.h"
#include "report/report.h"

#define DAYS       365
#define DAY        86400
#define BEGAN      1780000000
#define YEARS      2 /* seeds */
#define ACCEPT_ONE 6 /* days between acceptances, about */
#define LEAST_LEFT 1 /* uplinks of a leaf, and of a spine: who has none is another fault */
#define MAX_LINES  4096

enum kind { MISSING, SLOW, SYMBOLS, KINDS };
static const char *const checks[KINDS] = { "topo.missing-cable", "port.speed", "counters.symbol" };

/*
 * struct fault - of one cable, at this port of a leaf
 * @on, @was: today, yesterday
 * @id: once it has been found; @named: a case that has it alone, or a view
 * @intervals: how often it came; @begun, @ended: sums of the days
 */
struct fault {
	enum kind kind;
	unsigned int leaf, num;
	bool on, was, told;
	const char *id;
	unsigned int intervals;
	int64_t begun, ended;
};
#define FAULTS (4 * 4 * KINDS)

/* struct line - what a person accepted: a finding as it was */
struct line {
	char id[20];
	enum ibc_severity severity;
	int day;
};

struct year {
	uint64_t seed;
	int day;
	struct fault faults[FAULTS];
	struct line lines[MAX_LINES];
	size_t num_lines, views, views_accepted, covered, grown, gone, counted_in_views;
	char dir[64], known[80], state[80];
};

static unsigned int dice(struct year *y, unsigned int n)
{
	return mk_random(&y->seed, n);
}

/* ---- faults ------------------------------------------------------------------------ */

static struct fault *fault_at(struct year *y, unsigned int leaf, unsigned int num, enum kind kind)
{
	return &y->faults[((leaf - 1) * 4 + num - 5) * KINDS + kind];
}

/* The more of its leaf or of its spine: where most cables count errors, the device is at fault. */
static unsigned int symbols_of(struct year *y, unsigned int leaf, unsigned int num)
{
	unsigned int of_leaf = 0, of_spine = 0;

	for (unsigned int i = 1; i <= 4; i++) {
		of_leaf += fault_at(y, leaf, 4 + i, SYMBOLS)->on;
		of_spine += fault_at(y, i, num, SYMBOLS)->on;
	}
	return of_leaf > of_spine ? of_leaf : of_spine;
}

/* One fault a cable, and a day between two; some uplink is left to each leaf and each spine. */
static void begin(struct year *y, unsigned int leaf, unsigned int num, enum kind kind)
{
	unsigned int of_leaf = 0, of_spine = 0;

	for (unsigned int k = 0; k < KINDS; k++)
		if (fault_at(y, leaf, num, k)->on || fault_at(y, leaf, num, k)->was)
			return;
	for (unsigned int i = 1; i <= 4; i++) {
		of_leaf += fault_at(y, leaf, 4 + i, MISSING)->on;
		of_spine += fault_at(y, i, num, MISSING)->on;
	}
	if (y->day >= DAYS - 2) /* all is repaired at the end */
		return;
	if (kind == SYMBOLS && symbols_of(y, leaf, num) >= 2)
		return;
	if (kind == MISSING && (of_leaf >= 4 - LEAST_LEFT || of_spine >= 4 - LEAST_LEFT))
		return;
	fault_at(y, leaf, num, kind)->on = true;
}

/* A burst is of one leaf, of one spine, or of any. */
static void change_faults(struct year *y)
{
	unsigned int leaf = 1 + dice(y, 4), num = 5 + dice(y, 4), burst = dice(y, 8);
	enum kind kind = dice(y, KINDS);

	for (size_t i = 0; i < FAULTS; i++) {
		y->faults[i].was = y->faults[i].on;
		if (y->faults[i].on && (y->day >= DAYS - 2 || !dice(y, 9)))
			y->faults[i].on = false;
	}
	if (burst < 4 && !dice(y, 3))
		begin(y, leaf, num, kind);
	for (unsigned int i = 1; burst == 7 && i <= 4; i++)
		begin(y, leaf, 4 + i, kind);
	for (unsigned int i = 1; burst == 6 && i <= 4; i++)
		begin(y, i, num, kind);
	for (unsigned int i = 0; burst == 5 && i < 6; i++)
		begin(y, 1 + dice(y, 4), 5 + dice(y, 4), dice(y, KINDS));
	for (size_t i = 0; i < FAULTS; i++) {
		struct fault *f = &y->faults[i];

		f->intervals += f->on && !f->was;
		f->begun += f->on && !f->was ? y->day : 0;
		f->ended += !f->on && f->was ? y->day : 0;
	}
}

static struct site site_of_day(struct year *y)
{
	unsigned int out[17] = { 0 }, n = 0;
	struct site s;

	for (size_t i = 0; i < FAULTS; i++)
		if (y->faults[i].on && y->faults[i].kind == MISSING)
			out[n++] = AT(y->faults[i].leaf, y->faults[i].num);
	s = site_of(out);
	for (size_t i = 0; i < FAULTS; i++) {
		const struct fault *f = &y->faults[i];
		struct ibc_port *p = port(s.now, LEAF(f->leaf), f->num);

		if (!f->on)
			continue;
		if (f->kind == SYMBOLS)
			count(s.now, LEAF(f->leaf), f->num, IBC_SYMBOL_ERROR, 400);
		if (f->kind == SLOW)
			p->speed_active = ((struct ibc_port *)p->peer)->speed_active =
			    IBC_SPEED_QDR;
	}
	return s;
}

/* ---- one day ------------------------------------------------------------------------- */

static void write_lines(const struct year *y)
{
	FILE *out = fopen(y->known, "w");

	assert_non_null(out);
	for (size_t i = 0; i < y->num_lines; i++)
		fprintf(out, "case %s:%s 2099-12-31 me ordered\n", y->lines[i].id,
		        ibc_severity_word(y->lines[i].severity)->word);
	assert_int_equal(fclose(out), 0);
}

static void record(const struct year *y, struct swept *w)
{
	struct ibc_store_opts opts = IBC_STORE_OPTS_INIT;
	struct ibc_error err = { "" };
	struct ibc_store *store;

	opts.now = BEGAN + (time_t)y->day * DAY;
	opts.command = "all";
	opts.reopen_seconds = 0; /* each time is an incident of its own */
	if (ibc_store_open(y->state, w->now, &opts, &store, &err) ||
	    ibc_store_record(store, &w->in, w->before, ibc_check_find, w->rep, &err) ||
	    ibc_store_commit(store, &err))
		fail_msg("day %d: %s", y->day, err.text);
	ibc_store_free(store);
}

static struct swept run_of_day(struct year *y)
{
	struct swept w = sweep_site(site_of_day(y));

	write_lines(y);
	assert_int_equal(ibc_report_known(w.rep, y->known, "2026-01-01", NULL, NULL, NULL), 0);
	assert_int_equal(ibc_report_finish(w.rep, NULL), 0);
	assert_int_equal(ibc_cases_find(&w.in, ibc_check_find, w.rep, NULL), 0);
	record(y, &w);
	return w;
}

/* The finding of a fault; NULL: there is none. */
static const struct ibc_finding *finding_of(const struct ibc_report *rep, const struct fault *fault)
{
	const struct ibc_finding *f, *found = NULL;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		const struct ibc_end *ends[] = { &f->subject.near, &f->subject.far };

		for (int e = 0; e < 2 && !strcmp(f->check, checks[fault->kind]); e++)
			if (ends[e]->guid == LEAF(fault->leaf) && ends[e]->port == fault->num) {
				assert_null(found);
				found = f;
			}
	}
	return found;
}

static const struct line *line_of(const struct year *y, const char *id)
{
	const struct line *worst = NULL;

	for (size_t i = 0; i < y->num_lines; i++)
		if (report_same_id(y->lines[i].id, id) &&
		    (!worst || y->lines[i].severity > worst->severity))
			worst = &y->lines[i];
	return worst;
}

/* Its ID is that of the first time; it is new on its first day, and then not again. */
static void look_at_faults(struct year *y, const struct ibc_report *rep)
{
	for (size_t i = 0; i < FAULTS; i++) {
		struct fault *fault = &y->faults[i];
		const struct ibc_finding *f = finding_of(rep, fault);

		if (!f != !fault->on)
			fail_msg("day %d: %s of leaf%02u/%u is %sfound", y->day,
			         checks[fault->kind], fault->leaf, fault->num, f ? "" : "not ");
		if (!f)
			continue;
		if (!fault->id)
			fault->id = strdup(f->id);
		assert_string_equal(f->id, fault->id);
		assert_string_not_equal(f->in_case->id, "");
		if (!fault->was)
			fault->told = !finding_is_known(f);
		if (!finding_is_known(f) && (fault->was ? f->state == IBC_CASE_NEW && fault->told
		                                        : f->state != IBC_CASE_NEW))
			fail_msg("day %d: %s leaf%02u/%u, state %d", y->day, f->check, fault->leaf,
			         fault->num, f->state);
	}
}

/* An acceptance holds in whatever case its finding is shown; nothing else is accepted by it. */
static void look_at_lines(struct year *y, const struct ibc_report *rep)
{
	const struct ibc_finding *f;
	const struct ibc_case *c;

	for (size_t i = 0; (f = ibc_report_finding(rep, i)); i++) {
		const struct line *line = line_of(y, f->id);

		if (line && f->severity <= line->severity) {
			y->covered++;
			assert_true(finding_is_known(f));
		} else if (line) {
			y->grown++;
			assert_non_null(f->known->grown);
			assert_false(finding_is_known(f));
		} else if (!f->follows && f->severity > IBC_INFO) {
			assert_true(finding_counts(f));
			y->counted_in_views += f->in_case->known || f->in_case->num_members > 1;
		}
	}
	for (size_t i = 0; (c = ibc_report_case_at(rep, i)); i++)
		if (c->num_members > 1) {
			y->views++;
			for (size_t k = 0; k < c->num_findings; k++)
				assert_false(report_same_id(c->id, c->findings[k]->id));
		}
}

/* Of those that are repaired each is named by its own ID, and none that is not. */
static void look_at_gone(struct year *y, const struct ibc_report *rep)
{
	const struct ibc_case *c;

	for (size_t i = 0; i < FAULTS; i++) {
		const struct fault *fault = &y->faults[i];
		size_t n = 0;

		for (size_t k = 0; (c = ibc_report_gone_at(rep, k)); k++)
			n += fault->id && !strcmp(c->id, fault->id);
		if (n != (size_t)(fault->was && !fault->on && fault->told))
			fail_msg("day %d: %s leaf%02u/%u is gone %zu times", y->day,
			         checks[fault->kind], fault->leaf, fault->num, n);
		y->gone += n;
	}
}

/* As "known add" does it: a line for each member, and for what follows at the same thing. */
static void accept_one(struct year *y, const struct ibc_report *rep)
{
	size_t n = 0;
	const struct ibc_case *c;

	while (ibc_report_case_at(rep, n))
		n++;
	c = n ? ibc_report_case_at(rep, dice(y, (unsigned int)n)) : NULL;
	if (!c || dice(y, ACCEPT_ONE) || c->severity <= IBC_INFO)
		return;
	for (size_t i = 0; i < c->num_findings; i++) {
		const struct ibc_finding *f = c->findings[i];
		struct line *line = &y->lines[y->num_lines];

		if (f->follows && !f->beside)
			continue;
		assert_true(y->num_lines < MAX_LINES);
		y->num_lines++;
		*line = (struct line){ .severity = f->severity, .day = y->day };
		snprintf(line->id, sizeof(line->id), "%s", f->id);
	}
	y->views_accepted += c->num_members > 1;
}

/* ---- the year ------------------------------------------------------------------------- */

/* Each time that a fault was there has one incident, from its day to its day. */
static void look_back(const struct year *y)
{
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_INCIDENTS };
	const struct ibc_incident *incident;
	struct ibc_history *h;

	assert_int_equal(ibc_history_load(y->state, &opts, &h, NULL), 0);
	for (size_t i = 0; i < FAULTS; i++) {
		const struct fault *f = &y->faults[i];
		unsigned int n = 0;
		int64_t begun = 0, ended = 0;

		for (size_t k = 0; (incident = ibc_history_incident(h, k)); k++) {
			if (!f->id || strcmp(incident->case_id, f->id) != 0)
				continue;
			n++;
			assert_string_equal(incident->state, "ended");
			assert_int_equal(incident->times, 1);
			begun += (incident->began - BEGAN) / DAY;
			ended += (incident->ended - BEGAN) / DAY;
		}
		if (n != f->intervals || begun != f->begun || ended != f->ended)
			fail_msg("%s leaf%02u/%u came %u times, %u are remembered", checks[f->kind],
			         f->leaf, f->num, f->intervals, n);
	}
	ibc_history_free(h);
}

static struct year *new_year(uint64_t seed)
{
	struct year *y = calloc(1, sizeof(*y));

	assert_non_null(y);
	y->seed = seed;
	/* a disk would take as long as all the rest */
	snprintf(y->dir, sizeof(y->dir), "%s/test_year.XXXXXX",
	         access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm");
	assert_non_null(mkdtemp(y->dir));
	snprintf(y->known, sizeof(y->known), "%s/known", y->dir);
	snprintf(y->state, sizeof(y->state), "%s/state", y->dir);
	for (unsigned int i = 0; i < FAULTS; i++) {
		y->faults[i].kind = i % KINDS;
		y->faults[i].leaf = 1 + i / (4 * KINDS);
		y->faults[i].num = 5 + i / KINDS % 4;
	}
	return y;
}

static void no_fault_of_a_year_loses_its_name_its_acceptance_or_its_past(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= YEARS; seed++) {
		struct year *y = new_year(seed);
		unsigned int intervals = 0;
		char command[128];

		for (; y->day < DAYS; y->day++) {
			struct swept w;

			change_faults(y);
			w = run_of_day(y);
			look_at_faults(y, w.rep);
			look_at_lines(y, w.rep);
			look_at_gone(y, w.rep);
			accept_one(y, w.rep);
			ibc_report_free(w.rep);
			swept_free(&w);
		}
		look_back(y);
		for (size_t i = 0; i < FAULTS; i++) {
			intervals += y->faults[i].intervals;
			free((char *)y->faults[i].id);
		}
		print_message(
		    "seed %d: %d runs, %u faults, %zu told as gone, %zu views, %zu lines of "
		    "%zu views, covering %zu findings, %zu grown, %zu counted beside\n",
		    (int)seed, DAYS, intervals, y->gone, y->views, y->num_lines, y->views_accepted,
		    y->covered, y->grown, y->counted_in_views);
		assert_true(y->views && y->views_accepted && y->covered && y->counted_in_views &&
		            y->gone);
		snprintf(command, sizeof(command), "rm -rf %s", y->dir);
		assert_int_equal(system(command), 0);
		free(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_fault_of_a_year_loses_its_name_its_acceptance_or_its_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
