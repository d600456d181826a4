/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FABRIC_OF_H
#define FABRIC_OF_H

/* Fabrics from bytes and back, for fuzzers of file formats. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/source.h>

#include "fabric/build.h"
#include "source/source.h"

/* NULL, and then there was a sentence; else the fabric has passed its invariants. */
static inline struct ibc_fabric *fabric_of(reader_fn *read, const void *bytes, size_t n)
{
	struct ibc_error err = { "" };
	struct fabric_build *b;
	struct ibc_fabric *fab;
	struct text_file *f;
	int rc;

	assert(fabric_build_new(&b, NULL) == 0);
	assert(text_open_bytes("fuzz", bytes, n, &f, NULL) == 0);
	rc = text_read(f, read, "fuzz", b, &err);
	text_close(f);
	if (rc) {
		assert(rc == -EINVAL && *err.text);
		fabric_build_free(b);
		return NULL;
	}
	assert(fabric_build_finish(b, &fab, NULL) == 0);
	return fab;
}

/* To be freed.  Inlined, gcc 12 takes what open_memstream() leaves for the variable. */
static __attribute__((noinline, unused)) char *bytes_of(const struct ibc_fabric *fab,
                                                        const char *format, size_t *n)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	assert(out && ibc_fabric_write(fab, format, out, NULL) == 0);
	assert(fclose(out) == 0);
	return bytes;
}

/* The bytes are an error, or a fabric that a snapshot keeps. */
static inline void expect_kept(reader_fn *read, const uint8_t *data, size_t size)
{
	struct ibc_fabric *fab = fabric_of(read, data, size), *again;
	struct ibc_fabric_counts first, second;
	size_t n;
	char *text;

	if (!fab)
		return;
	text = bytes_of(fab, "snapshot", &n);
	again = fabric_of(read_snapshot, text, n);
	assert(again);
	first = ibc_fabric_count(fab);
	second = ibc_fabric_count(again);
	assert(first.nodes == second.nodes && first.cables == second.cables);
	free(text);
	ibc_fabric_free(fab);
	ibc_fabric_free(again);
}

#endif
