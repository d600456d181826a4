/* SPDX-License-Identifier: BSD-2-Clause */
/* Which traffic goes by the LinearForwardingTables, where switches route adaptively. */
#include "fabric/fabric.h"

#define ALL_SLS   0xffff /* service levels 0 .. 15 */
#define CONNECTED (IBC_AR_RC | IBC_AR_DC)

uint16_t ibc_node_adaptive_sls(const struct ibc_node *node)
{
	const struct ibc_ar_info *ar = node->ar;

	if (!ar || !(ar->flags & IBC_AR_ENABLED) || !ar->group_cap ||
	    (ar->transports_off & CONNECTED) == CONNECTED)
		return 0;
	return ar->flags & IBC_AR_BY_SL ? ar->sl_mask : ALL_SLS;
}

void fabric_settle_traffic(struct ibc_fabric *fab)
{
	for (size_t i = 0; i < fab->num_subnets; i++)
		fab->subnets[i]->subnet.static_traffic = IBC_TRAFFIC_ALL;
	for (size_t i = 0; i < fab->num_nodes; i++) {
		const struct ibc_node *node = &fab->nodes[i]->node;
		uint8_t *traffic = &fab->subnets[node->subnet->index]->subnet.static_traffic;
		uint16_t sls = ibc_node_adaptive_sls(node);
		enum ibc_answer answer = ibc_node_answer(node, IBC_ATTR_AR_INFO);
		bool has_none = answer == IBC_UNSUPPORTED &&
		                !ibc_node_unanswered(node, IBC_ATTR_GENERAL_INFO_SMP);

		if (node->type != IBC_NODE_SWITCH)
			continue;
		if (sls && sls != ALL_SLS)
			*traffic = IBC_TRAFFIC_UD_OR_SLS;
		else if (sls && *traffic != IBC_TRAFFIC_UD_OR_SLS)
			*traffic = IBC_TRAFFIC_UD;
		else if (answer != IBC_ANSWERED && !has_none && *traffic == IBC_TRAFFIC_ALL)
			*traffic = IBC_TRAFFIC_UNKNOWN;
	}
	for (size_t i = 0; i < fab->num_subnets; i++) {
		struct ibc_subnet *subnet = &fab->subnets[i]->subnet;
		const struct ibc_forwarding *lft = subnet->forwarding;

		/* a manager writes groups where switches are to choose */
		if (subnet->static_traffic == IBC_TRAFFIC_UNKNOWN && lft && lft->ar)
			for (size_t s = 0; s < lft->num_switches; s++)
				if (lft->ar->switches[s].num_groups)
					subnet->static_traffic = IBC_TRAFFIC_UD;
	}
}

bool subnet_is_adaptive(const struct ibc_subnet *subnet)
{
	return subnet->static_traffic == IBC_TRAFFIC_UD ||
	       subnet->static_traffic == IBC_TRAFFIC_UD_OR_SLS;
}

const struct ibc_word *ibc_traffic_word(enum ibc_traffic traffic)
{
	static const struct ibc_word words[] = {
		[IBC_TRAFFIC_UNKNOWN] = { "unknown", "unknown" },
		[IBC_TRAFFIC_ALL] = { "all", "all" },
		[IBC_TRAFFIC_UD] = { "ud_ipoib", "UD and IPoIB only" },
		[IBC_TRAFFIC_UD_OR_SLS] = { "ud_ipoib_other_sls",
		                            "UD, IPoIB and SLs without adaptive routing only" },
	};

	return &words[traffic];
}
