/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of ibdiagnet2.db_csv: tables of comma-separated values, one after the other, each
 * between START_NAME and END_NAME, its first line the names of the columns.  Which columns
 * there are differs from version to version; blocks that say nothing of the model are
 * passed over.  A block that does not end, and a row that is shorter or longer than its
 * header, are a damaged file.
 */
#include "source/dbcsv.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/phyfile.h"
#include "source/source.h"

#define CAP_IS_SM (1u << 1) /* PortInfo.CapabilityMask: IsSM (IBA 14.2.5.6) */
#define START     "START_"
#define END       "END_"
#define NUMBERED  "PHY_DB"

/* ---- NODES ---------------------------------------------------------------------- */

struct node_row {
	uint64_t guid, system_guid, port_guid;
	const char *desc;
	uint32_t vendor_id, revision;
	uint16_t device_id;
	uint8_t type, num_ports;
};

#define NODE_DESC 0 /* index of its column below */

static const struct db_column node_columns[] = {
	[NODE_DESC] = { "NodeDesc", offsetof(struct node_row, desc), FIELD_TEXT, false },
	{ "NodeGUID", offsetof(struct node_row, guid), FIELD_HEX, true },
	{ "NodeType", offsetof(struct node_row, type), FIELD_U8, true },
	{ "NumPorts", offsetof(struct node_row, num_ports), FIELD_U8, true },
	{ "PortGUID", offsetof(struct node_row, port_guid), FIELD_HEX, false },
	{ "SystemImageGUID", offsetof(struct node_row, system_guid), FIELD_HEX, false },
	{ "VendorID", offsetof(struct node_row, vendor_id), FIELD_U32, false },
	{ "DeviceID", offsetof(struct node_row, device_id), FIELD_U16, false },
	{ "Revision", offsetof(struct node_row, revision), FIELD_U32, false },
	{ 0 },
};

static int read_node(struct db_reader *r, const void *at, char *const *cells)
{
	const struct node_row *row = at;
	const struct ibc_node *first = fabric_build_find(r->build, r->subnet, row->guid);
	struct ibc_node *node;

	(void)cells;
	if (first)
		return text_fail(r->text, r->err,
		                 "a second row of node 0x%016llx, the first is in line %lu",
		                 (unsigned long long)row->guid, first->line);
	r->num_ports += row->num_ports + 1u;
	if (r->num_ports > FILE_MAX_PORTS)
		return text_fail(r->text, r->err, "more than %d ports, which no subnet can have",
		                 FILE_MAX_PORTS);
	node = fabric_build_node(r->build, r->subnet, row->guid,
	                         row->type > IBC_NODE_ROUTER ? IBC_NODE_UNKNOWN : row->type,
	                         row->num_ports);
	node->line = text_line_number(r->text);
	node->system_guid = row->system_guid;
	node->vendor_id = row->vendor_id;
	node->device_id = row->device_id;
	node->revision = row->revision;
	if (node->type == IBC_NODE_SWITCH)
		fabric_build_port(node, 0)->guid = row->port_guid;
	if (row->desc)
		fabric_build_desc(r->build, node, row->desc, strlen(row->desc));
	return 0;
}

/* ---- SWITCHES -------------------------------------------------------------------- */

struct switch_row {
	struct db_place at;
	uint16_t lft_cap, lft_top;
	uint8_t enhanced_port0;
};

static const struct db_column switch_columns[] = {
	{ "LinearFDBCap", offsetof(struct switch_row, lft_cap), FIELD_U16, false },
	{ "LinearFDBTop", offsetof(struct switch_row, lft_top), FIELD_U16, false },
	{ "ENP0", offsetof(struct switch_row, enhanced_port0), FIELD_U8, false },
	{ "NodeGUID", offsetof(struct switch_row, at.node), FIELD_HEX, true },
	{ 0 },
};
#define SWITCH_INFO 0x7 /* the first three columns: what IBC_ATTR_SWITCH_INFO carries */

static int read_switch(struct db_reader *r, const void *at, char *const *cells)
{
	const struct switch_row *row = at;

	(void)cells;
	if ((r->known & SWITCH_INFO) != SWITCH_INFO)
		return 0;
	r->node->lft_cap = row->lft_cap;
	r->node->lft_top = row->lft_top;
	r->node->enhanced_port0 = row->enhanced_port0;
	answers_put(r->node, IBC_ATTR_SWITCH_INFO, ANSWER_OK);
	return 0;
}

/* ---- LINKS ----------------------------------------------------------------------- */

struct link_row {
	uint64_t node1, node2;
	uint8_t num1, num2;
};

static const struct db_column link_columns[] = {
	{ "NodeGuid1", offsetof(struct link_row, node1), FIELD_HEX, true },
	{ "PortNum1", offsetof(struct link_row, num1), FIELD_U8, true },
	{ "NodeGuid2", offsetof(struct link_row, node2), FIELD_HEX, true },
	{ "PortNum2", offsetof(struct link_row, num2), FIELD_U8, true },
	{ 0 },
};

static int read_db_link(struct db_reader *r, const void *at, char *const *cells)
{
	const struct link_row *row = at;
	struct ibc_port *a, *z, *bad;
	unsigned long long guid;
	int rc = db_port(r, row->node1, row->num1, &a);

	(void)cells;
	if (rc == 0)
		rc = db_port(r, row->node2, row->num2, &z);
	if (rc)
		return rc;
	if (fabric_build_link(a, z) == 0) {
		answers_put(a, IBC_ATTR_NODE_INFO, ANSWER_OK);
		answers_put(z, IBC_ATTR_NODE_INFO, ANSWER_OK);
		return 0;
	}
	bad = a->peer || a->num == 0 ? a : z;
	guid = bad->node->guid;
	if (a == z)
		return text_fail(r->text, r->err, "port %u of node 0x%016llx is linked to itself",
		                 a->num, guid);
	if (bad->num == 0)
		return text_fail(r->text, r->err, "a link at port 0 of node 0x%016llx", guid);
	return text_fail(r->text, r->err,
	                 "port %u of node 0x%016llx is linked to port %u of node 0x%016llx already",
	                 bad->num, guid, bad->peer->num, (unsigned long long)bad->peer->node->guid);
}

/* ---- lines ----------------------------------------------------------------------- */

static const struct db_block block_nodes = {
	.name = "NODES",
	.columns = node_columns,
	.known = IBC_ATTR_NODE_DESC,
	.known_in = 1u << NODE_DESC,
	.row = read_node,
};
static const struct db_block block_links = {
	.name = "LINKS",
	.columns = link_columns,
	.row = read_db_link,
};
static const struct db_block block_switches = {
	.name = "SWITCHES",
	.columns = switch_columns,
	.known = IBC_ATTR_SWITCH_INFO,
	.known_in = SWITCH_INFO,
	.of = DB_NODE,
	.row = read_switch,
};

static const struct db_block *const blocks[DB_BLOCKS] = {
	&block_nodes,     &block_links,        &db_block_info,        &block_switches,
	&db_block_ports,  &db_block_ext_ports, &db_block_counters,    &db_block_sm,
	&db_block_labels, &db_block_fec,       &db_block_temperature, &db_block_cables,
};

static int begin_block(struct db_reader *r, const char *name)
{
	unsigned long line = text_line_number(r->text);
	size_t i = 0;

	if (!str_cut(r->name, sizeof(r->name), name, strlen(name)))
		return text_fail(r->text, r->err, "no name of a block: \"%.60s\"", name);
	r->began = line;
	r->num_cells = 0;
	while (i < DB_BLOCKS && strcmp(blocks[i]->name, name) != 0)
		i++;
	r->block = i < DB_BLOCKS && (!r->merges || blocks[i]->is_physical) ? blocks[i] : NULL;
	if (strncmp(name, NUMBERED, strlen(NUMBERED)) == 0)
		phy_skip(r->phy, PHY_NUMBERED, name);
	if (!r->block)
		return 0;
	if (r->seen[i])
		return text_fail(r->text, r->err, "a second block %s, the first is in line %lu",
		                 name, r->seen[i]);
	r->seen[i] = line;
	return 0;
}

static int fail_open(const struct db_reader *r)
{
	return text_fail(r->text, r->err, "the block %s, which begins in line %lu, does not end",
	                 r->name, r->began);
}

static int read_row(struct db_reader *r, char *line)
{
	_Alignas(struct db_place) char row[DB_ROW_MAX] = { 0 };
	const struct db_place *at = (const struct db_place *)row;
	const struct db_block *block = r->block;
	char *cells[DB_CELLS_MAX];
	size_t n = db_cells(line, cells);
	int rc;

	if (n == 0)
		return text_fail(r->text, r->err, "more than %d columns", DB_CELLS_MAX);
	if (r->num_cells == 0) {
		rc = db_header(r, block->columns, cells, n);
		if (rc)
			return rc;
		r->num_cells = n;
		if ((r->header.here & block->known_in) == block->known_in)
			ibc_attrs_add(&r->provides, block->known);
		return block->header ? block->header(r, cells, n) : 0;
	}
	if (n != r->num_cells)
		return text_fail(r->text, r->err, "%zu values in %zu columns of the block %s", n,
		                 r->num_cells, r->name);
	rc = db_row(r, cells, row, &r->known);
	r->node = NULL;
	r->port = NULL;
	if (rc == 0 && !r->merges && block->of == DB_NODE)
		rc = db_node(r, at->node, &r->node);
	else if (rc == 0 && !r->merges && block->of == DB_PORT)
		rc = db_port(r, at->node, at->num, &r->port);
	else if (rc == 0 && block->of == DB_NODE)
		phy_node(r->phy, at->node, &r->node);
	else if (rc == 0 && block->of == DB_PORT)
		phy_port(r->phy, at->node, at->num, &r->port);
	/* a file that is merged speaks of other fabrics too */
	if (rc || (block->of != DB_ROW && !r->node && !r->port))
		return rc;
	return block->row(r, row, cells);
}

static int read_db_line(void *reader, char *line, struct ibc_error *err)
{
	struct db_reader *r = reader;

	if (!r->merges && (*line == '#' || !strcmp(r->name, DB_RUN)))
		r->subnet->time = db_time(line) ?: r->subnet->time;
	if (*r->name == '\0') {
		if (is_dbcsv_line(line))
			return begin_block(r, line + strlen(START));
		if (*line != '#')
			return text_fail(r->text, err, "not understood: \"%.60s\"", line);
		return 0;
	}
	if (is_dbcsv_line(line))
		return fail_open(r);
	if (strncmp(line, END, strlen(END)) != 0)
		return r->block ? read_row(r, line) : 0;
	if (strcmp(line + strlen(END), r->name) != 0)
		return fail_open(r);
	*r->name = '\0';
	return 0;
}

bool is_dbcsv_line(const char *line)
{
	return strncmp(line, START, strlen(START)) == 0;
}

/* ---- the whole ------------------------------------------------------------------- */

static int read_db_lines(struct db_reader *r)
{
	int rc = text_each_entry(r->text, read_db_line, r, r->err);

	if (rc == 0 && *r->name)
		return fail_open(r);
	/* the first two list what there is: the others only add to it */
	for (size_t i = 0; rc == 0 && !r->merges && i < 2; i++)
		if (!r->seen[i])
			return fail(r->err, -EINVAL, "%s has no block %s: it is incomplete",
			            text_name(r->text), blocks[i]->name);
	return rc;
}

/* A cable whose ports are in no block, and a port that is up without one. */
static void end_port(struct db_reader *r, struct ibc_port *port)
{
	if (ibc_port_has(port, IBC_ATTR_LINK)) {
		ibc_attrs_add(&r->provides, IBC_ATTR_LINK);
		if (!port->peer)
			answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_NONE);
	}
	if (ibc_attrs_has(r->provides, IBC_ATTR_SM_INFO) && port->cap_mask & CAP_IS_SM &&
	    port->node->type != IBC_NODE_SWITCH && !port->extra->sm)
		answers_put(port, IBC_ATTR_SM_INFO, ANSWER_NONE);
	if (!port->peer)
		return;
	if (ibc_attrs_has(r->provides, IBC_ATTR_PORT_INFO) &&
	    !ibc_port_answer(port, IBC_ATTR_PORT_INFO))
		answers_put(port, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	db_counters_unanswered(r, port);
}

static struct db_reader *new_reader(struct phy_file *pf, struct ibc_error *err)
{
	struct db_reader *r = arena_alloc(pf->arena, sizeof(*r));

	r->text = pf->text;
	r->build = pf->build;
	r->arena = fabric_build_arena(pf->build);
	r->err = err;
	r->phy = pf;
	return r;
}

static int read_db_file(struct phy_file *pf, struct ibc_error *err)
{
	struct db_reader *r = new_reader(pf, err);
	int rc;
	struct ibc_node *node;

	r->subnet = text_subnet(pf->text, pf->spec, "dbcsv", pf->build);
	rc = read_db_lines(r);
	if (rc)
		return rc;
	/* What the file has of others and not of this one was not answered. */
	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++) {
		if (node->subnet != r->subnet)
			continue;
		db_info_unanswered(r, node);
		db_unanswered(r, node, IBC_ATTR_NODE_DESC);
		if (node->type == IBC_NODE_SWITCH)
			db_unanswered(r, node, IBC_ATTR_SWITCH_INFO);
		for (unsigned int p = 1; p <= node->num_ports; p++)
			end_port(r, fabric_build_port(node, p));
	}
	ibc_attrs_add(&r->provides, IBC_ATTR_NODE_INFO);
	r->subnet->provides = ibc_attrs_or(r->subnet->provides, r->provides);
	phy_report(pf);
	return 0;
}

int read_dbcsv(struct text_file *f, const char *spec, struct fabric_build *b, struct ibc_error *err)
{
	return phy_run(f, b, read_db_file, spec, err);
}

int merge_dbcsv(struct phy_file *pf, struct ibc_error *err)
{
	struct db_reader *r = new_reader(pf, err);

	r->merges = true;
	return read_db_lines(r);
}
