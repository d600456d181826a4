/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_SINK_H
#define CHECK_SINK_H

/*
 * Where a check puts its findings.  A call of the first group starts a finding
 * with the check's severity; those of the second add to it.  No error paths:
 * the report behind it keeps a sticky failure.
 */
#include <ibcheck/check.h>

struct ibc_sink {
	struct ibc_report *report;
	const struct ibc_check *check;
	enum ibc_severity severity; /* the check's, as configured */
};

void sink_fabric(struct ibc_sink *out, const char *message, ...)
	__attribute__((format(printf, 2, 3)));
void sink_node(struct ibc_sink *out, const struct ibc_node *node, const char *message, ...)
	__attribute__((format(printf, 3, 4)));
void sink_port(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
	__attribute__((format(printf, 3, 4)));
/* The cable at a port that has a peer; reported at its near end, whichever is given. */
void sink_cable(struct ibc_sink *out, const struct ibc_port *port, const char *message, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with another severity than the check's own; configuration still wins. */
void sink_as(struct ibc_sink *out, enum ibc_severity severity);
void sink_advise(struct ibc_sink *out, const char *advice, ...)
	__attribute__((format(printf, 2, 3)));
void sink_fact(struct ibc_sink *out, const char *key, struct ibc_value value);
void sink_relate(struct ibc_sink *out, enum ibc_role role, const struct ibc_port *port);
/* This finding tells of so many questions that got no answer. */
void sink_unanswered(struct ibc_sink *out, uint64_t questions);

/* A port or a node as the end of a subject. */
struct ibc_end end_of_port(const struct ibc_port *port);
struct ibc_end end_of_node(const struct ibc_node *node);

#endif
