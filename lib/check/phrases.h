/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Words for cables, losses and moves: the same against a plan and against a rule. */
#include "analysis/compare/compare.h"
#include "check/sink.h"

/* ---- names ---- */

/* A port of a node as the end of a subject, whether it is there or not. */
struct ibc_end end_at(const struct ibc_node *node, unsigned int port);
/* Cables as subjects: nearest end first. */
struct ibc_subject cable_of(struct ibc_end a, struct ibc_end z);
struct ibc_subject cable_between(const struct ibc_place *a, const struct ibc_place *z);
struct ibc_subject found_cable(const struct ibc_port *found);

/* "leaf03/19 - spine01/3" */
const char *subject_text(struct ibc_sink *out, const struct ibc_subject *subject);

/* "a", "a and b", "a, b and c"; of more than are shown: "a, b, c and 5 more" */
#define SHOWN_MAX 3
const char *list_text(struct ibc_sink *out, const char *const *shown, size_t n);
/* The same of clauses, which may have an "and" of their own: "a, b, c". */
const char *clauses_text(struct ibc_sink *out, const char *const *shown, size_t n);

/* "two", "12"; "1 node", "4 nodes" */
const char *number_text(struct ibc_sink *out, size_t n);
const char *amount_text(struct ibc_sink *out, size_t n, const char *what);

/* struct clauses - "leaf03/19 belongs on spine01/3, leaf07/20 on spine02/7" */
struct clauses {
	const char *shown[SHOWN_MAX];
	size_t n;
};
void add_clause(struct ibc_sink *out, struct clauses *c, const struct ibc_end *what,
                const struct ibc_end *where);

/* ---- states ---- */

/* ": leaf03/19 is Polling, spine01/3 is Disabled", as far as that is known; a NULL is not. */
const char *states_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z);
/* "; the counters of leaf03/19 had SymbolErrorCounter 5000 before that": ports that are down; or ""
 */
const char *counted_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z);
/* Facts "counted" and "peer_counted", likewise. */
void counted_facts(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z);
/* "Enable leaf03/19 again ..."; NULL: neither is Disabled. */
const char *enable_text(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z);
/* Facts "phys_state" and "peer_phys_state" of two ports, likewise. */
void phys_facts(struct ibc_sink *out, const struct ibc_port *a, const struct ibc_port *z);
/* "4x FDR (54.5 Gb/s)", "EDR": as far as it is known */
const char *mode_text(struct ibc_sink *out, const struct ibc_port *port);

/* ---- losses and moves ---- */

/* Behind a sentence: "; leaf03 and leaf07 each lose 1 of 18 paths"; "" */
const char *paths_text(struct ibc_sink *out, const struct loss *l);
void sum_paths(const struct loss *l, uint64_t *lost, uint64_t *planned);
/* "Move the plug from a to b, then connect c with d"; NULL: there are none. */
const char *steps_list(struct ibc_sink *out, const struct ibc_config *config,
                       const struct ibc_step *const *steps, size_t n);

/* Advises these; NULL: nothing. */
void advise_steps(struct ibc_sink *out, const char *steps);

/* ---- evidence ---- */

#define FACTS_MAX 8 /* texts in one fact */

/* struct texts - each once, with commas between them; @text is NULL while there is none */
struct texts {
	const char *text, *items[FACTS_MAX];
	size_t n;
};
void add_text(struct ibc_sink *out, struct texts *all, const char *text);
struct ibc_value texts_value(struct ibc_sink *out, const struct texts *all);
