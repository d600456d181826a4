/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "cmd.h"

/* Paragraphs make no table: text is written by explain_text(). */
static const struct ibc_column explain_columns[] = {
	{ "check", NULL }, { "severity", NULL }, { "title", NULL },
	{ "reads", NULL }, { "explain", NULL },  { 0 },
};

static int unknown_check(const char *id, struct ibc_error *err)
{
	struct near near = { .typed = id };
	const struct ibc_check *check;

	for (size_t i = 0; (check = ibc_check_at(i)); i++)
		near_offer(&near, check->id);
	return cmd_fail(err, -EINVAL, "there is no check \"%s\"%s", id,
	                near.num ? near_text(&near) : "; \"ibcheck checks\" lists them");
}

/* The attributes a check reads: "NodeInfo, PortInfo". */
static const char *reads(const struct ibc_check *check, char *buf, size_t size)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned int i = 0; i < IBC_ATTR_COUNT && at < size; i++)
		if (check->needs & 1U << i)
			at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? ", " : "",
			                       ibc_attr_name(1U << i));
	return buf;
}

static int explain_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	struct ibc_table *table = ibc_report_table(app->report, "explain", explain_columns);
	char buf[128];

	(void)cfg;
	for (char **id = app->args; *id; id++) {
		const struct ibc_check *check = ibc_check_find(*id);

		if (!check)
			return unknown_check(*id, err);
		ibc_table_row(
		    table, (struct ibc_value[]){
			       ibc_str(check->id),
			       ibc_enum(ibc_severity_word(ibc_config_severity(app->config, check))),
			       ibc_str(check->title),
			       ibc_str(reads(check, buf, sizeof(buf))),
			       ibc_str(check->explain),
			   });
	}
	return 0;
}

static void explain_text(struct app *app, FILE *out)
{
	char buf[128];

	for (char **id = app->args; *id; id++) {
		const struct ibc_check *check = ibc_check_find(*id);
		enum ibc_severity severity = ibc_config_severity(app->config, check);

		fprintf(out, "%s: %s\n\n", check->id, check->title);
		fold_paragraphs(out, check->explain);
		fprintf(out, "severity %s, reads %s\n%s", ibc_severity_word(severity)->word,
		        reads(check, buf, sizeof(buf)), id[1] ? "\n" : "");
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
	.text = explain_text,
};
