/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A file read item by item: lines, or what NULs separate.  However long the file and its
 * items are, this takes no more memory than it has: of an item that is longer, the
 * beginning is kept.
 */
#include <stdbool.h>
#include <stddef.h>

#define STREAM_ITEM_BYTES 4096 /* the longest line or string; what is longer is cut */

/*
 * struct stream - @item and @length hold the item that was read last, with a NUL behind it
 * @number: how many were read
 * @error: 0, or why no more can be read
 */
struct stream {
	int fd, error;
	char separator;
	unsigned long number;
	size_t length, at, n, total;
	char item[STREAM_ITEM_BYTES + 1], bytes[16384];
};

/*
 * 0 or errno; a file that is none (a pipe, a directory) is EINVAL.  Of a stream that is not
 * open there is no item, and stream_close() returns the error again.
 */
int stream_open(struct stream *s, int dir, const char *name, char separator);
/* The same of what openat() returned, errno with it; a descriptor is the stream's, or closed. */
int stream_take(struct stream *s, int fd, char separator);
/*
 * A descriptor of the regular file that the O_PATH descriptor @place is of, which is closed; or
 * -1 and errno.  Nothing else is opened: that alone starts a watchdog, rewinds a tape, or lets
 * a process write into a pipe.
 */
int regular_open(int place);
/* Of a descriptor, which is closed with the stream. */
void stream_of(struct stream *s, int fd, char separator);
bool stream_next(struct stream *s);
/* The error, if there was one. */
int stream_close(struct stream *s);
