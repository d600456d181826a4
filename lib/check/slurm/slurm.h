/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A topology.conf beside the cabling: view.c, for slurm.c and
 * leaf.c. */
#include <ibcheck/slurm.h>

#include "check/sink.h"

/* struct slurm_entry - a name, and the line that defines it, or has it as a node */
struct slurm_entry {
	const char *name;
	size_t line;
};

/*
 * struct slurm_view - what the checks have in common; without a file only the first three
 * @names: the switches of the file, in the order of strcmp(3); of one that is defined again the
 *	first line
 * @hosts: the nodes, likewise, each once a line
 * @up: by line: the first that has it in its Switches, from 1; 0: none
 * @ring: lines that are each below the one before, and the first below the last
 * @num_undefined: names in Switches that no line defines
 */
struct slurm_view {
	struct ibc_sink *out;
	const struct ibc_slurm *slurm;
	const struct ibc_slurm_file *file;
	struct slurm_entry *names, *hosts;
	size_t num_names, num_hosts;
	size_t *up, *ring;
	size_t num_ring, num_undefined;
};

struct slurm_view slurm_view(const struct ibc_input *in, struct ibc_sink *out);
/* The line that defines a switch; NULL: none. */
const struct ibc_slurm_line *slurm_line(const struct slurm_view *v, const char *name);
/* "leaf01 (line 12)", in an included file "leaf01 (racks.conf, line 12)" */
const char *slurm_line_text(const struct slurm_view *v, const struct ibc_slurm_line *line);
/* A finding of a kind, about a place in the file; 0: about the file. */
void slurm_finding(const struct slurm_view *v, const char *kind, const char *file,
                   unsigned long number, const char *message, ...)
    __attribute__((format(printf, 5, 6)));

/* leaf.c */
void check_slurm_leaf(const struct ibc_input *in, struct ibc_sink *out);
void check_slurm_roots(const struct slurm_view *v);
