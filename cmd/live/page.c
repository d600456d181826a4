/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of a fabric, in files of their own and on a page, and what else only a page shows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "fattree.h"

/*
 * When the run before this one was; 0: there was none, it cannot be read, which loses no report, or
 * several fabrics are remembered and none of their sweeps was compared with this one.
 */
static time_t run_before(const struct app *app)
{
	const struct ibc_history_opts opts = { .since = 0 };
	const struct ibc_past_fabric *fabric;
	struct ibc_error why = { "" };
	struct ibc_history *h;
	time_t last;

	if (ibc_history_load(app->common.state, &opts, &h, &why)) {
		say_error("%s", why.text);
		return 0;
	}
	fabric = ibc_history_fabric(h, 0);
	last = fabric ? fabric->last.time : 0;
	if (fabric && ibc_history_fabric(h, 1))
		last = app->memory.last ? time_of_sweep(app->memory.last) : 0;
	ibc_history_free(h);
	return last < time_of_sweep(app->fabric) ? last : 0;
}

/* ---- pictures ---------------------------------------------------------------------------- */

static int draw_matrix(struct app *app, enum ibc_colour colour, bool details, FILE *out,
                       struct ibc_error *err)
{
	const struct ibc_matrix_opts opts = { colour,      app->before,     app->windows,
		                              app->places, app->num_places, details };
	struct ibc_matrix *m;
	int rc = ibc_matrix_build(app->fabric, app->fattree, app->report, &opts, &m, err);

	if (!rc)
		rc = ibc_matrix_svg(m, out, err);
	ibc_matrix_free(m);
	return rc;
}

/* Once the findings are final: the matrix in a file; @path: NULL: none is wanted. */
static int picture_draw(struct app *app, const char *path, enum ibc_colour colour,
                        struct ibc_error *err)
{
	struct out out;
	int rc;

	if (!path)
		return 0;
	rc = app_infer(app, err);
	if (!rc)
		rc = out_open(&out, path, err);
	if (rc)
		return rc;
	return out_end(&out, draw_matrix(app, colour, false, out.file, err), err);
}

/* @colour: NULL: congestion over time */
static int add_picture(struct app *app, const char *title, const enum ibc_colour *colour,
                       struct ibc_error *err)
{
	struct ibc_congestion *c = NULL;
	char *svg = NULL;
	size_t size;
	FILE *out = open_memstream(&svg, &size);
	int rc;

	if (!out)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (colour)
		rc = draw_matrix(app, *colour, true, out, err);
	else
		rc = ibc_congestion_find(app->windows, app->before, app->fabric, &c, err);
	if (!rc && c)
		rc = ibc_congestion_svg(c, out, err);
	ibc_congestion_free(c);
	if (text_end(out, &svg, err) && !rc)
		rc = -ENOMEM;
	if (!rc)
		ibc_report_add_picture(app->report,
		                       colour ? ibc_colour_word(*colour)->word : "congestion",
		                       title, svg);
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
			rc = add_picture(app, pictures[i].title, &pictures[i].colour, err);
	if (!rc && counted && app->before && app->sweep.num_windows > 1)
		rc = add_picture(app, "Congestion over time", NULL, err);
	return rc;
}

static int page_add(struct app *app, struct ibc_error *err)
{
	int rc;

	if (strcmp(app->common.format, FORMAT_HTML) != 0)
		return 0;
	rc = ibc_check_brief(app->fabric, app->memory.recorded ? run_before(app) : 0, app->report,
	                     err);
	if (rc)
		return rc;
	return app->cmd->pictures && app->fabric ? add_pictures(app, err) : 0;
}

static int draw_counters(struct app *app, struct ibc_error *err)
{
	const struct counters_cfg *c = app->cfg;

	return picture_draw(app, c->svg, app->before ? IBC_COLOUR_WAIT : IBC_COLOUR_ERRORS, err);
}

static int draw_tree(struct app *app, struct ibc_error *err)
{
	const struct fattree_cfg *c = app->cfg;
	struct out out;
	int rc = 0;

	if (c->dot)
		rc = out_open(&out, c->dot, err);
	if (!rc && c->dot) {
		rc = ibc_fattree_dot(app->fattree, app->report, out.file, err);
		rc = out_end(&out, rc, err);
	}
	return rc ? rc : picture_draw(app, c->svg, IBC_COLOUR_FAULTS, err);
}

const struct addition addition_matrix = { .cmd = "counters", .more = draw_counters };
const struct addition addition_drawings = { .cmd = "fattree", .more = draw_tree };
const struct addition addition_page = { .more = page_add };
