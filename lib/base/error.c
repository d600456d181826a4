/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* A sentence that was cut must not end in the middle of a character. */
static void drop_partial_char(char *text)
{
	size_t n = strlen(text), start = n;

	while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xc0)
		start--;
	text[start < n ? start : n] = '\0';
}

int vfail(struct ibc_error *err, int code, const char *format, va_list ap)
{
	/* not straight into err: its old text may be among the arguments */
	char text[IBC_ERROR_MAX];
	int n;

	if (!err)
		return code;
	n = vsnprintf(text, sizeof(text), format, ap);
	if (n < 0)
		text[0] = '\0';
	if (n >= (int)sizeof(text))
		drop_partial_char(text);
	utf8_scrub(text); /* names from files and devices are among the arguments */
	memcpy(err->text, text, strlen(text) + 1);
	return code;
}

int fail(struct ibc_error *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfail(err, code, format, ap);
	va_end(ap);
	return code;
}

int fail_nomem(struct ibc_error *err)
{
	return fail(err, -ENOMEM, "out of memory");
}
