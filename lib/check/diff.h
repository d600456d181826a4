/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHECK_DIFF_H
#define CHECK_DIFF_H

/* What has changed since an earlier sweep, as findings. */
#include <ibcheck/changes.h>

#include "check/topo.h"

/*
 * diff_cases.c: of nodes, and of cables.  Nodes that came, went or were exchanged are what
 * explains most other changes.
 */
void diff_nodes(const struct ibc_input *in, struct ibc_sink *out);
void diff_cables(const struct ibc_input *in, struct ibc_sink *out);
/* What one of the two did not see is neither as it was nor changed. */
void diff_unchecked(const struct ibc_input *in, struct ibc_sink *out);

/*
 * diff_changes.c: one finding a change; many alike are one.  What was not compared, as
 * one of the sweeps does not tell it, is a note.
 */
void diff_changes(const struct ibc_input *in, struct ibc_sink *out, enum ibc_change_kind kind);

#endif
