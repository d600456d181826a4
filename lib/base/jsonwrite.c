/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsonwrite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/utf8.h"

#define REAL_MAX   40 /* bytes of a real, of 17 digits and an exponent */
#define NUMBER_MAX 21 /* bytes of INT64_MIN, and one more */
/* Whole numbers below it have no more digits than any @precision. */
#define WHOLE_MAX 1e15

/* Where n bytes may be written; NULL when out of memory. */
static char *room_for(struct json_out *o, size_t n)
{
	size_t room = 2 * o->room + n + BUFSIZ;
	char *more;

	if (o->failed)
		return NULL;
	if (o->room - o->length >= n)
		return o->text + o->length;
	more = xrealloc(o->text, room, 1);
	if (!more) {
		o->failed = true;
		return NULL;
	}
	o->text = more;
	o->room = room;
	return more + o->length;
}

/* ---- brackets and keys ------------------------------------------------------ */

static void advance(struct json_out *o, const char *end)
{
	o->length = (size_t)(end - o->text);
}

/* The same for a value or a key, behind the comma that it needs: a value or a key is in front. */
static char *room_for_value(struct json_out *o, size_t n)
{
	char *at = room_for(o, n + strlen(", ")), last;

	if (!at || o->length == 0)
		return at;
	last = at[-1];
	if (last == '{' || last == '[' || last == ':' || last == ' ')
		return at;
	*at++ = ',';
	if (o->spaced)
		*at++ = ' ';
	return at;
}

static char *add_bytes(char *at, const char *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

static void put_value(struct json_out *o, const char *bytes, size_t n)
{
	char *at = room_for_value(o, n);

	if (at)
		advance(o, add_bytes(at, bytes, n));
}

static void put_raw(struct json_out *o, const char *bytes, size_t n)
{
	char *at = room_for(o, n);

	if (at)
		advance(o, add_bytes(at, bytes, n));
}

void json_open(struct json_out *o, char bracket)
{
	put_value(o, &bracket, 1);
}

void json_close(struct json_out *o, char bracket)
{
	put_raw(o, &bracket, 1);
}

void json_raw(struct json_out *o, const char *bytes)
{
	put_raw(o, bytes, strlen(bytes));
}

void json_key(struct json_out *o, const char *key)
{
	size_t n = strlen(key);
	char *at = room_for_value(o, n + strlen("\"\": "));

	if (!at)
		return;
	*at++ = '"';
	at = add_bytes(at, key, n);
	*at++ = '"';
	*at++ = ':';
	if (o->spaced)
		*at++ = ' ';
	advance(o, at);
}

/* ---- values --------------------------------------------------------------- */

void json_put_null(struct json_out *o)
{
	put_value(o, "null", strlen("null"));
}

void json_put_bool(struct json_out *o, bool value)
{
	put_value(o, value ? "true" : "false", strlen(value ? "true" : "false"));
}

void json_put_number(struct json_out *o, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[NUMBER_MAX], *end = text + sizeof(text), *at = end;

	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*--at = '-';
	put_value(o, at, (size_t)(end - at));
}

void json_put_real(struct json_out *o, double value)
{
	char text[REAL_MAX], *to, *from;

	if (!isfinite(value)) {
		json_put_null(o);
		return;
	}
	/* most are whole, and printf() takes long; -0 keeps its sign */
	if (fabs(value) < WHOLE_MAX && value == trunc(value) && (value != 0 || !signbit(value))) {
		json_put_number(o, (int64_t)value);
		json_raw(o, ".0");
		return;
	}
	snprintf(text, sizeof(text) - 2, "%.*g", o->precision, value);
	to = strchr(text, 'e');
	if (to) { /* 1e+05 is 1e5, and 1e-05 is 1e-5 */
		from = ++to;
		to += *from == '-';
		from += *from == '-' || *from == '+';
		from += strspn(from, "0");
		memmove(to, from, strlen(from) + 1);
	}
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	put_value(o, text, strlen(text));
}

/* ---- text ----------------------------------------------------------------- */

void json_put_plain(struct json_out *o, const char *text, size_t n)
{
	char *at = room_for_value(o, n + 2);

	if (!at)
		return;
	*at++ = '"';
	at = add_bytes(at, text, n);
	*at++ = '"';
	advance(o, at);
}

void json_put_word(struct json_out *o, const char *word)
{
	json_put_plain(o, word, strlen(word));
}

void json_put_guid(struct json_out *o, uint64_t value)
{
	char text[STR_GUID_MAX];

	json_put_plain(o, str_from_guid(text, value), STR_GUID_MAX - 1);
}

#define ESCAPE_MAX 6 /* bytes that a byte becomes at most: \u001F */

/* A character that is not simple; moves on behind it. */
static char *put_character(char *at, const char **text, const char *end)
{
	static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	const char *from = *text, *pair = escapes;
	uint32_t c;
	size_t n = utf8_character(from, (size_t)(end - from), &c);

	*text += n ? n : 1;
	if (n == 0)
		return add_bytes(at, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
	if (n > 1)
		return add_bytes(at, from, n);
	while (*pair && *pair != *from)
		pair += 2;
	return at + (*pair ? sprintf(at, "\\%c", pair[1]) : sprintf(at, "\\u%04X", c));
}

void json_put_text(struct json_out *o, const char *text)
{
	size_t n = strlen(text);
	const char *end = text + n;
	char *at = room_for_value(o, ESCAPE_MAX * n + 2);

	if (!at)
		return;
	*at++ = '"';
	while (text < end) {
		if (*text >= ' ' && (unsigned char)*text < 0x80 && *text != '"' && *text != '\\')
			*at++ = *text++;
		else
			at = put_character(at, &text, end);
	}
	*at++ = '"';
	advance(o, at);
}
