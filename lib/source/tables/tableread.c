/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/tables/tableread.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"

/* A table that was begun, to know a second one of the same switch. */
struct seen_switch {
	uint64_t guid;
	unsigned long line;
	UT_hash_handle hh;
};

/* "leaf01 (0x...)", or the GUID alone */
const char *table_name(const struct table_reader *r, char text[128])
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
bool table_guid(const char *line, const char *word, uint64_t *guid)
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

int table_begin(struct table_reader *r, unsigned int inside, unsigned int top, uint64_t lid,
                struct ibc_error *err)
{
	struct seen_switch *seen;
	char name[128];

	r->inside = inside;
	r->node = fabric_build_find(r->build, r->subnet, r->guid);
	r->top = top;
	r->last = 0;
	r->entries = r->lost = r->behind = 0;
	r->gap = r->skip = false;
	memset(r->unread, 0, sizeof(r->unread));
	HASH_FIND(hh, r->seen, &r->guid, sizeof(r->guid), seen);
	r->again = seen && seen->line != text_line_number(r->text);
	if (r->out && r->node)
		r->column = fabric_column(r->out->tables.switches, r->out->tables.num_switches,
		                          r->node);
	if (r->out || r->again)
		return 0;
	seen = arena_alloc(r->arena, sizeof(*seen));
	seen->guid = r->guid;
	seen->line = text_line_number(r->text);
	HASH_ADD(hh, r->seen, guid, sizeof(seen->guid), seen);
	fabric_build_need(r->build, hash_added(seen));
	r->tables++;
	if (!r->node) {
		if (r->foreign++ == 0 || r->guid < r->lowest_foreign)
			r->lowest_foreign = r->guid;
		return 0;
	}
	r->ours++;
	/* is it a switch, one, and has it the LID that it had then? */
	table_name(r, name);
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

/* ---- entries and the end -------------------------------------------------------------- */

/* Of the LIDs from first to last one may have another entry, or none. */
static void set_unread(struct table_reader *r, uint64_t first, uint64_t last)
{
	for (uint64_t lid = first; lid <= last && lid <= TABLE_LID_MAX; lid++)
		r->unread[lid / IBC_LFT_BLOCK] = true;
}

int table_entry(struct table_reader *r, uint64_t lid, unsigned int port)
{
	uint8_t *entry = r->out && r->node ? &r->out->out[lid * r->out->tables.stride + r->column]
	                                   : NULL;
	char name[128];

	if (r->skip)
		return -EINVAL;
	if (lid > r->top)
		return table_lose(r, "LID 0x%llx is beyond 0x%x, the last %s",
		                  (unsigned long long)lid, r->top,
		                  r->top == TABLE_LID_MAX ? "there can be" : "this table has");
	if (r->node && port != IBC_NO_ENTRY && port > r->node->num_ports) {
		set_unread(r, lid, lid);
		return table_lose(r, "port %u, but %s has only %u", port, table_name(r, name),
		                  r->node->num_ports);
	}
	/* where the heading of another switch is lost, its entries come here */
	if (r->entries && lid <= r->last) {
		r->skip = true;
		return table_lose(r,
		                  "LID 0x%llx comes twice, or out of order: the table of %s is not "
		                  "used",
		                  (unsigned long long)lid, table_name(r, name));
	}
	if (r->gap && lid)
		set_unread(r, r->entries ? r->last + 1 : 0, lid - 1);
	r->gap = false;
	r->last = (unsigned int)lid;
	r->entries++;
	if (entry && r->again && *entry != port) {
		set_unread(r, lid, lid);
		text_complain(
		    r->text, (struct text_place){ text_line_number(r->text), 0, NULL },
		    "LID 0x%llx has another port in a table of %s before: neither is used",
		    (unsigned long long)lid, table_name(r, name));
	}
	if (entry && lid)
		*entry = (uint8_t)port;
	return 0;
}

void table_end(struct table_reader *r, unsigned int top, unsigned int known)
{
	struct ibc_node *node = (struct ibc_node *)r->node;

	r->inside = 0;
	known = r->skip ? 0 : known;
	if (top >= r->num_lids)
		r->num_lids = top + 1;
	if (r->gap)
		set_unread(r, r->entries ? r->last + 1 : 0, TABLE_LID_MAX);
	if (!r->out || !node)
		return;
	if (!known && !r->again) {
		r->out->tables.failed++;
		return;
	}
	answers_put(node, IBC_ATTR_LFT, ANSWER_OK);
	for (size_t block = 0; block * IBC_LFT_BLOCK < r->num_lids; block++) {
		uint8_t *is_known = &r->out->known[block * r->out->tables.stride + r->column];

		if (r->unread[block])
			*is_known = 0;
		else if ((block + 1) * IBC_LFT_BLOCK <= known && !r->again)
			*is_known = 1;
	}
}

void table_end_cut(struct table_reader *r, const char *how, unsigned int known)
{
	char name[128];

	if (!r->skip)
		table_lose(r, "the table of %s is cut off: %s", table_name(r, name), how);
	table_end(r, r->last, known);
}

/* ---- the file --------------------------------------------------------------------------- */

static int read_once(struct table_reader *r)
{
	int rc = text_each_line(r->text, r->format->take, r, r->err);

	if (rc == 0)
		r->format->end(r);
	return rc;
}

static int read_twice(void *reader)
{
	struct table_reader *r = reader;
	const char *name = text_name(r->text);
	struct ibc_node *node;
	int rc = read_once(r);

	if (rc)
		return rc;
	if (r->tables == 0)
		return fail(r->err, -EINVAL,
		            "%s contains no linear forwarding tables (LFTs): expected %s", name,
		            r->format->contents);
	if (r->ours == 0)
		return fail(r->err, -EINVAL,
		            "%s is of another fabric: none of its %zu switches is in this one (the "
		            "first is 0x%016llx)",
		            name, r->tables, (unsigned long long)r->lowest_foreign);
	rc = text_rewind(r->text, r->err);
	if (rc)
		return rc;
	r->out = fabric_build_forwarding(r->build, r->subnet, r->num_lids);
	r->out->tables.file = arena_strdup(fabric_build_arena(r->build), name);
	r->out->tables.foreign = r->foreign;
	r->out->tables.foreign_guid = r->lowest_foreign;
	ibc_attrs_add(&r->subnet->provides, IBC_ATTR_LFT);
	/* every switch owes a table, whatever it was asked before */
	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++) {
		answers_drop(&node->answers, attr_node_bits[IBC_ATTR_LFT]);
		if (node->type == IBC_NODE_SWITCH)
			answers_put(node, IBC_ATTR_LFT, ANSWER_NONE);
	}
	r->ends = 0;
	return read_once(r);
}

int tables_read(struct table_reader *r, struct text_file *f, struct fabric_build *b,
                struct ibc_error *err)
{
	int rc;

	r->text = f;
	r->build = b;
	r->err = err;
	r->subnet = fabric_build_subnet_at(b, 0);
	if (!r->subnet || fabric_build_subnet_at(b, 1))
		return fail(err, -EINVAL,
		            "%s: the tables are of one subnet, but this fabric has several",
		            text_name(f));
	r->arena = arena_new();
	rc = fabric_build_run(b, r->arena, read_twice, r);
	HASH_CLEAR(hh, r->seen);
	arena_free(r->arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
