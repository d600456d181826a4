/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of checks. */
#include <string.h>

#include "check/groups.h"

static const struct ibc_check *const groups[] = {
	ibc_checks_port,          ibc_checks_speed,        ibc_checks_cable,
	ibc_checks_silent,        ibc_checks_identity,     ibc_checks_odd,
	ibc_checks_counters,      ibc_checks_downs,        ibc_checks_upstream,
	ibc_checks_drops,         ibc_checks_congestion,   ibc_checks_samples,
	ibc_checks_unread,        ibc_checks_state,        ibc_checks_topo,
	ibc_checks_fattree,       ibc_checks_routes,       ibc_checks_routes_credit,
	ibc_checks_routes_spread, ibc_checks_routes_trees, ibc_checks_sm,
	ibc_checks_sm_sa,         ibc_checks_sm_lid,       ibc_checks_sm_pending,
	ibc_checks_sm_placement,  ibc_checks_sm_keys,      ibc_checks_diff,
	ibc_checks_host_port,     ibc_checks_host_verbs,   ibc_checks_host_stack,
	ibc_checks_host_pcie,     ibc_checks_host_gpu,     ibc_checks_host_errors,
	ibc_checks_ipoib,         ibc_checks_ipoib_config, ibc_checks_roce,
	ibc_checks_roce_pfc,      ibc_checks_roce_ecn,     ibc_checks_roce_pause,
	ibc_checks_roce_loss,
};

const struct ibc_check *ibc_check_at(size_t i)
{
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		for (const struct ibc_check *c = groups[g]; c->id; c++)
			if (i-- == 0)
				return c;
	}
	return NULL;
}

const struct ibc_check *ibc_check_find(const char *id)
{
	const struct ibc_check *c;

	for (size_t i = 0; (c = ibc_check_at(i)); i++)
		if (strcmp(c->id, id) == 0)
			return c;
	return NULL;
}

const char *ibc_check_explain(const struct ibc_check *check)
{
	const struct explanation *e = explanations;

	while (e->id && strcmp(e->id, check->id) != 0)
		e++;
	return e->id ? e->text : "";
}
