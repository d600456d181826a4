/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_PICTURE_H
#define CMD_PICTURE_H

/* The picture of a fabric, in a file of its own: options that several commands have. */
#include "cmd.h"

#define PICTURE_COLOURS "faults errors wait utilization age speed"

/* clang-format off */
/* @colours: those that the command can show, for the help; @list: as struct opt.words */
#define PICTURE_OPTS(type, colours, list) \
	OPT_STR(0, "svg", "FILE", type, svg, \
	        "draw the fabric for a browser: as a tree, or more than 40 switches as a matrix", \
	        .hint = HINT_FILE), \
	OPT_STR(0, "colour", "WHAT", type, colour, \
	        "with --svg: the meaning of the colours of a matrix: " colours, \
	        .hint = HINT_WORDS, .words = (list))
/* clang-format on */

/* struct picture - @path: NULL: none is wanted */
struct picture {
	const char *path;
	enum ibc_colour colour;
};
/* What the options say; an error if that cannot be told. */
int picture_of(const char *path, const char *colour, struct picture *out, struct ibc_error *err);
/* What the sweep has to read for it. */
struct ibc_attrs picture_needs(const struct picture *picture);
/* Once the findings are final. */
int picture_draw(struct app *app, const struct picture *picture, struct ibc_error *err);

#endif
