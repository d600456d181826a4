/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRAW_NAMED_H
#define DRAW_NAMED_H

/* What the findings of a report name that somebody has to touch. */
#include <stdbool.h>

#include <ibcheck/fabric.h>
#include <ibcheck/report.h>

/*
 * Calls for the subject of every finding that counts and is no consequence of another, and
 * for the cables as found and as planned that are related to it.
 */
void named_each(const struct ibc_report *rep,
                void (*visit)(void *ctx, const struct ibc_finding *f,
                              const struct ibc_subject *subject),
                void *ctx);
/* The node of an end; NULL: the fabric has none of that GUID. */
const struct ibc_node *named_end_node(const struct ibc_fabric *fab, const struct ibc_end *end);
/* Is there such a cable between the two? */
bool named_is_there(const struct ibc_node *near, const struct ibc_subject *cable,
                    const struct ibc_node *far);

#endif
