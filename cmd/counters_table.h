/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COUNTERS_TABLE_H
#define COUNTERS_TABLE_H

#include "cmd.h"

/*
 * Adds what programs want of a sweep that counted: every port with its counters, every
 * node, and, if there is an earlier sweep, what each port counted since.  They are
 * metrics, too, by the names of the usual exporter of fabrics; text does not show them.
 * @before: or NULL
 */
extern const struct ibc_table_type nodes_type, counters_type, deltas_type;
/* What is written of it: @no_data: without rates and counters of data; @switches: of these only */
struct counters_choice {
	bool no_data, switches;
};
void counters_tables(struct app *app, const struct ibc_fabric *before,
                     const struct counters_choice *choice);
/* Only what each port counted since. */
void deltas_table(struct app *app, const struct ibc_fabric *before,
                  const struct counters_choice *choice);
/* The same of one port, without its node. */
void counters_of_port(struct app *app, const struct ibc_port *p, const struct ibc_fabric *before);

#endif
