/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines of ibnetdiscover text say of each other.  Blocks come in any
 * order and hand-written ones may lack a side, so cables are laid at the end.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "fabric/build.h"
#include "source/netdiscover/netdiscover.h"

/* One id.  Without a block it is only named as a peer, and node comes last. */
struct net_node {
	const char *id, *desc;
	struct ibc_node *node;
	struct text_place where;   /* of its block, or where a peer names it first */
	unsigned int highest_port; /* that a peer names */
	unsigned int num_ports;    /* which ends has room for */
	unsigned long end;         /* the first line behind its block; 0: there is none */
	bool has_block, damaged;   /* damaged: it has several, or lines that are contradicted */
	bool believed;             /* a line that is not contradicted leads here */
	uint32_t *ends; /* by port: 1 + index of its line, or of one that leads there; 0: none */
	UT_hash_handle hh;
};

/* One port line; contradicted: it or what it leads to is said to be cabled elsewhere. */
struct net_end {
	struct net_node *node, *peer;
	struct text_place where;
	uint64_t peer_guid;
	uint16_t peer_lid, speed_enabled, speed;
	uint8_t num, peer_num, width_enabled, width;
	bool rated, known, contradicted;
};

void net_graph_free(struct net_graph *g)
{
	HASH_CLEAR(hh, g->nodes);
}

/* The node of an id, made where it is not known yet. */
static struct net_node *node_of(struct net_graph *g, const char *id)
{
	struct net_node *n;

	HASH_FIND_STR(g->nodes, id, n);
	if (n)
		return n;
	n = arena_alloc(g->arena, sizeof(*n));
	n->id = arena_strdup(g->arena, id);
	HASH_ADD_KEYPTR(hh, g->nodes, n->id, strlen(n->id), n);
	fabric_build_need(g->build, hash_added(n));
	return n;
}

/* 0, or -EINVAL: there are too many. */
static int make_ends(struct net_graph *g, struct net_node *n, unsigned int num_ports)
{
	if (g->num_ports + num_ports + 1 > FILE_MAX_PORTS)
		return text_complain(g->text, n->where,
		                     "more than %d ports, which no subnet can have",
		                     FILE_MAX_PORTS);
	g->num_ports += num_ports + 1;
	n->num_ports = num_ports;
	n->ends = arena_array(g->arena, num_ports + 1u, sizeof(*n->ends));
	return 0;
}

int net_graph_block(struct net_graph *g, const struct net_header *h, uint64_t guid,
                    enum ibc_node_type type, struct text_place where, struct net_node **out)
{
	struct net_node *n = node_of(g, h->id);

	*out = n;
	if (g->last)
		g->last->end = where.line;
	g->last = n;
	n->damaged |= n->node != NULL;
	if (n->node && n->node->num_ports == h->num_ports && n->node->type == type)
		return 0;
	if (n->node)
		return text_complain(g->text, where,
		                     "a second block of \"%s\" with %u ports, the first is in line "
		                     "%lu with %u",
		                     n->id, h->num_ports, n->where.line, n->node->num_ports);
	n->where = where;
	n->has_block = true;
	if (make_ends(g, n, h->num_ports))
		return -EINVAL;
	n->node = fabric_build_node(g->build, g->subnet, guid, type, h->num_ports);
	return 0;
}

struct ibc_node *net_node_model(const struct net_node *node)
{
	return node->node;
}

/* ---- port lines ---------------------------------------------------------- */

/* What the file says of a port first. */
static struct net_end *net_end_at(struct net_graph *g, const struct net_node *node,
                                  unsigned int num)
{
	uint32_t i = node->ends && num <= node->num_ports ? node->ends[num] : 0;

	return i ? &g->ends[i - 1] : NULL;
}

int net_graph_port(struct net_graph *g, struct net_node *node, const struct net_port *line,
                   struct text_place where)
{
	struct ibc_port *port = fabric_build_port(node->node, line->num);
	struct net_end *end = net_end_at(g, node, line->num);
	struct net_node *peer;

	if (!port)
		return text_complain(g->text, where, "port %u of \"%s\", whose last is %u",
		                     line->num, node->id, node->node->num_ports);
	peer = node_of(g, line->peer_id);
	if (end && end->peer == peer && end->peer_num == line->peer_num)
		return 0; /* a second capture in one file */
	if (end) {
		end->contradicted = true;
		return text_complain(g->text, where,
		                     "port %u of \"%s\" is cabled elsewhere in line %lu: neither "
		                     "is used",
		                     line->num, node->id, end->where.line);
	}
	/* what the line says of its peer, should that get no block of its own */
	if (!peer->where.line)
		peer->where = where;
	if (peer->highest_port < line->peer_num)
		peer->highest_port = line->peer_num;
	if (!peer->desc && !peer->node && line->peer_desc)
		peer->desc = arena_strdup(g->arena, line->peer_desc);
	arena_grow(g->arena, &g->ends, g->num_ends, &g->room, sizeof(*g->ends));
	g->ends[g->num_ends++] = (struct net_end){
		.node = node,
		.peer = peer,
		.where = where,
		.peer_guid = line->peer_guid,
		.peer_lid = line->peer_lid,
		.num = (uint8_t)line->num,
		.peer_num = (uint8_t)line->peer_num,
		.rated = line->rated,
		.width = line->width,
		.speed = line->speed,
		.known = line->enabled.known,
		.width_enabled = (uint8_t)line->enabled.width,
		/* a speed of 0 is QDR to ibsim; the codes of the extended ones are shifted */
		.speed_enabled = (uint16_t)((line->enabled.speed ? line->enabled.speed
		                                                 : IBC_SPEED_QDR) |
		                            line->enabled.extended << 4),
	};
	node->ends[line->num] = (uint32_t)g->num_ends;
	if (line->label)
		fabric_build_label(g->build, port, line->label, strlen(line->label));
	if (node->node->type != IBC_NODE_SWITCH) {
		if (line->guid)
			port->guid = line->guid;
		port->lid = line->lid;
		port->lmc = line->lmc;
	}
	return 0;
}

/* ---- cables -------------------------------------------------------------- */

/*
 * Those without a block that a line is believed to lead to: of one damaged id no node shall come
 * to be.  Those with no GUID in their id continue the numbers ibsim gives to CAs.
 */
static void make_peers(struct net_graph *g, uint64_t next_guid)
{
	for (struct net_node *n = g->nodes; n; n = n->hh.next) {
		enum ibc_node_type type = IBC_NODE_CA;
		const char *desc = n->desc;
		uint64_t guid;

		if (n->node || !n->believed)
			continue;
		if (!net_id_parse(n->id, &type, &guid)) {
			while (fabric_build_find(g->build, g->subnet, next_guid))
				++next_guid;
			guid = next_guid;
			next_guid += n->highest_port + 1;
			desc = desc ? desc : n->id;
		} else if (fabric_build_find(g->build, g->subnet, guid)) {
			text_complain(g->text, n->where,
			              "\"%s\" has no block, and its GUID is that of another node",
			              n->id);
			continue;
		}
		if (g->complete)
			text_complain(g->text, n->where, "\"%s\" has no block in this file", n->id);
		n->node = fabric_build_node(g->build, g->subnet, guid, type, n->num_ports);
		if (desc)
			fabric_build_desc(g->build, n->node, desc, strlen(desc));
	}
}

/* Notes what it says of its peer's port, unless that contradicts what others say of it. */
static void claim_peer(struct net_graph *g, struct net_end *end)
{
	struct net_node *peer = end->peer;
	struct net_end *other = net_end_at(g, peer, end->peer_num);

	if (!peer->ends || end->peer_num > peer->num_ports || !end->peer_num) {
		end->contradicted = true;
		text_complain(g->text, end->where,
		              "\"%s\"[%u] does not exist, the last port there is %u", peer->id,
		              end->peer_num, peer->num_ports);
	} else if (peer == end->node && end->peer_num == end->num) {
		end->contradicted = true;
		text_complain(g->text, end->where, "port %u is cabled to itself", end->num);
	} else if (!other) {
		peer->ends[end->peer_num] = (uint32_t)(end - g->ends) + 1;
		if (g->complete && peer->has_block)
			text_complain(g->text, end->where,
			              "\"%s\"[%u] leads here, and has no line of its own", peer->id,
			              end->peer_num);
	} else if (other->node != peer || other->num != end->peer_num || other->peer != end->node ||
	           other->peer_num != end->num) {
		end->contradicted = other->contradicted = true;
		text_complain(g->text, end->where,
		              "\"%s\"[%u] is cabled elsewhere in line %lu: neither is used",
		              peer->id, end->peer_num, other->where.line);
	}
}

static void rate_port(struct ibc_port *port, unsigned int width, unsigned int speed)
{
	port->width_active = (uint8_t)width;
	port->speed_active = (uint16_t)speed;
	answers_put(port, IBC_ATTR_LINK, width && speed ? ANSWER_OK : ANSWER_NONE);
}

/*
 * What one end does not say of the cable the other one may; else a cable trains as ibsim's do,
 * to the best that both ends enable.
 */
static void rate_cable(struct net_graph *g, const struct net_end *end, const struct net_end *back)
{
	struct ibc_port *port = fabric_build_port(end->node->node, end->num);
	unsigned int width = end->width_enabled, speed = end->speed_enabled;

	if (end->rated) {
		rate_port(port, end->width, end->speed);
	} else if (back && back->rated) {
		if (back->width && back->speed)
			rate_port(port, back->width, back->speed);
	} else if (end->known || (back && back->known)) {
		if (back) {
			width &= back->width_enabled;
			speed &= back->speed_enabled;
		}
		if (!width || !speed)
			text_complain(g->text, end->where,
			              "the two ends enable no common %s, see line %lu",
			              width ? "speed" : "width", back ? back->where.line : 0);
		else
			rate_port(port, ibc_width_widest(width), ibc_speed_fastest(speed));
	}
}

static void lay_cable(struct net_graph *g, const struct net_end *end)
{
	struct ibc_port *port = fabric_build_port(end->node->node, end->num);
	struct ibc_port *peer = end->contradicted
	                            ? NULL
	                            : fabric_build_port(end->peer->node, end->peer_num);
	const struct net_end *back = net_end_at(g, end->peer, end->peer_num);

	/* a line of its own, or this one */
	if (!peer || back->contradicted || fabric_build_link(port, peer))
		return;
	back = back == end ? NULL : back;
	answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
	answers_put(peer, IBC_ATTR_NODE_INFO, ANSWER_OK);
	rate_cable(g, end, back);
	if (ibc_port_has(port, IBC_ATTR_LINK))
		ibc_attrs_add(&g->subnet->provides, IBC_ATTR_LINK);
	if (back)
		return;
	if (ibc_port_has(port, IBC_ATTR_LINK))
		rate_port(peer, port->width_active, port->speed_active);
	if (peer->node->type == IBC_NODE_SWITCH)
		peer = fabric_build_port(peer->node, 0);
	else if (!peer->guid)
		peer->guid = end->peer_guid;
	if (!peer->lid)
		peer->lid = end->peer_lid;
}

/*
 * A cable that only one end has a line of lost the other line, which was complained of, too.  A
 * node without a block has no lines of its own: the cables to it have one each.
 */
static void count_lines(struct net_graph *g)
{
	unsigned long once = 0, twice = 0;

	for (size_t i = 0; i < g->num_ends; i++) {
		const struct net_end *end = &g->ends[i];

		if (end->contradicted || !end->peer->has_block)
			return;
		if (net_end_at(g, end->peer, end->peer_num) != end)
			twice++;
		else
			once += 1 + g->complete;
	}
	if (twice)
		text_has_both(g->text, once);
}

/* Nothing of a node is in a line that was lost, if all of its block was understood. */
static void mark_whole(struct net_graph *g)
{
	for (size_t i = 0; i < g->num_ends; i++)
		if (g->ends[i].contradicted)
			g->ends[i].node->damaged = g->ends[i].peer->damaged = true;
	for (struct net_node *n = g->nodes; n; n = n->hh.next)
		if (n->has_block && n->node && !n->damaged && !n->where.file &&
		    !text_lost_within(g->text, n->where.line, n->end ?: ULONG_MAX))
			fabric_build_whole(n->node);
}

void net_graph_finish(struct net_graph *g, uint64_t next_ca_guid)
{
	for (struct net_node *n = g->nodes; n; n = n->hh.next)
		if (!n->ends)
			make_ends(g, n, n->highest_port);
	for (size_t i = 0; i < g->num_ends; i++)
		claim_peer(g, &g->ends[i]);
	for (size_t i = 0; i < g->num_ends; i++)
		g->ends[i].peer->believed |= !g->ends[i].contradicted;
	make_peers(g, next_ca_guid);
	g->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	for (size_t i = 0; i < g->num_ends; i++)
		lay_cable(g, &g->ends[i]);
	mark_whole(g);
	count_lines(g);
}
