/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* How one deviation from the plan, or from an earlier sweep, becomes one finding. */
#include "analysis/compare/compare.h"
#include "check/phrases.h"

/*
 * struct topo_report - what a report has at hand
 * @d: the deviation
 * @over_time: the plan is an earlier sweep
 * @steps: of the whole plan, those of a fault side by side, in their order
 */
struct topo_report {
	const struct ibc_input *in;
	const struct ibc_comparison *cmp;
	struct ibc_sink *out;
	const struct deviation *d;
	bool over_time;
	const struct ibc_step **steps;
	size_t num_steps;
};

/* Fills @steps. */
void topo_report_begin(struct topo_report *t);

/* ---- by kind: nodes.c, cables.c
 * ------------------------------------------ */

void report_missing_node(const struct topo_report *t); /* also of an earlier sweep */
void report_unexpected_node(const struct topo_report *t);
void report_replaced_node(const struct topo_report *t);
void report_renamed_node(const struct topo_report *t);
void report_two_names(const struct topo_report *t); /* two_names.c */
/* Of a plan alone: which of its nodes may be one. */
void ask_two_names(const struct ibc_input *in, struct ibc_sink *out);
void report_exchanged_nodes(const struct topo_report *t);
void report_missing_cable(const struct topo_report *t); /* also of an earlier sweep */
void report_unexpected_cable(const struct topo_report *t);
void report_miswired(const struct topo_report *t);
void report_swapped(const struct topo_report *t);
void report_wrong_port(const struct topo_report *t);
void report_slow(const struct topo_report *t); /* or narrow */
/* That the plan has rates, and a source of what was found has none. */
void skip_unread_rates(const struct topo_report *t);
void report_unchecked(const struct topo_report *t); /* also of an earlier sweep */
void report_plan(const struct topo_report *t);

/* ---- what they have in common: case.c ----------------------------------- */

/* The node that stands where this one of the plan should, or, if there is none, that one. */
const struct ibc_node *node_in_place(const struct topo_report *t, const struct ibc_node *planned);
/* A port of the plan as the end of a subject: of the node that stands there. */
struct ibc_end planned_end(const struct topo_report *t, const struct ibc_port *planned);
/* The cable at a planned port. */
struct ibc_subject planned_cable(const struct topo_report *t, const struct ibc_port *planned);

/* Behind a sentence: "; host01 is cut off; leaf03 and leaf07 each lose 1 of 18 paths"; "" */
const char *loss_text(const struct topo_report *t);
/* The steps of this fault, side by side; *n: how many. */
const struct ibc_step **steps_of(const struct topo_report *t, size_t *n);
/* "Move the plug from a to b, then connect c with d", or why not yet; NULL: there are none. */
const char *steps_text(const struct topo_report *t);

/* Facts "expected" and "found", over time "before" and "after": of cables, or of nodes. */
void add_cables(const struct topo_report *t);
void add_nodes(const struct topo_report *t);
/*
 * What every case has: the rest of it as related, how many moves, who loses what, what the
 * plan says of the cables.
 */
void add_case(const struct topo_report *t);
