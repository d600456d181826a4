/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of cables that are absent, too many, elsewhere, or slower than planned. */
#include "check/counters_rates.h"
#include "check/topo.h"

/* ---- missing ------------------------------------------------------------------------ */

static const struct ibc_port *known_port(const struct topo_report *t,
                                         const struct ibc_port *planned)
{
	const struct ibc_port *p = comparison_found_port(t->cmp, planned);

	return p && ibc_port_has(p, IBC_ATTR_PORT_INFO) ? p : NULL;
}

/* " (cable C-0123, 3 m)": how to find it, if the plan says that */
static const char *cable_text(const struct topo_report *t, const struct ibc_cable *cable)
{
	const char *label = cable ? cable->label : NULL, *length = cable ? cable->length : NULL;

	if (!label && !length)
		return "";
	return sink_text(t->out, " (cable%s%s%s%s)", label ? " " : "", label ? label : "",
	                 length ? label ? ", " : " of " : "", length ? length : "");
}

static void advise_missing(const struct topo_report *t, const struct ibc_port *a,
                           const struct ibc_port *z)
{
	const char *steps = steps_text(t), *enable = enable_text(t->out, a, z);

	if (enable)
		sink_advise(t->out, "%s", enable);
	else
		sink_advise(t->out,
		            "%s%s; if it is plugged in, reseat it at both ends, then replace it",
		            steps ? steps : "Plug it in", cable_text(t, t->d->planned[0]->cable));
}

void report_missing_cable(const struct topo_report *t)
{
	const struct ibc_port *near = t->d->planned[0];
	struct ibc_subject cable = planned_cable(t, near);
	const struct ibc_port *a, *z;

	if (planned_end(t, near).guid != cable.near.guid) /* the facts follow the subject */
		near = near->peer;
	a = known_port(t, near);
	z = known_port(t, near->peer);
	sink_add(t->out, &cable, "is %s%s%s", t->over_time ? "gone" : "missing",
	         states_text(t->out, a, z), loss_text(t));
	advise_missing(t, a, z);
	add_cables(t);
	sink_fact(t->out, "phys_state",
	          a ? ibc_enum(ibc_phys_state_word(a->phys_state)) : ibc_none());
	sink_fact(t->out, "peer_phys_state",
	          z ? ibc_enum(ibc_phys_state_word(z->phys_state)) : ibc_none());
}

/* ---- too many ------------------------------------------------------------------------ */

void report_unexpected_cable(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);
	const char *steps = steps_text(t);

	sink_add(t->out, &cable, "is not in the plan%s", loss_text(t));
	sink_advise(t->out, "%s, or add it to the plan", steps ? steps : "Unplug it");
	add_cables(t);
}

/* ---- elsewhere ------------------------------------------------------------------------ */

static bool is_place(const struct ibc_place *place, const struct ibc_port *port)
{
	return place->node == port->node && place->port == port->num;
}

/* Is this where a plug of this case goes from, or comes to? */
static bool is_moving(const struct topo_report *t, const struct ibc_port *found)
{
	const struct ibc_step **steps;
	size_t n;

	steps = steps_of(t, &n);
	for (size_t i = 0; i < n; i++)
		if (is_place(&steps[i]->from, found) || is_place(&steps[i]->to, found))
			return true;
	return false;
}

static bool is_removed(const struct topo_report *t, const struct ibc_port *found)
{
	const struct ibc_step **steps;
	size_t n;

	steps = steps_of(t, &n);
	for (size_t i = 0; i < n; i++)
		if (steps[i]->action == IBC_ACTION_REMOVE &&
		    (is_place(&steps[i]->from, found) || is_place(&steps[i]->peer, found)))
			return true;
	return false;
}

/* The end of a found cable that stays where it is. */
static const struct ibc_port *staying_end(const struct topo_report *t, const struct ibc_port *found)
{
	return is_moving(t, found) && found->peer ? found->peer : found;
}

/* Where a found port should lead, as a planned port; NULL: nowhere. */
static const struct ibc_port *planned_peer(const struct topo_report *t,
                                           const struct ibc_port *found)
{
	const struct ibc_node *node = ibc_comparison_counterpart(t->cmp, found->node);
	const struct ibc_port *planned = node ? ibc_node_port(node, found->num) : NULL;

	return planned ? planned->peer : NULL;
}

static void add_moved(const struct topo_report *t, struct clauses *c, const struct ibc_port *found)
{
	const struct ibc_port *stays = staying_end(t, found), *peer = planned_peer(t, stays);
	struct ibc_end what = end_of_port(stays), where;

	if (!peer || is_removed(t, found))
		return;
	where = planned_end(t, peer);
	add_clause(t->out, c, &what, &where);
}

static void add_connected(const struct topo_report *t, struct clauses *c,
                          const struct ibc_step *step)
{
	struct ibc_subject cable;

	if (step->action != IBC_ACTION_CONNECT)
		return;
	cable = cable_between(&step->peer, &step->to);
	add_clause(t->out, c, &cable.near, &cable.far);
}

/* Where cables that are there belong, then what is to be joined beside: each planned once. */
static const char *all_belong_text(const struct topo_report *t)
{
	const struct ibc_step **steps;
	struct clauses c = { .n = 0 };
	size_t n;

	steps = steps_of(t, &n);
	for (size_t i = 0; i < t->d->num_found && c.n < SHOWN_MAX; i++)
		add_moved(t, &c, t->d->found[i]);
	for (size_t i = 0; i < n && c.n < SHOWN_MAX; i++)
		add_connected(t, &c, steps[i]);
	return clauses_text(t->out, c.shown, c.n < SHOWN_MAX ? c.n : t->d->num_planned);
}

/* ", and is on spine02/3": where the cable of a case of one goes instead */
static const char *instead_text(const struct topo_report *t)
{
	const struct ibc_port *stays;

	if (t->d->num_planned != 1 || t->d->num_found != 1)
		return "";
	stays = staying_end(t, t->d->found[0]);
	return stays->peer ? sink_text(t->out, ", and is on %s", port_text(t->out, stays->peer))
	                   : "";
}

static void advise_moves(const struct topo_report *t)
{
	const char *steps = steps_text(t);

	if (steps)
		sink_advise(t->out, "%s", steps);
}

void report_miswired(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);

	sink_add(t->out, &cable, "%s%s%s", all_belong_text(t), instead_text(t), loss_text(t));
	advise_moves(t);
	add_cables(t);
}

void report_swapped(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);
	size_t n = t->d->num_found;

	sink_add(t->out, &cable, "%s cables are %s: %s%s", number_text(t->out, n),
	         n == 2 ? "exchanged" : "rotated", all_belong_text(t), loss_text(t));
	advise_moves(t);
	add_cables(t);
}

void report_wrong_port(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);
	const char *steps = steps_text(t);

	if (t->d->num_found > 1)
		sink_add(t->out, &cable, "%s cables join the right devices at other ports: %s%s",
		         number_text(t->out, t->d->num_found), all_belong_text(t), loss_text(t));
	else
		sink_add(t->out, &cable, "joins the right devices at another port: %s%s",
		         all_belong_text(t), instead_text(t));
	sink_advise(t->out, "%s; if it does not matter here, correct the plan",
	            steps ? steps : "Move it to its port");
	add_cables(t);
}
