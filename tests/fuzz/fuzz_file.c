/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file, compressed or not, is lines without a NUL, the same in every turn. */
#include "fabric_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the file comes to: its lines, or the error that ends them. */
static long read_lines(struct text_file *f)
{
	struct ibc_error err = { "" };
	size_t length;
	char *line;
	long lines = 0;
	int rc;

	for (; (rc = text_line(f, &line, &length, &err)) > 0; lines++) {
		assert(strlen(line) == length && length < LINE_MAX_BYTES);
		assert(!memchr(line, '\n', length));
	}
	assert(rc == 0 || (rc == -EINVAL && *err.text));
	return rc ? -lines - 1 : lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_file *f;
	long first;

	assert(text_open_bytes("fuzz", data, size, &f, NULL) == 0);
	first = read_lines(f);
	assert(text_rewind(f, NULL) == 0);
	assert(read_lines(f) == first);
	text_close(f);
	return 0;
}
