/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Files and directories below a host's root.  What cannot be read is noted in the host,
 * and costs only itself; running out of memory is remembered there.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/array.h"
#include "host/stream.h"

struct ibc_host;
struct ibc_rdma_device;

#define FILE_BYTES  4096 /* sysfs shows no more than a page */
#define ENTRIES_MAX 1024 /* of a directory of sysfs; a host has a few dozen devices at the most */

/* fd is -1 where it could not be opened. */
struct dir {
	int fd;
	const char *path;
};

struct dir_names {
	const char *items[ENTRIES_MAX];
	size_t n;
};

/*
 * struct dir_field - a file, and where its value goes; its name is the key of the fact it is
 * @optional: drivers and kernels without it are no fault
 * @parse: from text to what is at offset; false: not understood
 */
struct dir_field {
	const char *file;
	bool optional;
	bool (*parse)(const char *text, void *out);
	size_t offset;
};

void note_unread(struct ibc_host *host, const char *path, int error);
/* The same, unless the path is noted already. */
void note_unread_once(struct ibc_host *host, const char *path, int error);
/* Something that was read, for comparing hosts; texts are not copied. */
void note_fact(struct ibc_host *host, const char *subject, const char *key, const char *value,
               const char *path);

/* In the host's arena; "" when out of memory, which is remembered. */
const char *host_text(struct ibc_host *host, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *path_of(struct ibc_host *host, const struct dir *dir, const char *name);

/* Fit for the model; "" when out of memory, which is remembered. */
const char *text_clean(struct ibc_host *host, const char *text, size_t n);
/* What follows this at the beginning of a line; NULL: it begins otherwise. */
const char *text_after(const char *line, const char *prefix);

/* A text file by its path below the root.  Returns its path; one that is not there has no lines. */
const char *lines_open(struct ibc_host *host, struct stream *s, const char *file);
/* Notes what could not be read. */
void lines_close(struct ibc_host *host, struct stream *s, const char *path);

/* A directory by its path below the root: "/sys/class/net".  Noted if it is not there, unless
   @optional. */
struct dir open_path(struct ibc_host *host, const char *path, bool optional);
struct dir open_dir(struct ibc_host *host, const struct dir *at, const char *name);
/* No effect on one that could not be opened. */
void close_dir(struct dir *dir);
/* Of pointers to names: "mlx5_2" before "mlx5_10". */
int by_version(const void *a, const void *b);
/* As fdopendir(); what is no directory is closed, and a descriptor of -1 leaves errno alone. */
DIR *entries_of(int fd);
/* As readdir() has it, with an error apart from the end: *error is errno, or 0. */
const struct dirent *next_entry(DIR *stream, int *error);
/* The entries of a directory but those that begin with a dot, by_version(); of one that could
   not be opened none. */
void list_dir(struct ibc_host *host, const struct dir *dir, struct dir_names *names);
/* Calls for each entry of a directory by its path below the root, if that is there; a file that
   lies beside directories is none of them. */
enum entry { ENTRY_DIRECTORY, ENTRY_FILE };
void each_entry(struct ibc_host *host, const char *path, enum entry which,
                void (*read)(struct ibc_host *host, const struct dir *all, const char *name));
/* The same for each entry of a directory beside a device: "hwmon". */
void each_beside(struct ibc_host *host, const char *directory,
                 void (*read)(struct ibc_host *host, const struct dir *all, const char *name,
                              struct ibc_rdma_device *device));
bool has_entry(const struct dir *dir, const char *name);

/* As read() has it: so many at once the kernel gives of a file in sysfs. */
ssize_t read_some(const struct dir *dir, const char *name, void *bytes, size_t size);
/* The file's first line, fit for the model; NULL: not there, or noted as unread. */
const char *read_text(struct ibc_host *host, const struct dir *dir, const char *name,
                      bool optional);
/* The same with errno (or 0) instead of a note. */
const char *read_or_error(struct ibc_host *host, const struct dir *dir, const char *name,
                          int *error);
/* Each of the files into its place, and noted as a fact of @subject (NULL: not). */
void read_fields(struct ibc_host *host, const struct dir *dir, const struct dir_field *fields,
                 size_t n, const char *subject, void *out);
/* One file of a directory by its path below the root, neither of which need be there. */
const char *read_lone(struct ibc_host *host, const char *path, const char *name);
/* Where a link leads, cut to the size; false with errno. */
bool read_link(int dir, const char *name, char *target, size_t size);
/* The last part of it: "mlx5_core"; "" if it is none. */
const char *read_link_name(struct ibc_host *host, const struct dir *dir, const char *name);

/* Parsers for fields. */
bool parse_text(const char *text, void *out); /* const char * */
bool parse_u32(const char *text, void *out);  /* uint32_t */
bool parse_u8(const char *text, void *out);   /* uint8_t */
bool parse_u64(const char *text, void *out);  /* uint64_t */
