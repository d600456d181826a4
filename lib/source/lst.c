/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the list of links that ibdiagnet writes, a link a line, and OpenSM did as subnet.lst:
 *
 *	{ CA Ports:01 SystemGUID:... NodeGUID:0200000000000020 PortGUID:... VenID:000002c9
 *	DevID:1021 Rev:00000000 {host mlx5_0} LID:00b5 PN:01 } { SW ... } PHY=4x LOG=ACT SPD=100
 *
 * All numbers are hexadecimal but the last, Gb/s of a lane, which old files lack.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/plan.h"
#include "source/source.h"

#define BLANKS   " \t"
#define PORT_MAX 255 /* a port number is a byte */
#define CREATED  "# File created at"
#define CLOSED   "# File closed at"

enum field { PORTS, SYSTEM, NODE, PORT, VENDOR, DEVICE, REVISION, LID, NUM, FIELDS };

struct lst_end {
	enum ibc_node_type type;
	uint64_t values[FIELDS];
	const char *desc; /* NULL: the file has none */
};

struct lst_link {
	struct ibc_port *ports[2];
	unsigned long line;
	uint8_t width, state;
	uint16_t speed;
	bool contradicted; /* another line has another end for one of the ports */
};

/* What a link says of one of its ports. */
struct claim {
	const struct ibc_port *port, *peer;
	struct lst_link *link;
};

struct lst_reader {
	struct text_file *text;
	const char *spec;
	struct ibc_error *err;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	struct lst_link *links;
	size_t num, room, ports;
	struct text_skipped skipped;
	bool open;            /* it says where it begins, and not yet where it ends */
	unsigned long behind; /* the first line that was skipped behind a link; 0: none */
};

#define lose_at(r, line, ...)                                                                      \
	text_complain((r)->text, (struct text_place){ line, 0, NULL }, __VA_ARGS__)
#define lose(r, ...) lose_at(r, text_line_number((r)->text), __VA_ARGS__)

bool is_lst_line(const char *line)
{
	return *line == '{' && strstr(line, " Ports:") && strstr(line, " NodeGUID:");
}

/* ---- a line ------------------------------------------------------------------------- */

static int read_word(const struct lst_reader *r, const char *word, struct lst_end *end)
{
	static const char *const keys[FIELDS] = { "Ports:",    "SystemGUID:", "NodeGUID:",
		                                  "PortGUID:", "VenID:",      "DevID:",
		                                  "Rev:",      "LID:",        "PN:" };

	for (size_t i = 0; i < FIELDS; i++)
		if (strncmp(word, keys[i], strlen(keys[i])) == 0)
			return str_guid(word + strlen(keys[i]), &end->values[i])
			           ? lose(r, "no number: \"%.60s\"", word)
			           : 0;
	return 0;
}

/* From "{" to "}".  The description may hold what looks like the rest. */
static int read_lst_end(const struct lst_reader *r, char **line, struct lst_end *end)
{
	char *s = *line + strspn(*line, BLANKS), *word, *closing;
	char kind[8] = "";
	int n = 0, rc = 0;

	if (sscanf(s, "{ %7s %n", kind, &n) == 1 && n)
		end->type = strncmp(kind, "SW", 2) == 0   ? IBC_NODE_SWITCH
		            : strncmp(kind, "CA", 2) == 0 ? IBC_NODE_CA
		            : strncmp(kind, "RT", 2) == 0 ? IBC_NODE_ROUTER
		                                          : 0;
	if (!end->type)
		return lose(r, "expected \"{ CA\", \"{ SW\" or \"{ RT\"");
	for (s += n; !rc && *s && *s != '}'; s += strspn(s, BLANKS)) {
		word = s;
		if (*s != '{') {
			s += strcspn(s, BLANKS "}");
			n = *s;
			*s = '\0';
			rc = read_word(r, word, end);
			*s = (char)n;
			continue;
		}
		closing = strstr(s, "} LID:");
		closing = closing ? closing : strchr(s, '}');
		if (!closing)
			break;
		*closing = '\0';
		end->desc = word + 1;
		s = closing + 1;
	}
	if (rc)
		return rc;
	if (*s != '}' || !end->values[NODE] || !end->values[NUM])
		return lose(r, "expected \"NodeGUID:... LID:... PN:... }\" of both ends");
	*line = s + 1;
	return 0;
}

/* ---- the fabric ---------------------------------------------------------------------- */

/* The port; its node is made where it is met first. */
static int meet_end(struct lst_reader *r, const struct lst_end *end, struct ibc_port **out)
{
	const uint64_t *v = end->values;
	struct ibc_node *node = fabric_build_find(r->build, r->subnet, v[NODE]);
	struct ibc_port *port;

	if (v[PORTS] > PORT_MAX || v[LID] > UINT16_MAX || v[NUM] > v[PORTS])
		return lose(r, "port %llu of %llu, LID %llu cannot be", (unsigned long long)v[NUM],
		            (unsigned long long)v[PORTS], (unsigned long long)v[LID]);
	if (node && (node->type != end->type || node->num_ports != v[PORTS]))
		return lose(r,
		            "node 0x%016llx has another type or number of ports here than in "
		            "a line before",
		            (unsigned long long)v[NODE]);
	if (!node) {
		r->ports += v[PORTS] + 1;
		if (r->ports > FILE_MAX_PORTS)
			return lose(r, "more than %d ports, which no subnet can have",
			            FILE_MAX_PORTS);
		node = fabric_build_node(r->build, r->subnet, v[NODE], end->type,
		                         (unsigned int)v[PORTS]);
		node->system_guid = v[SYSTEM];
		node->vendor_id = (uint32_t)v[VENDOR];
		/* old files have four more digits behind it */
		node->device_id = (uint16_t)(v[DEVICE] > UINT16_MAX ? v[DEVICE] >> 16 : v[DEVICE]);
		node->revision = (uint32_t)v[REVISION];
		node->line = text_line_number(r->text);
	}
	if (end->desc && !ibc_node_has(node, IBC_ATTR_NODE_DESC)) {
		fabric_build_desc(r->build, node, end->desc, strlen(end->desc));
		ibc_attrs_add(&r->subnet->provides, IBC_ATTR_NODE_DESC);
	}
	*out = fabric_build_port(node, (unsigned int)v[NUM]);
	port = end->type == IBC_NODE_SWITCH ? fabric_build_port(node, 0) : *out;
	port->guid = v[PORT];
	port->lid = (uint16_t)v[LID];
	return 0;
}

static int read_lst_line(void *reader, char *line, struct ibc_error *err)
{
	static const char *const states[] = { [IBC_STATE_DOWN] = "DWN",
		                              [IBC_STATE_INIT] = "INI",
		                              [IBC_STATE_ARMED] = "ARM",
		                              [IBC_STATE_ACTIVE] = "ACT" };
	struct lst_reader *r = reader;
	struct lst_link link = { .line = text_line_number(r->text) };
	struct lst_end ends[2] = { 0 };
	char width[16] = "", state[16] = "", speed[16] = "";

	(void)err;
	if (*line == '#') {
		r->open = strncmp(line, CREATED, strlen(CREATED)) == 0 ||
		          (r->open && strncmp(line, CLOSED, strlen(CLOSED)) != 0);
		return 0;
	}
	if (*line != '{' && !strstr(line, " NodeGUID:")) {
		r->behind = r->behind || !r->num ? r->behind : link.line;
		text_skip(&r->skipped, r->text);
		return 0;
	}
	if (r->behind)
		lose_at(r, r->behind, "not understood, and there are links behind it");
	r->behind = 0;
	if (read_lst_end(r, &line, &ends[0]) || read_lst_end(r, &line, &ends[1]) ||
	    meet_end(r, &ends[0], &link.ports[0]) || meet_end(r, &ends[1], &link.ports[1]))
		return 0;
	if (link.ports[0] == link.ports[1]) {
		lose(r, "port %u is cabled to itself", link.ports[0]->num);
		return 0;
	}
	sscanf(line, " PHY=%15s LOG=%15s SPD=%15s", width, state, speed);
	link.width = (uint8_t)width_of(width);
	link.speed = (uint16_t)plan_lane_speed(speed);
	for (uint8_t i = IBC_STATE_DOWN; i < ARRAY_SIZE(states); i++)
		if (strcmp(states[i], state) == 0)
			link.state = i;
	arena_grow(r->arena, &r->links, r->num, &r->room, sizeof(*r->links));
	r->links[r->num++] = link;
	return 0;
}

static int by_port(const void *a, const void *z)
{
	const struct claim *p = a, *q = z;

	return order_u64((uintptr_t)p->port, (uintptr_t)q->port)
	           ?: order_u64(p->link->line, q->link->line);
}

/* Of lines that contradict each other none is believed. */
static void find_contradictions(struct lst_reader *r)
{
	struct claim *claims = arena_array(r->arena, 2 * r->num + 1, sizeof(*claims));

	for (size_t i = 0; i < r->num; i++)
		for (size_t k = 0; k < 2; k++)
			claims[2 * i + k] = (struct claim){ r->links[i].ports[k],
				                            r->links[i].ports[!k], &r->links[i] };
	qsort(claims, 2 * r->num, sizeof(*claims), by_port);
	for (size_t i = 1; i < 2 * r->num; i++) {
		struct claim *a = &claims[i - 1], *z = &claims[i];

		if (z->port != a->port || z->peer == a->peer)
			continue;
		a->link->contradicted = z->link->contradicted = true;
		lose_at(r, z->link->line,
		        "port %u is cabled elsewhere in line %lu: neither is believed",
		        z->port->num, a->link->line);
	}
}

static void lay_link(struct lst_reader *r, const struct lst_link *l)
{
	if (l->contradicted || fabric_build_link(l->ports[0], l->ports[1]))
		return;
	for (int i = 0; i < 2; i++) {
		struct ibc_port *port = l->ports[i];

		answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
		port->width_active = l->width;
		port->speed_active = l->speed;
		answers_put(port, IBC_ATTR_LINK, l->width && l->speed ? ANSWER_OK : ANSWER_NONE);
		if (!l->state)
			continue;
		port->state = l->state;
		port->phys_state = IBC_PHYS_LINKUP; /* else it had no other end */
		answers_put(port, IBC_ATTR_PORT_STATE, ANSWER_OK);
		ibc_attrs_add(&r->subnet->provides, IBC_ATTR_PORT_STATE);
	}
}

static int read_links(void *reader)
{
	struct lst_reader *r = reader;
	int rc;

	r->subnet = text_subnet(r->text, r->spec, "lst", r->build);
	r->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_LINK);
	rc = text_each_entry(r->text, read_lst_line, r, r->err);
	if (rc)
		return rc;
	if (!r->num)
		return fail(r->err, -EINVAL, "%s holds no link", text_name(r->text));
	if (r->open)
		lose(r, "the file is cut off: there is no \"%s\"", CLOSED);
	find_contradictions(r);
	for (size_t i = 0; i < r->num; i++)
		lay_link(r, &r->links[i]);
	text_skipped(&r->skipped, r->text, "a link of ibdiagnet's list");
	return 0;
}

int read_lst(struct text_file *f, const char *spec, struct fabric_build *b, struct ibc_error *err)
{
	struct lst_reader r = {
		.text = f, .spec = spec, .build = b, .arena = arena_new(), .err = err
	};
	int rc = fabric_build_run(b, r.arena, read_links, &r);

	arena_free(r.arena);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
