/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links, switches and hosts that signs were seen of, at the time of the pairs that may cross
 * them.  O(signs x log crossings + suspects x pairs).
 */
#include <ibcheck/counters.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/blame/blame.h"
#include "fabric/fabric.h"

/* Of the parts that pairs cross; more at once are no few causes, and the rest stays unseen. */
#define SUSPECTS_MAX 1000

/* ---- what breaks connections -------------------------------------------------------- */

/*
 * From so many on, as the checks of these counters call it critical in an hour.  A packet that is
 * damaged is sent again, seven times: a few errors break nothing.  Not each wrong symbol is in a
 * packet, and where there are many cables some have one each hour.
 */
static const struct {
	enum ibc_counter counter;
	unsigned int weight;
	uint64_t least;
} counted[] = {
	{ IBC_LINK_DOWNED, WEIGHT_DOWN, 1 },
	{ IBC_LINK_ERROR_RECOVERY, WEIGHT_ERRORS, 3 },
	{ IBC_SYMBOL_ERROR, WEIGHT_ERRORS, 100 },
	{ IBC_RCV_ERRORS, WEIGHT_ERRORS, 10 },
	{ IBC_LOCAL_PHYSICAL, WEIGHT_ERRORS, 10 },
	{ IBC_LOCAL_LINK_INTEGRITY, WEIGHT_ERRORS, 1 },
	{ IBC_EXCESSIVE_BUFFER_OVERRUN, WEIGHT_ERRORS, 1 },
};

/* Faults of other checks slow a job down, or nothing; of errors it is their number that counts. */
static const struct {
	const char *check;
	unsigned int weight;
} incidents[] = {
	{ "cable.module-state", WEIGHT_ERRORS },
	{ "cable.no-light", WEIGHT_DOWN },
	{ "counters.downed", WEIGHT_DOWN },
	{ "counters.flap", WEIGHT_DOWN },
	{ "counters.integrity", WEIGHT_ERRORS },
	{ "counters.overrun", WEIGHT_ERRORS },
	{ "diff.links", WEIGHT_DOWN },
	{ "diff.nodes", WEIGHT_GONE },
	{ "fattree.missing-uplink", WEIGHT_DOWN },
	{ "phy.fec-uncorrectable", WEIGHT_ERRORS },
	{ "phy.flap", WEIGHT_DOWN },
	{ "phy.link-down-reason", WEIGHT_DOWN },
	{ "phy.why-down", WEIGHT_DOWN },
	{ "port.isolated", WEIGHT_GONE },
	{ "port.physical", WEIGHT_DOWN },
	{ "port.state", WEIGHT_DOWN },
	{ "topo.missing-cable", WEIGHT_DOWN },
	{ "topo.missing-node", WEIGHT_GONE },
};

/* Below FDR a link without error correction may have one in 1e12 bits, as counters.symbol has it.
 */
static bool is_noise(const struct blame *b, const struct ibc_blame_sign *s)
{
	const struct ibc_port *port = blame_port(b, s->guid, s->port);

	return s->counter == IBC_SYMBOL_ERROR && port && port->speed_active &&
	       port->speed_active < IBC_SPEED_FDR &&
	       ibc_bit_error_rate(port, s->amount, 3600) < 1e-11;
}

static unsigned int weight_of(const struct blame *b, const struct ibc_blame_sign *s)
{
	switch (s->kind) {
	case IBC_SIGN_SILENT:
		return WEIGHT_NONE;
	case IBC_SIGN_COUNTED:
		for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
			if (counted[i].counter == s->counter && s->amount >= counted[i].least &&
			    !is_noise(b, s))
				return counted[i].weight;
		return WEIGHT_NONE;
	case IBC_SIGN_INCIDENT:
		for (size_t i = 0; i < ARRAY_SIZE(incidents); i++)
			if (!strcmp(incidents[i].check, s->check))
				return incidents[i].weight;
		return WEIGHT_NONE;
	case IBC_SIGN_DOWN:
		return WEIGHT_DOWN;
	case IBC_SIGN_SAID: /* what is hot still works, or says that it does not */
		return strstr(s->text, "temperature") ? WEIGHT_ERRORS : WEIGHT_GONE;
	case IBC_SIGN_GONE:
		return WEIGHT_GONE;
	}
	return WEIGHT_NONE;
}

/* Was it seen at the time of the pair?  A host that is gone was there when its job began. */
static bool is_in_time(const struct ibc_blame_sign *s, const struct ibc_blame_pair *p, bool is_host)
{
	return s->until >= p->first - IBC_BLAME_BEFORE && s->from <= p->last + IBC_BLAME_AFTER &&
	       (s->until - s->from <= IBC_BLAME_SPAN ||
	        (s->kind == IBC_SIGN_GONE && is_host && s->until <= p->last + IBC_BLAME_SPAN));
}

/* Hosts of a leaf that say so at once: two cables may fail in one hour, and hardly three. */
#define SAID_LEAST 3

/* ---- suspects ----------------------------------------------------------------------- */

static struct suspect *suspect_of(struct blame *b, struct suspect place)
{
	struct suspect *s = b->suspects;

	for (size_t i = 0; i < b->num_suspects; i++, s++)
		if (s->link == place.link && s->node == place.node && s->host == place.host)
			return s;
	if (b->num_suspects == SUSPECTS_MAX)
		return NULL;
	arena_grow(b->arena, &b->suspects, b->num_suspects, &b->room_suspects, sizeof(*s));
	s = &b->suspects[b->num_suspects++];
	*s = place;
	s->covers = arena_array(b->arena, b->num_pairs + 1, sizeof(*s->covers));
	return s;
}

/* Is it one of its ends, or may be?  @sure: it is, or that end is another HCA of the same host. */
static bool is_at_end(const struct blame_pair *p, const struct suspect *s, bool *sure)
{
	bool any = false;

	for (int k = 0; k < 2; k++) {
		const struct blame_end *end = p->ends[k];
		bool here = s->host && end->host == s->host;

		*sure |= here;
		for (size_t i = 0; s->node && i < end->num; i++)
			here |= end->ports[i]->node->guid == s->node->guid;
		*sure |= here && end->one_host;
		any |= here;
	}
	return any;
}

/* Those of a link, or of a switch by any of its cables; @ways: by pair, of those before; or NULL.
 */
static bool cover_link(const struct blame *b, struct suspect *s, const struct ibc_port *link,
                       const struct ibc_blame_sign *sign, uint64_t *ways)
{
	size_t n;
	const struct crossing *c = crossings_of(b, link, &n);
	uint64_t of_pair;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct blame_pair *p = &b->pairs[c[i].pair];

		if (!is_in_time(sign, &p->public, false))
			continue;
		any = s->covers[c[i].pair] = true;
		of_pair = c[i].ways | (ways ? ways[c[i].pair] : 0);
		if (ways)
			ways[c[i].pair] = of_pair;
		/* all of them: then it does not matter which ports they were */
		s->sure |= p->num_ways <= WAYS_MAX &&
		           of_pair == UINT64_MAX >> (WAYS_MAX - p->num_ways);
	}
	return any;
}

/* It is a suspect only if that was at the time of a pair that it may have broken. */
static void add_sign(struct blame *b, struct suspect place, const struct ibc_blame_sign *sign,
                     unsigned int weight)
{
	struct suspect *s = suspect_of(b, place);
	const struct ibc_node *node = place.node;
	bool is_switch = node && node->type == IBC_NODE_SWITCH, any = false;

	if (!s)
		return;
	if (s->link)
		any = cover_link(b, s, s->link, sign, NULL);
	if (is_switch && !b->ways)
		b->ways = arena_array(b->arena, b->num_pairs + 1, sizeof(*b->ways));
	if (is_switch)
		memset(b->ways, 0, b->num_pairs * sizeof(*b->ways));
	if (is_switch)
		for (unsigned int i = 1; i <= node->num_ports; i++)
			if (node->ports[i].peer)
				any |= cover_link(b, s, blame_link(b, &node->ports[i]), sign,
				                  b->ways);
	for (size_t i = 0; !s->link && !is_switch && i < b->num_pairs; i++) {
		const struct blame_pair *p = &b->pairs[i];

		if (!p->software && !p->ethernet && is_in_time(sign, &p->public, true) &&
		    is_at_end(p, s, &s->sure))
			any = s->covers[i] = true;
	}
	if (!any)
		return;
	arena_grow(b->arena, &s->signs, s->num, &s->room, sizeof(const struct ibc_blame_sign *));
	s->signs[s->num++] = sign;
	s->weight = weight > s->weight ? weight : s->weight;
	s->sure |= place.sure;
	s->from_fabric |= sign->kind != IBC_SIGN_SAID;
}

/* ---- several of one node ------------------------------------------------------------ */

/* struct fallen - a cable that went down, at one of its nodes */
struct fallen {
	const struct ibc_node *node;
	const struct ibc_port *link;
	const struct ibc_blame_sign *sign;
};

static int by_fallen_node(const void *va, const void *vz)
{
	const struct fallen *a = va, *z = vz;

	return order_u64(node_order(a->node), node_order(z->node))
	           ?: order_u64((uintptr_t)a->node, (uintptr_t)z->node)
	           ?: order_u64((uintptr_t)a->link, (uintptr_t)z->link);
}

/* Is the sign of the time of any pair?  Of a link none of them may cross it. */
static bool is_of_time(const struct blame *b, const struct ibc_blame_sign *s)
{
	for (size_t i = 0; i < b->num_pairs; i++)
		if (!b->pairs[i].answered && is_in_time(s, &b->pairs[i].public, false))
			return true;
	return false;
}

static const struct ibc_blame_sign *sign_of_node(struct blame *b, const struct fallen *f, size_t n,
                                                 size_t of)
{
	struct ibc_blame_sign *sign = arena_alloc(b->arena, sizeof(*sign));

	*sign = (struct ibc_blame_sign){
		.kind = IBC_SIGN_DOWN,
		.guid = f->node->guid,
		.from = f->sign->from,
		.until = f->sign->until,
		.text = arena_printf(b->arena, "%zu of its %zu cables went down", n, of),
	};
	return sign;
}

static bool is_between_switches(const struct ibc_port *link)
{
	return link->node->type == IBC_NODE_SWITCH && link->peer->node->type == IBC_NODE_SWITCH;
}

static size_t switch_cables(const struct ibc_node *node)
{
	size_t n = 0;

	for (unsigned int i = 1; i <= node->num_ports; i++)
		n += node->ports[i].peer && is_between_switches(&node->ports[i]);
	return n;
}

/* By its counter from before the lines until after them: 0 also where it was reset. */
static bool never_went_down(const struct blame *b, const struct ibc_port *port)
{
	const uint32_t mask = 1u << IBC_LINK_DOWNED;
	struct ibc_delta delta;

	return port->counters && ibc_delta_among(b->in->then, port, mask, &delta) &&
	       (delta.known & mask) && !delta.value[IBC_LINK_DOWNED];
}

/* A cable of it is as it was, at both ends: it did not restart. */
static bool stayed_up(const struct blame *b, const struct ibc_node *node)
{
	for (unsigned int i = 1; b->in->then && i <= node->num_ports; i++) {
		const struct ibc_port *port = fabric_port_at(b->in->now, node->guid, i);

		if (port && port->peer && never_went_down(b, port) &&
		    never_went_down(b, port->peer))
			return true;
	}
	return false;
}

/*
 * A switch most of whose cables went down is the one that went, or all of those to switches: of
 * hosts behind it nothing is known.  A host all of whose HCAs did likewise.
 */
static void suspect_nodes(struct blame *b, struct fallen *all, size_t num)
{
	size_t links = 0, upward = 0, of;
	bool said = true;

	if (num)
		qsort(all, num, sizeof(*all), by_fallen_node);
	for (size_t i = 0; i < num; i++) {
		const struct ibc_node *node = all[i].node;

		links = i && node == all[i - 1].node ? links + (all[i].link != all[i - 1].link) : 1;
		upward = (links == 1 ? 0 : upward) +
		         ((links == 1 || all[i].link != all[i - 1].link) &&
		          is_between_switches(all[i].link));
		said = (links == 1 || said) && all[i].sign->kind == IBC_SIGN_SAID;
		if (i + 1 < num && all[i + 1].node == node)
			continue;
		of = cabled_ports(node);
		/* its cables upward have no host that could say it */
		if (node->type == IBC_NODE_SWITCH &&
		    (said ? links >= SAID_LEAST && !stayed_up(b, node)
		          : links >= 2 && (links * 4 >= of * 3 ||
		                           (upward >= 2 && upward == switch_cables(node)))))
			add_sign(b, (struct suspect){ .node = node },
			         sign_of_node(b, &all[i], links, of), WEIGHT_GONE);
	}
}

static bool has_fallen(const struct fallen *all, size_t num, const struct ibc_node *node)
{
	size_t i = 0;

	while (i < num && all[i].node != node)
		i++;
	return i < num;
}

static void suspect_hosts(struct blame *b, const struct fallen *all, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		const struct ibc_node *node = all[i].node;
		const struct ibc_fabric_host *host = NULL;
		size_t fallen = 0, hcas = 0;

		if ((i && node == all[i - 1].node) || !node->host_name)
			continue;
		for (size_t k = 0; (host = ibc_fabric_host(node->subnet->fabric, k)); k++)
			if (host->name == node->host_name)
				break;
		for (size_t h = 0; host && h < host->num_nodes; h++) {
			hcas += cabled_ports(host->nodes[h]) > 0;
			fallen += has_fallen(all, num, host->nodes[h]);
		}
		for (size_t e = 0; fallen > 1 && fallen == hcas && e < b->num_ends; e++)
			if (b->ends[e].num && b->ends[e].ports[0]->node->host_name == host->name) {
				add_sign(b, (struct suspect){ .host = b->ends[e].host },
				         sign_of_node(b, &all[i], fallen, hcas), WEIGHT_GONE);
				break;
			}
	}
}

/* ---- all of them -------------------------------------------------------------------- */

/* A route that the tables send by a port without a link. */
static void suspect_down(struct blame *b)
{
	for (size_t i = 0; i < b->num_crossings; i++) {
		const struct ibc_port *link = b->crossings[i].link;
		time_t when = (time_t)link->node->subnet->time;
		struct ibc_blame_sign *sign;

		if ((i && link == b->crossings[i - 1].link) || link->peer || !when ||
		    !ibc_port_has_state(link) || link->state != IBC_STATE_DOWN)
			continue;
		sign = arena_alloc(b->arena, sizeof(*sign));
		*sign = (struct ibc_blame_sign){ .kind = IBC_SIGN_DOWN,
			                         .guid = link->node->guid,
			                         .port = link->num,
			                         .from = when,
			                         .until = when };
		add_sign(b, (struct suspect){ .link = link }, sign, WEIGHT_DOWN);
	}
}

static void suspect_said(struct blame *b, struct said *said)
{
	struct blame_end *end = said->end;
	const struct ibc_port *seen = NULL;
	struct suspect place = { .link = NULL };
	bool one_node = end->num;
	size_t n = 0;

	for (size_t i = 1; i < end->num; i++)
		one_node &= end->ports[i]->node == end->ports[0]->node;
	/* of several ports the one whose cable went down, as the fabric saw it */
	for (size_t i = 0; said->of_port && i < end->num; i++)
		for (size_t k = 0; k < b->num_suspects; k++)
			if (b->suspects[k].num && b->suspects[k].link &&
			    b->suspects[k].link == blame_link(b, end->ports[i])) {
				seen = b->suspects[k].link;
				n++;
			}
	if (said->of_port && end->num == 1)
		seen = blame_link(b, end->ports[0]);
	if (seen && (n == 1 || end->num == 1))
		place = (struct suspect){ .link = seen, .sure = true };
	else if (one_node)
		place.node = end->ports[0]->node;
	else
		place.host = end->host;
	if (place.link || place.node || place.host)
		add_sign(b, place, &said->sign, weight_of(b, &said->sign));
}

void blame_suspect(struct blame *b)
{
	const struct ibc_blame_input *in = b->in;
	struct fallen *fallen = arena_array(b->arena, 2 * (in->num_signs + b->num_said) + 1,
	                                    sizeof(*fallen));
	size_t num = 0;

	for (size_t i = 0; i < in->num_signs; i++) {
		const struct ibc_blame_sign *s = &in->signs[i];
		const struct ibc_port *port = s->port ? blame_port(b, s->guid, s->port) : NULL;
		const struct ibc_node *node = s->port ? NULL : blame_node(b, s->guid);
		unsigned int weight = weight_of(b, s);
		size_t n = 0;

		if ((!weight && s->kind != IBC_SIGN_SILENT) || (!port && !node))
			continue;
		if (node) {
			add_sign(b, (struct suspect){ .node = node }, s, weight);
			continue;
		}
		port = blame_link(b, port);
		if (weight == WEIGHT_DOWN && port->peer && is_of_time(b, s)) {
			fallen[num++] = (struct fallen){ port->node, port, s };
			fallen[num++] = (struct fallen){ port->peer->node, port, s };
		}
		crossings_of(b, port, &n);
		if (n)
			add_sign(b, (struct suspect){ .link = port }, s, weight);
	}
	for (size_t i = 0; i < b->num_said; i++) {
		const struct said *said = &b->said[i];
		const struct ibc_port *port = said->end->num == 1 ? said->end->ports[0] : NULL;

		if (said->of_port && port && port->peer && is_of_time(b, &said->sign))
			fallen[num++] = (struct fallen){ port->peer->node, blame_link(b, port),
				                         &said->sign };
	}
	suspect_nodes(b, fallen, num);
	suspect_hosts(b, fallen, num);
	suspect_down(b);
	for (size_t i = 0; i < b->num_said; i++)
		suspect_said(b, &b->said[i]);
}
