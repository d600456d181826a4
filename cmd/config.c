/* SPDX-License-Identifier: BSD-2-Clause */
/* ibcheck.conf: the common options under [common], a section for every check. */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define SECTION_COMMON "common"

struct config_reader {
	struct app *app;
	uint64_t given;
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

/* What the command line gave stays; the value is looked at all the same. */
static int set_common(struct config_reader *r, const char *key, const char *value)
{
	const struct opt *opt = opt_find(common_opts, key);
	struct common ignored = { 0 };
	struct ibc_error err = { "" };
	bool given;
	char *copy;

	if (!opt || !opt->configurable) {
		cmd_fail(&err, -EINVAL, "[" SECTION_COMMON "] has no key \"%s\"", key);
		return refuse_line(r, err.text);
	}
	copy = strdup(value);
	if (!copy || str_list_add(&r->app->strings, copy, &err)) {
		free(copy);
		return refuse_line(r, "out of memory");
	}
	given = r->given >> (opt - common_opts) & 1;
	if (opt_store(opt, given ? &ignored : &r->app->common, copy, &err))
		return refuse_line(r, err.text);
	return 1;
}

static int on_pair(void *ctx, const char *section, const char *key, const char *value)
{
	struct config_reader *r = ctx;
	struct ibc_error err = { "" };

	if (!*section)
		return refuse_line(r, "no [section] before it");
	if (!strcmp(section, SECTION_COMMON))
		return set_common(r, key, value);
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

int config_read(struct app *app, uint64_t given, struct ibc_error *err)
{
	struct config_reader r = { .app = app, .given = given, .err = err };
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
