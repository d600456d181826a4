/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_FILES_H
#define IBCHECK_FILES_H

#include <stdio.h>

#include <ibcheck/error.h>

#pragma GCC visibility push(default)

/**
 * DOC: files and directories that others can replace
 *
 * Who can write a directory can put a link, a pipe or a directory in the place of what is expected
 * there.  Nothing of that leads out of the directory: a link is followed only if it belongs to
 * root or to who runs this program, and never for the file itself.
 */

/**
 * ibc_dir_open() - the directory that a path leads to
 * @last: NULL: @path is the directory; else it is in the directory, and *last its name there: to
 *	  be freed, and no link, except one of /proc to what this process has open
 *
 * Return: a descriptor, with @last for openat(2) and its like alone; -ELOOP a link belongs to
 * another user; or what the system said.
 */
int ibc_dir_open(const char *path, char **last, struct ibc_error *err);
/* The same, made with 0755 if it is not there; the directory it is in must be. */
int ibc_dir_make(const char *path, struct ibc_error *err);

/**
 * ibc_file_open() - a file of a directory, which has no other name
 * @flags, @mode: of openat(2)
 * @why: gets the reason alone, without the name
 *
 * Never waits for the other end of a pipe.
 *
 * Return: a descriptor; -ELOOP, -EMLINK or -EINVAL a link, a file with several names, or no file;
 * or what the system said.
 */
int ibc_file_open(int dir, const char *name, int flags, unsigned int mode, struct ibc_error *why);

/**
 * ibc_file_read() - the file that a path leads to, as above; or what this process has open
 * @in: to be read, and closed; left alone after an error
 *
 * Return: 0, or what ibc_dir_open() and ibc_file_open() return.
 */
int ibc_file_read(const char *path, FILE **in, struct ibc_error *err);

#pragma GCC visibility pop

#endif
