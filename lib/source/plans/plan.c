/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A graph of names: what each line says of nodes and cables, compared with the lines
 * before it.  Nodes come to be at the end, when their highest port is known and
 * what nodes of their kind are.
 */
#include "source/plans/plan.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/nodename.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fabric/build.h"
#include "fabric/fabric.h"

/* A word for like nodes: if one of them has more ports than an HCA, all are switches. */
struct plan_kind {
	char *word;                   /* in lower case */
	const struct plan_type *type; /* NULL: the word says nothing */
	bool many_ports;
	UT_hash_handle hh;
};

/* A text that a line gives of a node, and the first line that does. */
struct known {
	const char *text;
	unsigned long line;
};

struct plan_node {
	const char *name;
	size_t desc_length; /* of the name; behind it may be the GUID */
	unsigned long line;
	struct known kind_known, rack_known, row_known, pod_known, guid_known;
	struct plan_kind *kind;
	uint64_t guid;
	bool in_switch_column;
	bool believed; /* a row that is not disputed names it */
	unsigned int highest_port;
	uint32_t *cables; /* by port: 1 + index of its cable, 0: none */
	size_t room;
	struct ibc_node *node;
	UT_hash_handle hh, by_guid;
};

struct cable {
	struct plan_node *ends[2];
	uint8_t ports[2];
	struct plan_rate rate;
	struct ibc_cable *known;
	bool disputed; /* a later line has another for one of its ports */
};

struct plan {
	struct text_file *text;
	struct fabric_build *build;
	struct ibc_subnet *subnet;
	struct arena *arena;
	bool both_ends;
	struct plan_kind *kinds;
	struct plan_node *nodes, *by_guid;
	struct plan_node *last[2]; /* sheets go through the ports of a node */
	struct cable *cables;
	size_t num_cables, room, num_ports;
};

struct plan *plan_new(struct text_file *f, const char *spec, const char *kind, bool both_ends,
                      struct fabric_build *b, struct arena *arena)
{
	struct plan *p = arena_alloc(arena, sizeof(*p));

	p->text = f;
	p->build = b;
	p->both_ends = both_ends;
	p->arena = arena;
	p->subnet = text_subnet(f, spec, kind, b);
	return p;
}

void plan_both_ends(struct plan *p)
{
	p->both_ends = true;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	HASH_CLEAR(hh, p->kinds);
	HASH_CLEAR(by_guid, p->by_guid);
	HASH_CLEAR(hh, p->nodes);
}

/* Most steps below return 0, or -EINVAL when they have complained, so that the cable is left out.
 */

/* ---- what a file says of a node ---------------------------------------------- */

/* The first line that gives it counts. */
static int note_plan_text(struct plan *p, const struct plan_node *n, struct known *known,
                          const char *what, const struct text_piece *piece)
{
	if (*piece->text == '\0' || (known->text && !strcasecmp(known->text, piece->text)))
		return 0;
	if (known->text)
		return text_complain(p->text, piece->at,
		                     "%s has the %s %.60s here, and %.60s in line %lu", n->name,
		                     what, piece->text, known->text, known->line);
	if (strlen(piece->text) > PLAN_TEXT_MAX)
		return text_complain(p->text, piece->at, "a %s longer than %d bytes", what,
		                     PLAN_TEXT_MAX);
	known->line = piece->at.line;
	known->text = arena_strdup(p->arena, piece->text);
	return 0;
}

static int report_guid(struct plan *p, struct plan_node *n, const struct text_piece *piece)
{
	struct plan_node *other;
	char text[STR_GUID_MAX];
	uint64_t guid = 0;
	int rc;

	if (*piece->text == '\0')
		return 0;
	if (str_guid(piece->text, &guid) || guid == 0 || guid == UINT64_MAX)
		return text_complain(p->text, piece->at, "\"%.60s\" is not a GUID", piece->text);
	str_from_guid(text, guid);
	HASH_FIND(by_guid, p->by_guid, &guid, sizeof(guid), other);
	if (other && other != n)
		return text_complain(p->text, piece->at, "GUID %s is that of %s in line %lu", text,
		                     other->name, other->guid_known.line);
	rc = note_plan_text(p, n, &n->guid_known, "GUID", &(struct text_piece){ text, piece->at });
	if (rc || other)
		return rc;
	n->guid = guid;
	HASH_ADD(by_guid, p->by_guid, guid, sizeof(n->guid), n);
	fabric_build_need(p->build, n->by_guid.tbl);
	return 0;
}

static int report_kind(struct plan *p, struct plan_node *n, const struct text_piece *piece)
{
	int rc = note_plan_text(p, n, &n->kind_known, "type", piece);
	char word[PLAN_TEXT_MAX + 1];
	struct plan_kind *kind;
	size_t i;

	if (rc || n->kind || !n->kind_known.text)
		return rc;
	for (i = 0; n->kind_known.text[i]; i++)
		word[i] = (char)tolower((unsigned char)n->kind_known.text[i]);
	word[i] = '\0';
	HASH_FIND_STR(p->kinds, word, kind);
	if (!kind) {
		kind = arena_alloc(p->arena, sizeof(*kind));
		kind->word = arena_strdup(p->arena, word);
		kind->type = plan_type_of(word);
		HASH_ADD_KEYPTR(hh, p->kinds, kind->word, i, kind);
		fabric_build_need(p->build, hash_added(kind));
	}
	n->kind = kind;
	return 0;
}

/* ---- nodes by name ------------------------------------------------------------- */

/* The GUID in "0x0002c903007b78b0" or "leaf01 (0x0002c903007b78b0)", where names are not unique. */
static void split_name(const char *name, size_t *desc_length, char guid[STR_GUID_MAX])
{
	size_t length = strlen(name), n = STR_GUID_MAX - 1;
	uint64_t value;

	*desc_length = length;
	*guid = '\0';
	if (length == n)
		memcpy(guid, name, n + 1);
	else if (length > n + 3 && strncmp(name + length - n - 3, " (", 2) == 0 &&
	         name[length - 1] == ')')
		snprintf(guid, STR_GUID_MAX, "%s", name + length - n - 1);
	if (strncmp(guid, "0x", 2) != 0 || str_guid(guid, &value))
		*guid = '\0';
	else
		*desc_length = length == n ? 0 : length - n - 3;
}

/* With an HCA or a module behind it, a name is that of a node of its own. */
static int name_end(struct plan *p, const struct plan_end *end, char name[PLAN_TEXT_MAX + 1])
{
	size_t length = strlen(end->node.text), part_length = (size_t)end->port.part_length;
	char *part = name + length + 1;

	if (length + part_length + (part_length > 0) > PLAN_TEXT_MAX)
		return text_complain(p->text, end->node.at, "a name longer than %d bytes",
		                     PLAN_TEXT_MAX);
	memcpy(name, end->node.text, length + 1);
	if (part_length == 0)
		return 0;
	memcpy(part, end->port.part, part_length);
	part[part_length] = '\0';
	name[length] = is_hca_name(part) ? ' ' : '/';
	return 0;
}

/* The node of an end, with all that the line gives of it. */
static int meet_end(struct plan *p, const struct plan_end *end, struct plan_node **out)
{
	char name[PLAN_TEXT_MAX + 1];
	int rc = name_end(p, end, name);

	if (rc)
		return rc;
	if (!*out || strcmp((*out)->name, name) != 0)
		HASH_FIND_STR(p->nodes, name, *out);
	if (!*out) {
		struct plan_node *n = arena_alloc(p->arena, sizeof(*n));
		char guid[STR_GUID_MAX];

		*out = n;
		n->name = arena_strdup(p->arena, name);
		n->line = end->node.at.line;
		HASH_ADD_KEYPTR(hh, p->nodes, n->name, strlen(name), n);
		fabric_build_need(p->build, hash_added(n));
		split_name(name, &n->desc_length, guid);
		rc = report_guid(p, n, &(struct text_piece){ guid, end->node.at });
	}
	if (!rc)
		rc = note_plan_text(p, *out, &(*out)->rack_known, "rack", &end->rack);
	if (!rc)
		rc = note_plan_text(p, *out, &(*out)->row_known, "row", &end->row);
	if (!rc)
		rc = note_plan_text(p, *out, &(*out)->pod_known, "pod", &end->pod);
	if (!rc)
		rc = report_kind(p, *out, &end->kind);
	if (!rc)
		rc = report_guid(p, *out, &end->guid);
	if (!rc)
		(*out)->in_switch_column |= end->in_switch_column || end->port.of_switch;
	return rc;
}

/* ---- ports and cables ------------------------------------------------------------ */

/* Of a cable that is there already: what is not given at one end may be at the other. */
static int lay_again(struct plan *p, struct cable *first, const struct plan_cable *again)
{
	struct plan_rate *rate = &first->rate;

	if (!p->both_ends)
		return text_complain(p->text, again->at, "this cable is in line %lu already",
		                     first->known->line);
	if ((rate->width && again->rate.width && rate->width != again->rate.width) ||
	    (rate->speed && again->rate.speed && rate->speed != again->rate.speed))
		return text_complain(p->text, again->at,
		                     "line %lu gives another width or speed for this cable",
		                     first->known->line);
	rate->width |= again->rate.width;
	rate->speed |= again->rate.speed;
	return 0;
}

static const char *keep_text(struct plan *p, const char *text)
{
	return text && *text ? utf8_clean(fabric_build_arena(p->build), text, strlen(text)) : NULL;
}

static enum ibc_node_type type_of(const struct plan_node *n)
{
	if (n->kind && n->kind->type)
		return n->kind->type->type;
	if (n->in_switch_column || (n->kind && n->kind->many_ports))
		return IBC_NODE_SWITCH;
	return plan_type_guess(n->name, n->highest_port);
}

static int lay_cable(struct plan *p, const struct plan_cable *line, struct plan_node *nodes[2])
{
	struct ibc_cable *known;
	struct cable *cable;
	uint32_t *at[2];
	int rc = 0;

	for (int i = 0; i < 2; i++)
		while (nodes[i]->room <= line->ends[i].port.num)
			arena_grow(p->arena, &nodes[i]->cables, nodes[i]->room, &nodes[i]->room,
			           sizeof(*nodes[i]->cables));
	for (int i = 0; i < 2; i++)
		at[i] = &nodes[i]->cables[line->ends[i].port.num];
	if (at[0] == at[1])
		return text_complain(p->text, line->ends[1].port_at, "%s/%u is cabled to itself",
		                     nodes[0]->name, line->ends[0].port.num);
	if (*at[0] && *at[0] == *at[1])
		return lay_again(p, &p->cables[*at[0] - 1], line);
	for (int i = 0; i < 2; i++) {
		const char *name = nodes[i]->name, *space = strrchr(name, ' ');
		bool names_hca = space && is_hca_name(space + 1);

		if (!*at[i])
			continue;
		p->cables[*at[i] - 1].disputed = true;
		/* most who use a port of a host twice mean two of its HCAs */
		rc = text_complain(p->text, line->ends[i].port_at,
		                   "%s/%u is already used in line %lu%s", name,
		                   line->ends[i].port.num, p->cables[*at[i] - 1].known->line,
		                   names_hca || type_of(nodes[i]) != IBC_NODE_CA
		                       ? ""
		                       : "; if that host has several HCAs, write mlx5_1/P1 for the "
		                         "port of one");
	}
	if (rc)
		return rc;
	known = arena_alloc(fabric_build_arena(p->build), sizeof(*known));
	known->line = line->at.line;
	known->label = keep_text(p, line->label.text);
	known->length = keep_text(p, line->length.text);
	arena_grow(p->arena, &p->cables, p->num_cables, &p->room, sizeof(*p->cables));
	cable = &p->cables[p->num_cables++];
	*cable = (struct cable){ .rate = line->rate, .known = known };
	for (int i = 0; i < 2; i++) {
		struct plan_node *n = nodes[i];
		unsigned int port = line->ends[i].port.num;

		cable->ends[i] = n;
		cable->ports[i] = (uint8_t)port;
		*at[i] = (uint32_t)p->num_cables;
		if (port > n->highest_port) {
			p->num_ports += port - n->highest_port + (n->highest_port == 0);
			n->highest_port = port;
		}
		if (n->kind && port > HCA_PORTS)
			n->kind->many_ports = true;
	}
	return 0;
}

int plan_add(struct plan *p, const struct plan_cable *cable)
{
	int rc, wrong = 0;

	for (int i = 0; i < 2; i++) {
		const struct plan_end *end = &cable->ends[i];
		const struct plan_node *n;

		rc = meet_end(p, end, &p->last[i]);
		n = p->last[i];
		if (!rc && n->kind && n->kind->type && end->port.num > n->kind->type->ports_max)
			rc = text_complain(p->text, end->port_at,
			                   "port %u of %s, of type %s: an HCA has %d ports; number "
			                   "%u of the HCAs in "
			                   "a host is mlx5_%u/P1",
			                   end->port.num, n->name, n->kind_known.text, HCA_PORTS,
			                   end->port.num, end->port.num - 1);
		wrong |= rc;
	}
	if (!wrong)
		lay_cable(p, cable, p->last);
	if (p->num_ports <= FILE_MAX_PORTS)
		return 0;
	return text_complain(p->text, cable->at, "more than %d ports, which no subnet can have",
	                     FILE_MAX_PORTS);
}

/* ---- the fabric -------------------------------------------------------------------- */

/* None of what only disputed rows name: it may be the damaged name of another. */
static void make_node(struct plan *p, struct plan_node *n, uint64_t guid)
{
	if (!n->believed)
		return;
	n->node = fabric_build_node(p->build, p->subnet, guid, type_of(n), n->highest_port);
	fabric_build_desc(p->build, n->node, n->name, n->desc_length);
	n->node->named_only = n->guid == 0;
	n->node->line = n->line;
	n->node->rack = keep_text(p, n->rack_known.text);
	n->node->row = keep_text(p, n->row_known.text);
	n->node->pod = keep_text(p, n->pod_known.text);
}

int plan_finish(struct plan *p, int rc, struct ibc_error *err)
{
	struct plan_node *known;
	uint64_t made = 0;

	if (p->num_cables == 0 || (rc && rc != -EINVAL))
		return text_verdict(p->text, rc, err)
		           ?: fail(err, -EINVAL, "%s holds no cable", text_name(p->text));
	for (struct cable *c = p->cables; c < p->cables + p->num_cables; c++)
		for (int end = 0; end < 2; end++)
			c->ends[end]->believed |= !c->disputed;
	/* those whose GUID is known, then those whose is made up: in the order of the file */
	for (struct plan_node *n = p->nodes; n; n = n->hh.next)
		if (n->guid)
			make_node(p, n, n->guid);
	for (struct plan_node *n = p->nodes; n; n = n->hh.next) {
		if (n->guid)
			continue;
		do {
			made += PLAN_GUID_STEP;
			HASH_FIND(by_guid, p->by_guid, &made, sizeof(made), known);
		} while (known);
		make_node(p, n, made);
	}
	p->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	for (const struct cable *c = p->cables; c < p->cables + p->num_cables; c++) {
		struct ibc_port *ports[2];

		if (c->disputed)
			continue;
		for (int end = 0; end < 2; end++) {
			struct ibc_port *port = fabric_build_port(c->ends[end]->node,
			                                          c->ports[end]);

			ports[end] = port;
			answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
			if (c->known)
				port_extra(port)->cable = c->known;
			port->width_active = c->rate.width;
			port->speed_active = c->rate.speed;
			if (!c->rate.width || !c->rate.speed)
				continue;
			answers_put(port, IBC_ATTR_LINK, ANSWER_OK);
			ibc_attrs_add(&p->subnet->provides, IBC_ATTR_LINK);
		}
		rc = fabric_build_link(ports[0], ports[1]);
		assert(rc == 0);
	}
	return rc;
}
