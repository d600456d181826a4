/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the name of a node says, and when two spellings of it are the same. */
#include <stdbool.h>
#include <stddef.h>

#define NODENAME_MAX 256 /* with NUL; a NodeDescription has 64 bytes, names of maps are short */

/* What of a text is compared, from strict to loose. */
enum name_form {
	NAME_EXACT,
	NAME_FOLDED, /* lower case, the HCA by index: "Node01.site HCA-1" is "node01.site#0" */
	NAME_SHORT,  /* and without the domain: "node01#0" */
	NAME_HOST,   /* the host alone: "node01" */
};

/* False: the text has no such form, or says nothing (the factory's description). */
bool name_form(char out[NODENAME_MAX], const char *text, enum name_form form);
/* Are these hosts of two domains? */
bool names_are_apart(const char *a, const char *z);

/* How much two names are alike that are not the same. */
enum name_likeness {
	NAMES_UNLIKE,
	NAMES_NEAR,  /* a letter is another, is missing, or is too many; two have changed places */
	NAMES_EQUAL, /* but for case, separators, and zeros before a number */
};

enum name_likeness names_compare(const char *a, const char *z);
/* What equal names have in common.  False: the text says nothing. */
bool name_plain(char out[NODENAME_MAX], const char *text);

/*
 * What people call a managed switch: of "MF0;spine02:MQM8700/U1" that is "spine02", of a
 * director's ASIC "MF0;core1:CS7500/L05/U1" it is "core1 L05/U1".  False: no such name.
 */
bool name_of_system(char out[NODENAME_MAX], const char *name);

/* Is this what an HCA is called inside its host: "mlx5_0", "HCA-1", "ibp65s0"? */
bool is_hca_name(const char *s);
/* Is it a word that names no host, though a description has it: an HCA's, a product's? */
bool is_common_word(const char *word);
/* Is this a NodeDescription as it left the factory, which names no host? */
bool is_factory_text(const char *text);
/* Is it the reduction engine of a switch, which answers as an HCA? */
bool is_aggregation_node(const char *text);
/* Is it a text that everybody has: none, the factory's, or of a host without a name? */
bool says_nothing(const char *text);
/* Is this what a host is called before it is given a name? */
bool is_nameless(const char *host, size_t length);
