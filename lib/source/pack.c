/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib and libzstd behind a FILE. */
#include "source/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "source/codec.h"

#define PACKED_BYTES (64 * 1024) /* written at a time */
#define ZSTD_LEVEL   3           /* zstd's own default */

struct packer;

/*
 * struct packing - one library
 * @begin: false: it cannot; @end is called then, too
 * @step: takes what it can of @in, or ends the stream if there is none and
 *	  @finish; writes into @packed.  Returns how much it wrote; *more: call
 *	  again.  Negative: failed
 */
struct packing {
	bool (*begin)(struct packer *p);
	ssize_t (*step)(struct packer *p, bool finish, bool *more);
	void (*end)(struct packer *p);
};

/* One compressed stream. */
struct packer {
	FILE *under;
	const struct packing *how;
	z_stream gzip;
	ZSTD_CStream *zstd;
	const unsigned char *in;
	size_t in_length;
	unsigned char packed[PACKED_BYTES];
};

static int pack_all(struct packer *p, bool finish)
{
	bool more = true;
	ssize_t n;

	while (more) {
		n = p->how->step(p, finish, &more);
		if (n < 0 || fwrite(p->packed, 1, (size_t)n, p->under) != (size_t)n) {
			errno = EIO;
			return -1;
		}
	}
	return 0;
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t n)
{
	struct packer *p = cookie;

	p->in = (const unsigned char *)bytes;
	p->in_length = n;
	return pack_all(p, false) ? 0 : (ssize_t)n;
}

static int cookie_close(void *cookie)
{
	struct packer *p = cookie;
	int rc;

	p->in_length = 0;
	rc = pack_all(p, true);
	p->how->end(p);
	free(p);
	return rc;
}

static FILE *packer_open(FILE *under, const struct packing *how)
{
	const cookie_io_functions_t io = { .write = cookie_write, .close = cookie_close };
	struct packer *p = xalloc(sizeof(*p));
	FILE *file;

	if (!p)
		return NULL;
	p->under = under;
	p->how = how;
	file = how->begin(p) ? fopencookie(p, "w", io) : NULL;
	if (!file) {
		how->end(p);
		free(p);
	}
	return file;
}

/* ---- gzip --------------------------------------------------------------- */

static ssize_t gzip_step(struct packer *p, bool finish, bool *more)
{
	z_stream *z = &p->gzip;
	int rc;

	z->next_in = (unsigned char *)p->in;
	z->avail_in = (unsigned int)p->in_length;
	z->next_out = p->packed;
	z->avail_out = sizeof(p->packed);
	rc = deflate(z, finish ? Z_FINISH : Z_NO_FLUSH);
	p->in = z->next_in;
	p->in_length = z->avail_in;
	*more = finish ? rc != Z_STREAM_END : z->avail_out == 0;
	return rc == Z_STREAM_ERROR ? -1 : (ssize_t)(sizeof(p->packed) - z->avail_out);
}

static bool gzip_begin(struct packer *p)
{
	p->gzip.zalloc = gzip_alloc;
	p->gzip.zfree = gzip_free;
	return deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
	                    Z_DEFAULT_STRATEGY) == Z_OK;
}

static void gzip_end(struct packer *p)
{
	deflateEnd(&p->gzip);
}

FILE *pack_gzip(FILE *under)
{
	static const struct packing gzip = { gzip_begin, gzip_step, gzip_end };

	return packer_open(under, &gzip);
}

/* ---- zstd --------------------------------------------------------------- */

static ssize_t zstd_step(struct packer *p, bool finish, bool *more)
{
	ZSTD_inBuffer in = { p->in, p->in_length, 0 };
	ZSTD_outBuffer out = { p->packed, sizeof(p->packed), 0 };
	size_t rc;

	rc = finish ? ZSTD_endStream(p->zstd, &out) : ZSTD_compressStream(p->zstd, &out, &in);
	p->in += in.pos;
	p->in_length -= in.pos;
	*more = finish ? rc != 0 : p->in_length != 0;
	return ZSTD_isError(rc) ? -1 : (ssize_t)out.pos;
}

static bool zstd_begin(struct packer *p)
{
	p->zstd = ZSTD_createCStream();
	return p->zstd && !ZSTD_isError(ZSTD_initCStream(p->zstd, ZSTD_LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
}

static void zstd_end(struct packer *p)
{
	ZSTD_freeCStream(p->zstd);
}

FILE *pack_zstd(FILE *under)
{
	static const struct packing zstd = { zstd_begin, zstd_step, zstd_end };

	return packer_open(under, &zstd);
}
