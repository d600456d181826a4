/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <ibcheck/types.h>

/* The words of an enumeration: a table ends with the unknown value. */
struct word_entry {
	unsigned int value;
	struct ibc_word word;
};
/* clang-format off */
#define WORDS_END { 0, { "unknown", "unknown" } }
/* clang-format on */

/* Never NULL. */
const struct ibc_word *words_find(const struct word_entry *table, unsigned int value);

/*
 * From text to value, for readers of files; accepts the word and the name, in
 * any case ("4x", "EDR", "linkup").  ..._UNKNOWN if it is none.
 */
unsigned int words_value(const struct word_entry *table, const char *text);
enum ibc_width width_of(const char *text);
enum ibc_speed speed_of(const char *text);
