/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Bytes on their way out: the first failure is kept and ends all writing. */
#include <stdio.h>

#include "report/report.h"

struct arena;

/*
 * @say: how this format writes text that came with the report
 * @this_host: the name of what is called "this host" instead; NULL: names are written
 * @line: text collected before it is known what becomes of it; freed by render.c
 * @arena: for all of a run; it has an escape: who asks it for memory holds no other
 */
struct writer {
	FILE *out;
	struct arena *arena;
	int error; /* negative errno */
	bool begun;
	const struct ibc_render_opts *opts;
	void (*say)(struct writer *w, const char *text);
	const char *this_host;
	char *line;
	size_t length, room;
};

/* The format's own syntax, as it is. */
void put(struct writer *w, const char *s);
/* Text that came with the report, as the format writes it. */
void say(struct writer *w, const char *text);
/* With what stands for a %s as such text; the rest as it is, or like text too. */
void putf(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sayf(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_bytes(struct writer *w, const char *s, size_t n);
void put_blanks(struct writer *w, size_t n);
void end_line(struct writer *w);
/* Adds to w->line; w->length = 0 begins anew. */
void collect_text(struct writer *w, const char *text);
/* Nothing is written after this. */
void give_up(struct writer *w, int error);

/* Writes with every string @from replaced by its @to; a table ends with an empty element. */
struct escape {
	const char *from, *to;
};
void put_escaped(struct writer *w, const char *s, const struct escape *escapes);
void collect_escaped(struct writer *w, const char *s, const struct escape *escapes);

/* ---- text.c, json.c, csv.c, html.c, prometheus.c, nagios.c, junit.c -------- */

/* struct renderer - a format, renderer_NAME in the file of its name */
struct renderer {
	const char *name;
	void (*render)(struct writer *w, const struct ibc_report *rep);
};
/* Those of formats.txt that this build has, in its order; ended by NULL. */
extern const struct renderer *const renderers[];

/* table.c: a part of text that is a page of its own. */
void put_table(struct writer *w, const struct ibc_table *table);
/* "measurements (perf_pairs)": a title, and what --table calls it */
void put_table_name(struct writer *w, const struct ibc_table *table);

/* "2026-01-31T12:00:00Z"; NULL: no time. */
#define UTC_TEXT 32
const char *utc_text(time_t when, char text[UTC_TEXT]);
