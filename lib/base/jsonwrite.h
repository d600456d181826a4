/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * JSON that is written as it comes, without a tree: rows of tables, lines of snapshots.
 * Bytes are as jansson writes them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * struct json_out - the text so far; the caller takes it, sets length to 0, and frees it
 * @precision: significant digits of reals; 17 distinguish all doubles
 * @spaced: a blank behind commas and colons
 * @failed: out of memory; nothing is written any more
 */
struct json_out {
	char *text;
	size_t length, room;
	int precision;
	bool spaced, failed;
};

void json_open(struct json_out *o, char bracket);
void json_close(struct json_out *o, char bracket);
/* A key has no character that needs an escape, and is followed by its value. */
void json_key(struct json_out *o, const char *key);
/* Bytes as they are, between values. */
void json_raw(struct json_out *o, const char *bytes);

void json_put_null(struct json_out *o);
void json_put_bool(struct json_out *o, bool value);
void json_put_number(struct json_out *o, int64_t value);
/* Infinity and NaN, which JSON does not have, are null. */
void json_put_real(struct json_out *o, double value);
/* "0x%016x" */
void json_put_guid(struct json_out *o, uint64_t value);
/* What is no UTF-8 becomes U+FFFD. */
void json_put_text(struct json_out *o, const char *text);
/* Text that needs no escapes. */
void json_put_word(struct json_out *o, const char *word);
void json_put_plain(struct json_out *o, const char *text, size_t n);
