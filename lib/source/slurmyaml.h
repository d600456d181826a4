/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SLURMYAML_H
#define SOURCE_SLURMYAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>

struct text_file;

/*
 * struct yaml_switch - an entry of "switches" in topology.yaml, valid during the call
 * @trouble: if not NULL, why there is none in this line; then the others are NULL
 * @nodes, @children: lists of names; NULL: not given
 */
struct yaml_switch {
	unsigned long number;
	const char *trouble, *name, *nodes, *children;
};

/* Do these bytes begin a sequence of YAML, which no topology.conf does? */
bool slurm_is_yaml(const uint8_t *bytes, size_t n);

/*
 * slurm_yaml_each() - the switches of the tree that is the default of the cluster, or else the
 * first
 *
 * Form: Slurm 25.05, topology.yaml(5): "- topology: NAME", "cluster_default", "tree", "switches".
 *
 * Return: 0, -EINVAL: no tree is in it, -ENOMEM, or as text_block().
 */
int slurm_yaml_each(struct text_file *text,
                    void (*take)(void *ctx, const struct yaml_switch *entry), void *ctx,
                    struct ibc_error *err);

#endif
