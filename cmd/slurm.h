/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The tree of switches for Slurm: written, compared with what Slurm has, and as labels. */
#include "cmd.h"

/* struct slurm_cfg - options of topo */
struct slurm_cfg {
	bool conf, partial;
	const char *check, *nodes, *rail;
	struct str_list skip;
};

/* Is it what topo is asked for? */
bool slurm_wanted(const struct slurm_cfg *c);
/* Options that nothing else needs, without it; or both at once. */
int slurm_refuse(const struct slurm_cfg *c, struct ibc_error *err);
/* Sweeps, makes the tree, and checks. */
int slurm_run(struct app *app, const struct slurm_cfg *c, struct ibc_error *err);
/* Writes the file, if that was asked for; the report is out by then. */
int slurm_write(struct app *app, const struct slurm_cfg *c, struct ibc_error *err);

/* A row for each host and rail, of the whole fabric unless the command has made less. */
extern const struct ibc_table_type labels_type;
int labels_table(struct app *app, struct ibc_error *err);
