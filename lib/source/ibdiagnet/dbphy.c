/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The physical layer in ibdiagnet2.db_csv: FEC_MODE, TEMP_SENSING and CABLE_INFO, whose columns
 * have names.  Those of PHY_DB are numbered, and what they are is not published.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/phywords.h"
#include "fabric/build.h"
#include "source/ibdiagnet/dbcsv.h"
#include "source/ibdiagnet/phyfile.h"

/* ---- FEC_MODE ---------------------------------------------------------------------- */

struct fec_row {
	struct db_place at;
	uint16_t active;
};

#define FEC_ACTIVE 2 /* index of its column below */

static const struct db_column fec_columns[] = {
	{ "NodeGuid", offsetof(struct fec_row, at.node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct fec_row, at.num), FIELD_U8, true },
	[FEC_ACTIVE] = { "FECActv", offsetof(struct fec_row, active), FIELD_U16, false },
	{ 0 },
};

static int read_fec(struct db_reader *r, const void *at, char *const *cells)
{
	const struct fec_row *row = at;

	(void)cells;
	if (r->port->num > 0 && r->known >> FEC_ACTIVE & 1)
		phy_fec(r->build, r->port, fec_of_port_info(row->active));
	return 0;
}

const struct db_block db_block_fec = {
	.name = "FEC_MODE",
	.columns = fec_columns,
	.of = DB_PORT,
	.row = read_fec,
	.is_physical = true,
};

/* ---- TEMP_SENSING -------------------------------------------------------------------- */

struct temperature_row {
	struct db_place at;
	const char *now;
};

static const struct db_column temperature_columns[] = {
	{ "NodeGUID", offsetof(struct temperature_row, at.node), FIELD_HEX, true },
	{ "CurrentTemperature", offsetof(struct temperature_row, now), FIELD_TEXT, false },
	{ 0 },
};

#define CELSIUS_MAX 200 /* no silicon works there: the value is none */

static int read_temperature(struct db_reader *r, const void *at, char *const *cells)
{
	const struct temperature_row *row = at;
	struct ibc_sensor *sensor;
	long celsius;
	char *end;

	(void)cells;
	if (!row->now || r->node->num_sensors)
		return 0;
	celsius = strtol(row->now, &end, 10);
	/* 0 stands for none, as with modules */
	if (celsius == 0 && end > row->now && !*end)
		return 0;
	if (end == row->now || *end || labs(celsius) > CELSIUS_MAX) {
		phy_skip(r->phy, PHY_BAD_VALUE, row->now);
		return 0;
	}
	sensor = arena_alloc(r->arena, sizeof(*sensor));
	*sensor = (struct ibc_sensor){
		.now = (double)celsius,
		.max = NAN,
		.low = NAN,
		.high = NAN,
		.kind = IBC_SENSOR_TEMPERATURE,
	};
	r->node->sensors = sensor;
	r->node->num_sensors = 1;
	phy_answered_node(r->node, IBC_ATTR_PHY_TEMPERATURE);
	return 0;
}

const struct db_block db_block_temperature = {
	.name = "TEMP_SENSING",
	.columns = temperature_columns,
	.of = DB_NODE,
	.row = read_temperature,
	.is_physical = true,
};

/* ---- CABLE_INFO ------------------------------------------------------------------------- */

static const struct db_column cable_columns[] = {
	{ "NodeGuid", offsetof(struct db_place, node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct db_place, num), FIELD_U8, true },
	{ 0 },
};

/*
 * Columns that are no facts of a module, or have as a number what another one has in words:
 * "Type" is 12 and "TypeDesc" "850 nm VCSEL".
 */
static const char *const other_columns[] = { "NodeGuid",   "PortGuid", "PortNum",
	                                     "Identifier", "Type",     "SupportedSpeed" };

static int begin_cables(struct db_reader *r, char *const *cells, size_t num_cells)
{
	struct module_text any = { .arena = NULL };

	r->keys = arena_array(r->arena, num_cells, sizeof(*r->keys));
	for (size_t i = 0; i < num_cells; i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(other_columns) && strcasecmp(cells[i], other_columns[k]) != 0)
			k++;
		r->keys[i] = "";
		if (k < ARRAY_SIZE(other_columns))
			continue;
		if (module_has_key(&any, cells[i]))
			r->keys[i] = arena_strdup(r->arena, cells[i]);
		else
			phy_skip(r->phy, PHY_UNKNOWN_KEY, cells[i]);
	}
	return 0;
}

static int read_cable(struct db_reader *r, const void *at, char *const *cells)
{
	struct module_text module;

	(void)at;
	if (r->port->num == 0)
		return 0;
	module_begin(&module, r->arena, false);
	for (size_t i = 0; i < r->num_cells; i++)
		if (*r->keys[i] && !db_is_none(cells[i]))
			phy_module_key(r->phy, &module, r->keys[i], cells[i]);
	phy_module_end(r->phy, &module, r->port);
	return 0;
}

const struct db_block db_block_cables = {
	.name = "CABLE_INFO",
	.columns = cable_columns,
	.of = DB_PORT,
	.header = begin_cables,
	.row = read_cable,
	.is_physical = true,
};
