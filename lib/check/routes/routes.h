/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the checks of routes share. */
#include <ibcheck/routes.h>

#include "check/sink.h"

/*
 * Do the static tables of a switch carry less than all traffic?  Where adaptive routing is off,
 * RC and DC take them too, whatever other switches do.  NULL: no.
 */
bool carries_part(const struct ibc_node *node);
/*
 * A finding about routes holds for the traffic that takes them: behind its sentence,
 * " (UD and IPoIB only)", or "" where that is all; and as its fact "traffic".
 */
const char *carried_text(struct ibc_sink *out, const struct ibc_node *node);
void traffic_fact(struct ibc_sink *out, const struct ibc_node *node);

/* The pair that shows it, as facts "from", "to", "dlid" and "path", and related. */
void report_witness(struct ibc_sink *out, const struct ibc_port *src, const struct ibc_port *dst,
                    unsigned int dlid);

/*
 * Switches that did not report a table, as one finding of severity unknown: @what, as in "does not
 * report its forwarding table".
 */
void report_unread_tables(const struct ibc_input *in, struct ibc_sink *out, enum ibc_attr attr,
                          const char *what);

/* "leaf01/19 > spine01/3 > ", the ports that packets leave by; of many "... > 5 more > " */
const char *hops_text(struct ibc_sink *out, const struct ibc_port *const *ports, size_t n);

static inline const char *many(uint64_t n)
{
	return n == 1 ? "" : "s";
}
