/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No file of proc(5) is longer but by mistake: a million mappings take about as much. */
#define BYTES_MAX (64 << 20)

void stream_of(struct stream *s, int fd, char separator)
{
	s->fd = fd;
	s->separator = separator;
	s->error = 0;
	s->number = 0;
	s->length = s->at = s->n = s->total = 0;
}

int stream_take(struct stream *s, int fd, char separator)
{
	struct stat st;

	stream_of(s, fd, separator);
	if (fd < 0)
		s->error = errno;
	else if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		s->error = EINVAL;
	return s->error ? stream_close(s) : 0;
}

int regular_open(int place)
{
	char path[64];
	struct stat st;
	int fd = -1, error = EINVAL;

	if (place < 0)
		return -1;
	if (!fstat(place, &st) && S_ISREG(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* without a /proc of our own it is not to be had: it may be there all the same */
		error = fd < 0 && errno == ENOENT ? EIO : errno;
	}
	close(place);
	errno = error;
	return fd;
}

int stream_open(struct stream *s, int dir, const char *name, char separator)
{
	/* not to be held up by a pipe that lies in its place */
	return stream_take(s, openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), separator);
}

static bool fill_stream(struct stream *s)
{
	ssize_t got;

	if (s->total >= BYTES_MAX) {
		s->error = E2BIG;
		return false;
	}
	do
		got = read(s->fd, s->bytes, sizeof(s->bytes));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		s->error = errno;
	s->at = 0;
	s->n = got > 0 ? (size_t)got : 0;
	s->total += s->n;
	return s->n != 0;
}

bool stream_next(struct stream *s)
{
	bool any = false;
	const char *end = NULL;

	s->length = 0;
	while (!end && !s->error && (s->at < s->n || fill_stream(s))) {
		const char *from = s->bytes + s->at;
		size_t n = s->n - s->at, room = STREAM_ITEM_BYTES - s->length;

		end = memchr(from, s->separator, n);
		n = end ? (size_t)(end - from) : n;
		room = n < room ? n : room;
		memcpy(s->item + s->length, from, room);
		s->length += room;
		s->at += n + (end != NULL);
		any = true;
	}
	s->item[s->length] = '\0';
	s->number += any;
	return any && !s->error;
}

int stream_close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	return s->error;
}
