/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What drawings have in common: what the findings name, and the text and colours of SVG. */
#include <stdio.h>

#include <ibcheck/fabric.h>
#include <ibcheck/report.h>

struct arena;

/* ---- marks.c ---- */

/*
 * Calls for the subject of every finding that counts and is no consequence of another, and
 * for the cables as found and as planned that are related to it.
 */
void named_each(const struct ibc_report *rep,
                void (*visit)(void *ctx, const struct ibc_finding *f,
                              const struct ibc_subject *subject),
                void *ctx);
/* The node of an end; NULL: the fabric has none of that GUID. */
const struct ibc_node *named_end_node(const struct ibc_fabric *fab, const struct ibc_end *end);
/* Is there such a cable between the two? */
bool named_is_there(const struct ibc_node *near, const struct ibc_subject *cable,
                    const struct ibc_node *far);

/* ---- paint.c ---- */

/* "54 switches, 648 hosts, 1296 cables" */
const char *drawing_title(struct arena *a, const struct ibc_fabric *fab);
/* The end of every drawing: 0, or -EIO if anything was not written; errno was 0 before. */
int drawing_end(FILE *out, struct ibc_error *err);
/* Text that came from others is inert in an element and in an attribute. */
void svg_text(const char *text, FILE *out);
/* printf() of markup, in which what stands for a %s is such text. */
void svgf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* At most so many columns of it, with ".." in the middle: names differ at their ends. */
#define SHORT_TEXT 128 /* bytes */
char *svg_short(const char *text, size_t columns, char buf[SHORT_TEXT]);
/* Width in pixels, no less than any common font makes it. */
double svg_width(const char *text, double font);
/*
 * Opens the element, of class ibc-picture and its own, so that a page can hold several, which
 * screen readers call by its title, with colours for what has these classes: ink, soft, fault, slow
 * (text and lines), r0 .. r5 (lines), s0 .. s5, paper (areas); each is a CSS variable, --ibc-ink,
 * with a plain value before it for those that know none.
 */
void svg_open(const char *class, const char *title, double width, double height,
              const char *more_style, FILE *out);
void svg_close(FILE *out);
