/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of forwarding tables, as ibroute and dump_fts of infiniband-diags print them, and
 * as OpenSM leaves them in opensm-lfts.dump and opensm.fdbs:
 *
 *	Unicast lids [0x0-0x18] of switch Lid 4 guid 0x0200000000000040 (leaf04):
 *	  Lid  Out   Destination
 *	       Port     Info
 *	0x0003 005 : (Switch portguid 0x0200000000000030: 'leaf03')
 *	22 valid lids dumped
 *
 *	dump_ucast_routes: Switch 0x0200000000000010
 *	LID    : Port : Hops : Optimal
 *	0x0001 : UNREACHABLE
 *	0x0003 : 005  : 02   : yes
 *
 * A table without its end is never taken for a smaller one: what is behind is unknown, and where
 * ibroute reports that it failed, the table of that switch is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/build.h"
#include "fabric/fabric.h"
#include "source/ibdiagnet/farfile.h"
#include "source/netdiscover/netdiscover.h"
#include "source/source.h"
#include "source/tables/tableread.h"

#define LFT_HEAD  "Unicast lids ["
#define FDB_HEAD  "dump_ucast_routes: Switch "
#define MFT_HEAD  "Multicast mlids ["
#define ENDS_WITH "lids dumped"     /* and "mlids dumped" */
#define FAILED    "iberror: failed" /* of ibroute, in the midst of a table */

/* What the lines are in. */
enum inside { NOTHING, LFT, FDB, MULTICAST };

/* What is open when another table begins, or the file ends. */
static void end_open(struct table_reader *r)
{
	char how[80];

	if (r->inside == LFT) {
		table_end_cut(r, "the line with the number of its LIDs is missing", r->last);
	} else if (r->inside == FDB && r->last == 0) {
		table_end_cut(r, "it has no entry", 0);
	} else if (r->inside == FDB && r->ends && r->last != r->ends) {
		/* tables of opensm.fdbs have no last line, but all go up to the same LID */
		snprintf(how, sizeof(how), "it ends at LID %u, others go up to %u", r->last,
		         r->ends);
		table_end_cut(r, how, r->last);
	} else if (r->inside == FDB) {
		r->ends = r->last;
		table_end(r, r->last, TABLE_WHOLE);
	}
}

/*
 * "22 valid lids dumped": so many entries were printed; without "valid" ibroute means all
 * of them, and OpenSM the last LID.
 */
static void end_lft(struct table_reader *r, char *line)
{
	bool valid = strstr(line, " valid ");
	char how[80];
	uint64_t n;

	if (!net_number(&line, UINT32_MAX, &n)) {
		table_lose(r, "expected \"N valid lids dumped\"");
	} else if (n != r->entries + r->lost && (valid || n != r->top)) {
		snprintf(how, sizeof(how), "it has %zu entries, and had %llu when it was written",
		         r->entries, (unsigned long long)n);
		table_end_cut(r, how, 0);
		return;
	}
	table_end(r, r->top, TABLE_WHOLE);
}

/* ---- entries -------------------------------------------------------------------------- */

/* "0x0003 005 : ...", "0x0003 : 005  : ...", "0x0001 : UNREACHABLE" */
static int read_entry(struct table_reader *r, char *line)
{
	unsigned int port = IBC_NO_ENTRY;
	char *at = line, *end = line;
	uint64_t lid;
	bool good;

	if (r->inside == NOTHING)
		return table_lose(r, "an entry outside of the table of a switch");
	good = net_number(&at, UINT32_MAX, &lid) && strchr(TABLE_BLANKS ":", *at);
	at += strspn(at, TABLE_BLANKS ":");
	if (good && strncmp(at, "UNREACHABLE", strlen("UNREACHABLE")) != 0) {
		port = (unsigned int)strtoul(at, &end, 10);
		good = strspn(at, "0123456789") == 3 && port <= IBC_NO_ENTRY &&
		       (*end == '\0' || strchr(TABLE_BLANKS, *end));
	}
	if (r->inside == FDB && r->behind)
		table_lose(r, "line %lu is not understood, and the table goes on", r->behind);
	r->behind = 0;
	if (!good)
		return table_lose(r, "not understood: \"%.60s\"", line);
	if (r->inside == FDB && lid > r->last + 1 && lid <= r->top && !r->gap)
		table_lose(r, "LID 0x%x is missing before this line", r->last + 1);
	return table_entry(r, lid, port);
}

/* ---- the file --------------------------------------------------------------------------- */

/* Within a table nothing is passed over but headings and warnings; around it all is. */
static void read_other(struct table_reader *r, char *line)
{
	bool heading = strncmp(line, "Lid ", 4) == 0 || strncmp(line, "LID ", 4) == 0 ||
	               strncmp(line, "Port ", 5) == 0 || strncmp(line, "ibwarn: ", 8) == 0;

	if (r->inside == NOTHING || r->inside == MULTICAST || heading)
		return;
	if (r->inside == FDB)
		r->behind = text_line_number(r->text); /* lost, if the table goes on */
	else
		table_lose(r, "not understood: \"%.60s\"", line);
}

static int read_table_line(void *reader, char *line, struct ibc_error *err)
{
	struct table_reader *r = reader;
	bool lft, fdb, multicast;

	r->cut = text_was_cut(r->text);
	line += strspn(line, TABLE_BLANKS);
	if (*line == '\0' || *line == '#')
		return 0;
	lft = strncmp(line, LFT_HEAD, strlen(LFT_HEAD)) == 0;
	fdb = strstr(line, FDB_HEAD);
	multicast = strncmp(line, MFT_HEAD, strlen(MFT_HEAD)) == 0;
	if (lft || fdb || multicast)
		end_open(r);
	if (lft) {
		char *at = line + strlen(LFT_HEAD), *word;
		uint64_t first, top, lid = 0;

		/* "Unicast lids [0x0-0x18] of switch Lid 4 guid 0x...", or with a directed route
		 * for the LID */
		if (!net_number(&at, TABLE_LID_MAX, &first) || *at++ != '-' ||
		    !net_number(&at, TABLE_LID_MAX, &top) || *at != ']' ||
		    !table_guid(at, " guid ", &r->guid)) {
			table_lose(r,
			           "expected \"Unicast lids [0x0-TOP] of switch Lid N guid "
			           "0x...\", with LIDs up to 0x%x",
			           TABLE_LID_MAX);
			return 0;
		}
		if (first > 1)
			return text_fail(r->text, err,
			                 "the table begins at LID %u: it is needed as a whole",
			                 (unsigned int)first);
		word = strstr(at, "switch Lid ");
		if (word) {
			word += strlen("switch Lid ");
			net_number(&word, TABLE_LID_MAX, &lid);
		}
		return table_begin(r, LFT, (unsigned int)top, lid, err);
	}
	if (fdb) {
		if (!table_guid(line, FDB_HEAD, &r->guid)) {
			table_lose(r, "expected \"" FDB_HEAD "0x...\"");
			return 0;
		}
		return table_begin(r, FDB, TABLE_LID_MAX, 0, err);
	}
	if (r->inside == LFT && strstr(line, FAILED)) {
		table_end(r, r->top, 0);
		return 0;
	}
	if (multicast)
		r->inside = MULTICAST;
	if (r->inside == MULTICAST && strstr(line, ENDS_WITH))
		r->inside = NOTHING;
	else if (r->inside == LFT && strstr(line, ENDS_WITH))
		end_lft(r, line);
	else if (r->inside != MULTICAST && strncmp(line, "0x", 2) == 0)
		read_entry(r, line);
	else
		read_other(r, line);
	return 0;
}

/* The highest LID that a port has. */
static unsigned int top_lid(const struct table_reader *r)
{
	const struct ibc_node *node;
	unsigned int top = 0;

	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++)
		for (unsigned int num = node_first_port(node); num <= node->num_ports; num++)
			if (node->ports[num].lid > top)
				top = node->ports[num].lid;
	return top;
}

static void end_file(struct table_reader *r)
{
	/* the only table has none before it to compare with */
	if (r->inside == FDB && !r->ends)
		r->ends = top_lid(r) > r->last ? top_lid(r) : 0;
	if (r->inside == FDB && r->cut && r->last != r->ends)
		table_end_cut(r, "the last line has no end", r->last);
	end_open(r);
}

static const struct table_format dumps = {
	.contents = "the output of dump_fts or ibroute, OpenSM's opensm-lfts.dump or opensm.fdbs, "
		    "or ibdiagnet2.far",
	.take = read_table_line,
	.end = end_file,
};

int read_tables(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	struct table_reader r = { .format = &dumps };

	return text_begins(f, is_far) ? read_far(f, b, err) : tables_read(&r, f, b, err);
}
