/* SPDX-License-Identifier: BSD-2-Clause */
/* What is lost without some switches, HCAs or cables, which a person wants to take away. */
#include <string.h>

#include <ibcheck/fattree.h>
#include <ibcheck/routes.h>

#include "analysis/routes/dependents.h"
#include "base/error.h"
#include "check/fattree/fattree.h"
#include "check/groups.h"
#include "fabric/fabric.h"

enum { CUT_OFF, MANAGER, BANDWIDTH, FTREE, WORSE, ROUTE };

/* What is only called or plugged otherwise carries what it should. */
static const char *const harmless[] = { "topo.wrong-port", "topo.unexpected-cable",
	                                "fattree.port-pattern", "fattree.opensm-ftree" };

/* struct whatif - what ibc_check_whatif() is given */
struct whatif {
	const struct ibc_input *in;
	const struct ibc_dependents *lost;
	const struct ibc_fattree *rest;
	const struct ibc_report *today, *after;
	const char *unrouted;
};

static void start(struct ibc_sink *out, int check)
{
	out->check = &ibc_checks_whatif[check];
	ibc_report_ran(out->report, out->check->id);
}

/* ---- hosts, managers ---------------------------------------------------------------------- */

static void report_cut_off(const struct whatif *w, struct ibc_sink *out)
{
	const struct ibc_dependents *d = w->lost;
	const struct ibc_subnet *subnet;
	const char *self = "";

	for (size_t i = 0; (subnet = ibc_fabric_subnet(w->in->fabric, i)); i++)
		if (subnet->origin && ibc_dependents_cuts(d, subnet->origin))
			self = ", with the host of this sweep";
	start(out, CUT_OFF);
	if (!d->num_cut_off)
		return;
	sink_fabric(out, "%zu of %zu hosts %s cut off: %s%s", d->num_cut_off, d->num_hosts,
	            d->num_cut_off == 1 ? "is" : "are",
	            sink_folded(out, d->cut_off, d->num_cut_off), self);
	sink_advise(out, "Have their jobs end, or move them, before you begin");
	sink_fact(out, "hosts_cut_off", ibc_u64(d->num_cut_off));
	sink_fact(out, "pairs_cut_off", ibc_u64(d->cut_pairs));
	sink_fact(out, "sweep_host", ibc_bool(*self));
}

/*
 * struct managers - of one subnet
 * @master, @standby: that goes; @stays: a standby that does not; @other: one that is called master,
 * too
 * @switch_goes: on which there may be one
 */
struct managers {
	const struct ibc_port *master, *standby, *stays, *other;
	bool known, switch_goes;
};

static struct managers find_managers(const struct whatif *w, const struct ibc_subnet *subnet)
{
	struct managers m = { .known = false };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(w->in->fabric, i)); i++) {
		enum ibc_sm_state state = p->extra->sm ? ibc_sm_state_now(p->extra->sm)
		                                       : IBC_SM_UNKNOWN;
		bool master = state == IBC_SM_MASTER || port_names_itself_master(p);
		bool cut = p->node->subnet == subnet && ibc_dependents_cuts(w->lost, p);

		m.switch_goes |= cut && p->node->type == IBC_NODE_SWITCH;
		if (p->node->subnet != subnet || (!master && state != IBC_SM_STANDBY))
			continue;
		m.known |= master;
		if (cut && master)
			m.master = p;
		else if (cut)
			m.standby = p;
		else if (!master)
			m.stays = p;
		else if (state == IBC_SM_MASTER)
			m.other = p;
	}
	if (m.master && !m.stays)
		m.stays = m.other;
	return m;
}

static void report_manager(const struct whatif *w, const struct ibc_subnet *subnet,
                           struct ibc_sink *out)
{
	struct managers m = find_managers(w, subnet);
	const char *intro = subnet_intro(out, subnet);
	bool all_read = ibc_attrs_has(subnet->provides, IBC_ATTR_SM_INFO);

	if (!m.known) {
		/* with a host that goes the verdict is critical already */
		sink_as(out, m.switch_goes ? IBC_UNKNOWN : IBC_INFO);
		sink_fabric(out, "%swhere the subnet manager runs is not known%s", intro,
		            m.switch_goes ? ": it can be on a switch that is cut off" : "");
	} else if (m.master && m.stays) {
		sink_as(out, IBC_INFO);
		sink_port(out, m.master, "the master subnet manager is cut off; %s takes over",
		          port_text(out, m.stays));
	} else if (m.master) {
		sink_as(out, all_read ? IBC_CRITICAL : IBC_UNKNOWN);
		sink_port(out, m.master, "the subnet manager is cut off, and %s",
		          all_read ? "there is no other that would take over"
		                   : "whether another would take over was not read");
		sink_advise(out, "Start another one first, on a host that stays: without one no "
		                 "route is repaired, and no host joins");
	} else if (m.standby) {
		sink_as(out, IBC_INFO);
		sink_port(out, m.standby, "a standby subnet manager is cut off; %s",
		          m.stays ? "another one stays" : "no other stands by");
	}
}

/* ---- bandwidth ---------------------------------------------------------------------------- */

/* "leaf01 keeps 1 of 2 uplinks" */
static const char *keeps_text(struct ibc_sink *out, const struct ibc_switch_loss *l)
{
	return sink_text(out, "%s keeps %u of %u %s", l->node->label, l->links - l->lost, l->links,
	                 l->tier ? "uplinks" : "cables to other switches");
}

/* All switches of a tier, as one: the one that loses the greatest part is named. */
static void report_tier(const struct whatif *w, const char *tier, struct ibc_sink *out)
{
	const struct ibc_switch_loss *worst = NULL;
	bool known = true;
	double gbps = 0, left = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->lost->num_losses; i++) {
		const struct ibc_switch_loss *l = &w->lost->losses[i];

		if (l->tier != tier)
			continue;
		known &= l->gbps > 0;
		gbps += l->gbps;
		left += l->gbps - l->lost_gbps;
		if (!worst || l->lost * worst->links > worst->lost * l->links)
			worst = l;
		n++;
	}
	if (!worst)
		return;
	sink_node(out, worst->node, "%s%s%s", keeps_text(out, worst),
	          n == 1 ? ""
	                 : sink_text(out, "; %zu %s%sswitches lose some", n, tier ? tier : "",
	                             tier ? " " : ""),
	          !known
	              ? ""
	              : sink_text(out, ": %.0f of %.0f Gb/s are left", left > 0 ? left : 0, gbps));
	sink_fact(out, "tier", ibc_str(tier));
	sink_fact(out, "switches", ibc_u64(n));
	sink_fact(out, "gbps", known ? ibc_real(gbps) : ibc_none());
	sink_fact(out, "left_gbps", known ? ibc_real(left > 0 ? left : 0) : ibc_none());
	for (size_t i = 0, k = 0; i < w->lost->num_losses && k < CABLES_MAX; i++)
		if (w->lost->losses[i].tier == tier && ++k)
			sink_relate_node(out, IBC_ROLE_VICTIM, w->lost->losses[i].node);
}

static void report_bandwidth(const struct whatif *w, struct ibc_sink *out)
{
	const struct ibc_dependents *d = w->lost;

	start(out, BANDWIDTH);
	for (size_t i = 0; i < d->num_losses; i++) {
		size_t first = 0;

		while (d->losses[first].tier != d->losses[i].tier)
			first++;
		if (first == i)
			report_tier(w, d->losses[i].tier, out);
	}
	if (!d->num_lose_ports)
		return;
	sink_fabric(out, "%zu host%s of %s ports: %s", d->num_lose_ports,
	            d->num_lose_ports == 1 ? " loses some" : "s lose some",
	            d->num_lose_ports == 1 ? "its" : "their",
	            sink_folded(out, d->lose_ports, d->num_lose_ports));
	sink_fact(out, "hosts_losing_ports", ibc_u64(d->num_lose_ports));
}

/* ---- faults of today ---------------------------------------------------------------------- */

/* What a node that loses some of its cables keeps, a sentence; NULL: it loses none, or goes. */
static const char *weakened_text(const struct whatif *w, const struct ibc_node *node,
                                 struct ibc_sink *out)
{
	const struct ibc_dependents *d = w->lost;

	for (size_t i = 0; i < d->num_losses; i++)
		if (d->losses[i].node == node)
			return keeps_text(out, &d->losses[i]);
	for (size_t i = 0; node->host_name && i < d->num_lose_ports; i++)
		if (d->lose_ports[i] == node->host_name)
			return sink_text(out, "%s loses others of its ports", node->host_name);
	return NULL;
}

/*
 * Is this end of a finding at a cable that takes over what others lose?  Of a switch that is none
 * to a host; without a port only what is wrong with its cabling.
 */
static const char *shares_text(const struct whatif *w, const struct ibc_finding *f,
                               const struct ibc_end *end, struct ibc_sink *out)
{
	const struct ibc_node *node = end->has_guid
	                                  ? ibc_fabric_node_by_guid(w->in->fabric, end->guid)
	                                  : NULL;
	const struct ibc_port *p = node && end->has_port ? ibc_node_port(node, end->port) : NULL;
	const struct dependents *all = (const struct dependents *)w->lost;

	if (!node || (p ? goes_with(&all->gone, p) || (node->type == IBC_NODE_SWITCH && has_host(p))
	                : strncmp(f->check, "fattree.missing", 15) &&
	                      strncmp(f->check, "fattree.uneven", 14)))
		return NULL;
	return weakened_text(w, node, out);
}

static bool is_harmless(const char *check)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(harmless) && strcmp(harmless[i], check) != 0)
		i++;
	return i < ARRAY_SIZE(harmless);
}

static void report_worse(const struct whatif *w, struct ibc_sink *out)
{
	const struct ibc_finding *f;

	start(out, WORSE);
	for (size_t i = 0; w->today && (f = ibc_report_finding(w->today, i)); i++) {
		const char *why = NULL;

		if (f->severity <= IBC_INFO || is_harmless(f->check))
			continue;
		if (!strcmp(f->check, "fattree.missing-spine") && w->lost->num_losses)
			why = keeps_text(out, &w->lost->losses[0]);
		why = why ? why : shares_text(w, f, &f->subject.near, out);
		if (!why && f->subject.kind == IBC_SUBJECT_CABLE)
			why = shares_text(w, f, &f->subject.far, out);
		if (!why)
			continue;
		if (f->severity == IBC_UNKNOWN)
			sink_as(out, IBC_UNKNOWN);
		sink_add(out, &f->subject, "%s, and this is wrong already: %s (%s)", why,
		         f->message, f->check);
		sink_advise(out, "%s", f->advice ? f->advice : "Repair it first");
		sink_fact(out, "fault", ibc_str(f->check));
	}
}

static void report_route(const struct whatif *w, struct ibc_sink *out)
{
	const struct ibc_finding *f;

	start(out, ROUTE);
	if (w->unrouted) {
		sink_as(out, IBC_UNKNOWN);
		sink_fabric(out, "which routes what is left would get is not known: %s",
		            w->unrouted);
		return;
	}
	for (size_t i = 0; (f = ibc_report_finding(w->after, i)); i++) {
		if (f->severity <= IBC_INFO)
			continue;
		sink_as(out, f->severity);
		sink_add(out, &f->subject,
		         "with the routes that OpenSM makes of what is left: %s "
		         "(%s)",
		         f->message, f->check);
		sink_advise(out, "Try another routing engine in the simulator, before you begin");
		sink_fact(out, "fault", ibc_str(f->check));
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void report_whatif(const void *arg, struct ibc_sink *out)
{
	const struct whatif *w = arg;
	const struct ibc_subnet *subnet;

	report_cut_off(w, out);
	start(out, MANAGER);
	for (size_t i = 0; (subnet = ibc_fabric_subnet(w->in->fabric, i)); i++)
		report_manager(w, subnet, out);
	report_bandwidth(w, out);
	start(out, FTREE);
	report_ftree_lost(w->in->fattree, w->rest, out);
	report_worse(w, out);
	if (w->after || w->unrouted)
		report_route(w, out);
}

int ibc_check_whatif(const struct ibc_input *in, const struct ibc_dependents *lost,
                     const struct ibc_fattree *rest, const struct ibc_report *today,
                     const struct ibc_report *after, const char *unrouted, struct ibc_report *rep,
                     struct ibc_error *err)
{
	struct whatif w = { in, lost, rest, today, after, unrouted };
	struct ibc_sink out = { .report = rep };

	return sink_run(&out, report_whatif, &w) ? fail_nomem(err) : 0;
}

const struct ibc_check ibc_checks_whatif[] = {
	[CUT_OFF] = CHECK("whatif.cut-off", "hosts that would be cut off", IBC_CRITICAL, NULL,
	                  .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	[MANAGER] = CHECK("whatif.sm", "a subnet manager that would be cut off", IBC_CRITICAL, NULL,
	                  .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	[BANDWIDTH] = CHECK("whatif.bandwidth", "bandwidth that would be lost", IBC_WARNING, NULL,
	                    .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	[FTREE] = CHECK("whatif.ftree", "conditions of OpenSM's ftree that would no longer hold",
	                IBC_WARNING, NULL, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO)),
	[WORSE] = CHECK("whatif.worse", "faults of today that would cost more", IBC_WARNING, NULL,
	                .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO), .kinds = "{fault}",
	                .many = "faults|would cost more ({fault})"),
	[ROUTE] = CHECK("whatif.route", "faults of the routes that what is left would get",
	                IBC_CRITICAL, NULL, .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO),
	                .kinds = "{fault}",
	                .many = "faults|of the routes of what is left ({fault})"),
	{ 0 },
};
