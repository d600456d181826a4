/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TREE_H
#define TREE_H

/* A directory of files with what the input says, for fuzzers of what is read of a host. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char root[] = "/tmp/ibcheck-fuzz-XXXXXX";
static int root_fd = -1;

static inline void open_root(void)
{
	assert(mkdtemp(root));
	root_fd = open(root, O_RDONLY | O_DIRECTORY);
	assert(root_fd >= 0);
}

static inline void put(const char *file, const void *bytes, size_t n)
{
	int fd = openat(root_fd, file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* A line of the input for each of n files; what is left of it stays. */
static inline void put_lines(const char *const *files, size_t n, const uint8_t **data, size_t *size)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
		size_t bytes = end ? (size_t)(end - *data) + 1 : *size;

		put(files[i], *data, bytes);
		*data += bytes;
		*size -= bytes;
	}
}

#endif
