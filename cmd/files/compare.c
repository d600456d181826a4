/* SPDX-License-Identifier: BSD-2-Clause */
/* A second opinion: what other tools say of the fabric beside what the checks find. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "all.h"
#include "columns.h"
#include "expect.h"

#define ROWS_OF_TEXT 20 /* of a terminal, a screen */

static const struct opt compare_opts[] = { ALL_OPTS(struct all_cfg, ), OPT_END };

/* struct compare_own - what other tools say, and how that compares */
struct compare_own {
	struct ibc_opinions *opinions;
	struct ibc_contrasts *contrasts;
};

static int compare_run(struct app *app, struct ibc_error *err)
{
	struct compare_own *own = app->own;
	const struct all_cfg *c = app->cfg;
	const char *items[] = { NULL, NULL };
	struct ibc_contrasts *found;
	struct ibc_input in;
	size_t n = 0;
	int rc;

	while (app->args[n])
		n++;
	rc = ibc_opinions_read((const char *const *)app->args, n, &own->opinions, err);
	if (rc)
		return rc;
	/* what they say is best compared with what they have read */
	if (!app->common.sources.n && own->opinions->fabric) {
		items[0] = own->opinions->fabric;
		app->common.sources = (struct str_list){ items, 1 };
	}
	rc = all_sweep(app, &c->expect, c->routes, err);
	if (*items)
		app->common.sources = (struct str_list){ NULL, 0 };
	if (!rc && *items)
		rc = app_say(app, err, "%s; taken as the fabric, as there is no --source",
		             app->headline);
	if (rc)
		return rc;
	in = app_input(app);
	rc = ibc_contrasts_find(own->opinions, &in, app->report, &found, err);
	if (!rc)
		ibc_check_contrasts(own->opinions, found, app->report);
	ibc_contrasts_free(found);
	return rc;
}

/* ---- tables ------------------------------------------------------------------------ */

/* struct opinion_row - what is not known is NULL or 0; @number: of rows like this one, @at: the
 * first */
struct opinion_row {
	struct ibc_place place;
	const struct ibc_word *who, *reason, *tool, *severity;
	const char *where, *kind, *statement, *words, *file, *check, *case_id, *message;
	unsigned long line;
	size_t number, at;
};

static struct opinion_row opinion_row(const struct ibc_contrast *c)
{
	const struct ibc_opinion *theirs = c->theirs;
	struct opinion_row row = {
		.place = c->place,
		.who = ibc_contrast_who_word(c->who),
		.reason = ibc_contrast_why_word(c->why),
		.where = c->where,
		.kind = c->kind,
	};

	if (theirs) {
		row.tool = ibc_tool_word(theirs->tool);
		row.severity = ibc_severity_word(theirs->severity);
		row.statement = *theirs->event ? theirs->event : theirs->check;
		row.words = theirs->words;
		row.file = theirs->file;
		row.line = theirs->line;
	}
	if (c->ours) {
		row.check = c->ours->check;
		row.case_id = c->ours->in_case->id;
		row.message = c->ours->message;
	}
	return row;
}

static int by_address(const void *a, const void *z)
{
	return ((uintptr_t)a > (uintptr_t)z) - ((uintptr_t)a < (uintptr_t)z);
}

static int by_likeness(const struct opinion_row *a, const struct opinion_row *z)
{
	int order = strcmp(a->kind, z->kind);

	order = order ? order : by_address(a->who, z->who);
	order = order ? order : by_address(a->reason, z->reason);
	return order ? order : by_address(a->tool, z->tool);
}

static int by_at(const void *left, const void *right)
{
	const struct opinion_row *a = left, *z = right;

	return (a->at > z->at) - (a->at < z->at);
}

static int by_likeness_and_at(const void *left, const void *right)
{
	int order = by_likeness(left, right);

	return order ? order : by_at(left, right);
}

/* @n rows become one for all that are alike, where the first of them was. */
static size_t sum_rows(struct opinion_row *rows, size_t n)
{
	size_t sums = 0;

	qsort(rows, n, sizeof(*rows), by_likeness_and_at);
	for (size_t i = 0; i < n; i++) {
		if (!sums || by_likeness(&rows[sums - 1], &rows[i]) != 0)
			rows[sums++] = rows[i];
		rows[sums - 1].number++;
	}
	qsort(rows, sums, sizeof(*rows), by_at);
	return sums;
}

static const struct ibc_column opinion_columns[] = {
	PLACE_COLUMNS("node_guid", "node_desc", "port", struct opinion_row, place),
	FIELD("who", "WHO", struct opinion_row, who),
	FIELD("place", "PLACE", struct opinion_row, where),
	FIELD("kind", "KIND", struct opinion_row, kind),
	FIELD("tool", "TOOL", struct opinion_row, tool),
	FIELD("severity", NULL, struct opinion_row, severity),
	FIELD("reason", "REASON", struct opinion_row, reason,
	      .legend = "why only one of the two says it"),
	FIELD("check", "CHECK", struct opinion_row, check),
	FIELD("case", "ID", struct opinion_row, case_id),
	FIELD("statement", NULL, struct opinion_row, statement),
	FIELD("words", "THEIR WORDS", struct opinion_row, words, .sentence = true),
	FIELD("file", NULL, struct opinion_row, file),
	FIELD_OR_NONE("line", NULL, struct opinion_row, line),
	FIELD("message", NULL, struct opinion_row, message),
	{ 0 },
};
static const struct ibc_table_type opinions_type = TABLE("opinions", opinion_columns, NULL);

static const struct ibc_column sum_columns[] = {
	FIELD("kind", "KIND", struct opinion_row, kind),
	FIELD("tool", "TOOL", struct opinion_row, tool),
	FIELD("who", "WHO", struct opinion_row, who),
	FIELD("reason", "REASON", struct opinion_row, reason),
	FIELD("number", "NUMBER", struct opinion_row, number),
	{ 0 },
};
static const struct ibc_table_type sums_type = TABLE("opinion_kinds", sum_columns,
                                                     "statements by kind");

static int compare_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *by_kind = app_table(app, &sums_type);
	struct ibc_table *rows = app_table(app, &opinions_type);
	struct compare_own *own = app->own;
	const struct ibc_input in = app_input(app);
	size_t shown = SIZE_MAX, n, count[IBC_AGREE + 1] = { 0 };
	const struct ibc_contrasts *c;
	struct opinion_row *sums;
	int rc = ibc_contrasts_find(own->opinions, &in, app->report, &own->contrasts, err);

	if (rc)
		return rc;
	c = own->contrasts;
	sums = calloc(c->num + 1, sizeof(*sums));
	if (!sums)
		return cmd_fail(err, -ENOMEM, "out of memory");
	if (!strcmp(app->common.format, FORMAT_TEXT) && !app->common.verbose && !app->common.sort)
		shown = ROWS_OF_TEXT;
	for (size_t i = 0; i < c->num; i++) {
		sums[i] = opinion_row(&c->all[i]);
		sums[i].at = i;
		if (i < shown)
			ibc_table_row(rows, &sums[i]);
		count[c->all[i].who]++;
	}
	n = sum_rows(sums, c->num);
	for (size_t i = 0; i < n; i++)
		ibc_table_row(by_kind, &sums[i]);
	free(sums);
	if (c->num > shown)
		ibc_table_omit(rows, c->num - shown, NULL);
	ibc_report_sum(app->report, "opinions_agree", count[IBC_AGREE]);
	ibc_report_sum(app->report, "opinions_only_they", count[IBC_ONLY_THEY]);
	ibc_report_sum(app->report, "opinions_only_we", count[IBC_ONLY_WE]);
	ibc_report_sum(app->report, "opinions_not_understood", own->opinions->num_strange);
	ibc_report_conclude(app->report, "%zu statements agree, %zu only they, %zu only we",
	                    count[IBC_AGREE], count[IBC_ONLY_THEY], count[IBC_ONLY_WE]);
	return 0;
}

static void compare_end(struct app *app)
{
	struct compare_own *own = app->own;

	ibc_opinions_free(own->opinions);
	ibc_contrasts_free(own->contrasts);
}

const struct cmd cmd_compare = {
	.name = "compare",
	.summary = "what other tools say: ibdiagnet, UFM, OpenSM, infiniband-diags",
	.args = "FILE ...",
	.example = "compare /var/tmp/ibdiagnet2/ibdiagnet2.db_csv\n"
		   "compare --source fabric.snap ibdiagnet2.log errors.txt\n"
		   "compare /opt/ufm/log/opensm-unhealthy-ports.dump\n",
	.group = CMD_FILES,
	.takes = ALL_TAKES,
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_hint = HINT_FILE,
	.checks = CHECKS_OF_FABRIC,
	.opts = compare_opts,
	.cfg_size = sizeof(struct all_cfg),
	.own_size = sizeof(struct compare_own),
	.csv = &opinions_type,
	.shows = TABLES(&opinions_type, &sums_type),
	.pictures = true,
	.run = compare_run,
	.tables = compare_tables,
	.end = compare_end,
};
