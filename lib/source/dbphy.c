/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The physical layer in ibdiagnet2.db_csv: FEC_MODE, TEMP_SENSING and CABLE_INFO, whose columns
 * have names.  Those of PHY_DB are numbered, and what they are is not published.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/phywords.h"
#include "fabric/build.h"
#include "source/dbcsv.h"
#include "source/phyfile.h"

/* The port of a row; NULL: it is passed over.  A file that is the fabric knows all its own. */
static int row_port(const struct db_reader *r, uint64_t guid, unsigned int num,
                    struct ibc_port **out)
{
	int rc;

	if (!r->merges)
		return db_port(r, guid, num, out);
	rc = phy_port(r->phy, guid, num, out);
	return rc ? fail_nomem(r->err) : 0;
}

int db_row_node(const struct db_reader *r, uint64_t guid, struct ibc_node **out)
{
	if (!r->merges)
		return db_node(r, guid, out);
	return phy_node(r->phy, guid, out) ? fail_nomem(r->err) : 0;
}

/* ---- FEC_MODE ---------------------------------------------------------------------- */

struct fec_row {
	uint64_t node;
	uint16_t active;
	uint8_t num;
};

#define FEC_ACTIVE 2 /* index of its column below */

static const struct db_column fec_columns[] = {
	{ "NodeGuid", offsetof(struct fec_row, node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct fec_row, num), FIELD_U8, true },
	[FEC_ACTIVE] = { "FECActv", offsetof(struct fec_row, active), FIELD_U16, false },
	{ 0 },
};

static int read_fec(struct db_reader *r, char *const *cells)
{
	struct fec_row row = { 0 };
	struct ibc_port *port;
	uint32_t known;
	int rc = db_row(r, cells, &row, &known);

	if (rc == 0)
		rc = row_port(r, row.node, row.num, &port);
	if (rc || !port || port->num == 0 || !(known >> FEC_ACTIVE & 1))
		return rc;
	return phy_fec(r->build, port, fec_of_port_info(row.active)) ? fail_nomem(r->err) : 0;
}

const struct db_block db_block_fec = {
	.name = "FEC_MODE",
	.columns = fec_columns,
	.row = read_fec,
	.is_physical = true,
};

/* ---- TEMP_SENSING -------------------------------------------------------------------- */

struct temperature_row {
	uint64_t node;
	const char *now;
};

static const struct db_column temperature_columns[] = {
	{ "NodeGUID", offsetof(struct temperature_row, node), FIELD_HEX, true },
	{ "CurrentTemperature", offsetof(struct temperature_row, now), FIELD_TEXT, false },
	{ 0 },
};

#define CELSIUS_MAX 200 /* no silicon works there: the value is none */

static int put_temperature(const struct db_reader *r, struct ibc_node *node, long celsius)
{
	struct ibc_sensor *sensor = arena_alloc(fabric_build_arena(r->build), sizeof(*sensor));

	if (!sensor)
		return fail_nomem(r->err);
	*sensor = (struct ibc_sensor){
		.now = (double)celsius,
		.max = NAN,
		.low = NAN,
		.high = NAN,
		.kind = IBC_SENSOR_TEMPERATURE,
	};
	node->sensors = sensor;
	node->num_sensors = 1;
	phy_told_node(node, IBC_ATTR_PHY_TEMPERATURE);
	return 0;
}

static int read_temperature(struct db_reader *r, char *const *cells)
{
	struct temperature_row row = { 0 };
	struct ibc_node *node;
	uint32_t known;
	long celsius;
	char *end;
	int rc = db_row(r, cells, &row, &known);

	if (rc == 0)
		rc = db_row_node(r, row.node, &node);
	if (rc || !node || !row.now || node->num_sensors)
		return rc;
	celsius = strtol(row.now, &end, 10);
	/* 0 stands for none, as with modules */
	if (celsius == 0 && end > row.now && !*end)
		return 0;
	if (end == row.now || *end || labs(celsius) > CELSIUS_MAX) {
		phy_skip(r->phy, PHY_BAD_VALUE, row.now);
		return 0;
	}
	return put_temperature(r, node, celsius);
}

const struct db_block db_block_temperature = {
	.name = "TEMP_SENSING",
	.columns = temperature_columns,
	.row = read_temperature,
	.is_physical = true,
};

/* ---- CABLE_INFO ------------------------------------------------------------------------- */

struct cable_row {
	uint64_t node;
	uint8_t num;
};

static const struct db_column cable_columns[] = {
	{ "NodeGuid", offsetof(struct cable_row, node), FIELD_HEX, true },
	{ "PortNum", offsetof(struct cable_row, num), FIELD_U8, true },
	{ 0 },
};

/*
 * Columns that are no facts of a module, or tell as a number what another one tells in words:
 * "Type" is 12 and "TypeDesc" "850 nm VCSEL".
 */
static const char *const other_columns[] = { "NodeGuid",   "PortGuid", "PortNum",
	                                     "Identifier", "Type",     "SupportedSpeed" };

static bool is_module_key(const struct db_reader *r, const char *name)
{
	struct module_text any = { .arena = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(other_columns); i++)
		if (strcasecmp(name, other_columns[i]) == 0)
			return false;
	if (module_has_key(&any, name))
		return true;
	phy_skip(r->phy, PHY_UNKNOWN_KEY, name);
	return false;
}

static int begin_cables(struct db_reader *r, char *const *cells, size_t num_cells)
{
	struct arena *a = fabric_build_arena(r->build);

	r->keys = arena_array(a, num_cells, sizeof(*r->keys));
	for (size_t i = 0; r->keys && i < num_cells; i++) {
		r->keys[i] = arena_strdup(a, is_module_key(r, cells[i]) ? cells[i] : "");
		if (!r->keys[i])
			return fail_nomem(r->err);
	}
	return r->keys ? 0 : fail_nomem(r->err);
}

static int read_cable(struct db_reader *r, char *const *cells)
{
	struct cable_row row = { 0 };
	struct module_text module;
	struct ibc_port *port;
	uint32_t known;
	int rc = db_row(r, cells, &row, &known);

	if (rc == 0)
		rc = row_port(r, row.node, row.num, &port);
	if (rc || !port || port->num == 0)
		return rc;
	module_begin(&module, fabric_build_arena(r->build), false);
	for (size_t i = 0; rc == 0 && i < r->num_cells; i++)
		if (*r->keys[i] && !db_is_none(cells[i]))
			rc = phy_module_key(r->phy, &module, r->keys[i], cells[i]);
	if (rc == 0)
		rc = phy_module_end(r->phy, &module, port);
	return rc ? fail_nomem(r->err) : 0;
}

const struct db_block db_block_cables = {
	.name = "CABLE_INFO",
	.columns = cable_columns,
	.header = begin_cables,
	.row = read_cable,
	.is_physical = true,
};
