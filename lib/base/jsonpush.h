/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * JSON that arrives in pieces of any size, as events: nothing is kept but the text that is not
 * whole yet, so that tens of thousands of documents may arrive at once.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_event {
	JSON_BEGIN_OBJECT,
	JSON_BEGIN_LIST,
	JSON_END, /* of either */
	JSON_KEY,
	JSON_STRING,
	JSON_WORD, /* a number, true, false or null, as it is written */
};

#define JSON_DEPTH_MAX 32 /* brackets that are open; a report has six */

/*
 * struct json_push - begins as zeros, but for @take and @ctx; and may begin again so, but for
 *	@text and @room, behind the end of a document
 * @take: gets each event; @depth: brackets that are open, at a begin with it, at an end without;
 *	@text: terminated, without other NULs, not always UTF-8, valid until it returns; NULL unless
 *	it is a key or a value.  Anything but 0 ends all, and comes back
 * @error: what is wrong with the document, after -EINVAL of ours
 */
struct json_push {
	int (*take)(void *ctx, enum json_event event, unsigned int depth, const char *text,
	            size_t length);
	void *ctx;
	unsigned int depth;
	const char *error;

	char *text;
	size_t length, room;
	uint32_t lists;       /* by depth: it is a list */
	unsigned char expect; /* jsonpush.c */
	bool in_text, escaped, had_escape;
};

/*
 * The next bytes; at most up to the end of the document, which is an object.  *used: how many.
 *
 * Return: 1: that was its end; 0; -EINVAL, -ENOMEM, or what take() returned.
 */
int json_push(struct json_push *p, const char *bytes, size_t n, size_t *used);
void json_push_free(struct json_push *p);
