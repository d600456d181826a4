/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsonpush.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/jsonread.h"

#define TEXT_MAX   (1 << 20) /* bytes of a text: the longest of a report is an advice */
#define TEXT_FIRST 128       /* nearly all are shorter */

/* What may come next. */
enum { FIRST_BRACKET, VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END };

static int refuse_json(struct json_push *p, const char *why)
{
	p->error = why;
	return -EINVAL;
}

/* ---- texts that arrive in pieces -------------------------------------------------------- */

static int keep_bytes(struct json_push *p, const char *bytes, size_t n)
{
	if (p->length + n >= TEXT_MAX)
		return refuse_json(p, "a text in it is too long");
	if (p->length + n >= p->room) {
		size_t room = p->room ? p->room : TEXT_FIRST;
		char *more;

		while (room <= p->length + n)
			room *= 2;
		more = xrealloc(p->text, room, 1);
		if (!more)
			return -ENOMEM;
		p->text = more;
		p->room = room;
	}
	memcpy(p->text + p->length, bytes, n);
	p->length += n;
	p->text[p->length] = '\0';
	return 0;
}

/* In place: a text takes no more room without its escapes. */
static int decode_text(struct json_push *p)
{
	char *at = p->text, *end = p->text + p->length, *to = p->text;
	bool is_code;

	while (at < end) {
		if (*at != '\\') {
			*to++ = *at++;
			continue;
		}
		is_code = at[1] == 'u';
		at = json_escape(at + 1, &to);
		if (!at && is_code)
			return refuse_json(p, "a \\u in it is no character");
		if (!at)
			return refuse_json(p, "a \\ in it is followed by what JSON does not know");
	}
	*to = '\0';
	p->length = (size_t)(to - p->text);
	return 0;
}

/* ---- events ----------------------------------------------------------------------------- */

/* Up to its quote, or as far as the bytes go. */
static int text_bytes(struct json_push *p, const char **at, const char *end)
{
	const char *begin = *at, *stop = *at;
	int rc;
	bool key;

	for (; stop < end && (p->escaped || *stop != '"'); stop++) {
		if ((unsigned char)*stop < ' ')
			return refuse_json(p, "a text in it has a control character");
		p->had_escape |= *stop == '\\';
		p->escaped = !p->escaped && *stop == '\\';
	}
	*at = stop;
	rc = keep_bytes(p, begin, (size_t)(stop - begin));
	if (rc || stop == end)
		return rc;
	++*at;
	p->in_text = false;
	key = p->expect == COLON;
	rc = p->had_escape ? decode_text(p) : 0;
	p->had_escape = false;
	if (!rc)
		rc = p->take(p->ctx, key ? JSON_KEY : JSON_STRING, p->depth, p->text, p->length);
	p->length = 0;
	return rc;
}

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' ||
	       c == '+' || c == 'E';
}

/* A word has no quote: it ends in front of another byte. */
static int word_bytes(struct json_push *p, const char **at, const char *end)
{
	const char *begin = *at;
	char *stop;
	int rc;

	while (*at < end && is_word_byte(**at))
		++*at;
	rc = keep_bytes(p, begin, (size_t)(*at - begin));
	if (rc || *at == end)
		return rc;
	if (strcmp(p->text, "true") != 0 && strcmp(p->text, "false") != 0 &&
	    strcmp(p->text, "null") != 0) {
		strtod(p->text, &stop);
		if (strspn(p->text, "0123456789+-.eE") != p->length || strchr("+.", *p->text) ||
		    *stop)
			return refuse_json(p, "it has a value that JSON does not know");
	}
	rc = p->take(p->ctx, JSON_WORD, p->depth, p->text, p->length);
	p->length = 0;
	p->expect = COMMA_OR_END;
	return rc;
}

static int open_bracket(struct json_push *p, bool list)
{
	if (p->depth == JSON_DEPTH_MAX - 1)
		return refuse_json(p, "its brackets are too deep");
	p->depth++;
	p->lists = list ? p->lists | 1u << p->depth : p->lists & ~(1u << p->depth);
	p->expect = list ? VALUE_OR_END : KEY_OR_END;
	return p->take(p->ctx, list ? JSON_BEGIN_LIST : JSON_BEGIN_OBJECT, p->depth, NULL, 0);
}

static bool is_in_list(const struct json_push *p)
{
	return p->lists >> p->depth & 1;
}

static int next_byte(struct json_push *p, char c)
{
	int rc;

	if (p->expect == FIRST_BRACKET)
		return c == '{' ? open_bracket(p, false) : refuse_json(p, "it is no object");
	if (c == '}' || c == ']') {
		if (is_in_list(p) != (c == ']') || p->expect == KEY || p->expect == VALUE ||
		    p->expect == COLON)
			return refuse_json(p, "a bracket closes where none may");
		p->depth--;
		p->expect = COMMA_OR_END;
		rc = p->take(p->ctx, JSON_END, p->depth, NULL, 0);
		return rc ? rc : !p->depth;
	}
	switch (p->expect) {
	case KEY:
	case KEY_OR_END:
		p->in_text = c == '"';
		p->expect = COLON;
		return p->in_text ? 0 : refuse_json(p, "a key is missing");
	case COLON:
		p->expect = VALUE;
		return c == ':' ? 0 : refuse_json(p, "a colon is missing");
	case COMMA_OR_END:
		p->expect = is_in_list(p) ? VALUE : KEY;
		return c == ',' ? 0 : refuse_json(p, "a comma is missing");
	default:
		if (c == '{' || c == '[')
			return open_bracket(p, c == '[');
		p->in_text = c == '"';
		p->expect = COMMA_OR_END;
		return p->in_text ? 0 : refuse_json(p, "a value is missing");
	}
}

int json_push(struct json_push *p, const char *bytes, size_t n, size_t *used)
{
	const char *at = bytes, *end = bytes + n;
	int rc = 0;

	while (!rc && at < end) {
		bool value = p->expect == VALUE || p->expect == VALUE_OR_END;

		if (p->in_text)
			rc = text_bytes(p, &at, end);
		else if ((value && is_word_byte(*at)) || (value && p->length))
			rc = word_bytes(p, &at, end);
		else if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
			at++;
		else
			rc = next_byte(p, *at++);
	}
	*used = (size_t)(at - bytes);
	return rc;
}

void json_push_free(struct json_push *p)
{
	free(p->text);
	p->text = NULL;
	p->room = 0;
}
