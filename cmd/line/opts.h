/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Options are data: parsing, -h, completion, configuration and the manual's lint read them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

enum opt_kind {
	OPT_KIND_FLAG,
	OPT_KIND_STR,
	OPT_KIND_LIST,
	OPT_KIND_UINT,
	OPT_KIND_HEX,
	OPT_KIND_SECONDS,
	OPT_KIND_SPAN
};

/* What completion offers for a value. */
enum opt_hint {
	HINT_NONE,
	HINT_FILE,
	HINT_DIR,
	HINT_FORMAT,
	HINT_CHECK,
	HINT_SOURCE,
	HINT_CA,
	HINT_TOPIC,
	HINT_TABLE,
	HINT_WORDS
};

/*
 * struct opt - one option
 * @letter: 0: none
 * @arg: name of the value in the help, NULL for a flag
 * @offset: where in the command's (or the common) structure it goes
 * @min, @max: of a number
 * @scope: a common option concerns only commands that take this; 0: all
 * @words: with HINT_WORDS: what the value, or each part of a list, may be: "errors data all"
 * @section: of the configuration file, where it may stand; or NULL
 * @part: that reads it, and not the part of its command: without it, it is refused; or NULL
 * @secret: its value is overwritten on the command line: reports quote that
 * @file_only: the configuration alone may have it; on the command line it is an error
 */
struct opt {
	char letter;
	const char *name, *arg, *help;
	enum opt_kind kind;
	enum opt_hint hint;
	size_t offset;
	uint64_t min, max;
	unsigned int scope;
	const char *words, *section, *part;
	bool secret, file_only;
};

/* OPT_KIND_LIST collects into one of these. */
struct str_list {
	const char **items; /* NULL-terminated, or NULL while empty */
	size_t n;
};
int str_list_add(struct str_list *list, const char *item, struct ibc_error *err);

/*
 * Room for one more element behind the n of an array; it doubles, and may move.  @array: points to
 * the pointer to the array, which may be NULL with *room 0.  0, or -ENOMEM: all is as it was.
 */
int rows_grow(void *array, size_t n, size_t *room, size_t size, struct ibc_error *err);

/* OPT_KIND_SPAN: "3" are runs, "15m" is a time; the other one is 0. */
struct opt_span {
	unsigned int runs;
	double seconds;
};

/* clang-format off */
/* The field must be of that type, else it does not compile. */
#define OPT(c, long_name, value, of, type, owner, field, text, ...) { \
	.letter = (c), .name = (long_name), .arg = (value), .help = (text), .kind = (of), \
	.offset = offsetof(owner, field) + 0 * sizeof((type *)0 == &((owner *)0)->field), \
	__VA_ARGS__ \
}
#define OPT_FLAG(c, name, owner, field, text, ...) \
	OPT(c, name, NULL, OPT_KIND_FLAG, bool, owner, field, text, __VA_ARGS__)
#define OPT_STR(c, name, value, owner, field, text, ...) \
	OPT(c, name, value, OPT_KIND_STR, const char *, owner, field, text, __VA_ARGS__)
#define OPT_LIST(c, name, value, owner, field, text, ...) \
	OPT(c, name, value, OPT_KIND_LIST, struct str_list, owner, field, text, __VA_ARGS__)
#define OPT_UINT(c, name, value, owner, field, least, most, text, ...) \
	OPT(c, name, value, OPT_KIND_UINT, unsigned int, owner, field, text, \
	    .min = (least), .max = (most), __VA_ARGS__)
#define OPT_HEX(c, name, value, owner, field, text, ...) \
	OPT(c, name, value, OPT_KIND_HEX, uint64_t, owner, field, text, __VA_ARGS__)
#define OPT_SECONDS(c, name, value, owner, field, most, text, ...) \
	OPT(c, name, value, OPT_KIND_SECONDS, double, owner, field, text, .max = (most), __VA_ARGS__)
#define OPT_SPAN(c, name, value, owner, field, most, text, ...) \
	OPT(c, name, value, OPT_KIND_SPAN, struct opt_span, owner, field, text, .min = 1, \
	    .max = (most), __VA_ARGS__)
#define OPT_END { 0 }
/* clang-format on */

/*
 * struct opt_set - a table of options and the structure their values go into
 * @opts: ended by OPT_END, or NULL for none; at most 64
 * @given: bit i: option i was on the command line; @by_letter: as its letter
 */
struct opt_set {
	const struct opt *opts;
	void *into;
	uint64_t given, by_letter;
};

/*
 * Parses the options of all @n sets in argv[1..].  Values point into argv.
 * @stop: end at the first word that is no option; else words move to the end
 * @used: how many elements of argv were used, argv[0] included
 *
 * 0, or -EINVAL with a sentence.
 */
int opts_parse(struct opt_set *sets, size_t n, int argc, char **argv, bool stop, int *used,
               struct ibc_error *err);
/* Stores one value: text as on a command line, NULL for a flag. */
int opt_store(const struct opt *opt, void *into, const char *text, struct ibc_error *err);
/* Copies values, their lists too, so that both are to be freed with opts_free(). */
int opts_copy(const struct opt *opts, const void *from, void *into, size_t size,
              struct ibc_error *err);
/* Frees the lists among the values; not what they point to. */
void opts_free(const struct opt *opts, void *into);
/* The option of a long name, in any case of letters ("ca" is --Ca); or NULL. */
const struct opt *opt_find(const struct opt *opts, const char *name);
