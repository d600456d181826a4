/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Files as a process with another root directory sees them. */
struct stream;

/*
 * A descriptor of a path below the directory root, or -1 and errno.  Links lead where they
 * lead for who has that root, not for us.
 */
int rootfs_open(int root, const char *path, int flags);
/* The same of a regular file, to be read. */
int rootfs_file(int root, const char *path);
/* Its lines; 0 or errno. */
int rootfs_stream(struct stream *s, int root, const char *path);
