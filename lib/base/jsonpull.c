/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsonpull.h"

#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"

struct pull pull_of(const char *text, size_t n)
{
	return (struct pull){ .begin = text, .at = text, .end = text + n };
}

unsigned long pull_line(const struct pull *j)
{
	unsigned long line = 1;

	for (const char *c = j->begin; c < j->at; c++)
		line += *c == '\n';
	return line;
}

static bool json_fail(struct pull *j, const char *what)
{
	if (!j->error)
		j->error = j->at < j->end ? what : "it ends in the middle";
	return false;
}

char pull_peek(struct pull *j)
{
	while (!j->error && j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
	return j->error || j->at == j->end ? '\0' : *j->at;
}

static bool take(struct pull *j, char letter)
{
	if (pull_peek(j) != letter)
		return false;
	j->at++;
	return true;
}

/* Behind the opening quote: to behind the closing one; where that is. */
static const char *pass_string(struct pull *j)
{
	for (; j->at < j->end; j->at++) {
		if (*j->at == '"')
			return j->at++;
		j->at += *j->at == '\\' && j->at + 1 < j->end;
	}
	json_fail(j, "");
	return j->end;
}

void pull_skip(struct pull *j)
{
	size_t depth = 0;

	do {
		char c = pull_peek(j);

		if (!c) {
			json_fail(j, "expected a value");
			return;
		}
		if (depth == 0 && strchr(",:]}", c)) {
			json_fail(j, "expected a value");
			return;
		}
		j->at++;
		if (c == '"')
			pass_string(j);
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (!strchr("\"{}[],:", c))
			while (j->at < j->end && !strchr(" \t\r\n,:\"{}[]", *j->at))
				j->at++;
	} while (depth && !j->error);
	j->inside = true;
}

bool pull_open(struct pull *j, char bracket)
{
	bool is = take(j, bracket);

	if (!is)
		pull_skip(j);
	j->inside = !is;
	return is && !j->error;
}

/* To the next element; false: the end, or an error. */
static bool step(struct pull *j, char end)
{
	if (take(j, end)) {
		j->inside = true;
		return false;
	}
	if (j->inside && !take(j, ','))
		return json_fail(j, "expected a comma");
	j->inside = true;
	return pull_peek(j) != '\0' || json_fail(j, "expected a value");
}

bool pull_element(struct pull *j)
{
	return !j->error && step(j, ']');
}

bool pull_member(struct pull *j, char key[JSON_KEY_BYTES])
{
	const char *begin;
	size_t n;

	if (j->error || !step(j, '}'))
		return false;
	if (!take(j, '"'))
		return json_fail(j, "expected a key");
	begin = j->at;
	n = (size_t)(pass_string(j) - begin);
	n = n < JSON_KEY_BYTES ? n : JSON_KEY_BYTES - 1;
	memcpy(key, begin, n);
	key[n] = '\0';
	return take(j, ':') || json_fail(j, "expected a colon");
}

/* ---- strings ------------------------------------------------------------------------ */

/* Four hexadecimal digits; 0: they are none. */
static unsigned int hex4(const char *at, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digit = at + i < end && at[i] ? strchr(digits, at[i] | 0x20) : NULL;

		if (!digit)
			return 0;
		value = value << 4 | (unsigned int)(digit - digits);
	}
	return value;
}

/* Of a pair of surrogates each is replaced: no name that is looked up has any. */
static char *put_code(char *to, unsigned int code)
{
	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* Behind a backslash; *at moves to the last letter of the escape. */
static char *put_escape(char *to, const char **at, const char *end)
{
	static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, **at);

	if (**at == 'u' && end - *at > 4) {
		to = put_code(to, hex4(*at + 1, end));
		*at += 4;
		return to;
	}
	*to = letter && *letter ? controls[letter - letters] : **at;
	return to + 1;
}

static const char *unescape(struct arena *a, const char *from, const char *end)
{
	char *text = arena_alloc(a, (size_t)(end - from) + 1), *to = text;

	for (; text && from < end; from++) {
		if (*from == '\\' && from + 1 < end) {
			from++;
			to = put_escape(to, &from, end);
		} else {
			*to++ = *from;
		}
	}
	return text ? utf8_clean(a, text, (size_t)(to - text)) : NULL;
}

const char *pull_text(struct pull *j, struct arena *a)
{
	const char *text = "", *begin;
	char first = pull_peek(j);

	begin = j->at;
	pull_skip(j);
	if (!j->error && first == '"')
		text = unescape(a, begin + 1, j->at - 1);
	else if (!j->error && first && strchr("-0123456789", first))
		text = utf8_clean(a, begin, (size_t)(j->at - begin));
	if (!text)
		json_fail(j, "out of memory");
	return text ? text : "";
}
