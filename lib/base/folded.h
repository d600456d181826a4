/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_FOLDED_H
#define BASE_FOLDED_H

#include <stddef.h>

struct arena;

/*
 * "node[01-10],node12"; and cut between names where it is long.  NULL: no memory, and @a has no
 * escape.
 */
const char *folded_all(struct arena *a, const char *const *names, size_t n);
const char *folded_names(struct arena *a, const char *const *names, size_t n);

#endif
