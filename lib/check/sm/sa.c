/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of subnet administration: does it answer, and how soon? */
#include "check/collect.h"
#include "check/groups.h"
#include "check/limits.h"
#include "check/sm/sm.h"

#define US_PER_MS 1000.0 /* microseconds */

/* Is it reported already that nothing at all answers there? */
static bool is_silence_reported(const struct ibc_sink *out, const struct managers *m)
{
	bool stalled = m->gone;

	if (!m->masters && !m->num_silent && !m->lost)
		return sink_explained_by(out, "sm.none");
	for (size_t i = 0; i < m->num_silent; i++)
		stalled |= is_named_master(m->silent[i]);
	for (size_t i = 0; i < m->num; i++)
		stalled |= ibc_sm_life(m->all[i]->extra->sm) == IBC_SM_LOST &&
		           is_named_master(m->all[i]);
	return stalled && sink_explained_by(out, "sm.stalled");
}

static void check_silent(const struct ibc_input *in, struct ibc_sink *out)
{
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		const struct ibc_port *origin = m.subnet->origin;

		bool refuses, known;

		if (!origin || !ibc_port_unanswered(origin, IBC_ATTR_SA_CLASS_PORT_INFO))
			continue;
		refuses = ibc_port_answer(origin, IBC_ATTR_SA_CLASS_PORT_INFO) == IBC_REFUSED;
		known = ibc_port_has(origin, IBC_ATTR_PORT_INFO);
		if (is_silence_reported(out, &m))
			sink_as(out, IBC_INFO);
		else if (!known || sweep_is_lossy(m.subnet) || ibc_subnet_ended_early(m.subnet))
			sink_as(out, IBC_UNKNOWN);
		if (origin->sm_lid)
			sink_fabric(out, "%ssubnet administration (SA) at LID %u %s%s",
			            subnet_intro(out, m.subnet), origin->sm_lid,
			            refuses ? "refuses ClassPortInfo"
			            : ibc_subnet_ended_early(m.subnet)
			                ? "did not answer before the deadline ended the sweep"
			                : "does not answer",
			            sweep_loss_text(m.subnet));
		else
			sink_fabric(out, "%ssubnet administration (SA) cannot be queried: %s/%u %s",
			            subnet_intro(out, m.subnet), origin->node->label, origin->num,
			            known ? "names no master" : "does not report who is master");
		sink_advise(out,
		            "Check whether the process of the master is alive and not overloaded. "
		            "Programs that look up paths or join multicast groups wait for it.");
		sink_fact(out, "lid", ibc_u64(origin->sm_lid));
		sink_fact(out, "refused", ibc_bool(refuses));
		sink_unanswered(out, 1);
		if (m.master)
			sink_relate(out, IBC_ROLE_CAUSE, m.master);
	}
}

static void check_slow(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct limits limits = limits_of_fabric(in->config, out->check);
	struct managers m = { 0 };

	while (next_managers(in, out, &m)) {
		const struct ibc_port *origin = m.subnet->origin;
		double ms;

		if (!origin || !m.subnet->sa || !ibc_port_has(origin, IBC_ATTR_SA_CLASS_PORT_INFO))
			continue;
		ms = m.subnet->sa->latency_us / US_PER_MS;
		if (ms < limits.warning && ms < limits.critical)
			continue;
		/* where much is lost, this may have been kept in a queue */
		sink_as(out, sweep_is_lossy(m.subnet) ? IBC_UNKNOWN
		             : ms >= limits.critical  ? IBC_CRITICAL
		                                      : IBC_WARNING);
		sink_fabric(out, "%ssubnet administration (SA) took %.0f ms to answer%s",
		            subnet_intro(out, m.subnet), ms, sweep_loss_text(m.subnet));
		sink_advise(out, "Find out what keeps the master busy: a sweep, thousands of hosts "
		                 "that send queries at once, or other work on its host.");
		sink_fact(out, "latency_us", ibc_u64(m.subnet->sa->latency_us));
		if (m.master)
			sink_relate(out, IBC_ROLE_CAUSE, m.master);
	}
}

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO, IBC_ATTR_SM_INFO, IBC_ATTR_SA_CLASS_PORT_INFO

const struct ibc_check ibc_checks_sm_sa[] = {
	CHECK("sm.sa-silent", "subnet administration (SA) that does not answer", IBC_CRITICAL,
	      check_silent, .needs = IBC_ATTRS(NEEDS),
	      EXPLAINED_BY(BY("sm.pkey", OF_SUBNET), BY_ABSENCE(ACROSS),
	                   BY("sm.stalled", IN_SUBNET), BY("sm.none", IN_SUBNET))),
	CHECK("sm.sa-slow", "subnet administration (SA) that answers slowly", IBC_WARNING,
	      check_slow, .needs = IBC_ATTRS(NEEDS),
	      .limits = { 100, 1000, .unit = "of milliseconds", .whole = true }),
	{ 0 },
};
