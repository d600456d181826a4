/* SPDX-License-Identifier: BSD-2-Clause */
#include <ibcheck/error.h>

#include "base/str.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The C library's strto...() read blanks, signs, octal and, with a locale, a
 * decimal comma: none of that is a number here.
 */
static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool has_hex_prefix(const char *s)
{
	return s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* -EINVAL: they are no digits; -ERANGE: they do not fit. */
static int read_u64(const char *s, unsigned int base, uint64_t *out)
{
	bool too_big = false;
	uint64_t value = 0;

	if (*s == '\0')
		return -EINVAL;
	for (; *s; s++) {
		int digit = digit_value(*s);

		if (digit < 0 || digit >= (int)base)
			return -EINVAL;
		too_big |= __builtin_mul_overflow(value, base, &value) ||
		           __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	*out = value;
	return too_big ? -ERANGE : 0;
}

int str_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	bool hex = has_hex_prefix(s);
	uint64_t value;
	int rc = read_u64(hex ? s + 2 : s, hex ? 16 : 10, &value);

	if (rc || value < min || value > max)
		return rc ? rc : -ERANGE;
	*out = value;
	return 0;
}

int str_guid(const char *s, uint64_t *out)
{
	uint64_t value;
	int rc;

	if (has_hex_prefix(s))
		s += 2;
	rc = strlen(s) > 16 ? -EINVAL : read_u64(s, 16, &value);
	if (!rc)
		*out = value;
	return rc;
}

/* Adds the digits at s to value, each scale times the one before; returns where they end. */
static const char *read_digits(const char *s, double *value, double *scale)
{
	for (; *s >= '0' && *s <= '9'; s++) {
		*value = *value * 10 + (*s - '0');
		*scale *= 10;
	}
	return s;
}

int str_real(const char *s, double *out)
{
	double value = 0, scale = 1;
	const char *end = read_digits(s, &value, &scale);

	if (end == s)
		return -EINVAL;
	scale = 1;
	if (*end == '.') {
		s = end + 1;
		end = read_digits(s, &value, &scale);
	}
	if (end == s || *end)
		return -EINVAL;
	value /= scale;
	/* endless digits are infinite, or no number at all */
	if (!(value <= DBL_MAX))
		return -ERANGE;
	*out = value;
	return 0;
}

#define DIGITS "0123456789"

int str_version_order(const char *a, const char *z)
{
	for (;; a++, z++) {
		size_t n, m;
		int order;

		a += strspn(a, "0");
		z += strspn(z, "0");
		n = strspn(a, DIGITS);
		m = strspn(z, DIGITS);
		order = n == m ? strncmp(a, z, n) : n < m ? -1 : 1;
		a += n;
		z += m;
		if (order || *a != *z || !*a)
			return order ?: (unsigned char)*a - (unsigned char)*z;
	}
}

char *str_squeeze(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		if (isalnum((unsigned char)*text))
			out[n++] = (char)tolower((unsigned char)*text);
	out[n] = '\0';
	return out;
}

bool str_any(const char *text, const char *words, bool inside)
{
	for (const char *at = words, *end; at; at = *end ? end + 1 : NULL) {
		size_t n = (size_t)((end = strchrnul(at, '|')) - at);

		if (inside ? memmem(text, strlen(text), at, n) != NULL : !strncmp(text, at, n))
			return true;
	}
	return false;
}

bool str_cut(char *out, size_t size, const char *text, size_t n)
{
	if (n >= size)
		return false;
	memcpy(out, text, n);
	out[n] = '\0';
	return true;
}

char *str_from_guid(char buf[STR_GUID_MAX], uint64_t guid)
{
	snprintf(buf, STR_GUID_MAX, "0x%016" PRIx64, guid);
	return buf;
}

bool str_is_formula(const char *text)
{
	char *end;

	text += strspn(text, "'");
	if (!*text || !strchr("=+-@\t\r", *text) || !text[1])
		return false;
	strtod(text, &end);
	return end == text || *end;
}

const char *str_amount(char text[AMOUNT_TEXT], uint64_t n, const char *what)
{
	size_t length = strlen(what);
	bool query = length > 2 && !strcmp(what + length - 2, "ry");
	bool hissing = length > 2 && (!strcmp(what + length - 2, "ch") || what[length - 1] == 's');

	snprintf(text, AMOUNT_TEXT, "%" PRIu64 " %.*s%s", n, (int)(length - (query && n != 1)),
	         what,
	         n == 1    ? ""
	         : query   ? "ies"
	         : hissing ? "es"
	                   : "s");
	return text;
}

void str_each_part(const char *format, va_list *ap,
                   void (*put)(void *ctx, const char *part, bool is_text), void *ctx)
{
	char part[256];

	while (*format) {
		size_t n = strcspn(format, "%"), longs;
		int width, precision = -1; /* below 0: to the left, none is given */
		char *at, size;

		if (n) {
			assert(n < sizeof(part));
			memcpy(part, format, n);
			part[n] = '\0';
			put(ctx, part, false);
			format += n;
			continue;
		}
		width = (int)strtol(format + 1, &at, 10);
		if (*at == '.')
			precision = (int)strtol(at + 1, &at, 10);
		size = *at;
		longs = strspn(at, "l");
		at += strspn(at, "zlj");
		format = at + 1;
		if (*at == 's' && !width && precision < 0) {
			put(ctx, va_arg(*ap, const char *), true);
			continue;
		}
		if (*at == 's')
			snprintf(part, sizeof(part), "%*.*s", width, precision,
			         va_arg(*ap, const char *));
		else if (*at == 'c')
			snprintf(part, sizeof(part), "%c", va_arg(*ap, int));
		else if (*at == 'f')
			snprintf(part, sizeof(part), "%*.*f", width, precision,
			         va_arg(*ap, double));
		else if (*at == 'g')
			snprintf(part, sizeof(part), "%*.*g", width, precision,
			         va_arg(*ap, double));
		else if (*at == 'd')
			snprintf(part, sizeof(part), "%*d", width, va_arg(*ap, int));
		else
			snprintf(part, sizeof(part), "%*ju", width,
			         size == 'z'                ? (uintmax_t)va_arg(*ap, size_t)
			         : size == 'j' || longs > 1 ? va_arg(*ap, uintmax_t)
			         : size == 'l'              ? (uintmax_t)va_arg(*ap, unsigned long)
			                                    : (uintmax_t)va_arg(*ap, unsigned int));
		put(ctx, part, *at == 's');
	}
}

const char *ibc_shell_word(const char *text, char *out, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";
	size_t n = 1;

	if (*text && !text[strspn(text, plain)])
		return text;
	*out = '\'';
	/* what a shell takes as it is ends at the next mark (POSIX, Shell Command Language 2.2.2)
	 */
	for (; *text && n + sizeof("'\\''") < size; text++) {
		if (*text == '\'')
			n += (size_t)snprintf(out + n, size - n, "'\\''");
		else
			out[n++] = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
	}
	out[n++] = '\'';
	out[n] = '\0';
	return out;
}
