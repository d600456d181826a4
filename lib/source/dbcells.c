/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of ibdiagnet2.db_csv: cells, columns by name, values. */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "source/dbcsv.h"
#include "source/source.h"

#define BLANKS " \t"

/* ---- cells ------------------------------------------------------------------- */

/*
 * Descriptions are quoted and nothing in them is escaped: what ends one is the mark that
 * a comma follows, or nothing.  NULL: there is none.  *next: the comma, or the end.
 */
static char *quoted_end(char *from, char **next)
{
	for (char *end = strchr(from, '"'); end; end = strchr(end + 1, '"')) {
		*next = end + 1 + strspn(end + 1, BLANKS);
		if (**next == ',' || **next == '\0')
			return end;
	}
	return NULL;
}

static char *bare_end(char *from, char **next)
{
	char *end = from + strcspn(from, ",");

	*next = end;
	while (end > from && strchr(BLANKS, end[-1]))
		end--;
	return end;
}

size_t db_cells(char *line, char *cells[DB_CELLS_MAX])
{
	char *next = line, *end;
	bool more = true;
	size_t n = 0;

	while (more) {
		if (n == DB_CELLS_MAX)
			return 0;
		line = next + strspn(next, BLANKS);
		end = *line == '"' ? quoted_end(line + 1, &next) : NULL;
		if (end)
			line++;
		else
			end = bare_end(line, &next);
		more = *next++ == ',';
		*end = '\0';
		cells[n++] = line;
	}
	return n;
}

bool db_is_none(const char *cell)
{
	return !*cell || strcasecmp(cell, "N/A") == 0 || strcmp(cell, "-1") == 0;
}

/* ---- columns ----------------------------------------------------------------- */

/* 1 + the number of the cell, 0 if there is none of that name. */
static uint16_t cell_named(const char *name, char *const *cells, size_t num_cells)
{
	for (size_t i = 0; i < num_cells; i++)
		if (strcasecmp(cells[i], name) == 0)
			return (uint16_t)(i + 1);
	return 0;
}

int db_header(struct db_reader *r, const struct db_column *columns, char *const *cells,
              size_t num_cells)
{
	struct db_header *h = &r->header;

	*h = (struct db_header){ .columns = columns };
	for (unsigned int i = 0; columns[i].name; i++) {
		h->cell[i] = cell_named(columns[i].name, cells, num_cells);
		if (h->cell[i])
			h->here |= 1u << i;
		else if (columns[i].needed)
			return text_fail(r->text, r->err, "there is no column %s", columns[i].name);
	}
	return 0;
}

static bool store(const struct db_column *c, const char *cell, void *at)
{
	static const uint64_t most[] = {
		[DB_U8] = UINT8_MAX,
		[DB_U16] = UINT16_MAX,
		[DB_U32] = UINT32_MAX,
	};
	uint64_t value = 0;

	switch (c->type) {
	case DB_U8:
	case DB_U16:
	case DB_U32:
		if (str_u64(cell, 0, most[c->type], &value))
			return false;
		break;
	case DB_HEX:
		return str_guid(cell, at) == 0;
	case DB_TEXT:
		*(const char **)at = cell;
		return true;
	}
	if (c->type == DB_U8)
		*(uint8_t *)at = (uint8_t)value;
	else if (c->type == DB_U16)
		*(uint16_t *)at = (uint16_t)value;
	else
		*(uint32_t *)at = (uint32_t)value;
	return true;
}

int db_row(const struct db_reader *r, char *const *cells, void *row, uint32_t *known)
{
	const struct db_header *h = &r->header;

	*known = 0;
	for (unsigned int i = 0; h->columns[i].name; i++) {
		const struct db_column *c = &h->columns[i];
		const char *cell = h->cell[i] ? cells[h->cell[i] - 1] : "";

		if (db_is_none(cell)) {
			if (c->needed)
				return text_fail(r->text, r->err, "%s has no value", c->name);
			continue;
		}
		if (!store(c, cell, (char *)row + c->offset))
			return text_fail(r->text, r->err, "no possible value of %s: \"%.40s\"",
			                 c->name, cell);
		*known |= 1u << i;
	}
	return 0;
}
