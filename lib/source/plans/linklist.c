/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the lists of ports that infiniband-diags print: "ibnetdiscover -p",
 *
 *	SW     1  2 0x0200000000000010 4x EDR - CA     2  1 0x0200000000000020 ( 'sw' - 'host' )
 *	SW     1  3 0x0200000000000010 ?? ???                                    'sw'
 *
 * and iblinkinfo,
 *
 *	Switch: 0x0200000000000010 sw:
 *	     1  2[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>   2  1[  ] "host" ( )
 *	CA: host:
 *	0x0200000000000020  2  1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>  1  2[  ] "sw" ( )
 *
 * The first names both ends by GUID, the second the far one by LID.  Neither has the node GUID
 * of a CA: a port of one is known by its own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/words.h"
#include "fabric/attributes.h"
#include "fabric/build.h"
#include "source/source.h"

#define ARROW     "==("
#define ARROW_END ")==>"
#define HEX       "0123456789abcdefABCDEF"
#define PORT_MAX  255 /* a port number is a byte */

/* A node, known by a GUID or by a LID. */
struct list_node {
	uint64_t key;
	enum ibc_node_type type;
	const char *name;
	uint64_t guid;
	uint16_t lid;
	unsigned int highest_port;
	uint64_t own[PORT_MAX / 64 + 1]; /* ports with a line that begins there */
	bool several;                    /* of its ports were named */
	bool believed;                   /* a line that is not disputed names it */
	bool missing;                    /* it lacks lines of its own, which is reported */
	uint32_t *lines; /* by port: 1 + index of the first that has a cable there, 0: none */
	unsigned long line;
	struct ibc_node *node;
	UT_hash_handle hh;
};

/* One end of a line. */
struct list_end {
	enum ibc_node_type type;
	unsigned int lid, port;
	uint64_t guid;
	const char *name;
};

/* One line: a port, and what is at the other end of its cable. */
struct list_line {
	struct list_end near, far;
	struct list_node *nodes[2]; /* the second is NULL where there is no cable */
	struct text_place at;
	uint16_t speed;
	uint8_t width, state, phys_state;
	bool disputed; /* another line has another cable for one of its ports */
};

struct list_reader {
	struct text_file *text;
	const char *spec;
	struct ibc_error *err;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	struct list_node *nodes;
	struct list_end block; /* of iblinkinfo: whose ports come */
	struct list_line *lines;
	size_t num, room, num_ports;
	struct text_skipped skipped;
	unsigned long record, other; /* the last line that is one, or may have been one; 0: none */
};

/* What is wrong in the line at hand: it is skipped. */
#define lose_line(r, ...) text_complain((r)->text, text_here((r)->text), __VA_ARGS__)

/* ---- words ------------------------------------------------------------------ */

static const struct value_word {
	const char *word;
	unsigned int value;
} kinds[] = {
	{ "SW", IBC_NODE_SWITCH }, { "CA", IBC_NODE_CA }, { "RT", IBC_NODE_ROUTER }, { NULL, 0 },
}, blocks[] = {
	{ "Switch:", IBC_NODE_SWITCH }, { "CA:", IBC_NODE_CA }, { "Router:", IBC_NODE_ROUTER },
	{ "Switch", IBC_NODE_SWITCH }, /* of the script that was before */
	{ NULL, 0 },
}, states[] = {
	{ "Down", IBC_STATE_DOWN }, { "Init", IBC_STATE_INIT }, { "Initialize", IBC_STATE_INIT },
	{ "Armed", IBC_STATE_ARMED }, { "Active", IBC_STATE_ACTIVE }, { NULL, 0 },
}, phys_states[] = {
	{ "Sleep", IBC_PHYS_SLEEP }, { "Polling", IBC_PHYS_POLLING },
	{ "Disabled", IBC_PHYS_DISABLED }, { "PortConfigurationTraining", IBC_PHYS_TRAINING },
	{ "LinkUp", IBC_PHYS_LINKUP }, { "LinkErrorRecovery", IBC_PHYS_ERROR_RECOVERY },
	{ "PhyTest", IBC_PHYS_TEST }, { NULL, 0 },
}, lanes[] = { /* Gb/s on the wire */
	{ "2.5", IBC_SPEED_SDR }, { "5.0", IBC_SPEED_DDR }, { "10.0", IBC_SPEED_QDR },
	{ "14.0625", IBC_SPEED_FDR }, { "25.78125", IBC_SPEED_EDR }, { "53.125", IBC_SPEED_HDR },
	{ "106.25", IBC_SPEED_NDR }, { NULL, 0 },
};

/* 0: it is none of them. */
static unsigned int word_value(const struct value_word *w, const char *word)
{
	while (w->word && strcmp(w->word, word) != 0)
		w++;
	return w->value;
}

/* ---- one line ------------------------------------------------------------------ */

/* The text between two marks, the second being the last of its kind; NULL: there is none. */
static char *cut_between(char *text, const char *from, const char *to)
{
	char *begin = text ? strstr(text, from) : NULL, *end = NULL;

	if (!begin)
		return NULL;
	begin += strlen(from);
	for (char *next = strstr(begin, to); next; next = strstr(next + 1, to))
		end = next;
	if (end)
		*end = '\0';
	return end ? begin : NULL;
}

/* "4X 25.78125 Gbps Active/  LinkUp": width and speed are not there if it is down. */
static int read_link_state(const struct list_reader *r, char *text, struct list_line *l)
{
	char width[8] = "", gbps[16] = "", more[16] = "", state[16] = "",
	     *slash = strrchr(text, '/');
	char phys[32] = "";

	if (!slash)
		return lose_line(r, "expected a state, \"Active/  LinkUp\"");
	*slash++ = '\0';
	if (sscanf(text, " %7s %15s Gbps %15s %15s", width, gbps, more, state) == 3)
		memcpy(state, more, sizeof(state));
	else if (!*gbps)
		snprintf(state, sizeof(state), "%s", width);
	sscanf(slash, " %31s", phys);
	l->state = (uint8_t)word_value(states, state);
	l->phys_state = (uint8_t)word_value(phys_states, phys);
	if (!l->state || !l->phys_state)
		return lose_line(r, "no state of a port: \"%.20s/%.40s\"", state, phys);
	l->width = (uint8_t)width_of(width);
	l->speed = strcmp(more, "(FDR10)") == 0 ? IBC_SPEED_FDR10
	                                        : (uint16_t)word_value(lanes, gbps);
	return 0;
}

/*
 * Where the line of the node is lost, a port of a CA has its own GUID, a switch is what several
 * ports with one LID are, and the lines of their peers name both.
 */
static int read_linkinfo(const struct list_reader *r, char *line, struct list_line *l)
{
	char *arrow = strstr(line, ARROW), *peer = arrow ? strstr(arrow, ARROW_END) : NULL, *name;
	unsigned long long guid = 0, far_guid = 0;

	if (!peer)
		return lose_line(r, "expected \"" ARROW " ... " ARROW_END "\"");
	l->near = r->block;
	*arrow = *peer = '\0';
	peer += strlen(ARROW_END);
	name = cut_between(line, "\"", "\""); /* iblinkinfo -l has both ends in a line */
	if (name) {
		l->near.name = name + strspn(name, " ");
		name += strlen(name) + 1;
	}
	if (!(name && sscanf(line, "0x%llx", &guid) == 1 &&
	      sscanf(name, "%u %u[", &l->near.lid, &l->near.port) == 2) &&
	    sscanf(line, "0x%llx %u %u[", &guid, &l->near.lid, &l->near.port) != 3 &&
	    sscanf(line, "%u %u[", &l->near.lid, &l->near.port) != 2)
		return lose_line(r, "expected \"LID PORT[  ]\"");
	if (guid)
		l->near.guid = guid;
	if (sscanf(peer, " 0x%llx %u %u[", &far_guid, &l->far.lid, &l->far.port) == 3 ||
	    sscanf(peer, "%u %u[", &l->far.lid, &l->far.port) == 2) {
		l->far.guid = far_guid;
		name = cut_between(peer, "\"", "\"");
		if (!name)
			return lose_line(r,
			                 "expected the name of the other end in quotation marks");
		l->far.name = name;
	}
	return read_link_state(r, arrow + strlen(ARROW), l);
}

static int read_ports_line(const struct list_reader *r, char *line, struct list_line *l)
{
	char kind[4], far_kind[4], width[8], speed[8], *names;
	unsigned long long guid, far_guid;
	int n, rest = 0;

	n = sscanf(line, "%3s %u %u 0x%llx %7s %7s %n- %3s %u %u 0x%llx %n", kind, &l->near.lid,
	           &l->near.port, &guid, width, speed, &rest, far_kind, &l->far.lid, &l->far.port,
	           &far_guid, &rest);
	names = line + rest;
	if (n != 6 && n != 10)
		return lose_line(r, "expected \"SW LID PORT GUID WIDTH SPEED - CA LID PORT GUID\"");
	l->near.type = word_value(kinds, kind);
	l->near.guid = guid;
	l->width = (uint8_t)width_of(width);
	l->speed = (uint16_t)speed_of(speed);
	if (n == 6) {
		/* half of a line with a cable is no port without one */
		const char *digits = strstr(line, "0x") + 2;
		bool whole = strchr(" \t", digits[strspn(digits, HEX)]) &&
		             (l->width || strcmp(width, "??") == 0) && !strstr(names, "' - '") &&
		             line[strlen(line) - 1] == '\'';

		l->near.name = whole ? cut_between(names, "'", "'") : NULL;
		return l->near.name ? 0
		                    : lose_line(r, "expected \"SW LID PORT GUID ?? ??? 'NAME'\"");
	}
	l->far.type = word_value(kinds, far_kind);
	l->far.guid = far_guid;
	l->far.name = cut_between(strstr(names, "' - '"), " - '", "' )");
	l->near.name = cut_between(names, "( '", "' - '");
	if (!l->near.name || !l->far.name || !l->far.type)
		return lose_line(r, "expected the names of both ends, ( 'NAME' - 'NAME' )");
	return 0;
}

/* ---- nodes --------------------------------------------------------------------- */

/* Switches have one LID; a port of a CA is known by its own, and is a node here. */
static int meet_end(struct list_reader *r, const struct list_end *end, bool by_guid,
                    struct list_node **out)
{
	uint64_t key = by_guid ? end->guid : end->lid;
	struct list_node *n;

	if (!key || !end->port || end->port > PORT_MAX || end->lid > UINT16_MAX)
		return lose_line(r,
		                 key ? "port %u or LID %u cannot be"
		                     : "port %u has LID %u: a port without a LID cannot be "
		                       "identified from others; use ibnetdiscover",
		                 end->port, end->lid);
	HASH_FIND(hh, r->nodes, &key, sizeof(key), n);
	if (!n) {
		n = arena_alloc(r->arena, sizeof(*n));
		n->key = key;
		n->line = text_line_number(r->text);
		HASH_ADD(hh, r->nodes, key, sizeof(n->key), n);
		fabric_build_need(r->build, hash_added(n));
	}
	if (!n->name && end->name)
		n->name = arena_strdup(r->arena, end->name);
	n->type = n->type ? n->type : end->type;
	n->guid = n->guid ? n->guid : end->guid;
	n->lid = (uint16_t)end->lid;
	n->several |= n->highest_port && n->highest_port != end->port;
	if (n->highest_port < end->port) {
		r->num_ports += end->port - n->highest_port + !n->highest_port;
		n->highest_port = end->port;
	}
	*out = n;
	return r->num_ports <= FILE_MAX_PORTS
	           ? 0
	           : lose_line(r, "more than %d ports, no subnet has so many", FILE_MAX_PORTS);
}

/* ---- lines ----------------------------------------------------------------------- */

static bool is_block(const char *line)
{
	char kind[8] = "";
	size_t length = strlen(line);

	return sscanf(line, "%7s", kind) == 1 && word_value(blocks, kind) && strchr(line, ' ') &&
	       line[length - 1] == ':';
}

bool is_link_list_line(const char *line)
{
	unsigned int lid, port;
	char kind[4] = "";

	if (is_block(line) || (strstr(line, ARROW) && strstr(line, ARROW_END)))
		return true;
	return sscanf(line, "%3s %u %u 0x", kind, &lid, &port) == 3 && word_value(kinds, kind);
}

static void begin_list_block(struct list_reader *r, char *line)
{
	unsigned long long guid = 0;
	char kind[8] = "", *name;
	int at = 0, behind = 0;

	/* "Switch: 0x0200000000000010 sw:", "CA: host:" */
	sscanf(line, "%7s %n0x%llx %n", kind, &at, &guid, &behind);
	name = arena_strdup(r->arena, line + (behind ? behind : at));
	name[strlen(name) - 1] = '\0';
	r->block = (struct list_end){ word_value(blocks, kind), .guid = guid, .name = name };
}

/*
 * Where an empty line is between them, it is no record; nor is what the programs of
 * infiniband-diags say on stderr, which often got into the file.
 */
static void pass_over(struct list_reader *r, const char *line)
{
	static const char *const messages[] = { "ibwarn: ", "ibpanic: ", "src/" };
	unsigned long here = text_line_number(r->text);
	bool message = false;

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		message |= strncmp(line, messages[i], strlen(messages[i])) == 0;
	/* it may have been the line of a node */
	r->block = (struct list_end){ 0 };
	if (r->num && text_was_cut(r->text) && strchr("0123456789CSR", *line)) {
		lose_line(r, "the last line is cut off");
	} else if (!message && r->record && r->record + 1 == here) {
		lose_line(r, "not understood");
		r->record = here;
	} else {
		text_skip(&r->skipped, r->text);
		r->other = message ? 0 : here;
	}
}

static int read_list_line(void *reader, char *line, struct ibc_error *err)
{
	struct list_reader *r = reader;
	struct list_line l = { .at = text_here(r->text) };
	bool by_guid = !strstr(line, ARROW);
	int rc;

	(void)err;
	if (*line == '#')
		return 0;
	if (!is_link_list_line(line)) {
		pass_over(r, line);
		return 0;
	}
	if (!r->record && r->other && r->other + 1 == l.at.line)
		text_complain(r->text, (struct text_place){ .line = r->other }, "not understood");
	r->record = l.at.line;
	text_go_on(&r->skipped, r->text);
	if (is_block(line)) {
		begin_list_block(r, line);
		return 0;
	}
	rc = by_guid ? read_ports_line(r, line, &l) : read_linkinfo(r, line, &l);
	if (rc == 0)
		rc = meet_end(r, &l.near, by_guid, &l.nodes[0]);
	if (rc == 0 && l.far.port)
		rc = meet_end(r, &l.far, by_guid, &l.nodes[1]);
	if (rc == 0 && l.nodes[0] == l.nodes[1] && l.near.port == l.far.port)
		rc = lose_line(r, "port %u is cabled to itself", l.near.port);
	if (rc)
		return r->num_ports > FILE_MAX_PORTS ? rc : 0;
	l.nodes[0]->own[l.near.port / 64] |= UINT64_C(1) << l.near.port % 64;
	arena_grow(r->arena, &r->lines, r->num, &r->room, sizeof(*r->lines));
	r->lines[r->num++] = l;
	return 0;
}

/* ---- the fabric -------------------------------------------------------------------- */

static bool is_same_cable(const struct list_line *a, const struct list_line *b)
{
	bool turned = a->nodes[0] == b->nodes[1] && a->near.port == b->far.port;
	const struct list_end *near = turned ? &b->far : &b->near,
			      *far = turned ? &b->near : &b->far;

	return a->nodes[0] == b->nodes[turned] && a->nodes[1] == b->nodes[!turned] &&
	       a->near.port == near->port && a->far.port == far->port;
}

/* Of cables that contradict each other none is used, nor a node that only such lines name. */
static void find_disputed(struct list_reader *r)
{
	for (struct list_node *n = r->nodes; n; n = n->hh.next)
		n->lines = arena_array(r->arena, n->highest_port + 1u, sizeof(*n->lines));
	for (size_t i = 0; i < r->num; i++) {
		struct list_line *l = &r->lines[i], *other;

		for (int end = 0; l->nodes[1] && end < 2; end++) {
			uint32_t *at = &l->nodes[end]->lines[end ? l->far.port : l->near.port];

			*at = *at ? *at : (uint32_t)i + 1;
			other = &r->lines[*at - 1];
			if (other == l || is_same_cable(l, other))
				continue;
			if (!l->disputed)
				text_complain(r->text, l->at,
				              "port %u or its other end has a cable in a line "
				              "before, and another here: neither is used",
				              l->near.port);
			l->disputed = other->disputed = true;
		}
	}
	for (size_t i = 0; i < r->num; i++)
		for (int end = 0; end < 2 && r->lines[i].nodes[end]; end++)
			r->lines[i].nodes[end]->believed |= !r->lines[i].disputed;
}

static void lay_list_cable(struct list_reader *r, const struct list_line *l)
{
	struct ibc_port *near = fabric_build_port(l->nodes[0]->node, l->near.port), *far;

	if (near && l->state) {
		near->state = l->state;
		near->phys_state = l->phys_state;
		answers_put(near, IBC_ATTR_PORT_STATE, ANSWER_OK);
		ibc_attrs_add(&r->subnet->provides, IBC_ATTR_PORT_STATE);
	}
	if (!l->nodes[1] || l->disputed)
		return;
	far = fabric_build_port(l->nodes[1]->node, l->far.port);
	if (fabric_build_link(near, far))
		return;
	for (int i = 0; i < 2; i++) {
		struct ibc_port *port = i ? far : near;

		answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
		if (port->node->type == IBC_NODE_SWITCH)
			continue;
		port->lid = l->nodes[i]->lid;
		port->guid = l->nodes[i]->guid;
	}
	near->width_active = l->width;
	near->speed_active = l->speed;
	answers_put(near, IBC_ATTR_LINK, l->width && l->speed ? ANSWER_OK : ANSWER_NONE);
	ibc_attrs_add(&r->subnet->provides, IBC_ATTR_LINK);
}

/* A switch lists all its ports, where any does: what only its peers have is cut off. */
static void find_missing(struct list_reader *r)
{
	bool any = false;

	for (size_t i = 0; i < r->num; i++)
		any |= r->lines[i].nodes[0]->node &&
		       r->lines[i].nodes[0]->node->type == IBC_NODE_SWITCH;
	for (size_t i = 0; any && i < r->num; i++) {
		const struct list_line *l = &r->lines[i];
		struct list_node *far = l->nodes[1];

		if (!far || l->disputed || far->node->type != IBC_NODE_SWITCH || far->missing ||
		    far->own[l->far.port / 64] >> l->far.port % 64 & 1)
			continue;
		far->missing = true;
		text_complain(r->text, l->at,
		              "port %u of \"%.60s\" leads here, and has no line of its own",
		              l->far.port, far->name ?: "");
	}
}

static int make_list_fabric(struct list_reader *r, struct ibc_error *err)
{
	uint64_t made = 0;

	if (!r->num)
		return fail(err, -EINVAL, "%s holds no port", text_name(r->text));
	find_disputed(r);
	for (struct list_node *n = r->nodes; n; n = n->hh.next) {
		enum ibc_node_type type = n->type;
		uint64_t guid = n->guid;

		if (!n->believed)
			continue;
		/* each port of an HCA has a LID of its own, and it has two at most */
		if (!type)
			type = n->several || n->highest_port > 2 ? IBC_NODE_SWITCH : IBC_NODE_CA;
		while (!guid && fabric_build_find(r->build, r->subnet, ++made))
			;
		n->node = fabric_build_node(r->build, r->subnet, guid ? guid : made, type,
		                            n->highest_port);
		n->node->named_only = !guid;
		n->node->line = n->line;
		if (n->name)
			fabric_build_desc(r->build, n->node, n->name, strlen(n->name));
		if (n->node->type == IBC_NODE_SWITCH)
			fabric_build_port(n->node, 0)->lid = n->lid;
	}
	r->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	for (size_t i = 0; i < r->num; i++)
		lay_list_cable(r, &r->lines[i]);
	find_missing(r);
	/* what only one end of a cable was listed with holds for the other as well */
	for (size_t i = 0; i < r->num; i++) {
		const struct list_line *l = &r->lines[i];
		struct ibc_port *near = fabric_build_port(l->nodes[0]->node, l->near.port), *far;

		far = l->nodes[1] ? fabric_build_port(l->nodes[1]->node, l->far.port) : NULL;
		if (!far || l->disputed || ibc_port_answer(far, IBC_ATTR_LINK))
			continue;
		far->width_active = near->width_active;
		far->speed_active = near->speed_active;
		answers_put(far, IBC_ATTR_LINK,
		            ibc_port_has(near, IBC_ATTR_LINK) ? ANSWER_OK : ANSWER_NONE);
	}
	text_skipped(&r->skipped, r->text, "output of iblinkinfo or ibnetdiscover -p");
	return 0;
}

static int read_links(void *reader)
{
	struct list_reader *r = reader;
	int rc;

	r->subnet = text_subnet(r->text, r->spec, "links", r->build);
	rc = text_each_entry(r->text, read_list_line, r, r->err);
	return rc ?: make_list_fabric(r, r->err);
}

int read_link_list(struct text_file *f, const char *spec, struct fabric_build *b,
                   struct ibc_error *err)
{
	struct list_reader r = {
		.text = f, .spec = spec, .build = b, .arena = arena_new(), .err = err
	};
	int rc = fabric_build_run(b, r.arena, read_links, &r);

	HASH_CLEAR(hh, r.nodes);
	arena_free(r.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
