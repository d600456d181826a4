/* SPDX-License-Identifier: BSD-2-Clause */
/* One path that was asked for: why what is sent on it does not arrive. */
#include <stdio.h>

#include <ibcheck/adaptive.h>

#include "check/groups.h"
#include "check/lines.h"
#include "check/qos/qos.h"
#include "check/routes/routes.h"
#include "report/report.h"

/* What is wrong if it does not arrive, and which check reports it. */
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

static const char advice[] =
    "Run \"ibcheck routes\": it shows which other hosts are affected, and what to do.";

/* A switch that sends it on by no port, or whose table was not read, is beyond the last one. */
static const struct ibc_node *end_of(const struct ibc_path *path)
{
	const struct ibc_port *last = path->num ? path->out[path->num - 1] : path->src;
	bool beyond = path->end == IBC_ROUTE_NO_ENTRY || path->end == IBC_ROUTE_NO_PORT ||
	              path->end == IBC_ROUTE_UNKNOWN;

	return beyond && last->peer && last->peer->node->type == IBC_NODE_SWITCH ? last->peer->node
	                                                                         : last->node;
}

/* What the last finding misses a line may have that was lost. */
static void doubt(const struct ibc_path *path, struct ibc_report *rep)
{
	if (path->src->node->subnet->lines_lost)
		report_doubt(rep, LOST_LINE);
}

static void check_end(const struct ibc_path *path, struct ibc_report *rep)
{
	const struct ibc_word *traffic = ibc_traffic_word(path->src->node->subnet->static_traffic);
	const struct ibc_subject at = node_subject(end_of(path));
	const bool is_part = carries_part(end_of(path));

	if (path->end == IBC_ROUTE_ARRIVES)
		return;
	ibc_report_add(rep, ends[path->end].id, ends[path->end].severity, &at,
	               "%s: LID %u from %s %s%s%s%s", ends[path->end].how, path->dlid,
	               path->src->node->label,
	               path->end == IBC_ROUTE_UNKNOWN ? "may arrive or not" : "does not arrive",
	               is_part ? " (" : "", is_part ? traffic->name : "", is_part ? ")" : "");
	doubt(path, rep);
	if (is_part)
		ibc_report_fact(rep, "traffic", ibc_enum(traffic));
	ibc_report_advise(rep, "%s", advice);
}

void ibc_check_ar_path(const struct ibc_path *path, const struct ibc_ar_hop *hops, size_t n,
                       struct ibc_report *rep)
{
	struct ibc_subject at = { .kind = IBC_SUBJECT_PORT };
	const struct ibc_ar_hop *hop = NULL;

	/* the first that loses packets; else the first of which it is not known */
	for (size_t i = 0; i < n && !(hop && hop->ends); i++)
		if (hops[i].ends || (hops[i].unknown && !hop))
			hop = &hops[i];
	if (!hop || path->end != IBC_ROUTE_ARRIVES) /* what static ports lose is reported by them */
		return;
	at.near = end_of_port(hop->out);
	ibc_report_add(rep, "ar.dead-way", hop->ends ? IBC_CRITICAL : IBC_UNKNOWN, &at,
	               "adaptive routing can choose this port for LID %u from %s: %s", path->dlid,
	               path->src->node->label,
	               hop->ends ? "packets that leave by it are lost, always or at times"
	                         : "whether packets that leave by it arrive is not known");
	doubt(path, rep);
	ibc_report_fact(rep, "dlid", ibc_u64(path->dlid));
	ibc_report_fact(rep, "hop", ibc_u64(hop->hop));
	ibc_report_advise(rep, "%s", advice);
}

void ibc_check_path(const struct ibc_path *path, struct ibc_report *rep)
{
	const struct ibc_sa *sa = path->src->node->subnet->sa;
	struct ibc_subject at = { .kind = IBC_SUBJECT_PORT };
	char why[64] = "its SL2VL table has VL 15 for them";
	const struct ibc_port *out = NULL;
	uint16_t lanes[SLS];
	const char *vls;
	unsigned int vl;

	check_end(path, rep);
	/* the first hop whose port has not the lane that packets get there */
	for (size_t i = 0; i < path->num && !out; i++) {
		vl = path->vl[i];
		if (vl != IBC_VL_UNKNOWN && lanes_beyond(path->out[i], lanes) &&
		    bad_lanes(path->out[i], 1u << (vl & 15)))
			out = path->out[i];
	}
	/* as qos.sl2vl judges all paths: one that SA left out may have another SL than is taken
	 * here */
	if (!out)
		return;
	vls = vls_text(out->vl_active);
	if (vl != VL_DROPS)
		snprintf(why, sizeof(why), "they get VL %u, and its link has only %s", vl, vls);
	at.near = end_of_port(out);
	ibc_report_add(rep, "qos.sl2vl",
	               path->sl_known || !sa || !sa->num_paths ? IBC_CRITICAL : IBC_UNKNOWN, &at,
	               "%s packets of service level (SL) %u%s from %s to LID %u: %s",
	               vl == VL_DROPS ? "drops" : "loses", path->sl,
	               path->sl_known ? "" : ", if the path uses it,", path->src->node->label,
	               path->dlid, why);
	ibc_report_advise(rep, LANES_ADVICE);
	ibc_report_fact(rep, "sl", ibc_u64(path->sl));
	ibc_report_fact(rep, "vl", ibc_u64(vl));
	ibc_report_fact(rep, "operational_vls", ibc_str(vls));
}
