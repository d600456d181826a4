/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_GROUPS_H
#define CHECK_GROUPS_H

#include <ibcheck/check.h>

/* One array a file of checks, ended by an element without id. */
extern const struct ibc_check ibc_checks_port[];
extern const struct ibc_check ibc_checks_speed[];
extern const struct ibc_check ibc_checks_cable[];
extern const struct ibc_check ibc_checks_silent[];
extern const struct ibc_check ibc_checks_identity[];
extern const struct ibc_check ibc_checks_odd[];
extern const struct ibc_check ibc_checks_state[];
extern const struct ibc_check ibc_checks_counters[];
extern const struct ibc_check ibc_checks_downs[];
extern const struct ibc_check ibc_checks_upstream[];
extern const struct ibc_check ibc_checks_drops[];
extern const struct ibc_check ibc_checks_congestion[];
extern const struct ibc_check ibc_checks_samples[];
extern const struct ibc_check ibc_checks_unread[];
extern const struct ibc_check ibc_checks_ipoib[];
extern const struct ibc_check ibc_checks_ipoib_config[];
extern const struct ibc_check ibc_checks_topo[];
extern const struct ibc_check ibc_checks_fattree[];
extern const struct ibc_check ibc_checks_routes[];
extern const struct ibc_check ibc_checks_routes_credit[];
extern const struct ibc_check ibc_checks_routes_spread[];
extern const struct ibc_check ibc_checks_routes_trees[];
extern const struct ibc_check ibc_checks_sm[];
extern const struct ibc_check ibc_checks_sm_sa[];
extern const struct ibc_check ibc_checks_sm_lid[];
extern const struct ibc_check ibc_checks_sm_pending[];
extern const struct ibc_check ibc_checks_sm_placement[];
extern const struct ibc_check ibc_checks_sm_keys[];
extern const struct ibc_check ibc_checks_diff[];
extern const struct ibc_check ibc_checks_host_port[];
extern const struct ibc_check ibc_checks_host_verbs[];
extern const struct ibc_check ibc_checks_host_stack[];
extern const struct ibc_check ibc_checks_host_pcie[];
extern const struct ibc_check ibc_checks_host_gpu[];
extern const struct ibc_check ibc_checks_host_errors[];
extern const struct ibc_check ibc_checks_roce[];
extern const struct ibc_check ibc_checks_roce_pfc[];
extern const struct ibc_check ibc_checks_roce_ecn[];
extern const struct ibc_check ibc_checks_roce_pause[];
extern const struct ibc_check ibc_checks_roce_loss[];

/* The texts of explain/, made a table by the build; ended by an element without id. */
extern const struct explanation {
	const char *id, *text;
} explanations[];

/* selection.c: fail() with -EINVAL: nothing is called so; names what comes near. */
int no_such_check(const char *word, size_t length, struct ibc_error *err);

#endif
