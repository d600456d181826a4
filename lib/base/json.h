/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * JSON (RFC 8259) as a reader walks it, without a tree; values that nobody wants are passed
 * over, and only their ends are looked for.
 *
 *	if (json_open(&j, '{'))
 *		while (json_member(&j, key))
 *			if (!strcmp(key, "nodes"))
 *				nodes = json_text(&j, arena);
 *			else
 *				json_skip(&j);
 *	if (j.error) ...
 *
 * Once there is an error, nothing is read any more.
 */
struct json {
	const char *begin, *at, *end;
	const char *error; /* "expected a comma"; NULL: none yet */
	bool inside;       /* behind the first element: a comma comes first */
};

#define JSON_KEY_BYTES 64 /* longer keys are cut: none that is wanted */

struct json json_of(const char *text, size_t n);
/* The first letter of the next value; '\0': there is none. */
char json_peek(struct json *j);
/* Is the next value an object '{', an array '['?  Then it is entered, else passed over. */
bool json_open(struct json *j, char bracket);
/* The next member of the object, up to its value, or the next element; false: its end. */
bool json_member(struct json *j, char key[JSON_KEY_BYTES]);
bool json_element(struct json *j);
/* A string, or a number as it is spelled, clean (utf8.h); of other values "", passed over. */
const char *json_text(struct json *j, struct arena *a);
void json_skip(struct json *j);
/* From 1; of the error, or of what comes next. */
unsigned long json_line(const struct json *j);

#endif
