/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_LINES_H
#define HOST_LINES_H

/* Text files below a host's root, line by line. */
#include "host/stream.h"

struct ibc_host;

/* Returns its path; a file that is not there has no lines. */
const char *lines_open(struct ibc_host *host, struct stream *s, const char *file);
/* Notes what could not be read. */
void lines_close(struct ibc_host *host, struct stream *s, const char *path);

/* Fit for the model; "" when out of memory, which is remembered. */
const char *text_clean(struct ibc_host *host, const char *text, size_t n);
/* What follows this at the beginning of a line; NULL: it begins otherwise. */
const char *text_after(const char *line, const char *prefix);

#endif
