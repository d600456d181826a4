/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the anchors in large blocks: of each position the two bytes that end the shortest anchor
 * from there say how far it can be moved on (Wu, Manber 1994).  Lines are split only around a hit.
 */
#include "source/jobs/joblog.h"

#define PAIRS 65536 /* of two bytes */

static unsigned int pair_at(const char *bytes)
{
	return (unsigned char)bytes[0] | (unsigned int)(unsigned char)bytes[1] << 8;
}

/*
 * struct log_scanner
 * @length: of the shortest anchor: only so much of the others is looked for at first
 * @whole: the length of each
 * @shift: by the last two bytes of a window of that length
 */
struct log_scanner {
	size_t length, whole[LOG_ANCHORS];
	unsigned char shift[PAIRS];
};

struct log_scanner *log_scanner_new(struct arena *arena)
{
	struct log_scanner *s = arena_alloc(arena, sizeof(*s));

	s->length = SIZE_MAX;
	for (size_t a = 0; a < LOG_ANCHORS; a++) {
		s->whole[a] = strlen(log_anchors[a]);
		s->length = s->whole[a] < s->length ? s->whole[a] : s->length;
	}
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
		for (*anchor = 0; *anchor < LOG_ANCHORS; ++*anchor)
			if (bytes[at] == *log_anchors[*anchor] && at + s->whole[*anchor] <= n &&
			    !memcmp(bytes + at, log_anchors[*anchor], s->whole[*anchor]))
				return at;
		at++;
	}
	return n;
}
