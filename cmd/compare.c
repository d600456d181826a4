/* SPDX-License-Identifier: BSD-2-Clause */
/* A second opinion: what other tools say of the fabric beside what the checks find. */
#include <limits.h>
#include <string.h>

#include "all.h"
#include "columns.h"
#include "expect.h"

#define ROWS_OF_TEXT 20 /* of a terminal, a screen */

static const struct opt compare_opts[] = { ALL_OPTS(struct all_cfg, ), OPT_END };

static int compare_run(struct app *app, struct ibc_error *err)
{
	const struct all_cfg *c = app->cfg;
	const char *items[] = { NULL, NULL };
	struct ibc_contrasts *found;
	struct ibc_input in;
	size_t n = 0;
	int rc;

	while (app->args[n])
		n++;
	rc = ibc_opinions_read((const char *const *)app->args, n, &app->opinions, err);
	if (rc)
		return rc;
	/* what they say is best compared with what they have read */
	if (!app->common.sources.n && app->opinions->fabric) {
		items[0] = app->opinions->fabric;
		app->common.sources = (struct str_list){ items, 1 };
	}
	rc = all_sweep(app, &c->expect, c->routes, err);
	if (*items)
		app->common.sources = (struct str_list){ NULL, 0 };
	if (rc)
		return rc;
	in = app_input(app);
	rc = ibc_contrasts_find(app->opinions, &in, app->report, &found, err);
	if (!rc)
		rc = ibc_check_contrasts(app->opinions, found, app->report, err);
	ibc_contrasts_free(found);
	return rc;
}

/* ---- tables ------------------------------------------------------------------------ */

GETTER(opinion_who, struct ibc_contrast, c, ibc_enum(ibc_contrast_who_word(c->who)));
GETTER(opinion_why, struct ibc_contrast, c, ibc_enum(ibc_contrast_why_word(c->why)));
GETTER(opinion_tool, struct ibc_contrast, c,
       c->theirs ? ibc_enum(ibc_tool_word(c->theirs->tool)) : ibc_none());
GETTER(opinion_severity, struct ibc_contrast, c,
       c->theirs ? ibc_enum(ibc_severity_word(c->theirs->severity)) : ibc_none());
GETTER(opinion_statement, struct ibc_contrast, c,
       !c->theirs ? ibc_none() : ibc_str(*c->theirs->event ? c->theirs->event : c->theirs->check));
GETTER(opinion_words, struct ibc_contrast, c, c->theirs ? ibc_str(c->theirs->words) : ibc_none());
GETTER(opinion_file, struct ibc_contrast, c, c->theirs ? ibc_str(c->theirs->file) : ibc_none());
GETTER(opinion_line, struct ibc_contrast, c, c->theirs ? ibc_u64(c->theirs->line) : ibc_none());
GETTER(opinion_check, struct ibc_contrast, c, c->ours ? ibc_str(c->ours->check) : ibc_none());
GETTER(opinion_case, struct ibc_contrast, c,
       c->ours && c->ours->in_case ? ibc_str(c->ours->in_case->id) : ibc_none());
GETTER(opinion_ours, struct ibc_contrast, c, c->ours ? ibc_str(c->ours->message) : ibc_none());

static const struct ibc_column opinion_columns[] = {
	COLUMN_AT("node_guid", NULL, place_guid, struct ibc_contrast, place),
	COLUMN_AT("node_desc", NULL, place_desc, struct ibc_contrast, place),
	COLUMN_AT("port", NULL, place_port, struct ibc_contrast, place),
	COLUMN("who", "WHO", opinion_who),
	FIELD_OR_NONE("place", "PLACE", struct ibc_contrast, where),
	FIELD("kind", "KIND", struct ibc_contrast, kind),
	COLUMN("tool", "TOOL", opinion_tool),
	COLUMN("severity", NULL, opinion_severity),
	COLUMN("reason", "REASON", opinion_why, .legend = "why only one of the two says it"),
	COLUMN("check", "CHECK", opinion_check),
	COLUMN("case", "ID", opinion_case),
	COLUMN("statement", NULL, opinion_statement),
	SENTENCE("words", "THEIR WORDS", opinion_words),
	COLUMN("file", NULL, opinion_file),
	COLUMN("line", NULL, opinion_line),
	COLUMN("message", NULL, opinion_ours),
	{ 0 },
};
static const struct ibc_table_type opinions_type = TABLE("opinions", opinion_columns, NULL);

/* struct opinion_sum - how many of @first are alike in kind, tool, who says it and why */
struct opinion_sum {
	const struct ibc_contrast *first;
	size_t number;
};

/* .arg: a getter of the first of them */
static struct ibc_value first_of(struct ibc_cell *cell)
{
	static ibc_getter *const getters[] = { opinion_tool, opinion_who, opinion_why };
	const struct opinion_sum *sum = cell->row;
	struct ibc_cell first = { .row = sum->first, .column = cell->column };

	return getters[cell->column->arg](&first);
}

GETTER(sum_kind, struct opinion_sum, s, ibc_str(s->first->kind));

static const struct ibc_column sum_columns[] = {
	COLUMN("kind", "KIND", sum_kind),
	COLUMN_OF(0, "tool", "TOOL", first_of),
	COLUMN_OF(1, "who", "WHO", first_of),
	COLUMN_OF(2, "reason", "REASON", first_of),
	FIELD("number", "NUMBER", struct opinion_sum, number),
	{ 0 },
};
static const struct ibc_table_type sums_type = TABLE("opinion_kinds", sum_columns,
                                                     "statements by kind");

static bool is_alike(const struct ibc_contrast *a, const struct ibc_contrast *z)
{
	return !strcmp(a->kind, z->kind) && a->who == z->who && a->why == z->why &&
	       !a->theirs == !z->theirs && (!a->theirs || a->theirs->tool == z->theirs->tool);
}

static int compare_tables(struct app *app, struct ibc_error *err)
{
	struct ibc_table *sums = app_table(app, &sums_type);
	struct ibc_table *rows = app_table(app, &opinions_type);
	const struct ibc_input in = app_input(app);
	size_t shown = SIZE_MAX, count[IBC_AGREE + 1] = { 0 };
	const struct ibc_contrasts *c;
	int rc = ibc_contrasts_find(app->opinions, &in, app->report, &app->contrasts, err);

	if (rc)
		return rc;
	c = app->contrasts;
	if (!strcmp(app->common.format, FORMAT_TEXT) && !app->common.verbose && !app->common.sort)
		shown = ROWS_OF_TEXT;
	for (size_t i = 0; i < c->num; i++) {
		struct opinion_sum sum = { .first = &c->all[i] };
		bool is_first = true;

		count[c->all[i].who]++;
		if (i < shown)
			ibc_table_row(rows, &c->all[i]);
		for (size_t k = i; k-- > 0 && is_first;)
			is_first = !is_alike(&c->all[k], &c->all[i]);
		for (size_t k = i; k < c->num && is_first; k++)
			sum.number += is_alike(&c->all[k], &c->all[i]);
		if (is_first)
			ibc_table_row(sums, &sum);
	}
	if (c->num > shown)
		ibc_table_omit(rows, c->num - shown, NULL);
	ibc_report_sum(app->report, "opinions_agree", count[IBC_AGREE]);
	ibc_report_sum(app->report, "opinions_only_they", count[IBC_ONLY_THEY]);
	ibc_report_sum(app->report, "opinions_only_we", count[IBC_ONLY_WE]);
	ibc_report_sum(app->report, "opinions_not_understood", app->opinions->num_strange);
	ibc_report_conclude(app->report, "%zu statements agree, %zu only they, %zu only we",
	                    count[IBC_AGREE], count[IBC_ONLY_THEY], count[IBC_ONLY_WE]);
	return 0;
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
	.csv = &opinions_type,
	.shows = TABLES(&opinions_type, &sums_type),
	.pictures = true,
	.run = compare_run,
	.tables = compare_tables,
};
