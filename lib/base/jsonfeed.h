/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_JSONFEED_H
#define BASE_JSONFEED_H

/*
 * A JSON document that arrives in pieces of any size, a part at a time: a member, or, where
 * that is an array, each of its elements, which has the key of the array.  An array that is
 * empty is a part; the key of elements of an array that is the document is "".
 *
 *	{"jobs": [{"id": 1}, 7], "more": {}}	{"jobs": {"id": 1}}  {"jobs": 7}  {"more": {}}
 *
 *	struct json_feed feed = { .take = take, .ctx = ctx, .most = 1 << 20 };
 *
 *	while (!rc && (n = read(fd, bytes, sizeof(bytes))) > 0)
 *		rc = json_feed(&feed, bytes, n);
 *	if (!rc)
 *		rc = json_feed_end(&feed);
 *	json_feed_free(&feed);
 */
#include "base/jsonread.h"

/*
 * struct json_feed - begins as zeros, but for the first
 * @take: gets each part, valid until it returns; anything but 0 ends all, and comes back
 * @most: bytes of a part: so much is kept
 * @line: from 1; of an error, of the beginning of the part that is taken
 * @error: what is wrong with the document, after -EINVAL of ours
 */
struct json_feed {
	int (*take)(void *ctx, const struct json_item *part);
	void *ctx;
	size_t most;
	struct json_reader reader; /* .lenient is the caller's to set */
	unsigned long line;
	const char *error;

	char *text; /* of the part, so far; head: what all parts of an array begin with */
	size_t length, room, head;
	unsigned int depth, base; /* brackets that are open, here and around a part */
	unsigned long here;       /* the line that is read, from 0 */
	size_t num;               /* of parts since the last bracket around them */
	char closer, last;        /* the bracket that ends the parts; what was in front */
	bool in_text, escaped, behind, ended; /* behind: behind an array of parts */
};

/* 0, -EINVAL, -ENOMEM, or what take() returned; then there is no going on. */
int json_feed(struct json_feed *f, const char *bytes, size_t n);
/* Was that all of it? */
int json_feed_end(struct json_feed *f);
void json_feed_free(struct json_feed *f);

#endif
