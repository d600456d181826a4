/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records and cells of CSV.  libcsv would read them, but reports neither line nor
 * column of a cell, and takes the rest of the file into one cell where a quotation
 * mark is not closed: here that is an error with its place, and memory stays bounded.
 */
#include "source/csv.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

/* Where reading is in a record. */
struct csv_cursor {
	char *s;
	struct text_place at;
};

/* Columns count characters: bytes that continue one do not. */
static void step_cursor(struct csv_cursor *c)
{
	if (*c->s == '\n') {
		c->at.line++;
		c->at.column = 0;
	}
	c->s++;
	c->at.column += ((unsigned char)*c->s & 0xc0) != 0x80;
}

static bool is_blank(char c, char separator)
{
	return (c == ' ' || c == '\t') && c != separator;
}

static void skip_blanks(struct csv_cursor *c, char separator)
{
	while (is_blank(*c->s, separator))
		step_cursor(c);
}

/* Ends a text at end, or before the blanks there. */
static void cut_at(char *text, char *end)
{
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
}

/* The text in quotation marks, up to the last of them; NULL if it is not there. */
static char *take_quoted(struct csv_cursor *c, char separator)
{
	char *text, *out;

	skip_blanks(c, separator);
	text = out = c->s;
	while (*c->s && (c->s[0] != '"' || c->s[1] == '"')) {
		char here = *c->s == '\n' ? ' ' : *c->s;

		if (here == '"')
			step_cursor(c);
		step_cursor(c);
		*out++ = here;
	}
	if (*c->s == '\0')
		return NULL;
	step_cursor(c);
	cut_at(text, out);
	return text;
}

/* A cell, and what follows it: 1: another one; 0: none; -1: there was a complaint. */
static int take_cell(struct csv *csv, struct csv_cursor *c)
{
	struct text_piece *cell = &csv->cells[csv->num++];
	bool more;

	skip_blanks(c, csv->separator);
	*cell = (struct text_piece){ c->s, c->at };
	if (*c->s == '"') {
		step_cursor(c);
		cell->text = take_quoted(c, csv->separator);
		if (!cell->text)
			return text_complain(csv->text, cell->at,
			                     "the quotation mark is not closed");
		skip_blanks(c, csv->separator);
		if (*c->s && *c->s != csv->separator)
			return text_complain(csv->text, c->at,
			                     "text after the closing quotation mark: inside a "
			                     "cell, double each quotation mark");
		more = *c->s;
	} else {
		while (*c->s && *c->s != csv->separator)
			step_cursor(c);
		more = *c->s;
		cut_at(cell->text, c->s);
	}
	cell->text += *cell->text == '\'' && str_is_formula(cell->text);
	return more;
}

/* 1: a record; 0: nothing but empty cells, or there was a complaint. */
static int split_record(struct csv *csv, char *line, unsigned long number)
{
	struct csv_cursor c = { line, { number, 1, NULL } };
	bool filled = false;
	int more = 1;

	csv->num = 0;
	while (more && csv->num < CSV_CELLS_MAX) {
		more = take_cell(csv, &c);
		if (more < 0)
			return 0;
		filled |= *csv->cells[csv->num - 1].text != '\0';
		if (more)
			step_cursor(&c);
	}
	csv->end = c.at;
	if (more)
		text_complain(csv->text, c.at, "more than %d cells in a line", CSV_CELLS_MAX);
	return !more && filled;
}

/* Does a cell in quotation marks go on in the next line? */
static bool goes_on(const char *s, char separator)
{
	bool inside = false, at_start = true;

	for (; *s; s++) {
		if (inside && s[0] == '"' && s[1] == '"')
			s++;
		else if (*s == '"' && (inside || at_start))
			inside = !inside;
		at_start = !inside && (*s == separator || (at_start && is_blank(*s, separator)));
	}
	return inside;
}

bool csv_is_comment(const char *line)
{
	return *line == '#' && strncasecmp(line + 1, "StartDevice", 11) != 0 &&
	       strncasecmp(line + 1, "Fields:", 7) != 0;
}

char csv_separator(const char *line)
{
	static const char separators[] = ",;\t";
	size_t best = 0, count[3] = { 0 };
	const char *found;

	for (; *line; line++) {
		found = strchr(separators, *line);
		if (found && ++count[found - separators] > count[best])
			best = (size_t)(found - separators);
	}
	return separators[best];
}

int csv_record(struct csv *csv, struct ibc_error *err)
{
	bool guess = csv->separator == 0;
	unsigned long number;
	size_t length;
	char *line;
	int rc;

	while ((rc = text_line(csv->text, &line, &length, err)) > 0) {
		number = text_line_number(csv->text);
		if (csv_is_comment(line + strspn(line, " \t")))
			continue;
		if (guess)
			csv->separator = csv_separator(line);
		for (int n = 1; rc > 0 && n < CSV_LINES_MAX && goes_on(line, csv->separator); n++)
			rc = text_line_on(csv->text, &line, &length, err);
		if (rc < 0)
			break;
		if (split_record(csv, line, number))
			return 1;
	}
	return rc;
}
