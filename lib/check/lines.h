/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Lines that are lost of the files of a run. */
#include <ibcheck/check.h>

#define LOST_LINE "a line that was lost"

/* Were any, and what about: of the fabric, and of what it is compared with; the report counts them.
 */
bool lines_lost(const struct ibc_input *in, struct ibc_report *rep, struct ibc_attrs lost[2]);
