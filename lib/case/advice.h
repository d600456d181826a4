/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "case/things.h"

/*
 * advice.c: what to do about a cable that several counters report, by all of them together; in
 * the arena of the things.  NULL: one finding's advice is enough.
 */
const char *cable_advice(const struct things *t, const struct ibc_finding *const *findings,
                         size_t n);
