/* SPDX-License-Identifier: BSD-2-Clause */
/* What a page shows beside the report: how the fabric looks, and how its ports did. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define DAY       86400 /* seconds */
#define PAST_DAYS 30    /* that many fit beside a row of a table */

/* ---- the past ---------------------------------------------------------------------------- */

/* A day on which nobody looked stays unknown. */
static void clear_days(const struct ibc_history *h, time_t from, double days[PAST_DAYS])
{
	const struct ibc_port_day *day;

	for (int i = 0; i < PAST_DAYS; i++)
		days[i] = -1;
	for (size_t i = 0; (day = ibc_history_day(h, i)); i++)
		if (day->hours && day->time >= from && day->time < from + PAST_DAYS * DAY)
			days[(day->time - from) / DAY] = 0;
}

static void add_hours(struct app *app, const struct ibc_history *h, time_t from)
{
	double looked[PAST_DAYS], days[PAST_DAYS];
	const struct ibc_port_hour *hour, *next;

	clear_days(h, from, looked);
	memcpy(days, looked, sizeof(days));
	for (size_t i = 0; (hour = ibc_history_hour(h, i)); i++) {
		time_t day = (hour->time - from) / DAY;

		if (hour->time >= from && day < PAST_DAYS)
			days[day] = (days[day] > 0 ? days[day] : 0) + (double)hour->amount.n;
		next = ibc_history_hour(h, i + 1);
		if (next && next->at == hour->at)
			continue;
		ibc_report_remember_port(app->report, hour->at->guid, hour->at->num, days);
		memcpy(days, looked, sizeof(days));
	}
}

/* When the run before this one was; 0: there was none, or several fabrics are remembered and none
 * of their sweeps was compared with this one. */
static time_t run_before(const struct app *app, const struct ibc_history *h)
{
	const struct ibc_past_fabric *fabric = ibc_history_fabric(h, 0);
	time_t last = fabric ? fabric->last_run : 0;

	if (fabric && ibc_history_fabric(h, 1))
		last = app->remembered ? time_of_sweep(app->remembered) : 0;
	return last < time_of_sweep(app->fabric) ? last : 0;
}

/* A report is not lost because its past cannot be read. */
static void add_past(struct app *app, time_t *previous)
{
	time_t from = (time_of_sweep(app->fabric) / DAY - PAST_DAYS + 1) * DAY;
	const struct ibc_history_opts opts = { .parts = IBC_HISTORY_ERRORS, .since = from };
	struct ibc_error why = { "" };
	struct ibc_history *h;

	if (ibc_history_load(app->common.state, &opts, &h, &why)) {
		say_error(why.text);
		return;
	}
	*previous = run_before(app, h);
	ibc_report_remember(app->report, "errors a day", from, DAY, PAST_DAYS);
	add_hours(app, h, from);
	ibc_history_free(h);
}

/* ---- pictures ---------------------------------------------------------------------------- */

static int add_picture(struct app *app, enum ibc_colour colour, const char *title,
                       struct ibc_error *err)
{
	const struct ibc_matrix_opts opts = { colour,      app->before,     app->windows,
		                              app->places, app->num_places, true };
	char *svg = NULL;
	size_t size;
	FILE *out = open_memstream(&svg, &size);
	int rc;

	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	rc = ibc_picture_svg(app->fabric, app->fattree, app->report, &opts, out, err);
	if (text_end(out, &svg, err) && !rc)
		rc = -ENOMEM;
	if (!rc)
		ibc_report_add_picture(app->report, ibc_colour_word(colour)->word, title, svg);
	free(svg);
	return rc;
}

static int add_congestion(struct app *app, struct ibc_error *err)
{
	struct ibc_congestion *c;
	char *svg = NULL;
	size_t size;
	FILE *out;
	int rc = ibc_congestion_find(app->windows, app->before, app->fabric, &c, err);

	if (rc)
		return rc;
	out = open_memstream(&svg, &size);
	rc = out ? ibc_congestion_svg(c, out, err) : cmd_fail(err, -ENOMEM, "out of memory");
	ibc_congestion_free(c);
	if (out && text_end(out, &svg, err) && !rc)
		rc = -ENOMEM;
	if (!rc)
		ibc_report_add_picture(app->report, "congestion", "Congestion over time", svg);
	free(svg);
	return rc;
}

/* Where counters are judged they are shown, too; what passed only between two sweeps. */
static int add_pictures(struct app *app, struct ibc_error *err)
{
	static const struct {
		enum ibc_colour colour;
		const char *title;
		bool counted, compared;
	} pictures[] = {
		{ IBC_COLOUR_FAULTS, "Cables, and what is wrong with them", false, false },
		{ IBC_COLOUR_ERRORS, "Errors of cables", true, false },
		{ IBC_COLOUR_WAIT, "Time that data waited for credits", true, true },
		{ IBC_COLOUR_UTILIZATION, "Share of the data rate that was used", true, true },
	};
	bool counted = app_runs(app, "counters.silent");
	int rc = app_infer(app, err);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(pictures); i++)
		if ((counted || !pictures[i].counted) && (app->before || !pictures[i].compared))
			rc = add_picture(app, pictures[i].colour, pictures[i].title, err);
	if (!rc && counted && app->before && app->num_windows > 1)
		rc = add_congestion(app, err);
	return rc;
}

int page_add(struct app *app, struct ibc_error *err)
{
	time_t previous = 0;
	int rc;

	if (strcmp(app->common.format, FORMAT_HTML) != 0)
		return 0;
	if (app->recorded)
		add_past(app, &previous);
	rc = brief_add(app, previous, err);
	if (rc)
		return rc;
	return app->cmd->pictures && app->fabric ? add_pictures(app, err) : 0;
}
