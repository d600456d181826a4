/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables: what is plugged in at both ends, its light, its bit errors and their correction, and why
 * it is down.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phy.h"

#define THINGS_MAX 64 /* as show has them */

struct cables_cfg {
	bool errors_only;
};

static const struct opt cables_opts[] = {
	OPT_FLAG('e', "errors-only", struct cables_cfg, errors_only,
	         "only cables that a finding names"),
	OPT_END,
};

/* ---- a cable ------------------------------------------------------------------------------- */

enum { NEAR, FAR, ENDS };

/*
 * struct cable - @end: the near one first, where the columns of a port look; the far one's port is
 *	NULL if there is none
 * @at_least, @at_most: seconds since the link came up; NaN: not known
 */
struct cable {
	struct phy_end end[ENDS];
	double at_least, at_most;
};

static const struct ibc_port *end_of(const struct ibc_cell *cell)
{
	const struct cable *c = cell->row;

	return c->end[cell->column->arg].port;
}

/* A NaN is no number. */
static double lesser(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

static double greater(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* The device has no time of that; but it knows what it counted since the last clear. */
static void find_age(struct cable *c)
{
	c->at_least = c->at_most = NAN;
	for (unsigned int i = 0; i < ENDS; i++) {
		const struct ibc_port *port = c->end[i].port;
		const struct ibc_phy *phy = port ? port->extra->phy : NULL;
		double age;

		if (!ibc_phy_knows(phy, IBC_PHY_CLEAR_AGE_MS) || !ibc_port_is_up(port) ||
		    !ibc_phy_knows(phy, IBC_PHY_DOWNS_UNINTENDED) ||
		    !ibc_phy_knows(phy, IBC_PHY_DOWNS_INTENDED))
			continue;
		age = (double)phy->value[IBC_PHY_CLEAR_AGE_MS] / 1000;
		if (phy->value[IBC_PHY_DOWNS_UNINTENDED] + phy->value[IBC_PHY_DOWNS_INTENDED])
			c->at_most = lesser(c->at_most, age);
		else
			c->at_least = greater(c->at_least, age);
	}
	if (c->at_most < c->at_least)
		c->at_least = NAN; /* who saw it go down knows better */
}

/* ---- what text shows of both ends ------------------------------------------------------------ */

/* Bit errors before FEC and those it has left; symbols that it fixed in a code word. */
enum what { VENDOR, PART, SERIAL, REV, LENGTH, KIND, FEC, TEMP, RX, TX, RAW, LEFT, FIXED, DOWNS };

/* Lanes of the link, and those of the other port in the same plug that have light. */
static bool extremes(const struct ibc_port *end, enum ibc_ddm ddm, double *least, double *most)
{
	*least = *most = NAN;
	for (unsigned int i = 0; end->extra->module && i < phy_lanes_of(end); i++) {
		double now = ibc_module_reading(end->extra->module, ddm, i);

		*least = lesser(*least, now);
		*most = greater(*most, now);
	}
	return !isnan(*least);
}

static const char *power_text(const struct ibc_port *port, enum ibc_ddm ddm, char *buf, size_t size)
{
	double least, most;
	char low[16], high[16];

	if (!extremes(port, ddm, &least, &most))
		return NULL;
	snprintf(low, sizeof(low), "%.1f", ibc_dbm(least));
	snprintf(high, sizeof(high), "%.1f", ibc_dbm(most));
	snprintf(buf, size, strcmp(low, high) ? "%s..%s" : "%s", low, high);
	return buf;
}

static const char *kind_text(const struct ibc_module *m)
{
	if (!m->kind)
		return NULL;
	return m->kind == IBC_MODULE_OPTICAL && m->technology
	           ? ibc_module_technology_word(m->technology)->name
	           : ibc_module_kind_word(m->kind)->name;
}

/* Of one end; NULL: not known. */
static const char *phy_end_text(const struct phy_end *end, enum what what, char *buf, size_t size)
{
	const struct ibc_port *port = end->port;
	const struct ibc_module *m = port->extra->module;
	double degrees = m ? ibc_module_reading(m, IBC_DDM_TEMPERATURE, 0) : NAN;
	uint64_t downs;

	switch (what) {
	case VENDOR:
		return m ? m->vendor : NULL;
	case PART:
		return m ? m->part : NULL;
	case SERIAL:
		return m ? m->serial : NULL;
	case REV:
		return m ? m->revision : NULL;
	case LENGTH:
		if (!m || !(m->length_m > 0))
			return NULL;
		snprintf(buf, size, "%.4g m", m->length_m);
		return buf;
	case KIND:
		return m ? kind_text(m) : NULL;
	case FEC:
		return port->extra->phy && port->extra->phy->fec_active
		           ? ibc_fec_info(port->extra->phy->fec_active)->word.name
		           : NULL;
	case TEMP:
		snprintf(buf, size, "%.0f", degrees);
		return isnan(degrees) ? NULL : buf;
	case RX:
		return power_text(port, IBC_DDM_RX_POWER, buf, size);
	case TX:
		return power_text(port, IBC_DDM_TX_POWER, buf, size);
	case RAW:
		return phy_ber_text(end, IBC_BER_RAW, buf, size);
	case LEFT: /* after correction, and from HDR on after what was sent again */
		return phy_ber_text(
		    end, port->speed_active >= IBC_SPEED_HDR ? IBC_BER_SYMBOL : IBC_BER_EFFECTIVE,
		    buf, size);
	case FIXED:
		return phy_corrected_text(end, buf, size);
	case DOWNS:
		if (!phy_number(end, IBC_PHY_DOWNS_UNINTENDED, &downs))
			return NULL;
		snprintf(buf, size, "%ju", (uintmax_t)downs);
		return buf;
	}
	return NULL;
}

/* "MT2012VS00123", or "A / B" where the ends differ; what one end does not report is "?" */
static struct ibc_value both_ends(struct ibc_cell *cell)
{
	const struct cable *c = cell->row;
	enum what what = cell->column->arg;
	char near[64], far[64];
	const char *a = phy_end_text(&c->end[NEAR], what, near, sizeof(near)), *z = a;

	if (c->end[FAR].port)
		z = phy_end_text(&c->end[FAR], what, far, sizeof(far));
	if (!a && !z)
		return ibc_none();
	if (a && z && !strcmp(a, z))
		return ibc_cell_text(cell, "%s", a);
	return ibc_cell_text(cell, "%s / %s", a ? a : "?", z ? z : "?");
}

/* ---- alarms ------------------------------------------------------------------------------ */

/*
 * What is beyond the module's own limits now: never what its latches remember, and of its lanes
 * only where there is a link: else the laser may be off.  How many there are.
 */
static unsigned int add_alarms(struct ibc_cell *cell, const struct ibc_port *end)
{
	unsigned int lanes = end && ibc_port_is_up(end) ? phy_lanes_of(end) : 0, n = 0;

	for (unsigned int ddm = 0; end && end->extra->module && ddm < IBC_DDMS; ddm++) {
		bool of_lanes = ddm >= IBC_DDM_RX_POWER;

		for (unsigned int i = 0; i < (of_lanes ? lanes : 1); i++) {
			enum ibc_sensor_alarm alarm = ibc_module_alarm(end->extra->module, ddm, i);

			if (alarm <= IBC_SENSOR_ALARM_NONE)
				continue;
			n++;
			ibc_cell_text(cell, "%s%s %s at %s/%u", cell->length ? ", " : "",
			              ibc_ddm_word(ddm)->name,
			              alarm == IBC_SENSOR_ALARM_HIGH ? "high" : "low",
			              end->node->label, end->num);
			if (of_lanes)
				ibc_cell_text(cell, " lane %u", i);
		}
	}
	return n;
}

static struct ibc_value cable_alarms(struct ibc_cell *cell)
{
	const struct cable *c = cell->row;

	add_alarms(cell, c->end[NEAR].port);
	add_alarms(cell, c->end[FAR].port);
	return cell->length ? ibc_str(cell->text) : ibc_none();
}

static struct ibc_value cable_down(struct ibc_cell *cell)
{
	const struct cable *c = cell->row;

	for (unsigned int i = 0; i < ENDS; i++)
		if (c->end[i].port)
			phy_add_down(cell, &c->end[i], true);
	return cell->length ? ibc_str(cell->text) : ibc_none();
}

/* "temperature high alarm at leaf01/5", "Tx fault at leaf01/5 lane 0 lane 3" */
static void add_flags(struct ibc_cell *cell, const struct ibc_port *end, enum ibc_latch latch)
{
	static const char *const limits[] = { " high alarm", " low alarm", " high warning",
		                              " low warning" };
	unsigned int flags = end->extra->module->latched[latch];

	ibc_cell_text(cell, "%s%s", cell->length ? ", " : "", ibc_latch_word(latch)->name);
	for (unsigned int i = 0; latch <= IBC_LATCH_VOLTAGE && i < ARRAY_SIZE(limits); i++)
		ibc_cell_text(cell, "%s", flags >> i & 1 ? limits[i] : "");
	ibc_cell_text(cell, " at %s/%u", end->node->label, end->num);
	for (unsigned int i = 0; latch >= IBC_LATCH_TX_FAULT && i < IBC_PHY_LANES; i++)
		if (flags >> i & 1)
			ibc_cell_text(cell, " lane %u", i);
}

/* Passive copper has them set when it leaves the factory. */
static void add_latched(struct ibc_cell *cell, const struct ibc_port *end)
{
	const struct ibc_module *m = end ? end->extra->module : NULL;

	if (!m || !m->has_latched ||
	    (m->kind != IBC_MODULE_ACTIVE_CABLE && m->kind != IBC_MODULE_OPTICAL))
		return;
	for (unsigned int i = 0; i < IBC_LATCHES; i++)
		if (m->latched[i])
			add_flags(cell, end, i);
}

static struct ibc_value cable_latched(struct ibc_cell *cell)
{
	const struct cable *c = cell->row;

	add_latched(cell, c->end[NEAR].port);
	add_latched(cell, c->end[FAR].port);
	return cell->length ? ibc_str(cell->text) : ibc_none();
}

/* ---- each end, for programs ---------------------------------------------------------------- */

#define AT_END(name, expression)                                                                   \
	static struct ibc_value name(struct ibc_cell *cell)                                        \
	{                                                                                          \
		const struct ibc_module *m = end_of(cell) ? end_of(cell)->extra->module : NULL;    \
                                                                                                   \
		return m ? (expression) : ibc_none();                                              \
	}

static struct ibc_value reading(const struct ibc_module *m, enum ibc_ddm ddm)
{
	double now = ibc_module_reading(m, ddm, 0);

	return isnan(now) ? ibc_none() : ibc_real(now);
}

static struct ibc_value extreme(const struct ibc_cell *cell, enum ibc_ddm ddm, bool greatest)
{
	double least, most;

	if (!end_of(cell) || !extremes(end_of(cell), ddm, &least, &most))
		return ibc_none();
	return ibc_real(greatest ? most : least);
}

AT_END(end_vendor, ibc_str(m->vendor))
AT_END(end_part, ibc_str(m->part))
AT_END(end_serial, ibc_str(m->serial))
AT_END(end_revision, ibc_str(m->revision))
AT_END(end_date, ibc_str(m->date))
AT_END(end_firmware, ibc_str(m->firmware))
AT_END(end_kind, m->kind ? ibc_enum(ibc_module_kind_word(m->kind)) : ibc_none())
AT_END(end_form, m->form ? ibc_enum(ibc_module_form_word(m->form)) : ibc_none())
AT_END(end_technology,
       m->technology ? ibc_enum(ibc_module_technology_word(m->technology)) : ibc_none())
AT_END(end_length, isnan(m->length_m) ? ibc_none() : real_or_none(m->length_m))
AT_END(end_temperature, reading(m, IBC_DDM_TEMPERATURE))
AT_END(end_voltage, reading(m, IBC_DDM_VOLTAGE))
AT_END(end_state, m->state ? ibc_enum(ibc_module_state_word(m->state)) : ibc_none())
AT_END(end_rx_least, extreme(cell, IBC_DDM_RX_POWER, false))
AT_END(end_rx_most, extreme(cell, IBC_DDM_RX_POWER, true))
AT_END(end_tx_least, extreme(cell, IBC_DDM_TX_POWER, false))
AT_END(end_tx_most, extreme(cell, IBC_DDM_TX_POWER, true))

static struct ibc_value end_fec(struct ibc_cell *cell)
{
	const struct ibc_phy *phy = end_of(cell) ? end_of(cell)->extra->phy : NULL;

	return phy ? fec_value(phy->fec_active) : ibc_none();
}

static struct ibc_value cable_up_for(struct ibc_cell *cell)
{
	const struct cable *c = cell->row;
	char text[TIME_TEXT];

	if (isnan(c->at_least) && isnan(c->at_most))
		return ibc_none();
	duration_text(isnan(c->at_least) ? c->at_most : c->at_least, text);
	return ibc_cell_text(cell, "%s%s", isnan(c->at_least) ? "<" : ">", text);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* clang-format off */
#define BOTH_ENDS(what, k, title, ...) COLUMN(k, title, both_ends, .arg = (what), __VA_ARGS__)
#define END_COLUMNS(which, prefix) \
	COLUMN_OF(which, prefix "vendor", NULL, end_vendor), \
	COLUMN_OF(which, prefix "part", NULL, end_part), \
	COLUMN_OF(which, prefix "serial", NULL, end_serial), \
	COLUMN_OF(which, prefix "revision", NULL, end_revision), \
	COLUMN_OF(which, prefix "date", NULL, end_date), \
	COLUMN_OF(which, prefix "firmware", NULL, end_firmware), \
	COLUMN_OF(which, prefix "kind", NULL, end_kind), \
	COLUMN_OF(which, prefix "form", NULL, end_form), \
	COLUMN_OF(which, prefix "technology", NULL, end_technology), \
	COLUMN_OF(which, prefix "length_metres", NULL, end_length), \
	COLUMN_OF(which, prefix "fec", NULL, end_fec), \
	COLUMN_OF(which, prefix "state", NULL, end_state), \
	COLUMN_OF(which, prefix "temperature_celsius", NULL, end_temperature), \
	COLUMN_OF(which, prefix "voltage_volts", NULL, end_voltage), \
	COLUMN_OF(which, prefix "rx_power_min_microwatts", NULL, end_rx_least), \
	COLUMN_OF(which, prefix "rx_power_max_microwatts", NULL, end_rx_most), \
	COLUMN_OF(which, prefix "tx_power_min_microwatts", NULL, end_tx_least), \
	COLUMN_OF(which, prefix "tx_power_max_microwatts", NULL, end_tx_most)
/* clang-format on */

static const struct ibc_column cable_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	COLUMN("port_label", NULL, cell_port_label),
	PEER_COLUMNS,
	COLUMN("peer_port_label", NULL, cell_peer_label),
	COLUMN("cable", "CABLE", cell_cable),
	COLUMN("width", NULL, cell_width),
	COLUMN("speed", "SPEED", cell_speed),
	BOTH_ENDS(VENDOR, "both_vendors", "VENDOR", .detail = true),
	BOTH_ENDS(PART, "both_parts", "PART"),
	BOTH_ENDS(SERIAL, "both_serials", "SERIAL"),
	BOTH_ENDS(REV, "both_revisions", "REV", .detail = true),
	BOTH_ENDS(LENGTH, "both_lengths", "LENGTH"),
	BOTH_ENDS(KIND, "both_kinds", "KIND"),
	BOTH_ENDS(FEC, "both_fecs", "FEC"),
	BOTH_ENDS(TEMP, "both_temperatures", "TEMP C"),
	BOTH_ENDS(RX, "both_rx_dbm", "RX dBm"),
	BOTH_ENDS(TX, "both_tx_dbm", "TX dBm"),
	BOTH_ENDS(RAW, "both_raw_bers", "RAW BER", .legend = "bit errors before FEC"),
	BOTH_ENDS(LEFT, "both_left_bers", "LEFT", .legend = "bit errors that FEC has left"),
	BOTH_ENDS(FIXED, "both_corrected", "CORRECTED",
	          .legend = "symbols of a code word that FEC had to correct, at the most"),
	BOTH_ENDS(DOWNS, "both_downs", "DOWNS"),
	COLUMN("up_for", "UP FOR", cable_up_for),
	FIELD("up_at_least_seconds", NULL, struct cable, at_least),
	FIELD("up_at_most_seconds", NULL, struct cable, at_most),
	END_COLUMNS(NEAR, ""),
	END_COLUMNS(FAR, "peer_"),
	DETAIL("latched", "LATCHED", cable_latched,
	       .legend = "alarms that the module remembers after their cause is gone"),
	COLUMN("alarms", "ALARMS", cable_alarms),
	SENTENCE("down", "LINK DOWN", cable_down),
	{ 0 },
};
const struct ibc_table_type cables_type = TABLE("cables", cable_columns, NULL);

/* ---- plugs: a row for each, of which the near end of a cable is the only one --------------- */

AT_END(plug_alarms, m->monitored ? ibc_u64(add_alarms(cell, end_of(cell))) : ibc_none())
AT_END(plug_limit, m->ddm[IBC_DDM_TEMPERATURE].high > m->ddm[IBC_DDM_TEMPERATURE].low
                       ? ibc_real(m->ddm[IBC_DDM_TEMPERATURE].high)
                       : ibc_none())

static const struct ibc_column plug_columns[] = {
	COLUMN("subnet", NULL, cell_subnet),
	PORT_COLUMNS,
	COLUMN("name", "PORT", cell_port_name),
	COLUMN_OF(NEAR, "vendor", "VENDOR", end_vendor),
	COLUMN_OF(NEAR, "part", "PART", end_part),
	COLUMN_OF(NEAR, "serial", "SERIAL", end_serial),
	COLUMN_OF(NEAR, "kind", NULL, end_kind),
	COLUMN_OF(NEAR, "state", NULL, end_state),
	COLUMN_OF(NEAR, "temperature_celsius", "TEMP C", end_temperature),
	COLUMN_OF(NEAR, "temperature_alarm_celsius", "ALARM C", plug_limit),
	COLUMN_OF(NEAR, "voltage_volts", "V", end_voltage),
	COLUMN_OF(NEAR, "alarm_count", NULL, plug_alarms),
	COLUMN("latched", "LATCHED", cable_latched),
	SENTENCE("alarms", "ALARMS", cable_alarms),
	{ 0 },
};

static const struct ibc_label plug_labels[] = {
	{ "guid", "node_guid" }, { "port", "port" },     { "vendor", "vendor" },
	{ "part", "part" },      { "serial", "serial" }, { 0 },
};
static const struct ibc_metric plug_info[] = {
	{ "node_guid", "info", "information", IBC_METRIC_INFO },
	{ 0 },
};
static const struct ibc_metric plug_metrics[] = {
	{ "temperature_celsius", "temperature_celsius", "temperature", IBC_METRIC_GAUGE },
	{ "temperature_alarm_celsius", "temperature_alarm_celsius",
	  "temperature at which its own alarm begins", IBC_METRIC_GAUGE },
	{ "voltage_volts", "voltage_volts", "supply voltage", IBC_METRIC_GAUGE },
	{ "alarm_count", "alarms", "readings beyond its own alarms now", IBC_METRIC_GAUGE },
	{ 0 },
};
#define OF_MODULES "infiniband_module_", "InfiniBand module or cable", NULL, NULL
static const struct ibc_metric_group plug_groups[] = {
	{ OF_MODULES, plug_labels, plug_info },
	{ OF_MODULES, port_labels, plug_metrics },
	{ 0 },
};
const struct ibc_table_type plugs_type = TABLE("port_modules", plug_columns, "modules",
                                               .groups = plug_groups);

/* ---- the rows ------------------------------------------------------------------------------- */

/* struct cable_listing - @ends: with the tables of ends; @free: ports that are not shown */
struct cable_listing {
	struct app *app;
	struct ibc_table *table;
	struct named named;
	bool errors_only, ends, any_latched;
	uint64_t free;
};

static bool is_shown(const struct app *app, const struct ibc_port *p)
{
	for (size_t i = 0; i < app->num_places; i++)
		if (app->places[i].node == p->node &&
		    (!app->places[i].port || app->places[i].port == p->num))
			return true;
	return !app->places;
}

static void add_details(const struct cable_listing *l, const struct phy_end *end)
{
	const struct ibc_port *port = end->port;

	if (port->extra->module && ibc_module_port(port) == port)
		ibc_table_row(app_table(l->app, &plugs_type), &(struct cable){ .end = { *end } });
	phy_lanes_rows(l->app, end);
	if (!l->ends || !is_shown(l->app, port))
		return;
	if (port->extra->phy)
		ibc_table_row(app_table(l->app, &phy_type), end);
	phy_bins_rows(l->app, end);
}

static void add_cable(const struct ibc_port *p, void *ctx)
{
	struct cable_listing *l = ctx;
	struct cable c = { .end = { phy_end_of(l->app, p), phy_end_of(l->app, p->peer) } };
	struct ibc_cell latched = { .row = &c };

	if ((p->num == 0 && p->node->type == IBC_NODE_SWITCH) ||
	    (p->peer && !ibc_port_is_near_end(p) && is_shown(l->app, p->peer)))
		return;
	if (phy_is_free(p) && !(l->ends && *l->app->args)) {
		l->free++;
		return;
	}
	if (l->errors_only && !named_has(&l->named, p) &&
	    !(p->peer && named_has(&l->named, p->peer)))
		return;
	find_age(&c);
	ibc_table_row(l->table, &c);
	l->any_latched |= cable_latched(&latched).kind != IBC_NONE;
	for (unsigned int i = 0; app_shows_all(l->app) && i < ENDS; i++)
		if (c.end[i].port)
			add_details(l, &c.end[i]);
}

static int list_cables(struct cable_listing *l, struct ibc_error *err)
{
	int rc = l->errors_only ? named_all(&l->named, l->app->report, err) : 0;

	l->table = app_table(l->app, &cables_type);
	if (!rc)
		rc = ports_each(l->app, add_cable, l, err);
	if (!l->any_latched)
		ibc_table_hide(l->table, "latched");
	free(l->named.keys);
	return rc;
}

int cables_table(struct app *app, struct ibc_error *err)
{
	return list_cables(&(struct cable_listing){ .app = app }, err);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int cables_tables(struct app *app, struct ibc_error *err)
{
	const struct cables_cfg *c = app->cfg;
	struct cable_listing l = { .app = app, .errors_only = c->errors_only, .ends = true };
	const struct ibc_node *node;
	int rc;

	if (*app->args && app->num_places == 1 &&
	    (app->places[0].port || app->places[0].node->num_ports == 1)) {
		app->common.verbose = true; /* all of one port, one below the other */
		ibc_table_upright(app_table(app, &cables_type));
		ibc_table_upright(app_table(app, &phy_type));
	}
	rc = list_cables(&l, err);
	if (!app_for_people(app))
		app_table(app, &phy_type); /* empty where nothing was read */
	ibc_table_omit(l.table, l.free, " with nothing plugged in");
	for (size_t i = 0; app_shows_all(app) && (node = ibc_fabric_node(app->fabric, i)); i++) {
		bool shown = !app->places;

		for (size_t k = 0; !shown && k < app->num_places; k++)
			shown = app->places[k].node == node;
		if (shown)
			sensors_rows(app, node);
	}
	conclude_physical(app);
	return rc;
}

const struct cmd cmd_cables = {
	.name = "cables",
	.summary = "cables and modules: serials, light, bit errors, why they are down",
	.args = "[THING...]",
	.max_args = THINGS_MAX,
	.example = "cables --node leaf03\n"
		   "cables leaf03/19\n"
		   "cables --interval 15m\n"
		   "cables -f csv -o cables.csv\n"
		   "cables --source fabric.snap --errors-only\n",
	.group = CMD_FABRIC,
	.takes = TAKES_FABRIC | TAKES_STATE | TAKES_WINDOWS | TAKES_PHYSICAL,
	.checks = "cable,phy,device",
	.opts = cables_opts,
	.cfg_size = sizeof(struct cables_cfg),
	.csv = &cables_type,
	.shows = TABLES(&cables_type, &phy_type, &plugs_type, &phy_lanes_type, &phy_bins_type,
	                &sensors_type),
	.run = cables_run,
	.tables = cables_tables,
};
