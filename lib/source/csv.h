/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Records of a CSV file that people write (RFC 4180, and what spreadsheets make of
 * it).  What is wrong is reported by text_complain(), and the record left out.
 */
#include <stdbool.h>
#include <stddef.h>

#include "source/source.h"

#define CSV_CELLS_MAX 256 /* of a line; spreadsheets of sites have some dozens */
/* A cell in quotation marks may go on for so many lines: then one was not meant so. */
#define CSV_LINES_MAX 20

/*
 * struct csv - one record; start from { .text = ... }
 * @separator: 0: csv_record() takes the most frequent one, and keeps to it
 * @end: where the record ends
 * @cells: @num of them, without blanks around, until the next csv_record()
 */
struct csv {
	struct text_file *text;
	char separator;
	size_t num;
	struct text_place end;
	struct text_piece cells[CSV_CELLS_MAX];
};

/* The next record that is no comment and has a cell that is not empty; as text_line(). */
int csv_record(struct csv *csv, struct ibc_error *err);
/* Does it begin with '#'?  The headings of UFM do, and are none. */
bool csv_is_comment(const char *line);
/* Of a line: ',', ';' or a tab. */
char csv_separator(const char *line);
