/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COUNTERS_TABLE_H
#define COUNTERS_TABLE_H

#include <ibcheck/ibcheck.h>

/*
 * Adds what programs want of a sweep that counted: every port with its counters, every
 * node, and, if there is an earlier sweep, what each port counted since.  They are
 * metrics, too, by the names of the usual exporter of fabrics; text does not show them.
 * @before: or NULL
 */
void counters_tables(const struct ibc_fabric *now, const struct ibc_fabric *before,
                     struct ibc_report *rep);

#endif
