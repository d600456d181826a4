/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Who takes part in SHARP, which reduces data of jobs inside the switches; sharp.c has it. */
#include "check/sink.h"

/* Is an aggregation manager registered, or expected?  False also where that is not known. */
bool sharp_is_used(const struct ibc_input *in, const struct ibc_subnet *subnet);
