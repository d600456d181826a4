/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of ibdiagnet2.db_csv: tables of comma-separated values, one after the other, each
 * between START_NAME and END_NAME, its first line the names of the columns.  Which columns
 * there are differs from version to version, and so does the order of blocks; those that say
 * nothing of the model are passed over.  A row that is shorter or longer than its header, a block
 * without its end or a needed column: each is skipped and counted, and the rest is read.
 */
#include "source/ibdiagnet/dbcsv.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/ibdiagnet/phyfile.h"
#include "source/source.h"

#define START    "START_"
#define END      "END_"
#define NUMBERED "PHY_DB"
#define REMARK   "# Running timestamp : "

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
		return db_lose(r, "a second row of node 0x%016llx, the first is in line %lu",
		               (unsigned long long)row->guid, first->line);
	if (r->num_ports + row->num_ports + 1u > FILE_MAX_PORTS)
		return db_lose(r, "more than %d ports, which no subnet can have", FILE_MAX_PORTS);
	r->num_ports += row->num_ports + 1u;
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

/* ---- RUN_INFO -------------------------------------------------------------------- */

struct run_row {
	const char *date, *args;
};

static const struct db_column run_columns[] = {
	{ "Date", offsetof(struct run_row, date), FIELD_TEXT, false },
	{ "Args", offsetof(struct run_row, args), FIELD_TEXT, false },
	{ 0 },
};

/* When the fabric was looked at: "2022-08-25 17:45:38 UTC +0000". */
static void put_time(struct db_reader *r, const char *date)
{
	uint64_t time = db_time(date);

	if (time && !r->merges)
		r->subnet->time = time;
}

#define PAUSE     "--pm_pause_time" /* in seconds, from what is in PM_INFO to its second reading */
#define PAUSE_MAX 1e6               /* eleven days: more is no pause */

static int read_run(struct db_reader *r, const void *at, char *const *cells)
{
	const struct run_row *row = at;
	const char *pause = row->args ? strstr(row->args, PAUSE) : NULL;
	double seconds;

	(void)cells;
	if (row->date)
		put_time(r, row->date);
	if (pause && sscanf(pause, PAUSE "%*[ =]%lf", &seconds) == 1 && seconds > 0 &&
	    seconds < PAUSE_MAX)
		r->subnet->pause_seconds = seconds;
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

/* Of rows that contradict each other none is used: what is behind the port is not known. */
static void forget_link(struct ibc_port *port)
{
	struct ibc_port *ends[] = { port, (struct ibc_port *)port->peer };

	for (size_t i = 0; i < 2 && ends[i]; i++) {
		ends[i]->peer = NULL;
		answers_put(ends[i], IBC_ATTR_NODE_INFO, ANSWER_NONE);
	}
}

static int read_db_link(struct db_reader *r, const void *at, char *const *cells)
{
	const struct link_row *row = at;
	struct ibc_port *a, *z, *bad;
	int rc = db_port(r, row->node1, row->num1, &a) ?: db_port(r, row->node2, row->num2, &z);

	(void)cells;
	if (rc)
		return rc;
	bad = a->num == 0 || ibc_port_unanswered(a, IBC_ATTR_NODE_INFO) || a->peer ? a : z;
	if (a == z || bad->num == 0)
		return db_lose(r, "a link of port %u of node 0x%016llx with %s", bad->num,
		               (unsigned long long)bad->node->guid,
		               a == z ? "itself" : "another port");
	if (!ibc_port_unanswered(bad, IBC_ATTR_NODE_INFO) && fabric_build_link(a, z) == 0) {
		answers_put(a, IBC_ATTR_NODE_INFO, ANSWER_OK);
		answers_put(z, IBC_ATTR_NODE_INFO, ANSWER_OK);
		return 0;
	}
	forget_link(a);
	forget_link(z);
	return db_lose(r, "port %u of node 0x%016llx has another link: neither is used", bad->num,
	               (unsigned long long)bad->node->guid);
}

/* ---- lines ----------------------------------------------------------------------- */

static const struct db_block block_nodes = {
	.name = "NODES",
	.columns = node_columns,
	.known = IBC_ATTR_NODE_DESC,
	.known_in = 1u << NODE_DESC,
	.row = read_node,
};
static const struct db_block block_run = {
	.name = "RUN_INFO",
	.columns = run_columns,
	.row = read_run,
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
	&block_nodes,          &block_links,        &db_block_info,        &block_switches,
	&db_block_ports,       &db_block_ext_ports, &db_block_counters,    &db_block_sm,
	&db_block_hierarchy,   &db_block_fec,       &db_block_temperature, &db_block_cables,
	&db_block_differences, &block_run,          &db_block_ticks,       &db_block_smp_info,
	&db_block_pkeys,
};

static bool is_keyword(const char *line, const char *word)
{
	return strncasecmp(line, word, strlen(word)) == 0;
}

bool is_dbcsv_line(const char *line)
{
	return is_keyword(line, START);
}

/* A file that is read again has said all of its blocks. */
#define lose_block(r, ...) ((void)((r)->again || db_lose(r, __VA_ARGS__)))

static void end_block(struct db_reader *r, bool has_ended)
{
	if (!has_ended)
		lose_block(r, "the block %s, which begins in line %lu, does not end", r->name,
		           r->began);
	*r->name = '\0';
}

/*
 * Blocks in front of the nodes that they speak of wait until the file is read again.  A second
 * block of a name is that of another capture in the same file.
 */
static void begin_block(struct db_reader *r, const char *name)
{
	unsigned long line = text_line_number(r->text);
	bool waits = false;
	size_t i = 0;

	end_block(r, !*r->name);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->began = line;
	r->num_cells = 0;
	r->block = NULL;
	if (is_keyword(name, NUMBERED) && !r->again)
		phy_skip(r->phy, PHY_NUMBERED, name);
	while (i < DB_BLOCKS && strcasecmp(blocks[i]->name, name) != 0)
		i++;
	if (i == DB_BLOCKS || (r->merges && !blocks[i]->is_physical))
		return;
	if (!r->seen[i])
		r->seen[i] = line;
	if (r->seen[i] != line) {
		if (!r->has_second)
			text_note(r->text, (struct text_place){ .line = line },
			          "a second block %s, the first is in line %lu: this and others "
			          "are passed over",
			          name, r->seen[i]);
		r->has_second = true;
		return;
	}
	if (i > 0 && !r->merges && blocks[i] != &block_run)
		waits = !r->seen[0] || line < r->seen[0];
	r->early |= waits;
	if (waits == r->again)
		r->block = blocks[i];
}

/* A block without a needed column is passed over. */
static int read_header(struct db_reader *r, char *const *cells, size_t n)
{
	const struct db_block *block = r->block;
	int rc = db_header(r, block->columns, cells, n);

	r->num_cells = n;
	if (rc)
		r->block = NULL;
	else if ((r->header.here & block->known_in) == block->known_in)
		ibc_attrs_add(&r->provides, block->known);
	return rc || !block->header ? rc : block->header(r, cells, n);
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
		return db_lose(r, "more than %d columns", DB_CELLS_MAX);
	/* a comma at the end of a line, or several */
	while (n > (r->num_cells ?: 1) && !*cells[n - 1])
		n--;
	if (text_was_cut(r->text))
		return db_lose(r, "the line is cut off");
	if (r->num_cells == 0)
		return read_header(r, cells, n);
	if (n != r->num_cells)
		return db_lose(r, "%zu values in %zu columns of the block %s", n, r->num_cells,
		               r->name);
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

/* Only what looks like a row, or the end of a block, can have been lost between blocks. */
static void read_outside(struct db_reader *r, const char *line)
{
	if (is_keyword(line, REMARK))
		put_time(r, line + strlen(REMARK));
	else if (*line == '#' || r->again)
		return;
	else if (strchr(line, ',') || is_keyword(line, END))
		db_lose(r, "not understood: \"%.60s\"", line);
	else
		text_skip(&r->outside, r->text);
}

static int read_db_line(void *reader, char *line, struct ibc_error *err)
{
	struct db_reader *r = reader;
	int rc = 0;

	(void)err;
	if (is_dbcsv_line(line))
		begin_block(r, line + strlen(START));
	else if (!*r->name)
		read_outside(r, line);
	else if (is_keyword(line, END))
		end_block(r, strcasecmp(line + strlen(END), r->name) == 0);
	else if (r->block && *line != '#')
		rc = read_row(r, line);
	return rc == -EINVAL ? 0 : rc;
}

/* ---- the whole ------------------------------------------------------------------- */

static int read_db_lines(struct db_reader *r)
{
	int rc = text_each_entry(r->text, read_db_line, r, r->err);

	end_block(r, !*r->name);
	/* blocks before the nodes that they speak of */
	if (rc == 0 && r->seen[0] && r->early && !r->again) {
		r->again = true;
		return text_rewind(r->text, r->err) ?: read_db_lines(r);
	}
	/* the first lists what there is: the others only add to it */
	if (rc == 0 && !r->merges && !r->seen[0])
		return text_fail(r->text, r->err, "no block NODES: the file is incomplete");
	if (rc == 0 && !r->merges && !r->seen[1])
		text_complain(r->text, text_here(r->text),
		              "no block LINKS: the file is incomplete");
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
	if (ibc_attrs_has(r->provides, IBC_ATTR_SM_INFO) && port->cap_mask & IBC_CAP_IS_SM &&
	    port->node->type != IBC_NODE_SWITCH && !port->extra->sm)
		answers_put(port, IBC_ATTR_SM_INFO, ANSWER_NONE);
	if (!port->peer)
		return;
	if (ibc_attrs_has(r->provides, IBC_ATTR_PORT_INFO) &&
	    !ibc_port_answer(port, IBC_ATTR_PORT_INFO))
		answers_put(port, IBC_ATTR_PORT_INFO, ANSWER_NONE);
	if (ibc_attrs_has(r->provides, IBC_ATTR_PKEY_TABLE) &&
	    !ibc_port_answer(port, IBC_ATTR_PKEY_TABLE) && port->node->type != IBC_NODE_SWITCH)
		answers_put(port, IBC_ATTR_PKEY_TABLE, ANSWER_NONE);
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
	text_skipped(&r->outside, r->text, "ibdiagnet2.db_csv");
	if (rc || !r->num_ports)
		return rc ? rc : text_fail(pf->text, err, "no node");
	/* tables alone say nothing where it is not known which ports enforce them */
	if (r->enforces && r->has_pkeys)
		ibc_attrs_add(&r->provides, IBC_ATTR_PKEY_TABLE);
	/* What the file has of others and not of this one was not answered. */
	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++) {
		if (node->subnet != r->subnet)
			continue;
		db_info_unanswered(r, node);
		db_unanswered(r, node, IBC_ATTR_NODE_DESC);
		db_unanswered(r, node, IBC_ATTR_GENERAL_INFO_SMP);
		db_unanswered(r, node, IBC_ATTR_PORT_SAMPLES_CONTROL);
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
