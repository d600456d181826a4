/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The page in parts: html.c has its frame, htmlcases.c and htmltable.c what is in it. */
#include <limits.h>

#include "render/say.h"

#define PAGE_ROWS  50    /* of a table are there without a script */
#define PAGE_MOST  20000 /* of a longer table those that a case names */
#define PAGE_CASES 500   /* at most, but for critical ones */
#define ROW_PLACES 4     /* a step of repair has so many, each a column of GUIDs */
#define ROW_CASES  8     /* a row shows no more */

/* struct place - a port, or with WHOLE_NODE all of a node */
#define WHOLE_NODE UINT_MAX
struct place {
	uint64_t guid;
	unsigned int port;
};

/* struct named - a place that a case names */
struct named {
	struct place place;
	const struct ibc_case *in_case;
};

/*
 * struct page - what the parts share
 * @named: by place
 * @cards: of each case whether it stands in the page, not only in a number of them
 */
struct page {
	struct writer *w;
	const struct ibc_report *report;
	struct named *named;
	size_t num_named;
	bool *cards;
};

/* page.css and page.js as they are, and "sha256-..." of the latter */
extern const char page_style[], page_script[], page_script_hash[];

/* ---- htmlcases.c ---- */

/* A sign for those who do not see its colour. */
void put_sign(struct writer *w, enum ibc_severity severity);
/* Which cases stand in the page, and which places they name. */
void find_cards(struct page *p);
/* Is there something to link to? */
bool has_card(const struct page *p, const struct ibc_case *c);
/* The cases that name one of the places, each once; a case that names a node names its ports. */
size_t cases_of(const struct page *p, const struct place *places, size_t n,
                const struct ibc_case *cases[ROW_CASES]);
/* What a manager reads, on a sheet of its own: the worst cases, what changed, what is covered. */
void put_summary(const struct page *p);
void put_page_cases(const struct page *p);
void put_page_coverage(const struct page *p);

/* ---- htmltable.c ---- */

/* The first table from here on that has something to show; @all: whatever it has. */
const struct ibc_table *next_page_table(const struct ibc_table *t, bool all);
void put_page_table(const struct page *p, const struct ibc_table *t, bool all);
