/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of how ports share their links between virtual lanes. */
#include <stdlib.h>

#include "check/collect.h"
#include "check/groups.h"
#include "check/qos/qos.h"

/* ---- weights ------------------------------------------------------------------------------ */

/* Lanes that have a turn: the set of 1 << VL with a weight in either table. */
static uint16_t weighted(const struct ibc_arbitration *a)
{
	unsigned int set = 0;

	for (unsigned int i = 0; i < a->num_high + a->num_low; i++)
		if (a->slots[i].weight)
			set |= 1u << (a->slots[i].vl & 15);
	return (uint16_t)set;
}

/* What a port reports is not what counts if by that it would send nothing at all. */
static bool has_no_weight(const struct ibc_port *port)
{
	return port->extra->arbitration && !weighted(port->extra->arbitration);
}

/* struct starved - a port, and the SLs whose packets never have a turn there */
struct starved {
	const struct ibc_port *port;
	uint16_t sls, vls;
	bool used; /* by a path, or a multicast group */
};

static bool find_starved(const struct ibc_port *port, uint16_t used, struct starved *s)
{
	uint16_t lanes[SLS], turns, data;

	if (!port->extra->arbitration || has_no_weight(port) || !lanes_beyond(port, lanes))
		return false;
	turns = weighted(port->extra->arbitration);
	data = (uint16_t)((1u << vls_count(port->vl_active)) - 1);
	*s = (struct starved){ .port = port };
	for (unsigned int pass = 0; pass < 2 && !s->sls; pass++) {
		s->used = pass == 0; /* those in use first: of others it is a note */
		for (unsigned int sl = 0; sl < SLS; sl++) {
			unsigned int none = lanes[sl] & data & ~turns;

			if (!none || (used >> sl & 1) != s->used)
				continue;
			s->sls |= (uint16_t)(1u << sl);
			s->vls |= (uint16_t)none;
		}
	}
	return s->sls;
}

static int by_cause(const struct starved *a, const struct starved *z)
{
	return order_u64(a->port->node->subnet->index, z->port->node->subnet->index)
	    ?: z->used - a->used ?: a->vls - z->vls ?: a->sls - z->sls;
}

static int by_cause_then_port(const void *va, const void *vz)
{
	const struct starved *a = va, *z = vz;

	return by_cause(a, z) ?: compare_ports(a->port, z->port);
}

/* ---- qos.arbitration ---------------------------------------------------------------------- */

/* One mistake in one file makes all of them: one finding. */
static void report_starved(struct ibc_sink *out, const struct levels *levels,
                           const struct starved *s, size_t n)
{
	const char *sls = levels_text(out, s->sls), *vls = levels_text(out, s->vls);
	const char *text = sink_text(
	    out, "weight 0 to VL%s %s, which packets of service level%s (SL) %s take: %s",
	    s->vls & (s->vls - 1) ? "s" : "", vls, s->sls & (s->sls - 1) ? "s" : "", sls,
	    s->used         ? "under load they wait until they are discarded"
	    : levels->known ? "no known path uses them now"
			    : "whether a path uses them is not known");
	struct examples examples = { .count = 0 };

	if (!s->used)
		sink_as(out, IBC_INFO);
	if (n == 1)
		sink_port(out, s->port, "gives %s", text);
	else
		sink_fabric(out, "%s%zu ports give %s", subnet_intro(out, s->port->node->subnet), n,
		            text);
	sink_advise(
	    out,
	    "In opensm.conf give each VL that qos_sl2vl names a weight in qos_vlarb_high or "
	    "qos_vlarb_low (and in those of qos_ca_ and qos_swe_), and restart opensm with -Q.%s",
	    s->used ? "" : " Or keep all programs from these SLs.");
	sink_fact(out, "sls", ibc_str(sls));
	sink_fact(out, "vls", ibc_str(vls));
	sink_fact(out, "ports", ibc_u64(n));
	for (size_t i = 0; n > 1 && i < n; i++)
		examples_add(&examples, s[i].port);
	examples_relate(out, &examples);
}

/* Ports of which a table was asked for in vain, or that have one without a weight. */
static void report_unjudged(const struct ibc_input *in, struct ibc_sink *out)
{
	struct examples silent = { .count = 0 }, blank = { .count = 0 };
	const struct ibc_port *p;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
		if (ibc_port_unanswered(p, IBC_ATTR_VL_ARBITRATION))
			examples_add(&silent, p);
		if (has_no_weight(p))
			examples_add(&blank, p);
	}
	if (blank.count) {
		sink_as(out, IBC_INFO);
		sink_fabric(
		    out,
		    "%zu port%s no weight at all in the VLArbitrationTable, and send%s all the "
		    "same: they share their links by other rules, which are not checked",
		    blank.count, blank.count == 1 ? " has" : "s have", blank.count == 1 ? "s" : "");
		examples_relate(out, &blank);
	}
	if (!silent.count)
		return;
	sink_as(out, IBC_UNKNOWN);
	sink_fabric(out,
	            "%zu port%s not report the VLArbitrationTable: whether a virtual lane (VL) "
	            "starves there is not known",
	            silent.count, silent.count == 1 ? " does" : "s do");
	sink_advise(
	    out,
	    "Check these devices. An M_Key can protect them: give the key with --key-files or -y.");
	sink_unanswered(out, silent.count);
	examples_relate(out, &silent);
}

/*
 * A port sends from its virtual lanes by the weights of two tables.  A lane with a weight in
 * neither never has its turn while others wait: its packets are discarded when their time is over.
 */
static void check_arbitration(const struct ibc_input *in, struct ibc_sink *out)
{
	struct starved *s = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*s));
	const struct levels *levels = levels_by_subnet(in, out);
	const struct ibc_port *p;
	size_t n = 0;

	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
		n += find_starved(p, levels[p->node->subnet->index].used, &s[n]);
	if (n)
		qsort(s, n, sizeof(*s), by_cause_then_port);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_cause(&s[i], &s[end]);)
			end++;
		report_starved(out, &levels[s[i].port->node->subnet->index], &s[i], end - i);
	}
	report_unjudged(in, out);
}

/* ---- qos.sl-spread ------------------------------------------------------------------------ */

/*
 * Are lanes set apart?  What devices come with, and what OpenSM writes unless it is
 * configured otherwise, gives all but VL 0 one weight, in one table.
 */
static bool sets_apart(const struct ibc_port *port)
{
	const struct ibc_arbitration *a = port->extra->arbitration;
	unsigned int sums[2][SLS] = { 0 }, lanes = vls_count(port->vl_active); /* by table, lane */

	if (!a || has_no_weight(port))
		return false;
	for (unsigned int i = 0; i < a->num_high + a->num_low; i++)
		sums[i < a->num_high][a->slots[i].vl & 15] += a->slots[i].weight;
	for (unsigned int vl = 2; vl < lanes; vl++)
		if (sums[0][vl] != sums[0][1] || sums[1][vl] != sums[1][1])
			return true;
	return false;
}

#define MOST_PERCENT 90 /* of ports: it is meant, not a slip; an estimate */

/* Shares that no path uses: QoS is configured, and has no effect. */
static void check_spread(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct levels *levels = levels_by_subnet(in, out);
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
		uint16_t used = levels[s].used;
		size_t apart = 0, all = 0;

		if (!levels[s].known || used & (used - 1))
			continue;
		for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
			all += p->node->subnet == subnet && p->extra->arbitration;
			apart += p->node->subnet == subnet && sets_apart(p);
		}
		if (!apart || 100 * apart < MOST_PERCENT * all)
			continue;
		sink_fabric(out,
		            "%sall known paths use service level (SL) %s, though the arbitration "
		            "tables of %zu of %zu ports give virtual lanes (VLs) different shares",
		            subnet_intro(out, subnet), levels_text(out, used), apart, all);
		sink_advise(out, "If traffic shall be kept apart, assign SLs in the QoS policy of "
		                 "the subnet manager (qos-policy.conf, with opensm -Q), or in the "
		                 "programs (NCCL_IB_SL, UCX_IB_SL).");
		sink_fact(out, "sl", ibc_str(levels_text(out, used)));
		sink_fact(out, "ports", ibc_u64(apart));
	}
}

/* ---- the table ---------------------------------------------------------------------------- */

const struct ibc_check ibc_checks_qos_arbitration[] = {
	CHECK("qos.arbitration", "virtual lanes (VLs) that never have their turn", IBC_WARNING,
	      check_arbitration,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_SL2VL, IBC_ATTR_HCA_SL2VL,
	                         IBC_ATTR_VL_ARBITRATION, IBC_ATTR_PATH_RECORD,
	                         IBC_ATTR_MC_MEMBER_RECORD),
	      EXPLAINED_BY(BY_MANAGER)),
	CHECK("qos.sl-spread", "shares of virtual lanes (VLs) that no path uses", IBC_INFO,
	      check_spread,
	      .needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_VL_ARBITRATION, IBC_ATTR_PATH_RECORD,
	                         IBC_ATTR_MC_MEMBER_RECORD),
	      .vital = IBC_ATTRS(IBC_ATTR_PATH_RECORD)),
	{ 0 },
};
