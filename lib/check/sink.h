/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Where a check puts its findings.  A call of the first group starts a finding
 * with the check's severity; those of the second add to it.  No error paths:
 * the report behind it keeps a sticky failure, and memory comes from the sink.
 *
 * A whole check:
 *
 *	for (size_t i = 0; (p = ibc_fabric_port(in->fabric, i)); i++) {
 *		if (!is_known_cable(p) || p->mtu_active == p->peer->mtu_active)
 *			continue;
 *		sink_cable(out, p, "has an MTU of %u at one end", ibc_mtu_bytes(p->mtu_active));
 *		sink_advise(out, "Have the subnet manager sweep again.");
 *		sink_fact(out, "mtu_bytes", ibc_u64(ibc_mtu_bytes(p->mtu_active)));
 *		sink_relate(out, IBC_ROLE_FOUND, p->peer);
 *	}
 */
#include <ibcheck/check.h>

#include "base/array.h"

struct arena;

/*
 * struct run_memory - what the checks of one run share
 * @set, @checks: those of the run, ended by NULL
 * @needs: the attributes they read
 * @unasked: set of IBC_IN_PHYSICAL and its like: what the run did not ask for is no gap
 * @covered, @coverage: of these attributes it has been summed up, once for all checks
 * @workloads: lib/check/ipoib/workloads.h; NULL: they are not gathered yet
 * @changes: of the check that is running, if it has found any
 * @lost: what lines were lost about, or a deadline left out, of the fabric, and of what it is
 *	  compared with; @lacks_lines: it is lines
 * @no_roce: that there is nothing to check for those of RoCE is reported
 */
struct run_memory {
	struct arena *arena;
	const struct ibc_check_set *set;
	const struct ibc_check **checks;
	struct ibc_attrs needs, covered;
	struct ibc_coverage coverage[IBC_ATTR_COUNT];
	struct workload *workloads;
	size_t num_workloads;
	struct ibc_changes *changes;
	unsigned int unasked;
	struct ibc_attrs lost[2];
	bool no_roce, lacks_lines;
};

struct ibc_sink {
	struct ibc_report *report;
	const struct ibc_check *check;
	enum ibc_severity configured;    /* IBC_OK: the check's own */
	enum ibc_severity next;          /* from sink_as(); IBC_OK: none */
	bool proven;                     /* from sink_proven(), likewise */
	const struct ibc_subnet *subnet; /* of the next, from subnet_intro(); NULL: not known */
	struct arena *scratch;
	struct run_memory *run; /* NULL: there is one check */
	bool failed;            /* something below that has memory of its own ran out of it */
};

void sink_fabric(struct ibc_sink *out, const char *message, ...)
    __attribute__((format(printf, 2, 3)));
/* A host, a process, or a port of this host: @name is all there is to name it by. */
void sink_named(struct ibc_sink *out, enum ibc_subject_kind kind, const char *name,
                const char *message, ...) __attribute__((format(printf, 4, 5)));
void sink_node(struct ibc_sink *out, const struct ibc_node *node, const char *message, ...)
    __attribute__((format(printf, 3, 4)));
void sink_port(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
    __attribute__((format(printf, 3, 4)));
/* The cable at a port that has a peer; reported at its near end, whichever is given. */
void sink_cable(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
    __attribute__((format(printf, 3, 4)));

/* Of a subject that is made of what was planned, in part or whole. */
void sink_add(struct ibc_sink *out, const struct ibc_subject *subject, const char *message, ...)
    __attribute__((format(printf, 3, 4)));

/* The finding that was started last rests on a majority, which lines that were lost may have made.
 */
void sink_compares(struct ibc_sink *out);
/*
 * The finding that is started next has another severity than the check's own.
 * Configuration still wins, except over info: a note stays a note.
 */
void sink_as(struct ibc_sink *out, enum ibc_severity severity);
/* It rests on what was read, although its check is .absence, and lines were lost. */
void sink_proven(struct ibc_sink *out);

void sink_advise(struct ibc_sink *out, const char *advice, ...)
    __attribute__((format(printf, 2, 3)));
void sink_fact(struct ibc_sink *out, const char *key, struct ibc_value value);
void sink_relate(struct ibc_sink *out, enum ibc_role role, const struct ibc_port *port);
void sink_relate_node(struct ibc_sink *out, enum ibc_role role, const struct ibc_node *node);
/* It began at this time, not when a run first finds it. */
void sink_since(struct ibc_sink *out, time_t since);
/* This finding reports so many queries that got no answer. */
void sink_unanswered(struct ibc_sink *out, uint64_t queries);

/*
 * Writes findings with memory that is gone afterwards.  Where there is none left, @write is left
 * at once by longjmp(): whatever else it holds, @out->run must know.  0, or -ENOMEM.
 */
int sink_run(struct ibc_sink *out, void (*write)(const void *arg, struct ibc_sink *out),
             const void *arg);
/* That memory, zeroed: never NULL, also for n = 0. */
void *sink_array(struct ibc_sink *out, size_t n, size_t size);
/* A string in that memory. */
const char *sink_text(struct ibc_sink *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* ibc_shell_word() in that memory: for each name in a command line that a sentence has. */
const char *sink_word(struct ibc_sink *out, const char *name);
const char *sink_vtext(struct ibc_sink *out, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* "node[01-10],node12", cut between names where it is long */
const char *sink_folded(struct ibc_sink *out, const char *const *names, size_t n);
/*
 * The check of this id, one of .explained_by of the check that is running, if it looks at the
 * same things in this run; else NULL.
 */
const struct ibc_check *sink_explained_by(const struct ibc_sink *out, const char *id);

/* A port or a node as the end of a subject. */
struct ibc_end end_of_port(const struct ibc_port *port);
struct ibc_end end_of_node(const struct ibc_node *node);
struct ibc_subject node_subject(const struct ibc_node *node);
/* "leaf01/19"; "leaf07/44 (22/2)" where the label of the port is known */
const char *end_text(struct ibc_sink *out, const struct ibc_end *end);
const char *port_text(struct ibc_sink *out, const struct ibc_port *port);
