/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The keys of a fabric's ports, as a subnet manager keeps them in a directory.  opensm writes
 * a record a line, with an empty line behind it:
 *
 *	guid2mkey, guid2vskey	0x<port GUID> 0x<key>
 *	neighbors		0x<port GUID>:<port> 0x<port GUID>:<port>
 *	guid2lid		0x<port GUID> 0x<first LID> 0x<last LID>
 *
 * A switch has one port GUID, that of its port 0.  guid2vskey (V_Keys of the vendor's class)
 * is of NVIDIA's managers and may be missing, as may guid2lid.
 */
#include <stdbool.h>
#include <stdint.h>

#include <ibcheck/source.h>

struct arena;
struct keys;
struct text_file;

enum key_file { KEYS_M, KEYS_NEIGHBORS, KEYS_VENDOR, KEYS_LIDS, KEY_FILES };

/* Reads opts->key_files; freed with the arena.  *out is NULL where there is none. */
int keys_read(const struct ibc_source_opts *opts, struct arena *arena, const struct keys **out,
              struct ibc_error *err);
/* The directory, and when guid2mkey was written, in seconds since 1970. */
const char *keys_directory(const struct keys *keys);
uint64_t keys_time(const struct keys *keys);

/*
 * What the file has for a port: a key, the port GUID of its neighbor, its LID.  The number counts
 * for neighbors only, else it is 0.  False without keys, and for the GUID 0, which is none.
 */
bool keys_find(const struct keys *keys, enum key_file file, uint64_t guid, unsigned int port,
               uint64_t *out);

/* For fuzzing and tests: of one file, NULL when out of memory. */
struct keys *keys_new(struct arena *arena, const char *directory);
int keys_parse(struct keys *keys, enum key_file file, struct text_file *f, struct ibc_error *err);
