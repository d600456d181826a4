/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

struct fabric_build;
struct text_file;

/* farfile.c: ibdiagnet2.far, static and adaptive tables; as read_tables(). */
bool is_far(const uint8_t *bytes, size_t n);
int read_far(struct text_file *f, struct fabric_build *b, struct ibc_error *err);
