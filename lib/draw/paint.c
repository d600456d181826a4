/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawings as SVG: text, colours for light and dark, the frame. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "draw/draw.h"

#define WIDEST 0.66 /* of the font's size: a digit of DejaVu Sans, the widest of the usual ones */

const char *drawing_title(struct arena *a, const struct ibc_fabric *fab)
{
	struct ibc_fabric_counts n = ibc_fabric_count(fab);

	return arena_printf(a, "%zu switches, %zu hosts, %zu cables", n.switches,
	                    n.hosts ? n.hosts : n.cas, n.cables);
}

int drawing_end(FILE *out, struct ibc_error *err)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	return fail(err, -EIO, "cannot write the drawing: %s", strerror(errno ? errno : EIO));
}

void svg_text(const char *text, FILE *out)
{
	static const char special[] = "&<>\"";
	static const char *const escaped[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	for (; *text; text++) {
		size_t plain = strcspn(text, special);

		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		fputs(escaped[strchr(special, *text) - special], out);
	}
}

static void put_part(void *out, const char *part, bool is_text)
{
	if (is_text)
		svg_text(part, out);
	else
		fputs(part, out);
}

void svgf(FILE *out, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	str_each_part(format, &ap, put_part, out);
	va_end(ap);
}

static bool is_inside_character(char c)
{
	return (c & 0xc0) == 0x80;
}

char *svg_short(const char *text, size_t columns, char buf[SHORT_TEXT])
{
	size_t length = strlen(text), head, tail;

	if (columns > (SHORT_TEXT - 1) / 2)
		columns = (SHORT_TEXT - 1) / 2;
	if (utf8_width(text) <= columns && length < SHORT_TEXT) {
		memcpy(buf, text, length + 1);
		return buf;
	}
	/* bytes, which are columns at the least: what is cut off a little early is no harm */
	head = (columns - 2) / 2;
	tail = length - (columns - 2 - head);
	while (head && is_inside_character(text[head]))
		head--;
	while (text[tail] && is_inside_character(text[tail]))
		tail++;
	snprintf(buf, SHORT_TEXT, "%.*s..%s", (int)head, text, text + tail);
	return buf;
}

double svg_width(const char *text, double font)
{
	return (double)utf8_width(text) * font * WIDEST;
}

/* ---- colours ------------------------------------------------------------------------ */

static const struct paint {
	const char *name, *light, *dark;
} paints[] = {
	{ "ink", "#1c2530", "#e6ebf0" },   { "soft", "#5b6775", "#9fabb8" },
	{ "paper", "#ffffff", "#14191f" }, { "fault", "#c00000", "#ff6b63" },
	{ "slow", "#b86000", "#ffb14d" },  { "0", "#eef1f4", "#232b34" },
	{ "1", "#c3d3e2", "#2f455b" },     { "2", "#98b5d0", "#3f6285" },
	{ "3", "#6a93ba", "#5583b0" },     { "4", "#3f709e", "#7aa9d6" },
	{ "5", "#1d4a76", "#b1d3f2" },
};

static const struct rule {
	const char *selector, *property, *paint, *more;
} rules[] = {
	{ "text", "fill", "ink", "font-family:sans-serif" },
	{ ".soft", "fill", "soft", "" },
	{ ".red", "fill", "fault", "" },
	{ ".paper", "fill", "paper", "" },
	{ ".s0", "fill", "0", "" },
	{ ".s1", "fill", "1", "" },
	{ ".s2", "fill", "2", "" },
	{ ".s3", "fill", "3", "" },
	{ ".s4", "fill", "4", "" },
	{ ".s5", "fill", "5", "" },
	{ ".r0", "stroke", "0", "fill:none" },
	{ ".r1", "stroke", "1", "fill:none" },
	{ ".r2", "stroke", "2", "fill:none" },
	{ ".r3", "stroke", "3", "fill:none" },
	{ ".r4", "stroke", "4", "fill:none" },
	{ ".r5", "stroke", "5", "fill:none" },
	{ ".k-missing", "stroke", "fault", "fill:none;stroke-width:2" },
	{ ".k-misplaced", "stroke", "fault", "fill:none;stroke-width:2.6" },
	{ ".k-slow", "fill", "slow", "" },
	{ ".k-congested", "fill", "slow", "" },
	{ ".k-errors", "fill", "ink", "" },
	{ ".k-silent", "stroke", "ink", "fill:none;stroke-width:1.6;stroke-dasharray:2 1.2" },
	{ ".k-other", "fill", "fault", "" },
	{ ".halo", "stroke", "paper", "fill:none;stroke-width:4;stroke-linejoin:round" },
	{ ".at", "fill", "fault", "" },
};

static void put_paints(bool dark, FILE *out)
{
	fputs(".ibc-picture{", out);
	for (size_t i = 0; i < ARRAY_SIZE(paints); i++)
		fprintf(out, "--ibc-%s:%s;", paints[i].name,
		        dark ? paints[i].dark : paints[i].light);
	fputs("}", out);
}

static const char *light(const char *name)
{
	size_t i = 0;

	while (strcmp(paints[i].name, name) != 0)
		i++;
	return paints[i].light;
}

void svg_open(const char *class, const char *title, double width, double height,
              const char *more_style, FILE *out)
{
	svgf(out,
	     "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ibc-picture %s\" "
	     "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
	     "aria-label=\"%s\">\n<style>\n",
	     class, width, height, width, height, title);
	put_paints(false, out);
	fputs("\n@media screen and (prefers-color-scheme:dark){", out);
	put_paints(true, out);
	fputs("}\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		fprintf(out, ".ibc-picture %s{%s:%s;%s:var(--ibc-%s);%s}\n", rules[i].selector,
		        rules[i].property, light(rules[i].paint), rules[i].property, rules[i].paint,
		        rules[i].more);
	fprintf(out, "%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
	        more_style);
}

void svg_close(FILE *out)
{
	fputs("</svg>\n", out);
}
