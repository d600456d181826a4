/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A text that is kept compressed only: written once as a stream, then handed to many readers at
 * once, each with an end of its own.
 *
 * What is kept is the beginning of a gzip file (RFC 1952) whose deflate stream stops at a byte
 * without being finished (Z_SYNC_FLUSH).  kept_end() makes the rest for one reader: the end of
 * the text, stored in a last block, and the check sum of both.  So the age of a text can stand in
 * it, and nothing is compressed when it is asked for.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kept;

/* A stream that fills a new one; NULL: no memory. */
FILE *kept_open(struct kept **out);
/*
 * Ends the stream.  0, or what failed: then *kept is dropped, and NULL.  @rc: what filled it
 * returned, likewise
 */
int kept_close(FILE *file, int rc, struct kept **kept);

/* One holder more, one less: the last one frees it; in any thread.  NULL is ignored. */
struct kept *kept_hold(struct kept *kept);
void kept_drop(struct kept *kept);

/* Bytes of the text itself, and what is kept of it. */
uint64_t kept_length(const struct kept *kept);
const void *kept_bytes(const struct kept *kept, size_t *size);

/* Turns kept_bytes() into a gzip file if it follows them; @n: of @text, at most KEPT_END_MAX */
#define KEPT_END_MAX  4096
#define KEPT_END_ROOM (KEPT_END_MAX + 13) /* a block's head of 5 bytes, sum and length of 8 */
size_t kept_end(const struct kept *kept, const char *text, size_t n, unsigned char *out);

/* The text again, part by part, and in no other order. */
struct kept_reader;
struct kept_reader *kept_read(struct kept *kept);
/* Bytes it has written to @out; 0: no more; negative: out of memory */
ptrdiff_t kept_next(struct kept_reader *reader, char *out, size_t room);
void kept_reader_free(struct kept_reader *reader);
