/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen of a watch: what is wrong, how links do, what happened. */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "watch_view.h"

#define TEXT_MAX     1024 /* a line, or a case in several */
#define CASES_MAX    4    /* of the rows: the worst ones; "ibcheck all" shows the others */
#define CABLE_TEXT   (2 * IBC_PLACE_TEXT + 8) /* and " - was " between them */
#define CABLE_LEAST  12                       /* columns: most names without their port */
#define RATE_COLUMNS 54 /* beside the cable: five numbers, and "LinkUp (Armed)" */

/* struct pen - where the next line goes, and how wide it is */
struct pen {
	struct view *view;
	int row, end, columns;
};

static void put_line(struct pen *pen, enum screen_look look, bool selected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put_line(struct pen *pen, enum screen_look look, bool selected, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	if (pen->row >= pen->end)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	screen_put(pen->row++, 0, pen->columns, look, selected, text);
}

/*
 * As many lines as the text takes, broken at blanks where there are some: the next ones are
 * indented.  Names are as long as they are, and the bytes of one character stay together.
 */
static void put_wrapped(struct pen *pen, enum screen_look look, int indent, const char *text)
{
	int room = pen->columns, used = 0;

	while (*text && pen->row < pen->end) {
		int n = screen_fit(text, room, &used), at = n;

		while (text[n] && at && text[at] != ' ')
			at--;
		n = text[n] && at ? at : n;
		put_line(pen, look, false, "%*s%.*s", pen->columns - room, "", n, text);
		text += n + strspn(text + n, " ");
		room = pen->columns > 2 * indent ? pen->columns - indent : pen->columns;
	}
}

/* ---- order and filter ---------------------------------------------------------------------- */

static int down(double a, double b)
{
	return (a < b) - (a > b);
}

static const char *const orders[] = { "ERR/s", "ERRORS", "WAIT %", "UTIL %", "FLAPS", "name" };
static_assert(ARRAY_SIZE(orders) == VIEW_ORDERS, "each has a heading");

/* By @order, then by errors and congestion; else, and by name, as the fabric has them. */
static int by_heading(const void *va, const void *vb, void *order)
{
	const struct rate *a = *(const struct rate *const *)va,
			  *b = *(const struct rate *const *)vb;
	const double keys[][2] = {
		{ a->per_second, b->per_second },
		{ (double)a->errors, (double)b->errors },
		{ a->wait, b->wait },
		{ a->util, b->util },
		{ (double)a->flaps, (double)b->flaps },
	};
	size_t k = *(const unsigned int *)order;
	int rc = 0;

	if (k < ARRAY_SIZE(keys)) {
		rc = down(keys[k][0], keys[k][1]);
		rc = rc ? rc : down(keys[1][0], keys[1][1]);
		rc = rc ? rc : down(keys[2][0], keys[2][1]);
	}
	return rc ? rc : (a > b) - (a < b);
}

/* The ports of one thing are in their order unless they are sorted; the worst links come first. */
static unsigned int shown_order(const struct view *v)
{
	return (v->order + (v->watch->thing ? VIEW_ORDERS - 1 : 0)) % VIEW_ORDERS;
}

static void find_rows(struct view *v)
{
	const struct rates *rates = &v->watch->rates;
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT];
	unsigned int order = shown_order(v);

	if (v->room < rates->n) {
		free(v->shown);
		v->shown = calloc(rates->n, sizeof(struct rate *));
		v->room = v->shown ? rates->n : 0;
	}
	v->num_shown = 0;
	for (size_t i = 0; i < rates->n && i < v->room; i++)
		if (!*v->filter || strcasestr(place_name(rates->rows[i].near, near), v->filter) ||
		    strcasestr(place_name(rates->rows[i].far, far), v->filter))
			v->shown[v->num_shown++] = &rates->rows[i];
	if (v->num_shown)
		qsort_r(v->shown, v->num_shown, sizeof(*v->shown), by_heading, &order);
	for (size_t i = 0; v->at.guid && i < v->num_shown; i++)
		if (same_spot(spot_of(v->shown[i]->near), v->at))
			v->selected = i;
	if (v->selected >= v->num_shown)
		v->selected = v->num_shown ? v->num_shown - 1 : 0;
}

/* ---- the head ------------------------------------------------------------------------------- */

static enum screen_look look_of(enum ibc_severity severity)
{
	return severity == IBC_CRITICAL  ? LOOK_BAD
	       : severity == IBC_OK      ? LOOK_GOOD
	       : severity == IBC_UNKNOWN ? LOOK_BAD
	                                 : LOOK_WARN;
}

static bool concerns(const struct watch *w, const struct ibc_case *c)
{
	const struct ibc_end *near = &c->subject.near, *far = &c->subject.far;

	return watch_wants(w, (struct spot){ near->guid, near->port }) ||
	       watch_wants(w, (struct spot){ far->guid, far->port });
}

static bool counts(const struct ibc_case *c)
{
	return c->severity > IBC_INFO && !(c->known && !c->known->expired);
}

/* "CRITICAL: 1 critical, 2 warnings"; of a watched thing first its own, then the fabric's. */
static void draw_head(struct pen *pen, const struct app *now)
{
	const struct watch *w = pen->view->watch;
	enum ibc_severity verdict = ibc_report_verdict(now->report), own = IBC_OK, settled = IBC_OK;
	char stamp[CLOCK_TEXT], interval[TIME_TEXT], thing[TEXT_MAX] = "";
	size_t critical = 0, warnings = 0;
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(now->report, i)); i++) {
		if (!counts(c))
			continue;
		critical += c->severity == IBC_CRITICAL;
		warnings += c->severity == IBC_WARNING;
		settled = c->severity > settled ? c->severity : settled;
		if (w->thing && concerns(w, c) && c->severity > own)
			own = c->severity;
	}
	/* what was not read, and no case is about, may be the thing's */
	own = verdict > settled && verdict > own ? verdict : own;
	clock_text(now->meta.time, stamp);
	duration_text(w->interval, interval);
	if (w->thing)
		snprintf(thing, sizeof(thing), "%s %s; fabric ", w->thing,
		         ibc_severity_word(own)->name);
	if (*w->failure.text)
		put_line(pen, LOOK_BAD, false, "%s NO SWEEP; every %s", stamp, interval);
	else
		put_line(pen, look_of(w->thing ? own : verdict), false,
		         "%s %s%s: %zu critical, %zu warning%s; every %s", stamp, thing,
		         ibc_severity_word(verdict)->name, critical, warnings,
		         warnings == 1 ? "" : "s", interval);
	if (*w->failure.text)
		put_wrapped(pen, LOOK_BAD, 2, w->failure.text);
	else if (w->frozen)
		put_line(pen, LOOK_WARN, false, "FROZEN: Space goes on");
	else if (w->thing_lost)
		put_line(pen, LOOK_BAD, false, "%s is not there since %s", w->thing,
		         clock_text(w->thing_lost, stamp));
	else
		put_wrapped(pen, LOOK_PLAIN, 2, now->meta.headline);
}

/* The place first; at most half of the rows, and how many there are beside those. */
static void draw_cases(struct pen *pen, const struct app *now)
{
	const struct ibc_case *c;
	char subject[IBC_SUBJECT_TEXT], text[TEXT_MAX];
	int end = pen->end, drawn = 0, more = 0;

	pen->end -= (pen->end - pen->row) / 2;
	for (size_t i = 0; (c = ibc_report_case_at(now->report, i)); i++) {
		if (!counts(c) || !concerns(pen->view->watch, c))
			continue;
		if (drawn == CASES_MAX || pen->row >= pen->end) {
			more++;
			continue;
		}
		snprintf(text, sizeof(text), "%s: %s [%s] %s",
		         ibc_subject_text(&c->subject, subject, sizeof(subject)), c->message, c->id,
		         c->check);
		put_wrapped(pen, look_of(c->severity), 2, text);
		drawn++;
	}
	pen->end = end;
	if (more)
		put_line(pen, LOOK_DIM, false, "... and %d more case%s: ibcheck all shows them",
		         more, more == 1 ? "" : "s");
}

/* ---- rows --------------------------------------------------------------------------------------
 */

/* "12.5", or "-" where it is not known */
static const char *number(double n, char buf[16])
{
	if (n < 0)
		return "-";
	snprintf(buf, 16, n >= 100 ? "%.0f" : "%.1f", n);
	return buf;
}

/* "leaf01/3 - spine01/1", or where it led */
static const char *rate_ends(const struct rate *r, char text[CABLE_TEXT])
{
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT];

	snprintf(text, CABLE_TEXT, "%s - %s%s", place_name(r->near, near), r->was ? "was " : "",
	         place_name(r->was ? r->was : r->far, far));
	return text;
}

/* Rows of the screen that one takes. */
static int rate_rows(const struct rate *r, int columns)
{
	char text[CABLE_TEXT];
	const char *rest = rate_ends(r, text);
	int n = 0, used;

	do {
		rest += screen_fit(rest, columns, &used);
		n++;
	} while (*rest);
	return n;
}

/* The cable first: what a narrow screen has no room for is what matters less. */
static void draw_rate(struct pen *pen, const struct rate *r, int columns, bool selected)
{
	char cable[CABLE_TEXT], rate[32], text[3][16];
	const char *rest = rate_ends(r, cable), *state = rate;
	const struct ibc_port *p = r->near;
	bool up = ibc_port_is_up(p);
	enum screen_look look = up ? LOOK_PLAIN : LOOK_DIM;
	int used, n = screen_fit(rest, columns, &used);

	if (r->per_second > 0)
		look = LOOK_BAD;
	else if (r->errors)
		look = LOOK_WARN;
	if (up && p->state == IBC_STATE_ACTIVE)
		snprintf(rate, sizeof(rate), "%s %s", ibc_width_word(p->width_active)->name,
		         ibc_speed_word(p->speed_active)->name);
	else
		state = ibc_link_state_text(p);
	put_line(pen, look, selected, "%.*s%*s %8s %8llu %6s %6s %5llu  %s", n, rest,
	         columns - used, "", number(r->seconds > 0 ? r->per_second : -1, text[0]),
	         (unsigned long long)r->errors, number(r->wait, text[1]), number(r->util, text[2]),
	         (unsigned long long)r->flaps, state);
	while (*(rest += n)) {
		n = screen_fit(rest, columns, &used);
		put_line(pen, look, selected, "%.*s", n, rest);
	}
}

static void draw_rates(struct pen *pen)
{
	struct view *v = pen->view;
	int most = pen->columns - RATE_COLUMNS, columns = CABLE_LEAST, rows, used;
	char text[CABLE_TEXT];
	size_t i;

	/* the widest cable of those on the screen, as far as there is room for it */
	v->page = pen->end > pen->row + 1 ? (size_t)(pen->end - pen->row - 1) : 1;
	for (i = v->top; i < v->num_shown && i < v->top + v->page && columns < most; i++) {
		screen_fit(rate_ends(v->shown[i], text), most, &used);
		columns = used > columns ? used : columns;
	}
	put_line(pen, LOOK_HEAD, false, "%-*s %8s %8s %6s %6s %5s  %s", columns,
	         v->watch->thing ? "PORT" : "CABLE", "ERR/s", "ERRORS", "WAIT %", "UTIL %", "FLAPS",
	         "STATE");
	if (v->selected < v->top)
		v->top = v->selected;
	/* from the selected row upwards, as many as there is room for */
	if (v->num_shown) {
		i = v->selected;
		rows = rate_rows(v->shown[i], columns);
		while (i > v->top && (rows += rate_rows(v->shown[i - 1], columns)) <= (int)v->page)
			i--;
		v->top = i;
	}
	for (i = v->top; i < v->num_shown && pen->row < pen->end; i++)
		draw_rate(pen, v->shown[i], columns, i == v->selected);
	if (!v->num_shown)
		put_line(pen, LOOK_DIM, false, "%s",
		         *v->filter ? "nothing fits the filter" : "no cable");
}

/* ---- events -------------------------------------------------------------------------------------
 */

/* Newest first: what a narrow screen has room for is what just happened. */
static void draw_events(struct pen *pen)
{
	const struct view *v = pen->view;
	const struct entry *e;
	char text[ENTRY_TEXT], stamp[CLOCK_TEXT], line[ENTRY_TEXT + CLOCK_TEXT];

	put_line(pen, LOOK_HEAD, false, "EVENTS");
	for (size_t i = 0; pen->row < pen->end && (e = log_entry(&v->watch->log, i)); i++) {
		entry_text(e, text);
		if (*v->filter && !strcasestr(text, v->filter))
			continue;
		snprintf(line, sizeof(line), "%s %s", clock_text(e->when, stamp), text);
		put_wrapped(pen,
		            e->severity ? look_of(e->severity)
		            : e->quiet  ? LOOK_GOOD
		                        : LOOK_PLAIN,
		            (int)strlen(stamp) + 1, line);
	}
}

/* ---- all of it
 * --------------------------------------------------------------------------------------- */

void view_draw(struct view *v)
{
	const struct app *now = again_now(v->watch->again);
	const char *complaint = screen_complaint();
	struct pen pen = { .view = v };
	int rows, end, left;

	find_rows(v);
	screen_clear(&rows, &pen.columns);
	pen.end = rows > 3 ? rows - 1 : rows;
	draw_head(&pen, now);
	if (rows >= 16)
		draw_cases(&pen, now);
	/* a third for what happened, if there is room for a table as well, and what that leaves */
	end = pen.end;
	left = end - pen.row;
	if (left >= 8)
		pen.end -= left / 3;
	draw_rates(&pen);
	pen.row = pen.row < pen.end ? pen.row + 1 : pen.end;
	pen.end = end;
	if (left >= 8)
		draw_events(&pen);
	pen.row = rows - 1;
	pen.end = rows > 3 ? rows : 0;
	if (v->typing || *v->filter)
		put_line(&pen, LOOK_HEAD, false, "/%s%s", v->filter, v->typing ? "_" : "");
	else if (*complaint)
		put_line(&pen, LOOK_WARN, false, "%s", complaint);
	else
		put_line(&pen, LOOK_DIM, false,
		         "q quit  s sort: %s  / filter  Space freeze  z zero",
		         orders[shown_order(v)]);
}
