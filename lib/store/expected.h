/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* earlier.c: how what is missing is put together, also by expected.c. */
#include "analysis/gone/gone.h"

void expected_node(struct ibc_gone *g, struct gone_node node);
void expected_cable(struct ibc_gone *g, struct gone_cable cable);
/* The end of a cable, with the name that its device has now. */
struct gone_end expected_end(const struct ibc_port *port);
