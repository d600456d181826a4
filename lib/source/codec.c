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

/* ---- gzip --------------------------------------------------------------- */

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
	z_stream *z = xalloc(sizeof(*z));

	if (!z)
		return NULL;
	z->zalloc = gzip_alloc;
	z->zfree = gzip_free;
	if (inflateInit2(z, 16 + MAX_WBITS) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static int gzip_decode(void *state, struct codec_io *io)
{
	z_stream *z = state;
	int rc;

	if (io->whole && io->in_length == 0)
		return 0;
	if (io->whole)
		inflateReset(z);
	z->next_in = (unsigned char *)io->in;
	z->avail_in = (unsigned int)io->in_length;
	z->next_out = io->out;
	z->avail_out = (unsigned int)io->out_room;
	rc = inflate(z, Z_NO_FLUSH);
	io->in = z->next_in;
	io->in_length = z->avail_in;
	io->out = z->next_out;
	io->out_room = z->avail_out;
	io->whole = rc == Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	/* Z_BUF_ERROR: it wants more input */
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -EINVAL;
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

/* ---- zstd --------------------------------------------------------------- */

static void *zstd_open(void)
{
	return ZSTD_createDStream();
}

static int zstd_decode(void *state, struct codec_io *io)
{
	ZSTD_inBuffer in = { io->in, io->in_length, 0 };
	ZSTD_outBuffer out = { io->out, io->out_room, 0 };
	size_t rc;

	if (io->whole && io->in_length == 0)
		return 0;
	rc = ZSTD_decompressStream(state, &out, &in);
	io->in += in.pos;
	io->in_length -= in.pos;
	io->out += out.pos;
	io->out_room -= out.pos;
	io->whole = rc == 0;
	return ZSTD_isError(rc) ? -EINVAL : 0;
}

static void zstd_close(void *state)
{
	ZSTD_freeDStream(state);
}

/* ---- which -------------------------------------------------------------- */

static const struct codec codecs[] = {
	{ .name = "gzip",
	  .magic = { 0x1f, 0x8b },
	  .magic_length = 2,
	  .open = gzip_open,
	  .decode = gzip_decode,
	  .close = gzip_close },
	{ .name = "zstd",
	  .magic = { 0x28, 0xb5, 0x2f, 0xfd },
	  .magic_length = 4,
	  .open = zstd_open,
	  .decode = zstd_decode,
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
	{ .name = "a cache of ibnetdiscover, which ibnetdiscover --load-cache converts to text",
	  .magic = { 0x2b, 0x83, 0xe7, 0x8f },
	  .magic_length = 4 },
	{ .name = "plain", /* without a magic, so it comes last */
	  .open = plain_open,
	  .decode = plain_decode,
	  .close = free },
};

const struct codec *codec_of(const unsigned char *head, size_t length)
{
	const struct codec *c = codecs;

	while (c->magic_length > length || memcmp(c->magic, head, c->magic_length) != 0)
		c++;
	return c;
}
