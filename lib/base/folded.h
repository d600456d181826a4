/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_FOLDED_H
#define BASE_FOLDED_H

#include <stddef.h>

struct arena;

/* "node[01-10],node12", cut between names where it is long; NULL: no memory. */
const char *folded_names(struct arena *a, const char *const *names, size_t n);

#endif
