/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What may leave this host: the one place that decides it. */
#include <stdbool.h>
#include <stdint.h>

#include "base/mad.h"

struct mad_header;

/*
 * Nothing that changes a fabric, but for counters that are to be cleared.
 * @h: the header of @mad
 */
bool gate_is_open(const struct mad_header *h, const uint8_t mad[MAD_SIZE], bool may_clear);
