/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Here only brackets and commas are looked at, to find where parts end; the reader of lines
 * makes the rest of each.
 */
#include "base/jsonfeed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int fail_feed(struct json_feed *f, const char *what)
{
	f->error = what;
	f->line = f->here + 1;
	return -EINVAL;
}

/* ---- the text of a part ---------------------------------------------------------------- */

static int put_byte(struct json_feed *f, char c)
{
	if (f->length == f->most)
		return fail_feed(f, "a part of it is too long");
	if (f->length == f->room && !grow(&f->text, f->length, &f->room, 1))
		return -ENOMEM;
	f->text[f->length++] = c;
	return 0;
}

static int put_text(struct json_feed *f, const char *bytes)
{
	int rc = 0;

	while (!rc && *bytes)
		rc = put_byte(f, *bytes++);
	return rc;
}

static int end_part(struct json_feed *f)
{
	const struct json_item *part;
	int rc = put_byte(f, '}') ?: put_byte(f, '\0');

	if (rc)
		return rc;
	part = json_read(&f->reader, f->text, f->length - 1);
	if (!part && f->reader.no_memory)
		return -ENOMEM;
	if (!part) {
		f->error = "what begins here is damaged";
		return -EINVAL;
	}
	rc = f->take(f->ctx, part);
	json_unread(f->text, f->head);
	f->length = f->head;
	f->num++;
	return rc;
}

static bool has_no_part(const struct json_feed *f)
{
	return f->length == f->head;
}

/* ---- around parts ------------------------------------------------------------------------ */

static void open_parts(struct json_feed *f, char closer)
{
	f->base = ++f->depth;
	f->closer = closer;
	f->head = f->length;
	f->num = 0;
}

static int begin_document(struct json_feed *f, char c)
{
	int rc;

	if (c != '{' && c != '[')
		return fail_feed(f, "it is no object and no array");
	rc = put_text(f, c == '{' ? "{" : "{\"\":");
	open_parts(f, c == '{' ? '}' : ']');
	return rc;
}

/* The bracket: behind the last part, an empty array, an empty object, or a comma. */
static int close_parts(struct json_feed *f)
{
	int rc = 0;

	if (!has_no_part(f))
		rc = end_part(f);
	else if (f->num && !f->behind)
		rc = fail_feed(f, "expected a value");
	else if (f->closer == ']')
		rc = put_text(f, "[]") ?: end_part(f);
	f->depth--;
	f->base--;
	f->ended = !f->depth;
	f->behind = true;
	f->closer = '}';
	f->head = f->length = 1; /* the bracket of an object */
	return rc;
}

static int part_byte(struct json_feed *f, char c, char last)
{
	if (c == f->closer)
		return close_parts(f);
	if (f->behind && c != ',')
		return fail_feed(f, "expected a comma");
	if (c == ',' && !f->behind)
		return has_no_part(f) ? fail_feed(f, "expected a value") : end_part(f);
	if (c == ',') {
		f->behind = false;
		f->num = 1;
		return 0;
	}
	if (has_no_part(f))
		f->line = f->here + 1;
	if (c == '[' && last == ':' && f->closer == '}') {
		open_parts(f, ']');
		return 0;
	}
	f->depth += c == '{' || c == '[';
	return put_byte(f, c);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static int text_byte(struct json_feed *f, char c)
{
	f->in_text = f->escaped || c != '"';
	f->escaped = !f->escaped && c == '\\';
	return put_byte(f, c);
}

static int feed_byte(struct json_feed *f, char c)
{
	char last = f->last;

	f->here += c == '\n';
	if (f->in_text && c)
		return text_byte(f, c);
	if (strchr(" \t\r\n", c) && c)
		return f->depth && !has_no_part(f) ? put_byte(f, c) : 0;
	if (f->ended || !c)
		return fail_feed(f, c ? "something follows its end" : "it has a NUL byte");
	f->last = c;
	f->in_text = c == '"';
	if (!f->depth)
		return begin_document(f, c);
	if (f->depth == f->base)
		return part_byte(f, c, last);
	f->depth += c == '{' || c == '[';
	f->depth -= c == '}' || c == ']';
	return put_byte(f, c);
}

int json_feed(struct json_feed *f, const char *bytes, size_t n)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = feed_byte(f, bytes[i]);
	return rc;
}

int json_feed_end(struct json_feed *f)
{
	return f->ended ? 0 : fail_feed(f, "it ends in the middle");
}

void json_feed_free(struct json_feed *f)
{
	json_reader_free(&f->reader);
	free(f->text);
}
