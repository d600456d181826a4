/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_ERROR_H
#define IBCHECK_ERROR_H

/**
 * DOC: errors
 *
 * Every function that can fail returns 0, or a negative errno value that says
 * which kind of failure it was, and takes a struct ibc_error as its last
 * argument for the sentence a person reads.  The sentence is composed where
 * the facts are: what failed, on what, the system's reason, and the remedy
 * where it is certain.  It ends without a full stop and without a newline.
 *
 * The library never prints, exits, reads the environment or installs signal
 * handlers.
 */

#include <stddef.h>

#pragma GCC visibility push(default)

#define IBC_ERROR_MAX 1024

/**
 * struct ibc_error - one sentence about what failed
 * @text: NUL-terminated UTF-8, "" while nothing has failed
 *
 * Allocated by the caller; wherever one is asked for, NULL is allowed.
 */
struct ibc_error {
	char text[IBC_ERROR_MAX];
};

/**
 * ibc_shell_word() - a text that others gave, as one word of a command line to be pasted
 * @out: @size bytes, IBC_SHELL_TEXT for a name: gets it in quotation marks, where it needs any;
 *	control characters become "?", which fits any character of a name
 *
 * Return: @text or @out.
 */
#define IBC_SHELL_TEXT 1024
const char *ibc_shell_word(const char *text, char *out, size_t size);

/**
 * ibc_text_distance() - how many letters to change, add or remove between two words
 * @a, @b: of @na and @nb bytes; of longer ones the first IBC_TEXT_DISTANCE_MAX count
 *
 * For "did you mean".
 */
size_t ibc_text_distance(const char *a, size_t na, const char *b, size_t nb);
#define IBC_TEXT_DISTANCE_MAX 95

#define IBC_NEAR_BEST 3  /* names worth offering */
#define IBC_NEAR_NAME 96 /* longer ones are cut */

/**
 * struct ibc_near - the candidates nearest to a word that is none of them
 * @typed:  the word; set it, and leave all else 0
 * @length: how much of @typed counts; 0: all
 */
struct ibc_near {
	const char *typed;
	int length;
	unsigned int num;
	struct {
		char name[IBC_NEAR_NAME];
		size_t distance;
	} best[IBC_NEAR_BEST];
	char text[IBC_NEAR_BEST * (IBC_NEAR_NAME + 4) + 32];
};
void ibc_near_offer(struct ibc_near *near, const char *candidate);
/* "; did you mean a, b or c?", or "" */
const char *ibc_near_text(struct ibc_near *near);

#pragma GCC visibility pop

#endif
