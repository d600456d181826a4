/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen of a watch: what is wrong, how links do, what happened. */
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
	screen_put(pen->view->screen, pen->row++, 0, pen->columns, look, selected, text);
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

/* Errors, then congestion; else as the fabric has them. */
static int by_all(const struct rate *x, const struct rate *y)
{
	int rc = down((double)x->errors, (double)y->errors);

	rc = rc ? rc : down(x->wait, y->wait);
	return rc ? rc : (x > y) - (x < y);
}

#define BY(name, key)                                                                              \
	static int by_##name(const void *a, const void *b)                                         \
	{                                                                                          \
		const struct rate *x = *(const struct rate *const *)a;                             \
		const struct rate *y = *(const struct rate *const *)b;                             \
		int rc = down((double)x->key, (double)y->key);                                     \
                                                                                                   \
		return rc ? rc : by_all(x, y);                                                     \
	}
BY(per_second, per_second)
BY(errors, errors)
BY(wait, wait)
BY(util, util)
BY(flaps, flaps)

/* As the fabric has them. */
static int by_place(const void *a, const void *b)
{
	const struct rate *x = *(const struct rate *const *)a, *y = *(const struct rate *const *)b;

	return (x > y) - (x < y);
}

const struct view_order view_orders[] = {
	{ "ERR/s", by_per_second }, { "ERRORS", by_errors }, { "WAIT %", by_wait },
	{ "UTIL %", by_util },      { "FLAPS", by_flaps },   { "name", by_place },
};
const unsigned int view_num_orders = ARRAY_SIZE(view_orders);

static const char *place(const struct ibc_port *port, char buf[IBC_PLACE_TEXT])
{
	if (!port)
		return strcpy(buf, "-");
	return ibc_place_text((struct ibc_place){ port->node, port->num }, buf, IBC_PLACE_TEXT);
}

/* The ports of one thing are in their order unless they are sorted; the worst links come first. */
static void find_rows(struct view *v)
{
	const struct rates *rates = &v->watch->rates;
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT];
	unsigned int order = v->order;

	if (v->room < rates->n) {
		free(v->shown);
		v->shown = calloc(rates->n, sizeof(struct rate *));
		v->room = v->shown ? rates->n : 0;
	}
	v->num_shown = 0;
	for (size_t i = 0; i < rates->n && i < v->room; i++)
		if (!*v->filter || strcasestr(place(rates->rows[i].near, near), v->filter) ||
		    strcasestr(place(rates->rows[i].far, far), v->filter))
			v->shown[v->num_shown++] = &rates->rows[i];
	if (v->watch->thing)
		order = (order + view_num_orders - 1) % view_num_orders;
	if (v->num_shown)
		qsort(v->shown, v->num_shown, sizeof(*v->shown), view_orders[order].compare);
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
	size_t critical = 0, warnings = 0;
	char stamp[16], interval[TIME_TEXT];
	const struct ibc_case *c;
	struct tm tm;

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
	strftime(stamp, sizeof(stamp), "%H:%M:%S", localtime_r(&now->meta.time, &tm));
	time_text(w->interval, interval);
	if (*w->failure.text)
		put_line(pen, LOOK_BAD, false, "%s NO SWEEP; every %s", stamp, interval);
	else
		put_line(pen, look_of(w->thing ? own : verdict), false,
		         "%s %s%s%s%s%s: %zu critical, %zu warning%s; every %s", stamp,
		         w->thing ? w->thing : "", w->thing ? " " : "",
		         w->thing ? ibc_severity_word(own)->name : "", w->thing ? "; fabric " : "",
		         ibc_severity_word(verdict)->name, critical, warnings,
		         warnings == 1 ? "" : "s", interval);
	if (*w->failure.text)
		put_wrapped(pen, LOOK_BAD, 2, w->failure.text);
	else if (w->frozen)
		put_line(pen, LOOK_WARN, false, "FROZEN: Space goes on");
	else if (w->thing_lost)
		put_line(
		    pen, LOOK_BAD, false, "%s is not there since %s", w->thing,
		    (strftime(stamp, sizeof(stamp), "%H:%M:%S", localtime_r(&w->thing_lost, &tm)),
		     stamp));
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

static const char *rate_text(const struct ibc_port *port, char buf[16])
{
	if (!ibc_port_is_up(port))
		return "";
	snprintf(buf, 16, "%s %s", ibc_width_word(port->width_active)->name,
	         ibc_speed_word(port->speed_active)->name);
	return buf;
}

/* "leaf01/3 - spine01/1", or where it led */
static const char *rate_ends(const struct rate *r, char text[CABLE_TEXT])
{
	char near[IBC_PLACE_TEXT], far[IBC_PLACE_TEXT];

	snprintf(text, CABLE_TEXT, "%s - %s%s", place(r->near, near), r->was ? "was " : "",
	         place(r->was ? r->was : r->far, far));
	return text;
}

/* Columns of the widest cable of those on the screen, as far as there is room for it. */
static int cable_columns(const struct pen *pen)
{
	const struct view *v = pen->view;
	int most = pen->columns - RATE_COLUMNS, widest = 0, used;
	char text[CABLE_TEXT];

	most = most > CABLE_LEAST ? most : CABLE_LEAST;
	for (size_t i = v->top; i < v->num_shown && i < v->top + v->page && widest < most; i++) {
		screen_fit(rate_ends(v->shown[i], text), most, &used);
		widest = used > widest ? used : widest;
	}
	return widest > CABLE_LEAST ? widest : CABLE_LEAST;
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
	char cable[CABLE_TEXT], text[4][16];
	const char *rest = rate_ends(r, cable);
	const struct ibc_port *p = r->near;
	bool up = ibc_port_is_up(p);
	enum screen_look look = r->per_second > 0 ? LOOK_BAD
	                        : r->errors       ? LOOK_WARN
	                        : up              ? LOOK_PLAIN
	                                          : LOOK_DIM;
	int used, n = screen_fit(rest, columns, &used);

	put_line(
	    pen, look, selected, "%.*s%*s %8s %8llu %6s %6s %5llu  %s", n, rest, columns - used, "",
	    number(r->seconds > 0 ? r->per_second : -1, text[0]), (unsigned long long)r->errors,
	    number(r->wait, text[1]), number(r->util, text[2]), (unsigned long long)r->flaps,
	    up && p->state == IBC_STATE_ACTIVE ? rate_text(p, text[3]) : ibc_link_state_text(p));
	while (*(rest += n)) {
		n = screen_fit(rest, columns, &used);
		put_line(pen, look, selected, "%.*s", n, rest);
	}
}

static void draw_rates(struct pen *pen)
{
	struct view *v = pen->view;
	int columns, rows;

	v->page = pen->end > pen->row + 1 ? (size_t)(pen->end - pen->row - 1) : 1;
	columns = cable_columns(pen);
	put_line(pen, LOOK_HEAD, false, "%-*s %8s %8s %6s %6s %5s  %s", columns,
	         v->watch->thing ? "PORT" : "CABLE", "ERR/s", "ERRORS", "WAIT %", "UTIL %", "FLAPS",
	         "STATE");
	if (v->selected < v->top)
		v->top = v->selected;
	/* from the selected row upwards, as many as there is room for */
	if (v->num_shown) {
		size_t i = v->selected;

		rows = rate_rows(v->shown[i], columns);
		while (i > v->top && (rows += rate_rows(v->shown[i - 1], columns)) <= (int)v->page)
			i--;
		v->top = i;
	}
	for (size_t i = v->top; i < v->num_shown && pen->row < pen->end; i++)
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
	char text[ENTRY_TEXT], stamp[16], line[ENTRY_TEXT + 16];
	struct tm tm;

	put_line(pen, LOOK_HEAD, false, "EVENTS");
	for (size_t i = 0; pen->row < pen->end && (e = log_entry(&v->watch->log, i)); i++) {
		entry_text(e, text);
		if (*v->filter && !strcasestr(text, v->filter))
			continue;
		strftime(stamp, sizeof(stamp), "%H:%M:%S", localtime_r(&e->when, &tm));
		snprintf(line, sizeof(line), "%s %s", stamp, text);
		put_wrapped(pen,
		            e->severity ? look_of(e->severity)
		            : e->quiet  ? LOOK_GOOD
		                        : LOOK_PLAIN,
		            (int)strlen(stamp) + 1, line);
	}
}

/* ---- all of it
 * --------------------------------------------------------------------------------------- */

static void draw_foot(struct pen *pen)
{
	struct view *v = pen->view;
	const char *complaint = screen_complaint(v->screen);
	const struct view_order *order =
	    &view_orders[(v->order + (v->watch->thing ? view_num_orders - 1 : 0)) %
	                 view_num_orders];

	if (v->typing || *v->filter)
		put_line(pen, LOOK_HEAD, false, "/%s%s", v->filter, v->typing ? "_" : "");
	else if (*complaint)
		put_line(pen, LOOK_WARN, false, "%s", complaint);
	else
		put_line(pen, LOOK_DIM, false, "q quit  s sort: %s  / filter  Space freeze  z zero",
		         order->name);
}

void view_draw(struct view *v)
{
	const struct app *now = again_now(v->watch->again);
	struct pen pen = { .view = v };
	int rows, end, left;

	find_rows(v);
	screen_clear(v->screen);
	screen_size(v->screen, &rows, &pen.columns);
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
	draw_foot(&pen);
}
