/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What ibc_slurm_read() does with a file, of one that is open. */
#include <ibcheck/slurm.h>

struct text_file;

int slurm_read_text(struct text_file *text, struct ibc_slurm_file **out, struct ibc_error *err);
