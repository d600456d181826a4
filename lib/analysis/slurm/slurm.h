/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The insides of a tree for Slurm: hosts.c finds which hosts count and what they hang on,
 * leaves.c which leaves are one line, pods.c what is above them, names.c what all is called.
 * All memory is that of arenas with an escape.
 */
#include <ibcheck/slurm.h>

#include "analysis/tree/overlap.h"
#include "analysis/tree/wiring.h"

/* What names may be made of that Slurm takes; "#" begins a comment, "," and "[" a list. */
#define SLURM_NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* struct slurm_node - a host that Slurm knows */
struct slurm_node {
	const char *name;
	bool found;
};

/*
 * struct ibc_slurm - the whole
 * @nodes: what Slurm knows, by name, if @knows_nodes
 * @lines: leaves first; room for all
 */
struct ibc_slurm {
	struct arena *arena;
	struct slurm_node *nodes;
	size_t num_nodes;
	bool knows_nodes;
	struct ibc_slurm_switch *lines;
	size_t num_lines, num_leaves;
	struct ibc_slurm_host *hosts;
	size_t num_hosts;
	const char **missing;
	size_t num_missing;
	const struct ibc_port **nameless;
	size_t num_nameless, nameless_room;
};

/* struct slurm_work - while it is made; @sets: of switches: those of one leaf are one */
struct slurm_work {
	const struct ibc_fattree *tree;
	const struct ibc_slurm_opts *opts;
	struct ibc_slurm *out;
	struct arena *tmp;
	struct sets sets;
};

/* The steps, in their order. */
void slurm_hosts(struct slurm_work *w);
void slurm_leaves(struct slurm_work *w);
void slurm_pods(struct slurm_work *w);
void slurm_names(struct slurm_work *w);
