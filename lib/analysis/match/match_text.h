/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_MATCH_TEXT_H
#define ANALYSIS_MATCH_TEXT_H

/* When two spellings of a node's name are the same. */
#include <stdbool.h>

#define MATCH_TEXT_MAX 256 /* with NUL; a NodeDescription has 64 bytes, names of maps are short */

/* What of a text is compared, from strict to loose. */
enum text_form {
	TEXT_EXACT,
	TEXT_FOLDED, /* lower case, the HCA by index: "Node01.site HCA-1" is "node01.site#0" */
	TEXT_SHORT,  /* and without the domain: "node01#0" */
	TEXT_HOST,   /* the host alone: "node01" */
};

/* False: the text has no such form, or says nothing (the factory's description). */
bool match_text(char out[MATCH_TEXT_MAX], const char *text, enum text_form form);
/* Are these hosts of two domains? */
bool match_are_apart(const char *a, const char *z);

#endif
