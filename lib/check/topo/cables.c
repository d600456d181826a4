/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of cables that are absent, too many, elsewhere, slower than planned, or unread. */
#include "check/counters/rates.h"
#include "check/port/trait.h"
#include "check/topo/topo.h"
#include "fabric/fabric.h"

/* ---- missing ------------------------------------------------------------------------ */

static const struct ibc_port *known_port(const struct topo_report *t,
                                         const struct ibc_port *planned)
{
	const struct ibc_port *p = comparison_found_port(t->cmp, planned);

	return p && ibc_port_has(p, IBC_ATTR_PORT_INFO) ? p : NULL;
}

void report_missing_cable(const struct topo_report *t)
{
	const struct ibc_port *near = t->d->planned[0], *a, *z;
	const struct ibc_cable *plan = near->extra->cable;
	const char *label = plan ? plan->label : NULL, *length = plan ? plan->length : NULL;
	struct ibc_subject cable = planned_cable(t, near);
	const char *steps = steps_text(t), *enable, *which = "";

	if (planned_end(t, near).guid != cable.near.guid) /* the facts follow the subject */
		near = near->peer;
	a = known_port(t, near);
	z = known_port(t, near->peer);
	sink_add(t->out, &cable, "is %s%s%s", t->over_time ? "gone" : "missing",
	         states_text(t->out, a, z), loss_text(t));
	enable = enable_text(t->out, a, z);
	if (label || length) /* " (cable C-0123, 3 m)": how to find it */
		which = sink_text(t->out, " (cable%s%s%s%s)", label ? " " : "", label ? label : "",
		                  length ? label ? ", " : " of " : "", length ? length : "");
	if (enable)
		sink_advise(t->out, "%s", enable);
	else
		sink_advise(t->out,
		            "%s%s; if it is plugged in, reseat it at both ends, then replace it",
		            steps ? steps : "Plug it in", which);
	add_cables(t);
	phys_facts(t->out, a, z);
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

/* The end of a found cable that stays where it is; *removed: all of it goes. */
static const struct ibc_port *staying_end(const struct topo_report *t, const struct ibc_port *found,
                                          bool *removed)
{
	size_t n;
	const struct ibc_step **steps = steps_of(t, &n);
	bool moves = false;

	*removed = false;
	for (size_t i = 0; i < n; i++) {
		bool from = is_place(&steps[i]->from, found);

		moves |= from || is_place(&steps[i]->to, found);
		*removed |= steps[i]->action == IBC_ACTION_REMOVE &&
		            (from || is_place(&steps[i]->peer, found));
	}
	return moves && found->peer ? found->peer : found;
}

/* Where cables that are there belong, then what is to be joined beside: each planned once. */
static const char *all_belong_text(const struct topo_report *t)
{
	size_t n;
	const struct ibc_step **steps = steps_of(t, &n);
	struct clauses c = { .n = 0 };

	for (size_t i = 0; i < t->d->num_found && c.n < SHOWN_MAX; i++) {
		bool removed;
		const struct ibc_port *stays = staying_end(t, t->d->found[i], &removed);
		const struct ibc_port *planned = comparison_planned_port(t->cmp, stays);
		struct ibc_end what = end_of_port(stays), where;

		if (!planned || removed)
			continue;
		where = planned_end(t, planned->peer);
		add_clause(t->out, &c, &what, &where);
	}
	for (size_t i = 0; i < n && c.n < SHOWN_MAX; i++) {
		struct ibc_subject cable;

		if (steps[i]->action != IBC_ACTION_CONNECT)
			continue;
		cable = cable_between(&steps[i]->peer, &steps[i]->to);
		add_clause(t->out, &c, &cable.near, &cable.far);
	}
	return clauses_text(t->out, c.shown, c.n < SHOWN_MAX ? c.n : t->d->num_planned);
}

/* ", and is on spine02/3": where the cable of a case of one goes instead */
static const char *instead_text(const struct topo_report *t)
{
	const struct ibc_port *stays;
	bool removed;

	if (t->d->num_planned != 1 || t->d->num_found != 1)
		return "";
	stays = staying_end(t, t->d->found[0], &removed);
	return stays->peer ? sink_text(t->out, ", and is on %s", port_text(t->out, stays->peer))
	                   : "";
}

void report_miswired(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);

	sink_add(t->out, &cable, "%s%s%s", all_belong_text(t), instead_text(t), loss_text(t));
	advise_steps(t->out, steps_text(t));
	add_cables(t);
}

void report_swapped(const struct topo_report *t)
{
	struct ibc_subject cable = found_cable(t->d->found[0]);
	size_t n = t->d->num_found;

	sink_add(t->out, &cable, "%s cables are %s: %s%s", number_text(t->out, n),
	         n == 2 ? "exchanged" : "rotated", all_belong_text(t), loss_text(t));
	advise_steps(t->out, steps_text(t));
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

/* ---- slower than planned ------------------------------------------------------------- */

/* What keeps an end below the plan; NULL: not its settings. */
static const char *limit_text(const struct topo_report *t, const struct trait *trait,
                              const struct ibc_port *p, unsigned int planned)
{
	struct mode mode = trait->mode(p);
	const char *word = trait->word(planned)->name;

	if (!ibc_port_has(p, IBC_ATTR_PORT_INFO) || !mode.supported || !mode.enabled)
		return NULL;
	if (trait->rank(trait->best(mode.supported)) < trait->rank(planned))
		return sink_text(
		    t->out,
		    "%s does not support %s: correct the plan, or install a device that does",
		    port_text(t->out, p), word);
	if (trait->rank(trait->best(mode.enabled)) < trait->rank(planned))
		return sink_text(t->out, "Enable %s at %s again (ibportstate)", word,
		                 port_text(t->out, p));
	return NULL;
}

/* One end may know what the other does not. */
static const struct ibc_port *rated_end(const struct ibc_port *p)
{
	return ibc_port_is_up(p) && (p->width_active || p->speed_active) ? p : p->peer;
}

void report_slow(const struct topo_report *t)
{
	const struct trait *trait = t->d->kind == DEVIATION_SLOW ? &speed_trait : &width_trait;
	const struct ibc_port *found = rated_end(t->d->found[0]);
	const struct ibc_port *planned = rated_end(t->d->planned[0]);
	const char *is = mode_text(t->out, found), *wanted = mode_text(t->out, planned);
	unsigned int mode = trait->mode(planned).active;

	if (t->d->num_found > 1) { /* so many at once do not all have bad contacts */
		sink_fabric(t->out, "%zu cables trained to %s, planned %s", t->d->num_found, is,
		            wanted);
		sink_advise(t->out,
		            "So many equal differences have one cause: a plan of devices that were "
		            "not bought, the devices at one end, or a configured limit");
	} else {
		struct ibc_subject cable = found_cable(found);
		const char *limit = limit_text(t, trait, found, mode);

		if (!limit)
			limit = limit_text(t, trait, found->peer, mode);
		sink_add(t->out, &cable, "trained to %s, planned %s", is, wanted);
		sink_advise(t->out, "%s",
		            limit ? limit : "Reseat the cable at both ends, then replace it");
	}
	sink_fact(t->out, "expected", ibc_str(wanted));
	sink_fact(t->out, "found", ibc_str(is));
	sink_fact(t->out, trait->key_active, ibc_enum(trait->word(trait->mode(found).active)));
	sink_fact(t->out, trait->key_expected, ibc_enum(trait->word(mode)));
	sink_fact(t->out, "cables", ibc_u64(t->d->num_found));
}

/* ---- sources without rates -------------------------------------------------------- */

void skip_unread_rates(const struct topo_report *t)
{
	const struct match *m = comparison_match(t->cmp);
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;
	size_t port = 0;

	/* has the plan any? */
	while ((p = ibc_fabric_port(m->planned, port)) &&
	       !(p->peer && ibc_port_is_up(p) && (p->width_active || p->speed_active)))
		port++;
	for (size_t i = 0; p && (subnet = ibc_fabric_subnet(m->found, i)); i++) {
		if (ibc_attrs_meet(subnet->provides, IBC_ATTRS(IBC_ATTR_LINK, IBC_ATTR_PORT_INFO)))
			continue;
		ibc_report_skip(t->out->report, t->out->check->id,
		                sink_text(t->out, "%s (%s) does not contain the speed of cables",
		                          subnet->source, subnet->kind));
	}
}

/* ---- unchecked -------------------------------------------------------------------- */

void report_unchecked(const struct topo_report *t)
{
	static const char silent_advice[] =
	    "Find out why the devices there do not answer (port.silent), then sweep again";
	const struct deviation *d = t->d;
	const char *source = t->over_time ? "earlier sweep" : "plan", *along = "";
	const char *cables = amount_text(t->out, d->num_planned, "cable");
	bool unswept = !d->num_found || d->found[0]->node->subnet->cut_short;

	if (unswept) { /* a subnet that was not swept, or a sweep that was cut short */
		sink_fabric(t->out, "%s%s%s of the %s not checked: %s",
		            d->num_planned_nodes ? amount_text(t->out, d->num_planned_nodes, "node")
		                                 : "",
		            d->num_planned_nodes ? " and " : "", cables,
		            sink_text(t->out, "%s %s", source,
		                      d->num_planned_nodes || d->num_planned > 1 ? "are" : "is"),
		            d->why);
		sink_advise(t->out,
		            fabric_lacks_lines(comparison_match(t->cmp)->found)
		                ? "Write the file again, or correct its lines (fabric.lines)"
		            : fabric_was_cut_short(comparison_match(t->cmp)->found)
		                ? "Sweep again, with a longer --deadline"
		                : "Sweep that subnet as well: --source may be repeated");
	} else if (d->num_planned_nodes) { /* a planned node that may be what is silent */
		if (d->num_planned_nodes > 1)
			along = sink_text(t->out, ", with %s behind it and %s",
			                  amount_text(t->out, d->num_planned_nodes - 1, "node"),
			                  cables);
		else if (d->num_planned > 1)
			along = sink_text(t->out, ", with its %zu cables", d->num_planned);
		sink_node(t->out, d->planned_nodes[0], "is not checked%s: %s", along, d->why);
		sink_advise(t->out, "%s", silent_advice);
	} else { /* what does not say where its cables lead: a port, or the whole node */
		const struct ibc_port *first = d->found[0];
		struct ibc_subject subject = { IBC_SUBJECT_PORT, .near = end_of_port(first) };

		if (d->num_found > 1)
			subject = node_subject(first->node);
		sink_add(t->out, &subject, "%s of the %s %s not checked: %s", cables, source,
		         d->num_planned == 1 ? "is" : "are", d->why);
		sink_advise(t->out, "%s", silent_advice);
	}
	if (!sink_explained_by(t->out, "port.silent"))
		sink_unanswered(t->out, d->num_found);
	add_nodes(t);
	sink_fact(t->out, "nodes", ibc_u64(d->num_planned_nodes));
	sink_fact(t->out, "cables", ibc_u64(d->num_planned));
}

/* ---- the plan itself -------------------------------------------------------------- */

/* A name that fits several; or a port that the device does not have; else all of it. */
void report_plan(const struct topo_report *t)
{
	const struct deviation *d = t->d;

	if (d->num_planned_nodes) {
		sink_node(t->out, d->planned_nodes[0], "%s", d->why);
		sink_advise(t->out,
		            "Write the whole name, or the GUID, so that it matches one node");
	} else if (d->num_planned) {
		sink_node(t->out, node_in_place(t, d->planned[0]->node), "%s", d->why);
		sink_advise(t->out, "Correct the plan");
	} else {
		sink_fabric(t->out, "%s", d->why);
		sink_advise(t->out, "Give the plan of this fabric; \"ibcheck topo --write FILE\" "
		                    "makes one");
	}
	add_cables(t);
}
