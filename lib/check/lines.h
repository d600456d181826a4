/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Lines that are lost of the files of a run. */
struct ibc_input;
struct ibc_report;

/* Set of enum ibc_absence: where; the report gets how many. */
unsigned int lines_lost(const struct ibc_input *in, struct ibc_report *rep);
