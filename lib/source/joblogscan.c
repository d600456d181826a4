/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the anchors in large blocks: of each position the two bytes that end the shortest anchor
 * from there say how far it can be moved on (Wu, Manber 1994).  Lines are split only around a hit.
 */
#include "source/joblog.h"

#define PAIRS 65536 /* of two bytes */

static size_t shortest(void)
{
	size_t n = strlen(log_anchors[0]);

	for (size_t a = 1; a < LOG_ANCHORS; a++)
		if (strlen(log_anchors[a]) < n)
			n = strlen(log_anchors[a]);
	return n;
}

static unsigned int pair_at(const char *bytes)
{
	return (unsigned char)bytes[0] | (unsigned int)(unsigned char)bytes[1] << 8;
}

/*
 * struct log_scanner
 * @length: of the shortest anchor: only so much of the others is looked for at first
 * @shift: by the last two bytes of a window of that length
 */
struct log_scanner {
	size_t length;
	unsigned char shift[PAIRS];
};

struct log_scanner *log_scanner_new(struct arena *arena)
{
	struct log_scanner *s = arena_alloc(arena, sizeof(*s));

	s->length = shortest();
	memset(s->shift, (int)s->length - 1, sizeof(s->shift));
	for (size_t a = 0; a < LOG_ANCHORS; a++)
		for (size_t i = 0; i + 1 < s->length; i++) {
			unsigned char *shift = &s->shift[pair_at(log_anchors[a] + i)];
			size_t left = s->length - 2 - i;

			if (left < *shift)
				*shift = (unsigned char)left;
		}
	return s;
}

size_t log_scan(const struct log_scanner *s, const char *bytes, size_t at, size_t n,
                enum log_anchor *anchor)
{
	while (at + s->length <= n) {
		unsigned char shift = s->shift[pair_at(bytes + at + s->length - 2)];

		at += shift;
		if (shift)
			continue;
		for (*anchor = 0; *anchor < LOG_ANCHORS; ++*anchor) {
			size_t length = strlen(log_anchors[*anchor]);

			if (at + length <= n && !memcmp(bytes + at, log_anchors[*anchor], length))
				return at;
		}
		at++;
	}
	return n;
}
