/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/* repair.c, for tests: ports that this thread has looked at, for what the steps of plans cut off.
 */
size_t repair_ports_looked_at(void);
