/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_FATTREE_H
#define CHECK_FATTREE_H

/* How one case against the inferred tree becomes one finding. */
#include "analysis/tree/wiring.h"
#include "check/gather.h"
#include "check/phrases.h"

#define CABLES_MAX 64 /* so many are named: those of a switch */

/*
 * struct growth - what a teller has at hand
 * @c: the case
 * @planned: there is a plan, and what to do about that comes first: no step is for the case
 * @slow: cables that port.width and port.speed tell of
 */
struct growth {
	const struct ibc_fattree *tree;
	struct ibc_sink *out;
	const struct wiring_case *c;
	struct accused *slow;
	bool planned;
};

/* ---- by kind: fattree_cables.c, fattree_switches.c --------------------------------- */

void tell_same_rank(const struct growth *g);
void tell_missing_uplink(const struct growth *g);
void tell_uneven(const struct growth *g);
void tell_exchanged(const struct growth *g);
void tell_ports(const struct growth *g);
void tell_no_spine(const struct growth *g);
void tell_host_up(const struct growth *g);
void tell_slow_trunk(const struct growth *g);
void tell_rail(const struct growth *g);

/* ---- whole checks: fattree_whole.c, fattree_opensm.c -------------------------------- */

void check_family(const struct ibc_input *in, struct ibc_sink *out);
void check_irregular(const struct ibc_input *in, struct ibc_sink *out);
void check_oversubscribed(const struct ibc_input *in, struct ibc_sink *out);
void check_opensm(const struct ibc_input *in, struct ibc_sink *out);

/* Is there a plan, which knows better what was meant?  Then its own checks tell. */
bool plan_speaks(const struct ibc_input *in, const struct ibc_sink *out);

/* ---- what they have in common: fattree_case.c --------------------------------------- */

/* "leaf", "spine", "core": what switches of the rank of a node are called; "switch" */
const char *rank_word(const struct growth *g, const struct ibc_node *node);
/* "spine01/3", or "spine01" where no port is told */
const char *socket_text(struct ibc_sink *out, const struct wiring_socket *socket);
/* A cable that should be there, if both its ports are told; else the lower switch. */
struct ibc_subject gap_subject(const struct wiring_gap *gap);
/* What a case is about: a cable that is there, one that is not, or a switch. */
struct ibc_subject case_subject(const struct wiring_case *c);
/* The port of a socket that has answered; NULL: none is told, or it has not. */
const struct ibc_port *told_socket(const struct wiring_socket *socket);

/* "leaf03/19 belongs on spine01/3, leaf07/20 on spine02/7" */
const char *belongs_text(const struct growth *g);
/* Behind a sentence: "; leaf03 and leaf07 each lose 1 of 18 paths"; "" */
const char *lost_paths(const struct growth *g);
/* "Move the plug from a to b"; NULL: there is nothing to move. */
const char *moves_text(const struct growth *g);
/* The evidence: rule, support, what was expected and found, what is lost. */
void add_evidence(const struct growth *g);

#endif
