/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands.  They are handed it: none of them looks into this file. */
#include "cmd.h"

extern const struct cmd cmd_all, cmd_ports, cmd_counters, cmd_topo, cmd_fattree, cmd_routes, cmd_sm,
    cmd_snapshot, cmd_diff, cmd_host, cmd_ipoib, cmd_roce, cmd_checks, cmd_explain;

const struct cmd *const all_commands[] = {
	&cmd_all,      &cmd_ports, &cmd_counters, &cmd_topo,    &cmd_fattree,
	&cmd_routes,   &cmd_sm,    &cmd_host,     &cmd_ipoib,   &cmd_roce,
	&cmd_snapshot, &cmd_diff,  &cmd_checks,   &cmd_explain, NULL,
};
