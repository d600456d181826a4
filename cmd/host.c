/* SPDX-License-Identifier: BSD-2-Clause */
/* This host: ports, firmware, drivers, libraries, PCI, GPUs. */
#include <stdio.h>

#include "cmd.h"

#define RATE_MAX 1000000

struct host_cfg {
	double window;
	unsigned int ports, rate;
};

static const struct opt host_opts[] = {
	OPT_SECONDS('w', "window", "S", struct host_cfg, window, WINDOW_MAX_SECONDS,
	            "read twice, S seconds apart (10, 0.5, 2m or 1h), and judge what was counted"),
	OPT_UINT(0, "expect-ports", "N", struct host_cfg, ports, 1, UINT16_MAX,
	         "so many InfiniBand ports must be active"),
	OPT_UINT(0, "expect-rate", "GBPS", struct host_cfg, rate, 1, RATE_MAX,
	         "each at so many Gb/s or more"),
	OPT_END,
};

/* ---- reading and checking ------------------------------------------------------------ */

static int expect(struct app *app, const char *check, unsigned int number, struct ibc_error *err)
{
	char text[16];

	if (!number)
		return 0;
	snprintf(text, sizeof(text), "%u", number);
	return ibc_config_set(app->config, check, "expect", text, err);
}

/* What the tables show is read whatever the checks want. */
#define PARTS_SHOWN (IBC_HOST_PCI | IBC_HOST_STACK)

static int host_run(struct app *app, const void *cfg, struct ibc_error *err)
{
	const struct host_cfg *c = cfg;
	int rc = expect(app, "host.port-count", c->ports, err);

	if (!rc)
		rc = expect(app, "host.rate", c->rate, err);
	if (!rc)
		rc = app_host(app, (struct ibc_host_opts){ .parts = PARTS_SHOWN }, c->window, err);
	if (!rc && !app->host_before)
		app->untimed = "counters of the transport";
	return rc ? rc : app_check(app, NULL, err);
}

static size_t count_gpus(const struct ibc_host *host)
{
	const struct ibc_pci *pci;
	size_t n = 0;

	for (size_t i = 0; (pci = ibc_host_pci(host, i)); i++)
		n += pci->kind == IBC_PCI_GPU;
	return n;
}

/* ---- tables ----------------------------------------------------------------------------- */

static const struct ibc_column pci_columns[] = {
	{ "device", "DEVICE" },     { "hop", "HOP" },
	{ "pci", "PCI" },           { "speed_gts", "GT/S" },
	{ "max_speed_gts", "MAX" }, { "lanes", "LANES" },
	{ "max_lanes", "MAX" },     { "usable_gbps", "Gb/s" },
	{ "numa", "NUMA" },         { "driver", "DRIVER" },
	{ "iommu", "IOMMU" },       { "acs", NULL },
	{ "device_control", NULL }, { 0 },
};

static struct ibc_value real_or_none(double number)
{
	return number > 0 ? ibc_real(number) : ibc_none();
}

static void add_hop(struct ibc_table *table, const char *device, unsigned int hop,
                    const struct ibc_pci *pci)
{
	ibc_table_row(table, (struct ibc_value[]){
				 ibc_str(device),
				 ibc_u64(hop),
				 ibc_str(pci->name),
				 real_or_none(pci->gts),
				 real_or_none(pci->max_gts),
				 pci->lanes ? ibc_u64(pci->lanes) : ibc_none(),
				 pci->max_lanes ? ibc_u64(pci->max_lanes) : ibc_none(),
				 real_or_none(ibc_pci_gbps(pci->gts, pci->lanes)),
				 pci->numa >= 0 ? ibc_u64((uint64_t)pci->numa) : ibc_none(),
				 text_or_none(pci->driver),
				 text_or_none(pci->iommu),
				 pci->has_acs ? ibc_u64(pci->acs) : ibc_none(),
				 pci->config_read ? ibc_u64(pci->device_control) : ibc_none(),
			     });
}

/* From each adapter and GPU up to its root port. */
static void pci_table(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "pci", pci_columns);
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;
	unsigned int hop;

	for (size_t i = 0; (device = ibc_host_device(app->host, i)); i++) {
		hop = 0;
		for (pci = ibc_host_pci_by_name(app->host, device->pci); pci; pci = pci->up)
			add_hop(table, device->name, hop++, pci);
	}
	for (size_t i = 0; (pci = ibc_host_pci(app->host, i)); i++)
		if (pci->kind == IBC_PCI_GPU)
			add_hop(table, pci->name, 0, pci);
}

static const struct ibc_column affinity_columns[] = {
	{ "gpu", "GPU" },           { "device", "DEVICE" },    { "nearness", "NEARNESS" },
	{ "gpu_numa", "GPU NUMA" }, { "device_numa", "NUMA" }, { 0 },
};

static struct ibc_value numa(const struct ibc_pci *pci)
{
	return pci->numa >= 0 ? ibc_u64((uint64_t)pci->numa) : ibc_none();
}

static void affinity_table(struct app *app)
{
	struct ibc_table *table = ibc_report_table(app->report, "affinity", affinity_columns);
	const struct ibc_rdma_device *device;
	const struct ibc_pci *gpu, *hca;

	for (size_t i = 0; (gpu = ibc_host_pci(app->host, i)); i++) {
		for (size_t k = 0;
		     gpu->kind == IBC_PCI_GPU && (device = ibc_host_device(app->host, k)); k++) {
			hca = ibc_host_pci_by_name(app->host, device->pci);
			if (!hca)
				continue;
			ibc_table_row(table,
			              (struct ibc_value[]){
					  ibc_str(gpu->name),
					  ibc_str(device->name),
					  ibc_enum(ibc_nearness_word(ibc_pci_nearness(gpu, hca))),
					  numa(gpu),
					  numa(hca),
				      });
		}
	}
}

static int host_say(struct app *app, const struct host_cfg *cfg, struct ibc_error *err)
{
	size_t gpus = count_gpus(app->host);
	char window[TIME_TEXT];
	int rc = host_headline(app, err);

	if (!rc && gpus)
		rc = app_say(app, err, "%s, %zu GPU%s", app->headline, gpus, gpus == 1 ? "" : "s");
	if (rc || !app->host_before)
		return rc;
	time_text(cfg->window, window);
	return app_say(app, err, "%s; counted in %s", app->headline, window);
}

static int host_tables(struct app *app, const void *cfg, struct ibc_error *err)
{
	bool all = app_shows_all(app);

	host_ports(app, "host_ports");
	if (all)
		pci_table(app);
	if (all || count_gpus(app->host))
		affinity_table(app);
	if (all)
		host_facts(app);
	host_unread(app);
	return host_say(app, cfg, err);
}

const struct cmd cmd_host = {
	.name = "host",
	.summary = "stack alignment of this host",
	.group = CMD_HOST,
	.checks = "host",
	.opts = host_opts,
	.cfg_size = sizeof(struct host_cfg),
	.run = host_run,
	.tables = host_tables,
};
