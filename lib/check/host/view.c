/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/host/view.h"

#include <string.h>

const char *host_name(const struct ibc_input *in)
{
	const char *name = ibc_host_name(in->host);

	return *name ? name : "this host";
}

const char *port_name(struct ibc_sink *out, const struct ibc_rdma_device *device,
                      const struct ibc_rdma_port *port)
{
	return sink_text(out, "%s/%u", device->name, port->num);
}

const struct ibc_rdma_port *next_host_port(const struct ibc_host *host, struct port_walk *w)
{
	while ((w->device = ibc_host_device(host, w->next_device))) {
		if (w->next_port < w->device->num_ports)
			return &w->device->ports[w->next_port++];
		w->next_device++;
		w->next_port = 0;
	}
	return NULL;
}

const struct ibc_rdma_port *device_port(const struct ibc_rdma_device *device, unsigned int num)
{
	for (size_t i = 0; device && i < device->num_ports; i++)
		if (device->ports[i].num == num)
			return &device->ports[i];
	return NULL;
}

const char *value_of(const struct ibc_host *host, const char *subject, const char *key)
{
	const struct ibc_host_fact *fact = ibc_host_fact_of(host, subject, key);

	return fact ? fact->value : NULL;
}

const char *path_of_fact(const struct ibc_host *host, const char *subject, const char *key)
{
	const struct ibc_host_fact *fact = ibc_host_fact_of(host, subject, key);

	return fact ? fact->path : "";
}

const struct ibc_unread *unread_like(const struct ibc_host *host, const char *part)
{
	const struct ibc_unread *unread;

	for (size_t i = 0; (unread = ibc_host_unread(host, i)); i++)
		if (strstr(unread->path, part))
			return unread;
	return NULL;
}

void report_unread(const struct ibc_input *in, struct ibc_sink *out, enum ibc_subject_kind kind,
                   const char *name, const char *what, const char *part)
{
	const struct ibc_unread *unread = unread_like(in->host, part);

	sink_as(out, IBC_UNKNOWN);
	if (unread)
		sink_named(out, kind, name, "%s is not known: %s: %s", what, unread->path,
		           ibc_unread_reason(unread));
	else
		sink_named(out, kind, name, "%s is not known: the kernel does not report it", what);
}

bool passes_memlock_on(const struct ibc_process *process)
{
	return process->program & IBC_PROGRAM_DAEMON && strcmp(process->comm, "sshd") != 0;
}

bool is_active(const struct ibc_rdma_port *port)
{
	return port->state == IBC_STATE_ACTIVE && port->phys_state == IBC_PHYS_LINKUP;
}

bool has_infiniband(const struct ibc_rdma_device *device)
{
	for (size_t i = 0; i < device->num_ports; i++)
		if (device->ports[i].infiniband)
			return true;
	return false;
}

bool is_virtual(const struct ibc_host *host, const struct ibc_rdma_device *device)
{
	const struct ibc_pci *pci = ibc_host_pci_by_name(host, device->pci);

	return pci && pci->vf_of;
}

static const char *const providers[][2] = {
	{ "mlx5_core", "mlx5" },    { "mlx4_core", "mlx4" }, { "hfi1", "hfi1verbs" },
	{ "bnxt_en", "bnxt_re" },   { "ice", "irdma" },      { "i40e", "irdma" },
	{ "ib_qib", "ipathverbs" }, { "efa", "efa" },
};

const char *provider_of(const struct ibc_rdma_device *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (!strcmp(device->driver, providers[i][0]))
			return providers[i][1];
	return strncmp(device->name, "rxe", 3) ? NULL : "rxe";
}

bool is_idle_adapter(const struct ibc_host *host, const struct ibc_pci *pci)
{
	const struct ibc_rdma_device *device;
	/* a virtual machine's, or waiting for one */
	bool passed_on = pci->vf_of || !strncmp(pci->driver, "vfio", 4);

	for (size_t i = 0; (device = ibc_host_device(host, i)); i++)
		if (!strcmp(device->pci, pci->name))
			return false;
	return pci->kind == IBC_PCI_HCA && !passed_on;
}

bool is_turned_off(const struct ibc_host *host, const char *pci, const char *parameter)
{
	const char *value = value_of(host, pci, parameter);

	return value && !strcmp(value, "off");
}

bool is_used_gpu(const struct ibc_pci *pci)
{
	return pci->kind == IBC_PCI_GPU &&
	       (!strcmp(pci->driver, "nvidia") || !strcmp(pci->driver, "amdgpu"));
}

bool is_virtual_machine(const struct ibc_host *host)
{
	return value_of(host, "machine", "hypervisor") != NULL;
}

const char *list_with(struct ibc_sink *out, const char *list, size_t n, const char *name)
{
	if (n > NAMES_MAX)
		return list;
	if (n == NAMES_MAX)
		return sink_text(out, "%s, ...", list);
	return n ? sink_text(out, "%s, %s", list, name) : name;
}

/* ---- counters by name ----------------------------------------------------------------- */

static const uint64_t *find_counted(const struct ibc_named *counters, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(counters[i].name, name))
			return &counters[i].value;
	return NULL;
}

const uint64_t *counted_now(const struct counted *c, const char *name)
{
	return find_counted(c->now, c->num_now, name);
}

uint64_t counted_added(const struct counted *c, const char *name)
{
	const uint64_t *old = find_counted(c->before, c->num_before, name),
		       *new = counted_now(c, name);

	if (!old || !new)
		return 0;
	if (*new >= *old)
		return *new - *old;
	/* begins again after 2^32: else the device was restarted */
	return *old <= UINT32_MAX && *old - *new > UINT32_MAX / 2 ? *new + (1ULL << 32) - *old : 0;
}
