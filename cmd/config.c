/* SPDX-License-Identifier: BSD-2-Clause */
/* ibcheck.conf: options in the sections that their tables name, a section for every check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

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
static int store(struct app *app, const struct opt *opt, const struct opt_set *set, size_t size,
                 const char *value, struct ibc_error *err)
{
	bool given = set->given >> (opt - set->opts) & 1;
	void *ignored = calloc(1, size);
	char *copy = strdup(value);
	int rc = -ENOMEM;

	if (!ignored || !copy || str_list_add(&app->strings, copy, err)) {
		free(copy);
		cmd_fail(err, rc, "out of memory");
	} else {
		rc = opt_store(opt, set->into && !given ? set->into : ignored, copy, err);
		opts_free(set->opts, ignored);
	}
	free(ignored);
	return rc;
}

static int refuse_key(const struct app *app, const char *section, const char *key,
                      struct ibc_error *err)
{
	const struct opt *other = settable(common_opts, NULL, key);

	for (const struct cmd *const *c = app->commands; !other && *c; c++)
		other = settable((*c)->opts, NULL, key);
	return cmd_fail(err, -EINVAL, "[%s] has no key \"%s\"%s%s%s", section, key,
	                other ? ", but [" : "", other ? other->section : "", other ? "] has" : "");
}

/* What the command line gave stays. */
static int set_option(struct app *app, const char *section, const char *key, const char *value,
                      struct ibc_error *err)
{
	const struct opt *opt = settable(common_opts, section, key);
	struct opt_set set = { common_opts, &app->common, app->given, 0 };

	if (opt && !concerns(app, opt))
		set.into = NULL;
	if (opt)
		return store(app, opt, &set, sizeof(app->common), value, err);
	opt = settable(app->cmd->opts, section, key);
	set = (struct opt_set){ app->cmd->opts, app->cfg, app->given_own, 0 };
	if (opt)
		return store(app, opt, &set, app->cmd->cfg_size, value, err);
	for (const struct cmd *const *c = app->commands; *c; c++) {
		opt = settable((*c)->opts, section, key);
		set = (struct opt_set){ .opts = (*c)->opts };
		if (opt)
			return store(app, opt, &set, (*c)->cfg_size, value, err);
	}
	return refuse_key(app, section, key, err);
}

static int set_config(void *ctx, const char *section, const char *key, const char *value,
                      struct ibc_error *err)
{
	struct app *app = ctx;

	if (!strcmp(section, SECTION_COMMON) && !strcmp(key, "important"))
		return ibc_config_set(app->config, section, key, value, err);
	if (!strcmp(section, SECTION_COMMON) || cmd_find(app->commands, section))
		return set_option(app, section, key, value, err);
	return ibc_config_set(app->config, section, key, value, err);
}

int config_read(struct app *app, struct ibc_error *err)
{
	const char *path = app->common.config ? app->common.config : CONFIG_DEFAULT;
	struct ibc_error why = { "" };
	int rc = ini_read(path, set_config, app, &why);

	if (!rc || (rc == -ENOENT && !app->common.config))
		return 0;
	return cmd_fail(err, rc, "%s", why.text);
}
