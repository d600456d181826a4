/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * slow.c: how fast the cables of each switch are, up and down: histograms of the data rates that
 * occur, so that a cable is held against all beside it in constant time.  O(cables).
 */
#include "analysis/tree/wiring.h"

#define SPEEDS_MAX 45 /* widths times speeds */

enum { SPEEDS_UP, SPEEDS_DOWN };

/*
 * struct speeds
 * @gbps: the rates that occur, in order of their occurrence
 * @count: cables of a rate, by switch number, direction, rate:
 *	   count[(2 * s + direction) * SPEEDS_MAX + i]
 */
struct speeds {
	double gbps[SPEEDS_MAX];
	unsigned int n;
	uint16_t *count;
};

/* Walks the cables of a switch to the rank above; *at from 0; NULL past the last one. */
const struct ibc_port *up_cable(const struct ibc_fattree *tree, uint32_t sw, uint32_t *at);
/* Data rate of a cable; 0 if it is not known. */
double cable_gbps(const struct ibc_port *port);
/* The most frequent of the rates above @than that a switch has in a direction; 0: none. */
double speeds_usual(const struct speeds *speeds, uint32_t sw, int direction, double than);
