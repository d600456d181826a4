/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SHARP's aggregation manager, by its record in subnet administration.  Many fabrics have
 * aggregation nodes, since switches have them, and use none: that is information, not a fault.
 */
#include "check/sharp/sharp.h"

#include "analysis/tree/switches.h"
#include "check/collect.h"
#include "check/groups.h"
#include "check/phrases.h"
#include "check/settings.h"
#include "check/sm/sm.h"

static bool is_expected(const struct ibc_input *in)
{
	return config_expects(in->config, &ibc_checks_sharp[0]) > 0;
}

/* Subnet administration that does not know such records has none. */
static bool services_are_known(const struct ibc_subnet *subnet)
{
	enum ibc_answer answer = subnet->origin && subnet->sa
	                             ? ibc_port_answer(subnet->origin, IBC_ATTR_SERVICE_RECORD)
	                             : IBC_NOT_ASKED;

	return answer == IBC_ANSWERED || answer == IBC_UNSUPPORTED;
}

bool sharp_is_used(const struct ibc_input *in, const struct ibc_subnet *subnet)
{
	return is_expected(in) || (services_are_known(subnet) && subnet->sa->num_services);
}

/* ---- one ------------------------------------------------------------------------------------ */

static uint64_t guid_of(const struct ibc_service *service)
{
	uint64_t guid = 0;

	for (int i = 8; i < 16; i++)
		guid = guid << 8 | service->gid[i];
	return guid;
}

static const char *gid_text(struct ibc_sink *out, const struct ibc_service *service)
{
	const uint8_t *g = service->gid;

	return sink_text(out, "%x:%x:%x:%x:%x:%x:%x:%x", g[0] << 8 | g[1], g[2] << 8 | g[3],
	                 g[4] << 8 | g[5], g[6] << 8 | g[7], g[8] << 8 | g[9], g[10] << 8 | g[11],
	                 g[12] << 8 | g[13], g[14] << 8 | g[15]);
}

static const struct ibc_port *port_of_service(const struct ibc_subnet *subnet,
                                              const struct ibc_service *service)
{
	uint64_t guid = guid_of(service);
	const struct ibc_port *p;

	for (size_t i = 0; guid && (p = ibc_fabric_port(subnet->fabric, i)); i++)
		if (p->node->subnet == subnet && p->guid == guid)
			return p;
	return NULL;
}

static void evaluate_place(const struct ibc_input *in, struct ibc_sink *out,
                           const struct ibc_subnet *subnet, const struct ibc_service *service)
{
	unsigned int lid = ibc_port_has(subnet->origin, IBC_ATTR_PORT_INFO) ? subnet->origin->sm_lid
	                                                                    : 0;
	const struct ibc_port *at = port_of_service(subnet, service);
	const struct ibc_port *master = lid ? ibc_fabric_port_by_lid(subnet, lid) : NULL;

	if (!at) {
		bool unread = subnet_has_unread(in, subnet);

		if (subnet->cut_short || unread)
			sink_as(out, IBC_UNKNOWN);
		sink_fabric(out,
		            "%sthe aggregation manager of SHARP is registered at GID %s, which no "
		            "port that was found has%s",
		            subnet_intro(out, subnet), gid_text(out, service),
		            unread ? "; some ports were not read" : "");
		sink_advise(
		    out, "Its host has left the fabric, or it uses a virtual port: see where "
			 "sharp_am runs, and start it on the port of the master subnet manager.");
	} else if (master && at != master) {
		bool same_host = at->node == master->node ||
		                 (at->node->host_name &&
		                  at->node->host_name == master->node->host_name);

		if (same_host)
			sink_as(out, IBC_INFO);
		sink_port(
		    out, at,
		    "has the aggregation manager of SHARP; the master subnet manager is at %s%s",
		    port_text(out, master), same_host ? ", on the same host" : "");
		sink_advise(out, "Have sharp_am use the port of the master subnet manager: NCCL "
		                 "and UCX jobs can fail to start with SHARP otherwise.");
		sink_relate(out, IBC_ROLE_FOUND, master);
	} else {
		return;
	}
	sink_fact(out, "kind", ibc_str("place"));
	sink_fact(out, "gid", ibc_str(gid_text(out, service)));
	sink_fact(out, "lease_seconds",
	          service->lease_seconds == IBC_LEASE_ENDLESS ? ibc_none()
	                                                      : ibc_u64(service->lease_seconds));
}

/* Of several records with one GID only the first. */
static bool is_repeated(const struct ibc_sa *sa, size_t i)
{
	return i && guid_of(&sa->services[i]) == guid_of(&sa->services[i - 1]);
}

/* ---- sharp.manager -------------------------------------------------------------------------- */

static void evaluate_managers(const struct ibc_input *in, struct ibc_sink *out,
                              const struct ibc_subnet *subnet)
{
	const struct ibc_sa *sa = subnet->sa;
	size_t n = 0;

	for (size_t k = 0; k < sa->num_services; k++)
		n += !is_repeated(sa, k);
	if (n > 1) {
		/* a record stays until its lease ends, whether or not its manager does */
		const char *places = "";

		for (size_t i = 0; i < sa->num_services; i++) {
			const struct ibc_port *at = port_of_service(subnet, &sa->services[i]);

			if (!is_repeated(sa, i))
				places = sink_text(out, "%s%s%s", places, *places ? ", " : "",
				                   at ? port_text(out, at)
				                      : gid_text(out, &sa->services[i]));
		}
		sink_fabric(out, "%s%zu aggregation managers are registered for SHARP: %s",
		            subnet_intro(out, subnet), n, places);
		sink_advise(out,
		            "Stop all but the one on the host of the master subnet manager. After "
		            "a handover the record of the last one stays until its lease ends.");
		sink_fact(out, "kind", ibc_str("several"));
		sink_fact(out, "managers", ibc_u64(n));
		for (size_t i = 0; i < sa->num_services; i++)
			if (!is_repeated(sa, i) && port_of_service(subnet, &sa->services[i]))
				sink_relate(out, IBC_ROLE_FOUND,
				            port_of_service(subnet, &sa->services[i]));
		return;
	}
	evaluate_place(in, out, subnet, &sa->services[0]);
	if (!ibc_attrs_has(sa->cut_short, IBC_ATTR_SERVICE_RECORD))
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out, "%sonly %zu of the records of SHARP's aggregation managers arrived",
	            subnet_intro(out, subnet), sa->num_services);
	sink_advise(out, "Run this again; see all of them with \"saquery -x SR\".");
	sink_fact(out, "kind", ibc_str("several"));
}

static void check_manager(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_node *node;
	bool expected = is_expected(in);

	for (size_t i = 0; (subnet = ibc_fabric_subnet(in->fabric, i)); i++) {
		bool known = services_are_known(subnet);
		size_t nodes = 0;
		/* that nothing at all answers there is sm.sa-silent */
		bool silent = subnet->origin &&
		              ibc_port_unanswered(subnet->origin, IBC_ATTR_SA_CLASS_PORT_INFO) &&
		              sink_explained_by(out, "sm.sa-silent");

		for (size_t k = 0; (node = ibc_fabric_node(in->fabric, k)); k++)
			nodes += node->subnet == subnet && node_is_aggregator(node);
		if (known && subnet->sa->num_services)
			evaluate_managers(in, out, subnet);
		else if (!nodes && !expected) /* who has no SHARP need not hear of it */
			continue;
		else if (known) {
			if (!expected)
				sink_as(out, IBC_INFO);
			sink_fabric(out, "%sno aggregation manager is registered for SHARP; %s",
			            subnet_intro(out, subnet),
			            nodes ? sink_text(out, "%s not used",
			                              amount_text(out, nodes, "aggregation node"))
			                  : "no aggregation nodes were found");
			sink_advise(out, "%s",
			            expected
			                ? "Start sharp_am on the host of the master subnet "
			                  "manager, or see its log: it registers at subnet "
			                  "administration (SA) when it runs."
			                : "If jobs should use SHARP, start sharp_am on the host of "
			                  "the master subnet manager. Else nothing is wrong.");
			sink_fact(out, "kind", ibc_str("absent"));
			sink_fact(out, "aggregation_nodes", ibc_u64(nodes));
		} else if (!silent) {
			enum ibc_answer answer = subnet->origin
			                             ? ibc_port_answer(subnet->origin,
			                                               IBC_ATTR_SERVICE_RECORD)
			                             : IBC_NOT_ASKED;
			bool asked = answer != IBC_NOT_ASKED;

			sink_as(out, expected || asked ? IBC_UNKNOWN : IBC_INFO);
			sink_fabric(
			    out, "%sit is not known whether SHARP has an aggregation manager: %s",
			    subnet_intro(out, subnet),
			    !asked ? "the source contains no ServiceRecord"
			    : answer == IBC_REFUSED
				? "subnet administration (SA) refuses ServiceRecord"
				: "subnet administration (SA) does not answer ServiceRecord");
			sink_advise(out, "%s",
			            asked ? "See the log of the subnet manager, and run this again."
			                  : "Sweep the live fabric: ibcheck sm.");
			sink_fact(out, "kind", ibc_str("absent"));
			sink_fact(out, "aggregation_nodes", ibc_u64(nodes));
			if (asked)
				sink_unanswered(out, 1);
		}
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

/* PortInfo, which names the master, is always asked for; a file without it names none. */
const struct ibc_check ibc_checks_sharp[] = {
	CHECK("sharp.manager", "no aggregation manager (SHARP), a misplaced one, or several",
	      IBC_WARNING, check_manager, .absence = IBC_ABSENT_HERE,
	      .needs = IBC_ATTRS(IBC_ATTR_NODE_INFO, IBC_ATTR_NODE_DESC, IBC_ATTR_SERVICE_RECORD),
	      .vital = IBC_ATTRS(IBC_ATTR_SERVICE_RECORD), .expects = "aggregation managers",
	      .kinds = "{kind}", .words = "absent, place, several",
	      EXPLAINED_BY(BY("sm.sa-silent", IN_SUBNET))),
	{ 0 },
};
