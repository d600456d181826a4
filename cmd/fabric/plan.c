/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric held against its plan, and what to do about the deviations, step by step. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "expect.h"

#define ROWS_OF_TEXT 10 /* of a terminal, half a screen: there are several such tables */

/* ---- the comparison ------------------------------------------------------------------ */

/* How much of the plan is as it should be: what the findings come to. */
static void conclude_plan(struct app *app)
{
	struct ibc_comparison_counts n = ibc_comparison_count(app->comparison);
	size_t as_planned = n.cables_right - n.cables_below;

	ibc_report_sum(app->report, "cables_planned", n.cables);
	ibc_report_sum(app->report, "cables_as_planned", as_planned);
	ibc_report_sum(app->report, "cables_unchecked", n.cables_unread);
	ibc_report_sum(app->report, "cables_outside_plan", n.cables_outside);
	if (n.cables_unread)
		ibc_report_conclude(app->report, "%zu of %zu cables as planned, %zu unchecked",
		                    as_planned, n.cables, n.cables_unread);
	else
		ibc_report_conclude(app->report, "%zu of %zu cables as planned", as_planned,
		                    n.cables);
	if (n.no_hosts || n.no_trunks)
		ibc_report_conclude(app->report,
		                    "the plan lists no cables %s: these are not compared",
		                    n.no_hosts ? "of hosts" : "between switches");
	if (n.cables_outside)
		ibc_report_conclude(app->report, "%zu cable%s of the fabric outside the plan",
		                    n.cables_outside, n.cables_outside == 1 ? "" : "s");
}

int expect_run(struct app *app, const char *const *files, size_t n, struct ibc_error *err)
{
	int rc = app_load(app, files, n, &app->planned, err);

	if (!rc)
		rc = samples_sweep(app, IBC_ATTRS(), err);
	if (!rc)
		rc = ibc_compare(app->planned, app->fabric, &app->trace, &app->comparison, err);
	if (!rc)
		rc = app_check(app, err);
	if (!rc)
		conclude_plan(app);
	return rc;
}

/* ---- what the table and the work order have in common ------------------------------ */

/* One step in words; what does not apply is "". */
struct step_order {
	char text[1024], from[256], to[256], ends[768], rack[256], cuts[IBC_CUTS_TEXT];
	const char *label, *length; /* or NULL */
};

/* Only the plan knows where things stand. */
static const char *rack_of(const struct app *app, const struct ibc_place *place)
{
	const struct ibc_node *node = place->node, *planned;

	if (!node || node->rack)
		return node ? node->rack : NULL;
	planned = app->comparison ? ibc_comparison_counterpart(app->comparison, node) : NULL;
	return planned ? planned->rack : NULL;
}

static struct step_order order_of(const struct app *app, const struct ibc_step *step)
{
	const struct ibc_place *from = &step->from, *to = &step->to;
	const char *near = rack_of(app, from), *far = rack_of(app, to);
	struct step_order o = {
		.label = step->cable ? step->cable->label : NULL,
		.length = step->cable ? step->cable->length : NULL,
	};
	char here[256], there[256];

	if (ibc_step_cuts(step, app->config, o.cuts, sizeof(o.cuts)) < 0)
		snprintf(o.cuts, sizeof(o.cuts), "not known whom it cuts off: out of memory");
	ibc_step_text(step, app->config, o.text, sizeof(o.text));
	ibc_place_text(from->node ? *from : step->peer, o.from, sizeof(o.from));
	ibc_place_text(to->node ? *to : step->peer, o.to, sizeof(o.to));
	/* the ends that stay where they are, by which a plug is known; others the text names */
	if (step->action == IBC_ACTION_MOVE || step->action == IBC_ACTION_EXCHANGE) {
		ibc_place_text(step->peer, here, sizeof(here));
		ibc_place_text(step->to_peer, there, sizeof(there));
		snprintf(o.ends, sizeof(o.ends), "%s%s%s", here, *here && *there ? " and " : "",
		         there);
	}
	if (near && far && strcmp(near, far) != 0)
		snprintf(o.rack, sizeof(o.rack), "%s, %s", near, far);
	else
		snprintf(o.rack, sizeof(o.rack), "%s", near ? near : far ? far : "");
	return o;
}

/* ---- which steps are to be done ------------------------------------------------------- */

/*
 * struct todo - the steps that mend what the report finds fault with, in their order
 *
 * What is known and accepted, not checked, or doubtful, stays as it is.
 */
struct todo {
	const struct ibc_step **steps;
	size_t n;
};

/* Of a comparison with a plan, else of the inferred tree. */
static const struct ibc_step *step_at(const struct app *app, size_t i)
{
	return app->comparison ? ibc_comparison_step(app->comparison, i)
	                       : ibc_fattree_step(app->fattree, i);
}

static bool is_accepted(const struct ibc_finding *f)
{
	return f->known && !f->known->expired;
}

/* The subnet manager took the cable out of use, and it is where it belongs. */
static bool is_isolated(const struct ibc_finding *f)
{
	return f->in_case && !strcmp(f->in_case->check, "port.isolated");
}

/* Findings say by their case which steps are theirs; cases count from 1, each with a step. */
static int collect_steps(const struct app *app, struct todo *todo, struct ibc_error *err)
{
	const struct ibc_finding *f;
	const struct ibc_step *step;
	size_t all = 0;
	bool *wanted;

	while (step_at(app, all))
		all++;
	*todo = (struct todo){ .steps = calloc(all + 1, sizeof(*todo->steps)) };
	wanted = calloc(all + 1, sizeof(*wanted));
	if (!todo->steps || !wanted) {
		free(todo->steps);
		free(wanted);
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; (f = ibc_report_finding(app->report, i)); i++)
		if (f->case_no && f->case_no <= all && !f->doubtful && !is_accepted(f) &&
		    !is_isolated(f))
			wanted[f->case_no] = true;
	for (size_t i = 0; (step = step_at(app, i)); i++)
		if (wanted[step->fault])
			todo->steps[todo->n++] = step;
	free(wanted);
	return 0;
}

static int by_place(const void *va, const void *vz)
{
	const struct ibc_place *a = va, *z = vz;

	if (a->node != z->node)
		return a->node < z->node ? -1 : 1;
	return (a->port > z->port) - (a->port < z->port);
}

/*
 * Steps of one fault follow each other, and a plug may go to a socket that another leaves.
 * Without either the findings say all there is to do.
 */
static int order_matters(const struct todo *todo, bool *matters, struct ibc_error *err)
{
	struct ibc_place *left = calloc(todo->n + 1, sizeof(*left));

	*matters = false;
	if (!left)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < todo->n; i++)
		left[i] = todo->steps[i]->from;
	qsort(left, todo->n, sizeof(*left), by_place);
	for (size_t i = 0; i < todo->n && !*matters; i++)
		*matters = (i > 0 && todo->steps[i]->fault == todo->steps[i - 1]->fault) ||
		           (todo->steps[i]->to.node &&
		            bsearch(&todo->steps[i]->to, left, todo->n, sizeof(*left), by_place));
	free(left);
	return 0;
}

/* Of show: only steps at the things that it is about. */
static bool is_shown(const struct app *app, const struct ibc_step *step)
{
	const struct ibc_place *at[] = { &step->from, &step->to, &step->peer, &step->to_peer };

	for (size_t i = 0; i < app->num_places; i++)
		for (size_t k = 0; k < ARRAY_SIZE(at); k++)
			if (at[k]->node && at[k]->node->guid == app->places[i].node->guid &&
			    (!app->places[i].port || app->places[i].port == at[k]->port))
				return true;
	return !app->cmd->of_things;
}

/* ---- the table ----------------------------------------------------------------------- */

/*
 * struct step_row - the next step of a plan
 * @text: the report is text: there a dash would be noise where a step needs no cable
 */
struct step_row {
	struct ibc_step step;
	size_t number;
	struct step_order order;
	bool text;
};

/* How to find it: "from leaf03/19, C-0123, 3 m, rack R3". */
static struct ibc_value step_cable(struct ibc_cell *cell)
{
	const struct step_row *row = cell->row;
	const char *const parts[][2] = { { "from ", row->order.ends },
		                         { "", row->order.label },
		                         { "", row->order.length },
		                         { "rack ", row->order.rack } };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i][1] && *parts[i][1])
			ibc_cell_text(cell, "%s%s%s", cell->length ? ", " : "", parts[i][0],
			              parts[i][1]);
	if (!cell->length)
		return row->text ? ibc_str("") : ibc_none();
	return ibc_cell_text(cell, "%s", "");
}

GETTER(step_action, struct step_row, row, ibc_enum(ibc_action_word(row->step.action)));

static const struct ibc_column step_columns[] = {
	FIELD("step", "STEP", struct step_row, number),
	COLUMN_AT("text", "WHAT TO DO", field_chars, struct step_row, order.text),
	COLUMN("cable", "CABLE", step_cable),
	FIELD("case", NULL, struct step_row, step.fault),
	COLUMN("action", NULL, step_action),
	PLACE_COLUMNS("node_guid", "node_desc", "from_port", struct step_row, step.from),
	PLACE_COLUMNS("to_guid", "to_desc", "to_port", struct step_row, step.to),
	PLACE_COLUMNS("peer_guid", "peer_desc", "peer_port", struct step_row, step.peer),
	PLACE_COLUMNS("to_peer_guid", "to_peer_desc", "to_peer_port", struct step_row,
	              step.to_peer),
	FIELD("label", NULL, struct step_row, order.label),
	FIELD("length", NULL, struct step_row, order.length),
	COLUMN_AT("rack", NULL, field_chars, struct step_row, order.rack),
	COLUMN_AT("cuts_off", NULL, field_chars, struct step_row, order.cuts),
	{ 0 },
};
const struct ibc_table_type plan_type = TABLE("plan", step_columns, NULL);

int plan_table(struct app *app, struct ibc_error *err)
{
	bool text = app_for_people(app), all = app_shows_all(app), folds;
	const struct ibc_case *c;
	struct ibc_table *table;
	struct todo todo;
	size_t n = 0, shown = 0;
	bool ordered, any_view = false;
	int rc = collect_steps(app, &todo, err);

	if (rc)
		return rc;
	folds = !all && !app->common.output && isatty(STDOUT_FILENO);
	rc = order_matters(&todo, &ordered, err);
	for (size_t i = 0; i < todo.n; i++)
		n += is_shown(app, todo.steps[i]);
	/* does a case show several faults, so that its Fix cannot name the steps of all? */
	for (size_t i = 0; (c = ibc_report_case_at(app->report, i)); i++)
		for (size_t k = 0; c->num_members > 1 && k < c->num_members; k++)
			any_view |= c->findings[k]->case_no && !is_accepted(c->findings[k]);
	if (!rc && (!text || (all && n > 1) || (n && ordered) || (n > 1 && any_view))) {
		table = app_table(app, &plan_type);
		for (size_t i = 0; i < todo.n; i++) {
			struct step_row row = { *todo.steps[i], i + 1, order_of(app, todo.steps[i]),
				                text };

			if (is_shown(app, todo.steps[i]) && (!folds || shown++ < ROWS_OF_TEXT))
				ibc_table_row(table, &row);
		}
		ibc_table_omit(table, shown > ROWS_OF_TEXT ? shown - ROWS_OF_TEXT : 0, NULL);
	}
	free(todo.steps);
	return rc;
}

/* ---- the work order ------------------------------------------------------------------ */

/*
 * A cell of RFC 4180.  Names come from others: one that begins like a formula is made
 * text for the spreadsheet.
 */
static void write_cell(FILE *out, const char *text, char end)
{
	fputc('"', out);
	if (*text && strchr("=+-@\t\r", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fprintf(out, "\"%c", end);
}

int plan_refuse_stdout(const char *path, struct ibc_error *err)
{
	if (path && !strcmp(path, "-"))
		return cmd_fail(err, -EINVAL,
		                "--plan-csv needs a file: standard output is used for the report");
	return 0;
}

int plan_write(const struct app *app, const char *path, struct ibc_error *err)
{
	struct todo todo;
	struct out out;
	int rc = collect_steps(app, &todo, err);

	if (rc)
		return rc;
	rc = out_open(&out, path, err);
	if (!rc) {
		fputs("step,action,what to do,from,to,other ends,label,length,rack\n", out.file);
		for (size_t i = 0; i < todo.n; i++) {
			struct step_order o = order_of(app, todo.steps[i]);
			const char *const cells[] = {
				ibc_action_word(todo.steps[i]->action)->word,
				o.text,
				o.from,
				o.to,
				o.ends,
				o.label ? o.label : "",
				o.length ? o.length : "",
				o.rack,
			};

			fprintf(out.file, "%zu,", i + 1);
			for (size_t k = 0; k < ARRAY_SIZE(cells); k++)
				write_cell(out.file, cells[k],
				           k + 1 < ARRAY_SIZE(cells) ? ',' : '\n');
		}
		rc = out_commit(&out, err);
	}
	free(todo.steps);
	return rc;
}
