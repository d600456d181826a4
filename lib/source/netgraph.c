/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines of ibnetdiscover text say of each other.  Blocks come in any
 * order and hand-written ones may lack a side, so cables are laid at the end.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "fabric/build.h"
#include "source/netdiscover.h"
#include "source/source.h"

/* One id.  Without a block it is only named as a peer, and node comes last. */
struct net_node {
	const char *id, *desc;
	struct ibc_node *node;
	struct net_where where;    /* of its block, or where a peer names it first */
	unsigned int highest_port; /* that a peer names */
	uint32_t *ends; /* by port: 1 + index of its line, 0: none; NULL without a block */
	UT_hash_handle hh;
};

/* One port line. */
struct net_end {
	struct net_node *node, *peer;
	struct net_where where;
	uint64_t peer_guid;
	uint16_t peer_lid, speed_enabled;
	uint8_t num, peer_num, width_enabled;
	bool rated, known;
};

int net_fail(struct net_where where, struct ibc_error *err, const char *format, ...)
{
	char what[IBC_ERROR_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return fail(err, -EINVAL, "%s:%lu: %s", where.file, where.line, what);
}

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

static int make_node(struct net_graph *g, struct net_node *n, uint64_t guid,
                     enum ibc_node_type type, unsigned int num_ports, struct ibc_error *err)
{
	g->num_ports += num_ports + 1;
	if (g->num_ports > FILE_MAX_PORTS)
		return net_fail(n->where, err, "more than %d ports, which no subnet can have",
		                FILE_MAX_PORTS);
	n->node = fabric_build_node(g->build, g->subnet, guid, type, num_ports);
	return 0;
}

int net_graph_block(struct net_graph *g, const struct net_header *h, uint64_t guid,
                    enum ibc_node_type type, struct net_where where, struct net_node **out,
                    struct ibc_error *err)
{
	struct net_node *n = node_of(g, h->id);

	if (n->node)
		return net_fail(where, err, "a second block of \"%s\", the first is at %s:%lu",
		                n->id, n->where.file, n->where.line);
	n->where = where;
	n->ends = arena_array(g->arena, h->num_ports + 1u, sizeof(*n->ends));
	*out = n;
	return make_node(g, n, guid, type, h->num_ports, err);
}

struct ibc_node *net_node_model(const struct net_node *node)
{
	return node->node;
}

/* ---- port lines ---------------------------------------------------------- */

static struct net_end *net_end_at(struct net_graph *g, const struct net_node *node,
                                  unsigned int num)
{
	uint32_t i = node->ends && num <= node->node->num_ports ? node->ends[num] : 0;

	return i ? &g->ends[i - 1] : NULL;
}

int net_graph_port(struct net_graph *g, struct net_node *node, const struct net_port *line,
                   struct net_where where, struct ibc_error *err)
{
	struct ibc_port *port = fabric_build_port(node->node, line->num);
	struct net_end *end = net_end_at(g, node, line->num);
	struct net_node *peer;

	if (!port)
		return net_fail(where, err, "port %u of \"%s\", whose last is %u", line->num,
		                node->id, node->node->num_ports);
	if (end)
		return net_fail(where, err, "port %u of \"%s\" occurs again, first at %s:%lu",
		                line->num, node->id, end->where.file, end->where.line);
	peer = node_of(g, line->peer_id);
	/* what the line says of its peer, should that get no block of its own */
	if (!peer->where.file)
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
	answers_put(port, IBC_ATTR_NODE_INFO, ANSWER_OK);
	if (node->node->type != IBC_NODE_SWITCH) {
		if (line->guid)
			port->guid = line->guid;
		port->lid = line->lid;
		port->lmc = line->lmc;
	}
	if (!line->rated)
		return 0;
	port->width_active = line->width;
	port->speed_active = line->speed;
	answers_put(port, IBC_ATTR_LINK, line->width && line->speed ? ANSWER_OK : ANSWER_NONE);
	return 0;
}

/* ---- cables -------------------------------------------------------------- */

/* Those with no GUID in their id continue the numbers ibsim gives to CAs. */
static int make_peers(struct net_graph *g, uint64_t next_guid, struct ibc_error *err)
{
	for (struct net_node *n = g->nodes; n; n = n->hh.next) {
		enum ibc_node_type type = IBC_NODE_CA;
		const char *desc = n->desc;
		uint64_t guid;
		int rc;

		if (n->node)
			continue;
		if (!net_id_parse(n->id, &type, &guid)) {
			while (fabric_build_find(g->build, g->subnet, next_guid))
				++next_guid;
			guid = next_guid;
			next_guid += n->highest_port + 1;
			desc = desc ? desc : n->id;
		}
		rc = make_node(g, n, guid, type, n->highest_port, err);
		if (rc)
			return rc;
		if (desc)
			fabric_build_desc(g->build, n->node, desc, strlen(desc));
	}
	return 0;
}

static int join_ends(struct net_graph *g, const struct net_end *end, struct ibc_error *err)
{
	struct ibc_port *port = fabric_build_port(end->node->node, end->num);
	struct ibc_port *peer = fabric_build_port(end->peer->node, end->peer_num);
	const struct net_end *back = net_end_at(g, end->peer, end->peer_num), *other = g->ends;

	if (!peer)
		return net_fail(end->where, err,
		                "\"%s\"[%u] does not exist, the last port there is %u",
		                end->peer->id, end->peer_num, end->peer->node->num_ports);
	if (peer == port)
		return net_fail(end->where, err, "port %u is cabled to itself", end->num);
	if (back && (back->peer != end->node || back->peer_num != end->num))
		return net_fail(end->where, err,
		                "\"%s\"[%u] is cabled to \"%s\"[%u] instead in %s:%lu",
		                end->peer->id, end->peer_num, back->peer->id, back->peer_num,
		                back->where.file, back->where.line);
	if (fabric_build_link(port, peer)) {
		/* the peer has no line for this port, so it is a line before that took it */
		while (other->peer != end->peer || other->peer_num != end->peer_num)
			other++;
		assert(other < end);
		return net_fail(end->where, err,
		                "\"%s\"[%u] is already cabled to \"%s\"[%u] in %s:%lu",
		                end->peer->id, end->peer_num, other->node->id, other->num,
		                other->where.file, other->where.line);
	}
	if (back)
		return 0;
	answers_put(peer, IBC_ATTR_NODE_INFO, ANSWER_OK);
	if (peer->node->type == IBC_NODE_SWITCH)
		peer = fabric_build_port(peer->node, 0);
	else if (!peer->guid)
		peer->guid = end->peer_guid;
	if (!peer->lid)
		peer->lid = end->peer_lid;
	return 0;
}

static void copy_rate(const struct ibc_port *from, struct ibc_port *to)
{
	if (!ibc_port_has(from, IBC_ATTR_LINK))
		return;
	to->width_active = from->width_active;
	to->speed_active = from->speed_active;
	answers_put(to, IBC_ATTR_LINK, ANSWER_OK);
}

/*
 * What one end does not say of the cable the other one may; else a cable trains as ibsim's do,
 * to the best that both ends enable.
 */
static int rate_cable(struct net_graph *g, const struct net_end *end, struct ibc_error *err)
{
	struct ibc_port *port = fabric_build_port(end->node->node, end->num);
	struct ibc_port *peer = fabric_build_port(end->peer->node, end->peer_num);
	const struct net_end *back = net_end_at(g, end->peer, end->peer_num);
	unsigned int width = end->width_enabled, speed = end->speed_enabled;

	if (!end->rated && back && back->rated) {
		copy_rate(peer, port);
	} else if (!end->rated && (end->known || (back && back->known))) {
		if (back) {
			width &= back->width_enabled;
			speed &= back->speed_enabled;
		}
		if (!width || !speed) {
			assert(back); /* each end enables something */
			return net_fail(
			    end->where, err, "the two ends enable no common %s, see %s:%lu",
			    width ? "speed" : "width", back->where.file, back->where.line);
		}
		port->width_active = (uint8_t)ibc_width_widest(width);
		port->speed_active = (uint16_t)ibc_speed_fastest(speed);
		answers_put(port, IBC_ATTR_LINK, ANSWER_OK);
	}
	if (!back)
		copy_rate(port, peer);
	return 0;
}

int net_graph_finish(struct net_graph *g, uint64_t next_ca_guid, struct ibc_error *err)
{
	int rc = make_peers(g, next_ca_guid, err);

	for (size_t i = 0; rc == 0 && i < g->num_ends; i++)
		rc = join_ends(g, &g->ends[i], err);
	for (size_t i = 0; rc == 0 && i < g->num_ends; i++)
		rc = rate_cable(g, &g->ends[i], err);
	g->subnet->provides = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC);
	for (size_t i = 0; rc == 0 && i < g->num_ends; i++)
		if (ibc_port_has(fabric_build_port(g->ends[i].node->node, g->ends[i].num),
		                 IBC_ATTR_LINK))
			ibc_attrs_add(&g->subnet->provides, IBC_ATTR_LINK);
	return rc;
}
