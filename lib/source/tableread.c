/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/tableread.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "source/source.h"

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

int table_lose(struct table_reader *r, const char *format, ...)
{
	struct ibc_error what;
	va_list ap;

	va_start(ap, format);
	vfail(&what, 0, format, ap);
	va_end(ap);
	if (!r->out)
		text_complain(r->text, text_here(r->text), "%s", what.text);
	r->lost++;
	r->gap = true;
	return -EINVAL;
}

/* Is it a switch, one, and has it the LID that it had then? */
static int verify_owner(struct table_reader *r, uint64_t lid)
{
	char name[128];

	table_name(r, name);
	if (r->node->type != IBC_NODE_SWITCH)
		return table_lose(r, "%s is not a switch in this fabric", name);
	if (fabric_build_find_next(r->node))
		return table_lose(r,
		                  "several switches of this fabric have the GUID 0x%016llx: the "
		                  "owner of this table is ambiguous",
		                  (unsigned long long)r->guid);
	if (lid && r->node->ports[0].lid && lid != r->node->ports[0].lid)
		return table_lose(r,
		                  "%s had LID %u when its table was written and has %u now: the "
		                  "tables were not written at the same time",
		                  name, (unsigned int)lid, r->node->ports[0].lid);
	return 0;
}

int table_begin(struct table_reader *r, unsigned int inside, unsigned int top, uint64_t lid)
{
	int rc = 0;

	r->inside = inside;
	r->node = fabric_build_find(r->build, r->subnet, r->guid);
	r->top = top;
	r->last = 0;
	r->entries = r->lost = 0;
	r->gap = r->again = false;
	memset(r->unknown, 0, sizeof(r->unknown));
	r->tables++;
	if (!r->node) {
		if (r->foreign++ == 0 || r->guid < r->lowest_foreign)
			r->lowest_foreign = r->guid;
		return 0;
	}
	rc = verify_owner(r, lid);
	if (rc) {
		r->node = NULL;
		return rc;
	}
	r->ours++;
	if (!r->out)
		return 0;
	r->column = fabric_column(r->out->tables.switches, r->out->tables.num_switches, r->node);
	r->again = ibc_node_has(r->node, IBC_ATTR_LFT);
	return 0;
}

/* ---- entries and the end -------------------------------------------------------------- */

static void lose_blocks(struct table_reader *r, unsigned int first, unsigned int last)
{
	for (size_t block = first / IBC_LFT_BLOCK; first <= last && block <= last / IBC_LFT_BLOCK;
	     block++)
		r->unknown[block / 64] |= 1ull << block % 64;
}

/* Into the table; the one of a second capture must say the same. */
static void put_entry(struct table_reader *r, unsigned int lid, unsigned int port)
{
	uint8_t *out = &r->out->out[lid * r->out->tables.stride + r->column];
	uint8_t *known = &r->out->known[lid / IBC_LFT_BLOCK * r->out->tables.stride + r->column];

	if (r->again && *known && *out != port) {
		text_complain(r->text, text_here(r->text),
		              "LID 0x%x goes by port %u here, and by port %u in a table before: "
		              "neither is believed",
		              lid, port, *out);
		lose_blocks(r, lid, lid);
		*known = 0;
	}
	*out = (uint8_t)port;
}

int table_entry(struct table_reader *r, uint64_t lid, unsigned int port)
{
	char name[128];

	if (lid > r->top)
		return table_lose(r, "LID 0x%llx is beyond 0x%x, the last %s",
		                  (unsigned long long)lid, r->top,
		                  r->top == TABLE_LID_MAX ? "there can be" : "this table has");
	if ((r->entries && lid <= r->last) ||
	    (r->node && port != IBC_NO_ENTRY && port > r->node->num_ports)) {
		lose_blocks(r, (unsigned int)lid, (unsigned int)lid);
		return r->entries && lid <= r->last
		           ? table_lose(r, "LID 0x%llx comes twice, or out of order",
		                        (unsigned long long)lid)
		           : table_lose(r, "port %u, but %s has only %u", port, table_name(r, name),
		                        r->node->num_ports);
	}
	if (r->gap && lid)
		lose_blocks(r, r->last + !!r->entries, (unsigned int)lid - 1);
	r->gap = false;
	r->last = (unsigned int)lid;
	r->entries++;
	if (r->out && r->node && lid)
		put_entry(r, (unsigned int)lid, port);
	return 0;
}

void table_end(struct table_reader *r, unsigned int top, unsigned int known)
{
	struct ibc_node *node = (struct ibc_node *)r->node;

	r->inside = 0;
	if (top >= r->num_lids)
		r->num_lids = top + 1;
	if (!r->out || !node)
		return;
	if (!known) {
		r->out->tables.failed++;
		return;
	}
	if (r->gap && r->last < r->top)
		lose_blocks(r, r->last + 1, r->num_lids > r->last + 1 ? r->num_lids - 1 : r->last + 1);
	answers_put(node, IBC_ATTR_LFT, ANSWER_OK);
	for (size_t block = 0; block * IBC_LFT_BLOCK < r->num_lids; block++)
		if ((block + 1) * IBC_LFT_BLOCK <= known &&
		    !(r->unknown[block / 64] >> block % 64 & 1))
			r->out->known[block * r->out->tables.stride + r->column] = 1;
}

int table_lose_rest(struct table_reader *r, const char *how)
{
	char name[128];
	int rc = table_lose(r, "the table of %s is cut off: %s", table_name(r, name), how);

	table_end(r, r->last, r->entries ? TABLE_WHOLE : 0);
	return rc;
}

/* ---- the file --------------------------------------------------------------------------- */

static int read_once(struct table_reader *r)
{
	return text_each_line(r->text, r->format->take, r, r->err) ?: r->format->end(r, r->err);
}

static int read_twice(void *reader)
{
	struct table_reader *r = reader;
	const char *name = text_name(r->text);
	struct ibc_node *node;
	int rc = read_once(r);

	if (rc)
		return rc;
	if (r->tables == 0 || r->ours + r->foreign == 0)
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
	arena_free(r->arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
