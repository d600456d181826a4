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
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/words.h"
#include "fabric/build.h"
#include "source/plans/plan.h"
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

struct lst_reader {
	struct text_file *text;
	const char *spec;
	struct ibc_error *err;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	size_t links, ports;
	bool open; /* it says where it begins, and not yet where it ends */
};

#define lose(r, ...) text_complain((r)->text, text_here((r)->text), __VA_ARGS__)

bool is_lst_line(const char *line)
{
	return *line == '{' && strstr(line, "Ports:") && strstr(line, "NodeGUID:");
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
	static const char kinds[] = {
		[IBC_NODE_CA] = 'C', [IBC_NODE_SWITCH] = 'S', [IBC_NODE_ROUTER] = 'R'
	};
	char *s = *line, *word, *closing, kind = 0;
	int n = 0, rc = 0;

	sscanf(s, " { %c%*s %n", &kind, &n);
	while (end->type < sizeof(kinds) && kinds[end->type] != kind)
		end->type++;
	if (!n || end->type == sizeof(kinds))
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
	if (!rc && (*s != '}' || !end->values[NODE] || !end->values[NUM]))
		return lose(r, "expected \"NodeGUID:... LID:... PN:... }\" of both ends");
	*line = s + 1;
	return rc;
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

/* Of lines that contradict each other none is used: until the end such a port is its own peer. */
static void contradict(struct ibc_port *port)
{
	if (port->peer)
		((struct ibc_port *)port->peer)->peer = port->peer;
	port->peer = port;
}

static int read_lst_line(void *reader, char *line, struct ibc_error *err)
{
	/* of a link that is up; what is down is in no list */
	static const char *const states[] = {
		[IBC_STATE_INIT] = "INI", [IBC_STATE_ARMED] = "ARM", [IBC_STATE_ACTIVE] = "ACT"
	};
	struct lst_reader *r = reader;
	struct lst_end ends[2] = { 0 };
	struct ibc_port *ports[2];
	char width[16] = "", state[16] = "", speed[16] = "", *more;

	(void)err;
	if (*line == '#') {
		r->open = strncmp(line, CREATED, strlen(CREATED)) == 0 ||
		          (r->open && strncmp(line, CLOSED, strlen(CLOSED)) != 0);
		return 0;
	}
	if (read_lst_end(r, &line, &ends[0]) || read_lst_end(r, &line, &ends[1]) ||
	    meet_end(r, &ends[0], &ports[0]) || meet_end(r, &ends[1], &ports[1]))
		return 0;
	r->links++;
	more = strchr(line, '{');
	if (more) {
		*more = '\0';
		lose(r, "another link begins in this line: it is not used");
	}
	if (fabric_build_link(ports[0], ports[1])) {
		contradict(ports[0]);
		contradict(ports[1]);
		lose(r,
		     "one of the two ports is cabled elsewhere in another line: neither is used");
		return 0;
	}
	sscanf(line, " PHY=%15s LOG=%15s SPD=%15s", width, state, speed);
	for (int i = 0; i < 2; i++) {
		ports[i]->width_active = (uint8_t)width_of(width);
		ports[i]->speed_active = (uint16_t)plan_lane_speed(speed);
		for (uint8_t s = IBC_STATE_INIT; s < ARRAY_SIZE(states); s++)
			if (strcmp(states[s], state) == 0)
				ports[i]->state = s;
	}
	return 0;
}

/* What its link says of a port, or nothing. */
static void finish_port(struct lst_reader *r, struct ibc_port *port)
{
	if (port->peer == port) {
		port->peer = NULL;
		port->width_active = port->state = port->speed_active = 0;
	}
	if (!port->peer)
		return;
	answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
	answers_put(port, IBC_ATTR_LINK,
	            port->width_active && port->speed_active ? ANSWER_OK : ANSWER_NONE);
	if (!port->state)
		return;
	port->phys_state = IBC_PHYS_LINKUP; /* else it had no other end */
	answers_put(port, IBC_ATTR_PORT_STATE, ANSWER_OK);
	ibc_attrs_add(&r->subnet->provides, IBC_ATTR_PORT_STATE);
}

static int read_links(void *reader)
{
	struct lst_reader *r = reader;
	struct ibc_node *node;
	int rc;

	r->subnet = text_subnet(r->text, r->spec, "lst", r->build);
	r->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_LINK);
	rc = text_each_entry(r->text, read_lst_line, r, r->err);
	if (rc)
		return rc;
	if (!r->links)
		return fail(r->err, -EINVAL, "%s holds no link", text_name(r->text));
	if (r->open)
		lose(r, "the file is cut off: there is no \"%s\"", CLOSED);
	for (size_t i = 0; (node = fabric_build_node_at(r->build, i)); i++)
		for (unsigned int num = 1; node->subnet == r->subnet && num <= node->num_ports;
		     num++)
			finish_port(r, fabric_build_port(node, num));
	return 0;
}

int read_lst(struct text_file *f, const char *spec, struct fabric_build *b, struct ibc_error *err)
{
	struct lst_reader r = { .text = f, .spec = spec, .build = b, .err = err };
	struct arena *scratch = arena_new();
	int rc = fabric_build_run(b, scratch, read_links, &r);

	arena_free(scratch);
	return rc == -ENOMEM ? fail_nomem(err) : rc;
}
