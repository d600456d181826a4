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
#include "check/settings.h"
#include "fabric/fabric.h"

#define PULLED_MAX 2 /* an exchange has two cables */
#define NAMED_MAX  2 /* hosts; with more the step could not be read any more */

/*
 * struct cuts - a step
 * @pulled: an end of each cable that is pulled
 * @side: by node: it is behind the cable, on the smaller side
 */
struct cuts {
	const struct ibc_config *config;
	const struct ibc_fabric *fab;
	const struct ibc_port *pulled[PULLED_MAX];
	size_t num_pulled;
	bool *side;
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

/* By another port, or another HCA. */
static bool has_other_link(const struct cuts *c, const struct ibc_port *p)
{
	const struct ibc_port *q;

	for (size_t i = 0; (q = ibc_fabric_port(c->fab, i)); i++) {
		bool same = q->node == p->node || (p->node->host_name && q->node->host_name &&
		                                   !strcmp(p->node->host_name, q->node->host_name));

		if (same && q != p && q->peer && !is_pulled(c, q) &&
		    !c->side[node_order(q->peer->node)])
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

/* Marks the nodes that a node is joined to without the cables that are pulled, and counts them; 0:
 * the far end of the cable is one of them. */
static size_t mark_side(struct cuts *c, const struct ibc_node *from, const struct ibc_node *to,
                        const struct ibc_node **queue)
{
	const struct ibc_port *p;
	size_t n = 0;

	memset(c->side, 0, ibc_fabric_count(c->fab).nodes * sizeof(*c->side));
	queue[n++] = from;
	c->side[node_order(from)] = true;
	for (size_t i = 0; i < n; i++)
		for (unsigned int num = 1;
		     queue[i]->type != IBC_NODE_CA && (p = ibc_node_port(queue[i], num)); num++) {
			if (!p->peer || c->side[node_order(p->peer->node)] || is_pulled(c, p))
				continue;
			if (p->peer->node == to)
				return 0;
			c->side[node_order(p->peer->node)] = true;
			queue[n++] = p->peer->node;
		}
	return n;
}

/* An HCA is behind its own port alone; of two switches the side with fewer nodes is cut off. */
static void add_behind(struct cuts *c, const struct ibc_port *p, const struct ibc_node **queue)
{
	const struct ibc_port *q, *z = p->peer;
	size_t near;

	memset(c->side, 0, ibc_fabric_count(c->fab).nodes * sizeof(*c->side));
	if (p->node->type == IBC_NODE_CA || z->node->type == IBC_NODE_CA) {
		if (p->node->type == IBC_NODE_CA)
			add_cut(c, p);
		if (z->node->type == IBC_NODE_CA)
			add_cut(c, z);
		return;
	}
	near = mark_side(c, p->node, z->node, queue);
	if (!near)
		return;
	if (mark_side(c, z->node, p->node, queue) > near)
		mark_side(c, p->node, z->node, queue);
	for (size_t i = 0; (q = ibc_fabric_port(c->fab, i)); i++)
		if (q->node->type == IBC_NODE_SWITCH
		        ? !q->num && c->side[node_order(q->node)]
		        : q->peer && c->side[node_order(q->peer->node)])
			add_cut(c, q);
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
	const struct ibc_node **queue;
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
	c.side = xalloc((nodes + 1) * sizeof(*c.side));
	queue = xalloc((nodes + 1) * sizeof(struct ibc_node *));
	for (size_t i = 0; c.side && queue && i < c.num_pulled; i++)
		add_behind(&c, c.pulled[i], queue);
	if (!c.side || !queue)
		rc = -ENOMEM;
	free(c.side);
	free(queue);
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
