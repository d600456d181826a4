/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define READS_MAX 128

/* For the other formats: text is written by explain_text(). */
static const struct ibc_column explain_columns[] = {
	{ "check", NULL }, { "severity", NULL },     { "title", NULL },
	{ "reads", NULL }, { "explained_by", NULL }, { 0 },
};
static const struct ibc_column paragraphs_columns[] = {
	{ "check", NULL },
	{ "text", NULL },
	{ 0 },
};

/* The attributes a check reads: "NodeInfo, PortInfo". */
static const char *reads(const struct ibc_check *check, char buf[READS_MAX])
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned int i = 0; i < IBC_ATTR_COUNT && at < READS_MAX; i++)
		if (check->needs & 1U << i)
			at += (size_t)snprintf(buf + at, READS_MAX - at, "%s%s", at ? ", " : "",
			                       ibc_attr_name(1U << i));
	return buf;
}

const char *explained_by(const struct ibc_check *check, const char *last, char buf[EXPLAINED_MAX])
{
	const char *const *id = check->explained_by;
	size_t at = 0;

	if (!id)
		return NULL;
	for (; *id && at < EXPLAINED_MAX; id++)
		at += (size_t)snprintf(buf + at, EXPLAINED_MAX - at, "%s%s",
		                       !at     ? ""
		                       : id[1] ? ", "
		                               : last,
		                       *id);
	return buf;
}

static bool is_asked_for(const struct app *app, const struct ibc_check *check)
{
	for (char **id = app->args; *id; id++)
		if (ibc_check_selected(check, *id))
			return true;
	return false;
}

static int explain_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	(void)cfg;
	for (char **id = app->args; *id; id++)
		if (ibc_check_selection_verify(*id, err))
			return -EINVAL;
	return 0;
}

static char *cut_paragraph(char **at)
{
	char *text = *at + strspn(*at, "\n"), *end = strstr(text, "\n\n");

	*at = end ? end + 2 : text + strlen(text);
	if (end)
		*end = '\0';
	return *text ? text : NULL;
}

static int add_paragraphs(struct ibc_table *table, const struct ibc_check *check,
                          struct ibc_error *err)
{
	char *copy = strdup(ibc_check_explain(check)), *at = copy, *text;

	if (!copy)
		return cmd_fail(err, -ENOMEM, "out of memory");
	while ((text = cut_paragraph(&at)))
		ibc_table_row(table, (struct ibc_value[]){ ibc_str(check->id), ibc_str(text) });
	free(copy);
	return 0;
}

static int explain_tables(struct app *app, const void *cfg, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(app->report, "explain", explain_columns);
	struct ibc_table *texts = ibc_report_table(app->report, "paragraphs", paragraphs_columns);
	const struct ibc_check *check;
	char buf[READS_MAX], others[EXPLAINED_MAX];
	int rc = 0;

	(void)cfg;
	for (size_t i = 0; !rc && (check = ibc_check_at(i)); i++) {
		if (!is_asked_for(app, check))
			continue;
		ibc_table_row(
		    table, (struct ibc_value[]){
			       ibc_str(check->id),
			       ibc_enum(ibc_severity_word(ibc_config_severity(app->config, check))),
			       ibc_str(check->title),
			       ibc_str(reads(check, buf)),
			       ibc_str(explained_by(check, ", ", others)),
			   });
		rc = add_paragraphs(texts, check, err);
	}
	return rc;
}

static void say_explained_by(const struct ibc_check *check, FILE *out)
{
	char text[EXPLAINED_MAX];
	struct fold f = { .out = out };

	if (!explained_by(check, " or ", text))
		return;
	fold_text(&f, "What");
	fold_text(&f, text);
	fold_text(&f, "finds may explain what this check finds.");
	fputs("\n", out);
}

static void explain_text(struct app *app, FILE *out)
{
	const struct ibc_check *check;
	const char *before = "";
	char buf[READS_MAX];

	for (size_t i = 0; (check = ibc_check_at(i)); i++) {
		enum ibc_severity severity = ibc_config_severity(app->config, check);

		if (!is_asked_for(app, check))
			continue;
		fprintf(out, "%s%s: %s\n\n", before, check->id, check->title);
		fold_paragraphs(out, ibc_check_explain(check));
		fprintf(out, "severity %s, reads %s\n", ibc_severity_word(severity)->word,
		        reads(check, buf));
		say_explained_by(check, out);
		before = "\n";
	}
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "one check, at length",
	.args = "ID ...",
	.group = CMD_FILES,
	.min_args = 1,
	.max_args = INT_MAX,
	.arg_hint = HINT_CHECK,
	.run = explain_run,
	.tables = explain_tables,
	.text = explain_text,
};
