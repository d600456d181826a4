/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of ibnetdiscover text: what that program prints, with -g or without,
 * and what people write for ibsim.  Each line begins with a word that says
 * what it is; what ibsim ignores after the first node is an error here, lest a
 * damaged file become a smaller fabric.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "fabric/build.h"
#include "source/netdiscover.h"
#include "source/source.h"

#define BLANKS            " \t"
#define INCLUDE_DEPTH_MAX 9    /* as ibsim's */
#define INCLUDE_COUNT_MAX 1000 /* files in all */

#define TYPES 4 /* enum ibc_node_type */

#define GENERATED "# Topology file: generated on" /* by ibnetdiscover, which writes both ends */

/* A file that is read. */
struct open_file {
	struct text_file *text;
	const char *name; /* lives as long as the fabric */
	dev_t device;
	ino_t inode;
};

/* What is said of a node in front of its header. */
struct preface {
	uint64_t vendor, device, system_guid, port_guid;
	bool has_guid[TYPES];
};

/*
 * struct net_reader
 * @open: the files that are read, each included by the one before; @file: the last of them, or NULL
 * @block: whose port lines come
 * @base_guid, @next_guid: ibsim counts node GUIDs on from the last one given
 * @width, @speed, @extended: what ports enable from here on
 * @behind: the last lines of @num_behind that were skipped behind a node
 */
struct net_reader {
	struct net_graph graph;
	struct text_file *text; /* the first one */
	const char *spec;
	struct ibc_error *err;
	struct open_file open[INCLUDE_DEPTH_MAX], *file;
	struct net_node *block;
	struct preface preface;
	uint64_t base_guid[TYPES], next_guid[TYPES];
	uint64_t width, speed, extended;
	bool enabled_known;
	uint64_t origin_node, origin_port;
	size_t nodes;
	unsigned int files;
	struct text_skipped skipped;
	struct behind {
		struct text_place where;
		char text[64];
	} behind[IBC_LOST_SHOWN];
	size_t num_behind;
};

struct statement {
	const char *word;
	/* NULL: it is passed over */
	int (*read)(struct net_reader *r, const struct statement *st, char *rest);
	enum ibc_node_type type; /* read_guid, read_header */
	size_t offset;           /* read_number: in struct net_reader */
	uint64_t min, max;
	const char *why; /* refuse */
};

static int read_netdiscover_file(struct net_reader *r, struct text_file *text);

/* What is wrong in the line at hand: it is skipped. */
#define net_lose(r, ...) text_complain((r)->text, here(r), __VA_ARGS__)

static struct text_place here(const struct net_reader *r)
{
	return (struct text_place){ text_line_number(r->file->text), 0,
		                    r->file > r->open ? r->file->name : NULL };
}

/* ---- statements ---------------------------------------------------------- */

static int refuse_statement(struct net_reader *r, const struct statement *st, char *rest)
{
	(void)rest;
	return net_lose(r, "\"%s\": %s", st->word, st->why);
}

/* The number behind "=": at *rest, which moves on behind it. */
static int assigned_number(struct net_reader *r, const struct statement *st, char **rest,
                           uint64_t *out)
{
	r->block = NULL;
	*rest += strspn(*rest, BLANKS);
	if (**rest != '=' && **rest != '+')
		return net_lose(r, "expected \"=\" behind \"%s\"", st->word);
	++*rest;
	*rest += strspn(*rest, BLANKS);
	if (!net_number(rest, st->max, out) || *out < st->min)
		return net_lose(r, "%s= takes a number from %llu to 0x%llx", st->word,
		                (unsigned long long)st->min, (unsigned long long)st->max);
	return 0;
}

/* A number may be followed by a comment, and by nothing else. */
static int expect_end(const struct net_reader *r, char *rest)
{
	rest += strspn(rest, BLANKS);
	if (*rest && *rest != '#')
		return net_lose(r, "not understood: \"%s\"", rest);
	return 0;
}

static int read_number(struct net_reader *r, const struct statement *st, char *rest)
{
	uint64_t *value = (uint64_t *)((char *)r + st->offset);

	return assigned_number(r, st, &rest, value) ?: expect_end(r, rest);
}

/* From here on, what ports enable that do not say it. */
static int read_default(struct net_reader *r, const struct statement *st, char *rest)
{
	r->enabled_known = true;
	return read_number(r, st, rest);
}

/* "switchguid=0x8f10400410015(8f10400410015)"; "+" counts from the last "=". */
static int read_guid(struct net_reader *r, const struct statement *st, char *rest)
{
	bool relative = rest[strspn(rest, BLANKS)] == '+';
	uint64_t guid;
	char *end;

	if (assigned_number(r, st, &rest, &guid))
		return -EINVAL;
	if (!relative)
		r->base_guid[st->type] = guid;
	r->next_guid[st->type] = relative ? r->base_guid[st->type] + guid : guid;
	r->preface.has_guid[st->type] = true;
	if (*rest != '(')
		return expect_end(r, rest);
	end = strchr(rest, ')');
	if (end)
		*end = '\0';
	if (!end || str_guid(rest + 1, &r->preface.port_guid))
		return net_lose(r, "no port GUID in the parentheses");
	return expect_end(r, end + 1);
}

/* ---- nodes --------------------------------------------------------------- */

/*
 * The GUID line counts, else the id, else the number ibsim would give; that
 * counts all nodes on.  *made: no file gives it.
 */
static uint64_t node_guid(struct net_reader *r, const struct net_header *h, enum ibc_node_type type,
                          bool *made)
{
	uint64_t guid = r->next_guid[type], in_id;
	enum ibc_node_type type_in_id;

	bool has_id = net_id_parse(h->id, &type_in_id, &in_id) && type_in_id == type;

	r->next_guid[type] += type == IBC_NODE_SWITCH ? 1 : h->num_ports + 1;
	*made = false;
	/* ibdiagnet gives all chips of a director the GUID of the system there */
	if (has_id && (!r->preface.has_guid[type] || guid == r->preface.system_guid))
		return in_id;
	*made = !r->preface.has_guid[type];
	return guid;
}

static int read_header(struct net_reader *r, const struct statement *st, char *rest)
{
	struct ibc_error what;
	struct net_header h;
	struct ibc_node *node;
	struct ibc_port *port0;
	enum ibc_node_type type;
	uint64_t guid, in_id;
	bool made;

	r->block = NULL;
	if (net_header_parse(rest, &h, &what))
		return net_lose(r, "%s", what.text);
	guid = node_guid(r, &h, st->type, &made);
	if (net_graph_block(&r->graph, &h, guid, st->type, here(r), &r->block)) {
		r->block = NULL;
		return -EINVAL;
	}
	node = net_node_model(r->block);
	port0 = fabric_build_port(node, 0);
	/* port GUIDs as ibsim makes them of a node GUID */
	if (made && st->type == IBC_NODE_SWITCH)
		port0->guid = guid;
	for (unsigned int i = 1; made && st->type != IBC_NODE_SWITCH && i <= h.num_ports; i++)
		fabric_build_port(node, i)->guid = guid + i;
	node->vendor_id = (uint32_t)r->preface.vendor;
	node->device_id = (uint16_t)r->preface.device;
	node->system_guid = r->preface.system_guid;
	node->enhanced_port0 = h.enhanced;
	if (h.desc)
		fabric_build_desc(r->graph.build, node, h.desc, strlen(h.desc));
	else if (!net_id_parse(h.id, &type, &in_id)) /* else the id is no name */
		fabric_build_desc(r->graph.build, node, h.id, strlen(h.id));
	if (port0) {
		port0->lid = h.lid;
		port0->lmc = h.lmc;
	}
	if (port0 && r->preface.port_guid)
		port0->guid = r->preface.port_guid;
	r->preface = (struct preface){ 0 };
	r->nodes++;
	return 0;
}

static int read_port_line(struct net_reader *r, char *line)
{
	struct net_port port = { .enabled = { (unsigned int)r->width, (unsigned int)r->speed,
		                              (unsigned int)r->extended, r->enabled_known } };
	enum ibc_node_type type;
	struct ibc_error what;
	uint64_t guid;

	if (!r->block)
		return net_lose(r, "a port line outside of a node");
	if (net_port_parse(line, &port, &what))
		return net_lose(r, "%s", what.text);
	if (r->graph.complete && !net_id_parse(port.peer_id, &type, &guid))
		return net_lose(r, "no id of a node: \"%.40s\"", port.peer_id);
	return net_graph_port(&r->graph, r->block, &port, here(r));
}

/* ---- what is around the records ------------------------------------------ */

/* Is the last line one of a record that was cut off? */
static bool is_begun(const char *line)
{
	static const char *const words[] = { "[",      "Switch", "Ca",         "Rt",
		                             "vendid", "devid",  "sysimgguid", "switchguid",
		                             "caguid", "rtguid" };
	bool begun = false;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		begun |= strncmp(words[i], line, strlen(line)) == 0;
	return begun;
}

/*
 * In front of the first node there may be anything, and behind the last one as well: prompts
 * and messages of the terminal that the text was captured from.
 */
static int not_understood(struct net_reader *r, const char *text)
{
	const struct open_file *f = r->file;
	bool is_record = strchr(text, '"') && strchr(text, '[');

	/* the ports that follow may be those of a node whose header this was */
	if (isalpha((unsigned char)*text))
		r->block = NULL;
	if (r->nodes && (is_record || f > r->open || (text_was_cut(f->text) && is_begun(text))))
		return net_lose(r, "not understood: \"%.60s\"", text);
	if (r->nodes) {
		struct behind *behind = &r->behind[r->num_behind % ARRAY_SIZE(r->behind)];

		behind->where = here(r);
		snprintf(behind->text, sizeof(behind->text), "%.60s", text);
		r->num_behind++;
	}
	if (f == r->open)
		text_skip(&r->skipped, f->text);
	return 0;
}

/* What was taken for the end of the records was not: lines between them are lost. */
static void goes_on(struct net_reader *r)
{
	for (size_t i = 0; i < r->num_behind; i++) {
		const struct behind *behind = &r->behind[i % ARRAY_SIZE(r->behind)];

		text_complain(r->text, behind->where, "not understood: \"%s\"", behind->text);
	}
	r->num_behind = 0;
}

/* ---- include ------------------------------------------------------------- */

/* Relative names are meant from where the file is that holds them. */
static int read_include(struct net_reader *r, const struct statement *st, char *rest)
{
	const char *from = r->file->name, *slash = strrchr(from, '/'), *path;
	struct text_file *text;
	struct stat file;
	int rc;

	if (!strchr(BLANKS "\"", *rest))
		return not_understood(r, st->word);
	rest += strspn(rest, BLANKS);
	rest[*rest == '"' ? 1 + strcspn(rest + 1, "\"") : strcspn(rest, BLANKS "#")] = '\0';
	rest += *rest == '"';
	path = arena_printf(r->graph.arena, "%.*s%s",
	                    slash && *rest != '/' ? (int)(slash + 1 - from) : 0, from, rest);
	if (!text_is_on_disk(r->file->text))
		return net_lose(r, "only a file can include other files");
	if (stat(path, &file))
		return net_lose(r, "cannot include %s: %s", path, strerror(errno));
	if (!S_ISREG(file.st_mode))
		return net_lose(r, "cannot include %s: not a regular file", path);
	if (r->file == &r->open[INCLUDE_DEPTH_MAX - 1] || r->files > INCLUDE_COUNT_MAX)
		return net_lose(r, "more than %d files include each other, or %d in all",
		                INCLUDE_DEPTH_MAX, INCLUDE_COUNT_MAX);
	for (const struct open_file *f = r->open; f <= r->file; f++)
		if (f->device == file.st_dev && f->inode == file.st_ino)
			return net_lose(r, "the file includes itself");
	rc = text_open(path, &text, r->err);
	return rc ? rc : read_netdiscover_file(r, text);
}

/* ---- lines --------------------------------------------------------------- */

static const struct statement statements[] = {
	{ "Switch", read_header, .type = IBC_NODE_SWITCH },
	{ "Ca", read_header, .type = IBC_NODE_CA },
	{ "Hca", read_header, .type = IBC_NODE_CA },
	{ "Rt", read_header, .type = IBC_NODE_ROUTER },
	{ "vendid", read_number, .offset = offsetof(struct net_reader, preface.vendor),
	  .max = UINT32_MAX },
	{ "devid", read_number, .offset = offsetof(struct net_reader, preface.device),
	  .max = UINT16_MAX },
	{ "sysimgguid", read_number, .offset = offsetof(struct net_reader, preface.system_guid),
	  .max = UINT64_MAX },
	{ "switchguid", read_guid, .type = IBC_NODE_SWITCH, .max = UINT64_MAX },
	{ "switchguids", read_guid, .type = IBC_NODE_SWITCH, .max = UINT64_MAX },
	{ "caguid", read_guid, .type = IBC_NODE_CA, .max = UINT64_MAX },
	{ "caguids", read_guid, .type = IBC_NODE_CA, .max = UINT64_MAX },
	{ "hcaguids", read_guid, .type = IBC_NODE_CA, .max = UINT64_MAX },
	{ "rtguid", read_guid, .type = IBC_NODE_ROUTER, .max = UINT64_MAX },
	{ "width", read_default, .offset = offsetof(struct net_reader, width), .min = 1,
	  .max = 31 },
	{ "speed", read_default, .offset = offsetof(struct net_reader, speed), .min = 1, .max = 7 },
	{ "extspeed", read_default, .offset = offsetof(struct net_reader, extended), .max = 15 },
	{ "include", .read = read_include },
	{ "do", refuse_statement,
	  .why = "ibsim's commands are not supported here: remove the line" },
	{ "module", refuse_statement,
	  .why = "ibsim's prefixes are not supported here: write ids in full" },
	{ .word = "pdebug" },
	{ .word = "Chassis" },
	{ .word = "Non" }, /* Non-Chassis Nodes */
	{ .word = "Hostname" },
	/* what the programs of infiniband-diags say on stderr, which often got into the file */
	{ .word = "ibwarn" },
	{ .word = "ibpanic" },
	{ .word = "src" },
};

/* By the letters that a line begins with, *length of them. */
static const struct statement *find_statement(const char *line, size_t *length)
{
	*length = 0;
	while (isalpha((unsigned char)line[*length]))
		++*length;
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		if (strncmp(statements[i].word, line, *length) == 0 &&
		    statements[i].word[*length] == '\0')
			return &statements[i];
	return NULL;
}

/* A statement as the format has it, or a port line; what may be in any text does not count. */
bool is_netdiscover_line(const char *line)
{
	size_t length, blanks;
	const struct statement *st = find_statement(line, &length);

	if (*line == '[')
		return isdigit((unsigned char)line[1]);
	if (!st || !st->read)
		return false;
	line += length;
	blanks = strspn(line, BLANKS);
	if (st->read == read_header) /* but iblinkinfo has a GUID there */
		return blanks > 0 && isdigit((unsigned char)line[blanks]) &&
		       line[blanks + 1] != 'x';
	if (st->read == read_include)
		return blanks > 0 || *line == '"';
	return line[blanks] == '=' || line[blanks] == '+';
}

static int read_netdiscover_line(struct net_reader *r, char *line)
{
	const struct statement *st;
	unsigned long long node, port;
	size_t length;

	line += strspn(line, BLANKS);
	r->graph.complete |= !strncmp(line, GENERATED, strlen(GENERATED));
	if (*line == '#' &&
	    sscanf(line, "# Initiated from node %16llx port %16llx", &node, &port) == 2) {
		r->origin_node = node;
		r->origin_port = port;
	}
	if (*line == '\0' || *line == '#')
		return 0;
	if (*line == '[' && isdigit((unsigned char)line[1])) {
		goes_on(r);
		return read_port_line(r, line);
	}
	if (*line == '@')
		return net_lose(r, "ibsim's aliases are not supported here");
	st = find_statement(line, &length);
	if (!st)
		return not_understood(r, line);
	if (!st->read)
		return 0;
	goes_on(r);
	return st->read(r, st, line + length);
}

static void close_file(struct net_reader *r)
{
	if (r->file > r->open)
		text_close(r->file->text);
	r->file = r->file > r->open ? r->file - 1 : NULL;
}

/* Closes it, but for the first one. */
static int read_netdiscover_file(struct net_reader *r, struct text_file *text)
{
	struct open_file *f = r->file ? r->file + 1 : r->open;
	struct stat st;
	size_t length;
	char *line;
	int rc;

	*f = (struct open_file){ .text = text };
	r->file = f;
	f->name = arena_strdup(fabric_build_arena(r->graph.build), text_name(text));
	if (text_is_on_disk(text) && stat(f->name, &st) == 0) {
		f->device = st.st_dev;
		f->inode = st.st_ino;
	}
	r->files++;
	while ((rc = text_line(text, &line, &length, r->err)) > 0) {
		rc = read_netdiscover_line(r, line);
		if (rc && rc != -EINVAL) /* reported by text_complain() */
			return rc;
	}
	close_file(r);
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

static int read_all(void *reader)
{
	struct net_reader *r = reader;
	struct text_file *f = r->text;
	struct ibc_subnet *subnet = text_subnet(f, r->spec, "netdiscover", r->graph.build);
	const struct ibc_node *node;
	struct ibc_port *port;
	int rc;

	r->graph.subnet = subnet;
	rc = read_netdiscover_file(r, f);
	if (rc == 0 && r->nodes == 0)
		rc = fail(r->err, -EINVAL, "%s contains no node", text_name(f));
	if (rc)
		return rc;
	net_graph_finish(&r->graph, r->next_guid[IBC_NODE_CA]);
	/* the port the file was made from, if it says so */
	node = fabric_build_find(r->graph.build, subnet, r->origin_node);
	for (unsigned int i = 0; node && r->origin_port && i <= node->num_ports; i++) {
		port = fabric_build_port(node, i);
		if (port && port->guid == r->origin_port && !subnet->origin)
			subnet->origin = port;
	}
	text_skipped(&r->skipped, f, "ibnetdiscover output");
	return 0;
}

int read_netdiscover(struct text_file *f, const char *spec, struct fabric_build *b,
                     struct ibc_error *err)
{
	struct net_reader r = {
		.graph = { .text = f, .build = b, .arena = arena_new() },
		.text = f,
		.spec = spec,
		.err = err,
		.base_guid = { [IBC_NODE_CA] = 0x100000, [IBC_NODE_SWITCH] = 0x200000 },
		.next_guid = { [IBC_NODE_CA] = 0x100000, [IBC_NODE_SWITCH] = 0x200000 },
		.width = IBC_WIDTH_4X, /* what ibsim takes a port to enable */
		.speed = IBC_SPEED_SDR,
	};
	int rc = fabric_build_run(b, r.graph.arena, read_all, &r);

	while (r.file)
		close_file(&r);
	net_graph_free(&r.graph);
	arena_free(r.graph.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
