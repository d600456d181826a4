/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_SLURM_H
#define CHECK_SLURM_H

/* A topology.conf beside the cabling: slurm_view.c, for slurm.c and slurm_leaf.c. */
#include <ibcheck/slurm.h>

#include "check/sink.h"

/* struct slurm_entry - a name, and the line that defines it, or has it as a node */
struct slurm_entry {
	const char *name;
	size_t line;
};

/*
 * struct slurm_view - what the checks have in common
 * @names: the switches of the file, in the order of strcmp(3), also more than once
 * @hosts: the nodes, likewise
 * @up: by line: the first that has it in its Switches, from 1; 0: none
 * @ring: by line: it is above itself, or above one that is
 * @num_undefined: names in Switches that no line defines
 */
struct slurm_view {
	struct ibc_sink *out;
	const struct ibc_slurm *slurm;
	const struct ibc_slurm_file *file;
	struct slurm_entry *names, *hosts;
	size_t num_names, num_hosts;
	size_t *up;
	bool *ring;
	size_t num_ring, num_undefined;
};

/* False: no memory. */
bool slurm_view_new(const struct ibc_input *in, struct ibc_sink *out, struct slurm_view *v);
/* The line that defines a switch; NULL: none. */
const struct ibc_slurm_line *slurm_line(const struct slurm_view *v, const char *name);
/* The number of the line that has a node; SIZE_MAX: none. */
size_t slurm_line_of_host(const struct slurm_view *v, const char *host);
/* "leaf01 (line 12)", in an included file "leaf01 (racks.conf, line 12)" */
const char *slurm_line_text(const struct slurm_view *v, const struct ibc_slurm_line *line);
/* "host[01-04]": at most as much as a sentence holds */
const char *slurm_hosts_text(struct ibc_sink *out, const char *const *names, size_t n);
/* A finding about a place in the file; 0: about the file. */
void slurm_finding(const struct slurm_view *v, const char *file, unsigned long number,
                   const char *message, ...) __attribute__((format(printf, 4, 5)));

void check_slurm_leaf(const struct ibc_input *in, struct ibc_sink *out);

#endif
