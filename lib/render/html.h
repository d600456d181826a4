/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

/* The page in parts: html.c has its frame, htmlcases.c and htmltable.c what is in it. */
#include <limits.h>

#include "render/say.h"

#define PAGE_ROWS  500   /* as many rows, and cases, are there without a script */
#define PAGE_MOST  20000 /* of a longer table those that a case names */
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
 * @named, @pasts: by place
 * @cards: of each case whether it stands in the page, not only in a number of them
 */
struct page {
	struct writer *w;
	const struct ibc_report *report;
	struct named *named;
	size_t num_named, room_named;
	const struct past **pasts;
	bool *cards;
};

/* page.css and page.js as they are, and "sha256-..." of the latter */
extern const char page_style[], page_script[], page_script_hash[];

/* ---- htmlput.c: elements ---- */

/* Text, which stays text. */
void say_html(struct writer *w, const char *text);
/* Markup, as it is. */
void putf(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* <tag>text</tag>, and with a class if it has one; text is escaped */
void put_element(struct writer *w, const char *tag, const char *class, const char *text);
/* A sign for those who do not see its colour. */
void put_sign(struct writer *w, enum ibc_severity severity);

/* ---- htmlmarks.c: what joins cases, rows and cells ---- */

/* Fills @named, @pasts and @cards; what fails is kept in the writer. */
void find_marks(struct page *p);
void free_marks(struct page *p);
/* Is there something to link to? */
bool has_card(const struct page *p, const struct ibc_case *c);
/* The cases that name one of the places, each once; a case that names a node names its ports. */
size_t cases_of(const struct page *p, const struct place *places, size_t n,
                const struct ibc_case *cases[ROW_CASES]);
/* Collects "0x0002c90300000010/19 0x0002c90300000020/3". */
void collect_places(struct writer *w, const struct place *places, size_t n);
/* What these counted together; below 0: not known.  False: nothing is remembered of any. */
bool past_of(const struct page *p, const struct place *places, size_t n,
             double values[IBC_PAST_STEPS]);
/* The same as a picture in a line. */
void put_past(const struct page *p, const struct place *places, size_t n);

/* ---- htmlbrief.c: for somebody who decides ---- */

/* Is it work?  What is said for information only, or was accepted, is none. */
bool case_is_work(const struct ibc_case *c);
/* What the verdict means, how much is affected, and who has to act. */
void put_brief(const struct page *p);
/* What a case costs until it is repaired, and by whom; nothing, if nobody said. */
void put_consequence(const struct page *p, const struct ibc_case *c);

/* ---- htmlcases.c ---- */

/* What a manager reads, on a sheet of its own: the worst cases, what changed, what is covered. */
void put_summary(const struct page *p);
void put_page_cases(const struct page *p);
void put_page_coverage(const struct page *p);

/* ---- htmltable.c ---- */

/* The first table from here on that has something to show; @all: whatever it has. */
const struct ibc_table *next_page_table(const struct ibc_table *t, bool all);
void put_page_table(const struct page *p, const struct ibc_table *t, bool all);

#endif
