/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

struct arena;

/* hostlist.c: "node[01-10],node12", as ibc_hostlist_fold() has it; NULL: no memory. */
const char *folded_hosts(struct arena *a, const char *const *names, size_t n);
/* The same, cut between names where it is long. */
const char *folded_names(struct arena *a, const char *const *names, size_t n);
