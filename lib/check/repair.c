/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a repair plan in words, and which hosts lose the fabric while one is done: subnet
 * managers above all.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibcheck/check.h>
#include <ibcheck/topo.h>

#include "base/arena.h"
#include "base/array.h"
#include "check/repair.h"
#include "check/settings.h"
#include "fabric/fabric.h"

#define PULLED_MAX 2 /* an exchange has two cables */
#define NAMED_MAX  2 /* hosts; with more the step could not be read any more */

/*
 * struct front - what an end of a cable is joined to, as far as it was looked for
 * @mark: of its nodes, a bit; @queue: @n of them, sorted by distance
 * @next, @num: the node and its port that are looked at next
 */
struct front {
	uint8_t mark;
	const struct ibc_node **queue;
	size_t n, next;
	unsigned int num;
};

/*
 * struct cuts - a step
 * @pulled: an end of each cable that is pulled
 * @side: by node: the marks of the fronts that found it; an HCA joins no two
 * @behind: the front of what is behind the cable, on the smaller side; NULL: nothing is
 */
struct cuts {
	const struct ibc_config *config;
	const struct ibc_fabric *fab;
	const struct ibc_port *pulled[PULLED_MAX];
	size_t num_pulled;
	uint8_t *side;
	const struct front *behind;
	char *buf;
	size_t size, used, hosts;
};

/* ---- which hosts are named ------------------------------------------------------------- */

static bool is_pulled(const struct cuts *c, const struct ibc_port *p)
{
	for (size_t i = 0; i < c->num_pulled; i++)
		if (c->pulled[i] == p || c->pulled[i]->peer == p)
			return true;
	return false;
}

static bool is_behind(const struct cuts *c, const struct ibc_node *node)
{
	return c->behind && c->side[node_order(node)] & c->behind->mark;
}

/* By another port, or another HCA. */
static bool has_other_link(const struct cuts *c, const struct ibc_port *p)
{
	const struct ibc_port *q;

	for (size_t i = 0; (q = ibc_fabric_port(c->fab, i)); i++) {
		bool same = q->node == p->node || (p->node->host_name && q->node->host_name &&
		                                   !strcmp(p->node->host_name, q->node->host_name));

		if (same && q != p && q->peer && !is_pulled(c, q) && !is_behind(c, q->peer->node))
			return true;
	}
	return false;
}

static void add_cut(struct cuts *c, const struct ibc_port *p)
{
	enum ibc_sm_state state = p->extra->sm ? ibc_sm_state_now(p->extra->sm) : IBC_SM_UNKNOWN;
	const char *host = p->node->host_name ? p->node->host_name : p->node->label;
	const char *what = NULL, *at = c->buf;
	char text[IBC_PLACE_TEXT];
	int n;

	for (size_t i = 0; c->config && i < c->config->num_important; i++)
		if (port_is_typed(p, c->config->important[i]))
			what = has_other_link(c, p) ? "one link of the important host "
			                            : "off the important host ";
	if (p->node->subnet->origin == p)
		what = "off the host of this sweep ";
	if (state == IBC_SM_MASTER || state == IBC_SM_STANDBY || port_names_itself_master(p))
		what = "off the subnet manager on ";
	if (!what)
		return;
	n = snprintf(text, sizeof(text), "%s%s", what, host);
	while ((at = strstr(at, text)) && !strchr(" ", at[n]))
		at++; /* the name begins like that of another */
	if (at)       /* it is named by another port of the same host */
		return;
	if (c->hosts < NAMED_MAX)
		c->used += (size_t)snprintf(c->buf + c->used, c->size - c->used, "%s%s",
		                            c->hosts ? " and " : "cuts ", text);
	else if (c->hosts == NAMED_MAX)
		c->used += (size_t)snprintf(c->buf + c->used, c->size - c->used, " and others");
	c->used = c->used < c->size ? c->used : c->size - 1;
	c->hosts++;
}

/* ---- what is behind a cable -------------------------------------------------------------- */

static _Thread_local size_t ports_looked_at; /* in all steps, for tests */

size_t repair_ports_looked_at(void)
{
	return ports_looked_at;
}

static void begin_front(struct cuts *c, struct front *f, const struct ibc_node *from)
{
	f->queue[0] = from;
	f->n = 1;
	f->num = 1;
	c->side[node_order(from)] = f->mark;
}

static bool is_whole(const struct front *f)
{
	return f->next == f->n;
}

/* One port further, without the cables that are pulled; false: it leads to the other front. */
static bool look_further(struct cuts *c, struct front *f)
{
	const struct ibc_node *node = f->queue[f->next];
	const struct ibc_port *p = node->type == IBC_NODE_CA ? NULL : ibc_node_port(node, f->num++);
	uint8_t *side;

	ports_looked_at++;
	if (!p) {
		f->next++;
		f->num = 1;
		return true;
	}
	if (!p->peer || is_pulled(c, p))
		return true;
	side = &c->side[node_order(p->peer->node)];
	if (!(*side & f->mark))
		f->queue[f->n++] = p->peer->node;
	*side |= f->mark;
	return *side == f->mark || p->peer->node->type == IBC_NODE_CA;
}

/*
 * Both ends are looked from in turn: where there is another way they meet soon, else the smaller
 * side ends first.  NULL: they meet.
 */
static struct front *find_smaller(struct cuts *c, struct front *near, struct front *far)
{
	struct front *whole, *other;

	while (!is_whole(near) && !is_whole(far))
		if (!look_further(c, near) || !look_further(c, far))
			return NULL;
	whole = is_whole(near) ? near : far;
	other = whole == near ? far : near;
	while (!is_whole(other) && other->n <= whole->n)
		look_further(c, other);
	return near->n < far->n ? near : far;
}

static int by_order(const void *va, const void *vz)
{
	const struct ibc_node *const *a = va, *const *z = vz;

	return order_u64(node_order(*a), node_order(*z));
}

static void add_side(struct cuts *c, struct front *side)
{
	c->behind = side;
	qsort(side->queue, side->n, sizeof(struct ibc_node *), by_order);
	for (size_t i = 0; i < side->n; i++) {
		const struct ibc_node *node = side->queue[i];
		const struct ibc_port *p;

		if (node->type == IBC_NODE_SWITCH)
			add_cut(c, ibc_node_port(node, 0));
		for (unsigned int num = 1;
		     node->type != IBC_NODE_SWITCH && (p = ibc_node_port(node, num)); num++)
			if (p->peer && is_behind(c, p->peer->node))
				add_cut(c, p);
	}
	c->behind = NULL;
}

/* An HCA is behind its own port alone; of two switches the side with fewer nodes is cut off. */
static void add_behind(struct cuts *c, const struct ibc_port *p, struct front fronts[2])
{
	const struct ibc_port *z = p->peer;
	struct front *smaller;

	if (p->node->type == IBC_NODE_CA || z->node->type == IBC_NODE_CA) {
		if (p->node->type == IBC_NODE_CA)
			add_cut(c, p);
		if (z->node->type == IBC_NODE_CA)
			add_cut(c, z);
		return;
	}
	if (p->node == z->node)
		return;
	begin_front(c, &fronts[0], p->node);
	begin_front(c, &fronts[1], z->node);
	smaller = find_smaller(c, &fronts[0], &fronts[1]);
	if (smaller)
		add_side(c, smaller);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < fronts[side].n; i++)
			c->side[node_order(fronts[side].queue[i])] = 0;
		fronts[side].next = 0;
	}
}

/* ---- the step ------------------------------------------------------------------------------ */

static void pull(struct cuts *c, const struct ibc_place *near, const struct ibc_place *far)
{
	const struct ibc_place *place = near->node && near->port ? near : far;
	const struct ibc_port *p = place->node && place->port
	                               ? ibc_node_port(place->node, place->port)
	                               : NULL;

	if (p && p->peer)
		c->pulled[c->num_pulled++] = p;
}

int ibc_step_cuts(const struct ibc_step *step, const struct ibc_config *config, char *buf,
                  size_t size)
{
	struct cuts c = { .config = config, .buf = buf, .size = size };
	struct front fronts[2] = { { .mark = 1 }, { .mark = 2 } };
	size_t nodes;
	int rc = 0;

	*buf = '\0';
	if (step->action == IBC_ACTION_MOVE || step->action == IBC_ACTION_REMOVE ||
	    step->action == IBC_ACTION_EXCHANGE)
		pull(&c, &step->from, &step->peer);
	if (step->action == IBC_ACTION_EXCHANGE)
		pull(&c, &step->to, &step->to_peer);
	if (!c.num_pulled)
		return 0;
	c.fab = c.pulled[0]->node->subnet->fabric;
	nodes = ibc_fabric_count(c.fab).nodes;
	c.side = xalloc(nodes + 1);
	for (int i = 0; i < 2; i++)
		fronts[i].queue = xalloc((nodes + 1) * sizeof(struct ibc_node *));
	if (!c.side || !fronts[0].queue || !fronts[1].queue)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < c.num_pulled; i++)
		add_behind(&c, c.pulled[i], fronts);
	free(c.side);
	free(fronts[0].queue);
	free(fronts[1].queue);
	return rc ? rc : *buf != 0;
}

/* ---- in words ------------------------------------------------------------------------------ */

/* What is to be done to the cable between a place and the step's peer, its near end first. */
static void cable_text(const struct ibc_step *step, const struct ibc_place *place, char *buf,
                       size_t size)
{
	bool nearer = place->node && step->peer.node && place->node->guid < step->peer.node->guid;
	char near_buf[IBC_PLACE_TEXT], far_buf[IBC_PLACE_TEXT];
	const char *near = ibc_place_text(nearer ? *place : step->peer, near_buf, IBC_PLACE_TEXT);
	const char *far = ibc_place_text(nearer ? step->peer : *place, far_buf, IBC_PLACE_TEXT);

	if (step->action == IBC_ACTION_CONNECT)
		snprintf(buf, size, "Connect %s to %s", near, far);
	else if (step->peer.node)
		snprintf(buf, size, "Unplug the cable between %s and %s", near, far);
	else /* to something that does not answer */
		snprintf(buf, size, "Unplug the cable at %s", far);
}

static void put_step(const struct ibc_step *step, char *buf, size_t size)
{
	char from_buf[IBC_PLACE_TEXT], to_buf[IBC_PLACE_TEXT];
	const char *from = ibc_place_text(step->from, from_buf, IBC_PLACE_TEXT);
	const char *to = ibc_place_text(step->to, to_buf, IBC_PLACE_TEXT);

	switch (step->action) {
	case IBC_ACTION_MOVE:
		snprintf(buf, size, "Move the plug from %s to %s", from, to);
		break;
	case IBC_ACTION_EXCHANGE:
		snprintf(buf, size,
		         step->from.port ? "Exchange the two plugs at %s and %s"
		                         : "Exchange %s and %s (or their names)",
		         from, to);
		break;
	case IBC_ACTION_CONNECT:
		cable_text(step, &step->to, buf, size);
		break;
	case IBC_ACTION_REMOVE:
		cable_text(step, &step->from, buf, size);
		break;
	case IBC_ACTION_REPLACE:
		snprintf(buf, size, "Put %s into the plan, with its GUID 0x%016" PRIx64, from,
		         step->from.node ? step->from.node->guid : 0);
		break;
	case IBC_ACTION_RENAME:
		snprintf(buf, size, "Give %s its planned name %s, or correct the plan", from, to);
		break;
	}
}

int ibc_step_text(const struct ibc_step *step, const struct ibc_config *config, char *buf,
                  size_t size)
{
	char cuts[IBC_CUTS_TEXT];
	int rc = ibc_step_cuts(step, config, cuts, sizeof(cuts));
	size_t n;

	if (rc <= 0) {
		put_step(step, buf, size);
		return rc;
	}
	n = (size_t)snprintf(buf, size, "C%s%s: ", cuts + 1,
	                     step->action == IBC_ACTION_REMOVE ? "" : " meanwhile");
	if (n >= size)
		return 0;
	put_step(step, buf + n, size - n);
	buf[n] = (char)tolower((unsigned char)buf[n]);
	return 0;
}
