/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SLURMCONF_H
#define SOURCE_SLURMCONF_H

/* What ibc_slurm_read() does with a file, of one that is open. */
#include <ibcheck/slurm.h>

struct text_file;

int slurm_read_text(struct text_file *text, struct ibc_slurm_file **out, struct ibc_error *err);

#endif
