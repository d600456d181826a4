/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of sections with keys, and ibcheck.conf: the common options under [common], a section for
 * every check.
 */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define SECTION_COMMON "common"

/* struct settings - what ibcheck.conf sets; @given: as in opt_set */
struct settings {
	struct app *app;
	uint64_t given;
};

struct config_reader {
	ini_setter *set;
	void *ctx;
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
static int set_common(struct settings *s, const char *key, const char *value, struct ibc_error *err)
{
	const struct opt *opt = opt_find(common_opts, key);
	struct common ignored = { 0 };
	bool given;
	char *copy;

	if (!opt || !opt->configurable)
		return cmd_fail(err, -EINVAL, "[" SECTION_COMMON "] has no key \"%s\"", key);
	copy = strdup(value);
	if (!copy || str_list_add(&s->app->strings, copy, err)) {
		free(copy);
		return cmd_fail(err, -ENOMEM, "out of memory");
	}
	given = s->given >> (opt - common_opts) & 1;
	return opt_store(opt, given ? &ignored : &s->app->common, copy, err);
}

static int set_config(void *ctx, const char *section, const char *key, const char *value,
                      struct ibc_error *err)
{
	struct settings *s = ctx;

	if (!strcmp(section, SECTION_COMMON))
		return set_common(s, key, value, err);
	return ibc_config_set(s->app->config, section, key, value, err);
}

static int on_pair(void *ctx, const char *section, const char *key, const char *value)
{
	struct config_reader *r = ctx;
	struct ibc_error err = { "" };

	if (!*section)
		return refuse_line(r, "no [section] before it");
	if (r->set(r->ctx, section, key, value, &err))
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

int ini_read(const char *path, ini_setter *set, void *ctx, struct ibc_error *err)
{
	struct config_reader r = { .set = set, .ctx = ctx, .path = path, .err = err };
	int rc;

	r.file = fopen(path, "re");
	if (!r.file)
		return cmd_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	rc = read_all(&r);
	fclose(r.file);
	return rc;
}

int config_read(struct app *app, uint64_t given, struct ibc_error *err)
{
	struct settings settings = { .app = app, .given = given };
	const char *path = app->common.config ? app->common.config : CONFIG_DEFAULT;
	struct ibc_error why = { "" };
	int rc = ini_read(path, set_config, &settings, &why);

	if (!rc || (rc == -ENOENT && !app->common.config))
		return 0;
	return cmd_fail(err, rc, "%s", why.text);
}
