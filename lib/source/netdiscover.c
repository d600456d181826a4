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

/* The files being read, innermost first. */
struct open_file {
	struct text_file *text;
	const char *name; /* lives as long as the fabric */
	const struct open_file *up;
	dev_t device;
	ino_t inode;
	unsigned int depth;
};

/* What is said of a node in front of its header. */
struct preface {
	uint64_t vendor, device, system_guid, port_guid;
	bool has_guid[TYPES];
};

struct net_reader {
	struct fabric_build *build;
	struct net_graph *graph;
	struct ibc_subnet *subnet;
	struct net_node *block; /* whose port lines come */
	struct preface preface;
	/* ibsim counts node GUIDs on from the last it was told */
	uint64_t base_guid[TYPES], next_guid[TYPES];
	uint64_t width, speed, extended;
	bool enabled_known;
	uint64_t origin_node, origin_port;
	size_t nodes;
	unsigned int files;
	struct text_skipped skipped;
	unsigned long behind; /* the first of them behind a node; 0: there is none */
	char behind_text[64];
};

struct statement {
	const char *word;
	int (*read)(struct net_reader *r, const struct open_file *f, const struct statement *st,
	            char *rest, struct ibc_error *err);
	enum ibc_node_type type; /* read_guid, read_header */
	size_t offset;           /* read_number: in struct net_reader */
	uint64_t min, max;
	const char *why; /* refuse */
};

static int read_netdiscover_file(struct net_reader *r, struct text_file *text,
                                 const struct open_file *up, struct ibc_error *err);

static struct net_where here(const struct open_file *f)
{
	return (struct net_where){ f->name, text_line_number(f->text) };
}

/* ---- statements ---------------------------------------------------------- */

static int ignore_statement(struct net_reader *r, const struct open_file *f,
                            const struct statement *st, char *rest, struct ibc_error *err)
{
	(void)r, (void)f, (void)st, (void)rest, (void)err;
	return 0;
}

static int refuse_statement(struct net_reader *r, const struct open_file *f,
                            const struct statement *st, char *rest, struct ibc_error *err)
{
	(void)r, (void)rest;
	return net_fail(here(f), err, "\"%s\": %s", st->word, st->why);
}

/* The number behind "=": at *rest, which moves on behind it. */
static int assigned_number(const struct open_file *f, const struct statement *st, char **rest,
                           uint64_t *out, struct ibc_error *err)
{
	*rest += strspn(*rest, BLANKS);
	if (**rest != '=' && **rest != '+')
		return net_fail(here(f), err, "expected \"=\" behind \"%s\"", st->word);
	++*rest;
	*rest += strspn(*rest, BLANKS);
	if (!net_number(rest, st->max, out) || *out < st->min)
		return net_fail(here(f), err, "%s= takes a number from %llu to 0x%llx", st->word,
		                (unsigned long long)st->min, (unsigned long long)st->max);
	return 0;
}

/* A number may be followed by a comment, and by nothing else. */
static int expect_end(const struct open_file *f, char *rest, struct ibc_error *err)
{
	rest += strspn(rest, BLANKS);
	if (*rest && *rest != '#')
		return net_fail(here(f), err, "not understood: \"%s\"", rest);
	return 0;
}

static int read_number(struct net_reader *r, const struct open_file *f, const struct statement *st,
                       char *rest, struct ibc_error *err)
{
	uint64_t *value = (uint64_t *)((char *)r + st->offset);

	r->block = NULL;
	return assigned_number(f, st, &rest, value, err) ? -EINVAL : expect_end(f, rest, err);
}

/* From here on, what ports enable that do not say it. */
static int read_default(struct net_reader *r, const struct open_file *f, const struct statement *st,
                        char *rest, struct ibc_error *err)
{
	r->enabled_known = true;
	return read_number(r, f, st, rest, err);
}

/* "switchguid=0x8f10400410015(8f10400410015)"; "+" counts from the last "=". */
static int read_guid(struct net_reader *r, const struct open_file *f, const struct statement *st,
                     char *rest, struct ibc_error *err)
{
	bool relative = rest[strspn(rest, BLANKS)] == '+';
	uint64_t guid;
	char *end;

	r->block = NULL;
	if (assigned_number(f, st, &rest, &guid, err))
		return -EINVAL;
	if (!relative)
		r->base_guid[st->type] = guid;
	r->next_guid[st->type] = relative ? r->base_guid[st->type] + guid : guid;
	r->preface.has_guid[st->type] = true;
	if (*rest != '(')
		return expect_end(f, rest, err);
	end = strchr(rest, ')');
	if (end)
		*end = '\0';
	if (!end || str_guid(rest + 1, &r->preface.port_guid))
		return net_fail(here(f), err, "no port GUID in the parentheses");
	return expect_end(f, end + 1, err);
}

/* ---- nodes --------------------------------------------------------------- */

/*
 * The GUID line counts, else the id, else the number ibsim would give; that
 * counts all nodes on.  *made: it is one that no file told.
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

/* As ibsim makes them of a node GUID. */
static void make_port_guids(const struct ibc_node *node)
{
	if (node->type == IBC_NODE_SWITCH)
		fabric_build_port(node, 0)->guid = node->guid;
	else
		for (unsigned int i = 1; i <= node->num_ports; i++)
			fabric_build_port(node, i)->guid = node->guid + i;
}

static void fill_node(struct net_reader *r, struct ibc_node *node, const struct net_header *h)
{
	struct ibc_port *port0 = fabric_build_port(node, 0);
	enum ibc_node_type type;
	uint64_t guid;

	node->vendor_id = (uint32_t)r->preface.vendor;
	node->device_id = (uint16_t)r->preface.device;
	node->system_guid = r->preface.system_guid;
	node->enhanced_port0 = h->enhanced;
	if (h->desc)
		fabric_build_desc(r->build, node, h->desc, strlen(h->desc));
	else if (!net_id_parse(h->id, &type, &guid)) /* else the id is no name */
		fabric_build_desc(r->build, node, h->id, strlen(h->id));
	if (!port0)
		return;
	port0->lid = h->lid;
	port0->lmc = h->lmc;
	if (r->preface.port_guid)
		port0->guid = r->preface.port_guid;
}

static int read_header(struct net_reader *r, const struct open_file *f, const struct statement *st,
                       char *rest, struct ibc_error *err)
{
	struct net_block block = { .type = st->type, .where = here(f) };
	struct ibc_error what;
	struct net_header h;
	bool made;
	int rc;

	if (net_header_parse(rest, &h, &what))
		return net_fail(here(f), err, "%s", what.text);
	block.id = h.id;
	block.num_ports = h.num_ports;
	block.guid = node_guid(r, &h, st->type, &made);
	block.enabled = (struct net_enabled){ (unsigned int)r->width, (unsigned int)r->speed,
		                              (unsigned int)r->extended, r->enabled_known };
	rc = net_graph_block(r->graph, &block, &r->block, err);
	if (rc)
		return rc;
	if (made)
		make_port_guids(net_node_model(r->block));
	fill_node(r, net_node_model(r->block), &h);
	r->preface = (struct preface){ 0 };
	r->nodes++;
	return 0;
}

static int read_port_line(struct net_reader *r, const struct open_file *f, char *line,
                          struct ibc_error *err)
{
	struct ibc_error what;
	struct net_port port;

	if (!r->block)
		return net_fail(here(f), err, "a port line outside of a node");
	if (net_port_parse(line, &port, &what))
		return net_fail(here(f), err, "%s", what.text);
	return net_graph_port(r->graph, r->block, &port, here(f), err);
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
static int not_understood(struct net_reader *r, const struct open_file *f, const char *text,
                          struct ibc_error *err)
{
	if (r->nodes && (f->up || (text_was_cut(f->text) && is_begun(text))))
		return net_fail(here(f), err, "not understood: \"%.60s\"", text);
	if (r->nodes && !r->behind) {
		r->behind = text_line_number(f->text);
		snprintf(r->behind_text, sizeof(r->behind_text), "%.60s", text);
	}
	if (!f->up)
		text_skip(&r->skipped, f->text);
	return 0;
}

/* Between two records nothing is passed over. */
static int goes_on(const struct net_reader *r, const struct open_file *f, struct ibc_error *err)
{
	struct net_where where = { f->name, r->behind };

	return r->behind ? net_fail(where, err, "not understood: \"%s\"", r->behind_text) : 0;
}

/* ---- include ------------------------------------------------------------- */

/* Relative names are meant from where the file is that holds them; NULL: no memory. */
static char *include_path(struct net_reader *r, const struct open_file *f, const char *name)
{
	const char *slash = strrchr(f->name, '/');
	int dir = slash && *name != '/' ? (int)(slash + 1 - f->name) : 0;

	return arena_printf(fabric_build_arena(r->build), "%.*s%s", dir, f->name, name);
}

/* The name in a rest of a line, quoted or not. */
static char *cut_name(char *rest)
{
	rest += strspn(rest, BLANKS);
	if (*rest == '"')
		rest[1 + strcspn(rest + 1, "\"")] = '\0';
	else
		rest[strcspn(rest, BLANKS "#")] = '\0';
	return *rest == '"' ? rest + 1 : rest;
}

static int verify_include(struct net_reader *r, const struct open_file *f, const char *path,
                          struct ibc_error *err)
{
	struct stat st;

	if (!text_is_on_disk(f->text))
		return net_fail(here(f), err, "only a file can include other files");
	if (stat(path, &st))
		return net_fail(here(f), err, "cannot include %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return net_fail(here(f), err, "cannot include %s: not a regular file", path);
	if (f->depth >= INCLUDE_DEPTH_MAX || r->files > INCLUDE_COUNT_MAX)
		return net_fail(here(f), err, "more than %d files include each other, or %d in all",
		                INCLUDE_DEPTH_MAX, INCLUDE_COUNT_MAX);
	for (; f; f = f->up)
		if (f->device == st.st_dev && f->inode == st.st_ino)
			return net_fail(here(f), err, "the file includes itself");
	return 0;
}

static int read_include(struct net_reader *r, const struct open_file *f, const struct statement *st,
                        char *rest, struct ibc_error *err)
{
	struct text_file *text;
	char *path;
	int rc;

	if (!strchr(BLANKS "\"", *rest))
		return not_understood(r, f, st->word, err);
	path = include_path(r, f, cut_name(rest));
	if (!path)
		return fail_nomem(err);
	rc = verify_include(r, f, path, err);
	if (rc == 0)
		rc = text_open(path, &text, err);
	if (rc)
		return rc;
	rc = read_netdiscover_file(r, text, f, err);
	text_close(text);
	return rc;
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
	{ "pdebug", .read = ignore_statement },
	{ "Chassis", .read = ignore_statement },
	{ "Non", .read = ignore_statement }, /* Non-Chassis Nodes */
	{ "Hostname", .read = ignore_statement },
	/* what the programs of infiniband-diags say on stderr, which often got into the file */
	{ "ibwarn", .read = ignore_statement },
	{ "ibpanic", .read = ignore_statement },
	{ "src", .read = ignore_statement },
};

static const struct statement *find_statement(const char *word, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		if (strncmp(statements[i].word, word, length) == 0 &&
		    statements[i].word[length] == '\0')
			return &statements[i];
	return NULL;
}

/* A statement as the format has it, or a port line; what may be in any text does not count. */
bool is_netdiscover_line(const char *line)
{
	size_t length = 0, blanks;
	const struct statement *st;

	if (*line == '[')
		return isdigit((unsigned char)line[1]);
	while (isalpha((unsigned char)line[length]))
		length++;
	st = find_statement(line, length);
	if (!st || st->read == ignore_statement)
		return false;
	line += length;
	blanks = strspn(line, BLANKS);
	if (st->read == read_header)
		return blanks > 0 && isdigit((unsigned char)line[blanks]);
	if (st->read == read_include)
		return blanks > 0 || *line == '"';
	return line[blanks] == '=' || line[blanks] == '+';
}

static void read_remark(struct net_reader *r, const char *line)
{
	unsigned long long node, port;

	if (sscanf(line, "# Initiated from node %16llx port %16llx", &node, &port) == 2) {
		r->origin_node = node;
		r->origin_port = port;
	}
}

static int read_netdiscover_line(struct net_reader *r, const struct open_file *f, char *line,
                                 struct ibc_error *err)
{
	const struct statement *st;
	size_t length = 0;

	line += strspn(line, BLANKS);
	if (*line == '\0')
		return 0;
	if (*line == '#') {
		read_remark(r, line);
		return 0;
	}
	if (*line == '[' && isdigit((unsigned char)line[1]))
		return goes_on(r, f, err) ?: read_port_line(r, f, line, err);
	if (*line == '@')
		return net_fail(here(f), err, "ibsim's aliases are not supported here");
	while (isalpha((unsigned char)line[length]))
		length++;
	st = find_statement(line, length);
	if (!st)
		return not_understood(r, f, line, err);
	if (st->read != ignore_statement && goes_on(r, f, err))
		return -EINVAL;
	return st->read(r, f, st, line + length, err);
}

static int read_netdiscover_file(struct net_reader *r, struct text_file *text,
                                 const struct open_file *up, struct ibc_error *err)
{
	struct open_file f = { .text = text, .up = up, .depth = up ? up->depth + 1 : 1 };
	struct stat st;
	size_t length;
	char *line;
	int rc;

	f.name = arena_strdup(fabric_build_arena(r->build), text_name(text));
	if (!f.name)
		return fail_nomem(err);
	if (text_is_on_disk(text) && stat(f.name, &st) == 0) {
		f.device = st.st_dev;
		f.inode = st.st_ino;
	}
	r->files++;
	while ((rc = text_line(text, &line, &length, err)) > 0) {
		rc = read_netdiscover_line(r, &f, line, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* ---- the whole ----------------------------------------------------------- */

/* The port the file was made from, if it says so. */
static void set_origin(struct net_reader *r)
{
	const struct ibc_node *node = fabric_build_find(r->build, r->subnet, r->origin_node);
	struct ibc_port *port;

	for (unsigned int i = 0; node && r->origin_port && i <= node->num_ports; i++) {
		port = fabric_build_port(node, i);
		if (port && port->guid == r->origin_port && !r->subnet->origin)
			r->subnet->origin = port;
	}
}

static int start_netdiscover(struct net_reader *r, struct text_file *f, const char *spec,
                             struct fabric_build *b, struct ibc_error *err)
{
	*r = (struct net_reader){
		.build = b,
		.subnet = text_subnet(f, spec, "netdiscover", b),
		.base_guid = { [IBC_NODE_CA] = 0x100000, [IBC_NODE_SWITCH] = 0x200000 },
		.next_guid = { [IBC_NODE_CA] = 0x100000, [IBC_NODE_SWITCH] = 0x200000 },
		.width = NET_WIDTH_DEFAULT,
		.speed = NET_SPEED_DEFAULT,
	};
	if (!r->subnet)
		return fail_nomem(err);
	return net_graph_new(b, r->subnet, &r->graph, err);
}

int read_netdiscover(struct text_file *f, const char *spec, struct fabric_build *b,
                     struct ibc_error *err)
{
	struct net_reader r;
	int rc = start_netdiscover(&r, f, spec, b, err);

	if (rc == 0)
		rc = read_netdiscover_file(&r, f, NULL, err);
	if (rc == 0 && r.nodes == 0)
		rc = fail(err, -EINVAL, "%s contains no node", text_name(f));
	if (rc == 0)
		rc = net_graph_finish(r.graph, r.next_guid[IBC_NODE_CA], err);
	if (rc == 0) {
		set_origin(&r);
		text_skipped(&r.skipped, f, "ibnetdiscover output");
	}
	net_graph_free(r.graph);
	return rc;
}
