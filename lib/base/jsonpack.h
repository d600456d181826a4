/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_JSONPACK_H
#define BASE_JSONPACK_H

/*
 * What jsonwrite.h writes and jsonread.h reads, in bytes for programs.  A value is a byte
 * that tells what it is (below PACK_NUMBER: a number itself) and what belongs to it.  Keys
 * and words stand for themselves by their number; an object ends with the number 0.
 */
#include "base/jsonread.h"
#include "base/jsonwrite.h"

enum pack_tag {
	PACK_NUMBER = 0xc0, /* 7 bits a byte, the lowest first; all but the last have bit 7 */
	PACK_REAL,          /* 8 bytes, little end first */
	PACK_GUID,          /* likewise */
	PACK_TEXT,          /* its length as a number, its bytes, NUL */
	PACK_WORD,          /* its number */
	PACK_MEMBERS,
	PACK_LIST,
	PACK_END, /* of a list */
	PACK_NULL,
	PACK_NO,
	PACK_YES,
};

#define PACK_WORDS 1024 /* keys and words; there are some two hundred */

/* struct json_words - begins as zeros; what was met first stands in fresh, each with a NUL */
struct json_words {
	const char *of[PACK_WORDS];
	unsigned int id[PACK_WORDS];
	unsigned int num;
	struct json_out fresh;
};

/* struct json_known - the words so far, of a reader; begins as zeros */
struct json_known {
	char **words;
	size_t num, room;
};
/* Words as they stand in fresh; they are copied.  0, -EINVAL or -ENOMEM. */
int json_learn(struct json_known *known, const char *fresh, size_t length);
void json_known_free(struct json_known *known);

/* As json_read(): an object and nothing behind it; points into bytes. */
const struct json_item *unpack_object(struct json_reader *r, const struct json_known *known,
                                      const char *bytes, size_t length);

#endif
