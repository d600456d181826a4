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

/* One compressed stream; @zstd: NULL: of gzip */
struct packer {
	FILE *under;
	z_stream gzip;
	ZSTD_CStream *zstd;
	unsigned char packed[PACKED_BYTES];
};

/* What the library makes of the bytes it is given, into @packed; negative: it failed. */
static ssize_t pack_some(struct packer *p, ZSTD_inBuffer *in, bool finish, bool *more)
{
	ZSTD_outBuffer out = { p->packed, sizeof(p->packed), 0 };
	z_stream *z = &p->gzip;
	int rc;

	if (p->zstd) {
		size_t left = finish ? ZSTD_endStream(p->zstd, &out)
		                     : ZSTD_compressStream(p->zstd, &out, in);

		*more = finish ? left != 0 : in->pos < in->size;
		return ZSTD_isError(left) ? -1 : (ssize_t)out.pos;
	}
	z->next_in = (unsigned char *)in->src + in->pos;
	z->avail_in = (unsigned int)(in->size - in->pos);
	z->next_out = p->packed;
	z->avail_out = sizeof(p->packed);
	rc = deflate(z, finish ? Z_FINISH : Z_NO_FLUSH);
	in->pos = in->size - z->avail_in;
	*more = finish ? rc != Z_STREAM_END : z->avail_out == 0;
	return rc == Z_STREAM_ERROR ? -1 : (ssize_t)(sizeof(p->packed) - z->avail_out);
}

static int pack_all(struct packer *p, const char *bytes, size_t length, bool finish)
{
	ZSTD_inBuffer in = { bytes, length, 0 };
	bool more = true;
	ssize_t n;

	while (more) {
		n = pack_some(p, &in, finish, &more);
		if (n < 0 || fwrite(p->packed, 1, (size_t)n, p->under) != (size_t)n) {
			errno = EIO;
			return -1;
		}
	}
	return 0;
}

static void packer_free(struct packer *p)
{
	deflateEnd(&p->gzip);
	ZSTD_freeCStream(p->zstd);
	free(p);
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t n)
{
	return pack_all(cookie, bytes, n, false) ? 0 : (ssize_t)n;
}

static int cookie_close(void *cookie)
{
	int rc = pack_all(cookie, NULL, 0, true);

	packer_free(cookie);
	return rc;
}

static FILE *packer_open(FILE *under, bool is_zstd)
{
	const cookie_io_functions_t io = { .write = cookie_write, .close = cookie_close };
	struct packer *p = xalloc(sizeof(*p));
	FILE *file;
	bool begun;

	if (!p)
		return NULL;
	p->under = under;
	if (is_zstd) {
		p->zstd = ZSTD_createCStream();
		begun = p->zstd && !ZSTD_isError(ZSTD_initCStream(p->zstd, ZSTD_LEVEL)) &&
		        !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
	} else {
		p->gzip.zalloc = gzip_alloc;
		p->gzip.zfree = gzip_free;
		begun = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
		                     Z_DEFAULT_STRATEGY) == Z_OK;
	}
	file = begun ? fopencookie(p, "w", io) : NULL;
	if (!file)
		packer_free(p);
	return file;
}

FILE *pack_gzip(FILE *under)
{
	return packer_open(under, false);
}

FILE *pack_zstd(FILE *under)
{
	return packer_open(under, true);
}
