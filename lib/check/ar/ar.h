/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the checks of adaptive routing share. */
#include <ibcheck/fabric.h>

/*
 * ports.c: a bit each service level on which an HCA takes packets out of order, as
 * adaptive routing sends them; -1: its ports do not say, or carry no data.
 */
int64_t out_of_order_sls(const struct ibc_node *node);
