/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what the subnet manager gave to the ports: LIDs, and where it is itself. */
#include <stdlib.h>

#include "base/array.h"
#include "check/collect.h"
#include "check/groups.h"

#define UNICAST_LIDS 0xc000 /* LIDs from here on are multicast (IBA 4.1) */
#define SINGLE_MAX   4      /* more LIDs than this are one finding */

/* A port that the manager of this subnet has configured, and that has LIDs of its own. */
static bool is_configured(const struct ibc_port *p)
{
	bool of_switch = p->node->type == IBC_NODE_SWITCH;

	return ibc_port_has(p, IBC_ATTR_PORT_INFO) && of_switch == (p->num == 0) &&
	       p->state >= IBC_STATE_ARMED && ibc_port_is_here(p);
}

static unsigned int last_lid(const struct ibc_port *p)
{
	return p->lid + (1u << p->lmc) - 1;
}

/* ---- sm.lid: one port ---------------------------------------------------------------- */

/* Is it one that a port can have? */
static bool evaluate_lid(struct ibc_sink *out, const struct ibc_port *p)
{
	if (p->lid == 0)
		sink_port(out, p, "is %s and has no LID", ibc_port_state_word(p->state)->name);
	else if (last_lid(p) >= UNICAST_LIDS)
		sink_port(out, p, "has LID %u%s, which is not a unicast LID: those end at %u",
		          p->lid, p->lmc ? sink_text(out, " to %u", last_lid(p)) : "",
		          UNICAST_LIDS - 1);
	else if (p->lid & ((1u << p->lmc) - 1))
		sink_port(out, p, "has LID %u and LMC %u: the base LID is not aligned to the LMC",
		          p->lid, p->lmc);
	else
		return true;
	sink_advise(out, "Make the subnet manager configure it again: take the link down and up, "
	                 "or restart opensm with reassigned LIDs (opensm -r).");
	sink_fact(out, "lid", ibc_u64(p->lid));
	sink_fact(out, "lmc", ibc_u64(p->lmc));
	return false;
}

/* ---- sm.lid: several ports of one LID ---------------------------------------------------- */

static int by_lid(const void *va, const void *vz)
{
	const struct ibc_port *a = *(const struct ibc_port *const *)va;
	const struct ibc_port *z = *(const struct ibc_port *const *)vz;

	return order_u64(a->lid, z->lid) ?: compare_ports(a, z);
}

/*
 * So many of the n, from the first, have ranges of LIDs that overlap, whichever of them begins
 * where; 1: none has any of the first.
 */
static size_t count_sharing(const struct ibc_port *const *ports, size_t n)
{
	unsigned int last = last_lid(ports[0]);
	size_t same = 1;

	for (; same < n && ports[same]->lid <= last; same++)
		if (last_lid(ports[same]) > last)
			last = last_lid(ports[same]);
	return same;
}

static const char shared_advice[] =
    "Packets for one port arrive at the other. Make the subnet manager assign new LIDs once "
    "(opensm -r). The cause is two masters, or two fabrics joined by a cable.";

static void check_lid(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_port **ports, *p;
	const struct ibc_subnet *subnet;

	ports = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*ports));
	for (size_t k = 0; (subnet = ibc_fabric_subnet(in->fabric, k)); k++) {
		bool unmanaged = subnet_is_unmanaged(in->fabric, subnet);
		size_t n = 0, shared = 0, same;

		for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
			if (p->node->subnet == subnet && is_configured(p) &&
			    !(unmanaged && p->num == 0 && p->lid == 0) && evaluate_lid(out, p))
				ports[n++] = p;
		qsort(ports, n, sizeof(*ports), by_lid);
		for (size_t i = 0; i < n; i += count_sharing(&ports[i], n - i))
			shared += count_sharing(&ports[i], n - i) > 1;
		if (shared > SINGLE_MAX) {
			/* of two subnets that were joined hardly a LID is not used twice */
			struct examples examples = { .count = 0 };

			for (size_t i = 0; i < n; i += same) {
				same = count_sharing(&ports[i], n - i);
				for (size_t m = i; same > 1 && m < i + same; m++)
					examples_add(&examples, ports[m]);
			}
			sink_fabric(
			    out,
			    "%s%zu LIDs are used by several ports each, e.g. %u by %s/%u and %s/%u",
			    subnet_intro(out, ports[0]->node->subnet), shared,
			    examples.ports[1]->lid, examples.ports[0]->node->label,
			    examples.ports[0]->num, examples.ports[1]->node->label,
			    examples.ports[1]->num);
			sink_advise(out, "%s", shared_advice);
			sink_fact(out, "lids", ibc_u64(shared));
			sink_fact(out, "ports", ibc_u64(examples.count));
			examples_relate(out, &examples);
			continue;
		}
		for (size_t i = 0; i < n; i += same) {
			const struct ibc_port *next;

			same = count_sharing(&ports[i], n - i);
			if (same == 1)
				continue;
			next = ports[i + 1];
			if (same == 2)
				sink_port(out, ports[i], "has LID %u, and so has %s/%u", next->lid,
				          next->node->label, next->num);
			else
				sink_port(out, ports[i],
				          "has LID %u, and so have %zu others, e.g. %s/%u",
				          next->lid, same - 1, next->node->label, next->num);
			sink_advise(out, "%s", shared_advice);
			sink_fact(out, "lid", ibc_u64(next->lid));
			sink_fact(out, "ports", ibc_u64(same));
			for (size_t m = 1; m < same && m <= RELATED_MAX; m++)
				sink_relate(out, IBC_ROLE_FOUND, ports[i + m]);
		}
	}
}

/* ---- sm.lid-disagrees ---------------------------------------------------------------------- */

/* What all ports of a subnet should have in common. */
static const struct aspect {
	const char *name, *key;
	enum { SM_LID, SM_SL, PREFIX } of;
} aspects[] = {
	{ "MasterSMLID", "sm_lid", SM_LID },
	{ "MasterSMSL", "sm_sl", SM_SL },
	{ "the subnet prefix", "subnet_prefix", PREFIX },
};

struct sm_view {
	uint64_t value;
	const struct ibc_port *port;
};

static int by_value(const void *va, const void *vz)
{
	const struct sm_view *a = va, *z = vz;

	return order_u64(a->value, z->value) ?: compare_ports(a->port, z->port);
}

static const char *aspect_value_text(struct ibc_sink *out, const struct aspect *aspect,
                                     uint64_t value)
{
	return sink_text(out, aspect->of == PREFIX ? "0x%016llx" : "%llu",
	                 (unsigned long long)value);
}

static size_t count_equal_views(const struct sm_view *views, size_t n)
{
	size_t same = 1;

	while (same < n && views[same].value == views->value)
		same++;
	return same;
}

/* The master that is at a LID, and says so itself; or NULL. */
static const struct ibc_port *master_at(const struct ibc_subnet *subnet, uint64_t lid)
{
	const struct ibc_port *port = ibc_fabric_port_by_lid(subnet, (unsigned int)lid);

	if (!port || !port->extra->sm || ibc_sm_state_now(port->extra->sm) != IBC_SM_MASTER)
		return NULL;
	return port;
}

/* Those that most ports of a subnet do not share. */
static void evaluate_views(struct ibc_sink *out, const struct aspect *aspect, struct sm_view *views,
                           size_t n)
{
	size_t most = 0, same;
	uint64_t usual = 0;
	const char *others;

	qsort(views, n, sizeof(*views), by_value);
	for (size_t i = 0; i < n; i += same) {
		same = count_equal_views(&views[i], n - i);
		if (same > most) {
			usual = views[i].value;
			most = same;
		}
	}
	others = aspect_value_text(out, aspect, usual);
	for (size_t i = 0; i < n; i += same) {
		const struct ibc_port *p = views[i].port, *master;
		const char *value = aspect_value_text(out, aspect, views[i].value);

		same = count_equal_views(&views[i], n - i);
		if (views[i].value == usual)
			continue;
		if (same == 1)
			sink_port(out, p, "has %s %s, the others have %s", aspect->name, value,
			          others);
		else
			sink_fabric(out,
			            "%s%zu ports have %s %s, the others have %s: %s/%u and so on",
			            subnet_intro(out, p->node->subnet), same, aspect->name, value,
			            others, p->node->label, p->num);
		master = aspect->of == SM_LID && master_at(p->node->subnet, usual)
		             ? master_at(p->node->subnet, views[i].value)
		             : NULL;
		if (master) {
			sink_advise(
			    out,
			    "%s/%u has that LID and is master as well (sm.multiple). Stop one of "
			    "the two, and trigger a heavy sweep of the other (SIGHUP to opensm).",
			    master->node->label, master->num);
			sink_relate(out, IBC_ROLE_CAUSE, master);
		} else {
			sink_advise(out, "A former master subnet manager wrote it. Trigger a heavy "
			                 "sweep of the master (SIGHUP to opensm). If it persists, "
			                 "see its log for these ports.");
		}
		sink_fact(out, "aspect", ibc_str(aspect->key));
		sink_fact(out, "ports", ibc_u64(same));
		sink_fact(out, "found", ibc_str(value));
		sink_fact(out, "usual", ibc_str(others));
		for (size_t k = 0; same > 1 && k < same && k < RELATED_MAX; k++)
			sink_relate(out, IBC_ROLE_FOUND, views[i + k].port);
	}
}

static void check_disagrees(const struct ibc_input *in, struct ibc_sink *out)
{
	struct sm_view *views = sink_array(out, ibc_fabric_count(in->fabric).ports, sizeof(*views));
	const struct ibc_subnet *subnet;
	const struct ibc_port *p;

	for (size_t k = 0; k < ARRAY_SIZE(aspects); k++)
		for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
			size_t n = 0;

			for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++)
				if (p->node->subnet == subnet && is_configured(p))
					views[n++] = (struct sm_view){ aspects[k].of == SM_LID
						                           ? p->sm_lid
						                       : aspects[k].of == SM_SL
						                           ? p->sm_sl
						                           : p->subnet_prefix,
						                       p };
			evaluate_views(out, &aspects[k], views, n);
		}
}

/* ---- the table ---------------------------------------------------------------------------- */

#define NEEDS IBC_ATTR_NODE_INFO, IBC_ATTR_PORT_INFO

const struct ibc_check ibc_checks_sm_lid[] = {
	CHECK("sm.lid-disagrees", "ports that name another master subnet manager", IBC_WARNING,
	      check_disagrees, .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS),
	      .kinds = "{aspect}", EXPLAINED_BY(BY_MANAGER)),
	CHECK("sm.lid", "LIDs that are missing, used twice or impossible", IBC_CRITICAL, check_lid,
	      .absence = IBC_ABSENT_HERE, .needs = IBC_ATTRS(NEEDS), EXPLAINED_BY(BY_MANAGER),
	      .many = "ports|have no LID of their own"),
	{ 0 },
};
