/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What checks of measurements between hosts share. */
#include <ibcheck/perfresult.h>

#include "check/sink.h"

/* setup.c: "n007", of one of several rails "n007 rail 2 (mlx5_2/1)" */
const char *perf_end_text(struct ibc_sink *out, const struct ibc_perf_end *end);
