/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of the program itself, on stderr. */
#include <errno.h>
#include <stdarg.h>
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

void say_error(const char *format, ...)
{
	struct ibc_error text;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text.text, sizeof(text.text), format, ap);
	va_end(ap);
	say_line("ibcheck", text.text);
}
