/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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
		utf8_drop_cut(text);
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
