/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_TOPO_H
#define CHECK_TOPO_H

/* How one deviation from the plan, or from an earlier sweep, becomes one finding. */
#include "analysis/compare/compare.h"
#include "check/phrases.h"

/*
 * struct telling - what a teller has at hand
 * @d: the deviation
 * @over_time: the plan is an earlier sweep
 * @steps: of the whole plan, those of a fault side by side, in their order
 */
struct telling {
	const struct ibc_comparison *cmp;
	struct ibc_sink *out;
	const struct deviation *d;
	bool over_time;
	const struct ibc_step **steps;
	size_t num_steps;
};

/* What the first teller finds gathered; false: no memory. */
bool telling_begin(struct telling *t);

/* ---- by kind: topo_nodes.c, topo_cables.c, topo_rates.c, topo_unchecked.c --------- */

void tell_missing_node(const struct telling *t); /* also of an earlier sweep */
void tell_unexpected_node(const struct telling *t);
void tell_replaced_node(const struct telling *t);
void tell_renamed_node(const struct telling *t);
void tell_exchanged_nodes(const struct telling *t);
void tell_missing_cable(const struct telling *t); /* also of an earlier sweep */
void tell_unexpected_cable(const struct telling *t);
void tell_miswired(const struct telling *t);
void tell_swapped(const struct telling *t);
void tell_wrong_port(const struct telling *t);
void tell_slow(const struct telling *t);
void tell_narrow(const struct telling *t);
/* That the plan has rates, and a source of what was found has none. */
void skip_untold_rates(const struct telling *t);
void tell_unchecked(const struct telling *t); /* also of an earlier sweep */
void tell_plan(const struct telling *t);

/* ---- what they have in common: topo_case.c ----------------------------------- */

/* The node that stands where this one of the plan should, or, if there is none, that one. */
const struct ibc_node *node_in_place(const struct telling *t, const struct ibc_node *planned);
/* A port of the plan as the end of a subject: of the node that stands there. */
struct ibc_end planned_end(const struct telling *t, const struct ibc_port *planned);
/* The cable at a planned port. */
struct ibc_subject planned_cable(const struct telling *t, const struct ibc_port *planned);

/* Behind a sentence: "; it is on leaf01/7"; "" */
const char *found_where(const struct telling *t, const struct ibc_node *node);
/* Behind a sentence: "; host01 is cut off; leaf03 and leaf07 each lose 1 of 18 paths"; "" */
const char *loss_text(const struct telling *t);
/* The steps of this fault, side by side; *n: how many. */
const struct ibc_step **steps_of(const struct telling *t, size_t *n);
/* "Move the plug from a to b, then connect c with d"; NULL: there are none. */
const char *steps_text(const struct telling *t);

/* Facts "expected" and "found", over time "before" and "after": of cables, or of nodes. */
void add_cables(const struct telling *t);
void add_nodes(const struct telling *t);
/*
 * What every case has: the rest of it as related, how many moves, who loses what, what the
 * plan says of the cables.
 */
void add_case(const struct telling *t);

#endif
