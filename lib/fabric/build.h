/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * How sources make a fabric.  Nodes and ports are handed out writable until
 * fabric_build_finish(); their own fields (LIDs, states, answers) are filled in
 * directly, what links or indexes them goes through the calls below.
 *
 * Out of memory is sticky: calls then return NULL or do nothing, and
 * fabric_build_finish() reports it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ibcheck/error.h>
#include <ibcheck/fabric.h>

struct arena;
struct fabric_build;

int fabric_build_new(struct fabric_build **out, struct ibc_error *err);
void fabric_build_free(struct fabric_build *b);

/*
 * Calls run(), in which memory is never missing, neither from the arena of the fabric nor from
 * @scratch nor in a call here: where there is none, run() is left, and this returns -ENOMEM, as
 * it does for a @scratch that is NULL.  What else run() holds is its caller's to free.
 */
int fabric_build_run(struct fabric_build *b, struct arena *scratch, int (*run)(void *ctx),
                     void *ctx);
/* Was there memory, for a hash table?  If not, run() is left. */
void fabric_build_need(struct fabric_build *b, bool had);

/* The fabric's arena, for strings that shall live as long as it does. */
struct arena *fabric_build_arena(struct fabric_build *b);
/* Out of memory so far? */
bool fabric_build_failed(const struct fabric_build *b);

/* Counters are not kept: source_opts.no_counters. */
void fabric_build_no_counters(struct fabric_build *b);
bool fabric_build_has_counters(const struct fabric_build *b);

/*
 * A new subnet; texts are copied.  subnet_prefix is the default one until the
 * origin's PortInfo says otherwise.
 */
struct ibc_subnet *fabric_build_subnet(struct fabric_build *b, const char *source,
                                       const char *kind);
struct ibc_subnet *fabric_build_subnet_at(struct fabric_build *b, size_t i);
/* So many more lines were lost, about @of; @first: @n of them, copied. */
void fabric_build_lost(struct fabric_build *b, struct ibc_subnet *subnet, uint64_t lines,
                       struct ibc_attrs of, const struct ibc_lost *first, size_t n);

/*
 * A new node with its ports, from 0 of a switch and from 1 of others, always new, even if the GUID
 * is known: ask fabric_build_find() first.  NODE_INFO is marked asked and answered.
 */
struct ibc_node *fabric_build_node(struct fabric_build *b, struct ibc_subnet *subnet, uint64_t guid,
                                   enum ibc_node_type type, unsigned int num_ports);
/* In the order in which they were made; NULL past the last one. */
struct ibc_node *fabric_build_node_at(struct fabric_build *b, size_t i);
/* First node of this GUID in the subnet, or NULL.  Hashed. */
struct ibc_node *fabric_build_find(struct fabric_build *b, const struct ibc_subnet *subnet,
                                   uint64_t guid);
/* Another node of the same GUID and subnet, or NULL after the last of them. */
struct ibc_node *fabric_build_find_next(const struct ibc_node *node);
/* A port of a node, writable; NULL if the node has none of that number. */
struct ibc_port *fabric_build_port(const struct ibc_node *node, unsigned int num);
/* port->extra to be written: its own from now on.  The fabric's arena must have an escape. */
struct ibc_port_extra *port_extra(struct ibc_port *port);

/* Cleaned (utf8.h) and copied; marks NODE_DESC asked and answered. */
void fabric_build_desc(struct fabric_build *b, struct ibc_node *node, const char *bytes, size_t n);
/* What is written beside a port; cleaned and copied, "" is none. */
void fabric_build_label(struct fabric_build *b, struct ibc_port *port, const char *bytes, size_t n);
/*
 * The name from a node-name map: wins over the description as node->name.  Of
 * several names for one GUID the first counts.
 */
void fabric_build_name(struct fabric_build *b, uint64_t guid, const char *name);

/*
 * Joins two ports of one subnet by a cable.  Ports already joined to each other
 * stay so; -EEXIST if either has another peer (then nothing changes); -EINVAL if
 * a and z are one port (a loop-back plug reads as a cable to itself), if one is
 * a port 0, or NULL.
 */
int fabric_build_link(struct ibc_port *a, struct ibc_port *z);

/*
 * Tables of all switches that the subnet has so far, empty: every entry IBC_NO_ENTRY, every
 * set without ports, nothing known.  Called when no more switch comes; the subnet has the last.
 * NULL when out of memory.
 */
struct fabric_forwarding {
	struct ibc_forwarding tables;
	uint8_t *out, *known; /* tables.out and .known, writable */
	struct fabric_ar *ar; /* NULL: none yet */
};
/* tables.c */
struct fabric_forwarding *fabric_build_forwarding(struct fabric_build *b, struct ibc_subnet *subnet,
                                                  unsigned int num_lids);
/*
 * artables.c: the adaptive tables beside them.  What is equal is kept once.  A block is
 * 64 entries of struct ibc_ar_tables; a group has the ports it is given, in several calls or
 * one.  False: out of memory.
 */
bool fabric_ar_block(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                     size_t block, const uint16_t *entries);
bool fabric_ar_group(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                     unsigned int group, const struct ibc_port_set *ports);
/* It is not known what the switch has: what there is of it is taken out.  False: likewise. */
bool fabric_ar_gap(struct fabric_build *b, struct fabric_forwarding *f, size_t column,
                   enum ibc_ar_gap gap);
/* The switch has several tables; false: out of memory. */
bool fabric_ar_private(struct fabric_build *b, struct fabric_forwarding *f, size_t column);
struct fabric_multicast {
	struct ibc_multicast tables;
	uint64_t *ports;
	uint8_t *known;
};
struct fabric_multicast *fabric_build_multicast(struct fabric_build *b, struct ibc_subnet *subnet,
                                                unsigned int num_mlids);
/* The column of a switch in such a table; SIZE_MAX: it has none. */
size_t fabric_column(const struct ibc_node *const *switches, size_t n, const struct ibc_node *node);

/*
 * Marks a query to a node or port: asked, and its outcome.  The attribute must be one
 * that belongs to such.  Whoever says it lacks what every device has refuses it.
 */
enum answer { ANSWER_NONE, ANSWER_OK, ANSWER_UNSUPPORTED, ANSWER_REFUSED };
#define ANSWERS 4 /* members of enum answer */
void answers_put_node(struct ibc_node *node, enum ibc_attr attr, enum answer outcome);
void answers_put_port(struct ibc_port *port, enum ibc_attr attr, enum answer outcome);
#define answers_put(of, attr, outcome)                                                             \
	_Generic((of), struct ibc_node *                                                           \
	         : answers_put_node, struct ibc_port *                                             \
	         : answers_put_port)(of, attr, outcome)
/* Every line that its file has of it was understood. */
void fabric_build_whole(struct ibc_node *node);
/* As if it had never been asked; the bit is that of attr_node_bits or attr_port_bits. */
void answers_drop(struct ibc_answers *a, uint64_t bit);
/* Makes "not supported" of what is not optional a refusal: attr_node_optional, or that of ports. */
void answers_settle(struct ibc_answers *a, uint64_t optional);
/* invariants.c: has every query at most one outcome, and every outcome a query? */
bool answers_hold(const struct ibc_answers *a);

/*
 * Freezes: orders nodes, gives labels and hosts, marks duplicates, indexes GUIDs
 * and LIDs, verifies the invariants (a violation is a bug: assert).  Consumes b
 * in every case.
 */
int fabric_build_finish(struct fabric_build *b, struct ibc_fabric **out, struct ibc_error *err);
