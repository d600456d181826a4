/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* How one case against the inferred tree becomes one finding. */
#include "analysis/tree/wiring.h"
#include "check/collect.h"
#include "check/phrases.h"

#define CABLES_MAX 64 /* so many are related: those of a switch */

/*
 * struct tree_report - what a report has at hand
 * @c: the case
 * @planned: there is a plan, and what to do about that comes first: no step is for the case
 * @slow: cables that port.width and port.speed report
 */
struct tree_report {
	const struct ibc_fattree *tree;
	struct ibc_sink *out;
	const struct wiring_case *c;
	struct blamed *slow;
	const struct ibc_config *config;
	bool planned;
};

/* cases.c: one case, of any kind but those of the whole; with its evidence. */
void report_tree_case(const struct tree_report *g);
/* opensm.c */
void check_opensm(const struct ibc_input *in, struct ibc_sink *out);
/* What the engine would accept now, and no more when only @rest is left. */
void report_ftree_lost(const struct ibc_fattree *now, const struct ibc_fattree *rest,
                       struct ibc_sink *out);

/* ---- what they have in common: case.c ------------------------------------------------- */

/* "leaf", "spine", "core": what switches of the rank of a node are called; "switch" */
const char *rank_word(const struct tree_report *g, const struct ibc_node *node);
/* "spine01/3", or "spine01" where the port is not known */
const char *jack_text(struct ibc_sink *out, const struct wiring_jack *jack);
/* A cable that should be there, if both its ports are known; else the one, or the lower switch. */
struct ibc_subject gap_subject(const struct wiring_gap *gap);
/* What a case is about: a cable that is there, one that is not, or a switch. */
struct ibc_subject case_subject(const struct wiring_case *c);
/* A cable may be there, and not have been seen; without a port at any of the switch's. */
bool jack_is_unread(const struct wiring_jack *jack);
/* "leaf03/19 belongs on spine01/3, leaf07/20 on spine02/7" */
const char *belongs_text(const struct tree_report *g);
/* Behind a sentence: "; leaf03 and leaf07 each lose 1 of 18 paths"; "" */
const char *lost_paths(const struct tree_report *g);
/* "Move the plug from a to b"; NULL: there is nothing to move. */
const char *moves_text(const struct tree_report *g);
/* The evidence: rule, support, what was expected and found, what is lost. */
void add_evidence(const struct tree_report *g);
