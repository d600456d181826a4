/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena;

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the character at s, its code point in *c; 0 if there is no valid one. */
size_t utf8_character(const char *s, size_t n, uint32_t *c);

/*
 * Text that came from others, made fit for the model: valid UTF-8, without
 * control characters (C0, DEL, C1, line and paragraph separators, bidirectional
 * overrides), without trailing blanks.  What is unfit becomes U+FFFD.  Reading
 * ends at n bytes or at a NUL.  NULL when out of memory.
 */
const char *utf8_clean(struct arena *a, const char *bytes, size_t n);

/* The same in place, where nothing may grow: what is unfit becomes "?". */
void utf8_scrub(char *s);

/* Of a string that was cut: a last character of several bytes goes, as it may be part of one. */
void utf8_drop_cut(char *s);

/* Columns a string takes on a terminal (code points; wide ones count 2). */
size_t utf8_width(const char *s);
