/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The tables of the physical layer: those of cables, some of which other commands show. */
#include <ibcheck/counters.h>

#include "columns.h"
#include "ports.h"

/* All of it is read, after as many samples as are asked for; then the checks run. */
int cables_run(struct app *app, struct ibc_error *err);

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
/* The same, and the most symbols of a code word, "3 of 15", in @buf; NULL: not known. */
const char *phy_ber_text(const struct phy_end *end, enum ibc_ber_stage stage, char *buf,
                         size_t size);
const char *phy_corrected_text(const struct phy_end *end, char *buf, size_t size);
/* What was counted in the time; of what is no count, what it is now. */
bool phy_number(const struct phy_end *end, enum ibc_phy_value value, uint64_t *out);
/* Adds why the port is down, and why it last went down. */
void phy_add_down(struct ibc_cell *cell, const struct phy_end *end, bool named);
/* Nothing is cabled, and it is not known that something is plugged in. */
bool phy_is_free(const struct ibc_port *port);

/* phy_tables.c: a row for each lane, bin of the FEC histogram, sensor */
extern const struct ibc_table_type phy_lanes_type, phy_bins_type, sensors_type;
void phy_lanes_rows(struct app *app, const struct phy_end *end);
void phy_bins_rows(struct app *app, const struct phy_end *end);
void sensors_rows(struct app *app, const struct ibc_node *node);

/* phy.c: a row for each port of a place, if anything was read of it */
extern const struct ibc_table_type phy_type;
void phy_rows(struct app *app, const struct ibc_place *place);

/* ends.c: how many ports of what is shown were not read, since of a fabric it is not shown */
void conclude_physical(struct app *app);

/* cables.c: the cables of what is shown */
extern const struct ibc_table_type cables_type, plugs_type;
int cables_table(struct app *app, struct ibc_error *err);
