/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_FARFILE_H
#define SOURCE_FARFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

struct fabric_build;
struct text_file;

/* farfile.c: ibdiagnet2.far, static and adaptive tables; as read_tables(). */
bool is_far(const uint8_t *bytes, size_t n);
int read_far(struct text_file *f, struct fabric_build *b, struct ibc_error *err);

#endif
