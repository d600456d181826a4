/* SPDX-License-Identifier: BSD-2-Clause */
/* One path that was asked for: why what is sent on it does not arrive. */
#include "check/groups.h"
#include "check/routes.h"

/* What is wrong if it does not arrive, and by which check it is told. */
static const struct {
	const char *id, *how;
	enum ibc_severity severity;
} ends[] = {
	[IBC_ROUTE_NO_ENTRY] = { "routes.unreachable", "has no entry for it", IBC_CRITICAL },
	[IBC_ROUTE_DOWN] = { "routes.stale", "sends it out of a port that carries no data",
	                     IBC_CRITICAL },
	[IBC_ROUTE_NO_PORT] = { "routes.dead-end", "sends it out of a port that does not exist",
	                        IBC_CRITICAL },
	[IBC_ROUTE_ELSEWHERE] = { "routes.dead-end", "sends it to another host", IBC_CRITICAL },
	[IBC_ROUTE_LOOP] = { "routes.loop", "is in a loop", IBC_CRITICAL },
	[IBC_ROUTE_UNKNOWN] = { "routes.unreachable", "is the last known switch of its route",
	                        IBC_UNKNOWN },
};

/* A switch that sends it on by no port, or did not tell by which, is beyond the last one. */
static const struct ibc_node *end_of(const struct ibc_path *path)
{
	const struct ibc_port *last = path->num ? path->out[path->num - 1] : path->src;
	bool beyond = path->end == IBC_ROUTE_NO_ENTRY || path->end == IBC_ROUTE_NO_PORT ||
	              path->end == IBC_ROUTE_UNKNOWN;

	return beyond && last->peer && last->peer->node->type == IBC_NODE_SWITCH ? last->peer->node
	                                                                         : last->node;
}

void ibc_check_path(const struct ibc_path *path, struct ibc_report *rep)
{
	const struct ibc_word *traffic = ibc_traffic_word(path->src->node->subnet->static_traffic);
	const bool is_part = carries_part(end_of(path));
	struct ibc_subject at = { .kind = IBC_SUBJECT_NODE };

	if (path->end == IBC_ROUTE_ARRIVES)
		return;
	at.near = end_of_node(end_of(path));
	ibc_report_add(rep, ends[path->end].id, ends[path->end].severity, &at,
	               "%s: LID %u from %s %s%s%s%s", ends[path->end].how, path->dlid,
	               path->src->node->label,
	               path->end == IBC_ROUTE_UNKNOWN ? "may arrive or not" : "does not arrive",
	               is_part ? " (" : "", is_part ? traffic->name : "", is_part ? ")" : "");
	if (is_part)
		ibc_report_fact(rep, "traffic", ibc_enum(traffic));
	ibc_report_advise(
	    rep,
	    "Run \"ibcheck routes\": it shows which other hosts are affected, and what to do.");
}
