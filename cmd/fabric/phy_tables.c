/* SPDX-License-Identifier: BSD-2-Clause */
/* The physical layer read, and in small: lanes, bins of the FEC histogram, sensors. */
#include <math.h>

#include "phy.h"

#define PHY_COLUMNS                                                                                \
	COLUMN("subnet", NULL, cell_subnet), PORT_COLUMNS, COLUMN("name", "PORT", cell_port_name)

/* ---- the sweep ---------------------------------------------------------------------------- */

int cables_run(struct app *app, struct ibc_error *err)
{
	const struct ibc_attrs needs = IBC_ATTRS(IBC_ATTR_PORT_INFO, IBC_ATTR_MLNX_EXT_PORT_INFO);
	int rc;

	app->how.physical = true;
	app->how.totals = true;
	rc = samples_sweep(app, needs, err);
	for (size_t i = 0; !rc && app->args[i]; i++)
		rc = app_place(app, app->args[i], err);
	return rc ? rc : app_check(app, err);
}

struct phy_end phy_end_of(const struct app *app, const struct ibc_port *port)
{
	struct phy_end end = { .port = port };

	if (port)
		ibc_phy_delta_of(app->before, port, &end.delta);
	return end;
}

/* ---- lanes ------------------------------------------------------------------------------ */

unsigned int phy_lanes_of(const struct ibc_port *port)
{
	unsigned int lanes = ibc_width_lanes(ibc_port_is_up(port) ? port->width_active : 0);

	return lanes && lanes < IBC_PHY_LANES ? lanes : IBC_PHY_LANES;
}

struct lane {
	const struct ibc_port *port;
	const struct phy_end *end;
	unsigned int lane;
};

static double lane_reading(const struct lane *l, enum ibc_ddm ddm)
{
	return l->port->extra->module ? ibc_module_reading(l->port->extra->module, ddm, l->lane)
	                              : NAN;
}

static struct ibc_value lane_dbm(const struct lane *l, enum ibc_ddm ddm)
{
	double microwatts = lane_reading(l, ddm);

	return isnan(microwatts) ? ibc_none() : ibc_real(ibc_dbm(microwatts));
}

static struct ibc_value lane_errors(struct ibc_cell *cell)
{
	const struct lane *l = cell->row;
	unsigned int value = IBC_PHY_RAW_ERRORS_LANE0 + l->lane;

	return l->end->delta.known >> value & 1 ? ibc_u64(l->end->delta.value[value]) : ibc_none();
}

struct ibc_value fec_value(enum ibc_fec fec)
{
	return fec ? ibc_enum(&ibc_fec_info(fec)->word) : ibc_none();
}

struct ibc_value ber_text(struct ibc_cell *cell, struct ibc_phy_ber ber)
{
	return isnan(ber.rate) ? ibc_none()
	                       : ibc_cell_text(cell, "%s%.1e", ber.is_bound ? "<" : "", ber.rate);
}

static struct ibc_phy_ber lane_ber_of(const struct lane *l)
{
	return ibc_phy_lane_ber_of(l->port, &l->end->delta, l->lane);
}

GETTER(lane_ber, struct lane, l, real_or_unknown(lane_ber_of(l).rate));
GETTER(lane_is_bound, struct lane, l,
       isnan(lane_ber_of(l).rate) ? ibc_none() : ibc_bool(lane_ber_of(l).is_bound));
GETTER(lane_ber_string, struct lane, l, ber_text(cell, lane_ber_of(l)));
GETTER(lane_rx, struct lane, l, real_or_unknown(lane_reading(l, IBC_DDM_RX_POWER)));
GETTER(lane_tx, struct lane, l, real_or_unknown(lane_reading(l, IBC_DDM_TX_POWER)));
GETTER(lane_rx_dbm, struct lane, l, lane_dbm(l, IBC_DDM_RX_POWER));
GETTER(lane_tx_dbm, struct lane, l, lane_dbm(l, IBC_DDM_TX_POWER));
GETTER(lane_bias, struct lane, l, real_or_unknown(lane_reading(l, IBC_DDM_BIAS)));

static const struct ibc_column lane_columns[] = {
	PHY_COLUMNS,
	FIELD("lane", "LANE", struct lane, lane),
	COLUMN("raw_errors", "RAW ERRORS", lane_errors),
	COLUMN("raw_ber", NULL, lane_ber),
	COLUMN("raw_ber_is_bound", NULL, lane_is_bound),
	COLUMN("raw_ber_text", "RAW BER", lane_ber_string),
	COLUMN("rx_power_dbm", "RX dBm", lane_rx_dbm),
	COLUMN("tx_power_dbm", "TX dBm", lane_tx_dbm),
	COLUMN("rx_power_microwatts", "RX uW", lane_rx),
	COLUMN("tx_power_microwatts", "TX uW", lane_tx),
	COLUMN("bias_microamperes", "BIAS uA", lane_bias),
	{ 0 },
};

static const struct ibc_label lane_labels[] = {
	{ "guid", "node_guid" }, { "port", "port" }, { "lane", "lane" }, { 0 }
};
static const struct ibc_metric lane_metrics[] = {
	{ "rx_power_dbm", "receive_power_dbm", "light received", IBC_METRIC_GAUGE },
	{ "tx_power_dbm", "transmit_power_dbm", "light sent", IBC_METRIC_GAUGE },
	{ 0 },
};
static const struct ibc_metric_group lane_groups[] = {
	{ "infiniband_lane_", "InfiniBand port, one lane:", NULL, NULL, lane_labels, lane_metrics },
	{ 0 },
};
const struct ibc_table_type phy_lanes_type = TABLE("phy_lanes", lane_columns, "lanes",
                                                   .groups = lane_groups);

void phy_lanes_rows(struct app *app, const struct phy_end *end)
{
	struct ibc_table *table = app_table(app, &phy_lanes_type);

	for (unsigned int i = 0; i < phy_lanes_of(end->port); i++) {
		const struct lane lane = { end->port, end, i };
		bool known = end->delta.known >> (IBC_PHY_RAW_ERRORS_LANE0 + i) & 1;

		for (enum ibc_ddm ddm = IBC_DDM_RX_POWER; ddm <= IBC_DDM_BIAS; ddm++)
			known |= !isnan(lane_reading(&lane, ddm));
		if (known)
			ibc_table_row(table, &lane);
	}
}

/* ---- the FEC histogram ------------------------------------------------------------------- */

struct bin {
	const struct ibc_port *port;
	unsigned int low, high;
	uint64_t since_clear, blocks;
};

static const struct ibc_column bin_columns[] = {
	PHY_COLUMNS,
	FIELD("from_symbols", "FROM", struct bin, low),
	FIELD("to_symbols", "TO SYMBOLS", struct bin, high),
	FIELD("blocks", "CODE WORDS", struct bin, blocks),
	FIELD("blocks_since_clear", "SINCE CLEAR", struct bin, since_clear),
	{ 0 },
};
const struct ibc_table_type phy_bins_type = TABLE("fec_histogram", bin_columns,
                                                  "code words by corrected symbols");

void phy_bins_rows(struct app *app, const struct phy_end *end)
{
	const struct ibc_fec_histogram *h = end->port->extra->phy ? end->port->extra->phy->histogram
	                                                          : NULL;
	struct ibc_table *table = app_table(app, &phy_bins_type);

	for (unsigned int i = 0; h && i < h->num_bins && i < h->num_blocks; i++)
		ibc_table_row(table, &(struct bin){ end->port, h->low[i], h->high[i], h->blocks[i],
		                                    ibc_fec_bin_of(end->port, &end->delta, i) });
}

/* ---- sensors ----------------------------------------------------------------------------- */

struct sensor_row {
	const struct ibc_node *node;
	struct ibc_sensor sensor;
};

static struct ibc_value sensor_alarm(struct ibc_cell *cell)
{
	unsigned int alarm = ((const struct sensor_row *)cell->row)->sensor.alarm;
	static const char *const texts[] = {
		[IBC_SENSOR_ALARM_NONE] = "none",
		[IBC_SENSOR_ALARM_LOW] = "low",
		[IBC_SENSOR_ALARM_HIGH] = "high",
	};

	return ibc_str(alarm < ARRAY_SIZE(texts) ? texts[alarm] : NULL);
}

GETTER(sensor_kind, struct sensor_row, r, ibc_enum(ibc_sensor_kind_word(r->sensor.kind)));

static const struct ibc_column sensor_columns[] = {
	COLUMN_OF(OF_NODE, "subnet", NULL, cell_subnet),
	NODE_COLUMNS(OF_NODE),
	COLUMN_OF(OF_NODE, "node", "NODE", cell_node),
	COLUMN("kind", "SENSOR", sensor_kind),
	FIELD("index", "INDEX", struct sensor_row, sensor.index),
	FIELD("name", "NAME", struct sensor_row, sensor.name),
	FIELD("now", "NOW", struct sensor_row, sensor.now),
	FIELD("max", "MAX", struct sensor_row, sensor.max),
	FIELD("low", "LOW", struct sensor_row, sensor.low),
	FIELD("high", "HIGH", struct sensor_row, sensor.high),
	COLUMN("alarm", "ALARM", sensor_alarm),
	{ 0 },
};
const struct ibc_table_type sensors_type = TABLE("device_sensors", sensor_columns,
                                                 "sensors of devices");

void sensors_rows(struct app *app, const struct ibc_node *node)
{
	struct ibc_table *table = app_table(app, &sensors_type);

	for (size_t i = 0; i < node->num_sensors; i++)
		ibc_table_row(table, &(struct sensor_row){ node, node->sensors[i] });
}
