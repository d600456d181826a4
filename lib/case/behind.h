/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/things.h"

#define NO_GATE SIZE_MAX

/*
 * behind.c: by node: the last node before it that every way from the origin of its subnet
 * leads through; NO_GATE: there is none, or it is not reached.
 *
 * Ways are the cables that were seen and those that were planned.  One search in depth, O(ports).
 */
size_t *find_gates(const struct things *t);
