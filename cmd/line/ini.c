/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of [sections] with "key = value" lines; what is wrong in one is reported with its line. */
#include <errno.h>
#include <ini.h>
#include <string.h>

#include "cmd.h"

struct ini_reader {
	ini_setter *set;
	void *ctx;
	FILE *file;
	const char *path;
	int line;
	int bad_line; /* the first that was refused, and why */
	int rc;
	struct ibc_error *err;
};

static int refuse_line(struct ini_reader *r, const char *why)
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
static char *read_ini_line(char *line, int size, void *ctx)
{
	struct ini_reader *r = ctx;
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

static int on_pair(void *ctx, const char *section, const char *key, const char *value)
{
	struct ini_reader *r = ctx;
	struct ibc_error err = { "" };

	if (!*section)
		return refuse_line(r, "no [section] before it");
	if (r->set(r->ctx, section, key, value, r->line, &err))
		return refuse_line(r, err.text);
	return 1;
}

int ini_read_open(FILE *file, const char *path, ini_setter *set, void *ctx, struct ibc_error *err)
{
	struct ini_reader r = { .file = file, .set = set, .ctx = ctx, .path = path, .err = err };
	int bad;

	if (!file)
		return cmd_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	bad = ini_parse_stream(read_ini_line, &r, on_pair, &r);
	if (ferror(file))
		r.rc = cmd_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	else if (bad > 0 && (!r.bad_line || bad < r.bad_line))
		r.rc = cmd_fail(err, -EINVAL, "%s: line %d: neither \"key = value\" nor [section]",
		                path, bad);
	fclose(file);
	return r.rc;
}

int ini_read(const char *path, ini_setter *set, void *ctx, struct ibc_error *err)
{
	return ini_read_open(fopen(path, "re"), path, set, ctx, err);
}
