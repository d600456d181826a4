/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_PHY_H
#define CMD_PHY_H

/* What the commands of the physical layer share. */
#include <ibcheck/counters.h>

#include "columns.h"
#include "ports.h"

/* All of it is read, after as many samples as are asked for; then the checks run. */
int phy_run(struct app *app, struct ibc_error *err);

/* struct phy_end - a port, and what its physical layer counted since the earlier sweep */
struct phy_end {
	const struct ibc_port *port;
	struct ibc_phy_delta delta;
};
struct phy_end phy_end_of(const struct app *app, const struct ibc_port *port);

/* Lanes of the link; of a module all that it has. */
unsigned int phy_lanes_of(const struct ibc_port *port);

struct ibc_value fec_value(enum ibc_fec fec);

/* "1.3e-9"; "<2.9e-18" of a bound */
struct ibc_value ber_text(struct ibc_cell *cell, struct ibc_phy_ber ber);

/* phy_tables.c: a row for each lane, bin of the FEC histogram, number, sensor */
extern const struct ibc_table_type phy_lanes_type, phy_bins_type, phy_values_type, sensors_type;
void phy_lanes_rows(struct app *app, const struct phy_end *end);
void phy_bins_rows(struct app *app, const struct phy_end *end);
void phy_values_rows(struct app *app, const struct phy_end *end);
void sensors_rows(struct app *app, const struct ibc_node *node);

/* phy.c: a row for each port of a place, if anything was read of it */
extern const struct ibc_table_type phy_type;
void phy_rows(struct app *app, const struct ibc_place *place);

/* ends.c: how many ports of what is shown were not read, since of a fabric it is not shown */
void conclude_physical(struct app *app);

/* What metrics of a port are known by, as those of its counters. */
extern const struct ibc_label phy_port_labels[];

/* cables.c: the cables of what is shown, and a row for a plug unless another port has it */
extern const struct ibc_table_type cables_type, plugs_type;
void plug_row(struct app *app, const struct ibc_port *port);
int cables_table(struct app *app, bool errors_only, struct ibc_error *err);

#endif
