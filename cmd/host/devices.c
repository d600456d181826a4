/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table "devices": which ports a job should use, of the whole host, of each NUMA node, and
 * those nearest to each GPU, as NCCL and UCX want them in the environment.
 */
#include <stdlib.h>

#include "cmd.h"
#include "columns.h"

/*
 * struct device_row - ports of one scope
 * @gpu: NULL: of none
 * @numa: -1: it does not matter
 * @nearest: to the GPU
 */
struct device_row {
	const struct ibc_host *host;
	const char *scope;
	const struct ibc_pci *gpu;
	int numa;
	enum ibc_nearness nearest;
	bool infiniband;
};

static bool is_usable(const struct ibc_rdma_device *device, const struct ibc_rdma_port *port)
{
	return device->type == IBC_NODE_CA && port->state == IBC_STATE_ACTIVE;
}

static enum ibc_nearness nearness_of(const struct ibc_host *host, const struct ibc_pci *gpu,
                                     const struct ibc_rdma_device *device)
{
	const struct ibc_pci *hca = ibc_host_pci_by_name(host, device->pci);

	return hca ? ibc_pci_nearness(gpu, hca) : IBC_NEAR_UNKNOWN;
}

static int numa_of(const struct ibc_host *host, const struct ibc_rdma_device *device)
{
	const struct ibc_pci *hca = ibc_host_pci_by_name(host, device->pci);

	return hca ? hca->numa : -1;
}

/* A job that has both kinds of links uses one: Ethernet counts where no port is InfiniBand. */
static struct ibc_value port_list(struct ibc_cell *cell, const struct device_row *row,
                                  const char *before)
{
	const struct ibc_rdma_device *device;

	for (size_t i = 0; (device = ibc_host_device(row->host, i)); i++) {
		bool near = row->gpu ? row->nearest &&
		                           nearness_of(row->host, row->gpu, device) == row->nearest
		                     : row->numa < 0 || numa_of(row->host, device) == row->numa;

		for (size_t p = 0; p < device->num_ports && near; p++)
			if (is_usable(device, &device->ports[p]) &&
			    device->ports[p].infiniband == row->infiniband)
				ibc_cell_text(cell, "%s%s:%u", cell->length ? "," : before,
				              device->name, device->ports[p].num);
	}
	return cell->length ? ibc_cell_text(cell, "%s", "") : ibc_none();
}

/* NCCL takes a name for the beginning of one, unless a "=" is before the list. */
GETTER(nccl_hcas, struct device_row, d, port_list(cell, d, "="));
GETTER(ucx_devices, struct device_row, d, port_list(cell, d, ""));
GETTER(row_gpu, struct device_row, d, d->gpu ? ibc_str(d->gpu->name) : ibc_none());
GETTER(row_nearness, struct device_row, d,
       d->nearest ? ibc_enum(ibc_nearness_word(d->nearest)) : ibc_none());

static const struct ibc_column device_columns[] = {
	FIELD("scope", "FOR", struct device_row, scope),
	COLUMN("gpu", "GPU", row_gpu),
	FIELD("numa", "NUMA", struct device_row, numa),
	COLUMN("nearness", "NEARNESS", row_nearness,
	       .legend = "of the GPU: pix, pxb, phb, node or sys; pix is nearest"),
	COLUMN("nccl_ib_hca", "NCCL_IB_HCA", nccl_hcas),
	COLUMN("ucx_net_devices", "UCX_NET_DEVICES", ucx_devices),
	{ 0 },
};
const struct ibc_table_type devices_type = TABLE("devices", device_columns, NULL);

void devices_table(struct app *app)
{
	struct device_row row = { .host = app->host, .scope = "host", .numa = -1 };
	struct ibc_table *table = app_table(app, &devices_type);
	const struct ibc_rdma_device *device;
	const struct ibc_pci *pci;
	int last;

	for (size_t i = 0; (device = ibc_host_device(app->host, i)); i++)
		for (size_t p = 0; p < device->num_ports; p++)
			row.infiniband |= is_usable(device, &device->ports[p]) &&
			                  device->ports[p].infiniband;
	ibc_table_row(table, &row);
	/* NUMA nodes in order; each has a row when the lowest after the last one is sought */
	row.scope = "numa";
	do {
		last = row.numa;
		for (size_t i = 0; (device = ibc_host_device(row.host, i)); i++) {
			int numa = numa_of(row.host, device);

			if (numa > last && (row.numa == last || numa < row.numa))
				row.numa = numa;
		}
		if (row.numa > last)
			ibc_table_row(table, &row);
	} while (row.numa > last);
	row.scope = "gpu";
	for (size_t i = 0; (pci = ibc_host_pci(app->host, i)); i++) {
		if (pci->kind != IBC_PCI_GPU)
			continue;
		row.numa = pci->numa;
		row.gpu = pci;
		row.nearest = IBC_NEAR_UNKNOWN;
		for (size_t k = 0; (device = ibc_host_device(row.host, k)); k++) {
			enum ibc_nearness near = nearness_of(row.host, pci, device);

			for (size_t p = 0; p < device->num_ports; p++)
				if (near && is_usable(device, &device->ports[p]) &&
				    device->ports[p].infiniband == row.infiniband &&
				    (!row.nearest || near < row.nearest))
					row.nearest = near;
		}
		ibc_table_row(table, &row);
	}
}
