/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_JSONPULL_H
#define BASE_JSONPULL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * JSON (RFC 8259) as a reader walks it, without a tree; values that nobody wants are passed
 * over, and only their ends are looked for.
 *
 *	if (pull_open(&j, '{'))
 *		while (pull_member(&j, key))
 *			if (!strcmp(key, "nodes"))
 *				nodes = pull_text(&j, arena);
 *			else
 *				pull_skip(&j);
 *	if (j.error) ...
 *
 * Once there is an error, nothing is read any more.
 */
struct pull {
	const char *begin, *at, *end;
	const char *error; /* "expected a comma"; NULL: none yet */
	bool inside;       /* behind the first element: a comma comes first */
};

#define JSON_KEY_BYTES 64 /* longer keys are cut: none that is wanted */

struct pull pull_of(const char *text, size_t n);
/* The first letter of the next value; '\0': there is none. */
char pull_peek(struct pull *j);
/* Is the next value an object '{', an array '['?  Then it is entered, else passed over. */
bool pull_open(struct pull *j, char bracket);
/* The next member of the object, up to its value, or the next element; false: its end. */
bool pull_member(struct pull *j, char key[JSON_KEY_BYTES]);
bool pull_element(struct pull *j);
/* A string, or a number as it is spelled, clean (utf8.h); of other values "", passed over. */
const char *pull_text(struct pull *j, struct arena *a);
void pull_skip(struct pull *j);
/* From 1; of the error, or of what comes next. */
unsigned long pull_line(const struct pull *j);

#endif
