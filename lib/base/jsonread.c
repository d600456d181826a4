/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsonread.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"

#define DEPTH_MAX 2048 /* as deep as jansson goes; deeper, and the stack would end */

/*
 * Readers return where what they read ends, or NULL.  A line ends with a NUL, which none
 * of them takes for anything.
 */

/* Adds one, valid until the next; NULL: no_memory. */
static struct json_item *json_add(struct json_reader *r, enum json_kind kind)
{
	if (r->num == r->room && !grow(&r->items, r->num, &r->room, sizeof(*r->items))) {
		r->no_memory = true;
		return NULL;
	}
	r->items[r->num] = (struct json_item){ .kind = kind };
	return &r->items[r->num++];
}

static char *skip_space(char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
	return at;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- text ----------------------------------------------------------------- */

/* Four digits behind \u; negative: they are none. */
static int32_t read_code(const char *at)
{
	int32_t code = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF", *found;

		found = at[i] ? strchr(digits, at[i]) : NULL;
		if (!found)
			return -1;
		code = code << 4 | (int32_t)((found - digits) & 15);
	}
	return code;
}

char *json_escape(char *at, char **to)
{
	static const char pairs[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	static const unsigned char heads[] = { 0, 0xc0, 0xe0, 0xf0 };
	const char *pair = pairs;
	unsigned int more;
	int32_t code, low;

	while (*pair && *pair != *at)
		pair += 2;
	if (*pair) {
		*(*to)++ = pair[1];
		return at + 1;
	}
	code = *at == 'u' ? read_code(at + 1) : -1;
	if (code < 0)
		return NULL;
	at += 5;
	/* two of them are a character beyond U+FFFF (RFC 8259, 7) */
	if (code >= 0xd800 && code <= 0xdbff) {
		low = at[0] == '\\' && at[1] == 'u' ? read_code(at + 2) : -1;
		if (low >= 0xdc00 && low <= 0xdfff) {
			at += 6;
			code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
		}
	}
	if (code == 0 || (code >= 0xd800 && code <= 0xdfff))
		return NULL;
	more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	*(*to)++ = (char)(heads[more] | code >> (6 * more));
	while (more--)
		*(*to)++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
	return at;
}

/* One character of a text that is not plain ASCII. */
static char *read_character(const struct json_reader *r, char *at, char **to)
{
	bool is_escape = *at == '\\';
	char *end = is_escape ? json_escape(at + 1, to) : NULL;
	size_t n = 0;
	uint32_t c;

	if (end)
		return end;
	if (!is_escape && (unsigned char)*at >= ' ')
		n = utf8_character(at, (size_t)(r->line_end - at), &c);
	if (n == 0)
		return NULL;
	memcpy(*to, at, n);
	*to += n;
	return at + n;
}

#define EACH(byte) (0x0101010101010101u * (byte)) /* that byte, eight times */

/*
 * How many of eight bytes stand in front of the first quote, backslash, control or what is
 * no ASCII.  Borrows only spoil bits behind it.
 */
static size_t count_plain(const char *at)
{
	uint64_t word, marks;

	memcpy(&word, at, sizeof(word));
	word = le64toh(word);
	marks = (word - EACH(' ')) | ((word ^ EACH('"')) - EACH(1)) |
	        ((word ^ EACH('\\')) - EACH(1)) | word;
	marks &= EACH(0x80);
	return marks ? (size_t)__builtin_ctzll(marks) / 8 : sizeof(word);
}

/* Behind a quote. */
static char *read_string(struct json_reader *r, char *at)
{
	struct json_item *item = json_add(r, JSON_TEXT);
	size_t n = sizeof(uint64_t);
	char *end = at;

	if (!item)
		return NULL;
	while (n == sizeof(uint64_t) && r->line_end - end >= (ptrdiff_t)sizeof(uint64_t)) {
		n = count_plain(end);
		end += n;
	}
	while (*end >= ' ' && (unsigned char)*end < 0x80 && *end != '"' && *end != '\\')
		end++;
	if (*end != '"') {
		char *to;

		/* from its beginning; texts take no more room without their escapes than with them
		 */
		if (!r->clean) {
			r->clean = r->clean_end = xalloc((size_t)(r->line_end - at) + 1);
			r->no_memory = !r->clean;
		}
		if (!r->clean)
			return NULL;
		item->text = to = r->clean_end;
		while (at && *at != '"')
			at = read_character(r, at, &to);
		if (!at)
			return NULL;
		item->size = (uint32_t)(to - item->text);
		*to++ = '\0';
		r->clean_end = to;
		return at + 1;
	}
	*end = '\0';
	item->text = at;
	item->size = (uint32_t)(end - at);
	return end + 1;
}

/* ---- numbers -------------------------------------------------------------- */

/* Behind the digits; NULL: there are none. */
static char *skip_digits(char *at)
{
	size_t n = strspn(at, "0123456789");

	return n ? at + n : NULL;
}

/* From start on; at is behind its whole digits. */
static char *read_real(struct json_reader *r, const char *start, char *at)
{
	struct json_item *item = json_add(r, JSON_REAL_NUMBER);
	char *end;

	if (item && *at == '.')
		at = skip_digits(at + 1);
	if (item && at && (*at == 'e' || *at == 'E'))
		at = skip_digits(at + 1 + (at[1] == '+' || at[1] == '-'));
	if (!item || !at)
		return NULL;
	item->real = strtod(start, &end);
	return end == at && isfinite(item->real) ? at : NULL;
}

static char *read_number(struct json_reader *r, char *at)
{
	const char *start = at;
	bool minus = *at == '-', too_big = false;
	struct json_item *item;
	int64_t value = 0;

	at += minus;
	if (!is_digit(*at) || (*at == '0' && is_digit(at[1])))
		return NULL;
	for (; is_digit(*at); at++) {
		int digit = minus ? '0' - *at : *at - '0';

		too_big |= __builtin_mul_overflow(value, 10, &value) ||
		           __builtin_add_overflow(value, digit, &value);
	}
	if (*at == '.' || *at == 'e' || *at == 'E')
		return read_real(r, start, at);
	item = too_big ? NULL : json_add(r, JSON_NUMBER);
	if (!item)
		return NULL;
	item->number = value;
	return at;
}

/* ---- values --------------------------------------------------------------- */

static char *read_literal(struct json_reader *r, char *at)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} literals[] = { { "true", JSON_YES }, { "false", JSON_NO }, { "null", JSON_NOTHING } };

	for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
		size_t n = strlen(literals[i].word);

		if (strncmp(at, literals[i].word, n) == 0)
			return json_add(r, literals[i].kind) ? at + n : NULL;
	}
	return NULL;
}

static char *read_value(struct json_reader *r, char *at, unsigned int depth);

/* The bracket, what is inside, and the bracket that closes it. */
static char *read_container(struct json_reader *r, char *at, unsigned int depth)
{
	bool keys = *at == '{', more;
	char close = keys ? '}' : ']';
	size_t self = r->num;
	uint32_t size = 0;

	if (depth == DEPTH_MAX || !json_add(r, keys ? JSON_MEMBERS : JSON_LIST))
		return NULL;
	at = skip_space(at + 1);
	for (more = *at != close; more; size++) {
		if (keys) {
			at = *at == '"' ? read_string(r, at + 1) : NULL;
			at = at ? skip_space(at) : NULL;
			at = at && *at == ':' ? skip_space(at + 1) : NULL;
		}
		at = at ? read_value(r, at, depth + 1) : NULL;
		if (!at)
			return NULL;
		at = skip_space(at);
		more = *at == ',';
		if (more)
			at = skip_space(at + 1);
	}
	r->items[self].size = size;
	r->items[self].span = r->num - self - 1;
	return *at == close ? at + 1 : NULL;
}

static char *read_value(struct json_reader *r, char *at, unsigned int depth)
{
	if (*at == '"')
		return read_string(r, at + 1);
	if (*at == '{' || *at == '[')
		return read_container(r, at, depth);
	return is_digit(*at) || *at == '-' ? read_number(r, at) : read_literal(r, at);
}

const struct json_item *json_read(struct json_reader *r, char *line, size_t length)
{
	char *at = skip_space(line);

	free(r->clean);
	r->clean = NULL;
	r->num = 0;
	r->no_memory = false;
	r->line_end = line + length;
	at = *at == '{' ? read_container(r, at, 0) : NULL;
	return at && skip_space(at) == r->line_end ? r->items : NULL;
}

/* Only the quotes behind texts have become NULs. */
void json_unread(char *line, size_t length)
{
	for (char *at = line; (at = memchr(at, '\0', (size_t)(line + length - at))); at++)
		*at = '"';
}

void json_reader_free(struct json_reader *r)
{
	free(r->items);
	free(r->clean);
}

const struct json_item *json_member(const struct json_item *object, const char *key)
{
	if (!json_is(object, JSON_MEMBERS))
		return NULL;
	for (const struct json_item *item = object + 1; item != json_behind(object);
	     item = json_behind(item + 1))
		if (*item->text == *key && strcmp(item->text, key) == 0)
			return item + 1;
	return NULL;
}
