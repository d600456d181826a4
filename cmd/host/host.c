/* SPDX-License-Identifier: BSD-2-Clause */
/* This host: ports, firmware, drivers, libraries, PCI, GPUs. */
#include <math.h>

#include "cmd.h"
#include "columns.h"

#define RATE_MAX 1000000 /* Gb/s: a typing error beyond */

struct host_cfg {
	double interval;
	unsigned int ports, rate;
};

static const struct opt host_opts[] = {
	OPT_SECONDS(
	    'i', "interval", "S", struct host_cfg, interval, WINDOW_MAX_SECONDS,
	    "read twice, S seconds apart (10, 0.5, 2m or 1h), and judge the counters that rose"),
	OPT_UINT(0, "expect-ports", "N", struct host_cfg, ports, 1, UINT16_MAX,
	         "require N active InfiniBand ports"),
	OPT_UINT(0, "expect-rate", "GBPS", struct host_cfg, rate, 1, RATE_MAX,
	         "require each port to run at GBPS Gb/s or more"),
	OPT_END,
};

/* ---- reading and checking ------------------------------------------------------------ */

static int set_expected(struct app *app, const char *check, unsigned int number,
                        struct ibc_error *err)
{
	char text[16];

	if (!number)
		return 0;
	snprintf(text, sizeof(text), "%u", number);
	return ibc_config_set(app->config, check, "expect", text, err);
}

/* What the tables show is read whatever the checks want. */
#define PARTS_SHOWN (IBC_HOST_PCI | IBC_HOST_STACK)

static int host_run(struct app *app, struct ibc_error *err)
{
	const struct host_cfg *c = app->cfg;
	int rc = set_expected(app, "host.port-count", c->ports, err);

	if (!rc)
		rc = set_expected(app, "host.rate", c->rate, err);
	if (!rc)
		rc = app_host(app, (struct ibc_host_opts){ .parts = PARTS_SHOWN }, c->interval,
		              err);
	return rc ? rc : app_check(app, err);
}

static void host_input(const struct app *app, struct ibc_input *in)
{
	(void)app;
	in->untimed = "transport counters";
}

/* ---- tables ----------------------------------------------------------------------------- */

/* struct host_hop_row - a PCI function on the way of @device up to its root */
struct host_hop_row {
	const char *device;
	unsigned int hop;
	struct ibc_pci pci;
};

GETTER(pci_gbps, struct host_hop_row, h, real_or_none(ibc_pci_gbps(h->pci.gts, h->pci.lanes)));
GETTER(pci_acs, struct host_hop_row, h, h->pci.has_acs ? ibc_u64(h->pci.acs) : ibc_none());
GETTER(pci_control, struct host_hop_row, h,
       h->pci.config_read ? ibc_u64(h->pci.device_control) : ibc_none());

static const struct ibc_column pci_columns[] = {
	FIELD("device", "DEVICE", struct host_hop_row, device),
	FIELD("hop", "HOP", struct host_hop_row, hop),
	FIELD("pci", "PCI", struct host_hop_row, pci.name),
	FIELD_OR_NONE("speed_gts", "GT/S", struct host_hop_row, pci.gts),
	FIELD_OR_NONE("max_speed_gts", "MAX", struct host_hop_row, pci.max_gts),
	FIELD_OR_NONE("lanes", "LANES", struct host_hop_row, pci.lanes),
	FIELD_OR_NONE("max_lanes", "MAX", struct host_hop_row, pci.max_lanes),
	COLUMN("usable_gbps", "Gb/s", pci_gbps),
	FIELD("numa", "NUMA", struct host_hop_row, pci.numa),
	FIELD_OR_NONE("driver", "DRIVER", struct host_hop_row, pci.driver),
	FIELD_OR_NONE("iommu", "IOMMU", struct host_hop_row, pci.iommu),
	COLUMN("acs", NULL, pci_acs),
	COLUMN("device_control", NULL, pci_control),
	{ 0 },
};
static const struct ibc_table_type pci_type = { "pci", pci_columns, NULL, NULL, NULL };

/* struct host_pair_row - a GPU and an adapter, which @device names */
struct host_pair_row {
	struct ibc_pci gpu, hca;
	const char *device;
};

GETTER(pair_nearness, struct host_pair_row, p,
       ibc_enum(ibc_nearness_word(ibc_pci_nearness(&p->gpu, &p->hca))));

static const struct ibc_column affinity_columns[] = {
	FIELD("gpu", "GPU", struct host_pair_row, gpu.name),
	FIELD("device", "DEVICE", struct host_pair_row, device),
	COLUMN("nearness", "NEARNESS", pair_nearness),
	FIELD("gpu_numa", "GPU NUMA", struct host_pair_row, gpu.numa),
	FIELD("device_numa", "NUMA", struct host_pair_row, hca.numa),
	{ 0 },
};
static const struct ibc_table_type affinity_type = { "affinity", affinity_columns, NULL, NULL,
	                                             NULL };

/* How many GPUs there are; where there are none, the table is only there if @all. */
static size_t affinity_table(struct app *app, bool all)
{
	const struct ibc_rdma_device *device;
	const struct ibc_pci *gpu, *hca;
	size_t gpus = 0;

	if (all)
		app_table(app, &affinity_type);
	for (size_t i = 0; (gpu = ibc_host_pci(app->host, i)); i++) {
		if (gpu->kind != IBC_PCI_GPU)
			continue;
		gpus++;
		app_table(app, &affinity_type);
		for (size_t k = 0; (device = ibc_host_device(app->host, k)); k++) {
			hca = ibc_host_pci_by_name(app->host, device->pci);
			if (hca)
				ibc_table_row(app_table(app, &affinity_type),
				              &(struct host_pair_row){ *gpu, *hca, device->name });
		}
	}
	return gpus;
}

/* struct host_module_row - the module in a port's cage */
struct host_module_row {
	const char *device, *kind;
	unsigned int port;
	struct ibc_module module;
};

static struct ibc_value known(double number)
{
	return isnan(number) ? ibc_none() : ibc_real(number);
}

/* Of all lanes: -1 the lowest, 1 the highest. */
static struct ibc_value of_lanes(const struct ibc_ddm_reading *ddm, int which)
{
	double found = NAN;

	for (unsigned int lane = 0; lane < IBC_PHY_LANES; lane++)
		if (!isnan(ddm->now[lane]) && !((found - ddm->now[lane]) * which >= 0))
			found = ddm->now[lane];
	return known(found);
}

GETTER(module_length, struct host_module_row, m, known(m->module.length_m));
GETTER(module_celsius, struct host_module_row, m, known(m->module.ddm[IBC_DDM_TEMPERATURE].now[0]));
GETTER(module_alarm, struct host_module_row, m, known(m->module.ddm[IBC_DDM_TEMPERATURE].high));
GETTER(module_volts, struct host_module_row, m, known(m->module.ddm[IBC_DDM_VOLTAGE].now[0]));
GETTER(module_rx, struct host_module_row, m, of_lanes(&m->module.ddm[IBC_DDM_RX_POWER], -1));
GETTER(module_tx, struct host_module_row, m, of_lanes(&m->module.ddm[IBC_DDM_TX_POWER], -1));
GETTER(module_bias, struct host_module_row, m, of_lanes(&m->module.ddm[IBC_DDM_BIAS], 1));

static const struct ibc_column module_columns[] = {
	FIELD("device", "DEVICE", struct host_module_row, device),
	FIELD("port", "PORT", struct host_module_row, port),
	FIELD_OR_NONE("vendor", "VENDOR", struct host_module_row, module.vendor),
	FIELD_OR_NONE("part", "PART", struct host_module_row, module.part),
	FIELD_OR_NONE("revision", NULL, struct host_module_row, module.revision),
	FIELD_OR_NONE("serial", "SERIAL", struct host_module_row, module.serial),
	FIELD("kind", "KIND", struct host_module_row, kind),
	COLUMN("length_m", "m", module_length),
	COLUMN("temperature_celsius", "C", module_celsius),
	COLUMN("temperature_alarm_celsius", "ALARM", module_alarm),
	COLUMN("voltage_volts", NULL, module_volts),
	COLUMN("rx_power_min_uw", "RX uW", module_rx),
	COLUMN("tx_power_min_uw", "TX uW", module_tx),
	COLUMN("bias_max_ua", NULL, module_bias),
	{ 0 },
};
static const struct ibc_table_type modules_type = { "modules", module_columns, NULL, NULL, NULL };

/* struct host_sensor_row - a temperature of @device */
struct host_sensor_row {
	const char *device;
	struct ibc_sensor sensor;
};

GETTER(sensor_now, struct host_sensor_row, s, known(s->sensor.now));
GETTER(sensor_highest, struct host_sensor_row, s, known(s->sensor.max));
GETTER(sensor_alarm, struct host_sensor_row, s, known(s->sensor.high));

static const struct ibc_column sensor_columns[] = {
	FIELD("device", "DEVICE", struct host_sensor_row, device),
	FIELD_OR_NONE("sensor", "SENSOR", struct host_sensor_row, sensor.name),
	COLUMN("temperature_celsius", "C", sensor_now),
	COLUMN("highest_celsius", "HIGHEST", sensor_highest),
	COLUMN("temperature_alarm_celsius", "ALARM", sensor_alarm),
	{ 0 },
};
static const struct ibc_table_type sensors_type = { "sensors", sensor_columns, NULL, NULL, NULL };

/* That none was read does not mean that there is none: text says nothing then. */
static void measured_tables(struct app *app)
{
	const struct ibc_rdma_device *device;

	if (!app_for_people(app)) {
		app_table(app, &modules_type);
		app_table(app, &sensors_type);
	}
	for (size_t i = 0; (device = ibc_host_device(app->host, i)); i++)
		for (size_t p = 0; p < device->num_ports; p++) {
			const struct ibc_rdma_port *port = &device->ports[p];

			if (port->module)
				ibc_table_row(app_table(app, &modules_type),
				              &(struct host_module_row){
						  device->name,
						  ibc_module_kind_word(port->module->kind)->word,
						  port->num, *port->module });
		}
	for (size_t i = 0; (device = ibc_host_device(app->host, i)); i++)
		for (size_t s = 0; s < device->num_sensors; s++)
			ibc_table_row(
			    app_table(app, &sensors_type),
			    &(struct host_sensor_row){ device->name, device->sensors[s] });
}

static int host_tables(struct app *app, struct ibc_error *err)
{
	const struct host_cfg *cfg = app->cfg;
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;
	bool all = app_shows_all(app);
	char window[TIME_TEXT];
	size_t gpus;
	int rc;

	host_ports(app, &host_ports_type);
	if (all) { /* from each adapter and GPU up to its root port */
		struct ibc_table *table = app_table(app, &pci_type);

		for (size_t i = 0; (device = ibc_host_device(app->host, i)); i++) {
			pci = ibc_host_pci_by_name(app->host, device->pci);
			for (unsigned int hop = 0; pci; pci = pci->up)
				ibc_table_row(table,
				              &(struct host_hop_row){ device->name, hop++, *pci });
		}
		for (size_t i = 0; (pci = ibc_host_pci(app->host, i)); i++)
			if (pci->kind == IBC_PCI_GPU)
				ibc_table_row(table, &(struct host_hop_row){ pci->name, 0, *pci });
	}
	gpus = affinity_table(app, all);
	if (all)
		devices_table(app);
	measured_tables(app);
	if (all)
		host_facts(app);
	host_unread(app);
	rc = host_headline(app, err);
	if (!rc && gpus)
		rc = app_say(app, err, "%s, %zu GPU%s", app->headline, gpus, gpus == 1 ? "" : "s");
	if (rc || !app->host_before)
		return rc;
	return app_say(app, err, "%s; counters over %s", app->headline,
	               duration_text(cfg->interval, window));
}

const struct cmd cmd_host = {
	.name = "host",
	.summary = "HCA, driver, firmware, PCIe and GPU problems of this host",
	.example = "host\n"
		   "host --expect-ports 8 --expect-rate 400\n",
	.group = CMD_HOST,
	.takes = TAKES_HOST,
	.checks = "host,-host.vport,cable.temperature,cable.voltage,cable.alarm,cable.rx-power,"
		  "cable.no-light,cable.module-state,cable.eeprom,"
		  "cable.unsupported,device.temperature",
	.opts = host_opts,
	.cfg_size = sizeof(struct host_cfg),
	.csv = &host_ports_type,
	.shows = TABLES(&host_ports_type, &pci_type, &affinity_type, &devices_type, &modules_type,
	                &sensors_type, &host_facts_type, &unread_type),
	.run = host_run,
	.input = host_input,
	.end = host_end,
	.tables = host_tables,
};
