/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands have in common: which checks run, and the report's way out. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ibcheck/counters.h>
#include <ibcheck/names.h>

#include "lacking.h"
#include "ports.h"

#define WORDS_MAX 512 /* a list of words in a message: a dozen names */

/* ---- which checks ------------------------------------------------------------ */

/* Words of earlier versions, in scripts and in configurations. */
static const char *const renamed[][2] = { { "phy", "cables" }, { "checks", "explain" } };

const struct cmd *cmd_find(const struct cmd *const *commands, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(renamed[i][0], name))
			name = renamed[i][1];
	for (; *commands; commands++)
		if (!strcmp((*commands)->name, name))
			return *commands;
	return NULL;
}

bool cmd_takes(const struct cmd *cmd, const struct opt *opt)
{
	return !cmd || !opt->scope || cmd->takes & opt->scope;
}

bool cmd_offers(const struct cmd *cmd, const struct opt *opt)
{
	return cmd_takes(cmd, opt) && !opt->file_only && !is_part_lacking(opt->part);
}

bool cmd_runs(const struct cmd *const *commands, const struct cmd *cmd,
              const struct ibc_check *check)
{
	if (!cmd->checks)
		return false;
	if (strcmp(cmd->checks, CHECKS_OF_FABRIC) != 0)
		return ibc_check_selected(check, cmd->checks);
	if (check->inputs & (IBC_IN_SLURM | IBC_IN_SLURM_FILE))
		return false;
	/* those that run the checks of the others have none of their own */
	for (const struct cmd *const *c = commands; *c; c++)
		if ((*c)->group == CMD_FABRIC && (*c)->checks &&
		    strcmp((*c)->checks, CHECKS_OF_FABRIC) != 0 && cmd_runs(commands, *c, check))
			return true;
	return ibc_check_selected(check, CHECKS_WITHOUT_COMMAND);
}

const struct addition *addition_next(const struct cmd *cmd, size_t *i)
{
	const struct addition *a;

	while ((a = all_additions[*i])) {
		++*i;
		if (!a->cmd || !strcmp(a->cmd, cmd->name))
			break;
	}
	return a;
}

const struct ibc_table_type *cmd_shows(const struct cmd *cmd, size_t i)
{
	const struct ibc_table_type *const *t = cmd->shows;
	const struct addition *a;
	size_t next = 0;

	for (;; t = a->shows) {
		for (; t && *t; t++)
			if (!i--)
				return *t;
		a = addition_next(cmd, &next);
		if (!a)
			return NULL;
	}
}

int app_select(struct app *app, const char *only, struct ibc_error *err)
{
	const struct ibc_check *check;
	size_t named = 0, enabled = 0;

	if (app->common.checks && ibc_check_selection_verify(app->common.checks, err))
		return -EINVAL;
	app_select_none(app);
	app->selects = app->cmd->checks;
	for (size_t i = 0; app->selects && (check = ibc_check_at(i)); i++) {
		if (!cmd_runs(app->commands, app->cmd, check) || !ibc_check_selected(check, only) ||
		    !ibc_check_selected(check, app->common.checks))
			continue;
		named++;
		enabled += ibc_check_set_add(&app->selection, check, app->common.checks,
		                             app->config);
	}
	/* nothing left to check must not look like nothing found */
	if (app->selects && named && !enabled)
		return cmd_fail(err, -EINVAL,
		                "the configuration disables every check that would run");
	if (app->selects && !enabled)
		return cmd_fail(err, -EINVAL,
		                "--checks %s: %s runs none of them; see \"ibcheck %s -h\"",
		                app->common.checks, app->cmd->name, app->cmd->name);
	return 0;
}

void app_select_none(struct app *app)
{
	app->selects = true;
	app->selection = (struct ibc_check_set){ .kinds = { 0 } };
}

int app_infer(struct app *app, struct ibc_error *err)
{
	return app->fattree ? 0 : ibc_fattree_infer(app->fabric, &app->trace, &app->fattree, err);
}

int app_follow(struct app *app, struct ibc_error *err)
{
	app->how.following.trace = &app->trace;
	return app->routes
	           ? 0
	           : ibc_routes_analyze(app->fabric, &app->how.following, &app->routes, err);
}

struct ibc_attrs app_relevant(const struct app *app)
{
	return app->how.physical
	           ? ibc_attrs_or(app->how.relevant, ibc_attrs_of_group(IBC_ATTRS_PHYSICAL))
	           : app->how.relevant;
}

/* Checks by name, and not all but some? */
static bool names_checks(const struct app *app)
{
	return app->common.checks && *app->common.checks != '-';
}

const struct ibc_fabric *app_read_twice(const struct app *app)
{
	return app->fabric && !ibc_samples_fit(app->fabric, app->fabric, NULL) ? app->fabric : NULL;
}

struct ibc_input app_input(struct app *app)
{
	const struct addition *a;
	size_t i = 0;
	bool physical = app->how.physical || app->common.phy.n ||
	                (names_checks(app) && ibc_check_inputs(app->selection) & IBC_IN_PHYSICAL);

	struct ibc_input in = {
		.fabric = app->fabric,
		.config = app->config,
		/* of the physical layer no source has two readings */
		.before = app->before
		              ?: physical ? NULL
		                          : app_read_twice(app),
		.windows = app->windows,
		.totals = app->how.totals,
		.comparison = app->comparison,
		.host = app->host,
		.host_before = app->host_before,
		.checks_file = app->how.checks_file,
		.physical = physical,
		.named = names_checks(app) ? app->common.checks : NULL,
		.relevant = app_relevant(app),
		.fattree = app->fattree,
		.routes = app->routes,
		.unhealthy = app->unhealthy,
		.ctx = app,
		.trace = &app->trace,
	};

	if (app->cmd->input)
		app->cmd->input(app, &in);
	while ((a = addition_next(app->cmd, &i)))
		if (a->input)
			a->input(app, &in);
	return in;
}

/* Checks of tables that are there, whether or not an option asked for them. */
static void judge_tables(struct app *app)
{
	const struct ibc_subnet *subnet;
	const struct ibc_check *check;

	for (size_t i = 0; app->how.judges_tables && (check = ibc_check_at(i)); i++)
		for (size_t k = 0; (subnet = ibc_fabric_subnet(app->fabric, k)); k++)
			if (!ibc_check_selected(check, WITHOUT_ROUTES) &&
			    ibc_check_selected(check, app->common.checks) &&
			    ibc_attrs_is_empty(ibc_attrs_minus(check->needs, subnet->provides)))
				ibc_check_set_add(&app->selection, check, app->common.checks,
				                  app->config);
}

int app_check(struct app *app, struct ibc_error *err)
{
	struct ibc_input in;
	unsigned int inputs;
	int rc = 0;

	/* what a file does not have is missing only if it was asked for by name */
	if (app->how.spares_counters && !names_checks(app))
		ibc_check_spare_counters(&app->selection, app->fabric, app->report);
	judge_tables(app);
	inputs = ibc_check_inputs(app->selection);
	if (inputs & IBC_IN_TREE)
		rc = app_infer(app, err);
	if (!rc && inputs & IBC_IN_ROUTES)
		rc = app_follow(app, err);
	if (rc)
		return rc;
	app_remember(app);
	in = app_input(app);
	/* phy.partial would say that nothing was read, but --checks may leave it out */
	if (app->how.physical && !cables_known(app->fabric) && !app_runs(app, "phy.partial"))
		ibc_report_skip(app->report, "phy.partial",
		                "nothing of the physical layer was read");
	return ibc_check_run_set(&in, &app->selection, app->report, err);
}

int app_cases(struct app *app, struct ibc_error *err)
{
	const struct ibc_input in = app_input(app);

	return ibc_cases_find(&in, ibc_check_find, app->report, err);
}

const struct ibc_case *app_case(const struct app *app, const char *id, struct ibc_near *near)
{
	const struct ibc_finding *f;
	const struct ibc_case *c;

	for (size_t i = 0; (c = ibc_report_case_at(app->report, i)); i++) {
		if (!strcmp(c->id, id))
			return c;
		ibc_near_offer(near, c->id);
	}
	for (size_t i = 0; (f = ibc_report_finding(app->report, i)); i++)
		if (!strncmp(f->id, id, strlen(f->id)) || !strncmp(f->id, id, strlen(id)))
			return f->in_case;
	return NULL;
}

/* ---- the first line ------------------------------------------------------------- */

int app_say(struct app *app, struct ibc_error *err, const char *format, ...)
{
	char *headline;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&headline, format, ap);
	va_end(ap);
	if (n < 0)
		return cmd_fail(err, -ENOMEM, "out of memory");
	free(app->headline);
	app->meta.headline = app->headline = headline;
	return 0;
}

/* ---- tables -------------------------------------------------------------------- */

struct ibc_table *app_table(struct app *app, const struct ibc_table_type *type)
{
	const struct ibc_table_type *shown;
	size_t i = 0;

	while ((shown = cmd_shows(app->cmd, i)) && shown != type)
		i++;
	assert(shown); /* else "ibcheck __tables" does not list it */
	if (app->shown.no_rows)
		return NULL;
	return ibc_report_table(app->report, type);
}

bool app_shows_all(const struct app *app)
{
	return app->common.verbose || app->common.sort ||
	       strcmp(app->common.format, FORMAT_TEXT) != 0;
}

bool app_for_people(const struct app *app)
{
	return !strcmp(app->common.format, FORMAT_TEXT) || !strcmp(app->common.format, FORMAT_HTML);
}

/* ---- known faults -------------------------------------------------------------- */

/* Local, as the file has it. */
const char *known_time(time_t when, char text[KNOWN_TIME])
{
	struct tm tm;

	strftime(text, KNOWN_TIME, "%Y-%m-%dT%H:%M", localtime_r(&when, &tm));
	return text;
}

struct known_file {
	const struct app *app;
	char replaced[64]; /* an id in it that no check has any more */
};

/*
 * True of an id that no check has: a line for it shall come to light as stale.  A case of an
 * unknown check was looked for where all checks of the fabric ran.  @what: an id, or a kind of it.
 */
static bool may_have_run(const char *what, void *ctx)
{
	const struct ibc_check *check;
	struct known_file *known = ctx;
	const struct app *app = known->app;
	char id[64];

	snprintf(id, sizeof(id), "%.*s", (int)strcspn(what, ":"), what);
	check = ibc_check_find(id);
	if (part_lacking(LACKING_CHECK, id))
		return false;
	if (!check && ibc_check_successor(id, strlen(id)))
		snprintf(known->replaced, sizeof(known->replaced), "%s", id);
	if (!strcmp(id, IBC_KNOWN_CASE))
		return !app->common.checks && app->cmd->checks &&
		       !strcmp(app->cmd->checks, CHECKS_OF_FABRIC);
	/* what is no kind of the check is found by no run */
	return !check || ibc_check_selection_verify(what, NULL) ||
	       (ibc_check_set_has(&app->selection, check) && ibc_report_has_run(app->report, what));
}

int app_known(struct app *app, struct ibc_error *err)
{
	struct known_file known = { .app = app };
	const char *successor;
	char text[KNOWN_TIME];
	int rc;

	if (!app->common.known)
		return 0;
	rc = ibc_report_known(app->report, app->common.known, known_time(time(NULL), text),
	                      may_have_run, &known, err);
	if (rc || !*known.replaced)
		return rc;
	successor = ibc_check_successor(known.replaced, strlen(known.replaced));
	return cmd_fail(err, -EINVAL, "%s: \"%s\" was %s%s", app->common.known, known.replaced,
	                *successor ? "replaced by " : "removed", successor);
}

/* ---- the report's way out ------------------------------------------------------ */

static void list_word(char list[WORDS_MAX], const char *word)
{
	size_t at = strlen(list);

	snprintf(list + at, WORDS_MAX - at, "%s%s", at ? ", " : "", word);
}

/* The type that --table names, or the command's own; NULL: the findings. */
static const struct ibc_table_type *asked_table(const struct app *app)
{
	const struct ibc_table_type *type;
	const char *name = app->common.table;
	size_t i = 0;

	while (name && (type = cmd_shows(app->cmd, i)) && strcmp(type->name, name) != 0)
		i++;
	return name ? type : app->cmd->csv;
}

/* Does a table that may be written have the column?  Else those of the first that text shows. */
static int check_sort(const struct app *app, struct ibc_error *err)
{
	const struct ibc_table_type *t, *only = NULL, *listed = NULL;
	struct ibc_near near = { 0 };
	char list[WORDS_MAX] = "";

	if (!app->common.sort)
		return 0;
	if (!cmd_shows(app->cmd, 0))
		return cmd_fail(err, -EINVAL, "--sort: %s has no tables", app->cmd->name);
	if (app->common.table && !(only = asked_table(app)))
		return cmd_fail(err, -EINVAL, "--sort: the order of %s is fixed, worst first",
		                app->common.table);
	near.typed = app->common.sort + (*app->common.sort == '-');
	for (size_t i = 0; (t = cmd_shows(app->cmd, i)); i++)
		for (const struct ibc_column *c = t->columns; c->key && (!only || t == only); c++) {
			if (!strcmp(c->key, near.typed))
				return 0;
			ibc_near_offer(&near, c->key);
			listed = listed || !c->heading ? listed : t;
			if (t == listed && c->heading)
				list_word(list, c->key);
		}
	return cmd_fail(err, -EINVAL, "--sort: no table has the column \"%s\"%s%s%s%s%s",
	                near.typed, ibc_near_text(&near), listed ? "; " : "",
	                listed ? listed->name : "", listed ? " has " : "", list);
}

enum ibc_severity app_severity(const struct app *app)
{
	enum ibc_severity s = app->common.severity ? IBC_CRITICAL : IBC_OK;

	while (s && strcmp(ibc_severity_word(s)->word, app->common.severity) != 0)
		s--;
	return s;
}

int app_format(const struct app *app, struct ibc_error *err)
{
	const struct common *c = &app->common;
	char list[WORDS_MAX] = "";
	const char *name, *part;
	size_t i;
	int rc;

	for (i = 0; (name = ibc_render_format(i)) && strcmp(name, c->format); i++)
		list_word(list, name);
	if (!name && (part = part_lacking(LACKING_FORMAT, c->format)))
		return cmd_fail(err, -EINVAL, "the format %s" OF_PART_LACKING, c->format, part);
	if (!name)
		return cmd_fail(err, -EINVAL, "unknown format \"%s\": there are %s", c->format,
		                list);
	snprintf(list, sizeof(list), "%s", FINDINGS ", " IBC_CASES_TABLE);
	if (c->table && strcmp(c->table, FINDINGS) && strcmp(c->table, IBC_CASES_TABLE) &&
	    !asked_table(app)) {
		const struct ibc_table_type *t;

		for (i = 0; (t = cmd_shows(app->cmd, i)); i++)
			list_word(list, t->name);
		return cmd_fail(err, -EINVAL, "unknown table \"%s\": there are %s", c->table, list);
	}
	rc = check_sort(app, err);
	if (rc || !c->severity || app_severity(app))
		return rc;
	*list = '\0';
	for (enum ibc_severity s = IBC_INFO; s <= IBC_CRITICAL; s++)
		list_word(list, ibc_severity_word(s)->word);
	return cmd_fail(err, -EINVAL, "unknown severity \"%s\": there are %s", c->severity, list);
}

bool is_of_gone(const char *check)
{
	return !strncmp(check, "gone.", 5) && strcmp(check, "gone.unseen") != 0;
}

/* The case of what is gone and was called so, or NULL. */
static const struct ibc_case *case_of_gone(const struct app *app, const char *name)
{
	const struct ibc_finding *f;

	for (size_t i = 0; (f = ibc_report_finding(app->report, i)); i++) {
		const struct ibc_end *end = &f->subject.near;

		if (f->in_case && is_of_gone(f->check) &&
		    f->subject.kind != IBC_SUBJECT_CABLE &&
		    !strcmp(end->label ?: end->desc ?: "", name))
			return f->in_case;
	}
	return NULL;
}

/* Each by the ID that a case has: an ID, or the name of what is gone. */
static int find_cases(struct app *app, struct ibc_error *err)
{
	for (size_t i = 0; i < app->case_ids.n; i++) {
		struct ibc_near near = { .typed = app->case_ids.items[i] };
		const struct ibc_case *c = case_of_gone(app, near.typed);
		struct ibc_place *found;
		bool past = false; /* one that is no more may be remembered */
		size_t n;

		for (size_t k = 0; k < app->past_ids.n; k++)
			past |= !strcmp(app->past_ids.items[k], near.typed);
		if (c)
			app->case_ids.items[i] = c->id;
		else if (past || app_case(app, near.typed, &near))
			continue;
		else if (!ibc_is_case_id(near.typed))
			return ibc_fabric_find(app->fabric, near.typed, &found, &n, err);
		else
			return cmd_fail(
			    err, -EINVAL, "nothing is called \"%s\", and %sno case has this ID%s%s",
			    near.typed, app->common.state ? "" : "without --state ",
			    app->common.state ? ", now or in the past" : "", ibc_near_text(&near));
	}
	return 0;
}

int app_show(struct app *app, struct ibc_error *err)
{
	struct ibc_show show = { .least = app_severity(app),
		                 .case_ids = app->case_ids.items,
		                 .changes = app->common.changes,
		                 .by_node = app->common.node != NULL,
		                 .of_things = app->cmd->of_things };
	const struct ibc_fabric *other = app->before ? app->before : app->planned;
	const char *node = app->common.node;
	struct ibc_error ignored;
	uint64_t *guids;
	int rc = 0;

	if (node && app->fabric && !app->places) {
		rc = ibc_fabric_find(app->fabric, node, &app->places, &app->num_places, err);
		/* it may have been lost: then the earlier sweep has it */
		if (rc && other)
			rc = ibc_fabric_find(other, node, &app->places, &app->num_places, &ignored);
		rc = rc ? -EINVAL : 0;
	}
	if (!rc)
		rc = find_cases(app, err);
	if (rc)
		return rc;
	guids = calloc(app->num_places + 1, sizeof(*guids));
	if (!guids)
		return cmd_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < app->num_places; i++)
		guids[i] = app->places[i].node->guid;
	show.only_cases = app->case_ids.n && !app->num_places;
	show.guids = guids;
	show.num_guids = app->num_places;
	ibc_report_show(app->report, &show);
	free(guids);
	return 0;
}

/* Text for a person goes through a pager: how it looks is known before. */
static int write_report(struct app *app, const struct out *out, struct ibc_error *err)
{
	const struct common *c = &app->common;
	const struct ibc_table_type *type = asked_table(app);
	struct ibc_render_opts looks = out_looks(out);

	looks.verbose = c->verbose || app->case_ids.n;
	looks.one_screen = isatty(out->fd);
	if (out->fd == STDOUT_FILENO && !strcmp(c->format, FORMAT_TEXT) && !c->no_pager &&
	    pager_start())
		looks.one_screen = false;
	looks.oneline = c->oneline;
	looks.sums = app->cmd->sums;
	looks.only_tables = !app->selects;
	if (type && !strcmp(c->format, FORMAT_CSV)) {
		ibc_report_table(app->report, type); /* its head line, if it has no row */
		looks.table = type->name;
	} else {
		looks.table = c->table;
	}
	if (app->cmd->text && !strcmp(c->format, FORMAT_TEXT) && !c->oneline &&
	    app->cmd->text(app, out->file))
		return 0;
	return ibc_report_render(app->report, c->format, &looks, out->file, err);
}

bool app_is_silent(const struct app *app)
{
	const struct common *c = &app->common;

	if (c->output && !app->cmd->keeps_output && !app->shown.aside)
		return false;
	if (c->changes && !strcmp(c->format, FORMAT_TEXT) && !ibc_report_changed(app->report))
		return true;
	return c->quiet && ibc_report_verdict(app->report) == IBC_OK &&
	       !(c->changes && ibc_report_changed(app->report));
}

int app_render(struct app *app, struct ibc_error *err)
{
	const struct common *c = &app->common;
	const char *path = app->cmd->keeps_output || app->shown.aside ? NULL : c->output;
	struct out out;
	int rc;

	if (app_is_silent(app))
		return 0;
	/* not what becomes metrics: of rows with equal labels the first is the sample */
	if (c->sort && strcmp(c->format, "prometheus") && strcmp(c->format, "nagios")) {
		rc = ibc_report_sort(app->report, c->sort + (*c->sort == '-'), *c->sort == '-',
		                     err);
		if (rc)
			return rc;
	}
	rc = app->shown.aside ? out_open_stderr(&out, err) : out_open(&out, path, err);
	if (rc)
		return rc;
	rc = out_end(&out, write_report(app, &out, err), err);
	return rc == -EPIPE && pager_runs() ? 0 : rc;
}
