/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reader of lines of JSON, each an object, into a row of items without a tree: what is
 * inside an object or an array follows it.  It takes what jansson takes, but for
 * duplicate keys, which whoever looks at all members finds.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
	JSON_NOTHING, /* null */
	JSON_YES,
	JSON_NO,
	JSON_NUMBER,
	JSON_REAL_NUMBER,
	JSON_TEXT,
	JSON_LIST,    /* its items follow */
	JSON_MEMBERS, /* a key, JSON_TEXT, and its value follow, and so on */
};

/*
 * struct json_item
 * @size: bytes of a text, items of a list, members of an object
 * @span: how many items follow that are inside
 */
struct json_item {
	enum json_kind kind;
	uint32_t size;
	union {
		int64_t number;
		double real;
		const char *text; /* terminated, UTF-8, without other NULs */
		size_t span;
	};
};

/*
 * struct json_reader - begins as zeros
 */
struct json_reader {
	struct json_item *items;
	size_t num, room;
	char *clean, *clean_end; /* texts that had escapes */
	const char *line_end;
	bool no_memory;
};

/*
 * The object of a line that is terminated and holds no other NUL.  What is returned points
 * into the line, which is changed, and is valid until the next call; NULL: it is no object,
 * no JSON, or no_memory.
 */
const struct json_item *json_read(struct json_reader *r, char *line, size_t length);
/*
 * What an escape stands for, in UTF-8: at is behind its backslash, *to moves on; returns its end,
 * or NULL: it is none.
 */
char *json_escape(char *at, char **to);
/* The line as it was. */
void json_unread(char *line, size_t length);
void json_reader_free(struct json_reader *r);

/* What follows an item and all that is inside it; of a list or an object, its end. */
static inline const struct json_item *json_behind(const struct json_item *item)
{
	return item + 1 + (item->kind >= JSON_LIST ? item->span : 0);
}

static inline bool json_is(const struct json_item *item, enum json_kind kind)
{
	return item && item->kind == kind;
}

/* A number of a whole value not below 0 nor above max. */
static inline bool json_index(const struct json_item *item, uint64_t max, uint64_t *out)
{
	*out = json_is(item, JSON_NUMBER) ? (uint64_t)item->number : 0;
	return json_is(item, JSON_NUMBER) && item->number >= 0 && *out <= max;
}

/* Items of a list, or members of an object; 0 of anything else. */
static inline size_t json_size(const struct json_item *item)
{
	return item && item->kind >= JSON_LIST ? item->size : 0;
}

/* The value of that key; NULL: there is none, or no object. */
const struct json_item *json_member(const struct json_item *object, const char *key);
