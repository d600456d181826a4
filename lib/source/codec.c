/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoders around zlib and libzstd; several streams one after the other are one. */
#include "source/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"

/* ---- plain -------------------------------------------------------------- */

static void *plain_open(void)
{
	return xalloc(1);
}

static int plain_decode(void *state, struct codec_io *io)
{
	size_t n = io->in_length < io->out_room ? io->in_length : io->out_room;

	(void)state;
	memcpy(io->out, io->in, n);
	io->in += n;
	io->in_length -= n;
	io->out += n;
	io->out_room -= n;
	return 0;
}

static bool plain_is_whole(const void *state)
{
	(void)state;
	return true;
}

/* ---- gzip --------------------------------------------------------------- */

struct gzip {
	z_stream z;
	bool between; /* members */
};

void *gzip_alloc(void *opaque, unsigned int n, unsigned int size)
{
	(void)opaque;
	return xalloc((size_t)n * size);
}

void gzip_free(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}

static void *gzip_open(void)
{
	struct gzip *g = xalloc(sizeof(*g));

	if (!g)
		return NULL;
	g->z.zalloc = gzip_alloc;
	g->z.zfree = gzip_free;
	if (inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
		free(g);
		return NULL;
	}
	g->between = true;
	return g;
}

static int gzip_inflate(struct gzip *g)
{
	switch (inflate(&g->z, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		g->between = true;
		return 0;
	case Z_OK:
	case Z_BUF_ERROR: /* wants more input */
		return 0;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EINVAL;
	}
}

static int gzip_decode(void *state, struct codec_io *io)
{
	struct gzip *g = state;
	int rc;

	if (g->between && io->in_length == 0)
		return 0;
	if (g->between)
		inflateReset(&g->z);
	g->between = false;
	g->z.next_in = (unsigned char *)io->in;
	g->z.avail_in = (unsigned int)io->in_length;
	g->z.next_out = io->out;
	g->z.avail_out = (unsigned int)io->out_room;
	rc = gzip_inflate(g);
	io->in = g->z.next_in;
	io->in_length = g->z.avail_in;
	io->out = g->z.next_out;
	io->out_room = g->z.avail_out;
	return rc;
}

static bool gzip_is_whole(const void *state)
{
	return ((const struct gzip *)state)->between;
}

static void gzip_close(void *state)
{
	inflateEnd(&((struct gzip *)state)->z);
	free(state);
}

/* ---- zstd --------------------------------------------------------------- */

struct zstd {
	ZSTD_DStream *stream;
	bool between; /* frames */
};

static void *zstd_open(void)
{
	struct zstd *s = xalloc(sizeof(*s));

	if (!s)
		return NULL;
	s->between = true;
	s->stream = ZSTD_createDStream();
	if (!s->stream) {
		free(s);
		return NULL;
	}
	return s;
}

static int zstd_decode(void *state, struct codec_io *io)
{
	ZSTD_inBuffer in = { io->in, io->in_length, 0 };
	ZSTD_outBuffer out = { io->out, io->out_room, 0 };
	struct zstd *s = state;
	size_t rc;

	if (s->between && io->in_length == 0)
		return 0;
	rc = ZSTD_decompressStream(s->stream, &out, &in);
	s->between = rc == 0;
	io->in += in.pos;
	io->in_length -= in.pos;
	io->out += out.pos;
	io->out_room -= out.pos;
	return ZSTD_isError(rc) ? -EINVAL : 0;
}

static bool zstd_is_whole(const void *state)
{
	return ((const struct zstd *)state)->between;
}

static void zstd_close(void *state)
{
	ZSTD_freeDStream(((struct zstd *)state)->stream);
	free(state);
}

/* ---- which -------------------------------------------------------------- */

static const struct codec codecs[] = {
	{ .name = "gzip",
	  .magic = { 0x1f, 0x8b },
	  .magic_length = 2,
	  .open = gzip_open,
	  .decode = gzip_decode,
	  .is_whole = gzip_is_whole,
	  .close = gzip_close },
	{ .name = "zstd",
	  .magic = { 0x28, 0xb5, 0x2f, 0xfd },
	  .magic_length = 4,
	  .open = zstd_open,
	  .decode = zstd_decode,
	  .is_whole = zstd_is_whole,
	  .close = zstd_close },
	{ .name = "compressed with xz", .magic = { 0xfd, '7', 'z', 'X', 'Z' }, .magic_length = 5 },
	{ .name = "compressed with bzip2", .magic = "BZh", .magic_length = 3 },
	{ .name = "a zip archive or a workbook, which a spreadsheet saves as CSV",
	  .magic = "PK\3\4",
	  .magic_length = 4 },
	{ .name = "a workbook, which a spreadsheet saves as CSV",
	  .magic = { 0xd0, 0xcf, 0x11, 0xe0 },
	  .magic_length = 4 },
	{ .name = "in UTF-16, which an editor saves as UTF-8",
	  .magic = { 0xff, 0xfe },
	  .magic_length = 2 },
	{ .name = "in UTF-16, which an editor saves as UTF-8",
	  .magic = { 0xfe, 0xff },
	  .magic_length = 2 },
	{ .name = "a program", .magic = "\177ELF", .magic_length = 4 },
	{ .name = "a cache of ibnetdiscover, which its --load-cache turns into text",
	  .magic = { 0x2b, 0x83, 0xe7, 0x8f },
	  .magic_length = 4 },
	{ .name = "plain", /* without a magic, so it comes last */
	  .open = plain_open,
	  .decode = plain_decode,
	  .is_whole = plain_is_whole,
	  .close = free },
};

const struct codec *codec_of(const unsigned char *head, size_t length)
{
	const struct codec *c = codecs;

	while (c->magic_length > length || memcmp(c->magic, head, c->magic_length) != 0)
		c++;
	return c;
}
