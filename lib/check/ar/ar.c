/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of adaptive routing, as the switches are set: all alike, on, and on the right SLs. */
#include "check/ar/ar.h"

#include <stdlib.h>

#include <ibcheck/routes.h>

#include "analysis/compare/peers.h"
#include "check/collect.h"
#include "check/groups.h"
#include "fabric/fabric.h"

#define SLS 16 /* service levels (IBA 7.6.5) */

/* All that some switch of a subnet routes adaptively. */
static uint16_t adaptive_sls(const struct ibc_fabric *fab, const struct ibc_subnet *subnet)
{
	const struct ibc_node *node;
	uint16_t sls = 0;

	for (size_t i = 0; (node = ibc_fabric_node(fab, i)); i++)
		if (node->subnet == subnet)
			sls |= ibc_node_adaptive_sls(node);
	return sls;
}

/* "0, 2-7"; "none" */
static const char *sls_text(struct ibc_sink *out, uint16_t sls)
{
	const char *text = "";

	for (unsigned int first = 0, last; first < SLS; first = last + 1) {
		last = first;
		if (!(sls >> first & 1))
			continue;
		while (last + 1 < SLS && sls >> (last + 1) & 1)
			last++;
		text = sink_text(out, last > first ? "%s%s%u-%u" : "%s%s%u", text,
		                 *text ? ", " : "", first, last);
	}
	return *text ? text : "none";
}

static bool is_capable(const struct ibc_node *node)
{
	return ibc_node_has(node, IBC_ATTR_AR_INFO) && node->ar->group_cap;
}

/* It is on, and its mask of SLs is empty. */
static bool is_on_for_none(const struct ibc_node *node)
{
	const uint32_t on = IBC_AR_ENABLED | IBC_AR_BY_SL;

	return is_capable(node) && (node->ar->flags & on) == on && !node->ar->sl_mask;
}

/* How many of a subnet are such; the first of them. */
static size_t count_such(const struct ibc_subnet *subnet, bool (*is_such)(const struct ibc_node *),
                         const struct ibc_node **first)
{
	const struct ibc_node *node;
	size_t n = 0;

	for (size_t i = 0; (node = ibc_fabric_node(subnet->fabric, i)); i++)
		if (node->subnet == subnet && is_such(node) && !n++)
			*first = node;
	return n;
}

/* ---- ar.mixed ------------------------------------------------------------------------------ */

static uint32_t sls_of(const struct ibc_node *node)
{
	return node->ar->flags & IBC_AR_BY_SL ? node->ar->sl_mask : UINT16_MAX;
}

static uint32_t transports_of(const struct ibc_node *node)
{
	return node->ar->transports_off;
}

/* What switches are compared in, that which makes all others moot first. */
static const struct setting {
	const char *name, *fact;
	uint32_t flag; /* 0: a number */
	uint32_t (*number)(const struct ibc_node *node);
} settings[] = {
	{ "adaptive routing", "enabled", IBC_AR_ENABLED, NULL },
	{ "the mask of SLs with adaptive routing", "sl_mask", 0, sls_of },
	{ "the mask of transports without adaptive routing", "transports_off", 0, transports_of },
	{ "fast recovery", "fast_recovery", IBC_AR_FR, NULL },
	{ "adaptive routing notification (ARN)", "arn", IBC_AR_ARN, NULL },
	{ "fault routing notification (FRN)", "frn", IBC_AR_FRN, NULL },
	{ "hash-based forwarding", "hash_based_forwarding", IBC_AR_HBF, NULL },
};

static uint32_t read_setting(const struct setting *s, const struct ibc_node *node)
{
	return s->flag ? !!(node->ar->flags & s->flag) : s->number(node);
}

static const char *setting_text(struct ibc_sink *out, const struct setting *s, uint32_t value)
{
	return s->flag ? value ? "on" : "off" : sink_text(out, "0x%x", value);
}

/*
 * What more than half of like switches have is usual; without such a value the greatest, which of
 * two is "on".  Of a switch the first setting in which it differs: one that is off has no other.
 */
static void compare_like(const struct ibc_input *in, struct ibc_sink *out, struct peer *like,
                         size_t n)
{
	bool *reported = sink_array(out, ibc_fabric_count(in->fabric).nodes, sizeof(*reported));

	for (size_t s = 0; s < ARRAY_SIZE(settings); s++) {
		struct peer_group g = { .few = 1 };

		for (size_t i = 0; i < n; i++)
			like[i].value = read_setting(&settings[s],
			                             ibc_fabric_node(in->fabric, like[i].row));
		peers_sort(like, n);
		while (peers_next(like, n, &g)) {
			if (2 * g.count <= g.num) {
				g.norm = g.peers[g.num - 1].value;
				g.count = 0;
				for (size_t i = 0; i < g.num; i++)
					g.count += g.peers[i].value == g.norm;
			}
			for (size_t i = 0; i < g.num; i++) {
				size_t row = g.peers[i].row;
				const struct ibc_node *node = ibc_fabric_node(in->fabric, row);
				uint32_t value = read_setting(&settings[s], node);

				if (reported[row] || g.peers[i].value == g.norm)
					continue;
				reported[row] = true;
				sink_node(out, node,
				          "has %s %s; %zu of %zu such switches have it %s",
				          settings[s].name, setting_text(out, &settings[s], value),
				          g.count, g.num,
				          setting_text(out, &settings[s], (uint32_t)g.norm));
				sink_advise(out, "The subnet manager sets this: see its log for "
				                 "this switch, and trigger a heavy sweep (SIGHUP). "
				                 "If it stays so, compare the firmware.");
				sink_fact(out, "setting", ibc_str(settings[s].fact));
				sink_fact(out, "value", ibc_u64(value));
				sink_fact(out, "usual", ibc_u64(g.norm));
				sink_fact(out, "alike", ibc_u64(g.count));
				sink_fact(out, "firmware", ibc_str(node->firmware));
			}
		}
	}
}

static void check_mixed(const struct ibc_input *in, struct ibc_sink *out)
{
	struct peer *like = sink_array(out, 2 * ibc_fabric_count(in->fabric).switches,
	                               sizeof(*like));
	struct peer *leaves = like + ibc_fabric_count(in->fabric).switches;
	const struct ibc_node *node;
	size_t n = 0, num_leaves = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		struct peer peer = { .subnet = node->subnet->index,
			             .class = device_type(node),
			             .row = i };
		bool is_set_up = false; /* by a manager: some link of it carries data */
		const struct ibc_port *p;

		for (unsigned int num = 1; (p = ibc_node_port(node, num)); num++)
			is_set_up |= p->peer && p->state == IBC_STATE_ACTIVE;
		if (is_capable(node) && is_set_up)
			*(has_ca(node) ? &leaves[num_leaves++] : &like[n++]) = peer;
	}
	compare_like(in, out, like, n);
	compare_like(in, out, leaves, num_leaves);
	report_unanswered_nodes(
	    in, out, IBC_ATTR_AR_INFO, "switches", "does not report whether it routes adaptively",
	    "Routes of the linear forwarding tables may hold for UD and IPoIB only. "
	    "Sweep again; if the switch stays silent, compare its firmware.");
}

/* ---- ar.off -------------------------------------------------------------------------------- */

static void check_off(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;
	const struct ibc_node *first;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
		size_t n = count_such(subnet, is_capable, &first);
		const struct ibc_bandwidth *b = NULL;

		/* what is on for no SL ar.sl reports */
		if (!n || count_such(subnet, is_on_for_none, &first) ||
		    adaptive_sls(in->fabric, subnet))
			continue;
		for (size_t i = 0; in->routes && (b = ibc_routes_bandwidth(in->routes, i)); i++)
			if (b->subnet == subnet && b->bisections)
				break;
		sink_fabric(out, "%sadaptive routing is off, and %zu switch%s can do it%s",
		            subnet_intro(out, subnet), n, n == 1 ? "" : "es",
		            b ? sink_text(out,
		                          ": the effective bisection bandwidth is that of static "
		                          "routes, %.1f %%",
		                          100 * b->mean)
		              : "");
		sink_advise(out, "If this is not intended, choose a routing engine of the subnet "
		                 "manager that sets it up, such as ar_updn. OpenSM as "
		                 "distributions have it has none.");
		sink_fact(out, "switches", ibc_u64(n));
	}
}

/* ---- ar.sl --------------------------------------------------------------------------------- */

static void report_paths(const struct ibc_input *in, struct ibc_sink *out,
                         const struct ibc_subnet *subnet)
{
	const struct ibc_node *node, *first = NULL;
	uint16_t sls, used = 0;
	size_t n = 0;

	/* service levels of the paths; SL 0, which programs take, if none are known */
	for (size_t i = 0; subnet->sa && i < subnet->sa->num_paths; i++)
		used |= (uint16_t)(1u << subnet->sa->paths[i].sl % SLS);
	used = used ? used : 1;
	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		sls = node->subnet == subnet ? ibc_node_adaptive_sls(node) : 0;
		if (!sls || ((sls & used) && !(used & ~sls & 1)))
			continue;
		first = first ? first : node;
		n++;
	}
	if (!first)
		return;
	sls = ibc_node_adaptive_sls(first);
	sink_node(out, first, "routes adaptively on SLs %s, and paths use %s%s", sls_text(out, sls),
	          sls_text(out, used), n > 1 ? sink_text(out, "; %zu switches do so", n) : "");
	sink_advise(out, "Have programs use such an SL (NCCL_IB_SL, UCX_IB_SL), or enable SL 0 for "
	                 "adaptive routing in the subnet manager (ar_sl_mask).");
	sink_fact(out, "sl_mask", ibc_u64(sls));
	sink_fact(out, "path_sls", ibc_u64(used));
	sink_fact(out, "switches", ibc_u64(n));
}

/* HCAs whose ports take packets out of order on other service levels than switches send so. */
static void report_hcas(const struct ibc_input *in, struct ibc_sink *out,
                        const struct ibc_subnet *subnet, uint16_t sls)
{
	const struct ibc_node *node, *first = NULL;
	size_t n = 0, known = 0;
	uint16_t mask = 0;

	for (size_t i = 0; (node = ibc_fabric_node(in->fabric, i)); i++) {
		int64_t ooo = node->subnet == subnet ? out_of_order_sls(node) : 0;

		if (ooo <= 0) /* 0 is a matter of ar.hca */
			continue;
		known++;
		if (ooo == sls)
			continue;
		if (!n++) {
			first = node;
			mask = (uint16_t)ooo;
		}
	}
	if (!first)
		return;
	sink_node(out, first,
	          "accepts packets out of order on SLs %s, and switches route adaptively on %s%s",
	          sls_text(out, mask), sls_text(out, sls),
	          n > 1 ? sink_text(out, "; so it is with %zu of %zu HCAs", n, known) : "");
	sink_advise(out,
	            "The subnet manager sets both: trigger a heavy sweep (SIGHUP), and compare "
	            "the firmware of these HCAs with that of others.");
	sink_fact(out, "ooo_sl_mask", ibc_u64(mask));
	sink_fact(out, "sl_mask", ibc_u64(sls));
	sink_fact(out, "hcas", ibc_u64(n));
}

static void check_sl(const struct ibc_input *in, struct ibc_sink *out)
{
	const struct ibc_subnet *subnet;

	for (size_t s = 0; (subnet = ibc_fabric_subnet(in->fabric, s)); s++) {
		const uint16_t sls = adaptive_sls(in->fabric, subnet);
		const struct ibc_node *first;
		size_t n = count_such(subnet, is_on_for_none, &first);

		if (n) {
			sink_node(out, first,
			          "has adaptive routing on, but for no SL (EnableBySLMask 0)%s",
			          n > 1 ? sink_text(out, "; %zu switches have it so", n) : "");
			sink_advise(out, "Enable the SLs that programs use, mostly SL 0, for "
			                 "adaptive routing in the subnet manager (ar_sl_mask).");
			sink_fact(out, "sl_mask", ibc_u64(0));
			sink_fact(out, "switches", ibc_u64(n));
		}
		if (!sls)
			continue;
		report_paths(in, out, subnet);
		report_hcas(in, out, subnet, sls);
	}
}

/* ---- the table ----------------------------------------------------------------------------- */

#define NEEDS .needs = IBC_ATTRS(IBC_ATTR_AR_INFO), .inputs = IBC_IN_ADAPTIVE

const struct ibc_check ibc_checks_ar[] = {
	CHECK("ar.mixed", "switches with other settings of adaptive routing than most", IBC_WARNING,
	      check_mixed, NEEDS, .absence = IBC_ABSENT_HERE,
	      .many = "switches|have other settings of adaptive routing than most", .together = ""),
	CHECK("ar.off", "adaptive routing that no switch uses", IBC_INFO, check_off, NEEDS,
	      .absence = IBC_ABSENT_HERE),
	CHECK("ar.sl", "service levels without adaptive routing that programs use", IBC_WARNING,
	      check_sl, NEEDS, .absence = IBC_ABSENT_HERE),
	{ 0 },
};
