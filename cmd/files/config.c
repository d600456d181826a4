/* SPDX-License-Identifier: BSD-2-Clause */
/* ibcheck.conf: options in the sections that their tables name, a section for every check. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"
#include "columns.h"

/* @section: NULL: any */
static const struct opt *settable(const struct opt *opts, const char *section, const char *key)
{
	const struct opt *opt = opt_find(opts, key);

	return opt && opt->section && (!section || !strcmp(opt->section, section)) ? opt : NULL;
}

/* A copy that lives as long as the settings; NULL: there is no memory. */
static const char *keep(struct app *app, const char *text)
{
	struct ibc_error ignored;
	char *copy = strdup(text);

	if (copy && !str_list_add(&app->file.strings, copy, &ignored))
		return copy;
	free(copy);
	return NULL;
}

/* What the command line gave stays; the value is looked at, whether it goes anywhere or not. */
static int set_option(struct app *app, const char *section, const char *key, const char *value,
                      struct ibc_error *err)
{
	const struct opt *opts = common_opts, *opt = settable(opts, section, key);
	void *into = &app->common, *ignored;
	size_t size = sizeof(app->common);
	uint64_t given = app->line.given;
	bool runs_all = false;
	const char *copy;
	int rc;

	/* does this run have such an option?  Of "all" are those of the commands that run it */
	for (const struct opt *o = app->cmd->opts; o && o->name; o++)
		runs_all |= o->section && !strcmp(o->section, SECTION_ALL);
	if (opt && !(strcmp(opt->section, SECTION_ALL) ? cmd_takes(app->cmd, opt) : runs_all))
		into = NULL;
	if (!opt) {
		opts = app->cmd->opts;
		opt = settable(opts, section, key);
		into = app->cfg;
		size = app->cmd->cfg_size;
		given = app->line.given_own;
	}
	for (const struct cmd *const *c = app->commands; !opt && *c; c++) {
		opts = (*c)->opts;
		opt = settable(opts, section, key);
		into = NULL;
		size = (*c)->cfg_size;
	}
	if (!opt) {
		opt = settable(common_opts, NULL, key);
		for (const struct cmd *const *c = app->commands; !opt && *c; c++)
			opt = settable((*c)->opts, NULL, key);
		return cmd_fail(err, -EINVAL, "[%s] has no key \"%s\"%s%s%s", section, key,
		                opt ? ", but [" : "", opt ? opt->section : "", opt ? "] has" : "");
	}
	ignored = calloc(1, size);
	copy = keep(app, value);
	if (!ignored || !copy) {
		free(ignored);
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	rc = opt_store(opt, into && !(given >> (opt - opts) & 1) ? into : ignored, copy, err);
	opts_free(opts, ignored);
	free(ignored);
	return rc;
}

static bool is_of_options(const struct app *app, const char *section, const char *key)
{
	if (!strcmp(section, SECTION_COMMON))
		return strcmp(key, "important") != 0;
	return cmd_find(app->commands, section);
}

static int set_config(void *ctx, const char *section, const char *key, const char *value,
                      int number, struct ibc_error *err)
{
	struct app *app = ctx;
	struct config_line *all, line = { .line = number };
	int rc = is_of_options(app, section, key)
	             ? set_option(app, section, key, value, err)
	             : ibc_config_set(app->config, section, key, value, err);

	if (rc)
		return rc;
	line.section = keep(app, section);
	line.key = keep(app, key);
	line.value = keep(app, value);
	all = reallocarray(app->file.lines, app->file.num_lines + 1, sizeof(*all));
	if (all)
		app->file.lines = all;
	if (!all || !line.section || !line.key || !line.value)
		return cmd_fail(err, -ENOMEM, "out of memory");
	all[app->file.num_lines++] = line;
	return 0;
}

static const char *config_path(const struct app *app)
{
	return app->common.config ? app->common.config : CONFIG_DEFAULT;
}

int config_read(struct app *app, struct ibc_error *err)
{
	struct ibc_error why = { "" };
	int rc = ini_read(config_path(app), set_config, app, &why);

	if (!rc || (rc == -ENOENT && !app->common.config))
		return 0;
	return cmd_fail(err, rc, "%s", why.text);
}

/* ---- the command: what is in effect, and where from -------------------------------------- */

/*
 * struct config_row - a value
 * @value: NULL: none
 * @file: NULL: it is not from a file
 * @source: "file", "command line", "environment" or "built-in"
 */
struct config_row {
	const char *section, *key, *value, *source, *file;
	int line;
};

static struct ibc_value config_from(struct ibc_cell *cell)
{
	const struct config_row *row = cell->row;

	return row->file ? ibc_cell_text(cell, "%s:%d", row->file, row->line)
	                 : ibc_str(row->source);
}

static const struct ibc_column config_columns[] = {
	FIELD("section", "SECTION", struct config_row, section),
	FIELD("key", "KEY", struct config_row, key),
	FIELD_OR_NONE("value", "VALUE", struct config_row, value),
	FIELD("source", NULL, struct config_row, source),
	FIELD_OR_NONE("file", NULL, struct config_row, file),
	FIELD_OR_NONE("line", NULL, struct config_row, line),
	COLUMN("from", "FROM", config_from),
	{ 0 },
};
static const struct ibc_table_type settings_type = { "settings", config_columns, NULL, NULL, NULL };

/* Does a later line take its place?  A list has them all. */
static bool is_replaced(const struct app *app, size_t i)
{
	for (size_t k = i + 1; k < app->file.num_lines; k++)
		if (!strcmp(app->file.lines[i].section, app->file.lines[k].section) &&
		    !strcasecmp(app->file.lines[i].key, app->file.lines[k].key))
			return true;
	return false;
}

static void file_row(const struct app *app, struct ibc_table *table, size_t i, const char *value)
{
	const struct config_line *line = &app->file.lines[i];

	ibc_table_row(table, &(struct config_row){ line->section, line->key, value, "file",
	                                           config_path(app), line->line });
}

/* As the help has it: "(default 24h)", "umad (default)". */
static const char *built_in(struct app *app, const struct opt *opt)
{
	const char *at = strstr(opt->help, "default"), *end;
	char text[256];

	if (opt->kind == OPT_KIND_FLAG)
		return "no";
	if (!strcmp(opt->name, "format"))
		return FORMAT_TEXT;
	if (!at)
		return NULL;
	end = at - strlen(" (");
	at += strlen("default");
	if (*at == ')') {
		for (at = end; at > opt->help && at[-1] != ' ';)
			at--;
	} else {
		at += strspn(at, ": ");
		end = at + strcspn(at, ",)");
	}
	snprintf(text, sizeof(text), "%.*s", (int)(end - at), at);
	return keep(app, text);
}

/* Of the command line there are only options that every command takes. */
static void add_option(struct app *app, struct ibc_table *table, const struct opt *opt)
{
	struct config_row row = { opt->section, opt->name, NULL, "built-in", NULL, 0 };
	bool is_common = opt_find(common_opts, opt->name) == opt, any = false;

	if (is_common && app->line.given >> (opt - common_opts) & 1) {
		row.source = "command line";
		row.value = opt->kind == OPT_KIND_FLAG
		                ? "yes"
		                : *(const char *const *)((const char *)&app->asked + opt->offset);
		ibc_table_row(table, &row);
		return;
	}
	for (size_t i = 0; i < app->file.num_lines; i++) {
		const struct config_line *line = &app->file.lines[i];

		if (strcmp(line->section, opt->section) != 0 ||
		    strcasecmp(line->key, opt->name) != 0 ||
		    (opt->kind != OPT_KIND_LIST && is_replaced(app, i)))
			continue;
		file_row(app, table, i, opt->secret ? "not shown" : line->value);
		any = true;
	}
	if (any)
		return;
	row.value = built_in(app, opt);
	ibc_table_row(table, &row);
}

static int config_run(struct app *app, struct ibc_error *err)
{
	static const char *const variables[] = { "COLUMNS", "NO_COLOR" };
	struct ibc_table *table = app_table(app, &settings_type);

	(void)err;
	for (int all = 0; all < 2; all++)
		for (const struct opt *o = common_opts; o->name; o++)
			if (o->section && all == !strcmp(o->section, SECTION_ALL))
				add_option(app, table, o);
	for (const struct cmd *const *c = app->commands; *c; c++)
		for (const struct opt *o = (*c)->opts; o && o->name; o++) {
			const struct cmd *const *first = app->commands;

			if (!o->section)
				continue;
			while (!settable((*first)->opts, o->section, o->name))
				first++;
			if (first == c)
				add_option(app, table, o);
		}
	for (size_t i = 0; i < app->file.num_lines; i++) {
		const struct config_line *line = &app->file.lines[i];
		bool is_list = !strcmp(line->section,
		                       SECTION_COMMON); /* the hosts that are important */

		if (!is_of_options(app, line->section, line->key) &&
		    (is_list || !is_replaced(app, i)))
			file_row(app, table, i, line->value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		if (getenv(variables[i]))
			ibc_table_row(table, &(struct config_row){ "environment", variables[i],
			                                           getenv(variables[i]),
			                                           "environment", NULL, 0 });
	return 0;
}

const struct cmd cmd_config = {
	.name = "config",
	.summary = "the settings in effect, and where each comes from",
	.example = "config\n"
		   "config --config new.conf\n",
	.group = CMD_FILES,
	.csv = &settings_type,
	.shows = TABLES(&settings_type),
	.run = config_run,
};
