/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What packets of the switches themselves to hosts depend on: from every switch, where the
 * walk is only from those that have hosts.
 *
 * LIDs on one switch mostly differ in few rows' entries, so of each but the first only what
 * differs from the one before is walked.  If all these routes arrive, so do all others, as
 * they did before: each meets one of them, or goes as it went.  And a dependency is new only
 * if the entry of one of its two switches is.
 */
#include "analysis/routes/channels.h"

struct arena;

/*
 * struct switch_traffic
 * @last: the destination before, of which all routes arrive; or NULL
 * @last_row: its entries
 * @next: by column: the column it sends @last to; p->n: to none
 * @changed: by column, and p->n: does it send the present one elsewhere?
 */
struct switch_traffic {
	const struct route_dest *last;
	const uint8_t *last_row;
	uint16_t *next;
	uint8_t *changed;
};

void switch_traffic_new(struct switch_traffic *t, const struct route_subnet *p, struct arena *a);
/* After a walk from all hosts; those on one switch one after the other. */
void switch_traffic_take(struct switch_traffic *t, struct walk *w);
