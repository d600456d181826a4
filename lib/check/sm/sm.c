/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the subnet managers: is there one, just one, alive, and one to follow it? */
#include "check/sm/sm.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "check/collect.h"
#include "check/groups.h"

/* ---- who there is ----------------------------------------------------------------- */

static int by_election(const void *va, const void *vz)
{
	const struct ibc_port *a = *(const struct ibc_port *const *)va;
	const struct ibc_port *z = *(const struct ibc_port *const *)vz;

	return order_u64(z->extra->sm->priority, a->extra->sm->priority)
	           ?: order_u64(a->extra->sm->guid, z->extra->sm->guid);
}

static bool is_master(const struct ibc_port *p)
{
	return ibc_sm_state_now(p->extra->sm) == IBC_SM_MASTER;
}

bool next_managers(const struct ibc_input *in, struct ibc_sink *out, struct managers *m)
{
	size_t i = m->subnet ? m->subnet->index + 1 : 0, room = ibc_fabric_count(in->fabric).ports;
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	while ((subnet = ibc_fabric_subnet(in->fabric, i)) &&
	       !ibc_attrs_has(subnet->provides, IBC_ATTR_SM_INFO))
		i++;
	*m = (struct managers){ .subnet = subnet };
	if (!subnet)
		return false;
	m->all = sink_array(out, room, sizeof(*m->all));
	m->silent = sink_array(out, room, sizeof(*m->silent));
	for (i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (p->node->subnet != subnet)
			continue;
		if (p->extra->sm)
			m->all[m->num++] = p;
		else if (!ibc_port_unanswered(p, IBC_ATTR_SM_INFO))
			continue;
		else if (ibc_port_has(p, IBC_ATTR_PORT_INFO) && !(p->cap_mask & IBC_CAP_IS_SM))
			m->gone = p;
		else
			m->silent[m->num_silent++] = p;
	}
	qsort(m->all, m->num, sizeof(*m->all), by_election);
	for (i = 0; i < m->num; i++) {
		const struct ibc_sm_info *sm = m->all[i]->extra->sm;
		enum ibc_sm_state state = ibc_sm_state_now(sm);

		m->standbys += state == IBC_SM_STANDBY || state == IBC_SM_DISCOVERING;
		m->lost += sm->state == IBC_SM_MASTER && ibc_sm_life(sm) == IBC_SM_LOST;
		if (state == IBC_SM_MASTER && !m->masters++)
			m->master = m->all[i];
	}
	return true;
}

bool is_named_master(const struct ibc_port *port)
{
	const struct ibc_port *origin = port->node->subnet->origin;

	return origin && ibc_port_has(origin, IBC_ATTR_PORT_INFO) && origin->sm_lid &&
	       ibc_fabric_port_by_lid(port->node->subnet, origin->sm_lid) == port;
}

/*
 * One query of so many, and a few more, was answered only when it was sent again: then all four
 * tries of one are lost one time in 160,000, or more often.  The few are those that find out
 * which kinds of routes a fabric knows.  Or for so many answers there was more than one query that
 * had none: where few are asked, chance may spare those that are regained.
 */
#define LOSSY  20
#define FEW    2 /* one by LID, one by a combined route */
#define SILENT 6 /* a try is lost five times of eight: all four of a query one time in seven */

bool sweep_is_lossy(const struct ibc_subnet *subnet)
{
	const struct ibc_sweep *sweep = &subnet->sweep;

	return sweep->regained > FEW + sweep->answered / LOSSY ||
	       sweep->timed_out > sweep->answered / SILENT;
}

const char *sweep_loss_text(const struct ibc_subnet *subnet)
{
	return sweep_is_lossy(subnet) ? "; but many queries of this sweep were lost" : "";
}

/* ---- sm.none ------------------------------------------------------------------------- */

bool subnet_has_unread(const struct ibc_input *in, const struct ibc_subnet *subnet)
{
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		if (p->node->subnet == subnet && (ibc_port_unanswered(p, IBC_ATTR_PORT_INFO) ||
		                                  (port_is_linkup(p) && !p->peer && p->num)))
			return true;
	return false;
}

/*
 * Without a master nothing that is plugged in from now on gets LIDs or routes, and what fails is
 * not routed around.
 */
static void check_none(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		const struct ibc_port *origin = m.subnet->origin;
		bool known = origin && ibc_port_has(origin, IBC_ATTR_PORT_INFO);
		const char *text = "";

		if (m.masters || m.num_silent || m.lost) /* a matter of sm.stalled */
			continue;
		if (ibc_subnet_ended_early(m.subnet)) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out,
			            "%sno master was found before the deadline ended the sweep",
			            subnet_intro(out, m.subnet));
			sink_advise(out, "Give it more time with --deadline.");
			continue;
		}
		/* whom all ports look to for a master was not seen, and may be there */
		if (origin && subnet_has_unread(in, m.subnet) &&
		    (!known ||
		     (origin->sm_lid && !ibc_fabric_port_by_lid(m.subnet, origin->sm_lid)))) {
			sink_as(out, IBC_UNKNOWN);
			sink_fabric(out, "%sno master was found among those that answer",
			            subnet_intro(out, m.subnet));
			sink_advise(out, "See port.silent first.");
			continue;
		}
		if (m.gone)
			text = sink_text(out, "; %s/%u, where all ports look for it, has none",
			                 m.gone->node->label, m.gone->num);
		if (m.num)
			text = sink_text(
			    out, "%s; %s/%u is %s", text, m.all[0]->node->label, m.all[0]->num,
			    ibc_sm_state_word(ibc_sm_state_now(m.all[0]->extra->sm))->name);
		if (m.num > 1)
			text = sink_text(out, "%s, and %zu more %s there", text, m.num - 1,
			                 m.num == 2 ? "is" : "are");
		sink_fabric(out, "%sno subnet manager is master%s", subnet_intro(out, m.subnet),
		            text);
		sink_advise(out, "Start a subnet manager: \"systemctl start opensm\" on a host, or "
		                 "the one of a managed switch.");
		sink_fact(out, "managers", ibc_u64(m.num));
		if (known)
			sink_fact(out, "sm_lid", ibc_u64(origin->sm_lid));
		if (m.gone) {
			sink_relate(out, IBC_ROLE_CAUSE, m.gone);
			sink_unanswered(out, 1);
		}
	}
}

/* ---- sm.multiple ---------------------------------------------------------------------- */

static void check_multiple(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		const char *text = "";
		size_t named = 0;

		if (m.masters < 2)
			continue;
		for (size_t i = 0; i < m.num && named < RELATED_MAX; i++)
			if (is_master(m.all[i]))
				text = sink_text(
				    out, "%s%s%s/%u (priority %u, GUID 0x%016" PRIx64 ")", text,
				    named++ ? " and " : "", m.all[i]->node->label, m.all[i]->num,
				    m.all[i]->extra->sm->priority, m.all[i]->extra->sm->guid);
		sink_fabric(out, "%s%zu subnet managers are master: %s",
		            subnet_intro(out, m.subnet), m.masters, text);
		sink_advise(out,
		            "Stop all but one. Then find out why they do not detect each other: "
		            "different M_Keys or SM_Keys, or two fabrics joined by a cable.");
		sink_fact(out, "masters", ibc_u64(m.masters));
		for (size_t i = 0; i < m.num; i++)
			if (is_master(m.all[i]))
				sink_relate(out, IBC_ROLE_FOUND, m.all[i]);
	}
}

/* ---- sm.no-standby ---------------------------------------------------------------------- */

static void check_standby(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		if (m.masters != 1 || m.standbys || m.num_silent)
			continue;
		sink_port(out, m.master,
		          "is the only subnet manager: if it fails, no standby takes over");
		sink_advise(out,
		            "Start a second one on another host or switch, with a lower priority.");
		sink_fact(out, "priority", ibc_u64(m.master->extra->sm->priority));
	}
}

/* ---- sm.priority ------------------------------------------------------------------------- */

/* The higher priority is master, of equal ones the lower GUID (IBA 14.4.1). */
static void check_priority(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		const struct ibc_port *rival = NULL; /* would be elected in its place */

		for (size_t i = 0; m.masters == 1 && !rival && i < m.num; i++)
			if (m.all[i] != m.master &&
			    ibc_sm_state_now(m.all[i]->extra->sm) == IBC_SM_STANDBY)
				rival = m.all[i];
		if (!rival || rival->extra->sm->priority < m.master->extra->sm->priority)
			continue;
		if (rival->extra->sm->priority > m.master->extra->sm->priority) {
			sink_port(out, m.master, "is master with priority %u, though %s/%u has %u",
			          m.master->extra->sm->priority, rival->node->label, rival->num,
			          rival->extra->sm->priority);
			sink_advise(out, "The master role moves at the next failure or restart, if "
			                 "not sooner. Set the intended priorities (sm_priority of "
			                 "opensm), and restart the standby first.");
		} else {
			bool returns = m.master->extra->sm->guid < rival->extra->sm->guid;

			sink_as(out, IBC_INFO);
			sink_port(out, m.master,
			          "has priority %u, as does %s/%u, which is standby: %s",
			          m.master->extra->sm->priority, rival->node->label, rival->num,
			          returns ? "after a failure the master role moves there, and back "
			                    "when this one returns"
			                  : "the standby has the lower GUID and becomes master at "
			                    "the next election");
			sink_advise(out, "Give the intended master the higher priority.");
		}
		sink_fact(out, "priority", ibc_u64(m.master->extra->sm->priority));
		sink_fact(out, "standby_priority", ibc_u64(rival->extra->sm->priority));
		sink_relate(out, IBC_ROLE_FOUND, rival);
	}
}

/* ---- sm.stalled ---------------------------------------------------------------------------- */

/* The manager all ports obey, or one that waits for its turn. */
static void blame(struct ibc_sink *out, bool master, bool is_sure)
{
	if (!is_sure)
		sink_as(out, IBC_UNKNOWN);
	else if (!master)
		sink_as(out, IBC_WARNING);
}

static void check_stalled(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		if (m.gone && m.master) {
			/* another has taken over, and not all ports know */
			sink_as(out, IBC_WARNING);
			sink_port(out, m.gone,
			          "has no subnet manager, but some ports name it as their master; "
			          "%s/%u is master",
			          m.master->node->label, m.master->num);
			sink_advise(out,
			            "Right after a handover this passes by itself. If it persists, "
			            "trigger a heavy sweep of the master (SIGHUP to opensm).");
			sink_fact(out, "lid", ibc_u64(m.gone->lid));
			sink_relate(out, IBC_ROLE_FOUND, m.master);
			sink_unanswered(out, 1);
		}
		for (size_t i = 0; i < m.num_silent; i++) {
			const struct ibc_port *p = m.silent[i];
			bool master = is_named_master(p);
			bool refuses = ibc_port_answer(p, IBC_ATTR_SM_INFO) == IBC_REFUSED;

			blame(out, master, !refuses && !sweep_is_lossy(p->node->subnet));
			sink_port(out, p, "%s SMInfo, although %s%s",
			          refuses ? "refuses" : "does not answer",
			          master ? "all ports name it as their master subnet manager"
			                 : "it reports that it runs a subnet manager",
			          sweep_loss_text(p->node->subnet));
			sink_advise(
			    out,
			    "Check whether the process is alive (ps, its log), and restart it.");
			sink_fact(out, "lid", ibc_u64(p->lid));
			sink_unanswered(out, 1);
		}
		for (size_t i = 0; i < m.num; i++) {
			const struct ibc_port *p = m.all[i];
			const struct ibc_sm_info *sm = p->extra->sm;
			enum ibc_sm_life life = ibc_sm_life(sm);
			bool master = sm->state == IBC_SM_MASTER, followed = master && m.master;

			if (life == IBC_SM_LOST) {
				blame(out, master && !followed, !sweep_is_lossy(m.subnet));
				sink_port(out, p,
				          "has a subnet manager that answered SMInfo, but no "
				          "longer does%s",
				          followed ? sink_text(out, "; %s/%u is master",
				                               m.master->node->label, m.master->num)
				                   : "");
				sink_unanswered(out, 1);
			} else if (life == IBC_SM_IDLE && sm->state != IBC_SM_NOT_ACTIVE) {
				blame(out, master, true);
				sink_port(out, p,
				          "has a subnet manager that is idle: its activity count "
				          "(ActCount) stayed at %u for %.1f s",
				          sm->act_count, sm->act_seconds);
			} else {
				continue;
			}
			sink_advise(
			    out,
			    "See its log, check whether the process is alive, and restart it.%s",
			    life == IBC_SM_IDLE
				? " A standby takes over only from one that does not answer at all."
				: "");
			sink_fact(out, "act_count", ibc_u64(sm->act_count));
			sink_fact(out, "seconds", ibc_real(sm->act_seconds));
			sink_fact(out, "state", ibc_enum(ibc_sm_state_word(sm->state)));
		}
	}
}

/* ---- sm.handover -------------------------------------------------------------------------- */

/* LIDs, routes and states of one sweep may be those of two masters. */
static void check_handover(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		if (!subnet->handovers)
			continue;
		if (subnet->handovers > 1)
			sink_as(out, IBC_UNKNOWN);
		sink_fabric(out, "%sthe master subnet manager changed while the fabric was swept%s",
		            subnet_intro(out, subnet),
		            subnet->handovers > 1 ? ", and again during the next sweep: this "
		                                    "report can mix the states before and after"
		                                  : "; it was swept again");
		sink_advise(out,
		            "See the logs of the subnet managers for the reason of the handover: a "
		            "failing link to one of them, or one that restarts repeatedly.");
		sink_fact(out, "handovers", ibc_u64(subnet->handovers));
	}
}

/* ---- the table ---------------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO, IBC_ATTR_SM_INFO

const struct ibc_check ibc_checks_sm[] = {
	CHECK("sm.none", "a subnet without a master subnet manager", IBC_CRITICAL, check_none,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      EXPLAINED_BY(BY("gone.manager", IN_SUBNET), BY("sm.stalled", IN_SUBNET))),
	CHECK("sm.multiple", "more than one master subnet manager", IBC_CRITICAL, check_multiple,
	      .needs = IBC_ATTRS(NEEDS)),
	CHECK("sm.no-standby", "a master subnet manager without a standby", IBC_INFO, check_standby,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      EXPLAINED_BY(BY("gone.manager", IN_SUBNET), BY("sm.stalled", IN_SUBNET))),
	CHECK("sm.priority", "a master that the next election would replace", IBC_WARNING,
	      check_priority, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS)),
	CHECK("sm.stalled", "subnet managers that hang", IBC_CRITICAL, check_stalled,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS)),
	CHECK("sm.handover", "a master that changed during the sweep", IBC_INFO, check_handover,
	      .needs = IBC_ATTRS(NEEDS)),
	{ 0 },
};
