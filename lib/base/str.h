/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as people write them, whole string or nothing.  0, or -EINVAL (not a
 * number, trailing text) or -ERANGE (outside min..max).  Base 10, or 16 with "0x".
 */
int str_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);
/* "10", "0.5": a number >= 0 without sign or exponent; errors as above */
int str_real(const char *s, double *out);
/* "0x0002c903007b78b0" or the same digits without 0x: 1..16 hex digits */
int str_guid(const char *s, uint64_t *out);

/* "PortXmitWait", "PORT_XMIT_WAIT": "portxmitwait", letters and digits, cut where it is long */
char *str_squeeze(char *out, size_t size, const char *text);
/* Does a text begin with one of these, "CA: |Switch: ", or @inside: has it one anywhere? */
bool str_any(const char *text, const char *words, bool inside);
/* The first n bytes of a text, terminated; false: they do not fit. */
bool str_cut(char *out, size_t size, const char *text, size_t n);

/* "1 cable", "4 cables", "2 switches", "3 queries" */
#define AMOUNT_TEXT 64 /* bytes that it takes at the most */
const char *str_amount(char text[AMOUNT_TEXT], uint64_t n, const char *what);
/*
 * printf() in parts, so that what stands for a %s can be escaped and be of any length: @put is
 * called for each in turn, with @is_text for those.  No part of the format has 256 bytes, nor "*".
 */
void str_each_part(const char *format, va_list *ap,
                   void (*put)(void *ctx, const char *part, bool is_text), void *ctx);

/* Versions by their numbers, as strcmp(): "31.2012.1068" is newer than "31.2012.968". */
int str_version_order(const char *a, const char *z);

#define STR_GUID_MAX 19 /* "0x" + 16 digits + NUL */
/* Writes "0x%016x" into buf and returns it. */
char *str_from_guid(char buf[STR_GUID_MAX], uint64_t guid);

/*
 * Would a spreadsheet take such a cell for a formula?  Numbers and a lone sign are none.  An
 * apostrophe before it makes it text; so that it can be taken away again, those that are there
 * already do not count.
 */
bool str_is_formula(const char *text);
