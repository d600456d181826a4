/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_ROUTES_H
#define CHECK_ROUTES_H

/* What the checks of routes share. */
#include <ibcheck/routes.h>

#include "check/sink.h"

/*
 * Do the static tables of a switch carry less than all traffic?  Where adaptive routing is off,
 * RC and DC take them too, whatever other switches do.  NULL: no.
 */
bool carries_part(const struct ibc_node *node);
/*
 * What a finding says of routes holds for the traffic that takes them: behind its sentence,
 * " (UD and IPoIB only)", or "" where that is all; and as its fact "traffic".
 */
const char *carried_text(struct ibc_sink *out, const struct ibc_node *node);
void traffic_fact(struct ibc_sink *out, const struct ibc_node *node);

/* The pair that shows it, as facts "from", "to", "dlid" and "path", and related. */
void report_witness(struct ibc_sink *out, const struct ibc_port *src, const struct ibc_port *dst,
                    unsigned int dlid);

/*
 * Switches of a subnet that owe a table, told as one finding of severity unknown: @what, as
 * in "does not tell its forwarding table", and @pairs that could not be judged for it.
 */
void report_unread_tables(const struct ibc_input *in, struct ibc_sink *out, enum ibc_attr attr,
                          const char *what);

static inline const char *many(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
