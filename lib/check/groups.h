/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_GROUPS_H
#define CHECK_GROUPS_H

#include <ibcheck/check.h>

/* One array a file of checks, ended by an element without id. */
extern const struct ibc_check ibc_checks_port[];

#endif
