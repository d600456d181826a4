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
 * The file is read twice: first to see whether it is whole, and up to which LID it goes;
 * then into the tables.  A table without its end is an error, never a smaller table; but
 * where ibroute reports that it failed, the table of that switch is unknown.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "source/netdiscover.h"
#include "source/source.h"

#define BLANKS    " \t"
#define LFT_HEAD  "Unicast lids ["
#define FDB_HEAD  "dump_ucast_routes: Switch "
#define MFT_HEAD  "Multicast mlids ["
#define ENDS_WITH "lids dumped"     /* and "mlids dumped" */
#define FAILED    "iberror: failed" /* of ibroute, in the midst of a table */
#define LID_MAX   0xbfff            /* unicast (IBA 4.1) */

/* What the lines are in. */
enum inside { NOTHING, LFT, FDB, MULTICAST };

/* A table that was begun, to know a second one of the same switch. */
struct seen_switch {
	uint64_t guid;
	unsigned long line;
	UT_hash_handle hh;
};

struct table_reader {
	struct text_file *text;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	struct fabric_forwarding *out; /* NULL: the first time */
	struct seen_switch *seen;
	enum inside inside;
	bool cut;                    /* the last line had no end */
	const struct ibc_node *node; /* whose entries come; NULL: the subnet has it not */
	uint64_t guid;
	size_t column;
	unsigned int top;      /* the last LID the table may have */
	unsigned int last;     /* the last it had; 0: none yet */
	unsigned int fdb_ends; /* the last LID of the .fdbs tables before; 0: there is none */
	size_t entries;        /* of this table, told or not */
	/* of the file */
	unsigned int num_lids;
	size_t tables, ours, foreign;
	uint64_t lowest_foreign;
};

/* "leaf01 (0x...)", or the GUID alone */
static const char *name_of(const struct table_reader *r, char text[128])
{
	char guid[STR_GUID_MAX];

	str_from_guid(guid, r->guid);
	if (r->node && *r->node->desc)
		snprintf(text, 128, "%.90s (%s)", r->node->desc, guid);
	else
		snprintf(text, 128, "switch %s", guid);
	return text;
}

/* ---- the beginning of a table --------------------------------------------------- */

/* Behind @word in the line, a GUID. */
static bool guid_behind(const char *line, const char *word, uint64_t *guid)
{
	const char *at = strstr(line, word);
	char text[STR_GUID_MAX] = "";

	if (!at)
		return false;
	at += strlen(word);
	memcpy(text, at, strnlen(at, STR_GUID_MAX - 1));
	text[strcspn(text, " \t:(")] = '\0';
	return str_guid(text, guid) == 0;
}

static int remember_switch(struct table_reader *r, struct ibc_error *err)
{
	struct seen_switch *seen;

	HASH_FIND(hh, r->seen, &r->guid, sizeof(r->guid), seen);
	if (seen)
		return text_fail(r->text, err, "switch 0x%016llx has a table in line %lu already",
		                 (unsigned long long)r->guid, seen->line);
	seen = arena_alloc(r->arena, sizeof(*seen));
	if (!seen)
		return fail_nomem(err);
	seen->guid = r->guid;
	seen->line = text_line_number(r->text);
	HASH_ADD(hh, r->seen, guid, sizeof(seen->guid), seen);
	return hash_added(seen) ? 0 : fail_nomem(err);
}

static void count_table(struct table_reader *r)
{
	r->tables++;
	r->ours += r->node != NULL;
	if (r->node)
		return;
	if (r->foreign++ == 0 || r->guid < r->lowest_foreign)
		r->lowest_foreign = r->guid;
}

/* Is it a switch, one, and has it the LID that it had then? */
static int check_node(struct table_reader *r, uint64_t lid, struct ibc_error *err)
{
	char name[128];

	if (!r->node)
		return 0;
	name_of(r, name);
	if (r->node->type != IBC_NODE_SWITCH)
		return text_fail(r->text, err, "%s is not a switch in this fabric", name);
	if (fabric_build_find_next(r->node))
		return text_fail(r->text, err,
		                 "several switches of this fabric have the GUID 0x%016llx: the "
		                 "owner of this table is ambiguous",
		                 (unsigned long long)r->guid);
	if (lid && r->node->ports[0].lid && lid != r->node->ports[0].lid)
		return text_fail(r->text, err,
		                 "%s had LID %u when its table was written and has %u now: the "
		                 "tables were not written at the same time",
		                 name, (unsigned int)lid, r->node->ports[0].lid);
	return 0;
}

static int begin_table(struct table_reader *r, enum inside inside, unsigned int top, uint64_t lid,
                       struct ibc_error *err)
{
	int rc = r->out ? 0 : remember_switch(r, err);

	if (rc)
		return rc;
	r->inside = inside;
	r->node = fabric_build_find(r->build, r->subnet, r->guid);
	r->top = top;
	r->last = 0;
	r->entries = 0;
	if (!r->out) {
		count_table(r);
		return check_node(r, lid, err);
	}
	if (r->node)
		r->column = fabric_column(r->out->tables.switches, r->out->tables.num_switches,
		                          r->node);
	return 0;
}

/* "Unicast lids [0x0-0x18] of switch Lid 4 guid 0x...", or with a directed route for the LID */
static int begin_lft(struct table_reader *r, char *line, struct ibc_error *err)
{
	char *at = line + strlen(LFT_HEAD), *word;
	uint64_t first, top, lid = 0;

	if (!net_number(&at, LID_MAX, &first) || *at++ != '-' || !net_number(&at, LID_MAX, &top) ||
	    *at != ']' || !guid_behind(at, " guid ", &r->guid))
		return text_fail(r->text, err,
		                 "expected \"Unicast lids [0x0-TOP] of switch Lid N guid 0x...\", "
		                 "with LIDs up to 0x%x",
		                 LID_MAX);
	if (first > 1)
		return text_fail(r->text, err,
		                 "the table begins at LID %u: it is needed as a whole",
		                 (unsigned int)first);
	word = strstr(at, "switch Lid ");
	if (word) {
		word += strlen("switch Lid ");
		net_number(&word, LID_MAX, &lid);
	}
	return begin_table(r, LFT, (unsigned int)top, lid, err);
}

static int begin_fdb(struct table_reader *r, char *line, struct ibc_error *err)
{
	if (!guid_behind(line, FDB_HEAD, &r->guid))
		return text_fail(r->text, err, "expected \"" FDB_HEAD "0x...\"");
	return begin_table(r, FDB, LID_MAX, 0, err);
}

/* ---- the end of a table ------------------------------------------------------------ */

static void leave_table(struct table_reader *r)
{
	unsigned int top = r->inside == FDB ? r->last : r->top;

	r->inside = NOTHING;
	if (top >= r->num_lids)
		r->num_lids = top + 1;
}

static void put_end(struct table_reader *r)
{
	struct ibc_node *node = (struct ibc_node *)r->node;

	leave_table(r);
	if (!r->out || !node)
		return;
	answers_put(node, IBC_ATTR_LFT, ANSWER_OK);
	for (size_t block = 0; block * IBC_LFT_BLOCK < r->num_lids; block++)
		r->out->known[block * r->out->tables.stride + r->column] = 1;
}

static int fail_cut(struct table_reader *r, const char *how, struct ibc_error *err)
{
	char name[128];

	return text_fail(r->text, err, "the table of %s is cut off: %s", name_of(r, name), how);
}

/* Tables of opensm.fdbs have no last line, but all go up to the same LID. */
static int end_fdb(struct table_reader *r, struct ibc_error *err)
{
	if (r->last == 0)
		return fail_cut(r, "it has no entry", err);
	if (r->fdb_ends && r->last != r->fdb_ends) {
		char how[80];

		snprintf(how, sizeof(how), "it ends at LID %u, the table before it at %u", r->last,
		         r->fdb_ends);
		return fail_cut(r, how, err);
	}
	r->fdb_ends = r->last;
	put_end(r);
	return 0;
}

/* What is open when another table begins, or the file ends. */
static int end_open(struct table_reader *r, struct ibc_error *err)
{
	if (r->inside == LFT)
		return fail_cut(r, "the line with the number of its LIDs is missing", err);
	return r->inside == FDB ? end_fdb(r, err) : 0;
}

/*
 * "22 valid lids dumped": so many entries were printed; without "valid" ibroute means all
 * of them, and OpenSM the last LID.
 */
static int end_lft(struct table_reader *r, char *line, struct ibc_error *err)
{
	bool valid = strstr(line, " valid ");
	char how[80];
	uint64_t n;

	if (!net_number(&line, UINT32_MAX, &n))
		return text_fail(r->text, err, "expected \"N valid lids dumped\"");
	if (n != r->entries && (valid || n != r->top)) {
		snprintf(how, sizeof(how), "it has %zu entries, and had %llu when it was written",
		         r->entries, (unsigned long long)n);
		return fail_cut(r, how, err);
	}
	put_end(r);
	return 0;
}

/* ---- entries -------------------------------------------------------------------------- */

/* "0x0003 005 : ...", "0x0003 : 005  : ...", "0x0001 : UNREACHABLE" */
static bool parse_entry(char *line, uint64_t *lid, unsigned int *port)
{
	char *end;

	if (!net_number(&line, UINT32_MAX, lid) || !strchr(BLANKS ":", *line))
		return false;
	line += strspn(line, BLANKS ":");
	*port = IBC_NO_ENTRY;
	if (strncmp(line, "UNREACHABLE", strlen("UNREACHABLE")) == 0)
		return true;
	*port = (unsigned int)strtoul(line, &end, 10);
	return strspn(line, "0123456789") == 3 && (*end == '\0' || strchr(BLANKS, *end)) &&
	       *port <= IBC_NO_ENTRY;
}

static int check_entry(struct table_reader *r, uint64_t lid, unsigned int port,
                       struct ibc_error *err)
{
	char name[128];

	if (lid > r->top)
		return text_fail(r->text, err, "LID 0x%llx is beyond 0x%x, the last %s",
		                 (unsigned long long)lid, r->top,
		                 r->inside == FDB ? "there can be" : "this table has");
	if (r->entries && lid <= r->last)
		return text_fail(r->text, err, "LID 0x%llx comes twice, or out of order",
		                 (unsigned long long)lid);
	if (r->inside == FDB && lid != r->last + 1)
		return text_fail(r->text, err, "LID 0x%x is missing before this line", r->last + 1);
	if (r->node && port != IBC_NO_ENTRY && port > r->node->num_ports)
		return text_fail(r->text, err, "port %u, but %s has only %u", port,
		                 name_of(r, name), r->node->num_ports);
	return 0;
}

static int read_entry(struct table_reader *r, char *line, struct ibc_error *err)
{
	unsigned int port;
	uint64_t lid;
	int rc;

	if (r->inside == NOTHING)
		return text_fail(r->text, err, "an entry outside of the table of a switch");
	if (!parse_entry(line, &lid, &port))
		return text_fail(r->text, err, "not understood: \"%.60s\"", line);
	rc = check_entry(r, lid, port, err);
	r->last = (unsigned int)lid;
	r->entries++;
	if (rc == 0 && r->out && r->node && lid)
		r->out->out[lid * r->out->tables.stride + r->column] = (uint8_t)port;
	return rc;
}

/* ---- the file --------------------------------------------------------------------------- */

/* Within a table nothing is passed over but headings and warnings; around it all is. */
static int read_other(struct table_reader *r, char *line, struct ibc_error *err)
{
	bool heading = strncmp(line, "Lid ", 4) == 0 || strncmp(line, "LID ", 4) == 0 ||
	               strncmp(line, "Port ", 5) == 0 || strncmp(line, "ibwarn: ", 8) == 0;

	if (r->inside == NOTHING || r->inside == MULTICAST || heading)
		return 0;
	if (r->inside == FDB && strncmp(line, "0x", 2) != 0)
		return end_open(r, err);
	return text_fail(r->text, err, "not understood: \"%.60s\"", line);
}

static int read_table_line(void *reader, char *line, struct ibc_error *err)
{
	struct table_reader *r = reader;
	bool lft, fdb, multicast;
	int rc = 0;

	r->cut = text_was_cut(r->text);
	line += strspn(line, BLANKS);
	if (*line == '\0' || *line == '#')
		return 0;
	lft = strncmp(line, LFT_HEAD, strlen(LFT_HEAD)) == 0;
	fdb = strstr(line, FDB_HEAD);
	multicast = strncmp(line, MFT_HEAD, strlen(MFT_HEAD)) == 0;
	if (lft || fdb || multicast)
		rc = end_open(r, err);
	if (rc)
		return rc;
	if (lft)
		return begin_lft(r, line, err);
	if (fdb)
		return begin_fdb(r, line, err);
	if (r->inside == LFT && strstr(line, FAILED)) {
		leave_table(r);
		return 0;
	}
	if (multicast)
		r->inside = MULTICAST;
	if (r->inside == MULTICAST && strstr(line, ENDS_WITH))
		r->inside = NOTHING;
	else if (r->inside == LFT && strstr(line, ENDS_WITH))
		return end_lft(r, line, err);
	else if (r->inside != MULTICAST && strncmp(line, "0x", 2) == 0)
		return read_entry(r, line, err);
	return read_other(r, line, err);
}

static int read_all(struct table_reader *r, struct ibc_error *err)
{
	int rc = text_each_line(r->text, read_table_line, r, err);

	if (rc == 0 && r->inside == FDB && r->cut)
		return fail_cut(r, "the last line has no end", err);
	return rc ? rc : end_open(r, err);
}

/* What the first reading has told of the file as a whole. */
static int check_file(const struct table_reader *r, struct ibc_error *err)
{
	const char *name = text_name(r->text);

	if (r->tables == 0)
		return fail(err, -EINVAL,
		            "%s contains no linear forwarding tables (LFTs): expected the output "
		            "of dump_fts or ibroute, or OpenSM's opensm-lfts.dump or opensm.fdbs",
		            name);
	if (r->ours == 0)
		return fail(err, -EINVAL,
		            "%s is of another fabric: none of its %zu switches is in this one (the "
		            "first is 0x%016llx)",
		            name, r->tables, (unsigned long long)r->lowest_foreign);
	return 0;
}

/* Every switch owes a table, whatever it was asked before. */
static void ask_all(struct table_reader *r)
{
	struct ibc_node *node;

	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++) {
		answers_drop(&node->answers, attr_node_bits[IBC_ATTR_LFT]);
		if (node->type == IBC_NODE_SWITCH)
			answers_put(node, IBC_ATTR_LFT, ANSWER_NONE);
	}
}

static int put_tables(struct table_reader *r, struct ibc_error *err)
{
	int rc = text_rewind(r->text, err);

	if (rc)
		return rc;
	r->out = fabric_build_forwarding(r->build, r->subnet, r->num_lids);
	if (!r->out)
		return fail_nomem(err);
	r->out->tables.file = arena_strdup(fabric_build_arena(r->build), text_name(r->text));
	r->out->tables.foreign = r->foreign;
	r->out->tables.foreign_guid = r->lowest_foreign;
	if (!r->out->tables.file)
		return fail_nomem(err);
	ibc_attrs_add(&r->subnet->provides, IBC_ATTR_LFT);
	ask_all(r);
	r->fdb_ends = 0;
	return read_all(r, err);
}

int read_tables(struct text_file *f, struct fabric_build *b, struct ibc_error *err)
{
	struct table_reader r = { .text = f, .build = b, .subnet = fabric_build_subnet_at(b, 0) };
	int rc;

	if (!r.subnet || fabric_build_subnet_at(b, 1))
		return fail(err, -EINVAL,
		            "%s: the tables are of one subnet, but this fabric has several",
		            text_name(f));
	r.arena = arena_new();
	if (!r.arena)
		return fail_nomem(err);
	rc = read_all(&r, err);
	if (rc == 0)
		rc = check_file(&r, err);
	if (rc == 0)
		rc = put_tables(&r, err);
	HASH_CLEAR(hh, r.seen);
	arena_free(r.arena);
	return rc;
}
