/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compressed streams: recognized by their first bytes, decoded piece by piece. */
#include <stdbool.h>
#include <stddef.h>

#define CODEC_MAGIC_MAX 8 /* bytes that identify a format: gzip has 2, zstd 4 */

/*
 * What a decoder may read and fill; it moves both on as far as it came.
 * @whole: the stream would be whole if it ended here; true before the first call
 */
struct codec_io {
	const unsigned char *in;
	size_t in_length;
	unsigned char *out;
	size_t out_room;
	bool whole;
};

struct codec {
	const char *name; /* "gzip", or a word for what cannot be read */
	unsigned char magic[CODEC_MAGIC_MAX];
	size_t magic_length;
	void *(*open)(void); /* NULL: known, but not read here */
	/* 0, -EINVAL if the stream is damaged, or -ENOMEM */
	int (*decode)(void *state, struct codec_io *io);
	void (*close)(void *state);
};

/* Never NULL: without a known magic it is plain. */
const struct codec *codec_of(const unsigned char *head, size_t length);

/* zlib's memory, of either direction, from xalloc(). */
void *gzip_alloc(void *opaque, unsigned int n, unsigned int size);
void gzip_free(void *opaque, void *p);
