/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

struct range {
	uint32_t first, last;
};

/* Characters that move the cursor, end a line, or make text read as what it is not. */
static const struct range unfit[] = {
	{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0x2028, 0x2029 }, { 0x202a, 0x202e }, { 0x2066, 0x2069 },
};

/* East Asian wide and full-width blocks, and the pictographs terminals draw wide. */
static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },   { 0xa960, 0xa97c },
	{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff01, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

/* Lead bytes of a length, and the smallest code point that needs it. */
static const struct lead {
	unsigned char mask, bits;
	uint32_t min;
} leads[] = {
	{ 0x80, 0x00, 0x0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

static bool in_ranges(const struct range *r, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

size_t utf8_character(const char *text, size_t n, uint32_t *c)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t more = 0;

	while (more < 4 && (s[0] & leads[more].mask) != leads[more].bits)
		more++;
	if (more == 4 || more >= n)
		return 0;
	*c = s[0] & (unsigned char)~leads[more].mask;
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (*c < leads[more].min || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return more + 1;
}

/*
 * Cleans into out, if there is one; returns the number of bytes it takes.
 * An invalid byte and an unfit character each become one replacement.
 */
static size_t clean_bytes(const unsigned char *s, size_t n, char *out)
{
	size_t size = 0, taken;
	const void *from;
	uint32_t c;

	for (size_t i = 0; i < n; i += taken ? taken : 1) {
		size_t length;

		/* nearly all text is this */
		if (s[i] >= ' ' && s[i] <= '~') {
			if (out)
				out[size] = (char)s[i];
			size++;
			taken = 1;
			continue;
		}
		taken = utf8_character((const char *)s + i, n - i, &c);
		from = s + i;
		length = taken;
		if (!taken || in_ranges(unfit, ARRAY_SIZE(unfit), c)) {
			from = UTF8_REPLACEMENT;
			length = strlen(UTF8_REPLACEMENT);
		}
		if (out)
			memcpy(out + size, from, length);
		size += length;
	}
	return size;
}

const char *utf8_clean(struct arena *a, const char *bytes, size_t n)
{
	const unsigned char *s = (const unsigned char *)bytes;
	char *out;

	if (n == 0)
		return arena_strdup(a, "");
	/* up to a NUL, and without the blanks at the end */
	n = strnlen(bytes, n);
	while (n > 0 && (s[n - 1] == ' ' || (s[n - 1] >= '\t' && s[n - 1] <= '\r')))
		n--;
	out = arena_alloc(a, clean_bytes(s, n, NULL) + 1);
	if (out)
		clean_bytes(s, n, out);
	return out;
}

void utf8_scrub(char *s)
{
	size_t n = strlen(s), taken;
	uint32_t c;

	for (size_t i = 0; i < n; i += taken) {
		taken = utf8_character(s + i, n - i, &c);
		if (!taken || in_ranges(unfit, ARRAY_SIZE(unfit), c)) {
			taken = taken ? taken : 1;
			memset(s + i, '?', taken);
		}
	}
}

void utf8_drop_cut(char *s)
{
	size_t start = strlen(s);

	while (start > 0 && ((unsigned char)s[start - 1] & 0xc0) == 0x80)
		start--;
	if (start > 0 && (unsigned char)s[start - 1] >= 0xc0)
		start--;
	s[start] = '\0';
}

size_t utf8_width(const char *s)
{
	size_t n = strlen(s), width = 0, taken;
	uint32_t c = 0;

	for (size_t i = 0; i < n; i += taken ? taken : 1) {
		taken = utf8_character(s + i, n - i, &c);
		width += taken && in_ranges(wide, ARRAY_SIZE(wide), c) ? 2 : 1;
	}
	return width;
}
