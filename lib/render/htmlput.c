/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of a page, and the text in them. */
#include <stdarg.h>

#include "render/html.h"

void say_html(struct writer *w, const char *text)
{
	static const struct escape escapes[] = {
		{ "&", "&amp;" },   { "<", "&lt;" },  { ">", "&gt;" },
		{ "\"", "&quot;" }, { "'", "&#39;" }, { 0 },
	};

	put_escaped(w, text, escapes);
}

void putf(struct writer *w, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(w, text);
}

void put_element(struct writer *w, const char *tag, const char *class, const char *text)
{
	putf(w, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	say(w, text);
	putf(w, "</%s>", tag);
}

void put_sign(struct writer *w, enum ibc_severity severity)
{
	static const char *const signs[] = {
		[IBC_OK] = "\u2714", [IBC_INFO] = "i",          [IBC_WARNING] = "\u25b2",
		[IBC_UNKNOWN] = "?", [IBC_CRITICAL] = "\u2716",
	};

	putf(w, "<span class=\"sign\" aria-hidden=\"true\">%s</span> ", signs[severity]);
}
