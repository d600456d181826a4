/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd.h"

/* struct slurm_cfg - options of topo that are those of slurm.c */
struct slurm_cfg {
	bool conf, partial;
	const char *check, *nodes, *rail;
	struct str_list skip;
};

struct topo_cfg {
	bool check;
	const char *write, *plan_csv;
	struct slurm_cfg slurm;
};
