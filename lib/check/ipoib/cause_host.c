/* SPDX-License-Identifier: BSD-2-Clause */
/* Why RDMA is of no use to any program of a host. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/ipoib/workloads.h"
#include "host/net/gid.h"

#define FULL_MEMBER 0x8000 /* of a P_Key (IBA 10.9.3) */

bool explain(struct suspect *s, const char *remedy, const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	s->cause->what = sink_vtext(s->out, what, ap);
	va_end(ap);
	s->cause->remedy = remedy;
	return true;
}

/* ---- a port --------------------------------------------------------------------------- */

static bool is_waiting(const struct ibc_host *host, const struct ibc_rdma_device *device,
                       const struct ibc_rdma_port *port)
{
	(void)host, (void)device;
	return port->infiniband &&
	       (port->state == IBC_STATE_INIT || port->state == IBC_STATE_ARMED);
}

/* A state that could not be read may be Active. */
static bool is_down(const struct ibc_host *host, const struct ibc_rdma_device *device,
                    const struct ibc_rdma_port *port)
{
	return port->state != IBC_STATE_ACTIVE && port->state != IBC_STATE_UNKNOWN &&
	       !is_waiting(host, device, port);
}

static bool is_unread_file(const struct ibc_host *host, const struct ibc_rdma_device *device,
                           const struct ibc_rdma_port *port, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "/%s/ports/%u/%s", device->name, port->num, file);
	return unread_like(host, path);
}

static bool has_no_lid(const struct ibc_host *host, const struct ibc_rdma_device *device,
                       const struct ibc_rdma_port *port)
{
	return port->infiniband && !port->lid && !is_unread_file(host, device, port, "lid");
}

/* Libraries take the first P_Key unless another is set. */
static bool is_limited(const struct ibc_host *host, const struct ibc_rdma_device *device,
                       const struct ibc_rdma_port *port)
{
	(void)host, (void)device;
	return port->infiniband && port->num_pkeys && !(port->pkeys[0] & FULL_MEMBER);
}

static bool has_no_gid(const struct ibc_host *host, const struct ibc_rdma_device *device,
                       const struct ibc_rdma_port *port)
{
	for (size_t i = 0; i < port->num_gids; i++)
		if (!gid_is_link_local(&port->gids[i]))
			return false;
	return !port->infiniband && !is_unread_file(host, device, port, "gids");
}

static bool has_no_roce(const struct ibc_host *host, const struct ibc_rdma_device *device,
                        const struct ibc_rdma_port *port)
{
	return !port->infiniband && is_turned_off(host, device->pci, "enable_roce");
}

/* What a port lacks, from the first thing on its way into use to the last. */
static const struct {
	bool (*holds)(const struct ibc_host *host, const struct ibc_rdma_device *device,
	              const struct ibc_rdma_port *port);
	const char *what, *remedy;
} lacks[] = {
	{ is_down, "is not Active", "Run ibcheck host: it shows what the port lacks" },
	{ is_waiting, "waits for a subnet manager to make it Active",
	  "Check that a subnet manager runs on its subnet and sweeps it" },
	{ has_no_lid, "has no LID",
	  "Check that a subnet manager runs on its subnet and sweeps it" },
	{ is_limited, "is a limited member of its first partition and reaches only full members",
	  "Make the host a full member in the partitions of the subnet manager" },
	{ has_no_roce, "has RoCE disabled (devlink: enable_roce)", TURN_ON("enable_roce") },
	{ has_no_gid, "has no GID of a routable address",
	  "Give the interface of the port an address, and check that it is up" },
};

static size_t lack_of(const struct ibc_host *host, const struct ibc_rdma_device *device,
                      const struct ibc_rdma_port *port)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(lacks) && !lacks[i].holds(host, device, port))
		i++;
	return i;
}

bool has_word(const char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* Which file is whose may be unknown. */
static bool is_given(const struct ibc_process *p, const struct ibc_rdma_device *device)
{
	return !p || !p->devices || !*device->uverbs || has_word(p->devices, device->uverbs);
}

bool process_can_use(const struct ibc_host *host, const struct ibc_process *p,
                     const struct ibc_rdma_device *device)
{
	if (!is_given(p, device))
		return false;
	for (size_t i = 0; i < device->num_ports; i++)
		if (lack_of(host, device, &device->ports[i]) == ARRAY_SIZE(lacks))
			return true;
	return false;
}

/* Of all ports that one is named which lacks least. */
bool has_no_port(struct suspect *s)
{
	const struct ibc_rdma_device *device, *nearest = NULL;
	const struct ibc_rdma_port *port = NULL;
	size_t lack, least = 0;

	for (size_t i = 0; (device = ibc_host_device(s->host, i)); i++) {
		for (size_t k = 0; is_given(s->p, device) && k < device->num_ports; k++) {
			lack = lack_of(s->host, device, &device->ports[k]);
			if (lack == ARRAY_SIZE(lacks))
				return false;
			if (nearest && lack <= least)
				continue;
			least = lack;
			nearest = device;
			port = &device->ports[k];
		}
	}
	return nearest &&
	       explain(
		   s, lacks[least].remedy, "no port of %s can be used: %s %s",
		   s->p ? sink_text(s->out, "the devices that PID %d is allowed to open", s->p->pid)
			: "an RDMA device",
		   port_name(s->out, nearest, port), lacks[least].what);
}

/* ---- devices -------------------------------------------------------------------------- */

static bool is_loaded(struct ibc_sink *out, const struct ibc_host *host, const char *module)
{
	return value_of(host, sink_text(out, "module %s", module), "loaded");
}

/* There is an adapter, and its driver made no RDMA device of it. */
static bool has_no_device(struct suspect *s)
{
	const char *why = "", *remedy = "modprobe mlx5_ib (or mlx4_ib); if it does not load, it "
					"was built for another kernel";
	const struct ibc_pci *pci = NULL;
	bool mlx5, loaded;

	for (size_t i = 0; !ibc_host_device(s->host, 0) && (pci = ibc_host_pci(s->host, i)); i++)
		if (is_idle_adapter(s->host, pci))
			break;
	if (!pci)
		return false;
	mlx5 = !strcmp(pci->driver, "mlx5_core");
	loaded = is_loaded(s->out, s->host, "mlx5_ib");
	if (!*pci->driver)
		why = ": it has no driver";
	if (mlx5 && !loaded)
		why = ": mlx5_ib is not loaded";
	if (mlx5 && loaded)
		remedy = "See the messages of mlx5_ib in the kernel log, and reload it";
	if (is_turned_off(s->host, pci->name, "enable_rdma")) {
		why = ": RDMA is disabled in it (devlink: enable_rdma)";
		remedy = TURN_ON("enable_rdma");
	}
	return explain(s, remedy, "the HCA %s is not an RDMA device%s", pci->name, why);
}

bool lacks_module(struct ibc_sink *out, const struct ibc_host *host, const char *module)
{
	return value_of(host, "kernel", "modules") && !is_loaded(out, host, module);
}

/* ---- the kernel and its libraries -------------------------------------------------------- */

/*
 * Versions of the kernel's interface that rdma-core knows: for all devices (kern-abi.h,
 * IB_USER_VERBS_MIN_ABI_VERSION), and of some providers (match_min_abi_version).
 */
static const struct {
	const char *provider;
	unsigned long min, max;
} abis[] = { { "", 3, 6 }, { "mlx5", 1, 1 }, { "mlx4", 3, 4 }, { "rxe", 1, 2 } };

/* True of what is not known: NULL. */
static bool is_within(const char *provider, const char *version)
{
	unsigned long number = version ? strtoul(version, NULL, 10) : 0;

	for (size_t i = 0; provider && version && i < ARRAY_SIZE(abis); i++)
		if (!strcmp(provider, abis[i].provider))
			return number >= abis[i].min && number <= abis[i].max;
	return true;
}

/* The kernel's interface, or that of all drivers, is one that libibverbs does not know. */
static bool speaks_otherwise(struct suspect *s)
{
	const char *version = value_of(s->host, "verbs", "abi_version"), *whose = "the kernel";
	const struct ibc_rdma_device *device, *first = ibc_host_device(s->host, 0);

	if (is_within("", version)) {
		for (size_t i = 0; (device = ibc_host_device(s->host, i)); i++)
			if (is_within(provider_of(device),
			              value_of(s->host, device->name, "uverbs_abi")))
				return false;
		if (!first)
			return false;
		version = value_of(s->host, first->name, "uverbs_abi");
		whose = sink_text(s->out, "the driver of %s", first->name);
	}
	return explain(s,
	               "Install rdma-core and drivers that belong together: the kernel's own with "
	               "the distribution's, or both of one OFED release",
	               "%s uses version %s of the verbs ABI, which libibverbs does not support",
	               whose, version);
}

bool host_cause(struct suspect *s)
{
	return has_no_device(s) || has_no_port(s) || speaks_otherwise(s);
}
