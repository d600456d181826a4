/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MKFILE_H
#define MKFILE_H

/*
 * Fabrics from bytes and back, for tests of file formats.  Include it after
 * <cmocka.h>.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ibcheck/source.h>

#include "fabric/build.h"
#include "source/source.h"

/* 0 and *out, or what the reader failed with. */
static inline int read_bytes(reader_fn *read, const void *bytes, size_t n, struct ibc_fabric **out,
                             struct ibc_error *err)
{
	struct fabric_build *b;
	struct text_file *f;
	int rc = fabric_build_new(&b, err);

	if (rc)
		return rc;
	rc = text_open_bytes("test", bytes, n, &f, err);
	if (rc == 0) {
		rc = text_read(f, read, "test", b, err);
		text_close(f);
	}
	if (rc) {
		fabric_build_free(b);
		return rc;
	}
	return fabric_build_finish(b, out, err);
}

static inline struct ibc_fabric *fabric_of(reader_fn *read, const void *bytes, size_t n)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;

	if (read_bytes(read, bytes, n, &fab, &err))
		print_error("%s\n", err.text);
	assert_non_null(fab);
	return fab;
}

/* The text is refused, and this is why. */
static inline void expect_refusal(reader_fn *read, const void *bytes, size_t n, const char *why)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;

	assert_int_equal(read_bytes(read, bytes, n, &fab, &err), -EINVAL);
	assert_string_equal(err.text, why);
}

/* This line is the first that is not understood, whether anything else is. */
static inline void expect_lost(reader_fn *read, const char *bytes, const char *why)
{
	struct ibc_error err = { "" };
	struct ibc_fabric *fab = NULL;
	int rc = read_bytes(read, bytes, strlen(bytes), &fab, &err);
	const struct ibc_subnet *subnet = rc ? NULL : ibc_fabric_subnet(fab, 0);
	char text[IBC_ERROR_MAX] = "";

	if (subnet && subnet->num_lost)
		snprintf(text, sizeof(text), "%s:%ju: %s", subnet->lost->file,
		         (uintmax_t)subnet->lost->line, subnet->lost->why);
	assert_string_equal(rc ? err.text : text, why);
	assert_true(rc == -EINVAL || (subnet->lines_lost && subnet->cut_short));
	ibc_fabric_free(fab);
}

/* A fabric as bytes, to be freed; NUL-terminated. */
static inline char *bytes_of(const struct ibc_fabric *fab, const char *format, size_t *n)
{
	struct ibc_error err = { "" };
	char *bytes = NULL;
	size_t length;
	FILE *out = open_memstream(&bytes, &length);

	assert_non_null(out);
	if (ibc_fabric_write(fab, format, out, &err))
		print_error("%s\n", err.text);
	assert_string_equal(err.text, "");
	assert_int_equal(fclose(out), 0);
	if (n)
		*n = length;
	return bytes;
}

/* A directory of this test, and files in it. */
static inline char *make_dir(void)
{
	char *dir = strdup("/tmp/ibcheck-test-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static inline char *make_file(const char *dir, const char *name, const void *bytes, size_t n)
{
	char *path;
	FILE *out;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
	return path;
}

static inline void drop_file(char *path)
{
	unlink(path);
	free(path);
}

static inline void drop_dir(char *dir)
{
	assert_int_equal(rmdir(dir), 0);
	free(dir);
}

#endif
