/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_MATCH_WORK_H
#define ANALYSIS_MATCH_WORK_H

/* The inside of matching, for the files match*.c. */
#include "analysis/match.h"

/*
 * struct matching - the work in hand
 * @m: what becomes of it
 * @scratch: freed when all is matched
 * @plane_of: by planned plane: the found one that it is, or MATCH_NOBODY
 */
struct matching {
	struct match *m;
	struct arena *scratch;
	uint32_t *plane_of;
};

static inline const struct ibc_node *planned_node(const struct matching *w, uint32_t i)
{
	return ibc_fabric_node(w->m->planned, i);
}

static inline const struct ibc_node *found_node(const struct matching *w, uint32_t i)
{
	return ibc_fabric_node(w->m->found, i);
}

/* Is either of them free, and can the one be the other? */
bool match_can_pair(const struct matching *w, uint32_t planned, uint32_t found);
void match_pair(struct matching *w, uint32_t planned, uint32_t found, enum match_how how);

/* The steps, in this order.  False: out of memory. */
bool match_keys(struct matching *w);

/* ---- names -------------------------------------------------------------------------- */

#define MATCH_TEXT_MAX 256

/* What of a text is compared, from strict to loose. */
enum text_form {
	TEXT_EXACT,
	TEXT_FOLDED, /* lower case; the HCA's name is its index: "node01.site HCA-1" "node01.site#0"
	              */
	TEXT_SHORT,  /* and without the domain: "node01#0" */
	TEXT_HOST,   /* the host alone: "node01" */
};

/* False: the text has no such form, or says nothing (the factory's description). */
bool match_text(char out[MATCH_TEXT_MAX], const char *text, enum text_form form);
/* Has the host in this text a domain? */
bool match_text_has_domain(const char *text);

#endif
