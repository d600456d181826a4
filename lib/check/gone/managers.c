/* SPDX-License-Identifier: BSD-2-Clause */
/* Subnet managers that are gone; what was not looked at; what was missing before it was expected.
 */
#include "check/collect.h"
#include "check/gone/gone.h"
#include "report/report.h"

/* ---- gone.manager -------------------------------------------------------------------- */

static bool is_master(const struct ibc_port *p)
{
	return p->extra->sm && ibc_sm_state_now(p->extra->sm) == IBC_SM_MASTER;
}

/*
 * A subnet manager that is gone is missed when the other one fails; where none is left, nothing
 * that fails from now on is routed around.
 */
void gone_check_manager(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	/* a run that does not ask for managers does not know whether another one is master */
	bool none = ibc_attrs_has(out->run->needs, IBC_ATTR_SM_INFO) &&
	            !any_port(in->fabric, is_master);

	for (size_t i = 0; i < g->num_managers; i++) {
		const struct gone_manager *m = &g->managers[i];
		struct ibc_subject subject = { .kind = IBC_SUBJECT_PORT, .near = gone_end(&m->at) };

		if (m->state != GONE_AWAY)
			continue;
		if (m->master && none)
			sink_as(out, IBC_CRITICAL);
		sink_add(out, &subject, "%s since %s; it was %s",
		         m->at.node == GONE_NONE ? "has no subnet manager"
		                                 : "is gone, with its subnet manager,",
		         gone_when(out, m->seen), m->master ? "master" : "standby");
		sink_since(out, m->seen);
		sink_advise(out, "Start it again, or another one on another host, with the same "
		                 "M_Key. " GONE_ON_PURPOSE);
		sink_fact(out, "master", ibc_bool(m->master));
		if (m->at.node != GONE_NONE)
			gone_relate(out, IBC_ROLE_CAUSE, &g->nodes[gone_leader(g, m->at.node)]);
	}
}

/* ---- gone.unseen --------------------------------------------------------------------- */

/* Devices that are expected where this run did not look. */
void gone_check_unseen(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	const char **names = sink_array(out, g->num_nodes, sizeof(*names));
	size_t n = 0;

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_UNSEEN)
			names[n++] = g->nodes[i].name;
	if (!n)
		return;
	sink_fabric(out,
	            "%zu device%s that %s expected %s not seen, where this run could not look: %s",
	            n, n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "was" : "were",
	            sink_folded(out, names, n));
	sink_advise(out,
	            "See what did not answer, and whether the port of this host that leads there "
	            "is Active.");
	sink_fact(out, "devices", ibc_u64(n));
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].state == GONE_UNSEEN)
			gone_relate(out, IBC_ROLE_VICTIM, &g->nodes[i]);
}

/* ---- gone.earlier -------------------------------------------------------------------- */

/* What was missing before the memory knew what to expect, in one finding. */
void gone_check_earlier(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_gone *g = out->report->expected;
	const char **names = sink_array(out, g->num_nodes, sizeof(*names));
	size_t nodes = 0, cables = 0;
	char one[AMOUNT_TEXT], other[AMOUNT_TEXT];

	(void)in;
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].earlier && g->nodes[i].state == GONE_AWAY)
			names[nodes++] = g->nodes[i].name;
	for (size_t i = 0; i < g->num_cables; i++)
		cables += g->cables[i].earlier && g->cables[i].a.node == GONE_NONE &&
		          g->cables[i].z.node == GONE_NONE &&
		          (g->cables[i].state == GONE_AWAY || g->cables[i].state == GONE_MOVED);
	if (!nodes && !cables)
		return;
	sink_fabric(out, "%s%s%s %s missing already when this memory began to expect them%s%s",
	            nodes ? str_amount(one, nodes, "device") : "", nodes && cables ? " and " : "",
	            cables ? str_amount(other, cables, "cable") : "",
	            nodes + cables == 1 ? "was" : "were", nodes ? ": " : "",
	            nodes ? sink_folded(out, names, nodes) : "");
	sink_advise(out,
	            "Look for them, or say that they were taken away on purpose: \"ibcheck known "
	            "retire --gone\" lists them first.");
	sink_fact(out, "devices", ibc_u64(nodes));
	sink_fact(out, "cables", ibc_u64(cables));
	for (size_t i = 0; i < g->num_nodes; i++)
		if (g->nodes[i].earlier && g->nodes[i].state == GONE_AWAY)
			gone_relate(out, IBC_ROLE_PLANNED, &g->nodes[i]);
}
