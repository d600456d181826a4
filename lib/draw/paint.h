/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_PAINT_H
#define DRAW_PAINT_H

/* What all SVG has in common: text from others, colours for light and dark. */
#include <stdio.h>

/* Text that came from others is inert in an element and in an attribute. */
void svg_text(const char *text, FILE *out);
/* At most so many columns of it, with "..." in the middle: ends of names tell them apart. */
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

#endif
