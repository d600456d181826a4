/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors, and complaints about files that people write, on stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"

int cmd_fail(struct ibc_error *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	return code;
}

int text_end(FILE *out, char **text, struct ibc_error *err)
{
	bool lost = ferror(out);

	lost |= fclose(out) != 0;
	if (!lost && *text)
		return 0;
	free(*text);
	*text = NULL;
	return cmd_fail(err, -ENOMEM, "out of memory");
}

void say_error(const char *text)
{
	say_line("ibcheck", text);
}

void say_line(const char *who, const char *text)
{
	fprintf(stderr, "%s: ", who);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		bool c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;

		fputc(*c < ' ' || *c == 0x7f || c1 ? '?' : *c, stderr);
		c += c1;
	}
	fputc('\n', stderr);
}

void cmd_complain(void *ctx, const struct ibc_complaint *c)
{
	struct complaints *complaints = ctx;
	struct ibc_error text;
	int n;

	if (!c->note && complaints->num++ >= COMPLAINTS_SHOWN)
		return;
	n = snprintf(text.text, sizeof(text.text), "%s:", c->file);
	if (c->line && n < (int)sizeof(text.text))
		n += snprintf(text.text + n, sizeof(text.text) - (size_t)n, "%lu:", c->line);
	if (c->column && n < (int)sizeof(text.text))
		n += snprintf(text.text + n, sizeof(text.text) - (size_t)n, "%lu:", c->column);
	if (n < (int)sizeof(text.text))
		snprintf(text.text + n, sizeof(text.text) - (size_t)n, " %s", c->sentence);
	say_error(text.text);
}

int complaints_end(const struct complaints *complaints, int rc, struct ibc_error *err)
{
	if (rc != -EINVAL || complaints->num == 0)
		return rc;
	if (complaints->num <= COMPLAINTS_SHOWN)
		return cmd_fail(err, rc, "%s", "");
	return cmd_fail(err, rc, "... and %lu more", complaints->num - COMPLAINTS_SHOWN);
}
