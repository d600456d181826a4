/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_VERBS_H
#define HOST_VERBS_H

/* Where libibverbs is to be found, and what it loads. */
#include <stddef.h>

struct proc_reader;

/* Where systems have their libraries; NULL past the last one. */
const char *verbs_place(size_t i);
/* What its libibverbs would load for the process that is read. */
void read_verbs(struct proc_reader *r);

#endif
