/* SPDX-License-Identifier: BSD-2-Clause */
/* ibcheck.conf: options in the sections that their tables name, a section for every check. */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct config_reader {
	struct app *app;
	FILE *file;
	const char *path;
	int line;
	int bad_line; /* the first that was refused, and why */
	int rc;
	struct ibc_error *err;
};

static int refuse_line(struct config_reader *r, const char *why)
{
	if (r->bad_line)
		return 0;
	r->bad_line = r->line;
	r->rc = cmd_fail(r->err, -EINVAL, "%s: line %d: %s", r->path, r->line, why);
	return 0;
}

/*
 * A line for inih.  Blanks before a key go: inih would read the line as the
 * continuation of the one before.  What inih would cut is refused instead.
 */
static char *read_config_line(char *line, int size, void *ctx)
{
	struct config_reader *r = ctx;
	size_t length, blanks;

	if (r->bad_line || !fgets(line, size, r->file))
		return NULL;
	r->line++;
	length = strlen(line);
	if (line[length ? length - 1 : 0] != '\n' && !feof(r->file)) {
		refuse_line(r, "too long, or not text");
		return NULL;
	}
	blanks = strspn(line, " \t");
	memmove(line, line + blanks, length - blanks + 1);
	return line;
}

/* @section: NULL: any */
static const struct opt *settable(const struct opt *opts, const char *section, const char *key)
{
	const struct opt *opt = opt_find(opts, key);

	return opt && opt->section && (!section || !strcmp(opt->section, section)) ? opt : NULL;
}

/* Does this run have such an option?  Of "all" are those of the commands that run it. */
static bool concerns(const struct app *app, const struct opt *opt)
{
	if (strcmp(opt->section, SECTION_ALL) != 0)
		return cmd_takes(app->cmd, opt);
	for (const struct opt *o = app->cmd->opts; o && o->name; o++)
		if (o->section && !strcmp(o->section, SECTION_ALL))
			return true;
	return false;
}

/* The value is looked at, whether it goes anywhere or not. */
static int store(struct config_reader *r, const struct opt *opt, const struct opt_set *set,
                 size_t size, const char *value)
{
	bool given = set->given >> (opt - set->opts) & 1;
	void *ignored = calloc(1, size);
	struct ibc_error err = { "" };
	char *copy = strdup(value);
	int rc = -ENOMEM;

	if (!ignored || !copy || str_list_add(&r->app->strings, copy, &err)) {
		free(copy);
		cmd_fail(&err, rc, "out of memory");
	} else {
		rc = opt_store(opt, set->into && !given ? set->into : ignored, copy, &err);
		opts_free(set->opts, ignored);
	}
	free(ignored);
	return rc ? refuse_line(r, err.text) : 1;
}

static int refuse_key(struct config_reader *r, const char *section, const char *key)
{
	const struct opt *other = settable(common_opts, NULL, key);
	struct ibc_error err;

	for (const struct cmd *const *c = r->app->commands; !other && *c; c++)
		other = settable((*c)->opts, NULL, key);
	cmd_fail(&err, -EINVAL, "[%s] has no key \"%s\"%s%s%s", section, key,
	         other ? ", but [" : "", other ? other->section : "", other ? "] has" : "");
	return refuse_line(r, err.text);
}

/* What the command line gave stays. */
static int set_option(struct config_reader *r, const char *section, const char *key,
                      const char *value)
{
	struct app *app = r->app;
	const struct opt *opt = settable(common_opts, section, key);
	struct opt_set set = { common_opts, &app->common, app->given };

	if (opt && !concerns(app, opt))
		set.into = NULL;
	if (opt)
		return store(r, opt, &set, sizeof(app->common), value);
	opt = settable(app->cmd->opts, section, key);
	set = (struct opt_set){ app->cmd->opts, app->cfg, app->given_own };
	if (opt)
		return store(r, opt, &set, app->cmd->cfg_size, value);
	for (const struct cmd *const *c = app->commands; *c; c++) {
		opt = settable((*c)->opts, section, key);
		set = (struct opt_set){ .opts = (*c)->opts };
		if (opt)
			return store(r, opt, &set, (*c)->cfg_size, value);
	}
	return refuse_key(r, section, key);
}

static int on_pair(void *ctx, const char *section, const char *key, const char *value)
{
	struct config_reader *r = ctx;
	struct ibc_error err = { "" };

	if (!*section)
		return refuse_line(r, "no [section] before it");
	if (!strcmp(section, SECTION_COMMON) || cmd_find(r->app->commands, section))
		return set_option(r, section, key, value);
	if (ibc_config_set(r->app->config, section, key, value, &err))
		return refuse_line(r, err.text);
	return 1;
}

static int read_all(struct config_reader *r)
{
	int bad = ini_parse_stream(read_config_line, r, on_pair, r);

	if (ferror(r->file))
		return cmd_fail(r->err, -errno, "cannot read %s: %s", r->path, strerror(errno));
	if (bad > 0 && (!r->bad_line || bad < r->bad_line))
		return cmd_fail(r->err, -EINVAL,
		                "%s: line %d: neither \"key = value\" nor [section]", r->path, bad);
	return r->rc;
}

int config_read(struct app *app, struct ibc_error *err)
{
	struct config_reader r = { .app = app, .err = err };
	int rc;

	r.path = app->common.config ? app->common.config : CONFIG_DEFAULT;
	r.file = fopen(r.path, "re");
	if (!r.file && errno == ENOENT && !app->common.config)
		return 0;
	if (!r.file)
		return cmd_fail(err, -errno, "cannot read %s: %s", r.path, strerror(errno));
	rc = read_all(&r);
	fclose(r.file);
	return rc;
}
