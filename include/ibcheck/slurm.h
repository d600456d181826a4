/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IBCHECK_SLURM_H
#define IBCHECK_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>
#include <ibcheck/fattree.h>

#pragma GCC visibility push(default)

/**
 * DOC: the tree of switches that Slurm is to know
 *
 * Slurm (topology/tree) wants each node below one switch, and each switch below one other.
 * Cables form no such tree: here a leaf is a line, or leaves that serve the same hosts by
 * other rails are; above them is what hangs together without the tiers further up (pods),
 * and on top one root for all that has any way between it.
 */
struct ibc_slurm;

/**
 * struct ibc_slurm_opts - what of the fabric counts; all zero: everything
 * @nodes: the hosts that Slurm knows; NULL: all
 * @rail: ports of hosts: "mlx5_0", of port 2 "mlx5_0/2"; NULL: all
 * @skip: switches of this name, as fnmatch(3) has it, are no leaves
 */
struct ibc_slurm_opts {
	const char *const *nodes;
	size_t num_nodes;
	const char *rail;
	const char *const *skip;
	size_t num_skip;
};

/**
 * struct ibc_slurm_switch - a line of topology.conf
 * @name: unique, of letters, digits, ".", "_" and "-", 63 at most
 * @tier: 0: a leaf
 * @up: NULL: it is a root
 * @switches: of a leaf: those of the fabric that it is made of, by what they are called
 * @children: names, in order: of hosts, above a leaf of switches
 */
struct ibc_slurm_switch {
	const char *name;
	unsigned int tier;
	const struct ibc_slurm_switch *up;
	const struct ibc_node *const *switches;
	size_t num_switches;
	const char *const *children;
	size_t num_children;
};

/**
 * struct ibc_slurm_host - a host that is cabled
 * @name: as Slurm has it, if it is known what Slurm has
 * @leaf: the line it is in
 * @ports: its own that count, each cabled to a switch; in the order of their rails
 * @split: other ports of it are on leaves of another line
 */
struct ibc_slurm_host {
	const char *name;
	const struct ibc_slurm_switch *leaf;
	const struct ibc_port *const *ports;
	size_t num_ports;
	bool split;
};

/**
 * ibc_slurm_make() - the tree of a fabric
 * @tree: what was inferred of it
 * @out: borrows from the fabric; to be freed with ibc_slurm_free()
 *
 * A fabric that is no fat-tree has leaves and a root, and nothing between.  Without a host on
 * a switch there is no line.
 *
 * Return: 0, or -ENOMEM.
 */
int ibc_slurm_make(const struct ibc_fattree *tree, const struct ibc_slurm_opts *opts,
                   struct ibc_slurm **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_slurm_free(struct ibc_slurm *slurm);

/* Walk the lines, leaves first, then tier by tier; NULL past the last one. */
const struct ibc_slurm_switch *ibc_slurm_switch(const struct ibc_slurm *slurm, size_t i);
/* In the order of strverscmp(3). */
const struct ibc_slurm_host *ibc_slurm_host(const struct ibc_slurm *slurm, size_t i);
/* NULL: it is not cabled to a leaf that counts. */
const struct ibc_slurm_host *ibc_slurm_host_by_name(const struct ibc_slurm *slurm,
                                                    const char *name);
/* Hosts that Slurm knows, of which no port that counts is cabled to a leaf. */
const char *const *ibc_slurm_missing(const struct ibc_slurm *slurm, size_t *n);
/* Is it one that Slurm knows?  True without a list of nodes. */
bool ibc_slurm_knows(const struct ibc_slurm *slurm, const char *name);
/* Ports of adapters whose description names no host that Slurm could know, NULL past the last. */
const struct ibc_port *ibc_slurm_nameless(const struct ibc_slurm *slurm, size_t i);
/* "mlx5_0", of another port than the first "mlx5_0/2"; "" where the adapter has no such name. */
#define IBC_RAIL_TEXT 72 /* a NodeDescription, and a port */
const char *ibc_slurm_rail(const struct ibc_port *port, char text[IBC_RAIL_TEXT]);

/* ---- a file ----------------------------------------------------------------- */

/**
 * struct ibc_slurm_line - a switch that a file defines
 * @file, @number: where
 * @nodes, @switches: one of the two has names, each once
 */
struct ibc_slurm_line {
	const char *name, *file;
	unsigned long number;
	const char *const *nodes, *const *switches;
	size_t num_nodes, num_switches;
};

/* struct ibc_slurm_fault - what slurmctld does not read, or reads otherwise than it is meant */
struct ibc_slurm_fault {
	const char *file, *text;
	unsigned long number;
};

/**
 * struct ibc_slurm_file - a topology.conf
 * @path: as it was named
 */
struct ibc_slurm_file {
	const char *path;
	const struct ibc_slurm_line *lines;
	size_t num_lines;
	const struct ibc_slurm_fault *faults;
	size_t num_faults;
};

/**
 * ibc_slurm_read() - read a topology.conf
 * @path: includes, continued lines, comments and quotes as slurmctld reads them
 * @out: to be freed with ibc_slurm_file_free()
 *
 * What is wrong in the file is no error but in @out.
 *
 * Return: 0; -ENOMEM; -EINVAL: it is no text; what the system said.
 */
int ibc_slurm_read(const char *path, struct ibc_slurm_file **out, struct ibc_error *err);
/* NULL has no effect. */
void ibc_slurm_file_free(struct ibc_slurm_file *file);

#pragma GCC visibility pop

#endif
