/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of ibdiagnet2.db_csv: cells, columns by name, values, and what they speak of. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/str.h"
#include "fabric/build.h"
#include "source/ibdiagnet/dbcsv.h"
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
		if (end) {
			line++;
		} else {
			next = end = line + strcspn(line, ",");
			while (end > line && strchr(BLANKS, end[-1]))
				end--;
		}
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

uint64_t db_time(const char *line)
{
	struct tm tm = { 0 };
	time_t seconds;
	int zone;

	for (const char *dash = strchr(line, '-'); dash; dash = strchr(dash + 1, '-')) {
		if (dash - line < 4 ||
		    sscanf(dash - 4, "%4d-%2d-%2d %2d:%2d:%2d %*s %5d", &tm.tm_year, &tm.tm_mon,
		           &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &zone) != 7)
			continue;
		tm.tm_year -= 1900;
		tm.tm_mon--;
		seconds = timegm(&tm) - (zone / 100 * 3600 + zone % 100 * 60);
		return seconds > 0 ? (uint64_t)seconds : 0;
	}
	return 0;
}

/* ---- columns ----------------------------------------------------------------- */

int db_header(struct db_reader *r, const struct db_column *columns, char *const *cells,
              size_t num_cells)
{
	struct db_header *h = &r->header;

	*h = (struct db_header){ .columns = columns };
	for (unsigned int i = 0; columns[i].name; i++) {
		for (size_t k = 0; k < num_cells && !h->cell[i]; k++)
			h->cell[i] = strcasecmp(cells[k], columns[i].name) ? 0 : (uint16_t)(k + 1);
		if (h->cell[i])
			h->here |= 1u << i;
		else if (columns[i].needed)
			return db_lose(r, "there is no column %s", columns[i].name);
	}
	return 0;
}

int db_row(const struct db_reader *r, char *const *cells, void *row, uint32_t *known)
{
	const struct db_header *h = &r->header;

	*known = 0;
	for (unsigned int i = 0; h->columns[i].name; i++) {
		const struct db_column *c = &h->columns[i];
		const char *cell = h->cell[i] ? cells[h->cell[i] - 1] : "";
		void *at = (char *)row + c->offset;
		uint64_t value;

		if (db_is_none(cell)) {
			if (c->needed)
				return db_lose(r, "%s has no value", c->name);
			continue;
		}
		if (c->type == FIELD_TEXT)
			*(const char **)at = cell;
		else if ((c->type == FIELD_HEX ? str_guid(cell, &value)
		                               : str_u64(cell, 0, UINT64_MAX, &value)) ||
		         !fields_set_number(at, c->type, value))
			return db_lose(r, "invalid value of %s: \"%.40s\"", c->name, cell);
		*known |= 1u << i;
	}
	return 0;
}

/* ---- what rows speak of ------------------------------------------------------------ */

int db_node(const struct db_reader *r, uint64_t guid, struct ibc_node **out)
{
	*out = fabric_build_find(r->build, r->subnet, guid);
	if (*out)
		return 0;
	return db_lose(r, "the block NODES has no node 0x%016llx", (unsigned long long)guid);
}

int db_port(const struct db_reader *r, uint64_t guid, unsigned int num, struct ibc_port **out)
{
	struct ibc_node *node;
	int rc = db_node(r, guid, &node);

	if (rc)
		return rc;
	*out = fabric_build_port(node, num);
	if (*out && (num > 0 || node->type == IBC_NODE_SWITCH))
		return 0;
	return db_lose(r, "node 0x%016llx has no port %u, its last is %u", (unsigned long long)guid,
	               num, node->num_ports);
}

void db_unanswered(const struct db_reader *r, struct ibc_node *node, enum ibc_attr attr)
{
	if (ibc_attrs_has(r->provides, attr) && !ibc_node_has(node, attr))
		answers_put(node, attr, ANSWER_NONE);
}
