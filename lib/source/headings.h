/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the columns of a cable list mean, by their headings. */
#include <stdbool.h>

#include "source/csv.h"

/* Of each end, and of the cable. */
enum end_field {
	END_NODE,
	END_PORT,
	END_HCA,
	END_RACK,
	END_KIND,
	END_GUID,
	END_ROW,
	END_POD,
	END_FIELDS,
};
enum cable_field { CABLE_WIDTH, CABLE_SPEED, CABLE_LABEL, CABLE_LENGTH, CABLE_FIELDS };

#define NO_COLUMN -1 /* the file has no such column */

/*
 * struct headings - where each field is, or NO_COLUMN
 * @counts_hcas: a bare number in this end's port column is that of an HCA, from 1
 * @of_switches: this end's columns are those of switches
 * @found: how many headings are known
 * @is_ndt: a list of UFM, which may have each cable from both ends
 * @is_netbox: as NetBox exports cables
 */
struct headings {
	int end[2][END_FIELDS];
	int cable[CABLE_FIELDS];
	bool counts_hcas[2], of_switches[2], is_ndt, is_netbox;
	unsigned int found;
};

/* False if a record of headings lacks nodes or ports, or names them twice: what is wrong, and
 * where. */
bool headings_read(const struct text_piece *cells, size_t num, struct headings *out,
                   struct text_place *at, struct ibc_error *what);
/* How many headings of a line are known; takes it to pieces. */
unsigned int headings_known(char *line);
