/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ANALYSIS_CHANGES_H
#define ANALYSIS_CHANGES_H

/* What checks need of changes beyond <ibcheck/changes.h>: changes.c and change_text.c. */
#include <ibcheck/changes.h>

#include "analysis/compare/compare.h"

/* The planned cable, one end of it, that found cable i of a case was before. */
const struct ibc_port *cable_before(const struct ibc_comparison *cmp, const struct deviation *d,
                                    size_t i);
/* The state of its link, or why it has none: "Active", "Polling". */
const char *port_state_text(const struct ibc_port *port);
/* "4x FDR (54.5 Gb/s)", "EDR": as far as it is known.  Returns text. */
#define RATE_TEXT_MAX 48
char *port_rate_text(const struct ibc_port *port, char *text, size_t size);

#endif
